/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_class.c - character classes in brackets.
 */
#include "regex/parser.h"

static bool parse_class_atom(struct bt_re_parser *parser, struct bt_re_atom *out_atom)
{
    if (!bt_re_accept(parser, '\\')) {
        *out_atom = (struct bt_re_atom){0};
        return bt_re_take_point(parser, &out_atom->point);
    }
    if (bt_re_accept(parser, 'b')) {
        *out_atom = (struct bt_re_atom){.point = '\b'};
        return true;
    }
    return bt_re_parse_atom_escape(parser, true, out_atom);
}

static bool add_atom(struct bt_re_parser *parser, struct bt_re_set *set,
                     const struct bt_re_atom *atom)
{
    return atom->is_set ? bt_re_set_add_all(parser->build, set, &atom->set)
                        : bt_re_set_add(parser->build, set, atom->point, atom->point);
}

/* first-last, whose hyphen has been read at `hyphen`. */
static bool add_range(struct bt_re_parser *parser, struct bt_re_set *set,
                      const struct bt_re_atom *first, size_t hyphen)
{
    struct bt_re_atom last;
    if (!parse_class_atom(parser, &last)) {
        return false;
    }
    if (!first->is_set && !last.is_set) {
        return first->point <= last.point
                   ? bt_re_set_add(parser->build, set, first->point, last.point)
                   : bt_re_invalid(parser, hyphen, "a range is out of order");
    }
    if (parser->is_unicode) {
        return bt_re_invalid(parser, hyphen, "a range wants characters at its ends");
    }
    return add_atom(parser, set, first) && bt_re_set_add(parser->build, set, '-', '-') &&
           add_atom(parser, set, &last);
}

bool bt_re_parse_class(struct bt_re_parser *parser, struct bt_re_set *out_set)
{
    const size_t start = parser->at - 1;
    const bool is_negative = bt_re_accept(parser, '^');
    struct bt_re_set set = {0};
    while (!bt_re_accept(parser, ']')) {
        if (bt_re_peek(parser) == BT_RE_END_OF_TEXT) {
            return bt_re_invalid(parser, start, "a class is not closed");
        }
        struct bt_re_atom atom;
        if (!parse_class_atom(parser, &atom)) {
            return false;
        }
        const size_t hyphen = parser->at;
        const int after = bt_re_peek_at(parser, 1);
        const bool is_range =
            bt_re_peek(parser) == '-' && after != ']' && after != BT_RE_END_OF_TEXT;
        if (is_range) {
            parser->at++;
        }
        if (!(is_range ? add_range(parser, &set, &atom, hyphen) : add_atom(parser, &set, &atom))) {
            return false;
        }
    }
    bt_re_set_finish(&set);
    *out_set = set;
    return !is_negative || bt_re_set_invert(parser->build, out_set);
}
