/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - records of requests, and answers that wait for them. */
#include "wrap/calls.h"

#include "json/emit.h"
#include "json/get.h"
#include "trace/trace.h"
#include "wrap/call.h"
#include "wrap/recorder.h"
#include "wrap/repeat.h"
#include "wrap/session_internal.h"

enum { TRACE_ID_AT = 3, TRACE_ID_BYTES = 32, REFUSAL_BYTES_MAX = 1 << 20 };

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

static void drop_record(struct bt_wrap_request *request)
{
    bt_wrap_record_destroy(request->record);
    request->record = NULL;
}

void bt_wrap_calls_free(struct bt_wrap_session *session)
{
    struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    struct bt_wrap_request *request = NULL;
    while ((request = bt_wrap_requests_first(open)) != NULL) {
        drop_record(request);
        bt_wrap_requests_remove(open, request);
    }
    for (struct bt_wrap_waiting_answer *at = session->waiting.first; at; at = at->next) {
        bt_buf_destroy(at->bytes);
    }
}

struct bt_buf *bt_wrap_client_output(struct bt_wrap_session *session)
{
    return session->waiting.last ? session->waiting.last->bytes : &session->to[BT_WRAP_CLIENT];
}

/* ---- The request --------------------------------------------------------------------------- */

/* The trace that the request belongs to; else the session. */
static enum bt_status find_trace(struct bt_wrap_session *session,
                                 const struct bt_wrap_message *message, bt_str *out)
{
    const bt_json_value *metadata =
        bt_json_get(message->document, message->params, BT_STR("_meta"));
    const bt_str given = bt_json_get_text(message->document, metadata, BT_STR("traceparent"));
    struct bt_findings *ignored = bt_findings_new(&session->message);
    struct bt_traceparent parsed;
    bool is_valid = false;
    *out = bt_str_of(session->facts.session);
    BT_TRY(ignored ? BT_OK : BT_ENOMEM);
    if (given.len > 0) {
        BT_TRY(bt_traceparent_parse(given, ignored, &is_valid, &parsed));
    }
    return is_valid ? bt_arena_copy(&session->message,
                                    (bt_str){parsed.text + TRACE_ID_AT, TRACE_ID_BYTES}, out)
                    : BT_OK;
}

/* Lists and the handshake are recorded when they show what was not reviewed. */
static bool may_be_recorded(const struct bt_wrap_session *session,
                            const struct bt_wrap_request *request)
{
    const bool shows_definitions = request->is_list ||
                                   request->method == BT_WRAP_METHOD_INITIALIZE ||
                                   request->method == BT_WRAP_METHOD_DISCOVER;
    const bool may_hide = session->entry || session->settings->policy.texts == BT_WRAP_READING_HIDE;
    return request->method == BT_WRAP_METHOD_CALL || (may_hide && shows_definitions);
}

enum bt_status bt_wrap_call_set_tool(struct bt_wrap_session *session,
                                     const struct bt_wrap_message *message,
                                     const struct bt_wrap_request *request,
                                     const struct bt_wrap_tool_policy *tool)
{
    static const bt_str classes[] = {[BT_WRAP_CLASS_READ] = BT_STR_INIT("read"),
                                     [BT_WRAP_CLASS_WRITE] = BT_STR_INIT("write"),
                                     [BT_WRAP_CLASS_DESTRUCTIVE] = BT_STR_INIT("destructive")};
    const struct bt_wrap_rule *rule = &tool->rule;
    struct bt_wrap_record *record = request->record;
    const bt_json_value *arguments =
        bt_json_get(message->document, message->params, BT_STR("arguments"));
    if (!record) {
        return BT_OK;
    }
    const struct bt_wrap_known *shown =
        bt_wrap_pins_find(session, BT_WRAP_TOOL, record->subject.name);
    record->policy = (struct bt_wrap_record_policy){
        .keeps = rule->record,
        .waits = rule->wait == BT_WRAP_WAITING_DURABLE,
        .is_closed =
            !session->settings->policy.is_observing &&
            (rule->fail == BT_WRAP_FAILING_CLOSED ||
             (rule->fail == BT_WRAP_FAILING_CLASS && rule->tool_class != BT_WRAP_CLASS_READ)),
        .needs_approval =
            !session->settings->policy.is_observing && rule->approve == BT_WRAP_CHOICE_YES,
        .is_idempotent = rule->idempotent == BT_WRAP_CHOICE_YES};
    record->cost = rule->cost;
    BT_TRY(bt_wrap_record_set(record, &record->subject.class_name, classes[rule->tool_class]));
    if (shown) {
        BT_TRY(bt_wrap_record_set(record, &record->refs.manifest, bt_str_of(shown->sha256)));
    }
    return arguments && record->policy.keeps >= BT_WRAP_RECORDING_ARGUMENTS &&
                   record->kept[BT_WRAP_KEPT_ARGUMENTS].len == 0 &&
                   !record->is_left_out[BT_WRAP_KEPT_ARGUMENTS]
               ? bt_wrap_record_keep(record, BT_WRAP_KEPT_ARGUMENTS, message->document, arguments)
               : BT_OK;
}

