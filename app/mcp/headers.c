/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headers.c - the header fields of a modern request must agree with its body, so that a proxy that
 * routes by header fields routes what is executed.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/mcp_internal.h"

static const char version_key[] = "io.modelcontextprotocol/protocolVersion";

enum { HEADER_NAME_BYTES_MAX = 128, NUMBER_BYTES_MAX = 64 };

/* Decode a value that may be wrapped to carry any bytes. False when the wrapping is malformed. */
static bool decode_header_value(struct bt_arena *arena, bt_str value, bt_str *out)
{
    static const bt_str begin = BT_STR_INIT("=?base64?");
    static const bt_str end = BT_STR_INIT("?=");
    if (!bt_str_starts_with(value, begin) || !bt_str_ends_with(value, end) ||
        value.len < begin.len + end.len) {
        *out = value;
        return true;
    }
    const bt_str text = bt_str_slice(value, begin.len, value.len - end.len);
    const size_t size = bt_base64_decoded_size(text);
    char *bytes = size == SIZE_MAX ? NULL : bt_arena_alloc(arena, size + 3);
    if (!bytes) {
        return false;
    }
    bt_base64_decode(text, bytes);
    *out = (bt_str){bytes, size};
    return true;
}

bool mcp_header_equals(struct bt_arena *arena, bt_str header, bt_str expected)
{
    bt_str value;
    return header.ptr && decode_header_value(arena, header, &value) && bt_str_eq(value, expected);
}

static bool has_header_value(struct mcp_request *request, bt_str header, bt_str expected)
{
    return mcp_header_equals(&request->arena, header, expected);
}

const char *mcp_named_member(bt_str method)
{
    static const char *const rows[][2] = {
        {"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(method, bt_str_of(rows[i][0]))) {
            return rows[i][1];
        }
    }
    return NULL;
}

/* A value as a header field has it; a NULL pointer for values without such a form. */
static bt_str header_text(struct mcp_request *request, const bt_json_value *value)
{
    if (!value || bt_json_type(value) == BT_JSON_NULL) {
        return (bt_str){NULL, 0};
    }
    if (bt_json_type(value) == BT_JSON_STRING) {
        return bt_json_text(value);
    }
    const struct bt_json_span span = bt_json_span(request->document, value);
    return bt_str_slice(bt_json_source(request->document), span.begin, span.end);
}

/* True when a parameter that a header field repeats is equal in both. */
static bool param_fits(struct mcp_request *request, const struct bt_json_doc *schema,
                       const struct bt_json_member *property)
{
    const struct mcp_headers *headers = request->mcp->place.headers;
    const bt_json_value *name = bt_json_get(schema, &property->value, BT_STR("x-mcp-header"));
    const bt_json_value *arguments = mcp_param(request, "arguments");
    if (!name) {
        return true;
    }
    const bt_json_value *argument =
        arguments ? bt_json_get(request->document, arguments, bt_json_name(property)) : NULL;
    const bt_str header = headers->param(headers->request, bt_json_text(name));
    const bt_str text = header_text(request, argument);
    return text.ptr ? has_header_value(request, header, text) : !header.ptr;
}

static enum bt_status params_fit(struct mcp_request *request, bool *out)
{
    struct mcp_tool tool;
    struct bt_json_read_result read = {0};
    bt_str text;
    *out = true;
    if (!mcp_tool_find(request, mcp_param_text(request, "name"), &tool) ||
        !strstr(tool.input, "x-mcp-header")) {
        return BT_OK;
    }
    BT_TRY(mcp_tool_input(&request->arena, &tool, &text));
    /* from: the built-in table of tools */
    BT_TRY(bt_json_read(&request->arena, text, NULL, &read));
    const bt_json_value *properties =
        read.document
            ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("properties"))
            : NULL;
    for (size_t i = 0; properties && i < bt_json_count(properties); i++) {
        *out = *out && param_fits(request, read.document, &bt_json_members(properties)[i]);
    }
    return BT_OK;
}

enum bt_status mcp_headers_check(struct mcp_request *request, bool *out)
{
    const struct mcp_headers *headers = request->mcp->place.headers;
    const char *named = mcp_named_member(request->method);
    *out = true;
    if (!headers) {
        return BT_OK;
    }
    *out =
        has_header_value(request, headers->version, bt_json_text(mcp_meta(request, version_key))) &&
        has_header_value(request, headers->method, request->method) &&
        (!named || has_header_value(request, headers->name, mcp_param_text(request, named)));
    if (*out && bt_str_eq(request->method, BT_STR("tools/call"))) {
        BT_TRY(params_fit(request, out));
    }
    if (!*out) {
        mcp_error(request, MCP_HEADER_MISMATCH,
                  "a header is missing or says something else than the body", BT_STR(""));
    }
    return BT_OK;
}
