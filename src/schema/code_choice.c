/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_choice.c - alternatives and conditions: anyOf, oneOf, not, if, dependentSchemas and their
 * counterparts in older drafts.
 */
#include <assert.h>

#include "schema/code.h"

static struct bt_schema_block_ref use_of_types(unsigned types)
{
    return (struct bt_schema_block_ref){
        .types = (uint16_t)types, .kind = BT_USE_TYPES, .passes = types & BT_SCHEMA_TYPE_SET_ALL};
}

/*
 * A branch cannot pass for a value of a type that it does not accept, so it need not be tried: what
 * blocks say they accept is never too little.
 */
static void prune_branches(const struct bt_schema_coder *coder, struct bt_schema_choice *choice)
{
    choice->is_pruned = choice->count <= 64;
    for (uint32_t i = 0; choice->is_pruned && i < choice->count; i++) {
        const unsigned accepts = bt_schema_code_accepts(coder, &choice->branches[i]);
        for (unsigned type = BT_JSON_NULL; type <= BT_JSON_OBJECT; type++) {
            choice->by_type[type] |= (uint64_t)(accepts >> type & 1) << i;
        }
    }
}

static enum bt_status finish_choice(struct bt_schema_coder *coder, enum bt_schema_op op,
                                    enum bt_schema_keyword keyword, struct bt_schema_choice *choice)
{
    const bool is_tracked = coder->is_tracked && op != BT_SCHEMA_OP_NOT;
    prune_branches(coder, choice);
    return bt_schema_code_instr(coder, (struct bt_schema_instr){
                                           .op = (uint8_t)op,
                                           .flags = is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0,
                                           .types = BT_SCHEMA_TYPE_SET_ALL,
                                           .number = keyword,
                                           .as.choice = choice,
                                       });
}

static enum bt_status new_choice(struct bt_schema_coder *coder, size_t count,
                                 struct bt_schema_choice **out_choice,
                                 struct bt_schema_block_ref **out_uses)
{
    *out_choice = BT_NEW(coder->arena, struct bt_schema_choice);
    *out_uses = BT_NEW_ARRAY(coder->arena, struct bt_schema_block_ref, count + 1);
    if (!*out_choice || !*out_uses) {
        return BT_ENOMEM;
    }
    (*out_choice)->branches = *out_uses;
    (*out_choice)->count = (uint32_t)count;
    return BT_OK;
}

static enum bt_status code_list(struct bt_schema_coder *coder, enum bt_schema_op op,
                                enum bt_schema_keyword keyword)
{
    const bt_json_value *list = bt_schema_code_keyword(coder, keyword);
    if (!list || bt_json_type(list) != BT_JSON_ARRAY) {
        return BT_OK;
    }
    struct bt_schema_choice *choice = NULL;
    struct bt_schema_block_ref *uses = NULL;
    BT_TRY(new_choice(coder, bt_json_count(list), &choice, &uses));
    for (size_t i = 0; i < choice->count; i++) {
        BT_TRY(bt_schema_code_use(coder, &bt_json_items(list)[i], coder->is_tracked, &uses[i]));
    }
    BT_TRY(bt_schema_code_switch(coder, choice, list));
    return finish_choice(coder, op, keyword, choice);
}

static enum bt_status code_not(struct bt_schema_coder *coder)
{
    const bt_json_value *schema = bt_schema_code_keyword(coder, BT_SCHEMA_KW_NOT);
    if (!schema) {
        return BT_OK;
    }
    struct bt_schema_choice *choice = NULL;
    struct bt_schema_block_ref *uses = NULL;
    BT_TRY(new_choice(coder, 1, &choice, &uses));
    BT_TRY(bt_schema_code_use(coder, schema, false, &uses[0]));
    return finish_choice(coder, BT_SCHEMA_OP_NOT, BT_SCHEMA_KW_NOT, choice);
}

