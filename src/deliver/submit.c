/* SPDX-License-Identifier: Apache-2.0 */
/* submit.c - record one submission in one transaction: replay, entry, inbox. */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "deliver/inbox_internal.h"
#include "ledger/idempotency.h"
#include "report/rules.h"

enum { PARAMS_BYTES_MAX = 4096, RECORD_BYTES_MAX = 1 << 16 };

/* A submission in progress. Its address must not change until it is finished. */
struct bt_submitting {
    const struct bt_deliver *deliver;
    struct bt_deliver_submission *submission;
    bt_decide_fn *act; /* decides, or NULL */
    void *context;
    struct bt_submission item;
    struct bt_ledger_pending *request; /* submitted to the writer; NULL: none */
};

/* Replace the findings of all stages after schema by one finding. */
static enum bt_status replace_findings(struct bt_arena *arena, struct bt_judgement *judged,
                                       const struct bt_finding *finding)
{
    struct bt_findings *findings = bt_findings_new(arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *found = bt_findings_at(judged->findings, i);
        if (found->rule->stage <= BT_STAGE_SCHEMA) {
            BT_TRY(bt_findings_add(findings, found));
        }
    }
    BT_TRY(bt_findings_add(findings, finding));
    BT_TRY(bt_findings_finish(findings, judged->source));
    judged->findings = findings;
    judged->verdict = BT_VERDICT_REJECTED;
    return BT_OK;
}

enum bt_status bt_submission_reject_source(struct bt_arena *arena, struct bt_judgement *judged,
                                           bt_str claimed, bt_str pointer)
{
    struct bt_finding finding =
        bt_finding_from_rule(bt_rule_of_dialect(BT_CODE_AGENT_BINDING_MISMATCH, judged->dialect));
    struct bt_buf params;
    struct bt_emit emit;
    bt_buf_init(&params, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "claimed", bt_str_slice(claimed, 0, 200));
    bt_emit_end(&emit);
    finding.pointer = pointer;
    finding.params = bt_buf_str(&params);
    finding.hint = BT_STR("use the sender's own token");
    const enum bt_status status =
        params.status == BT_OK ? replace_findings(arena, judged, &finding) : params.status;
    bt_buf_free(&params);
    return status;
}

enum bt_status bt_submission_reject_expired(struct bt_arena *arena, struct bt_judgement *judged)
{
    const struct bt_finding finding =
        bt_finding_from_rule(bt_rule_of_dialect(BT_CODE_ENVELOPE_EXPIRED, judged->dialect));
    return replace_findings(arena, judged, &finding);
}

/* Add the finding that an accepted document has no inbox to go to. */
static enum bt_status add_unaddressed_finding(struct bt_arena *arena, struct bt_judgement *judged)
{
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_finding finding =
        bt_finding_from_rule(bt_rule_of_dialect(BT_CODE_DELIVERY_UNADDRESSED, judged->dialect));
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(judged->findings, i)));
    }
    BT_TRY(bt_findings_add(findings, &finding));
    BT_TRY(bt_findings_finish(findings, judged->source));
    judged->findings = findings;
    return BT_OK;
}

static enum bt_status queue_for_target(const struct bt_submitting *submitting,
                                       const struct bt_submission *item, struct bt_store *store,
                                       struct bt_error *error)
{
    struct bt_deliver_submission *submission = submitting->submission;
    struct bt_arena *arena = submitting->deliver->arena;
    if (!submission->has_inbox || item->judged->verdict != BT_VERDICT_ACCEPTED) {
        return BT_OK;
    }
    if (!bt_entry_name_is_valid(item->target)) {
        return add_unaddressed_finding(arena, item->judged);
    }
    BT_TRY(bt_arena_printf(arena, &submission->message, "h%" PRIu64, item->seq));
    BT_TRY(bt_arena_copy(arena, item->target, &submission->inbox));
    submission->is_queued = true;
    return bt_inbox_queue_handoff(store, submission, item, error);
}

