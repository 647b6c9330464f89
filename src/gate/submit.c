/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - the order of the steps.
 */
#include <assert.h>

#include "gate/gating.h"

/* ---- Shared ---------------------------------------------------------------------------------- */

void bt_gate_time(const struct bt_gate *gate, char out[BT_INSTANT_TEXT_BYTES])
{
    bt_instant now = bt_env_now(gate->contract->env);
    now.nanos = 0;
    (void)bt_instant_format(now, out);
}

struct bt_entry *bt_gate_entry(const struct bt_gate *gate, const char *kind)
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

/* A submission that nothing is known about yet; NULL when there is no memory. */
static struct bt_gating *gating_new(const struct bt_gate *gate,
                                    const struct bt_submission *submission, struct bt_error *error)
{
    assert(gate);
    assert(submission->document->options);
    assert(submission->max_rejections > 0);
    struct bt_gating *gating = BT_NEW(gate->arena, struct bt_gating);
    if (!gating) {
        (void)bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    gating->gate = gate;
    gating->asked = submission;
    gating->store = gate->ledger->store;
    gating->arena = gate->arena;
    gating->error = error;
    bt_gate_time(gate, gating->now);
    return gating;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static enum bt_status judge(struct bt_gating *gating)
{
    const struct bt_contract_document *document = gating->asked->document;
    gating->turn = (struct bt_turn){.contract = gating->gate->contract,
                                    .options = document->options,
                                    .findings = bt_findings_new(gating->arena),
                                    .text = document->text,
                                    .wants_mends = true};
    if (!gating->turn.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_turn_judge(&gating->turn));
    const bt_str host_id = document->options->host_id;
    const bt_str claimed = gating->turn.agent_id;
    gating->out.agent_id = host_id.len > 0 ? host_id : claimed.len > 0 ? claimed : BT_AGENT_NOBODY;
    gating->before = (struct bt_agent_state){.workspace = gating->asked->workspace,
                                             .session = gating->asked->session,
                                             .agent_id = gating->out.agent_id};
    return BT_OK;
}

/* Compare with what is stored, and come to a verdict. */
static enum bt_status decide(struct bt_gating *gating)
{
    const struct bt_contract_attempt limit = {.limit = gating->asked->max_rejections};
    struct bt_contract_attempt attempt = limit;
    bt_str repair;
    BT_TRY(bt_agent_load(gating->store, gating->arena, &gating->before, gating->error));
    BT_TRY(bt_gating_transition(gating));
    BT_TRY(bt_gating_approval(gating));
    BT_TRY(bt_gating_merge(gating));
    BT_TRY(bt_gating_count(gating));
    BT_TRY(bt_turn_tell_more(&gating->turn));
    BT_TRY(
        bt_turn_conclude(&gating->turn, gating->asked->document->path, NULL, &gating->out.judged));
    attempt.number = gating->out.attempt;
    return bt_turn_repair(&gating->turn, attempt, &gating->out.prompt, &repair);
}

/* ---- Recording ------------------------------------------------------------------------------- */

static enum bt_status add_handoff(struct bt_gating *gating, struct bt_recorded *out)
{
    const uint64_t limit = gating->gate->contract->env->limits.document_bytes;
    const struct bt_turn *turn = &gating->turn;
    static const struct bt_ledger_item plain = {.handoff_id = BT_STR_INIT(""),
                                                .id_pointer = BT_STR_INIT(""),
                                                .trace_id = BT_STR_INIT(""),
                                                .source = BT_STR_INIT(""),
                                                .target = BT_STR_INIT("")};
    struct bt_ledger_item item = gating->item ? *gating->item : plain;
    item.judged = &gating->out.judged;
    item.kind = BT_STR("handoff");
    item.actor = gating->gate->actor;
    item.fail_level = BT_HARD;
    item.bytes = bt_str_slice(turn->text, 0, limit);
    item.is_cut = turn->text.len > limit;
    const bt_value *id =
        turn->document ? bt_json_point(turn->document, turn->root, BT_STR("/agent_status/agent_id"))
                       : NULL;
    if (id && bt_json_type(id) == BT_JSON_STRING) {
        item.source = bt_json_text(id);
    }
    const struct bt_ledger_ref policy = {BT_STR("policy"), gating->asked->policy};
    if (policy.value.len > 0) {
        item.refs = &policy;
        item.ref_count = 1;
    }
    BT_TRY(bt_recording_add_item(gating->recording, &item, out, gating->error));
    if (gating->out.outcome == BT_GATE_ACCEPTED && gating->out.judged.verdict != BT_ACCEPTED) {
        gating->out.outcome = BT_GATE_SENT_BACK; /* its id was used before: nothing is applied */
        gating->after = gating->before;
    }
    return BT_OK;
}

/* Everything that the decision changes besides the log. */
static enum bt_status put_rows(struct bt_gating *gating, uint64_t seq)
{
    if (gating->asked->mode == BT_GATE_OBSERVE) {
        return BT_OK;
    }
    BT_TRY(bt_agent_save(gating->store, &gating->after, seq, gating->error));
    if (gating->out.outcome != BT_GATE_ACCEPTED) {
        return BT_OK;
    }
    BT_TRY(bt_gating_put_sections(gating, seq));
    BT_TRY(bt_gating_put_approval(gating, seq));
    if (gating->turn.options->host_id.len > 0) {
        return BT_OK;
    }
    struct bt_agent_state nobody = gating->after;
    nobody.agent_id = BT_AGENT_NOBODY;
    return bt_agent_delete(gating->store, &nobody, gating->error);
}

static enum bt_status tell(struct bt_gating *gating, const struct bt_recorded *recorded)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 16);
    bt_buf_put_text(&buf, "\"record\":");
    bt_recording_put(&buf, gating->recording, recorded);
    const enum bt_status status = bt_buf_keep(&buf, gating->arena, &gating->out.judged.members);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status decide_and_record(struct bt_gating *gating, struct bt_recorded *recorded)
{
    if (gating->asked->mode != BT_GATE_OBSERVE) { /* who only looks on ends nothing */
        BT_TRY(bt_approvals_expire(gating->gate, gating->recording, gating->error));
    }
    BT_TRY(decide(gating));
    BT_TRY(add_handoff(gating, recorded));
    BT_TRY(put_rows(gating, recorded->entry.seq));
    return bt_gating_describe(gating);
}

/* A submission under way, and where it is recorded. */
struct submitting {
    struct bt_gating *gating;
    struct bt_recorded *recorded;
};

/* Within the transaction; once more when its commit was lost, and then from the beginning. */
static enum bt_status submit(struct bt_recording *recording, void *context, struct bt_error *error)
{
    const struct submitting *submitting = context;
    struct bt_gating *gating = submitting->gating;
    if (recording->is_again) {
        const struct bt_gating *anew = gating_new(gating->gate, gating->asked, error);
        if (!anew) {
            return BT_ENOMEM;
        }
        *gating = *anew;
        BT_TRY(judge(gating));
    }
    gating->recording = recording;
    return decide_and_record(gating, submitting->recorded);
}

static enum bt_status record(struct bt_gating *gating)
{
    struct bt_recording recording = {
        .ledger = gating->gate->ledger, .env = gating->gate->contract->env, .arena = gating->arena};
    struct submitting submitting = {gating, BT_NEW(gating->arena, struct bt_recorded)};
    if (!submitting.recorded) {
        return BT_ENOMEM;
    }
    const enum bt_status status =
        bt_recording_run(&recording, submit, &submitting, gating->gate->alarms, gating->error);
    gating->out.is_recorded = recording.is_recorded;
    gating->out.is_unknown = recording.is_unknown;
    BT_TRY(status);
    return recording.is_recorded ? tell(gating, submitting.recorded) : BT_OK;
}

/* The same without a trace. */
static enum bt_status try_only(struct bt_gating *gating)
{
    BT_TRY(bt_store_begin_read(gating->store, gating->error));
    enum bt_status status = decide(gating);
    bt_store_rollback(gating->store);
    gating->out.judged.members = BT_STR("\"record\":null");
    return status == BT_OK ? bt_gating_describe(gating) : status;
}

enum bt_status bt_gate_submit(const struct bt_gate *gate, const struct bt_submission *submission,
                              struct bt_decision *out, struct bt_error *error)
{
    assert(submission);
    assert(out);
    *out = (struct bt_decision){0};
    struct bt_gating *gating = gating_new(gate, submission, error);
    if (!gating) {
        return BT_ENOMEM;
    }
    BT_TRY(judge(gating));
    const enum bt_status status =
        submission->mode == BT_GATE_DRY ? try_only(gating) : record(gating);
    *out = gating->out;
    return status;
}

/* ---- Within a batch -------------------------------------------------------------------------- */

static enum bt_status act(struct bt_ledger_item *item, struct bt_recording *recording,
                          struct bt_recorded *out, struct bt_error *error)
{
    const struct bt_gate_append *append = item->act_context;
    struct bt_gate *within = BT_NEW(append->gate->arena, struct bt_gate);
    if (!within) {
        return BT_ENOMEM;
    }
    *within = *append->gate;
    within->ledger = recording->ledger; /* that of a writer may be another handle */
    struct bt_gating *gating = gating_new(within, &append->submission, error);
    if (!gating) {
        return BT_ENOMEM;
    }
    gating->recording = recording;
    gating->item = item;
    BT_TRY(judge(gating));
    BT_TRY(decide_and_record(gating, out));
    *item->judged = gating->out.judged;
    item->judged->members = gating->out.members;
    item->seq = out->entry.seq;
    return BT_OK;
}

void bt_gate_prepare(struct bt_gate_append *append, struct bt_ledger_item *item)
{
    assert(append);
    assert(item);
    item->act = act;
    item->act_context = append;
}
