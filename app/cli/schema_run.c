/* SPDX-License-Identifier: Apache-2.0 */
/* schema_run.c - shared by the commands of `baton schema`: begin, read, compile, report, end. */
#include "schema_run.h"
#include "operation/rule_codes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "engine/check.h"
#include "json/options.h"
#include "output.h"
#include "schema/options.h"

enum {
    WORK_BYTES_MAX = 1 << 30,  /* for one document of the maximum size */
    LINES_BYTES_MAX = 1 << 30, /* a file of JSON Lines; each line is limited like a document */
};

bool schema_run_begin(struct cli_run *run)
{
    struct cli_schema_run *schema = BT_NEW(&run->arena, struct cli_schema_run);
    if (!schema) {
        return cli_refuse_status(BT_ENOMEM);
    }
    run->schema = schema;
    bt_arena_init(&schema->work, WORK_BYTES_MAX);
    return cli_run_report(run) &&
           schema_root_open(&schema->root, run->options->root, &run->env, &run->arena);
}

void schema_run_free(struct cli_schema_run *schema)
{
    if (schema) {
        schema_root_close(&schema->root);
        bt_arena_free(&schema->work);
    }
}

void schema_run_fail(struct cli_run *run, bt_str path, enum bt_status status)
{
    assert(status != BT_OK);
    cli_print_error("cannot judge %.*s: %s", BT_STR_ARG(path), bt_status_text(status));
    run->failed = true;
}

bool schema_run_open(struct cli_run *run, const char *operand, uint64_t bytes_max,
                     struct cli_input *out)
{
    const bool is_stdin = cli_is_stdin(operand);
    if (is_stdin && run->stdin_read) {
        cli_print_error("cannot judge <stdin>: standard input was read already");
        run->failed = true;
        return false;
    }
    run->stdin_read = run->stdin_read || is_stdin;
    if (!cli_input_read(&run->arena, operand, bytes_max, out)) {
        run->failed = true;
        return false;
    }
    return true;
}

/*
 * Messages of the reader have line and column; within one line of a larger text only the column is
 * useful.
 */
static enum bt_status drop_line(struct bt_arena *arena, bt_str *message)
{
    static const bt_str words = BT_STR_INIT("at line 1, column ");
    size_t at = 0;
    while (at < message->len &&
           !bt_str_starts_with(bt_str_slice(*message, at, message->len), words)) {
        at++;
    }
    const bt_str before = bt_str_slice(*message, 0, at);
    const bt_str after = bt_str_slice(*message, at + words.len, message->len);
    return at == message->len ? BT_OK
                              : bt_arena_printf(arena, message, "%.*sat column %.*s",
                                                BT_STR_ARG(before), BT_STR_ARG(after));
}

/* Add the findings of the stage read, as `check` does. */
static enum bt_status add_read_findings(struct cli_run *run, const struct cli_input *input,
                                        uint32_t line, struct bt_findings *findings)
{
    const struct bt_check_options options = {.dialect = BT_DIALECT_JSON};
    struct bt_judgement judged;
    BT_TRY(
        bt_check_document(&run->env, &run->arena, input->path, input->content, &options, &judged));
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        struct bt_finding finding = *bt_findings_at(judged.findings, i);
        if (line > 0) {
            BT_TRY(drop_line(&run->arena, &finding.message));
        }
        BT_TRY(bt_findings_add(findings, &finding));
    }
    return BT_OK;
}

enum bt_status schema_run_read(struct cli_run *run, const struct cli_schema_instance *instance,
                               struct bt_arena *arena, struct cli_schema_input *out)
{
    assert(run);
    assert(out);
    const struct cli_input *input = &instance->input;
    *out = (struct cli_schema_input){
        .input = *input, .line = instance->line, .findings = bt_findings_new(&run->arena)};
    if (!out->findings) {
        return BT_ENOMEM;
    }
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct bt_json_read_result result = {0};
    /* from: file */
    BT_TRY(bt_json_read(arena, input->content, &options, &result));
    out->document = result.document;
    if (!result.document || bt_json_has_lone_surrogate(result.document)) {
        return add_read_findings(run, input, instance->line, out->findings);
    }
    return BT_OK;
}

uint64_t schema_run_clock(void *context)
{
    (void)context;
    return bt_clock_monotonic_ns();
}

static bool is_blank(bt_str line)
{
    size_t i = 0;
    while (i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t' || line.ptr[i] == '\r')) {
        i++;
    }
    return i == line.len;
}

/* Call `each` for every line. BT_ENOENT: every line is blank. */
static enum bt_status each_line(struct cli_run *run, const struct cli_input *input,
                                cli_schema_instance_fn *each, void *context)
{
    const bt_str text = input->content;
    enum bt_status status = BT_ENOENT;
    uint32_t line = 0;
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        line++;
        const struct cli_schema_instance instance = {
            .input = {.path = input->path, .content = bt_str_slice(text, from, end)},
            .line = line,
            .before = bt_arena_mark(&run->arena)};
        if (!is_blank(instance.input.content)) {
            status = BT_OK;
            BT_TRY(each(context, &instance));
        }
        from = end + 1;
    }
    return status;
}

