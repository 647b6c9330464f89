/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_trace_show.c - baton trace show, baton trace parent */
#define _DEFAULT_SOURCE /* struct winsize */

#include <sys/ioctl.h>
#include <unistd.h>

#include <baton/json.h>

#include "commands.h"
#include "input.h"
#include "output.h"
#include "run.h"
#include "suggest.h"
#include "trace/trace.h"

/* ---- baton trace show ------------------------------------------------------------------------ */

static cli_work_fn run_show;

/* clang-format off */
static const struct cli_flag flag_trace = {"trace", 0, "ID", CLI_ANY,
    "show this trace alone", NULL};
static const struct cli_flag flag_view = {"view", 0, "VIEW", CLI_TRACE_VIEW,
    "timeline (default): workflows and phases; chain: who handed what to whom", NULL};
static const struct cli_flag flag_render = {"render", 0, "FORM", CLI_TRACE_FORM,
    "text (default), mermaid, dot or svg", NULL};
/* clang-format on */

const struct cli_command cmd_trace_show = {
    .name = "baton trace show",
    .operands = "LOG...|-",
    .summary = "show what happened in which order, and how long it took",
    .about =
        "Reads the logs as one. Lines that are not events are skipped and reported. In the "
        "timeline = is a workflow, - a phase, ! an error, | an event without duration, and > the "
        "end of a phase that was not completed.\n"
        "A log may have up to 256 MiB, a line up to 1 MiB, all logs together a million lines. "
        "Exit 1 when there is no event to show.\n",
    .missing = "show which LOG? Give one, or - for standard input",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_trace, &flag_view, &flag_render, &flag_table_format, &flag_config,
                       &flag_no_config, &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton trace show trace.jsonl", "a timeline in the terminal"},
        {"baton trace show --view chain trace.jsonl", "one line for each handoff"},
        {"baton trace show --render svg trace.jsonl > trace.svg", "the timeline as a picture"},
        {"baton trace show -f json work/*/trace.jsonl", "everything, for a program"}),
    .work = run_show,
};

enum {
    VIEW_BYTES_MAX = 1 << 30,
    FINDINGS_SHOWN_MAX = 20, /* on standard error; -f json has them all */
};

/* The index of `word` in its list, 0 when it is NULL. False after an error message. */
static bool take_word(const struct cli_options *options, const struct cli_flag *flag, size_t *out)
{
    const char *given = cli_given(options, flag);
    *out = 0;
    if (!given) {
        return true;
    }
    for (; cli_kind_word(flag->kind, *out).len > 0; (*out)++) {
        if (bt_str_eq(cli_kind_word(flag->kind, *out), bt_str_of(given))) {
            return true;
        }
    }
    struct cli_suggestion guess = cli_guess_for(bt_str_of(given));
    cli_guess_try_kind(&guess, flag->kind);
    (void)cli_print_unknown(options->command, flag->name, "", &guess);
    return false;
}

static bool take_options(const struct cli_options *options, struct bt_trace_render_options *out)
{
    const bool is_json = cli_wants_json(options);
    size_t view = 0;
    size_t form = 0;
    if (!take_word(options, &flag_view, &view) || !take_word(options, &flag_render, &form)) {
        return false;
    }
    if (is_json && cli_given(options, &flag_render)) {
        (void)cli_usage_error(options->command, "-f json cannot be combined with --render");
        return false;
    }
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        size.ws_col = 0; /* not a terminal: the default width */
    }
    *out = (struct bt_trace_render_options){
        .view = (enum bt_trace_view)view,
        .form = is_json ? BT_TRACE_FORMAT_JSON : (enum bt_trace_format)form,
        .columns = size.ws_col,
        .colour = cli_wants_colour(),
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
    if (status != BT_OK) {
        cli_print_error("cannot read %s: %s", operand,
                        status == BT_ELIMIT ? "it is larger than 256 MiB, or there are more than a "
                                              "million lines"
                                            : bt_status_text(status));
    }
    return status == BT_OK;
}

