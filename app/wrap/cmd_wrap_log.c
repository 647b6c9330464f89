/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap_log.c - baton wrap log, baton wrap show, baton wrap stats: recorded calls. */
#include <inttypes.h>
#include <time.h>

#include <baton/json.h>

#include "cli/input.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/suggest.h"
#include "json/emit.h"
#include "report/table.h"
#include "wrap/history_flags.h"
#include "wrap/history_json.h"
#include "wrap/server_flags.h"

enum { OUTPUT_BYTES_MAX = 1 << 30, CALLS_SHOWN = 10 };

/* ---- Flags --------------------------------------------------------------------------------- */

bool wrap_take_history_filter(struct cli_run *run, struct bt_wrap_history_filter *out)
{
    const struct cli_options *options = run->options;
    const char *event = cli_given(options, &flag_call_event);
    *out = (struct bt_wrap_history_filter){
        .entries = {.from = BT_LEDGER_SEQ_NONE,
                    .kind = BT_STR(""),
                    .verdict = BT_STR(""),
                    .handoff_id = BT_STR(""),
                    .trace_id = BT_STR("")},
        .server = bt_str_of(cli_given(options, &flag_called_server)),
        .tool = bt_str_of(cli_given(options, &flag_called_tool)),
        .session = bt_str_of(cli_given(options, &flag_call_session)),
        .event = event ? bt_wrap_event_find(bt_str_of(event)) : BT_WRAP_EVENT_NONE};
    if (event && out->event == BT_WRAP_EVENT_NONE) {
        return cli_refuse_value(options, &flag_call_event, event);
    }
    return cli_run_instant(run, &flag_since, &out->entries.has_since, &out->entries.since) &&
           cli_run_instant(run, &flag_until, &out->entries.has_until, &out->entries.until);
}

static struct bt_wrap_history begin_history(struct cli_run *run)
{
    return (struct bt_wrap_history){run->ledger, wrap_memory(run), run->alarms};
}

/* ---- baton wrap log ------------------------------------------------------------------------ */

