/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_trace_parent.c - baton trace parent HANDOFF, baton trace parent --parse VALUE
 */
#include <baton/json.h>
#include <baton/trace.h>

#include "commands.h"
#include "input.h"
#include "output.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_parse = {"parse", 0, "VALUE", CLI_ANY,
    "take this value of the header apart", NULL};
/* clang-format on */

static const struct cli_flag *const flags[] = {
    &flag_parse, &flag_table_format, &flag_config, &flag_no_config, &flag_limit, &flag_help, NULL};

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
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"curl -H \"traceparent: $(baton trace parent h.json)\" ...", "carry the trace over HTTP"},
        {"baton trace parent -f json --parse \"$TRACEPARENT\"", "the parts of a header"}),
    .run = run,
};

enum { RUN_BYTES_MAX = 1 << 30, OBJECT_BYTES_MAX = 1 << 24 };

struct cli_trace_parent_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
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
    struct bt_report *report = bt_report_new(&trace_run->arena);
    if (!report || bt_report_add(report, &trace_run->judged) != BT_OK) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return CLI_FAILED;
    }
    return cli_report_write(trace_run->options, report) ? CLI_DONE : CLI_FAILED;
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
    struct bt_findings *findings = bt_findings_new(&trace_run->arena);
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
    const struct bt_json_options options = bt_json_options_from_env(&trace_run->env);
    const struct bt_check_options as_json = {.dialect = BT_DIALECT_JSON};
    struct bt_json_read_result read;
    /* from: file */
    BT_TRY(bt_json_read(&trace_run->arena, input->content, &options, &read));
    if (!read.document) { /* report what `check` would */
        return bt_check(&trace_run->env, &trace_run->arena, input->path, input->content, &as_json,
                        &trace_run->judged);
    }
    struct bt_findings *findings = bt_findings_new(&trace_run->arena);
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
        if (!cli_input_read(&trace_run->arena, trace_run->options->operands[0],
                            trace_run->env.limits.document_bytes, &input)) {
            return false;
        }
        status = build_traceparent(trace_run, &input);
    }
    if (status != BT_OK) {
        cli_print_error("%s", bt_status_text(status));
    }
    return status == BT_OK;
}

static int print_result(struct cli_trace_parent_run *trace_run, bool parsed)
{
    int code = CLI_FAILED;
    if (cli_wants_json(trace_run->options)) {
        code = print_json(trace_run);
    } else if (trace_run->made) {
        code = print_text(trace_run, parsed);
    } else {
        code = print_report(trace_run);
    }
    return code == CLI_DONE && !trace_run->made ? CLI_REJECTED : code;
}

static int run(const struct cli_options *options)
{
    struct cli_trace_parent_run trace_run = {.options = options};
    const char *value = cli_given(options, &flag_parse);
    if ((value != NULL) == (options->operand_count > 0)) {
        return cli_usage_error(options->command, "give either a HANDOFF or --parse VALUE");
    }
    if (!cli_env_init(options, &trace_run.env)) {
        return CLI_FAILED;
    }
    bt_arena_init(&trace_run.arena, RUN_BYTES_MAX);
    const int code =
        get_traceparent(&trace_run, value) ? print_result(&trace_run, value != NULL) : CLI_FAILED;
    bt_arena_free(&trace_run.arena);
    return code;
}