static bool read_logs(struct bt_trace_set *traces, struct bt_arena *arena,
                      const struct cli_options *options)
{
    bool stdin_read = false;
    for (size_t i = 0; i < options->operand_count; i++) {
        const bool is_stdin = cli_is_stdin(options->operands[i]);
        if (is_stdin && stdin_read) {
            cli_print_error("standard input was read already");
            return false;
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

static int run_show(struct cli_run *run)
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

static cli_work_fn run_parent;

/* clang-format off */
static const struct cli_flag flag_parse = {"parse", 0, "VALUE", CLI_ANY,
    "take this value of the header apart", NULL};
/* clang-format on */

const struct cli_command cmd_trace_parent = {
    .name = "baton trace parent",
    .operands = "[HANDOFF|-]",
    .summary = "make a W3C traceparent of a handoff, or take one apart",
    .about = "The header is made of trace_id and of the first 16 hexadecimal digits of "
             "tracing.parent_span_id, which is the sender's own span. Exit 1 when the handoff has "
             "no usable span, or when the VALUE is not a header of version 00.\n",
    .missing = "",
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_parse, &flag_table_format, &flag_config, &flag_no_config, &flag_limit,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"curl -H \"traceparent: $(baton trace parent h.json)\" ...", "carry the trace over HTTP"},
        {"baton trace parent -f json --parse \"$TRACEPARENT\"", "the parts of a header"}),
    .work = run_parent,
};

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
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    if (trace_run->made) {
        bt_emit_member_string(&emit, "traceparent", bt_str_of(trace_run->parent.text));
        bt_emit_member_string(&emit, "trace_id", bt_str_of(trace_run->parent.trace_id));
        bt_emit_member_string(&emit, "parent_id", bt_str_of(trace_run->parent.parent_id));
        bt_emit_member_string(&emit, "flags", bt_str_of(trace_run->parent.flags));
    } else {
        bt_emit_name(&emit, "findings");
        bt_emit_begin_array(&emit);
        bt_findings_emit(&emit, trace_run->judged.findings);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
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

static int print_report(struct cli_trace_parent_run *trace_run)
{
    struct bt_report *report = bt_report_new(&trace_run->run->arena);
    if (!report || bt_report_add(report, &trace_run->judged) != BT_OK) {
        return cli_fail_status(BT_ENOMEM);
    }
    return cli_report_write(trace_run->run->options, report) ? CLI_DONE : CLI_FAILED;
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
    struct bt_json_read_result read;
    /* from: file */
    BT_TRY(bt_json_read(&trace_run->run->arena, input->content, &options, &read));
    if (!read.document) { /* report what `check` would */
        return bt_check(&trace_run->run->env, &trace_run->run->arena, input->path, input->content,
                        &as_json, &trace_run->judged);
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
    if (status != BT_OK) {
        (void)cli_fail_status(status);
    }
    return status == BT_OK;
}

static int print_result(struct cli_trace_parent_run *trace_run, bool parsed)
{
    int code = CLI_FAILED;
    if (cli_wants_json(trace_run->run->options)) {
        code = print_json(trace_run);
    } else if (trace_run->made) {
        code = print_text(trace_run, parsed);
    } else {
        code = print_report(trace_run);
    }
    return code == CLI_DONE && !trace_run->made ? CLI_REJECTED : code;
}

static int run_parent(struct cli_run *run)
{
    struct cli_trace_parent_run trace_run = {.run = run};
    const char *value = cli_given(run->options, &flag_parse);
    if ((value != NULL) == (run->options->operand_count > 0)) {
        return cli_usage_error(run->options->command, "give either a HANDOFF or --parse VALUE");
    }
    return get_traceparent(&trace_run, value) ? print_result(&trace_run, value != NULL)
                                              : CLI_FAILED;
}
