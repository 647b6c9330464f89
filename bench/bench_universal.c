/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_universal.c - bench_universal DATA [SET|--count]: microseconds for the whole check of a
 * universal handoff; with the name of a set, its first handoff is printed instead; with --count,
 * each is checked once, for counts.py.
 *
 * The payloads are the synthetic handoffs of DATA, put into envelopes that are sealed and counted,
 * so that nothing is found and every stage does all of its work. Beside it stands what the parts
 * cost alone: reading, exact tokens, SHA-256 of the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/check.h>
#include <baton/json.h>
#include <baton/tokens.h>

#include "dialect/universal/universal.h"
#include "engine/check.h"
#include "measure.h"
#include "sets.h"
#include "token/tokens.h"

enum { DOCUMENTS = 40, TURNS = 15, ARENA_BYTES = 64 << 20 };

struct bench {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_checker *checker;
    struct bt_tokens tokens;
    struct bt_universal_options options;
    bt_str texts[DOCUMENTS];
    size_t count;
    size_t bytes;
};

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "bench_universal: %s\n", what);
        exit(1);
    }
}

static bool check(struct bench *bench, bt_str text, struct bt_judgement *judged)
{
    const struct bt_check_options options = {.dialect = bt_dialect_find(BT_STR("universal")),
                                             .checker = bench->checker,
                                             .universal = &bench->options};
    return bt_check_document(&bench->env, &bench->arena, BT_STR("x"), text, &options, judged) ==
           BT_OK;
}

static char *envelope(const char *payload, const char *meta)
{
    static const char form[] =
        "{\"handoff\":{\"version\":\"3.0\",\"schema_type\":\"universal\","
        "\"timestamp\":\"2026-04-14T08:30:00Z\","
        "\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\","
        "\"source\":{\"skill\":\"release-planner\",\"workflow_id\":\"run-0412\","
        "\"session_path\":\"work\",\"phase\":\"Triage\"},\"target\":{\"skill\":\"patch-builder\"},"
        "\"context\":{\"summary\":\"Build the fix for the date parser.\","
        "\"problem_type\":\"implementation\"},\"payload\":{\"working\":%s},"
        "\"meta\":{%s\"confidence\":\"high\"}}}";
    const size_t size = sizeof(form) + strlen(payload) + strlen(meta);
    char *text = malloc(size);
    must(text != NULL, "no memory");
    (void)snprintf(text, size, form, payload, meta);
    return text;
}

/* The envelope of a payload, sealed: what the first check measured goes into the second text. */
static bt_str sealed(struct bench *bench, const char *payload)
{
    struct bt_judgement judged;
    char meta[256];
    char *plain = envelope(payload, "\"token_count\":1,");
    must(check(bench, bt_str_of(plain), &judged), "cannot check");
    const char *hash = strstr(judged.facts.ptr, "\"sha256\":\"");
    must(hash != NULL, "no hash in the facts");
    const size_t estimate = strlen(plain) / 4 + 25;
    (void)snprintf(meta, sizeof(meta), "\"token_count\":%zu,\"payload_hash\":\"%.71s\",",
                   estimate < 2000 ? estimate : 2000, hash + strlen("\"sha256\":\""));
    free(plain);
    char *text = envelope(payload, meta);
    must(check(bench, bt_str_of(text), &judged), "cannot check");
    must(judged.verdict == BT_VERDICT_ACCEPTED, "a sealed document is not accepted");
    bt_arena_reset(&bench->arena);
    return bt_str_of(text);
}

static void load(struct bench *bench, const struct set *set)
{
    bench->count = 0;
    bench->bytes = 0;
    for (size_t i = 0; i < set->count && bench->count < DOCUMENTS; i++) {
        const bt_str text = sealed(bench, set->texts[i]);
        bench->texts[bench->count++] = text;
        bench->bytes += text.len;
    }
}

typedef void work_fn(struct bench *bench, bt_str text);

static void work_check(struct bench *bench, bt_str text)
{
    struct bt_judgement judged;
    must(check(bench, text, &judged) && judged.verdict == BT_VERDICT_ACCEPTED, "not accepted");
    bt_arena_reset(&bench->arena);
}

static void work_read(struct bench *bench, bt_str text)
{
    struct bt_json_read_result read = {0};
    must(bt_json_read(&bench->arena, text, NULL, &read) == BT_OK && read.document, "not read");
    bt_arena_reset(&bench->arena);
}

