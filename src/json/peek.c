/* SPDX-License-Identifier: Apache-2.0 */
/* peek.c - a quick inspection of a text that may be JSON. */
#include "json/peek.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static size_t skip_blanks(bt_str text, size_t at)
{
    while (at < text.len && bt_json_is_space(text.ptr[at])) {
        at++;
    }
    return at;
}

/* Whether an odd number of backslashes stands before `at`, none of them before `begin`. */
static bool is_escaped(bt_str text, size_t begin, size_t at)
{
    size_t count = 0;
    while (at - count > begin && text.ptr[at - count - 1] == '\\') {
        count++;
    }
    return count % 2 == 1;
}

/* The offset after the string that begins at `at`, or text.len. */
static size_t skip_string(bt_str text, size_t at)
{
    const size_t begin = at + 1;
    for (at = begin; at < text.len; at++) {
        const char *quote = memchr(text.ptr + at, '"', text.len - at);
        if (!quote) {
            break;
        }
        at = (size_t)(quote - text.ptr);
        if (!is_escaped(text, begin, at)) {
            return at + 1;
        }
    }
    return text.len;
}

/* The offset of the comma or bracket after the value that begins at `at`. */
static size_t skip_value(bt_str text, size_t at)
{
    size_t depth = 0;
    while (at < text.len) {
        const char byte = text.ptr[at];
        if (byte == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (depth == 0 && (byte == ',' || byte == '}' || byte == ']')) {
            break;
        }
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        at++;
    }
    return at;
}

/* Whether the name in quotes begins at `at`. */
static bool is_quoted(bt_str text, size_t at, bt_str name)
{
    return text.len - at >= name.len + 2 && text.ptr[at] == '"' &&
           memcmp(text.ptr + at + 1, name.ptr, name.len) == 0 && text.ptr[at + name.len + 1] == '"';
}

#ifdef __SSE2__
/* Which of the 16 places from `at` on have the first and the last letter of the name where they
 * would be, if a quote stood there. */
static __m128i find_ends(const char *at, bt_str name)
{
    __m128i firsts;
    __m128i lasts;
    memcpy(&firsts, at + 1, sizeof(firsts));
    memcpy(&lasts, at + name.len, sizeof(lasts));
    return _mm_and_si128(_mm_cmpeq_epi8(firsts, _mm_set1_epi8(name.ptr[0])),
                         _mm_cmpeq_epi8(lasts, _mm_set1_epi8(name.ptr[name.len - 1])));
}

/* Whether the name in quotes begins at one of the 16 places. */
static bool is_among(bt_str text, size_t at, __m128i places, bt_str name)
{
    for (unsigned left = (unsigned)_mm_movemask_epi8(places); left; left &= left - 1) {
        if (is_quoted(text, at + (unsigned)__builtin_ctz(left), name)) {
            return true;
        }
    }
    return false;
}
#endif

/* Whether the name stands anywhere in quotes, which is cheaper to tell than whose it is. */
static bool has_quoted(bt_str text, bt_str name)
{
    size_t at = 0;
#ifdef __SSE2__
    for (; text.len - at >= 64 + name.len; at += 64) {
        const __m128i places[] = {
            find_ends(text.ptr + at, name), find_ends(text.ptr + at + 16, name),
            find_ends(text.ptr + at + 32, name), find_ends(text.ptr + at + 48, name)};
        const __m128i any =
            _mm_or_si128(_mm_or_si128(places[0], places[1]), _mm_or_si128(places[2], places[3]));
        for (unsigned i = 0; _mm_movemask_epi8(any) != 0 && i < 4; i++) {
            if (is_among(text, at + (size_t)16 * i, places[i], name)) {
                return true;
            }
        }
    }
    for (; text.len - at >= 16 + name.len; at += 16) {
        if (is_among(text, at, find_ends(text.ptr + at, name), name)) {
            return true;
        }
    }
#endif
    for (; text.len - at >= name.len + 2; at++) {
        if (is_quoted(text, at, name)) {
            return true;
        }
    }
    return false;
}

char bt_json_peek(bt_str text, bt_str name)
{
    size_t at = skip_blanks(text, 0);
    if (at == text.len || text.ptr[at] != '{' || !has_quoted(text, name)) {
        return '\0';
    }
    at = skip_blanks(text, at + 1);
    while (at < text.len && text.ptr[at] == '"') {
        const size_t end = skip_string(text, at);
        const bool found = bt_str_eq(bt_str_slice(text, at + 1, end - 1), name);
        at = skip_blanks(text, end);
        if (at == text.len || text.ptr[at] != ':') {
            return '\0';
        }
        at = skip_blanks(text, at + 1);
        if (found) {
            return at < text.len ? text.ptr[at] : '\0';
        }
        at = skip_value(text, at);
        if (at == text.len || text.ptr[at] != ',') {
            return '\0';
        }
        at = skip_blanks(text, at + 1);
    }
    return '\0';
}
