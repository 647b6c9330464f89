/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical.c - Exclusive XML Canonicalization 1.0, without comments, of an element as a document
 * of its own.
 *
 * A declaration is written where its prefix is used and the output so far says otherwise. What the
 * output says is kept by number of prefix, with a trail by which it is taken back.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/uninitialized.h"
#include "xml/xml.h"

/* What a declaration in the output replaced. */
struct xml_canonical_shown {
    struct xml_canonical_shown *older;
    uint32_t prefix;
    bt_str before;
};

/* A prefix that an element uses, and the namespace that it stands for there. */
struct xml_canonical_use {
    uint32_t prefix;
    bt_str text;
    bt_str space;
};

struct xml_canonical_writer {
    struct bt_buf *buf;
    struct bt_arena *arena;
    const struct bt_xml_document *document;
    bt_str *declared; /* by number of prefix: the namespace that the output binds it to */
    struct xml_canonical_shown *trail; /* the newest first */
    struct xml_canonical_shown *
        *marks; /* the trail when an element began; room for BT_XML_DEPTH_MAX */
    size_t depth;
    struct xml_canonical_use *uses;  /* of the element that is written, and one more than ... */
    struct bt_xml_attribute *sorted; /* ... its attributes, BT_XML_ATTRIBUTES_MAX */
};

static void put_escaped(struct bt_buf *buf, bt_str text, bool is_attribute)
{
    size_t done = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = NULL;
        switch (text.ptr[i]) {
        case '&':
            escape = "&amp;";
            break;
        case '<':
            escape = "&lt;";
            break;
        case '>':
            escape = is_attribute ? NULL : "&gt;";
            break;
        case '"':
            escape = is_attribute ? "&quot;" : NULL;
            break;
        case '\t':
            escape = is_attribute ? "&#x9;" : NULL;
            break;
        case '\n':
            escape = is_attribute ? "&#xA;" : NULL;
            break;
        case '\r':
            escape = "&#xD;";
            break;
        default:
            break;
        }
        if (escape) {
            bt_buf_put(buf, bt_str_slice(text, done, i));
            bt_buf_put_text(buf, escape);
            done = i + 1;
        }
    }
    bt_buf_put(buf, bt_str_slice(text, done, text.len));
}

void bt_xml_put_text(struct bt_buf *buf, bt_str text)
{
    put_escaped(buf, text, false);
}

static void put_name(const struct xml_canonical_writer *writer, uint32_t prefix, bt_str name)
{
    if (prefix != BT_XML_NO_PREFIX) {
        bt_buf_put(writer->buf, writer->document->prefixes[prefix].key.text);
        bt_buf_put_char(writer->buf, ':');
    }
    bt_buf_put(writer->buf, name);
}

static int compare_uses(const void *a, const void *b)
{
    const struct xml_canonical_use *left = a;
    const struct xml_canonical_use *right = b;
    return bt_str_compare(left->text, right->text);
}

static bool is_declared(const struct xml_canonical_writer *writer, uint32_t prefix, bt_str space)
{
    return prefix == BT_XML_PREFIX_XML || bt_str_eq(writer->declared[prefix], space);
}

/* Without memory for the trail, the status of the buffer is set. */
static void declare_namespace(struct xml_canonical_writer *writer, uint32_t prefix, bt_str space)
{
    struct xml_canonical_shown *made = BT_NEW(writer->arena, struct xml_canonical_shown);
    if (!made) {
        writer->buf->status = BT_ENOMEM;
        return;
    }
    *made = (struct xml_canonical_shown){writer->trail, prefix, writer->declared[prefix]};
    writer->trail = made;
    writer->declared[prefix] = space;
}

static void put_declarations(struct xml_canonical_writer *writer, const struct bt_xml_node *element)
{
    struct xml_canonical_use *uses = writer->uses;
    size_t count = 0;
    if (!is_declared(writer, element->prefix, element->space)) {
        uses[count++] =
            (struct xml_canonical_use){.prefix = element->prefix, .space = element->space};
        declare_namespace(writer, element->prefix, element->space);
    }
    for (size_t i = 0; i < element->attributes_count; i++) {
        const struct bt_xml_attribute *attribute = &element->attributes[i];
        if (attribute->prefix != BT_XML_NO_PREFIX &&
            !is_declared(writer, attribute->prefix, attribute->space)) {
            uses[count++] =
                (struct xml_canonical_use){.prefix = attribute->prefix, .space = attribute->space};
            declare_namespace(writer, attribute->prefix, attribute->space);
        }
    }
    for (size_t i = 0; i < count; i++) {
        uses[i].text = writer->document->prefixes[uses[i].prefix].key.text;
    }
    qsort(uses, count, sizeof(uses[0]), compare_uses);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(writer->buf, uses[i].text.len > 0 ? " xmlns:" : " xmlns");
        bt_buf_put(writer->buf, uses[i].text);
        bt_buf_put_text(writer->buf, "=\"");
        put_escaped(writer->buf, uses[i].space, true);
        bt_buf_put_char(writer->buf, '"');
    }
}

