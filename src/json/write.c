/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - values -> JSON text: compact, pretty, canonical (RFC 8785) and JSON.stringify's form.
 *
 * No recursion: the containers that are open form a chain of frames. The buffer remembers its own
 * failures, so only limits, order and numbers are asked about on the way.
 */
#include "json/write.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/buf.h"
#include "json/string_put.h"

void bt_json_writer_init(struct bt_json_writer *writer, struct bt_buf *buf, enum bt_json_form form,
                         const struct bt_json_write_limits *limits, struct bt_arena *arena)
{
    const struct bt_json_write_limits none = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX};
    *writer = (struct bt_json_writer){
        .buf = buf,
        .arena = arena,
        .form = form,
        .limits = limits ? *limits : none,
        .start = buf->len,
    };
    writer->top = &writer->bottom;
}

enum bt_status bt_json_writer_status(const struct bt_json_writer *writer)
{
    if (writer->exceeded) {
        return BT_ELIMIT;
    }
    return writer->culprit ? BT_EINVAL : writer->buf->status;
}

static void check_limit(struct bt_json_writer *writer, uint64_t actual, uint64_t limit,
                        const char *what)
{
    if (actual > limit && !writer->exceeded) {
        writer->exceeded = what;
    }
}

static void put_line(struct bt_json_writer *writer)
{
    if (writer->form == BT_JSON_FORM_PRETTY) {
        bt_buf_put_char(writer->buf, '\n');
        bt_buf_put_repeat(writer->buf, ' ', 2 * (size_t)writer->depth);
    }
}

void bt_json_writer_open(struct bt_json_writer *writer, enum bt_json_type type)
{
    bt_buf_put_char(writer->buf, type == BT_JSON_OBJECT ? '{' : '[');
    writer->depth++;
    check_limit(writer, writer->depth, writer->limits.depth, "the result is nested too deeply");
}

void bt_json_writer_next(struct bt_json_writer *writer, bool first)
{
    if (!first) {
        bt_buf_put_char(writer->buf, ',');
    }
    put_line(writer);
    writer->nodes++;
    check_limit(writer, writer->nodes, writer->limits.nodes,
                "the result has too many members and items");
    check_limit(writer, writer->buf->len - writer->start, writer->limits.bytes,
                "the result is too long");
}

void bt_json_writer_close(struct bt_json_writer *writer, enum bt_json_type type, bool empty)
{
    assert(writer->depth > 0);
    writer->depth--;
    if (!empty) {
        put_line(writer);
    }
    bt_buf_put_char(writer->buf, type == BT_JSON_OBJECT ? '}' : ']');
}

static void check_string(struct bt_json_writer *writer, size_t before)
{
    /* A buffer that failed may have stopped anywhere, also before the quotes. */
    const size_t written = writer->buf->len - before;
    check_limit(writer, written < 2 ? 0 : written - 2, writer->limits.string_bytes,
                "the result has too long a string");
}

static void put_text(struct bt_json_writer *writer, bt_str text, bool may_be_lone)
{
    const size_t before = writer->buf->len;
    bt_buf_put_char(writer->buf, '"');
    if (may_be_lone) {
        bt_json_put_escaped(writer->buf, text);
    } else {
        bt_json_put_escaped_utf8(writer->buf, text);
    }
    bt_buf_put_char(writer->buf, '"');
    check_string(writer, before);
}

void bt_json_writer_name(struct bt_json_writer *writer, bt_str name, bool may_be_lone)
{
    put_text(writer, name, may_be_lone);
    bt_buf_put(writer->buf, writer->form == BT_JSON_FORM_PRETTY ? BT_STR(": ") : BT_STR(":"));
}

static void put_string(struct bt_json_writer *writer, const bt_json_value *string)
{
    const bool lone = (string->flags & BT_JSON_FLAG_LONE_SURROGATE) != 0;
    if (lone && writer->form == BT_JSON_FORM_CANONICAL) {
        writer->culprit = string;
        return;
    }
    if (string->flags & BT_JSON_FLAG_ESCAPED) {
        put_text(writer, bt_json_text(string), lone);
        return;
    }
    /* It stands in the source as it should be written, with its quotes around it. */
    const size_t before = writer->buf->len;
    bt_buf_put(writer->buf, (bt_str){string->as.text - 1, (size_t)string->size + 2});
    check_string(writer, before);
}

static void put_double(struct bt_json_writer *writer, const bt_json_value *value)
{
    const double number = bt_json_to_double(value);
    if (isfinite(number)) {
        char text[BT_DOUBLE_TEXT_BYTES];
        bt_buf_put(writer->buf, (bt_str){text, bt_double_format(number, text)});
    } else if (writer->form == BT_JSON_FORM_STRINGIFY) {
        bt_buf_put(writer->buf, BT_STR("null"));
    } else {
        writer->culprit = value;
    }
}

