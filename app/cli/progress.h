/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - how far long work has come, for people who wait at a terminal.
 */
#ifndef BATON_APP_CLI_PROGRESS_H
#define BATON_APP_CLI_PROGRESS_H

#include <baton/env.h>

/* One piece of work. Its line is on standard error, only when that is a terminal and only when the
 * work takes longer than people wait without wondering; it is gone when the work is over. */
struct cli_progress {
    struct bt_progress callback; /* what the library is given */
    const char *what;            /* "verifying" */
    const char *things;          /* "entries" */
    int64_t next_ms;             /* when the line is due */
    bool is_shown;
};

void cli_progress_begin(struct cli_progress *progress, const char *what, const char *things);
void cli_progress_end(struct cli_progress *progress);

#endif
