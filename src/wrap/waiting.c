/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.c - answers that wait until their record is durable, and what a failing store means. */
#include <inttypes.h>

#include "json/get.h"
#include "json/options.h"
#include "wrap/call.h"
#include "wrap/recorder.h"
#include "wrap/repeat.h"
#include "wrap/session_internal.h"

static struct bt_wrap_recorder *recorder_of(const struct bt_wrap_session *session)
{
    const struct bt_wrap_record_settings *recording = session->settings->recording;
    return recording ? recording->recorder : NULL;
}

void bt_wrap_calls_init(struct bt_wrap_session *session)
{
    bt_object_pool_init(&session->waiting.pool, &session->arena,
                        sizeof(struct bt_wrap_waiting_answer));
}

struct bt_buf *bt_wrap_client_output(struct bt_wrap_session *session)
{
    return session->waiting.last ? session->waiting.last->bytes : &session->to[BT_WRAP_CLIENT];
}

enum bt_status bt_wrap_waiting_begin(struct bt_wrap_session *session,
                                     const struct bt_wrap_request *request,
                                     const struct bt_wrap_record *record, bool has_failed)
{
    struct bt_wrap_waiting_answers *waiting = &session->waiting;
    struct bt_wrap_waiting_answer *made = bt_object_pool_acquire(&waiting->pool);
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    *made = (struct bt_wrap_waiting_answer){.record = record,
                                            .id = request->id,
                                            .is_modern = request->is_modern,
                                            .is_call = request->method == BT_WRAP_METHOD_CALL,
                                            .has_failed = has_failed,
                                            .is_withheld = !record,
                                            .bytes = bt_buf_create(session->to[0].max)};
    BT_TRY(made->bytes ? BT_OK : BT_ENOMEM);
    *(waiting->last ? &waiting->last->next : &waiting->first) = made;
    waiting->last = made;
    return BT_OK;
}

/* Say once that records cannot be written, and what the store says. */
static enum bt_status report_failure(struct bt_wrap_session *session)
{
    const struct bt_wrap_recorder *recorder = session->settings->recording->recorder;
    const enum bt_wrap_store_failure failure = bt_wrap_recorder_failure(recorder);
    const size_t before = bt_findings_count(session->findings);
    if (failure == BT_WRAP_STORE_WORKS || session->waiting.failure_is_reported) {
        return BT_OK;
    }
    session->waiting.failure_is_reported = true;
    bt_buf_printf(&session->log, "baton: %.*s: the store failed: %s\n",
                  BT_STR_ARG(session->settings->name), bt_wrap_recorder_error(recorder));
    return bt_wrap_log_findings(
        session, before,
        bt_add_wrap_record_failed(session->findings, BT_SEVERITY_WARN, bt_location_whole(),
                                  (enum bt_wrap_record_failed_reason)failure, false));
}

enum bt_status bt_wrap_refuse_unrecorded(struct bt_wrap_session *session, struct bt_findings *one,
                                         bool is_executed)
{
    enum bt_wrap_store_failure failure =
        bt_wrap_recorder_failure(session->settings->recording->recorder);
    failure = failure == BT_WRAP_STORE_WORKS ? BT_WRAP_STORE_COMMIT : failure;
    return bt_add_wrap_record_failed(one, BT_SEVERITY_HARD, bt_location_whole(),
                                     (enum bt_wrap_record_failed_reason)failure, is_executed);
}

/* Replace an answer whose record could not be written. */
static enum bt_status withhold_answer(struct bt_wrap_session *session,
                                      const struct bt_wrap_waiting_answer *answer)
{
    const size_t before = bt_findings_count(session->findings);
    struct bt_findings *one = bt_findings_new(&session->message);
    BT_TRY(one ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_wrap_refuse_unrecorded(session, one, true));
    BT_TRY(bt_wrap_log_findings(session, before,
                                bt_findings_add(session->findings, bt_findings_at(one, 0))));
    if (!answer->is_call) {
        const struct bt_wrap_answer error =
            bt_wrap_refusal_answer(&answer->id, bt_findings_at(one, 0));
        bt_wrap_write_error(&session->to[BT_WRAP_CLIENT], &error);
        return BT_OK;
    }
    bt_wrap_answer_refusal(&session->to[BT_WRAP_CLIENT], &answer->id, answer->is_modern, one, 0);
    session->facts.withheld++;
    session->facts.failed -= answer->has_failed;
    session->facts.returned -= !answer->has_failed;
    return BT_OK;
}

