/* SPDX-License-Identifier: Apache-2.0 */
/* change.c - what is told about a changed definition, and in which words. */
#include "wrap/change.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "dialect/plan/plan.h"
#include "json/emit.h"
#include "json/equal.h"
#include "json/get.h"
#include "report/findings.h"
#include "report/rules.h"
#include "wrap/words.h"

enum { PARAM_BYTES_MAX = 64 << 20, MESSAGE_BYTES_MAX = 4096, MEMBERS_SHOWN = 20 };

/* One change while it is described. */
struct wrap_change {
    const struct bt_wrap_compare *compare;
    struct bt_arena *arena;
    bt_ref locked;
    bt_ref shown;
    BT_VEC(bt_str) members;
    bt_str text; /* parameters as JSON; absent: BT_STR_ABSENT */
    bt_str annotations;
    struct wrap_schema_change {
        struct bt_payload_compat_result results[2]; /* backward, forward */
        bt_str json;                                /* absent: it did not change */
    } input, output;
};

static bt_ref member_of(bt_ref object, bt_str name)
{
    return (bt_ref){object.document, bt_json_get(object.document, object.value, name)};
}

static enum bt_status is_equal(const struct wrap_change *change, bt_str name, bool *out)
{
    const bt_ref old = member_of(change->locked, name);
    const bt_ref new = member_of(change->shown, name);
    *out = !old.value && !new.value;
    return old.value && new.value ? bt_ref_equal(old, new, change->arena, out) : BT_OK;
}

static int compare_names(const void *a, const void *b)
{
    const bt_str *first = a;
    const bt_str *second = b;
    return bt_str_compare(*first, *second);
}

/* ---- Members --------------------------------------------------------------------------------- */

/* Add the names of `from` that differ; those that both have are taken from the first. */
static enum bt_status add_members(struct wrap_change *change, bt_ref from, bool is_first)
{
    const struct bt_json_member *members = bt_json_members(from.value);
    for (size_t i = 0; members && i < bt_json_count(from.value); i++) {
        const bt_str name = bt_json_name(&members[i]);
        bool same = false;
        if (!is_first && member_of(change->locked, name).value) {
            continue;
        }
        BT_TRY(is_equal(change, name, &same));
        if (!same) {
            BT_TRY(bt_vec_push(change->arena, &change->members, name));
        }
    }
    return BT_OK;
}

static enum bt_status find_members(struct wrap_change *change)
{
    BT_TRY(add_members(change, change->locked, true));
    BT_TRY(add_members(change, change->shown, false));
    if (change->members.count > 1) {
        qsort(change->members.items, change->members.count, sizeof(bt_str), compare_names);
    }
    return BT_OK;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static enum bt_status put_words(struct bt_emit *emit, const struct bt_wrap_memory *memory,
                                const char *name, bt_str before, bt_str after)
{
    struct bt_wrap_word_changes changes;
    BT_TRY(bt_wrap_words_compare(memory, before, after, &changes));
    bt_emit_member_object(emit, name);
    bt_emit_member_texts(emit, "removed", changes.removed, changes.removed_count);
    bt_emit_member_texts(emit, "added", changes.added, changes.added_count);
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status describe_text(struct wrap_change *change)
{
    static const char *const names[] = {"description", "title"};
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, PARAM_BYTES_MAX, NULL);
    enum bt_status status = BT_OK;
    bool has_any = false;
    for (size_t i = 0; status == BT_OK && i < 2; i++) {
        const bt_str name = bt_str_of(names[i]);
        bool same = true;
        status = is_equal(change, name, &same);
        if (status == BT_OK && !same) {
            has_any = true;
            status =
                put_words(emit, &change->compare->memory, names[i],
                          bt_json_get_text(change->locked.document, change->locked.value, name),
                          bt_json_get_text(change->shown.document, change->shown.value, name));
        }
    }
    bt_str made = BT_STR("");
    BT_TRY(bt_object_text_finish(&text, status, change->arena, &made));
    change->text = has_any ? made : BT_STR_ABSENT;
    return BT_OK;
}

/* ---- Schemas --------------------------------------------------------------------------------- */

static enum bt_status put_results(struct bt_arena *arena,
                                  const struct bt_payload_compat_result results[2], bt_str *out)
{
    static const char *const directions[] = {"backward", "forward"};
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, PARAM_BYTES_MAX, NULL);
    for (size_t i = 0; i < 2; i++) {
        bt_emit_member_string(emit, directions[i],
                              bt_payload_compat_answer_name(results[i].answer));
    }
    bt_emit_member_object(emit, "counterexamples");
    for (size_t i = 0; i < 2; i++) {
        if (results[i].counterexample.len > 0) {
            bt_emit_member_raw(emit, directions[i], results[i].counterexample);
        }
    }
    bt_emit_end(emit);
    return bt_object_text_finish(&text, BT_OK, arena, out);
}

