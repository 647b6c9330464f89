/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.c - findings -> verdict: a pure function, and the words for its result.
 */
#include <baton/report.h>

#include <assert.h>

#include "report/report.h"

enum bt_verdict bt_verdict_of(const struct bt_findings *findings, enum bt_severity fail_level)
{
    assert(findings);
    /* BT_SEVERITY_NONE is not a level: it would make every finding block, or none. */
    assert(fail_level != BT_SEVERITY_NONE);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        if (bt_findings_at(findings, i)->severity >= fail_level) {
            return BT_VERDICT_REJECTED;
        }
    }
    return BT_VERDICT_ACCEPTED;
}

enum bt_status bt_judgement_make(bt_str path, enum bt_dialect_id dialect, bt_str source,
                                 struct bt_findings *findings, bt_str facts,
                                 struct bt_judgement *out)
{
    assert(out);
    BT_TRY(bt_findings_finish(findings, source));
    *out = (struct bt_judgement){.path = path,
                                 .dialect = dialect,
                                 .source = source,
                                 .verdict = bt_verdict_of(findings, BT_SEVERITY_HARD),
                                 .findings = findings,
                                 .facts = facts};
    return BT_OK;
}

bt_str bt_verdict_name(enum bt_verdict verdict)
{
    static const bt_str names[] = {
        [BT_VERDICT_NONE] = BT_STR_INIT("undecided"),
        [BT_VERDICT_ACCEPTED] = BT_STR_INIT("accepted"),
        [BT_VERDICT_REJECTED] = BT_STR_INIT("rejected"),
        [BT_VERDICT_RECORDED] = BT_STR_INIT("recorded"),
    };
    return (size_t)verdict < sizeof(names) / sizeof(names[0]) ? names[verdict] : names[0];
}
