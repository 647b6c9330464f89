/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_trace_show.c - baton trace show, baton trace parent */
#define _DEFAULT_SOURCE /* struct winsize */

#include <sys/ioctl.h>
#include <unistd.h>

#include <baton/json.h>

#include "cli.h"
#include "engine/check.h"
#include "input.h"
#include "json/emit.h"
#include "json/options.h"
#include "output.h"
#include "run.h"
#include "suggest.h"
#include "trace/trace.h"

/* ---- baton trace show ------------------------------------------------------------------------ */

enum {
    VIEW_BYTES_MAX = 1 << 30,
    FINDINGS_SHOWN_MAX = 20, /* on standard error; -f json has them all */
};

/* The index of the flag's word in its list, 0 when it is not given. */
static size_t find_word(const struct cli_options *options, const struct cli_flag *flag,
                        enum cli_kind kind)
{
    const char *given = cli_given(options, flag);
    size_t index = 0;
    return given && cli_kind_find(kind, given, &index) ? index : 0;
}

static bool take_options(const struct cli_options *options, struct bt_trace_render_options *out)
{
    const bool is_json = cli_wants_json(options);
    const size_t view = find_word(options, &flag_view, CLI_TRACE_VIEW);
    const size_t form = find_word(options, &flag_render, CLI_TRACE_FORM);
    if (is_json && cli_given(options, &flag_render)) {
        return cli_refuse_usage(options, "-f json cannot be combined with --render");
    }
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        size.ws_col = 0; /* not a terminal: the default width */
    }
    *out = (struct bt_trace_render_options){
        .view = (enum bt_trace_view)view,
        .form = is_json ? BT_TRACE_FORMAT_JSON : (enum bt_trace_format)form,
        .columns = size.ws_col,
        .colour = cli_wants_colour(options),
    };
    return true;
}

static bool read_log(struct bt_trace_set *traces, struct bt_arena *arena, const char *operand)
{
    struct cli_input input;
    if (!cli_input_read(arena, operand, BT_TRACE_LOG_BYTES_MAX, &input)) {
        return false;
    }
    const enum bt_status status = bt_trace_set_read(traces, input.path, input.content);
    return status == BT_OK ||
           cli_refuse("cannot read %s: %s", operand,
                      status == BT_ELIMIT ? "it is larger than 256 MiB, or there are more than a "
                                            "million lines"
                                          : bt_status_text(status));
}

static bool read_logs(struct bt_trace_set *traces, struct bt_arena *arena,
                      const struct cli_options *options)
{
    bool stdin_read = false;
    for (size_t i = 0; i < options->operand_count; i++) {
        const bool is_stdin = cli_is_stdin(options->operands[i]);
        if (is_stdin && stdin_read) {
            return cli_refuse("standard input was read already");
        }
        stdin_read = stdin_read || is_stdin;
        if (!read_log(traces, arena, options->operands[i])) {
            return false;
        }
    }
    return true;
}

static void print_findings(const struct bt_trace_set *traces)
{
    size_t shown = 0;
    size_t count = 0;
    for (size_t i = 0; i < bt_trace_set_log_count(traces); i++) {
        const struct bt_judgement *log = bt_trace_set_log_at(traces, i);
        for (size_t j = 0; j < bt_findings_count(log->findings); j++) {
            const struct bt_finding *finding = bt_findings_at(log->findings, j);
            if (count++ < FINDINGS_SHOWN_MAX) {
                shown++;
                cli_print_error("%.*s:%u: %.*s %.*s", BT_STR_ARG(log->path), finding->position.line,
                                BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
            }
        }
    }
    if (count > shown) {
        cli_print_error("and %zu more of this kind; -f json has all of them", count - shown);
    }
}

static int print_traces(struct bt_trace_set *traces, const struct cli_options *options,
                        const struct bt_trace_render_options *how)
{
    const char *only = cli_given(options, &flag_trace);
    struct bt_buf buf;
    bt_buf_init(&buf, VIEW_BYTES_MAX);
    enum bt_status status = bt_trace_set_group(traces, bt_str_of(only));
    const bool is_empty = bt_trace_set_count(traces) == 0;
    if (status == BT_OK && (how->form == BT_TRACE_FORMAT_JSON || !is_empty)) {
        status = bt_trace_set_render(traces, how, &buf);
    }
    if (status != BT_OK) {
        cli_print_error("cannot show the traces: %s", bt_status_text(status));
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    if (how->form != BT_TRACE_FORMAT_JSON) {
        print_findings(traces);
    }
    if (is_empty) {
        cli_print_error(only && bt_trace_set_event_count(traces) > 0
                            ? "no event belongs to trace %s"
                            : "no event could be read",
                        only ? only : "");
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && is_empty ? CLI_REJECTED : code;
}

int cmd_trace_show(struct cli_run *run)
{
    struct bt_trace_render_options how;
    if (!take_options(run->options, &how)) {
        return CLI_FAILED;
    }
    struct bt_trace_set *traces = bt_trace_set_new(&run->env, &run->arena);
    if (!traces) {
        return cli_fail_status(BT_ENOMEM);
    }
    return read_logs(traces, &run->arena, run->options) ? print_traces(traces, run->options, &how)
                                                        : CLI_FAILED;
}

/* ---- baton trace parent ---------------------------------------------------------------------- */

enum { OBJECT_BYTES_MAX = 1 << 24 };

struct cli_trace_parent_run {
    struct cli_run *run;
    struct bt_judgement judged; /* the input, with its findings */
    bool made;
    struct bt_traceparent parent;
};

/* Print the JSON object: the parts, or the findings. */
static int print_json(const struct cli_trace_parent_run *trace_run)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, OBJECT_BYTES_MAX);
    cli_json_begin(&emit, &buf);
    if (trace_run->made) {
        bt_emit_member_string(&emit, "traceparent", bt_str_of(trace_run->parent.text));
        bt_emit_member_string(&emit, "trace_id", bt_str_of(trace_run->parent.trace_id));
        bt_emit_member_string(&emit, "parent_id", bt_str_of(trace_run->parent.parent_id));
        bt_emit_member_string(&emit, "flags", bt_str_of(trace_run->parent.flags));
    } else {
        cli_json_array(&emit, "findings");
        bt_findings_emit(&emit, trace_run->judged.findings);
        bt_emit_end(&emit);
    }
    cli_json_end(&emit);
    return cli_print_buf(&buf);
}

static int print_text(const struct cli_trace_parent_run *trace_run, bool parsed)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OBJECT_BYTES_MAX);
    if (parsed) {
        bt_buf_printf(&buf, "trace_id   %s\nparent_id  %s\nflags      %s\n",
                      trace_run->parent.trace_id, trace_run->parent.parent_id,
                      trace_run->parent.flags);
    } else {
        bt_buf_printf(&buf, "%s\n", trace_run->parent.text);
    }
    return cli_print_buf(&buf);
}

