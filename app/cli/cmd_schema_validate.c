/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_schema_validate.c - the commands of `baton schema` that judge instances */
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "cli.h"
#include "json/options.h"
#include "output.h"
#include "schema/options.h"
#include "schema_run.h"

/* ---- baton schema validate ------------------------------------------------------------------- */

struct cli_schema_validate_run {
    struct cli_run *run;
    const struct bt_schema *schema;
    struct bt_schema_runner *runner;
};

/*
 * Digits, optionally with a point and up to nine more digits. False when the text is not a time
 * above zero.
 */
static bool parse_seconds(bt_str text, uint64_t *out_ns)
{
    const size_t point = bt_str_find_byte(text, '.', 0);
    const bt_str whole = bt_str_slice(text, 0, point);
    bt_str rest = bt_str_slice(text, point + 1, text.len);
    char digits[] = "000000000";
    if (rest.len >= sizeof(digits) || (point < text.len && rest.len == 0)) {
        return false;
    }
    memcpy(digits, rest.ptr, rest.len);
    uint64_t seconds = 0;
    uint64_t nanos = 0;
    if (bt_str_to_u64(whole, &seconds) != BT_OK ||
        bt_str_to_u64(bt_str_of(digits), &nanos) != BT_OK || seconds > 1000000000) {
        return false;
    }
    *out_ns = seconds * 1000000000 + nanos;
    return *out_ns > 0;
}

bool cli_take_timeout(struct cli_options *options, const char *value)
{
    return parse_seconds(bt_str_of(value), &options->timeout_ns) ||
           cli_refuse_usage(options, "--timeout wants seconds such as 2 or 0.5, not %s", value);
}

bool cli_take_budget(struct cli_options *options, const char *value)
{
    if (bt_str_to_u64(bt_str_of(value), &options->budget) != BT_OK || options->budget == 0 ||
        options->budget > INT64_MAX) {
        return cli_refuse_usage(options, "--budget wants a number of units above 0, not %s", value);
    }
    return true;
}

static struct bt_schema_limits limits_of(const struct cli_options *options)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = options->budget ? options->budget : limits.work_max;
    limits.time_ns = options->timeout_ns
                         ? options->timeout_ns
                         : bt_config_u64(options->config, "limits.schema_ms") * 1000000;
    limits.clock = schema_run_clock;
    return limits;
}

static enum bt_status put_facts(struct bt_arena *arena, const struct cli_schema_input *read,
                                size_t bytes, uint64_t work, bt_str *out)
{
    if (!read->document) {
        return bt_arena_printf(arena, out, "{\"bytes\":%zu}", bytes);
    }
    return bt_arena_printf(arena, out, "{\"bytes\":%zu,\"nodes\":%" PRIu64 ",\"work\":%" PRIu64 "}",
                           bytes, bt_json_node_count(read->document), work);
}

/*
 * A document without findings is kept without its source and the memory that was used to judge it,
 * because there may be many.
 */
static enum bt_status judge_instance(void *context, const struct cli_schema_instance *instance)
{
    struct cli_schema_validate_run *validation = context;
    struct cli_run *run = validation->run;
    const size_t bytes = instance->input.content.len;
    struct cli_schema_input read;
    uint64_t work = 0;
    bt_str facts;
    bt_arena_reset(&run->schema->work);
    BT_TRY(schema_run_read(run, instance, &run->schema->work, &read));
    if (read.document) {
        BT_TRY(bt_schema_validate(validation->schema, validation->runner, read.document,
                                  read.findings, NULL));
        work = bt_schema_work_used(validation->runner);
    }
    if (bt_findings_count(read.findings) == 0) {
        bt_arena_rewind(&run->arena, instance->before);
        read.input.content = BT_STR("");
        read.findings = bt_findings_new(&run->arena);
        if (!read.findings) {
            return BT_ENOMEM;
        }
    }
    BT_TRY(put_facts(&run->arena, &read, bytes, work, &facts));
    return schema_run_report(run, &read, BT_DIALECT_JSON, facts);
}

