/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix_apply.c - apply fixes step by step, judging again after each change; and check --fix.
 *
 * A change may uncover other findings: a member that gets its right name is judged under it, an
 * object that is filled in lacks members of its own. So the document is judged again after every
 * batch, without exact tokens and the file system.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/str.h"
#include "dialect/universal/fix_table.h"
#include "dialect/universal/result.h"
#include "dialect/universal/universal_check.h"
#include "json/emit.h"
#include "json/pointer.h"
#include "report/rules.h"

/* A step may uncover more for itself, and, rarely, for one before it: a null member that goes makes
 * room for its misspelled twin. No chain of such changes is longer than this. */
enum { PASSES_MAX = 8 };

struct universal_fix_run {
    struct bt_universal_revision *revision;
    struct bt_universal_options options;
    const struct bt_universal_options *wanted; /* as they were given */
    const struct bt_fix_choice *choice;        /* NULL: as repair does */
    bt_str supplied;         /* the missing member that the only finding is about; "": none */
    struct bt_arena scratch; /* of the present judgement */
    struct bt_universal_check handoff;
    struct universal_fix_plan {
        struct bt_universal_fix_row fix_row;
        const char *why;
    } * plans; /* what is to be done about it, in the order of the document */
    size_t plan_count;
    bool trace_id;
};

static bool is_wanted(const struct universal_fix_run *run, const struct bt_finding *finding,
                      const struct bt_universal_fix_row *fix_row)
{
    const bool is_rename = fix_row->step == BT_UNIVERSAL_FIX_STEP_RENAME;
    if (!run->choice) {
        return fix_row->fix == BT_FIX_SAFE || finding->severity == BT_SEVERITY_HARD ||
               (is_rename && fix_row->onto_required);
    }
    return bt_fix_choice_has(run->choice, fix_row->fix, finding->code, finding->pointer) ||
           (is_rename && run->supplied.len > 0 && bt_str_eq(fix_row->to, run->supplied));
}

/* The name that an object lacks may be supplied by the rename that fixes another finding. */
static enum bt_status find_supplied(struct universal_fix_run *run)
{
    const struct bt_finding *only = run->choice ? run->choice->only : NULL;
    run->supplied = BT_STR("");
    return only && only->code == BT_CODE_SCHEMA_REQUIRED
               ? bt_universal_put_missing_pointer(only, run->revision->arena, &run->supplied)
               : BT_OK;
}

/* The quick check knows the estimate only. A declared count that equals the exact one needs no
 * fix. */
static enum bt_status is_exact(struct universal_fix_run *run, const struct bt_finding *finding,
                               bool *out)
{
    const struct bt_universal_check *handoff = &run->handoff;
    uint64_t declared = 0;
    uint64_t exact = 0;
    bool is_known = false;
    *out = false;
    if (finding->code != BT_CODE_TOKENS_DRIFT ||
        !bt_universal_check_integer(
            handoff, bt_universal_check_usable(handoff, handoff->parts.meta, "token_count"),
            &declared)) {
        return BT_OK;
    }
    BT_TRY(bt_count_exactly(run->revision->universal, run->wanted, run->revision->text,
                            &run->scratch, &is_known, &exact));
    *out = is_known && !bt_count_is_off(declared, exact);
    return BT_OK;
}

/* Plan what to do about each finding; no place twice, and no name for two members. */
static enum bt_status plan_fixes(struct universal_fix_run *run)
{
    struct bt_universal_fix_finder finder = {.handoff = &run->handoff};
    const struct bt_findings *findings = run->handoff.findings;
    bt_str before = BT_STR("-"); /* several findings about one value follow each other */
    run->plan_count = 0;
    run->plans =
        BT_NEW_ARRAY(&run->scratch, struct universal_fix_plan, bt_findings_count(findings) + 1);
    BT_TRY(run->plans ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        struct universal_fix_plan plan = {.why = finding->rule->code.ptr};
        bool is_no_drift = false;
        BT_TRY(is_exact(run, finding, &is_no_drift));
        BT_TRY(bt_universal_find_fix(&finder, finding, &run->scratch, &plan.fix_row));
        if (is_no_drift || plan.fix_row.step == BT_UNIVERSAL_FIX_STEP_NONE ||
            !is_wanted(run, finding, &plan.fix_row) || bt_str_eq(plan.fix_row.pointer, before)) {
            continue;
        }
        bt_universal_fix_finder_next(&finder, &plan.fix_row);
        before = plan.fix_row.pointer;
        run->plans[run->plan_count++] = plan;
    }
    return BT_OK;
}

