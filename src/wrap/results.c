/* SPDX-License-Identifier: Apache-2.0 */
/* results.c - results of calls and tasks: passed, cut, or withheld. */
#include "base/buf.h"
#include "json/emit.h"
#include "json/get.h"
#include "report/findings.h"
#include "wrap/approve.h"
#include "wrap/call.h"
#include "wrap/session_internal.h"
#include "wrap/size.h"

enum { REFUSAL_BYTES_MAX = 1 << 20 };

/* A result while it is judged. */
struct wrap_result {
    struct bt_wrap_session *session;
    const struct bt_json_doc *document;
    const bt_json_value *value;
    uint64_t call;
    bt_str tool;
    bool is_modern;
    struct bt_findings *findings;
    bool is_withheld;
    size_t refused_from; /* the findings from here on withhold it */
    bt_str content;      /* JSON in place of its content, or "" */
    bool is_measured;
    struct bt_wrap_result_size size;
};

static const bt_json_value *get_member(const struct wrap_result *result, const char *name)
{
    return bt_json_get(result->document, result->value, bt_str_of(name));
}

static bool is_true(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_TRUE;
}

static bt_ref ref_of(const struct wrap_result *result, const bt_json_value *value)
{
    return (bt_ref){result->document, value};
}

/* Whether it is the result itself, and not a question or a handle of a task. */
static bool is_complete(const struct wrap_result *result)
{
    const bt_json_value *type = get_member(result, "resultType");
    return bt_json_type(result->value) == BT_JSON_OBJECT &&
           (type ? bt_str_eq(bt_json_text(type), BT_STR("complete")) : !get_member(result, "task"));
}

static enum bt_status locate_result(struct wrap_result *result, const char *part,
                                    struct bt_location *out)
{
    bt_str pointer;
    BT_TRY(bt_wrap_call_pointer(result->session, result->call, part, &pointer));
    *out = bt_location_pointer(pointer, BT_OFFSET_NONE);
    return BT_OK;
}

/* ---- Questions in results -------------------------------------------------------------------- */

/* What the policy says about a request of the server. */
static enum bt_wrap_server_request rule_of_method(const struct bt_wrap_session *session,
                                                  bt_str method)
{
    const struct bt_wrap_server_requests *rules = &session->settings->policy.from_server;
    return bt_str_eq(method, BT_STR("sampling/createMessage")) ? rules->sampling
           : bt_str_eq(method, BT_STR("elicitation/create"))   ? rules->elicitation
           : bt_str_eq(method, BT_STR("roots/list"))           ? rules->roots
                                                               : BT_WRAP_SERVER_REQUEST_PASS;
}

bool bt_wrap_refuses_server_request(const struct bt_wrap_session *session, bt_str method)
{
    return rule_of_method(session, method) == BT_WRAP_SERVER_REQUEST_REFUSE;
}

static enum bt_status check_questions(struct wrap_result *result)
{
    const bt_json_value *requests = get_member(result, "inputRequests");
    const struct bt_json_member *members = requests ? bt_json_members(requests) : NULL;
    for (size_t i = 0; members && i < bt_json_count(requests); i++) {
        const bt_str method =
            bt_json_get_text(result->document, &members[i].value, BT_STR("method"));
        struct bt_location at;
        if (bt_wrap_refuses_server_request(result->session, method)) {
            BT_TRY(locate_result(result, "result", &at));
            result->is_withheld = true;
            return bt_add_wrap_denied(result->findings, bt_wrap_refusal_severity(result->session),
                                      at, method);
        }
    }
    return BT_OK;
}

/* ---- Structured content ---------------------------------------------------------------------- */

