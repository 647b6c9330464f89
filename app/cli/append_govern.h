/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_govern.h - governed handoffs and responses that `ledger append` records: decided as by
 * `govern submit` and `govern respond`, inside the one transaction of the run.
 */
#ifndef BATON_APP_CLI_APPEND_GOVERN_H
#define BATON_APP_CLI_APPEND_GOVERN_H

#include <baton/govern.h>

#include "govern_flags.h"
#include "input.h"
#include "ledger_run.h"

/* What all of them share; made with the first. Cleared memory is the beginning. */
struct cli_append_govern {
    struct bt_governed_checker *governed;
    struct cli_governed flags;
    struct bt_governed_state govern;
};

/* Turn an item, whose judged document and flags are set, into a case. False after a complaint. */
bool append_govern_add(struct cli_append_govern *govern, struct cli_ledger_run *run,
                       const struct cli_input *input, struct bt_submission *item);
void append_govern_end(struct cli_append_govern *govern);

#endif