/* The schema is reported only when it has findings. */
static enum bt_status report_schema(struct cli_run *run, const struct cli_schema_compiled *compiled)
{
    if (bt_findings_count(compiled->input.findings) == 0) {
        return BT_OK;
    }
    return schema_run_report(run, &compiled->input, BT_DIALECT_SCHEMA, BT_STR(""));
}

static void judge_all(struct cli_schema_validate_run *validation)
{
    const struct cli_options *options = validation->run->options;
    const struct bt_schema_limits limits = limits_of(options);
    const bool is_jsonl = cli_given(options, &flag_jsonl) != NULL;
    validation->runner = bt_schema_runner_with(&limits);
    if (!validation->runner) {
        schema_run_fail(validation->run, bt_str_of(options->operands[1]), BT_ENOMEM);
        return;
    }
    for (size_t i = 1; i < options->operand_count; i++) {
        schema_run_each(validation->run, options->operands[i], is_jsonl, judge_instance,
                        validation);
    }
    bt_schema_runner_destroy(validation->runner);
}

int cmd_schema_validate(struct cli_run *run)
{
    struct cli_schema_validate_run validation = {.run = run};
    struct cli_schema_compiled compiled;
    if (schema_run_compile(run, run->options->operands[0], &compiled)) {
        const enum bt_status status = report_schema(run, &compiled);
        if (status != BT_OK) {
            schema_run_fail(run, compiled.input.input.path, status);
        } else if (compiled.schema) {
            validation.schema = compiled.schema;
            judge_all(&validation);
        }
        bt_schema_destroy(compiled.schema);
    }
    return schema_run_end(run);
}

/* ---- baton schema bench ---------------------------------------------------------------------- */

enum {
    ROUNDS_MIN = 3,
    ROUNDS_MAX = 100000,
    SCRATCH_BYTES_MAX = 1 << 30,
    RESULT_BYTES_MAX = 1 << 20,
};

static const uint64_t measure_ns = 300000000; /* for each figure */

struct cli_schema_bench_sample {
    bt_str source;
    const struct bt_json_doc *document;
};

struct cli_schema_bench_run {
    struct cli_run *run;
    struct cli_schema_compiled compiled;
    struct bt_schema_runner *runner;
    struct bt_arena scratch;
    struct cli_schema_bench_sample *samples;
    size_t count;
    size_t capacity;
    uint64_t bytes;
    uint64_t answers[BT_SCHEMA_VALID + 1]; /* by enum bt_schema_result */
};

/* ---- Documents ------------------------------------------------------------------------------- */

static enum bt_status add_sample(struct cli_schema_bench_run *bench,
                                 const struct cli_schema_bench_sample *sample)
{
    BT_TRY(bt_vec_grow(&bench->run->arena, &bench->samples, bench->count, &bench->capacity, 1,
                       sizeof(*bench->samples)));
    bench->samples[bench->count++] = *sample;
    bench->bytes += sample->source.len;
    return BT_OK;
}

/* A text that cannot be read is reported, and nothing is measured. */
static enum bt_status add_instance(void *context, const struct cli_schema_instance *instance)
{
    struct cli_schema_bench_run *bench = context;
    struct cli_schema_input read;
    BT_TRY(schema_run_read(bench->run, instance, &bench->run->arena, &read));
    if (!read.document) {
        return schema_run_report(bench->run, &read, BT_DIALECT_JSON, BT_STR(""));
    }
    const struct cli_schema_bench_sample sample = {.source = instance->input.content,
                                                   .document = read.document};
    return add_sample(bench, &sample);
}

