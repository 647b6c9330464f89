/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.h - check what a caller gave against the parameters of an operation.
 *
 * Options that judge a document (BT_IN_OPTION) are not checked here: bt_op_request_option() reads
 * them and says what is wrong.
 */
#ifndef BATON_SRC_OPERATION_ARGUMENTS_H
#define BATON_SRC_OPERATION_ARGUMENTS_H

#include <baton/json.h>

#include "operation/table.h"

/* An argument that cannot be used: its name, and what is wrong, as part of a sentence. */
struct bt_argument_fault {
    bt_str name;
    const char *why;
};

/* NULL when a text of a query has a value of its parameter's type; else what is wrong. */
const char *bt_argument_check_text(const struct bt_operation_param *param, bt_str text);
/* NULL when a value of JSON has its parameter's type; else what is wrong. */
const char *bt_argument_check_json(const struct bt_operation_param *param,
                                   const struct bt_json_doc *document, const bt_json_value *value);
/*
 * Check the members of an object against the parameters of the body: names that are unknown, then
 * values, then members that are missing. False: `out` is the first fault.
 */
BT_MUST_USE bool bt_arguments_check_object(const struct bt_operation *operation,
                                           const struct bt_json_doc *document,
                                           const bt_json_value *object,
                                           struct bt_argument_fault *out);

/* Read a text as a whole number within the bounds of its parameter. */
BT_MUST_USE bool bt_argument_read_integer(const struct bt_operation_param *param, bt_str text,
                                          uint64_t *out);
/* Read 1, true, 0 or false. */
BT_MUST_USE bool bt_argument_read_bool(bt_str text, bool *out);

#endif
