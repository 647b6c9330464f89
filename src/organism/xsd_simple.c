/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd_simple.c - simple types of the profile: built in, and restricted by facets.
 */
#include "organism/xsd.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "xml/xml.h"

enum { PATTERN_BYTES_MAX = 1 << 16 };

#define NO_FACETS                                                                                  \
    .length = BT_XSD_NO_LENGTH, .length_min = BT_XSD_NO_LENGTH, .length_max = BT_XSD_NO_LENGTH,    \
    .total_digits = BT_XSD_NO_LENGTH, .fraction_digits = BT_XSD_NO_LENGTH

/* clang-format off */
#define BUILT_IN(base_, name_) \
    [base_] = {.name = BT_STR_INIT("xs:" name_), .base = (base_), NO_FACETS}
#define TYPE(base_, name_) \
    [base_] = {.kind = BT_TYPE_XSD_SIMPLE, .name = BT_STR_INIT("xs:" name_), \
               .simple = &simples[base_]}
#define ALL(MACRO) \
    MACRO(BT_XSD_STRING, "string"), MACRO(BT_XSD_TOKEN, "token"), \
    MACRO(BT_XSD_BOOLEAN, "boolean"), MACRO(BT_XSD_DECIMAL, "decimal"), \
    MACRO(BT_XSD_INTEGER, "integer"), MACRO(BT_XSD_INT, "int"), MACRO(BT_XSD_LONG, "long"), \
    MACRO(BT_XSD_NON_NEGATIVE, "nonNegativeInteger"), \
    MACRO(BT_XSD_POSITIVE, "positiveInteger"), MACRO(BT_XSD_DATE, "date"), \
    MACRO(BT_XSD_DATE_TIME, "dateTime"), MACRO(BT_XSD_BASE64, "base64Binary")
/* clang-format on */

static const struct bt_xsd_simple simples[BT_XSD__MAX] = {ALL(BUILT_IN)};
static const struct bt_payload_type types[BT_XSD__MAX] = {ALL(TYPE)};

const struct bt_payload_type *bt_xsd_built_in(bt_str name)
{
    for (size_t i = 0; i < BT_XSD__MAX; i++) {
        if (bt_str_eq(bt_str_slice(types[i].name, sizeof("xs:") - 1, types[i].name.len), name)) {
            return &types[i];
        }
    }
    return NULL;
}

struct bt_xsd_simple *bt_xsd_simple_new(struct bt_arena *arena, bt_str name)
{
    struct bt_xsd_simple *made = BT_NEW(arena, struct bt_xsd_simple);
    if (made) {
        *made = (struct bt_xsd_simple){.name = name, NO_FACETS};
    }
    return made;
}

static const char *add_value(struct bt_xsd_facets *facets, bt_str value)
{
    struct bt_xsd_simple *simple = facets->simple;
    bt_str *values = BT_NEW_ARRAY(facets->arena, bt_str, simple->values_count + 1);
    if (!values) {
        facets->status = BT_ENOMEM;
        return NULL;
    }
    if (simple->values_count > 0) {
        memcpy(values, simple->values, simple->values_count * sizeof(values[0]));
    }
    values[simple->values_count++] = value;
    simple->values = values;
    return NULL;
}

static const char *add_pattern(struct bt_xsd_facets *facets, bt_str pattern)
{
    struct bt_xsd_simple *simple = facets->simple;
    const struct bt_regex **patterns =
        BT_NEW_ARRAY(facets->arena, const struct bt_regex *, simple->patterns_count + 1);
    struct bt_regex_compile_result made = {.code = BT_REGEX_ERROR_INVALID};
    struct bt_buf buf;
    bt_buf_init(&buf, PATTERN_BYTES_MAX);
    facets->status = patterns ? BT_OK : BT_ENOMEM;
    if (patterns && bt_xsd_pattern_put(&buf, pattern) && buf.status == BT_OK) {
        facets->status = bt_regex_compile(facets->arena, bt_buf_str(&buf), NULL, &made);
    }
    bt_buf_free(&buf);
    if (facets->status != BT_OK || !made.regex) {
        return facets->status != BT_OK ? NULL : "a pattern that cannot be enforced";
    }
    for (size_t i = 0; i < simple->patterns_count; i++) {
        patterns[i] = simple->patterns[i];
    }
    patterns[simple->patterns_count++] = made.regex;
    simple->patterns = patterns;
    return NULL;
}

const char *bt_xsd_facet(struct bt_xsd_facets *facets, bt_str name, bt_str value)
{
    struct bt_xsd_simple *simple = facets->simple;
    const struct organism_xsd_simple_number_facet {
        const char *name;
        uint64_t *to;
    } numbers[] = {
        {"length", &simple->length},
        {"minLength", &simple->length_min},
        {"maxLength", &simple->length_max},
        {"totalDigits", &simple->total_digits},
        {"fractionDigits", &simple->fraction_digits},
    };
    const struct organism_xsd_simple_bound_facet {
        const char *name;
        bt_str *to;
    } bounds[] = {
        {"minInclusive", &simple->inclusive_min},
        {"maxInclusive", &simple->inclusive_max},
        {"minExclusive", &simple->exclusive_min},
        {"maxExclusive", &simple->exclusive_max},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (bt_str_eq(name, bt_str_of(numbers[i].name))) {
            return bt_str_to_u64(bt_xml_trim(value), numbers[i].to) == BT_OK
                       ? NULL
                       : "a facet whose value is not a number";
        }
    }
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        if (bt_str_eq(name, bt_str_of(bounds[i].name))) {
            *bounds[i].to = bt_xml_trim(value);
            return bt_xsd_is_decimal(*bounds[i].to) ? NULL : "a bound that is not a decimal number";
        }
    }
    if (bt_str_eq(name, BT_STR("enumeration"))) {
        return add_value(facets, value);
    }
    return bt_str_eq(name, BT_STR("pattern")) ? add_pattern(facets, value)
                                              : "a facet outside the profile";
}

/* True when the facets apply to a built-in type. */
static bool goes_with(const struct bt_xsd_simple *simple, enum bt_xsd_base base)
{
    const bool has_lengths = simple->length != BT_XSD_NO_LENGTH ||
                             simple->length_min != BT_XSD_NO_LENGTH ||
                             simple->length_max != BT_XSD_NO_LENGTH;
    const bool has_bounds = simple->inclusive_min.ptr || simple->inclusive_max.ptr ||
                            simple->exclusive_min.ptr || simple->exclusive_max.ptr ||
                            simple->total_digits != BT_XSD_NO_LENGTH ||
                            simple->fraction_digits != BT_XSD_NO_LENGTH;
    return (!has_lengths || bt_xsd_has_length(base)) && (!has_bounds || bt_xsd_is_number(base));
}

enum bt_xsd_base bt_xsd_base_of(const struct bt_xsd_simple *simple)
{
    const struct bt_xsd_simple *step = simple;
    for (size_t i = 0; step && step->over && i <= BT_XSD_CHAIN_MAX; i++) {
        step = step->over->simple;
    }
    return step && !step->over ? step->base : BT_XSD__MAX;
}

bool bt_xsd_simple_finish(const struct bt_xsd_simple *simple)
{
    const enum bt_xsd_base base = bt_xsd_base_of(simple);
    return base != BT_XSD__MAX && goes_with(simple, base);
}
