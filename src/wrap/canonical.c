/* SPDX-License-Identifier: Apache-2.0 */
/* canonical.c - exact canonical forms, and a sorted form for values that have none. */
#include "wrap/canonical.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/uninitialized.h"
#include "json/walk.h"

enum { TEXT_BYTES_MAX = 1 << 30 };

/* ---- Exact forms ----------------------------------------------------------------------------- */

static bool number_is_exact(const struct bt_json_doc *document, const bt_json_value *number)
{
    char text[BT_DOUBLE_TEXT_BYTES];
    const double real = bt_json_to_double(number);
    if (!isfinite(real)) {
        return false;
    }
    const bt_str shortest = {text, bt_double_format(real, text)};
    return bt_json_decimal_compare(bt_json_number_text(document, number), shortest) == 0;
}

static bool scalar_is_exact(const struct bt_json_doc *document, const bt_json_value *value)
{
    if (bt_json_is_number(value)) {
        return number_is_exact(document, value);
    }
    return bt_json_type(value) != BT_JSON_STRING || !(value->flags & BT_JSON_FLAG_LONE_SURROGATE);
}

bool bt_wrap_has_exact_form(const struct bt_json_doc *document, const bt_json_value *value)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value at = {.value = value};
    bool is_exact = scalar_is_exact(document, value);
    if (!bt_json_has_long_number(document) && !bt_json_has_lone_surrogate(document)) {
        return true;
    }
    bt_json_walk_begin(&walk, value);
    while (is_exact && bt_json_walk_next(&walk, &at)) {
        const bt_str name = at.member ? bt_json_name(at.member) : BT_STR("");
        is_exact = scalar_is_exact(document, at.value) && bt_utf8_check(name) == name.len;
    }
    return is_exact;
}

/* ---- The sorted form ------------------------------------------------------------------------- */

/* A container that is being written. */
struct wrap_sorted_frame {
    const bt_json_value *container;
    const struct bt_json_member **members; /* of an object, sorted */
    size_t next;
};

struct wrap_sorted_writer {
    const struct bt_json_doc *document;
    struct bt_arena *arena;
    struct bt_buf *buf;
    bool is_indented;
    size_t depth;
    struct wrap_sorted_frame frames[BT_JSON_WALK_DEPTH_MAX];
};

static int compare_members(const void *a, const void *b)
{
    const struct bt_json_member *const *first = a;
    const struct bt_json_member *const *second = b;
    return bt_str_compare(bt_json_name(*first), bt_json_name(*second));
}

static void put_break(const struct wrap_sorted_writer *writer)
{
    if (writer->is_indented) {
        bt_buf_put_char(writer->buf, '\n');
        bt_buf_put_repeat(writer->buf, ' ', 2 * writer->depth);
    }
}

static enum bt_status open_frame(struct wrap_sorted_writer *writer, const bt_json_value *container)
{
    const size_t count = bt_json_count(container);
    struct wrap_sorted_frame *frame = &writer->frames[writer->depth++];
    *frame = (struct wrap_sorted_frame){.container = container};
    if (bt_json_type(container) == BT_JSON_OBJECT) {
        const struct bt_json_member *members = bt_json_members(container);
        frame->members = BT_NEW_ARRAY(writer->arena, const struct bt_json_member *, count);
        BT_TRY(frame->members ? BT_OK : BT_ENOMEM);
        for (size_t i = 0; i < count; i++) {
            frame->members[i] = &members[i];
        }
        qsort(frame->members, count, sizeof(frame->members[0]), compare_members);
    }
    bt_buf_put_char(writer->buf, frame->members ? '{' : '[');
    return BT_OK;
}

/* A scalar or an empty container is written; another container is opened. */
static enum bt_status put_value(struct wrap_sorted_writer *writer, const bt_json_value *value)
{
    if (bt_json_count(value) > 0) {
        return open_frame(writer, value);
    }
    return bt_json_write(writer->buf, writer->document, value, BT_JSON_FORM_COMPACT, writer->arena,
                         NULL);
}

static enum bt_status put_next(struct wrap_sorted_writer *writer)
{
    struct wrap_sorted_frame *frame = &writer->frames[writer->depth - 1];
    if (frame->next == bt_json_count(frame->container)) {
        writer->depth--;
        put_break(writer);
        bt_buf_put_char(writer->buf, frame->members ? '}' : ']');
        return BT_OK;
    }
    if (frame->next > 0) {
        bt_buf_put_char(writer->buf, ',');
    }
    put_break(writer);
    const size_t index = frame->next++;
    if (!frame->members) {
        return put_value(writer, bt_json_child(frame->container, index));
    }
    bt_json_put_string(writer->buf, bt_json_name(frame->members[index]));
    bt_buf_put(writer->buf, writer->is_indented ? BT_STR(": ") : BT_STR(":"));
    return put_value(writer, &frame->members[index]->value);
}

enum bt_status bt_wrap_put_sorted(struct bt_buf *buf, const struct bt_json_doc *document,
                                  const bt_json_value *value, bool is_indented,
                                  struct bt_arena *arena)
{
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    struct wrap_sorted_writer *writer = BT_NEW(arena, struct wrap_sorted_writer);
    BT_TRY(writer ? BT_OK : BT_ENOMEM);
    *writer = (struct wrap_sorted_writer){
        .document = document, .arena = arena, .buf = buf, .is_indented = is_indented};
    enum bt_status status = put_value(writer, value);
    while (status == BT_OK && writer->depth > 0) {
        status = put_next(writer);
    }
    bt_arena_rewind(arena, mark);
    return status != BT_OK ? status : bt_buf_status(buf);
}

/* ---- Texts and digests ----------------------------------------------------------------------- */

enum bt_status bt_wrap_canonical(struct bt_arena *arena, const struct bt_json_doc *document,
                                 const bt_json_value *value, bt_str *out, bool *out_is_exact)
{
    const bool is_exact = bt_wrap_has_exact_form(document, value);
    struct bt_buf buf;
    if (out_is_exact) {
        *out_is_exact = is_exact;
    }
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    const enum bt_status status =
        is_exact ? bt_json_write(&buf, document, value, BT_JSON_FORM_CANONICAL, arena, NULL)
                 : bt_wrap_put_sorted(&buf, document, value, false, arena);
    return bt_buf_finish_if(status, &buf, arena, out);
}

enum bt_status bt_wrap_digest(struct bt_arena *arena, const struct bt_json_doc *document,
                              const bt_json_value *value, char out[BT_SHA256_HEX_BYTES])
{
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    bt_str text;
    enum bt_status status = bt_wrap_canonical(arena, document, value, &text, NULL);
    if (status == BT_OK) {
        status = bt_sha256_hex(text, out);
    }
    bt_arena_rewind(arena, mark);
    return status;
}
