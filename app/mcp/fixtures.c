/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixtures.c - tools that the official conformance suite calls, with the texts that it asks for.
 */
#include "mcp/inside.h"

/* One red pixel as PNG, and one sample of silence as WAV, both base64. */
#define PIXEL                                                                                      \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
#define SILENCE "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE "{\"type\":\"image\",\"data\":\"" PIXEL "\",\"mimeType\":\"image/png\"}"

/* ---- Tools that say one thing ---------------------------------------------------------------- */

static enum bt_status run_text(struct mcp_call *call)
{
    mcp_put_content(call, BT_STR("[" TEXT("This is a simple text response for testing.") "]"),
                    false);
    return BT_OK;
}

static enum bt_status run_image(struct mcp_call *call)
{
    mcp_put_content(call, BT_STR("[" IMAGE "]"), false);
    return BT_OK;
}

static enum bt_status run_audio(struct mcp_call *call)
{
    mcp_put_content(
        call, BT_STR("[{\"type\":\"audio\",\"data\":\"" SILENCE "\",\"mimeType\":\"audio/wav\"}]"),
        false);
    return BT_OK;
}

static enum bt_status run_embedded(struct mcp_call *call)
{
    mcp_put_content(call,
                    BT_STR("[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://"
                           "embedded-resource\",\"mimeType\":\"text/plain\",\"text\":\"This is an "
                           "embedded resource content.\"}}]"),
                    false);
    return BT_OK;
}

static enum bt_status run_mixed(struct mcp_call *call)
{
    mcp_put_content(
        call,
        BT_STR("[" TEXT(
            "Multiple content types test:") "," IMAGE ",{\"type\":\"resource\",\"resource\":{"
                                            "\"uri\":\"test://"
                                            "mixed-content-resource\",\"mimeType\":\"application/"
                                            "json\",\"text\":"
                                            "\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]"),
        false);
    return BT_OK;
}

static enum bt_status run_error(struct mcp_call *call)
{
    mcp_put_content(
        call, BT_STR("[" TEXT("This tool intentionally returns an error for testing") "]"), true);
    return BT_OK;
}

static enum bt_status run_done(struct mcp_call *call)
{
    mcp_put_content(call, BT_STR("[" TEXT("done") "]"), false);
    return BT_OK;
}

/* ---- Tools that say something meanwhile ------------------------------------------------------ */

/* A legacy client gets every log message; a modern one only what its request asks for. */
static bool wants_logs(const struct mcp_request *request)
{
    return !request->is_modern || mcp_meta(request, "io.modelcontextprotocol/logLevel");
}

static void log_text(struct mcp_request *request, const char *text)
{
    struct bt_emit emit;
    if (wants_logs(request)) {
        mcp_begin_notification(&emit, request->out, "notifications/message", BT_STR(""));
        bt_emit_member_string(&emit, "level", BT_STR("info"));
        bt_emit_member_string(&emit, "data", bt_str_of(text));
        mcp_end_notification(&emit);
    }
}

static enum bt_status run_logging(struct mcp_call *call)
{
    log_text(call->request, "Tool execution started");
    log_text(call->request, "Tool processing data");
    log_text(call->request, "Tool execution completed");
    return run_done(call);
}

static enum bt_status run_progress(struct mcp_call *call)
{
    const bt_json_value *token = mcp_meta(call->request, "progressToken");
    struct bt_emit emit;
    for (uint64_t progress = 0; token && progress <= 100; progress += 50) {
        const struct bt_json_span span = bt_json_span(call->request->document, token);
        mcp_begin_notification(&emit, call->request->out, "notifications/progress", BT_STR(""));
        bt_emit_name(&emit, "progressToken");
        bt_emit_raw(&emit,
                    bt_str_slice(bt_json_source(call->request->document), span.begin, span.end));
        bt_emit_member_u64(&emit, "progress", progress);
        bt_emit_member_u64(&emit, "total", 100);
        mcp_end_notification(&emit);
    }
    return run_done(call);
}

static enum bt_status run_change_tools(struct mcp_call *call)
{
    atomic_fetch_add(&call->request->mcp->place.fixtures->tools, 1);
    return run_done(call);
}

