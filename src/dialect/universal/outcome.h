/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.h - the outcome of a change, judged and assembled for the report. */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_OUTCOME_H
#define BATON_SRC_DIALECT_UNIVERSAL_OUTCOME_H

#include "dialect/universal/universal_check.h"

/* What is judged in the end, and with what. */
struct bt_universal_final_check {
    struct bt_universal_checker *universal;
    struct bt_arena *arena; /* of the result */
    bt_str path;
    const struct bt_universal_options *options;
    const struct bt_findings *notes; /* from the code that made the changes; NULL: none */
};

/* Add the notes to a judged handoff, each where its pointer leads, finish its findings, and set
 * out->judged and out->text, but for the facts and further members. */
BT_MUST_USE enum bt_status
bt_universal_final_check_free(const struct bt_universal_final_check *ending,
                              const struct bt_universal_check *handoff,
                              struct bt_universal_result *out);

/*
 * Judge `text`, which lives in the arena, and set out->judged and out->text, but for the facts and
 * further members. The notes are added; each stands where its pointer leads in this text.
 */
BT_MUST_USE enum bt_status
bt_universal_final_check_judge(const struct bt_universal_final_check *ending, bt_str text,
                               struct bt_universal_check *out_handoff,
                               struct bt_universal_result *out);

#endif
