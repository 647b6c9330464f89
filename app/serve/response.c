/* SPDX-License-Identifier: Apache-2.0 */
/* response.c - what handlers read from a request, and how they respond. */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "http/chars.h"
#include "serve/server.h"

enum {
    ANSWER_BYTES_MAX = 1 << 30,
    PARAMETER_BYTES_MAX = 64 << 10,
    ETAG_DIGITS = 32,
    WEIGHT_MAX = 1000
};

/* ---- Questions ------------------------------------------------------------------------------- */

bt_str serve_field(const struct http_request *request, const char *name, size_t *out_count)
{
    const bt_str wanted = bt_str_of(name);
    bt_str value = BT_STR("");
    size_t count = 0;
    for (size_t i = 0; i < request->field_count; i++) {
        if (bt_str_eq(request->fields[i].name, wanted)) {
            value = count++ == 0 ? request->fields[i].value : value;
        }
    }
    if (out_count) {
        *out_count = count;
    }
    return value;
}

enum bt_status exchange_query_items(struct serve_call *x, const struct serve_query_item **out,
                                    size_t *out_count)
{
    const bt_str query = x->request->query;
    size_t count = 0;
    size_t room = query.len > 0 ? 1 : 0;
    if (x->target.query.items) {
        *out = x->target.query.items;
        *out_count = x->target.query.count;
        return BT_OK;
    }
    for (size_t i = 0; i < query.len; i++) {
        room += query.ptr[i] == '&' ? 1 : 0;
    }
    struct serve_query_item *items = BT_NEW_ARRAY(x->arena, struct serve_query_item, room + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t from = 0; from < query.len;) {
        const size_t end = bt_str_find_byte(query, '&', from);
        const bt_str part = bt_str_slice(query, from, end);
        const size_t sign = bt_str_find_byte(part, '=', 0);
        if (part.len > 0) {
            struct serve_query_item *item = &items[count++];
            BT_TRY(http_decode(x->arena, bt_str_slice(part, 0, sign), true, &item->name));
            BT_TRY(
                http_decode(x->arena, bt_str_slice(part, sign + 1, part.len), true, &item->value));
        }
        from = end + 1;
    }
    x->target.query.items = items;
    x->target.query.count = count;
    *out = items;
    *out_count = count;
    return BT_OK;
}

bool exchange_query(struct serve_call *x, const char *name, bt_str *out)
{
    const struct serve_query_item *items = NULL;
    size_t count = 0;
    if (exchange_query_items(x, &items, &count) != BT_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(items[i].name, bt_str_of(name))) {
            *out = items[i].value;
            return true;
        }
    }
    return false;
}

bt_str exchange_media_type(const struct serve_call *x)
{
    const bt_str field = serve_field(x->request, "content-type", NULL);
    const bt_str type =
        bt_ascii_trim(bt_str_slice(field, 0, bt_str_find_byte(field, ';', 0)), bt_ascii_is_blank);
    char *small = bt_arena_alloc(x->arena, type.len + 1);
    for (size_t i = 0; small && i < type.len; i++) {
        small[i] = bt_ascii_lower(type.ptr[i]);
    }
    return small ? (bt_str){small, type.len} : BT_STR("");
}

/* The value of `q=` in thousandths; 1000 when it is absent or malformed. */
unsigned serve_weight_of(bt_str parameters)
{
    for (size_t from = 0; from < parameters.len;) {
        const size_t end = bt_str_find_byte(parameters, ';', from);
        const bt_str part = bt_ascii_trim(bt_str_slice(parameters, from, end), bt_ascii_is_blank);
        if (part.len > 2 && bt_ascii_lower(part.ptr[0]) == 'q' && part.ptr[1] == '=' &&
            part.ptr[2] == '0') {
            unsigned weight = 0;
            for (size_t i = 4; i < 7; i++) {
                const bool is_digit = i < part.len && part.ptr[i] >= '0' && part.ptr[i] <= '9';
                weight = weight * 10 + (is_digit ? (unsigned)(part.ptr[i] - '0') : 0);
            }
            return weight;
        }
        from = end + 1;
    }
    return WEIGHT_MAX;
}

