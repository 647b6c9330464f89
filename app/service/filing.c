/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filing.c - record, deliver, answer: one decision, with its receipt.
 */
#include "service/filing.h"
#include "base/clock.h"

#include <assert.h>

#include <baton/ledger_proof.h>

enum { BODY_BYTES_MAX = 256 << 20, RECEIPT_BYTES_MAX = 1 << 20 };

/* ---- Answers --------------------------------------------------------------------------------- */

static void put_delivery(const struct bt_deliver_submission *submission, struct bt_buf *members)
{
    struct bt_emit emit;
    bt_buf_put_text(members, members->len > 0 ? ",\"delivery\":" : "\"delivery\":");
    bt_emit_init(&emit, members, false);
    bt_emit_object(&emit);
    if (submission->is_queued) {
        bt_emit_member_string(&emit, "state", BT_STR("queued"));
        bt_emit_member_string(&emit, "inbox", submission->inbox);
        bt_emit_member_string(&emit, "message", submission->message);
    } else {
        bt_emit_member_string(&emit, "state", BT_STR("none"));
    }
    bt_emit_end(&emit);
}

/* The finding that a refusal is about. */
static const struct bt_finding *decisive(const struct filing *filing,
                                         const struct bt_judged *judged)
{
    const struct bt_finding *first = NULL;
    if (filing->governed.item) {
        return bt_case_decision(filing->governed.item)->primary;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        if (!first || finding->severity > first->severity) {
            first = finding;
        }
    }
    return first;
}

/* The report; members of a contract's decision stand beside it, those of others in the document. */
static enum bt_status put_report(const struct filing *filing, struct bt_judged *judged)
{
    struct work *work = filing->work;
    const struct bt_deliver_submission *submission = &filing->submission;
    const bool is_beside = filing->block.gate != NULL;
    struct bt_buf members;
    bt_buf_init(&members, BODY_BYTES_MAX);
    bt_buf_put_text(&members, "\"record\":");
    bt_buf_put(&members, submission->record);
    if (submission->members.len > 0 && !is_beside) {
        bt_buf_put_char(&members, ',');
        bt_buf_put(&members, submission->members);
    }
    enum bt_status status = bt_buf_keep(&members, work->arena, &judged->members);
    bt_buf_clear(&members);
    bt_buf_put(&members, is_beside ? submission->members : BT_STR(""));
    put_delivery(submission, &members);
    status = status == BT_OK ? members.status : status;
    status = status == BT_OK ? answer_report(work, judged, 1, bt_buf_str(&members)) : status;
    bt_buf_free(&members);
    return status;
}

static enum bt_status put_dispatch(const struct filing *filing)
{
    struct answer *answer = filing->work->answer;
    struct bt_dispatch_answer told;
    bt_case_note_record(filing->governed.item, filing->submission.record);
    BT_TRY(bt_dispatch_answer(&filing->govern, filing->governed.item, &told));
    bt_buf_clear(&answer->body);
    bt_buf_put(&answer->body, told.body);
    answer->kind = ANSWER_DONE; /* a problem of its own, when it is one */
    answer->status = told.status;
    return answer->body.status;
}

static enum bt_status compose(struct work *work, void *context)
{
    const struct filing *filing = context;
    struct bt_judged judged = *filing->submission.judged;
    const struct bt_finding *why = decisive(filing, &judged);
    if (filing->is_dispatch) {
        return put_dispatch(filing);
    }
    BT_TRY(put_report(filing, &judged));
    if (judged.verdict == BT_ACCEPTED || !why) {
        work->answer->status = 201;
        return BT_OK;
    }
    answer_refuse(work, why, judged.findings, filing->submission.record);
    return BT_OK;
}

/* ---- Receipts -------------------------------------------------------------------------------- */

/* The size of the tree that a report says it is recorded in. */
static uint64_t size_told(struct work *work)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_result read;
    options.document_bytes_max = BODY_BYTES_MAX;
    options.string_bytes_max = BODY_BYTES_MAX;
    if (bt_json_read(work->arena, bt_buf_str(&work->answer->body), &options, &read) != BT_OK ||
        !read.document) {
        return BT_LEDGER_NONE;
    }
    const bt_value *size = bt_json_point(read.document, bt_json_root(read.document),
                                         BT_STR("/documents/0/record/tree_size"));
    return size && bt_json_type(size) == BT_JSON_INTEGER ? (uint64_t)size->as.integer
                                                         : BT_LEDGER_NONE;
}

/* The receipt of what was recorded before, which the same state gives again. */
static void prove_again(struct work *work, struct bt_buf *receipt)
{
    struct bt_error error;
    const uint64_t size = size_told(work);
    struct bt_ledger *ledger = work->service->ledger;
    const enum bt_status status = ledger ? bt_ledger_prove(ledger, work->answer->seq, size,
                                                           BT_RECEIPT_AS_JSON, receipt, &error)
                                         : BT_EIO;
    if (status != BT_OK) {
        bt_buf_clear(receipt);
        bt_buf_put_text(receipt, "null");
    }
}

/* Put the receipt before the closing bracket. It cannot be kept with the answer, since it proves
 * what the commit signs. */
static enum bt_status attach_receipt(const struct filing *filing)
{
    struct work *work = filing->work;
    struct bt_buf *body = &work->answer->body;
    struct bt_buf receipt;
    assert(body->len > 0 && body->ptr[body->len - 1] == '}');
    bt_buf_init(&receipt, RECEIPT_BYTES_MAX);
    bt_str text = filing->item.receipt;
    if (text.len == 0) {
        prove_again(work, &receipt);
        text = bt_buf_str(&receipt);
        text.len -= bt_str_ends(text, BT_STR("\n")) ? 1 : 0;
    }
    body->len--;
    bt_buf_put_text(body, ",\"receipt\":");
    bt_buf_put(body, text);
    bt_buf_put_char(body, '}');
    bt_buf_free(&receipt);
    return body->status;
}

