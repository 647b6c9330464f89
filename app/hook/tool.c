/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - read the call of a tool, whichever names the agent host uses. */
#include "tool.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

enum { INPUT_BYTES_MAX = 1 << 26 };

static bool is_named(bt_str name, const char *const names[HOOK_TOOLS_MAX])
{
    for (size_t i = 0; i < HOOK_TOOLS_MAX && names[i]; i++) {
        if (bt_str_eq(name, bt_str_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/* The text of a member; its pointer is NULL when it is not a string. */
static bt_str text_of(const struct hook_tool_input *input, const char *member)
{
    const bool is_object = input->value && bt_json_type(input->value) == BT_JSON_OBJECT;
    const bt_json_value *value =
        is_object ? bt_json_get(input->document, input->value, bt_str_of(member)) : NULL;
    return value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : (bt_str){NULL, 0};
}

/* Write the input; what has no canonical form is written as it stands. */
static enum bt_status write_input(struct bt_arena *arena, const struct hook_tool_input *input,
                                  const char *before, enum bt_json_form form, bt_str *out)
{
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, INPUT_BYTES_MAX);
    bt_buf_put_text(&buf, before);
    if (!input->value) {
        bt_buf_put_text(&buf, "null");
    } else {
        status = bt_json_write(&buf, input->document, input->value, form, arena, NULL);
        if (status == BT_EINVAL) {
            status = bt_json_write(&buf, input->document, input->value, BT_JSON_FORM_COMPACT, arena,
                                   NULL);
        }
    }
    return bt_buf_finish_if(status, &buf, arena, out);
}

/* ---- Files ----------------------------------------------------------------------------------- */

struct hook_tool_paths {
    struct bt_arena *arena;
    BT_VEC(bt_str) list;
};

/* The paths of a patch: what follows these words on a line. */
static enum bt_status take_patch(struct hook_tool_paths *paths, bt_str patch)
{
    static const bt_str marks[] = {BT_STR_INIT("*** Add File:"), BT_STR_INIT("*** Update File:"),
                                   BT_STR_INIT("*** Delete File:"), BT_STR_INIT("*** Move to:")};
    for (size_t from = 0; from < patch.len;) {
        const size_t end = bt_str_find_byte(patch, '\n', from);
        const bt_str line = bt_str_trim(bt_str_slice(patch, from, end));
        for (size_t i = 0; i < BT_COUNT_OF(marks); i++) {
            if (bt_str_starts_with(line, marks[i])) {
                const bt_str path = bt_str_trim(bt_str_slice(line, marks[i].len, line.len));
                BT_TRY(bt_vec_push(paths->arena, &paths->list, path));
            }
        }
        from = end + 1;
    }
    return BT_OK;
}

static enum bt_status take_paths(struct bt_arena *arena, const struct agent_host_tools *tools,
                                 const struct hook_tool_input *input, struct hook_tool *out)
{
    struct hook_tool_paths paths = {.arena = arena};
    for (size_t i = 0; i < HOOK_TOOLS_MAX && tools->paths[i]; i++) {
        const bt_str path = text_of(input, tools->paths[i]);
        if (path.ptr) {
            BT_TRY(bt_vec_push(arena, &paths.list, path));
        }
    }
    const bt_str patch = text_of(input, "command");
    if (tools->has_patches && patch.ptr) {
        BT_TRY(take_patch(&paths, patch));
    }
    out->call.paths = (struct bt_str_list){paths.list.items, paths.list.count};
    return BT_OK;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

struct hook_tool hook_tool_for_command(bt_str command)
{
    return (struct hook_tool){
        .call = {.kind = BT_GATE_TOOL_SHELL, .tool = BT_STR(""), .text = command},
        .content = command,
        .call_id = BT_STR("")};
}

enum bt_status hook_tool_read(struct bt_arena *arena, const struct agent_host *host,
                              const struct hook_tool_input *input, struct hook_tool *out)
{
    static const char *const unreadable[HOOK_TOOLS_MAX] = {"powershell", "PowerShell"};
    const struct agent_host_tools *tools = &host->tools;
    const bool is_object = input->value && bt_json_type(input->value) == BT_JSON_OBJECT;
    const bool is_shell = is_named(input->name, tools->shell);
    const bool is_unreadable = is_named(input->name, unreadable);
    const bt_str command = is_shell ? text_of(input, "command") : (bt_str){NULL, 0};
    bt_str before;
    *out = (struct hook_tool){.call = {.tool = input->name, .text = BT_STR("")},
                              .content = BT_STR(""),
                              .call_id = BT_STR("")};
    if (is_named(input->name, tools->passed)) {
        return BT_OK;
    }
    if (command.ptr) {
        out->call.kind = BT_GATE_TOOL_SHELL;
        out->call.text = command;
        out->content = command;
        return BT_OK;
    }
    if (is_shell || is_unreadable || !is_object) {
        out->call.kind = BT_GATE_TOOL_UNKNOWN;
        BT_TRY(write_input(arena, input, "", BT_JSON_FORM_COMPACT, &out->call.text));
    } else {
        out->call.kind =
            is_named(input->name, tools->files) ? BT_GATE_TOOL_FILE : BT_GATE_TOOL_OTHER;
    }
    if (out->call.kind == BT_GATE_TOOL_FILE) {
        BT_TRY(take_paths(arena, tools, input, out));
    }
    if (is_shell || is_unreadable) {
        out->content = out->call.text;
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(arena, &before, "%.*s ", BT_STR_ARG(input->name)));
    return write_input(arena, input, before.ptr, BT_JSON_FORM_CANONICAL, &out->content);
}

bool hook_tool_is_risky(const struct hook_tool *tool)
{
    return tool->call.kind == BT_GATE_TOOL_SHELL || tool->call.kind == BT_GATE_TOOL_UNKNOWN ||
           tool->call.kind == BT_GATE_TOOL_FILE;
}
