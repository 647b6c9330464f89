/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.h - which entries bear a name: a handoff id, a trace id, the digest of a document.
 */
#ifndef BATON_SRC_STORE_MARKS_H
#define BATON_SRC_STORE_MARKS_H

#include "store/store.h"

enum bt_name { BT_NAME_HANDOFF = 0, BT_NAME_TRACE, BT_NAME_DOCUMENT, BT_NAME__MAX };

/* The ledger has `size` entries now: write the marks of every span that this one completed. */
BT_MUST_USE enum bt_status bt_marks_add(struct bt_store *store, uint64_t size,
                                        struct bt_error *error);

/* Write the marks of all entries, none of which has any. */
BT_MUST_USE enum bt_status bt_marks_fill(struct bt_store *store, struct bt_error *error);
/* Count the rows that are missing, or are not what the entries and the rows below them say. */
BT_MUST_USE enum bt_status bt_marks_check(struct bt_store *store, uint64_t *out_wrong,
                                          struct bt_error *error);

/* Add the seqs of all entries that may bear this name to `out`, upwards, as uint64_t. One in 2^48
 * may not; whoever reads the entry sees. BT_ECORRUPT: rows are missing. */
BT_MUST_USE enum bt_status bt_marks_find(struct bt_store *store, enum bt_name kind, bt_str name,
                                         struct bt_buf *out, struct bt_error *error);

#endif
