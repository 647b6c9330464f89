/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codex.c - a line of a rollout of Codex -> calls, results, usage.
 *
 * The rollout of a child repeats the history of its parent. Those lines are inherited: they tell
 * only of totals, from which the child's own start.
 */
#include "transcript/reader.h"

#include "base/buf.h"
#include "base/str.h"
#include "shell/shell.h"
#include "transcript/scan.h"

static const bt_str LINE_TYPES[] = {BT_STR_INIT("session_meta"), BT_STR_INIT("response_item"),
                                    BT_STR_INIT("event_msg"), BT_STR_INIT("turn_context"),
                                    BT_STR_INIT("compacted")};
static const bt_str READING_TOOLS[] = {
    BT_STR_INIT("update_plan"),        BT_STR_INIT("view_image"),        BT_STR_INIT("web_search"),
    BT_STR_INIT("list_dir"),           BT_STR_INIT("read_file"),         BT_STR_INIT("grep_files"),
    BT_STR_INIT("list_mcp_resources"), BT_STR_INIT("read_mcp_resource"), BT_STR_INIT("tool_search"),
    BT_STR_INIT("write_stdin")};
static const bt_str PATCHED[] = {BT_STR_INIT("*** Add File:"), BT_STR_INIT("*** Update File:"),
                                 BT_STR_INIT("*** Delete File:"), BT_STR_INIT("*** Move to:")};
static const bt_str APPLY_PATCH = BT_STR_INIT("apply_patch");

static const bt_json_value *payload_of(const struct bt_transcript_reader *reader)
{
    const bt_json_value *payload = bt_transcript_get(reader, reader->object.root, "payload");
    return payload && bt_json_type(payload) == BT_JSON_OBJECT ? payload : NULL;
}

bool bt_transcript_is_codex(const struct bt_transcript_reader *reader)
{
    const bt_str type = bt_transcript_text(reader, reader->object.root, "type");
    return bt_str_is_one_of(type, LINE_TYPES) && payload_of(reader) != NULL;
}

/* ---- Whose line ------------------------------------------------------------------------------ */

/* The thread that this one was forked from, or that started it; "": none. */
static bt_str parent_of(const struct bt_transcript_reader *reader, const bt_json_value *payload)
{
    const bt_json_value *source = bt_transcript_get(reader, payload, "source");
    const bt_json_value *subagent = bt_transcript_get(reader, source, "subagent");
    const bt_json_value *spawn = bt_transcript_get(reader, subagent, "thread_spawn");
    const bt_str forked = bt_transcript_text(reader, payload, "forked_from_id");
    const bt_str started = bt_transcript_text(reader, payload, "parent_thread_id");
    return forked.len > 0    ? forked
           : started.len > 0 ? started
                             : bt_transcript_text(reader, spawn, "parent_thread_id");
}

static enum bt_status take_session(struct bt_transcript_reader *reader,
                                   const bt_json_value *payload)
{
    const bt_str id = bt_transcript_text(reader, payload, "id");
    struct bt_transcript_codex *codex = &reader->codex;
    if (!reader->is_begun) {
        reader->is_begun = true;
        codex->start_ordinal =
            bt_transcript_count(reader, payload, "subagent_history_start_ordinal");
        BT_TRY(bt_arena_copy(&reader->kept, parent_of(reader, payload), &reader->state.parent));
        reader->state.has_parent_mark = codex->start_ordinal > 0;
        BT_TRY(bt_arena_copy(&reader->kept, id, &codex->first_id));
        reader->state.thread = codex->first_id;
        return BT_OK;
    }
    codex->is_in_history = !bt_str_eq(id, codex->first_id);
    reader->state.has_parent_mark = reader->state.has_parent_mark || codex->is_in_history;
    return BT_OK;
}

