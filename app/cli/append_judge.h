/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_judge.h - judge the documents that `ledger append` records: universal handoffs, plans and
 * messages as `baton check` does with the same flags, contract blocks and governed documents with
 * the default options of `contract submit`, `govern submit` and `govern respond`.
 */
#ifndef BATON_APP_CLI_APPEND_JUDGE_H
#define BATON_APP_CLI_APPEND_JUDGE_H

#include <baton/check.h>

#include "contract_run.h"
#include "decide/contract_state.h"
#include "decide/governed_state.h"
#include "govern_run.h"
#include "input.h"
#include "organism_file.h"
#include "plan_run.h"
#include "run.h"
#include "universal_run.h"

/* What the judging of each dialect works with; made when it is first needed. */
struct cli_append_judge {
    struct bt_checker *checker;
    struct bt_universal_options universal;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct bt_dir *root; /* NULL: not given */
    struct cli_contract contract_flags;
    struct bt_contract_state contract; /* without a checker: not needed yet */
    bt_str workspace;
    struct cli_governed governed_flags;
    struct bt_governed_checker *governed; /* NULL: not needed yet */
};

/*
 * Judge a document, whose dialect stands in item->judged, or prepare its decision. False after an
 * error message.
 */
bool append_judge_add(struct cli_append_judge *judge, struct cli_run *run,
                      const struct cli_input *input, struct bt_submission *item);
void append_judge_end(struct cli_append_judge *judge);

#endif
