/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_escape.c - what may follow a backslash and stands for characters.
 */
#include "regex/parser.h"

#include <assert.h>
#include <string.h>

#include "regex/unicode.h"

static int hex_value(int byte)
{
    if (bt_re_is_digit(byte)) {
        return byte - '0';
    }
    const int lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Exactly `count` hexadecimal digits; on false nothing was read. */
static bool parse_hex(struct bt_re_parser *parser, size_t count, uint32_t *out_value)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        const int digit = hex_value(bt_re_peek_at(parser, i));
        if (digit < 0) {
            return false;
        }
        value = value << 4 | (uint32_t)digit;
    }
    parser->at += count;
    *out_value = value;
    return true;
}

/* \u{...}, behind the opening brace. */
static bool parse_braced_point(struct bt_re_parser *parser, uint32_t *out_point)
{
    const size_t start = parser->at;
    uint32_t value = 0;
    int digit = hex_value(bt_re_peek(parser));
    if (digit < 0) {
        return bt_re_invalid(parser, start, "\\u{ wants hexadecimal digits");
    }
    for (; digit >= 0; digit = hex_value(bt_re_peek(parser))) {
        value = value << 4 | (uint32_t)digit;
        if (value > BT_RE_POINT_MAX) {
            return bt_re_invalid(parser, start, "the code point does not exist");
        }
        parser->at++;
    }
    if (!bt_re_accept(parser, '}')) {
        return bt_re_invalid(parser, start, "\\u{ is not closed");
    }
    *out_point = value;
    return true;
}

bool bt_re_parse_unicode_escape(struct bt_re_parser *parser, bool braces_allowed,
                                bool *out_is_escape, uint32_t *out_point)
{
    *out_is_escape = true;
    if (braces_allowed && bt_re_accept(parser, '{')) {
        return parse_braced_point(parser, out_point);
    }
    uint32_t lead = 0;
    if (!parse_hex(parser, 4, &lead)) {
        *out_is_escape = false;
        return true;
    }
    *out_point = lead;
    /* Two halves are one character, since a subject is read in code points. */
    if (lead >= 0xd800 && lead < 0xdc00 && bt_re_peek(parser) == '\\' &&
        bt_re_peek_at(parser, 1) == 'u') {
        const size_t back = parser->at;
        uint32_t trail = 0;
        parser->at += 2;
        if (parse_hex(parser, 4, &trail) && trail >= 0xdc00 && trail < 0xe000) {
            *out_point = 0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00);
        } else {
            parser->at = back;
        }
    }
    return true;
}

/* Up to three octal digits, at most 0377. At least one comes next. */
static uint32_t parse_octal(struct bt_re_parser *parser)
{
    uint32_t value = 0;
    for (int i = 0; i < 3; i++) {
        const int byte = bt_re_peek(parser);
        if (byte < '0' || byte > '7' || value > 31) {
            break;
        }
        value = value * 8 + (uint32_t)(byte - '0');
        parser->at++;
    }
    return value;
}

/* Digits that are not a reference: \0, and the octal escapes of Annex B. */
static bool parse_digits(struct bt_re_parser *parser, uint32_t *out_point)
{
    const int digit = bt_re_peek(parser);
    if (parser->is_unicode) {
        if (digit != '0' || bt_re_is_digit(bt_re_peek_at(parser, 1))) {
            return bt_re_invalid(parser, parser->at - 1, "unknown escape");
        }
        parser->at++;
        *out_point = 0;
    } else if (digit >= '8') {
        parser->at++;
        *out_point = (uint32_t)digit;
    } else {
        *out_point = parse_octal(parser);
    }
    return true;
}

/* \c, behind the `c`. Without its letter Annex B reads the backslash as itself. */
static bool parse_control(struct bt_re_parser *parser, bool is_in_class, uint32_t *out_point)
{
    const int byte = bt_re_peek(parser);
    const bool is_lenient =
        !parser->is_unicode && is_in_class && (bt_re_is_digit(byte) || byte == '_');
    if (bt_re_is_letter(byte) || is_lenient) {
        parser->at++;
        *out_point = (uint32_t)byte & 31;
        return true;
    }
    if (parser->is_unicode) {
        return bt_re_invalid(parser, parser->at - 2, "\\c wants a letter");
    }
    parser->at--; /* the c is read again, as a character */
    *out_point = '\\';
    return true;
}

