/* SPDX-License-Identifier: Apache-2.0 */
/* transaction.h - a transaction that adds entries to the log (one decision, one transaction). */
#ifndef BATON_SRC_LEDGER_TRANSACTION_H
#define BATON_SRC_LEDGER_TRANSACTION_H

#include "base/map.h"
#include "ledger/entry.h"
#include "ledger/ledger_internal.h"

/* The event that an entry of the transaction records; in its arena. */
struct bt_ledger_event {
    bt_str kind;
    bt_str event;
    struct bt_ledger_event *before;
};

/* What the entries of the transaction are made with; in its arena. */
struct bt_ledger_drafts {
    struct bt_entry *entry; /* of the item that is being added; reused */
    struct bt_map counters; /* of entries of version 2: counts.h */
    bt_str policy;          /* digest of the policy that it records or found recorded */
    bool are_statements;    /* for a log of statements; else entries, for a log of decisions */
};

/* A transaction in progress. */
struct bt_ledger_transaction {
    struct bt_ledger *ledger;
    struct bt_env *env;
    struct bt_arena *arena;
    struct bt_ledger_state state;  /* the tree grows while entries are added ... */
    struct bt_merkle_tree before;  /* ... from this tree, by ... */
    struct bt_merkle_hash *leaves; /* ... these leaves, in the arena */
    size_t leaf_count;
    size_t leaf_room;
    struct bt_ledger_event *events; /* named by entries, the last one first */
    struct bt_ledger_drafts drafts;
    char time[BT_ENTRY_TIME_BYTES + 1];
    char pinned[BT_ENTRY_TIME_BYTES +
                1]; /* refs.pinned of its entries; "" when no time was chosen */
    char batch[BT_STORE_BATCH_BYTES];
    bt_str note;      /* of the new checkpoint, after bt_ledger_transaction_commit() */
    bool is_recorded; /* it is durable */
    bool is_unknown;  /* the commit failed, but may have taken effect */
    bool is_lost;     /* it failed, and is known not to have taken effect */
    bool is_retry;    /* the decision is submitted again, after its commit was lost */
    const struct bt_store_lookup *lookups; /* what it will look up in the store, if known */
    size_t expected_count;
};

/* What was recorded for one entry. */
struct bt_ledger_record {
    struct bt_entry entry;
    bt_str text; /* of the entry, in the memory of the transaction */
    struct bt_merkle_hash leaf;
};

/* Take the append lock and check the ledger (D9, D11). With findings in `alarms` the transaction
 * is rolled back and nothing may be added. */
BT_MUST_USE enum bt_status bt_ledger_transaction_begin(struct bt_ledger_transaction *recording,
                                                       struct bt_findings *alarms,
                                                       struct bt_error *error);
/* Add an entry: seq and time are filled in, everything else is set by the caller. The bytes of
 * its document are stored when `bytes` is not NULL, unless they were redacted before. */
BT_MUST_USE enum bt_status bt_ledger_transaction_add_entry(struct bt_ledger_transaction *recording,
                                                           struct bt_entry *entry,
                                                           const bt_str *bytes,
                                                           struct bt_ledger_record *out,
                                                           struct bt_error *error);
/* A leaf of a log of statements, and the names that it is found by. */
struct bt_ledger_leaf {
    bt_str bytes;
    bt_str id;    /* what is registered once */
    bt_str group; /* "": none */
};

/* Add a leaf to a log of statements; its number is the size of the tree before. */
BT_MUST_USE enum bt_status bt_ledger_transaction_add_leaf(struct bt_ledger_transaction *recording,
                                                          const struct bt_ledger_leaf *leaf,
                                                          struct bt_error *error);
/* Add the policy that a document is judged by, unless an earlier entry has it: before all other
 * entries of the document. Entries of version 1 have no policies. */
BT_MUST_USE enum bt_status bt_ledger_transaction_add_policy(struct bt_ledger_transaction *recording,
                                                            const struct bt_submission *item,
                                                            struct bt_error *error);
/* Add the entry of a judged document, and set item->recorded. */
BT_MUST_USE enum bt_status
bt_ledger_transaction_add_submission(struct bt_ledger_transaction *recording,
                                     struct bt_submission *item, struct bt_error *error);
/* Sign one checkpoint for all entries, commit, replace the head file. */
BT_MUST_USE enum bt_status bt_ledger_transaction_commit(struct bt_ledger_transaction *recording,
                                                        struct bt_error *error);
/* Adds entries between begin and commit. It may be called again, and must not depend on what an
 * earlier call did. */
typedef enum bt_status bt_ledger_transaction_fn(struct bt_ledger_transaction *recording,
                                                void *context, struct bt_error *error);
/* Begin, add, commit; and repeat all of it when the connection was lost during the commit and
 * the store does not have it (rule D6). With findings in `alarms` nothing is added. When no entry
 * was added, nothing is committed. */
BT_MUST_USE enum bt_status bt_ledger_transaction_run(struct bt_ledger_transaction *recording,
                                                     bt_ledger_transaction_fn *add, void *context,
                                                     struct bt_findings *alarms,
                                                     struct bt_error *error);
/* Begin, change rows that need no entry, commit. With findings in `alarms` nothing is changed. */
BT_MUST_USE enum bt_status bt_ledger_transaction_mark(struct bt_ledger_transaction *recording,
                                                      bt_ledger_transaction_fn *change,
                                                      void *context, struct bt_findings *alarms,
                                                      struct bt_error *error);
/* Copy the object `record` of an entry into the transaction's arena; when all is added, which
 * may be before the commit. */
BT_MUST_USE enum bt_status
bt_ledger_transaction_copy_record(struct bt_ledger_transaction *recording,
                                  const struct bt_ledger_record *recorded, bt_str *out);
/* Put the object `record` of an entry; after the commit. */
void bt_ledger_transaction_put_record(struct bt_buf *buf,
                                      const struct bt_ledger_transaction *recording,
                                      const struct bt_ledger_record *recorded);

#endif
