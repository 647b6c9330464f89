/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - bounds and multiples of exact decimals.
 */
#ifndef BATON_SRC_SCHEMA_NUMBER_H
#define BATON_SRC_SCHEMA_NUMBER_H

#include "schema/program.h"

/* Set one end of the bounds from a JSON number. */
void bt_schema_bounds_set_low(struct bt_schema_bounds *bounds, bt_str number, bool excluded);
void bt_schema_bounds_set_high(struct bt_schema_bounds *bounds, bt_str number, bool excluded);
/* Bounds that every number keeps. */
struct bt_schema_bounds bt_schema_bounds_none(void);

/* Whether a number is not below the low bound, not above the high one. */
bool bt_schema_bounds_low_ok(const struct bt_schema_bounds *bounds,
                             const struct bt_json_doc *document, const bt_json_value *number);
bool bt_schema_bounds_high_ok(const struct bt_schema_bounds *bounds,
                              const struct bt_json_doc *document, const bt_json_value *number);

/* False when the divisor is zero or has too many digits. */
bool bt_schema_multiple_make(bt_str divisor, struct bt_schema_multiple *out);
bool bt_schema_multiple_ok(const struct bt_schema_multiple *multiple,
                           const struct bt_json_doc *document, const bt_json_value *number);

/* A keyword's value as a count: whole, not negative, and UINT64_MAX when it is beyond that.
 * False when it is not such a number. */
bool bt_schema_count_of(const struct bt_json_doc *document, const bt_json_value *value,
                        uint64_t *out);

#endif
