/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.h - completion scripts for three shells, made from the tables of cli.h.
 *
 * Each script first walks the words before the cursor to the full name of the command they reach
 * ("baton json fmt"), and then offers what the row of that command says.
 */
#ifndef BATON_APP_CLI_COMPLETION_H
#define BATON_APP_CLI_COMPLETION_H

#include "cli.h"

void cli_put_bash(struct bt_buf *buf);
void cli_put_zsh(struct bt_buf *buf);
void cli_put_fish(struct bt_buf *buf);

/* Put the words of a kind with a blank between two; a word that repeats its neighbour once. */
void cli_put_words(struct bt_buf *buf, enum cli_kind kind);
/* Whether a kind has words. */
bool cli_kind_has_words(enum cli_kind kind);
/* Put the full names of all commands but `baton`, each in double quotes, `between` between two. */
void cli_put_names(struct bt_buf *buf, const char *between);

#endif
