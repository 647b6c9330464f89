/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.h - base64 (RFC 4648 section 4) in its one spelling: padded, without stray bits, without
 * white space.
 */
#ifndef BATON_SRC_LEDGER_BASE64_H
#define BATON_SRC_LEDGER_BASE64_H

#include <baton/base.h>

void bt_base64_put(struct bt_buf *buf, bt_str bytes);
/* The number of bytes that the text stands for, or SIZE_MAX when it is not the one spelling. */
size_t bt_base64_size(bt_str text);
/* Write them; `text` must be the one spelling. */
void bt_base64_decode(bt_str text, void *out);

#endif
