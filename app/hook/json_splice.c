/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_splice.c - change one place in a JSON text. A new value is written over several lines, with
 * the indentation of its neighbours, where they are, and on one line where they are not.
 */
#include "json_splice.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/layout.h"

enum { TEXT_BYTES_MAX = 1 << 26, UNIT_USUAL = 2 };

/* ---- Style ----------------------------------------------------------------------------------- */

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* The white space before `at`. */
static bt_str white_before(bt_str text, size_t at)
{
    size_t begin = at;
    while (begin > 0 && is_white(text.ptr[begin - 1])) {
        begin--;
    }
    return bt_str_slice(text, begin, at);
}

static bool has_line_feed(bt_str text)
{
    return bt_str_find_byte(text, '\n', 0) < text.len;
}

/* The white space at the beginning of the line that contains `at`. */
static bt_str indent_at(bt_str text, size_t at)
{
    size_t begin = at;
    while (begin > 0 && text.ptr[begin - 1] != '\n') {
        begin--;
    }
    size_t end = begin;
    while (end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t')) {
        end++;
    }
    return bt_str_slice(text, begin, end);
}

static struct bt_json_span child_span(const struct bt_json_doc *document,
                                      const bt_json_value *container, size_t index)
{
    if (bt_json_type(container) == BT_JSON_ARRAY) {
        return bt_json_span(document, &bt_json_items(container)[index]);
    }
    const struct bt_json_member *member = &bt_json_members(container)[index];
    return (struct bt_json_span){bt_json_member_name_span(document, member).begin,
                                 bt_json_span(document, &member->value).end};
}

/* The indentation of one level, taken from the first member of the document. */
static bt_str unit_of(const struct bt_json_doc *document)
{
    const bt_str text = bt_json_source(document);
    const bt_json_value *root = bt_json_root(document);
    bt_str unit = BT_STR("");
    if (bt_json_count(root) > 0) {
        const size_t at = child_span(document, root, 0).begin;
        unit = has_line_feed(white_before(text, at)) ? indent_at(text, at) : unit;
    }
    return unit.len > 0 ? unit : BT_STR("  ");
}