static void add_operand(struct cli_schema_bench_run *bench, const char *operand)
{
    struct cli_run *run = bench->run;
    const bool is_lines = cli_given(run->options, &flag_jsonl) ||
                          bt_str_ends_with(bt_str_of(operand), BT_STR(".jsonl"));
    schema_run_each(run, operand, is_lines, add_instance, bench);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

typedef enum bt_status round_fn(struct cli_schema_bench_run *bench);

static enum bt_status parse_all(struct cli_schema_bench_run *bench)
{
    const struct bt_json_options options = bt_json_options_from_env(&bench->run->env);
    for (size_t i = 0; i < bench->count; i++) {
        struct bt_json_read_result result = {0};
        bt_arena_reset(&bench->scratch);
        /* from: file */
        BT_TRY(bt_json_read(&bench->scratch, bench->samples[i].source, &options, &result));
    }
    return BT_OK;
}

static enum bt_status decide_all(struct cli_schema_bench_run *bench)
{
    for (size_t i = 0; i <= BT_SCHEMA_VALID; i++) {
        bench->answers[i] = 0;
    }
    for (size_t i = 0; i < bench->count; i++) {
        const enum bt_schema_result answer =
            bt_schema_run(bench->compiled.schema, bench->runner, bench->samples[i].document);
        bench->answers[answer]++;
    }
    return BT_OK;
}

static enum bt_status explain_all(struct cli_schema_bench_run *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        bt_arena_reset(&bench->scratch);
        struct bt_findings *findings = bt_findings_new(&bench->scratch);
        if (!findings) {
            return BT_ENOMEM;
        }
        BT_TRY(bt_schema_explain(bench->compiled.schema, bench->runner, bench->samples[i].document,
                                 findings, NULL));
    }
    return BT_OK;
}

static enum bt_status compile_once(struct cli_schema_bench_run *bench)
{
    struct bt_schema *schema = NULL;
    BT_TRY(
        bt_schema_compile(bench->compiled.input.document, &bench->compiled.options, NULL, &schema));
    bt_schema_destroy(schema);
    return BT_OK;
}

/* The time of the fastest round. */
static enum bt_status measure_fastest_round(struct cli_schema_bench_run *bench, round_fn *round,
                                            uint64_t *out_ns)
{
    uint64_t best = UINT64_MAX;
    const uint64_t begin = schema_run_clock(NULL);
    uint64_t now = begin;
    for (int i = 0; i < ROUNDS_MAX && (i < ROUNDS_MIN || now - begin < measure_ns); i++) {
        const uint64_t before = schema_run_clock(NULL);
        BT_TRY(round(bench));
        now = schema_run_clock(NULL);
        best = now - before < best ? now - before : best;
    }
    *out_ns = best;
    return BT_OK;
}

struct cli_schema_bench_figures {
    uint64_t compile_ns;
    uint64_t parse_ns; /* these three for all documents */
    uint64_t fast_ns;
    uint64_t diagnostic_ns;
};

