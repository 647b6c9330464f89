/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_type.c - types as the file writes them: bracket notation in a scalar, or mappings such as
 * {list: T} and {record: Name, fields: {...}}.
 *
 * Mappings nest no deeper than the file may; those that are open stand in an array.
 */
#include <assert.h>
#include <string.h>

#include "organism/organism.h"

enum { FRAMES_MAX = 24 };

/* A type whose parts are being read. */
struct organism_node_type_frame {
    enum bt_payload_type_kind kind;   /* BT_TYPE_NONE: {optional: T} */
    bt_str name;                      /* of a record */
    const struct bt_yaml_node *node;  /* the node of the whole type */
    const struct bt_yaml_node *parts; /* a mapping of fields, a list of types, or one type */
    struct bt_payload_field *fields;
    size_t capacity;
    size_t next; /* the part that comes next */
    size_t count;
    bool is_broken;
};

struct organism_node_type_build {
    struct bt_organism_reader *reader;
    struct organism_node_type_frame frames[FRAMES_MAX];
    size_t depth;
    const struct bt_payload_type *type; /* the last complete type; NULL: it is invalid */
    bool is_optional;
};

static enum bt_status add_unsupported_finding(struct bt_organism_reader *reader,
                                              const struct bt_yaml_node *node)
{
    const bt_str shown = node->kind == BT_YAML_SCALAR     ? node->text
                         : node->kind == BT_YAML_SEQUENCE ? BT_STR("list")
                                                          : BT_STR("mapping");
    return bt_add_pump_type_unsupported(reader->findings, bt_organism_locate(reader, node), shown);
}

static size_t parts_of(const struct organism_node_type_frame *frame)
{
    return frame->kind == BT_TYPE_RECORD || frame->kind == BT_TYPE_DICT ||
                   frame->kind == BT_TYPE_TUPLE
               ? frame->parts->count
               : 1;
}

static enum bt_status push_frame(struct organism_node_type_build *build,
                                 struct organism_node_type_frame frame)
{
    assert(build->depth < FRAMES_MAX);
    frame.capacity = parts_of(&frame);
    frame.fields = BT_NEW_ARRAY(build->reader->arena, struct bt_payload_field, frame.capacity);
    BT_TRY(frame.fields ? BT_OK : BT_ENOMEM);
    build->frames[build->depth++] = frame;
    return BT_OK;
}

/* The frame that {key: value} opens; false: it is not a type. */
static bool container_frame(const struct bt_yaml_entry *entry, struct organism_node_type_frame *out)
{
    size_t min = 1;
    size_t max = 1;
    const bool is_optional = bt_str_eq(entry->key, BT_STR("optional"));
    out->kind = bt_payload_type_container_named(entry->key, &min, &max);
    out->parts = &entry->value;
    if (out->kind == BT_TYPE_DICT || out->kind == BT_TYPE_TUPLE) {
        return entry->value.kind == BT_YAML_SEQUENCE && entry->value.count >= min &&
               entry->value.count <= max;
    }
    return is_optional || out->kind != BT_TYPE_NONE;
}

static bool record_frame(const struct bt_yaml_node *node, struct organism_node_type_frame *out)
{
    const struct bt_yaml_node *name = bt_organism_node_get(node, "record");
    out->parts = bt_organism_node_get(node, "fields");
    out->kind = BT_TYPE_RECORD;
    out->name = name ? name->text : BT_STR("");
    return node->count == 2 && name && bt_organism_node_is_string(name) &&
           bt_payload_type_name_is_valid(name->text) && out->parts &&
           out->parts->kind == BT_YAML_MAPPING;
}

/* Only the type of a field itself may be optional. */
static bool may_be_optional(const struct organism_node_type_build *build)
{
    return build->depth > 0 && build->frames[build->depth - 1].kind == BT_TYPE_RECORD;
}

/* Keys of a dict must be simple, because they are compared. */
static bool is_key(const struct organism_node_type_build *build)
{
    const struct organism_node_type_frame *top =
        build->depth > 0 ? &build->frames[build->depth - 1] : NULL;
    return top && top->kind == BT_TYPE_DICT && top->next == 1;
}

static enum bt_status open_scalar(struct organism_node_type_build *build,
                                  const struct bt_yaml_node *node)
{
    build->is_optional = false;
    build->type = NULL;
    if (bt_organism_node_is_string(node)) {
        BT_TRY(bt_payload_type_parse(build->reader->arena, node->text, &build->type,
                                     &build->is_optional));
    }
    if (!build->type || (build->is_optional && !may_be_optional(build)) ||
        (is_key(build) && !bt_type_is_simple(build->type))) {
        build->type = NULL;
        return add_unsupported_finding(build->reader, node);
    }
    return BT_OK;
}

