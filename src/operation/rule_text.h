/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_text.h - rows of the registry of rules as text.
 *
 * Rows of one code are neighbours in the registry; a *group* is all rows of one code.
 */
#ifndef BATON_SRC_OPERATION_RULE_TEXT_H
#define BATON_SRC_OPERATION_RULE_TEXT_H

#include <baton/json.h>

#include <baton/check.h>

#include "report/report.h"

enum { RULES_BYTES_MAX = 16 << 20 };

/* Everything about one row, for a terminal. */
void bt_rule_put_full(struct bt_buf *buf, const struct bt_rule *rule);
/* Everything about one row as a section of a Markdown page. */
void bt_rule_put_markdown(struct bt_buf *buf, const struct bt_rule *rule);
/* A group in one of these forms. */
void bt_rule_put_group(struct bt_buf *buf, size_t first,
                       void (*put)(struct bt_buf *, const struct bt_rule *));
/* The object of a group: what the rows share, and their dialects. */
void bt_rule_emit_group(struct bt_emit *emit, size_t first);
/* The array of all groups. */
void bt_rule_emit_all(struct bt_emit *emit);
/*
 * The digest that names the rules of a program: the SHA-256, in hexadecimal digits and in the
 * arena, of the canonical form (RFC 8785) of that array. BT_ENOMEM, BT_EIO: libcrypto failed.
 */
BT_MUST_USE enum bt_status bt_rule_digest(struct bt_arena *arena, bt_str *out);

#endif
