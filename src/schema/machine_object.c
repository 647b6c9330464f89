/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_object.c - members: the OBJECT instruction.
 *
 * Most of the time of a run is spent here, so there is one loop for each object plan, each in its
 * own function: what one keeps in registers does not slow down the others.
 */
#include "schema/machine.h"
#include "schema/names.h"
#include "schema/quick.h"

const struct bt_schema_property *bt_schema_machine_find(const struct bt_schema_machine *run,
                                                        const struct bt_schema_object *object,
                                                        const struct bt_json_member *member)
{
    const uint64_t key = bt_name_key(member->name_size, bt_run_hash(run, member));
    return bt_schema_names_find(object, member, key, false);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as BT_RANK_MAX, whatever the document; see link.c */

/* What the patterns say that match the member's name; *evaluated is set when one does. */
static enum bt_schema_result visit_patterns(struct bt_schema_machine *run,
                                            const struct bt_schema_object *object,
                                            const struct bt_json_member *member, bool *evaluated)
{
    for (uint32_t i = 0; i < object->patterns_count; i++) {
        const struct bt_schema_name_pattern *pattern = &object->patterns[i];
        const enum bt_schema_result match =
            bt_schema_leaf_match(run, pattern->regex, bt_json_name(member));
        if (match == BT_SCHEMA_UNDECIDED) {
            return BT_SCHEMA_UNDECIDED;
        }
        if (match == BT_SCHEMA_VALID) {
            *evaluated = true;
            const enum bt_schema_result answer = bt_use_run(run, &pattern->use, &member->value);
            if (answer != BT_SCHEMA_VALID) {
                return answer;
            }
        }
    }
    return BT_SCHEMA_VALID;
}

/* A member that is not a property, where there are patterns. */
static __attribute__((noinline)) enum bt_schema_result
judge_unknown(struct bt_schema_machine *run, const struct bt_schema_object *object,
              const struct bt_json_member *member)
{
    bool evaluated = false;
    const enum bt_schema_result answer = visit_patterns(run, object, member, &evaluated);
    return answer != BT_SCHEMA_VALID || evaluated
               ? answer
               : bt_use_run(run, &object->additional, &member->value);
}

/* Properties, required names and additional properties, in one pass over the members up to `end`.
 * Name hashes are those of the schema. */
static inline __attribute__((always_inline)) enum bt_schema_result
judge_members(struct bt_schema_machine *run, const struct bt_schema_object *object,
              const struct bt_json_member *member, const struct bt_json_member *end, bool is_wide)
{
    uint64_t missing = object->required;
    do {
        const uint64_t key = bt_name_key(member->name_size, member->name_hash);
        const struct bt_schema_property *property =
            bt_schema_names_find(object, member, key, is_wide);
        enum bt_schema_result answer = BT_SCHEMA_VALID;
        if (__builtin_expect(property != NULL, 1)) {
            missing &= property->others;
            answer = bt_use_run(run, &property->use, &member->value);
        } else if (BT_SCHEMA_IS_SMALL || object->patterns_count == 0) {
            answer = bt_use_run(run, &object->additional, &member->value);
        } else {
            answer = judge_unknown(run, object, member);
        }
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    } while (++member < end);
    return missing == 0 ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

static __attribute__((noinline)) enum bt_schema_result
object_wide(struct bt_schema_machine *run, const struct bt_schema_object *object,
            const struct bt_json_member *member, const struct bt_json_member *end)
{
    return judge_members(run, object, member, end, true);
}

/* Members whose keys are those of the properties are looked for; the others may be anything. */
static inline __attribute__((always_inline)) enum bt_schema_result
judge_few(struct bt_schema_machine *run, const struct bt_schema_object *object,
          const bt_json_value *value)
{
    const struct bt_json_member *member = value->as.members;
    const struct bt_json_member *end = member + value->size;
    const uint64_t first = object->few[0];
    const uint64_t second = object->few[1];
    uint64_t missing = object->required;
    for (; member < end; member++) {
        const uint64_t key = bt_name_key(member->name_size, member->name_hash);
        if (__builtin_expect(key != first && key != second, 1)) {
            continue;
        }
        const struct bt_schema_property *property = &object->properties[key == first ? 0 : 1];
        if (!bt_schema_name_head_is(property, member->name, (uint32_t)key)) {
            property = bt_schema_names_find_any(object, member, key);
        }
        if (property) {
            missing &= property->others;
            const enum bt_schema_result answer = bt_use_run(run, &property->use, &member->value);
            if (answer != BT_SCHEMA_VALID) {
                return answer;
            }
        }
    }
    return missing == 0 ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

static __attribute__((noinline)) enum bt_schema_result
object_few(struct bt_schema_machine *run, const struct bt_schema_object *object,
           const bt_json_value *value)
{
    return judge_few(run, object, value);
}

/* All members alike. */
static __attribute__((noinline)) enum bt_schema_result
object_map(struct bt_schema_machine *run, const struct bt_schema_object *object,
           const bt_json_value *value)
{
    const struct bt_json_member *member = value->as.members;
    const struct bt_json_member *end = member + value->size;
    for (; member < end; member++) {
        const enum bt_schema_result answer = bt_use_run(run, &object->additional, &member->value);
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    }
    return BT_SCHEMA_VALID;
}

/* An object with all that can be asked of it. */
struct schema_machine_object_visit {
    struct bt_schema_machine *run;
    const struct bt_schema_object *object;
    bool is_tracked;
    uint64_t *seen; /* bit per property whose presence matters */
};

static enum bt_schema_result visit_member(const struct schema_machine_object_visit *visit,
                                          const struct bt_json_member *member, bool *evaluated)
{
    const struct bt_schema_object *object = visit->object;
    const struct bt_schema_property *property = bt_schema_machine_find(visit->run, object, member);
    if (property) {
        const size_t index = (size_t)(property - object->properties);
        if (index < object->present_count) {
            visit->seen[index / 64] |= UINT64_C(1) << index % 64;
        }
        const struct bt_schema_block_ref *use = &property->use;
        if (use->kind != BT_USE_NONE) {
            *evaluated = true;
            const enum bt_schema_result answer = bt_use_run(visit->run, use, &member->value);
            if (answer != BT_SCHEMA_VALID) {
                return answer;
            }
        }
    }
    const enum bt_schema_result answer = visit_patterns(visit->run, object, member, evaluated);
    if (answer != BT_SCHEMA_VALID || *evaluated) {
        return answer;
    }
    *evaluated = object->additional.kind != BT_USE_NONE;
    return bt_use_run(visit->run, &object->additional, &member->value);
}

static bool is_seen(const struct schema_machine_object_visit *visit, uint32_t index)
{
    return (visit->seen[index / 64] >> index % 64 & 1) != 0;
}

/* What must be there, is it? */
static bool is_complete(const struct schema_machine_object_visit *visit)
{
    const struct bt_schema_object *object = visit->object;
    if (object->present_count > 0 && (object->required & ~visit->seen[0]) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < object->required_more_count; i++) {
        if (!is_seen(visit, object->required_more[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < object->dependencies_count; i++) {
        const struct bt_schema_dependency *dependency = &object->dependencies[i];
        for (uint32_t k = 0; is_seen(visit, dependency->trigger) && k < dependency->needed_count;
             k++) {
            if (!is_seen(visit, dependency->needed[k])) {
                return false;
            }
        }
    }
    return true;
}

static enum bt_schema_result object_whole(const struct schema_machine_object_visit *visit,
                                          const bt_json_value *value)
{
    for (uint32_t i = 0; i < value->size; i++) {
        bool evaluated = false;
        const enum bt_schema_result answer = visit_member(visit, &value->as.members[i], &evaluated);
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
        if (visit->is_tracked && evaluated) {
            bt_schema_evaluated_set(visit->run, i);
        }
    }
    return is_complete(visit) ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

enum { SEEN_WORDS = 4 }; /* enough for most; more are taken from the arena */

static __attribute__((noinline)) enum bt_schema_result object_rich(struct bt_schema_machine *run,
                                                                   const struct bt_schema_instr *at,
                                                                   const bt_json_value *value)
{
    const struct bt_schema_object *object = at->as.object;
    uint64_t few[SEEN_WORDS] = {0};
    struct schema_machine_object_visit visit = {
        run, object, (at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0, few};
    if (object->present_count <= 64 * SEEN_WORDS) {
        return object_whole(&visit, value);
    }
    const struct bt_arena_mark mark = bt_arena_mark(&run->scratch);
    visit.seen = BT_NEW_ARRAY(&run->scratch, uint64_t, object->present_count / 64 + 1);
    const enum bt_schema_result answer =
        visit.seen ? object_whole(&visit, value) : bt_schema_run_out_of_memory(run);
    bt_arena_rewind(&run->scratch, mark);
    return answer;
}

/* By name, as the plan BT_OBJECT_NAMED has it. */
static __attribute__((noinline)) enum bt_schema_result
object_named(struct bt_schema_machine *run, const struct bt_schema_instr *at,
             const bt_json_value *value)
{
    const struct bt_schema_object *object = at->as.object;
    const bool is_tracked = (at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0;
    uint64_t missing = object->required;
    for (uint32_t i = 0; i < value->size; i++) {
        const struct bt_json_member *member = &value->as.members[i];
        const uint64_t key = bt_name_key(member->name_size, member->name_hash);
        const struct bt_schema_property *property =
            bt_schema_names_find(object, member, key, false);
        const bool is_judged = property && property->use.kind != BT_USE_NONE;
        const struct bt_schema_block_ref *use = is_judged ? &property->use : &object->additional;
        missing &= property ? property->others : ~UINT64_C(0);
        const enum bt_schema_result answer = bt_use_run(run, use, &member->value);
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
        if (is_tracked && use->kind != BT_USE_NONE) {
            bt_schema_evaluated_set(run, i);
        }
    }
    return missing == 0 ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

/* Near the end of the source, names are compared with care; with other hashes, they are looked for
 * in all ways. */
static __attribute__((noinline)) enum bt_schema_result object_near(struct bt_schema_machine *run,
                                                                   const struct bt_schema_instr *at,
                                                                   const bt_json_value *value)
{
    if (!run->same_seed) {
        return object_rich(run, at, value);
    }
    const struct bt_schema_object *object = at->as.object;
    const struct bt_json_member *member = value->as.members;
    return judge_members(run, object, member, member + value->size, false);
}

/*
 * Whether 16 bytes can be read from the name of every member of an object on, however short it is,
 * and hashes are those of the schema. Names stand in the source in this order, so it is enough that
 * the last, the one before `end`, does so well before the source ends; those that had escapes stand
 * in the arena, with members behind them.
 */
static inline bool is_wide(const struct bt_schema_machine *run, const struct bt_json_member *end)
{
    return (uintptr_t)end[-1].name - run->source < run->source_reach;
}

static inline enum bt_schema_result judge_object(struct bt_schema_machine *run,
                                                 const struct bt_schema_instr *at,
                                                 const bt_json_value *value)
{
    const struct bt_schema_object *object = at->as.object;
    if (at->number == BT_OBJECT_PLAIN && value->size > 0) {
        const struct bt_json_member *member = value->as.members;
        const struct bt_json_member *end = member + value->size;
        return is_wide(run, end) ? object_wide(run, object, member, end)
                                 : object_near(run, at, value);
    }
    if (!run->same_seed || at->number == BT_OBJECT_RICH) {
        return object_rich(run, at, value);
    }
    if (at->number == BT_OBJECT_FEW) {
        return object_few(run, object, value);
    }
    if (at->number == BT_OBJECT_MAP) {
        return object_map(run, object, value);
    }
    if (!BT_SCHEMA_IS_SMALL && at->number == BT_OBJECT_NAMED) {
        return object_named(run, at, value);
    }
    return object->required == 0 ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

/* When the slice of fuel is spent. */
static __attribute__((noinline)) enum bt_schema_result
object_refuel(struct bt_schema_machine *run, const struct bt_schema_instr *at,
              const bt_json_value *value)
{
    return bt_schema_run_check_budget(run) ? judge_object(run, at, value) : BT_SCHEMA_UNDECIDED;
}

enum bt_schema_result bt_schema_leaf_object(struct bt_schema_machine *run,
                                            const struct bt_schema_instr *at,
                                            const bt_json_value *value)
{
    return bt_schema_run_use_work(run, 1 + (uint64_t)value->size) ? judge_object(run, at, value)
                                                                  : object_refuel(run, at, value);
}

/* The items by the plan BT_OBJECT_FEW. */
static __attribute__((noinline)) enum bt_schema_result
objects_few(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
            const bt_json_value *item, const bt_json_value *end)
{
    const struct bt_schema_object *object = use->rest->as.object;
    do {
        enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
        if (bt_json_type(item) != BT_JSON_OBJECT || !run->same_seed) {
            answer = bt_use_run(run, use, item);
        } else if (bt_schema_run_charge(run, 1 + (uint64_t)item->size)) {
            answer = judge_few(run, object, item);
        }
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    } while (++item < end);
    return BT_SCHEMA_VALID;
}

enum bt_schema_result bt_schema_leaf_objects(struct bt_schema_machine *run,
                                             const struct bt_schema_block_ref *use,
                                             const bt_json_value *item, const bt_json_value *end)
{
    if (use->rest->number == BT_OBJECT_FEW) {
        return objects_few(run, use, item, end);
    }
    const struct bt_schema_object *object = use->rest->as.object;
    do {
        const struct bt_json_member *member = item->as.members;
        enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
        if (bt_json_type(item) != BT_JSON_OBJECT || item->size == 0 ||
            !is_wide(run, member + item->size)) {
            answer = bt_use_run(run, use, item);
        } else if (bt_schema_run_charge(run, 1 + (uint64_t)item->size)) {
            answer = judge_members(run, object, member, member + item->size, true);
        }
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    } while (++item < end);
    return BT_SCHEMA_VALID;
}

static __attribute__((noinline)) enum bt_schema_result
push_use(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
         const bt_json_value *value)
{
    struct bt_schema_stack_entry *entry = bt_run_push(run);
    if (!entry) {
        return BT_SCHEMA_UNDECIDED;
    }
    entry->at = use->rest;
    entry->value = value;
    entry->kind = BT_ENTRY_RUN;
    return BT_SCHEMA_VALID;
}

/* A QUICK instruction, and the rest of its block where the look does not decide. */
static __attribute__((noinline)) enum bt_schema_result run_quick(struct bt_schema_machine *run,
                                                                 const struct bt_schema_instr *at,
                                                                 const bt_json_value *value)
{
    const struct bt_schema_quick *quick = at->as.quick;
    if (bt_schema_quick_passes(run, quick, value)) {
        return BT_SCHEMA_VALID;
    }
    return bt_schema_quick_decides(run, quick, value) ? BT_SCHEMA_INVALID
                                                      : bt_schema_leaf_run(run, at + 1, value);
}

static inline enum bt_schema_result run_block_ref(struct bt_schema_machine *run,
                                                  const struct bt_schema_block_ref *use,
                                                  const bt_json_value *value)
{
    if (use->kind == BT_USE_OBJECT) {
        return bt_schema_leaf_object(run, use->rest, value);
    }
    /* One test for two kinds: a longer row of tests would become a jump through a table. */
    if (use->kind >> 1 == BT_USE_ONE >> 1) {
        return BT_SCHEMA_IS_SMALL || use->kind == BT_USE_ONE
                   ? bt_schema_leaf_one(run, use->rest, value)
                   : run_quick(run, use->rest, value);
    }
    if (use->kind == BT_USE_LEAF) {
        return bt_schema_leaf_run(run, use->rest, value);
    }
    if (use->kind == BT_USE_ITEMS) {
        return bt_schema_leaf_items(run, use->rest, value);
    }
    return use->kind == BT_USE_BLOCK ? push_use(run, use, value) : BT_SCHEMA_VALID;
}

/* A value of none of the types: it may be a number of which more is to be known. */
static __attribute__((noinline)) enum bt_schema_result
enter_other(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
            const bt_json_value *value)
{
    return bt_types_ok(run->document, use->types, value) ? run_block_ref(run, use, value)
                                                         : BT_SCHEMA_INVALID;
}

/* All that happens rarely is done elsewhere, so that this goes on without coming back. */
__attribute__((noinline)) enum bt_schema_result
bt_schema_block_ref_enter(struct bt_schema_machine *run, const struct bt_schema_block_ref *use,
                          const bt_json_value *value)
{
    return (use->types >> value->type & 1) != 0 ? run_block_ref(run, use, value)
                                                : enter_other(run, use, value);
}

/* NOLINTEND(misc-no-recursion) */
