/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.c - rows of operations and the server's own paths -> an OpenAPI 3.1 document.
 *
 * The named schemas are in openapi_schemas.json.
 */
#include "serve/openapi.h"

#include <string.h>

#include "json/emit.h"
#include "json/layout.h"
#include "serve/coding.h"
#include "serve/rest.h"
#include "serve/server.h"

enum { DOCUMENT_BYTES_MAX = 4 << 20 };

/* ---- Parameters ------------------------------------------------------------------------------ */

/* The text of openapi_schemas.json. */
extern const char openapi_schemas[];

/* A value in a path, a query or a head is a text, whatever it stands for. */
static const char *text_schema(enum bt_operation_param_type type)
{
    return type == BT_OPERATION_PARAM_INTEGER ? "{\"type\":\"integer\",\"minimum\":0}"
           : type == BT_OPERATION_PARAM_BOOL
               ? "{\"type\":\"string\",\"enum\":[\"true\",\"false\",\"1\",\"0\"]}"
               : "{\"type\":\"string\"}";
}

static void put_parameter(struct bt_emit *emit, bt_str name, const char *place,
                          enum bt_operation_param_type type)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", name);
    bt_emit_member_string(emit, "in", bt_str_of(place));
    if (strcmp(place, "path") == 0) {
        bt_emit_member_bool(emit, "required", true);
    }
    bt_emit_member_raw(emit, "schema", bt_str_of(text_schema(type)));
    bt_emit_end(emit);
}

/* The next {name} of a path from *at on; "" after the last. */
static bt_str next_param(bt_str path, size_t *at)
{
    const size_t begin = bt_str_find_byte(path, '{', *at);
    const size_t end = bt_str_find_byte(path, '}', begin);
    bt_str name = bt_str_slice(path, begin + 1, end);
    *at = end;
    if (bt_str_ends_with(name, BT_STR("..."))) {
        name.len -= 3;
    }
    return name;
}

static bool is_keyed(const struct serve_route *route)
{
    return route->method == HTTP_POST && (route->flags & ROUTE_RECORDS);
}

static void put_query(struct bt_emit *emit, const struct bt_operation *row)
{
    for (size_t i = 0; row && i < row->param_count; i++) {
        if (row->params[i].places & (BT_IN_QUERY | BT_IN_OPTION)) {
            put_parameter(emit, row->params[i].name, "query", row->params[i].type);
        }
    }
}

static enum bt_operation_param_type path_type(const struct bt_operation *row, bt_str name)
{
    const struct bt_operation_param *param =
        row ? bt_operation_param_find(row, BT_IN_PATH, name) : NULL;
    return param ? param->type : BT_OPERATION_PARAM_TEXT;
}

