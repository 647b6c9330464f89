/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h - the state of reading a pattern, shared by parse.c, parse_escape.c and parse_class.c.
 */
#ifndef BATON_SRC_REGEX_PARSER_H
#define BATON_SRC_REGEX_PARSER_H

#include "regex/ast.h"

#define BT_RE_END_OF_TEXT (-1)

struct bt_re_name;

struct bt_re_parser {
    struct bt_re_build *build;
    bt_str text;
    size_t at;
    bool is_unicode;
    bool has_names;        /* some group has a name, so \k is a reference also in Annex B */
    uint32_t groups_total; /* counted before reading, since \1 may come before its group */
    uint32_t groups;       /* read so far */
    uint32_t depth;
    struct bt_re_name *names;      /* of groups, newest first */
    struct bt_re_name *references; /* \k<name>, to be resolved at the end */
    uint32_t names_count;
    struct bt_re_set id_start; /* filled when first asked for */
    struct bt_re_set id_continue;
    bool has_backrefs;
};

/* A group's name, or a reference to one. */
struct bt_re_name {
    bt_str text;
    size_t offset;
    uint32_t index;          /* of the group */
    struct bt_re_node *node; /* of the reference */
    struct bt_re_name *older;
};

/* What one escape or one member of a class stands for. */
struct bt_re_atom {
    bool is_set;
    uint32_t point;
    struct bt_re_set set; /* finished */
};

static inline int bt_re_peek_at(const struct bt_re_parser *parser, size_t ahead)
{
    const size_t at = parser->at + ahead;
    return at < parser->text.len ? (unsigned char)parser->text.ptr[at] : BT_RE_END_OF_TEXT;
}

static inline int bt_re_peek(const struct bt_re_parser *parser)
{
    return bt_re_peek_at(parser, 0);
}

static inline bool bt_re_is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

static inline bool bt_re_is_letter(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Step over `byte` if it comes next. */
static inline bool bt_re_accept(struct bt_re_parser *parser, char byte)
{
    if (bt_re_peek(parser) != (unsigned char)byte) {
        return false;
    }
    parser->at++;
    return true;
}

/* The pattern is wrong at `offset`. Returns false. */
static inline bool bt_re_invalid(struct bt_re_parser *parser, size_t offset, const char *detail)
{
    return bt_re_fail(parser->build, BT_REGEX_ERROR_INVALID, offset, detail);
}

/* Read the next code point, which there must be; false when the bytes are not UTF-8. */
bool bt_re_take_point(struct bt_re_parser *parser, uint32_t *out_point);

/* An escape that is one character or one set of them; `at` stands behind the backslash. */
bool bt_re_parse_atom_escape(struct bt_re_parser *parser, bool is_in_class,
                             struct bt_re_atom *out_atom);
/* The code point of \u, behind the `u`; *out_is_escape is false when Annex B reads a plain u. */
bool bt_re_parse_unicode_escape(struct bt_re_parser *parser, bool braces_allowed,
                                bool *out_is_escape, uint32_t *out_point);
/* A decimal number, cut to BT_RE_INFINITE - 1. At least one digit must come next. */
uint32_t bt_re_parse_number(struct bt_re_parser *parser);

/* A class, behind its opening bracket. */
bool bt_re_parse_class(struct bt_re_parser *parser, struct bt_re_set *out_set);

/* Count the groups and see whether some have names, before reading. */
void bt_re_scan_groups(struct bt_re_parser *parser);
/* A name with its closing `>`, behind the `<`. */
bool bt_re_parse_name(struct bt_re_parser *parser, bt_str *out_name);
/* Note the name of the group that has just begun. */
bool bt_re_name_group(struct bt_re_parser *parser, bt_str name, size_t offset);
/* Note that `node` refers to a name. */
bool bt_re_refer(struct bt_re_parser *parser, bt_str name, size_t offset, struct bt_re_node *node);
/* Give each named reference its number. */
bool bt_re_resolve_names(struct bt_re_parser *parser);

#endif