/* Pass answers on that do not have to wait any more, in their order. */
static enum bt_status release_answers(struct bt_wrap_session *session)
{
    struct bt_wrap_waiting_answers *waiting = &session->waiting;
    struct bt_buf *out = &session->to[BT_WRAP_CLIENT];
    while (waiting->first && !waiting->first->record) {
        struct bt_wrap_waiting_answer *first = waiting->first;
        const bt_str bytes = bt_buf_str(first->bytes);
        if (first->is_withheld) {
            BT_TRY(withhold_answer(session, first));
        }
        bt_buf_put(out,
                   bt_str_slice(bytes, first->is_withheld ? first->answer_size : 0, bytes.len));
        BT_TRY(bt_buf_status(first->bytes));
        waiting->first = first->next;
        waiting->last = first->next ? waiting->last : NULL;
        bt_buf_destroy(first->bytes);
        bt_object_pool_release(&waiting->pool, first);
    }
    return bt_buf_status(out);
}

enum bt_status bt_wrap_call_answered(struct bt_wrap_session *session)
{
    struct bt_wrap_waiting_answer *last = session->waiting.last;
    if (last && last->answer_size == 0) {
        last->answer_size = last->bytes->len;
    }
    return release_answers(session);
}

/* Where the name of a record goes in a text, and what stands before and behind it. */
struct wrap_annotation {
    struct bt_json_span span; /* that is replaced */
    bool is_next;             /* a member stands before it */
    const char *before;
    const char *behind;
};

static struct wrap_annotation place_annotation(const struct bt_json_doc *document,
                                               const bt_json_value *result)
{
    const bt_json_value *metadata = bt_json_get(document, result, BT_STR("_meta"));
    const bool has_object = metadata && bt_json_type(metadata) == BT_JSON_OBJECT;
    const bt_json_value *claimed =
        has_object ? bt_json_get(document, metadata, BT_STR("baton/record")) : NULL;
    const bt_json_value *within = has_object ? metadata : result;
    if (claimed) { /* the server cannot know it */
        return (struct wrap_annotation){bt_json_span(document, claimed), false, "", ""};
    }
    if (metadata && !has_object) {
        return (struct wrap_annotation){bt_json_span(document, metadata), false,
                                        "{\"baton/record\":", "}"};
    }
    struct bt_json_span span = bt_json_span(document, within);
    span.begin = --span.end; /* before the brace that closes it */
    return (struct wrap_annotation){
        span, bt_json_count(within) > 0,
        has_object ? "\"baton/record\":" : "\"_meta\":{\"baton/record\":", has_object ? "" : "}"};
}

/* Name the record in the result of a call, which is durable now. */
static enum bt_status annotate_answer(struct bt_wrap_session *session,
                                      const struct bt_wrap_recorded *done,
                                      struct bt_wrap_waiting_answer *answer)
{
    const bt_str bytes = bt_buf_str(answer->bytes);
    const bt_str line = bt_str_slice(bytes, 0, answer->answer_size);
    struct bt_json_options options = bt_wrap_json_options(session);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    options.document_bytes_max = line.len;
    /* from: the server, in part */
    BT_TRY(bt_json_read(&session->message, line, &options, &read));
    const bt_json_value *result =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("result"))
                      : NULL;
    if (!result || bt_json_type(result) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    const struct wrap_annotation place = place_annotation(read.document, result);
    struct bt_buf *changed = bt_buf_create(session->to[BT_WRAP_CLIENT].max);
    BT_TRY(changed ? BT_OK : BT_ENOMEM);
    bt_buf_put(changed, bt_str_slice(bytes, 0, place.span.begin));
    bt_buf_printf(changed, "%s%s{\"ref\":\"%.*s#%" PRIu64 "\",\"leaf_hash\":\"%s\"}%s",
                  place.is_next ? "," : "", place.before, BT_STR_ARG(done->origin), done->seq,
                  done->leaf_hash, place.behind);
    bt_buf_put(changed, bt_str_slice(bytes, place.span.end, bytes.len));
    answer->answer_size += changed->len - bytes.len;
    bt_buf_destroy(answer->bytes);
    answer->bytes = changed;
    return bt_buf_status(changed);
}

