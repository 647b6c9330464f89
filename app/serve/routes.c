/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the joined tables of all routes, and the search for the route of a request. */
#include <assert.h>
#include <string.h>

#include "serve/rest.h"
#include "serve/server.h"

/* clang-format off */
static const struct serve_route *const tables[] = {
    health_routes,
    judge_routes,
    lookup_routes,
    stream_routes, /* must come before {id} */
    handoff_routes,
    inbox_routes,
    govern_routes,
    contract_routes,
    approval_routes,
    trace_routes,
    ledger_routes,
    hook_routes,
    admin_routes,
    pump_routes,
    openapi_routes,
    mcp_routes,
    a2a_routes,
    console_routes,
};
/* clang-format on */

enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

const struct serve_route *route_at(size_t index)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct serve_route *route = tables[i]; route->path; route++) {
            if (index == 0) {
                return route;
            }
            index--;
        }
    }
    return NULL;
}

/*
 * Compare one segment with its pattern: plain text, or {name} and optional text after it. The
 * parameter is not decoded yet.
 */
static bool fits_segment(bt_str pattern, bt_str segment, bt_str *param, bool *is_param)
{
    *is_param = pattern.len > 0 && pattern.ptr[0] == '{';
    if (!*is_param) {
        return bt_str_eq(pattern, segment);
    }
    const size_t end = bt_str_find_byte(pattern, '}', 0);
    const bt_str after = bt_str_slice(pattern, end + 1, pattern.len);
    *param = bt_str_slice(segment, 0, segment.len - after.len);
    return segment.len > after.len && bt_str_ends_with(segment, after);
}

/* True when the path of a route matches that of a request; parameters are not decoded yet. */
static bool match_path(const char *row_path, bt_str path, bt_str params[ROUTE_PARAMS_MAX])
{
    const bt_str pattern = bt_str_of(row_path);
    size_t at = 1;
    size_t from = 1;
    size_t count = 0;
    while (at <= pattern.len && from <= path.len) {
        const size_t pattern_end = bt_str_find_byte(pattern, '/', at);
        const size_t end = bt_str_find_byte(path, '/', from);
        const bt_str part = bt_str_slice(pattern, at, pattern_end);
        bt_str param = BT_STR("");
        bool is_param = false;
        if (bt_str_ends_with(part, BT_STR("...}"))) {
            params[count] = bt_str_slice(path, from, path.len);
            return true;
        }
        if (!fits_segment(part, bt_str_slice(path, from, end), &param, &is_param)) {
            return false;
        }
        if (is_param) {
            assert(count < ROUTE_PARAMS_MAX);
            params[count++] = param;
        }
        at = pattern_end + 1;
        from = end + 1;
    }
    return at > pattern.len && from > path.len;
}

static bool has_method(const struct serve_route *route, enum http_method method)
{
    return route->method == method || (route->method == HTTP_GET && method == HTTP_HEAD);
}

static enum bt_status decode_params(struct bt_arena *arena, bt_str params[ROUTE_PARAMS_MAX])
{
    for (size_t i = 0; i < ROUTE_PARAMS_MAX; i++) {
        BT_TRY(http_decode(arena, params[i], false, &params[i]));
    }
    return BT_OK;
}

void serve_routes_build(struct serve_route_table *out)
{
    *out = (struct serve_route_table){0};
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct serve_route *route = tables[i]; route->path; route++) {
            size_t first = 0;
            while (first < out->count &&
                   !bt_str_eq(bt_str_of(out->rows[first]->path), bt_str_of(route->path))) {
                first++;
            }
            assert(out->count < ROUTES_MAX);
            out->first[out->count] = first;
            out->plain[out->count] = strcspn(route->path, "{");
            out->rows[out->count++] = route;
        }
    }
}

/* Compare the part before the first parameter, which excludes most routes. */
static bool has_route_prefix(const struct serve_route_table *table, size_t row, bt_str path)
{
    return bt_str_starts_with(path, (bt_str){table->rows[row]->path, table->plain[row]});
}

enum serve_route_match serve_route_find(const struct serve_route_table *table, struct serve_call *x)
{
    enum serve_route_match found = ROUTE_UNKNOWN;
    x->route_index = SIZE_MAX;
    for (size_t i = 0; i < table->count; i++) {
        const struct serve_route *route = table->rows[i];
        bt_str raw[ROUTE_PARAMS_MAX] = {BT_STR_INIT(""), BT_STR_INIT("")};
        if (!has_route_prefix(table, i, x->request->raw_path) ||
            !match_path(route->path, x->request->raw_path, raw) ||
            (route->key && !bt_config_bool(x->config, route->key))) {
            continue;
        }
        found = ROUTE_OTHER_METHOD;
        x->route_index = table->first[i];
        if (has_method(route, x->request->method) && decode_params(x->arena, raw) == BT_OK) {
            x->route = route;
            x->params[0] = raw[0];
            x->params[1] = raw[1];
            return ROUTE_FOUND;
        }
    }
    return found;
}

bool serve_list_has_word(const char *list, bt_str word)
{
    const bt_str words = bt_str_of(list);
    for (size_t from = 0; from < words.len;) {
        const size_t end = bt_str_find_byte(words, ' ', from);
        if (bt_str_eq(bt_str_slice(words, from, end), word)) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

void serve_route_put_methods(const struct serve_route_table *table,
                             const struct http_request *request, struct bt_buf *buf)
{
    bt_str params[ROUTE_PARAMS_MAX];
    for (enum http_method method = HTTP_GET; method <= HTTP_OPTIONS; method++) {
        bool is_known = false;
        for (size_t i = 0; i < table->count && !is_known; i++) {
            is_known = has_method(table->rows[i], method) &&
                       match_path(table->rows[i]->path, request->raw_path, params);
        }
        if (is_known) {
            bt_buf_put_text(buf, buf->len > 0 ? ", " : "");
            bt_buf_put(buf, http_method_name(method));
        }
    }
}
