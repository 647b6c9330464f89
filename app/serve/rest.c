/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c - from a request to an operation, and from its result to an HTTP response. */
#include "serve/rest.h"

#include <inttypes.h>

#include "operation/arguments.h"
#include "serve/server.h"

enum { KEY_BYTES_MAX = 128, PROBLEM_BYTES_MAX = 64 << 20 };

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool is_key(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == ':' ||
              byte == '-')) {
            return false;
        }
    }
    return text.len > 0 && text.len <= KEY_BYTES_MAX;
}

/* Read the idempotency key of a request that records. False: the response is set. */
static bool take_key(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    const struct http_request *request = x->request;
    bt_str key = http_field_text(request, "idempotency-key");
    if (request->method != HTTP_POST || !(x->route->flags & ROUTE_RECORDS) ||
        http_field_count(request, "idempotency-key") == 0) {
        return true;
    }
    if (key.len >= 2 && key.ptr[0] == '"' && key.ptr[key.len - 1] == '"') {
        key = bt_str_slice(key, 1, key.len - 1);
    }
    if (http_field_count(request, "idempotency-key") > 1 || !is_key(key)) {
        return rest_refuse(rest, "Idempotency-Key", "it is 1 to 128 of [A-Za-z0-9._:-]");
    }
    rest->key = (struct bt_idempotency_key){.path = request->path, .key = key};
    rest->work.key = &rest->key;
    if (bt_arena_printf(x->arena, &rest->key.request, "%.*s\n%.*s\n%.*s",
                        BT_STR_ARG(request->query), BT_STR_ARG(exchange_media_type(x)),
                        BT_STR_ARG(request->body)) != BT_OK) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    return true;
}

static enum bt_status write_refusal(struct bt_call *work, void *adapter);

/*
 * Let the operation write into the buffer of the response, so that its result is not copied.
 * Between rest_begin() and the response the call has no body of its own.
 */
static void swap_bodies(struct serve_rest *rest)
{
    struct bt_buf *own = &rest->x->answer->body;
    const struct bt_buf call_body = *own;
    *own = rest->answer.body;
    rest->answer.body = call_body;
}

