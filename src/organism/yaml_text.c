/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_text.c - write nodes as text again. Every JSON text is a valid organism file, so the output
 * is JSON; only plain scalars that are not strings stay as they were written.
 */
#include <assert.h>

#include <baton/json.h>

#include "organism/organism.h"

#include "json/emit.h"

enum { DEPTH_MAX = 32 };

static void put_scalar(struct bt_emit *emit, const struct bt_yaml_node *node)
{
    switch (bt_yaml_type_of(node)) {
    case BT_YAML_TYPE_NULL:
        bt_emit_null(emit);
        break;
    case BT_YAML_TYPE_FALSE:
    case BT_YAML_TYPE_TRUE:
    case BT_YAML_TYPE_INTEGER:
    case BT_YAML_TYPE_NUMBER:
        bt_emit_raw(emit, node->text);
        break;
    case BT_YAML_TYPE_NONE:
    case BT_YAML_TYPE_STRING:
        bt_emit_string(emit, node->text);
        break;
    }
}

static void put_node(struct bt_emit *emit, const struct bt_yaml_node *top)
{
    struct {
        const struct bt_yaml_node *node;
        size_t next;
    } open[DEPTH_MAX] = {{NULL, 0}};
    size_t depth = 0;
    const struct bt_yaml_node *at = top;
    for (;;) { /* each round puts one node */
        if (at->kind == BT_YAML_SCALAR) {
            put_scalar(emit, at);
        } else {
            assert(depth < DEPTH_MAX); /* files have at most 16 levels */
            open[depth].node = at;
            open[depth++].next = 0;
            (at->kind == BT_YAML_MAPPING ? bt_emit_begin_object : bt_emit_begin_array)(emit);
        }
        while (depth > 0 && open[depth - 1].next == open[depth - 1].node->count) {
            bt_emit_end(emit);
            depth--;
        }
        if (depth == 0) {
            return;
        }
        const struct bt_yaml_node *parent = open[depth - 1].node;
        const size_t index = open[depth - 1].next++;
        if (parent->kind == BT_YAML_MAPPING) {
            bt_emit_name_str(emit, parent->entries[index].key);
            at = &parent->entries[index].value;
        } else {
            at = &parent->items[index];
        }
    }
}

void bt_organism_node_put(struct bt_buf *buf, const struct bt_yaml_node *node)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    if (node) {
        put_node(&emit, node);
    }
}

bool bt_organism_node_equal(const struct bt_yaml_node *a, const struct bt_yaml_node *b)
{
    struct bt_buf left;
    struct bt_buf right;
    bt_buf_init(&left, SIZE_MAX);
    bt_buf_init(&right, SIZE_MAX);
    bt_organism_node_put(&left, a);
    bt_organism_node_put(&right, b);
    const bool is_same = left.status == BT_OK && right.status == BT_OK &&
                         bt_str_eq(bt_buf_str(&left), bt_buf_str(&right));
    bt_buf_free(&left);
    bt_buf_free(&right);
    return is_same;
}

void bt_organism_write_yaml(struct bt_buf *buf, const struct bt_organism *organism, bt_str further)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < organism->root->count; i++) {
        const struct bt_yaml_entry *entry = &organism->root->entries[i];
        if (!bt_str_eq(entry->key, BT_STR("listeners"))) {
            bt_emit_name_str(&emit, entry->key);
            put_node(&emit, &entry->value);
        }
    }
    bt_emit_member_array(&emit, "listeners");
    for (size_t i = 0; i < organism->listeners_count; i++) {
        put_node(&emit, organism->listeners[i].node);
    }
    bt_emit_raw(&emit, further);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}