/* Judge the document as it stands now. */
static enum bt_status check_revision(struct universal_fix_run *run)
{
    bt_arena_reset(&run->scratch);
    struct bt_findings *findings = bt_findings_new(&run->scratch);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_check_judge(run->revision->universal, run->revision->text, &run->options,
                                    findings, &run->handoff));
    BT_TRY(bt_findings_finish(findings, run->revision->text)); /* in the document's order */
    return plan_fixes(run);
}

/* What timestamp and trace_id get: the present time in whole seconds, and a new identifier. */
static enum bt_status put_default(struct universal_fix_run *run, bt_str pointer,
                                  struct bt_emit *emit)
{
    struct bt_env *env = run->revision->universal->env;
    if (bt_str_eq(pointer, BT_STR("/handoff/schema_type"))) {
        bt_emit_string(emit, bt_dialect_name(BT_DIALECT_UNIVERSAL));
        return BT_OK;
    }
    if (bt_str_eq(pointer, BT_STR("/handoff/timestamp"))) {
        char text[BT_INSTANT_TEXT_BYTES];
        bt_instant now = bt_env_now(env);
        now.nanos = 0;
        (void)bt_instant_format(now, text);
        bt_emit_string(emit, bt_str_of(text));
        return BT_OK;
    }
    assert(bt_str_eq(pointer, BT_STR("/handoff/trace_id")));
    char uuid[BT_UUID_TEXT_BYTES];
    BT_TRY(bt_env_uuid(env, uuid));
    run->trace_id = true;
    bt_emit_string(emit, bt_str_of(uuid));
    return BT_OK;
}

static enum bt_status put_value(struct universal_fix_run *run,
                                const struct bt_universal_fix_row *fix_row, struct bt_emit *emit)
{
    const struct bt_universal_fix_value *value = &fix_row->value;
    if (value->type == BT_JSON_NONE) {
        return put_default(run, fix_row->pointer, emit);
    }
    if (value->type == BT_JSON_STRING) {
        bt_emit_string(emit, value->texts.items[0]);
    } else if (value->type == BT_JSON_INTEGER) {
        bt_emit_number(emit, value->texts.items[0]);
    } else if (value->type == BT_JSON_OBJECT) {
        bt_emit_begin_object(emit);
        bt_emit_end(emit);
    } else {
        bt_emit_begin_array(emit);
        for (size_t i = 0; i < value->texts.count; i++) {
            bt_emit_string(emit, value->texts.items[i]);
        }
        bt_emit_end(emit);
    }
    return BT_OK;
}

static enum bt_status set_value(struct universal_fix_run *run,
                                const struct bt_universal_fix_row *fix_row, const char *why)
{
    const struct bt_json_doc *document = run->revision->document;
    const bool is_there =
        bt_json_resolve(document, bt_json_root(document), fix_row->pointer) != NULL;
    BT_TRY(put_value(
        run, fix_row,
        bt_universal_revision_begin_value(run->revision, fix_row->pointer, is_there, why)));
    return bt_universal_revision_end_value(run->revision);
}

static enum bt_status carry_out(struct universal_fix_run *run,
                                const struct bt_universal_fix_row *fix_row, const char *why)
{
    struct bt_universal_revision *revision = run->revision;
    switch (fix_row->step) {
    case BT_UNIVERSAL_FIX_STEP_RENAME:
        return bt_universal_revision_move(revision, fix_row->pointer, fix_row->to, why);
    case BT_UNIVERSAL_FIX_STEP_NULL:
    case BT_UNIVERSAL_FIX_STEP_REMOVE:
        return bt_universal_revision_remove(revision, fix_row->pointer, why);
    case BT_UNIVERSAL_FIX_STEP_DEFAULT:
    case BT_UNIVERSAL_FIX_STEP_CONVERT:
        return set_value(run, fix_row, why);
    case BT_UNIVERSAL_FIX_STEP_RECOUNT: /* comes last, whatever else was done */
    case BT_UNIVERSAL_FIX_STEP_NONE:
        break;
    }
    return BT_OK;
}