static enum bt_status judge_structured(struct wrap_result *result, struct bt_wrap_tool *tool,
                                       enum bt_wrap_judging judging)
{
    struct bt_wrap_session *session = result->session;
    const enum bt_severity severity =
        judging == BT_WRAP_JUDGING_REFUSE ? BT_SEVERITY_HARD : BT_SEVERITY_WARN;
    const bt_json_value *structured = get_member(result, "structuredContent");
    struct bt_findings *found = bt_findings_new(&session->message);
    struct bt_wrap_schema *schema = NULL;
    struct bt_location at;
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_wrap_tools_schema(session, tool, BT_WRAP_SCHEMA_OUTPUT, &schema));
    if (schema->is_absent) {
        return BT_OK;
    }
    if (!schema->schema) {
        return bt_wrap_add_unusable(session, tool, BT_WRAP_SCHEMA_OUTPUT, judging,
                                    result->findings);
    }
    if (!structured) {
        BT_TRY(locate_result(result, "result", &at));
        return bt_add_wrap_result_unstructured(result->findings, severity, at, tool->name);
    }
    BT_TRY(bt_wrap_tools_judge(session, schema, ref_of(result, structured), found));
    BT_TRY(locate_result(result, "result/structuredContent", &at));
    return bt_wrap_add_below(session, result->findings, found, at.pointer, severity);
}

static enum bt_status check_schema(struct wrap_result *result, struct bt_wrap_tool *tool,
                                   enum bt_wrap_judging judging)
{
    const size_t before = bt_findings_count(result->findings);
    if (judging == BT_WRAP_JUDGING_OFF || !tool || is_true(get_member(result, "isError"))) {
        return BT_OK;
    }
    BT_TRY(judge_structured(result, tool, judging));
    result->is_withheld =
        judging == BT_WRAP_JUDGING_REFUSE && bt_findings_count(result->findings) > before;
    return BT_OK;
}

/* ---- Size ------------------------------------------------------------------------------------ */

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static enum bt_wrap_unit find_exceeded(const struct bt_wrap_rule *rule,
                                       const struct bt_wrap_result_size *size)
{
    return larger_of(size->text_tokens, size->structured_tokens) > rule->tokens
               ? BT_WRAP_UNIT_TOKENS
           : larger_of(size->text_bytes, size->structured_bytes) > rule->bytes ? BT_WRAP_UNIT_BYTES
                                                                               : BT_WRAP_UNIT_NONE;
}

static enum bt_status cut_result(struct wrap_result *result, const struct bt_wrap_rule *rule,
                                 const struct bt_wrap_result_size *size, enum bt_wrap_unit unit)
{
    const struct bt_wrap_cut cut = {.budget = {.tokens = rule->tokens, .bytes = rule->bytes},
                                    .size = *size,
                                    .unit = unit,
                                    .is_spilled = rule->over == BT_WRAP_OVER_SPILL};
    return bt_wrap_cut_content(result->session, ref_of(result, result->value), &cut,
                               &result->content);
}

static enum bt_status check_size(struct wrap_result *result, const struct bt_wrap_rule *rule)
{
    struct bt_wrap_session *session = result->session;
    struct bt_location at;
    BT_TRY(bt_wrap_measure(session, ref_of(result, result->value), &result->size));
    const struct bt_wrap_result_size size = result->size;
    result->is_measured = true;
    const uint64_t tokens = larger_of(size.text_tokens, size.structured_tokens);
    session->facts.tokens += tokens;
    bt_wrap_spend_tokens(session, tokens);
    const enum bt_wrap_unit unit = find_exceeded(rule, &size);
    if (unit == BT_WRAP_UNIT_NONE) {
        return BT_OK;
    }
    const bool in_tokens = unit == BT_WRAP_UNIT_TOKENS;
    const bool is_structured =
        size.structured_tokens > rule->tokens || size.structured_bytes > rule->bytes;
    const bool is_cut = rule->over == BT_WRAP_OVER_CUT || rule->over == BT_WRAP_OVER_SPILL;
    result->is_withheld = rule->over == BT_WRAP_OVER_REFUSE || (is_cut && is_structured);
    BT_TRY(locate_result(result, "result", &at));
    BT_TRY(bt_add_mcp_tokens_over_budget(
        result->findings, result->is_withheld ? BT_SEVERITY_HARD : BT_SEVERITY_WARN, at,
        in_tokens ? rule->tokens : rule->bytes,
        in_tokens ? tokens : larger_of(size.text_bytes, size.structured_bytes),
        (enum bt_mcp_tokens_over_budget_unit)unit));
    return is_cut && !is_structured ? cut_result(result, rule, &size, unit) : BT_OK;
}

