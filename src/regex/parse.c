/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - a pattern's alternatives, terms, groups and quantifiers (ECMA-262, 22.2.1 and B.1.2).
 */
#include "regex/parser.h"

#include <assert.h>

static struct bt_re_node *parse_disjunction(struct bt_re_parser *parser);

struct bt_re_node *bt_re_node_new(struct bt_re_build *build, enum bt_re_kind kind)
{
    struct bt_re_node *node = bt_re_scratch(build, 1, sizeof(*node));
    if (node) {
        node->kind = kind;
    }
    return node;
}

static struct bt_re_node *new_node(struct bt_re_parser *parser, enum bt_re_kind kind)
{
    return bt_re_node_new(parser->build, kind);
}

static struct bt_re_node *new_literal(struct bt_re_parser *parser, uint32_t point)
{
    struct bt_re_node *node = new_node(parser, BT_RE_SET);
    if (node) {
        node->point = (struct bt_re_range){point, point};
        node->set = (struct bt_re_set){&node->point, 1, 1};
    }
    return node;
}

static struct bt_re_node *parse_literal(struct bt_re_parser *parser)
{
    uint32_t point = 0;
    return bt_re_take_point(parser, &point) ? new_literal(parser, point) : NULL;
}

bool bt_re_take_point(struct bt_re_parser *parser, uint32_t *out_point)
{
    const int lead = bt_re_peek(parser);
    assert(lead != BT_RE_END_OF_TEXT);
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    bool is_utf8 = lead < 0x80 || (lead >= 0xc2 && lead <= 0xf4);
    uint32_t point = length == 1 ? (uint32_t)lead : (uint32_t)lead & (0x7fU >> length);
    for (size_t i = 1; is_utf8 && i < length; i++) {
        const int byte = bt_re_peek_at(parser, i);
        is_utf8 = byte != BT_RE_END_OF_TEXT && (byte & 0xc0) == 0x80;
        point = point << 6 | ((uint32_t)byte & 0x3f);
    }
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!is_utf8 || point > BT_RE_POINT_MAX || point < smallest[length]) {
        return bt_re_invalid(parser, parser->at, "the pattern is not UTF-8");
    }
    parser->at += length;
    *out_point = point;
    return true;
}

uint32_t bt_re_parse_number(struct bt_re_parser *parser)
{
    assert(bt_re_is_digit(bt_re_peek(parser)));
    uint64_t number = 0;
    while (bt_re_is_digit(bt_re_peek(parser))) {
        number = number * 10 + (uint64_t)(bt_re_peek(parser) - '0');
        number = number < BT_RE_INFINITE ? number : BT_RE_INFINITE - 1;
        parser->at++;
    }
    return (uint32_t)number;
}

/* Read {n}, {n,} or {n,m}; on false nothing was read, or (is_failed) the bounds are reversed. */
static bool parse_braces(struct bt_re_parser *parser, uint32_t *out_min, uint32_t *out_max)
{
    const size_t start = parser->at;
    if (!bt_re_accept(parser, '{') || !bt_re_is_digit(bt_re_peek(parser))) {
        parser->at = start;
        return false;
    }
    const uint32_t min = bt_re_parse_number(parser);
    uint32_t max = min;
    if (bt_re_accept(parser, ',')) {
        max = bt_re_is_digit(bt_re_peek(parser)) ? bt_re_parse_number(parser) : BT_RE_INFINITE;
    }
    if (!bt_re_accept(parser, '}')) {
        parser->at = start;
        return false;
    }
    if (min > max) {
        return bt_re_invalid(parser, start, "the bounds of a quantifier are out of order");
    }
    *out_min = min;
    *out_max = max;
    return true;
}

/* Whether a quantifier follows, with its bounds. Failure is to be asked of the build. */
static bool parse_bounds(struct bt_re_parser *parser, uint32_t *out_min, uint32_t *out_max)
{
    *out_min = 0;
    *out_max = BT_RE_INFINITE;
    switch (bt_re_peek(parser)) {
    case '*':
        break;
    case '+':
        *out_min = 1;
        break;
    case '?':
        *out_max = 1;
        break;
    case '{':
        return parse_braces(parser, out_min, out_max);
    default:
        return false;
    }
    parser->at++;
    return true;
}

