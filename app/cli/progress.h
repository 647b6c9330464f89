/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - show the progress of long work at a terminal. */
#ifndef BATON_APP_CLI_PROGRESS_H
#define BATON_APP_CLI_PROGRESS_H

#include <baton/env.h>

/*
 * The progress of one piece of work. Its line is shown on standard error, only on a terminal and
 * only after a delay, and is removed when the work ends.
 */
struct cli_progress {
    struct bt_progress callback; /* passed to the library */
    const char *what;            /* "verifying" */
    const char *things;          /* "entries" */
    int64_t next_ms;             /* when to update the line */
    bool is_shown;
};

void cli_progress_begin(struct cli_progress *progress, const char *what, const char *things);
void cli_progress_end(struct cli_progress *progress);

#endif
