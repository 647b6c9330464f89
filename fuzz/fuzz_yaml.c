/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_yaml.c - any bytes at all, read as YAML.
 *
 * Promises: the judgement depends on the bytes alone, not on where they lie or how much memory is
 * there; a tree keeps the bounds, has no key twice and knows where everything stood; a problem lies
 * within the text and says which it is.
 */
#include "yaml/yaml.h"

#include "fuzz.h"

#define DEPTH_MAX 16
#define NODES_MAX 1000

static const struct bt_yaml_options bounds = {
    .bytes_max = 1 << 16, .nodes_max = NODES_MAX, .depth_max = DEPTH_MAX};

struct cursor {
    const struct bt_yaml_node *node;
    size_t next;
};

static void same_node(const struct bt_yaml_node *a, const struct bt_yaml_node *b)
{
    PROMISE(a->kind == b->kind);
    PROMISE(a->style == b->style);
    PROMISE(a->offset == b->offset);
    PROMISE(a->count == b->count);
    PROMISE(bt_str_eq(a->text, b->text));
}

static void same_judgement(const struct bt_yaml_read_result *a, const struct bt_yaml_read_result *b)
{
    PROMISE(a->code == b->code);
    PROMISE(!a->root == !b->root);
    PROMISE(a->offset == b->offset);
    PROMISE(bt_str_eq(a->detail, b->detail));
    PROMISE(bt_str_eq(a->pointer, b->pointer));
    PROMISE(bt_str_eq(a->feature, b->feature));
    if (a->root) {
        same_node(a->root, b->root);
    }
}

static void problem_is_sound(const struct bt_yaml_read_result *result, bt_str text)
{
    const bool is_duplicate = result->code == BT_YAML_DUPLICATE_KEY;
    PROMISE(result->offset <= text.len);
    PROMISE(result->detail.len > 0);
    PROMISE((result->feature.len > 0) == (result->code == BT_YAML_UNSUPPORTED));
    PROMISE((result->limit_name.len > 0) == (result->code == BT_YAML_LIMIT));
    PROMISE(is_duplicate || result->pointer.len == 0);
    PROMISE(bt_json_pointer_is_valid(result->pointer));
    PROMISE(bt_utf8_check(text) == text.len || text.len > bounds.bytes_max ||
            result->code == BT_YAML_SYNTAX);
}

static void node_is_sound(const struct bt_yaml_node *node, bt_str text)
{
    PROMISE(node->offset <= text.len);
    PROMISE(bt_utf8_check(node->text) == node->text.len);
    PROMISE((node->kind == BT_YAML_SCALAR) == (node->style != BT_YAML_STYLE_NONE));
    PROMISE((node->kind == BT_YAML_SCALAR) == (bt_yaml_type_of(node) != BT_YAML_TYPE_NONE));
    PROMISE(node->style != BT_YAML_STYLE_QUOTED || text.ptr[node->offset] == '"' ||
            text.ptr[node->offset] == '\'');
    PROMISE(node->style != BT_YAML_STYLE_BLOCK || text.ptr[node->offset] == '|' ||
            text.ptr[node->offset] == '>');
    for (size_t i = 0; node->kind == BT_YAML_MAPPING && i < node->count; i++) {
        PROMISE(node->entries[i].key_offset <= text.len);
        PROMISE(bt_yaml_find_entry(node, node->entries[i].key) == &node->entries[i]);
    }
}

static const struct bt_yaml_node *child_of(const struct bt_yaml_node *node, size_t i)
{
    return node->kind == BT_YAML_MAPPING ? &node->entries[i].value : &node->items[i];
}

static void tree_is_sound(const struct bt_yaml_node *root, bt_str text)
{
    struct cursor stack[DEPTH_MAX + 1] = {{root, 0}};
    size_t depth = 1;
    size_t nodes = 0;
    node_is_sound(root, text);
    while (depth > 0) {
        struct cursor *top = &stack[depth - 1];
        if (top->next == top->node->count) {
            depth--;
            continue;
        }
        const struct bt_yaml_node *child = child_of(top->node, top->next++);
        node_is_sound(child, text);
        PROMISE(++nodes <= NODES_MAX);
        PROMISE(child->kind == BT_YAML_SCALAR || depth < DEPTH_MAX);
        stack[depth++] = (struct cursor){child, 0};
    }
}

static void scarce_memory_changes_nothing(const struct bt_yaml_read_result *plenty, bt_str text)
{
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 64; status != BT_OK && limit <= FUZZ_ARENA_BYTES; limit *= 4) {
        struct bt_arena arena;
        struct bt_yaml_read_result result;
        bt_arena_init(&arena, limit);
        status = bt_yaml_read(&arena, text, &bounds, &result);
        PROMISE(status == BT_OK || status == BT_ENOMEM);
        if (status == BT_OK) {
            same_judgement(plenty, &result);
        }
        bt_arena_free(&arena);
    }
    PROMISE(status == BT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_arena arena;
    struct bt_yaml_read_result result;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_yaml_read(&arena, text, &bounds, &result) == BT_OK);
    PROMISE((result.root != NULL) == (result.code == BT_YAML_ERROR_NONE));
    if (result.root) {
        tree_is_sound(result.root, text);
    } else {
        problem_is_sound(&result, text);
    }
    scarce_memory_changes_nothing(&result, text);
    bt_arena_free(&arena);
    return 0;
}
