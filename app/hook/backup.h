/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backup.h - the content of a settings file before Baton's first change:
 *
 * {"baton":1,"host":H,"path":FILE,"existed":b,"bytes":BASE64,"sha256_after":HEX}
 */
#ifndef BATON_APP_HOOK_BACKUP_H
#define BATON_APP_HOOK_BACKUP_H

#include <baton/json.h>

struct hook_backup {
    bt_str host;
    bt_str path; /* of the settings, below the directory with the backup */
    bool existed;
    bt_str bytes;
    bt_str sha256_after; /* of the settings after Baton's change */
    bt_str skill_sha256; /* of the skill that Baton wrote beside them; "": none */
};

/* Put the backup as JSON with a final line feed. Failures stick to the buffer. */
void hook_backup_put(struct bt_buf *buf, const struct hook_backup *backup);
/* Read a backup into the arena. BT_EINVAL: the text is not a backup. */
BT_MUST_USE enum bt_status hook_backup_read(struct bt_arena *arena, bt_str text,
                                            struct hook_backup *out);

#endif
