/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - what came of a change, judged and put together for the report.
 */
#include "dialect/universal/outcome.h"

#include <assert.h>

/* In the order of enum bt_outcome. */
static const bt_str names[] = {
    [BT_OUTCOME_NONE] = BT_STR_INIT(""),
    [BT_UNCHANGED] = BT_STR_INIT("unchanged"),
    [BT_FIXED] = BT_STR_INIT(""),
    [BT_REPAIRED] = BT_STR_INIT("repaired"),
    [BT_COMPRESSED] = BT_STR_INIT("compressed"),
    [BT_SEALED] = BT_STR_INIT("sealed"),
    [BT_CONVERTED] = BT_STR_INIT("converted"),
    [BT_ESCALATED] = BT_STR_INIT("escalated"),
};

bt_str bt_outcome_name(enum bt_outcome outcome)
{
    assert(outcome <= BT_ESCALATED);
    return names[outcome];
}

static enum bt_status add_notes(const struct bt_findings *notes, const struct bt_doc *document,
                                struct bt_findings *findings)
{
    for (size_t i = 0; notes && i < bt_findings_count(notes); i++) {
        struct bt_finding note = *bt_findings_at(notes, i);
        const bt_value *place = document && note.pointer.len > 0
                                    ? bt_json_point(document, bt_json_root(document), note.pointer)
                                    : NULL;
        note.offset = place ? bt_json_span(document, place).begin : BT_NO_OFFSET;
        BT_TRY(bt_findings_add(findings, &note));
    }
    return BT_OK;
}

enum bt_status bt_ending_close(const struct bt_ending *ending, const struct bt_handoff *handoff,
                               struct bt_universal_result *out)
{
    struct bt_findings *findings = handoff->findings;
    BT_TRY(add_notes(ending->notes, handoff->document, findings));
    BT_TRY(bt_findings_finish(findings, handoff->text));
    out->text = handoff->text;
    out->judged = (struct bt_judged){
        .path = ending->path,
        .dialect = BT_STR("universal"),
        .source = handoff->text,
        .verdict = bt_verdict_of(findings, BT_HARD),
        .findings = findings,
    };
    return BT_OK;
}

enum bt_status bt_ending_judge(const struct bt_ending *ending, bt_str text,
                               struct bt_handoff *out_handoff, struct bt_universal_result *out)
{
    assert(ending);
    struct bt_handoff handoff;
    struct bt_findings *findings = bt_findings_new(ending->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_handoff_judge(ending->universal, text, ending->options, findings, &handoff));
    BT_TRY(bt_ending_close(ending, &handoff, out));
    *out_handoff = handoff;
    return BT_OK;
}
