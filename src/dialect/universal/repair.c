/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - the ladder: fix, compress, simplify, each from where the one before ended, until a
 * result is accepted.
 */
#include "dialect/universal/repair.h"

#include <assert.h>

#include "base/buf.h"
#include "dialect/universal/fix_table.h"
#include "dialect/universal/result.h"
#include "json/emit.h"
#include "report/rules.h"

enum { CASE_BYTES_MAX = 2000000000 };

#define PAYLOAD "/handoff/payload"

static bool is_about_size(const struct bt_finding *finding)
{
    return finding->code == BT_CODE_TOKENS_OVER_BUDGET;
}

/* A seal or a checksum that does not hold, as opposed to a path that we must not write to. */
static bool is_tampering(const struct bt_finding *finding)
{
    return finding->security && finding->rule->stage < BT_STAGE_DELIVER;
}

/* Note what is left, and whether all of it is about size. */
static enum bt_status list_hard(struct bt_universal_repair_run *repair,
                                const struct bt_findings *findings,
                                struct bt_universal_repair_state *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    bool other = false;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity != BT_SEVERITY_HARD) {
            continue;
        }
        out->too_large = out->too_large || is_about_size(finding);
        out->tampered = out->tampered || is_tampering(finding);
        other = other || !is_about_size(finding);
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "code", finding->rule->code);
        bt_emit_member_string(&emit, "pointer", finding->pointer);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    out->too_large = out->too_large && !other;
    return bt_buf_finish(&buf, &repair->arena, &out->remaining);
}

enum bt_status bt_universal_repair_update_state(struct bt_universal_repair_run *repair,
                                                struct bt_universal_repair_state *out)
{
    const struct bt_universal_final_check ending = {repair->universal, &repair->scratch,
                                                    repair->input.path, &repair->options,
                                                    repair->more_notes};
    struct bt_universal_result result;
    struct bt_universal_check handoff;
    bt_arena_reset(&repair->scratch);
    BT_TRY(bt_universal_final_check_judge(&ending, repair->revision.text, &handoff, &result));
    struct bt_universal_repair_state state = {.accepted =
                                                  result.judged.verdict == BT_VERDICT_ACCEPTED,
                                              .encoding = handoff.tokens.encoding};
    BT_TRY(list_hard(repair, result.judged.findings, &state));
    *out = state;
    return BT_OK;
}

static enum bt_status copy_notes(struct bt_universal_repair_run *repair,
                                 const struct bt_findings *from, enum bt_severity severity_max,
                                 struct bt_findings **out)
{
    struct bt_findings *copy = bt_findings_new(&repair->arena);
    for (size_t i = 0; copy && i < bt_findings_count(from); i++) {
        const struct bt_finding *finding = bt_findings_at(from, i);
        if (finding->severity <= severity_max) {
            BT_TRY(bt_findings_add(copy, finding));
        }
    }
    *out = copy;
    return copy ? BT_OK : BT_ENOMEM;
}

static enum bt_status add_lost_finding(struct bt_universal_repair_run *repair, bt_str pointer)
{
    return bt_add_compress_lossy(repair->more_notes, bt_location_pointer(pointer, BT_OFFSET_NONE),
                                 pointer, BT_COMPRESS_LOSSY_CHANGE_GONE);
}

static enum bt_status attempt_defaults(struct bt_universal_repair_run *repair)
{
    return bt_universal_apply_fixes(&repair->revision, &repair->options, NULL, repair->notes);
}

static void end_compression(struct bt_universal_repair_run *repair)
{
    if (repair->compress_open) {
        bt_universal_compress_end(&repair->compressed);
        repair->compress_open = false;
    }
}

