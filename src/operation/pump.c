/* SPDX-License-Identifier: Apache-2.0 */
/* pump.c - the pump of XML messages, through its control channel: no handler runs here. */
#include "operation/pump.h"
#include "base/buf.h"
#include "base/file.h"
#include "organism/read.h"
#include "report/add.h"

#include "json/emit.h"
#include "json/options.h"

enum {
    ORGANISM_BYTES_MAX = 1 << 20,
    CONNECT_MS = 1000,
    ANSWER_MS = 5000,
    PARAMS_BYTES_MAX = 1 << 20,
    TEXT_BYTES_MAX = 64 << 20,
    REPLIES_MAX = 1000,
};

/* Set the result that the pump could not be reached, or its error. */
static bool lose_pump(struct bt_call *work, enum bt_problem problem, const char *why)
{
    (void)bt_result_set_failed(work, problem, "%s", why);
    work->answer->is_pump_failure = true;
    return false;
}

const struct bt_organism *bt_op_pump_organism(struct bt_call *work)
{
    const struct bt_organism_options how = {.has_files = true};
    const struct bt_organism *organism = NULL;
    struct bt_organism_source source = {.path = work->service->organism};
    struct bt_judgement judged;
    struct bt_error error;
    return source.path.len > 0 &&
                   bt_file_read(work->arena, source.path, ORGANISM_BYTES_MAX, &source.text,
                                &error) == BT_OK &&
                   bt_organism_read(work->service->env, work->arena, &source, &how, &judged,
                                    &organism) == BT_OK
               ? organism
               : NULL;
}

struct bt_control_client *bt_op_pump_connect(struct bt_call *work)
{
    struct bt_control_client *control = NULL;
    struct bt_error error;
    bt_str path = BT_STR("");
    if (work->service->organism.len == 0) {
        (void)bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                    "no pump is configured");
        return NULL;
    }
    const struct bt_organism *organism = bt_op_pump_organism(work);
    if (!organism || bt_pump_control_path(organism, work->arena, &path) != BT_OK || path.len == 0 ||
        bt_control_client_open(path.ptr, CONNECT_MS, &control, &error) != BT_OK) {
        (void)lose_pump(work, BT_PROBLEM_STORE_UNAVAILABLE, "the pump does not run");
        return NULL;
    }
    return control;
}

/* Send one request. */
static bool call_pump(struct bt_call *work, const struct bt_control_request *question,
                      bool may_be_taken, struct bt_control_result *out)
{
    struct bt_control_client *control = bt_op_pump_connect(work);
    struct bt_error error;
    if (!control) {
        return false;
    }
    const enum bt_status status =
        bt_control_client_call(control, work->arena, question, out, &error);
    bt_control_client_close(control);
    return status == BT_OK ||
           (may_be_taken
                ? lose_pump(work, BT_PROBLEM_OUTCOME_UNKNOWN, "the pump may have taken the message")
                : lose_pump(work, BT_PROBLEM_STORE_UNAVAILABLE, "the pump does not answer"));
}

bool bt_op_pump_query(struct bt_call *work, const char *method, bt_str params,
                      struct bt_control_result *out)
{
    const struct bt_control_request question = {
        .method = bt_str_of(method), .params = params, .wait_ms = ANSWER_MS};
    return call_pump(work, &question, false, out);
}

/* Set the pump's refusal as the result. */
static enum bt_status reject_call(struct bt_call *work, const struct bt_control_result *answer)
{
    switch (answer->error) {
    case BT_CONTROL_ERROR_NOT_FOUND:
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "the pump knows no such thing");
    case BT_CONTROL_ERROR_BUSY:
        (void)lose_pump(work, BT_PROBLEM_OVERLOADED, "the pump has no room");
        return BT_OK;
    case BT_CONTROL_ERROR_INVALID_PARAMS:
    case BT_CONTROL_ERROR_INVALID_REQUEST:
    case BT_CONTROL_ERROR_PARSE:
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/thread"),
                                     "the pump takes no such name");
    default:
        return bt_result_set_failed(work, BT_PROBLEM_INTERNAL, "the pump could not do its work");
    }
}

/* Send a request, and set the result as `baton pump ctl` prints it. */
static enum bt_status show_pump(struct bt_call *work, const char *method, bt_str params)
{
    struct bt_control_result answer;
    struct bt_buf *body = &work->answer->body;
    if (!bt_op_pump_query(work, method, params, &answer)) {
        return BT_OK;
    }
    if (answer.error != 0) {
        return reject_call(work, &answer);
    }
    bt_buf_clear(body);
    bt_buf_printf(body, "{\"baton\":1,\"method\":\"%s\",\"result\":", method);
    bt_buf_put(body, answer.result);
    bt_buf_put_char(body, '}');
    return bt_result_set_done(work);
}

enum bt_status bt_op_pump_status(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    return show_pump(call, "status", BT_STR(""));
}

enum bt_status bt_op_pump_list_listeners(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    return show_pump(call, "list", BT_STR(""));
}

