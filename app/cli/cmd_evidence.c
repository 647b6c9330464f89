/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_evidence.c - baton evidence */
#include "evidence/evidence.h"

#include "base/hex.h"
#include "cli.h"
#include "contract_run.h"
#include "evidence/index.h"
#include "hook_config.h"
#include "json/emit.h"
#include "output.h"
#include "report/table.h"
#include "suggest.h"

enum { OUTPUT_BYTES_MAX = 1 << 30, TEXT_BYTES_MAX = 1 << 30 };

/* ---- baton evidence check -------------------------------------------------------------------- */

/* What to compare with. False after an error message. */
static bool take_evidence(struct cli_run *run, struct bt_evidence *out)
{
    const char *mode = cli_given(run->options, &flag_evidence_mode);
    const char *agent = cli_given(run->options, &flag_evidence_agent);
    const char *path = cli_given(run->options, &flag_transcript);
    *out = (struct bt_evidence){
        .env = &run->env,
        .mode = BT_EVIDENCE_ENFORCE,
        .source = {.path = bt_str_of(path),
                   .agent =
                       agent ? bt_str_of(agent) : run->contract->flags.options.written_agent_id,
                   .doc_paths = cli_evidence_doc_paths(run->options, &run->arena)}};
    if (!path) {
        return cli_refuse_usage(run->options,
                                "compare with which transcript? give --transcript FILE");
    }
    if (mode && bt_evidence_mode_parse(bt_str_of(mode), &out->mode) != BT_OK) {
        return cli_refuse_value(run->options, &flag_evidence_mode, mode);
    }
    struct bt_transcript_reader *reader = NULL; /* the comparison opens it again */
    const bool is_open = cli_run_open_transcript(run, out->source.path, &reader);
    bt_transcript_close(reader);
    return is_open;
}

int cmd_evidence_check(struct cli_run *run)
{
    struct cli_input message;
    struct bt_evidence evidence;
    if (!contract_run_message(run, &message) || !take_evidence(run, &evidence)) {
        return CLI_FAILED;
    }
    struct bt_contract_options *options = &run->contract->flags.options;
    options->compare = bt_evidence_compare;
    options->compare_context = &evidence;
    const struct bt_contract_document document = {message.path, message.content, options};
    struct bt_contract_repair_prompt repaired;
    const struct bt_contract_attempt attempt = {.number = 1, .limit = 1};
    const enum bt_status status = bt_contract_write_repair_prompt(
        run->contract->checker, &run->arena, &document, attempt, &repaired);
    return status == BT_OK ? cli_run_report_one(run, &repaired.judged, BT_STR(""))
                           : cli_fail_status(status);
}

/* ---- baton evidence show --------------------------------------------------------------------- */

/* What to show of the calls. */
struct shown_calls {
    struct bt_evidence_index index;
    struct bt_transcript_reader *reader;
    const char *agent; /* NULL: all */
    const char *kind;  /* NULL: all */
    bool with_output;
};

/* Whether a call of the agent with this number in the list of agents is shown. */
static bool is_shown(const struct shown_calls *shown, const struct bt_evidence_call *call,
                     size_t agent)
{
    const bt_str name = bt_transcript_state(shown->reader)->agents[agent];
    return call->agent == agent && (!shown->agent || bt_str_eq(name, bt_str_of(shown->agent))) &&
           (!shown->kind ||
            bt_str_eq(bt_call_kind_name((enum bt_call_kind)call->kind), bt_str_of(shown->kind)));
}

static void put_call(struct bt_emit *emit, const struct shown_calls *shown,
                     const struct bt_evidence_call *call)
{
    const enum bt_call_kind kind = (enum bt_call_kind)call->kind;
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "n", call->number);
    bt_emit_member_string(emit, "agent", bt_transcript_state(shown->reader)->agents[call->agent]);
    bt_emit_member_string(emit, "kind", bt_call_kind_name(kind));
    bt_emit_member_string(emit, "tool", call->text.tool);
    bt_emit_member_u64(emit, "line", call->line);
    if (kind == BT_CALL_COMMAND) {
        const bt_str reason = bt_call_reason_name((enum bt_call_reason)call->reason);
        bt_emit_member_string(emit, "command", call->text.command);
        bt_emit_name(emit, "exit");
        if (call->reason == BT_CALL_EXIT_KNOWN) {
            bt_emit_i64(emit, call->exit);
        } else {
            bt_emit_null(emit);
        }
        bt_emit_member_string_or_null(emit, "reason", reason);
    } else if (kind == BT_CALL_EDIT) {
        bt_emit_member_texts(emit, "paths", call->paths.items, call->paths.count);
        bt_emit_member_bool(emit, "applied", bt_evidence_call_is_applied(call));
    }
    if (shown->with_output) {
        bt_emit_member_string(emit, "output", call->text.output);
    }
    bt_emit_end(emit);
}

static bt_str state_name(const struct shown_calls *shown)
{
    const struct bt_transcript_state *state = bt_transcript_state(shown->reader);
    return state->format == BT_TRANSCRIPT_FORMAT_NONE  ? BT_STR("unreadable")
           : state->is_partial || shown->index.is_full ? BT_STR("partial")
                                                       : BT_STR("read");
}

