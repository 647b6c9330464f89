/* SPDX-License-Identifier: Apache-2.0 */
/*
 * govern_store.h - what the commands of `baton govern` share that need a store.
 */
#ifndef BATON_APP_CLI_GOVERN_STORE_H
#define BATON_APP_CLI_GOVERN_STORE_H

#include <baton/govern.h>

#include "govern_run.h"
#include "ledger_run.h"

struct cli_govern_store {
    struct cli_govern_run run;
    struct cli_ledger_run ledger;
    struct bt_governed_state govern;
};

/* Where the store is, for a table of flags. */
#define CLI_STORE_FLAGS &flag_store, &flag_key, &flag_deadline

/* What every command of `baton govern` takes, whether it makes use of it or not, so that a script
 * can give all of them the same flags; the second for commands that open no store. */
/* clang-format off */
#define CLI_GOVERN_FLAGS CLI_STORE_FLAGS, CLI_GOVERN_FLAGS_BUT_STORE
#define CLI_GOVERN_ROOT_FLAGS &flag_needless_store, CLI_GOVERN_FLAGS_BUT_STORE
#define CLI_GOVERN_FLAGS_BUT_STORE                                                                 \
    &flag_root, &flag_config, &flag_no_config, CLI_GOVERNED_FLAGS, CLI_FRESHNESS_FLAGS,            \
    &flag_actor, &flag_format, &flag_limit, &flag_now, &flag_seed
/* clang-format on */

/* --store of a command that opens none. */
extern const struct cli_flag flag_needless_store;

enum cli_govern_store_access {
    GOVERN_READ = 1,
    GOVERN_WRITE,
    GOVERN_MAKE, /* a SQLite store that --store names is made when it is not there */
};

/* False after a complaint. The store is given to govern_store_end() in either case. */
bool govern_store_begin(struct cli_govern_store *store, const struct cli_options *options,
                        bool wants_root);
int govern_store_end(struct cli_govern_store *store, int code);

/* Open the ledger and fill in store->govern. False after a complaint. */
bool govern_store_open(struct cli_govern_store *store, enum cli_govern_store_access access);
/* Read the operand and open it as a case. False after a complaint. */
bool govern_store_read(struct cli_govern_store *store, enum bt_governed_submission_kind kind,
                       struct bt_governed_submission **out);
/* Decide a case. *out_done tells whether there is a decision; if not, the exit code is returned
 * after a complaint. */
int govern_store_decide(struct cli_govern_store *store, struct bt_governed_submission *item,
                        bool is_dry, bool *out_done);
/* Complain of what a call about the store came to; `is_recorded` and `is_unknown` as it told.
 * Returns CLI_FAILED. */
int govern_store_fail(struct cli_govern_store *store, bool is_recorded, bool is_unknown);
/* Whether the ledger is not to be trusted; then that was complained of. */
bool govern_store_alarmed(struct cli_govern_store *store);

#endif
