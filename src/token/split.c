/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.c - the patterns of o200k_base and cl100k_base as plain code.
 *
 * Each function says which alternative of the pattern it is. They are asked in the order in which
 * the pattern has them; a function gives back where it began when its alternative does not match.
 */
#include "token/split.h"

#include <assert.h>

#include "token/ascii_split.h"
#include "token/class.h"
#include "token/memo.h"

#ifndef SPLIT_O200K
#define SPLIT_O200K bt_token_split_o200k
#define SPLIT_CL100K bt_token_split_cl100k
#define KNOWN_O200K bt_token_known_o200k
#define KNOWN_CL100K bt_token_known_cl100k
#endif

/* Sets of classes, one bit for each. */
enum {
    UPPER = 1 << BT_CLASS_UPPER,
    LOWER = 1 << BT_CLASS_LOWER,
    UNCASED = 1 << BT_CLASS_LETTER | 1 << BT_CLASS_MARK, /* in either part of an o200k word */
    LETTERS = 1 << BT_CLASS_UPPER | 1 << BT_CLASS_LOWER | 1 << BT_CLASS_LETTER,
    NUMBER = 1 << BT_CLASS_NUMBER,
    LINE = 1 << BT_CLASS_LINE,
    WHITE = 1 << BT_CLASS_SPACE | 1 << BT_CLASS_LINE,
    SYMBOLS = 1 << BT_CLASS_OTHER | 1 << BT_CLASS_MARK, /* neither white, letter nor number */
};

/* A character: the set of its class, and where the next one begins. */
struct token_split_step {
    unsigned set; /* 0 at the end of the text */
    const uint8_t *next;
};

static uint32_t low_bits(uint8_t byte)
{
    return byte & 0x3fU;
}

/* The text is well-formed; bytes that are not must only never lead beyond its end. */
static struct token_split_step step_beyond_ascii(const uint8_t *at, const uint8_t *end)
{
    const size_t left = (size_t)(end - at);
    if (at[0] >= 0xf0 && left >= 4) {
        const uint32_t point =
            (at[0] & 7U) << 18 | low_bits(at[1]) << 12 | low_bits(at[2]) << 6 | low_bits(at[3]);
        return (struct token_split_step){1U << bt_token_class(point), at + 4};
    }
    if (at[0] >= 0xe0 && left >= 3) {
        const uint32_t point = (at[0] & 15U) << 12 | low_bits(at[1]) << 6 | low_bits(at[2]);
        return (struct token_split_step){1U << bt_token_class(point), at + 3};
    }
    if (at[0] >= 0xc0 && left >= 2) {
        const uint32_t point = (at[0] & 31U) << 6 | low_bits(at[1]);
        return (struct token_split_step){1U << bt_token_class(point), at + 2};
    }
    return (struct token_split_step){1U << BT_CLASS_OTHER, at + 1};
}

static inline struct token_split_step read_char(const uint8_t *at, const uint8_t *end)
{
    if (at == end) {
        return (struct token_split_step){0, at};
    }
    if (*at < 0x80) {
        return (struct token_split_step){1U << bt_token_classes[*at], at + 1};
    }
    return step_beyond_ascii(at, end);
}

/* Past all characters of the set. */
static inline const uint8_t *skip_set(const uint8_t *at, const uint8_t *end, unsigned set)
{
    for (struct token_split_step now = read_char(at, end); now.set & set;
         now = read_char(at, end)) {
        at = now.next;
    }
    return at;
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d): past it, or `at`. U+017F folds to s. */
static const uint8_t *skip_contraction(const uint8_t *at, const uint8_t *end)
{
    const size_t left = (size_t)(end - at);
    if (left < 2 || *at != '\'') {
        return at;
    }
    const uint8_t first = at[1] | 0x20;
    if (first == 's' || first == 't' || first == 'm' || first == 'd') {
        return at + 2;
    }
    if (left < 3) {
        return at;
    }
    const uint8_t second = at[2] | 0x20;
    const bool is_pair = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                         (first == 'l' && second == 'l');
    const bool is_long_s = at[1] == 0xc5 && at[2] == 0xbf;
    return is_pair || is_long_s ? at + 3 : at;
}

/* \p{N}{1,3} */
static const uint8_t *skip_number(const uint8_t *at, const uint8_t *end)
{
    for (int i = 0; i < 3; i++) {
        const struct token_split_step now = read_char(at, end);
        if (!(now.set & NUMBER)) {
            break;
        }
        at = now.next;
    }
    return at;
}