static enum bt_status finish_judgement(struct cli_trace_parent_run *trace_run,
                                       struct bt_findings *findings)
{
    BT_TRY(bt_findings_finish(findings, trace_run->judged.source));
    trace_run->judged.findings = findings;
    trace_run->judged.verdict = bt_verdict_of(findings, BT_SEVERITY_HARD);
    return BT_OK;
}

static enum bt_status parse_traceparent(struct cli_trace_parent_run *trace_run, bt_str value)
{
    struct bt_findings *findings = bt_findings_new(&trace_run->run->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    trace_run->judged = (struct bt_judgement){
        .path = BT_STR("traceparent"), .dialect = BT_DIALECT_UNIVERSAL, .source = value};
    BT_TRY(bt_traceparent_parse(value, findings, &trace_run->made, &trace_run->parent));
    return finish_judgement(trace_run, findings);
}

static enum bt_status build_traceparent(struct cli_trace_parent_run *trace_run,
                                        const struct cli_input *input)
{
    const struct bt_json_options options = bt_json_options_from_env(&trace_run->run->env);
    const struct bt_check_options as_json = {.dialect = BT_DIALECT_JSON};
    struct bt_json_read_result read = {0};
    /* from: file */
    BT_TRY(bt_json_read(&trace_run->run->arena, input->content, &options, &read));
    if (!read.document) { /* report what `check` would */
        return bt_check_document(&trace_run->run->env, &trace_run->run->arena, input->path,
                                 input->content, &as_json, &trace_run->judged);
    }
    struct bt_findings *findings = bt_findings_new(&trace_run->run->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    trace_run->judged = (struct bt_judgement){
        .path = input->path, .dialect = BT_DIALECT_UNIVERSAL, .source = input->content};
    BT_TRY(
        bt_traceparent_from_handoff(read.document, findings, &trace_run->made, &trace_run->parent));
    return finish_judgement(trace_run, findings);
}

/* Get the header. False after an error message. */
static bool get_traceparent(struct cli_trace_parent_run *trace_run, const char *value)
{
    enum bt_status status = BT_OK;
    if (value) {
        status = parse_traceparent(trace_run, bt_str_of(value));
    } else {
        struct cli_input input;
        if (!cli_input_read(&trace_run->run->arena, trace_run->run->options->operands[0],
                            trace_run->run->env.limits.document_bytes, &input)) {
            return false;
        }
        status = build_traceparent(trace_run, &input);
    }
    return cli_is_ok(status);
}

static int print_result(struct cli_trace_parent_run *trace_run, bool parsed)
{
    int code = CLI_FAILED;
    if (cli_wants_json(trace_run->run->options)) {
        code = print_json(trace_run);
    } else if (trace_run->made) {
        code = print_text(trace_run, parsed);
    } else if (cli_report_write_one(trace_run->run->options, &trace_run->run->arena,
                                    &trace_run->judged)) {
        code = CLI_DONE;
    }
    return code == CLI_DONE && !trace_run->made ? CLI_REJECTED : code;
}

int cmd_trace_parent(struct cli_run *run)
{
    struct cli_trace_parent_run trace_run = {.run = run};
    const char *value = cli_given(run->options, &flag_parse);
    if ((value != NULL) == (run->options->operand_count > 0)) {
        return cli_usage_error(run->options->command, "give either a HANDOFF or --parse VALUE");
    }
    return get_traceparent(&trace_run, value) ? print_result(&trace_run, value != NULL)
                                              : CLI_FAILED;
}
