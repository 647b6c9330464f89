/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - the fast run, and what its files share.
 */
#ifndef BATON_SRC_SCHEMA_MACHINE_H
#define BATON_SRC_SCHEMA_MACHINE_H

#include "schema/leaf.h"
#include "schema/run.h"

/*
 * Judge `value` by the block that begins at `code`. May be called within a run: it works above what
 * is on the stack and leaves that as it was. Marks that the block makes go to the newest set.
 */
BT_MUST_USE enum bt_schema_result bt_schema_machine_run(struct bt_schema_machine *run,
                                                        const struct bt_schema_instr *code,
                                                        const bt_json_value *value);

/* Prepare a run. False at a limit. */
BT_MUST_USE bool bt_schema_machine_begin(struct bt_schema_machine *run,
                                         const struct bt_schema *schema,
                                         const struct bt_json_doc *document);

/* ---- For the files of the machine ---- */

/* What follows from an instruction. The first three are the answers of leaves. */
enum bt_schema_step {
    BT_SCHEMA_STEP_LIMIT = BT_SCHEMA_UNDECIDED,
    BT_SCHEMA_STEP_FAIL = BT_SCHEMA_INVALID, /* it does not hold: down to the next choice */
    BT_SCHEMA_STEP_NEXT = BT_SCHEMA_VALID,   /* it holds */
    BT_SCHEMA_STEP_JUMP,                     /* go on where the cursor is */
    BT_SCHEMA_STEP_END,                      /* discharge what is on top of the stack */
    BT_SCHEMA_STEP_VALID,
    BT_SCHEMA_STEP_INVALID,
};

struct bt_schema_cursor {
    const struct bt_schema_instr *at;
    const bt_json_value *value;
};

/* Put off the rest of the block at the cursor. False at a limit. */
static inline bool bt_step_postpone(struct bt_schema_machine *run,
                                    const struct bt_schema_cursor *cursor)
{
    if (cursor->at[1].op == BT_SCHEMA_OP_END) {
        return true;
    }
    struct bt_schema_stack_entry *entry = bt_run_push(run);
    if (!entry) {
        return false;
    }
    entry->at = cursor->at + 1;
    entry->value = cursor->value;
    entry->kind = BT_ENTRY_RUN;
    return true;
}

/* Have the block at `code` hold of the same value, then go on behind the instruction. */
enum bt_schema_step bt_schema_step_call(struct bt_schema_machine *run,
                                        struct bt_schema_cursor *cursor,
                                        const struct bt_schema_instr *code);
/* Begin to mark the children that the rest of the block evaluates. */
enum bt_schema_step bt_schema_step_marks(struct bt_schema_machine *run,
                                         const struct bt_schema_cursor *cursor);
/* Have the cursor's value pass another block as well, then go on behind the instruction. */
enum bt_schema_step bt_schema_step_in_place(struct bt_schema_machine *run,
                                            struct bt_schema_cursor *cursor,
                                            const struct bt_schema_block_ref *use);

/* machine_object.c */

/* The property that has the member's name, or NULL. */
const struct bt_schema_property *bt_schema_machine_find(const struct bt_schema_machine *run,
                                                        const struct bt_schema_object *object,
                                                        const struct bt_json_member *member);

/* machine_children.c */
enum bt_schema_step bt_schema_step_names(struct bt_schema_machine *run,
                                         const struct bt_schema_instr *at,
                                         const bt_json_value *value);
enum bt_schema_step bt_schema_step_unevaluated(struct bt_schema_machine *run,
                                               const struct bt_schema_instr *at,
                                               const bt_json_value *value);
/* A member's name as a value, and what a block says of it. */
bt_json_value bt_schema_name_value(const struct bt_json_member *member);
enum bt_schema_result bt_schema_name_run(struct bt_schema_machine *run,
                                         const struct bt_schema_block_ref *use,
                                         const bt_json_value *name);

/* machine_choice.c */
enum bt_schema_step bt_schema_step_choice(struct bt_schema_machine *run,
                                          struct bt_schema_cursor *cursor);
/* The branch of the choice on top of the stack has passed, or has failed. */
enum bt_schema_step bt_schema_choice_after(struct bt_schema_machine *run,
                                           struct bt_schema_cursor *cursor, bool passed);

/* machine_scope.c */
enum bt_schema_step bt_schema_step_scope(struct bt_schema_machine *run,
                                         struct bt_schema_cursor *cursor);
/* Bind what is free; false at a limit. */
BT_MUST_USE bool bt_schema_scope_enter(struct bt_schema_machine *run,
                                       const struct bt_schema_cursor *cursor);
void bt_schema_scope_leave(struct bt_schema_machine *run,
                           const struct bt_schema_stack_entry *entry);
enum bt_schema_step bt_schema_step_dynamic(struct bt_schema_machine *run,
                                           struct bt_schema_cursor *cursor);
/* Where a dynamic reference leads now; NULL: nowhere. */
const struct bt_schema_block_ref *bt_schema_dynamic_use(const struct bt_schema_machine *run,
                                                        const struct bt_schema_instr *at);

/* Whether the condition of a WHEN instruction holds. */
bool bt_schema_guard_holds(const struct bt_schema_machine *run, const struct bt_schema_guard *when,
                           const bt_json_value *value);

/* evaluated.c: a stack of sets of evaluated children. */

/* Begin a set for the children of `value`. False at a limit. */
BT_MUST_USE bool bt_schema_evaluated_push(struct bt_schema_machine *run,
                                          const bt_json_value *value);
/* End the newest set; with `keep`, what it marks is marked in the one below, which must be one of
 * the same value. */
void bt_schema_evaluated_pop(struct bt_schema_machine *run, bool keep);
void bt_schema_evaluated_set(struct bt_schema_machine *run, uint32_t index);
void bt_schema_evaluated_set_first(struct bt_schema_machine *run, uint32_t count);
bool bt_schema_evaluated_has(const struct bt_schema_machine *run, uint32_t index);

/* memo.c */

/* What is known about the block and the value; BT_SCHEMA_UNDECIDED when nothing is. */
enum bt_schema_result bt_schema_memo_find(struct bt_schema_machine *run,
                                          const struct bt_schema_instr *at,
                                          const bt_json_value *value);
void bt_schema_memo_put(struct bt_schema_machine *run, const struct bt_schema_stack_entry *entry,
                        enum bt_schema_result answer);
/* Whether anything is, also while nothing is asked. */
bool bt_schema_memo_known(const struct bt_schema_machine *run, const struct bt_schema_instr *at,
                          const bt_json_value *value);
/* Forget everything, for a document of so many values. */
void bt_schema_memo_reset(struct bt_schema_machine *run, uint64_t nodes);

#endif