static void put_number(struct bt_json_writer *writer, bt_ref ref)
{
    if (writer->form == BT_JSON_FORM_COMPACT || writer->form == BT_JSON_FORM_PRETTY) {
        bt_buf_put(writer->buf, bt_json_number_text(ref.document, ref.value));
    } else {
        put_double(writer, ref.value);
    }
}

/* A value without children. */
static void put_leaf(struct bt_json_writer *writer, bt_ref ref)
{
    const enum bt_json_type type = bt_json_type(ref.value);
    switch (type) {
    case BT_JSON_NULL:
        bt_buf_put(writer->buf, BT_STR("null"));
        break;
    case BT_JSON_FALSE:
        bt_buf_put(writer->buf, BT_STR("false"));
        break;
    case BT_JSON_TRUE:
        bt_buf_put(writer->buf, BT_STR("true"));
        break;
    case BT_JSON_INTEGER:
    case BT_JSON_NUMBER:
        put_number(writer, ref);
        break;
    case BT_JSON_STRING:
        put_string(writer, ref.value);
        break;
    case BT_JSON_ARRAY:
    case BT_JSON_OBJECT:
        bt_json_writer_open(writer, type);
        bt_json_writer_close(writer, type, true);
        break;
    case BT_JSON_NONE:
        assert(false);
        break;
    }
}

static enum bt_status push_frame(struct bt_json_writer *writer, bt_ref ref)
{
    struct bt_json_write_frame *outer = writer->top;
    if (!outer->inner) {
        outer->inner = BT_NEW(writer->arena, struct bt_json_write_frame);
        if (!outer->inner) {
            return BT_ENOMEM;
        }
        outer->inner->outer = outer;
    }
    struct bt_json_write_frame *frame = outer->inner;
    frame->value = ref.value;
    frame->next = 0;
    frame->reordered = false;
    writer->top = frame;
    bt_json_writer_open(writer, bt_json_type(ref.value));
    return ref.value->type == BT_JSON_OBJECT ? bt_json_writer_order(writer, ref.document) : BT_OK;
}

/* Close what has no more children. */
static void pop_finished(struct bt_json_writer *writer)
{
    struct bt_json_write_frame *frame = writer->top;
    while (frame->outer && frame->next == bt_json_count(frame->value)) {
        bt_json_writer_close(writer, bt_json_type(frame->value), false);
        frame = frame->outer;
    }
    writer->top = frame;
}

/* The next child of the innermost frame, with everything that stands before it written. */
static const bt_json_value *take_child(struct bt_json_writer *writer,
                                       const struct bt_json_doc *document)
{
    struct bt_json_write_frame *frame = writer->top;
    const size_t i = frame->next++;
    bt_json_writer_next(writer, i == 0);
    if (frame->value->type == BT_JSON_ARRAY) {
        return &frame->value->as.items[i];
    }
    const struct bt_json_member *member =
        &frame->value->as.members[frame->reordered ? frame->keys[i].index : i];
    bt_json_writer_name(writer, bt_json_name(member), bt_json_has_lone_surrogate(document));
    return &member->value;
}

enum bt_status bt_json_writer_put(struct bt_json_writer *writer, bt_ref ref)
{
    assert(writer->top == &writer->bottom);
    for (;;) {
        if (bt_json_count(ref.value) > 0) {
            BT_TRY(push_frame(writer, ref));
        } else {
            put_leaf(writer, ref);
        }
        pop_finished(writer);
        BT_TRY(bt_json_writer_status(writer));
        if (!writer->top->outer) {
            return BT_OK;
        }
        ref.value = take_child(writer, ref.document);
    }
}

enum bt_status bt_json_write(struct bt_buf *buf, const struct bt_json_doc *document,
                             const bt_json_value *value, enum bt_json_form form,
                             struct bt_arena *arena, const bt_json_value **out_culprit)
{
    assert(buf);
    assert(document && value);
    assert(arena);
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    struct bt_json_writer writer;
    if (bt_json_put_source(buf, document, value, form)) {
        return BT_OK;
    }
    bt_json_writer_init(&writer, buf, form, NULL, arena);
    enum bt_status status = bt_json_writer_put(&writer, (bt_ref){document, value});
    bt_arena_rewind(arena, mark);
    if (status == BT_OK && form == BT_JSON_FORM_PRETTY) {
        bt_buf_put_char(buf, '\n');
        status = buf->status;
    }
    if (status == BT_OK) {
        return BT_OK;
    }
    buf->len = writer.start;
    if (status == BT_EINVAL && out_culprit) {
        *out_culprit = writer.culprit;
    }
    return status;
}

enum bt_status bt_json_write_text(const struct bt_json_doc *document, const bt_json_value *value,
                                  enum bt_json_form form, struct bt_arena *arena, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    return bt_buf_finish_if(bt_json_write(&buf, document, value, form, arena, NULL), &buf, arena,
                            out);
}
