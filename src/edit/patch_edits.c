/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_edits.c - the bytes of a JSON text that a patch concerns.
 *
 * Values and names are replaced where they stand. Members that are removed and added are collected
 * first and then handled object by object, because what is cut out and put in between the members
 * depends on which of them stay.
 */
#include "edit/edit.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/cursor.h"
#include "json/emit.h"
#include "json/pointer.h"
#include "json/string_put.h"

/* A member that an object loses or gets. */
struct edit_member {
    const bt_json_value *object;
    size_t begin;    /* of the object, to sort by */
    bool is_added;   /* comes after those that are removed */
    size_t index;    /* of the member, or of the operation that adds one */
    bt_str name;     /* added: with its quotes, escaped */
    bt_str minified; /* added: the value */
};

struct edit_patch_run {
    const struct bt_json_doc *document;
    const struct bt_json_doc *patch;
    struct bt_arena *arena;
    struct bt_json_cursor cursor;
    struct bt_edit_list edits;
    BT_VEC(struct edit_member) members;
};

static bt_str text_of(const struct edit_patch_run *run, const bt_json_value *operation,
                      const char *name)
{
    const bt_json_value *text = bt_json_get(run->patch, operation, bt_str_of(name));
    return text ? bt_json_text(text) : BT_STR("");
}

/* The new value of an operation, minified. */
static enum bt_status write_value(const struct edit_patch_run *run, const bt_json_value *operation,
                                  bt_str *out)
{
    const bt_json_value *value = bt_json_get(run->patch, operation, BT_STR("value"));
    BT_TRY(value ? BT_OK : BT_EINVAL);
    return bt_json_write_text(run->patch, value, BT_JSON_FORM_COMPACT, run->arena, out);
}

static bt_str holder_pointer(bt_str pointer)
{
    return bt_str_slice(pointer, 0, pointer.len - bt_str_after_last(pointer, '/').len);
}

/* The name that a pointer ends in, escaped as JSON has it, with or without its quotes. */
static enum bt_status write_name(const struct edit_patch_run *run, bt_str pointer, bool is_quoted,
                                 bt_str *out)
{
    struct bt_buf buf;
    bt_str name = BT_STR("");
    BT_TRY(bt_json_pointer_unescape(bt_str_after_last(pointer, '/'), run->arena, &name));
    bt_buf_init(&buf, SIZE_MAX);
    if (is_quoted) {
        bt_json_put_string(&buf, name);
    } else {
        bt_json_put_escaped(&buf, name);
    }
    return bt_buf_finish(&buf, run->arena, out);
}

/* The object that has, or is to have, the member that was looked up last; NULL: it is none. */
static const bt_json_value *holder_object(const struct edit_patch_run *run, bt_str pointer)
{
    const bt_json_value *holder = pointer.len > 0 ? run->cursor.holder : NULL;
    return holder && bt_json_type(holder) == BT_JSON_OBJECT ? holder : NULL;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static enum bt_status replace_value(struct edit_patch_run *run, const bt_json_value *operation)
{
    const bt_json_value *value = bt_json_cursor_find(&run->cursor, text_of(run, operation, "path"));
    BT_TRY(value ? BT_OK : BT_EINVAL);
    const struct bt_json_span span = bt_json_span(run->document, value);
    struct bt_edit edit = {.begin = span.begin, .end = span.end};
    BT_TRY(write_value(run, operation, &edit.text));
    return bt_vec_push(run->arena, &run->edits, edit);
}

static enum bt_status rename_member(struct edit_patch_run *run, const bt_json_value *operation)
{
    const bt_str from = text_of(run, operation, "from");
    const bt_str to = text_of(run, operation, "path");
    const bt_json_value *value = bt_json_cursor_find(&run->cursor, from);
    const bt_json_value *object = holder_object(run, from);
    BT_TRY(value && object && to.len > 0 && bt_str_eq(holder_pointer(from), holder_pointer(to))
               ? BT_OK
               : BT_EINVAL);
    const struct bt_json_member *member = &bt_json_members(object)[run->cursor.next - 1];
    const struct bt_json_span span = bt_json_member_name_span(run->document, member);
    struct bt_edit edit = {.begin = span.begin + 1, .end = span.end - 1};
    BT_TRY(write_name(run, to, false, &edit.text));
    return bt_vec_push(run->arena, &run->edits, edit);
}

static enum bt_status remove_member(struct edit_patch_run *run, const bt_json_value *operation)
{
    const bt_str path = text_of(run, operation, "path");
    const bt_json_value *value = bt_json_cursor_find(&run->cursor, path);
    const bt_json_value *object = holder_object(run, path);
    BT_TRY(value && object ? BT_OK : BT_EINVAL);
    const struct edit_member member = {.object = object,
                                       .begin = bt_json_span(run->document, object).begin,
                                       .index = run->cursor.next - 1};
    return bt_vec_push(run->arena, &run->members, member);
}

static enum bt_status add_member(struct edit_patch_run *run, const bt_json_value *operation)
{
    const bt_str path = text_of(run, operation, "path");
    const bt_json_value *value = bt_json_cursor_find(&run->cursor, path);
    const bt_json_value *object = holder_object(run, path);
    BT_TRY(!value && object ? BT_OK : BT_EINVAL);
    struct edit_member member = {.object = object,
                                 .begin = bt_json_span(run->document, object).begin,
                                 .is_added = true,
                                 .index = run->members.count};
    BT_TRY(write_name(run, path, true, &member.name));
    BT_TRY(write_value(run, operation, &member.minified));
    return bt_vec_push(run->arena, &run->members, member);
}

typedef enum bt_status edit_operation_fn(struct edit_patch_run *run,
                                         const bt_json_value *operation);

static const struct edit_operation {
    bt_str name;
    edit_operation_fn *collect;
} operations[] = {
    {BT_STR_INIT("replace"), replace_value},
    {BT_STR_INIT("move"), rename_member},
    {BT_STR_INIT("remove"), remove_member},
    {BT_STR_INIT("add"), add_member},
};

static enum bt_status collect_operation(struct edit_patch_run *run, const bt_json_value *operation)
{
    const bt_str name = text_of(run, operation, "op");
    BT_TRY(bt_json_pointer_is_valid(text_of(run, operation, "path")) &&
                   bt_json_pointer_is_valid(text_of(run, operation, "from"))
               ? BT_OK
               : BT_EINVAL);
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (bt_str_eq(operations[i].name, name)) {
            return operations[i].collect(run, operation);
        }
    }
    return BT_EINVAL;
}