enum bt_status bt_op_pump_graph(struct bt_call *call, const struct bt_args *args)
{
    const bt_str format = bt_args_text(args, BT_ARG_PUMP_GRAPH_FORMAT);
    bt_str params;
    if (format.len > 0 && !bt_str_eq(format, BT_STR("json")) &&
        !bt_str_eq(format, BT_STR("mermaid")) && !bt_str_eq(format, BT_STR("dot"))) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/format"),
                                     "json, mermaid or dot");
    }
    BT_TRY(bt_arena_printf(call->arena, &params, "{\"format\":\"%.*s\"}",
                           BT_STR_ARG(format.len > 0 ? format : BT_STR("json"))));
    return show_pump(call, "graph", params);
}

/* What to show of a thread. */
struct bt_op_pump_page {
    bt_str thread;
    bt_str client; /* "" for all */
    uint64_t limit;
    uint64_t offset;
    bool payloads;
};

/* Put the parameters of `thread-history`. */
static enum bt_status put_page(struct bt_call *call, const struct bt_op_pump_page *page,
                               bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "thread", page->thread);
    if (page->client.len > 0) {
        bt_emit_member_string(&emit, "client", page->client);
    }
    bt_emit_member_u64(&emit, "limit", page->limit);
    bt_emit_member_u64(&emit, "offset", page->offset);
    bt_emit_name(&emit, "payloads");
    bt_emit_bool(&emit, page->payloads);
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, call->arena, out);
}

enum bt_status bt_op_pump_thread(struct bt_call *call, const struct bt_args *args)
{
    struct bt_op_pump_page page = {.thread = bt_args_text(args, BT_ARG_PUMP_THREAD_THREAD),
                                   .client = bt_args_text(args, BT_ARG_PUMP_THREAD_CLIENT),
                                   .limit = bt_args_number(args, BT_ARG_PUMP_THREAD_LIMIT, 100),
                                   .offset = bt_args_number(args, BT_ARG_PUMP_THREAD_OFFSET, 0)};
    bt_str params;
    if (bt_args_has(args, BT_ARG_PUMP_THREAD_PAYLOADS) &&
        !bt_argument_read_bool(bt_args_text(args, BT_ARG_PUMP_THREAD_PAYLOADS), &page.payloads)) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/payloads"),
                                     "it is 1 or 0");
    }
    BT_TRY(put_page(call, &page, &params));
    return show_pump(call, "thread-history", params);
}

/* Put the entries of a history that were sent to the client. */
static enum bt_status put_replies(struct bt_call *call, bt_str thread, bt_str result,
                                  struct bt_buf *buf)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    struct bt_emit emit;
    options.document_bytes_max = TEXT_BYTES_MAX;
    options.string_bytes_max = TEXT_BYTES_MAX;
    /* from: socket */
    BT_TRY(bt_json_read(call->arena, result, &options, &read));
    const bt_json_value *entries =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("entries"))
                      : NULL;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "thread", thread);
    bt_emit_name(&emit, "replies");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; entries && i < bt_json_count(entries); i++) {
        const bt_json_value *entry = &bt_json_items(entries)[i];
        const bt_json_value *kind = bt_json_get(read.document, entry, BT_STR("kind"));
        if (kind && bt_str_eq(bt_json_text(kind), BT_STR("egress"))) {
            const struct bt_json_span span = bt_json_span(read.document, entry);
            bt_emit_raw(&emit, bt_str_slice(result, span.begin, span.end));
        }
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return buf->status;
}

enum bt_status bt_op_pump_replies(struct bt_call *call, const struct bt_args *args)
{
    const struct bt_op_pump_page page = {.thread = bt_args_text(args, BT_ARG_PUMP_REPLIES_THREAD),
                                         .client = call->caller->pump_client,
                                         .limit = REPLIES_MAX,
                                         .payloads = true};
    struct bt_control_result answer;
    bt_str params;
    if (page.client.len == 0) {
        return bt_result_set_problem(call, BT_PROBLEM_SCOPE_MISSING, BT_STR("/pump_client"),
                                     "the caller is not a client of the pump");
    }
    BT_TRY(put_page(call, &page, &params));
    if (!bt_op_pump_query(call, "thread-history", params, &answer)) {
        return BT_OK;
    }
    if (answer.error != 0) {
        return reject_call(call, &answer);
    }
    BT_TRY(put_replies(call, page.thread, answer.result, &call->answer->body));
    return bt_result_set_done(call);
}

/* Parameters of `inject`; a message that is not valid UTF-8 is sent as base64. */
static enum bt_status put_message(struct bt_call *work, bt_str text, bt_str *out)
{
    const bool is_text = bt_utf8_check(text) == text.len;
    struct bt_buf buf;
    struct bt_buf coded;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX - 256);
    bt_buf_init(&coded, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "client", work->caller->pump_client);
    if (is_text) {
        bt_emit_member_string(&emit, "message", text);
    } else {
        bt_base64_put(&coded, text);
        bt_emit_member_string(&emit, "message_base64", bt_buf_str(&coded));
    }
    bt_emit_end(&emit);
    const enum bt_status kept =
        coded.status == BT_OK ? bt_buf_copy(&buf, work->arena, out) : coded.status;
    bt_buf_free(&buf);
    bt_buf_free(&coded);
    return kept;
}

