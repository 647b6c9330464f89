/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - baton convert: a handoff of version 3.0 made from another document.
 *
 *     source -> carry -> draft -> document -> judge -> report
 */
#include <assert.h>

#include "convert/source.h"
#include "dialect/universal/outcome.h"
#include "dialect/universal/result.h"

struct transfer {
    struct bt_ending ending;
    const struct bt_universal_input *input;
    const struct bt_convert_options *how;
    struct bt_source source;
    struct bt_carrying carrying;
    struct bt_universal_result *out;
    struct bt_error *error;
};

/* ---- What is left as it is ------------------------------------------------------------------- */

static enum bt_status put_whole(const void *context, struct bt_emit *emit)
{
    const bool is_whole = *(const bool *)context;
    bt_emit_name(emit, "carried");
    bt_emit_raw(emit, is_whole ? BT_STR("[{\"from\":\"\",\"to\":\"\"}]") : BT_STR("[]"));
    bt_emit_name(emit, "not_carried");
    bt_emit_raw(emit, BT_STR("[]"));
    return BT_OK;
}

/* One of version 3.0 passes; one that cannot be read, or is of yet another version, is refused. */
static enum bt_status pass(struct transfer *transfer)
{
    struct bt_handoff handoff;
    BT_TRY(bt_ending_judge(&transfer->ending, transfer->input->text, &handoff, transfer->out));
    bt_str version = BT_STR("");
    const bt_value *value =
        handoff.document ? bt_json_get(handoff.document, handoff.handoff, BT_STR("version")) : NULL;
    version = value ? bt_json_text(value) : version;
    const bool is_ours = bt_str_eq(version, BT_STR("3.0"));
    transfer->out->outcome = is_ours ? BT_UNCHANGED : BT_ESCALATED;
    const struct bt_result_parts parts = {
        .handoff = &handoff, .more = put_whole, .context = &is_ours, .document = is_ours};
    return bt_result_finish(&parts, transfer->out);
}

/* ---- What is carried ------------------------------------------------------------------------- */

static enum bt_status add_left(const struct transfer *transfer, struct bt_findings *findings)
{
    const struct bt_carrying *carrying = &transfer->carrying;
    for (size_t i = 0; i < carrying->left_count; i++) {
        struct bt_remark remark;
        bt_remark_begin(&remark, bt_universal_rule("NOT_CARRIED"));
        bt_buf_put(&remark.pointer, carrying->left[i].pointer);
        bt_put_quoted(&remark.message, carrying->left[i].pointer);
        bt_buf_put_text(&remark.message, " was not carried: ");
        bt_buf_put_text(&remark.message, carrying->left[i].reason);
        bt_emit_member_string(&remark.emit, "reason", bt_str_of(carrying->left[i].reason));
        remark.finding.severity = transfer->how->strict ? BT_HARD : BT_WARN;
        if (!carrying->left[i].never) {
            remark.finding.hint = BT_STR("--keep-rest keeps it in payload.session.state.rest");
        }
        BT_TRY(bt_remark_end(&remark, findings));
    }
    return BT_OK;
}

static enum bt_status note_trace_id(struct transfer *transfer)
{
    struct bt_findings *notes = bt_findings_new(transfer->ending.arena);
    if (!notes) {
        return BT_ENOMEM;
    }
    transfer->ending.notes = notes;
    if (transfer->carrying.draft.trace_id.ptr) {
        return BT_OK;
    }
    struct bt_remark remark;
    bt_remark_begin(&remark, bt_universal_rule("TRACE_ID_GENERATED"));
    bt_buf_put_text(&remark.pointer, "/handoff/trace_id");
    remark.finding.hint = BT_STR("give --trace-id if the work belongs to a trace already");
    return bt_remark_end(&remark, notes);
}

static enum bt_status judge(struct transfer *transfer, bt_str text)
{
    struct bt_handoff handoff;
    struct bt_findings *findings = bt_findings_new(transfer->ending.arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_handoff_judge(transfer->ending.universal, text, transfer->ending.options, findings,
                            &handoff));
    BT_TRY(add_left(transfer, findings));
    BT_TRY(bt_ending_close(&transfer->ending, &handoff, transfer->out));
    const bool accepted = transfer->out->judged.verdict == BT_ACCEPTED;
    transfer->out->outcome = accepted ? BT_CONVERTED : BT_ESCALATED;
    const struct bt_result_parts parts = {
        .handoff = &handoff,
        .replaced = accepted ? transfer->source.document : NULL,
        .more = bt_carry_put_facts,
        .context = &transfer->carrying,
        .document = accepted,
    };
    return bt_result_finish(&parts, transfer->out);
}

static enum bt_status carry(struct transfer *transfer)
{
    struct bt_carrying *carrying = &transfer->carrying;
    bt_str text = BT_STR("");
    BT_TRY(bt_carry(carrying, transfer->source.table));
    if (transfer->how->keep_rest) {
        BT_TRY(bt_carry_rest(carrying));
    }
    BT_TRY(bt_carry_finish(carrying));
    BT_TRY(note_trace_id(transfer));
    BT_TRY(bt_draft_text(transfer->ending.universal, transfer->ending.arena, &carrying->draft,
                         &text, transfer->error));
    return judge(transfer, text);
}

/* What its own dialect cannot read is not converted; the report says why. */
static enum bt_status refuse(struct transfer *transfer)
{
    struct bt_universal_result *out = transfer->out;
    out->judged = transfer->source.refusal;
    out->outcome = BT_ESCALATED;
    out->text = transfer->input->text;
    return bt_result_add(transfer->ending.arena, "outcome", BT_STR("\"escalated\""), out);
}

static enum bt_status run(struct transfer *transfer)
{
    struct bt_source *source = &transfer->source;
    *source = (struct bt_source){.env = transfer->ending.universal->env,
                                 .arena = transfer->ending.arena,
                                 .path = transfer->input->path,
                                 .text = transfer->input->text,
                                 .step = transfer->how->step,
                                 .error = transfer->error};
    BT_TRY(bt_source_read(source, transfer->how->from));
    if (source->is_refused) {
        return refuse(transfer);
    }
    if (!source->document) {
        return pass(transfer);
    }
    bt_carrying_begin(&transfer->carrying, transfer->ending.universal, source->arena,
                      source->document, transfer->how->draft);
    transfer->carrying.names = source->names;
    const enum bt_status status = carry(transfer);
    bt_carrying_end(&transfer->carrying);
    return status;
}

enum bt_status bt_universal_convert(struct bt_universal *universal, struct bt_arena *arena,
                                    const struct bt_universal_input *input,
                                    const struct bt_convert_options *how,
                                    struct bt_universal_result *out, struct bt_error *error)
{
    assert(universal);
    assert(input);
    assert(how);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_error own = {.text = ""};
    struct bt_universal_result result = {.outcome = BT_OUTCOME_NONE};
    struct transfer transfer = {
        .ending = {universal, arena, input->path, input->options ? input->options : &defaults,
                   NULL},
        .input = input,
        .how = how,
        .out = &result,
        .error = &own,
    };
    const enum bt_status status = run(&transfer);
    if (status != BT_OK) {
        return bt_fail(error, status, "%s", own.text[0] ? own.text : bt_status_text(status));
    }
    *out = result;
    return BT_OK;
}
