/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h - the end of a change: its facts and members, as the report shows them.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_RESULT_H
#define BATON_SRC_DIALECT_UNIVERSAL_RESULT_H

#include "dialect/universal/revision.h"
#include "dialect/universal/universal_check.h"

/* ---- Judged at the end ----------------------------------------------------------------------- */

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

/* Put further facts, as members of an object. */
typedef enum bt_status bt_universal_facts_fn(const void *context, struct bt_emit *emit);

struct bt_universal_result_parts {
    const struct bt_universal_check *handoff;     /* what was judged */
    const struct bt_universal_revision *revision; /* whose changes are shown, or NULL */
    const struct bt_json_doc *replaced; /* what the document stands for as a whole, or NULL */
    bt_universal_facts_fn *more;        /* or NULL */
    const void *context;                /* of `more` */
    bool document;                      /* show the judged document itself */
};

/* Set out->judged.facts and out->judged.members, which says out->outcome if it has a name. */
BT_MUST_USE enum bt_status bt_universal_result_finish(const struct bt_universal_result_parts *parts,
                                                      struct bt_universal_result *out);

/* Add a member to the document of the report; `value` is JSON text. */
BT_MUST_USE enum bt_status bt_universal_result_add_member(struct bt_arena *arena, const char *name,
                                                          bt_str value,
                                                          struct bt_universal_result *out);

#endif
