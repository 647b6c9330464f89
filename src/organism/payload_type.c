/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload_type.c - types: made, read in bracket notation, compared, written.
 *
 * Types nest at most 32 levels, so walks over them keep their place in an array.
 */
#include "organism/payload_type.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

static const struct bt_payload_type simple_types[] = {
    {.kind = BT_TYPE_INT, .name = BT_STR_INIT("int")},
    {.kind = BT_TYPE_FLOAT, .name = BT_STR_INIT("float")},
    {.kind = BT_TYPE_BOOL, .name = BT_STR_INIT("bool")},
    {.kind = BT_TYPE_STR, .name = BT_STR_INIT("str")},
};

static const struct organism_type_container {
    bt_str name;
    enum bt_payload_type_kind kind;
    size_t min;
    size_t max;
} containers[] = {
    {BT_STR_INIT("list"), BT_TYPE_LIST, 1, 1},
    {BT_STR_INIT("set"), BT_TYPE_SET, 1, 1},
    {BT_STR_INIT("dict"), BT_TYPE_DICT, 2, 2},
    {BT_STR_INIT("tuple"), BT_TYPE_TUPLE, 1, SIZE_MAX},
};

const struct bt_payload_type *bt_payload_type_simple(bt_str name)
{
    for (size_t i = 0; i < sizeof(simple_types) / sizeof(simple_types[0]); i++) {
        if (bt_str_eq(simple_types[i].name, name)) {
            return &simple_types[i];
        }
    }
    return NULL;
}

static bool is_letter(char byte)
{
    return bt_ascii_is_alpha(byte) || byte == '_';
}

static bool is_word(bt_str name, bool dashes)
{
    if (name.len == 0 || name.len > BT_FIELD_NAME_MAX || !is_letter(name.ptr[0])) {
        return false;
    }
    for (size_t i = 1; i < name.len; i++) {
        const char byte = name.ptr[i];
        if (!is_letter(byte) && !bt_ascii_is_digit(byte) && !(dashes && byte == '-')) {
            return false;
        }
    }
    return true;
}

bool bt_payload_field_name_is_valid(bt_str name)
{
    return is_word(name, true) && !bt_ascii_equal_nocase(bt_str_slice(name, 0, 3), BT_STR("XML"));
}

bool bt_payload_type_name_is_valid(bt_str name)
{
    return is_word(name, false);
}

static const struct organism_type_container *container_of_kind(enum bt_payload_type_kind kind)
{
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
        if (containers[i].kind == kind) {
            return &containers[i];
        }
    }
    return NULL;
}

/* The name of the element in which a part of a container stands. */
static enum bt_status part_name(struct bt_arena *arena, enum bt_payload_type_kind kind, size_t i,
                                const struct bt_payload_type *type, bt_str *out)
{
    if (kind == BT_TYPE_TUPLE) {
        return bt_arena_printf(arena, out, "item-%zu", i + 1);
    }
    if (kind == BT_TYPE_DICT) {
        *out = i == 0 ? BT_STR("key") : BT_STR("val");
        return BT_OK;
    }
    const struct organism_type_container *container = container_of_kind(type->kind);
    if (container) {
        *out = container->name;
        return BT_OK;
    }
    return bt_ascii_lower_copy(arena, type->name, out);
}

static uint32_t levels_over(const struct bt_payload_field *parts, size_t count)
{
    uint32_t deepest = 0;
    for (size_t i = 0; i < count; i++) {
        deepest = parts[i].type->levels > deepest ? parts[i].type->levels : deepest;
    }
    return deepest + 1;
}

const struct bt_payload_type *bt_payload_type_container(struct bt_arena *arena,
                                                        enum bt_payload_type_kind kind,
                                                        const struct bt_payload_type *const *items,
                                                        size_t count)
{
    struct bt_payload_type *made = BT_NEW(arena, struct bt_payload_type);
    struct bt_payload_field *parts = BT_NEW_ARRAY(arena, struct bt_payload_field, count);
    if (!made || !parts) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        parts[i].type = items[i];
        if (part_name(arena, kind, i, items[i], &parts[i].name) != BT_OK) {
            return NULL;
        }
    }
    *made = (struct bt_payload_type){
        .kind = kind, .parts = parts, .count = count, .levels = levels_over(parts, count)};
    return made;
}

