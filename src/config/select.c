/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - `rules`, `paths` and `ignore` -> the settings that choose findings. */
#include <assert.h>

#include "config/config_internal.h"
#include "report/rules.h"
#include "select/select.h"

/* A member of a mapping; NULL when it is absent or null. */
static const struct bt_yaml_node *member_of(const struct bt_yaml_node *node, const char *name)
{
    const struct bt_yaml_node *member = node ? bt_yaml_get(node, bt_str_of(name)) : NULL;
    return member && bt_yaml_type_of(member) != BT_YAML_TYPE_NULL ? member : NULL;
}

static bt_str text_of(const struct bt_yaml_node *node, const char *name)
{
    const struct bt_yaml_node *member = member_of(node, name);
    return member ? member->text : BT_STR("");
}

static const struct bt_yaml_node *list_of(const struct bt_config *config, const char *key)
{
    return bt_config_value(config, bt_config_row(bt_str_of(key)));
}

static enum bt_status fill_rules(struct bt_arena *arena, const struct bt_yaml_node *map,
                                 struct bt_select_rules *out)
{
    for (size_t i = 0; map && i < map->count; i++) {
        enum bt_select_level level = BT_SELECT_LEVEL_NONE;
        BT_TRY(bt_select_level_parse(map->entries[i].value.text, &level));
        BT_TRY(bt_select_rules_set(arena, out, map->entries[i].key, level));
    }
    return BT_OK;
}

static enum bt_status fill_patterns(struct bt_arena *arena, bt_str folder,
                                    const struct bt_yaml_node *texts, struct bt_ignore_list *out)
{
    out->folder = folder;
    for (size_t i = 0; i < bt_config_texts(texts); i++) {
        BT_TRY(bt_ignore_add(arena, out, bt_config_text_at(texts, i)));
    }
    return BT_OK;
}

static enum bt_status fill_path(struct bt_arena *arena, bt_str folder,
                                const struct bt_yaml_node *node, struct bt_select_paths *out)
{
    const struct bt_yaml_node *check = member_of(node, "check");
    const struct bt_yaml_node *budget = member_of(check, "budget");
    const bt_str level = text_of(check, "fail_level");
    out->path.as = bt_dialect_find(text_of(node, "as"));
    out->path.tokens = text_of(check, "tokens");
    out->path.budget = budget ? bt_config_text_number(budget->text) : 0;
    BT_TRY(level.len > 0 ? bt_severity_parse(level, &out->path.fail_level) : BT_OK);
    BT_TRY(fill_rules(arena, member_of(node, "rules"), &out->rules));
    return fill_patterns(arena, folder, member_of(node, "match"), &out->match);
}

static enum bt_status fill_ignore(struct bt_arena *arena, const struct bt_config_select *where,
                                  const struct bt_yaml_node *node, struct bt_select_ignore *out)
{
    const struct bt_yaml_node *pointer = member_of(node, "pointer");
    out->code = text_of(node, "code");
    out->has_pointer = pointer != NULL;
    out->pointer = pointer ? pointer->text : BT_STR("");
    out->reason = text_of(node, "reason");
    out->has_expired = bt_str_compare(text_of(node, "until"), where->today) < 0;
    out->offset = node->offset;
    BT_TRY(bt_select_find_codes(out->code, &out->codes));
    return fill_patterns(arena, where->folder, member_of(node, "paths"), &out->paths);
}

enum bt_status bt_config_select(const struct bt_config *config,
                                const struct bt_config_select *where, struct bt_arena *arena,
                                struct bt_select *out)
{
    static const enum bt_config_kind order[] = {BT_CONFIG_PROJECT, BT_CONFIG_USER,
                                                BT_CONFIG_SYSTEM};
    const struct bt_yaml_node *path_list = list_of(config, "paths");
    const struct bt_yaml_node *ignore_list = list_of(config, "ignore");
    struct bt_select_paths *paths =
        BT_NEW_ARRAY(arena, struct bt_select_paths, path_list->count + 1);
    struct bt_select_ignore *ignores =
        BT_NEW_ARRAY(arena, struct bt_select_ignore, ignore_list->count + 1);
    BT_TRY(paths && ignores ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < BT_SELECT_FILES_MAX; i++) {
        BT_TRY(fill_rules(arena, config->rules[order[i]], &out->files[i]));
    }
    /* A file that was named has no other beside it. */
    BT_TRY(fill_rules(arena, config->rules[BT_CONFIG_FILE], &out->files[0]));
    for (size_t i = 0; i < path_list->count; i++) {
        BT_TRY(fill_path(arena, where->folder, &path_list->items[i], &paths[i]));
    }
    for (size_t i = 0; i < ignore_list->count; i++) {
        BT_TRY(fill_ignore(arena, where, &ignore_list->items[i], &ignores[i]));
    }
    out->paths = paths;
    out->path_count = path_list->count;
    out->ignores = ignores;
    out->ignore_count = ignore_list->count;
    return BT_OK;
}

enum bt_status bt_config_add_expired(const struct bt_config *config, bt_str today,
                                     struct bt_findings *findings)
{
    const struct bt_yaml_node *list = list_of(config, "ignore");
    for (size_t i = 0; today.len > 0 && i < list->count; i++) {
        const struct bt_yaml_node *node = &list->items[i];
        bt_str pointer;
        if (bt_str_compare(text_of(node, "until"), today) < 0) {
            BT_TRY(bt_arena_printf(bt_findings_arena(findings), &pointer, "/ignore/%zu", i));
            BT_TRY(bt_add_ignore_expired(findings, bt_location_pointer(pointer, node->offset),
                                         text_of(node, "code"), text_of(node, "until")));
        }
    }
    return BT_OK;
}

enum bt_status bt_config_without_choices(const struct bt_config *config, struct bt_arena *arena,
                                         const struct bt_config **out)
{
    static const char *const keys[] = {"include", "exclude", "gitignore", "paths",
                                       "rules",   "ignore",  "baseline"};
    struct bt_config *copy = BT_NEW(arena, struct bt_config);
    BT_TRY(copy ? BT_OK : BT_ENOMEM);
    *copy = *config;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        copy->given[bt_config_row(bt_str_of(keys[i]))] = NULL;
    }
    for (size_t kind = 0; kind < BT_CONFIG_KINDS; kind++) {
        copy->rules[kind] = NULL;
    }
    if (config->given[bt_config_row(BT_STR("store"))] == &config->store) {
        copy->given[bt_config_row(BT_STR("store"))] = &copy->store;
    }
    *out = copy;
    return BT_OK;
}
