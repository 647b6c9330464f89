/* SPDX-License-Identifier: Apache-2.0 */
/*
 * display_width.c - single characters of a source that may be broken, and how wide they are.
 *
 * Widths go by block and not by character: a caret that stands one column off below a rare sign
 * does no harm, and a full table would be larger than the rest of the folder.
 */
#include "report/display_width.h"

#include <assert.h>

#include "base/str.h"

/* Blocks that are not one column wide, in rising order. */
static const struct report_glyph_block {
    uint32_t first;
    uint32_t last;
    size_t columns;
} blocks[] = {
    {0x300, 0x36f, 0},     /* combining marks */
    {0x1100, 0x115f, 2},   /* leading Hangul jamo */
    {0x1ab0, 0x1aff, 0},   /* combining marks, extended */
    {0x1dc0, 0x1dff, 0},   /* combining marks, supplement */
    {0x20d0, 0x20ff, 0},   /* combining marks for symbols */
    {0x2e80, 0x303e, 2},   /* CJK radicals and punctuation */
    {0x3041, 0xa4cf, 2},   /* kana, CJK ideographs, Yi */
    {0xa960, 0xa97f, 2},   /* Hangul jamo, extended */
    {0xac00, 0xd7a3, 2},   /* Hangul syllables */
    {0xf900, 0xfaff, 2},   /* CJK compatibility ideographs */
    {0xfe00, 0xfe0f, 0},   /* variation selectors */
    {0xfe20, 0xfe2f, 0},   /* combining half marks */
    {0xfe30, 0xfe6f, 2},   /* CJK compatibility forms */
    {0xff00, 0xff60, 2},   /* full-width forms */
    {0xffe0, 0xffe6, 2},   /* full-width signs */
    {0x16fe0, 0x18aff, 2}, /* Tangut */
    {0x1b000, 0x1b2ff, 2}, /* kana, supplement */
    {0x1f300, 0x1f64f, 2}, /* pictographs, emoticons */
    {0x1f680, 0x1f6ff, 2}, /* transport signs */
    {0x1f900, 0x1faff, 2}, /* more pictographs */
    {0x20000, 0x3fffd, 2}, /* further CJK ideographs */
    {0xe0100, 0xe01ef, 0}, /* variation selectors, supplement */
};

struct bt_display_char bt_display_char_at(bt_str text, size_t at)
{
    assert(at < text.len);
    const unsigned char lead = (unsigned char)text.ptr[at];
    if (lead < 0x80) {
        return (struct bt_display_char){lead, 1};
    }
    /* The check stops at the first sequence that is not well-formed; only the first one counts. */
    const bt_str next = bt_str_slice(text, at, at + 4);
    if (bt_utf8_check(next) == 0) {
        return (struct bt_display_char){0xfffd, 1};
    }
    struct bt_display_char glyph = {0};
    glyph.bytes = bt_utf8_decode(next, 0, &glyph.code_point);
    return glyph;
}

size_t bt_display_char_columns(uint32_t code_point)
{
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        if (code_point <= blocks[i].last) {
            return code_point >= blocks[i].first ? blocks[i].columns : 1;
        }
    }
    return 1;
}

size_t bt_display_columns(bt_str text)
{
    size_t columns = 0;
    for (size_t at = 0; at < text.len;) {
        const struct bt_display_char glyph = bt_display_char_at(text, at);
        columns += bt_display_char_columns(glyph.code_point);
        at += glyph.bytes;
    }
    return columns;
}
