/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the routes of operations and of the server, and the search for that of a request. */
#include <assert.h>
#include <string.h>

#include "serve/rest.h"
#include "serve/server.h"

/* Paths of the server itself, before and after those of the operations. */
static const struct serve_route *const first_tables[] = {health_routes};
static const struct serve_route *const last_tables[] = {openapi_routes, mcp_routes, wrap_routes,
                                                        a2a_routes, console_routes};

/* What a row does not say about a route. */
struct serve_route_extra {
    enum bt_operation_id id;
    unsigned flags; /* of enum serve_route_flag */
    route_fn *run;  /* NULL: the function of the row */
};

static struct serve_route_extra find_extra(enum bt_operation_id id)
{
    static const struct serve_route_extra rows[] = {
        {BT_OPERATION_HANDOFF_SUBMIT, ROUTE_LATER, NULL},
        {BT_OPERATION_HANDOFF_STREAM, 0, rest_stream_entries},
        {BT_OPERATION_LEDGER_CHECKPOINT, ROUTE_PUBLIC_LEDGER | ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_TILE, ROUTE_PUBLIC_LEDGER | ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_GET, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_PROVE_CONSISTENCY, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_ADD_COSIGNATURES, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_LIST_KEYS, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_SCITT_REGISTER,
         ROUTE_OF_STATEMENTS | ROUTE_STATEMENTS_ALONE | ROUTE_OWN_ERRORS, rest_register_statement},
        {BT_OPERATION_LEDGER_SCITT_RECEIPT, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_SCITT_KEYS, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_LEDGER_SCITT_KEY, ROUTE_OF_STATEMENTS, NULL},
        {BT_OPERATION_WITNESS_COSIGN, ROUTE_ANY_ACCEPT, NULL},
        {BT_OPERATION_WITNESS_SHOW, ROUTE_ANY_ACCEPT, NULL},
        {BT_OPERATION_HOOK_RUN, 0, rest_run_hook},
        {BT_OPERATION_SERVER_RELOAD, 0, rest_reload},
        {BT_OPERATION_SERVER_NEW_LOG, 0, rest_new_log},
        {BT_OPERATION_SERVER_LIST_LOGS, 0, rest_list_logs},
        {BT_OPERATION_PUMP_EVENTS, 0, rest_stream_pump},
        {BT_OPERATION_WRAP_LIST, 0, rest_list_wrapped},
        {BT_OPERATION_WRAP_DIFF, 0, rest_wrap_diff},
        {BT_OPERATION_WRAP_STATS, 0, rest_wrap_stats},
        {BT_OPERATION_WRAP_LIST_CALLS, 0, rest_list_calls},
        {BT_OPERATION_WRAP_GET_CALL, 0, rest_get_call},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].id == id) {
            return rows[i];
        }
    }
    return (struct serve_route_extra){.id = id};
}

static bool has_repeated_query(const struct bt_operation *row)
{
    for (size_t i = 0; i < row->param_count; i++) {
        if ((row->params[i].places & BT_IN_QUERY) && row->params[i].is_repeated) {
            return true;
        }
    }
    return false;
}

/* What a row says to those who admit and run requests. */
static unsigned flags_of_row(const struct bt_operation *row)
{
    static const struct {
        enum bt_operation_effect effect;
        enum serve_route_flag flag;
    } rows[] = {{BT_EFFECT_READS_STORE, ROUTE_STORE},
                {BT_EFFECT_RECORDS, ROUTE_RECORDS},
                {BT_EFFECT_DELIVERS, ROUTE_SUBMITS},
                {BT_EFFECT_STREAMS, ROUTE_STREAM},
                {BT_EFFECT_MAY_READ_STORE, ROUTE_MAY_STORE},
                {BT_EFFECT_WAITS, ROUTE_WAITS},
                {BT_EFFECT_BRIEF, ROUTE_BRIEF}};
    unsigned flags = row->scopes == 0 ? ROUTE_PUBLIC : 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        flags |= row->effects & rows[i].effect ? rows[i].flag : 0;
    }
    return flags | (has_repeated_query(row) ? ROUTE_ANY_QUERY : 0);
}

/* What the pump, wrapped servers and the server itself do belongs to no other log. */
static bool is_of_log(const struct bt_operation *row)
{
    static const bt_str others[] = {BT_STR_INIT("/v1/pump/"), BT_STR_INIT("/v1/wrap"),
                                    BT_STR_INIT("/v1/admin/logs")};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (bt_str_starts_with(bt_str_of(row->rest.path), others[i])) {
            return false;
        }
    }
    return true;
}

