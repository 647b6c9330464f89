/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.h - the arguments of a call: checked against the parameters of its operation, then read
 * by the function that runs it.
 *
 * Options that judge a document (BT_IN_OPTION) are not checked here: bt_op_request_read() reads
 * them and says what is wrong.
 */
#ifndef BATON_SRC_OPERATION_ARGUMENTS_H
#define BATON_SRC_OPERATION_ARGUMENTS_H

#include <baton/json.h>
#include "base/env.h"

#include "base/str.h"
#include "operation/table.h"

/* ---- Checks ---------------------------------------------------------------------------------- */

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
 * Check the members of an object against the parameters in these places: names that are unknown,
 * then values, then members that are missing. False: `out` is the first fault.
 */
BT_MUST_USE bool bt_arguments_check_object(const struct bt_operation *operation, unsigned places,
                                           const struct bt_json_doc *document,
                                           const bt_json_value *object,
                                           struct bt_argument_fault *out);

/*
 * Read an object of a list: the texts of its members, in their order; "" for those that are absent
 * or null. False: `out` is the first fault.
 */
BT_MUST_USE bool bt_arguments_read_texts(const struct bt_operation_param *list,
                                         const struct bt_json_doc *document,
                                         const bt_json_value *object, bt_str texts[],
                                         struct bt_argument_fault *out);

/* Read a text as a whole number within the bounds of its parameter. */
BT_MUST_USE bool bt_argument_read_integer(const struct bt_operation_param *param, bt_str text,
                                          uint64_t *out);
/* Read base64 into the arena. False: it is not base64, or out of memory. */
BT_MUST_USE bool bt_argument_decode_base64(bt_str text, struct bt_arena *arena, bt_str *out);
/* Read 1, true, 0 or false. */
BT_MUST_USE bool bt_argument_read_bool(bt_str text, bool *out);

/* ---- Values ---------------------------------------------------------------------------------- */

/* One value: from JSON, or a text of a query, a path or a body. Neither: it is absent. */
struct bt_arg {
    const struct bt_json_doc *document; /* NULL: a text */
    const bt_json_value *json;
    bt_str text;
    bool is_argument;          /* an option that stands beside the options of a tool */
    const struct bt_arg *next; /* of a parameter that is repeated in a query; NULL: none */
};

struct bt_arg_option {
    bt_str name;
    struct bt_arg value;
};

/* A document of an envelope; absent texts are "". */
struct bt_arg_document {
    bt_str text;
    bt_str path;
    bt_str dialect;
};

struct bt_args {
    const struct bt_operation *operation;
    struct bt_arg *values;         /* for each parameter; BT_ARG_NOUN_VERB_NAME is its place */
    struct bt_arg_option *options; /* in the order in which they were given */
    size_t option_count;
    size_t option_max;
    const struct bt_arg_document *documents; /* of an envelope; NULL: the content is the document */
    size_t document_count;
    bt_str input;           /* of a contract, JSON; "" for none */
    bt_str answer;          /* of a model; "" for none */
    struct bt_arg receipts; /* of partners' logs, an array of 1 to 8; absent: none */
    bool is_tool;           /* they are the arguments of a tool */
};

/* Begin without arguments, with room for so many options. */
BT_MUST_USE enum bt_status bt_args_begin(struct bt_args *args, const struct bt_operation *operation,
                                         size_t option_max, struct bt_arena *arena);
/*
 * Add the value of a parameter in one of these places. A repeated one is added to the end.
 * BT_ENOENT: there is no such parameter.
 */
BT_MUST_USE enum bt_status bt_args_add(struct bt_args *args, unsigned places, bt_str name,
                                       struct bt_arg value, struct bt_arena *arena);
void bt_args_add_option(struct bt_args *args, bt_str name, struct bt_arg value);

/* The value at a place, or that of a name; NULL when it is absent. */
const struct bt_arg *bt_args_at(const struct bt_args *args, size_t place);
const struct bt_arg *bt_args_find(const struct bt_args *args, const char *name);
/* The whole body, or the argument that stands for it. */
const struct bt_arg *bt_args_content(const struct bt_args *args);
/* The text of a value, or the digits of a number; "" when it is absent. */
bt_str bt_arg_text(const struct bt_arg *arg);
/* The source text of a value of JSON, and a text as it is; "" when it is absent. */
bt_str bt_arg_source(const struct bt_arg *arg);

bool bt_args_has(const struct bt_args *args, size_t place);
bt_str bt_args_text(const struct bt_args *args, size_t place);
bt_str bt_args_source(const struct bt_args *args, size_t place);
/* A whole number that was checked; `otherwise` when it is absent. */
uint64_t bt_args_number(const struct bt_args *args, size_t place, uint64_t otherwise);
/* True when it is given as 1 or true. */
bool bt_args_bool(const struct bt_args *args, size_t place);
/* False when it is absent. */
BT_MUST_USE bool bt_args_instant(const struct bt_args *args, size_t place, bt_instant *out);
/* The texts of a list, or of a parameter that is repeated, in the arena. */
BT_MUST_USE enum bt_status bt_args_texts(const struct bt_args *args, size_t place,
                                         struct bt_arena *arena, struct bt_str_list *out);

#endif
