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

/* Cut the text from `at`, a cut, to `end`: the ends of the next pieces, at most `count` of them.
 * Returns how many there are; fewer only at the end of the text. */
typedef size_t bt_token_split_fn(const uint8_t *at, const uint8_t *end, const uint8_t **out_ends,
                                 size_t count);

bt_token_split_fn bt_token_split_o200k;
bt_token_split_fn bt_token_split_cl100k;

#endif
