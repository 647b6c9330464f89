/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry_write.c - write an entry of the registry, field by field: from the front matter, else
 * from the registry.
 */
#include "skill/skill_internal.h"

#include <assert.h>

enum { DEPTH_MAX = 64 }; /* as deep as bt_yaml_options_default() lets a tree be */

struct skill_write_cursor {
    const struct bt_yaml_node *node;
    size_t next;
};

static void put_scalar(struct bt_buf *buf, const struct bt_yaml_node *node)
{
    switch (bt_yaml_type_of(node)) {
    case BT_YAML_TYPE_NULL:
        bt_buf_put_text(buf, "null");
        return;
    case BT_YAML_TYPE_FALSE:
    case BT_YAML_TYPE_TRUE:
    case BT_YAML_TYPE_INTEGER:
    case BT_YAML_TYPE_NUMBER:
        bt_buf_put(buf, node->text);
        return;
    case BT_YAML_TYPE_NONE:
    case BT_YAML_TYPE_STRING:
        break;
    }
    bt_json_put_string(buf, node->text);
}

void bt_skill_registry_put_node(struct bt_buf *buf, const struct bt_yaml_node *node)
{
    struct skill_write_cursor stack[DEPTH_MAX + 1];
    size_t depth = 0;
    while (node || depth > 0) {
        if (node && node->kind == BT_YAML_SCALAR) {
            put_scalar(buf, node);
        } else if (node) {
            assert(depth <= DEPTH_MAX);
            bt_buf_put_char(buf, node->kind == BT_YAML_MAPPING ? '{' : '[');
            stack[depth++] = (struct skill_write_cursor){node, 0};
        }
        node = NULL;
        if (depth == 0) {
            return;
        }
        struct skill_write_cursor *top = &stack[depth - 1];
        const bool is_mapping = top->node->kind == BT_YAML_MAPPING;
        if (top->next == top->node->count) {
            bt_buf_put_char(buf, is_mapping ? '}' : ']');
            depth--;
            continue;
        }
        bt_buf_put_text(buf, top->next > 0 ? ", " : "");
        if (is_mapping) {
            bt_json_put_string(buf, top->node->entries[top->next].key);
            bt_buf_put_text(buf, ": ");
        }
        node = is_mapping ? &top->node->entries[top->next].value : &top->node->items[top->next];
        top->next++;
    }
}

static bool is_given(const struct bt_yaml_node *node)
{
    return node && bt_yaml_type_of(node) != BT_YAML_TYPE_NULL;
}

static void put_list(struct bt_buf *buf, const struct bt_yaml_node *node)
{
    const bool is_list = node->kind == BT_YAML_SEQUENCE;
    const size_t count = is_list ? node->count : 1;
    const char *between = "";
    bt_buf_put_char(buf, '[');
    for (size_t i = 0; i < count; i++) {
        const struct bt_yaml_node *item = is_list ? &node->items[i] : node;
        if (item->kind == BT_YAML_SCALAR && is_given(item)) {
            bt_buf_put_text(buf, between);
            bt_json_put_string(buf, item->text);
            between = ", ";
        }
    }
    bt_buf_put_char(buf, ']');
}

static void put_value(struct bt_buf *buf, const struct bt_yaml_node *node,
                      enum bt_skill_registry_field_kind shape)
{
    if (shape == BT_AS_LIST && node->kind != BT_YAML_MAPPING) {
        put_list(buf, node);
    } else if (shape == BT_AS_TEXT && node->kind == BT_YAML_SCALAR) {
        bt_json_put_string(buf, node->text);
    } else {
        bt_skill_registry_put_node(buf, node);
    }
}

static void put_key(struct bt_buf *buf, bt_str key, size_t indent)
{
    bt_buf_put_repeat(buf, ' ', indent);
    bt_buf_put(buf, key);
    bt_buf_put_char(buf, ':');
}

/* Put a field that one of two mappings has; the first has the first word. */
static void put_field(struct bt_buf *buf, const struct bt_yaml_node *front,
                      const struct bt_yaml_node *entry, const struct bt_skill_registry_field *field,
                      size_t indent)
{
    const struct bt_yaml_node *node = bt_yaml_get(front, field->key);
    node = is_given(node) ? node : bt_yaml_get(entry, field->key);
    if (is_given(node)) {
        put_key(buf, field->key, indent);
        bt_buf_put_char(buf, ' ');
        put_value(buf, node, field->shape);
        bt_buf_put_char(buf, '\n');
    }
}