/* \p{...} or \P{...}, behind the letter. */
static bool parse_property(struct bt_re_parser *parser, bool is_negative,
                           struct bt_re_atom *out_atom)
{
    const size_t start = parser->at;
    const size_t end = bt_str_find_byte(parser->text, '}', start);
    if (!bt_re_accept(parser, '{') || end == parser->text.len) {
        return bt_re_invalid(parser, start - 2, "\\p wants the name of a property in braces");
    }
    bool is_known = false;
    out_atom->is_set = true;
    if (!bt_re_unicode_add(parser->build, &out_atom->set,
                           bt_str_slice(parser->text, start + 1, end), &is_known)) {
        return false;
    }
    if (!is_known) {
        return bt_re_invalid(parser, start + 1, "unknown property");
    }
    parser->at = end + 1;
    return !is_negative || bt_re_set_invert(parser->build, &out_atom->set);
}

/* \d and its kind, behind the letter. */
static bool parse_class_escape(struct bt_re_parser *parser, int letter, struct bt_re_atom *out_atom)
{
    const bool is_negative = letter < 'a';
    out_atom->is_set = true;
    return bt_re_set_add_escape(parser->build, &out_atom->set, (char)(letter | 0x20)) &&
           (!is_negative || bt_re_set_invert(parser->build, &out_atom->set));
}

/* \x or \u, behind the letter. */
static bool parse_number_escape(struct bt_re_parser *parser, int letter, uint32_t *out_point)
{
    bool is_escape = false;
    if (letter == 'x') {
        is_escape = parse_hex(parser, 2, out_point);
    } else if (!bt_re_parse_unicode_escape(parser, parser->is_unicode, &is_escape, out_point)) {
        return false;
    }
    if (!is_escape) {
        if (parser->is_unicode) {
            return bt_re_invalid(parser, parser->at - 2, "an escape wants hexadecimal digits");
        }
        *out_point = (uint32_t)letter;
    }
    return true;
}

/* A character that stands for itself. */
static bool parse_identity(struct bt_re_parser *parser, bool is_in_class, uint32_t *out_point)
{
    const size_t start = parser->at - 1;
    const int byte = bt_re_peek(parser);
    if (byte == BT_RE_END_OF_TEXT) {
        return bt_re_invalid(parser, start, "a backslash stands at the end");
    }
    const bool is_syntax = byte != 0 && byte < 0x80 && strchr("^$\\.*+?()[]{}|/", byte);
    const bool is_allowed = parser->is_unicode ? is_syntax || (is_in_class && byte == '-')
                                               : !(byte == 'k' && parser->has_names);
    if (!is_allowed) {
        return bt_re_invalid(parser, start, "unknown escape");
    }
    return bt_re_take_point(parser, out_point);
}

bool bt_re_parse_atom_escape(struct bt_re_parser *parser, bool is_in_class,
                             struct bt_re_atom *out_atom)
{
    static const char named[] = "tnvfr";
    static const char meant[] = "\t\n\v\f\r";
    const int letter = bt_re_peek(parser);
    const char *found = letter > 0 && letter < 0x80 ? strchr(named, letter) : NULL;
    *out_atom = (struct bt_re_atom){0};
    if (found) {
        parser->at++;
        out_atom->point = (uint32_t)meant[found - named];
        return true;
    }
    if (bt_re_is_digit(letter)) {
        return parse_digits(parser, &out_atom->point);
    }
    switch (letter) {
    case 'd':
    case 'D':
    case 's':
    case 'S':
    case 'w':
    case 'W':
        parser->at++;
        return parse_class_escape(parser, letter, out_atom);
    case 'c':
        parser->at++;
        return parse_control(parser, is_in_class, &out_atom->point);
    case 'x':
    case 'u':
        parser->at++;
        return parse_number_escape(parser, letter, &out_atom->point);
    case 'p':
    case 'P':
        if (parser->is_unicode) {
            parser->at++;
            return parse_property(parser, letter == 'P', out_atom);
        }
        break;
    default:
        break;
    }
    return parse_identity(parser, is_in_class, &out_atom->point);
}
