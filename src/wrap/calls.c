/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - records of requests, from their arrival to their end. */
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

static void drop_record(struct bt_wrap_request *request)
{
    bt_wrap_record_destroy(request->record);
    request->record = NULL;
}

void bt_wrap_calls_free(struct bt_wrap_session *session)
{
    for (size_t side = 0; side < BT_WRAP_SIDES; side++) {
        struct bt_wrap_requests *open = &session->open[side];
        struct bt_wrap_request *request = NULL;
        while ((request = bt_wrap_requests_first(open)) != NULL) {
            drop_record(request);
            bt_wrap_requests_remove(open, request);
        }
    }
    for (struct bt_wrap_waiting_answer *at = session->waiting.first; at; at = at->next) {
        bt_buf_destroy(at->bytes);
    }
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
static bool shows_definitions(const struct bt_wrap_request *request)
{
    return request->is_list || request->method == BT_WRAP_METHOD_INITIALIZE ||
           request->method == BT_WRAP_METHOD_DISCOVER;
}

static bool is_about_task(const struct bt_wrap_request *request)
{
    return request->call > 0 && (request->method == BT_WRAP_METHOD_TASK_GET ||
                                 request->method == BT_WRAP_METHOD_TASK_RESULT);
}

static bool may_be_recorded(const struct bt_wrap_session *session, bt_str method,
                            const struct bt_wrap_request *request)
{
    static const bt_str names[] = {BT_STR_INIT("tools/call"), BT_STR_INIT("resources/read"),
                                   BT_STR_INIT("prompts/get"),
                                   BT_STR_INIT("sampling/createMessage"),
                                   BT_STR_INIT("elicitation/create")}; /* as the bits of the set */
    const struct bt_wrap_policy *policy = &session->settings->policy;
    const size_t index = bt_str_index_in(method, names, BT_COUNT_OF(names));
    const bool may_hide = session->entry || policy->texts == BT_WRAP_READING_HIDE;
    return request->method == BT_WRAP_METHOD_CALL || is_about_task(request) ||
           (index < BT_COUNT_OF(names) && (policy->methods & (1U << index)) != 0) ||
           (may_hide && shows_definitions(request));
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

/*
 * Set what the policy says about a request that is not about a tool. Such a request has no class:
 * unless the policy is `closed` it passes while the store fails. What the client answers does not
 * wait for its record.
 */
static enum bt_status set_other(const struct bt_wrap_session *session,
                                const struct bt_wrap_message *message,
                                const struct bt_wrap_request *request)
{
    const struct bt_wrap_policy *policy = &session->settings->policy;
    struct bt_wrap_record *record = request->record;
    const bt_json_value *arguments =
        request->uses_item ? bt_json_get(message->document, message->params, BT_STR("arguments"))
                           : message->params;
    record->policy = (struct bt_wrap_record_policy){
        .keeps = policy->record,
        .waits = request->uses_item && policy->wait == BT_WRAP_WAITING_DURABLE,
        .is_closed = !policy->is_observing && policy->fail == BT_WRAP_FAILING_CLOSED};
    return arguments && policy->record >= BT_WRAP_RECORDING_ARGUMENTS
               ? bt_wrap_record_keep(record, BT_WRAP_KEPT_ARGUMENTS, message->document, arguments)
               : BT_OK;
}

/*
 * Set what the policy says about the result of a task: as about a call of its tool, which was
 * executed and paid for already. A question how far it is passes while the store fails.
 */
static enum bt_status set_task(struct bt_wrap_session *session,
                               const struct bt_wrap_message *message,
                               const struct bt_wrap_request *request)
{
    const struct bt_wrap_hints none = {0};
    struct bt_wrap_record *record = request->record;
    struct bt_wrap_tool_policy policy;
    struct bt_wrap_tool *tool = NULL;
    BT_TRY(bt_wrap_tools_find(session, record->subject.name, &tool));
    if (tool) {
        policy = tool->policy;
    } else {
        bt_wrap_policy_for_tool(&session->settings->policy, record->subject.name, &none, &policy);
    }
    BT_TRY(bt_wrap_call_set_tool(session, message, request, &policy));
    record->cost = 0;
    record->policy.is_closed =
        record->policy.is_closed && request->method == BT_WRAP_METHOD_TASK_RESULT;
    return bt_wrap_record_set(
        record, &record->refs.task,
        bt_json_get_text(message->document, message->params, BT_STR("taskId")));
}

static enum bt_status fill_record(struct bt_wrap_session *session,
                                  const struct bt_wrap_message *message,
                                  const struct bt_wrap_request *request)
{
    const struct bt_wrap_record_settings *recording = session->settings->recording;
    struct bt_wrap_record *record = request->record;
    record->policy.keeps = BT_WRAP_RECORDING_DIGESTS;
    if (is_about_task(request)) {
        BT_TRY(set_task(session, message, request));
    } else if (request->method != BT_WRAP_METHOD_CALL && !shows_definitions(request)) {
        BT_TRY(set_other(session, message, request));
    }
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
    if (!recorder_of(session) || !may_be_recorded(session, message->method, request)) {
        return BT_OK;
    }
    struct bt_wrap_record_subject subject = {
        .server = session->settings->name,
        .session = bt_str_of(facts->session),
        .method = message->method,
        .name = request->uses_item ? bt_json_get_text(message->document, message->params,
                                                      bt_wrap_kind_names(request->kind)->key)
                : is_about_task(request) && request->tool ? bt_buf_str(request->tool)
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
    return record->policy.keeps == BT_WRAP_RECORDING_ALL
               ? bt_wrap_record_keep(record,
                                     message->result ? BT_WRAP_KEPT_RESULT : BT_WRAP_KEPT_ERROR,
                                     message->document, answer)
               : BT_OK;
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

/* Whether a request ends without an entry: a list without findings, a task without its result. */
static bool ends_silently(const struct bt_wrap_request *request, enum bt_wrap_event event)
{
    return (shows_definitions(request) && event != BT_WRAP_EVENT_CHANGED) ||
           (is_about_task(request) &&
            (event == BT_WRAP_EVENT_CANCELLED || event == BT_WRAP_EVENT_LOST));
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
    if (is_unwanted || ends_silently(request, event)) {
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
               ? bt_wrap_waiting_begin(session, request, is_missing ? NULL : record,
                                       event == BT_WRAP_EVENT_FAILED)
               : BT_OK;
}

enum bt_status bt_wrap_call_end_other(struct bt_wrap_session *session,
                                      const struct bt_wrap_message *message,
                                      struct bt_wrap_request *request)
{
    return bt_wrap_call_end(session, request,
                            message->error ? BT_WRAP_EVENT_FAILED : BT_WRAP_EVENT_RETURNED);
}

/* What is said instead of an answer. */
static enum bt_status note_refusal(struct bt_wrap_record *record,
                                   const struct bt_findings *findings, size_t from)
{
    struct bt_buf buf;
    bt_buf_init(&buf, REFUSAL_BYTES_MAX);
    if (from == BT_WRAP_REFUSED_BY_ERROR) {
        const struct bt_wrap_answer answer =
            bt_wrap_refusal_answer(NULL, bt_findings_at(findings, bt_findings_count(findings) - 1));
        bt_wrap_put_error_canonical(&buf, &answer);
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
    if (!request->record || shows_definitions(request)) {
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
