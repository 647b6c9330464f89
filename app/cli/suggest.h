/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - "did you mean": find the known word that is nearest to an unknown one. */
#ifndef BATON_APP_CLI_SUGGEST_H
#define BATON_APP_CLI_SUGGEST_H

#include "cli.h"

/* The best candidate so far for an unknown word. */
struct cli_suggestion {
    bt_str word;
    bt_str best; /* "": nothing is near */
    size_t distance;
};

/* Begin with an unknown word. */
struct cli_suggestion cli_guess_for(bt_str word);
/* Compare with one candidate. */
void cli_guess_try(struct cli_suggestion *guess, bt_str candidate);

/* Compare with all words of a kind. */
void cli_guess_try_kind(struct cli_suggestion *guess, enum cli_kind kind);

/*
 * Print the error for an unknown `what` (with `dashes` before the words), and the suggestion.
 * Returns the exit code.
 */
int cli_print_unknown(const struct cli_command *command, const char *what, const char *dashes,
                      const struct cli_suggestion *guess);
/*
 * Print the error that a word is not one of its kind, which the error calls `what`. Returns false.
 */
bool cli_refuse_word(const struct cli_options *options, const char *what, enum cli_kind kind,
                     const char *word);
/* Print the error that `command` has no sub-command called `word`. Returns the exit code. */
int cli_print_unknown_command(const struct cli_command *command, const char *word);

#endif
