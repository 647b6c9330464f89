/* SPDX-License-Identifier: Apache-2.0 */
/* contract_run.h - the flags and runs of the commands about contract blocks. */
#ifndef BATON_APP_CLI_CONTRACT_RUN_H
#define BATON_APP_CLI_CONTRACT_RUN_H

#include <baton/base.h>

#include "cli.h"
#include "decide/contract_state.h"
#include "dialect/contract/contract.h"
#include "input.h"
#include "run.h"

/* The default number of times that a bad report is sent back. */
enum { CONTRACT_REJECTIONS_MAX = 3 };

/* The options of a run, and what they point at. */
struct cli_contract {
    struct bt_contract_options options;
    struct bt_contract_input input;
    bt_str input_text; /* as it was read; "" when it was not given */
    char host_id[BT_AGENT_ID_BYTES_MAX + 1];
};

/*
 * Set the options from these flags. The INPUT is read into the arena, which must outlive *out; *out
 * must not be moved. False after an error message.
 */
bool cli_contract_options(const struct cli_options *options, struct bt_env *env,
                          struct bt_arena *arena, struct cli_contract *out);

/* Set what --agent-ids, --transitions, --off-list and --approval-ids choose, where they are given.
 * False after an error message. */
bool cli_contract_settings(const struct cli_options *options, struct bt_contract_options *out);

/* What the commands about contract blocks share, as a part of a run. */
struct cli_contract_run {
    struct bt_contract_checker *checker;
    struct cli_contract flags;     /* from `flags contract_block`, as far as the command has them */
    struct bt_contract_state gate; /* see contract_run_open() */
    bt_str workspace;              /* "" only where the flag is a filter */
    bt_str session;
};

/* Make run->contract. */
cli_begin_fn contract_run_begin;
void contract_run_free(struct cli_contract_run *contract);

/* Read the one message, given as PATH, - or --text. False after an error message. */
bool contract_run_message(struct cli_run *run, struct cli_input *out);

/*
 * The whole number from 1 that a flag gives; *out is unchanged when it was not given. False after
 * an error message.
 */
bool contract_run_number(const struct cli_run *run, const struct cli_flag *flag, uint64_t *out);

/* Read --workspace and --session, or their defaults. False after an error message. */
bool contract_run_names(struct cli_run *run);
/* Open the store and set run->contract->gate. False after an error message. */
bool contract_run_open(struct cli_run *run, enum cli_access access);
/* The id that --agent gives, as it is written; "" when it was not given. False after an error
 * message. */
bool contract_run_agent(struct cli_run *run, bt_str *out);

/*
 * The name of the project in `root` (NULL: the current directory): the identity of the remote
 * `origin` in its .git/config, which is read without running git; else the directory's name in
 * lower case; else `global`. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status cli_workspace(struct bt_arena *arena, const char *root, bt_str *out);

#endif
