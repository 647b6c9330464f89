/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_text.h - rows of the registry of rules as text.
 *
 * Rows of one code are neighbours in the registry; a *group* is all rows of one code.
 */
#ifndef BATON_APP_SERVICE_RULE_TEXT_H
#define BATON_APP_SERVICE_RULE_TEXT_H

#include <baton/json.h>

#include <baton/check.h>

enum { RULES_BYTES_MAX = 16 << 20 };

/* The index after the last row that has the code of row `first`. */
size_t rule_group_end(size_t first);

/* Everything about one row, for a terminal. */
void rule_put_full(struct bt_buf *buf, const struct bt_rule *rule);
/* Everything about one row as a section of a Markdown page. */
void rule_put_markdown(struct bt_buf *buf, const struct bt_rule *rule);
/* A group in one of these ways. */
void rule_put_group(struct bt_buf *buf, size_t first,
                    void (*put)(struct bt_buf *, const struct bt_rule *));
/* The object that stands for a group: what the rows share, and their dialects. */
void rule_emit_group(struct bt_emit *emit, size_t first);

#endif
