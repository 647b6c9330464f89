/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress_parts.c - what compression can change in a document, and the operations that do it.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "dialect/universal/compress_levels.h"
#include "json/emit.h"
#include "skill/skill.h"

#define REFERENCES "/handoff/payload/references"

/* ---- The document ---------------------------------------------------------------------------- */

static int smallest_first(const void *a, const void *b)
{
    const struct bt_universal_compress_return *one = a;
    const struct bt_universal_compress_return *other = b;
    if (one->count != other->count) {
        return one->count < other->count ? -1 : 1;
    }
    return one->index < other->index ? -1 : 1;
}

/* Order the members of the session by the count of their values. */
static enum bt_status find_returns(struct bt_universal_compress_levels *levels)
{
    const struct bt_universal_revision *revision = levels->run->revision;
    const size_t count = bt_json_count(levels->session);
    levels->returns = BT_NEW_ARRAY(revision->arena, struct bt_universal_compress_return, count + 1);
    BT_TRY(levels->returns ? BT_OK : BT_ENOMEM);
    struct bt_buf text;
    enum bt_status status = BT_OK;
    bt_buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < count && status == BT_OK; i++) {
        bt_buf_clear(&text);
        levels->returns[i].index = i;
        status =
            bt_json_write(&text, revision->document, &bt_json_members(levels->session)[i].value,
                          BT_JSON_FORM_COMPACT, revision->arena, NULL);
        if (status == BT_OK) {
            status =
                bt_tokens_count(levels->run->counter, bt_buf_str(&text), &levels->returns[i].count);
        }
    }
    bt_buf_free(&text);
    qsort(levels->returns, count, sizeof(*levels->returns), smallest_first);
    return status;
}

/* The session, if there is one and it may be moved out, with the file that it goes to. */
static enum bt_status find_session(struct bt_universal_compress_levels *levels)
{
    struct bt_universal_compress_run *run = levels->run;
    levels->session = bt_universal_compress_find(run, BT_STR(BT_COMPRESS_SESSION));
    if (!levels->session) {
        return BT_OK;
    }
    bt_str text = BT_STR("");
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_status status = bt_json_write(&buf, run->revision->document, levels->session,
                                                BT_JSON_FORM_COMPACT, run->revision->arena, NULL);
    BT_TRY(bt_buf_finish_if(status, &buf, run->revision->arena, &text));
    BT_TRY(
        bt_universal_compress_name_file(run, BT_STR("session-context"), text, &run->out->session));
    return find_returns(levels);
}

static enum bt_status find_long_texts(struct bt_universal_compress_levels *levels)
{
    struct bt_universal_compress_run *run = levels->run;
    const bt_json_value *working = bt_universal_compress_find(run, BT_STR(BT_COMPRESS_WORKING));
    if (!working) {
        return BT_OK;
    }
    BT_TRY(bt_universal_long_texts_find(run->revision->document, working, BT_COMPRESS_TEXT_MAX,
                                        run->revision->arena, &levels->texts));
    for (size_t i = 0; i < levels->texts.count; i++) {
        const size_t length = levels->texts.items[i].code_points;
        levels->longest = length > levels->longest ? length : levels->longest;
    }
    return BT_OK;
}

static enum bt_status find_summary(struct bt_universal_compress_levels *levels)
{
    struct bt_universal_compress_run *run = levels->run;
    const struct bt_json_doc *document = run->revision->document;
    const bt_json_value *value = bt_universal_compress_find(run, BT_STR(BT_COMPRESS_SUMMARY));
    const bt_json_value *working = bt_universal_compress_find(run, BT_STR(BT_COMPRESS_WORKING));
    levels->summary_min = SIZE_MAX;
    if (!value || bt_json_type(value) != BT_JSON_STRING) {
        return BT_OK;
    }
    bt_str shortest = BT_STR("");
    levels->summary = bt_json_text(value);
    BT_TRY(bt_universal_shorten_to_tokens(run->revision->arena, levels->summary, run->counter,
                                          BT_COMPRESS_SUMMARY_TOKENS, &shortest));
    if (shortest.ptr == levels->summary.ptr) {
        return BT_OK;
    }
    levels->summary_length = bt_utf8_count(levels->summary);
    levels->summary_min = bt_utf8_count(shortest) - 3; /* without the mark */
    levels->summary_is_first =
        !working || bt_json_span(document, value).begin < bt_json_span(document, working).begin;
    return BT_OK;
}