static bool is_inherited(const struct bt_transcript_reader *reader)
{
    const bt_json_value *ordinal = bt_transcript_get(reader, reader->object.root, "ordinal");
    const bool is_numbered = ordinal && bt_json_type(ordinal) == BT_JSON_INTEGER;
    return reader->codex.is_in_history ||
           (is_numbered && ordinal->as.integer >= 0 &&
            (uint64_t)ordinal->as.integer < reader->codex.start_ordinal);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The text of a command that is given as a text or as a list of words; "": it is neither. */
static enum bt_status read_command(struct bt_transcript_reader *reader, const bt_json_value *value,
                                   bt_str *out)
{
    const size_t count = value ? bt_json_count(value) : 0;
    *out = value ? bt_json_text(value) : BT_STR("");
    if (!value || bt_json_type(value) != BT_JSON_ARRAY || count == 0) {
        return BT_OK;
    }
    const bt_json_value *words = bt_json_items(value);
    for (size_t i = 0; i < count; i++) {
        if (bt_json_type(&words[i]) != BT_JSON_STRING) {
            return BT_OK;
        }
    }
    const bt_str second = count == 3 ? bt_json_text(&words[1]) : BT_STR("");
    if (bt_shell_is_shell(bt_str_after_last(bt_json_text(&words[0]), '/')) &&
        (bt_str_eq(second, BT_STR("-c")) || bt_str_eq(second, BT_STR("-lc")))) {
        *out = bt_json_text(&words[2]);
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, BT_TRANSCRIPT_LINE_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(&buf, i > 0 ? " " : "");
        bt_shell_put_word(&buf, bt_json_text(&words[i]));
    }
    return bt_buf_finish(&buf, &reader->line, out);
}

/* The paths that a patch names. */
static enum bt_status read_patch(struct bt_transcript_reader *reader, bt_str patch,
                                 struct bt_transcript_call *call)
{
    BT_VEC(bt_str) paths = {0};
    for (size_t at = 0; at < patch.len;) {
        const size_t end = bt_str_find_byte(patch, '\n', at);
        const bt_str line = bt_str_trim(bt_str_slice(patch, at, end));
        for (size_t i = 0; i < BT_COUNT_OF(PATCHED); i++) {
            const bt_str path = bt_str_starts_with(line, PATCHED[i])
                                    ? bt_str_trim(bt_str_slice(line, PATCHED[i].len, line.len))
                                    : BT_STR("");
            if (path.len > 0) {
                BT_TRY(bt_vec_push(&reader->line, &paths, path));
            }
        }
        at = end + 1;
    }
    call->kind = paths.count > 0 ? BT_CALL_EDIT : BT_CALL_OPAQUE;
    call->is_edit_by_exit = true;
    call->paths = paths.items;
    call->path_count = paths.count;
    call->input = patch;
    return BT_OK;
}

/* Whether the program of a command is apply_patch. */
static bool is_patch_command(bt_str command)
{
    const bt_str text = bt_str_trim(command);
    const bool is_longer = text.len > APPLY_PATCH.len;
    return bt_str_starts_with(text, APPLY_PATCH) &&
           (!is_longer || text.ptr[APPLY_PATCH.len] == ' ' || text.ptr[APPLY_PATCH.len] == '\n' ||
            text.ptr[APPLY_PATCH.len] == '\t' || text.ptr[APPLY_PATCH.len] == '<');
}

static enum bt_status take_command(struct bt_transcript_reader *reader, const bt_json_value *value,
                                   struct bt_transcript_call *call)
{
    bt_str command;
    BT_TRY(read_command(reader, value, &command));
    if (command.len == 0) {
        return BT_OK; /* it stays opaque */
    }
    if (is_patch_command(command)) {
        return read_patch(reader, command, call);
    }
    call->kind = BT_CALL_COMMAND;
    call->command = command;
    return BT_OK;
}

/* Read the arguments of a function, which are a text of JSON; NULL when they are not an object. */
static enum bt_status read_arguments(struct bt_transcript_reader *reader,
                                     const bt_json_value *payload, const struct bt_json_doc **out)
{
    struct bt_json_read_result read = {0};
    struct bt_json_options options = reader->json;
    options.scratch = NULL; /* the document of the line stays */
    /* from: file */
    BT_TRY(bt_json_read(&reader->line, bt_transcript_text(reader, payload, "arguments"), &options,
                        &read));
    *out = read.document && bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT
               ? read.document
               : NULL;
    return BT_OK;
}

static const bt_json_value *find_argument(const struct bt_json_doc *arguments, const char *name)
{
    return arguments ? bt_json_get(arguments, bt_json_root(arguments), bt_str_of(name)) : NULL;
}

/* The id of a running command, which is a number or a text. */
static enum bt_status read_session_id(struct bt_transcript_reader *reader,
                                      const struct bt_json_doc *arguments, bt_str *out)
{
    const bt_json_value *value = find_argument(arguments, "session_id");
    if (value && bt_json_type(value) == BT_JSON_STRING) {
        *out = bt_json_text(value);
    } else if (value && bt_json_is_number(value)) {
        return bt_arena_copy(&reader->line, bt_json_number_text(arguments, value), out);
    }
    return BT_OK;
}

static enum bt_status read_function(struct bt_transcript_reader *reader,
                                    const bt_json_value *payload, struct bt_transcript_call *call)
{
    static const struct {
        bt_str name;
        const char *member;
    } commands[] = {{BT_STR_INIT("exec_command"), "cmd"},
                    {BT_STR_INIT("shell_command"), "command"},
                    {BT_STR_INIT("shell"), "command"},
                    {BT_STR_INIT("container.exec"), "command"}};
    const struct bt_json_doc *arguments = NULL;
    BT_TRY(read_arguments(reader, payload, &arguments));
    for (size_t i = 0; i < BT_COUNT_OF(commands); i++) {
        if (bt_str_eq(call->tool, commands[i].name)) {
            BT_TRY(take_command(reader, find_argument(arguments, commands[i].member), call));
        }
    }
    const bt_json_value *patch = find_argument(arguments, "input");
    if (bt_str_eq(call->tool, APPLY_PATCH) && patch) {
        BT_TRY(read_patch(reader, bt_json_text(patch), call));
    }
    if (bt_str_eq(call->tool, BT_STR("write_stdin"))) {
        BT_TRY(read_session_id(reader, arguments, &call->session));
    }
    return BT_OK;
}

static enum bt_status read_call(struct bt_transcript_reader *reader, const bt_json_value *payload,
                                bt_str type, struct bt_transcript_event *out)
{
    struct bt_transcript_call call = {.tool = bt_transcript_text(reader, payload, "name"),
                                      .command = BT_STR(""),
                                      .input = BT_STR(""),
                                      .session = BT_STR("")};
    if (bt_str_eq(type, BT_STR("local_shell_call"))) {
        const bt_json_value *action = bt_transcript_get(reader, payload, "action");
        call.tool = type;
        BT_TRY(take_command(reader, bt_transcript_get(reader, action, "command"), &call));
    } else if (bt_str_eq(type, BT_STR("custom_tool_call"))) {
        const bt_str input = bt_transcript_text(reader, payload, "input");
        BT_TRY(bt_str_eq(call.tool, APPLY_PATCH) ? read_patch(reader, input, &call) : BT_OK);
    } else {
        BT_TRY(read_function(reader, payload, &call));
    }
    if (call.kind == BT_CALL_OPAQUE && bt_str_is_one_of(call.tool, READING_TOOLS)) {
        call.kind = BT_CALL_READING;
    }
    if (call.kind == BT_CALL_OPAQUE) {
        BT_TRY(bt_transcript_all_text(reader, payload, &call.input));
    }
    out->id = bt_transcript_text(reader, payload, "call_id");
    out->kind = out->id.len > 0 ? BT_TRANSCRIPT_CALL : BT_TRANSCRIPT_END;
    out->as.call = call;
    return BT_OK;
}

/* ---- Results --------------------------------------------------------------------------------- */

static bool read_number_behind(bt_str line, bt_str prefix, int64_t *out)
{
    bt_str text = bt_str_starts_with(line, prefix)
                      ? bt_str_trim(bt_str_slice(line, prefix.len, line.len))
                      : BT_STR("");
    const bool is_negative = bt_str_starts_with(text, BT_STR("-"));
    uint64_t number = 0;
    text = bt_str_slice(text, is_negative ? 1 : 0, text.len);
    if (text.len == 0 || bt_str_to_u64(text, &number) != BT_OK || number > INT32_MAX) {
        return false;
    }
    *out = is_negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* What the lines above the output say about the command. */
static void read_head(bt_str text, struct bt_transcript_result *result)
{
    static const bt_str running = BT_STR_INIT("Process running with session ID ");
    result->reason = BT_CALL_HOST;
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        const bt_str line = bt_str_trim(bt_str_slice(text, at, end));
        if (bt_str_eq(line, BT_STR("Output:"))) {
            return;
        }
        if (read_number_behind(line, BT_STR("Exit code:"), &result->exit) ||
            read_number_behind(line, BT_STR("Process exited with code"), &result->exit)) {
            result->reason = BT_CALL_EXIT_KNOWN;
        } else if (bt_str_starts_with(line, running)) {
            result->reason = BT_CALL_BACKGROUND;
            result->session = bt_str_trim(bt_str_slice(line, running.len, line.len));
        }
        at = end + 1;
    }
}

/* An output that is itself an object: {"output":TEXT,"metadata":{"exit_code":N}}. False: it is not
 * one. */
static enum bt_status read_structured(struct bt_transcript_reader *reader,
                                      struct bt_transcript_result *result, bool *out_is_one)
{
    struct bt_json_read_result read = {0};
    struct bt_json_options options = reader->json;
    options.scratch = NULL;
    *out_is_one = false;
    if (!bt_str_starts_with(bt_str_trim(result->text), BT_STR("{"))) {
        return BT_OK;
    }
    /* from: file */
    BT_TRY(bt_json_read(&reader->line, result->text, &options, &read));
    const bt_json_value *exit = read.document
                                    ? bt_json_resolve(read.document, bt_json_root(read.document),
                                                      BT_STR("/metadata/exit_code"))
                                    : NULL;
    if (!exit || bt_json_type(exit) != BT_JSON_INTEGER) {
        return BT_OK;
    }
    const bt_json_value *output =
        bt_json_get(read.document, bt_json_root(read.document), BT_STR("output"));
    result->reason = BT_CALL_EXIT_KNOWN;
    result->exit = exit->as.integer;
    result->text = output ? bt_json_text(output) : BT_STR("");
    *out_is_one = true;
    return BT_OK;
}

static enum bt_status read_output(struct bt_transcript_reader *reader, const bt_json_value *payload,
                                  struct bt_transcript_event *out)
{
    struct bt_transcript_result result = {.session = BT_STR("")};
    bool is_structured = false;
    BT_TRY(bt_transcript_join_text(reader, bt_transcript_get(reader, payload, "output"), false,
                                   &result.text));
    BT_TRY(read_structured(reader, &result, &is_structured));
    if (!is_structured) {
        read_head(result.text, &result);
    }
    result.is_cut = bt_transcript_is_truncated(result.text);
    out->id = bt_transcript_text(reader, payload, "call_id");
    out->kind = out->id.len > 0 ? BT_TRANSCRIPT_RESULT : BT_TRANSCRIPT_END;
    out->as.result = result;
    return BT_OK;
}

static void read_end(struct bt_transcript_reader *reader, const bt_json_value *payload,
                     struct bt_transcript_event *out)
{
    const bt_json_value *exit = bt_transcript_get(reader, payload, "exit_code");
    if (!exit || bt_json_type(exit) != BT_JSON_INTEGER) {
        return;
    }
    const bt_str text = bt_transcript_text(reader, payload, "aggregated_output");
    out->id = bt_transcript_text(reader, payload, "call_id");
    out->kind = out->id.len > 0 ? BT_TRANSCRIPT_RESULT : BT_TRANSCRIPT_END;
    out->as.result = (struct bt_transcript_result){.text = text,
                                                   .exit = exit->as.integer,
                                                   .is_certain = true,
                                                   .is_cut = bt_transcript_is_truncated(text),
                                                   .session = BT_STR("")};
}

/* ---- Usage ----------------------------------------------------------------------------------- */

static struct bt_token_usage read_counts(const struct bt_transcript_reader *reader,
                                         const bt_json_value *counts)
{
    return (struct bt_token_usage){
        .input = bt_transcript_count(reader, counts, "input_tokens"),
        .output = bt_transcript_count(reader, counts, "output_tokens"),
        .cache_read = bt_transcript_count(reader, counts, "cached_input_tokens"),
        .cache_write = bt_transcript_count(reader, counts, "cache_write_input_tokens")};
}

static void read_usage(struct bt_transcript_reader *reader, const bt_json_value *payload,
                       struct bt_transcript_event *out)
{
    const bt_json_value *info = bt_transcript_get(reader, payload, "info");
    const bt_json_value *total = bt_transcript_get(reader, info, "total_token_usage");
    if (!total || bt_json_type(total) != BT_JSON_OBJECT) {
        return;
    }
    out->kind = BT_TRANSCRIPT_USAGE;
    out->as.usage = (struct bt_transcript_usage){
        .model = reader->codex.model,
        .message_id = BT_STR(""),
        .count = read_counts(reader, total),
        .last = read_counts(reader, bt_transcript_get(reader, info, "last_token_usage")),
        .is_total = true,
        .is_inherited = is_inherited(reader)};
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static enum bt_status read_item(struct bt_transcript_reader *reader, const bt_json_value *payload,
                                struct bt_transcript_event *out)
{
    static const bt_str calls[] = {BT_STR_INIT("function_call"), BT_STR_INIT("local_shell_call"),
                                   BT_STR_INIT("custom_tool_call")};
    static const bt_str outputs[] = {BT_STR_INIT("function_call_output"),
                                     BT_STR_INIT("custom_tool_call_output")};
    const bt_str type = bt_transcript_text(reader, payload, "type");
    if (is_inherited(reader)) {
        return BT_OK;
    }
    if (bt_str_is_one_of(type, calls)) {
        return read_call(reader, payload, type, out);
    }
    return bt_str_is_one_of(type, outputs) ? read_output(reader, payload, out) : BT_OK;
}

static enum bt_status take_turn(struct bt_transcript_reader *reader, const bt_json_value *payload)
{
    const bt_str model = bt_transcript_text(reader, payload, "model");
    return model.len == 0 || bt_str_eq(model, reader->codex.model)
               ? BT_OK
               : bt_transcript_keep_name(reader, model, &reader->codex.model);
}

enum bt_status bt_transcript_read_codex(struct bt_transcript_reader *reader,
                                        struct bt_transcript_event *out)
{
    const bt_json_value *payload = payload_of(reader);
    const bt_str type = bt_transcript_text(reader, reader->object.root, "type");
    if (reader->object.next++ > 0) {
        return BT_OK; /* a line tells one thing */
    }
    if (!payload || !bt_str_is_one_of(type, LINE_TYPES)) {
        reader->state.skipped++;
        return BT_OK;
    }
    BT_TRY(bt_transcript_add_agent(reader, BT_STR("-"), &out->agent));
    if (bt_str_eq(type, BT_STR("session_meta"))) {
        return take_session(reader, payload);
    }
    if (bt_str_eq(type, BT_STR("turn_context"))) {
        return take_turn(reader, payload);
    }
    if (bt_str_eq(type, BT_STR("response_item"))) {
        return read_item(reader, payload, out);
    }
    const bt_str event = bt_transcript_text(reader, payload, "type");
    if (bt_str_eq(event, BT_STR("token_count"))) {
        read_usage(reader, payload, out);
    } else if (bt_str_eq(event, BT_STR("exec_command_end")) && !is_inherited(reader)) {
        read_end(reader, payload, out);
    }
    return BT_OK;
}
