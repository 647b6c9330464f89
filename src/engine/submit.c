/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - the whole road after the judgement, in one transaction.
 *
 *     idempotency -> hooks -> policy -> decide -> entry -> inbox -> receipts -> hooks
 */
#include "engine/submit.h"

#include <assert.h>
#include <inttypes.h>

#include "base/buf.h"
#include "deliver/inbox_internal.h"
#include "engine/dialect.h"
#include "ledger/counts.h"
#include "ledger/idempotency.h"
#include "report/rules.h"

void bt_submission_init(struct bt_submission *submission, struct bt_arena *arena,
                        struct bt_judgement *judged, bt_str actor, bt_str text, uint64_t limit)
{
    assert(submission);
    assert(arena);
    assert(judged);
    *submission = (struct bt_submission){.arena = arena,
                                         .judged = judged,
                                         .bytes = bt_str_slice(text, 0, limit),
                                         .entry = {.kind = BT_STR("handoff"),
                                                   .actor = actor,
                                                   .handoff_id = BT_STR(""),
                                                   .id_pointer = BT_STR(""),
                                                   .trace_id = BT_STR(""),
                                                   .source = BT_STR(""),
                                                   .target = BT_STR(""),
                                                   .is_truncated = text.len > limit},
                                         .delivery = {.traceparent = BT_STR("")}};
}

enum bt_status bt_submission_judge(struct bt_submission *submission, struct bt_env *env,
                                   bt_str path, bt_str text, const struct bt_check_options *options)
{
    assert(submission);
    BT_TRY(bt_check_document(env, submission->arena, path, text, options, submission->judged));
    bt_submission_set_names(submission);
    return BT_OK;
}

/* ---- Rejecting before a decision ------------------------------------------------------------- */

/* Drop the findings of all stages after schema. NULL: out of memory. */
static struct bt_findings *keep_schema_findings(const struct bt_submission *submission)
{
    const struct bt_findings *found = submission->judged->findings;
    struct bt_findings *kept = bt_findings_new(submission->arena);
    for (size_t i = 0; kept && i < bt_findings_count(found); i++) {
        const struct bt_finding *finding = bt_findings_at(found, i);
        if (finding->rule->stage <= BT_STAGE_SCHEMA && bt_findings_add(kept, finding) != BT_OK) {
            return NULL;
        }
    }
    return kept;
}

/* Reject it without a decision; it uses no id. */
static enum bt_status reject_submission(struct bt_submission *submission,
                                        struct bt_findings *findings)
{
    BT_TRY(bt_findings_finish(findings, submission->judged->source));
    submission->judged->findings = findings;
    submission->judged->verdict = BT_VERDICT_REJECTED;
    submission->entry.handoff_id = BT_STR("");
    submission->decision = NULL;
    return BT_OK;
}

enum bt_status bt_submission_reject_source(struct bt_submission *submission)
{
    assert(submission);
    const enum bt_dialect_id dialect = submission->judged->dialect;
    const struct bt_location at =
        bt_location_pointer(bt_dialect_row(dialect)->source_pointer, BT_OFFSET_NONE);
    struct bt_findings *findings = keep_schema_findings(submission);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_add_contract_agent_binding_mismatch(findings, dialect, at,
                                                  bt_str_slice(submission->entry.source, 0, 200)));
    return reject_submission(submission, findings);
}

enum bt_status bt_submission_reject_expired(struct bt_submission *submission)
{
    assert(submission);
    struct bt_findings *findings = keep_schema_findings(submission);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_add_envelope_expired(findings, submission->judged->dialect, bt_location_whole()));
    return reject_submission(submission, findings);
}

enum bt_status bt_submission_reject_receipts(struct bt_submission *submission,
                                             const struct bt_findings *why)
{
    assert(submission);
    assert(why);
    struct bt_findings *findings = keep_schema_findings(submission);
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(why); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(why, i)));
    }
    return reject_submission(submission, findings);
}

/* ---- Inside the transaction ------------------------------------------------------------------ */

/* Find an earlier answer to the request. It is copied, because the transaction's memory is
 * freed. */
