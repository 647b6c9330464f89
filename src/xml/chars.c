/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chars.c - the characters of XML 1.0, fifth edition: section 2.2 and the names of section 2.3
 * without the colon, as Namespaces in XML 1.0 has them.
 */
#include "xml/chars.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

/* Of ASCII, a bit for each character. What may begin a name ... */
static const uint64_t ascii_starts[2] = {0, UINT64_C(0x07fffffe87fffffe)};
/* ... and what may stand in one. */
static const uint64_t ascii_names[2] = {UINT64_C(0x03ff600000000000), UINT64_C(0x07fffffe87fffffe)};

struct xml_chars_range {
    uint32_t first;
    uint32_t last;
};

/* Beyond ASCII. What may begin a name ... */
static const struct xml_chars_range starts[] = {
    {0xc0, 0xd6},     {0xd8, 0xf6},     {0xf8, 0x2ff},    {0x370, 0x37d},
    {0x37f, 0x1fff},  {0x200c, 0x200d}, {0x2070, 0x218f}, {0x2c00, 0x2fef},
    {0x3001, 0xd7ff}, {0xf900, 0xfdcf}, {0xfdf0, 0xfffd}, {0x10000, 0xeffff},
};

/* ... and what else may follow in one. */
static const struct xml_chars_range others[] = {{0xb7, 0xb7}, {0x300, 0x36f}, {0x203f, 0x2040}};

static bool is_in(const struct xml_chars_range *ranges, size_t count, uint32_t character)
{
    for (size_t i = 0; i < count; i++) {
        if (character >= ranges[i].first && character <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

static bool is_ascii_in(const uint64_t set[2], uint32_t character)
{
    return (set[character >> 6] >> (character & 63) & 1) != 0;
}

static bool begins_name(uint32_t character)
{
    return character < 0x80 ? is_ascii_in(ascii_starts, character)
                            : is_in(starts, sizeof(starts) / sizeof(starts[0]), character);
}

/* Beyond ASCII. */
static bool continues_name(uint32_t character)
{
    return begins_name(character) || is_in(others, sizeof(others) / sizeof(others[0]), character);
}

bool bt_xml_char(uint32_t character)
{
    if (character < 0x20) {
        return character == '\t' || character == '\n' || character == '\r';
    }
    return character < 0xd800 || (character >= 0xe000 && character <= 0xfffd) ||
           (character >= 0x10000 && character <= 0x10ffff);
}

/* Whether the eight bytes are printable ASCII, or the last of it: nothing more is asked of them. */
static bool is_plain(const char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word = 0;
    memcpy(&word, bytes, sizeof(word));
    return ((word | (word - ones * 0x20)) & ones * 0x80) == 0;
}

size_t bt_xml_check_chars(bt_str text)
{
    const size_t bad = bt_utf8_check(text);
    for (size_t i = 0; i < bad; i++) {
        while (bad - i >= sizeof(uint64_t) && is_plain(text.ptr + i)) {
            i += sizeof(uint64_t);
        }
        if (i == bad) {
            break;
        }
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte < 0x20 && !bt_xml_char(byte)) {
            return i;
        }
        /* U+FFFE and U+FFFF are EF BF BE and EF BF BF. */
        if (byte == 0xef && bad - i >= 3 && (unsigned char)text.ptr[i + 1] == 0xbf &&
            (unsigned char)text.ptr[i + 2] >= 0xbe) {
            return i;
        }
    }
    return bad;
}

bool bt_xml_begins_name(bt_str text, size_t at)
{
    uint32_t character = at < text.len ? (unsigned char)text.ptr[at] : 0;
    if (character >= 0x80) {
        (void)bt_utf8_decode(text, at, &character);
    }
    return begins_name(character);
}

size_t bt_xml_name_end(bt_str text, size_t from)
{
    assert(from <= text.len);
    size_t at = from;
    bool is_name = bt_xml_begins_name(text, from);
    while (is_name && at < text.len) {
        uint32_t character = (unsigned char)text.ptr[at];
        size_t size = 1;
        if (character < 0x80) {
            is_name = is_ascii_in(ascii_names, character);
        } else {
            size = bt_utf8_decode(text, at, &character);
            is_name = at == from || continues_name(character);
        }
        at += is_name ? size : 0;
    }
    return at;
}
