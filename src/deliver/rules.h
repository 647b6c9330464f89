/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the rules about senders, and about where a handoff goes. */
#ifndef BATON_SRC_DELIVER_RULES_H
#define BATON_SRC_DELIVER_RULES_H

#include <baton/report.h>

extern const struct bt_rule bt_deliver_rules[];
extern const size_t bt_deliver_rules_count;

/* The rule of this code in a dialect. */
const struct bt_rule *bt_deliver_rule(const char *code, bt_str dialect);

#endif
