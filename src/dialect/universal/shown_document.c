/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown_document.c - a document as a model is shown it.
 *
 * One writer puts the document with some of its strings replaced. Cutting means to write it again
 * with lower bounds, until it is short enough.
 */
#include "dialect/universal/shown_document.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/uninitialized.h"
#include "json/walk.h"

/* What is left out. Zero: unbounded. */
struct universal_shown_bounds {
    size_t string_bytes; /* longer strings ... */
    size_t string_kept;  /* ... keep so many bytes */
    size_t items;        /* of an array */
    size_t members;      /* of an object */
};

/* A part of the document that can be left out as a whole. */
struct universal_shown_part {
    const bt_json_value *value;
    size_t bytes;
    size_t order; /* in the document */
};

struct universal_shown_parts {
    struct universal_shown_part *items;
    size_t count;
};

struct universal_shown_writer {
    struct bt_buf *buf;
    const struct bt_json_doc *document;
    const struct bt_universal_masked_strings *strings;
    struct universal_shown_bounds bounds;
    struct universal_shown_parts left_out; /* sorted by address */
    bool is_cut;                           /* something was left out */
};

/* ---- Writing --------------------------------------------------------------------------------- */

static bt_str start_of(bt_str text, size_t bytes)
{
    while (bytes > 0 && ((unsigned char)text.ptr[bytes] & 0xc0) == 0x80) {
        bytes--;
    }
    return bt_str_slice(text, 0, bytes);
}

static void put_string(struct universal_shown_writer *writer, const bt_json_value *value)
{
    const struct bt_universal_masked_string *masked =
        bt_universal_masked_strings_find(writer->strings, value);
    const bt_str text = masked ? masked->text : bt_json_text(value);
    if (writer->bounds.string_bytes == 0 || text.len <= writer->bounds.string_bytes) {
        bt_json_put_string(writer->buf, text);
        return;
    }
    const bt_str kept = start_of(text, writer->bounds.string_kept);
    struct bt_buf cut;
    bt_buf_init(&cut, SIZE_MAX);
    bt_buf_put(&cut, kept);
    bt_buf_printf(&cut, " " BT_MARK_CUT " %zu bytes]", text.len - kept.len);
    bt_json_put_string(writer->buf, bt_buf_str(&cut));
    writer->buf->status = writer->buf->status == BT_OK ? cut.status : writer->buf->status;
    bt_buf_free(&cut);
    writer->is_cut = true;
}

static int compare_values(const void *a, const void *b)
{
    const uintptr_t one = (uintptr_t)((const struct universal_shown_part *)a)->value;
    const uintptr_t other = (uintptr_t)((const struct universal_shown_part *)b)->value;
    return (one > other) - (one < other);
}

/* The bytes of the part that is left out and begins here; 0: it is not left out. */
static size_t bytes_left_out(const struct universal_shown_writer *writer,
                             const bt_json_value *value)
{
    const struct universal_shown_part key = {.value = value};
    const struct universal_shown_part *part =
        writer->left_out.count > 0 ? bsearch(&key, writer->left_out.items, writer->left_out.count,
                                             sizeof(key), compare_values)
                                   : NULL;
    return part ? part->bytes : 0;
}

/* Put a value that has no children to put, or the opening of one that has. */
static bool open_value(struct universal_shown_writer *writer, const bt_json_value *value,
                       size_t depth)
{
    const enum bt_json_type type = bt_json_type(value);
    /* What can be left out stands at most three levels below the root. */
    const size_t bytes = depth <= 3 ? bytes_left_out(writer, value) : 0;
    if (bytes > 0) {
        bt_buf_printf(writer->buf, "\"" BT_MARK_CUT " %zu bytes]\"", bytes);
        writer->is_cut = true;
        return false;
    }
    if (type == BT_JSON_ARRAY || type == BT_JSON_OBJECT) {
        bt_buf_put_char(writer->buf, type == BT_JSON_ARRAY ? '[' : '{');
        return true;
    }
    if (type == BT_JSON_STRING) {
        put_string(writer, value);
        return false;
    }
    bt_buf_put(writer->buf, bt_json_is_number(value) ? bt_json_number_text(writer->document, value)
                            : type == BT_JSON_NULL   ? BT_STR("null")
                            : type == BT_JSON_TRUE   ? BT_STR("true")
                                                     : BT_STR("false"));
    return false;
}

