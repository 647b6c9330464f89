/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_check.h - universal handoffs, plans and messages that `ledger append` records: judged as
 * by `baton check` with the same flags.
 */
#ifndef BATON_APP_CLI_APPEND_CHECK_H
#define BATON_APP_CLI_APPEND_CHECK_H

#include <baton/check.h>

#include "input.h"
#include "ledger_run.h"
#include "organism_file.h"
#include "plan_flags.h"
#include "universal_flags.h"

/* The flags of `check` about these dialects, for a table of flags. */
#define APPEND_CHECK_FLAGS                                                                         \
    CLI_UNIVERSAL_FLAGS, &flag_edges, &flag_organism, &flag_client, &flag_today, &flag_seed

/* What all of them share; made with the first. Cleared memory is the beginning. */
struct cli_append_check {
    struct bt_checker *checker;
    struct bt_universal_options universal;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct bt_dir *root; /* NULL: none was given */
};

/* Judge the document of an item, whose flags are set. False after a complaint. */
bool append_check_add(struct cli_append_check *check, struct cli_ledger_run *run,
                      const struct cli_input *input, struct bt_submission *item);
void append_check_end(struct cli_append_check *check);

#endif
