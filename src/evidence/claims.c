/* SPDX-License-Identifier: Apache-2.0 */
/* claims.c - what a block claims. */
#include "evidence/claims.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

enum { OUTPUT_CODE_POINTS_MIN = 8 };

bt_str bt_claim_state_name(enum bt_claim_state state)
{
    static const bt_str names[BT_CLAIM__MAX] = {
        BT_STR_INIT("undecided"), BT_STR_INIT("confirmed"), BT_STR_INIT("ran"),
        BT_STR_INIT("failed"),    BT_STR_INIT("not_run"),   BT_STR_INIT("other_arguments")};
    return names[state];
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct claim_reader {
    struct bt_arena *arena;
    const struct bt_contract_view *view;
    struct bt_claims *claims;
    size_t count;
};

static const bt_json_value *get_member(const struct claim_reader *reader,
                                       const bt_json_value *object, const char *name)
{
    return bt_json_get(reader->view->document, object, bt_str_of(name));
}

static const bt_json_value *get_string(const struct claim_reader *reader,
                                       const bt_json_value *object, const char *name)
{
    const bt_json_value *value = get_member(reader, object, name);
    return value && bt_json_type(value) == BT_JSON_STRING ? value : NULL;
}

/* The string itself, or the first of two members of an object that is a string; else NULL. */
static const bt_json_value *string_in(const struct claim_reader *reader, const bt_json_value *item,
                                      const char *first, const char *second)
{
    if (bt_json_type(item) == BT_JSON_STRING) {
        return item;
    }
    const bt_json_value *value = get_string(reader, item, first);
    return value ? value : get_string(reader, item, second);
}

static bool is_zero(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_INTEGER && value->as.integer == 0;
}

/* Whether a word says that a command passed. */
static enum bt_status read_passed_word(struct bt_arena *arena, const bt_json_value *value,
                                       bool *out)
{
    static const bt_str words[] = {
        BT_STR_INIT("pass"),      BT_STR_INIT("passed"), BT_STR_INIT("ok"), BT_STR_INIT("success"),
        BT_STR_INIT("succeeded"), BT_STR_INIT("green"),  BT_STR_INIT("0"),  BT_STR_INIT("exit 0")};
    bt_str word;
    if (is_zero(value)) {
        *out = true;
    }
    if (!value || bt_json_type(value) != BT_JSON_STRING || bt_json_text(value).len > 64) {
        return BT_OK;
    }
    BT_TRY(bt_ascii_lower_copy(arena, bt_str_trim(bt_json_text(value)), &word));
    word = bt_str_ends_with(word, BT_STR(".")) ? bt_str_slice(word, 0, word.len - 1) : word;
    *out = *out || bt_str_is_one_of(word, words);
    return BT_OK;
}

static bool is_within_limits(struct claim_reader *reader, bt_str text)
{
    return reader->count++ < BT_EVIDENCE_CLAIMS_MAX && text.len <= BT_EVIDENCE_CLAIM_BYTES_MAX;
}

static enum bt_status add_command(struct claim_reader *reader, const bt_json_value *item,
                                  struct bt_command_claim claim)
{
    if (!claim.value) {
        return BT_OK;
    }
    if (bt_json_type(item) == BT_JSON_OBJECT && !claim.is_verification) {
        const bt_json_value *passed = get_member(reader, item, "passed");
        claim.is_passed = is_zero(get_member(reader, item, "exit_code")) ||
                          is_zero(get_member(reader, item, "exit")) ||
                          (passed && bt_json_type(passed) == BT_JSON_TRUE);
        BT_TRY(
            read_passed_word(reader->arena, get_member(reader, item, "result"), &claim.is_passed));
        BT_TRY(
            read_passed_word(reader->arena, get_member(reader, item, "status"), &claim.is_passed));
    }
    claim.text = bt_json_text(claim.value);
    claim.nearest = BT_STR("");
    claim.has_form = is_within_limits(reader, claim.text);
    return bt_vec_push(reader->arena, &reader->claims->commands, claim);
}

static enum bt_status add_output(struct claim_reader *reader, const bt_json_value *value)
{
    if (!value) {
        return BT_OK;
    }
    const bt_str text = bt_json_text(value);
    struct bt_output_claim claim = {.value = value,
                                    .is_short =
                                        bt_utf8_count(bt_str_trim(text)) < OUTPUT_CODE_POINTS_MIN,
                                    .is_beyond = !is_within_limits(reader, text)};
    if (!claim.is_beyond) {
        BT_TRY(bt_quotation_read(reader->arena, text, &claim.quotation));
    }
    return bt_vec_push(reader->arena, &reader->claims->outputs, claim);
}

static enum bt_status add_file(struct claim_reader *reader, const bt_json_value *value)
{
    if (!value || !is_within_limits(reader, bt_json_text(value))) {
        return BT_OK;
    }
    return bt_vec_push(reader->arena, &reader->claims->files,
                       (struct bt_file_claim){.value = value, .path = bt_json_text(value)});
}

static enum bt_status read_lists(struct claim_reader *reader)
{
    const bt_json_value *evidence = reader->view->evidence;
    const bt_json_value *commands = get_member(reader, evidence, "commands_run");
    const bt_json_value *outputs = get_member(reader, evidence, "verbatim_outputs");
    const bt_json_value *files = reader->claims->files_changed;
    for (size_t i = 0; commands && bt_json_items(commands) && i < bt_json_count(commands); i++) {
        const bt_json_value *item = &bt_json_items(commands)[i];
        BT_TRY(add_command(
            reader, item,
            (struct bt_command_claim){.value = string_in(reader, item, "command", "cmd")}));
    }
    for (size_t i = 0; outputs && bt_json_items(outputs) && i < bt_json_count(outputs); i++) {
        BT_TRY(add_output(reader, string_in(reader, &bt_json_items(outputs)[i], "output", "text")));
    }
    for (size_t i = 0; commands && bt_json_items(commands) && i < bt_json_count(commands); i++) {
        BT_TRY(add_output(reader, get_string(reader, &bt_json_items(commands)[i], "output")));
    }
    for (size_t i = 0; files && i < bt_json_count(files); i++) {
        BT_TRY(add_file(reader, string_in(reader, &bt_json_items(files)[i], "path", "path")));
    }
    return BT_OK;
}

enum bt_status bt_claims_read(struct bt_arena *arena, const struct bt_contract_view *view,
                              struct bt_claims *out)
{
    assert(arena);
    assert(view);
    assert(out);
    struct claim_reader reader = {.arena = arena, .view = view, .claims = out};
    *out = (struct bt_claims){0};
    const bt_json_value *files = get_member(&reader, view->evidence, "files_changed");
    out->files_changed = files && bt_json_type(files) == BT_JSON_ARRAY ? files : NULL;
    out->verification = get_member(&reader, view->evidence, "verification");
    const bt_json_value *result = get_string(&reader, out->verification, "result");
    BT_TRY(read_lists(&reader));
    if (result) {
        bt_str word;
        BT_TRY(bt_ascii_lower_copy(arena, bt_str_trim(bt_json_text(result)), &word));
        out->is_verified = bt_str_eq(word, BT_STR("pass"));
    }
    return add_command(
        &reader, out->verification ? out->verification : view->evidence,
        (struct bt_command_claim){.value = get_string(&reader, out->verification, "command"),
                                  .is_verification = true,
                                  .is_passed = view->is_complete});
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* The outcome of one segment of a call. */
struct segment_outcome {
    bool is_known;
    bool failed;
    enum bt_evidence_exit_unknown_reason reason;
};

static enum bt_evidence_exit_unknown_reason reason_of_call(const struct bt_evidence_call *call)
{
    static const enum bt_evidence_exit_unknown_reason reasons[] = {
        [BT_CALL_PENDING] = BT_EVIDENCE_EXIT_UNKNOWN_REASON_PENDING,
        [BT_CALL_HOST] = BT_EVIDENCE_EXIT_UNKNOWN_REASON_HOST,
        [BT_CALL_BACKGROUND] = BT_EVIDENCE_EXIT_UNKNOWN_REASON_BACKGROUND,
        [BT_CALL_INTERRUPTED] = BT_EVIDENCE_EXIT_UNKNOWN_REASON_INTERRUPTED};
    return reasons[call->reason];
}

static struct segment_outcome outcome_of(const struct bt_evidence_call *call,
                                         enum bt_segment_place place)
{
    if (place == BT_SEGMENT_NESTED) {
        return (struct segment_outcome){.reason = BT_EVIDENCE_EXIT_UNKNOWN_REASON_LIST};
    }
    if (call->reason != BT_CALL_EXIT_KNOWN) {
        return (struct segment_outcome){.reason = reason_of_call(call)};
    }
    if (place == BT_SEGMENT_PIPED) {
        return (struct segment_outcome){.reason = BT_EVIDENCE_EXIT_UNKNOWN_REASON_PIPE};
    }
    if (place == BT_SEGMENT_LISTED || (call->exit != 0 && place == BT_SEGMENT_AND)) {
        return (struct segment_outcome){.reason = BT_EVIDENCE_EXIT_UNKNOWN_REASON_LIST};
    }
    return (struct segment_outcome){.is_known = true, .failed = call->exit != 0};
}

/* A claim in the form in which it is compared. */
struct claim_form {
    struct bt_command_form form;
    struct bt_segment_hash *hashes;
};

/* Compare with one call, from the last segment on. True: it has all segments, in their order. */
static bool match_call(const struct bt_evidence_index *index, const struct claim_form *claim,
                       const struct bt_evidence_call *call, struct segment_outcome *out)
{
    size_t left = claim->form.segment_count;
    *out = (struct segment_outcome){.is_known = true};
    for (size_t i = call->hash_count; i > 0 && left > 0; i--) {
        const struct bt_segment_hash *hash = &index->hashes.items[call->first_hash + i - 1];
        if (memcmp(hash->bytes, claim->hashes[left - 1].bytes, sizeof(hash->bytes)) != 0) {
            continue;
        }
        const struct segment_outcome one = outcome_of(call, (enum bt_segment_place)hash->place);
        out->failed = out->failed || one.failed;
        out->reason = one.is_known ? out->reason : one.reason; /* that of the first comes last */
        out->is_known = out->is_known && one.is_known;
        left--;
    }
    return left == 0;
}

static void match_form(const struct bt_evidence_index *index, const struct claim_form *form,
                       struct bt_command_claim *claim)
{
    for (size_t i = index->calls.count; i > 0 && !claim->call; i--) {
        const struct bt_evidence_call *call = &index->calls.items[i - 1];
        struct segment_outcome outcome;
        if (call->kind == BT_CALL_COMMAND && match_call(index, form, call, &outcome)) {
            claim->call = call;
            claim->reason = outcome.reason;
            claim->state = outcome.failed     ? BT_CLAIM_FAILED
                           : outcome.is_known ? BT_CLAIM_CONFIRMED
                                              : BT_CLAIM_RAN;
        }
    }
}

static enum bt_status read_form(struct bt_arena *arena, bt_str text, struct claim_form *out)
{
    BT_TRY(bt_command_form_read(arena, text, &out->form));
    out->hashes = BT_NEW_ARRAY(arena, struct bt_segment_hash, out->form.segment_count + 1);
    BT_TRY(out->hashes ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < out->form.segment_count; i++) {
        BT_TRY(bt_segment_hash(&out->form.segments[i], &out->hashes[i]));
    }
    return BT_OK;
}

/* The command in a text that says more: what stands in backticks, or before a remark; "": none. */
static bt_str command_in(bt_str text)
{
    static const bt_str marks[] = {BT_STR_INIT(" ("),
                                   BT_STR_INIT(" -> "),
                                   BT_STR_INIT(" => "),
                                   BT_STR_INIT(" \xe2\x86\x92 "),
                                   BT_STR_INIT(" \xe2\x80\x94 "),
                                   BT_STR_INIT(" \xe2\x80\x93 "),
                                   BT_STR_INIT(" # ")};
    const size_t open = bt_str_find_byte(text, '`', 0);
    const size_t close = open < text.len ? bt_str_find_byte(text, '`', open + 1) : text.len;
    if (close < text.len && close > open + 1) {
        return bt_str_slice(text, open + 1, close);
    }
    size_t end = text.len;
    for (size_t i = 0; i < BT_COUNT_OF(marks); i++) {
        const size_t at = bt_str_find(text, marks[i]);
        end = at < end ? at : end;
    }
    return end < text.len ? bt_str_slice(text, 0, end) : BT_STR("");
}

enum bt_status bt_command_claim_match(struct bt_arena *arena, const struct bt_evidence_index *index,
                                      struct bt_command_claim *claim)
{
    assert(claim);
    struct claim_form form = {0};
    struct claim_form second = {0};
    if (!claim->has_form) {
        return BT_OK;
    }
    BT_TRY(read_form(arena, claim->text, &form));
    if (form.form.segment_count > 0) {
        match_form(index, &form, claim);
    }
    const bt_str inner = claim->call ? BT_STR("") : command_in(claim->text);
    if (inner.len > 0) {
        BT_TRY(read_form(arena, inner, &second));
    }
    if (second.form.segment_count > 0) {
        match_form(index, &second, claim);
        form = second;
    }
    claim->has_form = form.form.segment_count > 0;
    if (claim->has_form) {
        claim->key = bt_command_key_of(&form.form);
    }
    return BT_OK;
}

bool bt_paths_are_same(bt_str a, bt_str b)
{
    a = bt_str_starts_with(a, BT_STR("./")) ? bt_str_slice(a, 2, a.len) : a;
    b = bt_str_starts_with(b, BT_STR("./")) ? bt_str_slice(b, 2, b.len) : b;
    const bt_str longer = a.len > b.len ? a : b;
    const bt_str shorter = a.len > b.len ? b : a;
    return bt_str_eq(a, b) ||
           (shorter.len > 0 && longer.len > shorter.len && longer.ptr[0] == '/' &&
            bt_str_ends_with(longer, shorter) && longer.ptr[longer.len - shorter.len - 1] == '/');
}
