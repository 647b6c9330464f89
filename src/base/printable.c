/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printable.c - make untrusted text safe to show to a person.
 *
 * A terminal obeys control characters, and some Unicode characters reorder or hide their
 * neighbours; a document must not be able to do either.
 */
#include <baton/base.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Ranges of characters that are shown by number, in rising order: controls, everything that Unicode
 * lets a renderer ignore (Default_Ignorable_Code_Point) or calls a format character (Cf), and what
 * looks like a blank or like nothing. The console marks the same (console/src/text.ts). Rules that
 * find hidden text in documents have sets of their own.
 */
static const struct printable_range {
    uint32_t first;
    uint32_t last;
} hidden[] = {
    {0x80, 0x9f},       /* C1 controls */
    {0xad, 0xad},       /* soft hyphen */
    {0x34f, 0x34f},     /* combining grapheme joiner */
    {0x600, 0x605},     /* Arabic number signs */
    {0x61c, 0x61c},     /* Arabic letter mark */
    {0x6dd, 0x6dd},     /* Arabic end of ayah */
    {0x70f, 0x70f},     /* Syriac abbreviation mark */
    {0x890, 0x891},     /* Arabic currency marks */
    {0x8e2, 0x8e2},     /* Arabic disputed end of ayah */
    {0x115f, 0x1160},   /* Hangul fillers */
    {0x17b4, 0x17b5},   /* Khmer inherent vowels */
    {0x180b, 0x180f},   /* Mongolian variation selectors, vowel separator */
    {0x200b, 0x200f},   /* zero width, direction marks */
    {0x2028, 0x202e},   /* line and paragraph separator, embeddings, overrides */
    {0x2060, 0x206f},   /* word joiner, isolates, deprecated controls */
    {0x2800, 0x2800},   /* Braille pattern without dots */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xd800, 0xdfff},   /* surrogates */
    {0xfe00, 0xfe0f},   /* variation selectors */
    {0xfeff, 0xfeff},   /* byte order mark */
    {0xffa0, 0xffa0},   /* half-width Hangul filler */
    {0xfff0, 0xfffc},   /* specials: interlinear annotation, object replacement */
    {0x110bd, 0x110bd}, /* Kaithi number sign */
    {0x110cd, 0x110cd}, /* Kaithi number sign above */
    {0x13430, 0x1343f}, /* Egyptian hieroglyph format controls */
    {0x1bca0, 0x1bca3}, /* shorthand format controls */
    {0x1d173, 0x1d17a}, /* musical format controls */
    {0xe0000, 0xe0fff}, /* tags, variation selectors */
};

bool bt_code_point_is_hidden(uint32_t code_point)
{
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        if (code_point <= hidden[i].last) {
            return code_point >= hidden[i].first;
        }
    }
    return false;
}

static int escape_control(unsigned char byte, char out[16])
{
    switch (byte) {
    case '\n':
        return snprintf(out, 16, "\\n");
    case '\r':
        return snprintf(out, 16, "\\r");
    case '\t':
        return snprintf(out, 16, "\\t");
    default:
        return snprintf(out, 16, "\\x%02x", byte);
    }
}

/* How the character at `from` is shown; sets *out_shown and returns its length in the text. */
static size_t escape_char(bt_str text, size_t from, char escape[16], bt_str *out_shown)
{
    const unsigned char byte = (unsigned char)text.ptr[from];
    if (byte < 0x80) {
        if (byte >= 0x20 && byte != 0x7f) {
            *out_shown = (bt_str){text.ptr + from, 1};
        } else {
            *out_shown = (bt_str){escape, (size_t)escape_control(byte, escape)};
        }
        return 1;
    }
    const bt_str next = bt_str_slice(text, from, from + 4);
    const size_t good = bt_utf8_check(next);
    /* A surrogate in three bytes is not valid UTF-8, but our own strings may hold one. */
    const bool surrogate = next.len >= 3 && byte == 0xed && (unsigned char)next.ptr[1] >= 0xa0 &&
                           ((unsigned char)next.ptr[1] & 0xc0) == 0x80 &&
                           ((unsigned char)next.ptr[2] & 0xc0) == 0x80;
    if (good == 0 && !surrogate) {
        *out_shown = (bt_str){escape, (size_t)snprintf(escape, 16, "\\x%02x", byte)};
        return 1;
    }
    uint32_t code_point = 0;
    const size_t length = bt_utf8_decode(next, 0, &code_point);
    if (bt_code_point_is_hidden(code_point)) {
        *out_shown = (bt_str){escape, (size_t)snprintf(escape, 16, "\\u{%x}", code_point)};
    } else {
        *out_shown = (bt_str){text.ptr + from, length};
    }
    return length;
}

void bt_buf_put_printable(struct bt_buf *buf, bt_str text, size_t max_bytes)
{
    assert(buf);
    size_t written = 0;
    for (size_t i = 0; i < text.len;) {
        char escape[16];
        bt_str shown = {0};
        i += escape_char(text, i, escape, &shown);
        if (shown.len > max_bytes - written) {
            bt_buf_put_text(buf, "...");
            return;
        }
        bt_buf_put(buf, shown);
        written += shown.len;
    }
}

size_t bt_buf_put_visible_char(struct bt_buf *buf, bt_str text, size_t from)
{
    uint32_t point = 0;
    const size_t length = bt_utf8_decode(text, from, &point);
    const bool is_control = point < 0x20 || point == 0x7f;
    if (!is_control && !bt_code_point_is_hidden(point)) {
        bt_buf_put(buf, bt_str_slice(text, from, from + length));
    } else if (point < 0x10000) {
        bt_buf_printf(buf, "\\u%04" PRIx32, point);
    } else {
        bt_buf_printf(buf, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd7c0 + (point >> 10),
                      0xdc00 + (point & 0x3ff));
    }
    return length;
}
