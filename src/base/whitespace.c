/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whitespace.c - text that says nothing.
 */
#include <baton/base.h>

#include "base/str.h"

/* White space of Unicode and the characters without width, in rising order. */
static const struct whitespace_range {
    uint32_t first;
    uint32_t last;
} blanks[] = {
    {0x0009, 0x000d}, {0x0020, 0x0020}, {0x0085, 0x0085}, {0x00a0, 0x00a0},
    {0x1680, 0x1680}, {0x2000, 0x200d}, {0x2028, 0x2029}, {0x202f, 0x202f},
    {0x205f, 0x2060}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
};

static bool is_blank(uint32_t character)
{
    for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++) {
        if (character >= blanks[i].first && character <= blanks[i].last) {
            return true;
        }
    }
    return false;
}

/* The offset of the first character that is not blank, or text.len. */
static size_t skip_blanks(bt_str text)
{
    size_t at = 0;
    while (at < text.len) {
        uint32_t character = 0;
        const size_t bytes = bt_utf8_decode(text, at, &character);
        if (!is_blank(character)) {
            break;
        }
        at += bytes;
    }
    return at;
}

bool bt_str_is_blank(bt_str text)
{
    return skip_blanks(text) == text.len;
}

bt_str bt_str_trim(bt_str text)
{
    text = bt_str_slice(text, skip_blanks(text), text.len);
    while (text.len > 0) {
        size_t last = text.len - 1;
        while (last > 0 && ((unsigned char)text.ptr[last] & 0xc0) == 0x80) {
            last--;
        }
        uint32_t character = 0;
        (void)bt_utf8_decode(text, last, &character);
        if (!is_blank(character)) {
            break;
        }
        text.len = last;
    }
    return text;
}
