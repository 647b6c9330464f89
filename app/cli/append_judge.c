/* SPDX-License-Identifier: Apache-2.0 */
/* append_judge.c - judge documents, or prepare their decision, for `ledger append`. */
#include "append_judge.h"

#include "contract_run.h"
#include "engine/submit.h"
#include "output.h"

/* ---- As `baton check` ------------------------------------------------------------------------ */

/* Set the options once. References are resolved below the directory of --root. */
static bool make_ready(struct cli_append_judge *judge, struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *root = cli_given(options, &flag_store_root);
    if (judge->checker) {
        return true;
    }
    if (!cli_universal_options(options, &judge->universal) ||
        !cli_plan_options(options, &judge->plan) || !cli_dir_open(root, &judge->root) ||
        !cli_skills_open(options, &run->arena, &judge->universal.catalogue) ||
        !cli_message_options_init(options, &run->env, &judge->xml)) {
        return false;
    }
    judge->universal.root = bt_str_of(root);
    judge->plan.dir = judge->root;
    judge->plan.is_recorded = !bt_ledger_has_test_key(run->ledger);
    judge->checker = bt_checker_create(&run->env);
    if (!judge->checker) {
        (void)cli_fail_status(BT_ENOMEM);
    }
    return judge->checker != NULL;
}

static bool judge_plain(struct cli_append_judge *judge, struct cli_run *run,
                        const struct cli_input *input, struct bt_submission *item)
{
    if (!make_ready(judge, run)) {
        return false;
    }
    const struct bt_check_options options = {.dialect = run->options->dialect,
                                             .fail_level = run->options->fail_level,
                                             .checker = judge->checker,
                                             .universal = &judge->universal,
                                             .plan = &judge->plan,
                                             .xml = &judge->xml.options};
    const enum bt_status status =
        bt_submission_judge(item, &run->env, input->path, input->content, &options);
    return status == BT_OK ||
           cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(input->path), bt_status_text(status));
}

/* ---- Contract blocks ------------------------------------------------------------------------- */

/* Make the names, the checker and the state once. */
static enum bt_status make_contract(struct cli_append_judge *judge, struct cli_run *run,
                                    bt_str actor)
{
    if (judge->contract.contract) {
        return BT_OK;
    }
    judge->workspace = bt_config_text(run->options->config, "contract.workspace");
    if (judge->workspace.len == 0) {
        const char *root = cli_given(run->options, &flag_store_root);
        BT_TRY(cli_workspace(&run->arena, root, &judge->workspace));
    }
    judge->contract = (struct bt_contract_state){
        .ledger = run->ledger, .arena = &run->arena, .actor = actor, .alarms = run->alarms};
    return bt_contract_checker_create(&run->env, &judge->contract.contract);
}

static enum bt_status prepare_contract(struct cli_append_judge *judge, struct cli_run *run,
                                       const struct cli_input *message, struct bt_submission *item)
{
    struct bt_contract_document *document = BT_NEW(&run->arena, struct bt_contract_document);
    struct bt_contract_submission *contract = BT_NEW(&run->arena, struct bt_contract_submission);
    if (!document || !contract) {
        return BT_ENOMEM;
    }
    *document = (struct bt_contract_document){message->path, message->content,
                                              &judge->contract_flags.options};
    *contract = (struct bt_contract_submission){
        .state = &judge->contract,
        .document = document,
        .workspace = judge->workspace,
        .session = BT_STR("default"),
        .max_rejections = bt_config_u64(run->options->config, "contract.max_rejections"),
        .pending_seconds = bt_config_seconds(run->options->config, "approvals.pending_ttl"),
    };
    item->decision = contract;
    return BT_OK;
}

static bool add_contract(struct cli_append_judge *judge, struct cli_run *run,
                         const struct cli_input *message, struct bt_submission *item)
{
    enum bt_status status = make_contract(judge, run, item->entry.actor);
    if (status == BT_OK &&
        !cli_contract_options(run->options, &run->env, &run->arena, &judge->contract_flags)) {
        return false;
    }
    status = status == BT_OK ? prepare_contract(judge, run, message, item) : status;
    return status == BT_OK ||
           cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(message->path), bt_status_text(status));
}

