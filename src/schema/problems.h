/* SPDX-License-Identifier: Apache-2.0 */
/* problems.h - report why a schema cannot be compiled, as findings about the schema. */
#ifndef BATON_SRC_SCHEMA_PROBLEMS_H
#define BATON_SRC_SCHEMA_PROBLEMS_H

#include "report/rules.h"

struct bt_schema_compile_errors {
    struct bt_findings *findings; /* NULL: they are only counted */
    size_t count;
};

/* Add a finding; `ref` (or the pattern), `reason` and the URI of the document may be absent. */
typedef enum bt_status bt_schema_add_problem_fn(struct bt_findings *findings, struct bt_location at,
                                                bt_str ref, bt_str reason, bt_str uri);

/* A place in one of the documents that make up the schema. */
struct bt_schema_compile_error {
    bt_schema_add_problem_fn *add;
    const struct bt_json_doc *document;
    bt_str uri; /* of the document; "" is the schema itself */
    const bt_json_value *at;
    bt_str ref;         /* for params, or "" */
    const char *reason; /* one clause; for the message and for params */
};

BT_MUST_USE enum bt_status
bt_schema_compile_errors_add(struct bt_schema_compile_errors *problems,
                             const struct bt_schema_compile_error *problem);

#endif
