/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.h - completion scripts for three shells, made from the tables of cli.h.
 *
 * Each script first follows the words before the cursor to the full name of the command ("baton
 * json fmt"), and then offers what the row of that command has.
 */
#ifndef BATON_APP_CLI_COMPLETION_H
#define BATON_APP_CLI_COMPLETION_H

#include "cli.h"

void cli_put_bash(struct bt_buf *buf);
void cli_put_zsh(struct bt_buf *buf);
void cli_put_fish(struct bt_buf *buf);

/* Put the words of a kind, separated by spaces; a repeated word is put once. */
void cli_put_words(struct bt_buf *buf, enum cli_kind kind);
/* True when the kind has words. */
bool cli_kind_has_words(enum cli_kind kind);
/*
 * Put the full names of all commands except `baton`, each in double quotes, separated by `between`.
 */
void cli_put_names(struct bt_buf *buf, const char *between);

#endif
