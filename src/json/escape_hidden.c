/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape_hidden.c - JSON text -> the same JSON, in which no character hides.
 *
 * JSON lets U+007F to U+009F, direction marks and characters without width stand for themselves,
 * but terminals obey some of them, and people do not see the others. Outside of strings JSON is
 * ASCII, so an escape can stand wherever such a character does.
 */
#include <baton/json.h>

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

enum { ESCAPE_BYTES = 6 };   /* \uXXXX; two of them for a character beyond U+FFFF */
#if defined(BT_PROFILE_CORE) /* which is to be small before fast */
enum { IS_SMALL = 1 };
#else
enum { IS_SMALL = 0 };
#endif

/* The bytes of a hidden character that begins at `at`, or 0. */
static size_t hidden_at(bt_str text, size_t at, uint32_t *out)
{
    const unsigned char byte = (unsigned char)text.ptr[at];
    *out = byte;
    if (byte < 0x80) {
        return byte == 0x7f ? 1 : 0;
    }
    /* Most text beyond ASCII begins with another byte than hidden characters do. */
    if (!memchr("\xc2\xcd\xd8\xdb\xdc\xe0\xe1\xe2\xe3\xef\xf0\xf3", byte, 12)) {
        return 0;
    }
    const bt_str next = bt_str_slice(text, at, at + 4);
    if (bt_utf8_check(next) == 0) {
        return 0;
    }
    const size_t bytes = bt_utf8_decode(next, 0, out);
    return bt_code_point_is_hidden(*out) ? bytes : 0;
}

static size_t escape_bytes(uint32_t code_point)
{
    return code_point > 0xffff ? 2 * ESCAPE_BYTES : ESCAPE_BYTES;
}

static void put_unit(char *to, uint32_t unit)
{
    static const char digits[] = "0123456789abcdef";
    *to++ = '\\';
    *to++ = 'u';
    for (unsigned shift = 16; shift > 0;) {
        shift -= 4;
        *to++ = digits[unit >> shift & 0xf];
    }
}

static size_t put_escape(char *to, uint32_t code_point)
{
    if (code_point > 0xffff) {
        const uint32_t above = code_point - 0x10000;
        put_unit(to, 0xd800U | above >> 10);
        put_unit(to + ESCAPE_BYTES, 0xdc00U | (above & 0x3ffU));
    } else {
        put_unit(to, code_point);
    }
    return escape_bytes(code_point);
}

/* Skip words of eight bytes below 0x7f, which most text consists of. */
static size_t skip_plain_words(bt_str text, size_t at)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word = 0;
    while (!IS_SMALL && text.len - at >= sizeof(word)) {
        memcpy(&word, text.ptr + at, sizeof(word));
        if ((word | (word + ones)) & (ones << 7)) {
            break;
        }
        at += sizeof(word);
    }
    return at;
}

static size_t count_growth(bt_str text)
{
    size_t growth = 0;
    for (size_t i = skip_plain_words(text, 0); i < text.len; i = skip_plain_words(text, i)) {
        uint32_t code_point = 0;
        const size_t bytes = hidden_at(text, i, &code_point);
        growth += bytes > 0 ? escape_bytes(code_point) - bytes : 0;
        i += bytes > 0 ? bytes : 1;
    }
    return growth;
}

void bt_json_escape_hidden(struct bt_buf *buf, size_t from)
{
    assert(buf);
    assert(from <= buf->len);
    const size_t growth = count_growth(bt_str_slice(bt_buf_str(buf), from, buf->len));
    if (growth == 0 || !bt_buf_reserve(buf, growth)) {
        return;
    }
    /* The text moves to the end of its new room, and is written from the front on. What is written
     * never reaches what is still to be read, since it has grown by at most `growth`. */
    char *to = buf->ptr + from;
    const bt_str text = {to + growth, buf->len - from};
    memmove(to + growth, to, text.len);
    for (size_t i = 0; i < text.len;) {
        uint32_t code_point = 0;
        const size_t bytes = hidden_at(text, i, &code_point);
        if (bytes > 0) {
            to += put_escape(to, code_point);
            i += bytes;
        } else {
            *to++ = text.ptr[i++];
        }
    }
    buf->len += growth;
}
