/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - JSON made from scratch: commas, colons and indentation in the right places.
 *
 * A level is open from bt_emit_begin_object() or bt_emit_begin_array() to its bt_emit_end(); the
 * innermost open level has the bit depth - 1 in `used` and `object`.
 */
#include "json/emit.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "json/builder.h"
#include "json/string_put.h"

static uint32_t level_bit(const struct bt_emit *emit)
{
    assert(emit->depth > 0);
    return UINT32_C(1) << (emit->depth - 1);
}

static bool in_object(const struct bt_emit *emit)
{
    return emit->depth > 0 && (emit->object & level_bit(emit)) != 0;
}

static void put_line(struct bt_emit *emit)
{
    if (emit->pretty) {
        bt_buf_put_char(emit->buf, '\n');
        bt_buf_put_repeat(emit->buf, ' ', 2 * (size_t)emit->depth);
    }
}

/* What stands before the next item or name of the innermost level. */
static void put_separator(struct bt_emit *emit)
{
    if (emit->has_items & level_bit(emit)) {
        bt_buf_put_char(emit->buf, ',');
    }
    emit->has_items |= level_bit(emit);
    put_line(emit);
}

void bt_emit_members(struct bt_emit *emit)
{
    assert(in_object(emit) && !emit->after_name && !emit->builder);
    put_separator(emit);
}

void bt_emit_members_raw(struct bt_emit *emit, bt_str members)
{
    if (members.len > 0) {
        bt_emit_members(emit);
        bt_buf_put(emit->buf, members);
    }
}

void bt_emit_value(struct bt_emit *emit)
{
    assert(emit->after_name == in_object(emit)); /* in objects, and only there, a name goes first */
    if (emit->depth > 0 && !emit->after_name && !emit->builder) {
        put_separator(emit);
    }
    emit->after_name = false;
}

static void open_level(struct bt_emit *emit, bool object)
{
    bt_emit_value(emit);
    assert(emit->depth < BT_EMIT_DEPTH_MAX);
    if (emit->builder) {
        bt_json_builder_open(emit->builder, object ? BT_JSON_OBJECT : BT_JSON_ARRAY);
    } else {
        bt_buf_put_char(emit->buf, object ? '{' : '[');
    }
    emit->depth++;
    emit->has_items &= ~level_bit(emit);
    emit->object &= ~level_bit(emit);
    emit->object |= object ? level_bit(emit) : 0;
}

void bt_emit_init(struct bt_emit *emit, struct bt_buf *buf, bool pretty)
{
    assert(emit);
    assert(buf);
    *emit = (struct bt_emit){.buf = buf, .pretty = pretty};
}

struct bt_emit *bt_emit_create(struct bt_buf *buf, bool pretty)
{
    struct bt_emit *emit = bt_handle_create(sizeof(*emit));
    if (emit) {
        bt_emit_init(emit, buf, pretty);
    }
    return emit;
}

void bt_emit_destroy(struct bt_emit *emit)
{
    bt_handle_destroy(emit);
}

void bt_emit_begin_object(struct bt_emit *emit)
{
    open_level(emit, true);
}

void bt_emit_begin_array(struct bt_emit *emit)
{
    open_level(emit, false);
}

void bt_emit_end(struct bt_emit *emit)
{
    assert(!emit->after_name);
    const bool object = in_object(emit);
    const bool used = (emit->has_items & level_bit(emit)) != 0;
    emit->depth--;
    if (emit->builder) {
        bt_json_builder_close(emit->builder);
        return;
    }
    if (used) {
        put_line(emit);
    }
    bt_buf_put_char(emit->buf, object ? '}' : ']');
}

/* Most names need no escape and stand in compact text: all about them is put at once. */
static bool put_plain_name(struct bt_emit *emit, bt_str name)
{
    const size_t comma = (emit->has_items & level_bit(emit)) != 0 ? 1 : 0;
    const size_t size = comma + name.len + 3;
    if (emit->pretty || name.len == 0 || !bt_json_string_needs_no_escape(name)) {
        return false;
    }
    char *room = bt_buf_reserve(emit->buf, size);
    if (room) {
        room[0] = ',';
        room[comma] = '"';
        memcpy(room + comma + 1, name.ptr, name.len);
        room[size - 2] = '"';
        room[size - 1] = ':';
        emit->buf->len += size;
    }
    emit->has_items |= level_bit(emit);
    emit->after_name = true;
    return true;
}

