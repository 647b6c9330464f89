/* SPDX-License-Identifier: Apache-2.0 */
/* left_out.h - a list of what walks leave out, and why. */
#ifndef BATON_APP_CHECK_LEFT_OUT_H
#define BATON_APP_CHECK_LEFT_OUT_H

#include <baton/base.h>

/* Why a walk leaves out an entry, or why an entry is not a document. */
enum check_left_out_reason {
    CHECK_LEFT_OUT_NONE = 0,
    CHECK_LEFT_OUT_HIDDEN,
    CHECK_LEFT_OUT_GITIGNORED,
    CHECK_LEFT_OUT_NODE_MODULES, /* from here on counted as excluded ... */
    CHECK_LEFT_OUT_EXCLUDED,
    CHECK_LEFT_OUT_NOT_INCLUDED,
    CHECK_LEFT_OUT_LINK,     /* ... and from here on as unrecognised */
    CHECK_LEFT_OUT_OWN_FILE, /* the run reads or writes it */
    CHECK_LEFT_OUT_UNRECOGNISED,
    CHECK_LEFT_OUT_NO_BLOCK,    /* its name promises a contract block, and it has none */
    CHECK_LEFT_OUT_NO_ENVELOPE, /* its name promises a message, and it has no envelope */
};

struct check_left_out {
    bt_str path;
    enum check_left_out_reason reason;
};

/* Zero is an empty list. */
struct check_left_out_list {
    struct check_left_out *items;
    size_t count;
    size_t capacity;
    size_t more; /* that were not listed */
};

/* Add a path, which is copied to the arena. It is only counted when the list has `items_max` items
 * or when memory is short. */
void check_left_out_add(struct check_left_out_list *list, struct bt_arena *arena, size_t items_max,
                        bt_str path, enum check_left_out_reason reason);

/* Sort the list by path and put a line "left out: PATH (REASON)" for each item; visible. */
void check_left_out_put_lines(struct check_left_out_list *list, struct bt_buf *buf);

#endif
