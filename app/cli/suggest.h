/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suggest.h - "did you mean": the nearest known word to one that was not understood.
 */
#ifndef BATON_APP_CLI_SUGGEST_H
#define BATON_APP_CLI_SUGGEST_H

#include "cli.h"

/* The nearest of many words to one that was not understood. */
struct cli_suggestion {
    bt_str word;
    bt_str best; /* "" when nothing is near */
    size_t distance;
};

struct cli_suggestion cli_guess_for(bt_str word);
void cli_guess_try(struct cli_suggestion *guess, bt_str candidate);
void cli_guess_try_kind(struct cli_suggestion *guess, enum cli_kind kind);

/* Complain of an unknown `what` (with `dashes` before the words) and offer the guess. */
int cli_print_unknown(const struct cli_command *command, const char *what, const char *dashes,
                      const struct cli_suggestion *guess);
/* Complain that `command` has no part called `word`. */
int cli_print_unknown_command(const struct cli_command *command, const char *word);

#endif
