/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_decide.c - the order of the steps.
 */
#include <assert.h>

#include "decide/contract_decide.h"

void bt_contract_transaction_time(const struct bt_contract_state *gate,
                                  char out[BT_INSTANT_TEXT_BYTES])
{
    bt_instant now = bt_env_now(gate->contract->env);
    now.nanos = 0;
    (void)bt_instant_format(now, out);
}

struct bt_entry *bt_contract_add_entry(const struct bt_contract_state *gate, const char *kind)
{
    struct bt_entry *entry = BT_NEW(gate->arena, struct bt_entry);
    if (entry) {
        bt_entry_init(entry);
        entry->actor = gate->actor;
        entry->kind = bt_str_of(kind);
        entry->dialect = BT_STR("baton");
        entry->verdict = BT_STR("recorded");
    }
    return entry;
}

/* A new submission without results; NULL when there is no memory. */
static struct bt_contract_decision_state *
gating_new(const struct bt_contract_state *gate, const struct bt_contract_submission *submission,
           struct bt_error *error)
{
    assert(gate);
    assert(submission->document->options);
    assert(submission->max_rejections > 0);
    struct bt_contract_decision_state *gating =
        BT_NEW(gate->arena, struct bt_contract_decision_state);
    if (!gating) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    gating->gate = gate;
    gating->submission = submission;
    gating->store = gate->ledger->store;
    gating->arena = gate->arena;
    gating->error = error;
    bt_contract_transaction_time(gate, gating->now);
    return gating;
}

static enum bt_status check_block(struct bt_contract_decision_state *gating)
{
    const struct bt_contract_document *document = gating->submission->document;
    gating->turn = (struct bt_contract_check){.contract = gating->gate->contract,
                                              .options = document->options,
                                              .findings = bt_findings_new(gating->arena),
                                              .text = document->text,
                                              .wants_edits = true};
    if (!gating->turn.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_contract_check_judge(&gating->turn));
    const bt_str host_id = document->options->runtime_agent_id;
    const bt_str claimed = gating->turn.agent_id;
    gating->out.agent_id = host_id.len > 0 ? host_id : claimed.len > 0 ? claimed : BT_AGENT_NOBODY;
    gating->before = (struct bt_contract_agent){.workspace = gating->submission->workspace,
                                                .session = gating->submission->session,
                                                .agent_id = gating->out.agent_id};
    return BT_OK;
}

/* Compare with the stored state, and reach a verdict. */
static enum bt_status apply_stored_state(struct bt_contract_decision_state *gating)
{
    const struct bt_contract_attempt limit = {.limit = gating->submission->max_rejections};
    struct bt_contract_attempt attempt = limit;
    bt_str repair;
    BT_TRY(bt_contract_agent_load(gating->store, gating->arena, &gating->before, gating->error));
    BT_TRY(bt_contract_decide_transition(gating));
    BT_TRY(bt_contract_decide_approval(gating));
    BT_TRY(bt_contract_decide_sections(gating));
    BT_TRY(bt_contract_decide_rejections(gating));
    BT_TRY(bt_contract_check_finish(&gating->turn, gating->submission->document->path, NULL,
                                    &gating->out.judged));
    attempt.number = gating->out.attempt;
    return bt_contract_check_write_repair(&gating->turn, attempt, &gating->out.prompt, &repair);
}

static enum bt_status add_handoff(struct bt_contract_decision_state *gating,
                                  struct bt_ledger_record *out)
{
    const uint64_t limit = gating->gate->contract->env->limits.document_bytes;
    const struct bt_contract_check *turn = &gating->turn;
    static const struct bt_submission plain = {.handoff_id = BT_STR_INIT(""),
                                               .id_pointer = BT_STR_INIT(""),
                                               .trace_id = BT_STR_INIT(""),
                                               .source = BT_STR_INIT(""),
                                               .target = BT_STR_INIT("")};
    struct bt_submission item = gating->item ? *gating->item : plain;
    item.judged = &gating->out.judged;
    item.kind = BT_STR("handoff");
    item.actor = gating->gate->actor;
    item.fail_level = BT_SEVERITY_HARD;
    item.bytes = bt_str_slice(turn->text, 0, limit);
    item.is_truncated = turn->text.len > limit;
    const bt_json_value *id = turn->document ? bt_json_resolve(turn->document, turn->root,
                                                               BT_STR("/agent_status/agent_id"))
                                             : NULL;
    if (id && bt_json_type(id) == BT_JSON_STRING) {
        item.source = bt_json_text(id);
    }
    const struct bt_entry_ref policy = {BT_STR("policy"), gating->submission->policy};
    if (policy.value.len > 0) {
        item.refs = &policy;
        item.ref_count = 1;
    }
    BT_TRY(bt_ledger_transaction_add_submission(gating->recording, &item, out, gating->error));
    if (gating->out.outcome == BT_CONTRACT_OUTCOME_ACCEPTED &&
        gating->out.judged.verdict != BT_VERDICT_ACCEPTED) {
        gating->out.outcome =
            BT_CONTRACT_OUTCOME_RETRY; /* its id was used before: nothing is applied */
        gating->after = gating->before;
    }
    return BT_OK;
}

