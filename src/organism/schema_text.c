/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_text.c - types -> the XSD that others may check payloads with, in one fixed layout.
 */
#include <assert.h>

#include "organism/organism.h"

static const char *const simple_names[] = {[BT_TYPE_INT] = "xs:integer",
                                           [BT_TYPE_FLOAT] = "xs:decimal",
                                           [BT_TYPE_BOOL] = "xs:boolean",
                                           [BT_TYPE_STR] = "xs:string"};

/* An element whose content is being written. */
struct organism_schema_text_frame {
    const struct bt_payload_type *type;
    size_t next;
    bool is_item; /* the item inside a dict */
};

enum { FRAMES_MAX = 2 * BT_TYPE_LEVELS_MAX + 2, FIRST_INDENT = 2, FRAME_INDENT = 6 };

struct organism_schema_text_writer {
    struct bt_buf *buf;
    struct organism_schema_text_frame frames[FRAMES_MAX];
    size_t depth;
};

static void put_line(struct organism_schema_text_writer *writer, size_t indent, const char *text)
{
    bt_buf_put_repeat(writer->buf, ' ', indent);
    bt_buf_put_text(writer->buf, text);
    bt_buf_put_char(writer->buf, '\n');
}

static size_t indent_of(const struct organism_schema_text_writer *writer)
{
    return FIRST_INDENT + FRAME_INDENT * writer->depth;
}

/* How an element may occur, as attributes. */
static const char *get_occurrence_text(const struct organism_schema_text_writer *writer,
                                       bool is_optional)
{
    if (writer->depth > 0) {
        const struct organism_schema_text_frame *top = &writer->frames[writer->depth - 1];
        const enum bt_payload_type_kind kind = top->type->kind;
        if (kind == BT_TYPE_LIST || kind == BT_TYPE_SET ||
            (kind == BT_TYPE_DICT && !top->is_item)) {
            return " minOccurs=\"0\" maxOccurs=\"unbounded\"";
        }
    }
    return is_optional ? " minOccurs=\"0\"" : "";
}

static void put_open(struct organism_schema_text_writer *writer, bt_str name)
{
    bt_buf_put_repeat(writer->buf, ' ', indent_of(writer));
    bt_buf_put_text(writer->buf, "<xs:element name=\"");
    bt_buf_put(writer->buf, name);
    bt_buf_put_char(writer->buf, '"');
}

/* Begin an element with content: its tag, and the tags around its children. */
static void begin_element(struct organism_schema_text_writer *writer, bt_str name,
                          const struct bt_payload_field *field, bool is_item)
{
    const size_t indent = indent_of(writer);
    const bool is_empty = field->type->count == 0;
    put_open(writer, name);
    bt_buf_put_text(writer->buf, get_occurrence_text(writer, field->is_optional));
    bt_buf_put_text(writer->buf, ">\n");
    put_line(writer, indent + 2, "<xs:complexType>");
    put_line(writer, indent + 4, is_empty ? "<xs:sequence/>" : "<xs:sequence>");
    assert(writer->depth < FRAMES_MAX);
    writer->frames[writer->depth++] = (struct organism_schema_text_frame){field->type, 0, is_item};
}

static void end_element(struct organism_schema_text_writer *writer)
{
    const bool is_empty = writer->frames[--writer->depth].type->count == 0;
    const size_t indent = indent_of(writer);
    if (!is_empty) {
        put_line(writer, indent + 4, "</xs:sequence>");
    }
    put_line(writer, indent + 2, "</xs:complexType>");
    put_line(writer, indent, "</xs:element>");
}

static void put_field(struct organism_schema_text_writer *writer, bt_str name,
                      const struct bt_payload_field *field)
{
    if (!bt_type_is_simple(field->type)) {
        begin_element(writer, name, field, false);
        return;
    }
    put_open(writer, name);
    bt_buf_printf(writer->buf, " type=\"%s\"%s/>\n", simple_names[field->type->kind],
                  get_occurrence_text(writer, field->is_optional));
}

void bt_xsd_put_begin(struct bt_buf *buf)
{
    bt_buf_put_text(buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" "
                         "elementFormDefault=\"qualified\">\n");
}

void bt_xsd_put_end(struct bt_buf *buf)
{
    bt_buf_put_text(buf, "</xs:schema>\n");
}

void bt_xsd_put_element(struct bt_buf *buf, bt_str name, const struct bt_payload_type *type)
{
    struct organism_schema_text_writer writer = {.buf = buf};
    const struct bt_payload_field root = {.name = name, .type = type};
    put_field(&writer, name, &root);
    while (writer.depth > 0) {
        struct organism_schema_text_frame *top = &writer.frames[writer.depth - 1];
        const bool is_dict = top->type->kind == BT_TYPE_DICT && !top->is_item;
        if (top->next == (is_dict ? 1 : top->type->count)) {
            end_element(&writer);
        } else if (is_dict) {
            const struct bt_payload_field item = {.type = top->type};
            top->next++;
            begin_element(&writer, BT_STR("item"), &item, true);
        } else {
            const struct bt_payload_field *part = &top->type->parts[top->next++];
            put_field(&writer, part->name, part);
        }
    }
}
