/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - where the pieces of a text end: the patterns of the encodings, by hand.
 *
 * Text is cut into pieces first, and tokens never cross a cut. From any cut on, the cuts do not
 * depend on what came before.
 */
#ifndef BATON_SRC_TOKEN_SPLIT_H
#define BATON_SRC_TOKEN_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BT_BLOCK_BYTES = 64 };

/*
 * The next pieces of a text: each begins at a bit of `bounds` and ends at the next one, and the
 * last bit is the end of the last piece. One more piece may follow that is too long for that.
 */
struct bt_token_block {
    const uint8_t *from; /* bit 0 */
    const uint8_t *end;  /* of the pieces in `bounds`: its last bit */
    const uint8_t *next; /* where the next block begins: behind the long piece, or `end` */
    uint64_t bounds;
    uint64_t easy; /* where pieces begin that are a token for sure; not all are found */
    uint64_t easy_count;
    uint64_t missed; /* where pieces begin that are not remembered, when the others are counted */
    uint64_t long_chars; /* where characters of three bytes or more begin, also behind `end` */
};

/* Cut the next pieces of the text from `at`, a cut that is before `end`. */
typedef void bt_token_split_fn(const uint8_t *at, const uint8_t *end, struct bt_token_block *out);

struct bt_token_word;

/*
 * Cut the text from `at`, a cut that is before `end`, and count the pieces that are easy or
 * remembered in `memos`, block by block, as long as all of a block are. `out` is the first block of
 * which that is not true: when out->missed is not zero, these of its pieces are left to count; when
 * it is zero, all are. Stops after a block when more than `limit` are counted. Where there is no
 * such block, out->bounds is zero, and out->next is up to where all is counted. Returns the count.
 */
typedef uint64_t bt_token_count_known_fn(const uint8_t *at, const uint8_t *end,
                                         const struct bt_token_word *memos, uint64_t limit,
                                         struct bt_token_block *out);

/* From where a block begins, so many bytes are read where there are any. */
enum { BT_READ_BYTES = BT_BLOCK_BYTES + 16 };

/*
 * Count the pieces that begin at the bits of `starts`, which are among `bounds`, and are
 * remembered; *out_missed are the others. BT_READ_BYTES can be read at `bytes`, where bit 0 is.
 */
typedef uint64_t bt_token_count_memos_fn(const uint8_t *bytes, uint64_t starts, uint64_t bounds,
                                         const struct bt_token_word *memos, uint64_t *out_missed);

/* How many pieces there are in a block. */
static inline uint64_t bt_token_block_count(const struct bt_token_block *block)
{
    const uint64_t ends = block->bounds & (block->bounds - 1);
    return (uint64_t)__builtin_popcountll(ends) + (block->next > block->end);
}

/* How long the first piece of a block is. */
static inline size_t bt_token_block_first(const struct bt_token_block *block)
{
    const uint64_t ends = block->bounds & (block->bounds - 1);
    return ends ? (size_t)__builtin_ctzll(ends) : (size_t)(block->next - block->from);
}

bt_token_split_fn bt_token_split_o200k;
bt_token_split_fn bt_token_split_cl100k;
/* These two compiled for AVX2 and AVX-512. */
bt_token_split_fn bt_token_split_o200k_avx2;
bt_token_split_fn bt_token_split_cl100k_avx2;
bt_token_split_fn bt_token_split_o200k_avx512;
bt_token_split_fn bt_token_split_cl100k_avx512;

bt_token_count_known_fn bt_token_known_o200k;
bt_token_count_known_fn bt_token_known_cl100k;
bt_token_count_known_fn bt_token_known_o200k_avx2;
bt_token_count_known_fn bt_token_known_cl100k_avx2;
bt_token_count_known_fn bt_token_known_o200k_avx512;
bt_token_count_known_fn bt_token_known_cl100k_avx512;

bt_token_count_memos_fn bt_token_count_memos;
bt_token_count_memos_fn bt_token_count_memos_avx2;
bt_token_count_memos_fn bt_token_count_memos_avx512;

/* All by one instruction set. */
struct bt_token_splitter {
    const char *name;
    bool (*is_supported)(void);
    bt_token_split_fn *o200k;
    bt_token_split_fn *cl100k;
    bt_token_count_known_fn *o200k_known;
    bt_token_count_known_fn *cl100k_known;
    bt_token_count_memos_fn *count_memos;
};

/* Best first; the last one is supported everywhere. */
extern const struct bt_token_splitter bt_token_splitters[];
extern const size_t bt_token_splitters_count;

const struct bt_token_splitter *bt_token_splitter_best(void);

#endif