static enum bt_status find_earlier_response(struct bt_submission *submission,
                                            const struct bt_ledger_transaction *transaction,
                                            struct bt_error *error)
{
    struct bt_idempotency *once = submission->once;
    if (!once) {
        return BT_OK;
    }
    BT_TRY(bt_idempotency_find(transaction, once, error));
    submission->is_skipped = once->outcome != 0;
    return once->outcome == BT_IDEMPOTENCY_REPEATED
               ? bt_arena_copy(submission->arena, once->body, &once->body)
               : BT_OK;
}

static enum bt_status run_after_hook(const struct bt_submission *submission,
                                     struct bt_ledger_transaction *transaction,
                                     struct bt_error *error)
{
    const struct bt_transaction_hooks *hooks = submission->hooks;
    char leaf[BT_HASH_HEX_BYTES];
    struct bt_decision_record decided = {.judged = submission->judged,
                                         .seq = submission->seq,
                                         .time = bt_str_of(transaction->time),
                                         .message = submission->delivery.message,
                                         .handoff_id = submission->entry.handoff_id,
                                         .decision = submission->decision};
    bt_merkle_hash_hex(&submission->recorded->leaf, leaf);
    BT_TRY(bt_arena_printf(
        submission->arena, &decided.record,
        "{\"seq\":%" PRIu64 ",\"ref\":\"%.*s#%" PRIu64 "\",\"leaf_hash\":\"%s\"}", submission->seq,
        BT_STR_ARG(transaction->ledger->origin), submission->seq, leaf));
    return hooks->after(hooks->context, transaction, &decided, error);
}

/* Compare an accepted document with what came before in its trace, if a budget is set there. */
static enum bt_status compare_submission(struct bt_submission *submission,
                                         const struct bt_dialect *row,
                                         struct bt_ledger_transaction *transaction,
                                         struct bt_error *error)
{
    const bt_str trace_id = submission->entry.trace_id;
    bool has_budget = submission->judged->identity.sets_budget;
    if (submission->judged->verdict != BT_VERDICT_ACCEPTED || trace_id.len == 0) {
        return BT_OK;
    }
    if (!has_budget) {
        BT_TRY(bt_ledger_trace_has_budget(transaction, trace_id, &has_budget, error));
    }
    return has_budget ? row->compare(submission, transaction, error) : BT_OK;
}

/* The decision of the dialect, or the entry alone when the judgement is the decision. */
static enum bt_status decide_submission(struct bt_submission *submission,
                                        struct bt_ledger_transaction *transaction,
                                        struct bt_error *error)
{
    const struct bt_dialect *row = bt_dialect_row(submission->judged->dialect);
    assert(!submission->decision || row->decide);
    if (submission->decision) {
        return row->decide(submission, transaction, error);
    }
    BT_TRY(row->compare ? compare_submission(submission, row, transaction, error) : BT_OK);
    return bt_ledger_transaction_add_submission(transaction, submission, error);
}

