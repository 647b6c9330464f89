/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.c - the end of a change: judged, with its facts and members, as the report shows them.
 */
#include "dialect/universal/result.h"

#include <assert.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/findings.h"

/* A conversion is one change: the whole for the whole. */
static void put_replacement(const struct bt_universal_result_parts *parts,
                            struct bt_json_builder *changes)
{
    const struct bt_json_doc *document = parts->handoff->document;
    struct bt_emit *emit = &changes->emit;
    bt_emit_begin_array(emit);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "op", BT_STR("replace"));
    bt_emit_member_string(emit, "path", BT_STR(""));
    bt_emit_name(emit, "value");
    bt_json_builder_copy(changes, (bt_ref){document, bt_json_root(document)}, NULL);
    bt_emit_name(emit, "was");
    bt_json_builder_copy(changes, (bt_ref){parts->replaced, bt_json_root(parts->replaced)}, NULL);
    bt_emit_member_string(emit, "why", BT_STR("convert"));
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Build the list of changes, unless nothing was to be changed. */
static enum bt_status build_changes(const struct bt_universal_result_parts *parts,
                                    enum bt_universal_outcome outcome,
                                    const struct bt_json_doc **out)
{
    struct bt_json_builder changes;
    *out = NULL;
    if (!parts->revision && outcome == BT_UNIVERSAL_OUTCOME_NONE) {
        return BT_OK;
    }
    struct bt_emit *emit = bt_json_builder_begin(&changes, parts->handoff->arena, NULL);
    if (parts->replaced) {
        put_replacement(parts, &changes);
    } else if (parts->revision) {
        bt_universal_revision_put_changes(parts->revision, &changes);
    } else {
        bt_emit_begin_array(emit);
        bt_emit_end(emit);
    }
    return bt_json_builder_finish(&changes, BT_OK, out);
}

static enum bt_status put_facts(const struct bt_universal_result_parts *parts,
                                const struct bt_json_doc *changes, struct bt_emit *emit)
{
    BT_TRY(bt_universal_check_put_facts(parts->handoff, changes, emit));
    return parts->more ? parts->more(parts->context, emit) : BT_OK;
}

static enum bt_status put_document(const struct bt_universal_result_parts *parts,
                                   struct bt_buf *buf)
{
    const struct bt_json_doc *document = parts->handoff->document;
    if (!parts->document || !document) {
        return BT_OK;
    }
    bt_buf_put_text(buf, buf->len > 0 ? ",\"document\":" : "\"document\":");
    return bt_json_write(buf, document, bt_json_root(document), BT_JSON_FORM_COMPACT,
                         parts->handoff->arena, NULL);
}

enum bt_status bt_universal_result_finish(const struct bt_universal_result_parts *parts,
                                          struct bt_universal_result *out)
{
    assert(parts);
    assert(out);
    struct bt_arena *arena = parts->handoff->arena;
    const bt_str outcome = bt_universal_outcome_name(out->outcome);
    struct bt_object_text text;
    BT_TRY(build_changes(parts, out->outcome, &out->changes));
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    out->counts = (struct bt_universal_counts){
        .is_known = (parts->handoff->stages.run >> BT_STAGE_BUDGET & 1) != 0,
        .estimate = parts->handoff->tokens.estimate,
        .exact = parts->handoff->tokens.count,
        .encoding = parts->handoff->tokens.encoding,
    };
    out->judged.fixed = parts->revision && !parts->replaced ? parts->revision->fixes : 0;
    BT_TRY(bt_object_text_finish(&text, put_facts(parts, out->changes, emit), arena,
                                 &out->judged.facts));
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    if (outcome.len > 0) {
        bt_buf_put_text(&buf, "\"outcome\":");
        bt_json_put_string(&buf, outcome);
    }
    return bt_buf_finish_if(put_document(parts, &buf), &buf, arena, &out->judged.extra_members);
}

enum bt_status bt_universal_result_add_member(struct bt_arena *arena, const char *name,
                                              bt_str value, struct bt_universal_result *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, out->judged.extra_members);
    if (buf.len > 0) {
        bt_buf_put_char(&buf, ',');
    }
    bt_json_put_string(&buf, bt_str_of(name));
    bt_buf_put_char(&buf, ':');
    bt_buf_put(&buf, value);
    return bt_buf_finish(&buf, arena, &out->judged.extra_members);
}

/* In the order of enum bt_universal_outcome. */
static const bt_str names[] = {
    [BT_UNIVERSAL_OUTCOME_NONE] = BT_STR_INIT(""),
    [BT_UNIVERSAL_UNCHANGED] = BT_STR_INIT("unchanged"),
    [BT_UNIVERSAL_FIXED] = BT_STR_INIT(""),
    [BT_UNIVERSAL_REPAIRED] = BT_STR_INIT("repaired"),
    [BT_UNIVERSAL_COMPRESSED] = BT_STR_INIT("compressed"),
    [BT_UNIVERSAL_SEALED] = BT_STR_INIT("sealed"),
    [BT_UNIVERSAL_CONVERTED] = BT_STR_INIT("converted"),
    [BT_UNIVERSAL_ESCALATED] = BT_STR_INIT("escalated"),
};

