/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_fields.c - what modern requests repeat in header fields: method, name and parameters. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "http/chars.h"
#include "wrap/message.h"
#include "wrap/upstream.h"

enum { PARAMS_BYTES_MAX = 16 << 20, PARAMS_MAX = 100000 };

#define BASE64_PREFIX "=?base64?"

/* ---- Parameters of tools --------------------------------------------------------------------- */

void wrap_params_init(struct wrap_params *params)
{
    *params = (struct wrap_params){.count = 0};
    bt_arena_init(&params->arena, PARAMS_BYTES_MAX);
}

void wrap_params_free(struct wrap_params *params)
{
    bt_arena_free(&params->arena);
}

static void forget_tool(struct wrap_params *params, bt_str tool)
{
    size_t kept = 0;
    for (size_t i = 0; i < params->count; i++) {
        if (!bt_str_eq(params->items[i].tool, tool)) {
            params->items[kept++] = params->items[i];
        }
    }
    params->count = kept;
}

static enum bt_status note_tool(struct wrap_params *params, const struct bt_json_doc *document,
                                const bt_json_value *tool)
{
    const bt_json_value *name = bt_json_get(document, tool, BT_STR("name"));
    const bt_json_value *schema = bt_json_get(document, tool, BT_STR("inputSchema"));
    const bt_json_value *properties = bt_json_get(document, schema, BT_STR("properties"));
    struct wrap_param param;
    if (!name || bt_json_type(name) != BT_JSON_STRING) {
        return BT_OK;
    }
    forget_tool(params, bt_json_text(name));
    for (size_t i = 0; properties && i < bt_json_count(properties); i++) {
        const struct bt_json_member *property = &bt_json_members(properties)[i];
        const bt_json_value *field =
            bt_json_get(document, &property->value, BT_STR("x-mcp-header"));
        if (!field || !http_is_token_text(bt_json_text(field))) {
            continue;
        }
        BT_TRY(bt_arena_copy(&params->arena, bt_json_text(name), &param.tool));
        BT_TRY(bt_arena_copy(&params->arena, bt_json_name(property), &param.property));
        BT_TRY(bt_arena_copy(&params->arena, bt_json_text(field), &param.field));
        BT_TRY(bt_vec_push_max(&params->arena, params, PARAMS_MAX, param));
    }
    return BT_OK;
}

bool wrap_params_note_tool(struct wrap_params *params, const struct bt_json_doc *document,
                           const bt_json_value *tool)
{
    if (note_tool(params, document, tool) != BT_OK) {
        wrap_params_free(params);
        wrap_params_init(params);
        return false;
    }
    return true;
}

void wrap_params_note(struct wrap_params *params, const struct bt_wrap_message *answer)
{
    const bt_json_value *tools = bt_json_get(answer->document, answer->result, BT_STR("tools"));
    bool is_kept = true;
    for (size_t i = 0; is_kept && tools && i < bt_json_count(tools); i++) {
        is_kept = wrap_params_note_tool(params, answer->document, &bt_json_items(tools)[i]);
    }
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* True when a field can have the text as it is. */
static bool is_plain(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < ' ' || text.ptr[i] > '~') {
            return false;
        }
    }
    return text.len > 0 && text.ptr[0] != ' ' && text.ptr[text.len - 1] != ' ' &&
           !bt_str_starts_with(text, BT_STR(BASE64_PREFIX));
}

static void put_field(struct bt_buf *buf, const char *prefix, bt_str name, bt_str value)
{
    bt_buf_printf(buf, "%s%.*s: ", prefix, BT_STR_ARG(name));
    if (is_plain(value)) {
        bt_buf_put(buf, value);
    } else {
        bt_buf_put_text(buf, BASE64_PREFIX);
        bt_base64_put(buf, value);
        bt_buf_put_text(buf, "?=");
    }
    bt_buf_put_text(buf, "\r\n");
}

static const bt_json_value *find_param(const struct bt_wrap_message *message, const char *name)
{
    return bt_json_get(message->document, message->params, bt_str_of(name));
}

static void put_params(struct bt_buf *buf, const struct wrap_params *params,
                       const struct bt_wrap_message *message)
{
    const bt_json_value *tool = find_param(message, "name");
    const bt_json_value *arguments = find_param(message, "arguments");
    for (size_t i = 0; tool && arguments && i < params->count; i++) {
        const struct wrap_param *param = &params->items[i];
        const bt_json_value *value =
            bt_str_eq(param->tool, bt_json_text(tool))
                ? bt_json_get(message->document, arguments, param->property)
                : NULL;
        if (!value || bt_json_type(value) == BT_JSON_NULL || bt_json_type(value) >= BT_JSON_ARRAY) {
            continue;
        }
        const struct bt_json_span span = bt_json_span(message->document, value);
        put_field(buf, "Mcp-Param-", param->field,
                  bt_json_type(value) == BT_JSON_STRING
                      ? bt_json_text(value)
                      : bt_str_slice(bt_json_source(message->document), span.begin, span.end));
    }
}

bt_str wrap_upstream_version(const struct bt_wrap_message *message)
{
    const bt_json_value *version = bt_json_get(message->document, find_param(message, "_meta"),
                                               BT_STR("io.modelcontextprotocol/protocolVersion"));
    return version ? bt_json_text(version) : BT_STR("");
}

void wrap_upstream_put_fields(struct bt_buf *buf, const struct wrap_params *params,
                              const struct bt_wrap_message *message)
{
    static const char *const named[][2] = {
        {"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};
    if (message->method.len > 0) {
        put_field(buf, "", BT_STR("Mcp-Method"), message->method);
    }
    for (size_t i = 0; i < BT_COUNT_OF(named); i++) {
        const bt_json_value *name = bt_str_eq(message->method, bt_str_of(named[i][0]))
                                        ? find_param(message, named[i][1])
                                        : NULL;
        if (name && bt_json_type(name) == BT_JSON_STRING) {
            put_field(buf, "", BT_STR("Mcp-Name"), bt_json_text(name));
        }
    }
    if (bt_str_eq(message->method, BT_STR("tools/call"))) {
        put_params(buf, params, message);
    }
}
