/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filing.c - record, deliver, answer: one decision, with its receipt.
 */
#include <assert.h>

#include "base/clock.h"
#include "json/emit.h"
#include "ledger/proof_api.h"
#include "operation/filing.h"

enum { BODY_BYTES_MAX = 256 << 20, RECEIPT_BYTES_MAX = 1 << 20 };

static void put_delivery(const struct bt_submission_delivery *delivery, struct bt_buf *members)
{
    struct bt_emit emit;
    bt_buf_put_text(members, members->len > 0 ? ",\"delivery\":" : "\"delivery\":");
    bt_emit_init(&emit, members, false);
    bt_emit_begin_object(&emit);
    if (delivery->is_queued) {
        bt_emit_member_string(&emit, "state", BT_STR("queued"));
        bt_emit_member_string(&emit, "inbox", delivery->inbox);
        bt_emit_member_string(&emit, "message", delivery->message);
    } else {
        bt_emit_member_string(&emit, "state", BT_STR("none"));
    }
    bt_emit_end(&emit);
}

/* The finding that caused a rejection. */
static const struct bt_finding *find_deciding_finding(const struct bt_op_filing *filing,
                                                      const struct bt_judgement *judged)
{
    const struct bt_finding *first = NULL;
    if (filing->partner.refusal) {
        return bt_findings_at(filing->partner.refusal, 0);
    }
    if (filing->governed) {
        return bt_governed_submission_decision(filing->governed)->primary;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        if (!first || finding->severity > first->severity) {
            first = finding;
        }
    }
    return first;
}

/* The report; members of a contract's decision are beside it, those of others in the document. */
static enum bt_status put_report(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_submission *submission = &filing->submission;
    const struct bt_judgement decided = filing->judged;
    struct bt_buf members;
    bt_buf_init(&members, BODY_BYTES_MAX);
    if (filing->contract.state) {
        bt_buf_put(&members, decided.extra_members);
        filing->judged.extra_members = BT_STR("");
    }
    put_delivery(&submission->delivery, &members);
    enum bt_status status = bt_submission_put_record(submission);
    status = status == BT_OK ? members.status : status;
    status = status == BT_OK ? bt_result_set_report(work, &filing->judged, 1, bt_buf_str(&members))
                             : status;
    filing->judged = decided; /* it may be composed again */
    bt_buf_free(&members);
    return status;
}

static enum bt_status put_dispatch(const struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_result *answer = work->answer;
    struct bt_dispatch_response response;
    const struct bt_governed_state govern = {
        .env = work->service->env, .arena = work->arena, .actor = work->caller->actor};
    BT_TRY(bt_dispatch_write_response(&govern, filing->governed, &response));
    bt_buf_clear(&answer->body);
    bt_buf_put(&answer->body, response.body);
    answer->kind = ANSWER_DONE; /* a problem of its own, when it is one */
    answer->status = response.status;
    return answer->body.status;
}

static enum bt_status build_result(struct bt_call *work, void *context)
{
    struct bt_op_filing *filing = context;
    const struct bt_judgement *judged = &filing->judged;
    const struct bt_finding *why = find_deciding_finding(filing, judged);
    if (filing->is_dispatch) {
        return put_dispatch(filing);
    }
    BT_TRY(put_report(filing));
    if (judged->verdict == BT_VERDICT_ACCEPTED || !why) {
        work->answer->status = BT_HTTP_CREATED;
        return BT_OK;
    }
    bt_result_set_refused(work, why, judged->findings, filing->submission.record_json);
    if (filing->partner.refusal) {
        work->answer->status = BT_HTTP_FORBIDDEN;
    }
    return BT_OK;
}

/* The receipt of an earlier record, against the first checkpoint that contains it: that of its own
 * commit. */
static void prove_again(const struct bt_op_filing *filing, struct bt_buf *receipt)
{
    const struct bt_inbox_item item = {.seq = filing->work->answer->seq};
    struct bt_deliver deliver = filing->deliver;
    struct bt_error error;
    deliver.ledger = filing->work->service->ledger;
    if (!deliver.ledger || bt_inbox_put_receipt(&deliver, &item, receipt, &error) != BT_OK) {
        bt_buf_clear(receipt);
        bt_buf_put_text(receipt, "null");
    }
}

/* Put the receipt before the closing bracket. It cannot be kept with the answer, since it proves
 * what the commit signs. */
static enum bt_status attach_receipt(const struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_buf *body = &work->answer->body;
    struct bt_buf receipt;
    assert(body->len > 0 && body->ptr[body->len - 1] == '}');
    bt_buf_init(&receipt, RECEIPT_BYTES_MAX);
    bt_str text = filing->submission.receipt;
    if (text.len == 0) {
        prove_again(filing, &receipt);
        text = bt_buf_str(&receipt);
    }
    body->len--;
    bt_buf_put_text(body, ",\"receipt\":");
    bt_buf_put(body, text);
    bt_buf_put_char(body, '}');
    bt_buf_free(&receipt);
    return body->status;
}

/* The time when a store that hangs is abandoned. */
static struct timespec deadline_of(const struct bt_worker *service)
{
    const uint64_t whole = service->keys->record_deadline_ms;
    const uint64_t ms = whole > service->opening_ms ? whole - service->opening_ms : 0;
    return bt_clock_deadline(bt_clock_monotonic_ms() + ms);
}

