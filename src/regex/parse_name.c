/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_name.c - the names of groups, and the references to them.
 */
#include "regex/parser.h"

#include <assert.h>

#include "base/str.h"
#include "regex/unicode.h"

/* Names are compared with each other, so their number is bounded. */
#define NAMES_MAX 1000

void bt_re_scan_groups(struct bt_re_parser *parser)
{
    const bt_str text = parser->text;
    bool is_in_class = false;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (byte == '\\') {
            i++;
        } else if (is_in_class) {
            is_in_class = byte != ']';
        } else if (byte == '[') {
            is_in_class = true;
        } else if (byte == '(') {
            const bt_str rest = bt_str_slice(text, i + 1, text.len);
            const bool is_named = bt_str_starts_with(rest, BT_STR("?<")) &&
                                  !bt_str_starts_with(rest, BT_STR("?<=")) &&
                                  !bt_str_starts_with(rest, BT_STR("?<!"));
            parser->has_names = parser->has_names || is_named;
            parser->groups_total += is_named || !bt_str_starts_with(rest, BT_STR("?"));
        }
    }
}

/* Whether a code point above ASCII may stand in a name; the sets are made when first needed. */
static bool is_id(struct bt_re_parser *parser, uint32_t point, bool is_first)
{
    struct bt_re_set *set = is_first ? &parser->id_start : &parser->id_continue;
    if (set->count == 0) {
        const bt_str property = is_first ? BT_STR("ID_Start") : BT_STR("ID_Continue");
        bool is_known = false;
        if (!bt_re_unicode_add(parser->build, set, property, &is_known)) {
            return false;
        }
        assert(is_known);
    }
    return bt_re_set_has(set, point);
}

static bool is_name_point(struct bt_re_parser *parser, uint32_t point, bool is_first)
{
    if (point < 0x80) {
        return bt_re_is_letter((int)point) || point == '$' || point == '_' ||
               (!is_first && bt_re_is_digit((int)point));
    }
    const bool is_joiner = point == 0x200c || point == 0x200d;
    return (!is_first && is_joiner) || is_id(parser, point, is_first);
}

/* One character of a name, written as itself or as \u. */
static bool parse_name_point(struct bt_re_parser *parser, bool is_first, uint32_t *out_point)
{
    const size_t start = parser->at;
    bool is_escape = true;
    if (bt_re_peek(parser) == BT_RE_END_OF_TEXT) {
        return bt_re_invalid(parser, start, "the name of a group is not closed");
    }
    if (bt_re_accept(parser, '\\')) {
        is_escape = bt_re_accept(parser, 'u');
        if (is_escape && !bt_re_parse_unicode_escape(parser, true, &is_escape, out_point)) {
            return false;
        }
    } else if (!bt_re_take_point(parser, out_point)) {
        return false;
    }
    if (!is_escape || !is_name_point(parser, *out_point, is_first)) {
        return bt_re_invalid(parser, start, "a character that may not stand in a name");
    }
    return true;
}

bool bt_re_parse_name(struct bt_re_parser *parser, bt_str *out_name)
{
    const size_t start = parser->at;
    /* A name is never longer than the way it is written. */
    const size_t room = bt_str_find_byte(parser->text, '>', start) - start;
    char *name = bt_re_scratch(parser->build, room + 4, 1);
    if (!name) {
        return false;
    }
    size_t length = 0;
    while (length == 0 || !bt_re_accept(parser, '>')) {
        uint32_t point = 0;
        if (!parse_name_point(parser, length == 0, &point)) {
            return false;
        }
        assert(length <= room);
        length += bt_utf8_encode(point, name + length);
    }
    *out_name = (bt_str){name, length};
    return true;
}

static struct bt_re_name *find_name(const struct bt_re_parser *parser, bt_str text)
{
    struct bt_re_name *name = parser->names;
    while (name && !bt_str_eq(name->text, text)) {
        name = name->older;
    }
    return name;
}

bool bt_re_name_group(struct bt_re_parser *parser, bt_str name, size_t offset)
{
    if (find_name(parser, name)) {
        return bt_re_invalid(parser, offset, "two groups have the same name");
    }
    if (parser->names_count == NAMES_MAX) {
        return bt_re_fail(parser->build, BT_REGEX_ERROR_TOO_COMPLEX, offset,
                          "too many groups have names");
    }
    struct bt_re_name *row = bt_re_scratch(parser->build, 1, sizeof(*row));
    if (!row) {
        return false;
    }
    *row = (struct bt_re_name){
        .text = name, .offset = offset, .index = parser->groups, .older = parser->names};
    parser->names = row;
    parser->names_count++;
    return true;
}

bool bt_re_refer(struct bt_re_parser *parser, bt_str name, size_t offset, struct bt_re_node *node)
{
    struct bt_re_name *row = bt_re_scratch(parser->build, 1, sizeof(*row));
    if (!row) {
        return false;
    }
    *row = (struct bt_re_name){
        .text = name, .offset = offset, .node = node, .older = parser->references};
    parser->references = row;
    return true;
}

bool bt_re_resolve_names(struct bt_re_parser *parser)
{
    for (struct bt_re_name *row = parser->references; row; row = row->older) {
        const struct bt_re_name *group = find_name(parser, row->text);
        if (!group) {
            return bt_re_invalid(parser, row->offset, "a reference to a name that is not there");
        }
        row->node->index = group->index;
    }
    return true;
}
