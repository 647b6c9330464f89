/* SPDX-License-Identifier: Apache-2.0 */
/* govern_store.h - shared by the commands of `baton govern` that need a store. */
#ifndef BATON_APP_CLI_GOVERN_STORE_H
#define BATON_APP_CLI_GOVERN_STORE_H

#include <baton/govern.h>
#include <baton/submit.h>

#include "govern_run.h"
#include "ledger_run.h"

struct cli_govern_store {
    struct cli_govern_run run;
    struct cli_ledger_run ledger;
    struct bt_governed_state govern;
    struct bt_judgement judged;
    struct bt_submission submission;
};

/* The flags for the store, for a table of flags. */
#define CLI_STORE_FLAGS &flag_store, &flag_key, &flag_deadline

/*
 * The flags of every command of `baton govern`, whether it uses them or not, so that a script can
 * pass the same flags to all of them; the second list is for commands that open no store.
 */
/* clang-format off */
#define CLI_GOVERN_FLAGS CLI_STORE_FLAGS, CLI_GOVERN_FLAGS_BUT_STORE
#define CLI_GOVERN_ROOT_FLAGS &flag_needless_store, CLI_GOVERN_FLAGS_BUT_STORE
#define CLI_GOVERN_FLAGS_BUT_STORE                                                                 \
    &flag_root, &flag_config, &flag_no_config, CLI_GOVERNED_FLAGS, CLI_FRESHNESS_FLAGS,            \
    &flag_actor, &flag_format, &flag_limit, &flag_now, &flag_seed
/* clang-format on */

/* --store of a command that opens no store. */
extern const struct cli_flag flag_needless_store;

enum cli_govern_store_access {
    GOVERN_READ = 1,
    GOVERN_WRITE,
    GOVERN_MAKE, /* create the SQLite store that --store names if it does not exist */
};

/* Begin a run. False after an error message. Call govern_store_end() in either case. */
bool govern_store_begin(struct cli_govern_store *store, const struct cli_options *options,
                        bool wants_root);
/* Free everything and return `code`. */
int govern_store_end(struct cli_govern_store *store, int code);

/* Open the ledger and set store->govern. False after an error message. */
bool govern_store_open(struct cli_govern_store *store, enum cli_govern_store_access access);
/* Read the operand and open it as store->submission. False after an error message. */
bool govern_store_read(struct cli_govern_store *store, enum bt_governed_submission_kind kind);
/*
 * Decide the submission. *out_done is set when there is a decision; if not, returns the exit code
 * after an error message.
 */
int govern_store_decide(struct cli_govern_store *store, bool is_dry, bool *out_done);
/*
 * Print the error of a failed store call; `is_recorded` and `is_unknown` as that call set them.
 * Returns CLI_FAILED.
 */
int govern_store_fail(struct cli_govern_store *store, bool is_recorded, bool is_unknown);
/* True when the ledger cannot be trusted; the error was printed. */
bool govern_store_alarmed(struct cli_govern_store *store);

#endif
