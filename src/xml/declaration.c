/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declaration.c - <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
 */
#include <assert.h>

#include "xml/chars.h"
#include "xml/reader.h"

/* What a declaration says, as far as it could be read. */
struct xml_declaration {
    bool is_sound;
    bt_str encoding; /* "": it names none */
    size_t end;      /* after its ?> */
};

struct xml_declaration_cursor {
    bt_str text;
    size_t at;
};

static bool skip_blanks(struct xml_declaration_cursor *cursor)
{
    const size_t from = cursor->at;
    while (cursor->at < cursor->text.len && bt_xml_blank(cursor->text.ptr[cursor->at])) {
        cursor->at++;
    }
    return cursor->at > from;
}

static bool skip_word(struct xml_declaration_cursor *cursor, bt_str word)
{
    if (!bt_str_starts_with(bt_str_slice(cursor->text, cursor->at, cursor->text.len), word)) {
        return false;
    }
    cursor->at += word.len;
    return true;
}

/* name = "value", after blanks. False: it is not there, or malformed (*out_sound is false then). */
static bool take_pair(struct xml_declaration_cursor *cursor, bt_str name, bt_str *out,
                      bool *out_sound)
{
    const size_t from = cursor->at;
    if (!skip_blanks(cursor) || !skip_word(cursor, name)) {
        cursor->at = from;
        return false;
    }
    (void)skip_blanks(cursor);
    *out_sound = skip_word(cursor, BT_STR("="));
    (void)skip_blanks(cursor);
    const char quote = cursor->at < cursor->text.len ? cursor->text.ptr[cursor->at] : '\0';
    if (!*out_sound || (quote != '"' && quote != '\'')) {
        *out_sound = false;
        return false;
    }
    const size_t first = cursor->at + 1;
    const size_t end = bt_str_find_byte(cursor->text, quote, first);
    *out = bt_str_slice(cursor->text, first, end);
    *out_sound = end < cursor->text.len;
    cursor->at = end + 1;
    return *out_sound;
}

static bool is_version(bt_str text)
{
    for (size_t i = 2; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 2 && bt_str_starts_with(text, BT_STR("1."));
}

static struct xml_declaration parse_declaration(bt_str rest)
{
    struct xml_declaration made = {.encoding = BT_STR("")};
    struct xml_declaration_cursor cursor = {rest, sizeof("<?xml") - 1};
    bt_str version = BT_STR("");
    bt_str standalone = BT_STR("yes");
    bool is_sound = true;
    is_sound = take_pair(&cursor, BT_STR("version"), &version, &is_sound) && is_sound;
    (void)take_pair(&cursor, BT_STR("encoding"), &made.encoding, &is_sound);
    (void)take_pair(&cursor, BT_STR("standalone"), &standalone, &is_sound);
    (void)skip_blanks(&cursor);
    made.is_sound = skip_word(&cursor, BT_STR("?>")) && is_sound && is_version(version) &&
                    (bt_str_eq(standalone, BT_STR("yes")) || bt_str_eq(standalone, BT_STR("no")));
    made.end = cursor.at;
    return made;
}

/* Whether `rest` begins with an XML declaration. */
static bool is_declaration(bt_str rest)
{
    const bt_str open = BT_STR("<?xml");
    return bt_str_starts_with(rest, open) && rest.len > open.len &&
           (bt_xml_blank(rest.ptr[open.len]) || rest.ptr[open.len] == '?');
}

bt_str bt_xml_declared_encoding(bt_str rest)
{
    return is_declaration(rest) ? parse_declaration(rest).encoding : BT_STR("");
}

bool bt_xml_declaration(struct bt_xml_reader *reader)
{
    const bt_str rest = bt_xml_rest(reader);
    if (!is_declaration(rest)) {
        return true;
    }
    const struct xml_declaration found = parse_declaration(rest);
    if (!found.is_sound) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at, "a malformed XML declaration");
    }
    reader->at += found.end;
    return true;
}