/* ` ?[^\s\p{L}\p{N}]+` and the line ends behind it, with `/` among them for o200k. */
static const uint8_t *skip_symbols(const uint8_t *at, const uint8_t *end, bool with_slash)
{
    const uint8_t *from = *at == ' ' ? at + 1 : at;
    const uint8_t *to = skip_set(from, end, SYMBOLS);
    if (to == from) {
        return at;
    }
    while (to < end && (*to == '\r' || *to == '\n' || (with_slash && *to == '/'))) {
        to++;
    }
    return to;
}

/* `\s*[\r\n]+|\s+(?!\S)|\s+`: through the last line end; else all of it, without the last character
 * when something follows that is to have it. */
static const uint8_t *skip_whitespace(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *last = at; /* where the last character begins */
    const uint8_t *line = NULL;
    const uint8_t *to = at;
    for (struct token_split_step now = read_char(to, end); now.set & WHITE;
         now = read_char(to, end)) {
        last = to;
        to = now.next;
        line = now.set & LINE ? to : line;
    }
    if (line) {
        return line;
    }
    return to == end || last == at ? to : last;
}

enum {
    STRANGE_MAX = 16
}; /* of 64 bytes; with more than these, testing all of them does not pay
                            * off */

static_assert((int)BT_PLAIN_BYTES == (int)BT_BLOCK_BYTES, "what is looked at is one block");

/* Cut the plain text at the beginning of what was seen. Returns up to where the closer look has to
 * go on, which is before out->end when all is plain and has a cut. */
static inline const uint8_t *cut_seen(const uint8_t *at, size_t left,
                                      struct bt_token_byte_masks seen, bool is_cased,
                                      struct bt_token_block *out)
{
    unsigned plain = 0;
    const uint64_t cuts = bt_token_plain_cuts(seen, is_cased, &plain) & ~UINT64_C(1);
    const unsigned last = cuts ? 63 - (unsigned)__builtin_clzll(cuts) : 0;
    const uint64_t easy = (cuts | 1) & (seen.digit | cuts >> 1) & ((UINT64_C(1) << last) - 1);
    *out = (struct bt_token_block){.from = at,
                                   .end = at + last,
                                   .bounds = cuts | 1,
                                   .easy = easy,
                                   .easy_count = (uint64_t)__builtin_popcountll(easy)};
    if (plain == BT_PLAIN_BYTES && cuts) {
        return at;
    }
    const bool is_hopeless = __builtin_popcountll(seen.strange) > STRANGE_MAX;
    return at + (is_hopeless && left >= BT_PLAIN_BYTES ? BT_PLAIN_BYTES : plain);
}

/* Fewer than 64 bytes, as if strange ones followed. */
static inline struct bt_token_byte_masks classify_last(const uint8_t *at, size_t left)
{
    uint8_t padded[BT_PLAIN_BYTES];
    memset(padded, 0, sizeof(padded));
    memcpy(padded, at, left);
    struct bt_token_byte_masks seen = bt_token_classify_bytes(padded);
    seen.strange |= ~UINT64_C(0) << left;
    return seen;
}

typedef const uint8_t *piece_fn(const uint8_t *at, const uint8_t *end);

/* Cut one by one what needs a closer look. */
static inline void cut_strange(const uint8_t *strange, const uint8_t *end, piece_fn *piece,
                               struct bt_token_block *out)
{
    while (out->end <= strange && out->end < end) {
        const uint8_t *next = piece(out->end, end);
        if (next - out->from >= BT_BLOCK_BYTES) {
            out->end = out->end == out->from ? next : out->end;
            break;
        }
        out->end = next;
        out->bounds |= UINT64_C(1) << (next - out->from);
    }
}

static inline void split_block(const uint8_t *at, const uint8_t *end, bool is_cased,
                               piece_fn *piece, struct bt_token_block *out)
{
    const size_t left = (size_t)(end - at);
    const struct bt_token_byte_masks seen =
        left < BT_PLAIN_BYTES ? classify_last(at, left) : bt_token_classify_bytes(at);
    cut_strange(cut_seen(at, left, seen, is_cased, out), end, piece, out);
}

/* Add the counts of the remembered pieces of a plain block, behind which a word can be read.
 * Returns where the others begin. */