/* How closely a range matches a type: 0 not at all, 1 any type, 2 its main type, 3 exactly. */
static unsigned get_range_specificity(bt_str range, bt_str type)
{
    const size_t slash = bt_str_find_byte(type, '/', 0);
    if (bt_str_eq(range, BT_STR("*/*"))) {
        return 1;
    }
    if (bt_str_ends_with(range, BT_STR("/*")) && range.len == slash + 2 &&
        bt_ascii_equal_nocase(bt_str_slice(range, 0, slash), bt_str_slice(type, 0, slash))) {
        return 2;
    }
    return bt_ascii_equal_nocase(range, type) ? 3 : 0;
}

unsigned serve_call_accept_weight(const struct serve_call *x, const char *type)
{
    const struct http_request *request = x->request;
    const bt_str wanted = bt_str_of(type);
    unsigned best = 0;
    unsigned weight = 0;
    bool is_given = false;
    for (size_t i = 0; i < request->field_count; i++) {
        const bt_str value = request->fields[i].value;
        if (!bt_str_eq(request->fields[i].name, BT_STR("accept"))) {
            continue;
        }
        for (size_t from = 0; from < value.len;) {
            const size_t end = bt_str_find_byte(value, ',', from);
            const bt_str part = bt_str_slice(value, from, end);
            const size_t mark = bt_str_find_byte(part, ';', 0);
            const unsigned close = get_range_specificity(
                bt_ascii_trim(bt_str_slice(part, 0, mark), bt_ascii_is_blank), wanted);
            is_given = true;
            if (close > best) {
                best = close;
                weight = serve_weight_of(bt_str_slice(part, mark + 1, part.len));
            }
            from = end + 1;
        }
    }
    return is_given ? weight : WEIGHT_MAX;
}

bool exchange_accepts(const struct serve_call *x, const char *type)
{
    return serve_call_accept_weight(x, type) > 0;
}

bool serve_call_has_scope(const struct serve_call *x, unsigned scope)
{
    return x->identity.principal && bt_scopes_hold(x->identity.principal->scopes, scope);
}

struct bt_call serve_call_begin_operation(struct serve_call *x, struct bt_result *answer)
{
    *answer = (struct bt_result){0};
    bt_buf_init(&answer->body, ANSWER_BYTES_MAX);
    return (struct bt_call){.service = x->service,
                            .caller = &x->identity.caller,
                            .arena = x->arena,
                            .answer = answer,
                            .events = &x->events};
}

struct bt_call_completion serve_call_completion(struct serve_call *x)
{
    return (struct bt_call_completion){
        .notify = http_call_resume, .context = x->call, .may_wait = x->call->lane == HTTP_SLOW};
}

void serve_call_suspend(struct serve_call *x, const struct bt_call_completion *later, void *parked)
{
    x->suspended = parked;
    x->call->resume_by_ms = later->deadline_ms;
}

void exchange_hold(struct serve_call *x, void (*release)(void *held), void *held)
{
    assert(!x->hold.release);
    x->hold.release = release;
    x->hold.held = held;
}

void exchange_release(struct serve_call *x)
{
    if (x->hold.release) {
        x->hold.release(x->hold.held);
        x->hold.release = NULL;
        x->hold.held = NULL;
    }
}

/* ---- Answering ------------------------------------------------------------------------------- */

void serve_call_add_header(struct serve_call *x, const char *name, bt_str value)
{
    http_answer_field(x->answer, name, value);
}

void serve_call_set_cache_control(struct serve_call *x, const char *control)
{
    x->outcome.cache = control;
}

enum bt_status serve_call_set_body_type(struct serve_call *x, unsigned status, const char *type)
{
    x->answer->status = status;
    serve_call_add_header(x, "Content-Type", bt_str_of(type));
    return x->answer->body.status;
}

enum bt_status serve_call_respond_body(struct serve_call *x, unsigned status, const char *type,
                                       bt_str body)
{
    bt_buf_clear(&x->answer->body);
    bt_buf_put(&x->answer->body, body);
    return serve_call_set_body_type(x, status, type);
}

enum bt_status serve_call_respond_json(struct serve_call *x, unsigned status, bt_str json)
{
    BT_TRY(serve_call_respond_body(x, status, "application/json", json));
    bt_buf_put_char(&x->answer->body, '\n');
    return x->answer->body.status;
}