/* Let the answer go that waits for a record; while the store fails it may be withheld. */
static enum bt_status finish_answer(struct bt_wrap_session *session,
                                    const struct bt_wrap_recorded *done)
{
    struct bt_wrap_waiting_answer *answer = session->waiting.first;
    while (answer && answer->record != done->record) {
        answer = answer->next;
    }
    if (!answer) {
        return BT_OK;
    }
    answer->record = NULL;
    answer->is_withheld = !done->is_durable && done->record->policy.is_closed;
    return done->is_durable && answer->is_call &&
                   session->settings->policy.annotate == BT_WRAP_CHOICE_YES
               ? annotate_answer(session, done, answer)
               : BT_OK;
}

/* Keep the entry of a call that returned a task: the record of its result names it. */
static void note_task_entry(struct bt_wrap_session *session, const struct bt_wrap_recorded *done)
{
    const struct bt_wrap_record *record = done->record;
    const bool is_call = record->subject.n > 0;
    struct bt_wrap_task *task = done->is_durable && is_call && record->refs.task.len > 0
                                    ? bt_wrap_tasks_find(&session->tasks, record->refs.task)
                                    : NULL;
    if (task) {
        task->seq = done->seq;
    }
}

enum bt_status bt_wrap_session_collect(struct bt_wrap_session *session)
{
    struct bt_wrap_recorder *recorder = recorder_of(session);
    struct bt_wrap_recorded done;
    if (!recorder) {
        return BT_OK;
    }
    bt_arena_reset(&session->message);
    while (bt_wrap_recorder_next(recorder, session->now_ms, &done)) {
        enum bt_status status = finish_answer(session, &done);
        note_task_entry(session, &done);
        if (status == BT_OK) {
            status = bt_wrap_repeat_release(session, done.record);
        }
        bt_wrap_record_destroy(done.record);
        BT_TRY(status);
    }
    BT_TRY(report_failure(session));
    BT_TRY(release_answers(session));
    return bt_wrap_session_status(session);
}

uint64_t bt_wrap_session_waiting(const struct bt_wrap_session *session)
{
    uint64_t bytes = 0;
    for (const struct bt_wrap_waiting_answer *at = session->waiting.first; at; at = at->next) {
        bytes += at->bytes->len;
    }
    return bytes;
}

uint64_t bt_wrap_calls_deadline(const struct bt_wrap_session *session)
{
    const struct bt_wrap_recorder *recorder = recorder_of(session);
    return recorder ? bt_wrap_recorder_deadline(recorder) : UINT64_MAX;
}

uint64_t bt_wrap_session_unrecorded(const struct bt_wrap_session *session)
{
    const struct bt_wrap_recorder *recorder = recorder_of(session);
    return recorder ? bt_wrap_recorder_counts(recorder).waiting : 0;
}

uint64_t bt_wrap_session_record_bytes(const struct bt_wrap_session *session)
{
    const struct bt_wrap_recorder *recorder = recorder_of(session);
    return recorder ? bt_wrap_recorder_counts(recorder).memory : 0;
}

enum bt_status bt_wrap_session_record_gap(struct bt_wrap_session *session)
{
    struct bt_wrap_recorder *recorder = recorder_of(session);
    return recorder ? bt_wrap_recorder_put_gap(recorder) : BT_OK;
}

bool bt_wrap_store_is_usable(const struct bt_wrap_session *session)
{
    const struct bt_wrap_recorder *recorder = recorder_of(session);
    return recorder && bt_wrap_recorder_failure(recorder) != BT_WRAP_STORE_UNKNOWN;
}

void bt_wrap_note_store(struct bt_wrap_session *session, struct bt_ledger *ledger,
                        const struct bt_error *error)
{
    if (bt_ledger_commit_is_unknown(ledger)) {
        bt_wrap_recorder_stop(recorder_of(session), error);
    }
}
