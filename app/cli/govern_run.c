/* SPDX-License-Identifier: Apache-2.0 */
/* govern_run.c - the flags and runs of the commands about governed handoffs. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "govern_run.h"

#include "operation/governed.h"
#include "output.h"
#include "plan_run.h"

/* ---- Flags ----------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const struct cli_flag *flag;
    bt_str setting;
} settings[] = {
    {&flag_boundary_mode, BT_STR_INIT("boundary_mode")},
    {&flag_relation_mode, BT_STR_INIT("relation_mode")},
    {&flag_archetype_mode, BT_STR_INIT("archetype_mode")},
    {&flag_max_age, BT_STR_INIT("max_age_s")},
    {&flag_max_future, BT_STR_INIT("max_future_s")},
};
/* clang-format on */

static bool set_option(const struct cli_options *options, struct bt_governed_options *out,
                       bt_str setting, const char *what, bt_str value)
{
    struct bt_error error;
    return bt_governed_options_set(out, setting, value, &error) == BT_OK ||
           cli_refuse_usage(options, "%s: %s", what, error.text);
}

/* Take the values of the configuration, which was checked when it was read. */
static bool take_config(const struct cli_options *options, struct bt_arena *arena,
                        struct bt_governed_options *out)
{
    struct bt_error error;
    return bt_governed_options_from_config(options->config, arena, out, &error) == BT_OK ||
           cli_refuse_usage(options, "governed: %s", error.text);
}

static bool take_flags(const struct cli_options *options, struct bt_governed_options *out)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        const char *value = cli_given(options, settings[i].flag);
        if (value && !set_option(options, out, settings[i].setting, settings[i].flag->name,
                                 bt_str_of(value))) {
            return false;
        }
    }
    return true;
}

/*
 * --root, or the root that the configuration names. A file that was not named explicitly is ignored
 * when it turns out to lie in the root, because what is judged must not configure its judge.
 */