/* Whether the target's `requires` names the member: a dotted path below handoff. */
static bool is_required(const struct bt_skill *target, bt_str pointer)
{
    const bt_str below = bt_str_slice(pointer, sizeof("/handoff/") - 1, pointer.len);
    for (size_t i = 0; target && i < target->requires.count; i++) {
        const bt_str path = target->requires.items[i];
        size_t at = 0;
        while (at < path.len && at < below.len &&
               path.ptr[at] == (below.ptr[at] == '/' ? '.' : below.ptr[at])) {
            at++;
        }
        if (at == path.len && at == below.len) {
            return true;
        }
    }
    return false;
}

/* The members that can be removed: what the target needs comes first, then by importance. */
static void find_removable(struct bt_universal_compress_levels *levels)
{
    static const bt_str members[BT_COMPRESS_REMOVABLE_MAX] = {
        BT_STR_INIT(BT_COMPRESS_PROMPT), BT_STR_INIT("/handoff/context/success_criteria"),
        BT_STR_INIT("/handoff/target/expected_phase"), BT_STR_INIT("/handoff/target/invocation"),
        BT_STR_INIT("/handoff/tracing/tags")};
    const struct bt_universal_compress_run *run = levels->run;
    const bt_json_value *name = bt_universal_compress_find(run, BT_STR("/handoff/target/skill"));
    const struct bt_skill *target =
        run->options->catalogue && name
            ? bt_skill_catalogue_find(run->options->catalogue, bt_json_text(name))
            : NULL;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < BT_COMPRESS_REMOVABLE_MAX; i++) {
            if (bt_universal_compress_find(run, members[i]) &&
                is_required(target, members[i]) == (pass == 0)) {
                levels->removable[levels->removable_count++] = members[i];
            }
        }
    }
}

enum bt_status bt_universal_compress_find_parts(struct bt_universal_compress_levels *levels)
{
    struct bt_universal_compress_run *run = levels->run;
    const bool has_session = bt_universal_compress_find(run, BT_STR(BT_COMPRESS_SESSION)) != NULL;
    BT_TRY(find_long_texts(levels));
    BT_TRY(find_summary(levels));
    find_removable(levels);
    if (run->how->no_files || (!has_session && levels->texts.count == 0)) {
        return BT_OK;
    }
    BT_TRY(bt_universal_compress_find_site(run));
    return run->out->unsafe ? BT_OK : find_session(levels);
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Remove the session, or leave the members that are given back, in document order. */
enum bt_status bt_universal_compress_put_session(struct bt_universal_compress_levels *levels,
                                                 const struct bt_universal_compress_form *form)
{
    struct bt_universal_revision *revision = levels->run->revision;
    const size_t count = bt_json_count(levels->session);
    if (form->returned == 0) {
        return bt_universal_revision_remove(revision, BT_STR(BT_COMPRESS_SESSION), BT_COMPRESS_WHY);
    }
    bool *stays = BT_NEW_ARRAY(revision->arena, bool, count);
    BT_TRY(stays ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < form->returned; i++) {
        stays[levels->returns[i].index] = true;
    }
    struct bt_emit *emit = bt_universal_revision_begin_value(revision, BT_STR(BT_COMPRESS_SESSION),
                                                             true, BT_COMPRESS_WHY);
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *member = &bt_json_members(levels->session)[i];
        if (stays[i]) {
            bt_emit_name_str(emit, bt_json_name(member));
            bt_json_builder_copy(&revision->pending.list,
                                 (bt_ref){revision->document, &member->value}, NULL);
        }
    }
    bt_emit_end(emit);
    return bt_universal_revision_end_value(revision);
}

static void put_reference(struct bt_emit *emit, bt_str path, const char *description)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "path", path);
    bt_emit_member_string(emit, "description", bt_str_of(description));
    bt_emit_member_string(emit, "relevance", BT_STR("important"));
    bt_emit_end(emit);
}