/* The number of children that are put. */
static size_t count_kept(const struct universal_shown_writer *writer, const bt_json_value *value)
{
    const size_t max =
        bt_json_type(value) == BT_JSON_ARRAY ? writer->bounds.items : writer->bounds.members;
    const size_t count = bt_json_count(value);
    return max > 0 && count > max ? max : count;
}

static void close_value(struct universal_shown_writer *writer, const bt_json_value *value)
{
    const bool is_array = bt_json_type(value) == BT_JSON_ARRAY;
    const size_t rest = bt_json_count(value) - count_kept(writer, value);
    if (rest > 0) {
        bt_buf_printf(writer->buf,
                      is_array ? ",\"" BT_MARK_CUT " %zu items]\""
                               : ",\"" BT_MARK_CUT " %zu members]\":true",
                      rest);
        writer->is_cut = true;
    }
    bt_buf_put_char(writer->buf, is_array ? ']' : '}');
}

static void write_value(struct universal_shown_writer *writer, const bt_json_value *value)
{
    BT_UNCLEARED struct bt_json_walk_frame frames[BT_JSON_WALK_DEPTH_MAX];
    size_t depth = 0;
    if (open_value(writer, value, depth)) {
        frames[depth++] = (struct bt_json_walk_frame){value, 0};
    }
    while (depth > 0) {
        struct bt_json_walk_frame *frame = &frames[depth - 1];
        const bt_json_value *container = frame->container;
        if (frame->next == count_kept(writer, container)) {
            close_value(writer, container);
            depth--;
            continue;
        }
        bt_buf_put_text(writer->buf, frame->next > 0 ? "," : "");
        if (bt_json_type(container) == BT_JSON_OBJECT) {
            bt_json_put_string(writer->buf, bt_json_name(&bt_json_members(container)[frame->next]));
            bt_buf_put_char(writer->buf, ':');
        }
        const bt_json_value *child = bt_json_child(container, frame->next++);
        if (open_value(writer, child, depth)) {
            assert(depth < BT_JSON_WALK_DEPTH_MAX);
            frames[depth++] = (struct bt_json_walk_frame){child, 0};
        }
    }
}

enum bt_status bt_universal_put_replaced(struct bt_buf *buf, const struct bt_json_doc *document,
                                         const bt_json_value *value,
                                         const struct bt_universal_masked_strings *strings)
{
    struct universal_shown_writer writer = {.buf = buf, .document = document, .strings = strings};
    write_value(&writer, value);
    return buf->status;
}

/* ---- Cutting --------------------------------------------------------------------------------- */

