/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_choice.c - alternatives in the diagnostic run.
 *
 * Whether one holds is asked of the fast machine. When it does not, that is one finding at the
 * value. To say what each branch lacked, an entry for the choice is put on the stack and the
 * branches are walked above it, one after the other, their findings going into the params;
 * alternatives within a branch are then only named.
 */
#include <assert.h>

#include "schema/explain.h"

enum { BRANCHES_MAX = 32 }; /* that are walked */

/* What the fast machine says about one instruction alone. */
static enum bt_schema_result run_instr(struct bt_schema_machine *run,
                                       const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_instr code[2] = {
        *at, {.op = BT_SCHEMA_OP_END, .types = BT_SCHEMA_TYPE_SET_ALL}};
    return bt_schema_machine_run(run, code, value);
}

/* What it says about a block; what the block marks is dropped. */
static enum bt_schema_result run_block_ref(struct bt_schema_machine *run,
                                           const struct bt_schema_block_ref *use,
                                           const bt_json_value *value)
{
    if (!bt_types_ok(run->document, use->types, value)) {
        return BT_SCHEMA_INVALID;
    }
    if (use->kind <= BT_USE_TYPES) {
        return BT_SCHEMA_VALID;
    }
    if (!bt_schema_evaluated_push(run, value)) {
        return BT_SCHEMA_UNDECIDED;
    }
    const enum bt_schema_result answer = bt_schema_machine_run(run, bt_use_block(use), value);
    if (answer != BT_SCHEMA_UNDECIDED) {
        bt_schema_evaluated_pop(run, false);
    }
    return answer;
}

static const struct bt_schema_block_ref *branch_at(const struct bt_schema_instr *at, uint32_t index)
{
    return at->op == BT_SCHEMA_OP_CONTAINS ? &at->as.contains->use
                                           : &at->as.choice->branches[index];
}

static uint32_t branches_of(const struct bt_schema_instr *at, const bt_json_value *value)
{
    const uint32_t count = at->op == BT_SCHEMA_OP_CONTAINS ? value->size : at->as.choice->count;
    return count < BRANCHES_MAX ? count : BRANCHES_MAX;
}

/* The keyword of an alternative. */
static const char *keyword_of(const struct bt_schema_instr *at)
{
    switch (at->op) {
    case BT_SCHEMA_OP_ONE:
        return "oneOf";
    case BT_SCHEMA_OP_NOT:
        return at->number == BT_SCHEMA_KW_DISALLOW ? "disallow" : "not";
    case BT_SCHEMA_OP_CONTAINS:
        return "contains";
    default: /* draft 3 has schemas among the types */
        return at->number == BT_SCHEMA_KW_TYPE ? "type" : "anyOf";
    }
}

static enum bt_status add_by_keyword(struct bt_schema_explain_run *explain,
                                     const struct bt_schema_finding_head *head,
                                     const struct bt_schema_finding_site *site, bt_str branches)
{
    const struct bt_schema_instr *at = site->at;
    switch (at->op) {
    case BT_SCHEMA_OP_ONE:
        return bt_add_schema_one_of(head->findings, head->at, head->keyword, 0, branches,
                                    head->subject);
    case BT_SCHEMA_OP_NOT:
        return at->number == BT_SCHEMA_KW_DISALLOW
                   ? bt_add_schema_disallow(head->findings, head->at, head->keyword, head->subject)
                   : bt_add_schema_not(head->findings, head->at, head->keyword, head->subject);
    case BT_SCHEMA_OP_CONTAINS:
        return bt_add_schema_contains(head->findings, head->at, head->keyword, branches,
                                      head->subject);
    default:
        break;
    }
    if (at->number != BT_SCHEMA_KW_TYPE) {
        return bt_add_schema_any_of(head->findings, head->at, head->keyword, branches,
                                    head->subject);
    }
    const bt_json_value *type = bt_schema_finding_keyword(explain, at, "type");
    return bt_add_json_schema_type_alternatives(
        head->findings, head->at, head->keyword,
        bt_schema_finding_schema_json(explain, 0, at, type),
        bt_str_of(bt_json_type_name(explain->run->document, site->value)), branches, head->subject);
}

