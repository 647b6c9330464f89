/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - the five schemas of the dialect, and findings with its own messages. */
#ifndef BATON_SRC_DIALECT_GOVERNED_SCHEMA_H
#define BATON_SRC_DIALECT_GOVERNED_SCHEMA_H

#include <baton/schema.h>

#include "dialect/governed/governed.h"
#include "report/rules.h"

enum bt_governed_kind {
    BT_GOVERNED_HANDOFF = 0,
    BT_GOVERNED_RESPONSE,
    BT_GOVERNED_MANIFEST,
    BT_GOVERNED_LOCK,
    BT_GOVERNED_BOUNDARIES,
    BT_GOVERNED_KIND__MAX,
};

struct bt_governed_checker {
    struct bt_env *env;
    struct bt_arena arena;                            /* this lies in it itself */
    struct bt_schema *schemas[BT_GOVERNED_KIND__MAX]; /* NULL: not needed yet */
    struct bt_schema_runner *runner;
    struct bt_error trouble;
};

/* Judge a document by one of the schemas; `findings` may be NULL when the reasons do not matter. */
BT_MUST_USE enum bt_status bt_governed_schema(struct bt_governed_checker *governed,
                                              enum bt_governed_kind kind,
                                              const struct bt_json_doc *document,
                                              struct bt_findings *findings, bool *out_valid);
/* Read a text; *out is NULL when it is not valid JSON. `findings` as above. */
BT_MUST_USE enum bt_status bt_governed_json(struct bt_governed_checker *governed,
                                            struct bt_arena *arena, bt_str text,
                                            struct bt_findings *findings,
                                            const struct bt_json_doc **out);

#endif