static bool take_root(const struct cli_options *options, struct bt_arena *arena,
                      struct cli_governed *out)
{
    if (options->root) {
        out->root_path = bt_str_of(options->root);
        return true;
    }
    if (bt_config_path(options->config, "governed.root", arena, &out->root_path) != BT_OK) {
        (void)cli_fail_status(BT_ENOMEM);
        cli_note_failure(options, BT_STR(""), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
        return false;
    }
    if (bt_config_is_of_project(options->config, "governed.root") &&
        config_is_inside(out->root_path.ptr)) {
        *out = (struct cli_governed){.options = bt_governed_options_default(),
                                     .root_path = BT_STR("")};
    }
    return true;
}

bool cli_governed_options(const struct cli_options *options, struct bt_arena *arena,
                          struct cli_governed *out)
{
    *out = (struct cli_governed){.options = bt_governed_options_default(), .root_path = BT_STR("")};
    return take_config(options, arena, &out->options) && take_root(options, arena, out) &&
           take_flags(options, &out->options);
}

enum bt_status cli_governed_try(const struct cli_options *options, struct cli_governed *governed,
                                struct bt_error *error)
{
    if (governed->root || cli_given(options, &flag_structure_only) ||
        (governed->root_path.len == 0 && !options->root)) {
        return BT_OK;
    }
    BT_TRY(bt_dir_open(governed->root_path, &governed->root, error));
    governed->options.dir = governed->root;
    return BT_OK;
}

bool cli_governed_open(const struct cli_options *options, struct cli_governed *governed)
{
    struct bt_error error;
    return cli_governed_try(options, governed, &error) == BT_OK ||
           cli_refuse("cannot use the root %s: %s", governed->root_path.ptr, error.text);
}

void cli_governed_close(struct cli_governed *governed)
{
    bt_dir_close(governed->root);
    governed->root = NULL;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

bool govern_run_begin_any(struct cli_run *run)
{
    run->govern = BT_NEW(&run->arena, struct cli_govern_run);
    if (!run->govern) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!cli_governed_options(run->options, &run->arena, &run->govern->flags) ||
        !cli_governed_open(run->options, &run->govern->flags) || !cli_run_report(run)) {
        return false;
    }
    return cli_is_ok(bt_governed_checker_create(&run->env, &run->govern->checker));
}

bool govern_run_begin(struct cli_run *run)
{
    if (!govern_run_begin_any(run)) {
        return false;
    }
    if (!run->govern->flags.options.dir) {
        return cli_refuse_usage(run->options, "no catalogue is named: give --root DIR");
    }
    return true;
}

void govern_run_free(struct cli_govern_run *govern)
{
    if (govern) {
        bt_governed_checker_destroy(govern->checker);
        cli_governed_close(&govern->flags);
    }
}

int govern_run_fail(struct cli_run *run, enum bt_status status)
{
    const char *trouble = bt_governed_last_error(run->govern->checker);
    return cli_failed("cannot judge the catalogue: %s",
                      trouble[0] ? trouble : bt_status_text(status));
}

/* ---- Runs with a store ----------------------------------------------------------------------- */

bool govern_run_open(struct cli_run *run, enum cli_access access)
{
    bt_str actor = BT_STR("cli");
    if ((access != CLI_READ && !cli_run_actor(run, &actor)) || !cli_run_open_ledger(run, access)) {
        return false;
    }
    run->govern->state = (struct bt_governed_state){.ledger = run->ledger,
                                                    .env = &run->env,
                                                    .arena = &run->arena,
                                                    .actor = actor,
                                                    .alarms = run->alarms};
    return true;
}

bool govern_run_read(struct cli_run *run, enum bt_governed_submission_kind kind)
{
    struct cli_input input;
    if (!cli_run_read(run, run->options->operands[0], &input)) {
        return false;
    }
    const struct bt_governed_input document = {.kind = kind,
                                               .path = input.path,
                                               .text = input.content,
                                               .options = &run->govern->flags.options};
    struct bt_governed_submission *governed = NULL;
    const enum bt_status status =
        bt_governed_submission_open(run->govern->checker, &run->arena, &document, &governed);
    if (status != BT_OK) {
        (void)govern_run_fail(run, status);
        return false;
    }
    run->govern->judged = (struct bt_judgement){.path = input.path,
                                                .dialect = kind == BT_GOVERNED_SUBMISSION_HANDOFF
                                                               ? BT_DIALECT_GOVERNED
                                                               : BT_DIALECT_RESPONSE,
                                                .source = input.content};
    bt_submission_init(&run->govern->submission, &run->arena, &run->govern->judged, BT_STR(""),
                       input.content, run->env.limits.document_bytes);
    bt_governed_submission_name(governed, &run->govern->submission);
    run->govern->submission.decision = governed;
    return true;
}

int govern_run_fail_store(struct cli_run *run, bool is_recorded, bool is_unknown)
{
    return cli_run_failed(run, is_recorded  ? "the decision is recorded, but"
                               : is_unknown ? "the outcome is unknown"
                                            : "not decided");
}

bool govern_run_alarmed(struct cli_run *run)
{
    const struct bt_findings *alarms = run->alarms;
    for (size_t i = 0; i < bt_findings_count(alarms); i++) {
        const struct bt_finding *finding = bt_findings_at(alarms, i);
        cli_print_error("the ledger is not to be trusted: %.*s %.*s",
                        BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
    }
    return bt_findings_count(alarms) > 0;
}

int govern_run_decide(struct cli_run *run, bool is_dry, bool *out_done)
{
    const struct bt_governed_state *govern = &run->govern->state;
    struct bt_submission *submission = &run->govern->submission;
    const struct bt_deliver deliver = {.ledger = govern->ledger,
                                       .env = govern->env,
                                       .arena = govern->arena,
                                       .actor = govern->actor,
                                       .alarms = govern->alarms};
    *out_done = false;
    submission->entry.actor = govern->actor;
    submission->mode = is_dry ? BT_SUBMIT_DRY_RUN : BT_SUBMIT_RECORD;
    cli_run_watch(run);
    enum bt_status status = bt_submit(&deliver, &submission, 1, &run->error);
    cli_run_unwatch();
    status = status == BT_OK ? bt_submission_put_record(submission) : status;
    if (status != BT_OK) {
        return govern_run_fail_store(run, submission->durability == BT_DURABILITY_DURABLE,
                                     submission->durability == BT_DURABILITY_UNKNOWN);
    }
    if (govern_run_alarmed(run)) {
        return CLI_FAILED;
    }
    *out_done = true;
    return CLI_DONE;
}
