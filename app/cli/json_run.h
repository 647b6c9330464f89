/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_run.h - shared by the commands of `baton json`: they read documents, and report errors of
 * documents as `check` does.
 */
#ifndef BATON_APP_CLI_JSON_RUN_H
#define BATON_APP_CLI_JSON_RUN_H

#include <baton/json.h>

#include "operation/rule_codes.h"
#include "run.h"

struct cli_json_input {
    struct cli_input input;
    const struct bt_json_doc *document; /* NULL: not JSON */
};

/* Make the report of documents with errors, which is often empty. */
cli_begin_fn json_run_begin;

/*
 * Read the operand at `index`, or standard input when it was omitted and is not a terminal. False
 * when there is no document: after an error message, or with a finding in the report.
 */
bool json_run_read(struct cli_run *run, size_t index, struct cli_json_input *out);

/*
 * Read both operands, of which one may be standard input. Both are tried. False as for
 * json_run_read().
 */
bool json_run_read_both(struct cli_run *run, struct cli_json_input out[2]);

/* Why a document was rejected by something other than the reader. */
struct cli_json_error {
    enum bt_code code;
    const bt_json_value *culprit; /* a value of the document */
    bt_str message;
    bt_str hint; /* or "" */
};

/* Add the finding for a rejection to the report. */
void json_run_refuse(struct cli_run *run, const struct cli_json_input *input,
                     const struct cli_json_error *refusal);

/* Print the error for a status that is not about a document. */
void json_run_fail(struct cli_run *run, enum bt_status status);

/* Print the report if it has findings, else `result`; free `result`; return the exit code. */
int json_run_end(struct cli_run *run, struct bt_buf *result);

#endif