/* Put the operations of one step; they wait in the revision. */
static enum bt_status take_step(struct universal_fix_run *run, enum bt_universal_fix_step step,
                                bool *out_any)
{
    *out_any = false;
    for (size_t i = 0; i < run->plan_count; i++) {
        const struct universal_fix_plan *plan = &run->plans[i];
        if (plan->fix_row.step == step) {
            *out_any = true;
            BT_TRY(carry_out(run, &plan->fix_row, plan->why));
        }
    }
    return BT_OK;
}

/* Take a step until nothing is left for it. */
static enum bt_status finish_step(struct universal_fix_run *run, enum bt_universal_fix_step step)
{
    for (size_t pass = 0; pass < PASSES_MAX; pass++) {
        bool any = false;
        BT_TRY(take_step(run, step, &any));
        if (!any) {
            break;
        }
        BT_TRY(bt_universal_revision_apply(run->revision));
        BT_TRY(check_revision(run));
    }
    return BT_OK;
}

static enum bt_status run_fix_steps(struct universal_fix_run *run)
{
    bool recount = false;
    size_t before = SIZE_MAX;
    BT_TRY(check_revision(run));
    for (size_t round = 0; round < PASSES_MAX && run->revision->count != before; round++) {
        before = run->revision->count;
        for (unsigned step = BT_UNIVERSAL_FIX_STEP_RENAME; step < BT_UNIVERSAL_FIX_STEP_RECOUNT;
             step++) {
            BT_TRY(finish_step(run, (enum bt_universal_fix_step)step));
        }
    }
    BT_TRY(take_step(run, BT_UNIVERSAL_FIX_STEP_RECOUNT, &recount));
    return bt_universal_revision_finish(run->revision, recount);
}

static enum bt_status add_trace_id_finding(const struct bt_universal_revision *revision,
                                           struct bt_findings *notes)
{
    static const char place[] = "/handoff/trace_id";
    const bt_json_value *made =
        bt_json_resolve(revision->document, bt_json_root(revision->document), bt_str_of(place));
    return bt_add_trace_id_generated(notes, bt_location_pointer(bt_str_of(place), BT_OFFSET_NONE),
                                     made ? bt_json_text(made) : BT_STR(""));
}

enum bt_status bt_universal_apply_fixes(struct bt_universal_revision *revision,
                                        const struct bt_universal_options *options,
                                        const struct bt_fix_choice *choice,
                                        struct bt_findings *notes)
{
    assert(revision);
    assert(notes);
    struct universal_fix_run run = {
        .revision = revision, .options = *options, .wanted = options, .choice = choice};
    BT_TRY(find_supplied(&run));
    run.options.encoding = BT_ENCODING_CHARS4;
    run.options.token_dir = BT_STR("");
    run.options.fail_fast = false;
    run.options.no_refs = true;
    run.options.verify_artifacts = false;
    run.options.catalogue = NULL;
    bt_arena_init(&run.scratch, revision->arena->limit);
    enum bt_status status = run_fix_steps(&run);
    bt_arena_free(&run.scratch);
    if (status == BT_OK && run.trace_id) {
        status = add_trace_id_finding(revision, notes);
    }
    return status;
}

/* ---- check --fix ----------------------------------------------------------------------------- */

static enum bt_status write_part(const struct bt_json_doc *list, const bt_json_value *operation,
                                 const char *name, struct bt_arena *arena, bt_str *out)
{
    const bt_json_value *value = bt_json_get(list, operation, bt_str_of(name));
    return value ? bt_json_write_text(list, value, BT_JSON_FORM_COMPACT, arena, out) : BT_OK;
}

/* The name that a pointer of the operation ends in, in quotes. */
static enum bt_status write_name(const struct bt_json_doc *list, const bt_json_value *operation,
                                 const char *pointer, struct bt_arena *arena, bt_str *out)
{
    const bt_json_value *text = bt_json_get(list, operation, bt_str_of(pointer));
    bt_str name = bt_str_after_last(bt_json_text(text), '/');
    struct bt_buf buf;
    BT_TRY(bt_json_pointer_unescape(name, arena, &name));
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_string(&buf, name);
    return bt_buf_finish(&buf, arena, out);
}

