/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixed.c - a fixed number of bytes, each out of a set of its own.
 */
#include <string.h>

#include "regex/tier.h"

bool bt_re_fixed_make(struct bt_re_build *build, const struct bt_re_shape *shape,
                      struct bt_re_fixed **out, uint32_t *out_runs)
{
    struct bt_re_nibbles nibbles = {0};
    uint8_t masks[BT_RE_FIXED_MAX] = {0};
    uint32_t size = 0;
    uint32_t runs = 0;
    for (; runs < shape->count; runs++) {
        const struct bt_re_run_of *run = &shape->runs[runs];
        const struct bt_re_set *set = &run->set->set;
        if (run->min != run->max || run->max > BT_RE_FIXED_MAX - size || set->count == 0 ||
            set->ranges[set->count - 1].last > 0x7f) {
            break;
        }
        const uint8_t mask = bt_re_nibbles_add(&nibbles, set);
        if (mask == 0) {
            break;
        }
        memset(masks + size, mask, run->max);
        size += run->max;
    }
    struct bt_re_fixed *fixed = bt_re_keep(build, 1, sizeof(*fixed) + size);
    if (!fixed) {
        return false;
    }
    fixed->nibbles = nibbles;
    fixed->size = size;
    if (size > 0) {
        memcpy(fixed->masks, masks, size);
    }
    *out = fixed;
    *out_runs = runs;
    return true;
}