/* ---- Members of one object ------------------------------------------------------------------- */

static int compare_members(const void *a, const void *b)
{
    const struct edit_member *left = a;
    const struct edit_member *right = b;
    if (left->begin != right->begin) {
        return left->begin < right->begin ? -1 : 1;
    }
    if (left->is_added != right->is_added) {
        return left->is_added ? 1 : -1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

/* The changes to one object: `removed` and then `added` members. */
struct edit_object {
    const struct edit_member *removed;
    size_t removed_count;
    const struct edit_member *added;
    size_t added_count;
    const struct bt_json_member *members;
    size_t count; /* of its members */
    struct bt_json_span span;
    size_t last_kept; /* its index; `count`: none is kept */
    bool keeps_one;   /* and no more */
};

static size_t name_begin(const struct edit_patch_run *run, const struct bt_json_member *member)
{
    return bt_json_member_name_span(run->document, member).begin;
}

static size_t value_end(const struct edit_patch_run *run, const struct bt_json_member *member)
{
    return bt_json_span(run->document, &member->value).end;
}

/* The last member that is not removed. */
static size_t find_last_kept(const struct edit_object *object)
{
    size_t removed = object->removed_count;
    for (size_t i = object->count; i > 0; i--) {
        if (removed == 0 || object->removed[removed - 1].index != i - 1) {
            return i - 1;
        }
        removed--;
    }
    return object->count;
}

static bt_str white_space_before(bt_str source, size_t end)
{
    size_t begin = end;
    while (begin > 0 && bt_str_find_byte(BT_STR(" \t\r\n"), source.ptr[begin - 1], 0) < 4) {
        begin--;
    }
    return bt_str_slice(source, begin, end);
}

/* The white space before a member that is added behind the last one. */
static bt_str find_white_space(const struct edit_patch_run *run, const struct edit_object *object)
{
    const bt_str source = bt_json_source(run->document);
    const struct bt_json_member *last = &object->members[object->last_kept];
    if (!object->keeps_one) {
        return white_space_before(source, name_begin(run, last));
    }
    /* Members before the only one are cut out, and the white space before them stays. */
    const bt_str before = white_space_before(source, name_begin(run, &object->members[0]));
    const bool has_line_end = bt_str_find_byte(before, '\n', 0) < before.len ||
                              bt_str_find_byte(before, '\r', 0) < before.len;
    return has_line_end
               ? before
               : white_space_before(source, bt_json_span(run->document, &last->value).begin);
}

/* The text of all members that are added behind the last one. */
static enum bt_status write_added(const struct edit_patch_run *run,
                                  const struct edit_object *object, bt_str *out)
{
    const bool is_alone = object->last_kept == object->count;
    bt_str space = BT_STR("");
    bt_str colon = BT_STR(":");
    if (!is_alone) {
        const struct bt_json_member *last = &object->members[object->last_kept];
        space = find_white_space(run, object);
        colon = bt_str_slice(bt_json_source(run->document),
                             bt_json_member_name_span(run->document, last).end,
                             bt_json_span(run->document, &last->value).begin);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    for (size_t i = 0; i < object->added_count; i++) {
        bt_buf_put(&buf, is_alone && i == 0 ? BT_STR("") : BT_STR(","));
        bt_buf_put(&buf, space);
        bt_buf_put(&buf, object->added[i].name);
        bt_buf_put(&buf, colon);
        bt_buf_put(&buf, object->added[i].minified);
    }
    return bt_buf_finish(&buf, run->arena, out);
}

/* Cut out the run of removed members that begins with the one at `from`; returns its end. */
static size_t find_run_end(const struct edit_object *object, size_t from)
{
    size_t end = from + 1;
    while (end < object->removed_count &&
           object->removed[end].index == object->removed[end - 1].index + 1) {
        end++;
    }
    return end;
}

/* Cut out the members that are removed, but for those behind the last one that is kept. */
static enum bt_status cut_removed(struct edit_patch_run *run, const struct edit_object *object)
{
    for (size_t i = 0; i < object->removed_count;) {
        const size_t first = object->removed[i].index;
        i = find_run_end(object, i);
        const size_t last = object->removed[i - 1].index;
        if (last + 1 == object->count) {
            break;
        }
        const bool is_first = first == 0;
        const struct bt_edit edit = {.begin = is_first
                                                  ? name_begin(run, &object->members[0])
                                                  : value_end(run, &object->members[first - 1]),
                                     .end = is_first ? name_begin(run, &object->members[last + 1])
                                                     : value_end(run, &object->members[last]),
                                     .text = BT_STR("")};
        BT_TRY(bt_vec_push(run->arena, &run->edits, edit));
    }
    return BT_OK;
}

static enum bt_status edit_object(struct edit_patch_run *run, struct edit_object *object)
{
    for (size_t i = 1; i < object->removed_count; i++) {
        BT_TRY(object->removed[i].index > object->removed[i - 1].index ? BT_OK : BT_EINVAL);
    }
    object->last_kept = find_last_kept(object);
    object->keeps_one = object->count == object->removed_count + 1;
    struct bt_edit edit = {.begin = object->span.begin + 1, .end = object->span.end - 1};
    if (object->last_kept < object->count) {
        BT_TRY(cut_removed(run, object));
        edit.begin = value_end(run, &object->members[object->last_kept]);
        edit.end = value_end(run, &object->members[object->count - 1]);
    }
    BT_TRY(write_added(run, object, &edit.text));
    const bool is_change = edit.end > edit.begin || edit.text.len > 0;
    return is_change ? bt_vec_push(run->arena, &run->edits, edit) : BT_OK;
}

/* Handle the members that are removed and added, object by object. */
static enum bt_status edit_objects(struct edit_patch_run *run)
{
    const struct edit_member *items = run->members.items;
    const size_t count = run->members.count;
    if (count > 1) {
        qsort(run->members.items, count, sizeof(items[0]), compare_members);
    }
    for (size_t from = 0; from < count;) {
        size_t added = from;
        size_t end = from;
        while (end < count && items[end].object == items[from].object) {
            added += !items[end].is_added;
            end++;
        }
        struct edit_object object = {
            .removed = items + from,
            .removed_count = added - from,
            .added = items + added,
            .added_count = end - added,
            .members = bt_json_members(items[from].object),
            .count = bt_json_count(items[from].object),
            .span = bt_json_span(run->document, items[from].object),
        };
        BT_TRY(edit_object(run, &object));
        from = end;
    }
    return BT_OK;
}

enum bt_status bt_edit_list_from_patch(const struct bt_json_doc *document,
                                       const struct bt_json_doc *patch, struct bt_arena *arena,
                                       struct bt_edit_list *out)
{
    assert(document);
    assert(patch);
    assert(out);
    const bt_json_value *list = bt_json_root(patch);
    struct edit_patch_run run = {.document = document, .patch = patch, .arena = arena};
    enum bt_status status = bt_json_type(list) == BT_JSON_ARRAY ? BT_OK : BT_EINVAL;
    bt_json_cursor_init(&run.cursor, document);
    for (size_t i = 0; status == BT_OK && i < bt_json_count(list); i++) {
        status = collect_operation(&run, &bt_json_items(list)[i]);
    }
    bt_json_cursor_free(&run.cursor);
    BT_TRY(status);
    BT_TRY(edit_objects(&run));
    BT_TRY(bt_edit_list_sort(&run.edits, arena));
    *out = run.edits;
    return BT_OK;
}