/* ---- One result ------------------------------------------------------------------------------ */

static enum bt_status check_result(struct wrap_result *result)
{
    struct bt_wrap_session *session = result->session;
    const struct bt_wrap_hints none = {0};
    struct bt_wrap_tool_policy policy;
    struct bt_wrap_tool *tool = NULL;
    const struct bt_wrap_call_part whole = {
        .call = result->call, .name = "result", .value = ref_of(result, result->value)};
    BT_TRY(bt_wrap_check_secrets(session, &whole, result->findings));
    result->refused_from = bt_findings_count(result->findings);
    BT_TRY(check_questions(result));
    if (result->is_withheld || !is_complete(result)) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_tools_find(session, result->tool, &tool));
    if (tool) {
        policy = tool->policy;
    } else {
        bt_wrap_policy_for_tool(&session->settings->policy, result->tool, &none, &policy);
    }
    BT_TRY(check_schema(result, tool, policy.rule.results));
    if (result->is_withheld) {
        return BT_OK;
    }
    result->refused_from = bt_findings_count(result->findings);
    return check_size(result, &policy.rule);
}

/* Judge a result, and note what was found. Nothing is withheld while the session observes. */
static enum bt_status judge_result(struct wrap_result *result)
{
    struct bt_wrap_session *session = result->session;
    result->findings = bt_findings_new(&session->message);
    result->content = BT_STR("");
    BT_TRY(result->findings ? BT_OK : BT_ENOMEM);
    BT_TRY(check_result(result));
    result->is_withheld = result->is_withheld && !session->settings->policy.is_observing;
    return bt_wrap_add_all(session, result->findings);
}

/* Read the message again with what was changed in the result; NULL: nothing was. */
static enum bt_status change_message(const struct wrap_result *result,
                                     const struct bt_wrap_message *message, bt_str line,
                                     const struct bt_json_doc **out)
{
    struct bt_wrap_session *session = result->session;
    *out = NULL;
    if (result->is_withheld) {
        struct bt_buf buf;
        struct bt_emit emit;
        bt_str refusal;
        bt_buf_init(&buf, REFUSAL_BYTES_MAX);
        bt_emit_init(&emit, &buf, false);
        bt_wrap_put_refusal(&emit, result->findings, result->refused_from, result->is_modern);
        BT_TRY(bt_buf_finish(&buf, &session->message, &refusal));
        return bt_wrap_replace_value(session, message, line, result->value, refusal, out);
    }
    return result->content.len > 0
               ? bt_wrap_replace_value(session, message, line, get_member(result, "content"),
                                       result->content, out)
               : BT_OK;
}

static enum bt_status pass_message(struct bt_wrap_session *session,
                                   const struct bt_json_doc *changed, bt_str line)
{
    if (changed) {
        return bt_wrap_pass_document(session, changed);
    }
    bt_wrap_pass(session, BT_WRAP_CLIENT, line);
    return BT_OK;
}

/* ---- Records --------------------------------------------------------------------------------- */

static bool has_failed(const struct bt_wrap_message *message, const struct wrap_result *result)
{
    return message->error || is_true(get_member(result, "isError"));
}

static void count_answer(struct bt_wrap_facts *facts, const struct bt_wrap_message *message,
                         const struct wrap_result *result)
{
    const bool is_failure = has_failed(message, result);
    if (result->is_withheld) {
        facts->withheld++;
    } else {
        facts->failed += is_failure;
        facts->returned += !is_failure;
    }
}

/* The client gets another result, and so does a repetition of the call. */
static enum bt_status change_answer(const struct wrap_result *result, struct bt_wrap_record *record,
                                    const struct bt_json_doc *changed)
{
    const bt_json_value *root = bt_json_root(changed);
    const bt_json_value *params = bt_json_get(changed, root, BT_STR("params"));
    const bt_json_value *value = bt_json_get(changed, params ? params : root, BT_STR("result"));
    bt_str text;
    BT_TRY(bt_wrap_record_set_part(record, &record->delivered, changed, value));
    if (record->key.text.len == 0 || !record->key.body.ptr) {
        return BT_OK;
    }
    BT_TRY(
        bt_json_write_text(changed, value, BT_JSON_FORM_COMPACT, &result->session->message, &text));
    return bt_wrap_record_set(record, &record->key.body, text);
}