/* Only a document that is too large and nothing else can be helped by making it smaller. */
static enum bt_status attempt_compress(struct bt_universal_repair_run *repair,
                                       const struct bt_universal_repair_state *before,
                                       bool fallback)
{
    if (!before->too_large) {
        return BT_OK;
    }
    const struct bt_universal_compress_plan how = {.literal = repair->how.original_order,
                                                   .fallback = fallback,
                                                   .no_files = repair->how.no_files,
                                                   .shows_files = repair->how.no_spill,
                                                   .encoding = before->encoding,
                                                   .roots = &repair->how.roots};
    BT_TRY(bt_universal_compress_revision(&repair->revision, &repair->options, &how,
                                          repair->more_notes, &repair->compressed));
    repair->compress_open = true;
    return repair->compressed.fits ? BT_OK : bt_universal_revision_finish(&repair->revision, true);
}

static const bt_json_value *payload_of(const struct bt_json_doc *document)
{
    return bt_json_resolve(document, bt_json_root(document), BT_STR(PAYLOAD));
}

/* The pointer of the member of a payload that does not stay; "" for the one that does. */
static enum bt_status build_removed_pointer(struct bt_universal_repair_run *repair,
                                            const bt_json_value *payload, size_t index, bt_str *out)
{
    const bt_str name = bt_json_name(&bt_json_members(payload)[index]);
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    if (!bt_str_eq(name, BT_STR("working"))) {
        bt_buf_put_text(&buf, PAYLOAD);
        bt_json_pointer_put(&buf, name);
    }
    return bt_buf_finish(&buf, &repair->scratch, out);
}

/* What the base had is lost; what compression added to it is not. */
static enum bt_status add_lost_findings(struct bt_universal_repair_run *repair)
{
    const bt_json_value *payload = payload_of(repair->base.document);
    for (size_t i = 0; i < bt_json_count(payload); i++) {
        bt_str pointer = BT_STR("");
        BT_TRY(build_removed_pointer(repair, payload, i, &pointer));
        if (pointer.len > 0) {
            BT_TRY(add_lost_finding(repair, pointer));
        }
    }
    return BT_OK;
}

/* What was tampered with is not made to look whole: dropping the right member could make a false
 * seal a true one. */
static enum bt_status attempt_simplify(struct bt_universal_repair_run *repair,
                                       const struct bt_universal_repair_state *before)
{
    const bt_json_value *payload = payload_of(repair->revision.document);
    if (!payload || bt_json_type(payload) != BT_JSON_OBJECT || before->tampered) {
        return BT_OK;
    }
    for (size_t i = 0; i < bt_json_count(payload); i++) {
        bt_str pointer = BT_STR("");
        BT_TRY(build_removed_pointer(repair, payload, i, &pointer));
        if (pointer.len > 0) {
            BT_TRY(bt_universal_revision_remove(&repair->revision, pointer, "simplify"));
        }
    }
    if (repair->revision.pending.count == 0) {
        return BT_OK;
    }
    end_compression(repair); /* nothing refers any more to what was moved out */
    BT_TRY(copy_notes(repair, repair->more_notes, BT_SEVERITY_WARN, &repair->more_notes));
    BT_TRY(add_lost_findings(repair));
    return bt_universal_revision_finish(&repair->revision, true);
}

static enum bt_status run_attempt(struct bt_universal_repair_run *repair,
                                  const struct bt_universal_repair_state *before, bool fallback)
{
    switch (repair->attempts.count) {
    case 0:
        return attempt_defaults(repair);
    case 1:
        return attempt_compress(repair, before, fallback);
    default:
        return attempt_simplify(repair, before);
    }
}

/* The first attempt is done: what comes now can be given up. */
static enum bt_status set_base(struct bt_universal_repair_run *repair)
{
    repair->base = bt_universal_revision_mark(&repair->revision);
    repair->beyond_base = false;
    return copy_notes(repair, repair->notes, BT_SEVERITY_HARD, &repair->more_notes);
}

