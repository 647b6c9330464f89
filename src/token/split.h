/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - where the pieces of a text end: the patterns of the encodings, by hand.
 *
 * Text is cut into pieces first, and tokens never cross a cut. From any cut on, the cuts do not
 * depend on what came before.
 */
#ifndef BATON_SRC_TOKEN_SPLIT_H
#define BATON_SRC_TOKEN_SPLIT_H

#include <stddef.h>
#include <stdint.h>

enum { BT_PIECES_MAX = 64 };

/* The next pieces of a text. */
struct bt_token_pieces {
    size_t count;
    const uint8_t *ends[BT_PIECES_MAX];
    uint64_t easy; /* bit i: piece i is a token for sure, a byte or a number; not all are found */
};

/* Cut the text from `at`, a cut, to `end` into at most `count` pieces; fewer only at the end of the
 * text. */
typedef void bt_token_split_fn(const uint8_t *at, const uint8_t *end, size_t count,
                               struct bt_token_pieces *out);

bt_token_split_fn bt_token_split_o200k;
bt_token_split_fn bt_token_split_cl100k;

#endif
