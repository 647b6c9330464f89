/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress.c - make a handoff fit its budget, step by step.
 *
 * A step changes the revision. Then the document is finished (sealed again and recounted) to see
 * how large it would be; if that does not fit, the finishing is undone and the next step follows.
 * So the changes contain one seal and one count, the final ones.
 */
#include "dialect/universal/compress.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "dialect/universal/shorten.h"
#include "json/emit.h"
#include "json/write.h"
#include "report/rules.h"

#define SESSION "/handoff/payload/session"
#define REFERENCES "/handoff/payload/references"
#define SUMMARY "/handoff/context/summary"
#define PROMPT "/handoff/context/original_prompt"
#define WHY "compress"

enum {
    WORKING_CODE_POINTS_MAX = 500,
    PROMPT_CODE_POINTS_MAX = 200,
    SUMMARY_TOKENS = 100,      /* a summary has fewer */
    TEXTS_ONE_BY_ONE = 24,     /* more long texts than this are first tried all at once ... */
    WORK_BYTES_MAX = 64 << 20, /* ... and then one by one, if that looks at no more than this */
};

struct universal_compress_steps {
    struct bt_universal_revision *revision;
    const struct bt_universal_options *options;
    const struct bt_universal_compress_plan *how;
    struct bt_findings *notes;
    struct bt_tokens *counter;
    struct bt_universal_compress_outcome *out;
};

static const bt_json_value *find_value(const struct universal_compress_steps *compression,
                                       bt_str pointer)
{
    const struct bt_json_doc *document = compression->revision->document;
    return bt_json_resolve(document, bt_json_root(document), pointer);
}

static enum bt_status measure_document(struct universal_compress_steps *compression,
                                       struct bt_universal_compress_size *out)
{
    out->bytes = compression->revision->text.len;
    return bt_tokens_count(compression->counter, compression->revision->text, &out->count);
}

/* Settle, and undo that again unless it fits. */
static enum bt_status finish_if_fits(struct universal_compress_steps *compression,
                                     struct bt_universal_compress_size *out, bool *out_fits)
{
    const struct bt_universal_revision_mark mark =
        bt_universal_revision_mark(compression->revision);
    BT_TRY(bt_universal_revision_finish(compression->revision, true));
    BT_TRY(measure_document(compression, out));
    *out_fits = out->count <= compression->options->budget;
    if (!*out_fits) {
        bt_universal_revision_roll_back(compression->revision, &mark);
    }
    return BT_OK;
}

static enum bt_status add_step(struct universal_compress_steps *compression,
                               const struct bt_universal_compress_step *step)
{
    struct bt_universal_compress_outcome *out = compression->out;
    if (out->step_count == out->step_capacity) {
        BT_TRY(bt_vec_grow(compression->revision->arena, (void *)&out->steps, out->step_count,
                           &out->step_capacity, 1, sizeof(*out->steps)));
    }
    out->steps[out->step_count++] = *step;
    return BT_OK;
}

/* A step has been carried out: what does it come to? */
static enum bt_status end_step(struct universal_compress_steps *compression, const char *name,
                               bt_str pointer)
{
    struct bt_universal_compress_step step = {.step = name, .pointer = pointer};
    BT_TRY(bt_universal_revision_apply(compression->revision));
    /* The list grows before the weighing, which rewinds the arena. */
    BT_TRY(add_step(compression, &step));
    struct bt_universal_compress_outcome *out = compression->out;
    BT_TRY(finish_if_fits(compression, &out->after, &out->fits));
    out->steps[out->step_count - 1].size = out->after;
    return BT_OK;
}

static enum bt_status note_shortened(struct universal_compress_steps *compression, bt_str pointer)
{
    return bt_add_compress_lossy(compression->notes, bt_location_pointer(pointer, BT_OFFSET_NONE),
                                 pointer, BT_COMPRESS_LOSSY_CHANGE_SHORTENED);
}

struct universal_compress_removal {
    bt_str pointer;
    bool lossy; /* the receiver cannot do without it, or cannot get it back */
};

