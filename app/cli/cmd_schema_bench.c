/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_schema_bench.c - baton schema bench SCHEMA INSTANCES...
 *
 * Each figure is that of the fastest of many rounds over all documents, because disturbances only
 * ever make a measurement slower.
 */
#include <inttypes.h>

#include "commands.h"
#include "output.h"
#include "print.h"
#include "schema_run.h"

enum {
    ROUNDS_MIN = 3,
    ROUNDS_MAX = 100000,
    SCRATCH_BYTES_MAX = 1 << 30,
    RESULT_BYTES_MAX = 1 << 20,
};

static const uint64_t measure_ns = 300000000; /* for each figure */

static cli_run_fn run_bench;

const struct cli_command cmd_schema_bench = {
    .name = "baton schema bench",
    .operands = "SCHEMA INSTANCES...",
    .summary = "measure how fast documents are judged by a schema",
    .about =
        "Measures how long it takes to compile the SCHEMA and, per document, to parse, to decide "
        "(the fast run) and to find everything that is wrong (the diagnostic run). A file whose "
        "name ends in .jsonl has a document on each line; --jsonl says so of the others.\n",
    .missing = "give a SCHEMA and at least one file of INSTANCES",
    .operands_min = 2,
    .operands_max = SIZE_MAX,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_formats, &flag_root, &flag_draft, &flag_jsonl, &flag_table_format,
                       &flag_config, &flag_no_config, &flag_limit, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton schema bench order.schema.json orders.jsonl", "a document on each line"},
        {"baton schema bench -f json order.schema.json a.json b.json", "figures for a program"}),
    .run = run_bench,
};

struct cli_schema_bench_sample {
    bt_str source;
    const struct bt_json_doc *document;
};

struct cli_schema_bench_run {
    struct cli_schema_run run;
    struct cli_schema_compiled compiled;
    struct bt_schema_runner *runner;
    struct bt_arena scratch;
    struct cli_schema_bench_sample *samples;
    size_t count;
    size_t capacity;
    uint64_t bytes;
    uint64_t answers[BT_SCHEMA_VALID + 1]; /* by enum bt_schema_result */
};

/* ---- Documents ---- */

static enum bt_status add_sample(struct cli_schema_bench_run *bench,
                                 const struct cli_schema_bench_sample *sample)
{
    if (bench->count == bench->capacity) {
        const size_t capacity = bench->capacity > 0 ? 2 * bench->capacity : 64;
        struct cli_schema_bench_sample *grown =
            BT_NEW_ARRAY(&bench->run.arena, struct cli_schema_bench_sample, capacity);
        if (!grown) {
            return BT_ENOMEM;
        }
        for (size_t i = 0; i < bench->count; i++) {
            grown[i] = bench->samples[i];
        }
        bench->samples = grown;
        bench->capacity = capacity;
    }
    bench->samples[bench->count++] = *sample;
    bench->bytes += sample->source.len;
    return BT_OK;
}

/* A text that cannot be read is reported, and nothing is measured. */
static enum bt_status add_instance(void *context, const struct cli_schema_instance *instance)
{
    struct cli_schema_bench_run *bench = context;
    struct cli_schema_input read;
    BT_TRY(schema_run_read(&bench->run, instance, &bench->run.arena, &read));
    if (!read.document) {
        return schema_run_report(&bench->run, &read, BT_DIALECT_JSON, BT_STR(""));
    }
    const struct cli_schema_bench_sample sample = {.source = instance->input.content,
                                                   .document = read.document};
    return add_sample(bench, &sample);
}

static void add_operand(struct cli_schema_bench_run *bench, const char *operand)
{
    struct cli_schema_run *run = &bench->run;
    const bool is_lines =
        run->options->jsonl || bt_str_ends_with(bt_str_of(operand), BT_STR(".jsonl"));
    schema_run_each(run, operand, is_lines, add_instance, bench);
}

/* ---- Measuring ---- */

typedef enum bt_status round_fn(struct cli_schema_bench_run *bench);

static enum bt_status parse_all(struct cli_schema_bench_run *bench)
{
    const struct bt_json_options options = bt_json_options_from_env(&bench->run.env);
    for (size_t i = 0; i < bench->count; i++) {
        struct bt_json_read_result result;
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
    const struct cli_options *options = bench->run.options;
    struct cli_schema_bench_figures figures = {0};
    for (size_t i = 1; i < options->operand_count; i++) {
        add_operand(bench, options->operands[i]);
    }
    if (bench->run.failed || bt_report_count(bench->run.report) > 0) {
        return BT_OK;
    }
    bench->runner = bt_schema_runner_create(NULL);
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

static int run_bench(const struct cli_options *options)
{
    struct cli_schema_bench_run bench = {0};
    struct bt_buf result;
    if (!schema_run_begin(&bench.run, options)) {
        return CLI_FAILED;
    }
    bt_arena_init(&bench.scratch, SCRATCH_BYTES_MAX);
    bt_buf_init(&result, RESULT_BYTES_MAX);
    if (schema_run_compile(&bench.run, options->operands[0], &bench.compiled)) {
        const enum bt_status status = bench.compiled.schema
                                          ? run_all(&bench, &result)
                                          : schema_run_report(&bench.run, &bench.compiled.input,
                                                              BT_DIALECT_SCHEMA, BT_STR(""));
        if (status != BT_OK) {
            schema_run_fail(&bench.run, bench.compiled.input.input.path, status);
        }
    }
    bt_schema_runner_destroy(bench.runner);
    bt_schema_destroy(bench.compiled.schema);
    bt_arena_free(&bench.scratch);
    return schema_run_end_with(&bench.run, &result);
}
