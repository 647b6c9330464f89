/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tag.c - one start tag: a name, attributes, declarations, and the namespaces they put in force.
 *
 * Prefixes are numbered; the namespace in force for each stands in an array by number.
 */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "xml/chars.h"
#include "xml/reader.h"
#include "xml/xml.h"

#define CORE BT_STR("https://xml-pipeline.org/ns/core/v1")

struct xml_tag {
    size_t offset; /* of the `<` */
    struct bt_xml_raw_name name;
    struct bt_xml_pair *attributes; /* the reader's */
    size_t count;
    bool is_empty; /* it ends with /> */
    struct bt_xml_namespace_undo *undo;
};

static bool set_syntax_error(struct bt_xml_reader *reader, const char *detail)
{
    return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at, detail);
}

static bool skip_blanks(struct bt_xml_reader *reader)
{
    const size_t from = reader->at;
    while (reader->at < reader->source.len && bt_xml_blank(reader->source.ptr[reader->at])) {
        reader->at++;
    }
    return reader->at > from;
}

static bool is_at(const struct bt_xml_reader *reader, char byte)
{
    return reader->at < reader->source.len && reader->source.ptr[reader->at] == byte;
}

static bool read_name(struct bt_xml_reader *reader, struct bt_xml_raw_name *out)
{
    const bt_str source = reader->source;
    const size_t from = reader->at;
    size_t end = bt_xml_name_end(source, from);
    size_t colon = from;
    if (end > from && end < source.len && source.ptr[end] == ':') {
        colon = end;
        end = bt_xml_name_end(source, end + 1);
        if (end == colon + 1) {
            reader->at = end;
            return set_syntax_error(reader, "a name that ends with a colon");
        }
    }
    if (end == from) {
        return set_syntax_error(reader, "no name where one is expected");
    }
    reader->at = end;
    if (is_at(reader, ':')) {
        return set_syntax_error(reader, "a name with more than one colon");
    }
    out->whole = bt_str_slice(source, from, end);
    out->prefix = bt_str_slice(source, from, colon);
    out->local = bt_str_slice(source, colon > from ? colon + 1 : from, end);
    return true;
}

static bool read_value(struct bt_xml_reader *reader, bt_str *out)
{
    (void)skip_blanks(reader);
    if (!is_at(reader, '=')) {
        return set_syntax_error(reader, "an attribute without a value");
    }
    reader->at++;
    (void)skip_blanks(reader);
    if (!is_at(reader, '"') && !is_at(reader, '\'')) {
        return set_syntax_error(reader, "the value of an attribute without quotes");
    }
    const char quote = reader->source.ptr[reader->at++];
    const size_t from = reader->at;
    const size_t end = bt_str_find_byte(reader->source, quote, from);
    const bt_str raw = bt_str_slice(reader->source, from, end);
    const size_t less = bt_str_find_byte(raw, '<', 0);
    if (less < raw.len || end == reader->source.len) {
        reader->at = from + less;
        return set_syntax_error(reader, less < raw.len ? "a < in the value of an attribute"
                                                       : "the value of an attribute does not end");
    }
    reader->at = end + 1;
    return bt_xml_decode(reader, raw, from, true, out);
}

static bool is_repeated(const struct xml_tag *tag, bt_str name)
{
    for (size_t i = 0; i < tag->count; i++) {
        if (bt_str_eq(tag->attributes[i].name.whole, name)) {
            return true;
        }
    }
    return false;
}

static bool read_attribute(struct bt_xml_reader *reader, struct xml_tag *tag)
{
    const size_t offset = reader->at;
    struct bt_xml_pair attribute = {.value = BT_STR("")};
    if (!read_name(reader, &attribute.name)) {
        return false;
    }
    if (tag->count == BT_XML_ATTRIBUTES_MAX) {
        reader->result->limit = BT_XML_ATTRIBUTES_MAX;
        return bt_xml_set_error(reader, BT_XML_TOO_MANY_ATTRIBUTES, tag->offset,
                                "an element with too many attributes");
    }
    if (is_repeated(tag, attribute.name.whole)) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, offset, "the same attribute twice");
    }
    if (!read_value(reader, &attribute.value)) {
        return false;
    }
    tag->attributes[tag->count++] = attribute;
    return true;
}

/* The tag from its `<` to its end. */
static bool read_tag(struct bt_xml_reader *reader, struct xml_tag *tag)
{
    reader->at++;
    if (!read_name(reader, &tag->name)) {
        return false;
    }
    for (;;) {
        const bool is_parted = skip_blanks(reader);
        if (is_at(reader, '>')) {
            reader->at++;
            return true;
        }
        if (is_at(reader, '/')) {
            reader->at++;
            tag->is_empty = true;
            if (!is_at(reader, '>')) {
                return set_syntax_error(reader, "a / inside a tag");
            }
            reader->at++;
            return true;
        }
        if (reader->at == reader->source.len) {
            return set_syntax_error(reader, "the input ends inside a tag");
        }
        if (!is_parted) {
            return set_syntax_error(reader, "no blank before an attribute");
        }
        if (!read_attribute(reader, tag)) {
            return false;
        }
    }
}

