/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - references to other repositories, and secrets in URLs. */
#ifndef BATON_SRC_DIALECT_CONTRACT_ADDRESS_H
#define BATON_SRC_DIALECT_CONTRACT_ADDRESS_H

#include "dialect/contract/contract_check.h"

/* Read a reference, address:table/name; out->valid is false for everything else. */
BT_MUST_USE enum bt_status bt_repo_reference_parse(struct bt_arena *arena, bt_str text,
                                                   struct bt_repo_address *out);

/*
 * Find the next user part of an address that is a secret, at or after `from`: any with http, with
 * other schemes one that has a password. Slashes may be escaped, as in the source of a string.
 * False when there is none. The text is UTF-8.
 */
BT_MUST_USE bool bt_contract_next_secret(bt_str text, size_t from, size_t *out_begin,
                                         size_t *out_end);

/* Put the text with *** in place of such parts. */
void bt_contract_put_redacted(struct bt_buf *buf, bt_str text);

#endif
