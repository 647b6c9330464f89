/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.c - the outcome of a change, judged and assembled for the report. */
#include "dialect/universal/outcome.h"

#include <assert.h>

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
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_universal_check_judge(ending->universal, text, ending->options, findings, &handoff));
    BT_TRY(bt_universal_final_check_free(ending, &handoff, out));
    *out_handoff = handoff;
    return BT_OK;
}
