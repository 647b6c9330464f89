/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_array.c - the keywords about items.
 */
#include "schema/code.h"
#include "schema/number.h"

/* The schemas of the first items, one by one. */
static enum bt_status code_prefix(struct bt_schema_coder *coder, const bt_json_value *list,
                                  struct bt_schema_items *items)
{
    const size_t count = bt_json_count(list);
    struct bt_schema_block_ref *uses =
        BT_NEW_ARRAY(coder->arena, struct bt_schema_block_ref, count + 1);
    if (!uses) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_schema_code_use(coder, &bt_json_items(list)[i], false, &uses[i]));
    }
    items->prefix = uses;
    items->prefix_count = (uint32_t)count;
    return BT_OK;
}

/*
 * When the previous instruction is about the number of items, the fast run need not see it: the
 * ITEMS instruction checks both. They stay adjacent, because a copy of a block copies all of it.
 */
static void join_count(const struct bt_schema_coder *coder, struct bt_schema_items *items)
{
    const struct bt_schema_instr *before =
        coder->code.count > 0 ? &coder->code.items[coder->code.count - 1] : NULL;
    if (before && before->op == BT_SCHEMA_OP_COUNT && before->types == BT_SCHEMA_TYPE_SET_ARRAY) {
        items->low = before->number;
        items->high = before->as.limit;
    }
}

static enum bt_status code_items(struct bt_schema_coder *coder)
{
    const bt_json_value *prefix = bt_schema_code_keyword(coder, BT_SCHEMA_KW_PREFIX_ITEMS);
    const bt_json_value *rest = bt_schema_code_keyword(coder, BT_SCHEMA_KW_ITEMS);
    if (bt_schema_code_draft(coder) < BT_SCHEMA_DRAFT_2020_12) {
        /* There `items` may be a list, and additionalItems counts only then. */
        const bool is_list = rest && bt_json_type(rest) == BT_JSON_ARRAY;
        prefix = is_list ? rest : NULL;
        rest = is_list ? bt_schema_code_keyword(coder, BT_SCHEMA_KW_ADDITIONAL_ITEMS) : rest;
    }
    prefix = prefix && bt_json_type(prefix) == BT_JSON_ARRAY ? prefix : NULL;
    if (!prefix && !rest) {
        return BT_OK;
    }
    struct bt_schema_items *items = BT_NEW(coder->arena, struct bt_schema_items);
    if (!items) {
        return BT_ENOMEM;
    }
    items->rest = BT_USE_ANYTHING;
    items->high = BT_NO_LIMIT;
    join_count(coder, items);
    if (prefix) {
        BT_TRY(code_prefix(coder, prefix, items));
    }
    if (rest) {
        BT_TRY(bt_schema_code_use(coder, rest, false, &items->rest));
    }
    return bt_schema_code_instr(
        coder,
        (struct bt_schema_instr){.op = BT_SCHEMA_OP_ITEMS,
                                 .types = BT_SCHEMA_TYPE_SET_ARRAY,
                                 .flags = coder->is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0,
                                 .as.items = items});
}

static enum bt_status code_contains(struct bt_schema_coder *coder)
{
    const bt_json_value *schema = bt_schema_code_keyword(coder, BT_SCHEMA_KW_CONTAINS);
    if (!schema) {
        return BT_OK;
    }
    struct bt_schema_contains *contains = BT_NEW(coder->arena, struct bt_schema_contains);
    if (!contains) {
        return BT_ENOMEM;
    }
    contains->low = 1;
    contains->high = BT_NO_LIMIT;
    const bt_json_value *low = bt_schema_code_keyword(coder, BT_SCHEMA_KW_MIN_CONTAINS);
    const bt_json_value *high = bt_schema_code_keyword(coder, BT_SCHEMA_KW_MAX_CONTAINS);
    uint64_t number = 0;
    if (low && bt_schema_count_of(bt_schema_code_doc(coder), low, &number)) {
        contains->low = number;
    }
    if (high && bt_schema_count_of(bt_schema_code_doc(coder), high, &number)) {
        contains->high = number;
    }
    /* From 2020-12 on, an item that `contains` accepts is evaluated. */
    const bool is_tracked =
        coder->is_tracked && bt_schema_code_draft(coder) >= BT_SCHEMA_DRAFT_2020_12;
    if (contains->low == 0 && contains->high == BT_NO_LIMIT && !is_tracked) {
        return BT_OK;
    }
    BT_TRY(bt_schema_code_use(coder, schema, false, &contains->use));
    return bt_schema_code_instr(
        coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_CONTAINS,
                                        .types = BT_SCHEMA_TYPE_SET_ARRAY,
                                        .flags = is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0,
                                        .as.contains = contains});
}

enum bt_status bt_schema_code_array(struct bt_schema_coder *coder)
{
    BT_TRY(code_items(coder));
    return code_contains(coder);
}
