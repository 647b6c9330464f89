/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_backup.h - the texts of servers before Baton's first change to them, and after its last:
 *
 * {"baton":1,"host":H,"path":FILE,"entries":{"NAME":{"before":TEXT,"after":TEXT}}}
 */
#ifndef BATON_APP_WRAP_HOST_BACKUP_H
#define BATON_APP_WRAP_HOST_BACKUP_H

#include <baton/json.h>

struct wrap_backup_entry {
    bt_str name;
    bt_str before;
    bt_str after;
};

struct wrap_backup {
    bt_str host;
    bt_str path; /* of the settings, below the directory with the backup */
    struct wrap_backup_entry *items;
    size_t count;
    size_t capacity;
};

/* Put the backup as JSON with a final line feed. Failures stick to the buffer. */
void wrap_backup_put(struct bt_buf *buf, const struct wrap_backup *backup);
/* Read a backup into the arena. BT_EINVAL: the text is not a backup. BT_ENOMEM. */
BT_MUST_USE enum bt_status wrap_backup_read(struct bt_arena *arena, bt_str text,
                                            struct wrap_backup *out);
/* The entry called `name`, or NULL. */
struct wrap_backup_entry *wrap_backup_find(const struct wrap_backup *backup, bt_str name);
/* Add an entry, or replace that of its name. BT_ENOMEM. */
BT_MUST_USE enum bt_status wrap_backup_set(struct bt_arena *arena, struct wrap_backup *backup,
                                           struct wrap_backup_entry entry);
/* Remove the entry called `name`, which is there. */
void wrap_backup_remove(struct wrap_backup *backup, bt_str name);

#endif
