/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_check.h - judge universal handoffs, plans and messages that `ledger append` records, as
 * `baton check` does with the same flags.
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

/* What all documents share; made for the first one. Must be zeroed first. */
struct cli_append_check {
    struct bt_checker *checker;
    struct bt_universal_options universal;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct bt_dir *root; /* NULL: not given */
};

/* Judge the document of an item whose flags are set. False after an error message. */
bool append_check_add(struct cli_append_check *check, struct cli_ledger_run *run,
                      const struct cli_input *input, struct bt_submission *item);
/* Free everything. */
void append_check_end(struct cli_append_check *check);

#endif
