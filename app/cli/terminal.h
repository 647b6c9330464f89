/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h - ask the person at the terminal, and show progress. */
#ifndef BATON_APP_CLI_TERMINAL_H
#define BATON_APP_CLI_TERMINAL_H

#include "cli.h"

/*
 * True when a person can answer: standard input and standard error are a terminal, and --no-input
 * is not given.
 */
bool cli_can_prompt(const struct cli_options *options);
/*
 * Print the question and wait for a line, which is copied without its line end. False at the end of
 * input, after Ctrl-C, and for a line that is empty, not UTF-8 or too long.
 */
bool cli_prompt_text(struct bt_arena *arena, const char *question, bt_str *out);
/*
 * Print the question and wait. True only for the answer `yes`; any other answer, or none, is false.
 */
bool cli_prompt_line(const char *question);

/* The answer to a question. */
enum cli_answer {
    CLI_ANSWER_NONE = 0, /* the input ended, or the person pressed Ctrl-C */
    CLI_ANSWER_YES,
    CLI_ANSWER_NO,
};

/* Ask a question whose default is no. */
enum cli_answer cli_prompt_yes(const char *question);

/*
 * The progress of one piece of work. Its line, such as "checking 1204 of 5310 files", is shown on
 * standard error, only on a terminal and only after a second, and is removed when the work ends.
 */
struct cli_progress {
    struct bt_progress callback; /* passed to the library */
    const char *what;            /* "verifying" */
    const char *things;          /* "entries" */
    int64_t next_ms;             /* when to update the line */
    bool is_shown;
};

void cli_progress_begin(struct cli_progress *progress, const char *what, const char *things);
/* Update the line, at most ten times a second. */
void cli_progress_report(struct cli_progress *progress, uint64_t done, uint64_t total);
/* Remove the line before something else is printed. */
void cli_progress_hide(struct cli_progress *progress);
void cli_progress_end(struct cli_progress *progress);

#endif
