/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_json.c - bench_json DATA: ns per byte of Baton's reader and of its peers, in one run.
 *
 * DATA is the folder with the data sets (sets.h). The parsers take turns, and the fastest turn of
 * each counts, so that a busy machine disturbs all of them alike.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/base.h>
#include <baton/json.h>

#include "json/options.h"
#include "json_peers.h"
#include "measure.h"
#include "sets.h"

enum { TURNS = 24, PEERS = 6 };

/* ---- Baton, behind the same interface -------------------------------------------------------- */

struct ours {
    struct bt_arena arena;
    struct bt_arena scratch;
    struct bt_json_options options;
};

static void *open_ours(void)
{
    struct ours *ours = calloc(1, sizeof(*ours));
    if (ours) {
        bt_arena_init(&ours->arena, (size_t)1 << 30);
        bt_arena_init(&ours->scratch, (size_t)1 << 30);
        ours->options = bt_json_options_default();
        ours->options.document_bytes_max = 1 << 28; /* a million names need more than 8 MiB */
        ours->options.hash_seed[0] = 0x9e3779b97f4a7c15U;
        ours->options.hash_seed[1] = 0xbf58476d1ce4e5b9U;
        ours->options.scratch = &ours->scratch;
    }
    return ours;
}

static bool parse_ours(void *state, const char *text, size_t size)
{
    struct ours *ours = state;
    struct bt_json_read_result result = {0};
    bt_arena_reset(&ours->arena);
    return bt_json_read(&ours->arena, (bt_str){text, size}, &ours->options, &result) == BT_OK &&
           result.document != NULL;
}

static void close_ours(void *state)
{
    struct ours *ours = state;
    bt_arena_free(&ours->arena);
    bt_arena_free(&ours->scratch);
    free(ours);
}

static const struct peer ours_peer = {"baton", open_ours, parse_ours, close_ours};

/* ---- Measuring ------------------------------------------------------------------------------- */

/* The nanoseconds of one pass over the set, or a negative number when a text was refused. */
static double pass(const struct set *set, const struct peer *peer, void *state)
{
    const double from = now_ns();
    for (size_t i = 0; i < set->count; i++) {
        if (!peer->parse(state, set->texts[i], set->sizes[i])) {
            return -1;
        }
    }
    return now_ns() - from;
}

static void measure(const struct set *set, const struct peer *const *peers, void **states,
                    double ns_per_byte[PEERS])
{
    for (size_t p = 0; p < PEERS; p++) {
        ns_per_byte[p] = INFINITY;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t p = 0; p < PEERS; p++) {
            if (turn >= 4 && p > 1) {
                continue; /* the slow ones need no fine clock */
            }
            double best = INFINITY;
            for (int again = 0; again < (p > 1 ? 1 : 4); again++) {
                const double ns = pass(set, peers[p], states[p]);
                best = ns < best ? ns : best;
            }
            const double per_byte = best < 0 ? NAN : best / (double)set->bytes;
            if (!(per_byte >= ns_per_byte[p])) {
                ns_per_byte[p] = per_byte;
            }
        }
    }
}

static void print_row(const char *name, const double *ns_per_byte)
{
    printf("%-24s", name);
    for (size_t p = 0; p < PEERS; p++) {
        printf(" %9.3f", ns_per_byte[p]);
    }
    printf("   %5.2f x\n", ns_per_byte[0] / ns_per_byte[1]);
}

/* ---- Texts made to hurt ---------------------------------------------------------------------- */

