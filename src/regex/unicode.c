/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unicode.c - the properties of \p{...}: general categories, scripts, and the binary properties
 * that ECMA-262 lists. The data and its encoding are tools/gen_unicode.py's.
 */
#include "regex/unicode.h"

#include <assert.h>

struct re_unicode_property {
    bt_str name;
    uint16_t sets[2]; /* of a script: Script, then Script_Extensions; of others the first */
};

#include "regex/unicode_data.inc"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const struct re_unicode_property *find_property(const struct re_unicode_property *table,
                                                       size_t count, bt_str name)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bt_str_compare(table[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && bt_str_eq(table[low].name, name) ? &table[low] : NULL;
}

/* The rest of a set, which is read bound after bound. */
struct re_unicode_rest {
    uint32_t at; /* in set_bytes */
    uint32_t end;
    uint32_t bound; /* the next one, or BOUND_NONE */
};

#define BOUND_NONE UINT32_MAX

static uint32_t read_number(struct re_unicode_rest *rest)
{
    uint32_t number = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        assert(rest->at < rest->end);
        const uint8_t byte = set_bytes[rest->at++];
        number |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return number;
}

static void read_bound(struct re_unicode_rest *rest)
{
    rest->bound = rest->at < rest->end ? rest->bound + read_number(rest) : BOUND_NONE;
}

/* The rests that a set is the sum of, each at its first bound; returns how many. */
static size_t find_rests(uint16_t set, struct re_unicode_rest rests[PARTS_MAX])
{
    bool is_part[SETS] = {0};
    size_t count = 0;
    is_part[set] = true;
    /* A set is the sum of sets before it, so whether one is a part is known when it is reached. */
    for (size_t i = (size_t)set + 1; i-- > 0;) {
        if (!is_part[i]) {
            continue;
        }
        assert(count < PARTS_MAX);
        struct re_unicode_rest *rest = &rests[count++];
        *rest = (struct re_unicode_rest){.at = set_starts[i], .end = set_starts[i + 1]};
        for (uint32_t others = read_number(rest); others > 0; others--) {
            const uint32_t other = read_number(rest);
            assert(other < i);
            is_part[other] = !is_part[other];
        }
        read_bound(rest);
    }
    return count;
}

/* The next bound that an odd number of rests have, or BOUND_NONE. */
static uint32_t next_bound(struct re_unicode_rest *rests, size_t count)
{
    uint32_t bound = BOUND_NONE;
    for (bool is_odd = false; !is_odd;) { /* ends, because every rest does */
        bound = BOUND_NONE;
        for (size_t i = 0; i < count; i++) {
            bound = rests[i].bound < bound ? rests[i].bound : bound;
        }
        if (bound == BOUND_NONE) {
            break;
        }
        for (size_t i = 0; i < count; i++) {
            if (rests[i].bound == bound) {
                is_odd = !is_odd;
                read_bound(&rests[i]);
            }
        }
    }
    return bound;
}

static bool add_set(struct bt_re_build *build, struct bt_re_set *set, uint16_t added)
{
    struct re_unicode_rest rests[PARTS_MAX];
    const size_t count = find_rests(added, rests);
    for (uint32_t first = next_bound(rests, count); first != BOUND_NONE;
         first = next_bound(rests, count)) {
        const uint32_t behind = next_bound(rests, count);
        if (!bt_re_set_add(build, set, first, behind - 1)) {
            return false;
        }
    }
    return true;
}

static const uint16_t *find_value(bt_str name, bt_str value)
{
    const struct re_unicode_property *found = NULL;
    if (bt_str_eq(name, BT_STR("General_Category")) || bt_str_eq(name, BT_STR("gc"))) {
        found = find_property(categories, COUNT_OF(categories), value);
        return found ? &found->sets[0] : NULL;
    }
    found = find_property(scripts, COUNT_OF(scripts), value);
    if (bt_str_eq(name, BT_STR("Script")) || bt_str_eq(name, BT_STR("sc"))) {
        return found ? &found->sets[0] : NULL;
    }
    if (bt_str_eq(name, BT_STR("Script_Extensions")) || bt_str_eq(name, BT_STR("scx"))) {
        return found ? &found->sets[1] : NULL;
    }
    return NULL;
}

static const uint16_t *find_lone(bt_str name)
{
    const struct re_unicode_property *found = find_property(categories, COUNT_OF(categories), name);
    if (!found) {
        found = find_property(binaries, COUNT_OF(binaries), name);
    }
    return found ? &found->sets[0] : NULL;
}

bool bt_re_unicode_add(struct bt_re_build *build, struct bt_re_set *set, bt_str expression,
                       bool *out_known)
{
    const size_t equals = bt_str_find_byte(expression, '=', 0);
    const uint16_t *found = equals < expression.len
                                ? find_value(bt_str_slice(expression, 0, equals),
                                             bt_str_slice(expression, equals + 1, expression.len))
                                : find_lone(expression);
    *out_known = found != NULL;
    return !found || add_set(build, set, *found);
}