/* Find an earlier answer to the request. It is copied, because the transaction's memory is
 * freed. */
static enum bt_status find_earlier_response(const struct bt_submitting *submitting,
                                            const struct bt_ledger_transaction *recording,
                                            bool *out, struct bt_error *error)
{
    struct bt_idempotency *once = submitting->submission->once;
    *out = false;
    if (!once) {
        return BT_OK;
    }
    BT_TRY(bt_idempotency_find(recording, once, error));
    *out = once->outcome != 0;
    return once->outcome == BT_IDEMPOTENCY_REPEATED
               ? bt_arena_copy(submitting->deliver->arena, once->body, &once->body)
               : BT_OK;
}

static enum bt_status run_before_hook(const struct bt_deliver_submission *submission,
                                      struct bt_ledger_transaction *recording, bool *out_is_over,
                                      struct bt_error *error)
{
    const struct bt_transaction_hooks *hooks = submission->hooks;
    *out_is_over = false;
    return hooks && hooks->before ? hooks->before(hooks->context, recording, out_is_over, error)
                                  : BT_OK;
}

static enum bt_status run_after_hook(const struct bt_submitting *submitting,
                                     const struct bt_submission *item,
                                     struct bt_ledger_transaction *recording,
                                     const struct bt_ledger_record *recorded,
                                     struct bt_error *error)
{
    const struct bt_deliver_submission *submission = submitting->submission;
    const struct bt_transaction_hooks *hooks = submission->hooks;
    char leaf[BT_HASH_HEX_BYTES];
    if (!hooks || !hooks->after) {
        return BT_OK;
    }
    struct bt_decision_record decided = {.judged = item->judged,
                                         .seq = item->seq,
                                         .time = bt_str_of(recording->time),
                                         .message = submission->message};
    bt_merkle_hash_hex(&recorded->leaf, leaf);
    BT_TRY(bt_arena_printf(
        submitting->deliver->arena, &decided.record,
        "{\"seq\":%" PRIu64 ",\"ref\":\"%.*s#%" PRIu64 "\",\"leaf_hash\":\"%s\"}", item->seq,
        BT_STR_ARG(bt_vkey_name(&recording->ledger->vkey)), item->seq, leaf));
    return hooks->after(hooks->context, recording, &decided, error);
}

static enum bt_status decide_submission(struct bt_submission *item,
                                        struct bt_ledger_transaction *recording,
                                        struct bt_ledger_record *out, struct bt_error *error)
{
    const struct bt_submitting *submitting = item->act_context;
    struct bt_deliver_submission *submission = submitting->submission;
    submission->is_queued = false;
    submission->inbox = BT_STR("");
    submission->message = BT_STR("");
    BT_TRY(find_earlier_response(submitting, recording, &item->is_skipped, error));
    if (!item->is_skipped) {
        BT_TRY(run_before_hook(submission, recording, &submission->is_over, error));
        item->is_skipped = submission->is_over;
    }
    if (item->is_skipped) {
        return BT_OK;
    }
    item->judged->extra_members = BT_STR("");
    struct bt_submission inner = *item;
    inner.act = submitting->act;
    inner.act_context = submitting->context;
    BT_TRY(inner.act ? inner.act(&inner, recording, out, error)
                     : bt_ledger_transaction_add_submission(recording, &inner, out, error));
    item->seq = inner.seq;
    BT_TRY(queue_for_target(submitting, item, recording->ledger->store, error));
    return run_after_hook(submitting, item, recording, out, error);
}

