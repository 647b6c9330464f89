/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_index.h - find entries by a name: a handoff id, a trace id, the digest of a document; and
 * documents of a store in a file by their digest.
 */
#ifndef BATON_SRC_STORE_NAME_INDEX_H
#define BATON_SRC_STORE_NAME_INDEX_H

#include "base/buf.h"
#include "store/store.h"

#ifndef BT_MARKS_SPAN_BITS
#define BT_MARKS_SPAN_BITS 8 /* a test has smaller spans */
#endif

enum {
    BT_MARKS_SPAN = 1 << BT_MARKS_SPAN_BITS, /* marks of so many entries make one row */
    BT_MARKS_DOCUMENT_LEVEL = 16,            /* from this level on rows mark documents */
};

enum bt_store_name_kind {
    BT_STORE_NAME_KIND_HANDOFF = 0,
    BT_STORE_NAME_KIND_TRACE,
    BT_STORE_NAME_KIND_DOCUMENT, /* the document of an entry */
    BT_STORE_NAME_KIND_KEPT,     /* a document itself; see document_index.h */
    BT_STORE_NAME_KIND__MAX,
};

/* The indexed tables. */
enum bt_store_indexed_table {
    BT_STORE_INDEXED_TABLE_ENTRIES = 0,
    BT_STORE_INDEXED_TABLE_DOCUMENTS,
    BT_STORE_INDEXED_TABLE__MAX
};

/* The number of rows, which is one above the highest number. */
BT_MUST_USE enum bt_status bt_store_name_index_count(struct bt_store *store,
                                                     enum bt_store_indexed_table what,
                                                     uint64_t *out, struct bt_error *error);

/* The marks of the span that is being filled, so that it need not be read again. */
struct bt_store_name_index_tail {
    struct bt_buf marks; /* of all from the beginning of the span ... */
    uint64_t next;       /* ... to below this number; BT_STORE_NONE: they are incomplete */
};

void bt_store_name_index_tail_init(struct bt_store_name_index_tail *fresh);
void bt_store_name_index_tail_free(struct bt_store_name_index_tail *fresh);
/*
 * A row with this number was added, after all those before: collect its names, as many as its table
 * has and in the order of enum bt_store_name_kind; and write the marks of every span that it
 * completes.
 */
BT_MUST_USE enum bt_status
bt_store_name_index_add(struct bt_store *store, enum bt_store_indexed_table what, uint64_t number,
                        const struct bt_store_cell *names, struct bt_error *error);

/* Write the marks of all rows; there must be none yet. */
BT_MUST_USE enum bt_status bt_store_name_index_rebuild(struct bt_store *store,
                                                       enum bt_store_indexed_table what,
                                                       struct bt_error *error);
/* Merge what an earlier version left unmerged, which makes searches shorter. *out_changed: it left
 * something. */
BT_MUST_USE enum bt_status bt_store_name_index_complete(struct bt_store *store,
                                                        enum bt_store_indexed_table what,
                                                        bool *out_changed, struct bt_error *error);
/* Count the rows that are missing, or do not match the entries, the documents and the rows below
 * them. */
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
/* As bt_store_name_index_find(), among the numbers below `end`, a multiple of BT_MARKS_SPAN. */
BT_MUST_USE enum bt_status bt_store_name_index_find_below(struct bt_store *store,
                                                          enum bt_store_name_kind kind, bt_str name,
                                                          uint64_t end, struct bt_buf *out,
                                                          struct bt_error *error);

/* The 48 bits of a document's mark that do not depend on its number. */
BT_MUST_USE enum bt_status bt_store_name_index_key(bt_str sha256, uint64_t *out,
                                                   struct bt_error *error);
typedef void bt_store_name_index_fn(void *context, uint64_t mark, uint64_t number);
/* The keys of all documents with numbers from range[0] to below range[1], and perhaps of some
 * before. BT_ECORRUPT as above. */
BT_MUST_USE enum bt_status bt_store_name_index_scan_documents(struct bt_store *store,
                                                              const uint64_t range[2],
                                                              bt_store_name_index_fn *each,
                                                              void *context,
                                                              struct bt_error *error);

#endif
