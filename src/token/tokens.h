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

struct bt_tokens {
    enum bt_encoding encoding;
    struct bt_arena arena;
    struct bt_arena work;          /* for one text at a time */
    struct bt_tokens_cache *cache; /* made by the first count */
};

/* Make a counter. Allocates nothing yet. */
void bt_tokens_init(struct bt_tokens *counter, enum bt_encoding encoding);
/* Free the memory; the counter may be used again. */
void bt_tokens_free(struct bt_tokens *counter);

#endif
