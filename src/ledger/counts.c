/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.c - the counters of a transaction.
 *
 * A counter is read once in a transaction and written once, before the commit, however many entries
 * of the transaction it counts.
 */
#include "ledger/counts.h"

#include <assert.h>

void bt_ledger_counts_begin(struct bt_ledger_transaction *recording)
{
    assert(recording);
    bt_map_init(&recording->drafts.counters, recording->arena, recording->env->hash_seed);
}

/* The counter of a name, as the store has it when it is used first. */
static enum bt_status get_counter(struct bt_ledger_transaction *recording,
                                  enum bt_store_count_space space, bt_str name,
                                  struct bt_ledger_counter **out, struct bt_error *error)
{
    struct bt_map_key key = {name, space};
    struct bt_map_entry *entry = bt_map_find(&recording->drafts.counters, key);
    if (entry) {
        *out = entry->value.pointer;
        return BT_OK;
    }
    struct bt_ledger_counter *counter = BT_NEW(recording->arena, struct bt_ledger_counter);
    if (!counter || bt_arena_copy(recording->arena, name, &key.text) != BT_OK ||
        bt_map_add(&recording->drafts.counters, key, &entry) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    entry->value.pointer = counter;
    *out = counter;
    return bt_store_count_get(recording->ledger->store, space, name, &counter->count, error);
}

/* Count an entry under a name; without a name *out_n is unchanged. */
static enum bt_status count_name(struct bt_ledger_transaction *recording, uint64_t seq,
                                 enum bt_store_count_space space, bt_str name, uint64_t *out_n,
                                 struct bt_error *error)
{
    struct bt_ledger_counter *counter = NULL;
    if (name.len == 0) {
        return BT_OK;
    }
    BT_TRY(get_counter(recording, space, name, &counter, error));
    counter->added++;
    counter->count.n++;
    counter->count.seq = seq;
    *out_n = counter->count.n;
    return BT_OK;
}

/* Add what a map has counted to the table. */
static enum bt_status store_counters(struct bt_store *store, const struct bt_map *counters,
                                     struct bt_error *error)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        const struct bt_map_entry *entry = &counters->entries[i];
        const struct bt_ledger_counter *counter = entry->value.pointer;
        const bt_str key[2] = {
            bt_store_count_space_name((enum bt_store_count_space)entry->key.number),
            entry->key.text};
        BT_TRY(bt_store_count_add(store, key, counter->added, counter->count.seq, error));
    }
    return BT_OK;
}

enum bt_status bt_ledger_counts_add(struct bt_ledger_transaction *recording, struct bt_entry *entry,
                                    struct bt_error *error)
{
    assert(recording);
    assert(entry);
    const uint64_t seq = entry->seq;
    uint64_t policies = 0;
    BT_TRY(count_name(recording, seq, BT_STORE_COUNT_ACTOR, entry->actor, &entry->n.actor, error));
    BT_TRY(
        count_name(recording, seq, BT_STORE_COUNT_SOURCE, entry->source, &entry->n.source, error));
    BT_TRY(
        count_name(recording, seq, BT_STORE_COUNT_TRACE, entry->trace_id, &entry->n.trace, error));
    return bt_str_eq(entry->kind, BT_STR("policy"))
               ? count_name(recording, seq, BT_STORE_COUNT_KIND, entry->kind, &policies, error)
               : BT_OK;
}

enum bt_status bt_ledger_counts_store(struct bt_ledger_transaction *recording,
                                      struct bt_error *error)
{
    assert(recording);
    return store_counters(recording->ledger->store, &recording->drafts.counters, error);
}

enum bt_status bt_ledger_trace_has_budget(const struct bt_ledger_transaction *recording,
                                          bt_str trace_id, bool *out, struct bt_error *error)
{
    assert(recording);
    assert(out);
    struct bt_store_count counted;
    BT_TRY(bt_store_count_get(recording->ledger->store, BT_STORE_COUNT_BUDGET, trace_id, &counted,
                              error));
    *out = counted.n > 0;
    return BT_OK;
}

/* ---- A log that is switched to version 2 ----------------------------------------------------- */

enum { FILL_ENTRIES = 1024 };

/* The counts of some entries, which are added to those of the store when all of them are read: a
 * store runs one statement at a time. */
struct ledger_counts_fill {
    struct bt_arena arena;
    struct bt_map counters;
    enum bt_status status;
};

static enum bt_status fill_name(struct ledger_counts_fill *fill, uint64_t seq,
                                enum bt_store_count_space space, bt_str name)
{
    struct bt_map_key key = {name, space};
    struct bt_map_entry *entry = bt_map_find(&fill->counters, key);
    if (name.len == 0) {
        return BT_OK;
    }
    if (!entry) {
        BT_TRY(bt_arena_copy(&fill->arena, name, &key.text));
        BT_TRY(bt_map_add(&fill->counters, key, &entry));
        entry->value.pointer = BT_NEW(&fill->arena, struct bt_ledger_counter);
        if (!entry->value.pointer) {
            return BT_ENOMEM;
        }
    }
    struct bt_ledger_counter *counter = entry->value.pointer;
    counter->added++;
    counter->count.seq = seq;
    return BT_OK;
}

static bool fill_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_counts_fill *fill = context;
    struct bt_entry entry;
    fill->status = bt_entry_read(row->entry, &entry) ? BT_OK : BT_ECORRUPT;
    const bt_str names[] = {[BT_STORE_COUNT_ACTOR] = entry.actor,
                            [BT_STORE_COUNT_SOURCE] = entry.source,
                            [BT_STORE_COUNT_TRACE] = entry.trace_id};
    for (size_t i = 0; i < BT_STORE_COUNT__MAX && fill->status == BT_OK; i++) {
        fill->status = fill_name(fill, row->seq, (enum bt_store_count_space)i, names[i]);
    }
    return fill->status == BT_OK;
}

static enum bt_status fill_chunk(struct bt_store *store, struct ledger_counts_fill *fill,
                                 const uint64_t range[2], struct bt_error *error)
{
    BT_TRY(bt_store_text_scan(store, range, fill_entry, fill, error));
    if (fill->status != BT_OK) {
        return bt_error_set(error, fill->status, "%s",
                            fill->status == BT_ECORRUPT
                                ? "an entry cannot be read; run baton ledger verify"
                                : bt_status_text(fill->status));
    }
    return store_counters(store, &fill->counters, error);
}

enum bt_status bt_ledger_counts_fill(struct bt_ledger *ledger, uint64_t size,
                                     struct bt_error *error)
{
    assert(ledger);
    struct ledger_counts_fill fill = {.status = BT_OK};
    uint64_t seed[2];
    enum bt_status status = bt_env_make_seed(seed);
    bt_arena_init(&fill.arena, SIZE_MAX);
    for (uint64_t from = 0; from < size && status == BT_OK; from += FILL_ENTRIES) {
        const uint64_t range[2] = {from, size - from < FILL_ENTRIES ? size : from + FILL_ENTRIES};
        bt_arena_reset(&fill.arena);
        bt_map_init(&fill.counters, &fill.arena, seed);
        status = fill_chunk(ledger->store, &fill, range, error);
    }
    bt_arena_free(&fill.arena);
    return status;
}