/* True when the document is written over several lines; an empty one will be. */
static bool has_lines(const struct bt_json_doc *document)
{
    const bt_json_value *root = bt_json_root(document);
    const struct bt_json_span span = bt_json_span(document, root);
    return bt_json_count(root) == 0 ||
           has_line_feed(bt_str_slice(bt_json_source(document), span.begin, span.end));
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Put the value over several lines, all but the first indented by `indent`. */
static enum bt_status put_lines(struct bt_buf *buf, bt_str value, bt_str indent, bt_str unit)
{
    struct bt_buf pretty;
    bt_buf_init(&pretty, TEXT_BYTES_MAX);
    bt_json_put_layout(&pretty, value);
    const enum bt_status status = pretty.status;
    const bt_str text = bt_str_slice(bt_buf_str(&pretty), 0, pretty.len > 0 ? pretty.len - 1 : 0);
    for (size_t from = 0; status == BT_OK && from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        size_t blanks = 0;
        while (text.ptr[from + blanks] == ' ') {
            blanks++;
        }
        if (from > 0) {
            bt_buf_put_char(buf, '\n');
            bt_buf_put(buf, indent);
        }
        for (size_t i = 0; i < blanks / UNIT_USUAL; i++) {
            bt_buf_put(buf, unit);
        }
        bt_buf_put(buf, bt_str_slice(text, from + blanks, end));
        from = end + 1;
    }
    bt_buf_free(&pretty);
    return status;
}

static void put_name(struct bt_buf *buf, const char *name)
{
    if (name[0] != '\0') {
        bt_json_put_string(buf, bt_str_of(name));
        bt_buf_put_text(buf, ": ");
    }
}

/* Replace `span` of the source by the content of `middle`, which is freed. */
static enum bt_status replace_span(struct bt_arena *arena, const struct bt_json_doc *document,
                                   struct bt_json_span span, struct bt_buf *middle, bt_str *out)
{
    const bt_str text = bt_json_source(document);
    struct bt_buf whole;
    bt_buf_init(&whole, (size_t)2 * TEXT_BYTES_MAX);
    bt_buf_put(&whole, bt_str_slice(text, 0, span.begin));
    bt_buf_put(&whole, bt_buf_str(middle));
    bt_buf_put(&whole, bt_str_slice(text, span.end, text.len));
    const enum bt_status status =
        middle->status == BT_OK ? bt_buf_copy(&whole, arena, out) : middle->status;
    bt_buf_free(&whole);
    bt_buf_free(middle);
    return status;
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Put the first child of an empty container. */
static enum bt_status put_first(struct bt_buf *buf, struct bt_arena *arena,
                                const struct bt_json_doc *document, size_t at, const char *name,
                                bt_str value)
{
    const bt_str indent = indent_at(bt_json_source(document), at);
    const bt_str unit = unit_of(document);
    bt_str deeper;
    if (!has_lines(document)) {
        put_name(buf, name);
        bt_buf_put(buf, value);
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(arena, &deeper, "%.*s%.*s", BT_STR_ARG(indent), BT_STR_ARG(unit)));
    bt_buf_put_char(buf, '\n');
    bt_buf_put(buf, deeper);
    put_name(buf, name);
    BT_TRY(put_lines(buf, value, deeper, unit));
    bt_buf_put_char(buf, '\n');
    bt_buf_put(buf, indent);
    return BT_OK;
}

/* Put a child after the last one. */
static enum bt_status put_next(struct bt_buf *buf, const struct bt_json_doc *document, size_t last,
                               const char *name, bt_str value)
{
    const bt_str text = bt_json_source(document);
    bt_buf_put_char(buf, ',');
    if (!has_line_feed(white_before(text, last))) {
        bt_buf_put_char(buf, ' ');
        put_name(buf, name);
        bt_buf_put(buf, value);
        return BT_OK;
    }
    const bt_str indent = indent_at(text, last);
    bt_buf_put_char(buf, '\n');
    bt_buf_put(buf, indent);
    put_name(buf, name);
    return put_lines(buf, value, indent, unit_of(document));
}

enum bt_status json_splice_append(struct bt_arena *arena, const struct bt_json_doc *document,
                                  const bt_json_value *container, const char *name, bt_str value,
                                  bt_str *out)
{
    const size_t count = bt_json_count(container);
    struct bt_json_span span = bt_json_span(document, container);
    struct bt_buf middle;
    enum bt_status status = BT_OK;
    bt_buf_init(&middle, TEXT_BYTES_MAX);
    if (count == 0) {
        status = put_first(&middle, arena, document, span.begin, name, value);
        span = (struct bt_json_span){span.begin + 1, span.end - 1};
    } else {
        const struct bt_json_span last = child_span(document, container, count - 1);
        status = put_next(&middle, document, last.begin, name, value);
        span = (struct bt_json_span){last.end, last.end};
    }
    middle.status = status == BT_OK ? middle.status : status;
    return replace_span(arena, document, span, &middle, out);
}

enum bt_status json_splice_replace(struct bt_arena *arena, const struct bt_json_doc *document,
                                   const bt_json_value *old, bt_str value, bt_str *out)
{
    const bt_str text = bt_json_source(document);
    const struct bt_json_span span = bt_json_span(document, old);
    struct bt_buf middle;
    enum bt_status status = BT_OK;
    bt_buf_init(&middle, TEXT_BYTES_MAX);
    if (has_line_feed(bt_str_slice(text, span.begin, span.end))) {
        status = put_lines(&middle, value, indent_at(text, span.begin), unit_of(document));
    } else {
        bt_buf_put(&middle, value);
    }
    middle.status = status == BT_OK ? middle.status : status;
    return replace_span(arena, document, span, &middle, out);
}

enum bt_status json_splice_remove(struct bt_arena *arena, const struct bt_json_doc *document,
                                  const bt_json_value *container, size_t index, bt_str *out)
{
    const size_t count = bt_json_count(container);
    struct bt_json_span span = child_span(document, container, index);
    struct bt_buf nothing;
    assert(index < count);
    if (count == 1) {
        const struct bt_json_span all = bt_json_span(document, container);
        span = (struct bt_json_span){all.begin + 1, all.end - 1};
    } else if (index == 0) {
        span.end = child_span(document, container, 1).begin;
    } else {
        span.begin = child_span(document, container, index - 1).end;
    }
    bt_buf_init(&nothing, 1);
    return replace_span(arena, document, span, &nothing, out);
}
