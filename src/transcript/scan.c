/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - look for short texts in long lines.
 *
 * The first and the last byte of a text are compared in blocks, by loops without a branch, which
 * compilers turn into vector instructions; only a block that has both at their distance is looked
 * at byte by byte.
 */
#include "transcript/scan.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/str.h"

enum {
    BLOCK = 64,
    CASE_BIT = 0x20,
    WORD_BYTES = 32, /* so that the work for each byte of a text is bounded */
};

/* Whether a block has the first byte of a word where another has its last. The smallest difference
 * is 0 then. */
static bool has_pair(const char *a, const char *b, unsigned fold, bt_str word)
{
    const unsigned first = (unsigned char)word.ptr[0];
    const unsigned last = (unsigned char)word.ptr[word.len - 1];
    unsigned char smallest = UINT8_MAX;
    for (size_t i = 0; i < BLOCK; i++) {
        const unsigned x = ((unsigned char)a[i] | fold) ^ first;
        const unsigned y = ((unsigned char)b[i] | fold) ^ last;
        const unsigned char difference = (unsigned char)(x | y);
        smallest = difference < smallest ? difference : smallest;
    }
    return smallest == 0;
}

/* Whether a block, and the byte behind it, has a backslash before `r` or `u`. */
static bool has_escape(const char *at)
{
    unsigned char smallest = UINT8_MAX;
    for (size_t i = 0; i < BLOCK; i++) {
        const unsigned char r = (unsigned char)((unsigned char)at[i + 1] ^ 'r');
        const unsigned char u = (unsigned char)((unsigned char)at[i + 1] ^ 'u');
        const unsigned char difference =
            (unsigned char)(((unsigned char)at[i] ^ '\\') | (r < u ? r : u));
        smallest = difference < smallest ? difference : smallest;
    }
    return smallest == 0;
}

/* Whether the word stands here; `is_folded`: in any letter case. */
static bool is_word_at(const char *at, bt_str word, bool is_folded)
{
    size_t n = 0;
    while (n < word.len && (is_folded ? bt_ascii_lower(at[n]) : at[n]) == word.ptr[n]) {
        n++;
    }
    return n == word.len;
}

static inline bool has_word(bt_str text, bt_str word, bool is_folded)
{
    const unsigned fold = is_folded ? CASE_BIT : 0;
    const size_t places = text.len >= word.len ? text.len - word.len + 1 : 0;
    for (size_t at = 0; at < places; at += BLOCK) {
        const bool is_whole = places - at >= BLOCK;
        const size_t end = is_whole ? at + BLOCK : places;
        if (is_whole && !has_pair(text.ptr + at, text.ptr + at + word.len - 1, fold, word)) {
            continue;
        }
        for (size_t i = at; i < end; i++) {
            if (is_word_at(text.ptr + i, word, is_folded)) {
                return true;
            }
        }
    }
    return false;
}

bool bt_transcript_may_have_word(bt_str text, bt_str word)
{
    assert(word.len > 0);
    return has_word(text, bt_str_slice(word, 0, word.len < WORD_BYTES ? word.len : WORD_BYTES),
                    false);
}

bool bt_transcript_is_truncated(bt_str text)
{
    return has_word(text, BT_STR("truncated"), true);
}

bool bt_transcript_has_hidden_text(bt_str line)
{
    size_t at = 0;
    while (line.len - at > BLOCK && !has_escape(line.ptr + at)) {
        at += BLOCK;
    }
    /* A block may begin with the second of two backslashes, which escapes nothing. */
    while (at > 0 && line.ptr[at - 1] == '\\') {
        at--;
    }
    for (at = bt_str_find_byte(line, '\\', at); at + 1 < line.len;
         at = bt_str_find_byte(line, '\\', at + 2)) {
        if (line.ptr[at + 1] == 'r' ||
            (line.ptr[at + 1] == 'u' && at + 2 < line.len && line.ptr[at + 2] == '0')) {
            return true;
        }
    }
    return false;
}