static bool is_declaration(const struct bt_xml_raw_name *name)
{
    return bt_str_eq(name->prefix, BT_STR("xmlns")) ||
           (name->prefix.len == 0 && bt_str_eq(name->local, BT_STR("xmlns")));
}

/* Why a prefix cannot be bound to a namespace, or NULL. */
static const char *wrong_binding(bt_str prefix, bt_str space)
{
    const bool is_xml = bt_str_eq(prefix, BT_STR("xml"));
    if (bt_str_eq(prefix, BT_STR("xmlns")) || bt_str_eq(space, BT_XML_SPACE_XMLNS)) {
        return "xmlns may not be declared";
    }
    if (is_xml != bt_str_eq(space, BT_XML_SPACE_XML)) {
        return "the prefix xml and its namespace belong together";
    }
    return prefix.len > 0 && space.len == 0 ? "a prefix may not be undeclared" : NULL;
}

static bool bind_prefix(struct bt_xml_reader *reader, struct xml_tag *tag, bt_str prefix,
                        bt_str space)
{
    uint32_t number = 0;
    if (bt_xml_namespaces_number(&reader->spaces, prefix, &number) != BT_OK ||
        bt_xml_namespaces_bind(&reader->spaces, number, space, &tag->undo) != BT_OK) {
        return bt_xml_no_memory(reader);
    }
    return true;
}

static bool bind_all(struct bt_xml_reader *reader, struct xml_tag *tag)
{
    for (size_t i = 0; i < tag->count; i++) {
        const struct bt_xml_pair *attribute = &tag->attributes[i];
        if (!is_declaration(&attribute->name)) {
            continue;
        }
        const bt_str prefix = attribute->name.prefix.len > 0 ? attribute->name.local : BT_STR("");
        const char *wrong = wrong_binding(prefix, attribute->value);
        if (wrong) {
            return bt_xml_set_error(reader, BT_XML_SYNTAX, tag->offset, wrong);
        }
        if (!bind_prefix(reader, tag, prefix, attribute->value)) {
            return false;
        }
    }
    return true;
}

static bool declares_default(const struct xml_tag *tag)
{
    return is_repeated(tag, BT_STR("xmlns"));
}

/* The child of return or halt that inherited their namespace is meant to be in none. */
static bool free_core_child(struct bt_xml_reader *reader, struct xml_tag *tag)
{
    const struct bt_xml_frame *top = bt_xml_open_element(reader);
    const bt_str inherited = reader->spaces.bound.items[BT_XML_NO_PREFIX];
    if (!bt_xml_is_lenient(reader) || !top || tag->name.prefix.len > 0 || declares_default(tag) ||
        !bt_str_eq(inherited, CORE) ||
        !(bt_xml_is(top->element, CORE, BT_STR("return")) ||
          bt_xml_is(top->element, CORE, BT_STR("halt")))) {
        return true;
    }
    bt_xml_add_repair(reader, BT_XML_REPAIR_CORE_CHILD);
    return bind_prefix(reader, tag, BT_STR(""), BT_STR(""));
}

/* The namespace that a prefix stands for. */
static bool resolve_prefix(struct bt_xml_reader *reader, const struct xml_tag *tag, bt_str prefix,
                           uint32_t *out_number, bt_str *out_space)
{
    if (bt_xml_namespaces_number(&reader->spaces, prefix, out_number) != BT_OK) {
        return bt_xml_no_memory(reader);
    }
    *out_space = reader->spaces.bound.items[*out_number];
    if (!out_space->ptr) {
        reader->result->name = prefix;
        return bt_xml_set_error(reader, BT_XML_NAMESPACE, tag->offset,
                                "a prefix that stands for no namespace");
    }
    return true;
}

static bool same_expanded(const struct bt_xml_attribute *a, const struct bt_xml_attribute *b)
{
    return bt_str_eq(a->name, b->name) && bt_str_eq(a->space, b->space);
}

static bool add_attribute(struct bt_xml_reader *reader, const struct xml_tag *tag,
                          const struct bt_xml_pair *written, struct bt_xml_node *element,
                          struct bt_xml_attribute *all)
{
    struct bt_xml_attribute made = {.name = written->name.local, .value = written->value};
    made.space = BT_STR("");
    if (written->name.prefix.len > 0 &&
        !resolve_prefix(reader, tag, written->name.prefix, &made.prefix, &made.space)) {
        return false;
    }
    for (size_t i = 0; i < element->attributes_count; i++) {
        if (same_expanded(&all[i], &made)) {
            reader->result->name = written->name.prefix;
            return bt_xml_set_error(reader, BT_XML_NAMESPACE, tag->offset,
                                    "two attributes with one expanded name");
        }
    }
    all[element->attributes_count++] = made;
    return true;
}

