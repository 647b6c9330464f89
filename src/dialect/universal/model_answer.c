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
#include "base/buf.h"
#include "base/str.h"
#include "base/uninitialized.h"
#include "base/vec.h"
#include "dialect/universal/change_effect.h"
#include "dialect/universal/repair.h"
#include "dialect/universal/shown_document.h"
#include "json/edit.h"
#include "json/options.h"
#include "json/peek.h"
#include "json/value_pointer.h"
#include "json/walk.h"
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

static enum bt_status refuse_answer(struct bt_universal_repair_run *repair,
                                    enum bt_answer_invalid_reason reason, bt_str detail)
{
    return bt_add_answer_invalid(repair->refusals, bt_location_whole(), reason, detail);
}

static enum bt_status read_text(struct bt_universal_repair_run *repair, bt_str text,
                                struct bt_json_read_result *out)
{
    const struct bt_json_options options = bt_json_options_from_env(repair->universal->env);
    /* from: caller */
    return bt_json_read(&repair->scratch, text, &options, out);
}

/* What an answer is compared with: the base, as the prompt showed it. */
struct universal_answer_base {
    const struct bt_json_doc *document;
    const struct bt_json_doc *masked; /* without its secrets */
    struct bt_universal_masks masks;
    bool is_complete; /* the prompt showed all of it */
};

static enum bt_status open_base(struct bt_universal_repair_run *repair,
                                struct universal_answer_base *out)
{
    struct universal_answer_base base = {.document = repair->revision.document};
    struct bt_buf buf;
    bt_str text = BT_STR("");
    struct bt_json_read_result read = {0};
    BT_TRY(bt_universal_masks_find(base.document, &repair->scratch, &base.masks));
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_status status = bt_universal_put_replaced(
        &buf, base.document, bt_json_root(base.document), &base.masks.strings);
    BT_TRY(bt_buf_finish_if(status, &buf, &repair->scratch, &text));
    base.is_complete =
        repair->how.prompt == BT_UNIVERSAL_PROMPT_DOCUMENT && text.len <= BT_SHOWN_BYTES_MAX;
    base.masked = base.document;
    if (base.masks.strings.count > 0) {
        BT_TRY(read_text(repair, text, &read));
        /* Marks are longer than short secrets: a document at its limit may not be read again. */
        BT_TRY(read.document ? BT_OK : BT_ELIMIT);
        base.masked = read.document;
    }
    *out = base;
    return BT_OK;
}

/* The masked base after a patch; *out is NULL when the patch is refused. */
static enum bt_status patch_base(struct bt_universal_repair_run *repair,
                                 const struct universal_answer_base *base,
                                 const struct bt_json_doc *patch, const struct bt_json_doc **out)
{
    const struct bt_json_options limits = bt_json_options_from_env(repair->universal->env);
    const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT, .result = &limits};
    struct bt_json_patch_result patched = {0};
    BT_TRY(bt_json_patch_document(base->masked, patch, &options, &repair->scratch, out, &patched));
    return *out ? BT_OK : refuse_patch(repair, patch, &patched);
}

/* Read the answer, and set *out to the document that it makes of the masked base; NULL when it is
 * refused. */
static enum bt_status read_answer(struct bt_universal_repair_run *repair,
                                  const struct universal_answer_base *base, bt_str answer,
                                  const struct bt_json_doc **out)
{
    struct bt_json_read_result read = {0};
    *out = NULL;
    BT_TRY(read_text(repair, remove_fence(answer), &read));
    if (!read.document) {
        return refuse_answer(repair, BT_ANSWER_INVALID_REASON__NONE, bt_str_of(read.detail));
    }
    const bt_json_value *root = bt_json_root(read.document);
    if (bt_json_type(root) == BT_JSON_OBJECT &&
        bt_json_member(read.document, root, BT_STR("handoff"))) {
        *out = base->is_complete ? read.document : NULL;
        return *out ? BT_OK
                    : refuse_answer(repair, BT_ANSWER_INVALID_REASON_INCOMPLETE, BT_STR_ABSENT);
    }
    if (bt_json_type(root) != BT_JSON_ARRAY) {
        return refuse_answer(repair, BT_ANSWER_INVALID_REASON__NONE, BT_STR_ABSENT);
    }
    return patch_base(repair, base, read.document, out);
}

/* ---- Marks ----------------------------------------------------------------------------------- */

static bool has_mark(bt_str text)
{
    return bt_str_find(text, BT_STR(BT_MARK_WITHHELD)) < text.len ||
           bt_str_find(text, BT_STR(BT_MARK_CUT)) < text.len;
}

/* The number of the mark that begins at `at`, and where it ends; 0 when it is not a whole one. */
static size_t read_mark(bt_str text, size_t at, size_t *out_end)
{
    const size_t begin = at + sizeof(BT_MARK_WITHHELD) - 1;
    const size_t end = bt_str_find_byte(text, ']', begin);
    uint64_t number = 0;
    *out_end = end + 1;
    return end < text.len && begin < end && text.ptr[begin] == ' ' &&
                   bt_str_to_u64(bt_str_slice(text, begin + 1, end), &number) == BT_OK &&
                   number < SIZE_MAX
               ? (size_t)number
               : 0;
}

/* Put a string of the answer with the secrets that its marks stand for. False when a mark does not
 * belong to this string. */
