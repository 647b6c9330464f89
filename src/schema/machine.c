/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - the fast run: discharges obligations until none is left or one fails.
 */
#include "schema/machine.h"

#include <assert.h>

enum bt_schema_step bt_schema_step_in_place(struct bt_schema_machine *run,
                                            struct bt_schema_cursor *cursor,
                                            const struct bt_schema_block_ref *use)
{
    if (use->kind != BT_USE_BLOCK) {
        return (enum bt_schema_step)bt_use_run(run, use, cursor->value);
    }
    return bt_types_ok(run->document, use->types, cursor->value)
               ? bt_schema_step_call(run, cursor, use->rest)
               : BT_SCHEMA_STEP_FAIL;
}

enum bt_schema_step bt_schema_step_call(struct bt_schema_machine *run,
                                        struct bt_schema_cursor *cursor,
                                        const struct bt_schema_instr *code)
{
    if (!bt_schema_run_charge(run, 1) || !bt_step_postpone(run, cursor)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    cursor->at = code;
    return BT_SCHEMA_STEP_JUMP;
}

bool bt_schema_guard_holds(const struct bt_schema_machine *run, const struct bt_schema_guard *when,
                           const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return false;
    }
    const struct bt_json_member *member = bt_run_member(run, value, when->name, when->name_hash);
    return member && (!when->has_value || (bt_json_type(&member->value) == BT_JSON_STRING &&
                                           bt_str_eq(bt_json_text(&member->value), when->value)));
}

