/* SPDX-License-Identifier: Apache-2.0 */
/* contract_run.h - shared by the commands of `baton contract`. */
#ifndef BATON_APP_CLI_CONTRACT_RUN_H
#define BATON_APP_CLI_CONTRACT_RUN_H

#include "contract_flags.h"
#include "input.h"

struct cli_contract_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_contract_checker *contract;
    struct cli_contract flags; /* from CLI_CONTRACT_FLAGS, as far as the command has them */
};

/* Begin a run. False after an error message. Call contract_run_end() in either case. */
bool contract_run_begin(struct cli_contract_run *run, const struct cli_options *options);
void contract_run_end(struct cli_contract_run *run);

/* Read the one message, given as PATH, - or --text. False after an error message. */
bool contract_run_message(struct cli_contract_run *run, struct cli_input *out);

/*
 * The whole number from 1 that a flag gives; *out is unchanged when it was not given. False after
 * an error message.
 */
bool contract_run_number(const struct cli_contract_run *run, const struct cli_flag *flag,
                         uint64_t *out);

/*
 * Write the report about one document, with more members in the JSON formats. Returns the exit code
 * for its verdict.
 */
int contract_run_report(struct cli_contract_run *run, const struct bt_judgement *judged,
                        bt_str members);

/* Print the error for a status. Returns CLI_FAILED. */
int contract_run_fail(enum bt_status status);

#endif
