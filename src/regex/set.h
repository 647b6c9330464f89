/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h - sets of code points as sorted ranges, while a pattern is compiled.
 */
#ifndef BATON_SRC_REGEX_SET_H
#define BATON_SRC_REGEX_SET_H

#include "regex/build.h"

#define BT_RE_POINT_MAX 0x10ffffU

struct bt_re_range {
    uint32_t first;
    uint32_t last;
};

/*
 * Ranges are added in any order; after bt_re_set_finish() they are sorted, disjoint and not
 * adjacent. A zeroed set is the empty one.
 */
struct bt_re_set {
    struct bt_re_range *ranges;
    uint32_t count;
    uint32_t capacity;
};

bool bt_re_set_add(struct bt_re_build *build, struct bt_re_set *set, uint32_t first, uint32_t last);
bool bt_re_set_add_all(struct bt_re_build *build, struct bt_re_set *set,
                       const struct bt_re_set *other);
void bt_re_set_finish(struct bt_re_set *set);
/* Make a finished set its own complement. */
bool bt_re_set_invert(struct bt_re_build *build, struct bt_re_set *set);

/* Of finished sets. */
bool bt_re_set_has(const struct bt_re_set *set, uint32_t point);
bool bt_re_set_eq(const struct bt_re_set *a, const struct bt_re_set *b);
/* Whether some code point is in both. */
bool bt_re_set_meets(const struct bt_re_set *a, const struct bt_re_set *b);

/* The classes that have an escape of their own: 'd', 's' or 'w', as ECMA-262 has them. */
bool bt_re_set_add_escape(struct bt_re_build *build, struct bt_re_set *set, char letter);
/* What `.` stands for: everything but the four line terminators. */
bool bt_re_set_add_dot(struct bt_re_build *build, struct bt_re_set *set);

#endif
