/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_schema.c - bench_schema DATA [SET...]: Baton's schema engine over the data sets, one JSON
 * line each; bench_schema DATA --count: read and judge each document once, for counts.py.
 *
 * compile_us: one compilation. parse_ns, validate_ns, verdict_ns: per document, where a verdict is
 * reading and judging together. Each document is judged LOOPS times in a row, all between two looks
 * at the clock. alone_ns is measured as the benchmark mode of the Blaze command does it: two looks
 * for each of LOOPS judgings, less what two looks take with nothing in between. That is the smaller
 * number, since a processor begins to judge while the first look ends.
 *
 * Of each document the fastest of several turns counts, so that a busy machine does not.
 * bench/compare_schema.py puts the lines beside those of other engines.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>
#include <baton/report.h>
#include <baton/schema.h>

#include "base/file.h"
#include "json/options.h"
#include "measure.h"
#include "schema/options.h"
#include "sets.h"

enum { LOOPS = 100, TURNS = 2, COMPILATIONS = 5 };

static const uint64_t seed[2] = {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U};

struct bench {
    struct bt_schema *schema;
    struct bt_schema_runner *runner;
    struct bt_arena arena;
    struct bt_arena scratch;
    struct bt_json_options read;
    size_t invalid;
    int compilations;
};

static const struct bt_json_doc *read_document(struct bench *bench, bt_str text)
{
    struct bt_json_read_result result = {0};
    if (bt_json_read(&bench->arena, text, &bench->read, &result) != BT_OK) {
        return NULL;
    }
    return result.document;
}

/* The schema of a set goes by one of two names. */
static bool read_schema(struct bench *bench, const struct set *set, bt_str *out)
{
    static const char *const names[] = {"schema.json", "schema-noformat.json"};
    for (size_t i = 0; i < 2; i++) {
        char path[sizeof(set->folder) + 32];
        (void)snprintf(path, sizeof(path), "%s/%s", set->folder, names[i]);
        if (bt_file_read(&bench->arena, bt_str_of(path), 1 << 26, out, NULL) == BT_OK) {
            return true;
        }
    }
    return false;
}

/* Nanoseconds of the fastest compilation; the last one is kept. Negative when it fails. */
static double compile(struct bench *bench, const struct set *set)
{
    bt_str text = {0};
    double best = INFINITY;
    bt_arena_reset(&bench->arena);
    if (!read_schema(bench, set, &text)) {
        return -1;
    }
    const struct bt_json_doc *document = read_document(bench, text);
    struct bt_schema_options options = bt_schema_options_default();
    options.hash_seed[0] = seed[0];
    options.hash_seed[1] = seed[1];
    options.skip_metaschema = true; /* the peers do not judge the schema either */
    for (int i = 0; document && i < bench->compilations; i++) {
        bt_schema_destroy(bench->schema);
        bench->schema = NULL;
        const double from = now_ns();
        if (bt_schema_compile(document, &options, NULL, &bench->schema) != BT_OK) {
            return -1;
        }
        const double ns = now_ns() - from;
        best = ns < best ? ns : best;
    }
    return bench->schema ? best : -1;
}

/* Nanoseconds per document of judging one text LOOPS times. */
static double judge_again(struct bench *bench, bt_str text)
{
    bt_arena_reset(&bench->arena);
    const struct bt_json_doc *document = read_document(bench, text);
    if (!document) {
        return NAN;
    }
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    const double from = now_ns();
    for (int i = 0; i < LOOPS; i++) {
        answer = bt_schema_run(bench->schema, bench->runner, document);
    }
    const double ns = (now_ns() - from) / LOOPS;
    bench->invalid += answer != BT_SCHEMA_VALID;
    return ns;
}

/* The same, each time on its own. */
static double judge_alone(struct bench *bench, bt_str text)
{
    bt_arena_reset(&bench->arena);
    const struct bt_json_doc *document = read_document(bench, text);
    if (!document) {
        return NAN;
    }
    double looks = 0;
    for (int i = 0; i < LOOPS; i++) {
        const double from = now_ns();
        looks += now_ns() - from;
    }
    looks /= LOOPS;
    double sum = 0;
    for (int i = 0; i < LOOPS; i++) {
        const double from = now_ns();
        const enum bt_schema_result answer = bt_schema_run(bench->schema, bench->runner, document);
        sum += fmax(0, now_ns() - from - looks);
        bench->invalid += answer == BT_SCHEMA_UNDECIDED;
    }
    return sum / LOOPS;
}

static double read_again(struct bench *bench, bt_str text)
{
    const double from = now_ns();
    for (int i = 0; i < LOOPS; i++) {
        bt_arena_reset(&bench->arena);
        if (!read_document(bench, text)) {
            return NAN;
        }
    }
    return (now_ns() - from) / LOOPS;
}

static double decide_again(struct bench *bench, bt_str text)
{
    const double from = now_ns();
    for (int i = 0; i < LOOPS; i++) {
        bt_arena_reset(&bench->arena);
        const struct bt_json_doc *document = read_document(bench, text);
        if (!document ||
            bt_schema_run(bench->schema, bench->runner, document) == BT_SCHEMA_UNDECIDED) {
            return NAN;
        }
    }
    return (now_ns() - from) / LOOPS;
}

