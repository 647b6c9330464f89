/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - where a piece of text ends: the patterns of the encodings, by hand.
 *
 * Text is cut into pieces first, and tokens never cross a cut. From any cut on, the cuts do not
 * depend on what came before.
 */
#ifndef BATON_SRC_TOKEN_SPLIT_H
#define BATON_SRC_TOKEN_SPLIT_H

#include <stdint.h>

/* The end of the piece that begins at `at`, which is before `end`. */
typedef const uint8_t *bt_token_split_fn(const uint8_t *at, const uint8_t *end);

bt_token_split_fn bt_token_split_o200k;
bt_token_split_fn bt_token_split_cl100k;

#endif