static bool put_restored(const struct bt_universal_masks *masks,
                         const struct bt_universal_masked_string *masked, bt_str text,
                         struct bt_buf *buf)
{
    size_t from = 0;
    for (;;) { /* ends, because `from` grows by a mark each time */
        const bt_str rest = bt_str_slice(text, from, text.len);
        const size_t at = from + bt_str_find(rest, BT_STR(BT_MARK_WITHHELD));
        bt_buf_put(buf, bt_str_slice(text, from, at));
        if (at == text.len) {
            return bt_str_find(text, BT_STR(BT_MARK_CUT)) == text.len;
        }
        const size_t number = read_mark(text, at, &from);
        if (!masked || number <= masked->first || number > masked->first + masked->count) {
            return false;
        }
        bt_buf_put(buf, masks->secrets.items[number - 1]);
    }
}

/* Restore one string of the answer; *is_valid is false when it has a mark that is not its own. What
 * the answer leaves as it was shown is as it was, whatever it looks like. */
static enum bt_status restore_string(struct bt_universal_repair_run *repair,
                                     const struct universal_answer_base *base,
                                     const struct bt_json_doc *answer, const bt_json_value *value,
                                     struct bt_universal_masked_strings *restored, bool *is_valid)
{
    const bt_str text = bt_json_text(value);
    struct bt_universal_masked_string item = {.value = value};
    bt_str pointer = BT_STR("");
    BT_TRY(bt_json_value_pointer(answer, value, &repair->scratch, &pointer));
    const bt_json_value *before =
        bt_json_resolve(base->document, bt_json_root(base->document), pointer);
    const struct bt_universal_masked_string *masked =
        before ? bt_universal_masked_strings_find(&base->masks.strings, before) : NULL;
    if (before && bt_str_eq(masked ? masked->text : bt_json_text(before), text)) {
        item.text = bt_json_text(before);
        return bt_vec_push(&repair->scratch, restored, item);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    *is_valid = put_restored(&base->masks, masked, text, &buf);
    BT_TRY(bt_buf_finish(&buf, &repair->scratch, &item.text));
    return bt_vec_push(&repair->scratch, restored, item);
}

/* Whether a name with a mark in it is one of the base. */
static enum bt_status is_name_of_base(struct bt_universal_repair_run *repair,
                                      const struct universal_answer_base *base,
                                      const struct bt_json_doc *answer, const bt_json_value *value,
                                      bool *out)
{
    bt_str pointer = BT_STR("");
    BT_TRY(bt_json_value_pointer(answer, value, &repair->scratch, &pointer));
    *out = bt_json_resolve(base->document, bt_json_root(base->document), pointer) != NULL;
    return BT_OK;
}

/* Put what marks stand for back into the result of an answer; *document is NULL after a refusal. */
static enum bt_status restore_marks(struct bt_universal_repair_run *repair,
                                    const struct universal_answer_base *base,
                                    const struct bt_json_doc **document)
{
    struct bt_universal_masked_strings restored = {NULL, 0, 0};
    const struct bt_json_doc *answer = *document;
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bool is_valid = true;
    bt_json_walk_begin(&walk, bt_json_root(answer));
    while (is_valid && bt_json_walk_next(&walk, &walked)) {
        if (walked.member && has_mark(bt_json_name(walked.member))) {
            BT_TRY(is_name_of_base(repair, base, answer, walked.value, &is_valid));
        }
        if (is_valid && has_mark(bt_json_text(walked.value))) {
            BT_TRY(restore_string(repair, base, answer, walked.value, &restored, &is_valid));
        }
    }
    if (!is_valid) {
        *document = NULL;
        return refuse_answer(repair, BT_ANSWER_INVALID_REASON_MARK, BT_STR_ABSENT);
    }
    if (restored.count == 0) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_str text = BT_STR("");
    struct bt_json_read_result read = {0};
    bt_universal_masked_strings_sort(&restored);
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_status status =
        bt_universal_put_replaced(&buf, answer, bt_json_root(answer), &restored);
    BT_TRY(bt_buf_finish_if(status, &buf, &repair->scratch, &text));
    BT_TRY(read_text(repair, text, &read));
    *document = read.document;
    return read.document
               ? BT_OK
               : refuse_answer(repair, BT_ANSWER_INVALID_REASON__NONE, bt_str_of(read.detail));
}

/* ---- Scope ----------------------------------------------------------------------------------- */

/* Consent, seals and budgets: whatever was opened, an answer leaves them as they are. */
static enum bt_status check_protected_members(struct bt_universal_repair_run *repair,
                                              const struct bt_json_doc *after, bool *in_scope)
{
    static const bt_str kept[] = {BT_STR_INIT("/handoff/meta/user_approved"),
                                  BT_STR_INIT("/handoff/meta/payload_hash"),
                                  BT_STR_INIT("/handoff/meta/baton_budget")};
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
    struct bt_universal_open_places places;
    size_t refused = 0;
    BT_TRY(bt_universal_open_places_find(findings, &repair->scratch, &places));
    for (size_t i = 0; i < effects->count && refused < REFUSED_PLACES_MAX; i++) {
        const bt_str pointer = effects->items[i].pointer;
        /* The count is always open: it is made anew whatever the answer says. */
        if (!bt_str_eq(pointer, BT_STR(TOKEN_COUNT)) &&
            !bt_universal_open_places_hold(&places, pointer)) {
            refused++;
            BT_TRY(refuse_place(repair, pointer));
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
    struct universal_answer_base base;
    struct bt_universal_effects effects;
    bool in_scope = true;
    bt_arena_reset(&repair->scratch);
    *out = BT_UNIVERSAL_ANSWER_INVALID;
    BT_TRY(open_base(repair, &base));
    BT_TRY(read_answer(repair, &base, answer, &after));
    if (after) {
        BT_TRY(restore_marks(repair, &base, &after));
    }
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
    if (effects.count == 0) {
        *out = BT_UNIVERSAL_ANSWER_EMPTY;
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
