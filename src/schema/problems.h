/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.h - why a schema cannot be compiled, said as findings about the schema.
 */
#ifndef BATON_SRC_SCHEMA_PROBLEMS_H
#define BATON_SRC_SCHEMA_PROBLEMS_H

#include <baton/json.h>

struct bt_findings;

struct bt_problems {
    struct bt_findings *findings; /* NULL: they are only counted */
    size_t count;
};

/* A place in one of the documents that make up the schema. */
struct bt_problem {
    const char *code;
    const struct bt_doc *document;
    bt_str uri; /* of the document; "" is the schema itself */
    const bt_value *at;
    bt_str ref;         /* for params, or "" */
    const char *reason; /* one clause; for the message and for params */
};

BT_MUST_USE enum bt_status bt_problems_add(struct bt_problems *problems,
                                           const struct bt_problem *problem);

#endif
