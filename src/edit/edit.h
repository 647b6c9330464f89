/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit.h - texts with some of their bytes replaced.
 *
 * The edits of a list are in ascending order and do not overlap. Their offsets are those of the
 * text before all of them, as an editor expects them:
 *
 *     struct bt_edit_list edits;
 *     bt_edit_list_from_patch(document, patch, arena, &edits);
 *     bt_edit_list_apply(&edits, bt_json_source(document), arena, &text);
 */
#ifndef BATON_SRC_EDIT_EDIT_H
#define BATON_SRC_EDIT_EDIT_H

#include <baton/json.h>

/* Replaces the bytes begin..end of the source by `text`. */
struct bt_edit {
    size_t begin;
    size_t end;
    bt_str text;
};

struct bt_edit_list {
    struct bt_edit *items;
    size_t count;
    size_t capacity;
};

/* Put the source with the edits made. All other bytes stay. Failures stick to the buffer. */
void bt_edit_list_put(const struct bt_edit_list *edits, bt_str source, struct bt_buf *buf);

/* Set *out to the source with the edits made, in the arena; to the source itself without edits. */
BT_MUST_USE enum bt_status bt_edit_list_apply(const struct bt_edit_list *edits, bt_str source,
                                              struct bt_arena *arena, bt_str *out);

/*
 * Sort edits that were collected in any order. An insertion comes before what begins at the same
 * byte, and insertions at the same byte keep their order. The sorted list lives in the arena.
 * BT_EINVAL: two of them overlap. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_edit_list_sort(struct bt_edit_list *edits, struct bt_arena *arena);

/*
 * Set *out to the edits that do at once what `first` and then `second` do. `middle` is the text
 * between them. Edits that touch become one. *out lives in the arena. BT_ENOMEM is the only
 * failure.
 */
BT_MUST_USE enum bt_status bt_edit_list_compose(const struct bt_edit_list *first, bt_str middle,
                                                const struct bt_edit_list *second,
                                                struct bt_arena *arena, struct bt_edit_list *out);

/* Finds where offsets of an edited text were in the source; fast for offsets in ascending order. */
struct bt_edit_cursor {
    const struct bt_edit_list *edits; /* must outlive it */
    size_t at;                        /* the previous offset */
    size_t next;                      /* the first edit that is not before it */
    size_t inserted;                  /* bytes of the edits before that one ... */
    size_t removed;                   /* ... and what they replaced */
};

struct bt_edit_cursor bt_edit_cursor_begin(const struct bt_edit_list *edits);
/* The offset in the source; inserted text stands where its edit begins. */
size_t bt_edit_cursor_find(struct bt_edit_cursor *cursor, size_t offset);

/*
 * Set *out to the edit that turns `before` into `after`, or to an empty list when they are equal:
 * the bytes between what both begin and end with. Neither a UTF-8 sequence nor CR LF is split.
 * *out lives in the arena and points into `after`. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_edit_list_between(bt_str before, bt_str after, struct bt_arena *arena,
                                                struct bt_edit_list *out);

/*
 * Set *out to the edits that change the source of `document` as the RFC 6902 patch says, with as
 * few bytes as possible:
 *
 *     replace  the bytes of the value become the minified form of the new one
 *     move     within one object: the name between the quotes changes, and the member stays
 *     remove   of a member: from the end of the value before it to the end of its own; of a first
 *              member, from its name to the name of the next; of an only member, everything
 *              between the braces. Members removed by the same patch are not neighbours
 *     add      of a member: after the last value a comma, white space, the name, what stands
 *              between the last name and its value, and the minified value. The white space is
 *              that before the last name; in an object with one member and no line end there, that
 *              after its colon. An object without members becomes {"name":value}
 *
 * Pointers name locations in the document before the patch, and the operations must not depend on
 * each other. Reading the edited text gives what bt_json_patch() gives, but for the order of
 * members. *out lives in the arena.
 *
 * BT_EINVAL: an operation is none of these, names nothing, adds a member that exists, or depends on
 * another. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_edit_list_from_patch(const struct bt_json_doc *document,
                                                   const struct bt_json_doc *patch,
                                                   struct bt_arena *arena,
                                                   struct bt_edit_list *out);

#endif
