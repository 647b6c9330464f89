/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_children.c - names and items, and what is left of both.
 */
#include "schema/machine.h"
#include "schema/quick.h"

bt_json_value bt_schema_name_value(const struct bt_json_member *member)
{
    /* Whether the name is ASCII is not known; to say that it is not, is always right. */
    return (bt_json_value){.type = BT_JSON_STRING,
                           .flags = BT_JSON_FLAG_NON_ASCII,
                           .size = member->name_size,
                           .as.text = member->name};
}

enum bt_schema_result bt_schema_name_run(struct bt_schema_machine *run,
                                         const struct bt_schema_block_ref *use,
                                         const bt_json_value *name)
{
    if (use->kind != BT_USE_BLOCK) {
        return bt_use_run(run, use, name);
    }
    /* At most one level deep: a name is not an object, so no propertyNames applies to it. The
     * memo knows values by their address, which the next name will have too. */
    const bool was_on = run->memo.is_on;
    const uint64_t lookups_before_start = run->memo.lookups_before_start;
    run->memo.is_on = false;
    run->memo.lookups_before_start = UINT64_MAX;
    const enum bt_schema_result answer = bt_schema_machine_run(run, bt_use_block(use), name);
    run->memo.is_on = was_on;
    run->memo.lookups_before_start = lookups_before_start;
    return answer;
}

