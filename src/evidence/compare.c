/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - the claims of a block beside the transcript.
 *
 * The transcript is read once for its calls. It is read a second time only for claims whose texts
 * have to be looked for: quotations, and commands that match no call.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "evidence/claims.h"
#include "evidence/evidence.h"
#include "evidence/facts.h"
#include "report/rules.h"

bt_str bt_evidence_mode_name(enum bt_evidence_mode mode)
{
    static const bt_str names[] = {BT_STR_INIT("off"), BT_STR_INIT("report"),
                                   BT_STR_INIT("enforce")};
    return names[mode];
}

enum bt_status bt_evidence_mode_parse(bt_str name, enum bt_evidence_mode *out)
{
    assert(out);
    for (unsigned mode = BT_EVIDENCE_OFF; mode <= BT_EVIDENCE_ENFORCE; mode++) {
        if (bt_str_eq(name, bt_evidence_mode_name((enum bt_evidence_mode)mode))) {
            *out = (enum bt_evidence_mode)mode;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static void judge_commands(struct bt_claims *claims)
{
    for (size_t i = 0; i < claims->commands.count; i++) {
        struct bt_command_claim *claim = &claims->commands.items[i];
        if (!claim->call && claim->has_form && !claim->is_mentioned) {
            claim->state = BT_CLAIM_NOT_RUN;
        }
    }
}

static void judge_files(struct bt_evidence_comparison *comparison)
{
    const struct bt_evidence_index *index = &comparison->follow->index;
    struct bt_claims *claims = &comparison->claims;
    for (size_t i = 0; i < index->calls.count; i++) {
        const struct bt_evidence_call *call = &index->calls.items[i];
        for (size_t p = 0; bt_evidence_call_is_applied(call) && p < call->paths.count; p++) {
            for (size_t f = 0; f < claims->files.count; f++) {
                claims->files.items[f].is_touched =
                    claims->files.items[f].is_touched ||
                    bt_paths_are_same(claims->files.items[f].path, call->paths.items[p]);
            }
        }
    }
}

/* Count the calls, and find the last change and the last command that could check it. */
static void count_calls(struct bt_evidence_comparison *comparison)
{
    for (size_t i = 0; i < comparison->follow->index.calls.count; i++) {
        const struct bt_evidence_call *call = &comparison->follow->index.calls.items[i];
        const bool is_command = call->kind == BT_CALL_COMMAND;
        comparison->counts.commands += is_command ? 1 : 0;
        comparison->counts.writing += is_command && !call->is_reading ? 1 : 0;
        comparison->counts.edits += call->kind == BT_CALL_EDIT ? 1 : 0;
        comparison->counts.opaque += call->kind == BT_CALL_OPAQUE ? 1 : 0;
        comparison->counts.cut += call->is_cut ? 1 : 0;
        if (bt_evidence_call_is_applied(call) && !call->is_document) {
            comparison->last_edit = call->number;
            comparison->is_checked = false;
        }
        const bool checks =
            is_command && call->has_result && (call->hash_count > 0 || !call->is_understood);
        comparison->last_command = checks ? call->number : comparison->last_command;
        comparison->is_checked = comparison->is_checked || checks || call->kind == BT_CALL_OPAQUE;
    }
}

static enum bt_status judge_claims(struct bt_evidence_comparison *comparison)
{
    struct bt_claims *claims = &comparison->claims;
    for (size_t i = 0; i < claims->commands.count; i++) {
        BT_TRY(bt_command_claim_match(&comparison->arena, &comparison->follow->index,
                                      &claims->commands.items[i]));
    }
    BT_TRY(bt_evidence_search_texts(comparison));
    judge_commands(claims);
    judge_files(comparison);
    return BT_OK;
}

/* ---- Findings -------------------------------------------------------------------------------- */

static struct bt_location locate_value(const struct bt_evidence_comparison *comparison,
                                       const bt_json_value *value)
{
    struct bt_location at = bt_location_value(comparison->view->document, value);
    at.offset += value ? comparison->view->base : 0;
    return at;
}

static enum bt_severity hard_severity(const struct bt_evidence_comparison *comparison)
{
    return comparison->evidence->mode == BT_EVIDENCE_ENFORCE ? BT_SEVERITY_HARD : BT_SEVERITY_WARN;
}

static enum bt_status add_failed(const struct bt_evidence_comparison *comparison,
                                 const struct bt_command_claim *claim)
{
    char exit[24];
    if (!claim->is_passed && !comparison->view->is_complete) {
        return BT_OK;
    }
    (void)snprintf(exit, sizeof(exit), "%" PRId64, claim->call->exit);
    return bt_add_evidence_failed(comparison->view->findings,
                                  claim->is_passed ? hard_severity(comparison) : BT_SEVERITY_WARN,
                                  locate_value(comparison, claim->value), claim->text,
                                  bt_str_of(exit), claim->call->number, claim->call->line);
}

static enum bt_status add_command_finding(const struct bt_evidence_comparison *comparison,
                                          const struct bt_command_claim *claim)
{
    struct bt_findings *findings = comparison->view->findings;
    const struct bt_location at = locate_value(comparison, claim->value);
    switch (claim->state) {
    case BT_CLAIM_NOT_RUN:
        return bt_add_evidence_not_run(findings, hard_severity(comparison), at, claim->text,
                                       BT_STR_ABSENT, BT_EVIDENCE_NOT_RUN_STATE_NOT_RUN);
    case BT_CLAIM_OTHER_ARGUMENTS:
        return bt_add_evidence_not_run(findings, BT_SEVERITY_WARN, at, claim->text, claim->nearest,
                                       BT_EVIDENCE_NOT_RUN_STATE_OTHER_ARGUMENTS);
    case BT_CLAIM_FAILED:
        return add_failed(comparison, claim);
    case BT_CLAIM_RAN:
        return claim->is_passed
                   ? bt_add_evidence_exit_unknown(
                         findings, claim->is_verification ? BT_SEVERITY_WARN : BT_SEVERITY_INFO, at,
                         claim->reason)
                   : BT_OK;
    case BT_CLAIM_UNDECIDED:
    case BT_CLAIM_CONFIRMED:
    case BT_CLAIM__MAX:
        break;
    }
    return BT_OK;
}

static enum bt_status add_output_finding(const struct bt_evidence_comparison *comparison,
                                         const struct bt_output_claim *claim)
{
    if (bt_evidence_output_state(comparison, claim) != BT_EVIDENCE_FOUND_NOT) {
        return BT_OK;
    }
    return bt_add_evidence_output(comparison->view->findings, hard_severity(comparison),
                                  locate_value(comparison, claim->value),
                                  claim->quotation.text.lines[claim->quotation.found]);
}

/* Files that were changed and are not listed, each once. */
static enum bt_status add_undeclared_findings(struct bt_evidence_comparison *comparison)
{
    const struct bt_evidence_index *index = &comparison->follow->index;
    const struct bt_claims *claims = &comparison->claims;
    struct bt_map seen;
    bt_map_init(&seen, &comparison->arena, comparison->evidence->env->hash_seed);
    for (size_t i = 0; claims->files_changed && i < index->calls.count; i++) {
        const struct bt_evidence_call *call = &index->calls.items[i];
        for (size_t p = 0; bt_evidence_call_is_applied(call) && p < call->paths.count; p++) {
            const uint32_t count = seen.count;
            struct bt_map_entry *entry = NULL;
            bool is_listed = false;
            for (size_t f = 0; f < claims->files.count; f++) {
                is_listed = is_listed ||
                            bt_paths_are_same(claims->files.items[f].path, call->paths.items[p]);
            }
            BT_TRY(bt_map_add(&seen, bt_map_text(call->paths.items[p]), &entry));
            if (!is_listed && seen.count > count) {
                BT_TRY(bt_add_evidence_file_undeclared(
                    comparison->view->findings, locate_value(comparison, claims->files_changed),
                    call->paths.items[p]));
            }
        }
    }
    return BT_OK;
}

/* Whether the verification came before the last change. */
static bool is_stale(const struct bt_evidence_comparison *comparison)
{
    const struct bt_claims *claims = &comparison->claims;
    bool is_before = false;
    for (size_t i = 0; i < claims->commands.count; i++) {
        const struct bt_command_claim *claim = &claims->commands.items[i];
        is_before = is_before || (claim->is_verification && claim->call &&
                                  claim->call->number < comparison->last_edit);
    }
    return comparison->view->is_complete && claims->is_verified && comparison->last_edit > 0 &&
           (is_before || !comparison->is_checked);
}

static enum bt_status add_findings(struct bt_evidence_comparison *comparison)
{
    const struct bt_claims *claims = &comparison->claims;
    for (size_t i = 0; i < claims->commands.count; i++) {
        BT_TRY(add_command_finding(comparison, &claims->commands.items[i]));
    }
    for (size_t i = 0; i < claims->outputs.count; i++) {
        BT_TRY(add_output_finding(comparison, &claims->outputs.items[i]));
    }
    for (size_t i = 0; i < claims->files.count; i++) {
        const struct bt_file_claim *claim = &claims->files.items[i];
        if (bt_evidence_file_state(comparison, claim) == BT_EVIDENCE_FOUND_NOT) {
            BT_TRY(bt_add_evidence_file_untouched(
                comparison->view->findings, hard_severity(comparison),
                locate_value(comparison, claim->value), claim->path));
        }
    }
    BT_TRY(add_undeclared_findings(comparison));
    if (!is_stale(comparison)) {
        return BT_OK;
    }
    const uint64_t last_edit = comparison->last_edit;
    const uint64_t last_command = comparison->last_command;
    return bt_add_evidence_stale(comparison->view->findings, hard_severity(comparison),
                                 locate_value(comparison, claims->verification), &last_edit,
                                 last_command > 0 ? &last_command : NULL);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static enum bt_status compare_claims(struct bt_evidence_comparison *comparison, bt_str *out_facts)
{
    struct bt_evidence *evidence = comparison->evidence;
    const enum bt_evidence_reading reading = comparison->follow->reading;
    if (reading >= BT_EVIDENCE_READING_PARTIAL) {
        BT_TRY(bt_claims_read(&comparison->arena, comparison->view, &comparison->claims));
        count_calls(comparison);
    }
    if (reading == BT_EVIDENCE_READING_WHOLE) {
        BT_TRY(judge_claims(comparison));
        BT_TRY(add_findings(comparison));
    }
    evidence->is_compared = reading >= BT_EVIDENCE_READING_PARTIAL;
    evidence->agreement = bt_evidence_count_claims(&comparison->claims);
    return bt_evidence_write_facts(comparison, out_facts);
}

/* Read the transcript, unless the caller has done it, and compare. */
static enum bt_status read_and_compare(struct bt_evidence_comparison *comparison,
                                       struct bt_evidence_follow *own, bt_str *out_facts)
{
    comparison->follow = comparison->evidence->follow;
    if (!comparison->follow) {
        comparison->follow = own;
        BT_TRY(bt_evidence_follow_open(own, NULL));
        BT_TRY(bt_evidence_follow_read(own));
    }
    return compare_claims(comparison, out_facts);
}

enum bt_status bt_evidence_compare(void *context, const struct bt_contract_view *view,
                                   bt_str *out_facts)
{
    assert(context);
    assert(view);
    assert(out_facts);
    struct bt_evidence_comparison comparison = {.evidence = context, .view = view};
    struct bt_evidence_follow own;
    bt_arena_init(&comparison.arena, BT_EVIDENCE_INDEX_BYTES_MAX);
    bt_evidence_follow_init(&own, comparison.evidence->env, &comparison.evidence->source);
    const enum bt_status status = read_and_compare(&comparison, &own, out_facts);
    bt_evidence_follow_free(&own);
    bt_arena_free(&comparison.arena);
    return status;
}
