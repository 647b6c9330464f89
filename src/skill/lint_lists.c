/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_lists.c - the items of the lists in a front matter: edges to unknown skills or in one
 * direction only, requirements that cannot be met, unknown categories.
 */
#include "skill/lint.h"

/* One text of a list. */
struct skill_lint_item {
    const struct bt_skill_lint_field *field;
    const struct bt_yaml_node *node;
    size_t index;
    bool is_alone; /* the list is this one text, so it has no index */
};

/* Looks at an item and adds at most one finding. */
typedef enum bt_status skill_lint_item_fn(const struct bt_skill_lint *lint,
                                          const struct skill_lint_item *item);

/* Begin a finding about an item, which is also its param `name`. */
static void begin_item_finding(const struct bt_skill_lint *lint, const struct skill_lint_item *item,
                               const char *code, struct bt_finding_builder *remark)
{
    bt_skill_lint_begin(lint, remark, code, item->node);
    bt_skill_lint_put_pointer(remark, item->field);
    if (!item->is_alone) {
        bt_json_pointer_put_index(&remark->pointer, item->index);
    }
    bt_emit_member_string(&remark->emit, "name", item->node->text);
    bt_buf_put_quoted(&remark->message, item->node->text);
}

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
    struct bt_finding_builder remark;
    begin_item_finding(lint, item, "SKILL_DANGLING_EDGE", &remark);
    bt_buf_printf(&remark.message, " in %s is no discoverable skill", item->field->key);
    remark.finding.hint = BT_STR("correct the name, or add the skill");
    return bt_finding_builder_end(&remark, lint->findings);
}

static enum bt_status judge_return(const struct bt_skill_lint *lint,
                                   const struct skill_lint_item *item)
{
    const struct bt_skill *other = named_by(lint, item);
    if (!other || bt_skill_list_has(&other->accepts_from, lint->file->skill.name)) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    begin_item_finding(lint, item, "SKILL_ONE_WAY_EDGE", &remark);
    bt_buf_put_text(&remark.message, " does not accept work from ");
    bt_buf_put_quoted(&remark.message, lint->file->skill.name);
    remark.finding.hint = BT_STR("add this skill to accepts_from of the other");
    return bt_finding_builder_end(&remark, lint->findings);
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
    if (is_one_of(first, members, sizeof(members) / sizeof(members[0]))) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    begin_item_finding(lint, item, "SKILL_REQUIRES_IMPOSSIBLE", &remark);
    bt_buf_put_text(&remark.message, " can never be there: handoff has no member ");
    bt_buf_put_quoted(&remark.message, first);
    remark.finding.hint = BT_STR("begin the path with a member of handoff, such as context");
    return bt_finding_builder_end(&remark, lint->findings);
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
    if (is_one_of(item->node->text, categories, sizeof(categories) / sizeof(categories[0]))) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    begin_item_finding(lint, item, "SKILL_CATEGORY_UNKNOWN", &remark);
    bt_buf_put_text(&remark.message, " is a category of its own");
    return bt_finding_builder_end(&remark, lint->findings);
}

static enum bt_status each_item(const struct bt_skill_lint *lint,
                                const struct bt_skill_lint_field *field, skill_lint_item_fn *judge)
{
    const struct bt_yaml_node *list =
        bt_yaml_get(field->is_in_handoff ? lint->handoff : lint->front, bt_str_of(field->key));
    if (!list || list->kind == BT_YAML_MAPPING) {
        return BT_OK;
    }
    const bool is_alone = list->kind == BT_YAML_SCALAR;
    const size_t count = is_alone ? 1 : list->count;
    for (size_t i = 0; i < count; i++) {
        const struct skill_lint_item item = {field, is_alone ? list : &list->items[i], i, is_alone};
        const enum bt_yaml_type type = bt_yaml_type_of(item.node);
        if (type != BT_YAML_TYPE_NONE && type != BT_YAML_TYPE_NULL) {
            BT_TRY(judge(lint, &item));
        }
    }
    return BT_OK;
}

enum bt_status bt_skill_lint_lists(const struct bt_skill_lint *lint)
{
    static const struct {
        struct bt_skill_lint_field field;
        skill_lint_item_fn *judge;
    } rows[] = {
        {{"accepts_from", true}, judge_edge},    {{"provides_to", true}, judge_edge},
        {{"provides_to", true}, judge_return},   {{"requires", true}, judge_requirement},
        {{"categories", false}, judge_category},
    };
    static const struct bt_skill_lint_field older = {"handoff_categories", true};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        BT_TRY(each_item(lint, &rows[i].field, rows[i].judge));
    }
    /* A newer field wins, so the older one is judged only where it counts. */
    return bt_yaml_get(lint->front, BT_STR("categories")) ? BT_OK
                                                          : each_item(lint, &older, judge_category);
}