/* Write everything that the decision changes besides the log. */
static enum bt_status put_rows(struct bt_contract_decision_state *gating, uint64_t seq)
{
    if (gating->submission->mode == BT_SUBMIT_OBSERVE) {
        return BT_OK;
    }
    BT_TRY(bt_contract_agent_save(gating->store, &gating->after, seq, gating->error));
    if (gating->out.outcome != BT_CONTRACT_OUTCOME_ACCEPTED) {
        return BT_OK;
    }
    BT_TRY(bt_contract_decide_save_sections(gating, seq));
    BT_TRY(bt_contract_decide_save_approval(gating, seq));
    if (gating->turn.options->runtime_agent_id.len > 0) {
        return BT_OK;
    }
    struct bt_contract_agent nobody = gating->after;
    nobody.agent_id = BT_AGENT_NOBODY;
    return bt_contract_agent_delete(gating->store, &nobody, gating->error);
}

static enum bt_status describe_decision(struct bt_contract_decision_state *gating,
                                        const struct bt_ledger_record *recorded)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 16);
    bt_buf_put_text(&buf, "\"record\":");
    bt_ledger_transaction_put_record(&buf, gating->recording, recorded);
    const enum bt_status status =
        bt_buf_copy(&buf, gating->arena, &gating->out.judged.extra_members);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status decide_and_record(struct bt_contract_decision_state *gating,
                                        struct bt_ledger_record *recorded)
{
    if (gating->submission->mode != BT_SUBMIT_OBSERVE) { /* an observer ends nothing */
        BT_TRY(bt_approval_list_expire(gating->gate, gating->recording, gating->error));
    }
    BT_TRY(apply_stored_state(gating));
    BT_TRY(add_handoff(gating, recorded));
    BT_TRY(put_rows(gating, recorded->entry.seq));
    return bt_contract_decide_describe(gating);
}

/* A submission in progress, and where it is recorded. */
struct contract_decide_state {
    struct bt_contract_decision_state *gating;
    struct bt_ledger_record *recorded;
};

/* Runs within the transaction, from the beginning each time; again when its commit was lost. */
static enum bt_status decide_in_transaction(struct bt_ledger_transaction *recording, void *context,
                                            struct bt_error *error)
{
    const struct contract_decide_state *submitting = context;
    struct bt_contract_decision_state *gating = submitting->gating;
    if (recording->is_retry) {
        const struct bt_contract_decision_state *anew =
            gating_new(gating->gate, gating->submission, error);
        if (!anew) {
            return BT_ENOMEM;
        }
        *gating = *anew;
        BT_TRY(check_block(gating));
    }
    gating->recording = recording;
    return decide_and_record(gating, submitting->recorded);
}

static enum bt_status record_decision(struct bt_contract_decision_state *gating)
{
    struct bt_ledger_transaction recording = {
        .ledger = gating->gate->ledger, .env = gating->gate->contract->env, .arena = gating->arena};
    struct contract_decide_state submitting = {gating,
                                               BT_NEW(gating->arena, struct bt_ledger_record)};
    if (!submitting.recorded) {
        return BT_ENOMEM;
    }
    const enum bt_status status = bt_ledger_transaction_run(
        &recording, decide_in_transaction, &submitting, gating->gate->alarms, gating->error);
    gating->out.is_recorded = recording.is_recorded;
    gating->out.is_unknown = recording.is_unknown;
    BT_TRY(status);
    return recording.is_recorded ? describe_decision(gating, submitting.recorded) : BT_OK;
}

/* Decide without writing a record. */
static enum bt_status try_only(struct bt_contract_decision_state *gating)
{
    BT_TRY(bt_store_begin_read(gating->store, gating->error));
    enum bt_status status = apply_stored_state(gating);
    bt_store_rollback(gating->store);
    gating->out.judged.extra_members = BT_STR("\"record\":null");
    return status == BT_OK ? bt_contract_decide_describe(gating) : status;
}

enum bt_status bt_contract_decide(const struct bt_contract_state *gate,
                                  const struct bt_contract_submission *submission,
                                  struct bt_contract_decision *out, struct bt_error *error)
{
    assert(submission);
    assert(out);
    *out = (struct bt_contract_decision){0};
    struct bt_contract_decision_state *gating = gating_new(gate, submission, error);
    if (!gating) {
        return BT_ENOMEM;
    }
    BT_TRY(check_block(gating));
    const enum bt_status status =
        submission->mode == BT_SUBMIT_DRY_RUN ? try_only(gating) : record_decision(gating);
    *out = gating->out;
    return status;
}

static enum bt_status decide_submission(struct bt_submission *item,
                                        struct bt_ledger_transaction *recording,
                                        struct bt_ledger_record *out, struct bt_error *error)
{
    const struct bt_gate_append *append = item->act_context;
    struct bt_contract_state *within = BT_NEW(append->gate->arena, struct bt_contract_state);
    if (!within) {
        return BT_ENOMEM;
    }
    *within = *append->gate;
    within->ledger = recording->ledger; /* the writer may use another handle */
    struct bt_contract_decision_state *gating = gating_new(within, &append->submission, error);
    if (!gating) {
        return BT_ENOMEM;
    }
    gating->recording = recording;
    gating->item = item;
    BT_TRY(check_block(gating));
    BT_TRY(decide_and_record(gating, out));
    *item->judged = gating->out.judged;
    item->judged->extra_members = gating->out.members;
    item->seq = out->entry.seq;
    return BT_OK;
}

void bt_contract_state_prepare(struct bt_gate_append *append, struct bt_submission *item)
{
    assert(append);
    assert(item);
    item->act = decide_submission;
    item->act_context = append;
}
