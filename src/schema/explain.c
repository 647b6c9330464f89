/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - the diagnostic run: everything that is wrong with a document.
 */
#include "schema/explain.h"

#include <assert.h>
#include <stdio.h>

#include "base/vec.h"
#include "report/findings.h"

enum {
    FINDINGS_BYTES = 64 << 20, /* of findings that wait until all are known */
    SECONDS_BYTES = 32,
};

static enum bt_schema_step step_when(struct bt_schema_explain_run *explain,
                                     struct bt_schema_cursor *cursor)
{
    return bt_schema_guard_holds(explain->run, cursor->at->as.when, cursor->value)
               ? bt_schema_step_call(explain->run, cursor, bt_use_block(&cursor->at->as.when->use))
               : BT_SCHEMA_STEP_NEXT;
}

static enum bt_schema_step step_dynamic(struct bt_schema_explain_run *explain,
                                        struct bt_schema_cursor *cursor)
{
    const struct bt_schema_block_ref *use = bt_schema_dynamic_use(explain->run, cursor->at);
    if (use) {
        return bt_schema_step_call(explain->run, cursor, bt_use_block(use));
    }
    const struct bt_schema_finding_site site = {cursor->at, "$dynamicRef", cursor->value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    bt_schema_finding_end(explain, bt_add_schema_ref_unresolved_anchor(head.findings, head.at,
                                                                       head.keyword, head.subject));
    return BT_SCHEMA_STEP_NEXT;
}

static enum bt_schema_step step_scope(struct bt_schema_explain_run *explain,
                                      struct bt_schema_cursor *cursor)
{
    if (!bt_schema_scope_enter(explain->run, cursor)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    cursor->at = bt_use_block(&cursor->at->as.scope->use);
    return BT_SCHEMA_STEP_JUMP;
}

/*
 * What was said of a value and a block needs no saying again, so that schemas that apply a block
 * over and over do not keep us. A block that marks children is walked each time, for its marks.
 */
static enum bt_schema_step step_memo(struct bt_schema_explain_run *explain,
                                     const struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    if (explain->is_collecting || (cursor->at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0) {
        return BT_SCHEMA_STEP_NEXT;
    }
    /* The instruction behind the memo is the key, so that results of the fast run, which are
     * stored under the memo itself, are not mistaken for explain walks. */
    const struct bt_schema_stack_entry key = {
        .at = cursor->at + 1, .value = cursor->value, .extra = run->scope.current};
    if (bt_schema_memo_known(run, key.at, key.value)) {
        return BT_SCHEMA_STEP_END;
    }
    bt_schema_memo_put(run, &key, BT_SCHEMA_VALID);
    return BT_SCHEMA_STEP_NEXT;
}

static enum bt_schema_step step_leaf(struct bt_schema_explain_run *explain,
                                     const struct bt_schema_cursor *cursor)
{
    const enum bt_schema_result answer =
        bt_schema_leaf_one(explain->run, cursor->at, cursor->value);
    if (answer == BT_SCHEMA_INVALID) {
        bt_schema_explain_run_leaf(explain, cursor->at, cursor->value);
    }
    return answer == BT_SCHEMA_UNDECIDED ? BT_SCHEMA_STEP_LIMIT : BT_SCHEMA_STEP_NEXT;
}

static enum bt_schema_step explain_instr(struct bt_schema_explain_run *explain,
                                         struct bt_schema_cursor *cursor)
{
    const struct bt_schema_instr *at = cursor->at;
    switch ((enum bt_schema_op)at->op) {
    case BT_SCHEMA_OP_END:
        return BT_SCHEMA_STEP_END;
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
        return step_leaf(explain, cursor);
    case BT_SCHEMA_OP_ANY:
    case BT_SCHEMA_OP_ONE:
    case BT_SCHEMA_OP_NOT:
    case BT_SCHEMA_OP_CONTAINS:
        return bt_schema_explain_run_choice(explain, cursor);
    case BT_SCHEMA_OP_IF:
        return bt_schema_explain_run_if(explain, cursor);
    case BT_SCHEMA_OP_OBJECT:
        return bt_schema_explain_run_object(explain, at, cursor->value);
    case BT_SCHEMA_OP_NAMES:
        return bt_schema_explain_run_names(explain, at, cursor->value);
    case BT_SCHEMA_OP_ITEMS:
        return bt_schema_explain_run_items(explain, at, cursor->value);
    case BT_SCHEMA_OP_CALL:
        return bt_schema_step_call(explain->run, cursor, at->as.code);
    case BT_SCHEMA_OP_DYNAMIC:
        return step_dynamic(explain, cursor);
    case BT_SCHEMA_OP_SCOPE:
        return step_scope(explain, cursor);
    case BT_SCHEMA_OP_WHEN:
        return step_when(explain, cursor);
    case BT_SCHEMA_OP_MEMO:
        return step_memo(explain, cursor);
    case BT_SCHEMA_OP_MARKS:
        return bt_schema_step_marks(explain->run, cursor);
    case BT_SCHEMA_OP_UNEVALUATED:
        return bt_schema_explain_run_unevaluated(explain, at, cursor->value);
    case BT_SCHEMA_OP__MAX:
        break;
    }
    assert(false); /* every instruction has its case */
    return BT_SCHEMA_STEP_LIMIT;
}

static enum bt_schema_step end_block(struct bt_schema_explain_run *explain,
                                     struct bt_schema_cursor *cursor)
{
    struct bt_schema_machine *run = explain->run;
    const struct bt_schema_stack_entry *entry = &run->stack[run->top - 1];
    if (entry->kind == BT_ENTRY_BASE) {
        return BT_SCHEMA_STEP_VALID; /* the end of the walk, whatever it found */
    }
    if (entry->kind == BT_ENTRY_CHOICE) {
        return bt_schema_explain_run_branch_done(explain, cursor);
    }
    run->top--;
    if (entry->kind == BT_ENTRY_RUN) {
        *cursor = (struct bt_schema_cursor){entry->at, entry->value};
        return BT_SCHEMA_STEP_JUMP;
    }
    if (entry->kind == BT_ENTRY_MARKS) {
        bt_schema_evaluated_pop(run, (entry->at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0);
    } else {
        assert(entry->kind == BT_ENTRY_SCOPE);
        bt_schema_scope_leave(run, entry);
    }
    return BT_SCHEMA_STEP_END;
}

/* Walk until nothing is left to be looked at, or enough has been said. */
static enum bt_schema_step explain_blocks(struct bt_schema_explain_run *explain,
                                          struct bt_schema_cursor cursor)
{
    struct bt_schema_stack_entry *base = bt_run_push(explain->run);
    if (!base) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    base->kind = BT_ENTRY_BASE;
    for (;;) {
        enum bt_schema_step next = explain_instr(explain, &cursor);
        while (next == BT_SCHEMA_STEP_END) {
            next = end_block(explain, &cursor);
        }
        if (next == BT_SCHEMA_STEP_NEXT) {
            cursor.at++;
        } else if (next != BT_SCHEMA_STEP_JUMP) {
            return next;
        }
        if (explain->status != BT_OK || explain->count >= explain->run->limits.findings_max) {
            return BT_SCHEMA_STEP_VALID;
        }
    }
}

/* Which bound ended the run. What was found until then is dropped: half a list is worse than
 * none. */
static enum bt_status add_budget_finding(struct bt_schema_explain_run *explain)
{
    const struct bt_schema_machine *run = explain->run;
    const struct bt_schema_limits *limits = &run->limits;
    const size_t offset = bt_json_span(run->document, bt_json_root(run->document)).begin;
    enum bt_schema_budget_spent_spent spent = BT_SCHEMA_BUDGET_SPENT_SPENT_WORK;
    uint64_t limit = limits->work_max;
    char seconds[SECONDS_BYTES] = "";
    if (run->spent == BT_SCHEMA_LIMIT_TIME) {
        spent = BT_SCHEMA_BUDGET_SPENT_SPENT_TIME;
        limit = limits->time_ns / 1000000;
        (void)snprintf(seconds, sizeof(seconds), "%g", (double)limits->time_ns / 1e9);
    } else if (run->spent == BT_SCHEMA_LIMIT_MEMORY) {
        spent = BT_SCHEMA_BUDGET_SPENT_SPENT_MEMORY;
        limit = limits->memory_bytes;
    }
    explain->count++;
    explain->found = bt_findings_new(&explain->arena);
    return explain->found
               ? bt_add_schema_budget_spent(explain->found, bt_location_pointer(BT_STR(""), offset),
                                            spent, limit, bt_str_of(seconds))
               : BT_ENOMEM;
}

/* A run that ended at a limit: a bound is said, a lack of memory is ours to answer for. */
static void add_limit_finding(struct bt_schema_explain_run *explain)
{
    if (explain->run->spent == BT_SCHEMA_LIMIT_SYSTEM) {
        explain->status = BT_ENOMEM;
    } else {
        explain->status = add_budget_finding(explain);
    }
}

static enum bt_status hand_over(const struct bt_schema_explain_run *explain,
                                struct bt_findings *findings)
{
    BT_TRY(explain->status);
    for (size_t i = 0; i < bt_findings_count(explain->found); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(explain->found, i)));
    }
    return BT_OK;
}

static enum bt_schema_result run_explanation(struct bt_schema_explain_run *explain,
                                             const struct bt_schema *schema,
                                             const struct bt_json_doc *document)
{
    struct bt_schema_machine *run = explain->run;
    enum bt_schema_step end = BT_SCHEMA_STEP_VALID;
    if (!bt_schema_machine_begin(run, schema, document)) {
        end = BT_SCHEMA_STEP_LIMIT;
    } else {
        end = explain_blocks(explain, (struct bt_schema_cursor){bt_use_block(&schema->entry),
                                                                bt_json_root(document)});
    }
    if (end == BT_SCHEMA_STEP_LIMIT && explain->status == BT_OK) {
        add_limit_finding(explain);
        return BT_SCHEMA_UNDECIDED;
    }
    return explain->count > 0 ? BT_SCHEMA_INVALID : BT_SCHEMA_VALID;
}

/* The list about a branch has room for one finding, which is dropped when it was written. */
static enum bt_status make_lists(struct bt_schema_explain_run *explain)
{
    explain->found = bt_findings_new(&explain->arena);
    explain->branch = bt_findings_new(&explain->arena);
    if (!explain->found || !explain->branch) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_vec_reserve(&explain->arena, explain->branch, 1));
    explain->branch->arena = &explain->branch_arena;
    return BT_OK;
}

/* Say what is wrong with the document; when it is not given, why the run that was ended. */
static enum bt_status add_findings(struct bt_schema_machine *run, const struct bt_schema *schema,
                                   const struct bt_json_doc *document, struct bt_findings *findings,
                                   enum bt_schema_result *out_answer)
{
    struct bt_schema_explain_run explain = {.run = run};
    bt_arena_init(&explain.arena, FINDINGS_BYTES);
    bt_arena_init(&explain.branch_arena, FINDINGS_BYTES);
    struct bt_buf *const bufs[] = {&explain.subject, &explain.keyword, &explain.texts[0],
                                   &explain.texts[1], &explain.branches};
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++) {
        bt_buf_init(bufs[i], FINDINGS_BYTES);
    }
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    explain.status = make_lists(&explain);
    if (explain.status != BT_OK) {
        /* nothing can be said */
    } else if (document) {
        answer = run_explanation(&explain, schema, document);
    } else {
        add_limit_finding(&explain);
    }
    const enum bt_status status = hand_over(&explain, findings);
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++) {
        bt_buf_free(bufs[i]);
    }
    bt_arena_free(&explain.branch_arena);
    bt_arena_free(&explain.arena);
    if (status == BT_OK) {
        *out_answer = answer;
    }
    return status;
}

