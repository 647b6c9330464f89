/* SPDX-License-Identifier: Apache-2.0 */
/* store_internal.h - an open store, for the files of this folder. */
#ifndef BATON_SRC_STORE_STORE_INTERNAL_H
#define BATON_SRC_STORE_STORE_INTERNAL_H

#include "base/map.h"
#include "store/document_index.h"
#include "store/driver.h"
#include "store/name_index.h"
#include "store/queue.h"
#include "store/statements.h"
#include "store/tables.h"
#include "store/transaction_cache.h"

/* Leaves of consecutive entries. */
struct bt_store_leaves {
    uint64_t first;
    uint64_t count;
    char *hashes; /* concatenated */
};

/* What the current transaction changes in the counters of queues: see queue_counts.c. */
struct bt_store_queue_changes {
    struct bt_arena arena;
    struct bt_map sums; /* by target and space */
    uint64_t seq;       /* of the last change */
    bool is_complete;   /* the counters of the store are known to be complete */
};

struct bt_store {
    struct bt_arena arena; /* holds the store itself */
    struct bt_store_location place;
    const struct bt_store_driver *driver;
    void *connection;
    struct bt_store_transaction_cache documents; /* by digest, until the transaction ends */
    struct bt_store_transaction_cache ids;       /* of bt_store_cached_id() */
    struct bt_store_transaction_cache counts;    /* of bt_store_cached_count() */
    struct bt_store_queue_changes queue_changes;
    struct bt_store_document_index document_index; /* of the documents in a file */
    struct bt_store_name_index_tail fresh[BT_STORE_INDEXED_TABLE__MAX];
    struct bt_arena expecting;         /* holds what is looked up with the next transaction */
    struct bt_store_checkpoint newest; /* in it, until the transaction ends */
    bool has_newest;
    struct bt_store_leaves leaves; /* in it as well */
    struct ZSTD_CCtx_s *packer;    /* reused for each document; NULL until the first */
    struct ZSTD_DCtx_s *unpacker;  /* likewise, for reading */
    bool writing;                  /* a transaction that writes is open */
    bool reading;                  /* one that reads is open */
    bool is_unknown;               /* a commit failed, and its outcome is unknown */
};

/* Run a statement; one that writes needs a write transaction. */
BT_MUST_USE enum bt_status bt_store_run(struct bt_store *store, const struct bt_store_query *query,
                                        struct bt_error *error);
BT_MUST_USE enum bt_status
bt_store_write(struct bt_store *store, const struct bt_store_query *query, struct bt_error *error);
/* Run a statement that writes and returns no rows. */
BT_MUST_USE enum bt_status bt_store_put(struct bt_store *store, size_t statement,
                                        const struct bt_store_cell *cells, size_t count,
                                        struct bt_error *error);
/* Forget cached documents, ids and checkpoints. */
void bt_store_drop_caches(struct bt_store *store);
void bt_store_queue_changes_init(struct bt_store_queue_changes *changes);
/* Forget the changes of a transaction that has ended. */
void bt_store_queue_changes_clear(struct bt_store_queue_changes *changes);
void bt_store_queue_changes_free(struct bt_store_queue_changes *changes);
/* An item goes from one state to another within a decision, or is new: from state 0. */
BT_MUST_USE enum bt_status bt_store_queue_note_change(struct bt_store *store,
                                                      const struct bt_queue_item *item,
                                                      enum bt_queue_state from,
                                                      enum bt_queue_state to,
                                                      struct bt_error *error);
/* Write the counters, before the commit. */
BT_MUST_USE enum bt_status bt_store_queue_write_changes(struct bt_store *store,
                                                        struct bt_error *error);
/* Free the compressor of documents. */
void bt_store_free_packer(struct bt_store *store);
/* A row of the checkpoints' statements. */
struct bt_store_checkpoint bt_store_checkpoint_of(const struct bt_store_cell *cells);
/* The cached row of an id within this transaction; NULL: none. */
struct bt_store_transaction_cache_row *bt_store_cached_id(struct bt_store *store, bt_str dialect,
                                                          bt_str id);
/* The cached row of a counter: its `seen.seq` is n, and the newest entry is not known. NULL:
 * none. */
struct bt_store_transaction_cache_row *bt_store_cached_count(struct bt_store *store, bt_str space,
                                                             bt_str name);
/* The range of seqs that contains all entries of a document, both included; the first is the
 * greater when it has none. */
BT_MUST_USE enum bt_status bt_store_entries_of(struct bt_store *store, bt_str sha256,
                                               uint64_t out[2], struct bt_error *error);
/* True when the leaves of a range were looked up with this transaction; pass them to the
 * callback. */
bool bt_store_has_cached_leaves(const struct bt_store *store, const uint64_t range[2]);
void bt_store_scan_cached_leaves(const struct bt_store *store, const uint64_t range[2],
                                 bt_store_hash_fn *each, void *context);
/* A result's number; BT_STORE_NONE for null. */
uint64_t bt_store_cell_u64(const struct bt_store_cell *cell);

#endif