enum bt_status bt_universal_compress_add_references(struct bt_universal_compress_run *run,
                                                    bt_str session, bt_str texts)
{
    struct bt_universal_revision *revision = run->revision;
    const bool has_files = bt_universal_compress_find(run, BT_STR(REFERENCES "/files")) != NULL;
    const bool has_references = bt_universal_compress_find(run, BT_STR(REFERENCES)) != NULL;
    const bt_str paths[] = {session, texts};
    static const char *const descriptions[] = {"session context moved out of the handoff",
                                               "full text of what was shortened in the handoff"};
    if (has_files) {
        for (size_t i = 0; i < 2; i++) {
            if (paths[i].len > 0) {
                put_reference(bt_universal_revision_begin_value(
                                  revision, BT_STR(REFERENCES "/files/-"), false, BT_COMPRESS_WHY),
                              paths[i], descriptions[i]);
                BT_TRY(bt_universal_revision_end_value(revision));
            }
        }
        return BT_OK;
    }
    struct bt_emit *emit = bt_universal_revision_begin_value(
        revision, has_references ? BT_STR(REFERENCES "/files") : BT_STR(REFERENCES), false,
        BT_COMPRESS_WHY);
    if (!has_references) {
        bt_emit_begin_object(emit);
        bt_emit_name(emit, "files");
    }
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < 2; i++) {
        if (paths[i].len > 0) {
            put_reference(emit, paths[i], descriptions[i]);
        }
    }
    bt_emit_end(emit);
    if (!has_references) {
        bt_emit_end(emit);
    }
    return bt_universal_revision_end_value(revision);
}

/* Whether the form has a text file: it keeps texts, and some text is shortened. */
static bool has_text_file(const struct bt_universal_compress_levels *levels,
                          const struct bt_universal_compress_form *form)
{
    return form->keeps_texts && levels->longest > form->limit;
}

/* Put the whole of what is shortened as an object, in document order. */
static void put_whole_texts(const struct bt_universal_compress_levels *levels,
                            const struct bt_universal_compress_form *form, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    if (bt_universal_compress_shortens_summary(form) && levels->summary_is_first) {
        bt_emit_member_string(&emit, BT_COMPRESS_SUMMARY, levels->summary);
    }
    for (size_t i = 0; i < levels->texts.count; i++) {
        if (bt_universal_compress_is_shortened(levels, form, i)) {
            bt_emit_name_str(&emit, levels->texts.items[i].pointer);
            bt_emit_string(&emit, levels->texts.items[i].text);
        }
    }
    if (bt_universal_compress_shortens_summary(form) && !levels->summary_is_first) {
        bt_emit_member_string(&emit, BT_COMPRESS_SUMMARY, levels->summary);
    }
    bt_emit_end(&emit);
}

enum bt_status bt_universal_compress_build_text_file(struct bt_universal_compress_levels *levels,
                                                     const struct bt_universal_compress_form *form,
                                                     struct bt_universal_compress_file *out)
{
    bt_str text = BT_STR("");
    *out = (struct bt_universal_compress_file){.name = BT_STR("")};
    if (!has_text_file(levels, form)) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    put_whole_texts(levels, form, &buf);
    BT_TRY(bt_buf_finish(&buf, levels->run->revision->arena, &text));
    return bt_universal_compress_name_file(levels->run, BT_STR("full-text"), text, out);
}

enum bt_status bt_universal_compress_put_text(struct bt_universal_compress_levels *levels,
                                              const struct bt_universal_compress_form *form,
                                              size_t index, size_t *out_length)
{
    const struct bt_universal_long_text *text = &levels->texts.items[index];
    bt_str shorter = BT_STR("");
    BT_TRY(bt_universal_shorten(levels->run->revision->arena, text->text, form->limit, &shorter));
    *out_length = bt_utf8_count(shorter);
    return bt_universal_compress_replace_text(levels->run, text->pointer, shorter);
}

enum bt_status bt_universal_compress_put_summary(struct bt_universal_compress_levels *levels,
                                                 const struct bt_universal_compress_form *form,
                                                 size_t *out_length)
{
    bt_str shorter = BT_STR("");
    BT_TRY(bt_universal_shorten_summary(levels->run->revision->arena, levels->summary,
                                        levels->summary_min, form->summary, &shorter));
    *out_length = bt_utf8_count(shorter);
    return bt_universal_compress_replace_text(levels->run, BT_STR(BT_COMPRESS_SUMMARY), shorter);
}
