/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_diff.h - what changed between two texts, line by line, in the unified format.
 */
#ifndef BATON_APP_CLI_TEXT_DIFF_H
#define BATON_APP_CLI_TEXT_DIFF_H

#include <baton/base.h>

/*
 * Put the unified diff that turns `before` into `after`, both known as `path`; nothing when they
 * are equal. Lines are shown for the eyes of a person: control characters are escaped. BT_ENOMEM
 * is the arena's, which is working memory and is rewound.
 */
BT_MUST_USE enum bt_status cli_put_diff(struct bt_buf *buf, struct bt_arena *arena, bt_str path,
                                        bt_str before, bt_str after);

/* What the two texts are called. */
struct cli_diff_names {
    bt_str before;
    bt_str after;
};

/* The same for texts that have a name each. */
BT_MUST_USE enum bt_status cli_put_named_diff(struct bt_buf *buf, struct bt_arena *arena,
                                              struct cli_diff_names names, bt_str before,
                                              bt_str after);

#endif