bt_str bt_universal_outcome_name(enum bt_universal_outcome outcome)
{
    assert(outcome <= BT_UNIVERSAL_ESCALATED);
    return names[outcome];
}

static enum bt_status add_notes(const struct bt_findings *notes, const struct bt_json_doc *document,
                                struct bt_findings *findings)
{
    for (size_t i = 0; notes && i < bt_findings_count(notes); i++) {
        struct bt_finding note = *bt_findings_at(notes, i);
        const bt_json_value *place =
            document && note.pointer.len > 0
                ? bt_json_resolve(document, bt_json_root(document), note.pointer)
                : NULL;
        note.offset = place ? bt_json_span(document, place).begin : BT_OFFSET_NONE;
        BT_TRY(bt_findings_add(findings, &note));
    }
    return BT_OK;
}

enum bt_status bt_universal_final_check_free(const struct bt_universal_final_check *ending,
                                             const struct bt_universal_check *handoff,
                                             struct bt_universal_result *out)
{
    struct bt_findings *findings = handoff->findings;
    BT_TRY(add_notes(ending->notes, handoff->document, findings));
    BT_TRY(bt_findings_finish(findings, handoff->text));
    out->text = handoff->text;
    out->counts = (struct bt_universal_counts){handoff->document != NULL, handoff->tokens.estimate,
                                               handoff->tokens.count, handoff->tokens.encoding};
    out->judged = (struct bt_judgement){
        .path = ending->path,
        .dialect = BT_DIALECT_UNIVERSAL,
        .source = handoff->text,
        .verdict = bt_verdict_of(findings, BT_SEVERITY_HARD),
        .findings = findings,
        .document = handoff->document,
    };
    return BT_OK;
}

enum bt_status bt_universal_final_check_judge(const struct bt_universal_final_check *ending,
                                              bt_str text, struct bt_universal_check *out_handoff,
                                              struct bt_universal_result *out)
{
    assert(ending);
    struct bt_universal_check handoff;
    struct bt_findings *findings = bt_findings_new(ending->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_check_judge(ending->universal, text, ending->options, findings, &handoff));
    BT_TRY(bt_universal_final_check_free(ending, &handoff, out));
    *out_handoff = handoff;
    return BT_OK;
}

/* ---- Positions ------------------------------------------------------------------------------- */

/*
 * The value that a pointer names in the given document, if nothing at the pointer or above it was
 * changed: all that it passes has the same type as before, and a value without children is equal.
 */
static enum bt_status find_given(const struct bt_json_doc *given, const struct bt_json_doc *judged,
                                 bt_str pointer, struct bt_arena *arena, const bt_json_value **out)
{
    const bt_json_value *before = NULL;
    const bt_json_value *after = NULL;
    bool is_same = given && judged;
    for (size_t end = 0; is_same; end = bt_str_find_byte(pointer, '/', end + 1)) {
        const bt_str part = bt_str_slice(pointer, 0, end);
        before = bt_json_resolve(given, bt_json_root(given), part);
        after = bt_json_resolve(judged, bt_json_root(judged), part);
        is_same = before && after && bt_json_type(before) == bt_json_type(after);
        if (end == pointer.len) {
            break;
        }
    }
    if (is_same && bt_json_type(before) < BT_JSON_ARRAY) {
        BT_TRY(bt_json_equal(given, before, judged, after, arena, &is_same));
    }
    *out = is_same ? before : NULL;
    return BT_OK;
}

enum bt_status bt_universal_cite_given(struct bt_judgement *judged, struct bt_arena *arena,
                                       bt_str given)
{
    struct bt_json_options reading = bt_json_options_default();
    struct bt_json_read_result read = {0};
    const struct bt_findings *findings = judged->findings;
    reading.document_bytes_max = UINT64_C(1) << 30;
    reading.nodes_max = UINT64_C(1) << 30;
    /* from: caller */
    BT_TRY(bt_json_read(arena, given, &reading, &read));
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        struct bt_finding *finding = findings->items[i];
        const bt_json_value *value = NULL;
        if (finding->offset == BT_OFFSET_NONE) {
            continue;
        }
        BT_TRY(find_given(read.document, judged->document, finding->pointer, arena, &value));
        finding->offset = value ? bt_json_span(read.document, value).begin : BT_OFFSET_NONE;
        finding->position =
            value ? bt_position_at(given, finding->offset) : (struct bt_position){0, 0};
    }
    judged->source = given;
    return BT_OK;
}
