/* SPDX-License-Identifier: Apache-2.0 */
/*
 * govern_store.c - shared by the commands of `baton govern` that need a store: open, decide, end.
 */
#include "govern_store.h"

#include "print.h"

/* clang-format off */
const struct cli_flag flag_needless_store = {"store", 0, "URL", CLI_FILE,
    "accepted as by the other commands, and not used", NULL};
/* clang-format on */

bool govern_store_begin(struct cli_govern_store *store, const struct cli_options *options,
                        bool wants_root)
{
    *store = (struct cli_govern_store){.run = {.options = options}};
    const bool ready = ledger_run_begin(&store->ledger, options);
    return govern_run_begin(&store->run, options, wants_root) && ready;
}

int govern_store_end(struct cli_govern_store *store, int code)
{
    return ledger_run_end(&store->ledger, govern_run_end(&store->run, code));
}

bool govern_store_open(struct cli_govern_store *store, enum cli_govern_store_access access)
{
    bt_str actor = BT_STR("cli");
    if ((access != GOVERN_READ && !ledger_run_actor(&store->ledger, &actor)) ||
        !(access == GOVERN_MAKE ? ledger_run_open_or_make(&store->ledger)
                                : ledger_run_open(&store->ledger, access != GOVERN_READ))) {
        return false;
    }
    store->govern = (struct bt_governed_state){.ledger = store->ledger.ledger,
                                               .env = &store->run.env,
                                               .arena = &store->run.arena,
                                               .actor = actor,
                                               .alarms = store->ledger.alarms};
    return true;
}

bool govern_store_read(struct cli_govern_store *store, enum bt_governed_submission_kind kind)
{
    struct cli_govern_run *run = &store->run;
    struct cli_input input;
    if (!cli_input_read(&run->arena, run->options->operands[0], run->env.limits.document_bytes,
                        &input)) {
        return false;
    }
    const struct bt_governed_input document = {
        .kind = kind, .path = input.path, .text = input.content, .options = &run->flags.options};
    struct bt_governed_submission *governed = NULL;
    const enum bt_status status =
        bt_governed_submission_open(run->governed, &run->arena, &document, &governed);
    if (status != BT_OK) {
        (void)govern_run_fail(run, status);
        return false;
    }
    store->judged = (struct bt_judgement){.path = input.path,
                                          .dialect = kind == BT_GOVERNED_SUBMISSION_HANDOFF
                                                         ? BT_DIALECT_GOVERNED
                                                         : BT_DIALECT_RESPONSE,
                                          .source = input.content};
    bt_submission_init(&store->submission, &run->arena, &store->judged, BT_STR(""), input.content,
                       run->env.limits.document_bytes);
    bt_governed_submission_name(governed, &store->submission);
    store->submission.decision = governed;
    return true;
}

int govern_store_fail(struct cli_govern_store *store, bool is_recorded, bool is_unknown)
{
    return ledger_run_failed(&store->ledger, is_recorded  ? "the decision is recorded, but"
                                             : is_unknown ? "the outcome is unknown"
                                                          : "not decided");
}

bool govern_store_alarmed(struct cli_govern_store *store)
{
    const struct bt_findings *alarms = store->ledger.alarms;
    for (size_t i = 0; i < bt_findings_count(alarms); i++) {
        const struct bt_finding *finding = bt_findings_at(alarms, i);
        cli_print_error("the ledger is not to be trusted: %.*s %.*s",
                        BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
    }
    return bt_findings_count(alarms) > 0;
}

int govern_store_decide(struct cli_govern_store *store, bool is_dry, bool *out_done)
{
    const struct bt_governed_state *govern = &store->govern;
    struct bt_submission *submission = &store->submission;
    const struct bt_deliver deliver = {.ledger = govern->ledger,
                                       .env = govern->env,
                                       .arena = govern->arena,
                                       .actor = govern->actor,
                                       .alarms = govern->alarms};
    *out_done = false;
    submission->entry.actor = govern->actor;
    submission->mode = is_dry ? BT_SUBMIT_DRY_RUN : BT_SUBMIT_RECORD;
    ledger_run_watch(&store->ledger);
    enum bt_status status = bt_submit(&deliver, &submission, 1, &store->ledger.error);
    ledger_run_unwatch();
    status = status == BT_OK ? bt_submission_put_record(submission) : status;
    if (status != BT_OK) {
        return govern_store_fail(store, submission->durability == BT_DURABILITY_DURABLE,
                                 submission->durability == BT_DURABILITY_UNKNOWN);
    }
    if (govern_store_alarmed(store)) {
        return CLI_FAILED;
    }
    *out_done = true;
    return CLI_DONE;
}
