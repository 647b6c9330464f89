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
#define COUNT_MEMOS bt_token_count_memos
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

static inline struct token_split_step step_to(uint32_t point, const uint8_t *next)
{
    return (struct token_split_step){1U << bt_token_class(point), next};
}

/* The text is well-formed; bytes that are not must only never lead beyond its end. */
static struct token_split_step read_rare(const uint8_t *at, const uint8_t *end)
{
    const size_t left = (size_t)(end - at);
    if (at[0] >= 0xf0 && left >= 4) {
        const uint32_t point =
            (at[0] & 7U) << 18 | low_bits(at[1]) << 12 | low_bits(at[2]) << 6 | low_bits(at[3]);
        return step_to(point, at + 4);
    }
    if (at[0] >= 0xc0 && at[0] < 0xe0 && left >= 2) {
        return step_to((at[0] & 31U) << 6 | low_bits(at[1]), at + 2);
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
    if (*at >> 4 == 14 && end - at > 2) {
        return step_to((*at & 15U) << 12 | low_bits(at[1]) << 6 | low_bits(at[2]), at + 3);
    }
    return read_rare(at, end);
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

/* Where a block of text is cut. */
struct token_split_cuts {
    uint64_t bounds;  /* bit 0, and the cuts as far as all is plain */
    uint64_t easy;    /* which of the pieces are a token for sure */
    unsigned last;    /* of the bounds */
    bool is_plain;    /* all of it is, and it has a cut */
    unsigned strange; /* up to where a closer look has to go, when it is not */
};

/* Cut the plain text at the beginning of what was seen, of which `left` bytes are text, and behind
 * them is something strange. */
static inline struct token_split_cuts cut_seen(struct bt_token_byte_masks seen, size_t left,
                                               bool is_cased)
{
    unsigned plain = 0;
    uint64_t cuts = bt_token_plain_cuts(seen, is_cased, &plain) & ~UINT64_C(1);
    bool is_plain = true;
    if (plain < BT_PLAIN_BYTES) {
        is_plain = plain == left;
        cuts |= is_plain ? UINT64_C(1) << plain : 0; /* the end of the text */
    }
    const unsigned last = cuts ? 63 - (unsigned)__builtin_clzll(cuts) : 0;
    const uint64_t starts = (cuts | 1) ^ UINT64_C(1) << last;
    struct token_split_cuts made = {.bounds = cuts | 1,
                                    .easy = starts & (seen.digit | cuts >> 1),
                                    .last = last,
                                    .is_plain = is_plain && cuts};
    if (!made.is_plain) {
        const bool is_hopeless = __builtin_popcountll(seen.strange) > STRANGE_MAX;
        made.strange = is_hopeless && left >= BT_PLAIN_BYTES ? BT_PLAIN_BYTES : plain;
    }
    return made;
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

/* Cut one by one what needs a closer look, up to `strange`. */
typedef void cut_fn(const uint8_t *strange, const uint8_t *end, struct bt_token_block *out);

static inline void cut_pieces(const uint8_t *strange, const uint8_t *end, piece_fn *piece,
                              struct bt_token_block *out)
{
    while (out->end <= strange && out->end < end) {
        out->next = piece(out->end, end);
        if (out->next - out->from >= BT_BLOCK_BYTES) {
            return;
        }
        out->end = out->next;
        out->bounds |= UINT64_C(1) << (out->next - out->from);
    }
}

/* Fewer than 64 bytes. */
static __attribute__((noinline)) uint64_t find_last_long_chars(const uint8_t *at, size_t left)
{
    uint8_t padded[BT_PLAIN_BYTES] = {0};
    memcpy(padded, at, left);
    return bt_token_find_long_chars(padded);
}

/* Make a block of the cuts, and cut the rest of it. */
static inline void make_block(const uint8_t *at, const uint8_t *end, struct token_split_cuts cuts,
                              cut_fn *cut, struct bt_token_block *out)
{
    *out = (struct bt_token_block){.from = at,
                                   .end = at + cuts.last,
                                   .next = at + cuts.last,
                                   .bounds = cuts.bounds,
                                   .easy = cuts.easy,
                                   .easy_count = (uint64_t)__builtin_popcountll(cuts.easy)};
    if (!cuts.is_plain) {
        const size_t left = (size_t)(end - at);
        out->long_chars =
            left < BT_PLAIN_BYTES ? find_last_long_chars(at, left) : bt_token_find_long_chars(at);
        cut(at + cuts.strange, end, out);
    }
}

static inline void split_block(const uint8_t *at, const uint8_t *end, bool is_cased, cut_fn *cut,
                               struct bt_token_block *out)
{
    const size_t left = (size_t)(end - at);
    const struct bt_token_byte_masks seen =
        left < BT_PLAIN_BYTES ? classify_last(at, left) : bt_token_classify_bytes(at);
    make_block(at, end, cut_seen(seen, left, is_cased), cut, out);
}

/* Text that is being counted. */
struct token_split_run {
    const uint8_t *at;
    size_t left; /* bytes up to the end of the text */
    const struct bt_token_word *memos;
    uint64_t limit; /* above which counting stops */
    uint64_t count;
    uint64_t missed; /* where pieces of the last block begin that are not remembered */
    bool has_block;  /* counting stopped at a block that is not counted, or not all of it */
    struct token_split_cuts cuts; /* of that block */
};

/* As bt_token_count_memos_fn says. In plain text no piece ends in a zero, and long ones are told
 * apart. */
static inline uint64_t count_memos(const uint8_t *bytes, uint64_t starts, uint64_t bounds,
                                   const struct bt_token_word *memos, bool is_plain,
                                   uint64_t *out_missed)
{
    uint64_t missed = 0;
    uint64_t count = 0;
    for (const uint64_t ends = bounds >> 1; starts; starts &= starts - 1) {
        const uint64_t at = (uint64_t)__builtin_ctzll(starts);
        const uint64_t last = (uint64_t)__builtin_ctzll(ends >> at);
        const bool may_be_known = is_plain || (last < BT_MEMO_BYTES_MAX && bytes[at + last] != 0);
        if (!may_be_known || !bt_token_memo_add(memos, bytes + at, last, &count)) {
            missed |= starts & -starts;
        }
    }
    *out_missed = missed;
    return count;
}

uint64_t COUNT_MEMOS(const uint8_t *bytes, uint64_t starts, uint64_t bounds,
                     const struct bt_token_word *memos, uint64_t *out_missed)
{
    return count_memos(bytes, starts, bounds, memos, false, out_missed);
}

/* Count blocks as long as all is plain and remembered and no fewer than `least` bytes are left.
 * BT_READ_BYTES can be read from everywhere, and behind the text stands a zero. */
static inline void count_plain(struct token_split_run *run, size_t least, bool is_cased)
{
    while (run->left >= least && run->count <= run->limit) {
        const struct token_split_cuts cuts =
            cut_seen(bt_token_classify_bytes(run->at), run->left, is_cased);
        if (!cuts.is_plain) {
            run->has_block = true;
            run->cuts = cuts;
            return;
        }
        run->count += (uint64_t)__builtin_popcountll(cuts.easy);
        run->count += count_memos(run->at, cuts.bounds ^ UINT64_C(1) << cuts.last ^ cuts.easy,
                                  cuts.bounds, run->memos, true, &run->missed);
        if (run->missed) {
            run->has_block = true;
            run->cuts = (struct token_split_cuts){
                .bounds = cuts.bounds, .last = cuts.last, .is_plain = true};
            return;
        }
        run->at += cuts.last;
        run->left -= cuts.last;
    }
}

static inline uint64_t count_known(struct token_split_run run, const uint8_t *end, bool is_cased,
                                   cut_fn *cut, struct bt_token_block *out)
{
    count_plain(&run, BT_READ_BYTES, is_cased);
    if (run.left > 0 && run.left < BT_READ_BYTES) {
        uint8_t tail[2 * BT_READ_BYTES] = {0};
        memcpy(tail, run.at, run.left);
        run.at = tail;
        count_plain(&run, 1, is_cased);
    }
    if (run.has_block) {
        make_block(end - run.left, end, run.cuts, cut, out);
    } else {
        const uint8_t *at = end - run.left;
        *out = (struct bt_token_block){.from = at, .end = at, .next = at};
    }
    out->missed = run.missed;
    return run.count;
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

static __attribute__((noinline)) void cut_cl100k(const uint8_t *strange, const uint8_t *end,
                                                 struct bt_token_block *out)
{
    cut_pieces(strange, end, cl100k_piece, out);
}

void SPLIT_CL100K(const uint8_t *at, const uint8_t *end, struct bt_token_block *out)
{
    split_block(at, end, false, cut_cl100k, out);
}

uint64_t KNOWN_CL100K(const uint8_t *at, const uint8_t *end, const struct bt_token_word *memos,
                      uint64_t limit, struct bt_token_block *out)
{
    const struct token_split_run run = {
        .at = at, .left = (size_t)(end - at), .memos = memos, .limit = limit};
    return count_known(run, end, false, cut_cl100k, out);
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

static __attribute__((noinline)) void cut_o200k(const uint8_t *strange, const uint8_t *end,
                                                struct bt_token_block *out)
{
    cut_pieces(strange, end, o200k_piece, out);
}

void SPLIT_O200K(const uint8_t *at, const uint8_t *end, struct bt_token_block *out)
{
    split_block(at, end, true, cut_o200k, out);
}

uint64_t KNOWN_O200K(const uint8_t *at, const uint8_t *end, const struct bt_token_word *memos,
                     uint64_t limit, struct bt_token_block *out)
{
    const struct token_split_run run = {
        .at = at, .left = (size_t)(end - at), .memos = memos, .limit = limit};
    return count_known(run, end, true, cut_o200k, out);
}