static enum bt_status describe_schema(const struct wrap_change *change, bt_str name,
                                      struct wrap_schema_change *out)
{
    const struct bt_payload_compat_result undecided = {.answer = BT_PAYLOAD_COMPAT_ANSWER_UNDECIDED,
                                                       .counterexample = BT_STR("")};
    const bt_ref old = member_of(change->locked, name);
    const bt_ref new = member_of(change->shown, name);
    bool same = false;
    *out = (struct wrap_schema_change){.results = {undecided, undecided}, .json = BT_STR_ABSENT};
    BT_TRY(is_equal(change, name, &same));
    if (same) {
        return BT_OK;
    }
    if (old.value && new.value) {
        bt_str before;
        bt_str after;
        BT_TRY(bt_json_write_text(old.document, old.value, BT_JSON_FORM_COMPACT, change->arena,
                                  &before));
        BT_TRY(bt_json_write_text(new.document, new.value, BT_JSON_FORM_COMPACT, change->arena,
                                  &after));
        BT_TRY(bt_payload_compare_foreign(change->compare->plans, change->arena, before, after,
                                          out->results));
    }
    return put_results(change->arena, out->results, &out->json);
}

/* ---- Annotations ----------------------------------------------------------------------------- */

static enum bt_status put_value_or_null(struct bt_emit *emit, struct bt_arena *arena, bt_ref ref)
{
    bt_str text = BT_STR("null");
    if (ref.value) {
        BT_TRY(bt_json_write_text(ref.document, ref.value, BT_JSON_FORM_COMPACT, arena, &text));
    }
    bt_emit_raw(emit, text);
    return BT_OK;
}

/* Old and new value of each annotation that differs. */
static enum bt_status put_annotations(const struct wrap_change *hints, struct bt_emit *emit)
{
    for (size_t i = 0; i < hints->members.count; i++) {
        const bt_str name = hints->members.items[i];
        bt_emit_name_str(emit, name);
        bt_emit_begin_array(emit);
        BT_TRY(put_value_or_null(emit, hints->arena, member_of(hints->locked, name)));
        BT_TRY(put_value_or_null(emit, hints->arena, member_of(hints->shown, name)));
        bt_emit_end(emit);
    }
    return BT_OK;
}

/* The annotations of both versions, as a change of their own. */
static enum bt_status find_hints(const struct wrap_change *change, struct wrap_change *out)
{
    const bt_str name = BT_STR("annotations");
    *out = (struct wrap_change){.compare = change->compare,
                                .arena = change->arena,
                                .locked = member_of(change->locked, name),
                                .shown = member_of(change->shown, name)};
    bool same = false;
    BT_TRY(is_equal(change, name, &same));
    if (same) {
        return BT_OK;
    }
    if (out->locked.value) {
        BT_TRY(add_members(out, out->locked, true));
    }
    if (out->shown.value) {
        BT_TRY(add_members(out, out->shown, !out->locked.value));
    }
    return BT_OK;
}

static enum bt_status describe_annotations(struct wrap_change *change, struct wrap_change *hints)
{
    struct bt_object_text text;
    change->annotations = BT_STR_ABSENT;
    BT_TRY(find_hints(change, hints));
    if (hints->members.count == 0) {
        return BT_OK;
    }
    struct bt_emit *emit = bt_object_text_begin(&text, PARAM_BYTES_MAX, NULL);
    const enum bt_status status = put_annotations(hints, emit);
    return bt_object_text_finish(&text, status, change->arena, &change->annotations);
}

/* ---- The message ----------------------------------------------------------------------------- */

static void put_hint_change(struct bt_buf *buf, const struct wrap_change *hints, bt_str name)
{
    const bt_ref both[] = {member_of(hints->locked, name), member_of(hints->shown, name)};
    bt_buf_put_printable(buf, name, 80);
    for (size_t i = 0; i < 2; i++) {
        const enum bt_json_type type = both[i].value ? bt_json_type(both[i].value) : BT_JSON_NONE;
        bt_buf_put_text(buf, i == 0 ? " " : " to ");
        bt_buf_put_text(buf, type == BT_JSON_TRUE    ? "true"
                             : type == BT_JSON_FALSE ? "false"
                             : type == BT_JSON_NONE  ? "absent"
                                                     : "another value");
    }
}