/* Put what follows an atom around it: nothing, or a quantifier. */
static struct bt_re_node *parse_quantifier(struct bt_re_parser *parser, struct bt_re_node *atom,
                                           uint32_t groups_before)
{
    uint32_t min = 0;
    uint32_t max = 0;
    if (!parse_bounds(parser, &min, &max)) {
        return bt_re_is_failed(parser->build) ? NULL : atom;
    }
    struct bt_re_node *repeat = new_node(parser, BT_RE_REPEAT);
    if (!repeat) {
        return NULL;
    }
    repeat->is_lazy = bt_re_accept(parser, '?');
    repeat->min = min;
    repeat->max = max;
    repeat->groups_begin = groups_before + 1;
    repeat->groups_end = parser->groups + 1;
    repeat->child = atom;
    return repeat;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the groups of the pattern, which is bounded. */

/* The inside of a group up to and including its closing parenthesis. */
static struct bt_re_node *parse_inside(struct bt_re_parser *parser, size_t start)
{
    if (parser->depth == parser->build->options->depth_max) {
        (void)bt_re_fail(parser->build, BT_REGEX_ERROR_TOO_COMPLEX, start,
                         "groups are nested too deeply");
        return NULL;
    }
    parser->depth++;
    struct bt_re_node *inside = parse_disjunction(parser);
    parser->depth--;
    if (inside && !bt_re_accept(parser, ')')) {
        (void)bt_re_invalid(parser, start, "a group is not closed");
        return NULL;
    }
    return inside;
}

static struct bt_re_node *parse_capture(struct bt_re_parser *parser, size_t start, bool is_named)
{
    struct bt_re_node *group = new_node(parser, BT_RE_GROUP);
    if (!group) {
        return NULL;
    }
    group->index = ++parser->groups;
    bt_str name = {0};
    if (is_named && !(bt_re_parse_name(parser, &name) && bt_re_name_group(parser, name, start))) {
        return NULL;
    }
    group->child = parse_inside(parser, start);
    return group->child ? group : NULL;
}

static struct bt_re_node *parse_look(struct bt_re_parser *parser, size_t start, bool is_behind)
{
    struct bt_re_node *look = new_node(parser, BT_RE_LOOK);
    if (!look) {
        return NULL;
    }
    look->is_behind = is_behind;
    look->is_negative = bt_re_peek(parser) == '!';
    parser->at++;
    look->child = parse_inside(parser, start);
    return look->child ? look : NULL;
}

/* Anything in parentheses; `at` stands behind the opening one. */
static struct bt_re_node *parse_group(struct bt_re_parser *parser)
{
    const size_t start = parser->at - 1;
    if (!bt_re_accept(parser, '?')) {
        return parse_capture(parser, start, false);
    }
    switch (bt_re_peek(parser)) {
    case ':':
        parser->at++;
        return parse_inside(parser, start);
    case '=':
    case '!':
        return parse_look(parser, start, false);
    case '<':
        parser->at++;
        if (bt_re_peek(parser) == '=' || bt_re_peek(parser) == '!') {
            return parse_look(parser, start, true);
        }
        return parse_capture(parser, start, true);
    default:
        (void)bt_re_invalid(parser, start, "unknown kind of group");
        return NULL;
    }
}

static struct bt_re_node *parse_backref(struct bt_re_parser *parser, uint32_t index)
{
    struct bt_re_node *node = new_node(parser, BT_RE_BACKREF);
    if (node) {
        node->index = index;
        parser->has_backrefs = true;
    }
    return node;
}

/* \k<name>, behind the `k`. */
static struct bt_re_node *parse_named_backref(struct bt_re_parser *parser, size_t start)
{
    bt_str name = {0};
    if (!bt_re_accept(parser, '<')) {
        (void)bt_re_invalid(parser, start, "\\k wants the name of a group in < and >");
        return NULL;
    }
    if (!bt_re_parse_name(parser, &name)) {
        return NULL;
    }
    struct bt_re_node *node = parse_backref(parser, 0);
    return node && bt_re_refer(parser, name, start, node) ? node : NULL;
}

/* \1 and so on, or NULL without a failure when Annex B reads an octal escape there. */
static struct bt_re_node *parse_numbered_backref(struct bt_re_parser *parser, size_t start)
{
    const uint32_t index = bt_re_parse_number(parser);
    if (index <= parser->groups_total) {
        return parse_backref(parser, index);
    }
    if (parser->is_unicode) {
        (void)bt_re_invalid(parser, start, "a reference to a group that is not there");
    }
    parser->at = start + 1;
    return NULL;
}

static struct bt_re_node *parse_escape(struct bt_re_parser *parser)
{
    const size_t start = parser->at - 1;
    const int letter = bt_re_peek(parser);
    if (letter == 'b' || letter == 'B') {
        parser->at++;
        struct bt_re_node *node = new_node(parser, BT_RE_WORD);
        if (node) {
            node->is_negative = letter == 'B';
        }
        return node;
    }
    if (letter == 'k' && (parser->is_unicode || parser->has_names)) {
        parser->at++;
        return parse_named_backref(parser, start);
    }
    if (letter >= '1' && letter <= '9') {
        struct bt_re_node *node = parse_numbered_backref(parser, start);
        if (node || bt_re_is_failed(parser->build)) {
            return node;
        }
    }
    struct bt_re_atom atom = {0};
    if (!bt_re_parse_atom_escape(parser, false, &atom)) {
        return NULL;
    }
    struct bt_re_node *node = new_literal(parser, atom.point);
    if (node && atom.is_set) {
        node->set = atom.set;
    }
    return node;
}

static struct bt_re_node *parse_set(struct bt_re_parser *parser)
{
    struct bt_re_node *node = new_node(parser, BT_RE_SET);
    if (!node) {
        return NULL;
    }
    if (bt_re_accept(parser, '.')) {
        return bt_re_set_add_dot(parser->build, &node->set) ? node : NULL;
    }
    parser->at++;
    return bt_re_parse_class(parser, &node->set) ? node : NULL;
}

/* A brace or bracket that opens nothing: a literal in Annex B, unless it looks like {1,2}. */
static struct bt_re_node *parse_stray(struct bt_re_parser *parser)
{
    const size_t start = parser->at;
    if (parser->is_unicode) {
        (void)bt_re_invalid(parser, start, "a brace or bracket stands alone");
        return NULL;
    }
    uint32_t min = 0;
    uint32_t max = 0;
    if (parse_braces(parser, &min, &max)) {
        (void)bt_re_invalid(parser, start, "there is nothing to repeat");
    }
    return bt_re_is_failed(parser->build) ? NULL : parse_literal(parser);
}

/* Whether a quantifier may follow. */
static bool is_atom(const struct bt_re_parser *parser, const struct bt_re_node *node)
{
    switch (node->kind) {
    case BT_RE_BEGIN:
    case BT_RE_END:
    case BT_RE_WORD:
        return false;
    case BT_RE_LOOK:
        return !parser->is_unicode && !node->is_behind;
    case BT_RE_EMPTY:
    case BT_RE_SET:
    case BT_RE_CAT:
    case BT_RE_ALT:
    case BT_RE_REPEAT:
    case BT_RE_GROUP:
    case BT_RE_BACKREF:
        break;
    }
    return true;
}

/* One character, class, escape, group or assertion, without its quantifier. */
static struct bt_re_node *parse_bare(struct bt_re_parser *parser)
{
    switch (bt_re_peek(parser)) {
    case '^':
        parser->at++;
        return new_node(parser, BT_RE_BEGIN);
    case '$':
        parser->at++;
        return new_node(parser, BT_RE_END);
    case '(':
        parser->at++;
        return parse_group(parser);
    case '\\':
        parser->at++;
        return parse_escape(parser);
    case '.':
    case '[':
        return parse_set(parser);
    case '*':
    case '+':
    case '?':
        (void)bt_re_invalid(parser, parser->at, "there is nothing to repeat");
        return NULL;
    case '{':
    case '}':
    case ']':
        return parse_stray(parser);
    default:
        return parse_literal(parser);
    }
}

static struct bt_re_node *parse_term(struct bt_re_parser *parser)
{
    const uint32_t groups_before = parser->groups;
    struct bt_re_node *bare = parse_bare(parser);
    if (!bare || !is_atom(parser, bare)) {
        return bare;
    }
    return parse_quantifier(parser, bare, groups_before);
}

/* The terms up to the next `|` or `)` of this group. */
static struct bt_re_node *parse_alternative(struct bt_re_parser *parser)
{
    struct bt_re_node *list = new_node(parser, BT_RE_CAT);
    if (!list) {
        return NULL;
    }
    struct bt_re_node **tail = &list->child;
    for (int byte = bt_re_peek(parser); byte != BT_RE_END_OF_TEXT && byte != '|' && byte != ')';
         byte = bt_re_peek(parser)) {
        *tail = parse_term(parser);
        if (!*tail) {
            return NULL;
        }
        tail = &(*tail)->next;
    }
    return list;
}

static struct bt_re_node *parse_disjunction(struct bt_re_parser *parser)
{
    struct bt_re_node *list = new_node(parser, BT_RE_ALT);
    if (!list) {
        return NULL;
    }
    struct bt_re_node **tail = &list->child;
    do {
        *tail = parse_alternative(parser);
        if (!*tail) {
            return NULL;
        }
        tail = &(*tail)->next;
    } while (bt_re_accept(parser, '|'));
    return list;
}

/* NOLINTEND(misc-no-recursion) */

bool bt_re_parse(struct bt_re_build *build, bt_str text, bool is_unicode,
                 struct bt_re_pattern *out_pattern)
{
    struct bt_re_parser parser = {.build = build, .text = text, .is_unicode = is_unicode};
    bt_re_scan_groups(&parser);
    struct bt_re_node *root = parse_disjunction(&parser);
    if (!root) {
        assert(bt_re_is_failed(build));
        return false;
    }
    if (parser.at < text.len) {
        return bt_re_invalid(&parser, parser.at, "a parenthesis closes nothing");
    }
    if (!bt_re_resolve_names(&parser)) {
        return false;
    }
    *out_pattern = (struct bt_re_pattern){root, parser.groups + 1, parser.has_backrefs};
    return true;
}
