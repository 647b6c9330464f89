/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_govern.h - decide governed handoffs and responses that `ledger append` records as `govern
 * submit` and `govern respond` do, inside the one transaction of the run.
 */
#ifndef BATON_APP_CLI_APPEND_GOVERN_H
#define BATON_APP_CLI_APPEND_GOVERN_H

#include <baton/govern.h>

#include "govern_flags.h"
#include "input.h"
#include "ledger_run.h"

/* What all documents share; made for the first one. Must be zeroed first. */
struct cli_append_govern {
    struct bt_governed_checker *governed;
    struct cli_governed flags;
    struct bt_governed_state govern;
};

/*
 * Turn an item, whose judgement and flags are set, into a governed submission. False after an error
 * message.
 */
bool append_govern_add(struct cli_append_govern *govern, struct cli_ledger_run *run,
                       const struct cli_input *input, struct bt_submission *item);
/* Free everything. */
void append_govern_end(struct cli_append_govern *govern);

#endif
