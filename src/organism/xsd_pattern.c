/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd_pattern.c - an XSD pattern -> the same language as an anchored ECMA-262 pattern.
 *
 * XSD patterns are always anchored, so ^ and $ are ordinary characters; a dot does not match a line
 * end; \i and \c are the characters of names. Subtraction and blocks are not supported, nor is
 * anything that only ECMA-262 has.
 */
#include <string.h>

#include "base/buf.h"
#include "organism/xsd.h"

#define NAME_START                                                                                 \
    "A-Z_a-z:\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}"    \
    "\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}"                 \
    "\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}"
#define NAME_OTHER "\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}"

/* Escapes of XSD; `inside` is what they are in a class, NULL: nothing that can be written there. */
static const struct organism_xsd_pattern_escape {
    char letter;
    const char *outside;
    const char *inside;
} escapes[] = {
    {'d', "\\p{Nd}", "\\p{Nd}"},
    {'D', "\\P{Nd}", "\\P{Nd}"},
    {'s', "[ \\t\\n\\r]", " \\t\\n\\r"},
    {'S', "[^ \\t\\n\\r]", NULL},
    {'w', "[^\\p{P}\\p{Z}\\p{C}]", NULL},
    {'W', "[\\p{P}\\p{Z}\\p{C}]", "\\p{P}\\p{Z}\\p{C}"},
    {'i', "[" NAME_START "]", NAME_START},
    {'I', "[^" NAME_START "]", NULL},
    {'c', "[" NAME_START NAME_OTHER "]", NAME_START NAME_OTHER},
    {'C', "[^" NAME_START NAME_OTHER "]", NULL},
    {'n', "\\n", "\\n"},
    {'r', "\\r", "\\r"},
    {'t', "\\t", "\\t"},
};

struct organism_xsd_pattern_cursor {
    struct bt_buf *buf;
    bt_str text;
    size_t at;
    bool in_class;
};

static bool put_escape(struct organism_xsd_pattern_cursor *cursor)
{
    const char letter = cursor->at < cursor->text.len ? cursor->text.ptr[cursor->at++] : '\0';
    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        if (escapes[i].letter == letter) {
            const char *put = cursor->in_class ? escapes[i].inside : escapes[i].outside;
            bt_buf_put_text(cursor->buf, put ? put : "");
            return put != NULL;
        }
    }
    if (letter == 'p' || letter == 'P') {
        const bt_str rest = bt_str_slice(cursor->text, cursor->at, cursor->text.len);
        const size_t end = bt_str_find_byte(rest, '}', 0);
        if (!bt_str_starts_with(rest, BT_STR("{")) || end == rest.len ||
            bt_str_starts_with(rest, BT_STR("{Is"))) {
            return false;
        }
        bt_buf_printf(cursor->buf, "\\%c%.*s", letter, BT_STR_ARG(bt_str_slice(rest, 0, end + 1)));
        cursor->at += end + 1;
        return true;
    }
    if (letter == '\0' || !strchr("\\|.?*+(){}-[]^", letter)) {
        return false;
    }
    /* Outside a class ECMA-262 escapes no dash, and needs to escape none. */
    bt_buf_put_text(cursor->buf, letter == '-' && !cursor->in_class ? "" : "\\");
    bt_buf_put_char(cursor->buf, letter);
    return true;
}

/* One character of a class. */
static bool put_in_class(struct organism_xsd_pattern_cursor *cursor, char byte)
{
    const char next = cursor->at < cursor->text.len ? cursor->text.ptr[cursor->at] : '\0';
    if (byte == '[' || (byte == '-' && next == '[')) {
        return false;
    }
    cursor->in_class = byte != ']';
    bt_buf_put_char(cursor->buf, byte);
    return true;
}

/* One character outside of classes. */
static bool put_outside(struct organism_xsd_pattern_cursor *cursor, char byte)
{
    const bt_str rest = bt_str_slice(cursor->text, cursor->at, cursor->text.len);
    switch (byte) {
    case '^':
    case '$':
        bt_buf_put_char(cursor->buf, '\\');
        break;
    case '.':
        bt_buf_put_text(cursor->buf, "[^\\n\\r]");
        return true;
    case '(':
        bt_buf_put_text(cursor->buf, "(?:");
        return !bt_str_starts_with(rest, BT_STR("?"));
    case '[':
        cursor->in_class = true;
        bt_buf_put_char(cursor->buf, '[');
        if (bt_str_starts_with(rest, BT_STR("^"))) {
            bt_buf_put_char(cursor->buf, '^');
            cursor->at++;
        }
        return !bt_str_starts_with(bt_str_slice(cursor->text, cursor->at, cursor->text.len),
                                   BT_STR("]"));
    case '?':
    case '*':
    case '+':
    case '}':
        bt_buf_put_char(cursor->buf, byte);
        return !bt_str_starts_with(rest, BT_STR("?")) && !bt_str_starts_with(rest, BT_STR("+")) &&
               !bt_str_starts_with(rest, BT_STR("*"));
    case ']':
        return false;
    default:
        break;
    }
    bt_buf_put_char(cursor->buf, byte);
    return true;
}

bool bt_xsd_pattern_put(struct bt_buf *buf, bt_str pattern)
{
    struct organism_xsd_pattern_cursor cursor = {.buf = buf, .text = pattern};
    bt_buf_put_text(buf, "^(?:");
    while (cursor.at < pattern.len) {
        const char byte = pattern.ptr[cursor.at++];
        const bool is_good = byte == '\\'      ? put_escape(&cursor)
                             : cursor.in_class ? put_in_class(&cursor, byte)
                                               : put_outside(&cursor, byte);
        if (!is_good) {
            return false;
        }
    }
    bt_buf_put_text(buf, ")$");
    return !cursor.in_class;
}