static enum bt_status code_if(struct bt_schema_coder *coder)
{
    const bt_json_value *test = bt_schema_code_keyword(coder, BT_SCHEMA_KW_IF);
    const bt_json_value *then = bt_schema_code_keyword(coder, BT_SCHEMA_KW_THEN);
    const bt_json_value *otherwise = bt_schema_code_keyword(coder, BT_SCHEMA_KW_ELSE);
    if (!test || (!then && !otherwise && !coder->is_tracked)) {
        return BT_OK;
    }
    struct bt_schema_condition *condition = BT_NEW(coder->arena, struct bt_schema_condition);
    if (!condition) {
        return BT_ENOMEM;
    }
    condition->then = BT_USE_ANYTHING;
    condition->otherwise = BT_USE_ANYTHING;
    BT_TRY(bt_schema_code_use(coder, test, coder->is_tracked, &condition->test));
    if (then) {
        BT_TRY(bt_schema_code_use(coder, then, coder->is_tracked, &condition->then));
    }
    if (otherwise) {
        BT_TRY(bt_schema_code_use(coder, otherwise, coder->is_tracked, &condition->otherwise));
    }
    return bt_schema_code_instr(coder,
                                (struct bt_schema_instr){
                                    .op = BT_SCHEMA_OP_IF,
                                    .flags = coder->is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0,
                                    .types = BT_SCHEMA_TYPE_SET_ALL,
                                    .number = BT_SCHEMA_KW_IF,
                                    .as.condition = condition,
                                });
}

/* A schema that holds when a member is there, or has a certain value. */
static enum bt_status code_when(struct bt_schema_coder *coder, enum bt_schema_keyword keyword,
                                bt_str name, const bt_str *value, const bt_json_value *schema)
{
    if (bt_schema_frame_node(coder->frame, schema) == BT_NO_NODE) {
        return BT_OK; /* a list of names: see code_object.c */
    }
    struct bt_schema_guard *when = BT_NEW(coder->arena, struct bt_schema_guard);
    if (!when) {
        return BT_ENOMEM;
    }
    when->name = name;
    when->name_hash = bt_json_name_hash(bt_schema_code_doc(coder), name);
    when->has_value = value != NULL;
    when->value = value ? *value : BT_STR("");
    BT_TRY(bt_schema_code_use(coder, schema, coder->is_tracked, &when->use));
    return bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_WHEN,
                                                                .types = BT_SCHEMA_TYPE_SET_OBJECT,
                                                                .number = keyword,
                                                                .as.when = when});
}

static enum bt_status code_dependent(struct bt_schema_coder *coder, enum bt_schema_keyword keyword)
{
    const bt_json_value *map = bt_schema_code_keyword(coder, keyword);
    const struct bt_json_member *members = map ? bt_json_members(map) : NULL;
    for (size_t i = 0; members && i < bt_json_count(map); i++) {
        BT_TRY(code_when(coder, keyword, bt_json_name(&members[i]), NULL, &members[i].value));
    }
    return BT_OK;
}

static enum bt_status code_by_value(struct bt_schema_coder *coder)
{
    const enum bt_schema_keyword keyword = BT_SCHEMA_KW_PROPERTY_DEPENDENCIES;
    const bt_json_value *map = bt_schema_code_keyword(coder, keyword);
    const struct bt_json_member *members = map ? bt_json_members(map) : NULL;
    for (size_t i = 0; members && i < bt_json_count(map); i++) {
        const struct bt_json_member *values = bt_json_members(&members[i].value);
        for (size_t k = 0; values && k < bt_json_count(&members[i].value); k++) {
            const bt_str value = bt_json_name(&values[k]);
            BT_TRY(code_when(coder, keyword, bt_json_name(&members[i]), &value, &values[k].value));
        }
    }
    return BT_OK;
}

