/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress.c - make a handoff fit its budget: the steps, the original order and the reports.
 *
 * A step changes the revision. Then the document is finished (sealed again and recounted) to see
 * how large it would be; unless it was the last step, the finishing is undone and the next one
 * follows. So the changes contain one seal and one count, the final ones.
 */
#include "dialect/universal/compress.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "dialect/universal/compress_steps.h"
#include "dialect/universal/draft_check.h"
#include "dialect/universal/shorten.h"
#include "json/emit.h"
#include "json/write.h"
#include "report/rules.h"

#define SUMMARY BT_COMPRESS_SUMMARY
#define PROMPT BT_COMPRESS_PROMPT
#define WHY BT_COMPRESS_WHY

enum { PROMPT_CODE_POINTS_MAX = 200 };

const bt_json_value *bt_universal_compress_find(const struct bt_universal_compress_run *run,
                                                bt_str pointer)
{
    const struct bt_json_doc *document = run->revision->document;
    return bt_json_resolve(document, bt_json_root(document), pointer);
}

enum bt_status bt_universal_compress_measure(struct bt_universal_compress_run *run,
                                             struct bt_universal_compress_size *out)
{
    out->bytes = run->revision->text.len;
    return bt_tokens_count(run->counter, run->revision->text, &out->count);
}

enum bt_status bt_universal_compress_add_step(struct bt_universal_compress_run *run,
                                              const struct bt_universal_compress_step *step)
{
    struct bt_universal_compress_outcome *out = run->out;
    if (out->step_count == out->step_capacity) {
        BT_TRY(bt_vec_grow(run->revision->arena, (void *)&out->steps, out->step_count,
                           &out->step_capacity, 1, sizeof(*out->steps)));
    }
    out->steps[out->step_count++] = *step;
    return BT_OK;
}

enum bt_status bt_universal_compress_end_step(struct bt_universal_compress_run *run,
                                              const char *name, bt_str pointer, bool is_last)
{
    const struct bt_universal_compress_step step = {.step = name, .pointer = pointer};
    struct bt_universal_compress_outcome *out = run->out;
    BT_TRY(bt_universal_revision_apply(run->revision));
    /* The list grows before the measuring, which rewinds the arena. */
    BT_TRY(bt_universal_compress_add_step(run, &step));
    const struct bt_universal_revision_mark mark = bt_universal_revision_mark(run->revision);
    BT_TRY(bt_universal_revision_finish(run->revision, true));
    BT_TRY(bt_universal_compress_measure(run, &out->after));
    out->steps[out->step_count - 1].size = out->after;
    if (!is_last) {
        bt_universal_revision_roll_back(run->revision, &mark);
    }
    return BT_OK;
}

/* A step of the original order: it is the last one when the document fits. */
static enum bt_status end_step(struct bt_universal_compress_run *run, const char *name,
                               bt_str pointer)
{
    BT_TRY(bt_universal_revision_apply(run->revision));
    const struct bt_universal_revision_mark mark = bt_universal_revision_mark(run->revision);
    struct bt_universal_compress_size size;
    BT_TRY(bt_universal_revision_finish(run->revision, true));
    BT_TRY(bt_universal_compress_measure(run, &size));
    bt_universal_revision_roll_back(run->revision, &mark);
    run->out->fits = size.count <= run->options->budget;
    return bt_universal_compress_end_step(run, name, pointer, run->out->fits);
}

static enum bt_status note_shortened(struct bt_universal_compress_run *run, bt_str pointer)
{
    return bt_add_compress_lossy(run->notes, bt_location_pointer(pointer, BT_OFFSET_NONE), pointer,
                                 BT_COMPRESS_LOSSY_CHANGE_SHORTENED);
}

struct universal_compress_removal {
    bt_str pointer;
    bool lossy; /* the receiver cannot do without it, or cannot get it back */
};

static const struct universal_compress_removal literal_removals[] = {
    {BT_STR_INIT("/handoff/expires_at"), true},
    {BT_STR_INIT("/handoff/target/invocation"), false},
    {BT_STR_INIT("/handoff/target/expected_phase"), false},
    {BT_STR_INIT(PROMPT), false},
    {BT_STR_INIT("/handoff/context/success_criteria"), false},
    {BT_STR_INIT(BT_COMPRESS_SESSION), true},
    {BT_STR_INIT("/handoff/tracing/tags"), false},
};

