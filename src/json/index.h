/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - the first stage of reading: where the tokens are.
 *
 * The source is looked at in blocks of 64 bytes. Each block becomes bit masks, one bit per byte,
 * and from them follow, without a branch per byte, the offsets of all tokens: the brackets, colons
 * and commas outside strings, both quotes of every string, the first byte of every number or word.
 * Nothing is judged here but what strings hold: a bit in `odd` marks a backslash or a control
 * character inside a string, a bit in `wide` a byte above 0x7f.
 *
 * The same code is built several times, once per instruction set; all give the same index.
 */
#ifndef BATON_SRC_JSON_INDEX_H
#define BATON_SRC_JSON_INDEX_H

#include <baton/base.h>

struct bt_json_index {
    /* Room for bt_json_index_room() offsets. At the end the reader puts the first once more, or the
     * size of the source when a string does not end. */
    uint32_t *tokens;
    size_t count;
    uint64_t *odd; /* one word per block, one bit per byte */
    uint64_t *wide;
    bool any_blank; /* outside strings */
    bool any_odd;
    bool any_wide;
    bool is_open; /* the last token begins a string that does not end */
};

/* Tokens are written up to 32 at a time, so there must be room beyond the last. */
static inline size_t bt_json_index_room(size_t source_size)
{
    return source_size + 64;
}

static inline size_t bt_json_index_blocks(size_t source_size)
{
    return source_size / 64 + 1;
}

typedef void bt_json_index_fn(bt_str source, struct bt_json_index *index);

bt_json_index_fn bt_json_index_scalar;
#if defined(__x86_64__)
bt_json_index_fn bt_json_index_sse2;
bt_json_index_fn bt_json_index_avx2;
bt_json_index_fn bt_json_index_avx512;
#endif

#endif