static bool add_attributes(struct bt_xml_reader *reader, const struct xml_tag *tag,
                           struct bt_xml_node *element)
{
    if (tag->count == 0) {
        return true;
    }
    struct bt_xml_attribute *all = BT_NEW_ARRAY(reader->arena, struct bt_xml_attribute, tag->count);
    if (!all) {
        return bt_xml_no_memory(reader);
    }
    element->attributes = all;
    for (size_t i = 0; i < tag->count; i++) {
        if (!is_declaration(&tag->attributes[i].name) &&
            !add_attribute(reader, tag, &tag->attributes[i], element, all)) {
            return false;
        }
    }
    return true;
}

/* Append the element to the tree. */
static void add_element(struct bt_xml_reader *reader, struct bt_xml_node *element)
{
    const struct bt_xml_frame *top = bt_xml_open_element(reader);
    struct bt_xml_node *parent = top ? top->element : NULL;
    struct bt_xml_node *before = parent ? parent->last : reader->last_root;
    element->parent = parent;
    if (before) {
        before->next = element;
    } else if (parent) {
        parent->first = element;
    } else {
        reader->document->root = element;
    }
    if (parent) {
        parent->last = element;
        parent->has_elements = true;
    } else {
        reader->last_root = element;
        reader->document->roots++;
    }
}

static bool open_element(struct bt_xml_reader *reader, const struct xml_tag *tag)
{
    struct bt_xml_node *element = BT_NEW(reader->arena, struct bt_xml_node);
    if (!element) {
        return bt_xml_no_memory(reader);
    }
    element->name = tag->name.local;
    element->offset = tag->offset;
    if (bt_str_eq(tag->name.prefix, BT_STR("xmlns"))) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, tag->offset, "an element named xmlns:");
    }
    if (!resolve_prefix(reader, tag, tag->name.prefix, &element->prefix, &element->space) ||
        !add_attributes(reader, tag, element)) {
        return false;
    }
    add_element(reader, element);
    reader->frames[reader->depth++] =
        (struct bt_xml_frame){.element = element, .written = tag->name.whole, .undo = tag->undo};
    return tag->is_empty ? bt_xml_close(reader) : true;
}

bool bt_xml_start_tag(struct bt_xml_reader *reader)
{
    struct xml_tag tag = {.offset = reader->at, .attributes = reader->pairs};
    if (reader->depth == 0 && reader->document->root &&
        reader->options->mode != BT_XML_LENIENT_RESULT) {
        return set_syntax_error(reader, "a second document element");
    }
    if (reader->depth == reader->options->depth_max) {
        reader->result->limit = reader->options->depth_max;
        return bt_xml_set_error(reader, BT_XML_TOO_DEEP, tag.offset, "elements nested too deeply");
    }
    return read_tag(reader, &tag) && bind_all(reader, &tag) && free_core_child(reader, &tag) &&
           open_element(reader, &tag);
}

enum bt_status bt_xml_namespaces_number(struct bt_xml_namespaces *spaces, bt_str prefix,
                                        uint32_t *out)
{
    assert(spaces);
    assert(out);
    if (prefix.len == 0 && spaces->bound.count > BT_XML_NO_PREFIX) {
        *out = BT_XML_NO_PREFIX; /* what most names have */
        return BT_OK;
    }
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_vec_reserve(spaces->arena, &spaces->bound, 1));
    BT_TRY(bt_map_add(&spaces->prefixes, bt_map_text(prefix), &entry));
    spaces->bound.count = spaces->prefixes.count; /* a new one is unbound */
    *out = bt_map_index(&spaces->prefixes, entry);
    return BT_OK;
}

enum bt_status bt_xml_namespaces_init(struct bt_xml_namespaces *spaces, struct bt_arena *arena,
                                      const uint64_t seed[2])
{
    assert(spaces);
    uint32_t number = 0;
    *spaces = (struct bt_xml_namespaces){.arena = arena};
    bt_map_init(&spaces->prefixes, arena, seed);
    BT_TRY(bt_xml_namespaces_number(spaces, BT_STR(""), &number));
    assert(number == BT_XML_NO_PREFIX);
    spaces->bound.items[number] = BT_STR("");
    BT_TRY(bt_xml_namespaces_number(spaces, BT_STR("xml"), &number));
    assert(number == BT_XML_PREFIX_XML);
    spaces->bound.items[number] = BT_XML_SPACE_XML;
    return BT_OK;
}

enum bt_status bt_xml_namespaces_bind(struct bt_xml_namespaces *spaces, uint32_t prefix,
                                      bt_str space, struct bt_xml_namespace_undo **undo)
{
    assert(prefix < spaces->bound.count);
    struct bt_xml_namespace_undo *made = BT_NEW(spaces->arena, struct bt_xml_namespace_undo);
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    *made = (struct bt_xml_namespace_undo){*undo, prefix, spaces->bound.items[prefix]};
    spaces->bound.items[prefix] = space;
    *undo = made;
    return BT_OK;
}

void bt_xml_namespaces_undo(struct bt_xml_namespaces *spaces,
                            const struct bt_xml_namespace_undo *undo)
{
    for (; undo; undo = undo->next) {
        spaces->bound.items[undo->prefix] = undo->bound;
    }
}
