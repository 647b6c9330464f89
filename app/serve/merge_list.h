/* SPDX-License-Identifier: Apache-2.0 */
/* merge_list.h - the merge list of an encoding, which the program has as tables only. */
#ifndef BATON_APP_SERVE_MERGE_LIST_H
#define BATON_APP_SERVE_MERGE_LIST_H

#include <baton/tokens.h>

#include "base/buf.h"

/*
 * Put the list that the tables of `encoding` were made from, byte for byte as src/token/data has
 * it. `arena` is working memory. BT_EINVAL: this program has no tables for it.
 */
BT_MUST_USE enum bt_status serve_merge_list_put(struct bt_buf *buf, struct bt_arena *arena,
                                                enum bt_encoding encoding);

#endif
