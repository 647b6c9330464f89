/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_children.c - members and items.
 */
#include <string.h>

#include "schema/machine.h"
#include "schema/names.h"

const struct bt_property *bt_run_find(const struct bt_run *run, const struct bt_object *object,
                                      const struct bt_json_member *member)
{
    return object->count == 0
               ? NULL
               : bt_names_find(object, member, bt_run_hash(run, member), run->document->source.ptr,
                               bt_names_reach(run->document->source));
}

/* NOLINTBEGIN(misc-no-recursion): as deep as BT_RANK_MAX, whatever the document; see link.c */

/* Properties, required names and additional properties, in one pass over the members. Name hashes
 * are those of the schema. */
static enum bt_step object_plain(struct bt_run *run, const struct bt_object *object,
                                 const bt_value *value)
{
    const struct bt_json_member *member = value->as.members;
    const struct bt_json_member *end = member + value->size;
    const char *source = run->document->source.ptr;
    const size_t reach = bt_names_reach(run->document->source);
    uint64_t missing = object->required;
    for (; member < end; member++) {
        const struct bt_property *property =
            bt_names_find(object, member, member->name_hash, source, reach);
        const struct bt_use *use = &object->additional;
        if (property) {
            missing &= ~(UINT64_C(1) << property->bit);
            use = &property->use;
        } else if (use->kind == BT_USE_NONE) {
            continue;
        }
        const enum bt_step step = bt_step_apply(run, use, &member->value);
        if (step != BT_STEP_NEXT) {
            return step;
        }
    }
    return missing == 0 ? BT_STEP_NEXT : BT_STEP_FAIL;
}

/*
 * Few properties, and other members may be anything: each property is looked for among the members,
 * which takes one comparison of hashes per member.
 */
static enum bt_step object_few(struct bt_run *run, const struct bt_object *object,
                               const bt_value *value)
{
    const struct bt_json_member *end = value->as.members + value->size;
    const char *source = run->document->source.ptr;
    const size_t reach = bt_names_reach(run->document->source);
    for (uint32_t i = 0; i < object->count; i++) {
        const struct bt_property *property = &object->properties[i];
        const uint32_t hash = object->few[i];
        bool is_there = false;
        for (const struct bt_json_member *member = value->as.members; member < end; member++) {
            if (member->name_hash != hash || !bt_property_is(property, member, source, reach)) {
                continue;
            }
            is_there = true;
            const enum bt_step step = bt_step_apply(run, &property->use, &member->value);
            if (step != BT_STEP_NEXT) {
                return step;
            }
        }
        if (!is_there && property->bit != BT_NO_BIT) {
            return BT_STEP_FAIL;
        }
    }
    return BT_STEP_NEXT;
}

/* No property has a name: all members are judged alike. */
static enum bt_step object_map(struct bt_run *run, const struct bt_object *object,
                               const bt_value *value)
{
    const struct bt_use *use = &object->additional;
    const struct bt_json_member *member = value->as.members;
    const struct bt_json_member *end = member + value->size;
    for (; use->kind != BT_USE_NONE && member < end; member++) {
        const enum bt_step step = bt_step_apply(run, use, &member->value);
        if (step != BT_STEP_NEXT) {
            return step;
        }
    }
    return BT_STEP_NEXT;
}

/* An object with all that can be asked of it. */
struct visit {
    struct bt_run *run;
    const struct bt_object *object;
    bool is_tracked;
    uint64_t *seen; /* bit per property whose presence matters */
};

static enum bt_step visit_patterns(const struct visit *visit, const struct bt_json_member *member,
                                   bool *evaluated)
{
    const struct bt_object *object = visit->object;
    for (uint32_t i = 0; i < object->patterns_count; i++) {
        const struct bt_name_pattern *pattern = &object->patterns[i];
        const enum bt_schema_answer match =
            bt_leaf_match(visit->run, pattern->regex, bt_json_name(member));
        if (match == BT_SCHEMA_LIMIT) {
            return BT_STEP_LIMIT;
        }
        if (match == BT_SCHEMA_VALID) {
            *evaluated = true;
            const enum bt_step step = bt_step_apply(visit->run, &pattern->use, &member->value);
            if (step != BT_STEP_NEXT) {
                return step;
            }
        }
    }
    return BT_STEP_NEXT;
}