static enum bt_status fill_record(struct bt_wrap_session *session,
                                  const struct bt_wrap_message *message,
                                  const struct bt_wrap_request *request)
{
    const struct bt_wrap_record_settings *recording = session->settings->recording;
    struct bt_wrap_record *record = request->record;
    record->policy.keeps = BT_WRAP_RECORDING_DIGESTS;
    BT_TRY(bt_wrap_record_set(record, &record->refs.lock, recording->lock_sha256));
    BT_TRY(bt_wrap_record_set(record, &record->refs.policy, recording->policy.sha256));
    return bt_wrap_record_set_request(record, message->document, message->params);
}

enum bt_status bt_wrap_call_begin(struct bt_wrap_session *session,
                                  const struct bt_wrap_message *message,
                                  struct bt_wrap_request *request)
{
    const struct bt_wrap_record_settings *recording = session->settings->recording;
    const struct bt_wrap_facts *facts = &session->facts;
    const bool is_call = request->method == BT_WRAP_METHOD_CALL;
    if (!recorder_of(session) || !may_be_recorded(session, request)) {
        return BT_OK;
    }
    struct bt_wrap_record_subject subject = {
        .server = session->settings->name,
        .session = bt_str_of(facts->session),
        .method = message->method,
        .name = is_call ? bt_json_get_text(message->document, message->params, BT_STR("name"))
                        : BT_STR(""),
        .class_name = BT_STR(""),
        .source = recording->agent.len > 0 ? recording->agent
                                           : (bt_str){facts->client.bytes, facts->client.size},
        .n = is_call ? facts->calls : 0,
        .is_modern = request->is_modern};
    BT_TRY(find_trace(session, message, &subject.trace_id));
    BT_TRY(bt_wrap_record_create(session->env, &subject, &request->record));
    return fill_record(session, message, request);
}

bool bt_wrap_call_needs_store(const struct bt_wrap_session *session,
                              const struct bt_wrap_request *request)
{
    return request->record && request->record->policy.is_closed &&
           bt_wrap_recorder_failure(recorder_of(session)) != BT_WRAP_STORE_WORKS;
}

/* ---- The answer ---------------------------------------------------------------------------- */

enum bt_status bt_wrap_call_take_answer(const struct bt_wrap_message *message,
                                        const struct bt_wrap_request *request)
{
    struct bt_wrap_record *record = request->record;
    const bt_json_value *answer = message->result ? message->result : message->error;
    if (!record) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_record_set_part(record, &record->response, message->document, answer));
    return request->method == BT_WRAP_METHOD_CALL && record->policy.keeps == BT_WRAP_RECORDING_ALL
               ? bt_wrap_record_keep(record,
                                     message->result ? BT_WRAP_KEPT_RESULT : BT_WRAP_KEPT_ERROR,
                                     message->document, answer)
               : BT_OK;
}