static int compare_attributes(const void *a, const void *b)
{
    const struct bt_xml_attribute *left = a;
    const struct bt_xml_attribute *right = b;
    const int order = bt_str_compare(left->space, right->space);
    return order != 0 ? order : bt_str_compare(left->name, right->name);
}

static void put_attributes(struct xml_canonical_writer *writer, const struct bt_xml_node *element)
{
    struct bt_xml_attribute *sorted = writer->sorted;
    const size_t count = element->attributes_count;
    assert(count <= BT_XML_ATTRIBUTES_MAX);
    if (count > 0) {
        memcpy(sorted, element->attributes, count * sizeof(sorted[0]));
        qsort(sorted, count, sizeof(sorted[0]), compare_attributes);
    }
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_char(writer->buf, ' ');
        put_name(writer, sorted[i].prefix, sorted[i].name);
        bt_buf_put_text(writer->buf, "=\"");
        put_escaped(writer->buf, sorted[i].value, true);
        bt_buf_put_char(writer->buf, '"');
    }
}

static void open_element(struct xml_canonical_writer *writer, const struct bt_xml_node *element)
{
    assert(writer->depth < BT_XML_DEPTH_MAX);
    writer->marks[writer->depth++] = writer->trail;
    bt_buf_put_char(writer->buf, '<');
    put_name(writer, element->prefix, element->name);
    put_declarations(writer, element);
    put_attributes(writer, element);
    bt_buf_put_char(writer->buf, '>');
}

static void close_element(struct xml_canonical_writer *writer, const struct bt_xml_node *element)
{
    bt_buf_put_text(writer->buf, "</");
    put_name(writer, element->prefix, element->name);
    bt_buf_put_char(writer->buf, '>');
    /* open_element() has set it. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
    const struct xml_canonical_shown *mark = writer->marks[--writer->depth];
    for (; writer->trail != mark; writer->trail = writer->trail->older) {
        writer->declared[writer->trail->prefix] = writer->trail->before;
    }
}

static void put_node(struct xml_canonical_writer *writer, const struct bt_xml_node *node)
{
    if (!node->is_text) {
        open_element(writer, node);
        return;
    }
    const struct bt_xml_node *parent = node->parent;
    if (parent->has_text || !parent->has_elements) {
        put_escaped(writer->buf, node->name, false);
    }
}

/* The node after a closed one: its sibling, or that of the next ancestor that has one. */
static const struct bt_xml_node *close_and_find_next(struct xml_canonical_writer *writer,
                                                     const struct bt_xml_node *node,
                                                     const struct bt_xml_node *top)
{
    for (;; node = node->parent) {
        if (!node->is_text) {
            close_element(writer, node);
        }
        if (node == top || node->next) {
            return node == top ? NULL : node->next;
        }
    }
}

enum bt_status bt_xml_put_canonical(struct bt_buf *buf, struct bt_arena *arena,
                                    const struct bt_xml_document *document,
                                    const struct bt_xml_node *element)
{
    assert(buf);
    assert(document);
    assert(element);
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    BT_UNCLEARED struct xml_canonical_shown *marks[BT_XML_DEPTH_MAX];
    BT_UNCLEARED struct xml_canonical_use uses[BT_XML_ATTRIBUTES_MAX + 1];
    BT_UNCLEARED struct bt_xml_attribute sorted[BT_XML_ATTRIBUTES_MAX];
    struct xml_canonical_writer writer = {
        .buf = buf,
        .arena = arena,
        .document = document,
        .marks = marks,
        .uses = uses,
        .sorted = sorted,
        .declared = BT_NEW_ARRAY(arena, bt_str, document->prefixes_count)};
    BT_TRY(writer.declared ? BT_OK : BT_ENOMEM);
    writer.declared[BT_XML_NO_PREFIX] = BT_STR("");
    const struct bt_xml_node *node = element;
    while (node && buf->status == BT_OK) {
        put_node(&writer, node);
        node = node->first ? node->first : close_and_find_next(&writer, node, element);
    }
    bt_arena_rewind(arena, mark);
    return buf->status;
}

enum bt_status bt_xml_canonical(struct bt_arena *arena, const struct bt_xml_document *document,
                                const struct bt_xml_node *element, size_t bytes_max, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, bytes_max);
    const enum bt_status status = bt_xml_put_canonical(&buf, arena, document, element);
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return status;
    }
    return bt_buf_finish(&buf, arena, out);
}