static __attribute__((noinline)) uint64_t
count_memos(const struct bt_token_block *block, const struct bt_token_word *memos, uint64_t *count)
{
    const uint8_t *from = block->from;
    const uint64_t ends = block->bounds >> 1;
    const uint64_t starts = block->bounds ^ UINT64_C(1) << (block->end - from);
    uint64_t missed = 0;
    uint64_t sum = block->easy_count;
    for (uint64_t hard = starts & ~block->easy; hard; hard &= hard - 1) {
        const uint64_t at = (uint64_t)__builtin_ctzll(hard);
        const uint64_t last = (uint64_t)__builtin_ctzll(ends >> at);
        const uint64_t known =
            last < BT_MEMO_BYTES_MAX ? bt_token_memo_count(memos, from + at, last + 1) : 0;
        sum += known;
        missed |= known ? 0 : hard & -hard;
    }
    *count += sum;
    return missed;
}

static inline uint64_t count_known(const uint8_t *at, const uint8_t *end, bool is_cased,
                                   piece_fn *piece, const struct bt_token_word *memos,
                                   uint64_t limit, struct bt_token_block *out)
{
    uint64_t count = 0;
    while ((size_t)(end - at) >= BT_PLAIN_BYTES + BT_WORD_BYTES && count <= limit) {
        struct bt_token_block block;
        const uint8_t *strange =
            cut_seen(at, BT_PLAIN_BYTES, bt_token_classify_bytes(at), is_cased, &block);
        if (block.end <= strange) {
            *out = block;
            cut_strange(strange, end, piece, out);
            return count;
        }
        block.missed = count_memos(&block, memos, &count);
        if (block.missed) {
            *out = block;
            return count;
        }
        at = block.end;
    }
    split_block(at, end, is_cased, piece, out);
    return count;
}

/* `[^\r\n\p{L}\p{N}]?\p{L}+` */
static const uint8_t *skip_letters(const uint8_t *at, const uint8_t *end,
                                   struct token_split_step first)
{
    if (first.set & LETTERS) {
        return skip_set(first.next, end, LETTERS);
    }
    if (first.set & (NUMBER | LINE)) {
        return at;
    }
    const uint8_t *to = skip_set(first.next, end, LETTERS);
    return to == first.next ? at : to;
}

static inline const uint8_t *cl100k_piece(const uint8_t *at, const uint8_t *end)
{
    const struct token_split_step first = read_char(at, end);
    const uint8_t *to = skip_contraction(at, end);
    to = to > at ? to : skip_letters(at, end, first);
    to = to > at ? to : skip_number(at, end);
    to = to > at ? to : skip_symbols(at, end, false);
    return to > at ? to : skip_whitespace(at, end);
}

void SPLIT_CL100K(const uint8_t *at, const uint8_t *end, struct bt_token_block *out)
{
    split_block(at, end, false, cl100k_piece, out);
}

uint64_t KNOWN_CL100K(const uint8_t *at, const uint8_t *end, const struct bt_token_word *memos,
                      uint64_t limit, struct bt_token_block *out)
{
    return count_known(at, end, false, cl100k_piece, memos, limit, out);
}

/*
 * The two alternatives for words, without prefix and contraction: capitals and uncased characters,
 * then small and uncased ones, where an uncased character is needed if there is no small one; or
 * capitals alone. So what counts is whether a small letter follows the first run, and if none does,
 * where its last uncased character ends.
 */
static const uint8_t *skip_cased_word(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *uncased = NULL;
    struct token_split_step now = read_char(at, end);
    for (; now.set & (UPPER | UNCASED); now = read_char(at, end)) {
        at = now.next;
        uncased = now.set & UNCASED ? at : uncased;
    }
    if (now.set & LOWER) {
        return skip_set(now.next, end, LOWER | UNCASED);
    }
    return uncased ? uncased : at;
}

static const uint8_t *skip_word(const uint8_t *at, const uint8_t *end,
                                struct token_split_step first)
{
    const unsigned letters = LETTERS | UNCASED;
    const uint8_t *from = first.set & letters ? at : first.next;
    if (first.set & (NUMBER | LINE)) {
        return at;
    }
    const uint8_t *to = skip_cased_word(from, end);
    return to == from ? at : skip_contraction(to, end);
}

static inline const uint8_t *o200k_piece(const uint8_t *at, const uint8_t *end)
{
    const struct token_split_step first = read_char(at, end);
    const uint8_t *to = skip_word(at, end, first);
    to = to > at ? to : skip_number(at, end);
    to = to > at ? to : skip_symbols(at, end, true);
    return to > at ? to : skip_whitespace(at, end);
}

void SPLIT_O200K(const uint8_t *at, const uint8_t *end, struct bt_token_block *out)
{
    split_block(at, end, true, o200k_piece, out);
}

uint64_t KNOWN_O200K(const uint8_t *at, const uint8_t *end, const struct bt_token_word *memos,
                     uint64_t limit, struct bt_token_block *out)
{
    return count_known(at, end, true, o200k_piece, memos, limit, out);
}
