/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.h - the counters of entries of version 2: how many entries of the log have an actor, a
 * source or a trace.
 */
#ifndef BATON_SRC_LEDGER_COUNTS_H
#define BATON_SRC_LEDGER_COUNTS_H

#include "ledger/transaction.h"

/* A counter of a transaction; the key of its map has its name and its space. */
struct bt_ledger_counter {
    struct bt_store_count count; /* with ... */
    uint64_t added;              /* ... this many entries of the transaction */
};

/* Begin to count the entries of a transaction that holds the append lock. */
void bt_ledger_counts_begin(struct bt_ledger_transaction *recording);
/* Count an entry, which has its seq, and set its counters. */
BT_MUST_USE enum bt_status bt_ledger_counts_add(struct bt_ledger_transaction *recording,
                                                struct bt_entry *entry, struct bt_error *error);
/* Store all counters that have changed; before the commit. */
BT_MUST_USE enum bt_status bt_ledger_counts_store(struct bt_ledger_transaction *recording,
                                                  struct bt_error *error);
/* Find out whether a handoff with a budget was submitted in this trace. */
BT_MUST_USE enum bt_status bt_ledger_trace_has_budget(const struct bt_ledger_transaction *recording,
                                                      bt_str trace_id, bool *out,
                                                      struct bt_error *error);
/* Count all entries of the log, of which there are `size`, within a transaction that writes: for a
 * log whose next entries will be of version 2. */
BT_MUST_USE enum bt_status bt_ledger_counts_fill(struct bt_ledger *ledger, uint64_t size,
                                                 struct bt_error *error);

/* ---- Counting again -------------------------------------------------------------------------- */

/* Counts of all names of a log, from its beginning. A name is kept as a keyed hash of 128 bits. */
struct bt_ledger_recount {
    struct bt_arena memory; /* of the slots */
    uint64_t seed[4];
    struct bt_ledger_recount_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* BT_EIO: the system provided no randomness. */
BT_MUST_USE enum bt_status bt_ledger_recount_init(struct bt_ledger_recount *recount);
void bt_ledger_recount_free(struct bt_ledger_recount *recount);

/* A name, as the hash of 128 bits that one recount makes of it. Zero: none. */
struct bt_ledger_name_key {
    uint64_t words[2];
};

/* The names of an entry that have a counter. */
struct bt_ledger_entry_keys {
    struct bt_ledger_name_key actor;
    struct bt_ledger_name_key source;
    struct bt_ledger_name_key trace;
};

/* What other threads may do for a recount: they only read its seed. */
void bt_ledger_recount_key(const struct bt_ledger_recount *recount, enum bt_store_count_space space,
                           bt_str name, struct bt_ledger_name_key *out);
/* An entry with this trace will be counted soon: every trace has its place in a large table. */
void bt_ledger_recount_prefetch(const struct bt_ledger_recount *recount,
                                const struct bt_ledger_name_key *trace);
/* Count one entry that is not a policy; *out as below. */
BT_MUST_USE enum bt_status bt_ledger_recount_add_keys(struct bt_ledger_recount *recount,
                                                      const struct bt_ledger_entry_keys *keys,
                                                      struct bt_entry_counts *out);
/* Count one entry; *out has what its counters should be, whatever its version. */
BT_MUST_USE enum bt_status bt_ledger_recount_add(struct bt_ledger_recount *recount,
                                                 const struct bt_entry *entry,
                                                 struct bt_entry_counts *out);
/* The count of one name so far. */
uint64_t bt_ledger_recount_find(const struct bt_ledger_recount *recount,
                                enum bt_store_count_space space, bt_str name);

#endif