static enum bt_status run_change_prompts(struct mcp_call *call)
{
    atomic_fetch_add(&call->request->mcp->place.fixtures->prompts, 1);
    return run_done(call);
}

enum bt_status mcp_set_level(struct mcp_request *request)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
    const bt_str level = mcp_param_text(request, "level");
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (bt_str_eq(level, bt_str_of(levels[i]))) {
            mcp_result(request, "complete");
            mcp_result_end(request, MCP_UNCACHED);
            return BT_OK;
        }
    }
    mcp_error(request, MCP_INVALID_PARAMS, "there is no such level", BT_STR(""));
    return BT_OK;
}

/* ---- The table ------------------------------------------------------------------------------- */

#define NOTHING "\"properties\":{}"
#define ONE_TEXT(name)                                                                             \
    "\"properties\":{\"" name "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]"

#define DIALECT_2020                                                                               \
    "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$defs\":{\"address\":{"        \
    "\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{\"type\":"         \
    "\"string\"},\"city\":{\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"}" \
    ","                                                                                            \
    "\"address\":{\"$ref\":\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[" \
    "\"phone\",\"email\"]},\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"      \
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],\"if\":{"     \
    "\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},"  \
    "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]}"

#define REGION                                                                                     \
    "\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}},"               \
    "\"required\":[\"region\"]"

#define ROW(name, what, input, run)                                                                \
    {                                                                                              \
        name, what, BT_SCOPE_CHECK, false, true, input, "", run                                    \
    }

const struct mcp_tool mcp_fixture_tools[] = {
    ROW("test_simple_text", "returns a text", NOTHING, run_text),
    ROW("test_image_content", "returns an image", NOTHING, run_image),
    ROW("test_audio_content", "returns a sound", NOTHING, run_audio),
    ROW("test_embedded_resource", "returns an embedded resource", NOTHING, run_embedded),
    ROW("test_multiple_content_types", "returns several contents", NOTHING, run_mixed),
    ROW("test_error_handling", "always fails", NOTHING, run_error),
    ROW("test_tool_with_logging", "logs three messages", NOTHING, run_logging),
    ROW("test_tool_with_progress", "reports progress", NOTHING, run_progress),
    ROW("test_sampling", "asks the client's model", ONE_TEXT("prompt"), mcp_fixture_run_questions),
    ROW("test_elicitation", "asks the person", ONE_TEXT("message"), mcp_fixture_run_questions),
    ROW("test_elicitation_sep1034_defaults", "asks with defaults", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_elicitation_sep1330_enums", "asks with every kind of choice", NOTHING,
        mcp_fixture_run_questions),
    ROW("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", DIALECT_2020,
        run_done),
    ROW("test_custom_headers", "has a parameter that a header repeats", REGION, run_done),
    ROW("test_missing_capability", "needs sampling", NOTHING, mcp_fixture_missing),
    ROW("test_streaming_elicitation", "asks the person", NOTHING, mcp_fixture_run_questions),
    ROW("test_logging_tool", "logs when it is asked to", NOTHING, run_logging),
    ROW("test_trigger_tool_change", "says that the tools have changed", NOTHING, run_change_tools),
    ROW("test_trigger_prompt_change", "says that the prompts have changed", NOTHING,
        run_change_prompts),
    ROW("test_input_required_result_elicitation", "asks the person", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_input_required_result_sampling", "asks the client's model", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_input_required_result_list_roots", "asks for the roots", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_input_required_result_request_state", "asks with a state", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_input_required_result_multiple_inputs", "asks for three things", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_input_required_result_multi_round", "asks twice", NOTHING, mcp_fixture_run_questions),
    ROW("test_input_required_result_tampered_state", "asks with a state", NOTHING,
        mcp_fixture_run_questions),
    ROW("test_input_required_result_capabilities", "asks for what the client can do", NOTHING,
        mcp_fixture_run_questions),
};

const size_t mcp_fixture_tools_count = sizeof(mcp_fixture_tools) / sizeof(mcp_fixture_tools[0]);