static void put_calls(struct cli_run *run, const struct bt_wrap_past_calls *calls,
                      struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_wrap_past_calls_emit(&emit, bt_ledger_origin(run->ledger), calls);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_lines(const struct bt_wrap_past_calls *calls, struct bt_buf *buf)
{
    for (size_t i = 0; i < calls->count; i++) {
        struct bt_emit emit;
        bt_emit_init(&emit, buf, false);
        bt_wrap_past_call_emit(&emit, &calls->items[i]);
        bt_buf_put_char(buf, '\n');
    }
}

static void add_number(struct bt_table *table, const bt_json_value *number)
{
    if (number && bt_json_type(number) == BT_JSON_INTEGER) {
        bt_table_add_u64(table, (uint64_t)number->as.integer);
    } else {
        bt_table_add(table, BT_STR(""));
    }
}

static enum bt_status put_table(struct cli_run *run, const struct bt_wrap_past_calls *calls,
                                bool is_continued, struct bt_buf *buf)
{
    static const char *const names[] = {"#SEQ", "TIME", "SERVER",   "TOOL", "EVENT",
                                        "#MS",  "FROM", "APPROVAL", NULL};
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    table.without_header = is_continued;
    for (size_t i = 0; i < calls->count; i++) {
        const struct bt_wrap_past_call *call = &calls->items[i];
        bt_str when;
        BT_TRY(cli_time_text(run->options, &run->arena, bt_env_now(&run->env), call->time, &when));
        bt_table_add_u64(&table, call->seq);
        bt_table_add(&table, when);
        bt_table_add(&table, call->server);
        bt_table_add(&table, call->tool);
        bt_table_add(&table, bt_wrap_event_name(call->event));
        add_number(&table, call->ms);
        bt_table_add(&table, call->source);
        bt_table_add(&table, call->approval);
    }
    return calls->count > 0 ? bt_table_put(&table, cli_terminal_columns(), buf) : table.status;
}

static bool has_format(const struct cli_options *options, enum bt_report_format format)
{
    return options->output_count > 0 &&
           options->outputs[options->output_count - 1].format == format;
}

/* Print what the filter finds. *out_next is the entry behind the last one that was examined. */
static int print_calls(struct cli_run *run, const struct bt_wrap_history_filter *filter,
                       uint64_t *out_next)
{
    const struct bt_wrap_history history = begin_history(run);
    struct bt_wrap_past_calls calls = {.last = BT_LEDGER_SEQ_NONE};
    struct bt_buf buf;
    if (bt_wrap_history_list(&history, filter, &calls, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot read the ledger");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (has_format(run->options, BT_REPORT_FORMAT_JSON)) {
        put_calls(run, &calls, &buf);
    } else if (has_format(run->options, BT_REPORT_FORMAT_JSONL)) {
        put_lines(&calls, &buf);
    } else if (put_table(run, &calls, *out_next > 0, &buf) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    *out_next = calls.last != BT_LEDGER_SEQ_NONE ? calls.last + 1 : *out_next;
    return cli_run_print(run, &buf);
}

/* Look again once a second, until a signal arrives or the reader has closed the pipe. */
static int follow_calls(struct cli_run *run, struct bt_wrap_history_filter *filter, uint64_t next)
{
    const struct timespec second = {1, 0};
    int code = CLI_DONE;
    filter->entries.count = BT_LEDGER_SEQ_NONE;
    while (code == CLI_DONE && !cli_reader_is_gone()) {
        const struct bt_arena_mark before = bt_arena_mark(&run->arena);
        (void)nanosleep(&second, NULL);
        filter->entries.from = next;
        code = print_calls(run, filter, &next);
        bt_arena_rewind(&run->arena, before);
    }
    return code;
}

int cmd_wrap_log(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bool is_following = cli_given(options, &flag_follow) != NULL;
    struct bt_wrap_history_filter filter;
    uint64_t next = 0;
    if (!wrap_take_history_filter(run, &filter) ||
        !cli_run_number(run, &flag_count, CALLS_SHOWN, &filter.entries.count) ||
        !cli_run_number(run, &flag_from, BT_LEDGER_SEQ_NONE, &filter.entries.from)) {
        return CLI_FAILED;
    }
    if (is_following &&
        (has_format(options, BT_REPORT_FORMAT_JSON) || cli_given(options, &flag_out))) {
        return cli_usage_error(options->command, "--follow shows lines: use -f jsonl, without -o");
    }
    if (!cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    const int code = print_calls(run, &filter, &next);
    if (code == CLI_DONE && next == 0 && !cli_run_is_json(options)) {
        cli_print_empty(options, "No calls. `baton wrap` records them when there is a store.");
    }
    return is_following && code == CLI_DONE ? follow_calls(run, &filter, next) : code;
}

/* ---- baton wrap show ----------------------------------------------------------------------- */

/* Whether a file is what was recorded. */
enum wrap_match { WRAP_MATCH_UNKNOWN = 0, WRAP_MATCH_YES, WRAP_MATCH_NO };

/* Compare the file that a flag names with the record. False after an error message. */
static bool compare_file(struct cli_run *run, const struct bt_wrap_past_call *call,
                         enum bt_wrap_compared which, struct bt_findings *findings,
                         enum wrap_match *out)
{
    const char *path = cli_given(
        run->options, which == BT_WRAP_COMPARED_REQUEST ? &flag_request_file : &flag_response_file);
    const size_t before = bt_findings_count(findings);
    struct bt_json_read_result read = {0};
    struct cli_input input;
    bool is_known = false;
    *out = WRAP_MATCH_UNKNOWN;
    if (!path) {
        return true;
    }
    if (!cli_run_read(run, path, &input)) {
        return false;
    }
    /* from: caller */
    if (bt_json_read(&run->arena, input.content, NULL, &read) != BT_OK || !read.document) {
        return cli_refuse("%s is not JSON", path);
    }
    const enum bt_status status =
        bt_wrap_past_call_compare(call, which, read.document, findings, &is_known);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    *out = !is_known                               ? WRAP_MATCH_UNKNOWN
           : bt_findings_count(findings) == before ? WRAP_MATCH_YES
                                                   : WRAP_MATCH_NO;
    return true;
}

static void put_match(struct bt_emit *emit, const char *name, enum wrap_match match)
{
    if (match == WRAP_MATCH_UNKNOWN) {
        bt_emit_member_null(emit, name);
    } else {
        bt_emit_member_bool(emit, name, match == WRAP_MATCH_YES);
    }
}

static void put_call(struct cli_run *run, const struct bt_wrap_past_call *call,
                     const enum wrap_match matches[2], const struct bt_findings *findings,
                     struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, !cli_run_is_json(run->options));
    bt_emit_begin_object(&emit);
    bt_wrap_past_call_emit_whole(&emit, bt_ledger_origin(run->ledger), call);
    bt_emit_member_object(&emit, "matches");
    put_match(&emit, "request", matches[BT_WRAP_COMPARED_REQUEST]);
    put_match(&emit, "response", matches[BT_WRAP_COMPARED_RESPONSE]);
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "findings");
    bt_findings_emit(&emit, findings);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

int cmd_wrap_show(struct cli_run *run)
{
    struct bt_findings *findings = bt_findings_new(&run->arena);
    enum wrap_match matches[2];
    struct bt_wrap_past_call call;
    struct bt_buf buf;
    uint64_t seq = 0;
    if (!findings || !cli_run_open_ledger(run, CLI_READ) ||
        !cli_run_seq(run, run->options->operands[0], &seq)) {
        return CLI_FAILED;
    }
    const struct bt_wrap_history history = begin_history(run);
    if (bt_wrap_history_get(&history, seq, &call, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot show it");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    for (size_t i = 0; i < 2; i++) {
        if (!compare_file(run, &call, (enum bt_wrap_compared)i, findings, &matches[i])) {
            return CLI_FAILED;
        }
    }
    if (bt_findings_finish(findings, BT_STR("")) != BT_OK) {
        return cli_fail_status(BT_ENOMEM);
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_call(run, &call, matches, findings, &buf);
    const int code = cli_run_print(run, &buf);
    return code == CLI_DONE && bt_findings_count(findings) > 0 ? CLI_REJECTED : code;
}

/* ---- baton wrap stats ---------------------------------------------------------------------- */

static enum bt_status put_stats_table(struct cli_run *run, const struct bt_wrap_tool_stats *tools,
                                      size_t count, struct bt_buf *buf)
{
    static const char *const names[] = {"SERVER",   "TOOL",    "#CALLS",  "#RETURNED", "#FAILED",
                                        "#REFUSED", "#MS P50", "#MS P95", "#TOKENS",   NULL};
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    for (size_t i = 0; i < count; i++) {
        const struct bt_wrap_tool_stats *tool = &tools[i];
        bt_table_add(&table, tool->server);
        bt_table_add(&table, tool->tool);
        bt_table_add_u64(&table, tool->calls);
        bt_table_add_u64(&table, tool->returned);
        bt_table_add_u64(&table, tool->failed);
        bt_table_add_u64(&table, tool->refused);
        for (unsigned percent = 50; percent <= 95; percent += 45) {
            if (tool->ms.count > 0) {
                bt_table_add_u64(&table,
                                 bt_wrap_percentile(tool->ms.items, tool->ms.count, percent));
            } else {
                bt_table_add(&table, BT_STR(""));
            }
        }
        bt_table_add_u64(&table, tool->tokens);
    }
    return count > 0 ? bt_table_put(&table, cli_terminal_columns(), buf) : table.status;
}

int cmd_wrap_stats(struct cli_run *run)
{
    struct bt_wrap_tool_stats *tools = NULL;
    struct bt_wrap_history_filter filter;
    struct bt_buf buf;
    size_t count = 0;
    if (!wrap_take_history_filter(run, &filter) || !cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    const struct bt_wrap_history history = begin_history(run);
    if (bt_wrap_history_count(&history, &filter, &tools, &count, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot read the ledger");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        struct bt_emit emit;
        bt_emit_init(&emit, &buf, false);
        bt_wrap_stats_emit(&emit, tools, count);
        bt_buf_put_char(&buf, '\n');
    } else if (put_stats_table(run, tools, count, &buf) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    if (count == 0 && !cli_run_is_json(run->options)) {
        cli_print_empty(run->options, "No calls. `baton wrap` records them when there is a store.");
    }
    return cli_run_print(run, &buf);
}
