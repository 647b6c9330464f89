/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.c - borrowed runs of bytes, and where in a text an offset stands.
 */
#define _GNU_SOURCE /* memmem */
#include "base/str.h"

#include <assert.h>
#include <string.h>

size_t bt_str_index_in(bt_str text, const bt_str *words, size_t count)
{
    size_t i = 0;
    while (i < count && !bt_str_eq(words[i], text)) {
        i++;
    }
    return i;
}

size_t bt_str_find(bt_str text, bt_str part)
{
    const char *found =
        text.len > 0 && part.len > 0 ? memmem(text.ptr, text.len, part.ptr, part.len) : text.ptr;
    return found ? (size_t)(found - text.ptr) : text.len;
}

bt_str bt_str_after_last(bt_str text, char byte)
{
    size_t begin = text.len;
    while (begin > 0 && text.ptr[begin - 1] != byte) {
        begin--;
    }
    return bt_str_slice(text, begin, text.len);
}

enum bt_status bt_str_to_u64(bt_str text, uint64_t *out)
{
    assert(out);
    if (text.len == 0) {
        return BT_EINVAL;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return BT_EINVAL;
        }
    }
    uint64_t number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (__builtin_mul_overflow(number, 10U, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text.ptr[i] - '0'), &number)) {
            return BT_ELIMIT;
        }
    }
    *out = number;
    return BT_OK;
}

struct bt_position bt_position_at(bt_str text, size_t offset)
{
    offset = offset < text.len ? offset : text.len;
    struct bt_position place = {1, 1};
    size_t line_start = 0;
    for (;;) {
        const size_t newline = bt_str_find_byte((bt_str){text.ptr, offset}, '\n', line_start);
        if (newline >= offset) {
            break;
        }
        line_start = newline + 1;
        place.line++;
    }
    place.column = (uint32_t)(offset - line_start) + 1;
    return place;
}

bool bt_str_glob_matches(bt_str pattern, bt_str text, int separator)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = pattern.len; /* the last `*` passed, or none */
    size_t resume = 0;         /* where the text after its run begins */

    /* On a mismatch the last star takes one byte more; earlier stars never need another try.
     * `resume` only grows, so this ends after at most pattern.len * text.len steps. */
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star < pattern.len && (unsigned char)text.ptr[resume] != separator) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') {
        p++;
    }
    return p == pattern.len;
}