static enum bt_step visit_member(const struct visit *visit, const struct bt_json_member *member,
                                 bool *evaluated)
{
    const struct bt_object *object = visit->object;
    const struct bt_property *property = bt_run_find(visit->run, object, member);
    if (property) {
        const size_t index = (size_t)(property - object->properties);
        if (index < object->present_count) {
            visit->seen[index / 64] |= UINT64_C(1) << index % 64;
        }
        const struct bt_use *use = &property->use;
        if (use->kind != BT_USE_NONE) {
            *evaluated = true;
            const enum bt_step step = bt_step_apply(visit->run, use, &member->value);
            if (step != BT_STEP_NEXT) {
                return step;
            }
        }
    }
    const enum bt_step step = visit_patterns(visit, member, evaluated);
    if (step != BT_STEP_NEXT || *evaluated) {
        return step;
    }
    *evaluated = object->additional.kind != BT_USE_NONE;
    return bt_step_apply(visit->run, &object->additional, &member->value);
}

static bool is_seen(const struct visit *visit, uint32_t index)
{
    return (visit->seen[index / 64] >> index % 64 & 1) != 0;
}

/* What must be there, is it? */
static bool is_complete(const struct visit *visit)
{
    const struct bt_object *object = visit->object;
    if (object->present_count > 0 && (object->required & ~visit->seen[0]) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < object->required_more_count; i++) {
        if (!is_seen(visit, object->required_more[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < object->dependencies_count; i++) {
        const struct bt_dependency *dependency = &object->dependencies[i];
        for (uint32_t k = 0; is_seen(visit, dependency->trigger) && k < dependency->needed_count;
             k++) {
            if (!is_seen(visit, dependency->needed[k])) {
                return false;
            }
        }
    }
    return true;
}

static enum bt_step object_whole(const struct visit *visit, const bt_value *value)
{
    for (uint32_t i = 0; i < value->size; i++) {
        bool evaluated = false;
        const enum bt_step step = visit_member(visit, &value->as.members[i], &evaluated);
        if (step != BT_STEP_NEXT) {
            return step;
        }
        if (visit->is_tracked && evaluated) {
            bt_marks_set(visit->run, i);
        }
    }
    return is_complete(visit) ? BT_STEP_NEXT : BT_STEP_FAIL;
}

enum { SEEN_WORDS = 4 }; /* enough for most; more are taken from the arena */

/* Apart from the plain way, so that its memory on the stack costs the others nothing. */
static __attribute__((noinline)) enum bt_step
object_rich(struct bt_run *run, const struct bt_instr *at, const bt_value *value)
{
    const struct bt_object *object = at->as.object;
    uint64_t few[SEEN_WORDS] = {0};
    struct visit visit = {run, object, (at->flags & BT_FLAG_TRACKED) != 0, few};
    if (object->present_count <= 64 * SEEN_WORDS) {
        return object_whole(&visit, value);
    }
    const struct bt_arena_mark mark = bt_arena_mark(&run->scratch);
    visit.seen = BT_NEW_ARRAY(&run->scratch, uint64_t, object->present_count / 64 + 1);
    const enum bt_step step =
        visit.seen ? object_whole(&visit, value) : (enum bt_step)bt_run_stop(run, BT_SPENT_WORK);
    bt_arena_rewind(&run->scratch, mark);
    return step;
}

enum bt_schema_answer bt_leaf_object(struct bt_run *run, const struct bt_instr *at,
                                     const bt_value *value)
{
    if (!bt_run_pay(run, 1 + (uint64_t)value->size)) {
        return BT_SCHEMA_LIMIT;
    }
    const struct bt_object *object = at->as.object;
    if (!object->is_plain || !run->same_seed) {
        return (enum bt_schema_answer)object_rich(run, at, value);
    }
    return (enum bt_schema_answer)(object->is_few       ? object_few(run, object, value)
                                   : object->count == 0 ? object_map(run, object, value)
                                                        : object_plain(run, object, value));
}

enum bt_step bt_step_object(struct bt_run *run, const struct bt_instr *at, const bt_value *value)
{
    return bt_json_type(value) == BT_JSON_OBJECT ? (enum bt_step)bt_leaf_object(run, at, value)
                                                 : BT_STEP_NEXT;
}

/* NOLINTEND(misc-no-recursion) */

bt_value bt_name_value(const struct bt_json_member *member)
{
    /* Whether the name is ASCII is not known; to say that it is not, is always right. */
    return (bt_value){.type = BT_JSON_STRING,
                      .flags = BT_JSON_NON_ASCII,
                      .size = member->name_size,
                      .as.text = member->name};
}

enum bt_schema_answer bt_name_run(struct bt_run *run, const struct bt_use *use,
                                  const bt_value *name)
{
    if (!bt_types_ok(run->document, use->types, name)) {
        return BT_SCHEMA_INVALID;
    }
    if (use->kind <= BT_USE_TYPES) {
        return BT_SCHEMA_VALID;
    }
    if (use->kind != BT_USE_BLOCK) {
        return bt_leaf_use(run, use, name);
    }
    /* One level deep and no more: a name is no object, so no propertyNames applies to it. The memo
     * knows values by their address, which the next name will have too. */
    const bool was_on = run->memo.is_on;
    const uint64_t asked_before = run->memo.asked_before;
    run->memo.is_on = false;
    run->memo.asked_before = UINT64_MAX;
    const enum bt_schema_answer answer = bt_machine_run(run, use->code, name);
    run->memo.is_on = was_on;
    run->memo.asked_before = asked_before;
    return answer;
}

enum bt_step bt_step_names(struct bt_run *run, const struct bt_instr *at, const bt_value *value)
{
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return BT_STEP_NEXT;
    }
    if (!bt_run_pay(run, 1 + (uint64_t)value->size)) {
        return BT_STEP_LIMIT;
    }
    for (uint32_t i = 0; i < value->size; i++) {
        const bt_value name = bt_name_value(&value->as.members[i]);
        const enum bt_schema_answer answer = bt_name_run(run, &at->as.names->use, &name);
        if (answer != BT_SCHEMA_VALID) {
            return (enum bt_step)answer;
        }
    }
    return BT_STEP_NEXT;
}

/* The items from `from` on, all by one block. */
static enum bt_step rest_of(struct bt_run *run, const struct bt_use *use, const bt_value *array,
                            uint32_t from)
{
    const bt_value *item = array->as.items + from;
    const bt_value *end = array->as.items + array->size;
    if (use->kind == BT_USE_NONE || item >= end) {
        return BT_STEP_NEXT;
    }
    for (const bt_value *each = item; each < end; each++) {
        if (!bt_types_ok(run->document, use->types, each)) {
            return BT_STEP_FAIL;
        }
    }
    if (use->kind != BT_USE_BLOCK) {
        for (; item < end; item++) {
            const enum bt_schema_answer answer = bt_leaf_use(run, use, item);
            if (answer != BT_SCHEMA_VALID) {
                return (enum bt_step)answer;
            }
        }
    } else {
        struct bt_entry *entry = bt_run_push(run);
        if (!entry) {
            return BT_STEP_LIMIT;
        }
        *entry = (struct bt_entry){.at = use->code + use->skip,
                                   .value = item,
                                   .kind = BT_ENTRY_ITEMS,
                                   .count = (uint32_t)(end - item)};
    }
    return BT_STEP_NEXT;
}

enum bt_step bt_step_items(struct bt_run *run, const struct bt_instr *at, const bt_value *value)
{
    if (bt_json_type(value) != BT_JSON_ARRAY) {
        return BT_STEP_NEXT;
    }
    if (!bt_run_pay(run, 1 + (uint64_t)value->size)) {
        return BT_STEP_LIMIT;
    }
    const struct bt_items *items = at->as.items;
    const uint32_t prefix = items->prefix_count < value->size ? items->prefix_count : value->size;
    for (uint32_t i = 0; i < prefix; i++) {
        const enum bt_step step = bt_step_apply(run, &items->prefix[i], &value->as.items[i]);
        if (step != BT_STEP_NEXT) {
            return step;
        }
    }
    if ((at->flags & BT_FLAG_TRACKED) != 0) {
        bt_marks_set_first(run, items->rest.kind != BT_USE_NONE ? value->size : prefix);
    }
    return rest_of(run, &items->rest, value, prefix);
}

enum bt_step bt_step_unevaluated(struct bt_run *run, const struct bt_instr *at,
                                 const bt_value *value)
{
    const bool of_items = at->as.unevaluated->of_items;
    if (bt_json_type(value) != (of_items ? BT_JSON_ARRAY : BT_JSON_OBJECT)) {
        return BT_STEP_NEXT;
    }
    if (!bt_run_pay(run, 1 + (uint64_t)value->size)) {
        return BT_STEP_LIMIT;
    }
    for (uint32_t i = 0; i < value->size; i++) {
        if (bt_marks_has(run, i)) {
            continue;
        }
        const bt_value *child = of_items ? &value->as.items[i] : &value->as.members[i].value;
        const enum bt_step step = bt_step_apply(run, &at->as.unevaluated->use, child);
        if (step != BT_STEP_NEXT) {
            return step;
        }
    }
    bt_marks_set_first(run, value->size);
    return BT_STEP_NEXT;
}