static bt_str text_of(const struct bt_json_doc *document, const bt_json_value *object,
                      const char *name)
{
    const bt_json_value *value = object ? bt_json_get(document, object, bt_str_of(name)) : NULL;
    return value ? bt_json_text(value) : BT_STR("");
}

static uint32_t number_of(const struct bt_json_doc *document, const bt_json_value *object,
                          const char *name)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    uint64_t number = 0;
    return value && bt_str_to_u64(bt_json_number_text(document, value), &number) == BT_OK &&
                   number <= UINT32_MAX
               ? (uint32_t)number
               : 0;
}

/* The output of `pump send`. */
static enum bt_status set_sent_result(struct bt_call *work, const struct bt_json_doc *document)
{
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *repeated = bt_json_get(document, root, BT_STR("duplicate"));
    struct bt_buf *body = &work->answer->body;
    struct bt_emit emit;
    bt_buf_clear(body);
    bt_buf_put_text(body, "{\"baton\":1,\"mode\":\"sent\",\"accepted\":1,\"refused\":0,"
                          "\"messages\":[");
    bt_emit_init(&emit, body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "index", 1);
    bt_emit_member_string(&emit, "state", BT_STR("accepted"));
    bt_emit_member_string(&emit, "thread", text_of(document, root, "thread"));
    bt_emit_name(&emit, "duplicate");
    bt_emit_bool(&emit, repeated && bt_json_type(repeated) == BT_JSON_TRUE);
    bt_emit_end(&emit);
    bt_buf_put_text(body, "]}");
    work->answer->status = BT_HTTP_ACCEPTED;
    return bt_result_set_done(work);
}

/* A finding that the pump reported, as a finding of our own rule. */
static enum bt_status add_pump_finding(struct bt_findings *findings, const struct bt_json_doc *data,
                                       const bt_json_value *reported)
{
    const size_t rule = bt_rules_find(text_of(data, reported, "code"));
    const bt_json_value *params = bt_json_get(data, reported, BT_STR("params"));
    if (rule == bt_rules_count()) {
        return BT_OK;
    }
    struct bt_finding finding = bt_finding_from_rule(bt_rules_at(rule));
    finding.pointer = text_of(data, reported, "pointer");
    finding.message = text_of(data, reported, "message");
    finding.hint = text_of(data, reported, "hint");
    finding.position.line = number_of(data, reported, "line");
    finding.position.column = number_of(data, reported, "column");
    if (params) {
        BT_TRY(bt_finding_set_params(&finding, bt_findings_arena(findings), data, params));
    }
    return bt_findings_add(findings, &finding);
}

/* A message that the pump has judged, rejected and recorded. */
static enum bt_status set_refused_result(struct bt_call *work, const struct bt_judgement *message,
                                         const struct bt_json_doc *data)
{
    const bt_json_value *reported = bt_json_get(data, bt_json_root(data), BT_STR("findings"));
    struct bt_findings *findings = bt_findings_new(work->arena);
    struct bt_judgement judged = *message;
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; reported && i < bt_json_count(reported); i++) {
        BT_TRY(add_pump_finding(findings, data, &bt_json_items(reported)[i]));
    }
    if (bt_findings_count(findings) == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_BAD_REQUEST, BT_STR(""),
                                     "the pump refused the message");
    }
    judged.verdict = BT_VERDICT_REJECTED;
    judged.findings = findings;
    BT_TRY(bt_result_set_report(work, &judged, 1, BT_STR("")));
    bt_result_set_refused(work, bt_findings_at(findings, 0), findings, BT_STR(""));
    return BT_OK;
}

enum bt_status bt_op_pump_send(struct bt_call *work, const struct bt_judgement *message)
{
    struct bt_control_request question = {.method = BT_STR("inject"), .wait_ms = ANSWER_MS};
    struct bt_control_result answer;
    struct bt_json_read_result read = {0};
    if (put_message(work, message->source, &question.params) != BT_OK) {
        return bt_result_set_problem(work, BT_PROBLEM_BODY_TOO_LARGE, BT_STR(""),
                                     "the message is too long for the pump");
    }
    if (!call_pump(work, &question, true, &answer)) {
        return BT_OK;
    }
    const bt_str reply = answer.error == 0 ? answer.result : answer.data;
    if (reply.len > 0) {
        /* from: socket */
        BT_TRY(bt_json_read(work->arena, reply, NULL, &read));
    }
    if (!read.document || (answer.error != 0 && answer.error != BT_CONTROL_ERROR_INVALID_PARAMS)) {
        return reject_call(work, &answer);
    }
    return answer.error == 0 ? set_sent_result(work, read.document)
                             : set_refused_result(work, message, read.document);
}
