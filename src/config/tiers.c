/* SPDX-License-Identifier: Apache-2.0 */
/* tiers.c - the tiers of the command gate, and the lists that several files make together. */
#include <assert.h>

#include "config/config_internal.h"

static const bt_str PATTERN_LISTS[] = {BT_STR_INIT("commands"), BT_STR_INIT("tools")};

static bt_str name_of(const struct bt_yaml_node *tier)
{
    const struct bt_yaml_node *name = bt_yaml_get(tier, BT_STR("name"));
    return name ? name->text : BT_STR("");
}

/* The texts of a member that is a list; none when it is absent. */
static size_t count_texts(const struct bt_yaml_node *tier, bt_str member)
{
    const struct bt_yaml_node *list = bt_yaml_get(tier, member);
    return list && list->kind == BT_YAML_SEQUENCE ? list->count : 0;
}

bool bt_config_tiers_fit(const struct bt_yaml_node *list)
{
    size_t patterns = 0;
    if (list->count > BT_CONFIG_TIERS_MAX) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const bt_str name = name_of(&list->items[i]);
        for (size_t j = 0; j < i; j++) {
            if (name.len > 0 && bt_str_eq(name, name_of(&list->items[j]))) {
                return false;
            }
        }
        for (size_t j = 0; j < sizeof(PATTERN_LISTS) / sizeof(PATTERN_LISTS[0]); j++) {
            patterns += count_texts(&list->items[i], PATTERN_LISTS[j]);
        }
    }
    return patterns <= BT_CONFIG_PATTERNS_MAX;
}

static enum bt_status copy_texts(const struct bt_yaml_node *tier, bt_str member,
                                 struct bt_arena *arena, struct bt_str_list *out)
{
    const size_t count = count_texts(tier, member);
    const struct bt_yaml_node *list = bt_yaml_get(tier, member);
    bt_str *texts = BT_NEW_ARRAY(arena, bt_str, count + 1);
    BT_TRY(texts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        texts[i] = list->items[i].text;
    }
    *out = (struct bt_str_list){texts, count};
    return BT_OK;
}

bool bt_config_mappings_are_same(const struct bt_yaml_node *a, const struct bt_yaml_node *b)
{
    bool is_same = a->count == b->count;
    for (size_t i = 0; is_same && i < a->count; i++) {
        const struct bt_yaml_node *one = &a->items[i];
        is_same = one->count == b->items[i].count;
        for (size_t j = 0; is_same && j < one->count; j++) {
            const struct bt_yaml_node *mine = &one->entries[j].value;
            const struct bt_yaml_node *other = bt_yaml_get(&b->items[i], one->entries[j].key);
            is_same = other && bt_config_texts(mine) == bt_config_texts(other);
            for (size_t k = 0; is_same && k < bt_config_texts(mine); k++) {
                is_same = bt_str_eq(bt_config_text_at(mine, k), bt_config_text_at(other, k));
            }
        }
    }
    return is_same;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a configuration may be nested, see read.c */
bool bt_config_nodes_are_same(const struct bt_yaml_node *a, const struct bt_yaml_node *b)
{
    bool is_same = a->kind == b->kind && a->count == b->count;
    if (is_same && a->kind == BT_YAML_SCALAR) {
        return bt_str_eq(a->text, b->text);
    }
    for (size_t i = 0; is_same && i < a->count; i++) {
        const bool is_mapping = a->kind == BT_YAML_MAPPING;
        const struct bt_yaml_node *mine = is_mapping ? &a->entries[i].value : &a->items[i];
        const struct bt_yaml_node *other =
            is_mapping ? bt_yaml_get(b, a->entries[i].key) : &b->items[i];
        is_same = other && bt_config_nodes_are_same(mine, other);
    }
    return is_same;
}

enum bt_status bt_config_join(struct bt_arena *arena, const struct bt_yaml_node *first,
                              const struct bt_yaml_node *second, const struct bt_yaml_node **out)
{
    struct bt_yaml_node *joined = BT_NEW(arena, struct bt_yaml_node);
    struct bt_yaml_node *items =
        BT_NEW_ARRAY(arena, struct bt_yaml_node, first->count + second->count + 1);
    BT_TRY(joined && items ? BT_OK : BT_ENOMEM);
    *joined = *first;
    for (size_t i = 0; i < first->count; i++) {
        items[i] = first->items[i];
    }
    for (size_t i = 0; i < second->count; i++) {
        items[joined->count++] = second->items[i];
    }
    joined->items = items;
    *out = joined;
    return BT_OK;
}

enum bt_status bt_config_tier(const struct bt_config *config, size_t index, struct bt_arena *arena,
                              struct bt_config_tier *out)
{
    const struct bt_yaml_node *list = bt_config_value(config, bt_config_row(BT_STR("gate.tiers")));
    assert(index < list->count);
    const struct bt_yaml_node *tier = &list->items[index];
    const struct bt_yaml_node *risk = bt_yaml_get(tier, BT_STR("risk"));
    const bool has_risk = risk && bt_yaml_type_of(risk) != BT_YAML_TYPE_NULL;
    out->name = name_of(tier);
    out->risk = has_risk ? risk->text : BT_STR("HIGH");
    BT_TRY(copy_texts(tier, PATTERN_LISTS[0], arena, &out->commands));
    return copy_texts(tier, PATTERN_LISTS[1], arena, &out->tools);
}
