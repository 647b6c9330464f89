/* SPDX-License-Identifier: Apache-2.0 */
/* claude.c - a line of a transcript of Claude Code -> calls, results, usage. */
#include "transcript/reader.h"

#include "base/ascii.h"
#include "base/str.h"
#include "transcript/scan.h"

static const bt_str READING_TOOLS[] = {BT_STR_INIT("Read"),
                                       BT_STR_INIT("Glob"),
                                       BT_STR_INIT("Grep"),
                                       BT_STR_INIT("LS"),
                                       BT_STR_INIT("WebSearch"),
                                       BT_STR_INIT("WebFetch"),
                                       BT_STR_INIT("TodoWrite"),
                                       BT_STR_INIT("TaskCreate"),
                                       BT_STR_INIT("TaskUpdate"),
                                       BT_STR_INIT("TaskList"),
                                       BT_STR_INIT("TaskGet"),
                                       BT_STR_INIT("ToolSearch"),
                                       BT_STR_INIT("Skill"),
                                       BT_STR_INIT("AskUserQuestion"),
                                       BT_STR_INIT("BashOutput"),
                                       BT_STR_INIT("TaskOutput"),
                                       BT_STR_INIT("KillShell"),
                                       BT_STR_INIT("TaskStop"),
                                       BT_STR_INIT("ExitPlanMode"),
                                       BT_STR_INIT("EnterPlanMode"),
                                       BT_STR_INIT("ListMcpResourcesTool"),
                                       BT_STR_INIT("ReadMcpResourceTool")};

/* The member of the input that names the file which an editing tool changes. */
static const struct edit_tool {
    bt_str name;
    const char *path;
} EDIT_TOOLS[] = {{BT_STR_INIT("Edit"), "file_path"},
                  {BT_STR_INIT("Write"), "file_path"},
                  {BT_STR_INIT("MultiEdit"), "file_path"},
                  {BT_STR_INIT("NotebookEdit"), "notebook_path"}};

/* The message of a line of a user or assistant, or NULL. */
static const bt_json_value *message_of(const struct bt_transcript_reader *reader)
{
    const bt_str type = bt_transcript_text(reader, reader->object.root, "type");
    const bt_json_value *message = bt_transcript_get(reader, reader->object.root, "message");
    const bool is_one = bt_str_eq(type, BT_STR("user")) || bt_str_eq(type, BT_STR("assistant"));
    return is_one && bt_transcript_get(reader, message, "content") ? message : NULL;
}

bool bt_transcript_is_claude(const struct bt_transcript_reader *reader)
{
    return message_of(reader) != NULL;
}

/* Whose line it is. */
static enum bt_status find_agent(struct bt_transcript_reader *reader, bt_str *out)
{
    const bt_json_value *root = reader->object.root;
    const bool is_sidechain = bt_transcript_is_true(reader, root, "isSidechain");
    const bt_str id = bt_transcript_text(reader, root, "agentId");
    const bool is_main = !is_sidechain || id.len == 0;
    if (!reader->is_begun) {
        reader->is_begun = true;
        BT_TRY(
            bt_transcript_add_agent(reader, is_main ? BT_STR("-") : id, &reader->state.own_agent));
    }
    const bool is_agents_file = !bt_str_eq(reader->state.own_agent, BT_STR("-"));
    return bt_transcript_add_agent(reader,
                                   is_agents_file ? reader->state.own_agent
                                   : is_main      ? BT_STR("-")
                                                  : id,
                                   out);
}