/* True when If-None-Match has the tag or *. */
static bool is_known(const struct serve_call *x, bt_str tag)
{
    const bt_str list = serve_field(x->request, "if-none-match", NULL);
    for (size_t from = 0; from < list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        bt_str item = bt_ascii_trim(bt_str_slice(list, from, end), bt_ascii_is_blank);
        item = bt_str_starts_with(item, BT_STR("W/")) ? bt_str_slice(item, 2, item.len) : item;
        if (bt_str_eq(item, tag) || bt_str_eq(item, BT_STR("*"))) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

enum bt_status serve_call_set_etag(struct serve_call *x)
{
    struct http_response *answer = x->answer;
    char digest[BT_SHA256_HEX_BYTES];
    bt_str tag;
    const bt_str body =
        answer->static_body.len > 0 ? answer->static_body : bt_buf_str(&answer->body);
    BT_TRY(bt_sha256_hex(body, digest));
    BT_TRY(bt_arena_printf(x->arena, &tag, "\"%.*s\"", ETAG_DIGITS, digest));
    serve_call_add_header(x, "ETag", tag);
    if (answer->status == BT_HTTP_OK && is_known(x, tag)) {
        answer->status = BT_HTTP_NOT_MODIFIED;
        answer->static_body = BT_STR("");
        bt_buf_clear(&answer->body);
    }
    return BT_OK;
}

void serve_call_set_seq(struct serve_call *x, uint64_t seq)
{
    x->outcome.has_seq = true;
    x->outcome.seq = seq;
}

void serve_call_count_metric(struct serve_call *x, enum serve_metric metric, const char *first,
                             const char *second, const char *third)
{
    const bt_str labels[METRIC_LABELS_MAX] = {bt_str_of(first), bt_str_of(second),
                                              bt_str_of(third)};
    metrics_count(x->gateway->observers.metrics, metric, labels);
}

void serve_call_notify_commit(struct serve_call *x)
{
    http_server_wake(x->gateway->server);
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* Clients of these paths read CBOR. */
static bool is_scitt_path(bt_str path)
{
    static const bt_str roots[] = {BT_STR_INIT("/entries"), BT_STR_INIT("/.well-known/scitt-keys")};
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        if (bt_str_eq(path, roots[i]) ||
            (bt_str_starts_with(path, roots[i]) && path.ptr[roots[i].len] == '/')) {
            return true;
        }
    }
    return false;
}

enum bt_status serve_call_respond_problem_with(struct serve_call *x, enum bt_problem problem,
                                               bt_str members)
{
    const struct bt_problem_row *row = &bt_problems[problem];
    struct http_response *answer = x->answer;
    assert(problem);
    bt_buf_clear(&answer->body);
    answer->static_body = BT_STR("");
    answer->stream = NULL;
    answer->retry_ms = 0;
    answer->status = row->status;
    x->outcome.problem = problem;
    x->outcome.code = row->code;
    x->outcome.cache = NULL;
    if (row->status == BT_HTTP_UNAVAILABLE && !x->outcome.has_retry) {
        serve_call_add_header(x, "Retry-After", BT_STR("1"));
    }
    if (is_scitt_path(x->target.path)) {
        serve_call_add_header(x, "Content-Type",
                              BT_STR("application/concise-problem-details+cbor"));
        bt_problem_put_concise(&answer->body, problem, x->outcome.detail);
        return answer->body.status;
    }
    serve_call_add_header(x, "Content-Type", BT_STR("application/problem+json"));
    bt_problem_put_row(&answer->body, problem, x->request_id, members);
    bt_buf_put_char(&answer->body, '\n');
    return answer->body.status;
}

enum bt_status serve_call_respond_problem(struct serve_call *x, enum bt_problem problem)
{
    return serve_call_respond_problem_with(x, problem, BT_STR(""));
}

enum bt_status serve_call_respond_bad_parameter(struct serve_call *x, bt_str name,
                                                const char *message)
{
    struct bt_buf buf;
    bt_str pointer;
    bt_str members;
    BT_TRY(bt_arena_printf(x->arena, &pointer, "/%.*s", BT_STR_ARG(bt_str_slice(name, 0, 200))));
    bt_buf_init(&buf, PARAMETER_BYTES_MAX);
    bt_problem_put_finding(&buf, BT_PROBLEM_PARAMETER_INVALID, pointer, bt_str_of(message),
                           BT_STR(""));
    BT_TRY(bt_buf_finish(&buf, x->arena, &members));
    return serve_call_respond_problem_with(x, BT_PROBLEM_PARAMETER_INVALID, members);
}
