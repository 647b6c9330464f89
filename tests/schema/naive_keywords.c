/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_keywords.c - every keyword: drafts, vocabulary, where it holds schemas, what it does.
 */
#include "naive_inside.h"

/* clang-format off */
#define ROW(name, first, last, vocabulary, shape, check) \
    {BT_STR_INIT(name), BT_SCHEMA_DRAFT_##first, BT_SCHEMA_DRAFT_##last, NAIVE_##vocabulary, \
        NAIVE_##shape, check}

const struct naive_keyword naive_keywords[] = {
    ROW("$ref", 3, V1, CORE, NO_SCHEMA, naive_check_ref),
    ROW("$recursiveRef", 2019_09, 2019_09, CORE, NO_SCHEMA, naive_check_recursive_ref),
    ROW("$dynamicRef", 2020_12, V1, CORE, NO_SCHEMA, naive_check_dynamic_ref),
    /* Since 2019-09 the old name is kept for schemas that move from one draft to the next. */
    ROW("definitions", 3, V1, CORE, NAMED, NULL),
    ROW("$defs", 2019_09, V1, CORE, NAMED, NULL),

    ROW("extends", 3, 3, APPLICATOR, ONE_OR_MANY, naive_check_extends),
    ROW("allOf", 4, V1, APPLICATOR, MANY, naive_check_all_of),
    ROW("anyOf", 4, V1, APPLICATOR, MANY, naive_check_any_of),
    ROW("oneOf", 4, V1, APPLICATOR, MANY, naive_check_one_of),
    ROW("not", 4, V1, APPLICATOR, ONE, naive_check_not),
    ROW("if", 7, V1, APPLICATOR, ONE, naive_check_if),
    ROW("then", 7, V1, APPLICATOR, ONE, NULL),
    ROW("else", 7, V1, APPLICATOR, ONE, NULL),

    ROW("type", 3, 3, VALIDATION, TYPES, naive_check_type),
    ROW("type", 4, V1, VALIDATION, NO_SCHEMA, naive_check_type),
    ROW("disallow", 3, 3, VALIDATION, TYPES, naive_check_disallow),
    ROW("enum", 3, V1, VALIDATION, NO_SCHEMA, naive_check_enum),
    ROW("const", 6, V1, VALIDATION, NO_SCHEMA, naive_check_const),

    ROW("minimum", 3, V1, VALIDATION, NO_SCHEMA, naive_check_minimum),
    ROW("maximum", 3, V1, VALIDATION, NO_SCHEMA, naive_check_maximum),
    ROW("exclusiveMinimum", 6, V1, VALIDATION, NO_SCHEMA, naive_check_exclusive_minimum),
    ROW("exclusiveMaximum", 6, V1, VALIDATION, NO_SCHEMA, naive_check_exclusive_maximum),
    ROW("divisibleBy", 3, 3, VALIDATION, NO_SCHEMA, naive_check_multiple_of),
    ROW("multipleOf", 4, V1, VALIDATION, NO_SCHEMA, naive_check_multiple_of),
    ROW("minLength", 3, V1, VALIDATION, NO_SCHEMA, naive_check_min_length),
    ROW("maxLength", 3, V1, VALIDATION, NO_SCHEMA, naive_check_max_length),
    ROW("pattern", 3, V1, VALIDATION, NO_SCHEMA, naive_check_pattern),
    ROW("format", 3, V1, FORMAT, NO_SCHEMA, naive_check_format),
    ROW("contentMediaType", 7, 7, CONTENT, NO_SCHEMA, naive_check_content),
    ROW("contentEncoding", 7, 7, CONTENT, NO_SCHEMA, naive_check_content),
    ROW("contentSchema", 2019_09, V1, CONTENT, ONE, NULL),

    ROW("prefixItems", 2020_12, V1, APPLICATOR, MANY, naive_check_prefix_items),
    ROW("items", 3, 2019_09, APPLICATOR, ONE_OR_MANY, naive_check_items),
    ROW("items", 2020_12, V1, APPLICATOR, ONE, naive_check_items),
    ROW("additionalItems", 3, 2019_09, APPLICATOR, ONE, naive_check_additional_items),
    ROW("contains", 6, V1, APPLICATOR, ONE, naive_check_contains),
    ROW("minItems", 3, V1, VALIDATION, NO_SCHEMA, naive_check_min_items),
    ROW("maxItems", 3, V1, VALIDATION, NO_SCHEMA, naive_check_max_items),
    ROW("uniqueItems", 3, V1, VALIDATION, NO_SCHEMA, naive_check_unique_items),

    ROW("properties", 3, V1, APPLICATOR, NAMED, naive_check_properties),
    ROW("patternProperties", 3, V1, APPLICATOR, NAMED, naive_check_pattern_properties),
    ROW("additionalProperties", 3, V1, APPLICATOR, ONE, naive_check_additional_properties),
    ROW("propertyNames", 6, V1, APPLICATOR, ONE, naive_check_property_names),
    ROW("minProperties", 4, V1, VALIDATION, NO_SCHEMA, naive_check_min_properties),
    ROW("maxProperties", 4, V1, VALIDATION, NO_SCHEMA, naive_check_max_properties),
    ROW("required", 4, V1, VALIDATION, NO_SCHEMA, naive_check_required),
    /* Replaced in 2019-09 and still obeyed, as its specification allows. */
    ROW("dependencies", 3, V1, APPLICATOR, NAMED_OR_TEXT, naive_check_dependencies),
    ROW("dependentRequired", 2019_09, V1, VALIDATION, NO_SCHEMA, naive_check_dependent_required),
    ROW("dependentSchemas", 2019_09, V1, APPLICATOR, NAMED, naive_check_dependent_schemas),
    ROW("propertyDependencies", V1, V1, APPLICATOR, NAMED_TWICE,
        naive_check_property_dependencies),

    ROW("unevaluatedItems", 2019_09, V1, UNEVALUATED, ONE, naive_check_unevaluated_items),
    ROW("unevaluatedProperties", 2019_09, V1, UNEVALUATED, ONE,
        naive_check_unevaluated_properties),
};
/* clang-format on */

const size_t naive_keywords_count = sizeof(naive_keywords) / sizeof(naive_keywords[0]);

bool naive_dialect_has(const struct naive_dialect *dialect, const struct naive_keyword *keyword)
{
    return dialect->draft >= keyword->first && dialect->draft <= keyword->last &&
           (dialect->vocabularies & keyword->vocabulary) != 0;
}
