/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - baton convert: a handoff of version 3.0 made from another document.
 *
 *     source -> carry -> draft -> document -> judge -> report
 */
#include <assert.h>

#include "convert/map.h"
#include "dialect/universal/result.h"
#include "json/emit.h"
#include "report/rules.h"

struct convert_transfer {
    struct bt_universal_final_check ending;
    const struct bt_universal_input *input;
    const struct bt_universal_convert_options *how;
    struct bt_convert_source source;
    struct bt_convert_run conversion;
    struct bt_universal_result *out;
    struct bt_error *error;
};

static enum bt_status put_whole(const void *context, struct bt_emit *emit)
{
    const bool is_whole = *(const bool *)context;
    bt_emit_member_raw(emit, "carried",
                       is_whole ? BT_STR("[{\"from\":\"\",\"to\":\"\"}]") : BT_STR("[]"));
    bt_emit_member_raw(emit, "not_carried", BT_STR("[]"));
    return BT_OK;
}

/* One of version 3.0 passes; one that cannot be read, or is of yet another version, is refused. */
static enum bt_status pass_unchanged(struct convert_transfer *transfer)
{
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_final_check_judge(&transfer->ending, transfer->input->text, &handoff,
                                          transfer->out));
    bt_str version = BT_STR("");
    const bt_json_value *value =
        handoff.document ? bt_json_get(handoff.document, handoff.parts.handoff, BT_STR("version"))
                         : NULL;
    version = value ? bt_json_text(value) : version;
    const bool is_ours = bt_str_eq(version, BT_STR("3.0"));
    transfer->out->outcome = is_ours ? BT_UNIVERSAL_UNCHANGED : BT_UNIVERSAL_ESCALATED;
    const struct bt_universal_result_parts parts = {
        .handoff = &handoff, .more = put_whole, .context = &is_ours, .document = is_ours};
    return bt_universal_result_finish(&parts, transfer->out);
}

static enum bt_status add_left(const struct convert_transfer *transfer,
                               struct bt_findings *findings)
{
    const struct bt_convert_run *conversion = &transfer->conversion;
    for (size_t i = 0; i < conversion->left_count; i++) {
        const bt_str pointer = conversion->left[i].pointer;
        BT_TRY(bt_add_universal_not_carried(
            findings, transfer->how->strict ? BT_SEVERITY_HARD : BT_SEVERITY_WARN,
            bt_location_pointer(pointer, BT_OFFSET_NONE), bt_str_of(conversion->left[i].reason),
            pointer, conversion->left[i].never));
    }
    return BT_OK;
}

static enum bt_status note_trace_id(struct convert_transfer *transfer)
{
    struct bt_findings *notes = bt_findings_new(transfer->ending.arena);
    BT_TRY(notes ? BT_OK : BT_ENOMEM);
    transfer->ending.notes = notes;
    if (transfer->conversion.draft.trace_id.ptr) {
        return BT_OK;
    }
    return bt_add_trace_id_generated(
        notes, bt_location_pointer(BT_STR("/handoff/trace_id"), BT_OFFSET_NONE), BT_STR_ABSENT);
}

static enum bt_status check_result(struct convert_transfer *transfer, bt_str text)
{
    struct bt_universal_check handoff;
    struct bt_findings *findings = bt_findings_new(transfer->ending.arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_check_judge(transfer->ending.universal, text, transfer->ending.options,
                                    findings, &handoff));
    BT_TRY(add_left(transfer, findings));
    BT_TRY(bt_universal_final_check_free(&transfer->ending, &handoff, transfer->out));
    const bool accepted = transfer->out->judged.verdict == BT_VERDICT_ACCEPTED;
    transfer->out->outcome = accepted ? BT_UNIVERSAL_CONVERTED : BT_UNIVERSAL_ESCALATED;
    if (!accepted) {
        /* The result is not returned, and all of it is new. */
        BT_TRY(bt_universal_cite_given(&transfer->out->judged, transfer->ending.arena, BT_STR("")));
    }
    const struct bt_universal_result_parts parts = {
        .handoff = &handoff,
        .replaced = accepted ? transfer->source.document : NULL,
        .more = bt_convert_put_facts,
        .context = &transfer->conversion,
        .document = accepted,
    };
    return bt_universal_result_finish(&parts, transfer->out);
}

static enum bt_status convert_source(struct convert_transfer *transfer)
{
    struct bt_convert_run *conversion = &transfer->conversion;
    bt_str text = BT_STR("");
    BT_TRY(bt_convert_map(conversion, transfer->source.table));
    if (transfer->how->keep_unmapped) {
        BT_TRY(bt_convert_keep_unmapped(conversion));
    }
    BT_TRY(bt_convert_map_finish(conversion));
    BT_TRY(note_trace_id(transfer));
    BT_TRY(bt_universal_draft_write(transfer->ending.universal, transfer->ending.arena,
                                    &conversion->draft, &text, transfer->error));
    return check_result(transfer, text);
}

/* What its own dialect cannot read is not converted; the report says why. */
static enum bt_status report_unreadable(struct convert_transfer *transfer)
{
    struct bt_universal_result *out = transfer->out;
    out->judged = transfer->source.refusal;
    out->outcome = BT_UNIVERSAL_ESCALATED;
    out->text = transfer->input->text;
    return bt_universal_result_add_member(transfer->ending.arena, "outcome",
                                          BT_STR("\"escalated\""), out);
}

static enum bt_status run_conversion(struct convert_transfer *transfer)
{
    struct bt_convert_source *source = &transfer->source;
    *source = (struct bt_convert_source){.env = transfer->ending.universal->env,
                                         .arena = transfer->ending.arena,
                                         .path = transfer->input->path,
                                         .text = transfer->input->text,
                                         .step = transfer->how->step,
                                         .error = transfer->error};
    BT_TRY(bt_convert_source_read(source, transfer->how->from));
    if (source->is_refused) {
        return report_unreadable(transfer);
    }
    if (!source->document) {
        return pass_unchanged(transfer);
    }
    bt_convert_run_begin(&transfer->conversion, transfer->ending.universal, source->arena,
                         source->document, transfer->how->draft);
    transfer->conversion.names = source->names;
    const enum bt_status status = convert_source(transfer);
    bt_convert_run_end(&transfer->conversion);
    return status;
}

enum bt_status bt_universal_convert(struct bt_universal_checker *universal, struct bt_arena *arena,
                                    const struct bt_universal_input *input,
                                    const struct bt_universal_convert_options *how,
                                    struct bt_universal_result *out, struct bt_error *error)
{
    assert(universal);
    assert(input);
    assert(how);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_error own = {.text = ""};
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    struct convert_transfer transfer = {
        .ending = {universal, arena, input->path, input->options ? input->options : &defaults,
                   NULL},
        .input = input,
        .how = how,
        .out = &result,
        .error = &own,
    };
    const enum bt_status status = run_conversion(&transfer);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
    }
    *out = result;
    return BT_OK;
}
