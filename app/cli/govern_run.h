/* SPDX-License-Identifier: Apache-2.0 */
/* govern_run.h - the flags and runs of the commands about governed handoffs. */
#ifndef BATON_APP_CLI_GOVERN_RUN_H
#define BATON_APP_CLI_GOVERN_RUN_H

#include "cli.h"
#include "decide/governed_state.h"
#include "dialect/governed/governed.h"
#include "engine/submit.h"
#include "input.h"
#include "run.h"

/* The options of a run, and what they point at. */
struct cli_governed {
    struct bt_governed_options options;
    bt_str root_path;    /* "": not given */
    struct bt_dir *root; /* NULL: not opened */
};

/*
 * Set the options: a flag takes precedence over the file, the file over the default. Texts live in
 * the arena or in the configuration. False after an error message.
 */
bool cli_governed_options(const struct cli_options *options, struct bt_arena *arena,
                          struct cli_governed *out);
/* Open the governed root if it was given without --structure-only. False after an error message. */
bool cli_governed_open(const struct cli_options *options, struct cli_governed *governed);
/* Open it as cli_governed_open() does, without an error message; `error` has the reason. Statuses
 * as for bt_dir_open(). */
BT_MUST_USE enum bt_status cli_governed_try(const struct cli_options *options,
                                            struct cli_governed *governed, struct bt_error *error);
/* Close it. */
void cli_governed_close(struct cli_governed *governed);

/* What the commands about governed handoffs share, as a part of a run. */
struct cli_govern_run {
    struct bt_governed_checker *checker;
    struct cli_governed flags;
    struct bt_governed_state state; /* see govern_run_open() */
    struct bt_judgement judged;     /* see govern_run_read() */
    struct bt_submission submission;
};

/* Make run->govern and the report. */
cli_begin_fn govern_run_begin_any;
/* Make them where there must be a governed root. */
cli_begin_fn govern_run_begin;
void govern_run_free(struct cli_govern_run *govern);

/* Print the error for a status about the governed root. Returns CLI_FAILED. */
int govern_run_fail(struct cli_run *run, enum bt_status status);

/* Open the ledger and set run->govern->state. False after an error message. */
bool govern_run_open(struct cli_run *run, enum cli_access access);
/* Read the operand and open it as run->govern->submission. False after an error message. */
bool govern_run_read(struct cli_run *run, enum bt_governed_submission_kind kind);
/*
 * Decide the submission. *out_done is set when there is a decision; if not, returns the exit code
 * after an error message.
 */
int govern_run_decide(struct cli_run *run, bool is_dry, bool *out_done);
/*
 * Print the error of a failed store call; `is_recorded` and `is_unknown` as that call set them.
 * Returns CLI_FAILED.
 */
int govern_run_fail_store(struct cli_run *run, bool is_recorded, bool is_unknown);
/* True when the ledger cannot be trusted; the error was printed. */
bool govern_run_alarmed(struct cli_run *run);

#endif
