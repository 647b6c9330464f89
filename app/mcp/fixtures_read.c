/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixtures_read.c - resources and prompts that the official conformance suite reads.
 */
#include "mcp/inside.h"

#define PIXEL                                                                                      \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"

/* ---- Resources ------------------------------------------------------------------------------- */

static bool put_text(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    (void)request;
    (void)key;
    bt_buf_put_text(buf, "This is the content of the static text resource.");
    return true;
}

static bool put_binary(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    (void)request;
    (void)key;
    bt_buf_put_text(buf, PIXEL);
    return true;
}

static bool put_watched(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    (void)request;
    (void)key;
    bt_buf_put_text(buf, "This resource can be watched.");
    return true;
}

static bool put_template(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_str data;
    if (bt_str_find_byte(key, '/', 0) != key.len ||
        bt_arena_printf(&request->arena, &data, "Data for ID: %.*s", BT_STR_ARG(key)) != BT_OK) {
        return false;
    }
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "id", key);
    bt_emit_name(&emit, "templateTest");
    bt_emit_bool(&emit, true);
    bt_emit_member_string(&emit, "data", data);
    bt_emit_end(&emit);
    return true;
}

const struct mcp_resource mcp_fixture_resources[] = {
    {"test://static-text", NULL, "static text", "a text", "text/plain", put_text, "",
     BT_SCOPE_CHECK, MCP_NEVER, false, false},
    {"test://static-binary", NULL, "static binary", "an image", "image/png", put_binary, "",
     BT_SCOPE_CHECK, MCP_NEVER, false, true},
    {"test://watched-resource", NULL, "watched", "can be watched", "text/plain", put_watched, "",
     BT_SCOPE_CHECK, MCP_NEVER, false, false},
    {"test://template/", "id", "template", "data for an id", "application/json", put_template,
     "/data", BT_SCOPE_CHECK, MCP_NEVER, false, false},
};

const size_t mcp_fixture_resources_count =
    sizeof(mcp_fixture_resources) / sizeof(mcp_fixture_resources[0]);

/* ---- Prompts --------------------------------------------------------------------------------- */

static enum bt_status get_simple(struct mcp_request *request)
{
    mcp_put_message(request, BT_STR("This is a simple prompt for testing."));
    return BT_OK;
}

static enum bt_status get_with_arguments(struct mcp_request *request)
{
    const bt_str first = mcp_prompt_argument(request, "arg1");
    const bt_str second = mcp_prompt_argument(request, "arg2");
    bt_str text;
    if (first.len == 0 || second.len == 0) {
        mcp_error(request, MCP_INVALID_PARAMS, "an argument is missing", BT_STR(""));
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(&request->arena, &text,
                           "Prompt with arguments: arg1='%.*s', arg2='%.*s'", BT_STR_ARG(first),
                           BT_STR_ARG(second)));
    mcp_put_message(request, text);
    return BT_OK;
}

/* A message whose content is not a text, and one that is. */
static void put_two(struct mcp_request *request, bt_str content, const char *text)
{
    struct bt_emit *emit = &request->emit;
    mcp_result(request, "complete");
    bt_emit_name(emit, "messages");
    bt_emit_begin_array(emit);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "role", BT_STR("user"));
    bt_emit_name(emit, "content");
    bt_emit_raw(emit, content);
    bt_emit_end(emit);
    mcp_put_role(emit, bt_str_of(text));
    bt_emit_end(emit);
    mcp_result_end(request, MCP_UNCACHED);
}

static enum bt_status get_embedded(struct mcp_request *request)
{
    const bt_str uri = mcp_prompt_argument(request, "resourceUri");
    struct bt_buf content;
    struct bt_emit emit;
    if (uri.len == 0) {
        mcp_error(request, MCP_INVALID_PARAMS, "an argument is missing", BT_STR(""));
        return BT_OK;
    }
    bt_buf_init(&content, MCP_MESSAGE_BYTES_MAX);
    bt_emit_init(&emit, &content, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "type", BT_STR("resource"));
    bt_emit_name(&emit, "resource");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "uri", uri);
    bt_emit_member_string(&emit, "mimeType", BT_STR("text/plain"));
    bt_emit_member_string(&emit, "text", BT_STR("Embedded resource content for testing."));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    put_two(request, bt_buf_str(&content), "Please process the embedded resource above.");
    const enum bt_status status = content.status;
    bt_buf_free(&content);
    return status;
}

static enum bt_status get_image(struct mcp_request *request)
{
    put_two(request,
            BT_STR("{\"type\":\"image\",\"data\":\"" PIXEL "\",\"mimeType\":\"image/png\"}"),
            "Please analyze the image above.");
    return BT_OK;
}

#define REQUIRED(name) "{\"name\":\"" name "\",\"required\":true}"

const struct mcp_prompt mcp_fixture_prompts[] = {
    {"test_simple_prompt", "a text", "[]", get_simple},
    {"test_prompt_with_arguments", "a text with two arguments",
     "[" REQUIRED("arg1") "," REQUIRED("arg2") "]", get_with_arguments},
    {"test_prompt_with_embedded_resource", "a resource and a text", "[" REQUIRED("resourceUri") "]",
     get_embedded},
    {"test_prompt_with_image", "an image and a text", "[]", get_image},
    {"test_input_required_result_prompt", "asks the person first", "[]", mcp_fixture_run_prompt},
};

const size_t mcp_fixture_prompts_count =
    sizeof(mcp_fixture_prompts) / sizeof(mcp_fixture_prompts[0]);