static enum bt_status read_call(struct bt_transcript_reader *reader, const bt_json_value *item,
                                struct bt_transcript_event *out)
{
    const bt_json_value *input = bt_transcript_get(reader, item, "input");
    struct bt_transcript_call call = {.tool = bt_transcript_text(reader, item, "name"),
                                      .command = BT_STR(""),
                                      .input = BT_STR(""),
                                      .session = BT_STR("")};
    const bt_str command = bt_transcript_text(reader, input, "command");
    out->id = bt_transcript_text(reader, item, "id");
    if (out->id.len == 0 || call.tool.len == 0 || !input || bt_json_type(input) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    if (bt_str_eq(call.tool, BT_STR("Bash")) && command.len > 0) {
        call.kind = BT_CALL_COMMAND;
        call.command = command;
    } else if (bt_str_is_one_of(call.tool, READING_TOOLS)) {
        call.kind = BT_CALL_READING;
    }
    for (size_t i = 0; i < BT_COUNT_OF(EDIT_TOOLS); i++) {
        const bt_str path = bt_transcript_text(reader, input, EDIT_TOOLS[i].path);
        if (bt_str_eq(call.tool, EDIT_TOOLS[i].name) && path.len > 0) {
            bt_str *paths = BT_NEW(&reader->line, bt_str);
            BT_TRY(paths ? BT_OK : BT_ENOMEM);
            *paths = path;
            call.kind = BT_CALL_EDIT;
            call.paths = paths;
            call.path_count = 1;
        }
    }
    if (call.kind == BT_CALL_OPAQUE) {
        BT_TRY(bt_transcript_all_text(reader, input, &call.input));
    }
    out->kind = BT_TRANSCRIPT_CALL;
    out->as.call = call;
    return BT_OK;
}

/* "Exit code N" as the first line of an error. False: it is something else. */
static bool read_exit_code(bt_str text, int64_t *out)
{
    static const bt_str prefix = BT_STR_INIT("Exit code ");
    uint64_t number = 0;
    const bt_str line = bt_str_slice(text, 0, bt_str_find_byte(text, '\n', 0));
    if (!bt_str_starts_with(line, prefix) ||
        bt_str_to_u64(bt_str_trim(bt_str_slice(line, prefix.len, line.len)), &number) != BT_OK ||
        number > INT32_MAX) {
        return false;
    }
    *out = (int64_t)number;
    return true;
}

/* Whether a member is there and not null. */
static bool has_member(const struct bt_transcript_reader *reader, const bt_json_value *object,
                       const char *name)
{
    const bt_json_value *value = bt_transcript_get(reader, object, name);
    return value && bt_json_type(value) != BT_JSON_NULL;
}

static enum bt_status read_result(struct bt_transcript_reader *reader, const bt_json_value *item,
                                  struct bt_transcript_event *out)
{
    const bt_json_value *details = bt_transcript_get(reader, reader->object.root, "toolUseResult");
    struct bt_transcript_result result = {
        .is_error = bt_transcript_is_true(reader, item, "is_error"), .session = BT_STR("")};
    out->id = bt_transcript_text(reader, item, "tool_use_id");
    if (out->id.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_transcript_join_text(reader, bt_transcript_get(reader, item, "content"), true,
                                   &result.text));
    if (result.is_error) {
        result.reason =
            read_exit_code(result.text, &result.exit) ? BT_CALL_EXIT_KNOWN : BT_CALL_HOST;
    } else if (has_member(reader, details, "backgroundTaskId")) {
        result.reason = BT_CALL_BACKGROUND;
    } else if (bt_transcript_is_true(reader, details, "interrupted")) {
        result.reason = BT_CALL_INTERRUPTED;
    } else if (has_member(reader, details, "returnCodeInterpretation")) {
        result.reason = BT_CALL_HOST;
    }
    result.is_cut = bt_transcript_is_truncated(result.text) ||
                    bt_transcript_text(reader, details, "persistedOutputPath").len > 0;
    out->kind = BT_TRANSCRIPT_RESULT;
    out->as.result = result;
    return BT_OK;
}

static void read_usage(struct bt_transcript_reader *reader, const bt_json_value *message,
                       struct bt_transcript_event *out)
{
    const bt_json_value *usage = bt_transcript_get(reader, message, "usage");
    if (!usage || bt_json_type(usage) != BT_JSON_OBJECT) {
        return;
    }
    out->kind = BT_TRANSCRIPT_USAGE;
    out->as.usage = (struct bt_transcript_usage){
        .model = bt_transcript_text(reader, message, "model"),
        .message_id = bt_transcript_text(reader, message, "id"),
        .count = {.input = bt_transcript_count(reader, usage, "input_tokens"),
                  .output = bt_transcript_count(reader, usage, "output_tokens"),
                  .cache_read = bt_transcript_count(reader, usage, "cache_read_input_tokens"),
                  .cache_write =
                      bt_transcript_count(reader, usage, "cache_creation_input_tokens")}};
}

enum bt_status bt_transcript_read_claude(struct bt_transcript_reader *reader,
                                         struct bt_transcript_event *out)
{
    struct bt_transcript_object *object = &reader->object;
    const bt_json_value *message = message_of(reader);
    if (!message) {
        reader->state.skipped += object->next == 0 ? 1 : 0;
        object->next = 1;
        return BT_OK;
    }
    const bool is_assistant =
        bt_str_eq(bt_transcript_text(reader, object->root, "type"), BT_STR("assistant"));
    const bt_json_value *content = bt_transcript_get(reader, message, "content");
    BT_TRY(find_agent(reader, &out->agent));
    if (object->next == 0) {
        object->next = 1;
        if (is_assistant) {
            read_usage(reader, message, out);
        }
    }
    while (out->kind == BT_TRANSCRIPT_END && bt_json_items(content) &&
           object->next <= bt_json_count(content)) {
        const bt_json_value *item = &bt_json_items(content)[object->next++ - 1];
        const bt_str type = bt_transcript_text(reader, item, "type");
        if (is_assistant && bt_str_eq(type, BT_STR("tool_use"))) {
            BT_TRY(read_call(reader, item, out));
        } else if (!is_assistant && bt_str_eq(type, BT_STR("tool_result"))) {
            BT_TRY(read_result(reader, item, out));
        }
    }
    return BT_OK;
}
