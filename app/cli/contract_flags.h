/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_flags.h - how to judge contract blocks: the flags that `check` and the commands of
 * `baton contract` share.
 */
#ifndef BATON_APP_CLI_CONTRACT_FLAGS_H
#define BATON_APP_CLI_CONTRACT_FLAGS_H

#include <baton/contract.h>

#include "cli.h"

extern const struct cli_flag flag_text;
extern const struct cli_flag flag_bare;
extern const struct cli_flag flag_direction;
extern const struct cli_flag flag_input;
extern const struct cli_flag flag_runtime_agent_id;
extern const struct cli_flag flag_max_rejections;
extern const struct cli_flag flag_workspace;
extern const struct cli_flag flag_agent_session;
extern const struct cli_flag flag_agent;

/* The default number of times that a bad report is sent back. */
enum { CONTRACT_REJECTIONS_MAX = 3 };

/* The flags of `check`, for a table of flags. */
#define CLI_CONTRACT_FLAGS                                                                         \
    &flag_text, &flag_bare, &flag_direction, &flag_input, &flag_runtime_agent_id

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

#endif
