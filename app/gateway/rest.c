/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest.c - from a request to an operation, and from its answer to HTTP.
 */
#include "gateway/rest.h"

#include <inttypes.h>

#include "gateway/gateway.h"

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

/* Take the key of a request that records. False after an answer. */
static bool take_key(struct rest *rest)
{
    struct exchange *x = rest->x;
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
    rest->key = (struct work_key){.path = request->path, .key = key};
    rest->work.key = &rest->key;
    if (bt_arena_printf(x->arena, &rest->key.request, "%.*s\n%.*s\n%.*s",
                        BT_STR_ARG(request->query), BT_STR_ARG(exchange_media_type(x)),
                        BT_STR_ARG(request->body)) != BT_OK) {
        (void)exchange_problem(x, "OVERLOADED");
        return false;
    }
    return true;
}

static enum bt_status shape(struct work *work, void *door);

/* Operations write where the answer is sent from, so that it need not be copied. Between
 * rest_begin() and the answer the exchange has none of its own. */
static void swap_bodies(struct rest *rest)
{
    struct bt_buf *own = &rest->x->answer->body;
    const struct bt_buf lent = *own;
    *own = rest->answer.body;
    rest->answer.body = lent;
}

bool rest_begin(struct rest *rest, struct exchange *x)
{
    *rest = (struct rest){.x = x};
    rest->work = exchange_work(x, &rest->answer);
    swap_bodies(rest);
    bt_buf_clear(&rest->answer.body);
    rest->work.shape = shape;
    rest->work.door = rest;
    rest->work.traceparent = bt_str_of(x->trace.text);
    if (!take_key(rest)) {
        bt_buf_free(&rest->answer.body);
        return false;
    }
    return true;
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* The sentence that belongs to a code: of a problem, or of the rule that the finding broke, since
 * dialects mean different things by one code. */
static bt_str title_of(const struct answer *answer)
{
    const struct problem *problem = problem_named(answer->code);
    for (size_t i = 0; !problem && i < bt_findings_count(answer->findings); i++) {
        const struct bt_rule *rule = bt_findings_at(answer->findings, i)->rule;
        if (bt_str_eq(rule->code, answer->code)) {
            return rule->meaning;
        }
    }
    return problem ? bt_str_of(problem->title) : answer->code;
}

static bt_str detail_of(bt_str code)
{
    const struct problem *problem = problem_named(code);
    return problem ? bt_str_of(problem->detail)
                   : BT_STR("The request was judged and refused; the findings say why.");
}

/* Put a problem about something that was judged and refused. */
static void put_problem(struct rest *rest, struct bt_buf *buf)
{
    const struct answer *answer = &rest->answer;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_name(&emit, "type");
    bt_emit_raw(&emit, BT_STR("\"/problems/"));
    bt_buf_put(buf, answer->code); /* needs no escapes */
    bt_buf_put_char(buf, '"');
    bt_emit_member_string(&emit, "title", title_of(answer));
    bt_emit_member_u64(&emit, "status", answer->status);
    bt_emit_member_string(&emit, "detail", detail_of(answer->code));
    bt_emit_name(&emit, "instance");
    bt_emit_raw(&emit, BT_STR("\"urn:baton:request:"));
    bt_buf_put_text(buf, rest->x->request_id);
    bt_buf_put_char(buf, '"');
    bt_emit_member_string(&emit, "code", answer->code);
    bt_emit_name(&emit, "findings");
    bt_emit_array(&emit);
    bt_emit_findings(&emit, answer->findings);
    bt_emit_end(&emit);
    if (answer->record.len > 0) {
        bt_emit_name(&emit, "record");
        bt_emit_raw(&emit, answer->record);
    }
    if (answer->status == 503) {
        bt_emit_member_string(&emit, "outcome", BT_STR("none"));
    }
    bt_emit_end(&emit);
}

static enum bt_status shape(struct work *work, void *door)
{
    struct rest *rest = door;
    struct bt_buf buf;
    if (!work->answer->findings) {
        return BT_OK;
    }
    bt_buf_init(&buf, PROBLEM_BYTES_MAX);
    put_problem(rest, &buf);
    bt_buf_clear(&work->answer->body);
    bt_buf_put(&work->answer->body, bt_buf_str(&buf));
    const enum bt_status status = buf.status;
    bt_buf_free(&buf);
    rest->is_shaped = true;
    return status == BT_OK ? work->answer->body.status : status;
}

/* 400 with a finding that says what to change, where that is no single parameter. */
static enum bt_status tell_reason(struct exchange *x, bt_str reason)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str members;
    bt_buf_init(&buf, 1 << 16);
    bt_buf_put_text(&buf, "\"findings\":[");
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "code", BT_STR("BAD_REQUEST"));
    bt_emit_member_string(&emit, "severity", BT_STR("HARD"));
    bt_emit_member_string(&emit, "stage", BT_STR("read"));
    bt_emit_member_string(&emit, "pointer", BT_STR(""));
    bt_emit_member_string(&emit, "message", reason);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, ']');
    const enum bt_status status = bt_buf_keep(&buf, x->arena, &members);
    bt_buf_free(&buf);
    BT_TRY(status);
    return exchange_problem_with(x, "BAD_REQUEST", members);
}

