/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hello_type.c - a class as its host describes it -> a type.
 *
 * The description differs from the file's own words in one thing: fields are a list of pairs. So it
 * is written as the file would write it, and read by the same reader.
 */
#include "organism/organism.h"

#include <assert.h>

#include "json/emit.h"

enum { LEVELS_MAX = 64 };

/* A list of fields, or any other container, that is being written. */
struct organism_hello_type_level {
    const bt_json_value *value;
    size_t next;
    bool is_fields;
};

struct organism_hello_type_writer {
    struct bt_emit emit;
    struct organism_hello_type_level levels[LEVELS_MAX];
    size_t depth;
};

/* False: it is nested too deeply, or not a type. */
static bool open_value(struct organism_hello_type_writer *writer, const bt_json_value *value,
                       bool is_fields)
{
    const enum bt_json_type type = bt_json_type(value);
    if (type == BT_JSON_STRING) {
        bt_emit_string(&writer->emit, bt_json_text(value));
        return true;
    }
    if ((type != BT_JSON_ARRAY && type != BT_JSON_OBJECT) || writer->depth == LEVELS_MAX ||
        writer->depth + 2 >= BT_EMIT_DEPTH_MAX) {
        return false;
    }
    if (type == BT_JSON_ARRAY && !is_fields) {
        bt_emit_begin_array(&writer->emit);
    } else {
        bt_emit_begin_object(&writer->emit);
    }
    writer->levels[writer->depth++] =
        (struct organism_hello_type_level){value, 0, is_fields && type == BT_JSON_ARRAY};
    return true;
}

/* The next child of the innermost container. */
static bool put_child(struct organism_hello_type_writer *writer)
{
    struct organism_hello_type_level *top = &writer->levels[writer->depth - 1];
    const size_t i = top->next++;
    if (bt_json_type(top->value) == BT_JSON_OBJECT) {
        const struct bt_json_member *member = &bt_json_members(top->value)[i];
        bt_emit_name_str(&writer->emit, bt_json_name(member));
        return open_value(writer, &member->value,
                          bt_str_eq(bt_json_name(member), BT_STR("fields")));
    }
    const bt_json_value *item = &bt_json_items(top->value)[i];
    if (!top->is_fields) {
        return open_value(writer, item, false);
    }
    const bt_json_value *pair = bt_json_items(item);
    if (!pair || bt_json_count(item) != 2 || bt_json_type(&pair[0]) != BT_JSON_STRING) {
        return false;
    }
    bt_emit_name_str(&writer->emit, bt_json_text(&pair[0]));
    return open_value(writer, &pair[1], false);
}

static bool put_fields(struct bt_buf *buf, const bt_json_value *fields)
{
    struct organism_hello_type_writer writer = {.depth = 0};
    bt_emit_init(&writer.emit, buf, false);
    if (!open_value(&writer, fields, true)) {
        return false;
    }
    while (writer.depth > 0) {
        const struct organism_hello_type_level *top = &writer.levels[writer.depth - 1];
        if (top->next == bt_json_count(top->value)) {
            bt_emit_end(&writer.emit);
            writer.depth--;
        } else if (!put_child(&writer)) {
            return false;
        }
    }
    return buf->status == BT_OK;
}

/* Read the fields; findings about them are dropped. */
static enum bt_status read_fields(const struct bt_organism_reader *reader, bt_str text, bt_str name,
                                  const struct bt_payload_type **out)
{
    struct bt_yaml_read_result read;
    struct bt_organism_reader apart = *reader;
    const struct bt_payload_type *type = NULL;
    BT_TRY(bt_yaml_read(reader->arena, text, NULL, &read));
    if (!read.root || read.root->kind != BT_YAML_MAPPING) {
        return BT_OK;
    }
    apart.document = read.root;
    apart.findings = bt_findings_new(reader->arena);
    BT_TRY(apart.findings ? BT_OK : BT_ENOMEM);
    bt_buf_init(&apart.path, SIZE_MAX);
    const enum bt_status status = bt_organism_node_fields(&apart, read.root, name, &type);
    bt_buf_free(&apart.path);
    if (status == BT_OK && bt_findings_count(apart.findings) == 0) {
        *out = type;
    }
    return status;
}

enum bt_status bt_payload_type_from_hello(struct bt_organism_reader *reader,
                                          const struct bt_host_hello_class *described,
                                          const struct bt_payload_type **out)
{
    assert(described->fields);
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 2 * (size_t)BT_HELLO_BYTES_MAX);
    const bool is_sound = put_fields(&buf, described->fields);
    enum bt_status status = is_sound ? bt_buf_copy(&buf, reader->arena, &text) : buf.status;
    bt_buf_free(&buf);
    return status == BT_OK && is_sound ? read_fields(reader, text, described->name, out) : status;
}
