/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.h - counters in the memory of their user.
 */
#ifndef BATON_SRC_TOKEN_TOKENS_H
#define BATON_SRC_TOKEN_TOKENS_H

#include <baton/tokens.h>

#include "base/arena.h"

#define BT_ENCODING__MAX (BT_ENCODING_CHARS4 + 1)

struct bt_tokens_cache;
struct bt_token_table;

struct bt_tokens {
    enum bt_encoding encoding;
    const struct bt_token_table *table; /* NULL: it cannot count, unless the encoding needs none */
    struct bt_arena arena;
    struct bt_arena work;          /* for one text at a time */
    struct bt_tokens_cache *cache; /* made by the first count */
};

/* Make a counter with the table of this build. Allocates nothing yet. */
void bt_tokens_init(struct bt_tokens *counter, enum bt_encoding encoding);
/* Free the memory; the counter may be used again. */
void bt_tokens_free(struct bt_tokens *counter);
/* True when the counter has the table that its encoding needs. */
static inline bool bt_tokens_has_table(const struct bt_tokens *counter)
{
    return counter->table || counter->encoding == BT_ENCODING_CHARS4;
}

/*
 * Make the table of an encoding in the arena from its merge list; NULL in a build that has it.
 * BT_EINVAL: the encoding has no table. BT_ECORRUPT: it is not the list of this encoding.
 * BT_ENOMEM: no memory. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_token_table_load(struct bt_arena *arena, enum bt_encoding encoding,
                                               bt_str merges, const struct bt_token_table **out,
                                               struct bt_error *error);

#endif