static enum bt_status measure_all(struct cli_schema_bench_run *bench,
                                  struct cli_schema_bench_figures *out)
{
    BT_TRY(measure_fastest_round(bench, compile_once, &out->compile_ns));
    BT_TRY(measure_fastest_round(bench, parse_all, &out->parse_ns));
    BT_TRY(measure_fastest_round(bench, decide_all, &out->fast_ns));
    return measure_fastest_round(bench, explain_all, &out->diagnostic_ns);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static double per_document(const struct cli_schema_bench_run *bench, uint64_t ns)
{
    return (double)ns / (double)bench->count;
}

static void put_row(const struct cli_schema_bench_run *bench, struct bt_buf *buf, const char *name,
                    uint64_t ns)
{
    const double bytes_by_ns = (double)bench->bytes / (double)(ns > 0 ? ns : 1);
    bt_buf_printf(buf, "%-10s %14.1f %10.1f\n", name, per_document(bench, ns), 1e3 * bytes_by_ns);
}

static void put_table(const struct cli_schema_bench_run *bench,
                      const struct cli_schema_bench_figures *figures, struct bt_buf *buf)
{
    const struct bt_schema_size size = bt_schema_get_size(bench->compiled.schema);
    bt_buf_printf(buf, "%" PRIu64 " valid, %" PRIu64 " invalid", bench->answers[BT_SCHEMA_VALID],
                  bench->answers[BT_SCHEMA_INVALID]);
    if (bench->answers[BT_SCHEMA_UNDECIDED] > 0) {
        bt_buf_printf(buf, ", %" PRIu64 " undecided", bench->answers[BT_SCHEMA_UNDECIDED]);
    }
    bt_buf_printf(buf, ": %zu document%s, %" PRIu64 " bytes\n", bench->count,
                  bench->count == 1 ? "" : "s", bench->bytes);
    bt_buf_printf(buf, "compiled in %.1f us: %u schemas, %u instructions, %" PRIu64 " bytes\n\n",
                  (double)figures->compile_ns / 1e3, size.schemas, size.instructions, size.bytes);
    bt_buf_printf(buf, "%-10s %14s %10s\n", "", "ns/document", "MB/s");
    put_row(bench, buf, "parse", figures->parse_ns);
    put_row(bench, buf, "fast", figures->fast_ns);
    put_row(bench, buf, "diagnostic", figures->diagnostic_ns);
}

static void put_json(const struct cli_schema_bench_run *bench,
                     const struct cli_schema_bench_figures *figures, struct bt_buf *buf)
{
    const struct bt_schema_size size = bt_schema_get_size(bench->compiled.schema);
    bt_buf_put_text(buf, "{\"baton\":1,\"bench\":{\"schema\":");
    bt_json_put_string(buf, bench->compiled.input.input.path);
    bt_buf_printf(buf, ",\"compile_ns\":%" PRIu64 ",\"schemas\":%u,\"instructions\":%u",
                  figures->compile_ns, size.schemas, size.instructions);
    bt_buf_printf(buf, ",\"compiled_bytes\":%" PRIu64 ",\"documents\":%zu,\"bytes\":%" PRIu64,
                  size.bytes, bench->count, bench->bytes);
    bt_buf_printf(buf, ",\"valid\":%" PRIu64 ",\"invalid\":%" PRIu64 ",\"undecided\":%" PRIu64,
                  bench->answers[BT_SCHEMA_VALID], bench->answers[BT_SCHEMA_INVALID],
                  bench->answers[BT_SCHEMA_UNDECIDED]);
    bt_buf_printf(buf, ",\"parse_ns\":%.1f,\"fast_ns\":%.1f,\"diagnostic_ns\":%.1f}}\n",
                  per_document(bench, figures->parse_ns), per_document(bench, figures->fast_ns),
                  per_document(bench, figures->diagnostic_ns));
}

static enum bt_status run_all(struct cli_schema_bench_run *bench, struct bt_buf *out)
{
    const struct cli_options *options = bench->run->options;
    struct cli_schema_bench_figures figures = {0};
    for (size_t i = 1; i < options->operand_count; i++) {
        add_operand(bench, options->operands[i]);
    }
    if (bench->run->failed || bt_report_count(bench->run->report) > 0) {
        return BT_OK;
    }
    bench->runner = bt_schema_runner_with(NULL);
    if (!bench->runner) {
        return BT_ENOMEM;
    }
    BT_TRY(measure_all(bench, &figures));
    if (cli_wants_json(options)) {
        put_json(bench, &figures, out);
    } else {
        put_table(bench, &figures, out);
    }
    return BT_OK;
}

int cmd_schema_bench(struct cli_run *run)
{
    struct cli_schema_bench_run bench = {.run = run};
    struct bt_buf result;
    bt_arena_init(&bench.scratch, SCRATCH_BYTES_MAX);
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (schema_run_compile(run, run->options->operands[0], &bench.compiled)) {
        const enum bt_status status =
            bench.compiled.schema
                ? run_all(&bench, &result)
                : schema_run_report(run, &bench.compiled.input, BT_DIALECT_SCHEMA, BT_STR(""));
        if (status != BT_OK) {
            schema_run_fail(run, bench.compiled.input.input.path, status);
        }
    }
    bt_schema_runner_destroy(bench.runner);
    bt_schema_destroy(bench.compiled.schema);
    bt_arena_free(&bench.scratch);
    return schema_run_end_with(run, &result);
}
