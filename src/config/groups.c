/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - mappings of numbers, such as the limits of budgets, compared and combined. */
#include <assert.h>

#include "base/micros.h"
#include "config/config_internal.h"

/* The number of a member; UINT64_MAX, which is above every limit, when it has none. */
static uint64_t number_of(const struct bt_config_row *member, const struct bt_yaml_node *group)
{
    const struct bt_yaml_node *value = bt_yaml_get(group, member->name);
    uint64_t number = UINT64_MAX;
    if (!value || bt_yaml_type_of(value) == BT_YAML_TYPE_NULL) {
        return UINT64_MAX;
    }
    if (member->type == BT_CONFIG_NUMBER) {
        return bt_config_text_number(value->text);
    }
    assert(member->type == BT_CONFIG_DECIMAL);
    return bt_micros_parse(value->text, &number) == BT_OK ? number : UINT64_MAX;
}

bool bt_config_group_is_within(const struct bt_config_row *row, const struct bt_yaml_node *group,
                               const struct bt_yaml_node *other)
{
    bool is_within = true;
    for (size_t i = 0; is_within && i < row->list.member_count; i++) {
        const uint64_t number = number_of(&row->list.members[i], group);
        is_within = number == UINT64_MAX || number <= number_of(&row->list.members[i], other);
    }
    return is_within;
}

static bool is_same_group(const struct bt_config_row *row, const struct bt_yaml_node *a,
                          const struct bt_yaml_node *b)
{
    bool is_same = true;
    for (size_t i = 0; is_same && i < row->list.member_count; i++) {
        const struct bt_config_row *member = &row->list.members[i];
        is_same = number_of(member, a) == number_of(member, b);
    }
    return is_same;
}

bool bt_config_groups_are_same(const struct bt_config_row *row, const struct bt_yaml_node *a,
                               const struct bt_yaml_node *b)
{
    if (row->type == BT_CONFIG_GROUP) {
        return is_same_group(row, a, b);
    }
    bool is_same = a->count == b->count;
    for (size_t i = 0; is_same && i < a->count; i++) {
        const struct bt_yaml_node *other = bt_yaml_get(b, a->entries[i].key);
        is_same = other && is_same_group(row, &a->entries[i].value, other);
    }
    return is_same;
}

/* Either of the two may be NULL. */
static enum bt_status join_group(struct bt_arena *arena, const struct bt_config_row *row,
                                 const struct bt_yaml_node *first,
                                 const struct bt_yaml_node *second, struct bt_yaml_node *out)
{
    struct bt_yaml_entry *entries =
        BT_NEW_ARRAY(arena, struct bt_yaml_entry, row->list.member_count);
    BT_TRY(entries ? BT_OK : BT_ENOMEM);
    *out = first ? *first : *second;
    out->count = 0;
    out->entries = entries;
    for (size_t i = 0; i < row->list.member_count; i++) {
        const struct bt_config_row *member = &row->list.members[i];
        const uint64_t mine = number_of(member, first);
        const uint64_t other = number_of(member, second);
        if (mine != UINT64_MAX || other != UINT64_MAX) {
            entries[out->count++] = (struct bt_yaml_entry){
                .key = member->name,
                .value = *bt_yaml_get(mine <= other ? first : second, member->name)};
        }
    }
    return BT_OK;
}

enum bt_status bt_config_groups_min(struct bt_arena *arena, const struct bt_config_row *row,
                                    const struct bt_yaml_node *first,
                                    const struct bt_yaml_node *second,
                                    const struct bt_yaml_node **out)
{
    struct bt_yaml_node *joined = BT_NEW(arena, struct bt_yaml_node);
    struct bt_yaml_entry *entries =
        BT_NEW_ARRAY(arena, struct bt_yaml_entry, first->count + second->count + 1);
    BT_TRY(joined && entries ? BT_OK : BT_ENOMEM);
    *out = joined;
    if (row->type == BT_CONFIG_GROUP) {
        return join_group(arena, row, first, second, joined);
    }
    *joined = *first;
    joined->count = 0;
    joined->entries = entries;
    for (size_t i = 0; i < first->count + second->count; i++) {
        const bool is_first = i < first->count;
        const struct bt_yaml_entry *entry =
            is_first ? &first->entries[i] : &second->entries[i - first->count];
        const struct bt_yaml_node *mine = bt_yaml_get(first, entry->key);
        if (is_first || !mine) {
            struct bt_yaml_entry *added = &entries[joined->count++];
            *added = *entry;
            BT_TRY(join_group(arena, row, mine, bt_yaml_get(second, entry->key), &added->value));
        }
    }
    return BT_OK;
}

static struct bt_config_limit read_limit(bt_str tokens, bt_str cost)
{
    struct bt_config_limit limit = {.tokens = tokens.len > 0 ? bt_config_text_number(tokens) : 0};
    const bool is_valid = cost.len == 0 || bt_micros_parse(cost, &limit.cost) == BT_OK;
    assert(is_valid); /* the configuration was checked */
    (void)is_valid;
    return limit;
}

struct bt_config_limit bt_config_limit(const struct bt_config *config, const char *key)
{
    return read_limit(bt_config_member(config, key, "tokens"),
                      bt_config_member(config, key, "cost"));
}

struct bt_config_limit bt_config_type_limit(const struct bt_config *config, size_t index)
{
    return read_limit(bt_config_item_member(config, "budget.types", index, "tokens"),
                      bt_config_item_member(config, "budget.types", index, "cost"));
}
