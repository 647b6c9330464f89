/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - references to payload schemas: two spellings of one file.
 */
#ifndef BATON_SRC_DIALECT_PLAN_REFERENCE_H
#define BATON_SRC_DIALECT_PLAN_REFERENCE_H

#include "report/add.h"

/* Add the finding that refuses a reference. */
typedef enum bt_status bt_payload_refuse_fn(struct bt_findings *findings, struct bt_location at,
                                            bt_str reference);

struct bt_payload_reference {
    bt_payload_refuse_fn *refuse; /* NULL: it is a reference */
    bt_str slug;
    bt_str version; /* digits */
    bool is_path;   /* spelled as a path, else as an id */
};

/* Judge the text of a reference; nothing is trimmed or decoded. */
struct bt_payload_reference bt_plan_reference_read(bt_str text);

/* Whether the text has the form of an id, SLUG/vN.schema.json. */
bool bt_payload_reference_is_id(bt_str text);
/* The id that belongs to a file called SLUG.vN.schema.json; false: it is not called so. */
BT_MUST_USE bool bt_payload_reference_of_name(bt_str name, struct bt_payload_reference *out);

/* The id and the file of a reference, in the arena. */
BT_MUST_USE enum bt_status bt_payload_reference_id(const struct bt_payload_reference *reference,
                                                   struct bt_arena *arena, bt_str *out);
BT_MUST_USE enum bt_status bt_payload_reference_file(const struct bt_payload_reference *reference,
                                                     struct bt_arena *arena, bt_str *out);

#endif
