/* SPDX-License-Identifier: Apache-2.0 */
/* blanks.h - valid JSON text without the white space between its tokens. */
#ifndef BATON_SRC_JSON_BLANKS_H
#define BATON_SRC_JSON_BLANKS_H

#include <baton/base.h>

/*
 * Put a valid text without the white space outside of its strings. False: it has an escape, `buf`
 * has no room for it, or this build leaves it to bt_json_writer_put(); nothing is put.
 */
BT_MUST_USE bool bt_json_put_without_blanks(struct bt_buf *buf, bt_str text);

#endif