/* `count` times the body between head and tail; %zu in the body becomes the number of the turn. */
static char *make_text(const char *head, const char *body, size_t count, const char *tail,
                       size_t *out_size)
{
    const size_t room = strlen(head) + count * (strlen(body) + 16) + strlen(tail) + SET_PADDING;
    char *text = calloc(1, room);
    if (!text) {
        return NULL;
    }
    size_t size = (size_t)snprintf(text, room, "%s", head);
    const char *number = strchr(body, '#');
    for (size_t i = 0; i < count; i++) {
        const int front = number ? (int)(number - body) : (int)strlen(body);
        size += (size_t)snprintf(text + size, room - size, "%.*s", front, body);
        if (number) {
            size += (size_t)snprintf(text + size, room - size, "%zu%s", i, number + 1);
        }
    }
    size += (size_t)snprintf(text + size, room - size, "%s", tail);
    *out_size = size;
    return text;
}

/* Bytes per nanosecond times 1000 is MB/s; refused texts are judged too, and count as well. */
static void measure_hostile(const struct peer *peer, void *state)
{
    static const struct {
        const char *name;
        const char *head;
        const char *body;
        size_t count;
        const char *tail;
    } rows[] = {
        {"32 levels, 30,000 times", "[",
         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],", 30000, "1]"},
        {"8 MB of [", "", "[", 8000000, ""},
        {"one string of 4 MB", "\"", "x", 4000000, "\""},
        {"one string of escapes", "\"", "\\n", 2000000, "\""},
        {"one string of \\u escapes", "\"", "\\u20ac", 600000, "\""},
        {"1e6 small names", "{\"\":0", ",\"#\":1", 999998, "}"},
        {"1e6 small numbers", "[0", ",1", 999998, "]"},
        {"1e6 empty strings", "[0", ",\"\"", 999998, "]"},
        {"a number of 8 MB", "", "7", 8000000, ""},
        {"an object per item", "[0", ",{\"a\":#}", 490000, "]"},
        {"8 MB of blanks", "", " ", 8000000, ""},
        {"8 MB of quotes", "", "\"", 8000000, ""},
    };
    printf("\n%-32s %10s %10s\n", "hostile texts", "MB", "MB/s");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t size = 0;
        char *text = make_text(rows[i].head, rows[i].body, rows[i].count, rows[i].tail, &size);
        double best = INFINITY;
        for (int turn = 0; text && turn < 5; turn++) {
            const double from = now_ns();
            (void)peer->parse(state, text, size);
            const double ns = now_ns() - from;
            best = ns < best ? ns : best;
        }
        printf("%-32s %10.1f %10.0f\n", rows[i].name, (double)size / 1e6,
               (double)size / best * 1000);
        free(text);
    }
}

int main(int argc, char **argv)
{
    static struct set sets[SETS_MAX];
    static const struct peer *const peers[PEERS] = {&ours_peer,  &peer_simdjson, &peer_rapidjson,
                                                    &peer_cjson, &peer_jsonc,    &peer_jansson};
    void *states[PEERS];
    if (argc != 2) {
        fprintf(stderr, "usage: bench_json DATA\n");
        return 2;
    }
    const size_t count = sets_load(sets, argv[1]);
    if (count == 0) {
        fprintf(stderr, "bench_json: no data sets in %s\n", argv[1]);
        return 2;
    }
    printf("%-24s", "ns per byte");
    for (size_t p = 0; p < PEERS; p++) {
        states[p] = peers[p]->open();
        printf(" %9s", peers[p]->name);
    }
    printf("   baton / simdjson\n");
    double logs[PEERS] = {0};
    for (size_t i = 0; i < count; i++) {
        double ns_per_byte[PEERS];
        measure(&sets[i], peers, states, ns_per_byte);
        print_row(sets[i].name, ns_per_byte);
        for (size_t p = 0; p < PEERS; p++) {
            logs[p] += log(ns_per_byte[p]) / (double)count;
        }
    }
    for (size_t p = 0; p < PEERS; p++) {
        logs[p] = exp(logs[p]);
    }
    print_row("geometric mean", logs);
    measure_hostile(peers[0], states[0]);
    for (size_t p = 0; p < PEERS; p++) {
        peers[p]->close(states[p]);
    }
    sets_free(sets, count);
    return 0;
}
