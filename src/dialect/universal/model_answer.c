/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_answer.c - a model's answer: read, compared with the question, applied to the base.
 *
 * What an answer says about itself is ignored. Its effect is found by comparing the base with the
 * result, and each location that differs must have been opened by a finding that blocks.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "dialect/universal/change_effect.h"
#include "dialect/universal/fix_table.h"
#include "dialect/universal/repair.h"
#include "json/edit.h"
#include "json/peek.h"
#include "report/rules.h"

enum { REFUSED_PLACES_MAX = 20 }; /* that are told of one answer */

#define TOKEN_COUNT "/handoff/meta/token_count"

static enum bt_status refuse_patch(struct bt_universal_repair_run *repair,
                                   const struct bt_json_doc *patch,
                                   const struct bt_json_patch_result *result)
{
    const bt_json_value *operations = bt_json_root(patch);
    const bt_json_value *path =
        result->operation < bt_json_count(operations)
            ? bt_json_get(patch, &bt_json_items(operations)[result->operation], BT_STR("path"))
            : NULL;
    return bt_add_answer_patch_failed(repair->refusals, bt_location_whole(), result->operation,
                                      path ? bt_json_text(path) : BT_STR(""),
                                      bt_str_of(result->detail));
}

static enum bt_status refuse_place(struct bt_universal_repair_run *repair, bt_str pointer)
{
    return bt_add_answer_out_of_scope(repair->refusals,
                                      bt_location_pointer(pointer, BT_OFFSET_NONE), pointer);
}

static size_t run_length(bt_str text, char c)
{
    size_t length = 0;
    while (length < text.len && text.ptr[length] == c) {
        length++;
    }
    return length;
}

/* The content of the one Markdown code fence in the answer, or the answer itself when there is
 * none. An answer with more than one fence is returned unchanged, and is not valid JSON. */
static bt_str remove_fence(bt_str answer)
{
    const bt_str text = bt_ascii_trim(answer, bt_json_is_space);
    const char mark = text.len > 0 ? text.ptr[0] : '\0';
    const size_t fence = mark == '`' || mark == '~' ? run_length(text, mark) : 0;
    const size_t first = bt_str_find_byte(text, '\n', 0);
    size_t last = text.len;
    while (last > first && text.ptr[last - 1] != '\n') {
        last--;
    }
    const bt_str closing = bt_ascii_trim(bt_str_slice(text, last, text.len), bt_json_is_space);
    const bool closed = run_length(closing, mark) == closing.len && closing.len >= fence;
    return fence >= 3 && last > first && closed ? bt_str_slice(text, first, last) : text;
}

/* The base after a patch; *out is NULL when the patch is refused. */
static enum bt_status patch_base(struct bt_universal_repair_run *repair,
                                 const struct bt_json_doc *patch, const struct bt_json_doc **out)
{
    const struct bt_json_patch_options options = {BT_JSON_FORM_COMPACT,
                                                  bt_json_options_from_env(repair->universal->env)};
    struct bt_json_patch_result patched;
    BT_TRY(bt_json_patch_document(repair->revision.document, patch, &options, &repair->scratch, out,
                                  &patched));
    return *out ? BT_OK : refuse_patch(repair, patch, &patched);
}

/* Read the answer, and set *out to the document that it makes of the base; NULL when it is refused.
 */
static enum bt_status read_answer(struct bt_universal_repair_run *repair, bt_str answer,
                                  const struct bt_json_doc **out)
{
    const struct bt_json_options options = bt_json_options_from_env(repair->universal->env);
    struct bt_json_read_result read;
    *out = NULL;
    /* from: caller */
    BT_TRY(bt_json_read(&repair->scratch, remove_fence(answer), &options, &read));
    if (!read.document) {
        return bt_add_answer_invalid(repair->refusals, bt_location_whole(), bt_str_of(read.detail));
    }
    const bt_json_value *root = bt_json_root(read.document);
    if (bt_json_type(root) == BT_JSON_OBJECT &&
        bt_json_member(read.document, root, BT_STR("handoff"))) {
        *out = read.document;
        return BT_OK;
    }
    if (bt_json_type(root) != BT_JSON_ARRAY) {
        return bt_add_answer_invalid(repair->refusals, bt_location_whole(), BT_STR_ABSENT);
    }
    return patch_base(repair, read.document, out);
}

