/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unicode.c - the properties of \p{...}: general categories, scripts, and the binary properties
 * that ECMA-262 lists. The data and its encoding are tools/gen_unicode.py's.
 */
#include "regex/unicode.h"

#include <assert.h>

/* A run of bytes in the table of encoded sets. */
struct re_unicode_span {
    uint32_t offset;
    uint32_t size;
};

struct re_unicode_property {
    bt_str name;
    struct re_unicode_span
        spans[2]; /* of a script: Script, then Script_Extensions; of others the first */
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

static uint32_t read_number(const struct re_unicode_span *span, uint32_t *at)
{
    uint32_t number = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        assert(*at < span->size);
        const uint8_t byte = set_bytes[span->offset + (*at)++];
        number |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) {
            break;
        }
    }
    return number;
}

static bool add_span(struct bt_re_build *build, struct bt_re_set *set,
                     const struct re_unicode_span *span)
{
    uint32_t next = 0;
    for (uint32_t at = 0; at < span->size;) {
        const uint32_t first = next + read_number(span, &at);
        const uint32_t last = first + read_number(span, &at);
        if (!bt_re_set_add(build, set, first, last)) {
            return false;
        }
        next = last + 1;
    }
    return true;
}

static const struct re_unicode_span *find_value(bt_str name, bt_str value)
{
    const struct re_unicode_property *found = NULL;
    if (bt_str_eq(name, BT_STR("General_Category")) || bt_str_eq(name, BT_STR("gc"))) {
        found = find_property(categories, COUNT_OF(categories), value);
        return found ? &found->spans[0] : NULL;
    }
    found = find_property(scripts, COUNT_OF(scripts), value);
    if (bt_str_eq(name, BT_STR("Script")) || bt_str_eq(name, BT_STR("sc"))) {
        return found ? &found->spans[0] : NULL;
    }
    if (bt_str_eq(name, BT_STR("Script_Extensions")) || bt_str_eq(name, BT_STR("scx"))) {
        return found ? &found->spans[1] : NULL;
    }
    return NULL;
}

static const struct re_unicode_span *find_lone(bt_str name)
{
    const struct re_unicode_property *found = find_property(categories, COUNT_OF(categories), name);
    if (!found) {
        found = find_property(binaries, COUNT_OF(binaries), name);
    }
    return found ? &found->spans[0] : NULL;
}

bool bt_re_unicode_add(struct bt_re_build *build, struct bt_re_set *set, bt_str expression,
                       bool *out_known)
{
    const size_t equals = bt_str_find_byte(expression, '=', 0);
    const struct re_unicode_span *span =
        equals < expression.len ? find_value(bt_str_slice(expression, 0, equals),
                                             bt_str_slice(expression, equals + 1, expression.len))
                                : find_lone(expression);
    *out_known = span != NULL;
    return !span || add_span(build, set, span);
}
