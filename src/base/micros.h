/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micros.h - decimals of at most six places, held as whole millionths: "12.5" is 12500000.
 */
#ifndef BATON_SRC_BASE_MICROS_H
#define BATON_SRC_BASE_MICROS_H

#include <baton/base.h>

enum { BT_MICROS_TEXT_BYTES = 32 };

/*
 * Parse ^(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$. BT_EINVAL: the text has another form; *out is
 * unchanged.
 */
BT_MUST_USE enum bt_status bt_micros_parse(bt_str text, uint64_t *out);
/* Write it with six places. The result points into `out`. */
bt_str bt_micros_write(uint64_t micros, char out[BT_MICROS_TEXT_BYTES]);

/*
 * Write a number as JSON, in the arena: a whole number or, when it is in millionths, the text of a
 * decimal. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_micros_write_json(struct bt_arena *arena, bool is_micros,
                                                uint64_t number, bt_str *out);

#endif
