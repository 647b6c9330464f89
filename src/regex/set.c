/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.c - sets of code points as sorted ranges.
 */
#include "regex/set.h"

#include <assert.h>
#include <string.h>

static bool grow_ranges(struct bt_re_build *build, struct bt_re_set *set)
{
    const uint32_t capacity = set->capacity > 0 ? set->capacity * 2 : 4;
    struct bt_re_range *ranges = bt_re_scratch(build, capacity, sizeof(*ranges));
    if (!ranges) {
        return false;
    }
    if (set->count > 0) {
        memcpy(ranges, set->ranges, set->count * sizeof(*ranges));
    }
    set->ranges = ranges;
    set->capacity = capacity;
    return true;
}

bool bt_re_set_add(struct bt_re_build *build, struct bt_re_set *set, uint32_t first, uint32_t last)
{
    assert(first <= last);
    assert(last <= BT_RE_POINT_MAX);
    /* Most are added in order, so that neighbours join at once. */
    if (set->count > 0) {
        struct bt_re_range *newest = &set->ranges[set->count - 1];
        if (first >= newest->first && first <= newest->last + 1) {
            newest->last = last > newest->last ? last : newest->last;
            return true;
        }
    }
    if (set->count == set->capacity && !grow_ranges(build, set)) {
        return false;
    }
    set->ranges[set->count++] = (struct bt_re_range){first, last};
    return true;
}

bool bt_re_set_add_all(struct bt_re_build *build, struct bt_re_set *set,
                       const struct bt_re_set *other)
{
    for (uint32_t i = 0; i < other->count; i++) {
        if (!bt_re_set_add(build, set, other->ranges[i].first, other->ranges[i].last)) {
            return false;
        }
    }
    return true;
}

/* Let the range at `root` sink in the heap of the first `count`, the largest first on top. */
static void sift_down(struct bt_re_range *ranges, uint32_t root, uint32_t count)
{
    for (uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && ranges[child + 1].first > ranges[child].first) {
            child++;
        }
        if (ranges[root].first >= ranges[child].first) {
            return;
        }
        const struct bt_re_range swapped = ranges[root];
        ranges[root] = ranges[child];
        ranges[child] = swapped;
        root = child;
    }
}

static bool is_sorted(const struct bt_re_set *set)
{
    for (uint32_t i = 1; i < set->count; i++) {
        if (set->ranges[i].first < set->ranges[i - 1].first) {
            return false;
        }
    }
    return true;
}

static void sort_ranges(struct bt_re_set *set)
{
    for (uint32_t i = set->count / 2; i-- > 0;) {
        sift_down(set->ranges, i, set->count);
    }
    for (uint32_t end = set->count; end-- > 1;) {
        const struct bt_re_range swapped = set->ranges[0];
        set->ranges[0] = set->ranges[end];
        set->ranges[end] = swapped;
        sift_down(set->ranges, 0, end);
    }
}

void bt_re_set_finish(struct bt_re_set *set)
{
    if (set->count == 0) {
        return;
    }
    if (!is_sorted(set)) {
        sort_ranges(set);
    }
    uint32_t kept = 0;
    for (uint32_t i = 1; i < set->count; i++) {
        struct bt_re_range *last = &set->ranges[kept];
        if (set->ranges[i].first <= last->last + 1) {
            last->last = set->ranges[i].last > last->last ? set->ranges[i].last : last->last;
        } else {
            set->ranges[++kept] = set->ranges[i];
        }
    }
    set->count = kept + 1;
}

bool bt_re_set_invert(struct bt_re_build *build, struct bt_re_set *set)
{
    struct bt_re_set inverse = {0};
    uint32_t next = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->ranges[i].first > next &&
            !bt_re_set_add(build, &inverse, next, set->ranges[i].first - 1)) {
            return false;
        }
        next = set->ranges[i].last + 1;
    }
    if (next <= BT_RE_POINT_MAX && !bt_re_set_add(build, &inverse, next, BT_RE_POINT_MAX)) {
        return false;
    }
    *set = inverse;
    return true;
}

bool bt_re_set_has(const struct bt_re_set *set, uint32_t point)
{
    uint32_t low = 0;
    uint32_t high = set->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (point > set->ranges[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < set->count && set->ranges[low].first <= point;
}

bool bt_re_set_eq(const struct bt_re_set *a, const struct bt_re_set *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->ranges, b->ranges, a->count * sizeof(*a->ranges)) == 0);
}

bool bt_re_set_meets(const struct bt_re_set *a, const struct bt_re_set *b)
{
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < a->count && j < b->count) {
        if (a->ranges[i].last < b->ranges[j].first) {
            i++;
        } else if (b->ranges[j].last < a->ranges[i].first) {
            j++;
        } else {
            return true;
        }
    }
    return false;
}

static bool add_table(struct bt_re_build *build, struct bt_re_set *set,
                      const struct bt_re_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!bt_re_set_add(build, set, ranges[i].first, ranges[i].last)) {
            return false;
        }
    }
    return true;
}

bool bt_re_set_add_escape(struct bt_re_build *build, struct bt_re_set *set, char letter)
{
    static const struct bt_re_range digits[] = {{'0', '9'}};
    static const struct bt_re_range word[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    /* WhiteSpace and LineTerminator of ECMA-262: tab to carriage return, category Zs, U+FEFF. */
    static const struct bt_re_range space[] = {
        {0x09, 0x0d},     {0x20, 0x20},     {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
        {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
    };
    switch (letter) {
    case 'd':
        return add_table(build, set, digits, 1);
    case 'w':
        return add_table(build, set, word, 4);
    default:
        assert(letter == 's');
        return add_table(build, set, space, sizeof(space) / sizeof(space[0]));
    }
}

bool bt_re_set_add_dot(struct bt_re_build *build, struct bt_re_set *set)
{
    static const struct bt_re_range ranges[] = {
        {0, 0x09}, {0x0b, 0x0c}, {0x0e, 0x2027}, {0x202a, BT_RE_POINT_MAX}};
    return add_table(build, set, ranges, 4);
}
