/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress_run.c - baton compress: a document made to fit its budget, judged and reported.
 *
 *     judge -> compress -> judge -> write what was moved out -> judge -> report
 *
 * The last judgement is there because the document now refers to a file that was not there before.
 */
#include <assert.h>

#include "dialect/universal/compress.h"
#include "dialect/universal/result.h"
#include "report/rules.h"

struct universal_compress_state {
    struct bt_universal_final_check ending;
    const struct bt_universal_input *input;
    const struct bt_universal_compress_options *how;
    struct bt_universal_check given;
    struct bt_universal_result given_result;
    struct bt_findings *notes; /* of the compression */
    struct bt_universal_compress_outcome outcome;
    bool compressed; /* `outcome` is set */
    struct bt_universal_result *out;
};

static enum bt_status put_compress(const void *context, struct bt_emit *emit)
{
    return bt_universal_compress_put_facts(context, emit);
}

/* Whether compression can help against this finding. */
static bool is_about_size(const struct bt_finding *finding)
{
    return finding->code == BT_CODE_TOKENS_OVER_BUDGET ||
           bt_str_eq(finding->pointer, BT_STR("/handoff/meta/token_count"));
}

static bool has_other_faults(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD && !is_about_size(finding)) {
            return true;
        }
    }
    return false;
}

/* Keep only what blocks: the rest tells of changes that were not made. */
static enum bt_status copy_hard_notes(struct universal_compress_state *fitting,
                                      struct bt_findings **out)
{
    struct bt_findings *kept = bt_findings_new(fitting->ending.arena);
    BT_TRY(kept ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < bt_findings_count(fitting->notes); i++) {
        const struct bt_finding *note = bt_findings_at(fitting->notes, i);
        if (note->severity == BT_SEVERITY_HARD) {
            BT_TRY(bt_findings_add(kept, note));
        }
    }
    *out = kept;
    return BT_OK;
}

/* Report the given document as it is. */
static enum bt_status write_given_result(struct universal_compress_state *fitting,
                                         enum bt_universal_outcome outcome)
{
    struct bt_findings *notes = NULL;
    BT_TRY(copy_hard_notes(fitting, &notes));
    fitting->ending.notes = notes;
    if (bt_findings_count(notes) > 0) {
        BT_TRY(bt_universal_final_check_judge(&fitting->ending, fitting->input->text,
                                              &fitting->given, &fitting->given_result));
    }
    *fitting->out = fitting->given_result;
    fitting->out->outcome = outcome;
    const struct bt_universal_result_parts parts = {
        .handoff = &fitting->given,
        .more = fitting->compressed ? put_compress : NULL,
        .context = &fitting->outcome,
        .document = outcome == BT_UNIVERSAL_UNCHANGED,
    };
    return bt_universal_result_finish(&parts, fitting->out);
}

static enum bt_status write_fit_result(struct universal_compress_state *fitting,
                                       const struct bt_universal_revision *revision,
                                       const struct bt_universal_check *handoff)
{
    const struct bt_universal_result_parts parts = {
        .handoff = handoff,
        .revision = revision,
        .more = put_compress,
        .context = &fitting->outcome,
        .document = true,
    };
    fitting->out->outcome = BT_UNIVERSAL_COMPRESSED;
    fitting->out->spill = fitting->outcome.session.spill;
    fitting->out->spill_text = fitting->outcome.texts.spill;
    return bt_universal_result_finish(&parts, fitting->out);
}

static enum bt_status finish_compression(struct universal_compress_state *fitting,
                                         const struct bt_universal_revision *revision,
                                         struct bt_error *error)
{
    if (!fitting->outcome.fits) {
        return write_given_result(fitting, BT_UNIVERSAL_ESCALATED);
    }
    if (fitting->outcome.step_count == 0) {
        return write_given_result(fitting, BT_UNIVERSAL_UNCHANGED);
    }
    struct bt_universal_check handoff;
    fitting->ending.notes = fitting->notes;
    BT_TRY(
        bt_universal_final_check_judge(&fitting->ending, revision->text, &handoff, fitting->out));
    if (fitting->out->judged.verdict != BT_VERDICT_ACCEPTED) {
        return write_given_result(fitting, BT_UNIVERSAL_ESCALATED);
    }
    if (bt_universal_compress_has_files(&fitting->outcome) && !fitting->how->no_spill) {
        BT_TRY(bt_universal_compress_write_spill(&fitting->outcome, error));
        BT_TRY(bt_universal_final_check_judge(&fitting->ending, revision->text, &handoff,
                                              fitting->out));
    }
    return write_fit_result(fitting, revision, &handoff);
}

/* Compress from the start. BT_ENOENT: the session's folder cannot be used. */
static enum bt_status run_compression(struct universal_compress_state *fitting, bool fallback,
                                      struct bt_error *error)
{
    const struct bt_universal_compress_plan how = {
        .literal = fitting->how->original_order,
        .fallback = fallback,
        .no_files = fitting->how->no_files,
        .shows_files = fitting->how->no_spill,
        .encoding = fitting->given.tokens.encoding,
        .roots = &fitting->how->roots,
    };
    struct bt_universal_revision revision;
    fitting->notes = bt_findings_new(fitting->ending.arena);
    BT_TRY(fitting->notes ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_revision_begin(&revision, fitting->ending.universal, fitting->ending.arena,
                                       fitting->input->text));
    enum bt_status status = bt_universal_compress_revision(&revision, fitting->ending.options, &how,
                                                           fitting->notes, &fitting->outcome);
    fitting->compressed = status == BT_OK;
    if (status == BT_OK) {
        status = finish_compression(fitting, &revision, error);
        bt_universal_compress_end(&fitting->outcome);
    }
    bt_universal_revision_end(&revision);
    return status;
}

static enum bt_status compress_input(struct universal_compress_state *fitting,
                                     struct bt_error *error)
{
    fitting->notes = bt_findings_new(fitting->ending.arena);
    BT_TRY(fitting->notes ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_final_check_judge(&fitting->ending, fitting->input->text, &fitting->given,
                                          &fitting->given_result));
    if (!fitting->given.document || has_other_faults(fitting->given_result.judged.findings)) {
        return write_given_result(fitting, BT_UNIVERSAL_ESCALATED);
    }
    const enum bt_status status = run_compression(fitting, false, error);
    return status == BT_ENOENT ? run_compression(fitting, true, error) : status;
}

enum bt_status bt_universal_compress(struct bt_universal_checker *universal, struct bt_arena *arena,
                                     const struct bt_universal_input *input,
                                     const struct bt_universal_compress_options *how,
                                     struct bt_universal_result *out, struct bt_error *error)
{
    assert(universal);
    assert(input);
    assert(how);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    struct bt_error own = {.text = ""};
    struct universal_compress_state fitting = {
        .ending = {universal, arena, input->path, input->options ? input->options : &defaults,
                   NULL},
        .input = input,
        .how = how,
        .out = &result,
    };
    const enum bt_status status = compress_input(&fitting, &own);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
    }
    *out = result;
    return BT_OK;
}
