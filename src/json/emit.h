/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - emitters in the memory of their user, members of all types, and texts that are
 * one object.
 */
#ifndef BATON_SRC_JSON_EMIT_H
#define BATON_SRC_JSON_EMIT_H

#include <baton/json.h>

#include "base/buf.h"

enum { BT_EMIT_DEPTH_MAX = 32 };

struct bt_json_builder;

struct bt_emit {
    struct bt_buf *buf;
    bool pretty;
    uint8_t depth;
    bool after_name;
    uint32_t has_items;              /* bit per level: it has items already */
    uint32_t object;                 /* bit per level: it is an object */
    struct bt_json_builder *builder; /* NULL: the values are written to `buf` */
};

/* Begin to write to `buf`, which must outlive `emit`. Failures stick to the buffer. */
void bt_emit_init(struct bt_emit *emit, struct bt_buf *buf, bool pretty);
/* Put what stands before the next value, which the caller adds. */
void bt_emit_value(struct bt_emit *emit);
/* Put a number as it is written. */
void bt_emit_number(struct bt_emit *emit, bt_str text);

/* Put a name and its value. */
static inline void bt_emit_member_bool(struct bt_emit *emit, const char *name, bool truth)
{
    bt_emit_name(emit, name);
    bt_emit_bool(emit, truth);
}

static inline void bt_emit_member_null(struct bt_emit *emit, const char *name)
{
    bt_emit_name(emit, name);
    bt_emit_null(emit);
}

/* Put a name and a value that is already compact JSON text. */
static inline void bt_emit_member_raw(struct bt_emit *emit, const char *name, bt_str json)
{
    bt_emit_name(emit, name);
    bt_emit_raw(emit, json);
}

/* Put what stands before the next members, which the caller adds to the buffer as compact JSON
 * text: `"name":value,...`. The emitter writes compact text itself. */
void bt_emit_members(struct bt_emit *emit);
/* Put members that are already compact JSON text, `"name":value,...`; "" puts nothing. */
void bt_emit_members_raw(struct bt_emit *emit, bt_str members);

/* Put a name and begin its value, which bt_emit_end() ends. */
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

/* Put a name and its number, or null when the number is not known. */
void bt_emit_member_u64_or_null(struct bt_emit *emit, const char *name, bool is_known,
                                uint64_t number);
/* Put a name and an array of strings. */
void bt_emit_member_texts(struct bt_emit *emit, const char *name, const bt_str *texts,
                          size_t count);

/* A text that is being written: an object, perhaps as a member. */
struct bt_object_text {
    struct bt_buf buf;
    struct bt_emit emit;
};

/* Begin a text of at most `max` bytes, compact; unless `name` is NULL, it is the member of that
 * name. Returns what its members are put with. Ended with bt_object_text_finish(). */
struct bt_emit *bt_object_text_begin(struct bt_object_text *text, size_t max, const char *name);
/* End the text, copy it into the arena and free the rest, in every case. `status` is what came of
 * putting its members; unless it is BT_OK it is returned, and *out is unchanged. */
BT_MUST_USE enum bt_status bt_object_text_finish(struct bt_object_text *text, enum bt_status status,
                                                 struct bt_arena *arena, bt_str *out);

/* Write a value to a text in the arena, which is working memory as well. Statuses are those of
 * bt_json_write(). */
BT_MUST_USE enum bt_status bt_json_write_text(const struct bt_json_doc *document,
                                              const bt_json_value *value, enum bt_json_form form,
                                              struct bt_arena *arena, bt_str *out);

#endif
