/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_run.h - what the commands of `baton plan` have in common: documents come in, one is judged,
 * and the report is that of `check` with a member of the command's own.
 */
#ifndef BATON_APP_CLI_PLAN_RUN_H
#define BATON_APP_CLI_PLAN_RUN_H

#include <baton/plan.h>

#include "cli.h"
#include "input.h"

struct cli_plan_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_dir *root; /* NULL: none was given */
    struct bt_plan_options how;
    struct bt_plan_checker *plans;
    bool stdin_read;
};

/* False after a complaint. A run that began is given to plan_run_end(). */
bool plan_run_begin(struct cli_plan_run *run, const struct cli_options *options);
void plan_run_end(struct cli_plan_run *run);

/* Read a document whose path is an operand or the value of a flag. False after a complaint. */
bool plan_run_read(struct cli_plan_run *run, const char *operand, struct bt_plan_input *out);

/* Complain of a status that is no fault of the document at `path`. Returns CLI_FAILED. */
int plan_run_fail(bt_str path, enum bt_status status);

/* Report what came of a document; `second` (may be NULL) is reported behind it. Returns the exit
 * code. */
int plan_run_report(struct cli_plan_run *run, const struct bt_plan_result *result,
                    const struct bt_judgement *second);

/* A schema named by an operand: a reference when there is a root, else a file. False after a
 * complaint. */
bool plan_run_schema(struct cli_plan_run *run, const char *operand,
                     struct bt_payload_schema_input *out);

/* Report a schema: with -f as every document, without as the schema itself, with what was found on
 * standard error. Returns the exit code. */
int plan_run_show(struct cli_plan_run *run, const struct bt_plan_result *result);

#endif
