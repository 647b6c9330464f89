/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_replay.c - what `baton replay` is measured beside.
 *
 *     make FOLDER DOCUMENT OTHER COUNT [BATCH]
 *                                        record COUNT handoffs, every tenth of them OTHER, in
 *                                        commits of BATCH (1000)
 *     loop DOCUMENT COUNT                judge as many in a bare loop; prints the processor time in
 *                                        seconds
 *     facts DOCUMENT COUNT               the same with the facts of a report, which a replay leaves
 *                                        out
 *
 * Each handoff has a trace id of its own, so no two documents are equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/check.h>

#include "base/file.h"
#include "dialect/universal/universal.h"
#include "engine/submit.h"
#include "measure.h"

enum { BATCH = 1000, DIGITS = 8, DOCUMENT_BYTES_MAX = 1 << 20, OTHER_EVERY = 10 };

static const char trace_id[] = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4";

struct bench {
    struct bt_env env;
    struct bt_arena arena; /* of the whole run */
    struct bt_checker *checker;
    struct bt_universal_options universal;
};

/* A copy of a document in the arena, with its number as the beginning of the trace id. */
static bt_str number_document(struct bt_arena *arena, bt_str document, uint64_t number)
{
    char digits[DIGITS + 1];
    bt_str text;
    (void)snprintf(digits, sizeof(digits), "%08lx", (unsigned long)(number & 0xffffffffUL));
    if (bt_arena_copy(arena, document, &text) != BT_OK) {
        fail("copy", "no memory");
    }
    const char *found = strstr(text.ptr, trace_id);
    if (!found) {
        fail("number", "the document has another trace id");
    }
    memcpy((char *)(uintptr_t)found, digits, DIGITS); /* the arena's own copy */
    return text;
}

static void judge(struct bench *bench, struct bt_arena *arena, bt_str text,
                  struct bt_judgement *out)
{
    const struct bt_check_options options = {
        .dialect = BT_DIALECT_UNIVERSAL, .checker = bench->checker, .universal = &bench->universal};
    if (bt_check_document(&bench->env, arena, BT_STR("document"), text, &options, out) != BT_OK ||
        out->verdict != BT_VERDICT_ACCEPTED) {
        fail("check", "the document is not accepted");
    }
}

static bt_str read_document(struct bench *bench, const char *path)
{
    struct bt_error error;
    bt_str text;
    if (bt_file_read(&bench->arena, bt_str_of(path), DOCUMENT_BYTES_MAX, &text, &error) != BT_OK) {
        fail("read", error.text);
    }
    return text;
}

static void record_batch(struct bench *bench, struct bt_ledger *ledger, const bt_str documents[2],
                         uint64_t first, size_t count)
{
    static struct bt_submission submissions[BATCH];
    static struct bt_submission *items[BATCH];
    static struct bt_judgement judged[BATCH];
    struct bt_error error = {.text = "no memory"};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        const bt_str text =
            number_document(&arena, documents[(first + i) % OTHER_EVERY == 0], first + i);
        judge(bench, &arena, text, &judged[i]);
        items[i] = &submissions[i];
        bt_submission_init(items[i], &arena, &judged[i], BT_STR("bench"), text, UINT64_MAX);
        bt_submission_set_names(items[i]);
    }
    const struct bt_deliver deliver = {.ledger = ledger,
                                       .env = &bench->env,
                                       .arena = &arena,
                                       .actor = BT_STR("bench"),
                                       .alarms = bt_findings_new(&arena)};
    if (!deliver.alarms || bt_submit(&deliver, items, count, &error) != BT_OK) {
        fail("submit", error.text);
    }
    bt_arena_free(&arena);
}

static void make_log(struct bench *bench, const char *folder, const bt_str documents[2],
                     const uint64_t count_and_batch[2])
{
    const uint64_t count = count_and_batch[0];
    const uint64_t batch = count_and_batch[1];
    char store[512];
    (void)snprintf(store, sizeof(store), "%s/ledger.db", folder);
    const struct bt_ledger_options options = {
        .store = store, .root = folder, .deadline_ms = 600000};
    struct bt_ledger *ledger = make_ledger(&bench->env, &bench->arena, &options, NULL);
    for (uint64_t first = 0; first < count; first += batch) {
        const uint64_t left = count - first;
        record_batch(bench, ledger, documents, first, (size_t)(left < batch ? left : batch));
    }
    bt_ledger_close(ledger);
}

static void time_loop(struct bench *bench, bt_str document, uint64_t count)
{
    struct bt_arena copies;
    struct bt_arena arena;
    bt_arena_init(&copies, SIZE_MAX);
    bt_arena_init(&arena, SIZE_MAX);
    double taken_s = 0;
    for (uint64_t first = 0; first < count; first += BATCH) {
        bt_str texts[BATCH];
        for (size_t i = 0; i < BATCH; i++) {
            texts[i] = number_document(&copies, document, first + i);
        }
        const double begin_s = processor_s();
        for (size_t i = 0; i < BATCH; i++) {
            struct bt_judgement judged;
            judge(bench, &arena, texts[i], &judged);
            bt_arena_reset(&arena);
        }
        taken_s += processor_s() - begin_s;
        bt_arena_reset(&copies);
    }
    (void)printf("%.6f\n", taken_s * (double)count / (double)((count + BATCH - 1) / BATCH * BATCH));
    bt_arena_free(&arena);
    bt_arena_free(&copies);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    uint64_t counts[2] = {0, BATCH}; /* of documents, and of those in a commit */
    const bool makes = (argc == 6 || argc == 7) && strcmp(argv[1], "make") == 0;
    const bool has_facts = argc == 4 && strcmp(argv[1], "facts") == 0;
    const bool loops = has_facts || (argc == 4 && strcmp(argv[1], "loop") == 0);
    if ((!makes && !loops) ||
        bt_str_to_u64(bt_str_of(argv[makes ? 5 : argc - 1]), &counts[0]) != BT_OK ||
        (argc == 7 && bt_str_to_u64(bt_str_of(argv[6]), &counts[1]) != BT_OK) || counts[1] < 1 ||
        counts[1] > BATCH) {
        (void)fprintf(stderr, "usage: bench_replay make FOLDER DOCUMENT OTHER COUNT [BATCH]\n"
                              "       bench_replay loop|facts DOCUMENT COUNT\n");
        return 2;
    }
    bt_arena_init(&bench.arena, SIZE_MAX);
    if (bt_env_init(&bench.env) != BT_OK || !(bench.checker = bt_checker_create(&bench.env))) {
        fail("start", "no memory or randomness");
    }
    bench.universal = bt_universal_options_default();
    bench.universal.no_refs = true;
    bench.universal.no_facts = loops && !has_facts;
    if (makes) {
        const bt_str documents[2] = {read_document(&bench, argv[3]),
                                     read_document(&bench, argv[4])};
        make_log(&bench, argv[2], documents, counts);
    } else {
        time_loop(&bench, read_document(&bench, argv[2]), counts[0]);
    }
    bt_checker_destroy(bench.checker);
    bt_arena_free(&bench.arena);
    return 0;
}
