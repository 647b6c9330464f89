/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_json.h - rows of the registry of rules as JSON.
 *
 * Rows of one code are neighbours in the registry; a *group* is all rows of one code.
 */
#ifndef BATON_SRC_SELECT_RULE_JSON_H
#define BATON_SRC_SELECT_RULE_JSON_H

#include "report/report.h"

struct bt_emit;

/* The index after the last row that has the code of row `first`. */
size_t bt_rule_group_end(size_t first);
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
