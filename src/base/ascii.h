/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascii.h - classes and cases of ASCII bytes, independent of the locale. Bytes over 127 belong to
 * no class.
 */
#ifndef BATON_SRC_BASE_ASCII_H
#define BATON_SRC_BASE_ASCII_H

#include <stdbool.h>

#include <baton/base.h>

static inline bool bt_ascii_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static inline bool bt_ascii_is_lower(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static inline bool bt_ascii_is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static inline bool bt_ascii_is_alpha(char byte)
{
    return bt_ascii_is_lower((char)(byte | 0x20));
}

static inline bool bt_ascii_is_alnum(char byte)
{
    return bt_ascii_is_alpha(byte) || bt_ascii_is_digit(byte);
}

/* A space or a tab. */
static inline bool bt_ascii_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* A blank, a line feed, a carriage return, a vertical tab or a form feed. */
static inline bool bt_ascii_is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static inline bool bt_ascii_is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

/* True for 1 to `max` lower-case letters, digits and hyphens, the first not a hyphen. */
static inline bool bt_ascii_is_label(bt_str text, size_t max)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!bt_ascii_is_lower(text.ptr[i]) && !bt_ascii_is_digit(text.ptr[i]) &&
            (text.ptr[i] != '-' || i == 0)) {
            return false;
        }
    }
    return text.len > 0 && text.len <= max;
}

static inline char bt_ascii_lower(char byte)
{
    return bt_ascii_is_upper(byte) ? (char)(byte + ('a' - 'A')) : byte;
}

static inline char bt_ascii_upper(char byte)
{
    return bt_ascii_is_lower(byte) ? (char)(byte - ('a' - 'A')) : byte;
}

/* The value of a hexadecimal digit of either case, or -1. */
static inline int bt_ascii_hex_value(char byte)
{
    if (bt_ascii_is_digit(byte)) {
        return byte - '0';
    }
    const char lower = (char)(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* A hexadecimal digit of either case. */
static inline bool bt_ascii_is_hex(char byte)
{
    return bt_ascii_hex_value(byte) >= 0;
}

static inline bool bt_ascii_is_lower_hex(char byte)
{
    return bt_ascii_is_digit(byte) || (byte >= 'a' && byte <= 'f');
}

/* True when `is` holds for every byte of the text, as it does for an empty one. */
static inline bool bt_ascii_all(bt_str text, bool (*is)(char byte))
{
    size_t i = 0;
    while (i < text.len && is(text.ptr[i])) {
        i++;
    }
    return i == text.len;
}

/* The text without the bytes at its ends for which `is` holds. */
static inline bt_str bt_ascii_trim(bt_str text, bool (*is)(char byte))
{
    size_t begin = 0;
    size_t end = text.len;
    while (begin < end && is(text.ptr[begin])) {
        begin++;
    }
    while (end > begin && is(text.ptr[end - 1])) {
        end--;
    }
    return bt_str_slice(text, begin, end);
}

/* True when the texts are equal but for the case of ASCII letters. */
bool bt_ascii_equal_nocase(bt_str a, bt_str b);

/* A copy in the arena with ASCII letters in one case. It ends with a NUL that is not counted. */
BT_MUST_USE enum bt_status bt_ascii_lower_copy(struct bt_arena *arena, bt_str text, bt_str *out);
BT_MUST_USE enum bt_status bt_ascii_upper_copy(struct bt_arena *arena, bt_str text, bt_str *out);

#endif
