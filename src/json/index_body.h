/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_body.h - the part of the first stage that all instruction sets share.
 *
 * The including file defines INDEX_FUNCTION, the name of the function, and
 *     static inline struct masks classify(const char *block);
 * It may define the three functions below better than plain C does, and then says so by a macro.
 */
#include <string.h>

#ifndef HAS_CLASSIFY_REST
/* A block of fewer than 64 bytes is padded with blanks, which add no token. */
static inline struct json_index_masks classify_rest(const char *block, size_t size)
{
    char padded[64];
    memset(padded, ' ', sizeof(padded));
    memcpy(padded, block, size);
    return classify_block(padded);
}
#endif

#ifndef HAS_PREFIX_XOR
static inline uint64_t prefix_xor(uint64_t bits)
{
    return bt_json_prefix_xor(bits);
}
#endif

#ifndef HAS_PUT_OFFSETS
/* Append the positions of the bits. Eight are written at a time, wanted or not: a store is cheaper
 * than a branch that cannot be foreseen. */
static inline uint32_t *put_offsets(uint32_t *out, uint64_t bits, uint32_t base)
{
    const int count = __builtin_popcountll(bits);
    for (int done = 0; done < count; done += 8) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            /* With no bit left the count is that of the highest place, and is not wanted. */
            out[done + i] = base + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
            bits &= bits - 1;
        }
    }
    return out + count;
}
#endif

/* Carried from block to block. */
struct json_index_body_carry {
    uint64_t escaped;   /* 1: the first byte of the next block is escaped */
    uint64_t in_string; /* all ones: the next block begins inside a string */
    uint64_t scalar;    /* 1: the last byte belonged to a number or word */
    uint64_t any_blank; /* outside strings: all blocks' bits together */
    uint64_t any_odd;   /* backslashes and control characters inside strings, of all blocks */
    uint64_t any_wide;
};

/* The bytes that a backslash before them escapes: those after a run of odd length. */
static inline uint64_t find_escaped(uint64_t backslash, struct json_index_body_carry *carry)
{
    if (backslash == 0) {
        const uint64_t escaped = carry->escaped;
        carry->escaped = 0;
        return escaped;
    }
    /* A backslash that is escaped itself starts nothing. Adding the runs that start at odd places
     * carries out of each run, which flips the parity of the byte behind it. */
    const uint64_t even = UINT64_C(0x5555555555555555);
    backslash &= ~carry->escaped;
    const uint64_t follows = backslash << 1 | carry->escaped;
    const uint64_t odd_starts = backslash & ~even & ~follows;
    uint64_t runs = 0;
    carry->escaped = __builtin_add_overflow(odd_starts, backslash, &runs);
    return (even ^ (runs << 1)) & follows;
}

static inline __attribute__((always_inline)) uint32_t *
index_block(struct json_index_masks masks, size_t number, struct bt_json_index *index,
            struct json_index_body_carry *carry, uint32_t *out)
{
    const uint64_t quote = masks.quote & ~find_escaped(masks.backslash, carry);
    /* Ones from each opening quote up to, not including, its closing quote. */
    const uint64_t in_string = prefix_xor(quote) ^ carry->in_string;
    carry->in_string = UINT64_C(0) - (in_string >> 63);
    const uint64_t scalar = ~(masks.structural | masks.blank | quote | in_string);
    const uint64_t starts = scalar & ~(scalar << 1 | carry->scalar);
    carry->scalar = scalar >> 63;

    const uint64_t odd = (masks.backslash | masks.control) & in_string;
    index->odd[number] = odd;
    index->wide[number] = masks.wide;
    carry->any_blank |= masks.blank & ~in_string;
    carry->any_odd |= odd;
    carry->any_wide |= masks.wide;
    return put_offsets(out, (masks.structural & ~in_string) | quote | starts,
                       (uint32_t)(number * 64));
}

/* Aligned, so that what is linked in front of it does not change its speed. */
__attribute__((aligned(64))) void INDEX_FUNCTION(bt_str source, struct bt_json_index *index)
{
    struct json_index_body_carry carry = {0};
    uint32_t *out = index->tokens;
    size_t number = 0;
    for (; source.len - number * 64 >= 64; number++) {
        out = index_block(classify_block(source.ptr + number * 64), number, index, &carry, out);
    }
    const size_t left = source.len - number * 64;
    const struct json_index_masks rest = classify_rest(source.ptr + number * 64, left);
    const uint64_t any_blank = carry.any_blank;
    carry.any_blank = 0;
    out = index_block(rest, number, index, &carry, out);
    index->count = (size_t)(out - index->tokens);
    /* The padding of the block does not count as white space of the source. */
    index->any_blank = (any_blank | (carry.any_blank & ((UINT64_C(1) << left) - 1))) != 0;
    /* A string that does not end is copied before that shows, so it needs room like an odd one. */
    index->any_odd = carry.any_odd != 0 || carry.in_string != 0;
    index->any_wide = carry.any_wide != 0;
    index->is_open = carry.in_string != 0;
}