/* The length of a value as it would be written without bounds. */
static enum bt_status measure_value(const struct universal_shown_writer *writer,
                                    const bt_json_value *value, size_t *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_status status =
        bt_universal_put_replaced(&buf, writer->document, value, writer->strings);
    *out = buf.len;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status add_part(const struct universal_shown_writer *writer,
                               const struct bt_universal_open_places *open, bt_str pointer,
                               struct universal_shown_parts *parts)
{
    const bt_json_value *value =
        bt_json_resolve(writer->document, bt_json_root(writer->document), pointer);
    if (!value || bt_universal_open_places_touch(open, pointer)) {
        return BT_OK;
    }
    struct universal_shown_part *part = &parts->items[parts->count];
    *part = (struct universal_shown_part){.value = value, .order = parts->count};
    parts->count++;
    return measure_value(writer, value, &part->bytes);
}

static int largest_first(const void *a, const void *b)
{
    const struct universal_shown_part *one = a;
    const struct universal_shown_part *other = b;
    if (one->bytes != other->bytes) {
        return one->bytes > other->bytes ? -1 : 1;
    }
    return one->order < other->order ? -1 : 1;
}

/* Find tracing and the members of payload that no finding is about. */
static enum bt_status find_parts(const struct universal_shown_writer *writer,
                                 const struct bt_universal_open_places *open,
                                 struct bt_arena *arena, struct universal_shown_parts *out)
{
    const bt_str payload = BT_STR("/handoff/payload");
    const bt_json_value *object =
        bt_json_resolve(writer->document, bt_json_root(writer->document), payload);
    const size_t members =
        object && bt_json_type(object) == BT_JSON_OBJECT ? bt_json_count(object) : 0;
    *out = (struct universal_shown_parts){
        BT_NEW_ARRAY(arena, struct universal_shown_part, members + 1), 0};
    BT_TRY(out->items ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < members; i++) {
        struct bt_buf buf;
        bt_str pointer = BT_STR("");
        bt_buf_init(&buf, SIZE_MAX);
        bt_buf_put(&buf, payload);
        bt_json_pointer_put(&buf, bt_json_name(&bt_json_members(object)[i]));
        BT_TRY(bt_buf_finish(&buf, arena, &pointer));
        BT_TRY(add_part(writer, open, pointer, out));
    }
    BT_TRY(add_part(writer, open, BT_STR("/handoff/tracing"), out));
    qsort(out->items, out->count, sizeof(*out->items), largest_first);
    return BT_OK;
}

/* Leave out the largest parts until the rest fits, or until no part is longer than its mark. */
static enum bt_status leave_out_parts(struct universal_shown_writer *writer,
                                      const struct bt_universal_open_places *open,
                                      struct bt_arena *arena)
{
    size_t bytes = writer->buf->len;
    struct universal_shown_parts parts;
    BT_TRY(find_parts(writer, open, arena, &parts));
    size_t count = 0;
    for (; count < parts.count && bytes > BT_SHOWN_BYTES_MAX; count++) {
        struct bt_buf mark;
        bt_buf_init(&mark, 64);
        bt_buf_printf(&mark, "\"" BT_MARK_CUT " %zu bytes]\"", parts.items[count].bytes);
        const size_t mark_bytes = mark.len;
        bt_buf_free(&mark);
        if (parts.items[count].bytes <= mark_bytes) {
            break;
        }
        bytes -= parts.items[count].bytes - mark_bytes;
    }
    qsort(parts.items, count, sizeof(*parts.items), compare_values);
    writer->left_out = (struct universal_shown_parts){parts.items, count};
    return BT_OK;
}

/* Write the document with ever lower bounds until it fits. */
static enum bt_status write_cut(struct universal_shown_writer *writer,
                                const struct bt_universal_open_places *open, struct bt_arena *arena)
{
    static const struct universal_shown_bounds steps[] = {
        {0, 0, 0, 0}, {4000, 2000, 0, 0}, {400, 200, 0, 0}, {400, 200, 20, 100}};
    const bt_json_value *root = bt_json_root(writer->document);
    write_value(writer, root);
    if (writer->buf->status != BT_OK || writer->buf->len <= BT_SHOWN_BYTES_MAX) {
        return writer->buf->status;
    }
    BT_TRY(leave_out_parts(writer, open, arena));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        bt_buf_clear(writer->buf);
        writer->bounds = steps[i];
        write_value(writer, root);
        if (writer->buf->status != BT_OK || writer->buf->len <= BT_SHOWN_BYTES_MAX) {
            return writer->buf->status;
        }
    }
    bt_buf_clear(writer->buf);
    return BT_OK;
}

enum bt_status bt_universal_show_document(const struct bt_json_doc *document,
                                          const struct bt_universal_open_places *open,
                                          struct bt_arena *arena,
                                          struct bt_universal_shown_document *out)
{
    struct bt_universal_shown_document shown = {.text = BT_STR("")};
    struct bt_buf buf;
    BT_TRY(bt_universal_masks_find(document, arena, &shown.masks));
    bt_buf_init(&buf, SIZE_MAX);
    struct universal_shown_writer writer = {
        .buf = &buf, .document = document, .strings = &shown.masks.strings};
    BT_TRY(bt_buf_finish_if(write_cut(&writer, open, arena), &buf, arena, &shown.text));
    shown.complete = shown.text.len > 0 && !writer.is_cut;
    *out = shown;
    return BT_OK;
}