/* ---- Recording ------------------------------------------------------------------------------- */

/* When a store that hangs is given up. */
static struct timespec deadline_of(const struct service *service)
{
    const uint64_t whole = service->keys.record_deadline_ms;
    const uint64_t ms = whole > service->spent_ms ? whole - service->spent_ms : 0;
    return bt_clock_deadline(bt_clock_monotonic_ms() + ms);
}

/* Tell who wants to know that it is recorded. */
static void tell_filed(const struct filing *filing)
{
    const struct work *work = filing->work;
    const struct filed filed = {.begun_ns = filing->begun_ns,
                                .is_judged = !filing->item.act,
                                .is_accepted = filing->submission.judged->verdict == BT_ACCEPTED,
                                .is_queued = filing->submission.is_queued,
                                .seq = filing->item.seq,
                                .target = filing->item.target,
                                .trace = filing->item.trace_id};
    work->service->filed(work_watcher(work), &filed);
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

/* Say how it is to be recorded. */
static enum bt_status prepare(struct filing *filing)
{
    struct work *work = filing->work;
    struct bt_deliver_submission *submission = &filing->submission;
    filing->begun_ns = bt_clock_monotonic_ns();
    filing->until = deadline_of(work->service);
    filing->deliver = (struct bt_deliver){.ledger = work->service->ledger,
                                          .writer = work->service->writer,
                                          .until = &filing->until,
                                          .env = work->service->env,
                                          .arena = work->arena,
                                          .actor = work->caller->actor,
                                          .alarms = bt_findings_new(work->arena)};
    if (!filing->deliver.alarms) {
        return BT_ENOMEM;
    }
    deciding_begin(&filing->deciding, work, compose, filing);
    filing->deciding.tells_agents = filing->governed.item != NULL;
    filing->deciding.source = filing->item.source;
    filing->item.wants_receipt = !filing->is_dispatch;
    submission->item = &filing->item;
    submission->beside = filing->request->beside;
    submission->once = work->key ? &filing->deciding.once : NULL;
    submission->has_webhook =
        work->service->keys.has_webhooks && has_webhook(work->service->config, filing->item.target);
    submission->traceparent = work->traceparent;
    return BT_OK;
}

/* It came back: answer. */
static enum bt_status conclude(struct filing *filing)
{
    struct work *work = filing->work;
    const struct bt_deliver_submission *submission = &filing->submission;
    struct deciding *deciding = &filing->deciding;
    if (submission->is_over) {
        return answer_failed(work, "STORE_UNAVAILABLE: there was nothing to decide");
    }
    work->answer->seq = filing->item.seq;
    const bool is_done = filing->status == BT_OK && bt_findings_count(filing->deliver.alarms) == 0;
    BT_TRY(deciding_end(deciding, is_done,
                        submission->is_unknown || submission->is_recorded
                            ? "OUTCOME_UNKNOWN: it may have been recorded"
                            : "STORE_UNAVAILABLE: nothing was recorded"));
    if (deciding->is_composed && work->service->filed) {
        tell_filed(filing);
    }
    const bool is_report =
        work->answer->kind == ANSWER_DONE || (work->answer->kind == ANSWER_REFUSED && !work->shape);
    return is_report && !filing->is_dispatch ? attach_receipt(filing) : BT_OK;
}

enum bt_status filing_record(struct filing *filing)
{
    struct bt_error error = {0};
    struct later *later = filing->work->later;
    BT_TRY(prepare(filing));
    if (!later) {
        filing->status = bt_deliver_submit(&filing->deliver, &filing->submission, &error);
        return conclude(filing);
    }
    assert(!filing->item.act); /* which would use what is the thread's */
    const struct bt_ledger_wait wait = {
        .until = filing->until, .told = later->told, .context = later->context};
    later->late_ms =
        (uint64_t)wait.until.tv_sec * 1000 + (uint64_t)wait.until.tv_nsec / 1000000 + 1;
    later->filing = filing;
    return bt_deliver_give(&filing->deliver, &filing->submission, &wait);
}

/* ---- Later ----------------------------------------------------------------------------------- */

/* Get it back from the writer. False: not now. */
static bool get_back(struct filing *filing, bool is_told)
{
    struct bt_error error = {0};
    filing->status = is_told ? bt_deliver_take(&filing->submission, &error)
                             : bt_deliver_leave(&filing->submission, &error);
    filing->is_back = is_told || filing->status != BT_OK;
    return filing->is_back;
}

enum bt_status op_submit_end(struct work *work, struct service *service)
{
    struct later *later = work->later;
    assert(later);
    struct filing *filing = later->filing;
    assert(filing);
    if (!filing->is_back && !get_back(filing, later->is_told)) {
        later->late_ms = bt_clock_monotonic_ns() / 1000000 + BT_LEDGER_LENT_MS;
        return BT_OK;
    }
    work->service = service; /* not before: the writer may be composing */
    /* What was decided before is proved from the store. */
    later->must_wait = filing->deciding.once.outcome == BT_ONCE_REPEATED &&
                       !work->service->ledger && !later->may_wait;
    if (later->must_wait) {
        return BT_OK;
    }
    later->filing = NULL;
    return conclude(filing);
}