/* Schemas that all hold: allOf, and draft 3's extends. */
static enum bt_status code_all(struct bt_schema_coder *coder, enum bt_schema_keyword keyword)
{
    const struct bt_schema_node node = *bt_schema_code_node(coder);
    for (uint32_t i = 0; i < node.edges_count; i++) {
        const struct bt_schema_edge edge = coder->frame->edges.items[node.edges + i];
        if (edge.keyword == keyword) {
            BT_TRY(bt_schema_code_in_place(coder, edge.to));
        }
    }
    return BT_OK;
}

/* Draft 3: types, among them schemas, of which one must hold. */
static enum bt_status code_union(struct bt_schema_coder *coder)
{
    const bt_json_value *type = bt_schema_code_keyword(coder, BT_SCHEMA_KW_TYPE);
    if (!type || bt_schema_code_draft(coder) != BT_SCHEMA_DRAFT_3 ||
        !bt_schema_code_is_union(type)) {
        return BT_OK;
    }
    const bool is_one = bt_json_type(type) == BT_JSON_OBJECT;
    struct bt_schema_choice *choice = NULL;
    struct bt_schema_block_ref *uses = NULL;
    BT_TRY(new_choice(coder, is_one ? 1 : bt_json_count(type), &choice, &uses));
    for (size_t i = 0; i < choice->count; i++) {
        const bt_json_value *item = is_one ? type : &type->as.items[i];
        if (bt_json_type(item) == BT_JSON_OBJECT) {
            BT_TRY(bt_schema_code_use(coder, item, coder->is_tracked, &uses[i]));
        } else {
            uses[i] = use_of_types(bt_schema_code_types_of(bt_json_text(item), BT_SCHEMA_DRAFT_3));
        }
    }
    return finish_choice(coder, BT_SCHEMA_OP_ANY, BT_SCHEMA_KW_TYPE, choice);
}

/* Draft 3: types and schemas of which none may hold. */
static enum bt_status code_disallow(struct bt_schema_coder *coder)
{
    const bt_json_value *list = bt_schema_code_keyword(coder, BT_SCHEMA_KW_DISALLOW);
    if (!list) {
        return BT_OK;
    }
    const bool is_list = bt_json_type(list) == BT_JSON_ARRAY;
    for (size_t i = 0; i < (is_list ? bt_json_count(list) : 1); i++) {
        const bt_json_value *item = is_list ? &list->as.items[i] : list;
        struct bt_schema_choice *choice = NULL;
        struct bt_schema_block_ref *uses = NULL;
        BT_TRY(new_choice(coder, 1, &choice, &uses));
        if (bt_json_type(item) == BT_JSON_OBJECT) {
            BT_TRY(bt_schema_code_use(coder, item, false, &uses[0]));
        } else {
            uses[0] = use_of_types(bt_schema_code_types_of(bt_json_text(item), BT_SCHEMA_DRAFT_3));
        }
        BT_TRY(finish_choice(coder, BT_SCHEMA_OP_NOT, BT_SCHEMA_KW_DISALLOW, choice));
    }
    return BT_OK;
}

enum bt_status bt_schema_code_choices(struct bt_schema_coder *coder)
{
    BT_TRY(code_all(coder, BT_SCHEMA_KW_ALL_OF));
    BT_TRY(code_all(coder, BT_SCHEMA_KW_EXTENDS));
    BT_TRY(code_dependent(coder, BT_SCHEMA_KW_DEPENDENCIES));
    BT_TRY(code_dependent(coder, BT_SCHEMA_KW_DEPENDENT_SCHEMAS));
    BT_TRY(code_by_value(coder));
    BT_TRY(code_union(coder));
    BT_TRY(code_disallow(coder));
    BT_TRY(code_if(coder));
    BT_TRY(code_not(coder));
    BT_TRY(code_list(coder, BT_SCHEMA_OP_ANY, BT_SCHEMA_KW_ANY_OF));
    return code_list(coder, BT_SCHEMA_OP_ONE, BT_SCHEMA_KW_ONE_OF);
}