/* Take what became of a result into the record of its call, which ends. */
static enum bt_status end_record(const struct wrap_result *result,
                                 const struct bt_wrap_message *message,
                                 struct bt_wrap_request *request, const struct bt_json_doc *changed)
{
    struct bt_wrap_record *record = request->record;
    if (record && result->findings) {
        record->tokens = (struct bt_wrap_record_tokens){
            result->is_measured, result->size.text_tokens, result->size.structured_tokens};
        BT_TRY(bt_wrap_call_note(request, result->findings));
    }
    if (record && changed) {
        BT_TRY(change_answer(result, record, changed));
    }
    if (result->is_withheld) {
        return bt_wrap_call_withhold(result->session, request, result->findings,
                                     result->refused_from);
    }
    return bt_wrap_call_end(result->session, request,
                            has_failed(message, result) ? BT_WRAP_EVENT_FAILED
                                                        : BT_WRAP_EVENT_RETURNED);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* Remember the task that a call returned, also in its record, which may be NULL. */
static enum bt_status keep_task(const struct wrap_result *result, struct bt_wrap_record *record)
{
    const bt_json_value *task = get_member(result, "task");
    const bt_str nested =
        task ? bt_json_get_text(result->document, task, BT_STR("taskId")) : BT_STR("");
    const bt_str id = nested.len > 0
                          ? nested
                          : bt_json_get_text(result->document, result->value, BT_STR("taskId"));
    if (is_complete(result) || id.len == 0) {
        return BT_OK;
    }
    if (record) {
        BT_TRY(bt_wrap_record_set(record, &record->refs.task, id));
        record->policy.waits = true; /* the record of the task's result names this one */
    }
    return bt_wrap_tasks_add(&result->session->tasks, &result->session->arena, id, result->tool,
                             result->call);
}

enum bt_status bt_wrap_note_task(struct bt_wrap_session *session,
                                 const struct bt_wrap_message *message,
                                 struct bt_wrap_request *request)
{
    const bool is_about_task =
        request->method == BT_WRAP_METHOD_TASK_GET || request->method == BT_WRAP_METHOD_TASK_RESULT;
    const bt_str id = is_about_task
                          ? bt_json_get_text(message->document, message->params, BT_STR("taskId"))
                          : BT_STR("");
    const struct bt_wrap_task *task = bt_wrap_tasks_find(&session->tasks, id);
    if (!task) {
        return BT_OK;
    }
    request->call = task->call;
    return bt_wrap_request_keep_tool(request, bt_wrap_task_tool(task));
}

/* The result in what is said about a task that is completed; NULL: it is not there. */
static const bt_json_value *find_task_result(const struct bt_json_doc *document,
                                             const bt_json_value *task)
{
    const bt_json_value *value = bt_json_get(document, task, BT_STR("result"));
    const bool is_done =
        bt_str_eq(bt_json_get_text(document, task, BT_STR("status")), BT_STR("completed"));
    return is_done && value && bt_json_type(value) == BT_JSON_OBJECT ? value : NULL;
}

/* Take the result of a task, or what came instead, into the record of the request, once. */
static enum bt_status end_task(const struct wrap_result *result,
                               const struct bt_wrap_message *message,
                               struct bt_wrap_request *request, const struct bt_json_doc *changed)
{
    struct bt_wrap_record *record = request->record;
    const bool has_error = message->error && request->method == BT_WRAP_METHOD_TASK_RESULT;
    struct bt_wrap_task *task =
        record ? bt_wrap_tasks_find(&result->session->tasks, record->refs.task) : NULL;
    if (!task || task->is_recorded || (!result->value && !has_error)) {
        bt_wrap_record_destroy(record);
        request->record = NULL;
        return BT_OK;
    }
    record->refs.parent = task->seq;
    task->is_recorded = true;
    return end_record(result, message, request, changed);
}

/* Record the result that a notification has; what nobody asked for does not wait for its record. */
static enum bt_status record_notice(const struct wrap_result *result,
                                    const struct bt_wrap_message *message,
                                    const struct bt_json_doc *changed)
{
    struct bt_wrap_session *session = result->session;
    struct bt_wrap_request own = {
        .method = BT_WRAP_METHOD_TASK_GET, .call = result->call, .is_modern = result->is_modern};
    const struct bt_wrap_message shown = {.document = message->document,
                                          .method = message->method,
                                          .params = message->params,
                                          .result = result->value};
    BT_TRY(bt_wrap_request_keep_tool(&own, result->tool));
    enum bt_status status = bt_wrap_call_begin(session, &shown, &own);
    if (status == BT_OK && own.record) {
        own.record->policy.waits = false;
        status = bt_wrap_call_take_answer(&shown, &own);
    }
    if (status == BT_OK) {
        status = end_task(result, &shown, &own, changed);
    }
    bt_buf_destroy(own.tool);
    return status;
}

enum bt_status bt_wrap_take_notice(struct bt_wrap_session *session,
                                   const struct bt_wrap_message *message, bt_str line)
{
    const struct bt_json_doc *document = message->document;
    const bool is_about_task = bt_str_eq(message->method, BT_STR("notifications/tasks"));
    const struct bt_json_doc *changed = NULL;
    const bt_json_value *value = is_about_task ? find_task_result(document, message->params) : NULL;
    const struct bt_wrap_task *task =
        value ? bt_wrap_tasks_find(&session->tasks,
                                   bt_json_get_text(document, message->params, BT_STR("taskId")))
              : NULL;
    if (!task) {
        bt_wrap_pass(session, BT_WRAP_CLIENT, line);
        return BT_OK;
    }
    struct wrap_result result = {.session = session,
                                 .document = document,
                                 .value = value,
                                 .call = task->call,
                                 .tool = bt_wrap_task_tool(task),
                                 .is_modern = session->facts.era == BT_WRAP_ERA_MODERN};
    BT_TRY(judge_result(&result));
    BT_TRY(change_message(&result, message, line, &changed));
    BT_TRY(record_notice(&result, message, changed));
    return pass_message(session, changed, line);
}

/* ---- Answers --------------------------------------------------------------------------------- */

enum bt_status bt_wrap_take_result(struct bt_wrap_session *session,
                                   const struct bt_wrap_message *message,
                                   struct bt_wrap_request *request, bt_str line)
{
    const bool is_call = request->method == BT_WRAP_METHOD_CALL;
    const struct bt_json_doc *changed = NULL;
    struct wrap_result result = {.session = session,
                                 .document = message->document,
                                 .value = message->result,
                                 .call = request->call,
                                 .tool = request->tool ? bt_buf_str(request->tool) : BT_STR(""),
                                 .is_modern = request->is_modern,
                                 .content = BT_STR("")};
    if (request->method == BT_WRAP_METHOD_TASK_GET && message->result) {
        result.value = find_task_result(message->document, message->result);
    }
    if (result.value && request->call > 0 && bt_json_type(result.value) == BT_JSON_OBJECT) {
        BT_TRY(judge_result(&result));
    }
    BT_TRY(change_message(&result, message, line, &changed));
    if (!is_call) {
        BT_TRY(end_task(&result, message, request, changed));
        BT_TRY(pass_message(session, changed, line));
        return bt_wrap_call_answered(session);
    }
    count_answer(&session->facts, message, &result);
    if (result.value && !result.is_withheld) {
        BT_TRY(keep_task(&result, request->record));
    }
    if (!changed) {
        BT_TRY(bt_wrap_approve_answer(session, message, request, &line));
    }
    BT_TRY(end_record(&result, message, request, changed));
    BT_TRY(pass_message(session, changed, line));
    return bt_wrap_call_answered(session);
}