/* The places that findings opened, sorted. */
struct universal_answer_scope {
    bt_str *items;
    size_t count;
};

/* Whether the finding opens a place to an answer, and which. */
static enum bt_status opened_by(struct bt_universal_repair_run *repair,
                                const struct bt_finding *finding, bt_str *out_place,
                                bool *out_opens)
{
    *out_opens = true;
    if (finding->code == BT_CODE_SCHEMA_REQUIRED) {
        return bt_universal_put_missing_pointer(finding, &repair->scratch, out_place);
    }
    if (finding->code == BT_CODE_REENTRY_WITHOUT_REASON) {
        *out_place = BT_STR("/handoff/meta/handoff_reason");
        return BT_OK;
    }
    *out_place = finding->pointer;
    /* A version that is there says what the document is; no answer may say otherwise. */
    *out_opens = (bt_str_starts_with(finding->rule->code, BT_STR("SCHEMA_")) &&
                  !bt_str_eq(finding->pointer, BT_STR("/handoff/version"))) ||
                 finding->code == BT_CODE_TIMESTAMP_INVALID;
    return BT_OK;
}

static int compare_places(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

static enum bt_status find_places(struct bt_universal_repair_run *repair,
                                  const struct bt_findings *findings,
                                  struct universal_answer_scope *out)
{
    const size_t count = bt_findings_count(findings);
    bt_str *items = BT_NEW_ARRAY(&repair->scratch, bt_str, 2 * count + 1);
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    *out = (struct universal_answer_scope){items, 0};
    items[out->count++] = BT_STR(TOKEN_COUNT); /* is always open */
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity != BT_SEVERITY_HARD) {
            continue;
        }
        if (finding->code == BT_CODE_TOKENS_OVER_BUDGET) {
            items[out->count++] = BT_STR("/handoff/context");
            items[out->count++] = BT_STR("/handoff/payload");
            continue;
        }
        bool opens = false;
        BT_TRY(opened_by(repair, finding, &items[out->count], &opens));
        out->count += opens;
    }
    qsort(items, out->count, sizeof(*items), compare_places);
    return BT_OK;
}

/* Whether the pointer names an open place or something below one. */
static bool is_open(const struct universal_answer_scope *places, bt_str pointer)
{
    /* Each beginning of the pointer that is a pointer itself, "" and the whole among them. */
    for (size_t end = 0;; end = bt_str_find_byte(pointer, '/', end + 1)) {
        const bt_str place = bt_str_slice(pointer, 0, end);
        if (bsearch(&place, places->items, places->count, sizeof(place), compare_places)) {
            return true;
        }
        if (end == pointer.len) {
            return false;
        }
    }
}

/* Consent and seals: whatever was opened, an answer leaves them as they are. */
static enum bt_status check_protected_members(struct bt_universal_repair_run *repair,
                                              const struct bt_json_doc *after, bool *in_scope)
{
    static const bt_str kept[] = {BT_STR_INIT("/handoff/meta/user_approved"),
                                  BT_STR_INIT("/handoff/meta/payload_hash")};
    const struct bt_json_doc *before = repair->revision.document;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        const bt_json_value *a = bt_json_resolve(before, bt_json_root(before), kept[i]);
        const bt_json_value *b = bt_json_resolve(after, bt_json_root(after), kept[i]);
        bool same = !a && !b;
        if (a && b) {
            BT_TRY(bt_json_equal(before, a, after, b, &repair->scratch, &same));
        }
        if (!same) {
            *in_scope = false;
            BT_TRY(refuse_place(repair, kept[i]));
        }
    }
    return BT_OK;
}

static enum bt_status check_scope(struct bt_universal_repair_run *repair,
                                  const struct bt_findings *findings,
                                  const struct bt_universal_effects *effects, bool *in_scope)
{
    struct universal_answer_scope places;
    size_t refused = 0;
    BT_TRY(find_places(repair, findings, &places));
    for (size_t i = 0; i < effects->count && refused < REFUSED_PLACES_MAX; i++) {
        if (!is_open(&places, effects->items[i].pointer)) {
            refused++;
            BT_TRY(refuse_place(repair, effects->items[i].pointer));
        }
    }
    *in_scope = *in_scope && refused == 0;
    return BT_OK;
}