/* What a changed schema means for those who rely on it. */
static void put_schema_change(struct bt_buf *buf, bt_str name,
                              const struct wrap_schema_change *schema, bool is_input)
{
    bt_buf_put(buf, name);
    if (schema->results[0].answer == BT_PAYLOAD_COMPAT_ANSWER_INCOMPATIBLE) {
        bt_buf_put_text(buf, is_input ? " (old calls refused)" : " (old results no longer valid)");
    } else if (schema->results[1].answer == BT_PAYLOAD_COMPAT_ANSWER_INCOMPATIBLE) {
        bt_buf_put_text(buf, is_input ? " (takes new arguments)" : " (gives new results)");
    }
}

static void put_member_change(struct bt_buf *buf, const struct wrap_change *change,
                              const struct wrap_change *hints, bt_str name)
{
    if (bt_str_eq(name, BT_STR("inputSchema"))) {
        put_schema_change(buf, name, &change->input, true);
    } else if (bt_str_eq(name, BT_STR("outputSchema"))) {
        put_schema_change(buf, name, &change->output, false);
    } else if (bt_str_eq(name, BT_STR("annotations")) && hints->members.count > 0) {
        for (size_t i = 0; i < hints->members.count; i++) {
            bt_buf_put_text(buf, i == 0 ? "" : ", ");
            put_hint_change(buf, hints, hints->members.items[i]);
        }
    } else {
        bt_buf_put_printable(buf, name, 80);
    }
}

static enum bt_status compose_message(const struct wrap_change *change,
                                      const struct wrap_change *hints, bt_str key, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, PARAM_BYTES_MAX);
    bt_buf_put_printable(&buf, key, 80);
    bt_buf_put_text(&buf, " changed: ");
    bool is_first = true;
    for (size_t pass = 0; pass < 2; pass++) { /* annotations come last */
        for (size_t i = 0; i < change->members.count && i < MEMBERS_SHOWN; i++) {
            const bt_str name = change->members.items[i];
            if (bt_str_eq(name, BT_STR("annotations")) == (pass == 1)) {
                bt_buf_put_text(&buf, is_first ? "" : ", ");
                put_member_change(&buf, change, hints, name);
                is_first = false;
            }
        }
    }
    return bt_buf_finish(&buf, change->arena, out);
}

enum bt_status bt_wrap_add_change(const struct bt_wrap_compare *compare, struct bt_location at,
                                  const struct bt_wrap_item *locked,
                                  const struct bt_wrap_item *shown)
{
    struct wrap_change change = {
        .compare = compare,
        .arena = compare->memory.arena,
        .locked = {locked->document, bt_json_root(locked->document)},
        .shown = {shown->document, bt_json_root(shown->document)},
    };
    struct wrap_change hints;
    bt_str message;
    if (bt_findings_code_is_full(compare->findings, BT_CODE_WRAP_PIN_CHANGED)) {
        bt_findings_count_omitted(compare->findings, BT_CODE_WRAP_PIN_CHANGED, 1);
        return BT_OK; /* nobody reads how it changed, which may take long to find out */
    }
    BT_TRY(find_members(&change));
    BT_TRY(describe_text(&change));
    BT_TRY(describe_schema(&change, BT_STR("inputSchema"), &change.input));
    BT_TRY(describe_schema(&change, BT_STR("outputSchema"), &change.output));
    BT_TRY(describe_annotations(&change, &hints));
    BT_TRY(compose_message(&change, &hints, locked->key, &message));
    return bt_add_wrap_pin_changed(compare->findings, compare->changed, at, message,
                                   (struct bt_str_list){change.members.items, change.members.count},
                                   bt_str_of(locked->sha256), bt_str_of(shown->sha256), change.text,
                                   change.input.json, change.output.json, change.annotations);
}

enum bt_status bt_wrap_add_instructions_change(const struct bt_wrap_compare *compare, bt_str locked,
                                               bt_str shown)
{
    static const bt_str members[] = {BT_STR_INIT("instructions")};
    struct bt_object_text text;
    bt_str words;
    struct bt_emit *emit = bt_object_text_begin(&text, PARAM_BYTES_MAX, NULL);
    const enum bt_status status =
        put_words(emit, &compare->memory, "instructions", locked.ptr ? locked : BT_STR(""),
                  shown.ptr ? shown : BT_STR(""));
    BT_TRY(bt_object_text_finish(&text, status, compare->memory.arena, &words));
    return bt_add_wrap_pin_changed(compare->findings, compare->changed,
                                   bt_location_pointer(BT_STR("/instructions"), BT_OFFSET_NONE),
                                   BT_STR("the instructions of the server changed"),
                                   (struct bt_str_list){members, 1}, BT_STR_ABSENT, BT_STR_ABSENT,
                                   words, BT_STR_ABSENT, BT_STR_ABSENT, BT_STR_ABSENT);
}
