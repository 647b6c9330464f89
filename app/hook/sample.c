/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - sample events of an agent host, and what an answer to them means to it. */
#include "sample.h"

#include <baton/json.h>

#include "json/emit.h"

enum { EXIT_BLOCKS = 2 };

void hook_sample_put(struct bt_buf *buf, const struct hook_sample *sample)
{
    const struct agent_host *host = sample->host;
    const bool is_command = host->tools.command_event && sample->kind == HOOK_SAMPLE_TOOL;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "session_id", BT_STR(HOOK_TEST_SESSION));
    if (host->traits.names_event) {
        bt_emit_member_string(&emit, "hook_event_name", bt_str_of(sample->event));
    }
    bt_emit_member_string(&emit, "agent_id", BT_STR("a0000000000000001"));
    bt_emit_member_string(&emit, "agent_type", sample->agent_type);
    bt_emit_member_string(&emit, "cwd", sample->folder);
    if (sample->kind == HOOK_SAMPLE_STOP) {
        bt_emit_member_string(
            &emit, host->traits.text_member ? host->traits.text_member : "last_assistant_message",
            BT_STR("This is a test of baton hook test."));
    } else if (is_command) {
        bt_emit_member_string(&emit, "command", BT_STR("true"));
    } else if (sample->kind == HOOK_SAMPLE_TOOL) {
        bt_emit_member_string(&emit, "tool_name", bt_str_of(host->tools.shell[0]));
        bt_emit_member_object(&emit, "tool_input");
        bt_emit_member_string(&emit, "command", BT_STR("true"));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

const char *hook_sample_answer_name(enum hook_sample_answer answer)
{
    static const char *const names[] = {"unreadable", "pass",      "context", "send_back",
                                        "deny",       "tell_user", "stop"};
    return names[answer];
}

/* ---- Answers --------------------------------------------------------------------------------- */

struct hook_sample_object {
    const struct bt_json_doc *document;
    const bt_json_value *value;
};

static const bt_json_value *find_member(const struct hook_sample_object *object, const char *name)
{
    return object->value && bt_json_type(object->value) == BT_JSON_OBJECT
               ? bt_json_get(object->document, object->value, bt_str_of(name))
               : NULL;
}

static bool has_word(const struct hook_sample_object *object, const char *name, const char *word)
{
    const bt_json_value *value = find_member(object, name);
    return value && bt_json_type(value) == BT_JSON_STRING &&
           bt_str_eq(bt_json_text(value), bt_str_of(word));
}

static enum hook_sample_answer read_object(const struct hook_sample *sample,
                                           const struct hook_sample_object *root)
{
    const struct hook_sample_object inner = {root->document,
                                             find_member(root, "hookSpecificOutput")};
    const bool is_tool = sample->kind == HOOK_SAMPLE_TOOL;
    const bt_json_value *goes_on = find_member(root, "continue");
    if (has_word(&inner, "permissionDecision", "deny") ||
        has_word(root, "permissionDecision", "deny") || has_word(root, "permission", "deny") ||
        (is_tool && has_word(root, "decision", "deny"))) {
        return HOOK_SAMPLE_DENY;
    }
    if (has_word(root, "decision", "block") || has_word(root, "decision", "deny") ||
        find_member(root, "followup_message")) {
        return HOOK_SAMPLE_SEND_BACK;
    }
    if (goes_on && bt_json_type(goes_on) == BT_JSON_FALSE) {
        return HOOK_SAMPLE_STOPS;
    }
    if (find_member(&inner, "additionalContext") || find_member(root, "additionalContext")) {
        return HOOK_SAMPLE_CONTEXT;
    }
    if (find_member(root, "systemMessage")) {
        return HOOK_SAMPLE_USER_MESSAGE;
    }
    return bt_json_count(root->value) == 0 ? HOOK_SAMPLE_PASS : HOOK_SAMPLE_UNREADABLE;
}

enum bt_status hook_sample_read(struct bt_arena *arena, const struct hook_sample *sample,
                                int exit_code, bt_str output, enum hook_sample_answer *out)
{
    struct bt_json_read_result read = {0};
    *out = HOOK_SAMPLE_UNREADABLE;
    if (exit_code == EXIT_BLOCKS && sample->host->traits.uses_exit_code && output.len == 0) {
        *out = sample->kind == HOOK_SAMPLE_TOOL ? HOOK_SAMPLE_DENY : HOOK_SAMPLE_SEND_BACK;
        return BT_OK;
    }
    if (exit_code != 0) {
        return BT_OK;
    }
    if (output.len == 0) {
        *out = HOOK_SAMPLE_PASS;
        return BT_OK;
    }
    /* from: process */
    BT_TRY(bt_json_read(arena, output, NULL, &read));
    if (read.document && bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT) {
        const struct hook_sample_object root = {read.document, bt_json_root(read.document)};
        *out = read_object(sample, &root);
    }
    return BT_OK;
}