/* Record a receipt of the sender's log beside the handoff that came with it. */
static enum bt_status record_receipt(const struct bt_submission *submission,
                                     const struct bt_submission_receipt *receipt,
                                     struct bt_ledger_transaction *transaction,
                                     struct bt_error *error)
{
    struct bt_judgement judged = {.path = BT_STR(""),
                                  .dialect = BT_DIALECT_RAW,
                                  .source = BT_STR(""),
                                  .verdict = BT_VERDICT_RECORDED,
                                  .findings = bt_findings_new(transaction->arena)};
    struct bt_entry_ref parent = {.name = BT_STR("parent")};
    struct bt_submission item;
    if (!judged.findings ||
        bt_arena_printf(transaction->arena, &parent.value, "%" PRIu64, submission->seq) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_submission_init(&item, transaction->arena, &judged, submission->entry.actor,
                       receipt->document, receipt->document.len);
    item.entry.kind = BT_STR("raw");
    item.entry.dialect = BT_DIALECT_RAW;
    item.entry.source = receipt->origin;
    item.entry.withheld = submission->entry.withheld;
    item.entry.refs = &parent;
    item.entry.ref_count = 1;
    return bt_ledger_transaction_add_submission(transaction, &item, error);
}

static enum bt_status record_receipts(const struct bt_submission *submission,
                                      struct bt_ledger_transaction *transaction,
                                      struct bt_error *error)
{
    const struct bt_submission_receipts *receipts = &submission->entry.receipts;
    const bool is_accepted = submission->judged->verdict == BT_VERDICT_ACCEPTED;
    for (size_t i = 0; is_accepted && i < receipts->count; i++) {
        BT_TRY(record_receipt(submission, &receipts->items[i], transaction, error));
    }
    return BT_OK;
}

static enum bt_status record_submission(struct bt_submission *submission,
                                        struct bt_ledger_transaction *transaction,
                                        struct bt_error *error)
{
    const struct bt_transaction_hooks *hooks = submission->hooks;
    submission->judged->extra_members = BT_STR("");
    BT_TRY(find_earlier_response(submission, transaction, error));
    if (!submission->is_skipped && hooks && hooks->before) {
        BT_TRY(hooks->before(hooks->context, transaction, &submission->is_skipped, error));
    }
    if (submission->is_skipped) {
        return BT_OK;
    }
    /* A decision may record more than its submission, and the policy comes first. */
    BT_TRY(submission->decision ? bt_ledger_transaction_add_policy(transaction, submission, error)
                                : BT_OK);
    BT_TRY(decide_submission(submission, transaction, error));
    BT_TRY(bt_deliver_accepted(transaction, submission, error));
    BT_TRY(record_receipts(submission, transaction, error));
    return hooks && hooks->after ? run_after_hook(submission, transaction, error) : BT_OK;
}

/* ---- Submitting ------------------------------------------------------------------------------ */

static enum bt_status try_submission(const struct bt_deliver *deliver,
                                     struct bt_submission *submission, struct bt_error *error)
{
    struct bt_store *store = deliver->ledger->store;
    struct bt_ledger_transaction transaction = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    assert(submission->decision);
    BT_TRY(bt_store_begin_read(store, error));
    const enum bt_status status = decide_submission(submission, &transaction, error);
    bt_store_rollback(store);
    return status;
}

enum bt_status bt_submit(const struct bt_deliver *deliver, struct bt_submission **items,
                         size_t count, struct bt_error *error)
{
    assert(deliver);
    assert(items);
    assert(count > 0);
    if (items[0]->mode == BT_SUBMIT_DRY_RUN) {
        assert(count == 1);
        return try_submission(deliver, items[0], error);
    }
    for (size_t i = 0; i < count; i++) {
        items[i]->record = record_submission;
    }
    if (deliver->writer) {
        assert(count == 1);
        return bt_ledger_writer_append(deliver->writer, items[0], deliver->until, error);
    }
    struct bt_ledger_batch batch = {.items = items, .count = count};
    return bt_ledger_append(deliver->ledger, deliver->env, deliver->arena, &batch, deliver->alarms,
                            error);
}

enum bt_status bt_submit_begin(const struct bt_deliver *deliver, struct bt_submission *submission,
                               const struct bt_ledger_completion *wait)
{
    assert(deliver);
    assert(deliver->writer);
    assert(submission);
    submission->record = record_submission;
    return bt_ledger_writer_submit(deliver->writer, submission, wait);
}

enum bt_status bt_submit_end(struct bt_submission *submission, bool was_notified, bool *out_is_back,
                             struct bt_error *error)
{
    assert(submission);
    assert(out_is_back);
    const enum bt_status status = was_notified ? bt_ledger_writer_finish(submission, error)
                                               : bt_ledger_writer_abandon(submission, error);
    *out_is_back = was_notified || status != BT_OK;
    return status;
}

enum bt_status bt_submission_put_record(struct bt_submission *submission)
{
    assert(submission);
    const bt_str record = submission->record_json;
    const bt_str members = submission->judged->extra_members;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, "\"record\":");
    bt_buf_put(&buf, record.len > 0 ? record : BT_STR("null"));
    if (members.len > 0) {
        bt_buf_put_char(&buf, ',');
        bt_buf_put(&buf, members);
    }
    return bt_buf_finish(&buf, submission->arena, &submission->judged->extra_members);
}
