/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_growth.c - make a large store: handoffs with small documents, eight of them to a trace.
 *
 *     bench_growth STORE FIRST END [DAYS]   append the handoffs from number FIRST to below END
 *
 * With FIRST 0 the store is made. With DAYS the times of the handoffs from 0 to END are spread over
 * that many days up to now, one in ten is rejected, and they go to eight receivers in two dialects.
 * Prints how long it took, and how many it appended a second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "engine/submit.h"
#include "ledger/admin.h"
#include "ledger/ledger.h"
#include "measure.h"

enum {
    BATCH = 10000,
    SPREAD_BATCH = 200, /* the entries of a batch have one time */
    TRACE_ENTRIES = 8,
    AGENTS = 40,
    TARGETS = 8,
    REJECTED = 10, /* one in so many */
    CODES = 20,
    DAY_S = 86400,
};

struct growing {
    struct bt_env env;
    struct bt_arena arena; /* of the ledger */
    struct bt_ledger *ledger;
    uint64_t at;  /* the handoff that is appended next */
    uint64_t end; /* of all of them */
    uint64_t days;
    bt_instant started;
};

static void open_store(struct growing *growing, const char *store, bool is_new)
{
    struct bt_error error = {.text = ""};
    const struct bt_ledger_options options = {.store = store, .root = "."};
    bt_arena_init(&growing->arena, SIZE_MAX);
    if (bt_env_init(&growing->env) != BT_OK) {
        fail("env", "no randomness");
    }
    if (is_new) {
        growing->ledger = make_ledger(&growing->env, &growing->arena, &options, NULL);
    } else if (bt_ledger_open(&options, true, &growing->ledger, &error) != BT_OK) {
        fail("ledger", error.text);
    }
}

static void make_item(struct bt_arena *arena, uint64_t number, struct bt_findings *none,
                      struct bt_judgement *judged, struct bt_submission *item)
{
    bt_str document = {NULL, 0};
    bool fine = bt_arena_printf(arena, &document, "{\"n\":%" PRIu64 "}", number) == BT_OK;
    *judged = (struct bt_judgement){.path = BT_STR("x"),
                                    .dialect = BT_DIALECT_UNIVERSAL,
                                    .source = BT_STR(""),
                                    .verdict = BT_VERDICT_ACCEPTED,
                                    .findings = none,
                                    .extra_members = BT_STR("")};
    bt_submission_init(item, arena, judged, BT_STR("serve/ci"), document, UINT64_MAX);
    item->entry.kind = BT_STR("handoff");
    fine &= bt_arena_printf(arena, &item->entry.trace_id, "trace-%" PRIu64,
                            number / TRACE_ENTRIES) == BT_OK;
    fine &= bt_arena_printf(arena, &item->entry.source, "agent-%" PRIu64, number % AGENTS) == BT_OK;
    item->entry.target = BT_STR("builder");
    if (!fine) {
        fail("item", "no memory");
    }
}

/* One in ten handoffs is rejected, for one of CODES reasons. */
static void vary_item(struct bt_arena *arena, uint64_t number, struct bt_judgement *judged,
                      struct bt_submission *item)
{
    bool fine = bt_arena_printf(arena, &item->entry.target, "receiver-%" PRIu64,
                                number / AGENTS % TARGETS) == BT_OK;
    judged->dialect = number % 3 == 0 ? BT_DIALECT_CONTRACT : BT_DIALECT_UNIVERSAL;
    if (number % REJECTED == 0) {
        struct bt_findings *findings = bt_findings_new(arena);
        struct bt_finding finding = bt_finding_from_rule(bt_rules_at(number / REJECTED % CODES));
        finding.severity = BT_SEVERITY_HARD;
        fine &= findings && bt_findings_add(findings, &finding) == BT_OK;
        judged->findings = findings;
        judged->verdict = BT_VERDICT_REJECTED;
    }
    if (!fine) {
        fail("item", "no memory");
    }
}

/* The time of a batch, when the handoffs are spread over days. */
static bt_instant read_spread_clock(void *context)
{
    const struct growing *growing = context;
    const double share = 1 - (double)growing->at / (double)growing->end;
    bt_instant time = growing->started;
    time.seconds -= (int64_t)(share * (double)(growing->days * DAY_S));
    return time;
}

static void append_batch(struct growing *growing, uint64_t first, size_t count)
{
    struct bt_arena arena;
    struct bt_error error = {.text = ""};
    bt_arena_init(&arena, SIZE_MAX);
    struct bt_findings *none = bt_findings_new(&arena);
    struct bt_findings *alarms = bt_findings_new(&arena);
    struct bt_judgement *judged = BT_NEW_ARRAY(&arena, struct bt_judgement, count);
    struct bt_submission *all = BT_NEW_ARRAY(&arena, struct bt_submission, count);
    struct bt_submission **items = BT_NEW_ARRAY(&arena, struct bt_submission *, count);
    if (!none || !alarms || !judged || !all || !items) {
        fail("batch", "no memory");
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = &all[i];
        make_item(&arena, first + i, none, &judged[i], items[i]);
        if (growing->days > 0) {
            vary_item(&arena, first + i, &judged[i], items[i]);
        }
    }
    growing->at = first;
    struct bt_ledger_batch batch = {.items = items, .count = count};
    if (bt_ledger_append(growing->ledger, &growing->env, &arena, &batch, alarms, &error) != BT_OK) {
        fail("append", error.text);
    }
    bt_arena_free(&arena);
}

int main(int argc, char **argv)
{
    struct growing growing = {.days = 0};
    uint64_t range[2] = {0, 0};
    if (argc < 4 || argc > 5 || bt_str_to_u64(bt_str_of(argv[2]), &range[0]) != BT_OK ||
        bt_str_to_u64(bt_str_of(argv[3]), &range[1]) != BT_OK || range[0] >= range[1] ||
        (argc == 5 && bt_str_to_u64(bt_str_of(argv[4]), &growing.days) != BT_OK)) {
        fail("usage", "bench_growth STORE FIRST END [DAYS]");
    }
    growing.end = range[1];
    open_store(&growing, argv[1], range[0] == 0);
    growing.started = bt_env_now(&growing.env);
    if (growing.days > 0) {
        growing.env.clock = read_spread_clock;
        growing.env.context = &growing;
    }
    const uint64_t batch = growing.days > 0 ? SPREAD_BATCH : BATCH;
    const double begin = now_s();
    for (uint64_t at = range[0]; at < range[1]; at += batch) {
        append_batch(&growing, at, (size_t)(range[1] - at < batch ? range[1] - at : batch));
    }
    const double taken = now_s() - begin;
    (void)printf("%" PRIu64 " entries in %.0f s, %.0f /s, %.1f us of processor each\n",
                 range[1] - range[0], taken, (double)(range[1] - range[0]) / taken,
                 processor_s() * 1e6 / (double)(range[1] - range[0]));
    bt_ledger_close(growing.ledger);
    bt_arena_free(&growing.arena);
    return EXIT_SUCCESS;
}