const struct bt_payload_type *bt_payload_type_record(struct bt_arena *arena, bt_str name,
                                                     const struct bt_payload_field *fields,
                                                     size_t count)
{
    struct bt_payload_type *made = BT_NEW(arena, struct bt_payload_type);
    if (made) {
        *made = (struct bt_payload_type){.kind = BT_TYPE_RECORD,
                                         .name = name,
                                         .parts = fields,
                                         .count = count,
                                         .levels = levels_over(fields, count)};
    }
    return made;
}

/* A container whose bracket is open. */
struct organism_type_open {
    const struct organism_type_container *container;
    const struct bt_payload_type **items;
    size_t count;
    size_t capacity;
};

struct organism_type_parser {
    struct bt_arena *arena;
    bt_str text;
    size_t at;
    struct organism_type_open open[BT_TYPE_LEVELS_MAX];
    size_t depth;
    enum bt_status status;
};

static void skip_blanks(struct organism_type_parser *parser)
{
    while (parser->at < parser->text.len && parser->text.ptr[parser->at] == ' ') {
        parser->at++;
    }
}

static bool skip_byte(struct organism_type_parser *parser, char byte)
{
    skip_blanks(parser);
    const bool is_there = parser->at < parser->text.len && parser->text.ptr[parser->at] == byte;
    parser->at += is_there;
    return is_there;
}

static bt_str take_word(struct organism_type_parser *parser)
{
    skip_blanks(parser);
    const size_t from = parser->at;
    while (parser->at < parser->text.len && is_letter(parser->text.ptr[parser->at])) {
        parser->at++;
    }
    return bt_str_slice(parser->text, from, parser->at);
}

static const struct organism_type_container *container_named(bt_str name)
{
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
        if (bt_str_eq(containers[i].name, name)) {
            return &containers[i];
        }
    }
    return NULL;
}

enum bt_payload_type_kind bt_payload_type_container_named(bt_str name, size_t *out_min,
                                                          size_t *out_max)
{
    const struct organism_type_container *container = container_named(name);
    if (!container) {
        return BT_TYPE_NONE;
    }
    *out_min = container->min;
    *out_max = container->max;
    return container->kind;
}

/* Close the innermost container. NULL: it is not valid. */
static const struct bt_payload_type *close_container(struct organism_type_parser *parser)
{
    const struct organism_type_open *top = &parser->open[--parser->depth];
    const struct organism_type_container *container = top->container;
    if (top->count < container->min || top->count > container->max ||
        (container->kind == BT_TYPE_DICT && !bt_type_is_simple(top->items[0]))) {
        return NULL;
    }
    const struct bt_payload_type *made =
        bt_payload_type_container(parser->arena, container->kind, top->items, top->count);
    parser->status = made ? BT_OK : BT_ENOMEM;
    return made;
}

/* One simple type, or the container that a name and an opening bracket make. False: it is not a
 * type. */
static bool take_type(struct organism_type_parser *parser, const struct bt_payload_type **out)
{
    const bt_str word = take_word(parser);
    const struct organism_type_container *container = container_named(word);
    *out = bt_payload_type_simple(word);
    if (!container) {
        return *out != NULL;
    }
    if (parser->depth == BT_TYPE_LEVELS_MAX || !skip_byte(parser, '[')) {
        return false;
    }
    parser->open[parser->depth++] = (struct organism_type_open){.container = container};
    return true;
}

/* Close the containers that end after a type; *out is set when the outermost one does. */
static bool close_containers(struct organism_type_parser *parser,
                             const struct bt_payload_type *type, const struct bt_payload_type **out)
{
    while (type && parser->depth > 0) {
        parser->status = bt_vec_push(parser->arena, &parser->open[parser->depth - 1], type);
        if (parser->status != BT_OK) {
            return false;
        }
        if (skip_byte(parser, ',')) {
            return true;
        }
        if (!skip_byte(parser, ']')) {
            return false;
        }
        type = close_container(parser);
    }
    *out = type;
    return type != NULL;
}

