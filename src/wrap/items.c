/* SPDX-License-Identifier: Apache-2.0 */
/* items.c - definitions as list results have them. */
#include <stdlib.h>

#include "json/builder.h"
#include "json/get.h"
#include "wrap/canonical.h"
#include "wrap/lock.h"

const struct bt_wrap_kind_names *bt_wrap_kind_names(enum bt_wrap_kind kind)
{
    static const struct bt_wrap_kind_names names[] = {
        [BT_WRAP_TOOL] = {BT_STR_INIT("tools/list"), BT_STR_INIT("tools"), BT_STR_INIT("name"),
                          BT_STR_INIT("tools"), BT_STR_INIT("tools")},
        [BT_WRAP_PROMPT] = {BT_STR_INIT("prompts/list"), BT_STR_INIT("prompts"),
                            BT_STR_INIT("name"), BT_STR_INIT("prompts"), BT_STR_INIT("prompts")},
        [BT_WRAP_TEMPLATE] = {BT_STR_INIT("resources/templates/list"),
                              BT_STR_INIT("resourceTemplates"), BT_STR_INIT("uriTemplate"),
                              BT_STR_INIT("resource_templates"), BT_STR_INIT("resourceTemplates")},
        [BT_WRAP_RESOURCE] = {BT_STR_INIT("resources/list"), BT_STR_INIT("resources"),
                              BT_STR_INIT("uri"), BT_STR_INIT("resources"),
                              BT_STR_INIT("resources")},
    };
    return &names[kind];
}

const struct bt_wrap_item *bt_wrap_items_find(const struct bt_wrap_items *items, bt_str key)
{
    const struct bt_map_entry *entry =
        items->by_key.arena ? bt_map_find(&items->by_key, bt_map_text(key)) : NULL;
    return entry ? &items->list.items[entry->value.number] : NULL;
}

/* By key; items of one key stay in their order. */
static int compare_items(const void *a, const void *b)
{
    const struct bt_wrap_item *const *first = a;
    const struct bt_wrap_item *const *second = b;
    const int order = bt_str_compare((*first)->key, (*second)->key);
    return order != 0 ? order : (*first > *second) - (*first < *second);
}

enum bt_status bt_wrap_items_sorted(struct bt_arena *arena, const struct bt_wrap_items *items,
                                    const struct bt_wrap_item ***out)
{
    const size_t count = items->list.count;
    const struct bt_wrap_item **sorted =
        BT_NEW_ARRAY(arena, const struct bt_wrap_item *, count + 1);
    BT_TRY(sorted ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &items->list.items[i];
    }
    qsort(sorted, count, sizeof(sorted[0]), compare_items);
    *out = sorted;
    return BT_OK;
}

enum bt_status bt_wrap_items_push(const struct bt_wrap_memory *memory, struct bt_wrap_items *items,
                                  struct bt_wrap_item *item)
{
    struct bt_map_entry *entry = NULL;
    if (!items->by_key.arena) {
        bt_map_init(&items->by_key, memory->arena, memory->env->hash_seed);
    }
    const uint32_t known = items->by_key.count;
    BT_TRY(bt_map_add(&items->by_key, bt_map_text(item->key), &entry));
    item->is_duplicate = items->by_key.count == known;
    if (!item->is_duplicate) {
        entry->value.number = items->list.count;
    }
    return bt_vec_push(memory->arena, &items->list, *item);
}

/* A copy of the definition without its icons, which do not belong to it. */
static enum bt_status copy_definition(const struct bt_wrap_memory *memory, bt_ref item,
                                      const struct bt_json_doc **out)
{
    struct bt_json_builder builder;
    struct bt_emit *emit = bt_json_builder_begin(&builder, memory->arena, memory->env->hash_seed);
    const struct bt_json_member *members = bt_json_members(item.value);
    if (!members && bt_json_type(item.value) != BT_JSON_OBJECT) {
        bt_json_builder_copy(&builder, item, NULL);
        return bt_json_builder_finish(&builder, BT_OK, out);
    }
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < bt_json_count(item.value); i++) {
        const bt_str name = bt_json_name(&members[i]);
        if (!bt_str_eq(name, BT_STR("icons"))) {
            bt_emit_name_str(emit, name);
            bt_json_builder_copy(&builder, (bt_ref){item.document, &members[i].value}, NULL);
        }
    }
    bt_emit_end(emit);
    return bt_json_builder_finish(&builder, BT_OK, out);
}

static enum bt_status add_item(const struct bt_wrap_memory *memory, enum bt_wrap_kind kind,
                               bt_ref value, struct bt_wrap_items *items)
{
    struct bt_wrap_item item = {.key = BT_STR("")};
    const bt_str key = bt_json_get_text(value.document, value.value, bt_wrap_kind_names(kind)->key);
    BT_TRY(bt_arena_copy(memory->arena, key, &item.key));
    BT_TRY(copy_definition(memory, value, &item.document));
    BT_TRY(bt_wrap_digest(memory->arena, item.document, bt_json_root(item.document), item.sha256));
    return bt_wrap_items_push(memory, items, &item);
}

enum bt_status bt_wrap_items_add(const struct bt_wrap_memory *memory, enum bt_wrap_kind kind,
                                 const struct bt_json_doc *document, const bt_json_value *result,
                                 struct bt_wrap_items *items)
{
    const bt_json_value *list = bt_json_get(document, result, bt_wrap_kind_names(kind)->member);
    const bt_json_value *values = list ? bt_json_items(list) : NULL;
    for (size_t i = 0; values && i < bt_json_count(list); i++) {
        BT_TRY(add_item(memory, kind, (bt_ref){document, &values[i]}, items));
    }
    return BT_OK;
}
