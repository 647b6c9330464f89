/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_lists.c - the items of the lists in a front matter: edges to unknown skills or in one
 * direction only, requirements that cannot be met, unknown categories.
 */
#include "skill/skill_internal.h"

#include <stdio.h>

#include "report/rules.h"

enum { POINTER_BYTES = 64, HINT_BYTES_MAX = 4096 };

/* One text of a list. */
struct skill_lint_item {
    bt_str list; /* the pointer of the list */
    const struct bt_yaml_node *node;
    struct bt_location at;
};

/* Looks at an item and adds at most one finding. */
typedef enum bt_status skill_lint_item_fn(const struct bt_skill_lint *lint,
                                          const struct skill_lint_item *item);

/* The discoverable skill that an item names, or NULL. */
static const struct bt_skill *named_by(const struct bt_skill_lint *lint,
                                       const struct skill_lint_item *item)
{
    const struct bt_skill *skill = bt_skill_catalogue_find(lint->catalogue, item->node->text);
    return skill && skill->is_discoverable ? skill : NULL;
}

static enum bt_status judge_edge(const struct bt_skill_lint *lint,
                                 const struct skill_lint_item *item)
{
    if (bt_str_eq(item->node->text, BT_STR("*")) || named_by(lint, item)) {
        return BT_OK;
    }
    bt_str near[BT_SKILL_NEAREST_MAX];
    const struct bt_str_list nearest = {
        near, bt_skill_catalogue_nearest(lint->catalogue, item->node->text, near)};
    struct bt_buf hint;
    bt_buf_init(&hint, HINT_BYTES_MAX);
    bt_skill_put_suggestion(&hint, nearest.items, nearest.count);
    enum bt_status status = hint.status;
    if (status == BT_OK) {
        status = bt_add_skill_dangling_edge(lint->findings, item->at, item->node->text, nearest,
                                            bt_skill_lint_field(item->list),
                                            hint.len > 0 ? bt_buf_str(&hint) : BT_STR_ABSENT);
    }
    bt_buf_free(&hint);
    return status;
}

static enum bt_status judge_return(const struct bt_skill_lint *lint,
                                   const struct skill_lint_item *item)
{
    const struct bt_skill *other = named_by(lint, item);
    if (!other || bt_skill_list_has(&other->accepts_from, lint->file->skill.name)) {
        return BT_OK;
    }
    return bt_add_skill_one_way_edge(lint->findings, item->at, item->node->text,
                                     lint->file->skill.name);
}

static bool is_one_of(bt_str text, const bt_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(words[i], text)) {
            return true;
        }
    }
    return false;
}

static enum bt_status judge_requirement(const struct bt_skill_lint *lint,
                                        const struct skill_lint_item *item)
{
    /* The members of handoff that the universal schema has. */
    static const bt_str members[] = {
        BT_STR_INIT("version"),    BT_STR_INIT("schema_type"), BT_STR_INIT("timestamp"),
        BT_STR_INIT("expires_at"), BT_STR_INIT("trace_id"),    BT_STR_INIT("source"),
        BT_STR_INIT("target"),     BT_STR_INIT("context"),     BT_STR_INIT("payload"),
        BT_STR_INIT("meta"),       BT_STR_INIT("tracing"),
    };
    const bt_str path = item->node->text;
    const bt_str first = bt_str_slice(path, 0, bt_str_find_byte(path, '.', 0));
    return is_one_of(first, members, sizeof(members) / sizeof(members[0]))
               ? BT_OK
               : bt_add_skill_requires_impossible(lint->findings, item->at, path, first);
}

static enum bt_status judge_category(const struct bt_skill_lint *lint,
                                     const struct skill_lint_item *item)
{
    static const bt_str categories[] = {
        BT_STR_INIT("implementation"),     BT_STR_INIT("architecture"),
        BT_STR_INIT("research"),           BT_STR_INIT("analysis"),
        BT_STR_INIT("creative"),           BT_STR_INIT("verification"),
        BT_STR_INIT("coordination"),       BT_STR_INIT("skill-development"),
        BT_STR_INIT("project-management"), BT_STR_INIT("organization"),
        BT_STR_INIT("decision-support"),   BT_STR_INIT("workflow-creation"),
        BT_STR_INIT("integration"),        BT_STR_INIT("workflow-management"),
    };
    return is_one_of(item->node->text, categories, sizeof(categories) / sizeof(categories[0]))
               ? BT_OK
               : bt_add_skill_category_unknown(lint->findings, item->at, item->node->text);
}

/* Judge the texts of a list; one text alone counts as a list, and has no index. */
static enum bt_status each_item(const struct bt_skill_lint *lint, bt_str pointer,
                                skill_lint_item_fn *judge)
{
    const struct bt_yaml_node *list = bt_skill_lint_node(lint, pointer);
    if (!list || list->kind == BT_YAML_MAPPING) {
        return BT_OK;
    }
    const bool is_alone = list->kind == BT_YAML_SCALAR;
    const size_t count = is_alone ? 1 : list->count;
    for (size_t i = 0; i < count; i++) {
        const struct bt_yaml_node *node = is_alone ? list : &list->items[i];
        const enum bt_yaml_type type = bt_yaml_type_of(node);
        if (type == BT_YAML_TYPE_NONE || type == BT_YAML_TYPE_NULL) {
            continue;
        }
        char text[POINTER_BYTES];
        (void)snprintf(text, sizeof(text), "%.*s/%zu", BT_STR_ARG(pointer), i);
        const bt_str own = is_alone ? pointer : bt_str_of(text);
        const struct skill_lint_item item = {pointer, node,
                                             bt_skill_lint_location(lint, own, node)};
        BT_TRY(judge(lint, &item));
    }
    return BT_OK;
}

enum bt_status bt_skill_lint_lists(const struct bt_skill_lint *lint)
{
    static const struct {
        bt_str pointer;
        skill_lint_item_fn *judge;
    } rows[] = {
        {BT_STR_INIT("/handoff/accepts_from"), judge_edge},
        {BT_STR_INIT("/handoff/provides_to"), judge_edge},
        {BT_STR_INIT("/handoff/provides_to"), judge_return},
        {BT_STR_INIT("/handoff/requires"), judge_requirement},
        {BT_STR_INIT("/categories"), judge_category},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        BT_TRY(each_item(lint, rows[i].pointer, rows[i].judge));
    }
    /* A newer field wins, so the older one is judged only where it counts. */
    return bt_yaml_get(lint->front, BT_STR("categories"))
               ? BT_OK
               : each_item(lint, BT_STR("/handoff/handoff_categories"), judge_category);
}