bool rest_begin(struct serve_rest *rest, struct serve_call *x)
{
    *rest = (struct serve_rest){.x = x};
    rest->work = serve_call_begin_operation(x, &rest->answer);
    swap_bodies(rest);
    bt_buf_clear(&rest->answer.body);
    rest->work.write_refusal = write_refusal;
    rest->work.adapter = rest;
    rest->work.traceparent = bt_str_of(x->trace.text);
    if (!take_key(rest)) {
        bt_buf_free(&rest->answer.body);
        return false;
    }
    return true;
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* The meaning of the rule that decided, because dialects can give one code different meanings. */
static bt_str title_of(const struct bt_result *answer)
{
    for (size_t i = 0; i < bt_findings_count(answer->findings); i++) {
        const struct bt_rule *rule = bt_findings_at(answer->findings, i)->rule;
        if (bt_str_eq(rule->code, answer->code)) {
            return rule->meaning;
        }
    }
    return answer->code;
}

static enum bt_status write_refusal(struct bt_call *work, void *adapter)
{
    const struct bt_result *answer = work->answer;
    struct serve_rest *rest = adapter;
    struct bt_buf buf;
    if (!answer->findings) {
        return BT_OK;
    }
    const struct bt_problem_details details = {
        .code = answer->code,
        .status = answer->status,
        .title = title_of(answer),
        .detail = BT_STR("The request was judged and refused; the findings say why."),
        .request_id = rest->x->request_id,
        .findings = answer->findings,
        .members = BT_STR(""),
        .record = answer->record};
    bt_buf_init(&buf, PROBLEM_BYTES_MAX);
    bt_problem_put(&buf, &details);
    bt_buf_clear(&work->answer->body);
    bt_buf_put(&work->answer->body, bt_buf_str(&buf));
    const enum bt_status status = buf.status;
    bt_buf_free(&buf);
    rest->is_shaped = true;
    return status == BT_OK ? work->answer->body.status : status;
}

/*
 * Respond with 400 and a finding that says what to change, for errors that are not about a single
 * parameter.
 */
static enum bt_status respond_bad_request(struct serve_call *x, bt_str reason)
{
    struct bt_buf buf;
    bt_str members;
    bt_buf_init(&buf, 1 << 16);
    bt_problem_put_finding(&buf, BT_PROBLEM_BAD_REQUEST, BT_STR(""), reason, BT_STR(""));
    const enum bt_status status = bt_buf_copy(&buf, x->arena, &members);
    bt_buf_free(&buf);
    BT_TRY(status);
    return serve_call_respond_problem_with(x, BT_PROBLEM_BAD_REQUEST, members);
}

enum bt_status rest_respond_bad_parameter(struct serve_rest *rest, bt_str name)
{
    const struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    const bt_str text = bt_buf_str(&answer->body);
    bt_str message;
    BT_TRY(bt_arena_copy(x->arena, bt_str_slice(text, answer->reason_at, text.len), &message));
    return exchange_bad_parameter_with(x, name, message.ptr, answer->params);
}

static enum bt_status respond_refusal(struct serve_rest *rest)
{
    struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    if (!rest->is_shaped && !answer->is_replay) {
        BT_TRY(write_refusal(&rest->work, rest));
    }
    x->code = answer->code;
    if (answer->status == 503) {
        serve_call_add_header(x, "Retry-After", BT_STR("5"));
        x->has_retry = true;
    }
    bt_buf_put_char(&answer->body, '\n');
    swap_bodies(rest);
    return serve_call_set_body_type(x, answer->status, REST_PROBLEM);
}

/* Respond to a request that is invalid or could not be served. */
static enum bt_status respond_failure(struct serve_rest *rest)
{
    const struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    const enum bt_problem problem = answer->problem;
    x->is_pump_failure = answer->is_pump_failure;
    if (problem == BT_PROBLEM_SCOPE_MISSING) {
        bt_str members;
        BT_TRY(bt_arena_printf(x->arena, &members, "\"scope\":\"%.*s\"",
                               BT_STR_ARG(bt_str_slice(answer->pointer, 1, answer->pointer.len))));
        return serve_call_respond_problem_with(x, problem, members);
    }
    if (answer->findings) {
        return respond_refusal(rest);
    }
    if (problem == BT_PROBLEM_PARAMETER_INVALID) {
        /* in the query these names have no prefix */
        static const bt_str options = BT_STR_INIT("/options/");
        const size_t from = bt_str_starts_with(answer->pointer, options) ? options.len : 1;
        return rest_respond_bad_parameter(rest,
                                          bt_str_slice(answer->pointer, from, answer->pointer.len));
    }
    return problem || answer->kind == ANSWER_FAILED
               ? serve_call_respond_problem(x, problem ? problem : BT_PROBLEM_INTERNAL)
               : respond_bad_request(x, bt_buf_str(&answer->body));
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static enum bt_status respond_done(struct serve_rest *rest, const char *type)
{
    struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    const unsigned status = answer->status > 0 ? answer->status : 200;
    if (status >= 400) {
        return respond_refusal(rest); /* its own body is the problem */
    }
    if (status == 201) {
        bt_str location;
        BT_TRY(bt_arena_printf(x->arena, &location, "/v1/handoffs/%" PRIu64, answer->seq));
        serve_call_add_header(x, "Location", location);
        serve_call_set_seq(x, answer->seq);
    }
    if (!type) {
        bt_buf_put_char(&answer->body, '\n');
    }
    swap_bodies(rest);
    return serve_call_set_body_type(x, status, type ? type : "application/json");
}

static enum bt_status respond_result(struct serve_rest *rest)
{
    if (rest->answer.is_replay) {
        serve_call_add_header(rest->x, "Idempotency-Replayed", BT_STR("true"));
    }
    if ((rest->x->route->flags & ROUTE_RECORDS) && !rest->work.later) {
        serve_call_notify_commit(rest->x); /* otherwise the writer has reported it */
    }
    switch (rest->answer.kind) {
    case ANSWER_DONE:
        rest->is_shaped = true;
        return respond_done(rest, rest->type);
    case ANSWER_REFUSED:
        return respond_refusal(rest);
    case ANSWER_UNUSABLE:
    case ANSWER_FAILED:
        return respond_failure(rest);
    }
    return BT_EINTERNAL;
}

enum bt_status rest_end(struct serve_rest *rest, enum bt_status status)
{
    const bool is_cached = rest->cache && rest->answer.kind == ANSWER_DONE;
    status = status == BT_OK ? respond_result(rest) : status;
    bt_buf_free(&rest->answer.body);
    if (status != BT_OK || !is_cached) {
        return status;
    }
    serve_call_set_cache_control(rest->x, rest->cache);
    return serve_call_set_etag(rest->x);
}

enum bt_status rest_drop(struct serve_rest *rest)
{
    bt_buf_free(&rest->answer.body);
    return BT_OK;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

bool rest_refuse(struct serve_rest *rest, const char *name, const char *message)
{
    (void)serve_call_respond_bad_parameter(rest->x, bt_str_of(name), message);
    return false;
}

/* Check the values in the query against the row. False: the response is set. */
static bool check_query(struct serve_rest *rest, const struct bt_operation *row)
{
    struct serve_call *x = rest->x;
    for (size_t i = 0; i < x->query_count; i++) {
        const struct bt_operation_param *param =
            bt_operation_param_find(row, BT_IN_QUERY, x->query[i].name);
        const char *why =
            param && !param->is_unchecked ? bt_argument_check_text(param, x->query[i].value) : NULL;
        if (why) {
            (void)serve_call_respond_bad_parameter(x, param->name, why);
            return false;
        }
    }
    for (size_t i = 0; i < row->param_count; i++) {
        const struct bt_operation_param *param = &row->params[i];
        bt_str value;
        if ((param->places & BT_IN_QUERY) && param->is_required &&
            !exchange_query(x, param->name.ptr, &value)) {
            (void)serve_call_respond_bad_parameter(x, param->name, "it is missing");
            return false;
        }
    }
    return true;
}

/* Read the object in the body and check it against the row. False: the response is set. */
static bool check_body(struct serve_rest *rest, const struct bt_operation *row)
{
    struct serve_rest_object object;
    struct bt_argument_fault fault;
    if (!rest_object_read(rest, &object)) {
        return false;
    }
    rest->document = object.document;
    rest->object = object.root;
    if (!bt_arguments_check_object(row, rest->document, rest->object, &fault)) {
        (void)serve_call_respond_bad_parameter(rest->x, fault.name, fault.why);
        return false;
    }
    return true;
}

enum bt_status rest_handle(struct serve_call *x)
{
    const struct bt_operation *row = x->route->row;
    const struct http_response *response = x->answer;
    struct serve_rest rest;
    enum bt_status status = BT_OK;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (check_query(&rest, row) && (!bt_operation_takes_object(row) || check_body(&rest, row))) {
        status = x->route->handle(&rest);
    }
    const bool has_responded = response->status > 0 || response->retry_ms > 0;
    return status == BT_OK && has_responded ? rest_drop(&rest) : rest_end(&rest, status);
}

const bt_json_value *rest_value(const struct serve_rest *rest, const char *name)
{
    return rest->object ? bt_json_get(rest->document, rest->object, bt_str_of(name)) : NULL;
}

bt_str rest_source(const struct serve_rest *rest, const char *name)
{
    const bt_json_value *value = rest_value(rest, name);
    if (!value) {
        return BT_STR("");
    }
    const struct bt_json_span span = bt_json_span(rest->document, value);
    return bt_str_slice(bt_json_source(rest->document), span.begin, span.end);
}

bt_str rest_query(struct serve_call *x, const char *name)
{
    bt_str value = BT_STR("");
    return exchange_query(x, name, &value) ? value : BT_STR("");
}

bool rest_has(const struct serve_rest *rest, const char *name)
{
    bt_str value;
    return rest_value(rest, name) || exchange_query(rest->x, name, &value);
}

bt_str rest_text(const struct serve_rest *rest, const char *name)
{
    const bt_json_value *value = rest_value(rest, name);
    return value ? bt_json_text(value) : rest_query(rest->x, name);
}

uint64_t rest_number(const struct serve_rest *rest, const char *name, uint64_t otherwise)
{
    const bt_json_value *value = rest_value(rest, name);
    const bt_str text =
        value ? bt_json_number_text(rest->document, value) : rest_query(rest->x, name);
    uint64_t number = 0;
    return bt_str_to_u64(text, &number) == BT_OK ? number : otherwise;
}

bool rest_switch(const struct serve_rest *rest, const char *name)
{
    bool is_on = false;
    return bt_argument_read_bool(rest_query(rest->x, name), &is_on) && is_on;
}

static bool read_instant(const struct serve_rest *rest, const char *name, bt_instant *out)
{
    return bt_instant_parse(rest_query(rest->x, name), out) == BT_OK;
}

void rest_filter(const struct serve_rest *rest, struct bt_handoff_filter *out)
{
    *out =
        (struct bt_handoff_filter){.dialect = rest_text(rest, "dialect"),
                                   .verdict = rest_text(rest, "verdict"),
                                   .kind = rest_text(rest, "kind"),
                                   .handoff_id = rest_text(rest, "handoff_id"),
                                   .trace_id = rest_text(rest, "trace_id"),
                                   .source = rest_text(rest, "source"),
                                   .target = rest_text(rest, "target"),
                                   .code = rest_text(rest, "code"),
                                   .has_after = rest_has(rest, "after"),
                                   .after = rest_number(rest, "after", 0),
                                   .limit = rest_number(rest, "limit", 50),
                                   .is_rising = bt_str_eq(rest_text(rest, "order"), BT_STR("asc"))};
    out->has_since = read_instant(rest, "since", &out->since);
    out->has_until = read_instant(rest, "until", &out->until);
}
