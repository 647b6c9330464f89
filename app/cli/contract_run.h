/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_run.h - what the commands of `baton contract` have in common.
 */
#ifndef BATON_APP_CLI_CONTRACT_RUN_H
#define BATON_APP_CLI_CONTRACT_RUN_H

#include "contract_flags.h"
#include "input.h"

struct cli_contract_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_contract_checker *contract;
    struct cli_contract flags; /* what CLI_CONTRACT_FLAGS say, as far as the command has them */
};

/* False after a complaint. The run is given to contract_run_end() in either case. */
bool contract_run_begin(struct cli_contract_run *run, const struct cli_options *options);
void contract_run_end(struct cli_contract_run *run);

/* The one message that was given, as a PATH, - or --text. False after a complaint. */
bool contract_run_message(struct cli_contract_run *run, struct cli_input *out);

/* A whole number from 1 that a flag gives; *out stays when it was not given. False after a
 * complaint. */
bool contract_run_number(const struct cli_contract_run *run, const struct cli_flag *flag,
                         uint64_t *out);

/* Write the report about one document, with further members of the JSON formats. Returns the exit
 * code that its verdict asks for. */
int contract_run_report(struct cli_contract_run *run, const struct bt_judgement *judged,
                        bt_str members);

/* Complain of a status. Returns CLI_FAILED. */
int contract_run_fail(enum bt_status status);

#endif