static const struct universal_compress_removal lossless_removals[] = {
    {BT_STR_INIT("/handoff/tracing/tags"), false},
    {BT_STR_INIT("/handoff/target/invocation"), false},
    {BT_STR_INIT("/handoff/target/expected_phase"), false},
    {BT_STR_INIT("/handoff/context/success_criteria"), false},
    {BT_STR_INIT(PROMPT), false},
};

static const struct universal_compress_removal literal_removals[] = {
    {BT_STR_INIT("/handoff/expires_at"), true},
    {BT_STR_INIT("/handoff/target/invocation"), false},
    {BT_STR_INIT("/handoff/target/expected_phase"), false},
    {BT_STR_INIT(PROMPT), false},
    {BT_STR_INIT("/handoff/context/success_criteria"), false},
    {BT_STR_INIT(SESSION), true},
    {BT_STR_INIT("/handoff/tracing/tags"), false},
};

/* Remove the member if it is there; *removed counts those that were. */
static enum bt_status remove_member(struct universal_compress_steps *compression,
                                    const struct universal_compress_removal *removal,
                                    size_t *removed)
{
    if (!find_value(compression, removal->pointer)) {
        return BT_OK;
    }
    BT_TRY(bt_universal_revision_remove(compression->revision, removal->pointer, WHY));
    const struct bt_location at = bt_location_pointer(removal->pointer, BT_OFFSET_NONE);
    BT_TRY(bt_add_compress_removed(compression->notes, at, removal->pointer));
    if (removal->lossy) {
        BT_TRY(bt_add_compress_lossy(compression->notes, at, removal->pointer,
                                     BT_COMPRESS_LOSSY_CHANGE_GONE));
    }
    (*removed)++;
    return BT_OK;
}

static enum bt_status remove_one_by_one(struct universal_compress_steps *compression)
{
    const size_t count = sizeof(lossless_removals) / sizeof(lossless_removals[0]);
    for (size_t i = 0; i < count && !compression->out->fits; i++) {
        size_t removed = 0;
        BT_TRY(remove_member(compression, &lossless_removals[i], &removed));
        if (removed > 0) {
            BT_TRY(end_step(compression, "remove", lossless_removals[i].pointer));
        }
    }
    return BT_OK;
}

/* A step of the literal order may have many places; it is named only if it is one. */
static bt_str only_place(bt_str pointer, size_t count)
{
    return count == 1 ? pointer : (bt_str){NULL, 0};
}

static enum bt_status remove_at_once(struct universal_compress_steps *compression)
{
    size_t removed = 0;
    bt_str last = BT_STR("");
    for (size_t i = 0; i < sizeof(literal_removals) / sizeof(literal_removals[0]); i++) {
        const size_t before = removed;
        BT_TRY(remove_member(compression, &literal_removals[i], &removed));
        last = removed > before ? literal_removals[i].pointer : last;
    }
    return removed > 0 ? end_step(compression, "remove", only_place(last, removed)) : BT_OK;
}

/* The first name in the folder that is free or has these bytes already. */
static enum bt_status choose_name(struct universal_compress_steps *compression, bt_str text,
                                  bt_str *out)
{
    struct bt_arena *arena = compression->revision->arena;
    struct bt_dir *folder = NULL;
    /* What is not there yet has no names in it; what cannot be opened fails when it is written. */
    if (bt_payload_reference_site_open(&compression->out->site, false, &folder, NULL) ==
        BT_ENOMEM) {
        return BT_ENOMEM;
    }
    enum bt_status status = BT_EEXIST;
    for (unsigned i = 1; i <= BT_SITE_NAMES_MAX && status == BT_EEXIST; i++) {
        status = bt_payload_reference_site_name(arena, BT_STR("session-context"), i, out);
        if (status == BT_OK && folder &&
            bt_dir_compare_file(folder, *out, text) == BT_FILE_COMPARED_DIFFERENT) {
            status = BT_EEXIST;
        }
    }
    bt_dir_close(folder);
    return status;
}

