/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_dir.h - the folder for the files of a handoff: {session_path}/handoffs.
 *
 * session_path comes from the document, so it may try to lead anywhere. It is followed from the
 * descriptor of a root, one component at a time and without following links; see
 * bt_dir_open_subdir().
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_WRITE_DIR_H
#define BATON_SRC_DIALECT_UNIVERSAL_WRITE_DIR_H

#include <baton/report.h>

#include "base/file.h"
#include "dialect/universal/universal.h"

/* The path of a folder without links, in the arena; "" when there is no such folder. */
BT_MUST_USE enum bt_status bt_path_real(struct bt_arena *arena, bt_str path, bt_str *out);
/* Whether `path`, which is absolute, lies below the root by its components; false for a root that
 * is not absolute. The rest of the path may begin with slashes. */
bool bt_path_below(bt_str root, bt_str path, bt_str *out_rest);

struct bt_universal_write_dir {
    struct bt_dir *root; /* what the folder lies beneath */
    bt_str below;        /* the folder, from there */
    bt_str shown;        /* the folder as session_path spells it; a whole path for the fallback */
    bool fallback;
};

/*
 * The folder of a session. BT_EDENIED: the path is unsafe, and error->text says in what way;
 * folders that exist already are asked, none is made. BT_ENOENT, BT_EIO: a root cannot be opened.
 * On BT_OK *out is given back with bt_payload_reference_site_close(); its texts live in the arena.
 */
BT_MUST_USE enum bt_status
bt_payload_reference_site_find(const struct bt_universal_write_dirs *roots, bt_str session_path,
                               struct bt_arena *arena, struct bt_universal_write_dir *out,
                               struct bt_error *error);
/* The folder that takes what the session's folder cannot: {temporary}/baton-{uid}/handoffs. */
BT_MUST_USE enum bt_status
bt_payload_reference_site_find_fallback(const struct bt_universal_write_dirs *roots,
                                        struct bt_arena *arena, struct bt_universal_write_dir *out,
                                        struct bt_error *error);
void bt_payload_reference_site_close(struct bt_universal_write_dir *site);

/* Open the folder; with `make`, make what is missing of it. BT_EDENIED: it is unsafe, or the
 * fallback is not a folder of this user alone; BT_ENOENT: it is not there or cannot be used. */
BT_MUST_USE enum bt_status bt_payload_reference_site_open(const struct bt_universal_write_dir *site,
                                                          bool make, struct bt_dir **out,
                                                          struct bt_error *error);

enum { BT_SITE_NAMES_MAX = 99 };

/* STEM.json for 1, STEM-2.json for 2 and so on; in the arena. */
BT_MUST_USE enum bt_status bt_payload_reference_site_name(struct bt_arena *arena, bt_str stem,
                                                          unsigned number, bt_str *out);
/* The path of a file of that name, as people know it. */
BT_MUST_USE enum bt_status bt_payload_reference_site_path(const struct bt_universal_write_dir *site,
                                                          struct bt_arena *arena, bt_str name,
                                                          bt_str *out);

/*
 * Write a new file under the first of its names that is free, and set *out_path to its path.
 * BT_EEXIST: all are taken. BT_ENOENT: the folder cannot be created or written to; use the
 * fallback. BT_EDENIED: it is unsafe. BT_EIO: the system failed.
 */
BT_MUST_USE enum bt_status
bt_universal_write_dir_create_file(const struct bt_universal_write_dir *site,
                                   struct bt_arena *arena, bt_str stem, bt_str content,
                                   bt_str *out_path, struct bt_error *error);

/* Add WRITE_FALLBACK: the file should have gone to one path and went to the other. */
BT_MUST_USE enum bt_status bt_universal_write_dir_add_fallback_finding(struct bt_findings *notes,
                                                                       bt_str wanted, bt_str used);

#endif
