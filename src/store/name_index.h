/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_index.h - which entries bear a name: a handoff id, a trace id, the digest of a document; and
 * which documents of a store in a file bear a digest.
 */
#ifndef BATON_SRC_STORE_NAME_INDEX_H
#define BATON_SRC_STORE_NAME_INDEX_H

#include "store/store.h"

enum {
    BT_MARKS_SPAN = 256,          /* marks of so many entries or documents make one row */
    BT_MARKS_DOCUMENT_LEVEL = 16, /* from this level on rows mark documents */
};

enum bt_store_name_kind {
    BT_STORE_NAME_KIND_HANDOFF = 0,
    BT_STORE_NAME_KIND_TRACE,
    BT_STORE_NAME_KIND_DOCUMENT, /* that an entry is about */
    BT_STORE_NAME_KIND_KEPT,     /* a document itself; see shelf.h */
    BT_STORE_NAME_KIND__MAX,
};

/* What is marked, each by its number. */
enum bt_store_indexed_table {
    BT_STORE_INDEXED_TABLE_ENTRIES = 0,
    BT_STORE_INDEXED_TABLE_DOCUMENTS,
    BT_STORE_INDEXED_TABLE__MAX
};

/* How many there are, which is one above the highest number. */
BT_MUST_USE enum bt_status bt_store_name_index_count(struct bt_store *store,
                                                     enum bt_store_indexed_table what,
                                                     uint64_t *out, struct bt_error *error);

/* The marks of a span that is being added, so that it need not be read again. */
struct bt_store_name_index_tail {
    struct bt_buf marks; /* of all from the beginning of the span ... */
    uint64_t next;       /* ... to below this number; BT_STORE_NONE: they are not whole */
};

void bt_store_name_index_tail_init(struct bt_store_name_index_tail *fresh);
void bt_store_name_index_tail_free(struct bt_store_name_index_tail *fresh);
/* The one of this number was added, after all those before: note its names, as many as its sort has
 * and in the order of enum bt_store_name_kind; and write the marks of every span that it
 * completes. */
BT_MUST_USE enum bt_status
bt_store_name_index_add(struct bt_store *store, enum bt_store_indexed_table what, uint64_t number,
                        const struct bt_store_cell *names, struct bt_error *error);

/* Write the marks of all, none of which has any. */
BT_MUST_USE enum bt_status bt_store_name_index_rebuild(struct bt_store *store,
                                                       enum bt_store_indexed_table what,
                                                       struct bt_error *error);
/* Count the rows that are missing, or are not what the entries, the documents and the rows below
 * them say. */
BT_MUST_USE enum bt_status bt_store_name_index_check(struct bt_store *store, uint64_t *out_wrong,
                                                     struct bt_error *error);

/*
 * Add the numbers of all rows that may have this name to `out`, in rising order, as uint64_t. One
 * in 2^48 may not have it; the caller sees that when it reads the entry or document. BT_ECORRUPT:
 * rows are missing.
 */
BT_MUST_USE enum bt_status bt_store_name_index_find(struct bt_store *store,
                                                    enum bt_store_name_kind kind, bt_str name,
                                                    struct bt_buf *out, struct bt_error *error);

/* The 48 bits of a document's mark that do not come from its number. */
BT_MUST_USE enum bt_status bt_store_name_index_key(bt_str sha256, uint64_t *out,
                                                   struct bt_error *error);
typedef void bt_store_name_index_fn(void *context, uint64_t mark, uint64_t number);
/* Those of all documents with numbers from range[0] to below range[1], and perhaps of some before.
 * BT_ECORRUPT as above. */
BT_MUST_USE enum bt_status bt_store_name_index_scan_documents(struct bt_store *store,
                                                              const uint64_t range[2],
                                                              bt_store_name_index_fn *each,
                                                              void *context,
                                                              struct bt_error *error);

#endif
