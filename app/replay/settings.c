/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - flags and configuration -> how a replay judges. */
#include "cli/output.h"
#include "cli/plan_run.h"
#include "cli/suggest.h"
#include "dialect/governed/governed_root.h"
#include "operation/operation.h"
#include "replay/replay.h"

/* The digests of manifest and lock of the governed root, so that documents that were judged with
 * other ones can be told apart. */
static bool read_root(struct cli_run *cli, struct replay_settings *settings)
{
    struct bt_governed_checker *governed = NULL;
    if (!settings->governed.root) {
        return true;
    }
    if (bt_governed_checker_create(&cli->env, &governed) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    struct bt_governed_root read = {
        .governed = governed, .options = &settings->governed.options, .arena = &cli->arena};
    enum bt_status status = bt_governed_root_read(&read);
    if (status == BT_OK) {
        status =
            bt_arena_copy(&cli->arena, bt_str_of(read.manifest.file.sha256), &settings->manifest);
    }
    if (status == BT_OK) {
        status = bt_arena_copy(&cli->arena, bt_str_of(read.lock.file.sha256), &settings->lock);
    }
    bt_governed_checker_destroy(governed);
    return status == BT_OK || cli_refuse("cannot read the root %s: %s",
                                         settings->governed.root_path.ptr, bt_status_text(status));
}

static bool take_dialects(struct cli_run *cli, struct bt_str_list *out)
{
    if (!cli_given_list(cli->options, &flag_replay_dialect, &cli->arena, out)) {
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        if (!bt_dialect_find(out->items[i])) {
            return cli_refuse_value(cli->options, &flag_replay_dialect, out->items[i].ptr);
        }
    }
    return true;
}

bool replay_settings_open(struct cli_run *cli, struct replay_settings *out)
{
    const struct cli_options *options = cli->options;
    struct bt_arena *arena = &cli->arena;
    *out = (struct replay_settings){.manifest = BT_STR_INIT(""), .lock = BT_STR_INIT("")};
    organism_file_begin(&out->xml.file);
    out->needs_met = options->root ? BT_RULE_NEED_ROOT : 0;
    out->compares_codes = cli_given(options, &flag_codes) != NULL;
    if (!take_dialects(cli, &out->dialects) || !cli_universal_options(options, &out->universal) ||
        !cli_plan_options(options, &out->plan) || !cli_dir_open(options->root, &out->root) ||
        !cli_skills_open(options, arena, &out->universal.catalogue) ||
        !cli_contract_options(options, &cli->env, arena, &out->contract) ||
        !cli_message_options_init(options, &cli->env, &out->xml) ||
        !cli_governed_options(options, arena, &out->governed)) {
        return false;
    }
    out->plan.dir = out->root;
    out->universal.no_facts = true; /* findings are compared, and nothing else is shown */
    /* A root that the configuration names does not count: the flag says what to compare with. */
    return !options->root || (cli_governed_open(options, &out->governed) && read_root(cli, out));
}

void replay_settings_close(struct replay_settings *settings)
{
    cli_message_options_free(&settings->xml);
    bt_dir_close(settings->root);
    cli_governed_close(&settings->governed);
}

bool replay_settings_policy(struct cli_run *cli, const struct replay_settings *settings,
                            bt_str *out)
{
    const struct bt_worker_settings keys = bt_worker_settings_from_config(cli->options->config);
    const struct bt_worker worker = {
        .config = cli->options->config, .keys = &keys, .root = bt_str_of(cli->options->root)};
    struct bt_check_request request;
    bt_op_request_begin(&worker, &request);
    request.universal = settings->universal;
    request.plan = settings->plan;
    request.contract = settings->contract.options;
    request.governed = settings->governed.options;
    request.fail_level = cli->options->fail_level;
    struct bt_policy policy;
    const enum bt_status status = bt_op_policy(&cli->arena, &worker, &request, &policy);
    *out = status == BT_OK ? policy.sha256 : BT_STR("");
    return cli_is_ok(status);
}