static void put_json(struct bt_buf *buf, const struct shown_calls *shown)
{
    const struct bt_transcript_state *state = bt_transcript_state(shown->reader);
    const bool is_known = state->format != BT_TRANSCRIPT_FORMAT_NONE;
    char hex[BT_SHA256_HEX_BYTES];
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_member_object(&emit, "transcript");
    bt_emit_member_string(&emit, "state", state_name(shown));
    if (is_known) {
        bt_emit_member_string(&emit, "format", bt_transcript_format_name(state->format));
        bt_hex_put(state->sha256, sizeof(state->sha256), hex);
        bt_emit_member_string(&emit, "sha256", (bt_str){hex, sizeof(hex) - 1});
        bt_emit_member_u64(&emit, "bytes", state->to);
        bt_emit_member_u64(&emit, "lines", state->lines);
        bt_emit_member_u64(&emit, "skipped", state->skipped);
        bt_emit_member_texts(&emit, "agents", state->agents, state->agent_count);
    }
    bt_emit_end(&emit);
    if (is_known) {
        cli_json_array(&emit, "calls");
        for (size_t agent = 0; agent < state->agent_count; agent++) {
            for (size_t i = 0; i < shown->index.calls.count; i++) {
                if (is_shown(shown, &shown->index.calls.items[i], agent)) {
                    put_call(&emit, shown, &shown->index.calls.items[i]);
                }
            }
        }
        bt_emit_end(&emit);
    }
    cli_json_end(&emit);
}

/* What a call did, in one line. */
static enum bt_status write_action(struct cli_run *run, const struct bt_evidence_call *call,
                                   bt_str *out)
{
    *out = call->kind == BT_CALL_COMMAND ? call->text.command : BT_STR("");
    for (size_t i = 0; i < call->paths.count; i++) {
        BT_TRY(bt_arena_printf(&run->arena, out, "%.*s%s%.*s", BT_STR_ARG(*out), i > 0 ? " " : "",
                               BT_STR_ARG(call->paths.items[i])));
    }
    return BT_OK;
}

static enum bt_status put_table(struct cli_run *run, struct bt_buf *buf,
                                const struct shown_calls *shown)
{
    static const char *const names[] = {"#N",    "AGENT", "KIND", "TOOL",
                                        "#LINE", "EXIT",  "WHAT", NULL};
    const struct bt_transcript_state *state = bt_transcript_state(shown->reader);
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    for (size_t agent = 0; agent < state->agent_count; agent++) {
        for (size_t i = 0; i < shown->index.calls.count; i++) {
            const struct bt_evidence_call *call = &shown->index.calls.items[i];
            bt_str what;
            bt_str exit = bt_call_reason_name((enum bt_call_reason)call->reason);
            if (!is_shown(shown, call, agent)) {
                continue;
            }
            if (call->kind == BT_CALL_COMMAND && call->reason == BT_CALL_EXIT_KNOWN) {
                BT_TRY(bt_arena_printf(&run->arena, &exit, "%lld", (long long)call->exit));
            } else if (call->kind != BT_CALL_COMMAND) {
                exit = BT_STR("");
            }
            BT_TRY(write_action(run, call, &what));
            bt_table_add_u64(&table, call->number);
            bt_table_add(&table, state->agents[agent]);
            bt_table_add(&table, bt_call_kind_name((enum bt_call_kind)call->kind));
            bt_table_add(&table, call->text.tool);
            bt_table_add_u64(&table, call->line);
            bt_table_add(&table, exit);
            bt_table_add(&table, what);
        }
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
}

static int print_calls(struct cli_run *run, const struct shown_calls *shown)
{
    const bool is_known = bt_transcript_state(shown->reader)->format != BT_TRANSCRIPT_FORMAT_NONE;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        put_json(&buf, shown);
    } else if (!is_known) {
        bt_buf_put_text(&buf, "not a transcript of Claude Code or Codex\n");
    } else if (put_table(run, &buf, shown) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_known ? CLI_REJECTED : code;
}

int cmd_evidence_show(struct cli_run *run)
{
    const bt_str path = bt_str_of(run->options->operands[0]);
    struct shown_calls shown = {.agent = cli_given(run->options, &flag_evidence_agent),
                                .kind = cli_given(run->options, &flag_call_kind),
                                .with_output = cli_given(run->options, &flag_call_output) != NULL};
    const struct bt_evidence_index_options wanted = {.agent = BT_STR(""),
                                                     .is_all = true,
                                                     .keeps_text = true,
                                                     .keeps_output = shown.with_output,
                                                     .hash_seed = run->env.hash_seed};
    if (!cli_run_open_transcript(run, path, &shown.reader)) {
        return CLI_FAILED;
    }
    struct bt_arena arena;
    bt_arena_init(&arena, TEXT_BYTES_MAX);
    bt_evidence_index_init(&shown.index, &arena, &wanted);
    const enum bt_status status = bt_evidence_index_read(&shown.index, shown.reader);
    const int code = status == BT_OK ? print_calls(run, &shown) : cli_fail_status(status);
    bt_transcript_close(shown.reader);
    bt_evidence_index_free(&shown.index);
    bt_arena_free(&arena);
    return code;
}
