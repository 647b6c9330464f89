/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ignore.h - patterns of paths as .gitignore files have them (gitignore(5)).
 */
#ifndef BATON_SRC_PATTERN_IGNORE_H
#define BATON_SRC_PATTERN_IGNORE_H

#include <baton/base.h>

enum {
    BT_IGNORE_PATTERN_BYTES_MAX = 1024,
    BT_IGNORE_PATTERNS_MAX = 1000,      /* of flags and of a configuration, each */
    BT_IGNORE_FILE_BYTES_MAX = 1 << 20, /* of a .gitignore */
};

/* One pattern, taken apart. */
struct bt_ignore_pattern {
    bt_str text;      /* without !, without a slash at either end */
    bool is_negated;  /* what it matches is taken back */
    bool is_anchored; /* it is compared with the whole path below its folder, else with any name */
    bool is_folder;   /* it matches folders only */
};

/* The patterns of one file or of the flags. Later ones win; those of the parent come before. */
struct bt_ignore_list {
    const struct bt_ignore_list *parent; /* of the folder above, or NULL */
    bt_str folder;                       /* the absolute path that the patterns start at */
    struct bt_ignore_pattern *items;
    size_t count;
    size_t capacity;
};

/* Add a pattern. BT_ELIMIT: it is too long. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_ignore_add(struct bt_arena *arena, struct bt_ignore_list *list,
                                         bt_str text);
/* Add the patterns of a .gitignore: one per line; empty lines and comments are skipped, and so is a
 * line that is too long, is not UTF-8 or has an unclosed bracket. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_ignore_add_lines(struct bt_arena *arena, struct bt_ignore_list *list,
                                               bt_str lines);

/* The pattern that decides about an absolute path: the last one that matches, in this list or in
 * those of folders above. NULL when none does. */
const struct bt_ignore_pattern *bt_ignore_find(const struct bt_ignore_list *list, bt_str path,
                                               bool is_folder);
/* True when a pattern matches the path or a folder that it lies in, and the nearest does not take
 * it back. */
bool bt_ignore_cover(const struct bt_ignore_list *list, bt_str path);
/* True when a pattern ignores the path or a folder that it lies in: Git does not enter an ignored
 * folder, so what lies in it cannot be taken back. */
bool bt_ignore_drop(const struct bt_ignore_list *list, bt_str path, bool is_folder);
/* True when the text of a pattern begins with the path of a folder or file. */
bool bt_ignore_name(const struct bt_ignore_list *list, bt_str path);

#endif
