/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_tokens.c - bench_tokens FOLDER [SET]: MB/s of the token counter over the sets that
 * token_corpora.py wrote, one JSON line for each set, encoding and way; bench_tokens FOLDER
 * --count: count each document once, for counts.py.
 *
 * cold: a fresh counter for each document. stream: one counter over all documents once. warm: the
 * same documents again. Of each document the fastest of several turns counts, so that a busy
 * machine disturbs little. bench/compare_tokens.py puts the lines beside those of the peers.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>
#include <baton/tokens.h>

#include "base/file.h"
#include "measure.h"
#include "sets.h"
#include "token/tokens.h"

enum { TURNS = 15, DOCUMENTS_MAX = 1024, FILE_BYTES_MAX = 64 << 20 };

static const char *const names[] = {"prose", "json", "code", "cjk", "emoji", "letters"};

struct corpus {
    bt_str documents[DOCUMENTS_MAX];
    size_t count;
    size_t bytes;
};

static bool load(struct bt_arena *arena, const char *folder, const char *name, struct corpus *out)
{
    char path[512];
    bt_str lines = {0};
    *out = (struct corpus){0};
    (void)snprintf(path, sizeof(path), "%s/%s.jsonl", folder, name);
    if (bt_file_read(arena, bt_str_of(path), FILE_BYTES_MAX, &lines, NULL) != BT_OK) {
        return false;
    }
    for (size_t at = 0; at < lines.len && out->count < DOCUMENTS_MAX;) {
        const size_t end = bt_str_find_byte(lines, '\n', at);
        struct bt_json_read_result read = {0};
        if (bt_json_read(arena, bt_str_slice(lines, at, end), NULL, &read) != BT_OK ||
            !read.document) {
            return false;
        }
        out->documents[out->count] = bt_json_text(bt_json_root(read.document));
        out->bytes += out->documents[out->count++].len;
        at = end + 1;
    }
    return out->count > 0;
}

enum way { COLD, STREAM, WARM, WAYS };

static const char *const way_names[WAYS] = {"cold", "stream", "warm"};

/* Nanoseconds of the fastest turn of each document, summed up. */
static double best_sum(const double *best, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += best[i];
    }
    return sum;
}

/* One turn over all documents; gives back the sum of their tokens. */
static uint64_t count_all(struct bt_tokens *counter, const struct corpus *corpus, enum way way,
                          double *best)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        uint64_t count = 0;
        const double from = now_ns();
        if (bt_tokens_count(counter, corpus->documents[i], &count) != BT_OK) {
            (void)fputs("bench_tokens: no memory\n", stderr);
            exit(1);
        }
        if (way == COLD) {
            bt_tokens_free(counter);
        }
        const double ns = now_ns() - from;
        best[i] = ns < best[i] ? ns : best[i];
        sum += count;
    }
    if (way == STREAM) {
        bt_tokens_free(counter);
    }
    return sum;
}

static void measure(const char *name, const struct corpus *corpus, enum bt_encoding encoding)
{
    for (enum way way = COLD; way < WAYS; way++) {
        double best[DOCUMENTS_MAX];
        uint64_t sum = 0;
        struct bt_tokens counter;
        for (size_t i = 0; i < corpus->count; i++) {
            best[i] = INFINITY;
        }
        bt_tokens_init(&counter, encoding);
        for (int turn = 0; turn < TURNS; turn++) {
            sum = count_all(&counter, corpus, way, best);
        }
        bt_tokens_free(&counter);
        (void)printf("{\"set\":\"%s\",\"engine\":\"baton %s\",\"encoding\":\"%.*s\",\"bytes\":%zu,"
                     "\"tokens\":%" PRIu64 ",\"mbps\":%.2f}\n",
                     name, way_names[way], BT_STR_ARG(bt_encoding_name(encoding)), corpus->bytes,
                     sum, (double)corpus->bytes / best_sum(best, corpus->count) * 1e3);
    }
}

static __attribute__((noipa)) uint64_t count_counted(struct bt_tokens *counter,
                                                     const struct corpus *corpus)
{
    double best[DOCUMENTS_MAX] = {0};
    return count_all(counter, corpus, COLD, best);
}

/* A line for each encoding: its name, and what the count is divided by. */
static void count_set(const char *name, const struct corpus *corpus)
{
    for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING_CHARS4;
         encoding++) {
        struct bt_tokens counter;
        bt_tokens_init(&counter, encoding);
        (void)count_counted(&counter, corpus);
        (void)printf("tokens/%s-%.*s %.3f\n", name, BT_STR_ARG(bt_encoding_name(encoding)),
                     (double)corpus->bytes / 1000);
    }
}

int main(int argc, char **argv)
{
    static struct corpus corpus;
    struct bt_arena arena;
    if (argc < 2) {
        (void)fputs("usage: bench_tokens FOLDER [SET|--count]\n", stderr);
        return 2;
    }
    const bool is_counted = argc > 2 && strcmp(argv[2], "--count") == 0;
    bt_arena_init(&arena, (size_t)1 << 30);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (argc > 2 && !is_counted && strcmp(argv[2], names[i]) != 0) {
            continue;
        }
        if (!load(&arena, argv[1], names[i], &corpus)) {
            if (is_counted) {
                continue; /* only some sets were made */
            }
            (void)fprintf(stderr, "bench_tokens: cannot read the set %s\n", names[i]);
            return 2;
        }
        if (is_counted) {
            count_set(names[i], &corpus);
        } else {
            measure(names[i], &corpus, BT_ENCODING_O200K_BASE);
            measure(names[i], &corpus, BT_ENCODING_CL100K_BASE);
        }
        bt_arena_reset(&arena);
    }
    bt_arena_free(&arena);
    return 0;
}
