/* SPDX-License-Identifier: Apache-2.0 */
/* found.h - whether a file that a walk found is a document, and its content if it is. */
#ifndef BATON_APP_CHECK_FOUND_H
#define BATON_APP_CHECK_FOUND_H

#include <baton/report.h>

#include "engine/recognise.h"

/* The ends of a file, for one thread. */
struct check_found_buffer {
    char head[BT_RECOGNISE_BYTES];
    char tail[BT_RECOGNISE_BYTES];
};

/* A file that a walk found, see struct check_walk_item. */
struct check_found_file {
    const char *path;
    bt_str name;                /* a path with the name of its folder in it, for recognition */
    enum bt_dialect_id dialect; /* BT_DIALECT_NONE: recognise it */
    bool is_regular;
};

struct check_found_result {
    enum bt_walk_choice choice;
    enum bt_dialect_id dialect; /* of a document */
    bt_str content;             /* of a document; in the arena */
};

/*
 * Open the file once, recognise it, and read it if it is a document: at most `bytes_max` + 1 bytes,
 * which is enough for a reader to reject it as too large. Of other files only the ends are read.
 * Links are not followed. `arena` may be NULL: nothing is read then but what recognition needs.
 * Statuses as for bt_file_read().
 */
BT_MUST_USE enum bt_status check_found_read(struct bt_arena *arena,
                                            const struct check_found_file *file,
                                            struct check_found_buffer *buffer, uint64_t bytes_max,
                                            struct check_found_result *out, struct bt_error *error);

#endif