static enum bt_status run_attempts(struct bt_universal_repair_run *repair, bool fallback)
{
    struct bt_universal_repair_state state = {.accepted = false};
    if (repair->attempts.count > 0) {
        BT_TRY(bt_universal_repair_update_state(repair, &state));
    }
    while (!state.accepted && repair->attempts.count < repair->how.attempts) {
        const size_t before = repair->revision.count;
        BT_TRY(run_attempt(repair, &state, fallback));
        if (repair->attempts.count == 0) {
            BT_TRY(set_base(repair));
        } else {
            repair->beyond_base = true;
        }
        BT_TRY(bt_universal_repair_update_state(repair, &state));
        repair->attempts.items[repair->attempts.count++] = (struct bt_universal_repair_attempt){
            repair->revision.count - before, state.accepted, state.remaining};
    }
    repair->accepted = state.accepted;
    return BT_OK;
}

void bt_universal_repair_reset(struct bt_universal_repair_run *repair)
{
    if (repair->beyond_base) {
        end_compression(repair);
        bt_universal_revision_roll_back(&repair->revision, &repair->base);
        repair->beyond_base = false;
    }
    repair->more_notes = repair->notes;
}

static enum bt_status begin_ladder(struct bt_universal_repair_run *repair)
{
    repair->notes = bt_findings_new(&repair->arena);
    repair->refusals = bt_findings_new(&repair->arena);
    BT_TRY(repair->notes && repair->refusals ? BT_OK : BT_ENOMEM);
    repair->more_notes = repair->notes;
    const enum bt_status status = bt_universal_revision_begin(&repair->revision, repair->universal,
                                                              &repair->texts, repair->input.text);
    repair->readable = status == BT_OK;
    if (status == BT_EINVAL) {
        return BT_OK; /* its author must make it again */
    }
    return status == BT_OK ? run_attempts(repair, false) : status;
}

enum bt_status bt_universal_repair_open(struct bt_universal_checker *universal,
                                        const struct bt_universal_input *input,
                                        const struct bt_universal_repair_options *how,
                                        struct bt_universal_repair_run **out)
{
    assert(universal);
    assert(input);
    assert(how);
    assert(how->attempts <= BT_ATTEMPTS_MAX);
    struct bt_arena arena;
    bt_arena_init(&arena, CASE_BYTES_MAX);
    struct bt_universal_repair_run *repair = BT_NEW(&arena, struct bt_universal_repair_run);
    BT_TRY(repair ? BT_OK : BT_ENOMEM);
    repair->arena = arena;
    bt_arena_init(&repair->texts, CASE_BYTES_MAX);
    bt_arena_init(&repair->scratch, CASE_BYTES_MAX);
    repair->universal = universal;
    repair->input = *input;
    repair->options = input->options ? *input->options : bt_universal_options_default();
    repair->how = *how;
    repair->how.attempts = how->attempts > 0 ? how->attempts : BT_ATTEMPTS_MAX;
    const enum bt_status status = begin_ladder(repair);
    if (status != BT_OK) {
        bt_universal_repair_close(repair);
        return status;
    }
    *out = repair;
    return BT_OK;
}

void bt_universal_repair_close(struct bt_universal_repair_run *repair)
{
    if (!repair) {
        return;
    }
    end_compression(repair);
    if (repair->readable) {
        bt_universal_revision_end(&repair->revision);
    }
    bt_arena_free(&repair->texts);
    bt_arena_free(&repair->scratch);
    struct bt_arena arena = repair->arena; /* this lies in it itself */
    bt_arena_free(&arena);
}

bool bt_universal_repair_is_done(const struct bt_universal_repair_run *repair)
{
    return repair->accepted;
}

bool bt_universal_repair_can_prompt(const struct bt_universal_repair_run *repair)
{
    return repair->readable && !repair->accepted;
}

struct universal_repair_result {
    const struct bt_universal_repair_run *repair;
    bool tries;
};

