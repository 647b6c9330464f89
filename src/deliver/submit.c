/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - one decision, one transaction: the repeat, the entry, the inbox.
 */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "deliver/deliver.h"
#include "deliver/rules.h"
#include "ledger/once.h"

enum { PARAMS_BYTES_MAX = 4096, RECORD_BYTES_MAX = 1 << 16 };

/* A submission on its way. It stays where it is until that is done. */
struct bt_submitting {
    const struct bt_deliver *deliver;
    struct bt_deliver_submission *asked;
    bt_ledger_act_fn *act; /* that decides, or NULL */
    void *context;
    struct bt_ledger_item item;
    struct bt_request *request; /* that the writer has; NULL: none */
};

/* ---- Who speaks ------------------------------------------------------------------------------ */

/* Let one finding take the place of what was found after the stage schema. */
static enum bt_status refuse(struct bt_arena *arena, struct bt_judged *judged,
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
    judged->verdict = BT_REJECTED;
    return BT_OK;
}

enum bt_status bt_deliver_refuse_source(struct bt_arena *arena, struct bt_judged *judged,
                                        bt_str claimed, bt_str pointer)
{
    struct bt_finding finding =
        bt_finding_of(bt_deliver_rule("AGENT_BINDING_MISMATCH", judged->dialect));
    struct bt_buf params;
    struct bt_emit emit;
    bt_buf_init(&params, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "claimed", bt_str_slice(claimed, 0, 200));
    bt_emit_end(&emit);
    finding.pointer = pointer;
    finding.params = bt_buf_str(&params);
    finding.hint = BT_STR("use the sender's own token");
    const enum bt_status status =
        params.status == BT_OK ? refuse(arena, judged, &finding) : params.status;
    bt_buf_free(&params);
    return status;
}

enum bt_status bt_deliver_refuse_expired(struct bt_arena *arena, struct bt_judged *judged)
{
    const struct bt_finding finding =
        bt_finding_of(bt_deliver_rule("ENVELOPE_EXPIRED", judged->dialect));
    return refuse(arena, judged, &finding);
}

/* ---- Handing on ------------------------------------------------------------------------------ */

