/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_tool.c - node_tool MODE ROOT URL PREFIX COUNT DEADLINE
 *
 * A node that decides: it records PREFIX-0, PREFIX-1 ... in the ledger at URL (endlessly when COUNT
 * is 0) and prints for each what came of it: `NAME OUTCOME MS`. Outcomes are `recorded`, `refused`
 * (the id was used up), `failed` (nothing was recorded), `unknown` and `alarm`.
 *
 *     ids     the name is the handoff id
 *     traces  the name is the trace id, so that nothing keeps it from being recorded twice
 *     blind   the same, and what did not succeed is simply tried again: the mistake that a test of
 *             lost answers must see
 *     loose   ids are looked up before the transaction that uses them up: the mistake that a test
 *             of races must see
 *     apart   entries are put behind the last one that was there before the transaction, as if
 *             nobody held the append lock: the mistake that a test of two nodes must see
 *
 * Of the last two each prints `NAME looked 0` when it has looked, and goes on when it is told to by
 * a line on its standard input, so that whoever starts two has them make the mistake every time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/submit.h"
#include "ledger/ledger.h"
#include "store/store.h"

enum { ARENA_BYTES = 16 << 20, TRIES_MAX = 100, PAUSE_MS = 5 };

struct node {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_ledger_options options;
    struct bt_ledger *ledger;
    struct bt_store *store; /* of the modes `loose` and `apart` */
    bool is_apart;
    bool by_trace;
    bool is_blind;
};

/* ---- Decisions ------------------------------------------------------------------------------- */

/* Record one document; what came of it. */
static const char *append(struct node *node, const char *name)
{
    struct bt_error error = {.text = ""};
    struct bt_findings *none = bt_findings_new(&node->arena);
    struct bt_findings *alarms = bt_findings_new(&node->arena);
    if (!none || !alarms) {
        return "failed";
    }
    struct bt_judgement judged = {.path = BT_STR("x"),
                                  .dialect = BT_DIALECT_RAW,
                                  .verdict = BT_VERDICT_RECORDED,
                                  .findings = none};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    bt_submission_init(item, &node->arena, &judged, BT_STR("cli"), bt_str_of(name), UINT64_MAX);
    item->entry.kind = BT_STR("raw");
    *(node->by_trace ? &item->entry.trace_id : &item->entry.handoff_id) = bt_str_of(name);
    struct bt_ledger_batch batch = {.items = &item, .count = 1};
    const enum bt_status status =
        bt_ledger_append(node->ledger, &node->env, &node->arena, &batch, alarms, &error);
    if (batch.is_unknown) {
        return "unknown";
    }
    if (status != BT_OK) {
        (void)fprintf(stderr, "%s: %s\n", name, error.text);
        return "failed";
    }
    return bt_findings_count(alarms) > 0           ? "alarm"
           : judged.verdict == BT_VERDICT_REJECTED ? "refused"
                                                   : "recorded";
}

/* Say that it was looked, and wait for the word to go on. */
static bool looked(const char *name)
{
    char line[300];
    char word = '\0';
    const int size = snprintf(line, sizeof(line), "%s looked 0\n", name);
    bool is_there = size > 0 && write(STDOUT_FILENO, line, (size_t)size) == size;
    while (is_there && word != '\n') {
        is_there = read(STDIN_FILENO, &word, 1) == 1;
    }
    return is_there;
}

static const char *use_id(struct node *node, const char *name)
{
    static const char digest[32];
    struct bt_error error;
    struct bt_store_used_id seen = {0, {digest, sizeof(digest)}};
    const bt_str key[2] = {BT_STR("raw"), bt_str_of(name)};
    enum bt_status status = bt_store_used_id_get(node->store, &node->arena, key, &seen, &error);
    if (status != BT_ENOENT) {
        return status == BT_OK ? "refused" : "failed";
    }
    seen.document = (bt_str){digest, sizeof(digest)};
    if (!looked(name) || bt_store_begin(node->store, &error) != BT_OK) {
        return "failed";
    }
    status = bt_store_used_id_put(node->store, key[0], key[1], &seen, &error);
    if (status == BT_OK) {
        status = bt_store_commit(node->store, &error);
    }
    bt_store_rollback(node->store);
    return status == BT_OK ? "recorded" : status == BT_EDENIED ? "refused" : "failed";
}

static bool take_seq(void *context, const struct bt_store_entry *entry)
{
    *(uint64_t *)context = entry->seq + 1;
    return false;
}