static void put_attempts(const struct bt_universal_repair_run *repair, struct bt_emit *emit)
{
    static const bt_str actions[BT_ATTEMPTS_MAX] = {
        BT_STR_INIT("defaults"), BT_STR_INIT("compress"), BT_STR_INIT("simplify")};
    bt_emit_member_array(emit, "attempts");
    for (size_t i = 0; i < repair->attempts.count; i++) {
        const struct bt_universal_repair_attempt *attempt = &repair->attempts.items[i];
        bt_emit_begin_object(emit);
        bt_emit_member_u64(emit, "attempt", i + 1);
        bt_emit_member_string(emit, "action", actions[i]);
        bt_emit_member_u64(emit, "changes", attempt->changes);
        bt_emit_member_string(
            emit, "verdict",
            bt_verdict_name(attempt->accepted ? BT_VERDICT_ACCEPTED : BT_VERDICT_REJECTED));
        bt_emit_member_raw(emit, "remaining", attempt->remaining);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_tries(const struct bt_universal_repair_run *repair, struct bt_emit *emit)
{
    static const bt_str names[] = {
        [BT_UNIVERSAL_ANSWER_NONE] = BT_STR_INIT(""),
        [BT_UNIVERSAL_ANSWER_ACCEPTED] = BT_STR_INIT("accepted"),
        [BT_UNIVERSAL_ANSWER_REJECTED] = BT_STR_INIT("rejected"),
        [BT_UNIVERSAL_ANSWER_INVALID] = BT_STR_INIT("invalid"),
        [BT_UNIVERSAL_ANSWER_OUT_OF_SCOPE] = BT_STR_INIT("out_of_scope"),
        [BT_UNIVERSAL_ANSWER_FAILED] = BT_STR_INIT("failed"),
        [BT_UNIVERSAL_ANSWER_EMPTY] = BT_STR_INIT("rejected"),
    };
    bt_emit_member_array(emit, "llm");
    for (size_t i = 0; i < repair->tries.count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_u64(emit, "try", i + 1);
        bt_emit_member_string(emit, "outcome", names[repair->tries.items[i]]);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static enum bt_status put_facts(const void *context, struct bt_emit *emit)
{
    const struct universal_repair_result *ending = context;
    const struct bt_universal_repair_run *repair = ending->repair;
    put_attempts(repair, emit);
    if (ending->tries) {
        put_tries(repair, emit);
    }
    return repair->accepted && repair->compress_open
               ? bt_universal_compress_put_facts(&repair->compressed, emit)
               : BT_OK;
}

/* The notes that are shown: on what was done, and, when it comes to a person, on what blocks. */
static enum bt_status choose_notes(struct bt_universal_repair_run *repair, struct bt_findings **out)
{
    struct bt_findings *notes = NULL;
    BT_TRY(copy_notes(repair, repair->accepted ? repair->more_notes : repair->notes,
                      BT_SEVERITY_HARD, &notes));
    for (size_t i = 0; i < bt_findings_count(repair->refusals); i++) {
        const struct bt_finding *refusal = bt_findings_at(repair->refusals, i);
        if (!repair->accepted || refusal->severity < BT_SEVERITY_HARD) {
            BT_TRY(bt_findings_add(notes, refusal));
        }
    }
    for (size_t i = 0; !repair->accepted && i < bt_findings_count(repair->more_notes); i++) {
        const struct bt_finding *note = bt_findings_at(repair->more_notes, i);
        if (note->severity == BT_SEVERITY_HARD) {
            BT_TRY(bt_findings_add(notes, note));
        }
    }
    *out = notes;
    return BT_OK;
}

static bool has_spill(const struct bt_universal_repair_run *repair)
{
    return repair->accepted && repair->compress_open &&
           bt_universal_compress_has_files(&repair->compressed);
}

/* Write what was moved out. Where the session's folder cannot be used, the way up from the base is
 * gone again with the fallback. */
static enum bt_status write_spill(struct bt_universal_repair_run *repair, struct bt_error *error)
{
    if (!has_spill(repair) || repair->how.no_spill) {
        return BT_OK;
    }
    const enum bt_status status = bt_universal_compress_write_spill(&repair->compressed, error);
    if (status != BT_ENOENT) {
        return status;
    }
    bt_universal_repair_reset(repair);
    BT_TRY(copy_notes(repair, repair->notes, BT_SEVERITY_HARD, &repair->more_notes));
    repair->attempts.count = 1;
    BT_TRY(run_attempts(repair, true));
    return has_spill(repair) ? bt_universal_compress_write_spill(&repair->compressed, error)
                             : BT_OK;
}

static enum bt_status copy_spill(const struct bt_universal_compress_file *file,
                                 struct bt_arena *arena, struct bt_universal_spill *out)
{
    BT_TRY(bt_arena_copy(arena, file->spill.path, &out->path));
    return bt_arena_copy(arena, file->spill.text, &out->text);
}

static enum bt_status keep_spill(const struct bt_universal_repair_run *repair,
                                 struct bt_arena *arena, struct bt_universal_result *out)
{
    if (!has_spill(repair)) {
        return BT_OK;
    }
    BT_TRY(copy_spill(&repair->compressed.session, arena, &out->spill));
    return copy_spill(&repair->compressed.texts, arena, &out->spill_text);
}

static enum bt_status write_repair_result(struct bt_universal_repair_run *repair,
                                          struct bt_arena *arena,
                                          const struct universal_repair_result *facts,
                                          struct bt_universal_result *out)
{
    struct bt_findings *notes = NULL;
    struct bt_universal_check handoff;
    bt_str text = repair->input.text;
    BT_TRY(choose_notes(repair, &notes));
    if (repair->readable) {
        BT_TRY(bt_arena_copy(arena, repair->accepted ? repair->revision.text : repair->base.text,
                             &text));
    }
    const struct bt_universal_final_check ending = {repair->universal, arena, repair->input.path,
                                                    &repair->options, notes};
    BT_TRY(bt_universal_final_check_judge(&ending, text, &handoff, out));
    if (repair->accepted) {
        out->outcome =
            bt_str_eq(text, repair->input.text) ? BT_UNIVERSAL_UNCHANGED : BT_UNIVERSAL_REPAIRED;
        BT_TRY(keep_spill(repair, arena, out));
    } else {
        out->outcome = BT_UNIVERSAL_ESCALATED;
        out->text = repair->input.text;
        /* The base is not returned, so its findings cite what was given. */
        BT_TRY(repair->readable ? bt_universal_cite_given(&out->judged, arena, repair->input.text)
                                : BT_OK);
    }
    const struct bt_universal_result_parts parts = {
        .handoff = &handoff,
        .revision = repair->accepted ? &repair->revision : NULL,
        .more = put_facts,
        .context = facts,
        .document = repair->accepted,
    };
    return bt_universal_result_finish(&parts, out);
}

enum bt_status bt_universal_repair_finish(struct bt_universal_repair_run *repair,
                                          struct bt_arena *arena, bool tries,
                                          struct bt_universal_result *out, struct bt_error *error)
{
    assert(repair);
    assert(out);
    const struct universal_repair_result facts = {repair, tries};
    struct bt_error own = {.text = ""};
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    enum bt_status status = write_spill(repair, &own);
    if (status == BT_OK) {
        status = write_repair_result(repair, arena, &facts, &result);
    }
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
    }
    *out = result;
    return BT_OK;
}

enum bt_status bt_universal_repair(struct bt_universal_checker *universal, struct bt_arena *arena,
                                   const struct bt_universal_input *input,
                                   const struct bt_universal_repair_options *how,
                                   struct bt_universal_result *out, struct bt_error *error)
{
    struct bt_universal_repair_run *repair = NULL;
    enum bt_status status = bt_universal_repair_open(universal, input, how, &repair);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    status = bt_universal_repair_finish(repair, arena, false, out, error);
    bt_universal_repair_close(repair);
    return status;
}