/* Say that an accepted document has no inbox to go to. */
static enum bt_status say_unaddressed(struct bt_arena *arena, struct bt_judged *judged)
{
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_finding finding =
        bt_finding_of(bt_deliver_rule("DELIVERY_UNADDRESSED", judged->dialect));
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

static enum bt_status hand_on(const struct bt_submitting *submitting,
                              const struct bt_ledger_item *item, struct bt_store *store,
                              struct bt_error *error)
{
    struct bt_deliver_submission *asked = submitting->asked;
    struct bt_arena *arena = submitting->deliver->arena;
    if (!asked->has_inbox || item->judged->verdict != BT_ACCEPTED) {
        return BT_OK;
    }
    if (!bt_entry_name_is_valid(item->target)) {
        return say_unaddressed(arena, item->judged);
    }
    BT_TRY(bt_arena_printf(arena, &asked->message, "h%" PRIu64, item->seq));
    BT_TRY(bt_arena_copy(arena, item->target, &asked->inbox));
    asked->is_queued = true;
    return bt_inbox_put(store, asked, item, error);
}

/* ---- The transaction ------------------------------------------------------------------------- */

/* Whether the request was answered before. The answer is copied: the transaction's memory goes. */
static enum bt_status look_back(const struct bt_submitting *submitting,
                                const struct bt_recording *recording, bool *out,
                                struct bt_error *error)
{
    struct bt_once *once = submitting->asked->once;
    *out = false;
    if (!once) {
        return BT_OK;
    }
    BT_TRY(bt_once_look(recording, once, error));
    *out = once->outcome != 0;
    return once->outcome == BT_ONCE_REPEATED
               ? bt_arena_copy(submitting->deliver->arena, once->body, &once->body)
               : BT_OK;
}

static enum bt_status before(const struct bt_deliver_submission *asked,
                             struct bt_recording *recording, bool *out_is_over,
                             struct bt_error *error)
{
    const struct bt_beside *beside = asked->beside;
    *out_is_over = false;
    return beside && beside->before ? beside->before(beside->context, recording, out_is_over, error)
                                    : BT_OK;
}

static enum bt_status after(const struct bt_submitting *submitting,
                            const struct bt_ledger_item *item, struct bt_recording *recording,
                            const struct bt_recorded *recorded, struct bt_error *error)
{
    const struct bt_deliver_submission *asked = submitting->asked;
    const struct bt_beside *beside = asked->beside;
    char leaf[BT_HASH_HEX_BYTES];
    if (!beside || !beside->after) {
        return BT_OK;
    }
    struct bt_decided decided = {.judged = item->judged,
                                 .seq = item->seq,
                                 .time = bt_str_of(recording->time),
                                 .message = asked->message};
    bt_hash_hex(&recorded->leaf, leaf);
    BT_TRY(bt_arena_printf(
        submitting->deliver->arena, &decided.record,
        "{\"seq\":%" PRIu64 ",\"ref\":\"%.*s#%" PRIu64 "\",\"leaf_hash\":\"%s\"}", item->seq,
        BT_STR_ARG(bt_vkey_name(&recording->ledger->vkey)), item->seq, leaf));
    return beside->after(beside->context, recording, &decided, error);
}

static enum bt_status decide(struct bt_ledger_item *item, struct bt_recording *recording,
                             struct bt_recorded *out, struct bt_error *error)
{
    const struct bt_submitting *submitting = item->act_context;
    struct bt_deliver_submission *asked = submitting->asked;
    asked->is_queued = false;
    asked->inbox = BT_STR("");
    asked->message = BT_STR("");
    BT_TRY(look_back(submitting, recording, &item->is_skipped, error));
    if (!item->is_skipped) {
        BT_TRY(before(asked, recording, &asked->is_over, error));
        item->is_skipped = asked->is_over;
    }
    if (item->is_skipped) {
        return BT_OK;
    }
    item->judged->members = BT_STR("");
    struct bt_ledger_item inner = *item;
    inner.act = submitting->act;
    inner.act_context = submitting->context;
    BT_TRY(inner.act ? inner.act(&inner, recording, out, error)
                     : bt_recording_add_item(recording, &inner, out, error));
    item->seq = inner.seq;
    BT_TRY(hand_on(submitting, item, recording->ledger->store, error));
    return after(submitting, item, recording, out, error);
}

/* Where it is recorded, and the answer that tells so. */
static enum bt_status seal(struct bt_ledger_item *item, struct bt_recording *recording,
                           struct bt_recorded *recorded, struct bt_error *error)
{
    const struct bt_submitting *submitting = item->act_context;
    struct bt_deliver_submission *asked = submitting->asked;
    struct bt_arena *arena = submitting->deliver->arena;
    struct bt_buf buf;
    bt_buf_init(&buf, RECORD_BYTES_MAX);
    bt_recording_put(&buf, recording, recorded);
    const enum bt_status status = bt_buf_keep(&buf, arena, &asked->record);
    bt_buf_free(&buf);
    BT_TRY(status);
    BT_TRY(bt_arena_copy(arena, item->judged->members, &asked->members));
    asked->size = recording->state.tree.size;
    asked->judged = item->judged;
    const enum bt_status kept =
        asked->once ? bt_once_keep(recording, asked->once, item->seq, error) : BT_OK;
    asked->judged = asked->item->judged;
    return kept;
}

static void begin(struct bt_submitting *submitting, const struct bt_deliver *deliver,
                  struct bt_deliver_submission *submission)
{
    *submitting = (struct bt_submitting){.deliver = deliver,
                                         .asked = submission,
                                         .act = submission->item->act,
                                         .context = submission->item->act_context,
                                         .item = *submission->item};
    submitting->item.act = decide;
    submitting->item.seal = seal;
    submitting->item.act_context = submitting;
    submission->judged = submitting->item.judged;
    submission->record = BT_STR("");
    submission->members = BT_STR("");
    submission->is_over = false;
    submission->is_recorded = false;
    submission->is_unknown = false;
}

static void end(const struct bt_submitting *submitting)
{
    struct bt_ledger_item *asked = submitting->asked->item;
    asked->seq = submitting->item.seq;
    asked->receipt = submitting->item.receipt;
}

static enum bt_status record(const struct bt_deliver *deliver, struct bt_deliver_submission *asked,
                             struct bt_ledger_item *item, struct bt_error *error)
{
    if (deliver->writer) {
        const enum bt_status status = bt_ledger_writer_append(
            deliver->writer, deliver->arena, item, deliver->until, &asked->is_unknown, error);
        asked->is_recorded = status == BT_OK && !item->is_skipped;
        return status;
    }
    struct bt_ledger_batch batch = {.items = item, .count = 1};
    const enum bt_status status = bt_ledger_append(deliver->ledger, deliver->env, deliver->arena,
                                                   &batch, deliver->alarms, error);
    asked->is_recorded = batch.is_recorded;
    asked->is_unknown = batch.is_unknown;
    return status;
}

enum bt_status bt_deliver_submit(const struct bt_deliver *deliver,
                                 struct bt_deliver_submission *submission, struct bt_error *error)
{
    assert(deliver);
    assert(submission);
    struct bt_submitting submitting;
    begin(&submitting, deliver, submission);
    const enum bt_status status = record(deliver, submission, &submitting.item, error);
    end(&submitting);
    return status;
}

/* ---- Without waiting ------------------------------------------------------------------------- */

enum bt_status bt_deliver_give(const struct bt_deliver *deliver,
                               struct bt_deliver_submission *submission,
                               const struct bt_ledger_wait *wait)
{
    assert(deliver);
    assert(deliver->writer);
    assert(submission);
    struct bt_submitting *submitting = BT_NEW(deliver->arena, struct bt_submitting);
    if (!submitting) {
        return BT_ENOMEM;
    }
    begin(submitting, deliver, submission);
    submission->under_way = submitting;
    return bt_ledger_writer_give(deliver->writer, &submitting->item, wait, &submitting->request);
}

enum bt_status bt_deliver_take(struct bt_deliver_submission *submission, struct bt_error *error)
{
    assert(submission);
    struct bt_submitting *submitting = submission->under_way;
    const enum bt_status status =
        bt_ledger_writer_take(submitting->request, submitting->deliver->arena, &submitting->item,
                              &submission->is_unknown, error);
    submission->is_recorded = status == BT_OK && !submitting->item.is_skipped;
    end(submitting);
    return status;
}

enum bt_status bt_deliver_leave(struct bt_deliver_submission *submission, struct bt_error *error)
{
    assert(submission);
    return bt_ledger_writer_leave(submission->under_way->request, &submission->is_unknown, error);
}
