/* SPDX-License-Identifier: Apache-2.0 */
/* entry_line.h - a ledger entry as one line for a person at a terminal. */
#ifndef BATON_APP_CLI_ENTRY_LINE_H
#define BATON_APP_CLI_ENTRY_LINE_H

#include <baton/ledger.h>

/*
 * Put the line with its line feed. BT_ENOMEM: the arena reached its limit. BT_ECORRUPT: the text is
 * not an entry. In both cases nothing is put.
 */
BT_MUST_USE enum bt_status cli_put_entry_line(struct bt_buf *buf, struct bt_arena *arena,
                                              const struct bt_ledger_entry *entry, bool colour);

#endif
