/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_shell.c - any bytes at all as a shell command, before the command gate.
 *
 * Promises: the limits of the reader hold, and a text that is not understood has no commands; the
 * same text is read in the same way again; a command on a line of its own is never lost behind a
 * text that is understood; the gate decides about every text.
 */
#include "decide/gate.h"
#include "fuzz.h"

static struct bt_shell_text read_text(struct bt_arena *arena, bt_str text)
{
    struct bt_shell_text read;
    PROMISE(bt_shell_read(arena, text, &read) == BT_OK);
    return read;
}

static void limits_hold(const struct bt_shell_text *read, bt_str text)
{
    PROMISE(read->is_understood || (read->command_count == 0 && read->written_count == 0));
    PROMISE(read->is_understood || !read->is_doubtful);
    PROMISE(read->command_count <= BT_SHELL_COMMANDS_MAX);
    for (size_t i = 0; i < read->command_count; i++) {
        const struct bt_shell_command *command = &read->commands[i];
        PROMISE(command->word_count > 0 && command->word_count <= BT_SHELL_WORDS_MAX);
        for (size_t j = 0; j < command->word_count; j++) {
            PROMISE(command->words[j].text.len <= text.len);
            PROMISE(command->words[j].is_dynamic || !command->words[j].is_dynamic_bare);
        }
    }
}

static void is_read_alike(const struct bt_shell_text *a, const struct bt_shell_text *b)
{
    PROMISE(a->is_understood == b->is_understood && a->is_doubtful == b->is_doubtful);
    PROMISE(a->command_count == b->command_count && a->written_count == b->written_count);
    for (size_t i = 0; i < a->command_count; i++) {
        PROMISE(a->commands[i].word_count == b->commands[i].word_count);
        PROMISE(a->commands[i].connector == b->commands[i].connector);
    }
}

/* A here-document takes the lines behind it, and a backslash joins them. */
static bool may_take_next_line(bt_str text)
{
    bool has_document = false;
    for (size_t i = 0; i + 1 < text.len; i++) {
        has_document = has_document || (text.ptr[i] == '<' && text.ptr[i + 1] == '<');
    }
    return has_document || bt_str_ends_with(text, BT_STR("\\"));
}

static void next_line_is_read(struct bt_arena *arena, const struct bt_shell_text *read, bt_str text)
{
    const bt_str line = BT_STR("\ngit push");
    bt_str longer;
    bool is_found = false;
    if (!read->is_understood || may_take_next_line(text)) {
        return;
    }
    PROMISE(bt_arena_printf(arena, &longer, "%.*s%.*s", BT_STR_ARG(text), BT_STR_ARG(line)) ==
            BT_OK);
    const struct bt_shell_text both = read_text(arena, longer);
    for (size_t i = 0; i < both.command_count; i++) {
        is_found = is_found || bt_shell_command_matches(&both.commands[i], BT_STR("git push"));
    }
    PROMISE(is_found || !both.is_understood);
}

static void gate_decides(struct bt_arena *arena, bt_str text)
{
    static const bt_str files[] = {BT_STR_INIT(".baton/**")};
    const struct bt_gate_place place = {.project = BT_STR("/p"),
                                        .folder = BT_STR("/p"),
                                        .home = BT_STR(""),
                                        .files = {files, 1},
                                        .is_remote = true};
    const struct bt_gate_call call = {
        .kind = BT_GATE_TOOL_SHELL, .tool = BT_STR("Bash"), .text = text};
    struct bt_gate_rules rules;
    struct bt_gate_verdict verdict;
    PROMISE(bt_gate_rules_read(arena, bt_config_defaults(), &rules) == BT_OK);
    PROMISE(bt_gate_decide(arena, &rules, &place, &call, &verdict) == BT_OK);
    PROMISE((verdict.decision == BT_GATE_PASS) == (verdict.code.len == 0));
    PROMISE((verdict.decision == BT_GATE_NEEDS_APPROVAL) == (verdict.tier != NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bt_arena arena;
    const bt_str text = fuzz_text(data, size);
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_shell_text read = read_text(&arena, text);
    const struct bt_shell_text again = read_text(&arena, text);
    limits_hold(&read, text);
    is_read_alike(&read, &again);
    next_line_is_read(&arena, &read, text);
    gate_decides(&arena, text);
    bt_arena_free(&arena);
    return 0;
}
