/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_text.h - rows of the registry of rules as text.
 */
#ifndef BATON_SRC_OPERATION_RULE_TEXT_H
#define BATON_SRC_OPERATION_RULE_TEXT_H

#include <baton/json.h>

#include <baton/check.h>

#include "report/report.h"
#include "select/rule_json.h"

enum { RULES_BYTES_MAX = 16 << 20 };

/* Everything about one row, for a terminal. */
void bt_rule_put_full(struct bt_buf *buf, const struct bt_rule *rule);
/* Everything about one row as a section of a Markdown page. */
void bt_rule_put_markdown(struct bt_buf *buf, const struct bt_rule *rule);
/* A group in one of these forms. */
void bt_rule_put_group(struct bt_buf *buf, size_t first,
                       void (*put)(struct bt_buf *, const struct bt_rule *));

#endif