enum bt_status rest_tell_parameter(struct rest *rest, bt_str name)
{
    const struct answer *answer = &rest->answer;
    struct exchange *x = rest->x;
    const bt_str text = bt_buf_str(&answer->body);
    const size_t colon = bt_str_find(text, ':', 0);
    bt_str message;
    BT_TRY(bt_arena_copy(x->arena, bt_str_slice(text, colon + 2, text.len), &message));
    return exchange_bad_parameter_with(x, name, message.ptr, answer->params);
}

static enum bt_status tell_refusal(struct rest *rest)
{
    struct answer *answer = &rest->answer;
    struct exchange *x = rest->x;
    if (!rest->is_shaped && !answer->is_repeated) {
        BT_TRY(shape(&rest->work, rest));
    }
    x->code = answer->code;
    if (answer->status == 503) {
        exchange_field(x, "Retry-After", BT_STR("5"));
        x->has_retry = true;
    }
    bt_buf_put_char(&answer->body, '\n');
    swap_bodies(rest);
    return exchange_made(x, answer->status, REST_PROBLEM);
}

/* A request that cannot be used, or that we could not serve. */
static enum bt_status tell_trouble(struct rest *rest)
{
    const struct answer *answer = &rest->answer;
    struct exchange *x = rest->x;
    const struct problem *problem = problem_named(answer->code);
    x->is_elsewhere = answer->is_elsewhere;
    if (problem && bt_str_eq(answer->code, BT_STR("SCOPE_MISSING"))) {
        bt_str members;
        BT_TRY(bt_arena_printf(x->arena, &members, "\"scope\":\"%.*s\"",
                               BT_STR_ARG(bt_str_slice(answer->pointer, 1, answer->pointer.len))));
        return exchange_problem_with(x, problem->code, members);
    }
    if (answer->findings) {
        return tell_refusal(rest);
    }
    if (problem && bt_str_eq(answer->code, BT_STR("PARAMETER_INVALID"))) {
        static const bt_str options = BT_STR_INIT("/options/"); /* which the query has at its top */
        const size_t from = bt_str_starts(answer->pointer, options) ? options.len : 1;
        return rest_tell_parameter(rest, bt_str_slice(answer->pointer, from, answer->pointer.len));
    }
    return problem || answer->kind == ANSWER_FAILED
               ? exchange_problem(x, problem ? problem->code : "INTERNAL")
               : tell_reason(x, bt_buf_str(&answer->body));
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static enum bt_status tell_done(struct rest *rest, const char *type)
{
    struct answer *answer = &rest->answer;
    struct exchange *x = rest->x;
    const unsigned status = answer->status > 0 ? answer->status : 200;
    if (status >= 400) {
        return tell_refusal(rest); /* its own body is the problem */
    }
    if (status == 201) {
        bt_str location;
        BT_TRY(bt_arena_printf(x->arena, &location, "/v1/handoffs/%" PRIu64, answer->seq));
        exchange_field(x, "Location", location);
        exchange_recorded(x, answer->seq);
    }
    if (!type) {
        bt_buf_put_char(&answer->body, '\n');
    }
    swap_bodies(rest);
    return exchange_made(x, status, type ? type : "application/json");
}

static enum bt_status tell(struct rest *rest, const char *type)
{
    if (rest->answer.is_repeated) {
        exchange_field(rest->x, "Idempotency-Replayed", BT_STR("true"));
    }
    if ((rest->x->route->flags & ROUTE_RECORDS) && !rest->work.later) {
        exchange_committed(rest->x); /* else the writer has said so, for all that it recorded */
    }
    switch (rest->answer.kind) {
    case ANSWER_DONE:
        rest->is_shaped = true;
        return tell_done(rest, type);
    case ANSWER_REFUSED:
        return tell_refusal(rest);
    case ANSWER_UNUSABLE:
    case ANSWER_FAILED:
        return tell_trouble(rest);
    }
    return BT_EFAULTY;
}

enum bt_status rest_end_as(struct rest *rest, enum bt_status status, const char *type)
{
    const enum bt_status told = status == BT_OK ? tell(rest, type) : status;
    bt_buf_free(&rest->answer.body);
    return told;
}

enum bt_status rest_drop(struct rest *rest)
{
    bt_buf_free(&rest->answer.body);
    return BT_OK;
}

enum bt_status rest_end(struct rest *rest, enum bt_status status)
{
    return rest_end_as(rest, status, NULL);
}

enum bt_status rest_end_cached(struct rest *rest, enum bt_status status, const char *type,
                               const char *cache)
{
    const bool is_done = status == BT_OK && rest->answer.kind == ANSWER_DONE;
    BT_TRY(rest_end_as(rest, status, type));
    if (!is_done) {
        return BT_OK;
    }
    exchange_cache(rest->x, cache);
    return exchange_etag(rest->x);
}

/* ---- The query ------------------------------------------------------------------------------- */

bool rest_refuse(struct rest *rest, const char *name, const char *message)
{
    (void)exchange_bad_parameter(rest->x, bt_str_of(name), message);
    return false;
}

bt_str rest_query(struct exchange *x, const char *name)
{
    bt_str value = BT_STR("");
    return exchange_query(x, name, &value) ? value : BT_STR("");
}

bool rest_query_number(struct rest *rest, const char *name, const uint64_t bounds[2], uint64_t *out)
{
    bt_str value;
    uint64_t number = 0;
    if (!exchange_query(rest->x, name, &value)) {
        return true;
    }
    if (bt_str_to_u64(value, &number) != BT_OK || number < bounds[0] || number > bounds[1]) {
        return rest_refuse(rest, name, "it is no whole number within its bounds");
    }
    *out = number;
    return true;
}

bool rest_query_switch(struct rest *rest, const char *name, bool *out)
{
    bt_str value;
    if (!exchange_query(rest->x, name, &value)) {
        return true;
    }
    const bool is_on = bt_str_eq(value, BT_STR("1")) || bt_str_eq(value, BT_STR("true"));
    if (!is_on && !bt_str_eq(value, BT_STR("0")) && !bt_str_eq(value, BT_STR("false"))) {
        return rest_refuse(rest, name, "it is 1 or 0");
    }
    *out = is_on;
    return true;
}

bool rest_query_word(struct rest *rest, const char *name, bool (*is_right)(bt_str text),
                     bt_str *out)
{
    *out = BT_STR("");
    return !exchange_query(rest->x, name, out) || (out->len > 0 && (!is_right || is_right(*out))) ||
           rest_refuse(rest, name, "there is no such value");
}

static bool take_instant(struct rest *rest, const char *name, bool *out_has, bt_instant *out)
{
    bt_str text;
    *out_has = exchange_query(rest->x, name, &text);
    return !*out_has || bt_instant_parse(text, out) == BT_OK ||
           rest_refuse(rest, name, "it is no time such as 2026-02-11T00:45:02Z");
}

static bool is_order(bt_str text)
{
    return bt_str_eq(text, BT_STR("asc")) || bt_str_eq(text, BT_STR("desc"));
}

bool rest_filter(struct rest *rest, struct handoff_filter *out)
{
    static const uint64_t limits[2] = {1, 500};
    static const uint64_t seqs[2] = {0, INT64_MAX};
    bt_str text;
    *out = (struct handoff_filter){.limit = 50};
    out->has_after = exchange_query(rest->x, "after", &text);
    const bool is_right =
        rest_query_word(rest, "dialect", bt_entry_dialect_is_valid, &out->dialect) &&
        rest_query_word(rest, "verdict", bt_entry_verdict_is_valid, &out->verdict) &&
        rest_query_word(rest, "kind", bt_entry_kind_is_valid, &out->kind) &&
        rest_query_word(rest, "handoff_id", NULL, &out->handoff_id) &&
        rest_query_word(rest, "trace_id", NULL, &out->trace_id) &&
        rest_query_word(rest, "source", NULL, &out->source) &&
        rest_query_word(rest, "target", NULL, &out->target) &&
        rest_query_word(rest, "code", NULL, &out->code) &&
        rest_query_word(rest, "order", is_order, &text) &&
        take_instant(rest, "since", &out->has_since, &out->since) &&
        take_instant(rest, "until", &out->has_until, &out->until) &&
        rest_query_number(rest, "after", seqs, &out->after) &&
        rest_query_number(rest, "limit", limits, &out->limit);
    out->is_rising = is_right && bt_str_eq(text, BT_STR("asc"));
    return is_right;
}