static bool is_known(const struct bt_skill_registry_field *known, bt_str key)
{
    for (; known->key.len > 0; known++) {
        if (bt_str_eq(known->key, key)) {
            return true;
        }
    }
    return false;
}

void bt_skill_registry_put_others(struct bt_buf *buf, const struct bt_yaml_node *mapping,
                                  const struct bt_skill_registry_field *known, size_t indent)
{
    for (size_t i = 0; mapping && mapping->kind == BT_YAML_MAPPING && i < mapping->count; i++) {
        if (!is_known(known, mapping->entries[i].key)) {
            bt_buf_put_repeat(buf, ' ', indent);
            bt_json_put_string(buf, mapping->entries[i].key);
            bt_buf_put_text(buf, ": ");
            bt_skill_registry_put_node(buf, &mapping->entries[i].value);
            bt_buf_put_char(buf, '\n');
        }
    }
}

/* clang-format off */
static const struct bt_skill_registry_field entry_fields[] = {
    {BT_STR_INIT("name"), BT_AS_TEXT}, {BT_STR_INIT("version"), BT_AS_TEXT},
    {BT_STR_INIT("description"), BT_AS_TEXT}, {BT_STR_INIT("skill_path"), BT_AS_PATH},
    {BT_STR_INIT("handoff"), BT_AS_HANDOFF}, {BT_STR_INIT("categories"), BT_AS_LIST},
    {BT_STR_INIT("input_requirements"), BT_AS_LIST}, {BT_STR_INIT("output_types"), BT_AS_LIST},
    {BT_STR_INIT(""), BT_AS_IT_IS},
};
static const struct bt_skill_registry_field handoff_fields[] = {
    {BT_STR_INIT("accepts_from"), BT_AS_LIST}, {BT_STR_INIT("provides_to"), BT_AS_LIST},
    {BT_STR_INIT("schema_version"), BT_AS_TEXT}, {BT_STR_INIT("schema_type"), BT_AS_TEXT},
    {BT_STR_INIT("requires"), BT_AS_LIST}, {BT_STR_INIT("optional_consumes"), BT_AS_LIST},
    {BT_STR_INIT("handoff_trigger"), BT_AS_IT_IS}, {BT_STR_INIT("accepts_handoff"), BT_AS_IT_IS},
    {BT_STR_INIT("handoff_categories"), BT_AS_LIST}, {BT_STR_INIT("protocol_version"), BT_AS_TEXT},
    {BT_STR_INIT(""), BT_AS_IT_IS},
};
/* clang-format on */

/* Nothing at all when there is nothing to say. */
static void put_handoff(struct bt_buf *buf, const struct bt_yaml_node *front,
                        const struct bt_yaml_node *entry)
{
    const struct bt_yaml_node *front_handoff = bt_yaml_get(front, BT_STR("handoff"));
    const struct bt_yaml_node *noted = bt_yaml_get(entry, BT_STR("handoff"));
    const size_t before = buf->len;
    put_key(buf, BT_STR("handoff"), 4);
    bt_buf_put_char(buf, '\n');
    const size_t empty = buf->len;
    for (size_t i = 0; handoff_fields[i].key.len > 0; i++) {
        put_field(buf, front_handoff, noted, &handoff_fields[i], 6);
    }
    bt_skill_registry_put_others(buf, noted, handoff_fields, 6);
    buf->len = buf->len == empty ? before : buf->len;
}

static void put_path(struct bt_buf *buf, bt_str path)
{
    if (path.len > 0) {
        put_key(buf, BT_STR("skill_path"), 4);
        bt_buf_put_char(buf, ' ');
        bt_json_put_string(buf, path);
        bt_buf_put_char(buf, '\n');
    }
}

void bt_skill_registry_put_entry(struct bt_buf *buf, const struct bt_yaml_node *front,
                                 const struct bt_yaml_node *entry, bt_str path)
{
    const size_t from = buf->len;
    for (size_t i = 0; entry_fields[i].key.len > 0; i++) {
        if (entry_fields[i].shape == BT_AS_PATH) {
            put_path(buf, path);
        } else if (entry_fields[i].shape == BT_AS_HANDOFF) {
            put_handoff(buf, front, entry);
        } else {
            put_field(buf, front, entry, &entry_fields[i], 4);
        }
    }
    bt_skill_registry_put_others(buf, entry, entry_fields, 4);
    if (buf->status == BT_OK) {
        buf->ptr[from + 2] = '-'; /* the dash of the item, before its name */
    }
}
