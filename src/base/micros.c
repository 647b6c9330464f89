/* SPDX-License-Identifier: Apache-2.0 */
/* micros.c - texts of decimals <-> millionths, without floating point. */
#include "base/micros.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/str.h"

enum { UNIT = 1000000, WHOLE_DIGITS_MAX = 12, PLACES_MAX = 6 };

enum bt_status bt_micros_parse(bt_str text, uint64_t *out)
{
    const size_t point = bt_str_find_byte(text, '.', 0);
    const bt_str whole = bt_str_slice(text, 0, point);
    const bt_str places = bt_str_slice(text, point + 1, text.len);
    const bool has_zero_first = whole.len > 1 && whole.ptr[0] == '0';
    uint64_t number = 0;
    uint64_t fraction = 0;
    if (whole.len > WHOLE_DIGITS_MAX || has_zero_first || places.len > PLACES_MAX ||
        bt_str_to_u64(whole, &number) != BT_OK ||
        (point < text.len && bt_str_to_u64(places, &fraction) != BT_OK)) {
        return BT_EINVAL;
    }
    for (size_t i = places.len; i < PLACES_MAX; i++) {
        fraction *= 10;
    }
    *out = number * UNIT + fraction;
    return BT_OK;
}

bt_str bt_micros_write(uint64_t micros, char out[BT_MICROS_TEXT_BYTES])
{
    const int length =
        snprintf(out, BT_MICROS_TEXT_BYTES, "%" PRIu64 ".%06" PRIu64, micros / UNIT, micros % UNIT);
    assert(length > 0 && length < BT_MICROS_TEXT_BYTES);
    return (bt_str){out, (size_t)length};
}

enum bt_status bt_micros_write_json(struct bt_arena *arena, bool is_micros, uint64_t number,
                                    bt_str *out)
{
    char text[BT_MICROS_TEXT_BYTES];
    return is_micros
               ? bt_arena_printf(arena, out, "\"%.*s\"", BT_STR_ARG(bt_micros_write(number, text)))
               : bt_arena_printf(arena, out, "%" PRIu64, number);
}
