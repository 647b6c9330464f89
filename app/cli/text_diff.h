/* SPDX-License-Identifier: Apache-2.0 */
/* text_diff.h - the differences between two texts, line by line, in the unified format. */
#ifndef BATON_APP_CLI_TEXT_DIFF_H
#define BATON_APP_CLI_TEXT_DIFF_H

#include <baton/base.h>

/*
 * Put the unified diff that turns `before` into `after`, both called `path`; nothing when they are
 * equal. Control characters are escaped. `arena` is working memory and is rewound. BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status cli_put_diff(struct bt_buf *buf, struct bt_arena *arena, bt_str path,
                                        bt_str before, bt_str after);

/*
 * Put the diff with the real bytes and the headers "--- a/PATH" and "+++ b/PATH", as `git apply`
 * and `patch -p1` take it; nothing when the texts are equal. A path below the current folder
 * becomes relative to it. `arena` is working memory and is rewound.
 */
BT_MUST_USE enum bt_status cli_put_patch(struct bt_buf *buf, struct bt_arena *arena, bt_str path,
                                         bt_str before, bt_str after);

/* The names of the two texts. */
struct cli_diff_names {
    bt_str before;
    bt_str after;
};

/* Put the unified diff of two texts with different names, as cli_put_diff() does. */
BT_MUST_USE enum bt_status cli_put_named_diff(struct bt_buf *buf, struct bt_arena *arena,
                                              struct cli_diff_names names, bt_str before,
                                              bt_str after);

#endif