/* What an operation did, for people. */
static enum bt_status describe_operation(const struct bt_json_doc *list,
                                         const bt_json_value *operation, struct bt_arena *arena,
                                         struct bt_report_change *out)
{
    out->why = bt_json_text(bt_json_get(list, operation, BT_STR("why")));
    out->before = BT_STR("");
    out->after = BT_STR("");
    if (bt_json_get(list, operation, BT_STR("from"))) {
        BT_TRY(write_name(list, operation, "from", arena, &out->before));
        return write_name(list, operation, "path", arena, &out->after);
    }
    BT_TRY(write_part(list, operation, "was", arena, &out->before));
    return write_part(list, operation, "value", arena, &out->after);
}

static enum bt_status collect_changes(const struct bt_universal_revision *revision,
                                      const struct bt_json_doc *operations,
                                      const struct bt_report_changes **out)
{
    const bt_json_value *list = bt_json_root(operations);
    struct bt_report_change_list changes = {0};
    assert(bt_json_count(list) == revision->edits.offsets.count);
    for (size_t i = 0; i < bt_json_count(list); i++) {
        struct bt_report_change change = {.offset = revision->edits.offsets.items[i]};
        BT_TRY(describe_operation(operations, &bt_json_items(list)[i], revision->arena, &change));
        BT_TRY(bt_vec_push(revision->arena, &changes, change));
    }
    return bt_report_changes_finish(&changes, revision->given, revision->arena, out);
}

/* Fix, judge, report. */
static enum bt_status fix_document(const struct bt_universal_final_check *ending,
                                   struct bt_universal_revision *revision,
                                   const struct bt_fix_choice *choice, struct bt_findings *notes,
                                   struct bt_universal_result *out)
{
    struct bt_universal_check handoff;
    struct bt_json_builder changes;
    revision->edits.is_wanted = true;
    revision->edits.keep_count = choice->only != NULL;
    BT_TRY(bt_universal_apply_fixes(revision, ending->options, choice, notes));
    BT_TRY(bt_universal_final_check_judge(ending, revision->text, &handoff, out));
    out->outcome = revision->count > 0 ? BT_UNIVERSAL_FIXED : BT_UNIVERSAL_UNCHANGED;
    out->edits = revision->edits.list;
    out->judged.fixed = revision->fixes;
    (void)bt_json_builder_begin(&changes, ending->arena, NULL);
    bt_universal_revision_put_changes(revision, &changes);
    BT_TRY(bt_json_builder_finish(&changes, BT_OK, &out->changes));
    BT_TRY(collect_changes(revision, out->changes, &out->judged.changes));
    return bt_universal_check_facts(&handoff, out->changes, &out->judged.facts);
}

/* What cannot be read has nothing that could be fixed. */
static enum bt_status judge_unreadable(const struct bt_universal_final_check *ending, bt_str text,
                                       struct bt_universal_result *out)
{
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_final_check_judge(ending, text, &handoff, out));
    out->outcome = BT_UNIVERSAL_UNCHANGED;
    return bt_universal_check_facts(&handoff, NULL, &out->judged.facts);
}

enum bt_status bt_universal_fix(struct bt_universal_checker *universal, struct bt_arena *arena,
                                const struct bt_universal_input *input,
                                const struct bt_fix_choice *choice, struct bt_universal_result *out)
{
    assert(universal);
    assert(input);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_findings *notes = bt_findings_new(arena);
    const struct bt_universal_final_check ending = {
        universal, arena, input->path, input->options ? input->options : &defaults, notes};
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_UNCHANGED};
    struct bt_universal_revision revision;
    BT_TRY(notes ? BT_OK : BT_ENOMEM);
    enum bt_status status = bt_universal_revision_begin(&revision, universal, arena, input->text);
    if (status == BT_EINVAL) {
        status = judge_unreadable(&ending, input->text, &result);
    } else if (status == BT_OK) {
        status = fix_document(&ending, &revision, choice, notes, &result);
        bt_universal_revision_end(&revision);
    }
    if (status == BT_OK) {
        *out = result;
    }
    return status;
}
