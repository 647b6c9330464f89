/* SPDX-License-Identifier: Apache-2.0 */
/* print_changes.h - print the changes of a document for a person, line by line. */
#ifndef BATON_APP_CLI_PRINT_CHANGES_H
#define BATON_APP_CLI_PRINT_CHANGES_H

#include <baton/universal.h>

/*
 * Put the outcome and each operation of facts.changes on its own line, then an empty line; nothing
 * when the document is unchanged. `arena` is working memory.
 */
BT_MUST_USE enum bt_status cli_put_changes(struct bt_buf *buf, struct bt_arena *arena,
                                           const struct bt_universal_result *result);

#endif
