/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the rules of JSON Schema: one for each keyword that can fail, and those about schemas.
 */
#ifndef BATON_SRC_SCHEMA_RULES_H
#define BATON_SRC_SCHEMA_RULES_H

#include <baton/report.h>

/* The row of a code that has one. */
const struct bt_rule *bt_schema_rule(bt_str code);

#endif
