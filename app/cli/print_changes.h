/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print_changes.h - what was done to a document, line by line, for a person.
 */
#ifndef BATON_APP_CLI_PRINT_CHANGES_H
#define BATON_APP_CLI_PRINT_CHANGES_H

#include <baton/universal.h>

/*
 * Put what came of the document and each operation of its facts.changes on a line of its own, then
 * an empty line; nothing when it was left as it is. `arena` is working memory.
 */
BT_MUST_USE enum bt_status cli_put_changes(struct bt_buf *buf, struct bt_arena *arena,
                                           const struct bt_universal_result *result);

#endif