/* ---- Governed documents ---------------------------------------------------------------------- */

/* Load settings, governed root and schemas once. False after an error message. */
static bool make_governed(struct cli_append_judge *judge, struct cli_run *run)
{
    if (judge->governed) {
        return true;
    }
    /* Here --root has two uses: to find the store, and as the governed root. */
    struct cli_options options = *run->options;
    options.root = cli_given(run->options, &flag_store_root);
    if (!cli_governed_options(&options, &run->arena, &judge->governed_flags) ||
        !cli_governed_open(&options, &judge->governed_flags)) {
        return false;
    }
    if (!judge->governed_flags.options.dir) {
        return cli_refuse_usage(run->options,
                                "a governed document needs a catalogue: give --root DIR");
    }
    return cli_is_ok(bt_governed_checker_create(&run->env, &judge->governed));
}

static bool add_governed(struct cli_append_judge *judge, struct cli_run *run,
                         const struct cli_input *input, struct bt_submission *item)
{
    if (item->entry.handoff_id.len > 0) {
        return cli_refuse_usage(run->options, "--id: %.*s has an id of its own",
                                BT_STR_ARG(input->path));
    }
    if (!make_governed(judge, run)) {
        return false;
    }
    const bool is_response = item->judged->dialect == BT_DIALECT_RESPONSE;
    const struct bt_governed_input document = {.kind = is_response ? BT_GOVERNED_SUBMISSION_RESPONSE
                                                                   : BT_GOVERNED_SUBMISSION_HANDOFF,
                                               .path = input->path,
                                               .text = input->content,
                                               .options = &judge->governed_flags.options};
    struct bt_governed_submission *governed = NULL;
    const enum bt_status status =
        bt_governed_submission_open(judge->governed, &run->arena, &document, &governed);
    if (status != BT_OK) {
        const char *trouble = bt_governed_last_error(judge->governed);
        return cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(input->path),
                          trouble[0] ? trouble : bt_status_text(status));
    }
    bt_governed_submission_name(governed, item);
    item->decision = governed;
    return true;
}

typedef bool append_judge_fn(struct cli_append_judge *judge, struct cli_run *run,
                             const struct cli_input *input, struct bt_submission *item);

bool append_judge_add(struct cli_append_judge *judge, struct cli_run *run,
                      const struct cli_input *input, struct bt_submission *item)
{
    static append_judge_fn *const judges[BT_DIALECT__MAX] = {
        [BT_DIALECT_CONTRACT] = add_contract, [BT_DIALECT_GOVERNED] = add_governed,
        [BT_DIALECT_RESPONSE] = add_governed, [BT_DIALECT_UNIVERSAL] = judge_plain,
        [BT_DIALECT_PLAN] = judge_plain,      [BT_DIALECT_XML] = judge_plain,
    };
    const enum bt_dialect_id dialect = item->judged->dialect;
    if (judges[dialect]) {
        return judges[dialect](judge, run, input, item);
    }
    if (!dialect) {
        cli_print_error("cannot judge %.*s: its dialect is not recognised; name it with --as",
                        BT_STR_ARG(input->path));
    } else {
        cli_print_error(
            "%.*s is %.*s, whose verdicts are not recorded here; --raw records the bytes",
            BT_STR_ARG(input->path), BT_STR_ARG(bt_dialect_name(dialect)));
    }
    return false;
}

void append_judge_end(struct cli_append_judge *judge)
{
    bt_checker_destroy(judge->checker);
    bt_dir_close(judge->root);
    cli_message_options_free(&judge->xml);
    bt_contract_checker_destroy(judge->contract.contract);
    bt_governed_checker_destroy(judge->governed);
    cli_governed_close(&judge->governed_flags);
}