/* Begin to read a type: a scalar is complete at once, a mapping is pushed; *out_whole tells. */
static enum bt_status open_type(struct organism_node_type_build *build,
                                const struct bt_yaml_node *node, bool *out_whole)
{
    struct organism_node_type_frame frame = {.node = node};
    *out_whole = true;
    if (node->kind == BT_YAML_SCALAR) {
        return open_scalar(build, node);
    }
    const bool is_record = bt_yaml_get(node, BT_STR("record")) != NULL;
    build->type = NULL;
    build->is_optional = false;
    const bool is_sound = is_record ? record_frame(node, &frame)
                                    : node->kind == BT_YAML_MAPPING && node->count == 1 &&
                                          container_frame(&node->entries[0], &frame) &&
                                          (frame.kind != BT_TYPE_NONE || may_be_optional(build));
    if (!is_sound || is_key(build)) {
        return add_unsupported_finding(build->reader, node);
    }
    *out_whole = false;
    return push_frame(build, frame);
}

/* The type that a frame makes of its parts. */
static const struct bt_payload_type *made_of(struct bt_arena *arena,
                                             const struct organism_node_type_frame *frame)
{
    if (frame->kind == BT_TYPE_NONE) {
        return frame->fields[0].type;
    }
    if (frame->kind == BT_TYPE_RECORD) {
        return bt_payload_type_record(arena, frame->name, frame->fields, frame->count);
    }
    const struct bt_payload_type **items =
        BT_NEW_ARRAY(arena, const struct bt_payload_type *, frame->count);
    for (size_t i = 0; items && i < frame->count; i++) {
        items[i] = frame->fields[i].type;
    }
    return items ? bt_payload_type_container(arena, frame->kind, items, frame->count) : NULL;
}

static enum bt_status close_frame(struct organism_node_type_build *build)
{
    const struct organism_node_type_frame *frame = &build->frames[--build->depth];
    build->type = NULL;
    build->is_optional = frame->kind == BT_TYPE_NONE;
    if (frame->is_broken) {
        return BT_OK;
    }
    const struct bt_payload_type *made = made_of(build->reader->arena, frame);
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    if (made->levels > BT_TYPE_LEVELS_MAX) {
        BT_TRY(add_unsupported_finding(build->reader, frame->node));
    } else {
        build->type = made;
    }
    return BT_OK;
}

/* Add the complete type to the innermost frame. */
static void add_field(struct organism_node_type_build *build, bt_str name)
{
    struct organism_node_type_frame *top = &build->frames[build->depth - 1];
    top->is_broken = top->is_broken || !build->type;
    assert(top->count < top->capacity);
    top->fields[top->count++] = (struct bt_payload_field){
        .name = name, .type = build->type, .is_optional = build->is_optional};
}

/* The next part of the innermost frame. NULL: it is null, and counts as absent. */
static enum bt_status next_part(struct organism_node_type_build *build,
                                const struct bt_yaml_node **out, bt_str *out_name)
{
    struct organism_node_type_frame *top = &build->frames[build->depth - 1];
    const size_t i = top->next++;
    *out_name = BT_STR("");
    if (top->kind == BT_TYPE_DICT || top->kind == BT_TYPE_TUPLE) {
        *out = &top->parts->items[i];
    } else if (top->kind == BT_TYPE_RECORD) {
        const struct bt_yaml_entry *entry = &top->parts->entries[i];
        *out_name = entry->key;
        *out = bt_yaml_type_of(&entry->value) == BT_YAML_TYPE_NULL ? NULL : &entry->value;
        if (*out && !bt_payload_field_name_is_valid(entry->key)) {
            top->is_broken = true;
            return bt_add_pump_field_name(build->reader->findings,
                                          bt_organism_locate(build->reader, *out), entry->key);
        }
    } else {
        *out = top->parts;
    }
    return BT_OK;
}

static enum bt_status read_next_part(struct organism_node_type_build *build)
{
    struct organism_node_type_frame *top = &build->frames[build->depth - 1];
    if (top->next == parts_of(top)) {
        BT_TRY(close_frame(build));
        if (build->depth > 0) {
            const struct organism_node_type_frame *outer = &build->frames[build->depth - 1];
            const bt_str name = outer->kind == BT_TYPE_RECORD
                                    ? outer->parts->entries[outer->next - 1].key
                                    : BT_STR("");
            add_field(build, name);
        }
        return BT_OK;
    }
    const struct bt_yaml_node *part = NULL;
    bt_str name;
    bool is_whole = true;
    BT_TRY(next_part(build, &part, &name));
    if (part) {
        BT_TRY(open_type(build, part, &is_whole));
        if (is_whole) {
            add_field(build, name);
        }
    }
    return BT_OK;
}

enum bt_status bt_organism_node_fields(struct bt_organism_reader *reader,
                                       const struct bt_yaml_node *node, bt_str name,
                                       const struct bt_payload_type **out)
{
    assert(node->kind == BT_YAML_MAPPING);
    struct organism_node_type_build build = {.reader = reader};
    BT_TRY(
        push_frame(&build, (struct organism_node_type_frame){
                               .kind = BT_TYPE_RECORD, .name = name, .node = node, .parts = node}));
    while (build.depth > 0) {
        BT_TRY(read_next_part(&build));
    }
    *out = build.type;
    return BT_OK;
}
