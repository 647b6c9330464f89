/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_gate.c - baton gate check */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <baton/json.h>

#include "hook/protected.h"
#include "hook/tool.h"
#include "hook_config.h"
#include "json/emit.h"
#include "output.h"
#include "run.h"

enum { COMMAND_BYTES_MAX = 16 << 20, OUTPUT_BYTES_MAX = 64 << 20 };

/* ---- The call -------------------------------------------------------------------------------- */

/* Read --command-file. False after an error message. */
static bool read_command(struct cli_run *run, const char *path, struct hook_tool *out)
{
    struct cli_input input;
    if (!cli_input_read_all(&run->arena, path, COMMAND_BYTES_MAX, &input)) {
        return false;
    }
    *out = hook_tool_for_command(input.content);
    return true;
}

/* Read --tool and --input. False after an error message. */
static bool read_tool(struct cli_run *run, const struct agent_host *host, struct hook_tool *out)
{
    const char *given = cli_given(run->options, &flag_tool_input);
    const char *name = cli_given(run->options, &flag_tool);
    struct bt_json_read_result read = {0};
    if (!given) {
        return cli_refuse_usage(run->options, "--tool wants its --input too, as JSON");
    }
    /* from: flag */
    if (!cli_is_ok(bt_json_read(&run->arena, bt_str_of(given), NULL, &read))) {
        return false;
    }
    if (!read.document) {
        return cli_refuse_usage(run->options, "--input is not JSON");
    }
    const struct hook_tool_input input = {bt_str_of(name), read.document,
                                          bt_json_root(read.document)};
    return cli_is_ok(hook_tool_read(&run->arena, host, &input, out));
}

/* Read the call. False after an error message. */
static bool read_call(struct cli_run *run, const struct agent_host *host, struct hook_tool *out)
{
    const char *text = cli_given(run->options, &flag_command);
    const char *path = cli_given(run->options, &flag_command_file);
    const char *tool = cli_given(run->options, &flag_tool);
    if ((text != NULL) + (path != NULL) + (tool != NULL) != 1) {
        return cli_refuse_usage(run->options,
                                "give one of --command, --command-file, and --tool with --input");
    }
    if (tool) {
        return read_tool(run, host, out);
    }
    if (path) {
        return read_command(run, path, out);
    }
    *out = hook_tool_for_command(bt_str_of(text));
    return true;
}

/* ---- The decision ---------------------------------------------------------------------------- */

/* The current directory as the project. False after an error message. */
static bool find_place(struct cli_run *run, const struct agent_host *host,
                       const struct bt_config *config, struct bt_gate_place *out)
{
    char here[PATH_MAX];
    const char *home = getenv("HOME");
    const char *file = cli_given(run->options, &flag_gate_config);
    struct hook_protected_options options = {.home = bt_str_of(home && home[0] == '/' ? home : ""),
                                             .pin = bt_str_of(file)};
    if (!getcwd(here, sizeof(here))) {
        return cli_refuse("the current folder is not known");
    }
    *out = (struct bt_gate_place){.home = options.home};
    if (!cli_is_ok(bt_arena_copy(&run->arena, bt_str_of(here), &out->project))) {
        return false;
    }
    out->folder = out->project;
    options.here = out->project;
    return cli_is_ok(config_user_path(&run->arena, "", &options.user_config)) &&
           cli_is_ok(bt_config_path(config, "store", &run->arena, &options.store)) &&
           cli_is_ok(hook_protected_files(&run->arena, host, &options, &out->files));
}

static bool decide_call(struct cli_run *run, struct bt_gate_verdict *out)
{
    const char *named = cli_given(run->options, &flag_host);
    const struct agent_host *host = hook_host_find(named ? named : "claude");
    const struct config_load_options load_options = {
        .use = BT_CONFIG_HOOK, .file = cli_given(run->options, &flag_gate_config)};
    struct config_load_loaded loaded;
    const struct bt_config *config = NULL;
    struct bt_gate_rules rules;
    struct bt_gate_place place;
    struct bt_error error = {0};
    struct hook_tool tool;
    if (!host) {
        (void)hook_host_unknown(run->options->command, named);
        return false;
    }
    return read_call(run, host, &tool) &&
           cli_config_load(&run->arena, &load_options, &loaded, &config, &error) &&
           cli_is_ok(bt_gate_rules_read(&run->arena, config, &rules)) &&
           find_place(run, host, config, &place) &&
           cli_is_ok(bt_gate_decide(&run->arena, &rules, &place, &tool.call, out));
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *decision_name(enum bt_gate_decision decision)
{
    return decision == BT_GATE_PASS     ? "pass"
           : decision == BT_GATE_DENIED ? "denied"
                                        : "needs_approval";
}

static void put_words(struct bt_emit *emit, const struct bt_shell_word *words, size_t count)
{
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < count; i++) {
        if (words[i].is_dynamic) {
            bt_emit_null(emit);
        } else {
            bt_emit_string(emit, words[i].text);
        }
    }
    bt_emit_end(emit);
}

static void put_json(struct bt_buf *buf, const struct bt_gate_verdict *verdict)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_member_object(&emit, "gate");
    bt_emit_member_string(&emit, "decision", bt_str_of(decision_name(verdict->decision)));
    bt_emit_member_string_or_null(&emit, "code", verdict->code);
    bt_emit_member_string_or_null(&emit, "tier", verdict->tier ? verdict->tier->name : BT_STR(""));
    bt_emit_member_string_or_null(&emit, "pattern", verdict->pattern);
    cli_json_bool(&emit, "understood", verdict->read.is_understood && !verdict->read.is_doubtful);
    cli_json_array(&emit, "commands");
    for (size_t i = 0; i < verdict->read.command_count; i++) {
        const struct bt_shell_command *command = &verdict->read.commands[i];
        put_words(&emit, command->words, command->word_count);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "written");
    put_words(&emit, verdict->read.written, verdict->read.written_count);
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

static void put_text(struct bt_buf *buf, const struct bt_gate_verdict *verdict)
{
    const bt_str code = verdict->code;
    if (verdict->decision == BT_GATE_PASS) {
        bt_buf_put_text(buf, "pass: the gate leaves it to the permissions of the host\n");
    } else if (verdict->decision == BT_GATE_DENIED) {
        bt_buf_printf(buf, "denied: %.*s ", BT_STR_ARG(code));
        bt_buf_put_printable(buf, verdict->about, SIZE_MAX);
        bt_buf_put_text(buf, "; no grant exists for it: a person must do it\n");
    } else {
        bt_buf_printf(buf, "needs approval: %.*s %.*s: ", BT_STR_ARG(code),
                      BT_STR_ARG(verdict->tier->name));
        bt_buf_put_printable(buf, verdict->pattern, SIZE_MAX);
        bt_buf_put_text(buf,
                        verdict->pattern.len > 0
                            ? "\n"
                            : "what it runs cannot be told, and it mentions a gated program\n");
    }
    if (!verdict->read.is_understood || verdict->read.is_doubtful) {
        bt_buf_put_text(buf, "not understood: it was judged by the words in it\n");
    }
}

int cmd_gate_check(struct cli_run *run)
{
    struct bt_gate_verdict verdict;
    struct bt_buf buf;
    if (!decide_call(run, &verdict)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        put_json(&buf, &verdict);
    } else {
        put_text(&buf, &verdict);
    }
    const int code = cli_print_buf(&buf);
    return code != CLI_DONE ? code : verdict.decision == BT_GATE_PASS ? CLI_DONE : CLI_REJECTED;
}
