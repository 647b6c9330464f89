/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - what the files of lint share.
 *
 * Every rule looks at one schema (node) of the frame at a time and adds findings; what several
 * rules want to know about a schema is asked here.
 */
#ifndef BATON_SRC_SCHEMA_LINT_H
#define BATON_SRC_SCHEMA_LINT_H

#include <baton/regex.h>

#include "base/str.h"
#include "regex/matcher.h"
#include "report/rules.h"
#include "schema/frame.h"

/* Types of values, as JSON Schema tells them apart; integers are numbers too. */
enum {
    BT_TAKES_NULL = 1 << 0,
    BT_TAKES_BOOLEAN = 1 << 1,
    BT_TAKES_INTEGER = 1 << 2,
    BT_TAKES_FRACTION = 1 << 3, /* numbers that are not integers */
    BT_TAKES_STRING = 1 << 4,
    BT_TAKES_ARRAY = 1 << 5,
    BT_TAKES_OBJECT = 1 << 6,
    BT_TAKES_ALL = (1 << 7) - 1,
};

struct bt_schema_lint_run {
    struct bt_schema_frame frame;
    struct bt_findings *findings;
    uint8_t *takes; /* by node: the types that it can accept at all, or more */
    /* What required names may cost in all; beyond, they count as declared. */
    size_t compares_left; /* with names of properties */
    size_t matches_left;  /* with patterns */
    size_t nearest_left;  /* searches for the name that was meant */
    struct bt_regex_matcher matcher;
};

/* Where a value of the schema itself stands. */
static inline struct bt_location bt_schema_lint_locate(const struct bt_schema_lint_run *lint,
                                                       const bt_json_value *at)
{
    return bt_location_value(lint->frame.documents.items[0].document, at);
}

/* lint_types.c: find out which types each node can accept. */
BT_MUST_USE enum bt_status bt_schema_lint_run_find_types(struct bt_schema_lint_run *lint);
/* Those that its own type, const and enum leave. */
uint8_t bt_schema_lint_run_own_types(const struct bt_schema_lint_run *lint,
                                     const struct bt_schema_node *node);
/* Those that an edge leads to a schema for. */
uint8_t bt_schema_lint_run_edge_types(const struct bt_schema_lint_run *lint,
                                      const struct bt_schema_edge *edge);
enum { BT_TYPE_NAMES_MAX = 7 };
/* Their names, in `names`; "number" says integers as well. */
struct bt_str_list bt_schema_lint_type_names(uint8_t types, bt_str names[BT_TYPE_NAMES_MAX]);

/* The rules. */
typedef enum bt_status bt_lint_fn(struct bt_schema_lint_run *lint,
                                  const struct bt_schema_node *node);
bt_lint_fn bt_schema_lint_unique_items;
bt_lint_fn bt_schema_lint_pattern;
bt_lint_fn bt_schema_lint_required;
bt_lint_fn bt_schema_lint_branches;

#endif