/* Find the folder; *out_wanted is where it should have been when that is another one, else "". */
static enum bt_status find_site(struct universal_compress_steps *compression, bt_str session_path,
                                bt_str *out_wanted)
{
    struct bt_universal_compress_outcome *out = compression->out;
    struct bt_arena *arena = compression->revision->arena;
    struct bt_error error;
    const enum bt_status status = bt_payload_reference_site_find(
        compression->how->roots, session_path, arena, &out->site, &error);
    if (status == BT_EDENIED) {
        out->unsafe = true;
        return bt_universal_write_dir_add_unsafe_finding(compression->notes, session_path,
                                                         error.text);
    }
    if (status != BT_OK || !compression->how->fallback) {
        return status;
    }
    *out_wanted = out->site.shown;
    bt_payload_reference_site_close(&out->site);
    return bt_payload_reference_site_find_fallback(compression->how->roots, arena, &out->site,
                                                   NULL);
}

static enum bt_status note_fallback(struct universal_compress_steps *compression,
                                    bt_str wanted_folder)
{
    const struct bt_universal_compress_outcome *out = compression->out;
    bt_str wanted = BT_STR("");
    BT_TRY(bt_arena_printf(compression->revision->arena, &wanted, "%.*s/%.*s",
                           BT_STR_ARG(wanted_folder), BT_STR_ARG(out->spill_name)));
    return bt_universal_write_dir_add_fallback_finding(compression->notes, wanted, out->spill.path);
}

static enum bt_status write_minified(struct universal_compress_steps *compression,
                                     const bt_json_value *value, bt_str *out)
{
    return bt_json_write_text(compression->revision->document, value, BT_JSON_FORM_COMPACT,
                              compression->revision->arena, out);
}

/* Add the reference to the file, and what it needs to stand in. */
static enum bt_status add_file_reference(struct universal_compress_steps *compression, bt_str path)
{
    const bool has_files = find_value(compression, BT_STR(REFERENCES "/files")) != NULL;
    const bool has_references = find_value(compression, BT_STR(REFERENCES)) != NULL;
    const bt_str place = has_files        ? BT_STR(REFERENCES "/files/-")
                         : has_references ? BT_STR(REFERENCES "/files")
                                          : BT_STR(REFERENCES);
    struct bt_emit *emit =
        bt_universal_revision_begin_value(compression->revision, place, false, WHY);
    if (!has_references) {
        bt_emit_begin_object(emit);
        bt_emit_name(emit, "files");
    }
    if (!has_files) {
        bt_emit_begin_array(emit);
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "path", path);
    bt_emit_member_string(emit, "description", BT_STR("session context moved out of the handoff"));
    bt_emit_member_string(emit, "relevance", BT_STR("important"));
    for (int levels = 1 + !has_files + !has_references; levels > 0; levels--) {
        bt_emit_end(emit);
    }
    return bt_universal_revision_end_value(compression->revision);
}

static enum bt_status spill_session(struct universal_compress_steps *compression)
{
    struct bt_universal_compress_outcome *out = compression->out;
    const bt_json_value *session = find_value(compression, BT_STR(SESSION));
    const bt_json_value *session_path =
        find_value(compression, BT_STR("/handoff/source/session_path"));
    if (!session || !session_path) {
        return BT_OK;
    }
    bt_str wanted = BT_STR("");
    BT_TRY(find_site(compression, bt_json_text(session_path), &wanted));
    if (out->unsafe) {
        return BT_OK;
    }
    BT_TRY(write_minified(compression, session, &out->spill.text));
    BT_TRY(choose_name(compression, out->spill.text, &out->spill_name));
    BT_TRY(bt_payload_reference_site_path(&out->site, compression->revision->arena, out->spill_name,
                                          &out->spill.path));
    if (wanted.len > 0) {
        BT_TRY(note_fallback(compression, wanted));
    }
    BT_TRY(bt_universal_revision_remove(compression->revision, BT_STR(SESSION), WHY));
    BT_TRY(add_file_reference(compression, out->spill.path));
    return end_step(compression, "spill", BT_STR(SESSION));
}

