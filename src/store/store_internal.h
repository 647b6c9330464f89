/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_internal.h - an open store as the files of this folder see it.
 */
#ifndef BATON_SRC_STORE_STORE_INTERNAL_H
#define BATON_SRC_STORE_STORE_INTERNAL_H

#include "store/document_index.h"
#include "store/driver.h"
#include "store/name_index.h"
#include "store/statements.h"
#include "store/tables.h"
#include "store/transaction_cache.h"

/* Leaves of entries that follow each other. */
struct bt_store_leaves {
    uint64_t first;
    uint64_t count;
    char *hashes; /* one after the other */
};

struct bt_store {
    struct bt_arena arena; /* holds the store itself */
    struct bt_store_location place;
    const struct bt_store_driver *driver;
    void *connection;
    struct bt_store_transaction_cache documents;   /* by digest, until the transaction ends */
    struct bt_store_transaction_cache ids;         /* of bt_store_cached_id() */
    struct bt_store_document_index document_index; /* of the documents in a file */
    struct bt_store_name_index_tail fresh[BT_STORE_INDEXED_TABLE__MAX];
    struct bt_arena expecting;         /* holds what is asked along with the next transaction */
    struct bt_store_checkpoint newest; /* in it, until the transaction ends */
    bool has_newest;
    struct bt_store_leaves leaves; /* in it as well */
    struct ZSTD_CCtx_s *packer;    /* used again for each document; NULL until the first */
    bool writing;                  /* a transaction that writes is open */
    bool reading;                  /* one that reads is */
    bool is_unknown;               /* a commit failed, and nobody knows how it ended */
};

/* Run a statement; one that writes needs a transaction that does. */
BT_MUST_USE enum bt_status bt_store_run(struct bt_store *store, const struct bt_store_query *query,
                                        struct bt_error *error);
BT_MUST_USE enum bt_status
bt_store_write(struct bt_store *store, const struct bt_store_query *query, struct bt_error *error);
/* Forget what is known of documents, ids and checkpoints. */
void bt_store_drop_caches(struct bt_store *store);
/* What packed documents is not needed any more. */
void bt_store_free_packer(struct bt_store *store);
/* A row of the checkpoints' statements. */
struct bt_store_checkpoint bt_store_checkpoint_of(const struct bt_store_cell *cells);
/* What is known about an id within this transaction; NULL: nothing. */
struct bt_store_transaction_cache_row *bt_store_cached_id(struct bt_store *store, bt_str dialect,
                                                          bt_str id);
/* Between which seqs all entries of a document are, both included; the first is the greater when it
 * has none. */
BT_MUST_USE enum bt_status bt_store_entries_of(struct bt_store *store, bt_str sha256,
                                               uint64_t out[2], struct bt_error *error);
/* Whether the leaves of a range were asked for along with this transaction; hand them out. */
bool bt_store_has_cached_leaves(const struct bt_store *store, const uint64_t range[2]);
void bt_store_scan_cached_leaves(const struct bt_store *store, const uint64_t range[2],
                                 bt_store_hash_fn *each, void *context);
/* A result's number; BT_STORE_NONE for null. */
uint64_t bt_store_cell_u64(const struct bt_store_cell *cell);

#endif
