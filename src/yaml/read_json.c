/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_json.c - yaml.h without a YAML library, for the core profile: JSON alone is read, which is
 * what the settings of an engine are written in.
 */
#include "yaml/yaml.h"

#include <assert.h>

#include <baton/json.h>

#include "base/arena.h"

enum { DEPTH_MAX = 64 };

/* A container whose children are being made. */
struct yaml_json_frame {
    const bt_json_value *value;
    struct bt_yaml_node *items;
    struct bt_yaml_entry *entries;
    size_t next;
};

struct yaml_json_reader {
    struct bt_arena *arena;
    const struct bt_json_doc *document;
    struct yaml_json_frame frames[DEPTH_MAX];
    size_t depth;
};

struct bt_yaml_options bt_yaml_options_default(void)
{
    return (struct bt_yaml_options){
        .bytes_max = 1 << 20, .nodes_max = 100000, .depth_max = DEPTH_MAX};
}

/* Make the node of a value. That of a container gets room for its children and becomes the
 * innermost frame. */
static enum bt_status make_node(struct yaml_json_reader *reader, const bt_json_value *value,
                                struct bt_yaml_node *out)
{
    const enum bt_json_type type = bt_json_type(value);
    const bool is_object = type == BT_JSON_OBJECT;
    const struct bt_json_span span = bt_json_span(reader->document, value);
    *out = (struct bt_yaml_node){.offset = span.begin};
    if (!is_object && type != BT_JSON_ARRAY) {
        const bool is_string = type == BT_JSON_STRING;
        out->kind = BT_YAML_SCALAR;
        out->style = is_string ? BT_YAML_STYLE_QUOTED : BT_YAML_STYLE_PLAIN;
        return bt_arena_copy(
            reader->arena,
            is_string ? bt_json_text(value)
                      : bt_str_slice(bt_json_source(reader->document), span.begin, span.end),
            &out->text);
    }
    struct yaml_json_frame frame = {.value = value};
    out->count = bt_json_count(value);
    if (is_object) {
        out->kind = BT_YAML_MAPPING;
        out->entries = frame.entries =
            BT_NEW_ARRAY(reader->arena, struct bt_yaml_entry, out->count + 1);
    } else {
        out->kind = BT_YAML_SEQUENCE;
        out->items = frame.items = BT_NEW_ARRAY(reader->arena, struct bt_yaml_node, out->count + 1);
    }
    assert(reader->depth < DEPTH_MAX); /* the document is not deeper */
    reader->frames[reader->depth++] = frame;
    return frame.entries || frame.items ? BT_OK : BT_ENOMEM;
}

/* Make the next child of the innermost frame, or end it. */
static enum bt_status take_child(struct yaml_json_reader *reader)
{
    struct yaml_json_frame *frame = &reader->frames[reader->depth - 1];
    const size_t index = frame->next++;
    if (index == bt_json_count(frame->value)) {
        reader->depth--;
        return BT_OK;
    }
    if (frame->items) {
        return make_node(reader, &bt_json_items(frame->value)[index], &frame->items[index]);
    }
    const struct bt_json_member *member = &bt_json_members(frame->value)[index];
    struct bt_yaml_entry *entry = &frame->entries[index];
    BT_TRY(bt_arena_copy(reader->arena, bt_json_name(member), &entry->key));
    return make_node(reader, &member->value, &entry->value);
}

enum bt_status bt_yaml_read(struct bt_arena *arena, bt_str source,
                            const struct bt_yaml_options *options,
                            struct bt_yaml_read_result *out_result)
{
    assert(arena);
    assert(out_result);
    const struct bt_yaml_options limits = options ? *options : bt_yaml_options_default();
    const struct bt_json_options how = {.document_bytes_max = limits.bytes_max,
                                        .nodes_max = limits.nodes_max,
                                        .depth_max = limits.depth_max < DEPTH_MAX ? limits.depth_max
                                                                                  : DEPTH_MAX};
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(arena, source, &how, &read));
    if (!read.document) {
        *out_result = (struct bt_yaml_read_result){.code = BT_YAML_SYNTAX,
                                                   .detail = BT_STR("this build has no YAML, and "
                                                                    "the text is not JSON")};
        return BT_OK;
    }
    struct bt_yaml_node *root = BT_NEW(arena, struct bt_yaml_node);
    struct yaml_json_reader reader = {.arena = arena, .document = read.document};
    enum bt_status status =
        root ? make_node(&reader, bt_json_root(read.document), root) : BT_ENOMEM;
    while (status == BT_OK && reader.depth > 0) { /* each step makes a node or ends a container */
        status = take_child(&reader);
    }
    *out_result = (struct bt_yaml_read_result){.root = root};
    return status;
}
