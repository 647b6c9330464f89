/* SPDX-License-Identifier: Apache-2.0 */
/* emit_member.h - members whose value is an object, an array, a truth value or JSON text. */
#ifndef BATON_SRC_JSON_EMIT_MEMBER_H
#define BATON_SRC_JSON_EMIT_MEMBER_H

#include <baton/json.h>

/* Put a name and begin its value; bt_emit_end() ends it. */
static inline void bt_emit_member_object(struct bt_emit *emit, const char *name)
{
    bt_emit_name(emit, name);
    bt_emit_begin_object(emit);
}

static inline void bt_emit_member_array(struct bt_emit *emit, const char *name)
{
    bt_emit_name(emit, name);
    bt_emit_begin_array(emit);
}

/* Put a name and its value. */
static inline void bt_emit_member_bool(struct bt_emit *emit, const char *name, bool truth)
{
    bt_emit_name(emit, name);
    bt_emit_bool(emit, truth);
}

/* Put a name and a value that is already compact JSON text. */
static inline void bt_emit_member_raw(struct bt_emit *emit, const char *name, bt_str json)
{
    bt_emit_name(emit, name);
    bt_emit_raw(emit, json);
}

#endif