/* What is said to the client from now on waits for a record; NULL: it is missing already. */
static enum bt_status begin_waiting(struct bt_wrap_session *session,
                                    const struct bt_wrap_request *request,
                                    const struct bt_wrap_record *record, bool has_failed)
{
    struct bt_wrap_waiting_answers *waiting = &session->waiting;
    struct bt_wrap_waiting_answer *made = bt_object_pool_acquire(&waiting->pool);
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    *made = (struct bt_wrap_waiting_answer){.record = record,
                                            .id = request->id,
                                            .is_modern = request->is_modern,
                                            .has_failed = has_failed,
                                            .is_withheld = !record,
                                            .bytes = bt_buf_create(session->to[0].max)};
    BT_TRY(made->bytes ? BT_OK : BT_ENOMEM);
    *(waiting->last ? &waiting->last->next : &waiting->first) = made;
    waiting->last = made;
    return BT_OK;
}

static bool is_always_recorded(enum bt_wrap_event event)
{
    return event == BT_WRAP_EVENT_REFUSED || event == BT_WRAP_EVENT_WITHHELD ||
           event == BT_WRAP_EVENT_CHANGED;
}

static uint64_t milliseconds_between(bt_instant from, bt_instant to)
{
    const int64_t ms = (to.seconds - from.seconds) * 1000 + (to.nanos - from.nanos) / 1000000;
    return ms > 0 ? (uint64_t)ms : 0;
}

/* Destroy a record that will not be written, and decide about calls that wait for it. */
static enum bt_status forget_record(struct bt_wrap_session *session, struct bt_wrap_record *record)
{
    const enum bt_status status = bt_wrap_repeat_release(session, record);
    bt_wrap_record_destroy(record);
    return status;
}

enum bt_status bt_wrap_call_end(struct bt_wrap_session *session, struct bt_wrap_request *request,
                                enum bt_wrap_event event)
{
    struct bt_wrap_record *record = request->record;
    bool is_missing = false;
    if (!record) {
        return BT_OK;
    }
    bt_wrap_repeat_end(record, event);
    const bool is_unwanted = record->policy.keeps == BT_WRAP_RECORDING_NONE &&
                             !is_always_recorded(event) && record->key.text.len == 0;
    if (is_unwanted || (!request->uses_item && event != BT_WRAP_EVENT_CHANGED)) {
        request->record = NULL;
        return forget_record(session, record);
    }
    const bool has_answer = event == BT_WRAP_EVENT_RETURNED || event == BT_WRAP_EVENT_FAILED;
    const bool waits = record->policy.waits && has_answer && !request->is_cancelled;
    record->event = event;
    record->ms = milliseconds_between(record->started, bt_env_now(session->env));
    request->record = NULL;
    const struct bt_wrap_record_policy policy = record->policy;
    BT_TRY(bt_wrap_recorder_put(recorder_of(session), record, &is_missing));
    if (is_missing) {
        BT_TRY(forget_record(session, record));
    }
    return waits && (!is_missing || policy.is_closed)
               ? begin_waiting(session, request, is_missing ? NULL : record,
                               event == BT_WRAP_EVENT_FAILED)
               : BT_OK;
}