static enum bt_status apply_effect(struct bt_universal_repair_run *repair,
                                   const struct bt_json_doc *after,
                                   const struct bt_universal_effect *effect)
{
    struct bt_universal_revision *revision = &repair->revision;
    if (!effect->after) {
        return bt_universal_revision_remove(revision, effect->pointer, "answer");
    }
    (void)bt_universal_revision_begin_value(revision, effect->pointer, effect->before != NULL,
                                            "answer");
    bt_json_builder_copy(&revision->pending.list, (bt_ref){after, effect->after}, NULL);
    return bt_universal_revision_end_value(revision);
}

/* The count is ours to make, whatever the answer says about it. */
static enum bt_status apply_all(struct bt_universal_repair_run *repair,
                                const struct bt_json_doc *after,
                                const struct bt_universal_effects *effects)
{
    for (size_t i = 0; i < effects->count; i++) {
        if (!bt_str_eq(effects->items[i].pointer, BT_STR(TOKEN_COUNT))) {
            BT_TRY(apply_effect(repair, after, &effects->items[i]));
        }
    }
    return bt_universal_revision_finish(&repair->revision, true);
}

/* Judge the base for its findings. */
static enum bt_status find_base(struct bt_universal_repair_run *repair,
                                const struct bt_findings **out)
{
    struct bt_universal_result result;
    struct bt_universal_check handoff;
    const struct bt_universal_final_check ending = {repair->universal, &repair->scratch,
                                                    repair->input.path, &repair->options, NULL};
    BT_TRY(bt_universal_final_check_judge(&ending, repair->revision.text, &handoff, &result));
    *out = result.judged.findings;
    return BT_OK;
}

static enum bt_status apply_answer(struct bt_universal_repair_run *repair, bt_str answer,
                                   enum bt_universal_answer_result *out)
{
    const struct bt_json_doc *after = NULL;
    const struct bt_findings *findings = NULL;
    struct bt_universal_effects effects;
    bool in_scope = true;
    bt_arena_reset(&repair->scratch);
    *out = BT_UNIVERSAL_ANSWER_INVALID;
    BT_TRY(read_answer(repair, answer, &after));
    if (!after) {
        return BT_OK;
    }
    *out = BT_UNIVERSAL_ANSWER_OUT_OF_SCOPE;
    BT_TRY(find_base(repair, &findings));
    BT_TRY(bt_universal_effects_find(repair->revision.document, after, &repair->scratch, &effects));
    BT_TRY(check_protected_members(repair, after, &in_scope));
    BT_TRY(check_scope(repair, findings, &effects, &in_scope));
    if (!in_scope) {
        return BT_OK;
    }
    struct bt_universal_repair_state state;
    BT_TRY(apply_all(repair, after, &effects));
    BT_TRY(bt_universal_repair_update_state(repair, &state));
    repair->accepted = state.accepted;
    repair->base = bt_universal_revision_mark(&repair->revision);
    *out = state.accepted ? BT_UNIVERSAL_ANSWER_ACCEPTED : BT_UNIVERSAL_ANSWER_REJECTED;
    return BT_OK;
}

static void note_try(struct bt_universal_repair_run *repair, enum bt_universal_answer_result answer)
{
    if (repair->tries.count < BT_TRIES_MAX) {
        repair->tries.items[repair->tries.count++] = answer;
    }
}

enum bt_status bt_universal_repair_apply_answer(struct bt_universal_repair_run *repair,
                                                bt_str answer, enum bt_universal_answer_result *out)
{
    assert(repair);
    assert(bt_universal_repair_can_prompt(repair));
    assert(out);
    enum bt_universal_answer_result kind = BT_UNIVERSAL_ANSWER_NONE;
    bt_universal_repair_reset(repair);
    BT_TRY(apply_answer(repair, answer, &kind));
    note_try(repair, kind);
    *out = kind;
    return BT_OK;
}

enum bt_status bt_universal_repair_note_failure(struct bt_universal_repair_run *repair,
                                                const char *reason)
{
    assert(repair);
    assert(reason);
    note_try(repair, BT_UNIVERSAL_ANSWER_FAILED);
    return bt_add_llm_failed(repair->refusals, bt_location_whole(), bt_str_of(reason));
}