void bt_emit_name_str(struct bt_emit *emit, bt_str name)
{
    assert(in_object(emit));
    assert(!emit->after_name);
    if (emit->builder) {
        bt_json_builder_name(emit->builder, name);
        emit->after_name = true;
        return;
    }
    if (put_plain_name(emit, name)) {
        return;
    }
    put_separator(emit);
    bt_json_put_string(emit->buf, name);
    bt_buf_put(emit->buf, emit->pretty ? BT_STR(": ") : BT_STR(":"));
    emit->after_name = true;
}

void bt_emit_string(struct bt_emit *emit, bt_str text)
{
    bt_emit_value(emit);
    if (emit->builder) {
        bt_json_builder_string(emit->builder, text);
    } else {
        bt_json_put_string(emit->buf, text);
    }
}

/* The text that was put from `begin` on is a number. */
static void end_number(struct bt_emit *emit, size_t begin)
{
    if (emit->builder) {
        bt_json_builder_number(emit->builder, begin);
    }
}

void bt_emit_number(struct bt_emit *emit, bt_str text)
{
    bt_emit_value(emit);
    const size_t begin = emit->buf->len;
    bt_buf_put(emit->buf, text);
    end_number(emit, begin);
}

void bt_emit_u64(struct bt_emit *emit, uint64_t number)
{
    bt_emit_value(emit);
    const size_t begin = emit->buf->len;
    bt_buf_put_u64(emit->buf, number);
    end_number(emit, begin);
}

void bt_emit_i64(struct bt_emit *emit, int64_t number)
{
    bt_emit_value(emit);
    const size_t begin = emit->buf->len;
    bt_buf_put_text(emit->buf, number < 0 ? "-" : "");
    bt_buf_put_u64(emit->buf, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    end_number(emit, begin);
}

static void put_word(struct bt_emit *emit, enum bt_json_type type, bt_str word)
{
    bt_emit_value(emit);
    if (emit->builder) {
        bt_json_builder_word(emit->builder, type);
    } else {
        bt_buf_put(emit->buf, word);
    }
}

void bt_emit_bool(struct bt_emit *emit, bool truth)
{
    put_word(emit, truth ? BT_JSON_TRUE : BT_JSON_FALSE, truth ? BT_STR("true") : BT_STR("false"));
}

void bt_emit_null(struct bt_emit *emit)
{
    put_word(emit, BT_JSON_NULL, BT_STR("null"));
}

void bt_emit_raw(struct bt_emit *emit, bt_str json)
{
    assert(!emit->builder); /* which does not read texts */
    bt_emit_value(emit);
    bt_buf_put(emit->buf, json);
}

void bt_emit_member_string_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name(emit, name);
    if (text.len > 0) {
        bt_emit_string(emit, text);
    } else {
        bt_emit_null(emit);
    }
}

void bt_emit_member_u64_or_null(struct bt_emit *emit, const char *name, bool is_known,
                                uint64_t number)
{
    bt_emit_name(emit, name);
    if (is_known) {
        bt_emit_u64(emit, number);
    } else {
        bt_emit_null(emit);
    }
}

void bt_emit_member_texts(struct bt_emit *emit, const char *name, const bt_str *texts, size_t count)
{
    bt_emit_member_array(emit, name);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, texts[i]);
    }
    bt_emit_end(emit);
}

struct bt_emit *bt_object_text_begin(struct bt_object_text *text, size_t max, const char *name)
{
    bt_buf_init(&text->buf, max);
    if (name) {
        bt_json_put_string(&text->buf, bt_str_of(name));
        bt_buf_put_char(&text->buf, ':');
    }
    bt_emit_init(&text->emit, &text->buf, false);
    bt_emit_begin_object(&text->emit);
    return &text->emit;
}

enum bt_status bt_object_text_finish(struct bt_object_text *text, enum bt_status status,
                                     struct bt_arena *arena, bt_str *out)
{
    if (status == BT_OK) {
        bt_emit_end(&text->emit);
    }
    return bt_buf_finish_if(status, &text->buf, arena, out);
}
