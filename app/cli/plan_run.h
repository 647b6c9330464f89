/* SPDX-License-Identifier: Apache-2.0 */
/* plan_run.h - the flags and runs of the commands about plans. */
#ifndef BATON_APP_CLI_PLAN_RUN_H
#define BATON_APP_CLI_PLAN_RUN_H

#include "dialect/plan/plan.h"
#include "run.h"

/*
 * Set the options from these flags and the day; the caller sets the directory. False after an error
 * message.
 */
bool cli_plan_options(const struct cli_options *options, struct bt_plan_options *out);

/*
 * Open the directory of --root before anything is judged; the path NULL gives NULL. False after an
 * error message.
 */
bool cli_dir_open(const char *path, struct bt_dir **out);
/* Check that the directory, if it is not NULL, can be opened. False after an error message. */
bool cli_dir_exists(const char *path);

/* What the commands about plans share, as a part of a run. */
struct cli_plan_run {
    struct bt_dir *root; /* NULL: not given */
    struct bt_plan_options how;
    struct bt_plan_checker *checker;
};

/* Make run->plan. */
cli_begin_fn plan_run_begin;
void plan_run_free(struct cli_plan_run *plan);

/* Read a document whose path is an operand or the value of a flag. False after an error message. */
bool plan_run_read(struct cli_run *run, const char *operand, struct bt_plan_input *out);

/* Split the values STEP=VALUE, or the like, of a flag. False after an error message. */
bool plan_run_steps(struct cli_run *run, const struct cli_flag *flag,
                    struct bt_plan_step_value **out, size_t *out_count);

/* Print the error for a status that is not about the document at `path`. Returns CLI_FAILED. */
int plan_run_fail(bt_str path, enum bt_status status);

/* Report the result; `second` (may be NULL) is reported after it. Returns the exit code. */
int plan_run_report(struct cli_run *run, const struct bt_plan_result *result,
                    const struct bt_judgement *second);

/*
 * The schema that an operand names: a reference when --root is given, else a file. False after an
 * error message.
 */
bool plan_run_schema(struct cli_run *run, const char *operand, struct bt_payload_schema_input *out);

/*
 * Report a schema: with -f like every document, without it print the schema itself, with findings
 * on standard error. Returns the exit code.
 */
int plan_run_show(struct cli_run *run, const struct bt_plan_result *result);

#endif