static const struct bt_payload_type *parse_whole(struct organism_type_parser *parser)
{
    const struct bt_payload_type *whole = NULL;
    while (!whole) {
        const struct bt_payload_type *type = NULL;
        if (!take_type(parser, &type) || (type && !close_containers(parser, type, &whole))) {
            return NULL;
        }
    }
    return whole;
}

enum bt_status bt_payload_type_parse(struct bt_arena *arena, bt_str text,
                                     const struct bt_payload_type **out, bool *out_optional)
{
    struct organism_type_parser parser = {.arena = arena, .text = text};
    bool is_optional = false;
    skip_blanks(&parser);
    if (bt_str_starts_with(bt_str_slice(text, parser.at, text.len), BT_STR("optional"))) {
        parser.at += sizeof("optional") - 1;
        is_optional = skip_byte(&parser, '[');
        if (!is_optional) {
            return BT_OK;
        }
    }
    const struct bt_payload_type *type = parse_whole(&parser);
    if (type && is_optional && !skip_byte(&parser, ']')) {
        type = NULL;
    }
    skip_blanks(&parser);
    if (type && parser.at == text.len) {
        *out = type;
        *out_optional = is_optional;
    }
    return parser.status;
}

static bool same_head(const struct bt_payload_field *a, const struct bt_payload_field *b)
{
    const struct bt_payload_type *left = a->type;
    const struct bt_payload_type *right = b->type;
    return bt_str_eq(a->name, b->name) && a->is_optional == b->is_optional &&
           left->kind == right->kind && left->count == right->count &&
           left->simple == right->simple && left->content == right->content &&
           (left->kind != BT_TYPE_RECORD || bt_str_eq(left->name, right->name));
}

bool bt_payload_type_equal(const struct bt_payload_type *a, const struct bt_payload_type *b)
{
    struct organism_type_pair {
        const struct bt_payload_type *a;
        const struct bt_payload_type *b;
        size_t next;
    } stack[BT_TYPE_LEVELS_MAX + 1] = {{a, b, 0}};
    size_t depth = 1;
    if (a->kind != b->kind || a->count != b->count) {
        return false;
    }
    while (depth > 0) {
        struct organism_type_pair *top = &stack[depth - 1];
        if (top->next == top->a->count) {
            depth--;
            continue;
        }
        const struct bt_payload_field *left = &top->a->parts[top->next];
        const struct bt_payload_field *right = &top->b->parts[top->next++];
        if (!same_head(left, right)) {
            return false;
        }
        assert(depth <= BT_TYPE_LEVELS_MAX);
        stack[depth++] = (struct organism_type_pair){left->type, right->type, 0};
    }
    return true;
}

static void put_type_name(struct bt_buf *buf, const struct bt_payload_type *type)
{
    const struct organism_type_container *container = container_of_kind(type->kind);
    bt_buf_put(buf, container ? container->name : type->name);
    bt_buf_put_text(buf, container ? "[" : "");
}

void bt_payload_type_put(struct bt_buf *buf, const struct bt_payload_field *field)
{
    struct organism_type_place {
        const struct bt_payload_type *type;
        size_t next;
    } stack[BT_TYPE_LEVELS_MAX + 1] = {{field->type, 0}};
    size_t depth = 1;
    bt_buf_put_text(buf, field->is_optional ? "optional[" : "");
    put_type_name(buf, field->type);
    while (depth > 0) {
        struct organism_type_place *top = &stack[depth - 1];
        const bool has_brackets = container_of_kind(top->type->kind) != NULL;
        if (!has_brackets || top->next == top->type->count) {
            bt_buf_put_text(buf, has_brackets ? "]" : "");
            depth--;
            continue;
        }
        bt_buf_put_text(buf, top->next > 0 ? "," : "");
        const struct bt_payload_type *part = top->type->parts[top->next++].type;
        put_type_name(buf, part);
        assert(depth <= BT_TYPE_LEVELS_MAX);
        stack[depth++] = (struct organism_type_place){part, 0};
    }
    bt_buf_put_text(buf, field->is_optional ? "]" : "");
}
