/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recount.c - count the entries of a whole log by their names.
 *
 * A log can have as many traces as entries, so a name takes 24 bytes: a hash of 128 bits with a
 * random key, and its count.
 */
#include <assert.h>
#include <string.h>

#include "base/keyed_hash.h"
#include "ledger/counts.h"

enum { CAPACITY_MIN = 256, BLOCK_BYTES = 16 };

struct bt_ledger_recount_slot {
    struct bt_ledger_name_key key;
    uint64_t n; /* 0: the slot is free */
};

enum bt_status bt_ledger_recount_init(struct bt_ledger_recount *recount)
{
    assert(recount);
    *recount = (struct bt_ledger_recount){.capacity = 0};
    bt_arena_init(&recount->memory, SIZE_MAX);
    BT_TRY(bt_env_make_seed(&recount->seed[0]));
    return bt_env_make_seed(&recount->seed[2]);
}

void bt_ledger_recount_free(struct bt_ledger_recount *recount)
{
    assert(recount);
    bt_arena_free(&recount->memory);
}

static uint64_t load_part(bt_str text, size_t from)
{
    const size_t left = text.len > from ? text.len - from : 0;
    return bt_hash_load_few(text.ptr + (left > 0 ? from : 0), left < 8 ? left : 8);
}

/* Two hashes of a name, each with half of the seed. */
void bt_ledger_recount_key(const struct bt_ledger_recount *recount, enum bt_store_count_space space,
                           bt_str name, struct bt_ledger_name_key *out)
{
    assert(recount);
    assert(out);
    const uint64_t *seed = recount->seed;
    uint64_t keys[4] = {seed[0] ^ (uint64_t)space, seed[1] ^ name.len << 8,
                        seed[2] ^ (uint64_t)space, seed[3] ^ name.len << 8};
    for (size_t at = 0; at < name.len; at += BLOCK_BYTES) {
        const uint64_t words[2] = {load_part(name, at), load_part(name, at + 8)};
        for (size_t i = 0; i < 4; i += 2) {
            const uint64_t mixed = bt_hash_mix(words[0] ^ keys[i], words[1] ^ keys[i + 1]);
            keys[i] ^= mixed;
            keys[i + 1] += mixed;
        }
    }
    out->words[0] = name.len > 0 ? bt_hash_mix(keys[0], keys[1]) : 0;
    out->words[1] = name.len > 0 ? bt_hash_mix(keys[2], keys[3]) : 0;
}

/* The slot of a key, or the free one for it. */
static struct bt_ledger_recount_slot *find_slot(struct bt_ledger_recount_slot *slots,
                                                size_t capacity,
                                                const struct bt_ledger_name_key *key)
{
    size_t at = (size_t)key->words[0] & (capacity - 1);
    while (slots[at].n > 0 &&
           (slots[at].key.words[0] != key->words[0] || slots[at].key.words[1] != key->words[1])) {
        at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
}

/* Keep a third of the slots free. The former slots are freed. */
static enum bt_status make_room(struct bt_ledger_recount *recount)
{
    if (recount->count < recount->capacity / 3 * 2) {
        return BT_OK;
    }
    const size_t capacity = recount->capacity > 0 ? 2 * recount->capacity : CAPACITY_MIN;
    struct bt_arena memory;
    bt_arena_init(&memory, SIZE_MAX);
    struct bt_ledger_recount_slot *slots =
        BT_NEW_ARRAY(&memory, struct bt_ledger_recount_slot, capacity);
    if (!slots) {
        bt_arena_free(&memory);
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < recount->capacity; i++) {
        if (recount->slots[i].n > 0) {
            *find_slot(slots, capacity, &recount->slots[i].key) = recount->slots[i];
        }
    }
    bt_arena_free(&recount->memory);
    recount->memory = memory;
    recount->slots = slots;
    recount->capacity = capacity;
    return BT_OK;
}

static enum bt_status count_key(struct bt_ledger_recount *recount,
                                const struct bt_ledger_name_key *key, uint64_t *out)
{
    *out = BT_SEQ_ABSENT;
    if (key->words[0] == 0 && key->words[1] == 0) {
        return BT_OK;
    }
    BT_TRY(make_room(recount));
    struct bt_ledger_recount_slot *slot = find_slot(recount->slots, recount->capacity, key);
    recount->count += slot->n == 0;
    slot->key = *key;
    *out = ++slot->n;
    return BT_OK;
}

void bt_ledger_recount_prefetch(const struct bt_ledger_recount *recount,
                                const struct bt_ledger_name_key *trace)
{
    assert(recount);
    assert(trace);
    if (recount->capacity > 0) {
        __builtin_prefetch(&recount->slots[(size_t)trace->words[0] & (recount->capacity - 1)]);
    }
}

enum bt_status bt_ledger_recount_add_keys(struct bt_ledger_recount *recount,
                                          const struct bt_ledger_entry_keys *keys,
                                          struct bt_entry_counts *out)
{
    assert(recount);
    assert(keys);
    assert(out);
    out->client = BT_SEQ_ABSENT;
    BT_TRY(count_key(recount, &keys->actor, &out->actor));
    BT_TRY(count_key(recount, &keys->source, &out->source));
    return count_key(recount, &keys->trace, &out->trace);
}

enum bt_status bt_ledger_recount_add(struct bt_ledger_recount *recount,
                                     const struct bt_entry *entry, struct bt_entry_counts *out)
{
    uint64_t policies = 0;
    struct bt_ledger_entry_keys keys;
    struct bt_ledger_name_key kind;
    bt_ledger_recount_key(recount, BT_STORE_COUNT_ACTOR, entry->actor, &keys.actor);
    bt_ledger_recount_key(recount, BT_STORE_COUNT_SOURCE, entry->source, &keys.source);
    bt_ledger_recount_key(recount, BT_STORE_COUNT_TRACE, entry->trace_id, &keys.trace);
    BT_TRY(bt_ledger_recount_add_keys(recount, &keys, out));
    if (!bt_str_eq(entry->kind, BT_STR("policy"))) {
        return BT_OK;
    }
    bt_ledger_recount_key(recount, BT_STORE_COUNT_KIND, entry->kind, &kind);
    return count_key(recount, &kind, &policies);
}

uint64_t bt_ledger_recount_find(const struct bt_ledger_recount *recount,
                                enum bt_store_count_space space, bt_str name)
{
    assert(recount);
    if (recount->capacity == 0) {
        return 0;
    }
    struct bt_ledger_name_key key;
    bt_ledger_recount_key(recount, space, name, &key);
    return find_slot(recount->slots, recount->capacity, &key)->n;
}