/* Say it without looking into the branches; or, when they have been walked, with them. */
static void add_choice_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value,
                               bool with_branches)
{
    const struct bt_schema_finding_site site = {at, keyword_of(at), value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    enum bt_status status = with_branches ? explain->branches.status : BT_OK;
    if (status == BT_OK) {
        status = add_by_keyword(explain, &head, &site,
                                with_branches ? bt_buf_str(&explain->branches) : BT_STR_ABSENT);
    }
    bt_schema_finding_end(explain, status);
}

/* Walk the branch of the choice on top of the stack, or end it. */
static enum bt_schema_step walk_branch(struct bt_schema_explain_run *explain,
                                       struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    const struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    const bt_json_value *value = entry->value;
    if (entry->index == branches_of(entry->at, value)) {
        bt_buf_put_char(&explain->branches, ']');
        const struct bt_schema_instr *at = entry->at;
        run->top--;
        explain->is_collecting = false;
        add_choice_finding(explain, at, value, true);
        return BT_SCHEMA_STEP_END;
    }
    bt_buf_put_text(&explain->branches, entry->index > 0 ? ",[" : "[");
    explain->branch_findings = 0;
    const struct bt_schema_block_ref *use = branch_at(entry->at, entry->index);
    const bt_json_value *tried =
        entry->at->op == BT_SCHEMA_OP_CONTAINS ? &value->as.items[entry->index] : value;
    if (!bt_schema_evaluated_push(run, tried)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    if (!use->rest) {
        return BT_SCHEMA_STEP_END; /* draft 3: a type alone, of which `expected` tells */
    }
    *cursor = (struct bt_schema_cursor){bt_use_block(use), tried};
    return BT_SCHEMA_STEP_JUMP;
}

enum bt_schema_step bt_schema_explain_run_branch_done(struct bt_schema_explain_run *explain,
                                                      struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    bt_schema_evaluated_pop(run, false);
    bt_buf_put_char(&explain->branches, ']');
    run->stack[run->top - 1].index++;
    return walk_branch(explain, cursor);
}

static enum bt_schema_step start_branches(struct bt_schema_explain_run *explain,
                                          struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    if (!bt_step_postpone(run, cursor)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    struct bt_schema_stack_entry *entry = bt_run_push(run);
    if (!entry) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    *entry = (struct bt_schema_stack_entry){
        .at = cursor->at, .value = cursor->value, .kind = BT_ENTRY_CHOICE};
    explain->is_collecting = true;
    bt_buf_clear(&explain->branches);
    bt_buf_put_char(&explain->branches, '[');
    return walk_branch(explain, cursor);
}

/* oneOf with more than one branch that passes. False at a limit. */
static bool add_passing_finding(struct bt_schema_explain_run *explain,
                                const struct bt_schema_instr *at, const bt_json_value *value,
                                bool *out_is_reported)
{
    uint32_t passing[BRANCHES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < at->as.choice->count && count < BRANCHES_MAX; i++) {
        const enum bt_schema_result answer =
            run_block_ref(explain->run, &at->as.choice->branches[i], value);
        if (answer == BT_SCHEMA_UNDECIDED) {
            return false;
        }
        if (answer == BT_SCHEMA_VALID) {
            passing[count++] = i;
        }
    }
    *out_is_reported = count > 0;
    if (count == 0) {
        return true;
    }
    struct bt_buf *passing_json = &explain->texts[0];
    bt_buf_clear(passing_json);
    for (uint32_t i = 0; i < count; i++) {
        bt_buf_put_char(passing_json, i > 0 ? ',' : '[');
        bt_buf_put_u64(passing_json, passing[i]);
    }
    bt_buf_put_char(passing_json, ']');
    const struct bt_schema_finding_site site = {at, keyword_of(at), value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    bt_schema_finding_end(explain,
                          bt_add_schema_one_of_several(head.findings, head.at, head.keyword, count,
                                                       bt_buf_str(passing_json), head.subject));
    return true;
}

/* contains with too few or too many items, where a number is given. False at a limit. */
static bool add_contains_finding(struct bt_schema_explain_run *explain,
                                 const struct bt_schema_instr *at, const bt_json_value *value,
                                 bool *out_is_reported)
{
    const struct bt_schema_contains *contains = at->as.contains;
    uint64_t count = 0;
    for (uint32_t i = 0; i < value->size; i++) {
        const enum bt_schema_result answer =
            run_block_ref(explain->run, &contains->use, &value->as.items[i]);
        if (answer == BT_SCHEMA_UNDECIDED) {
            return false;
        }
        count += answer == BT_SCHEMA_VALID;
    }
    const bool is_low = count < contains->low;
    const char *keyword = is_low ? "minContains" : "maxContains";
    const bt_json_value *limit = bt_schema_finding_keyword(explain, at, keyword);
    *out_is_reported = limit != NULL;
    if (!limit) {
        return true;
    }
    const struct bt_schema_finding_site site = {at, keyword, value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    const bt_str json = bt_schema_finding_schema_json(explain, 0, at, limit);
    bt_schema_finding_end(explain,
                          is_low ? bt_add_schema_min_contains(head.findings, head.at, head.keyword,
                                                              json, count, head.subject)
                                 : bt_add_schema_max_contains(head.findings, head.at, head.keyword,
                                                              json, count, head.subject));
    return true;
}

enum bt_schema_step bt_schema_explain_run_choice(struct bt_schema_explain_run *explain,
                                                 struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    const struct bt_schema_instr *at = cursor->at;
    if ((at->types >> cursor->value->type & 1) == 0) {
        return BT_SCHEMA_STEP_NEXT;
    }
    const enum bt_schema_result answer = run_instr(run, at, cursor->value);
    if (answer != BT_SCHEMA_INVALID) {
        return (enum bt_schema_step)answer; /* it holds, or a limit was reached */
    }
    bool is_reported = false;
    if (at->op == BT_SCHEMA_OP_ONE &&
        !add_passing_finding(explain, at, cursor->value, &is_reported)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    if (at->op == BT_SCHEMA_OP_CONTAINS &&
        !add_contains_finding(explain, at, cursor->value, &is_reported)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    if (is_reported) {
        return BT_SCHEMA_STEP_NEXT;
    }
    if (explain->is_collecting || at->op == BT_SCHEMA_OP_NOT) {
        add_choice_finding(explain, at, cursor->value, false);
        return BT_SCHEMA_STEP_NEXT;
    }
    return start_branches(explain, cursor);
}

enum bt_schema_step bt_schema_explain_run_if(struct bt_schema_explain_run *explain,
                                             struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    const struct bt_schema_condition *condition = cursor->at->as.condition;
    const bool is_tracked = (cursor->at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0;
    enum bt_schema_result test = bt_types_ok(run->document, condition->test.types, cursor->value)
                                     ? BT_SCHEMA_VALID
                                     : BT_SCHEMA_INVALID;
    if (test == BT_SCHEMA_VALID && condition->test.kind > BT_USE_TYPES) {
        if (!bt_schema_evaluated_push(run, cursor->value)) {
            return BT_SCHEMA_STEP_LIMIT;
        }
        test = bt_schema_machine_run(run, bt_use_block(&condition->test), cursor->value);
        if (test == BT_SCHEMA_UNDECIDED) {
            return BT_SCHEMA_STEP_LIMIT;
        }
        bt_schema_evaluated_pop(run, is_tracked && test == BT_SCHEMA_VALID);
    }
    const struct bt_schema_block_ref *use =
        test == BT_SCHEMA_VALID ? &condition->then : &condition->otherwise;
    if (use->kind == BT_USE_NONE) {
        return BT_SCHEMA_STEP_NEXT;
    }
    if (!bt_step_postpone(run, cursor)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    cursor->at = bt_use_block(use);
    return BT_SCHEMA_STEP_JUMP;
}