enum bt_status bt_schema_explain(const struct bt_schema *schema, struct bt_schema_runner *runner,
                                 const struct bt_json_doc *document, struct bt_findings *findings,
                                 enum bt_schema_result *out_answer)
{
    assert(schema);
    assert(runner);
    assert(document);
    assert(findings);
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    BT_TRY(add_findings(&runner->run, schema, document, findings, &answer));
    BT_TRY(bt_findings_publish_own(findings, bt_json_source(document)));
    if (out_answer) {
        *out_answer = answer;
    }
    return BT_OK;
}

enum bt_status bt_schema_validate(const struct bt_schema *schema, struct bt_schema_runner *runner,
                                  const struct bt_json_doc *document, struct bt_findings *findings,
                                  enum bt_schema_result *out_answer)
{
    assert(findings);
    struct bt_schema_machine *run = &runner->run;
    const enum bt_schema_result fast = bt_schema_run(schema, runner, document);
    enum bt_schema_result answer = fast;
    if (fast != BT_SCHEMA_VALID) {
        const int64_t fuel = run->fuel.slice;
        const uint64_t fuel_left = run->fuel.left;
        const bool again = fast == BT_SCHEMA_INVALID;
        BT_TRY(add_findings(run, schema, again ? document : NULL, findings, &answer));
        run->fuel.slice = fuel;
        run->fuel.left = fuel_left;
        BT_TRY(bt_findings_publish_own(findings, bt_json_source(document)));
    }
    if (fast != answer && answer == BT_SCHEMA_VALID) {
        return BT_EINTERNAL;
    }
    if (out_answer) {
        *out_answer = answer;
    }
    return BT_OK;
}