static void work_tokens(struct bench *bench, bt_str text)
{
    uint64_t count = 0;
    must(bt_tokens_count(&bench->tokens, text, &count) == BT_OK, "not counted");
}

static void work_hash(struct bench *bench, bt_str text)
{
    (void)bench;
    uint8_t digest[BT_SHA256_BYTES];
    must(bt_sha256(text, digest) == BT_OK, "not hashed");
}

/* The fastest turn over all documents, in microseconds per document. */
static double measure(struct bench *bench, work_fn *work)
{
    double best = 1e30;
    for (size_t turn = 0; turn < TURNS; turn++) {
        const double begin = now_ns();
        for (size_t i = 0; i < bench->count; i++) {
            work(bench, bench->texts[i]);
        }
        const double taken = now_ns() - begin;
        best = taken < best ? taken : best;
    }
    return best / 1000 / (double)bench->count;
}

/* The same with a checker and a counter that have never seen the documents. */
static double measure_cold(struct bench *bench)
{
    double best = 1e30;
    for (size_t i = 0; i < bench->count; i++) {
        struct bt_judgement judged;
        bt_checker_destroy(bench->checker);
        bench->checker = bt_checker_create(&bench->env);
        must(bench->checker && check(bench, BT_STR("{}"), &judged), "cannot check");
        const double begin = now_ns();
        work_check(bench, bench->texts[i]);
        const double taken = now_ns() - begin;
        best = taken < best ? taken : best;
    }
    return best / 1000;
}

static void free_texts(struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        free((void *)(uintptr_t)bench->texts[i].ptr);
    }
}

static void bench_set(struct bench *bench, const struct set *set)
{
    load(bench, set);
    const double whole = measure(bench, work_check);
    const double cold = measure_cold(bench);
    const double read = measure(bench, work_read);
    const double tokens = measure(bench, work_tokens);
    const double hash = measure(bench, work_hash);
    printf("%-12s %8zu %10.1f %10.1f %10.1f %10.1f %10.1f\n", set->name,
           bench->bytes / bench->count, whole, cold, read, tokens, hash);
    free_texts(bench);
}

/* callgrind collects within this function and writes a file when it ends. */
static __attribute__((noipa)) void check_counted(struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        work_check(bench, bench->texts[i]);
    }
}

static void count_set(struct bench *bench, const struct set *set)
{
    load(bench, set); /* this has checked them all, so that nothing happens for the first time */
    check_counted(bench);
    printf("universal/%s %zu\n", set->name, bench->count);
    free_texts(bench);
}

int main(int argc, char **argv)
{
    static struct set sets[SETS_MAX];
    static struct bench bench;
    must(argc == 2 || argc == 3, "usage: bench_universal DATA [SET|--count]");
    must(bt_env_init(&bench.env) == BT_OK, "no randomness");
    bench.env.hash_seed[0] = 0x9e3779b97f4a7c15U; /* a fixed one, so that runs can be compared */
    bench.env.hash_seed[1] = 0xbf58476d1ce4e5b9U;
    bt_arena_init(&bench.arena, ARENA_BYTES);
    bt_tokens_init(&bench.tokens, BT_ENCODING_O200K_BASE);
    bench.options = bt_universal_options_default();
    bench.options.budget = UINT64_MAX;
    bench.checker = bt_checker_create(&bench.env);
    must(bench.checker != NULL, "no memory");
    const size_t count = sets_load(sets, argv[1]);
    if (argc == 2) {
        printf("universal handoffs, microseconds per document, one core\n");
        printf("%-12s %8s %10s %10s %10s %10s %10s\n", "payload", "bytes", "check", "first time",
               "read", "tokens", "sha256");
    }
    const bool is_counted = argc == 3 && strcmp(argv[2], "--count") == 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_handoff = strncmp(sets[i].name, "handoff-", strlen("handoff-")) == 0;
        if (is_handoff && is_counted) {
            count_set(&bench, &sets[i]);
        } else if (argc == 3 && strcmp(sets[i].name, argv[2]) == 0) {
            load(&bench, &sets[i]);
            printf("%s", bench.texts[0].ptr);
        } else if (argc == 2 && is_handoff) {
            bench_set(&bench, &sets[i]);
        }
    }
    sets_free(sets, count);
    bt_checker_destroy(bench.checker);
    bt_tokens_free(&bench.tokens);
    bt_arena_free(&bench.arena);
    return 0;
}
