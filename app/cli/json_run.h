/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_run.h - what the commands of `baton json` have in common: documents come in, and what cannot
 * be read or refuses to be written is reported as `check` reports it.
 */
#ifndef BATON_APP_CLI_JSON_RUN_H
#define BATON_APP_CLI_JSON_RUN_H

#include <baton/json.h>

#include "cli.h"
#include "input.h"

struct cli_json_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_report *report; /* of what went wrong with the documents; often empty */
    bool failed;              /* something went wrong that is no fault of a document */
};

struct cli_json_input {
    struct cli_input input;
    const struct bt_json_doc *document; /* NULL when it could not be read as JSON */
};

/* False after a complaint. A run that began is given to json_run_end(). */
bool json_run_begin(struct cli_json_run *run, const struct cli_options *options);

/*
 * Read the operand at `index`, or standard input when it was left out and is no terminal. False
 * when there is no document: after a complaint, or with the reason added to the report.
 */
bool json_run_read(struct cli_json_run *run, size_t index, struct cli_json_input *out);

/* Read both operands, of which one may be standard input. False as above; both were tried. */
bool json_run_read_both(struct cli_json_run *run, struct cli_json_input out[2]);

/* Why a document was refused by something other than the reader. */
struct cli_json_error {
    bt_str code;
    const bt_json_value *culprit; /* a value of the document */
    bt_str message;
    bt_str hint; /* or "" */
};

/* Add the finding that a refusal makes to the report. */
void json_run_refuse(struct cli_json_run *run, const struct cli_json_input *input,
                     const struct cli_json_error *refusal);

/* Complain of a status that is no fault of a document. */
void json_run_fail(struct cli_json_run *run, enum bt_status status);

/* Print the report if something is in it, else `result`; free both; return the exit code. */
int json_run_end(struct cli_json_run *run, struct bt_buf *result);

#endif