static void put_parameters(struct bt_emit *emit, const struct serve_route *route)
{
    const bt_str path = bt_str_of(route->path);
    size_t at = 0;
    bt_emit_member_array(emit, "parameters");
    for (bt_str name = next_param(path, &at); name.len > 0; name = next_param(path, &at)) {
        put_parameter(emit, name, "path", path_type(route->row, name));
    }
    put_query(emit, route->row);
    if (is_keyed(route)) {
        put_parameter(emit, BT_STR("Idempotency-Key"), "header", BT_OPERATION_PARAM_KEY);
    }
    if ((route->flags & ROUTE_SUBMITS) && !(route->flags & ROUTE_STATEMENTS_ALONE)) {
        put_parameter(emit, BT_STR("Baton-Number"), "header", BT_OPERATION_PARAM_INTEGER);
    }
    if (route->flags & ROUTE_STREAM) {
        put_parameter(emit, BT_STR("Last-Event-ID"), "header", BT_OPERATION_PARAM_TEXT);
    }
    bt_emit_end(emit);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void put_media(struct bt_emit *emit, bt_str type, bt_str json_schema)
{
    const bool is_json = bt_str_eq(type, BT_STR("application/json"));
    bt_emit_name_str(emit, type);
    bt_emit_begin_object(emit);
    bt_emit_member_raw(emit, "schema",
                       bt_str_eq(type, BT_STR(REST_ENVELOPE))
                           ? BT_STR("{\"$ref\":\"#/components/schemas/Envelope\"}")
                       : is_json ? json_schema
                       : bt_str_eq(type, BT_STR("application/schema+json"))
                           ? BT_STR("{\"type\":\"object\"}")
                           : BT_STR("{\"type\":\"string\"}"));
    bt_emit_end(emit);
}

static void put_content(struct bt_emit *emit, const char *types, bt_str json_schema)
{
    const bt_str words = bt_str_of(types);
    bt_emit_member_object(emit, "content");
    for (size_t from = 0; from < words.len;) {
        const size_t end = bt_str_find_byte(words, ' ', from);
        put_media(emit, bt_str_slice(words, from, end), json_schema);
        from = end + 1;
    }
    bt_emit_end(emit);
}

static void put_request_body(struct bt_emit *emit, const struct serve_route *route)
{
    if (!route->row || !route->takes) {
        return;
    }
    bt_emit_member_object(emit, "requestBody");
    bt_emit_member_bool(emit, "required", true);
    put_content(emit, route->takes, bt_str_of(route->row->rest.body));
    bt_emit_end(emit);
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Refer to the problem for each status of a list, separated by spaces. */
static void put_problems(struct bt_emit *emit, const char *list)
{
    const bt_str statuses = bt_str_of(list);
    for (size_t from = 0; from < statuses.len; from += 4) {
        bt_emit_name_str(emit, bt_str_slice(statuses, from, from + 3));
        bt_emit_raw(emit, BT_STR("{\"$ref\":\"#/components/responses/Problem\"}"));
    }
}

/* Put a header field of a response. */
static void put_header(struct bt_emit *emit, const char *name)
{
    bt_emit_member_raw(emit, name, BT_STR("{\"schema\":{\"type\":\"string\"}}"));
}

static void put_headers(struct bt_emit *emit, const struct serve_route *route, bool is_created)
{
    bt_emit_member_object(emit, "headers");
    put_header(emit, "X-Request-Id");
    if (is_created) {
        put_header(emit, "Location");
    }
    if (is_keyed(route)) {
        put_header(emit, "Idempotency-Replayed");
    }
    if (route->row == &bt_operations[BT_OPERATION_HANDOFF_CHECK]) {
        put_header(emit, "Baton-Verdict");
    }
    bt_emit_end(emit);
}

static void put_success(struct bt_emit *emit, const struct serve_route *route)
{
    const unsigned outcomes = route->row ? route->row->outcomes : 0;
    bt_emit_name(emit, outcomes & BT_OUTCOME_CREATED    ? "201"
                       : outcomes & BT_OUTCOME_ACCEPTED ? "202"
                                                        : "200");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "description", bt_str_of(route->summary));
    put_headers(emit, route, outcomes & BT_OUTCOME_CREATED);
    put_content(emit, route->gives ? route->gives : "application/json",
                bt_str_of(route->row ? route->row->rest.result : "{\"type\":\"object\"}"));
    bt_emit_end(emit);
}

static void put_responses(struct bt_emit *emit, const struct serve_route *route)
{
    static const char *const always[2] = {"400 401 403 404 405 406 408",
                                          "413 414 415 421 429 431 500 503"};
    const unsigned outcomes = route->row ? route->row->outcomes : 0;
    bt_emit_member_object(emit, "responses");
    put_success(emit, route);
    put_problems(emit, always[0]);
    put_problems(emit, outcomes & BT_OUTCOME_CONFLICT ? "409" : "");
    put_problems(emit, outcomes & BT_OUTCOME_GONE ? "410" : "");
    put_problems(emit, outcomes & BT_OUTCOME_UNPROCESSABLE ? "422" : "");
    put_problems(emit, always[1]);
    bt_emit_end(emit);
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* The group of a path, by its first part below /v1 or /.well-known. */
static const struct bt_operation_tag *tag_of(const struct serve_route *route)
{
    const bt_str path = bt_str_of(route->path);
    const bt_str known = BT_STR("/.well-known/");
    const size_t from = bt_str_starts_with(path, BT_STR("/v1/")) ? 4
                        : bt_str_starts_with(path, known)        ? known.len
                                                                 : 1;
    if (bt_str_ends_with(path, BT_STR("/mcp"))) {
        return NULL;
    }
    const bt_str word = bt_str_slice(path, from, bt_str_find_byte(path, '/', from));
    for (size_t i = 0; i < bt_operation_tag_count; i++) {
        if (serve_list_has_word(bt_operation_tags[i].under, word)) {
            return &bt_operation_tags[i];
        }
    }
    return NULL; /* it is a page or a protocol of its own */
}

/* Put the scope that it needs; where one of several will do, the first; "-": none. */
static void put_scope(struct bt_emit *emit, const struct serve_route *route)
{
    bt_str scope = BT_STR("-");
    for (size_t i = SCOPES; i > 0 && !(route->flags & ROUTE_PUBLIC); i--) {
        scope = route->scopes & (1U << (i - 1)) ? bt_scope_name(i - 1) : scope;
    }
    bt_emit_member_string(emit, "x-baton-scope", scope);
}

static void put_operation(struct bt_emit *emit, const struct serve_route *route)
{
    static const char *const methods[] = {
        [HTTP_GET] = "get", [HTTP_POST] = "post", [HTTP_PUT] = "put", [HTTP_DELETE] = "delete"};
    bt_emit_member_object(emit, methods[route->method]);
    bt_emit_member_string(emit, "operationId", bt_str_of(route->operation));
    bt_emit_member_string(emit, "summary", bt_str_of(route->summary));
    bt_emit_member_string(emit, "description",
                          bt_str_of(route->row ? route->row->about : route->summary));
    bt_emit_member_array(emit, "tags");
    bt_emit_string(emit, bt_str_of(tag_of(route)->name));
    bt_emit_end(emit);
    put_scope(emit, route);
    if (route->flags & ROUTE_PUBLIC) {
        bt_emit_member_raw(emit, "security", BT_STR("[]"));
    }
    put_parameters(emit, route);
    put_request_body(emit, route);
    put_responses(emit, route);
    bt_emit_end(emit);
}

/* Put a path as OpenAPI writes it: {path...} is {path}. */
static void put_path(struct bt_emit *emit, bt_str path)
{
    char text[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < path.len && used + 1 < sizeof(text); i++) {
        const bool is_rest = bt_str_starts_with(bt_str_slice(path, i, path.len), BT_STR("...}"));
        text[used++] = is_rest ? '}' : path.ptr[i];
        i += is_rest ? 3 : 0;
    }
    bt_emit_name_str(emit, (bt_str){text, used});
}

static void put_paths(struct bt_emit *emit, const struct serve_route_table *table)
{
    bt_emit_member_object(emit, "paths");
    for (size_t i = 0; i < table->count; i++) {
        if (!tag_of(&table->rows[i]) || table->first[i] != i) {
            continue;
        }
        put_path(emit, bt_str_of(table->rows[i].path));
        bt_emit_begin_object(emit);
        for (size_t k = i; k < table->count; k++) {
            if (table->first[k] == i) {
                put_operation(emit, &table->rows[k]);
            }
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* ---- Run ------------------------------------------------------------------------------------- */

/* The groups, in the order in which their first paths stand. */
static void put_tags(struct bt_emit *emit, const struct serve_route_table *table)
{
    bt_emit_member_array(emit, "tags");
    for (size_t i = 0; i < table->count; i++) {
        const struct bt_operation_tag *tag = tag_of(&table->rows[i]);
        bool is_new = tag != NULL;
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = tag_of(&table->rows[k]) != tag;
        }
        if (is_new) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "name", bt_str_of(tag->name));
            bt_emit_member_string(emit, "description", bt_str_of(tag->about));
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

static void put_document(struct bt_emit *emit, const struct serve_route_table *table)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "openapi", BT_STR("3.1.0"));
    bt_emit_member_object(emit, "info");
    bt_emit_member_string(emit, "title", BT_STR("Baton"));
    bt_emit_member_string(emit, "version", bt_str_of(bt_version()));
    bt_emit_member_string(emit, "description",
                          BT_STR("Checks, repairs, governs, records and delivers handoffs between "
                                 "agents. An operation answers what the command of the same name "
                                 "prints with -f json."));
    bt_emit_member_raw(emit, "license",
                       BT_STR("{\"name\":\"Apache License 2.0\",\"identifier\":\"Apache-2.0\"}"));
    bt_emit_end(emit);
    bt_emit_member_raw(emit, "servers",
                       BT_STR("[{\"url\":\"/\",\"description\":\"This server.\"}]"));
    bt_emit_member_raw(emit, "security", BT_STR("[{\"bearer\":[]},{\"mutualTLS\":[]},{}]"));
    put_tags(emit, table);
    put_paths(emit, table);
    bt_emit_member_object(emit, "components");
    bt_emit_member_raw(emit, "schemas", bt_str_of(openapi_schemas));
    bt_emit_name(emit, "responses");
    bt_emit_raw(emit,
                BT_STR("{\"Problem\":{\"description\":\"What was asked for did not happen, and "
                       "why.\",\"content\":{\"application/problem+json\":{\"schema\":"
                       "{\"$ref\":\"#/components/schemas/Problem\"}}}}}"));
    bt_emit_name(emit, "securitySchemes");
    bt_emit_raw(emit,
                BT_STR("{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"A "
                       "token of baton token new.\"},\"mutualTLS\":{\"type\":\"mutualTLS\","
                       "\"description\":\"A client certificate whose key has an entry.\"}}"));
    bt_emit_end(emit);
    bt_emit_end(emit);
}

enum bt_status serve_openapi_put(struct bt_buf *buf)
{
    struct serve_route_table table;
    struct bt_buf compact;
    struct bt_emit emit;
    serve_routes_build(&table);
    bt_buf_init(&compact, DOCUMENT_BYTES_MAX);
    bt_emit_init(&emit, &compact, false);
    put_document(&emit, &table);
    const enum bt_status status = compact.status;
    if (status == BT_OK) {
        bt_json_put_layout(buf, bt_buf_str(&compact));
    }
    bt_buf_free(&compact);
    return status == BT_OK ? buf->status : status;
}

enum bt_status serve_openapi_build(struct bt_arena *arena, bt_str *out_text)
{
    struct bt_buf buf;
    bt_buf_init(&buf, DOCUMENT_BYTES_MAX);
    enum bt_status status = serve_openapi_put(&buf);
    if (status == BT_OK) {
        status = bt_arena_copy(arena, bt_buf_str(&buf), out_text);
    }
    bt_buf_free(&buf);
    return status;
}

/* ---- The path -------------------------------------------------------------------------------- */

static enum bt_status respond_openapi(struct serve_call *x)
{
    BT_TRY(serve_call_respond_body(x, BT_HTTP_OK, "application/json", x->gateway->openapi));
    serve_call_set_cache_control(x, "max-age=300");
    BT_TRY(serve_call_compress(x));
    return serve_call_set_etag(x);
}

const struct serve_route openapi_routes[] = {
    {.method = HTTP_GET,
     .path = "/openapi.json",
     .operation = "openapi",
     .flags = ROUTE_PUBLIC | ROUTE_OF_LOG,
     .run = respond_openapi,
     .summary = "This document"},
    {.path = NULL},
};
