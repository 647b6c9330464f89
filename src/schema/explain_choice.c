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

/* Which rule an alternative breaks. */
static struct bt_schema_finding_site make_site(const struct bt_schema_instr *at,
                                               const bt_json_value *value)
{
    struct bt_schema_finding_site site = {"SCHEMA_ANY_OF", at, "anyOf", value};
    if (at->op == BT_SCHEMA_OP_ONE) {
        site.code = "SCHEMA_ONE_OF";
        site.keyword = "oneOf";
    } else if (at->op == BT_SCHEMA_OP_NOT) {
        const bool is_old = at->number == BT_SCHEMA_KW_DISALLOW;
        site.code = is_old ? "SCHEMA_DISALLOW" : "SCHEMA_NOT";
        site.keyword = is_old ? "disallow" : "not";
    } else if (at->op == BT_SCHEMA_OP_CONTAINS) {
        site.code = "SCHEMA_CONTAINS";
        site.keyword = "contains";
    } else if (at->number == BT_SCHEMA_KW_TYPE) {
        site.code = "SCHEMA_TYPE"; /* draft 3: schemas among the types */
        site.keyword = "type";
    }
    return site;
}

static const char *clause_of(const struct bt_schema_instr *at)
{
    switch (at->op) {
    case BT_SCHEMA_OP_NOT:
        return " is just what is ruled out";
    case BT_SCHEMA_OP_CONTAINS:
        return " holds no item of the kind that is asked for";
    default:
        return " meets none of the alternatives";
    }
}

/* Say it without looking into the branches; or, when they have been walked, with them. */
static void add_choice_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value,
                               bool with_branches)
{
    const struct bt_schema_finding_site site = make_site(at, value);
    bt_schema_finding_begin(explain, &site);
    bt_buf_put_text(&explain->message, clause_of(at));
    if (at->op == BT_SCHEMA_OP_ONE) {
        bt_emit_member_u64(&explain->emit, "passed", 0);
    }
    if (at->op == BT_SCHEMA_OP_ANY && at->number == BT_SCHEMA_KW_TYPE) {
        bt_schema_finding_put_schema_value(explain, "expected", at,
                                           bt_schema_finding_put_keyword(explain, at, "type"));
        bt_emit_member_string(&explain->emit, "actual",
                              bt_str_of(bt_json_type_name(explain->run->document, value)));
    }
    if (with_branches) {
        bt_emit_name(&explain->emit, "branches");
        bt_emit_raw(&explain->emit, bt_buf_str(&explain->branches));
        if (explain->branches.status != BT_OK) {
            explain->status = explain->branches.status;
        }
    }
    bt_schema_finding_end(explain);
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
    const struct bt_schema_finding_site site = make_site(at, value);
    bt_schema_finding_begin(explain, &site);
    bt_emit_member_u64(&explain->emit, "passed", count);
    bt_emit_name(&explain->emit, "passing");
    bt_emit_begin_array(&explain->emit);
    for (uint32_t i = 0; i < count; i++) {
        bt_emit_u64(&explain->emit, passing[i]);
    }
    bt_emit_end(&explain->emit);
    bt_buf_printf(&explain->message, " meets %u of the alternatives, not one", count);
    bt_schema_finding_end(explain);
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
    const bt_json_value *limit = bt_schema_finding_put_keyword(explain, at, keyword);
    *out_is_reported = limit != NULL;
    if (!limit) {
        return true;
    }
    const struct bt_schema_finding_site site = {
        is_low ? "SCHEMA_MIN_CONTAINS" : "SCHEMA_MAX_CONTAINS", at, keyword, value};
    bt_schema_finding_begin(explain, &site);
    bt_schema_finding_put_schema_value(explain, "limit", at, limit);
    bt_emit_member_u64(&explain->emit, "actual", count);
    bt_buf_printf(&explain->message, " holds %llu items of the kind, too %s",
                  (unsigned long long)count, is_low ? "few" : "many");
    bt_schema_finding_end(explain);
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