static enum bt_schema_step step_when(struct bt_schema_machine *run, struct bt_schema_cursor *cursor)
{
    const struct bt_schema_guard *when = cursor->at->as.when;
    if (!bt_schema_run_charge(run, 1 + bt_json_count(cursor->value) / 8)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    return bt_schema_guard_holds(run, when, cursor->value)
               ? bt_schema_step_in_place(run, cursor, &when->use)
               : BT_SCHEMA_STEP_NEXT;
}

/* An answer given before is given again; otherwise it will be known where the entry is met. */
static enum bt_schema_step step_memo(struct bt_schema_machine *run,
                                     const struct bt_schema_cursor *cursor)
{
    const enum bt_schema_result known = bt_schema_memo_find(run, cursor->at, cursor->value);
    if (known == BT_SCHEMA_INVALID) {
        return BT_SCHEMA_STEP_FAIL;
    }
    if (known == BT_SCHEMA_VALID) {
        return BT_SCHEMA_STEP_END;
    }
    if (run->memo.is_on) {
        struct bt_schema_stack_entry *entry = bt_run_push(run);
        if (!entry) {
            return BT_SCHEMA_STEP_LIMIT;
        }
        *entry = (struct bt_schema_stack_entry){.at = cursor->at,
                                                .value = cursor->value,
                                                .kind = BT_ENTRY_MEMO,
                                                .extra = run->scope.current};
    }
    return BT_SCHEMA_STEP_NEXT;
}

enum bt_schema_step bt_schema_step_marks(struct bt_schema_machine *run,
                                         const struct bt_schema_cursor *cursor)
{
    struct bt_schema_stack_entry *entry = bt_run_push(run);
    if (!entry || !bt_schema_evaluated_push(run, cursor->value)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    *entry = (struct bt_schema_stack_entry){
        .at = cursor->at, .value = cursor->value, .kind = BT_ENTRY_MARKS};
    return BT_SCHEMA_STEP_NEXT;
}

/* The instructions that are not leaves. */
static enum bt_schema_step run_non_leaf(struct bt_schema_machine *run,
                                        struct bt_schema_cursor *cursor)
{
    switch ((enum bt_schema_op)cursor->at->op) {
    case BT_SCHEMA_OP_NAMES:
        return bt_schema_step_names(run, cursor->at, cursor->value);
    case BT_SCHEMA_OP_ANY:
    case BT_SCHEMA_OP_ONE:
    case BT_SCHEMA_OP_NOT:
    case BT_SCHEMA_OP_IF:
    case BT_SCHEMA_OP_CONTAINS:
        return bt_schema_step_choice(run, cursor);
    case BT_SCHEMA_OP_CALL:
        return bt_schema_step_call(run, cursor, cursor->at->as.code);
    case BT_SCHEMA_OP_DYNAMIC:
        return bt_schema_step_dynamic(run, cursor);
    case BT_SCHEMA_OP_SCOPE:
        return bt_schema_step_scope(run, cursor);
    case BT_SCHEMA_OP_WHEN:
        return step_when(run, cursor);
    case BT_SCHEMA_OP_MEMO:
        return step_memo(run, cursor);
    case BT_SCHEMA_OP_MARKS:
        return bt_schema_step_marks(run, cursor);
    case BT_SCHEMA_OP_UNEVALUATED:
        return bt_schema_step_unevaluated(run, cursor->at, cursor->value);
    case BT_SCHEMA_OP_END:
        return BT_SCHEMA_STEP_END;
    case BT_SCHEMA_OP_OBJECT:
    case BT_SCHEMA_OP_ITEMS:
    case BT_SCHEMA_OP_FAIL:
    case BT_SCHEMA_OP_TYPE:
    case BT_SCHEMA_OP_LENGTH:
    case BT_SCHEMA_OP_PATTERN:
    case BT_SCHEMA_OP_FORMAT:
    case BT_SCHEMA_OP_CONTENT:
    case BT_SCHEMA_OP_RANGE:
    case BT_SCHEMA_OP_MULTIPLE:
    case BT_SCHEMA_OP_SET:
    case BT_SCHEMA_OP_COUNT:
    case BT_SCHEMA_OP_UNIQUE:
    case BT_SCHEMA_OP_QUICK:
    case BT_SCHEMA_OP__MAX:
        break;
    }
    assert(false); /* advance() has done these */
    return BT_SCHEMA_STEP_LIMIT;
}

/* Take the next of a run of values; the entry goes with the last. */
static void take_value(struct bt_schema_machine *run, struct bt_schema_stack_entry *entry,
                       struct bt_schema_cursor *cursor)
{
    *cursor = (struct bt_schema_cursor){entry->at, entry->value};
    if (--entry->count == 0) {
        run->top--;
        return;
    }
    const struct bt_json_member *member = NULL;
    if (entry->kind == BT_ENTRY_ITEMS) {
        entry->value++;
    } else {
        member =
            (const struct bt_json_member *)(const void *)((const char *)entry->value -
                                                          offsetof(struct bt_json_member, value));
        entry->value = &member[1].value;
    }
}

/* A block has ended: what is on top of the stack? */
static enum bt_schema_step end_block(struct bt_schema_machine *run, struct bt_schema_cursor *cursor)
{
    struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    switch ((enum bt_schema_stack_entry_kind)entry->kind) {
    case BT_ENTRY_RUN:
        *cursor = (struct bt_schema_cursor){entry->at, entry->value};
        run->top--;
        return BT_SCHEMA_STEP_JUMP;
    case BT_ENTRY_ITEMS:
    case BT_ENTRY_MEMBERS:
        take_value(run, entry, cursor);
        return BT_SCHEMA_STEP_JUMP;
    case BT_ENTRY_CHOICE:
        return bt_schema_choice_after(run, cursor, true);
    case BT_ENTRY_MARKS:
        run->top--;
        bt_schema_evaluated_pop(run, (entry->at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0);
        return BT_SCHEMA_STEP_END;
    case BT_ENTRY_SCOPE:
        run->top--;
        bt_schema_scope_leave(run, entry);
        return BT_SCHEMA_STEP_END;
    case BT_ENTRY_MEMO:
        run->top--;
        bt_schema_memo_put(run, entry, BT_SCHEMA_VALID);
        return BT_SCHEMA_STEP_END;
    case BT_ENTRY_BASE:
        break;
    }
    return BT_SCHEMA_STEP_VALID;
}

/* Something does not hold: drop what depends on it, down to a choice that may go another way. */
static enum bt_schema_step unwind_stack(struct bt_schema_machine *run,
                                        struct bt_schema_cursor *cursor)
{
    for (;;) {
        struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
        switch ((enum bt_schema_stack_entry_kind)entry->kind) {
        case BT_ENTRY_RUN:
        case BT_ENTRY_ITEMS:
        case BT_ENTRY_MEMBERS:
            break;
        case BT_ENTRY_CHOICE:
            return bt_schema_choice_after(run, cursor, false);
        case BT_ENTRY_MARKS:
            bt_schema_evaluated_pop(run, false);
            break;
        case BT_ENTRY_SCOPE:
            bt_schema_scope_leave(run, entry);
            break;
        case BT_ENTRY_MEMO:
            bt_schema_memo_put(run, entry, BT_SCHEMA_INVALID);
            break;
        case BT_ENTRY_BASE:
            return BT_SCHEMA_STEP_INVALID;
        }
        run->top--;
    }
}

/* Run the block at the cursor until something else than the next instruction follows. The commonest
 * instructions are looked for first; while they follow each other nothing goes through memory. */
static enum bt_schema_step run_block(struct bt_schema_machine *run, struct bt_schema_cursor *cursor)
{
    const bt_json_value *value = cursor->value;
    for (const struct bt_schema_instr *at = cursor->at;; at++) {
        enum bt_schema_step next = BT_SCHEMA_STEP_END;
        if (at->op == BT_SCHEMA_OP_END) {
            return next;
        }
        if (at->op == BT_SCHEMA_OP_TYPE) {
            next = bt_types_ok(run->document, at->types, value) ? BT_SCHEMA_STEP_NEXT
                                                                : BT_SCHEMA_STEP_FAIL;
        } else if ((at->types >> value->type & 1) == 0) {
            next = BT_SCHEMA_STEP_NEXT;
        } else if (at->op == BT_SCHEMA_OP_OBJECT) {
            next = (enum bt_schema_step)bt_schema_leaf_object(run, at, value);
        } else if (at->op == BT_SCHEMA_OP_ITEMS) {
            next = (enum bt_schema_step)bt_schema_leaf_items(run, at, value);
        } else if (bt_leaf_is(at)) {
            next = (enum bt_schema_step)bt_schema_leaf_one(run, at, value);
        } else {
            cursor->at = at;
            next = run_non_leaf(run, cursor);
        }
        if (next != BT_SCHEMA_STEP_NEXT) {
            return next;
        }
    }
}

enum bt_schema_result bt_schema_machine_run(struct bt_schema_machine *run,
                                            const struct bt_schema_instr *code,
                                            const bt_json_value *value)
{
    struct bt_schema_stack_entry *base = bt_run_push(run);
    if (!base) {
        return BT_SCHEMA_UNDECIDED;
    }
    base->kind = BT_ENTRY_BASE;
    const size_t bottom = run->top;
    struct bt_schema_cursor cursor = {code, value};
    for (;;) {
        enum bt_schema_step next = run_block(run, &cursor);
        while (next == BT_SCHEMA_STEP_END || next == BT_SCHEMA_STEP_FAIL) {
            next =
                next == BT_SCHEMA_STEP_END ? end_block(run, &cursor) : unwind_stack(run, &cursor);
        }
        if (next != BT_SCHEMA_STEP_JUMP) {
            assert(next == BT_SCHEMA_STEP_LIMIT || run->top == bottom);
            run->top = bottom - 1;
            return next == BT_SCHEMA_STEP_VALID     ? BT_SCHEMA_VALID
                   : next == BT_SCHEMA_STEP_INVALID ? BT_SCHEMA_INVALID
                                                    : BT_SCHEMA_UNDECIDED;
        }
    }
}