/* Remove the member if it is there; *removed counts those that were. */
static enum bt_status remove_member(struct bt_universal_compress_run *run,
                                    const struct universal_compress_removal *removal,
                                    size_t *removed)
{
    if (!bt_universal_compress_find(run, removal->pointer)) {
        return BT_OK;
    }
    BT_TRY(bt_universal_revision_remove(run->revision, removal->pointer, WHY));
    const struct bt_location at = bt_location_pointer(removal->pointer, BT_OFFSET_NONE);
    BT_TRY(bt_add_compress_removed(run->notes, at, removal->pointer));
    if (removal->lossy) {
        BT_TRY(
            bt_add_compress_lossy(run->notes, at, removal->pointer, BT_COMPRESS_LOSSY_CHANGE_GONE));
    }
    (*removed)++;
    return BT_OK;
}

/* A step of the literal order may have many places; it is named only if it is one. */
static bt_str only_place(bt_str pointer, size_t count)
{
    return count == 1 ? pointer : (bt_str){NULL, 0};
}

static enum bt_status remove_at_once(struct bt_universal_compress_run *run)
{
    size_t removed = 0;
    bt_str last = BT_STR("");
    for (size_t i = 0; i < sizeof(literal_removals) / sizeof(literal_removals[0]); i++) {
        const size_t before = removed;
        BT_TRY(remove_member(run, &literal_removals[i], &removed));
        last = removed > before ? literal_removals[i].pointer : last;
    }
    return removed > 0 ? end_step(run, "remove", only_place(last, removed)) : BT_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The first name in the folder that is free or has these bytes already. */
static enum bt_status choose_name(struct bt_universal_compress_run *run, bt_str stem, bt_str text,
                                  bt_str *out)
{
    struct bt_arena *arena = run->revision->arena;
    struct bt_dir *folder = NULL;
    /* What is not there yet has no names in it; what cannot be opened fails when it is written. */
    if (bt_payload_reference_site_open(&run->out->site, false, &folder, NULL) == BT_ENOMEM) {
        return BT_ENOMEM;
    }
    enum bt_status status = BT_EEXIST;
    for (unsigned i = 1; i <= BT_SITE_NAMES_MAX && status == BT_EEXIST; i++) {
        status = bt_payload_reference_site_name(arena, stem, i, out);
        if (status == BT_OK && folder &&
            bt_dir_compare_file(folder, *out, text) == BT_FILE_COMPARED_DIFFERENT) {
            status = BT_EEXIST;
        }
    }
    bt_dir_close(folder);
    return status;
}

enum bt_status bt_universal_compress_name_file(struct bt_universal_compress_run *run, bt_str stem,
                                               bt_str text, struct bt_universal_compress_file *out)
{
    BT_TRY(choose_name(run, stem, text, &out->name));
    out->spill.text = text;
    return bt_payload_reference_site_path(&run->out->site, run->revision->arena, out->name,
                                          &out->spill.path);
}

enum bt_status bt_universal_compress_find_site(struct bt_universal_compress_run *run)
{
    struct bt_universal_compress_outcome *out = run->out;
    struct bt_arena *arena = run->revision->arena;
    const bt_json_value *value =
        bt_universal_compress_find(run, BT_STR("/handoff/source/session_path"));
    const bt_str session_path = value ? bt_json_text(value) : BT_STR("");
    struct bt_error error;
    const enum bt_status status =
        bt_payload_reference_site_find(run->how->roots, session_path, arena, &out->site, &error);
    if (status == BT_EDENIED) {
        out->unsafe = true;
        return bt_universal_add_unsafe_session_path(run->notes, session_path, error.text);
    }
    if (status != BT_OK || !run->how->fallback) {
        return status;
    }
    out->wanted_folder = out->site.shown;
    bt_payload_reference_site_close(&out->site);
    return bt_payload_reference_site_find_fallback(run->how->roots, arena, &out->site, NULL);
}

enum bt_status bt_universal_compress_note_fallback(struct bt_universal_compress_run *run,
                                                   const struct bt_universal_compress_file *file)
{
    const struct bt_universal_compress_outcome *out = run->out;
    bt_str wanted = BT_STR("");
    if (out->wanted_folder.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(run->revision->arena, &wanted, "%.*s/%.*s",
                           BT_STR_ARG(out->wanted_folder), BT_STR_ARG(file->name)));
    return bt_universal_write_dir_add_fallback_finding(run->notes, wanted, file->spill.path);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

enum bt_status bt_universal_compress_replace_text(struct bt_universal_compress_run *run,
                                                  bt_str pointer, bt_str text)
{
    bt_emit_string(bt_universal_revision_begin_value(run->revision, pointer, true, WHY), text);
    return bt_universal_revision_end_value(run->revision);
}

static enum bt_status shorten_text(struct bt_universal_compress_run *run,
                                   const struct bt_universal_long_text *text, size_t limit)
{
    bt_str shorter = BT_STR("");
    BT_TRY(bt_universal_shorten(run->revision->arena, text->text, limit, &shorter));
    return bt_universal_compress_replace_text(run, text->pointer, shorter);
}

/* Shorten the summary if it has too many tokens; *shortened counts it then. */
static enum bt_status shorten_summary(struct bt_universal_compress_run *run, size_t *shortened)
{
    const bt_json_value *summary = bt_universal_compress_find(run, BT_STR(SUMMARY));
    if (!summary) {
        return BT_OK;
    }
    const bt_str text = bt_json_text(summary);
    bt_str shorter = BT_STR("");
    BT_TRY(bt_universal_shorten_to_tokens(run->revision->arena, text, run->counter,
                                          BT_COMPRESS_SUMMARY_TOKENS, &shorter));
    if (shorter.ptr == text.ptr) {
        return BT_OK;
    }
    (*shortened)++;
    return bt_universal_compress_replace_text(run, BT_STR(SUMMARY), shorter);
}

static enum bt_status find_texts(struct bt_universal_compress_run *run, bt_str pointer,
                                 size_t limit, struct bt_universal_long_texts *out)
{
    const bt_json_value *value = bt_universal_compress_find(run, pointer);
    *out = (struct bt_universal_long_texts){NULL, 0, 0};
    return value ? bt_universal_long_texts_find(run->revision->document, value, limit,
                                                run->revision->arena, out)
                 : BT_OK;
}

static enum bt_status shorten_at_once(struct bt_universal_compress_run *run)
{
    struct bt_universal_long_texts prompt;
    struct bt_universal_long_texts texts;
    size_t shortened = 0;
    bt_str last = BT_STR(SUMMARY);
    BT_TRY(shorten_summary(run, &shortened));
    if (shortened > 0) {
        BT_TRY(note_shortened(run, last));
    }
    BT_TRY(find_texts(run, BT_STR(PROMPT), PROMPT_CODE_POINTS_MAX, &prompt));
    BT_TRY(find_texts(run, BT_STR(BT_COMPRESS_WORKING), BT_COMPRESS_TEXT_MAX, &texts));
    for (size_t i = 0; i < prompt.count + texts.count; i++) {
        const bool of_prompt = i < prompt.count;
        const struct bt_universal_long_text *text =
            of_prompt ? &prompt.items[i] : &texts.items[i - prompt.count];
        BT_TRY(shorten_text(run, text, of_prompt ? PROMPT_CODE_POINTS_MAX : BT_COMPRESS_TEXT_MAX));
        BT_TRY(note_shortened(run, text->pointer));
        last = text->pointer;
        shortened++;
    }
    return shortened > 0 ? end_step(run, "shorten", only_place(last, shortened)) : BT_OK;
}

/* The original order: it drops the session, so none is left to be moved out. */
static enum bt_status compress_literally(struct bt_universal_compress_run *run)
{
    BT_TRY(remove_at_once(run));
    return run->out->fits ? BT_OK : shorten_at_once(run);
}

static enum bt_status compress_document(struct bt_universal_compress_run *run)
{
    struct bt_universal_compress_outcome *out = run->out;
    BT_TRY(bt_universal_compress_measure(run, &out->before));
    out->after = out->before;
    out->fits = out->before.count <= run->options->budget;
    if (out->fits) {
        return BT_OK;
    }
    return run->how->literal ? compress_literally(run) : bt_universal_compress_levels(run);
}

enum bt_status bt_universal_compress_revision(struct bt_universal_revision *revision,
                                              const struct bt_universal_options *options,
                                              const struct bt_universal_compress_plan *how,
                                              struct bt_findings *notes,
                                              struct bt_universal_compress_outcome *out)
{
    assert(revision);
    assert(how);
    assert(how->roots);
    assert(out);
    struct bt_universal_compress_outcome outcome = {.literal = how->literal,
                                                    .shows_files = how->shows_files};
    struct bt_universal_compress_run run = {
        .revision = revision,
        .options = options,
        .how = how,
        .notes = notes,
        .counter = bt_universal_counter(revision->universal, how->encoding),
        .out = &outcome,
    };
    const enum bt_status status = compress_document(&run);
    if (status != BT_OK) {
        bt_universal_compress_end(&outcome);
        return status;
    }
    *out = outcome;
    return BT_OK;
}

bool bt_universal_compress_has_files(const struct bt_universal_compress_outcome *outcome)
{
    return outcome->session.spill.path.len > 0 || outcome->texts.spill.path.len > 0;
}

enum bt_status
bt_universal_compress_write_spill(const struct bt_universal_compress_outcome *outcome,
                                  struct bt_error *error)
{
    assert(outcome->fits);
    const struct bt_universal_compress_file *files[] = {&outcome->session, &outcome->texts};
    struct bt_dir *folder = NULL;
    if (!bt_universal_compress_has_files(outcome)) {
        return BT_OK;
    }
    enum bt_status status = bt_payload_reference_site_open(&outcome->site, true, &folder, error);
    BT_TRY(status);
    for (size_t i = 0; i < BT_COUNT_OF(files) && status == BT_OK; i++) {
        if (files[i]->spill.path.len > 0) {
            status = bt_dir_ensure_file(folder, files[i]->name, files[i]->spill.text, error);
        }
    }
    bt_dir_close(folder);
    /* Nothing here is a link, so this is a matter of permissions. */
    return status == BT_EDENIED ? BT_ENOENT : status;
}

void bt_universal_compress_end(struct bt_universal_compress_outcome *outcome)
{
    bt_payload_reference_site_close(&outcome->site);
}

static void put_size(struct bt_emit *emit, const char *name,
                     const struct bt_universal_compress_size *size)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_u64(emit, "count", size->count);
    bt_emit_member_u64(emit, "bytes", size->bytes);
    bt_emit_end(emit);
}

static void put_step(struct bt_emit *emit, const struct bt_universal_compress_step *step)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "step", bt_str_of(step->step));
    bt_emit_member_string_or_null(emit, "pointer", step->pointer);
    bt_emit_member_u64(emit, "count", step->size.count);
    bt_emit_member_u64(emit, "bytes", step->size.bytes);
    bt_emit_end(emit);
}