void schema_run_each(struct cli_run *run, const char *operand, bool is_lines,
                     cli_schema_instance_fn *each, void *context)
{
    struct cli_schema_instance instance = {.before = bt_arena_mark(&run->arena)};
    const uint64_t bytes_max = is_lines ? LINES_BYTES_MAX : run->env.limits.document_bytes;
    if (!schema_run_open(run, operand, bytes_max, &instance.input)) {
        return;
    }
    const bt_str path = instance.input.path;
    if (is_lines && instance.input.content.len > bytes_max) {
        cli_print_error("cannot judge %.*s: it is larger than 1 GiB", BT_STR_ARG(path));
        run->failed = true;
        return;
    }
    const enum bt_status status =
        is_lines ? each_line(run, &instance.input, each, context) : each(context, &instance);
    if (status == BT_ENOENT) {
        cli_print_error("cannot judge %.*s: every line is blank", BT_STR_ARG(path));
        run->failed = true;
    } else if (status != BT_OK) {
        schema_run_fail(run, path, status);
    }
}

static struct bt_schema_options options_of(struct cli_run *run)
{
    struct bt_schema_options options = bt_schema_options_default();
    options.assert_formats = cli_given(run->options, &flag_formats) != NULL;
    options.draft = run->options->draft ? run->options->draft : options.draft;
    memcpy(options.hash_seed, run->env.hash_seed, sizeof(options.hash_seed));
    options.resolve = schema_root_resolve;
    options.resolve_context = &run->schema->root;
    return options;
}

/*
 * Add the findings about a schema, with hints about unresolved references, because only this file
 * knows where files were searched.
 */
static enum bt_status add_with_hints(struct cli_run *run, const struct bt_findings *from,
                                     struct bt_findings *to)
{
    for (size_t i = 0; i < bt_findings_count(from); i++) {
        struct bt_finding finding = *bt_findings_at(from, i);
        const struct bt_finding_arg *ref = finding.code == BT_CODE_SCHEMA_REF_UNRESOLVED
                                               ? bt_finding_arg(&finding, BT_STR("ref"))
                                               : NULL;
        if (ref && finding.hint.len == 0) {
            finding.hint = cli_schema_dir_put_hint(&run->schema->root, ref->as.text);
        }
        BT_TRY(bt_findings_add(to, &finding));
    }
    return BT_OK;
}

/* A referenced file that cannot be read becomes a document of its own. */
static enum bt_status report_broken(struct cli_run *run)
{
    for (struct cli_schema_missing *miss = run->schema->root.misses; miss; miss = miss->next) {
        if (miss->path.len > 0 && !miss->reported) {
            miss->reported = true;
            const struct cli_schema_instance file = {
                .input = {.path = miss->path, .content = miss->content}};
            struct cli_schema_input read;
            BT_TRY(schema_run_read(run, &file, &run->arena, &read));
            BT_TRY(schema_run_report(run, &read, BT_DIALECT_SCHEMA, BT_STR("")));
        }
    }
    return BT_OK;
}

/* A schema that was not compiled must have findings, or it would look valid. */
static enum bt_status compile_schema(struct cli_run *run, const struct cli_input *input,
                                     struct cli_schema_compiled *out)
{
    out->options = options_of(run);
    const struct cli_schema_instance whole = {.input = *input};
    BT_TRY(schema_run_read(run, &whole, &run->arena, &out->input));
    if (!out->input.document) {
        return BT_OK;
    }
    struct bt_findings *findings = bt_findings_new(&run->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(schema_root_uri(&run->schema->root, input->path, &out->options.uri));
    BT_TRY(bt_schema_compile(out->input.document, &out->options, findings, &out->schema));
    BT_TRY(add_with_hints(run, findings, out->input.findings));
    BT_TRY(report_broken(run));
    const bool is_refused =
        bt_verdict_of(out->input.findings, BT_SEVERITY_HARD) == BT_VERDICT_REJECTED;
    return out->schema || is_refused ? BT_OK : BT_EINVAL;
}

bool schema_run_compile(struct cli_run *run, const char *operand, struct cli_schema_compiled *out)
{
    assert(run);
    assert(out);
    *out = (struct cli_schema_compiled){0};
    struct cli_input input;
    if (!schema_run_open(run, operand, run->env.limits.document_bytes, &input)) {
        return false;
    }
    const enum bt_status status = compile_schema(run, &input, out);
    if (status != BT_OK) {
        schema_run_fail(run, input.path, status);
        bt_schema_destroy(out->schema);
        out->schema = NULL;
        return false;
    }
    return true;
}

enum bt_status schema_run_report(struct cli_run *run, const struct cli_schema_input *input,
                                 enum bt_dialect_id dialect, bt_str facts)
{
    assert(run);
    assert(input);
    BT_TRY(bt_findings_finish(input->findings, input->input.content));
    bt_str members = BT_STR("");
    if (input->line > 0) {
        bt_findings_shift_lines(input->findings, input->line - 1);
        BT_TRY(bt_arena_printf(&run->arena, &members, "\"line\":%" PRIu32, input->line));
    }
    const struct bt_judgement judged = {
        .path = input->input.path,
        .dialect = dialect,
        .source = input->input.content,
        .verdict = bt_verdict_of(input->findings, BT_SEVERITY_HARD),
        .findings = input->findings,
        .facts = facts,
        .extra_members = members,
    };
    return bt_report_add(run->report, &judged);
}

int schema_run_end(struct cli_run *run)
{
    assert(run);
    if (bt_report_count(run->report) > 0 && !cli_report_write(run->options, run->report)) {
        run->failed = true;
    }
    const struct bt_report_totals summary = bt_report_get_totals(run->report);
    if (run->failed) {
        return CLI_FAILED;
    }
    return summary.accepted == summary.documents ? CLI_DONE : CLI_REJECTED;
}

int schema_run_end_with(struct cli_run *run, struct bt_buf *result)
{
    assert(run);
    assert(result);
    if (bt_report_count(run->report) == 0 && !run->failed) {
        run->failed = cli_print_document(result) != CLI_DONE;
    } else {
        bt_buf_free(result);
    }
    return schema_run_end(run);
}
