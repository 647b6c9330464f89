/* SPDX-License-Identifier: Apache-2.0 */
/* path_list.h - paths to check, from operands and from lists in files. */
#ifndef BATON_APP_CHECK_PATH_LIST_H
#define BATON_APP_CHECK_PATH_LIST_H

#include <baton/base.h>

enum {
    CHECK_PATH_LIST_BYTES_MAX = 256 << 20, /* of a file with paths */
    CHECK_PATH_LIST_MAX = 1000000,         /* paths of a run */
};

struct check_path_list_item {
    const char *path;
    bool is_stdin;
};

struct check_path_list {
    struct check_path_list_item *items;
    size_t count;
    size_t capacity;
};

/* Add an operand; "-" is standard input. BT_ELIMIT: there are too many. BT_ENOMEM. */
BT_MUST_USE enum bt_status check_path_list_add(struct bt_arena *arena, struct check_path_list *list,
                                               const char *operand);
/*
 * Add the paths of a text: one per line, or each ended by a NUL byte. Empty ones are skipped, and
 * "-" is a file of that name. BT_EINVAL: a line has a NUL byte in it. BT_ELIMIT: there are too many
 * paths. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status check_path_list_add_lines(struct bt_arena *arena,
                                                     struct check_path_list *list, bt_str text,
                                                     bool ends_in_nul);

#endif
