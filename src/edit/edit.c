/* SPDX-License-Identifier: Apache-2.0 */
/* edit.c - apply, sort and join lists of edits. */
#include "edit/edit.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

void bt_edit_list_put(const struct bt_edit_list *edits, bt_str source, struct bt_buf *buf)
{
    assert(buf);
    size_t from = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const struct bt_edit *edit = &edits->items[i];
        assert(edit->begin >= from);
        assert(edit->end >= edit->begin);
        assert(edit->end <= source.len);
        bt_buf_put(buf, bt_str_slice(source, from, edit->begin));
        bt_buf_put(buf, edit->text);
        from = edit->end;
    }
    bt_buf_put(buf, bt_str_slice(source, from, source.len));
}

enum bt_status bt_edit_list_apply(const struct bt_edit_list *edits, bt_str source,
                                  struct bt_arena *arena, bt_str *out)
{
    if (edits->count == 0) {
        *out = source;
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_edit_list_put(edits, source, &buf);
    return bt_buf_finish(&buf, arena, out);
}

/* Edits of the same bytes keep their order, which is that of their addresses. */
static int compare_edits(const void *a, const void *b)
{
    const struct bt_edit *left = *(const struct bt_edit *const *)a;
    const struct bt_edit *right = *(const struct bt_edit *const *)b;
    if (left->begin != right->begin) {
        return left->begin < right->begin ? -1 : 1;
    }
    if (left->end != right->end) {
        return left->end < right->end ? -1 : 1;
    }
    return (left > right) - (left < right);
}

enum bt_status bt_edit_list_sort(struct bt_edit_list *edits, struct bt_arena *arena)
{
    const size_t count = edits->count;
    const struct bt_edit **order = BT_NEW_ARRAY(arena, const struct bt_edit *, count + 1);
    struct bt_edit *sorted = BT_NEW_ARRAY(arena, struct bt_edit, count + 1);
    BT_TRY(order && sorted ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        order[i] = &edits->items[i];
    }
    qsort(order, count, sizeof(order[0]), compare_edits);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = *order[i];
        BT_TRY(i == 0 || sorted[i].begin >= sorted[i - 1].end ? BT_OK : BT_EINVAL);
    }
    *edits = (struct bt_edit_list){sorted, count, count + 1};
    return BT_OK;
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* Two lists that become one. */
struct edit_join {
    const struct bt_edit_list *first;
    const struct bt_edit_list *second;
    bt_str middle;
    size_t next_first;
    size_t next_second;
    /* An offset of the middle text, outside the edits of `first`, is that of the source plus
     * `inserted` minus `removed`: what the edits before it have changed. */
    size_t inserted;
    size_t removed;
};

/* The place in the middle text of the next edit of `first`. */
static size_t begin_of_first(const struct edit_join *join)
{
    return join->first->items[join->next_first].begin + join->inserted - join->removed;
}

static size_t end_of_first(const struct edit_join *join)
{
    return begin_of_first(join) + join->first->items[join->next_first].text.len;
}

static bool has_first(const struct edit_join *join)
{
    return join->next_first < join->first->count;
}

static bool has_second(const struct edit_join *join)
{
    return join->next_second < join->second->count;
}

/* Join the edits of both lists that touch each other, from the first one on. */
static enum bt_status join_next(struct edit_join *join, struct bt_arena *arena, struct bt_edit *out)
{
    const size_t second_begin =
        has_second(join) ? join->second->items[join->next_second].begin : SIZE_MAX;
    const size_t first_begin = has_first(join) ? begin_of_first(join) : SIZE_MAX;
    const size_t begin = first_begin < second_begin ? first_begin : second_begin;
    size_t end = begin;
    size_t done = begin; /* of the middle text */
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    out->begin = begin + join->removed - join->inserted;
    for (;;) { /* ends, because every turn takes an edit */
        if (has_second(join) && join->second->items[join->next_second].begin <= end) {
            const struct bt_edit *edit = &join->second->items[join->next_second++];
            bt_buf_put(&buf, bt_str_slice(join->middle, done, edit->begin));
            bt_buf_put(&buf, edit->text);
            done = edit->end;
            end = edit->end > end ? edit->end : end;
        } else if (has_first(join) && begin_of_first(join) <= end) {
            const struct bt_edit *edit = &join->first->items[join->next_first];
            const size_t edit_end = end_of_first(join);
            end = edit_end > end ? edit_end : end;
            join->inserted += edit->text.len;
            join->removed += edit->end - edit->begin;
            join->next_first++;
        } else {
            break;
        }
    }
    bt_buf_put(&buf, bt_str_slice(join->middle, done, end));
    out->end = end + join->removed - join->inserted;
    return bt_buf_finish(&buf, arena, &out->text);
}

enum bt_status bt_edit_list_compose(const struct bt_edit_list *first, bt_str middle,
                                    const struct bt_edit_list *second, struct bt_arena *arena,
                                    struct bt_edit_list *out)
{
    assert(first);
    assert(second);
    struct edit_join join = {.first = first, .second = second, .middle = middle};
    struct bt_edit_list edits = {0};
    while (has_first(&join) || has_second(&join)) {
        struct bt_edit edit;
        BT_TRY(join_next(&join, arena, &edit));
        BT_TRY(bt_vec_push(arena, &edits, edit));
    }
    *out = edits;
    return BT_OK;
}

struct bt_edit_cursor bt_edit_cursor_begin(const struct bt_edit_list *edits)
{
    return (struct bt_edit_cursor){.edits = edits};
}

size_t bt_edit_cursor_find(struct bt_edit_cursor *cursor, size_t offset)
{
    if (offset < cursor->at) {
        *cursor = bt_edit_cursor_begin(cursor->edits);
    }
    cursor->at = offset;
    for (; cursor->next < cursor->edits->count; cursor->next++) {
        const struct bt_edit *edit = &cursor->edits->items[cursor->next];
        const size_t begin = edit->begin + cursor->inserted - cursor->removed;
        if (offset < begin) {
            break;
        }
        if (offset < begin + edit->text.len) {
            return edit->begin;
        }
        cursor->inserted += edit->text.len;
        cursor->removed += edit->end - edit->begin;
    }
    return offset + cursor->removed - cursor->inserted;
}

/* ---- Two texts ------------------------------------------------------------------------------- */

/* True when an editor can put its cursor there: not within a UTF-8 sequence, not within CR LF. */
static bool is_boundary(bt_str text, size_t at)
{
    if (at == 0 || at == text.len) {
        return true;
    }
    return ((unsigned char)text.ptr[at] & 0xc0) != 0x80 &&
           !(text.ptr[at - 1] == '\r' && text.ptr[at] == '\n');
}

enum bt_status bt_edit_list_between(bt_str before, bt_str after, struct bt_arena *arena,
                                    struct bt_edit_list *out)
{
    const size_t shorter = before.len < after.len ? before.len : after.len;
    size_t head = 0;
    size_t tail = 0;
    struct bt_edit_list edits = {0};
    while (head < shorter && before.ptr[head] == after.ptr[head]) {
        head++;
    }
    while (!is_boundary(before, head) || !is_boundary(after, head)) {
        head--;
    }
    while (tail < shorter - head &&
           before.ptr[before.len - 1 - tail] == after.ptr[after.len - 1 - tail]) {
        tail++;
    }
    while (!is_boundary(before, before.len - tail) || !is_boundary(after, after.len - tail)) {
        tail--;
    }
    if (!bt_str_eq(before, after)) {
        BT_TRY(bt_vec_push(arena, &edits,
                           (struct bt_edit){head, before.len - tail,
                                            bt_str_slice(after, head, after.len - tail)}));
    }
    *out = edits;
    return BT_OK;
}