/* Keep when and how it was recorded. */
static void set_recorded(const struct bt_op_filing *filing, struct bt_call_events *events)
{
    const struct bt_submission *submission = &filing->submission;
    bt_str target;
    bt_str trace;
    if (bt_arena_copy(events->arena, submission->entry.target, &target) != BT_OK ||
        bt_arena_copy(events->arena, submission->entry.trace_id, &trace) != BT_OK) {
        return; /* it is recorded, and only the trace of the request does not show it */
    }
    events->recorded =
        (struct bt_submit_event){.begun_ns = filing->time.begun_ns,
                                 .ended_ns = bt_clock_monotonic_ns(),
                                 .is_judged = !submission->decision,
                                 .is_accepted = filing->judged.verdict == BT_VERDICT_ACCEPTED,
                                 .is_queued = submission->delivery.is_queued,
                                 .seq = submission->seq,
                                 .target = target,
                                 .trace = trace};
}

static bool has_webhook(const struct bt_config *config, bt_str target)
{
    static const char key[] = "deliver.webhooks";
    const size_t count = bt_config_count(config, key);
    size_t i = 0;
    while (i < count && !bt_str_eq(bt_config_item_member(config, key, i, "target"), target)) {
        i++;
    }
    return i < count;
}

/* Set how it is to be recorded. */
static enum bt_status prepare_submission(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_submission *submission = &filing->submission;
    filing->time.begun_ns = bt_clock_monotonic_ns();
    filing->time.until = deadline_of(work->service);
    filing->deliver = (struct bt_deliver){.ledger = work->service->ledger,
                                          .writer = work->service->writer,
                                          .until = &filing->time.until,
                                          .env = work->service->env,
                                          .arena = work->arena,
                                          .actor = work->caller->actor,
                                          .alarms = bt_findings_new(work->arena)};
    if (!filing->deliver.alarms) {
        return BT_ENOMEM;
    }
    bt_op_idempotency_begin(&filing->deciding, work, build_result, filing);
    filing->deciding.can_name_agents = filing->governed != NULL;
    filing->deciding.source = submission->entry.source;
    submission->wants_receipt = !filing->is_dispatch;
    submission->entry.receipts = filing->partner.receipts;
    submission->hooks = filing->request->record.transaction_hooks;
    submission->once = work->key ? &filing->deciding.once : NULL;
    submission->delivery.has_webhook = work->service->keys->has_webhooks &&
                                       has_webhook(work->service->config, submission->entry.target);
    submission->delivery.traceparent = work->traceparent;
    return BT_OK;
}

/* The submission is back: build the result. */
static enum bt_status finish_submission(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    const struct bt_submission *submission = &filing->submission;
    struct bt_op_idempotent *deciding = &filing->deciding;
    struct bt_call_events *events = bt_call_events_of(work);
    if (events && submission->commit_count > 0) {
        events->commit_count = submission->commit_count;
    }
    if (filing->status == BT_OK && submission->is_skipped && deciding->once.outcome == 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "there was nothing to decide");
    }
    work->answer->seq = submission->seq;
    const bool is_done = filing->status == BT_OK && bt_findings_count(filing->deliver.alarms) == 0;
    BT_TRY(bt_op_idempotency_end(
        deciding, is_done,
        submission->durability != BT_DURABILITY_NONE ? NULL : "nothing was recorded"));
    if (deciding->is_composed && events) {
        set_recorded(filing, events);
    }
    const bool is_report = work->answer->kind == ANSWER_DONE ||
                           (work->answer->kind == ANSWER_REFUSED && !work->write_refusal);
    return is_report && !filing->is_dispatch ? attach_receipt(filing) : BT_OK;
}

enum bt_status bt_op_record(struct bt_op_filing *filing)
{
    struct bt_error error = {0};
    struct bt_call_completion *later = filing->work->later;
    BT_TRY(prepare_submission(filing));
    if (!later) {
        struct bt_submission *item = &filing->submission;
        filing->status = bt_submit(&filing->deliver, &item, 1, &error);
        return finish_submission(filing);
    }
    assert(!filing->submission.decision); /* it would use state of this thread */
    const struct bt_ledger_completion wait = {
        .deadline = filing->time.until, .notify = later->notify, .context = later->context};
    later->deadline_ms =
        (uint64_t)wait.deadline.tv_sec * 1000 + (uint64_t)wait.deadline.tv_nsec / 1000000 + 1;
    later->filing = filing;
    return bt_submit_begin(&filing->deliver, &filing->submission, &wait);
}

enum bt_status bt_op_submit_end(struct bt_call *work, struct bt_worker *service)
{
    struct bt_call_completion *later = work->later;
    assert(later);
    struct bt_op_filing *filing = later->filing;
    assert(filing);
    struct bt_error error = {0};
    if (!filing->is_back) {
        filing->status =
            bt_submit_end(&filing->submission, later->was_notified, &filing->is_back, &error);
    }
    if (!filing->is_back) {
        later->deadline_ms = bt_clock_monotonic_ns() / 1000000 + BT_LEDGER_ABANDON_RETRY_MS;
        return BT_OK;
    }
    work->service = service; /* not before: the writer may be composing */
    /* An earlier decision is proved from the store. */
    later->needs_waiting_thread = filing->deciding.once.outcome == BT_IDEMPOTENCY_REPEATED &&
                                  !work->service->ledger && !later->may_wait;
    if (later->needs_waiting_thread) {
        return BT_OK;
    }
    later->filing = NULL;
    return finish_submission(filing);
}