/* Put an entry of our own behind the last one. */
static const char *put_apart(struct node *node, const char *name)
{
    static const char digest[32];
    struct bt_error error;
    uint64_t next = 0;
    const struct bt_store_scan last = {.order = BT_STORE_DOWN, .from = INT64_MAX};
    if (bt_store_entry_scan(node->store, &last, take_seq, &next, &error) != BT_OK ||
        !looked(name) || bt_store_begin(node->store, &error) != BT_OK) {
        return "failed";
    }
    const struct bt_store_entry entry = {.seq = next,
                                         .leaf = {digest, sizeof(digest)},
                                         .entry = BT_STR("{}"),
                                         .batch = {digest, BT_STORE_BATCH_BYTES},
                                         .kind = BT_STR("raw"),
                                         .verdict = BT_STR("recorded")};
    enum bt_status status = bt_store_entry_put(node->store, &entry, &error);
    if (status == BT_OK) {
        status = bt_store_commit(node->store, &error);
    }
    bt_store_rollback(node->store);
    return status == BT_OK ? "recorded" : status == BT_EDENIED ? "refused" : "failed";
}

static const char *decide(struct node *node, const char *name)
{
    const char *outcome = NULL;
    for (size_t i = 0; i < TRIES_MAX; i++) {
        bt_arena_reset(&node->arena);
        outcome = node->is_apart ? put_apart(node, name)
                  : node->store  ? use_id(node, name)
                                 : append(node, name);
        if (!node->is_blind || strcmp(outcome, "recorded") == 0) {
            break;
        }
    }
    return outcome;
}

/* ---- The node -------------------------------------------------------------------------------- */

static bool open_node(struct node *node, bool by_store)
{
    struct bt_error error;
    struct bt_store_location place;
    const struct bt_store_options options = {.deadline_ms = node->options.deadline_ms};
    enum bt_status status = BT_OK;
    if (by_store) {
        status =
            bt_store_get_location(&node->arena, bt_str_of(node->options.store), &place, &error);
        status = status == BT_OK ? bt_store_open(&place, &options, &node->store, &error) : status;
    } else {
        status = bt_ledger_open(&node->options, true, &node->ledger, &error);
    }
    if (status != BT_OK) {
        (void)fprintf(stderr, "open: %s\n", error.text);
    }
    return status == BT_OK;
}

/* Decide about one name after the other, and say what came of each. */
static bool run(struct node *node, const char *prefix, uint64_t count)
{
    const struct timespec pause = {.tv_nsec = (long)PAUSE_MS * 1000000};
    bool going = true;
    for (uint64_t n = 0; going && (count == 0 || n < count); n++) {
        char line[300];
        char name[200];
        (void)snprintf(name, sizeof(name), "%s-%" PRIu64, prefix, n);
        const uint64_t start = bt_clock_monotonic_ms();
        const char *outcome = decide(node, name);
        const int size = snprintf(line, sizeof(line), "%s %s %" PRIu64 "\n", name, outcome,
                                  bt_clock_monotonic_ms() - start);
        going = size > 0 && write(STDOUT_FILENO, line, (size_t)size) == size;
        if (strcmp(outcome, "recorded") != 0 && strcmp(outcome, "refused") != 0) {
            (void)nanosleep(&pause, NULL); /* a server that is gone should not be asked in a rush */
        }
    }
    return going;
}

int main(int argc, char **argv)
{
    struct node node = {.store = NULL};
    uint64_t count = 0;
    uint64_t deadline = 0;
    if (argc != 7 || bt_env_init(&node.env) != BT_OK ||
        bt_str_to_u64(bt_str_of(argv[5]), &count) != BT_OK ||
        bt_str_to_u64(bt_str_of(argv[6]), &deadline) != BT_OK) {
        (void)fprintf(stderr, "usage: node_tool MODE ROOT URL PREFIX COUNT DEADLINE\n");
        return 2;
    }
    node.is_blind = strcmp(argv[1], "blind") == 0;
    node.by_trace = node.is_blind || strcmp(argv[1], "traces") == 0;
    node.options =
        (struct bt_ledger_options){.root = argv[2], .store = argv[3], .deadline_ms = deadline};
    bt_arena_init(&node.arena, ARENA_BYTES);
    node.is_apart = strcmp(argv[1], "apart") == 0;
    if (!open_node(&node, node.is_apart || strcmp(argv[1], "loose") == 0)) {
        return 2;
    }
    const bool is_done = run(&node, argv[4], count);
    bt_store_close(node.store);
    bt_ledger_close(node.ledger);
    bt_arena_free(&node.arena);
    return is_done ? 0 : 1;
}