static enum bt_status put_file(const struct bt_universal_compress_outcome *outcome,
                               const char *name, const struct bt_universal_compress_file *file,
                               struct bt_emit *emit)
{
    if (!outcome->fits || file->spill.path.len == 0) {
        return BT_OK;
    }
    char hash[sizeof("sha256:") - 1 + BT_SHA256_HEX_BYTES] = "sha256:";
    BT_TRY(bt_sha256_hex(file->spill.text, hash + sizeof("sha256:") - 1));
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "path", file->spill.path);
    if (outcome->shows_files) {
        bt_emit_member_string(emit, "text", file->spill.text);
    } else {
        bt_emit_member_u64(emit, "bytes", file->spill.text.len);
    }
    bt_emit_member_string(emit, "sha256", bt_str_of(hash));
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status bt_universal_compress_put_facts(const struct bt_universal_compress_outcome *outcome,
                                               struct bt_emit *emit)
{
    bt_emit_member_object(emit, "compress");
    bt_emit_member_string(emit, "order", outcome->literal ? BT_STR("literal") : BT_STR("lossless"));
    put_size(emit, "before", &outcome->before);
    put_size(emit, "after", &outcome->after);
    bt_emit_member_array(emit, "steps");
    for (size_t i = 0; i < outcome->step_count; i++) {
        put_step(emit, &outcome->steps[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    BT_TRY(put_file(outcome, "spilled", &outcome->session, emit));
    return put_file(outcome, "spilled_text", &outcome->texts, emit);
}
