/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h - bytes of a handler -> text that can be shown to an operator.
 */
#ifndef BATON_SRC_SANDBOX_PLAIN_H
#define BATON_SRC_SANDBOX_PLAIN_H

#include <baton/base.h>

/* The most that is shown of a line, or of the reason of a failure. */
enum { BT_PLAIN_BYTES_MAX = 1000 };

/* Put at most BT_PLAIN_BYTES_MAX bytes of UTF-8: control characters but tabs, and bytes that are
 * not UTF-8, as \xHH. No code point and no escape is cut. */
void bt_plain_put(struct bt_buf *out, bt_str text);

/* Put all of it: bytes that are not UTF-8 as \xHH, everything else as it is. */
void bt_plain_put_text(struct bt_buf *out, bt_str text);

#endif
