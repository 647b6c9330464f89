/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the rules about trace logs and the W3C header.
 */
#ifndef BATON_SRC_TRACE_RULES_H
#define BATON_SRC_TRACE_RULES_H

#include <baton/report.h>

/* Sorted by code. Examples are lines of a log, handoffs, or values of the header. */
extern const struct bt_rule bt_trace_rules[];
extern const size_t bt_trace_rules_count;

/* The row of a code that has one. */
const struct bt_rule *bt_trace_rule(bt_str code);

#endif