/* The mean over the documents of a set, each at its fastest of several turns. */
static double mean(struct bench *bench, const struct set *set,
                   double (*measure)(struct bench *bench, bt_str text))
{
    double *best = calloc(set->count, sizeof(*best));
    double sum = 0;
    for (int turn = 0; best && turn < TURNS; turn++) {
        bench->invalid = 0;
        for (size_t i = 0; i < set->count; i++) {
            const double ns = measure(bench, (bt_str){set->texts[i], set->sizes[i]});
            best[i] = turn == 0 || ns < best[i] ? ns : best[i];
        }
    }
    for (size_t i = 0; best && i < set->count; i++) {
        sum += best[i];
    }
    free(best);
    return best ? sum / (double)set->count : NAN;
}

static bool bench_set(struct bench *bench, const struct set *set)
{
    const double compile_ns = compile(bench, set);
    if (compile_ns < 0) {
        fprintf(stderr, "bench_schema: the schema of %s does not compile\n", set->name);
        return false;
    }
    const double parse_ns = mean(bench, set, read_again);
    const double verdict_ns = mean(bench, set, decide_again);
    const double alone_ns = mean(bench, set, judge_alone);
    const double validate_ns = mean(bench, set, judge_again);
    printf("{\"set\":\"%s\",\"engine\":\"baton\",\"documents\":%zu,\"bytes\":%zu,\"invalid\":%zu,"
           "\"compile_us\":%.1f,\"parse_ns\":%.1f,\"validate_ns\":%.2f,\"alone_ns\":%.2f,"
           "\"verdict_ns\":%.1f}\n",
           set->name, set->count, set->bytes, bench->invalid, compile_ns / 1000, parse_ns,
           validate_ns, alone_ns, verdict_ns);
    (void)fflush(stdout);
    return true;
}

/* ---- Counting instructions ------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool read_all(struct bench *bench,
                                                           const struct set *set)
{
    bool all = true;
    for (size_t i = 0; i < set->count && i < SET_COUNTED_MAX; i++) {
        bt_arena_reset(&bench->arena);
        all = read_document(bench, (bt_str){set->texts[i], set->sizes[i]}) && all;
    }
    return all;
}

static inline __attribute__((always_inline)) bool
judge_all(struct bench *bench, const struct bt_json_doc *const *documents, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        all =
            bt_schema_run(bench->schema, bench->runner, documents[i]) != BT_SCHEMA_UNDECIDED && all;
    }
    return all;
}

/* callgrind collects within these two and writes a file when one ends. */
static __attribute__((noipa)) bool read_counted(struct bench *bench, const struct set *set)
{
    return read_all(bench, set);
}

static __attribute__((noipa)) bool
judge_counted(struct bench *bench, const struct bt_json_doc *const *documents, size_t count)
{
    return judge_all(bench, documents, count);
}

/* A line for each of the two counts, in their order: its name, and what the count is divided by.
 * What comes first is not counted: memory is taken from the system then. */
static bool count_set(struct bench *bench, const struct set *set)
{
    const struct bt_json_doc *documents[SET_COUNTED_MAX];
    const size_t count = set->count < SET_COUNTED_MAX ? set->count : SET_COUNTED_MAX;
    size_t bytes = 0;
    if (compile(bench, set) < 0 || !read_all(bench, set) || !read_counted(bench, set)) {
        fprintf(stderr, "bench_schema: %s cannot be counted\n", set->name);
        return false;
    }
    bt_arena_reset(&bench->arena);
    for (size_t i = 0; i < count; i++) {
        documents[i] = read_document(bench, (bt_str){set->texts[i], set->sizes[i]});
        bytes += set->sizes[i];
        if (!documents[i]) {
            return false;
        }
    }
    const bool judged =
        judge_all(bench, documents, count) && judge_counted(bench, documents, count);
    printf("json/%s %.3f\nschema/%s %zu\n", set->name, (double)bytes / 1000, set->name, count);
    return judged;
}

int main(int argc, char **argv)
{
    static struct set sets[SETS_MAX];
    if (argc < 2) {
        fprintf(stderr, "usage: bench_schema DATA [SET...|--count]\n");
        return 2;
    }
    const bool is_counted = argc == 3 && strcmp(argv[2], "--count") == 0;
    struct bench bench = {.runner = bt_schema_runner_with(NULL), .read = bt_json_options_default()};
    bench.compilations = is_counted ? 1 : COMPILATIONS;
    bt_arena_init(&bench.arena, (size_t)1 << 30);
    bt_arena_init(&bench.scratch, (size_t)1 << 30);
    bench.read.scratch = &bench.scratch;
    memcpy(bench.read.hash_seed, seed, sizeof(seed));
    const size_t count = sets_load(sets, argv[1]);
    bool all = bench.runner && count > 0;
    for (size_t i = 0; bench.runner && i < count; i++) {
        if (is_counted) {
            all = count_set(&bench, &sets[i]) && all;
            continue;
        }
        bool wanted = argc == 2;
        for (int a = 2; a < argc; a++) {
            wanted |= strcmp(argv[a], sets[i].name) == 0;
        }
        all = (!wanted || bench_set(&bench, &sets[i])) && all;
    }
    bt_schema_runner_destroy(bench.runner);
    bt_schema_destroy(bench.schema);
    bt_arena_free(&bench.arena);
    bt_arena_free(&bench.scratch);
    sets_free(sets, count);
    return all ? 0 : 1;
}