enum bt_schema_step bt_schema_step_names(struct bt_schema_machine *run,
                                         const struct bt_schema_instr *at,
                                         const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return BT_SCHEMA_STEP_NEXT;
    }
    if (!bt_schema_run_charge(run, 1 + (uint64_t)value->size)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    for (uint32_t i = 0; i < value->size; i++) {
        const bt_json_value name = bt_schema_name_value(&value->as.members[i]);
        const enum bt_schema_result answer = bt_schema_name_run(run, &at->as.names->use, &name);
        if (answer != BT_SCHEMA_VALID) {
            return (enum bt_schema_step)answer;
        }
    }
    return BT_SCHEMA_STEP_NEXT;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as BT_RANK_MAX, whatever the document; see link.c */

/* The items from `item` on, by a block that needs the stack: one entry for all. */
static __attribute__((noinline)) enum bt_schema_result
push_items(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
           const bt_json_value *item, const bt_json_value *end)
{
    for (const bt_json_value *each = item; each < end; each++) {
        if (!bt_types_ok(run->document, use->types, each)) {
            return BT_SCHEMA_INVALID;
        }
    }
    struct bt_schema_stack_entry *entry = bt_run_push(run);
    if (!entry) {
        return BT_SCHEMA_UNDECIDED;
    }
    *entry = (struct bt_schema_stack_entry){
        .at = use->rest, .value = item, .kind = BT_ENTRY_ITEMS, .count = (uint32_t)(end - item)};
    return BT_SCHEMA_VALID;
}

/* Lists whose items pass by their types, as points do: the first from `item` on that is none, or
 * that the slice of work does not suffice for. */
static const bt_json_value *pass_lists(struct bt_schema_machine *run,
                                       const struct bt_schema_items *items,
                                       const bt_json_value *item, const bt_json_value *end)
{
    const unsigned passes = items->rest.passes;
    int64_t slice = run->fuel.slice;
    for (; item < end && bt_json_type(item) == BT_JSON_ARRAY; item++) {
        const int64_t left = slice - 1 - (int64_t)item->size;
        if (item->size < items->low || item->size > items->high || left < 0) {
            break;
        }
        const bt_json_value *child = item->as.items;
        const bt_json_value *last = child + item->size;
        while (child < last && (passes >> child->type & 1) != 0) {
            child++;
        }
        if (child < last) {
            break;
        }
        slice = left;
    }
    run->fuel.slice = slice;
    return item;
}

/* The first item from `item` on that does not pass a quick look for integers. */
static const bt_json_value *pass_integers(const struct bt_schema_quick *quick,
                                          const bt_json_value *item, const bt_json_value *end)
{
    const uint64_t low = (uint64_t)quick->low;
    const uint64_t span = quick->span;
    while (item < end && quick->has_integers && bt_json_type(item) == BT_JSON_INTEGER &&
           (uint64_t)item->as.integer - low <= span) {
        item++;
    }
    return item;
}

/* The first item from `item` on of a list of equal values that has to be looked at on its own. */
static const bt_json_value *pass_equal(struct bt_schema_machine *run,
                                       const struct bt_schema_block_ref *use,
                                       const bt_json_value *item, const bt_json_value *end)
{
    const struct bt_schema_instr *at = use->rest;
    if (use->kind == BT_USE_ITEMS && at->as.items->prefix_count == 0 &&
        (at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) == 0) {
        return pass_lists(run, at->as.items, item, end);
    }
    return use->kind == BT_USE_QUICK && (use->types >> BT_JSON_INTEGER & 1) != 0
               ? pass_integers(at->as.quick, item, end)
               : item;
}

/* The items from `item` on, of which there is one, each on its own. */
static __attribute__((noinline)) enum bt_schema_result
judge_each(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
           const bt_json_value *item, const bt_json_value *end)
{
    do {
        /* Most arrays that come here are lists of objects. */
        const bool is_object = use->kind == BT_USE_OBJECT && bt_json_type(item) == BT_JSON_OBJECT;
        const enum bt_schema_result answer =
            is_object ? bt_schema_leaf_object(run, use->rest, item) : bt_use_run(run, use, item);
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    } while (++item < end);
    return BT_SCHEMA_VALID;
}

/* Items that may pass many at a time: lists and integers. */
static __attribute__((noinline)) enum bt_schema_result
judge_equal(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
            const bt_json_value *item, const bt_json_value *end)
{
    item = pass_equal(run, use, item, end);
    return item == end ? BT_SCHEMA_VALID : judge_each(run, use, item, end);
}

/* The items from `item` on, of which there is one, by a use that does not pass it by its type. */
static inline enum bt_schema_result judge_some(struct bt_schema_machine *run,
                                               const struct bt_schema_block_ref *use,
                                               const bt_json_value *item, const bt_json_value *end)
{
    if (use->kind == BT_USE_BLOCK) {
        return push_items(run, use, item, end);
    }
    if (!BT_SCHEMA_IS_SMALL && use->kind == BT_USE_OBJECT && use->rest->number >= BT_OBJECT_FEW) {
        return bt_schema_leaf_objects(run, use, item, end);
    }
    return !BT_SCHEMA_IS_SMALL && (use->kind == BT_USE_ITEMS || use->kind == BT_USE_QUICK)
               ? judge_equal(run, use, item, end)
               : judge_each(run, use, item, end);
}

/* The items from `from` on, all by one block. Where types decide, this is all there is to do. */
static inline enum bt_schema_result rest_of(struct bt_schema_machine *run,
                                            const struct bt_schema_block_ref *use,
                                            const bt_json_value *array, uint32_t from)
{
    const bt_json_value *item = array->as.items + from;
    const bt_json_value *end = array->as.items + array->size;
    const unsigned passes = use->passes;
    while (item < end && (passes >> item->type & 1) != 0) {
        item++;
    }
    return item == end ? BT_SCHEMA_VALID : judge_some(run, use, item, end);
}

/* What differs from item to item. */
static __attribute__((noinline)) enum bt_schema_result prefix_of(struct bt_schema_machine *run,
                                                                 const struct bt_schema_instr *at,
                                                                 const bt_json_value *array)
{
    const struct bt_schema_items *items = at->as.items;
    const uint32_t prefix = items->prefix_count < array->size ? items->prefix_count : array->size;
    for (uint32_t i = 0; i < prefix; i++) {
        const enum bt_schema_result answer =
            bt_use_run(run, &items->prefix[i], &array->as.items[i]);
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    }
    if ((at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0) {
        bt_schema_evaluated_set_first(run, items->rest.kind != BT_USE_NONE ? array->size : prefix);
    }
    return rest_of(run, &items->rest, array, prefix);
}

static inline enum bt_schema_result judge_items(struct bt_schema_machine *run,
                                                const struct bt_schema_instr *at,
                                                const bt_json_value *array)
{
    const struct bt_schema_items *items = at->as.items;
    if (array->size < items->low || array->size > items->high) {
        return BT_SCHEMA_INVALID;
    }
    const bool is_simple =
        items->prefix_count == 0 && (at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) == 0;
    return is_simple ? rest_of(run, &items->rest, array, 0) : prefix_of(run, at, array);
}

static __attribute__((noinline)) enum bt_schema_result
items_refuel(struct bt_schema_machine *run, const struct bt_schema_instr *at,
             const bt_json_value *array)
{
    return bt_schema_run_check_budget(run) ? judge_items(run, at, array) : BT_SCHEMA_UNDECIDED;
}

enum bt_schema_result bt_schema_leaf_items(struct bt_schema_machine *run,
                                           const struct bt_schema_instr *at,
                                           const bt_json_value *array)
{
    return (bt_schema_run_use_work(run, 1 + (uint64_t)array->size) ? judge_items(run, at, array)
                                                                   : items_refuel(run, at, array));
}

/* NOLINTEND(misc-no-recursion) */

enum bt_schema_step bt_schema_step_unevaluated(struct bt_schema_machine *run,
                                               const struct bt_schema_instr *at,
                                               const bt_json_value *value)
{
    const bool of_items = at->as.unevaluated->of_items;
    if (bt_json_type(value) != (of_items ? BT_JSON_ARRAY : BT_JSON_OBJECT)) {
        return BT_SCHEMA_STEP_NEXT;
    }
    if (!bt_schema_run_charge(run, 1 + (uint64_t)value->size)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    for (uint32_t i = 0; i < value->size; i++) {
        if (bt_schema_evaluated_has(run, i)) {
            continue;
        }
        const bt_json_value *child = of_items ? &value->as.items[i] : &value->as.members[i].value;
        const enum bt_schema_result answer = bt_use_run(run, &at->as.unevaluated->use, child);
        if (answer != BT_SCHEMA_VALID) {
            return (enum bt_schema_step)answer;
        }
    }
    bt_schema_evaluated_set_first(run, value->size);
    return BT_SCHEMA_STEP_NEXT;
}