static struct serve_route route_from_row(enum bt_operation_id id)
{
    static const enum http_method methods[] = {[BT_REST_GET] = HTTP_GET,
                                               [BT_REST_POST] = HTTP_POST,
                                               [BT_REST_PUT] = HTTP_PUT,
                                               [BT_REST_DELETE] = HTTP_DELETE};
    const struct bt_operation *row = &bt_operations[id];
    const struct serve_route_extra extra = find_extra(id);
    assert(row->run || extra.run);
    return (struct serve_route){.method = methods[row->rest.method],
                                .path = row->rest.path,
                                .operation = row->rest.operation_id,
                                .row = row,
                                .scopes = row->scopes,
                                .flags = flags_of_row(row) | extra.flags |
                                         (is_of_log(row) ? ROUTE_OF_LOG : 0U),
                                .run = extra.run,
                                .takes = row->rest.takes,
                                .gives = row->rest.gives,
                                .summary = row->summary};
}

/* The row at *index in these tables; NULL when there are fewer, and *index is less by as many. */
static const struct serve_route *own_route_at(const struct serve_route *const *tables, size_t count,
                                              size_t *index)
{
    for (size_t i = 0; i < count; i++) {
        for (const struct serve_route *route = tables[i]; route->path; route++) {
            if (*index == 0) {
                return route;
            }
            --*index;
        }
    }
    return NULL;
}

bt_str serve_route_path_at(size_t index)
{
    const struct serve_route *route =
        own_route_at(first_tables, sizeof(first_tables) / sizeof(first_tables[0]), &index);
    if (!route && index < BT_OPERATIONS_REST_COUNT) {
        return bt_str_of(bt_operations[bt_operations_rest[index]].rest.path);
    }
    if (!route) {
        index -= BT_OPERATIONS_REST_COUNT;
        route = own_route_at(last_tables, sizeof(last_tables) / sizeof(last_tables[0]), &index);
    }
    return bt_str_of(route ? route->path : "");
}

static void add_route(struct serve_route_table *table, const struct serve_route *route)
{
    size_t first = 0;
    while (first < table->count &&
           !bt_str_eq(bt_str_of(table->rows[first].path), bt_str_of(route->path))) {
        first++;
    }
    assert(table->count < ROUTES_MAX);
    table->first[table->count] = first;
    table->plain[table->count] = strcspn(route->path, "{");
    table->rows[table->count++] = *route;
}

static void add_routes(struct serve_route_table *table, const struct serve_route *const *tables,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (const struct serve_route *route = tables[i]; route->path; route++) {
            add_route(table, route);
        }
    }
}

void serve_routes_build(struct serve_route_table *out)
{
    *out = (struct serve_route_table){0};
    add_routes(out, first_tables, sizeof(first_tables) / sizeof(first_tables[0]));
    for (size_t i = 0; i < BT_OPERATIONS_REST_COUNT; i++) {
        const struct serve_route route = route_from_row(bt_operations_rest[i]);
        add_route(out, &route);
    }
    add_routes(out, last_tables, sizeof(last_tables) / sizeof(last_tables[0]));
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
        if (params[i].len > 0) {
            BT_TRY(http_decode(arena, params[i], false, &params[i]));
        }
    }
    return BT_OK;
}

/* True when the route exists for the log and the method of the request, as far as that is known
 * before the log is opened. Elsewhere a path for statements looks like one that does not exist. */
static bool is_offered(const struct serve_route *route, const struct serve_call *x)
{
    const bool is_other = x->target.name.len > 0;
    return (!is_other || (route->flags & ROUTE_OF_LOG)) &&
           (!(route->flags & ROUTE_STATEMENTS_ALONE) ||
            (is_other && has_method(route, x->request->method)));
}

/* Compare the part before the first parameter, which excludes most routes. */
static bool has_route_prefix(const struct serve_route_table *table, size_t row, bt_str path)
{
    return bt_str_starts_with(path, (bt_str){table->rows[row].path, table->plain[row]});
}

enum serve_route_match serve_route_find(const struct serve_route_table *table, struct serve_call *x)
{
    enum serve_route_match found = ROUTE_UNKNOWN;
    x->route_index = SIZE_MAX;
    for (size_t i = 0; i < table->count; i++) {
        const struct serve_route *route = &table->rows[i];
        bt_str raw[ROUTE_PARAMS_MAX] = {BT_STR_INIT(""), BT_STR_INIT("")};
        if (!has_route_prefix(table, i, x->target.path) ||
            !match_path(route->path, x->target.path, raw) || !is_offered(route, x) ||
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

void serve_route_put_methods(const struct serve_route_table *table, const struct serve_call *x,
                             struct bt_buf *buf)
{
    bt_str params[ROUTE_PARAMS_MAX];
    for (enum http_method method = HTTP_GET; method <= HTTP_OPTIONS; method++) {
        bool is_known = false;
        for (size_t i = 0; i < table->count && !is_known; i++) {
            is_known = has_method(&table->rows[i], method) &&
                       match_path(table->rows[i].path, x->target.path, params) &&
                       (x->target.name.len == 0 || (table->rows[i].flags & ROUTE_OF_LOG));
        }
        if (is_known) {
            bt_buf_put_text(buf, buf->len > 0 ? ", " : "");
            bt_buf_put(buf, http_method_name(method));
        }
    }
}
