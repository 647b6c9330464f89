/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - a registry file -> its entries, or why it is ignored.
 *
 * It is taken whole or not at all: an entry without a name, or two of one name, make all of it
 * unreadable, because a registry that is half understood would be half lost when it is written.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/file.h"
#include "skill/skill_internal.h"

enum { NODES_MAX = 1000000 };

static enum bt_status set_problem(struct bt_skill_registry *registry, const char *problem,
                                  size_t at)
{
    registry->problem = bt_str_of(problem);
    registry->problem_at = at;
    registry->root = NULL;
    registry->entries = NULL;
    registry->entry_count = 0;
    return BT_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const struct bt_skill *left = a;
    const struct bt_skill *right = b;
    return bt_skill_name_compare(left->name, right->name);
}

/* The entries of `workflows`, sorted by name. */
static enum bt_status read_entries(struct bt_arena *arena, const struct bt_yaml_node *workflows,
                                   struct bt_skill_registry *registry)
{
    struct bt_skill *entries = BT_NEW_ARRAY(arena, struct bt_skill, workflows->count);
    BT_TRY(entries ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < workflows->count; i++) {
        const struct bt_yaml_node *item = &workflows->items[i];
        if (bt_skill_name_trim(bt_skill_text(item, BT_STR("name"))).len == 0) {
            return set_problem(registry, "an entry of workflows has no name", item->offset);
        }
        BT_TRY(bt_skill_read(arena, item, &entries[i]));
        entries[i].entry = item;
    }
    qsort(entries, workflows->count, sizeof(*entries), compare_entries);
    for (size_t i = 1; i < workflows->count; i++) {
        if (compare_entries(&entries[i - 1], &entries[i]) == 0) {
            return set_problem(registry, "two entries of workflows have one name",
                               entries[i].entry->offset);
        }
    }
    registry->entries = entries;
    registry->entry_count = workflows->count;
    return BT_OK;
}

enum bt_status bt_skill_registry_parse(struct bt_arena *arena, struct bt_skill_registry *registry)
{
    assert(registry);
    struct bt_yaml_options options = bt_yaml_options_default();
    struct bt_yaml_read_result result;
    options.bytes_max = BT_REGISTRY_BYTES_MAX;
    options.nodes_max = NODES_MAX;
    BT_TRY(bt_yaml_read(arena, registry->text, &options, &result));
    if (!result.root) {
        registry->problem = result.detail;
        registry->problem_at = result.offset;
        return BT_OK;
    }
    if (bt_yaml_type_of(result.root) == BT_YAML_TYPE_NULL) {
        return BT_OK; /* an empty file is an empty registry */
    }
    if (result.root->kind != BT_YAML_MAPPING) {
        return set_problem(registry, "it is not a mapping", result.root->offset);
    }
    registry->root = result.root;
    const struct bt_yaml_node *workflows = bt_yaml_get(result.root, BT_STR("workflows"));
    if (!workflows || bt_yaml_type_of(workflows) == BT_YAML_TYPE_NULL) {
        return BT_OK;
    }
    if (workflows->kind != BT_YAML_SEQUENCE) {
        return set_problem(registry, "workflows is not a list", workflows->offset);
    }
    return read_entries(arena, workflows, registry);
}

enum bt_status bt_skill_registry_open(struct bt_arena *arena, bt_str path,
                                      struct bt_skill_registry *registry, struct bt_error *error)
{
    assert(registry);
    struct bt_error reason;
    *registry =
        (struct bt_skill_registry){.path = path, .text = BT_STR(""), .problem_at = BT_OFFSET_NONE};
    const enum bt_status status =
        bt_file_read(arena, path, BT_REGISTRY_BYTES_MAX, &registry->text, &reason);
    registry->exists = status != BT_ENOENT;
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    if (status == BT_EDENIED) {
        return bt_arena_copy(arena, bt_str_of(reason.text), &registry->problem);
    }
    if (status != BT_OK) {
        return bt_error_set(error, status, "%.*s: %s", BT_STR_ARG(path), reason.text);
    }
    return bt_skill_registry_parse(arena, registry);
}