/* Copy where it is recorded, and write the response that says so. */
static enum bt_status finish_record(struct bt_submission *item,
                                    struct bt_ledger_transaction *recording,
                                    struct bt_ledger_record *recorded, struct bt_error *error)
{
    const struct bt_submitting *submitting = item->act_context;
    struct bt_deliver_submission *submission = submitting->submission;
    struct bt_arena *arena = submitting->deliver->arena;
    struct bt_buf buf;
    bt_buf_init(&buf, RECORD_BYTES_MAX);
    bt_ledger_transaction_put_record(&buf, recording, recorded);
    const enum bt_status status = bt_buf_copy(&buf, arena, &submission->record);
    bt_buf_free(&buf);
    BT_TRY(status);
    BT_TRY(bt_arena_copy(arena, item->judged->extra_members, &submission->members));
    submission->size = recording->state.tree.size;
    submission->judged = item->judged;
    const enum bt_status kept =
        submission->once ? bt_idempotency_store(recording, submission->once, item->seq, error)
                         : BT_OK;
    submission->judged = submission->item->judged;
    return kept;
}

static void begin_submission(struct bt_submitting *submitting, const struct bt_deliver *deliver,
                             struct bt_deliver_submission *submission)
{
    *submitting = (struct bt_submitting){.deliver = deliver,
                                         .submission = submission,
                                         .act = submission->item->act,
                                         .context = submission->item->act_context,
                                         .item = *submission->item};
    submitting->item.act = decide_submission;
    submitting->item.after_signing = finish_record;
    submitting->item.act_context = submitting;
    submission->judged = submitting->item.judged;
    submission->record = BT_STR("");
    submission->members = BT_STR("");
    submission->is_over = false;
    submission->is_recorded = false;
    submission->is_unknown = false;
}

static void end_submission(const struct bt_submitting *submitting)
{
    struct bt_submission *submission = submitting->submission->item;
    submission->seq = submitting->item.seq;
    submission->receipt = submitting->item.receipt;
}

static enum bt_status record_submission(const struct bt_deliver *deliver,
                                        struct bt_deliver_submission *submission,
                                        struct bt_submission *item, struct bt_error *error)
{
    if (deliver->writer) {
        const enum bt_status status = bt_ledger_writer_append(
            deliver->writer, deliver->arena, item, deliver->until, &submission->is_unknown, error);
        submission->is_recorded = status == BT_OK && !item->is_skipped;
        return status;
    }
    struct bt_ledger_batch batch = {.items = item, .count = 1};
    const enum bt_status status = bt_ledger_append(deliver->ledger, deliver->env, deliver->arena,
                                                   &batch, deliver->alarms, error);
    submission->is_recorded = batch.is_recorded;
    submission->is_unknown = batch.is_unknown;
    return status;
}

enum bt_status bt_submit(const struct bt_deliver *deliver, struct bt_deliver_submission *submission,
                         struct bt_error *error)
{
    assert(deliver);
    assert(submission);
    struct bt_submitting submitting;
    begin_submission(&submitting, deliver, submission);
    const enum bt_status status = record_submission(deliver, submission, &submitting.item, error);
    end_submission(&submitting);
    return status;
}

enum bt_status bt_submit_begin(const struct bt_deliver *deliver,
                               struct bt_deliver_submission *submission,
                               const struct bt_ledger_completion *wait)
{
    assert(deliver);
    assert(deliver->writer);
    assert(submission);
    struct bt_submitting *submitting = BT_NEW(deliver->arena, struct bt_submitting);
    if (!submitting) {
        return BT_ENOMEM;
    }
    begin_submission(submitting, deliver, submission);
    submission->pending = submitting;
    return bt_ledger_writer_submit(deliver->writer, &submitting->item, wait, &submitting->request);
}

enum bt_status bt_submit_finish(struct bt_deliver_submission *submission, struct bt_error *error)
{
    assert(submission);
    struct bt_submitting *submitting = submission->pending;
    const enum bt_status status =
        bt_ledger_writer_finish(submitting->request, submitting->deliver->arena, &submitting->item,
                                &submission->is_unknown, error);
    submission->is_recorded = status == BT_OK && !submitting->item.is_skipped;
    end_submission(submitting);
    return status;
}

enum bt_status bt_submit_abandon(struct bt_deliver_submission *submission, struct bt_error *error)
{
    assert(submission);
    return bt_ledger_writer_abandon(submission->pending->request, &submission->is_unknown, error);
}
