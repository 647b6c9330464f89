/* SPDX-License-Identifier: Apache-2.0 */
/* schema_draft.h - a payload schema drafted from samples. */
#ifndef BATON_SRC_DIALECT_PLAN_SCHEMA_DRAFT_H
#define BATON_SRC_DIALECT_PLAN_SCHEMA_DRAFT_H

#include <baton/json.h>
#include "base/env.h"

/* Why no schema can be drafted. Zero: it can. */
enum bt_payload_draft_error {
    BT_PAYLOAD_DRAFT_OK = 0,
    BT_PAYLOAD_DRAFT_NOT_JSON,
    BT_PAYLOAD_DRAFT_NOT_OBJECT,
    BT_PAYLOAD_DRAFT_NO_COMMON_MEMBER,
    BT_PAYLOAD_DRAFT_TOO_DEEP,
};

struct bt_payload_draft_input {
    const struct bt_env *env; /* its limits, and the seed of hashes */
    const bt_str *samples;    /* JSON texts, at least one */
    size_t count;
    bt_str id; /* $id of the schema */
};

struct bt_payload_draft {
    enum bt_payload_draft_error error;
    size_t sample; /* that is at fault */
    bt_str text;   /* the schema, laid out; "" after an error */
};

/* Draft the schema that says what all samples have in common. */
BT_MUST_USE enum bt_status bt_payload_draft_write(struct bt_arena *arena,
                                                  const struct bt_payload_draft_input *input,
                                                  struct bt_payload_draft *out);

#endif