static enum bt_status replace_text(struct universal_compress_steps *compression, bt_str pointer,
                                   bt_str text)
{
    bt_emit_string(bt_universal_revision_begin_value(compression->revision, pointer, true, WHY),
                   text);
    return bt_universal_revision_end_value(compression->revision);
}

static enum bt_status shorten_text(struct universal_compress_steps *compression,
                                   const struct bt_universal_long_text *text, size_t limit)
{
    bt_str shorter = BT_STR("");
    BT_TRY(bt_universal_shorten(compression->revision->arena, text->text, limit, &shorter));
    return replace_text(compression, text->pointer, shorter);
}

/* Shorten the summary if it has too many tokens; *shortened counts it then. */
static enum bt_status shorten_summary(struct universal_compress_steps *compression,
                                      size_t *shortened)
{
    const bt_json_value *summary = find_value(compression, BT_STR(SUMMARY));
    if (!summary) {
        return BT_OK;
    }
    const bt_str text = bt_json_text(summary);
    bt_str shorter = BT_STR("");
    BT_TRY(bt_universal_shorten_to_tokens(compression->revision->arena, text, compression->counter,
                                          SUMMARY_TOKENS, &shorter));
    if (shorter.ptr == text.ptr) {
        return BT_OK;
    }
    (*shortened)++;
    return replace_text(compression, BT_STR(SUMMARY), shorter);
}

static enum bt_status find_texts(struct universal_compress_steps *compression, bt_str pointer,
                                 size_t limit, struct bt_universal_long_texts *out)
{
    const bt_json_value *value = find_value(compression, pointer);
    *out = (struct bt_universal_long_texts){NULL, 0, 0};
    return value ? bt_universal_long_texts_find(compression->revision->document, value, limit,
                                                compression->revision->arena, out)
                 : BT_OK;
}

static enum bt_status find_working(struct universal_compress_steps *compression,
                                   struct bt_universal_long_texts *out)
{
    return find_texts(compression, BT_STR("/handoff/payload/working"), WORKING_CODE_POINTS_MAX,
                      out);
}

/* Whether all of it together would be enough; nothing stays changed. */
static enum bt_status would_fit(struct universal_compress_steps *compression,
                                const struct bt_universal_long_texts *texts, bool *out_fits)
{
    size_t shortened = 0;
    const struct bt_universal_revision_mark mark =
        bt_universal_revision_mark(compression->revision);
    for (size_t i = 0; i < texts->count; i++) {
        BT_TRY(shorten_text(compression, &texts->items[i], WORKING_CODE_POINTS_MAX));
    }
    BT_TRY(shorten_summary(compression, &shortened));
    BT_TRY(bt_universal_revision_apply(compression->revision));
    BT_TRY(finish_if_fits(compression, &compression->out->after, out_fits));
    bt_universal_revision_roll_back(compression->revision, &mark);
    return BT_OK;
}

static enum bt_status shorten_one_by_one(struct universal_compress_steps *compression)
{
    struct bt_universal_long_texts texts;
    size_t shortened = 0;
    bool hopeful = true;
    BT_TRY(find_working(compression, &texts));
    if (texts.count > TEXTS_ONE_BY_ONE) {
        /* Each step costs a look at the whole document: not for one that can never fit. */
        BT_TRY(would_fit(compression, &texts, &hopeful));
        if (hopeful && compression->revision->text.len / 2 > WORK_BYTES_MAX / texts.count) {
            return BT_ELIMIT;
        }
    }
    for (size_t i = 0; i < texts.count && hopeful && !compression->out->fits; i++) {
        BT_TRY(shorten_text(compression, &texts.items[i], WORKING_CODE_POINTS_MAX));
        BT_TRY(note_shortened(compression, texts.items[i].pointer));
        BT_TRY(end_step(compression, "shorten", texts.items[i].pointer));
    }
    if (!hopeful || compression->out->fits) {
        return BT_OK;
    }
    BT_TRY(shorten_summary(compression, &shortened));
    if (shortened == 0) {
        return BT_OK;
    }
    BT_TRY(note_shortened(compression, BT_STR(SUMMARY)));
    return end_step(compression, "shorten", BT_STR(SUMMARY));
}