/* The client gets this instead of an answer. */
static enum bt_status note_refusal(struct bt_wrap_record *record,
                                   const struct bt_findings *findings, size_t from)
{
    struct bt_buf buf;
    bt_buf_init(&buf, REFUSAL_BYTES_MAX);
    if (from == BT_WRAP_REFUSED_BY_ERROR) {
        bt_wrap_put_blocked_canonical(&buf);
    } else {
        bt_wrap_put_refusal_canonical(&buf, record->subject.is_modern, findings, from);
    }
    const enum bt_status status = buf.status == BT_OK
                                      ? bt_wrap_part_set_text(&record->delivered, bt_buf_str(&buf))
                                      : buf.status;
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_wrap_call_note(const struct bt_wrap_request *request,
                                 const struct bt_findings *findings)
{
    return request->record ? bt_wrap_record_add_findings(request->record, findings) : BT_OK;
}

enum bt_status bt_wrap_call_refuse(struct bt_wrap_session *session, struct bt_wrap_request *request,
                                   const struct bt_findings *findings, size_t from)
{
    if (!request->record || request->method != BT_WRAP_METHOD_CALL) {
        drop_record(request);
        return BT_OK;
    }
    BT_TRY(bt_wrap_record_add_findings(request->record, findings));
    BT_TRY(note_refusal(request->record, findings, from));
    return bt_wrap_call_end(session, request, BT_WRAP_EVENT_REFUSED);
}

enum bt_status bt_wrap_call_withhold(struct bt_wrap_session *session,
                                     struct bt_wrap_request *request,
                                     const struct bt_findings *findings, size_t from)
{
    if (!request->record) {
        return BT_OK;
    }
    BT_TRY(note_refusal(request->record, findings, from));
    return bt_wrap_call_end(session, request, BT_WRAP_EVENT_WITHHELD);
}

/* ---- Definitions that were not reviewed ---------------------------------------------------- */

/* Whether a finding about a list is recorded: texts and names count when they hide an item. */
static bool is_about_definitions(const struct bt_wrap_session *session, unsigned code)
{
    switch (code) {
    case BT_CODE_WRAP_PIN_CHANGED:
    case BT_CODE_WRAP_PIN_ADDED:
    case BT_CODE_WRAP_PIN_REMOVED:
    case BT_CODE_WRAP_PIN_COMMAND:
    case BT_CODE_WRAP_NAME_DUPLICATE:
        return true;
    case BT_CODE_WRAP_TEXT_HIDDEN:
    case BT_CODE_WRAP_TEXT_INJECTION:
    case BT_CODE_WRAP_NAME_SHADOWED:
    case BT_CODE_WRAP_TOOL_REFERENCE:
        return session->pins.texts_have_hidden;
    default:
        return false;
    }
}

enum bt_status bt_wrap_call_end_list(struct bt_wrap_session *session,
                                     struct bt_wrap_request *request, size_t before)
{
    const struct bt_wrap_record *record = request->record;
    for (size_t i = before; record && i < bt_findings_count(session->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(session->findings, i);
        if (is_about_definitions(session, finding->code)) {
            BT_TRY(bt_findings_add(record->findings, finding));
        }
    }
    session->pins.texts_have_hidden = false;
    if (!record || bt_findings_count(record->findings) == 0) {
        drop_record(request);
        return BT_OK;
    }
    return bt_wrap_call_end(session, request, BT_WRAP_EVENT_CHANGED);
}

enum bt_status bt_wrap_call_record_own_list(struct bt_wrap_session *session,
                                            const struct bt_wrap_message *message,
                                            enum bt_wrap_kind kind, size_t before)
{
    struct bt_wrap_request own = {
        .is_list = true, .kind = kind, .is_modern = session->facts.era == BT_WRAP_ERA_MODERN};
    struct bt_wrap_message own_message = {.document = message->document,
                                          .method = bt_wrap_kind_names(kind)->method};
    if (bt_findings_count(session->findings) == before) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_call_begin(session, &own_message, &own));
    if (own.record) {
        own.record->request = session->pins.kinds[kind].list_params;
        BT_TRY(bt_wrap_call_take_answer(message, &own));
    }
    return bt_wrap_call_end_list(session, &own, before);
}

/* ---- Answers that wait --------------------------------------------------------------------- */

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

/* Let the answer go that waits for a record; while the store fails it may be withheld. */
static void finish_answer(struct bt_wrap_session *session, const struct bt_wrap_recorded *done)
{
    struct bt_wrap_waiting_answer *answer = session->waiting.first;
    while (answer && answer->record != done->record) {
        answer = answer->next;
    }
    if (answer) {
        answer->record = NULL;
        answer->is_withheld = !done->is_durable && done->record->policy.is_closed;
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
        finish_answer(session, &done);
        const enum bt_status status = bt_wrap_repeat_release(session, done.record);
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
