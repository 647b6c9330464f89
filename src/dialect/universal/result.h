/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h - the end of a change: its facts and members, as the report shows them.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_RESULT_H
#define BATON_SRC_DIALECT_UNIVERSAL_RESULT_H

#include "dialect/universal/revision.h"

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