static enum bt_status shorten_at_once(struct universal_compress_steps *compression)
{
    struct bt_universal_long_texts prompt;
    struct bt_universal_long_texts texts;
    size_t shortened = 0;
    bt_str last = BT_STR(SUMMARY);
    BT_TRY(shorten_summary(compression, &shortened));
    if (shortened > 0) {
        BT_TRY(note_shortened(compression, last));
    }
    BT_TRY(find_texts(compression, BT_STR(PROMPT), PROMPT_CODE_POINTS_MAX, &prompt));
    BT_TRY(find_working(compression, &texts));
    for (size_t i = 0; i < prompt.count + texts.count; i++) {
        const bool of_prompt = i < prompt.count;
        const struct bt_universal_long_text *text =
            of_prompt ? &prompt.items[i] : &texts.items[i - prompt.count];
        BT_TRY(shorten_text(compression, text,
                            of_prompt ? PROMPT_CODE_POINTS_MAX : WORKING_CODE_POINTS_MAX));
        BT_TRY(note_shortened(compression, text->pointer));
        last = text->pointer;
        shortened++;
    }
    return shortened > 0 ? end_step(compression, "shorten", only_place(last, shortened)) : BT_OK;
}

static enum bt_status minify_document(struct universal_compress_steps *compression)
{
    BT_TRY(bt_universal_revision_rewrite(compression->revision, BT_JSON_FORM_COMPACT));
    return end_step(compression, "minify", (bt_str){NULL, 0});
}

typedef enum bt_status step_fn(struct universal_compress_steps *compression);

static enum bt_status run(struct universal_compress_steps *compression)
{
    static step_fn *const lossless[] = {minify_document, remove_one_by_one, spill_session,
                                        shorten_one_by_one, NULL};
    static step_fn *const literal[] = {remove_at_once, spill_session, shorten_at_once, NULL};
    struct bt_universal_compress_outcome *out = compression->out;
    BT_TRY(measure_document(compression, &out->before));
    out->after = out->before;
    out->fits = out->before.count <= compression->options->budget;
    step_fn *const *steps = compression->how->literal ? literal : lossless;
    for (; *steps && !out->fits && !out->unsafe; steps++) {
        BT_TRY((*steps)(compression));
    }
    return BT_OK;
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
                                                    .spill = {BT_STR(""), BT_STR("")}};
    struct universal_compress_steps compression = {
        .revision = revision,
        .options = options,
        .how = how,
        .notes = notes,
        .counter = &revision->universal->counters[how->encoding],
        .out = &outcome,
    };
    const enum bt_status status = run(&compression);
    if (status != BT_OK) {
        bt_universal_compress_end(&outcome);
        return status;
    }
    *out = outcome;
    return BT_OK;
}

enum bt_status
bt_universal_compress_write_spill(const struct bt_universal_compress_outcome *outcome,
                                  struct bt_error *error)
{
    assert(outcome->fits);
    if (outcome->spill.path.len == 0) {
        return BT_OK;
    }
    struct bt_dir *folder = NULL;
    BT_TRY(bt_payload_reference_site_open(&outcome->site, true, &folder, error));
    const enum bt_status status =
        bt_dir_ensure_file(folder, outcome->spill_name, outcome->spill.text, error);
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
    if (!outcome->fits || outcome->spill.path.len == 0) {
        return BT_OK;
    }
    char hash[sizeof("sha256:") - 1 + BT_SHA256_HEX_BYTES] = "sha256:";
    BT_TRY(bt_sha256_hex(outcome->spill.text, hash + sizeof("sha256:") - 1));
    bt_emit_member_object(emit, "spilled");
    bt_emit_member_string(emit, "path", outcome->spill.path);
    bt_emit_member_u64(emit, "bytes", outcome->spill.text.len);
    bt_emit_member_string(emit, "sha256", bt_str_of(hash));
    bt_emit_end(emit);
    return BT_OK;
}
