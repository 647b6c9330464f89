/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_choice.c - anyOf, oneOf, not, if and contains: blocks that may fail.
 *
 * A choice is an entry of the stack. Its branches are tried one after the other: leaves at once,
 * blocks by jumping into them and coming back through bt_schema_choice_after(). In tracked blocks
 * each branch has marks of its own, which count only when it passes.
 */
#include <assert.h>

#include "schema/machine.h"

static bool is_tracked(const struct bt_schema_stack_entry *entry)
{
    return (entry->at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0;
}

/* Try a block on `value`: leaves answer at once, others answer BT_SCHEMA_STEP_JUMP. */
static enum bt_schema_step try_use(struct bt_schema_machine *run,
                                   const struct bt_schema_stack_entry *entry,
                                   const struct bt_schema_block_ref *use,
                                   const bt_json_value *value, struct bt_schema_cursor *cursor)
{
    if (!bt_schema_run_charge(run, 1)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    if (use->kind != BT_USE_BLOCK) {
        return (enum bt_schema_step)bt_use_run(run, use, value);
    }
    if (!bt_types_ok(run->document, use->types, value)) {
        return BT_SCHEMA_STEP_FAIL;
    }
    /* What is marked in an item of `contains` is none of this value's children. */
    if (is_tracked(entry) && entry->at->op != BT_SCHEMA_OP_CONTAINS &&
        !bt_schema_evaluated_push(run, value)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    *cursor = (struct bt_schema_cursor){use->rest, value};
    return BT_SCHEMA_STEP_JUMP;
}

/* The choice is made: it goes from the stack, and what was put off is next. */
static enum bt_schema_step close_choice(struct bt_schema_machine *run, bool holds)
{
    run->top--;
    return holds ? BT_SCHEMA_STEP_END : BT_SCHEMA_STEP_FAIL;
}

/* Of the open branches of an object, those that members leave open which some branches require. */
static __attribute__((noinline)) uint64_t close_by_members(const struct bt_schema_machine *run,
                                                           const struct bt_schema_choice *choice,
                                                           const bt_json_value *object,
                                                           uint64_t open)
{
    for (uint32_t i = 0; i < choice->presences_count && bt_schema_is_open_choice(open); i++) {
        const struct bt_schema_presence *presence = &choice->presences[i];
        if ((open & ~presence->absent) != 0 &&
            !bt_run_member(run, object, presence->name, presence->name_hash)) {
            open &= presence->absent;
        }
    }
    return choice->block_key && bt_schema_is_open_choice(open)
               ? open & bt_schema_switch_open(run, choice->block_key, object)
               : open;
}

/*
 * The branches that can pass. Here a branch is a block, which costs more to try than to look for
 * some members; among leaves bt_schema_choice_open() alone is asked.
 */
static inline uint64_t find_open(const struct bt_schema_machine *run,
                                 const struct bt_schema_choice *choice, const bt_json_value *value)
{
    const uint64_t open = bt_schema_choice_open(run, choice, value);
    const bool has_more = !BT_SCHEMA_IS_SMALL && (choice->presences_count > 0 || choice->block_key);
    return has_more && bt_schema_is_open_choice(open) && bt_json_type(value) == BT_JSON_OBJECT
               ? close_by_members(run, choice, value, open)
               : open;
}

static enum bt_schema_step go_on_branches(struct bt_schema_machine *run,
                                          struct bt_schema_cursor *cursor)
{
    struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    const struct bt_schema_choice *choice = entry->at->as.choice;
    const bool is_any = entry->at->op == BT_SCHEMA_OP_ANY;
    uint64_t open = entry->extra;
    if (choice->is_pruned && choice->count > BT_CHOICE_KEPT) {
        open = find_open(run, choice, entry->value);
    }
    for (; entry->index < choice->count; entry->index++) {
        if (entry->count > (is_any ? 0 : 1) && !(is_any && is_tracked(entry))) {
            break;
        }
        if (choice->is_pruned && (open >> entry->index & 1) == 0) {
            continue;
        }
        const enum bt_schema_step step =
            try_use(run, entry, &choice->branches[entry->index], entry->value, cursor);
        if (step == BT_SCHEMA_STEP_JUMP || step == BT_SCHEMA_STEP_LIMIT) {
            return step;
        }
        entry->count += step == BT_SCHEMA_STEP_NEXT;
    }
    return close_choice(run, is_any ? entry->count > 0 : entry->count == 1);
}

/* When `contains` needs to look no further. */
static bool is_decided(const struct bt_schema_stack_entry *entry)
{
    const struct bt_schema_contains *contains = entry->at->as.contains;
    return entry->count > contains->high ||
           (entry->count >= contains->low && contains->high == BT_NO_LIMIT && !is_tracked(entry));
}

static void count_item(struct bt_schema_machine *run, struct bt_schema_stack_entry *entry)
{
    entry->count++;
    if (is_tracked(entry)) {
        bt_schema_evaluated_set(run, entry->index);
    }
}

static enum bt_schema_step go_on_items(struct bt_schema_machine *run,
                                       struct bt_schema_cursor *cursor)
{
    struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    const struct bt_schema_contains *contains = entry->at->as.contains;
    for (; entry->index < entry->value->size && !is_decided(entry); entry->index++) {
        const enum bt_schema_step step =
            try_use(run, entry, &contains->use, &entry->value->as.items[entry->index], cursor);
        if (step == BT_SCHEMA_STEP_JUMP || step == BT_SCHEMA_STEP_LIMIT) {
            return step;
        }
        if (step == BT_SCHEMA_STEP_NEXT) {
            count_item(run, entry);
        }
    }
    return close_choice(run, entry->count >= contains->low && entry->count <= contains->high);
}

/* The test of `if` has answered: one of the two blocks holds in its place. */
static enum bt_schema_step branch_off(struct bt_schema_machine *run,
                                      struct bt_schema_cursor *cursor, bool passed)
{
    const struct bt_schema_stack_entry entry = run->stack[--run->top];
    const struct bt_schema_condition *condition = entry.at->as.condition;
    const struct bt_schema_block_ref *use = passed ? &condition->then : &condition->otherwise;
    if (!bt_types_ok(run->document, use->types, entry.value)) {
        return BT_SCHEMA_STEP_FAIL;
    }
    if (use->kind <= BT_USE_TYPES) {
        return BT_SCHEMA_STEP_END;
    }
    *cursor = (struct bt_schema_cursor){use->rest, entry.value};
    return BT_SCHEMA_STEP_JUMP;
}

enum bt_schema_step bt_schema_choice_after(struct bt_schema_machine *run,
                                           struct bt_schema_cursor *cursor, bool passed)
{
    struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    assert(entry->kind == BT_ENTRY_CHOICE);
    if (is_tracked(entry) && entry->at->op != BT_SCHEMA_OP_CONTAINS) {
        bt_schema_evaluated_pop(run, passed);
    }
    if (entry->at->op == BT_SCHEMA_OP_NOT) {
        return close_choice(run, !passed);
    }
    if (entry->at->op == BT_SCHEMA_OP_IF) {
        return branch_off(run, cursor, passed);
    }
    if (entry->at->op != BT_SCHEMA_OP_CONTAINS) {
        entry->count += passed;
        entry->index++;
        return go_on_branches(run, cursor);
    }
    if (passed) {
        count_item(run, entry);
    }
    entry->index++;
    return go_on_items(run, cursor);
}

/* The test of `if`, and the block of `not`: one block that may fail. */
static enum bt_schema_step start_one(struct bt_schema_machine *run, struct bt_schema_cursor *cursor)
{
    struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    const struct bt_schema_block_ref *use = entry->at->op == BT_SCHEMA_OP_IF
                                                ? &entry->at->as.condition->test
                                                : &entry->at->as.choice->branches[0];
    const enum bt_schema_step step = try_use(run, entry, use, entry->value, cursor);
    if (step == BT_SCHEMA_STEP_JUMP || step == BT_SCHEMA_STEP_LIMIT) {
        return step;
    }
    return entry->at->op == BT_SCHEMA_OP_IF ? branch_off(run, cursor, step == BT_SCHEMA_STEP_NEXT)
                                            : close_choice(run, step == BT_SCHEMA_STEP_FAIL);
}

/*
 * When one branch alone can pass, it must: anyOf and oneOf then demand just that block, and nothing
 * is left to choose. Otherwise NULL, and *out_open has the branches that can pass.
 */
static const struct bt_schema_block_ref *only_branch(const struct bt_schema_machine *run,
                                                     const struct bt_schema_cursor *cursor,
                                                     uint64_t *out_open)
{
    const struct bt_schema_choice *choice = cursor->at->as.choice;
    if (cursor->at->op != BT_SCHEMA_OP_ANY && cursor->at->op != BT_SCHEMA_OP_ONE) {
        return NULL;
    }
    if (!choice->is_pruned) {
        return bt_schema_choice_only(run, choice, cursor->value);
    }
    const uint64_t open = find_open(run, choice, cursor->value);
    *out_open = open;
    return open == 0 || bt_schema_is_open_choice(open) ? NULL
                                                       : &choice->branches[__builtin_ctzll(open)];
}

/* A test that is a leaf has its answer at once, and nothing needs to be put on the stack for it. */
static enum bt_schema_step if_leaf(struct bt_schema_machine *run, struct bt_schema_cursor *cursor)
{
    const struct bt_schema_condition *condition = cursor->at->as.condition;
    const enum bt_schema_result answer = bt_use_run(run, &condition->test, cursor->value);
    if (answer == BT_SCHEMA_UNDECIDED) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    return bt_schema_step_in_place(
        run, cursor, answer == BT_SCHEMA_VALID ? &condition->then : &condition->otherwise);
}

enum bt_schema_step bt_schema_step_choice(struct bt_schema_machine *run,
                                          struct bt_schema_cursor *cursor)
{
    if ((cursor->at->types >> cursor->value->type & 1) == 0) {
        return BT_SCHEMA_STEP_NEXT;
    }
    if (cursor->at->op == BT_SCHEMA_OP_IF && cursor->at->as.condition->test.kind != BT_USE_BLOCK) {
        return bt_schema_run_charge(run, 1) ? if_leaf(run, cursor) : BT_SCHEMA_STEP_LIMIT;
    }
    uint64_t open = 0;
    const struct bt_schema_block_ref *only = only_branch(run, cursor, &open);
    if (only) {
        return bt_schema_step_in_place(run, cursor, only);
    }
    if (!bt_schema_run_charge(run, 1) || !bt_step_postpone(run, cursor)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    struct bt_schema_stack_entry *entry = bt_run_push(run);
    if (!entry) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    *entry = (struct bt_schema_stack_entry){
        .at = cursor->at, .value = cursor->value, .kind = BT_ENTRY_CHOICE, .extra = (uint32_t)open};
    if (cursor->at->op == BT_SCHEMA_OP_NOT || cursor->at->op == BT_SCHEMA_OP_IF) {
        return start_one(run, cursor);
    }
    return cursor->at->op == BT_SCHEMA_OP_CONTAINS ? go_on_items(run, cursor)
                                                   : go_on_branches(run, cursor);
}
