/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_scalar.c - the keywords that compare: type, enum, bounds, lengths, patterns, formats.
 *
 * A keyword whose value is of the wrong type breaks the meta-schema; when that was not asked, the
 * keyword is passed over.
 */
#include <assert.h>

#include "schema/code.h"
#include "schema/format.h"
#include "schema/leaf.h"
#include "schema/number.h"
#include "schema/set.h"

struct schema_code_scalar_type_row {
    bt_str name;
    uint16_t types;
};

/* clang-format off */
#define TEXT BT_STR_INIT
/* clang-format on */

static const struct schema_code_scalar_type_row type_rows[] = {
    {TEXT("null"), BT_SCHEMA_TYPE_SET_NULL},     {TEXT("boolean"), BT_SCHEMA_TYPE_SET_BOOLEAN},
    {TEXT("number"), BT_SCHEMA_TYPE_SET_NUMBER}, {TEXT("string"), BT_SCHEMA_TYPE_SET_STRING},
    {TEXT("array"), BT_SCHEMA_TYPE_SET_ARRAY},   {TEXT("object"), BT_SCHEMA_TYPE_SET_OBJECT},
};

unsigned bt_schema_code_types_of(bt_str name, enum bt_schema_draft draft)
{
    if (bt_str_eq(name, BT_STR("integer"))) {
        return 1U << BT_JSON_INTEGER | (draft <= BT_SCHEMA_DRAFT_4 ? BT_SCHEMA_TYPE_SET_UNBROKEN
                                                                   : BT_SCHEMA_TYPE_SET_WHOLE);
    }
    for (size_t i = 0; i < sizeof(type_rows) / sizeof(type_rows[0]); i++) {
        if (bt_str_eq(type_rows[i].name, name)) {
            return type_rows[i].types;
        }
    }
    /* Draft 3 has "any", and lets everything pass for a type that it does not know. */
    return draft == BT_SCHEMA_DRAFT_3 ? BT_SCHEMA_TYPE_SET_ALL : 0;
}

/* The types that a string, or the strings of an array, name. */
unsigned bt_schema_code_type_mask(const struct bt_schema_coder *coder, const bt_json_value *value)
{
    const enum bt_schema_draft draft = bt_schema_code_draft(coder);
    if (bt_json_type(value) == BT_JSON_STRING) {
        return bt_schema_code_types_of(bt_json_text(value), draft);
    }
    unsigned types = 0;
    const bt_json_value *items = bt_json_items(value);
    for (size_t i = 0; items && i < bt_json_count(value); i++) {
        types |= bt_schema_code_types_of(bt_json_text(&items[i]), draft);
    }
    /* Next to "number", "integer" says nothing more. */
    return (types & BT_SCHEMA_TYPE_SET_NUMBER) == BT_SCHEMA_TYPE_SET_NUMBER
               ? types & ~(unsigned)(BT_SCHEMA_TYPE_SET_WHOLE | BT_SCHEMA_TYPE_SET_UNBROKEN)
               : types;
}

bool bt_schema_code_is_union(const bt_json_value *type)
{
    const bt_json_value *items = bt_json_items(type);
    for (size_t i = 0; items && i < bt_json_count(type); i++) {
        if (bt_json_type(&items[i]) == BT_JSON_OBJECT) {
            return true;
        }
    }
    return bt_json_type(type) == BT_JSON_OBJECT;
}

enum bt_status bt_schema_code_type(struct bt_schema_coder *coder)
{
    const bt_json_value *type = bt_schema_code_keyword(coder, BT_SCHEMA_KW_TYPE);
    if (!type || bt_schema_code_is_union(type)) {
        return BT_OK; /* draft 3: schemas among the types make it an alternative */
    }
    if (bt_json_type(type) != BT_JSON_STRING && bt_json_type(type) != BT_JSON_ARRAY) {
        return BT_OK;
    }
    const unsigned types = bt_schema_code_type_mask(coder, type);
    return types == BT_SCHEMA_TYPE_SET_ALL
               ? BT_OK
               : bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_TYPE,
                                                                      .types = (uint16_t)types});
}

static enum bt_status code_set(struct bt_schema_coder *coder)
{
    const bt_json_value *values[2] = {bt_schema_code_keyword(coder, BT_SCHEMA_KW_CONST), NULL};
    size_t counts[2] = {values[0] ? 1 : 0, 0};
    const bt_json_value *list = bt_schema_code_keyword(coder, BT_SCHEMA_KW_ENUM);
    if (list && bt_json_type(list) == BT_JSON_ARRAY) {
        values[1] = bt_json_items(list);
        counts[1] = bt_json_count(list);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!values[i]) {
            continue;
        }
        struct bt_schema_instr instr = {.op = BT_SCHEMA_OP_SET,
                                        .types = BT_SCHEMA_TYPE_SET_ALL,
                                        .number = i == 0 ? BT_SCHEMA_KW_CONST : BT_SCHEMA_KW_ENUM};
        BT_TRY(bt_schema_set_make(coder->arena, bt_schema_code_doc(coder), values[i],
                                  (uint32_t)counts[i], &instr.as.set));
        BT_TRY(bt_schema_code_instr(coder, instr));
    }
    return BT_OK;
}

/* A pair of keywords that bound a count. */
static enum bt_status code_counts(struct bt_schema_coder *coder, enum bt_schema_keyword low,
                                  enum bt_schema_keyword high, struct bt_schema_instr instr)
{
    const bt_json_value *low_value = bt_schema_code_keyword(coder, low);
    const bt_json_value *high_value = bt_schema_code_keyword(coder, high);
    uint64_t number = 0;
    instr.as.limit = BT_NO_LIMIT;
    if (low_value && bt_schema_count_of(bt_schema_code_doc(coder), low_value, &number)) {
        /* No document has so many: clamping changes no answer. */
        instr.number = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    }
    if (high_value && bt_schema_count_of(bt_schema_code_doc(coder), high_value, &number)) {
        instr.as.limit = number;
    }
    return instr.number > 0 || instr.as.limit != BT_NO_LIMIT ? bt_schema_code_instr(coder, instr)
                                                             : BT_OK;
}

static bool is_true(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_TRUE;
}

static enum bt_status code_range(struct bt_schema_coder *coder)
{
    const bt_json_value *low = bt_schema_code_keyword(coder, BT_SCHEMA_KW_MINIMUM);
    const bt_json_value *high = bt_schema_code_keyword(coder, BT_SCHEMA_KW_MAXIMUM);
    const bt_json_value *above = bt_schema_code_keyword(coder, BT_SCHEMA_KW_EXCLUSIVE_MINIMUM);
    const bt_json_value *below = bt_schema_code_keyword(coder, BT_SCHEMA_KW_EXCLUSIVE_MAXIMUM);
    const struct {
        const bt_json_value *low;
        const bt_json_value *high;
        bool excluded;
        enum bt_schema_keyword keyword;
    } rows[] = {
        /* In drafts 3 and 4 the other keywords are flags. */
        {low, NULL, is_true(above), BT_SCHEMA_KW_MINIMUM},
        {NULL, high, is_true(below), BT_SCHEMA_KW_MAXIMUM},
        {above, NULL, true, BT_SCHEMA_KW_EXCLUSIVE_MINIMUM},
        {NULL, below, true, BT_SCHEMA_KW_EXCLUSIVE_MAXIMUM},
    };
    const struct bt_json_doc *document = bt_schema_code_doc(coder);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const bt_json_value *bound = rows[i].low ? rows[i].low : rows[i].high;
        if (!bound || !bt_json_is_number(bound)) {
            continue;
        }
        struct bt_schema_bounds *bounds = BT_NEW(coder->arena, struct bt_schema_bounds);
        if (!bounds) {
            return BT_ENOMEM;
        }
        *bounds = bt_schema_bounds_none();
        const bt_str text = bt_json_number_text(document, bound);
        if (rows[i].low) {
            bt_schema_bounds_set_low(bounds, text, rows[i].excluded);
        } else {
            bt_schema_bounds_set_high(bounds, text, rows[i].excluded);
        }
        BT_TRY(
            bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_RANGE,
                                                                 .types = BT_SCHEMA_TYPE_SET_NUMBER,
                                                                 .number = rows[i].keyword,
                                                                 .as.bounds = bounds}));
    }
    return BT_OK;
}

static enum bt_status code_multiple(struct bt_schema_coder *coder)
{
    const bt_json_value *divisor = bt_schema_code_keyword(coder, BT_SCHEMA_KW_MULTIPLE_OF);
    divisor = divisor ? divisor : bt_schema_code_keyword(coder, BT_SCHEMA_KW_DIVISIBLE_BY);
    if (!divisor || !bt_json_is_number(divisor)) {
        return BT_OK;
    }
    struct bt_schema_multiple *multiple = BT_NEW(coder->arena, struct bt_schema_multiple);
    if (!multiple) {
        return BT_ENOMEM;
    }
    const bt_str text = bt_json_number_text(bt_schema_code_doc(coder), divisor);
    if (!bt_schema_multiple_make(text, multiple)) {
        return bt_schema_code_problem(coder, bt_add_schema_multiple_of_compile, divisor, BT_STR(""),
                                      "the divisor is zero or has more than 1000 digits");
    }
    return bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_MULTIPLE,
                                                                .types = BT_SCHEMA_TYPE_SET_NUMBER,
                                                                .as.multiple = multiple});
}

enum bt_status bt_schema_code_regex(struct bt_schema_coder *coder, const bt_json_value *at,
                                    bt_str pattern, const struct bt_regex **out)
{
    struct bt_map_entry *entry = bt_map_find(&coder->by_pattern, bt_map_text(pattern));
    if (entry) {
        *out = coder->regexes.items[bt_map_index(&coder->by_pattern, entry)];
        return BT_OK;
    }
    struct bt_regex_options options = bt_regex_options_default();
    options.instructions_max = coder->options->regex_states_max;
    struct bt_regex_compile_result result = {0};
    BT_TRY(bt_regex_compile(coder->arena, pattern, &options, &result));
    *out = result.regex;
    if (!result.regex) {
        const bool is_large = result.code == BT_REGEX_ERROR_TOO_COMPLEX;
        return bt_schema_code_problem(
            coder, is_large ? bt_add_pattern_too_complex : bt_add_pattern_invalid, at, pattern,
            result.detail);
    }
    BT_TRY(bt_map_add(&coder->by_pattern, bt_map_text(pattern), &entry));
    return bt_vec_push(coder->scratch, &coder->regexes, result.regex);
}

static enum bt_status code_pattern(struct bt_schema_coder *coder)
{
    const bt_json_value *pattern = bt_schema_code_keyword(coder, BT_SCHEMA_KW_PATTERN);
    if (!pattern || bt_json_type(pattern) != BT_JSON_STRING) {
        return BT_OK;
    }
    struct bt_schema_instr instr = {.op = BT_SCHEMA_OP_PATTERN, .types = BT_SCHEMA_TYPE_SET_STRING};
    BT_TRY(bt_schema_code_regex(coder, pattern, bt_json_text(pattern), &instr.as.regex));
    return instr.as.regex ? bt_schema_code_instr(coder, instr) : BT_OK;
}

static enum bt_status code_format(struct bt_schema_coder *coder)
{
    const bt_json_value *format = bt_schema_code_keyword(coder, BT_SCHEMA_KW_FORMAT);
    const struct bt_schema_dialect *dialect =
        bt_frame_dialect(coder->frame, bt_schema_code_node(coder));
    if (!format || (!coder->options->assert_formats && !dialect->asserts_format)) {
        return BT_OK;
    }
    struct bt_schema_instr instr = {.op = BT_SCHEMA_OP_FORMAT, .types = BT_SCHEMA_TYPE_SET_STRING};
    instr.as.format = bt_schema_format_find(bt_json_text(format), dialect->draft);
    return instr.as.format ? bt_schema_code_instr(coder, instr) : BT_OK;
}

/* Only draft 7 lets the content decide, and only base64 and JSON are known. */
static enum bt_status code_content(struct bt_schema_coder *coder)
{
    if (!coder->options->assert_formats || bt_schema_code_draft(coder) != BT_SCHEMA_DRAFT_7) {
        return BT_OK;
    }
    const bt_json_value *encoding = bt_schema_code_keyword(coder, BT_SCHEMA_KW_CONTENT_ENCODING);
    const bt_json_value *media = bt_schema_code_keyword(coder, BT_SCHEMA_KW_CONTENT_MEDIA_TYPE);
    unsigned content = 0;
    if (encoding && bt_str_eq(bt_json_text(encoding), BT_STR("base64"))) {
        content |= BT_SCHEMA_CONTENT_BASE64;
    }
    /* Content in an encoding that is unknown cannot be looked at. */
    if (media && bt_str_eq(bt_json_text(media), BT_STR("application/json")) &&
        (!encoding || content != 0)) {
        content |= BT_SCHEMA_CONTENT_JSON;
    }
    return content == 0 ? BT_OK
                        : bt_schema_code_instr(
                              coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_CONTENT,
                                                              .types = BT_SCHEMA_TYPE_SET_STRING,
                                                              .number = content});
}

enum bt_status bt_schema_code_scalars(struct bt_schema_coder *coder)
{
    BT_TRY(code_set(coder));
    BT_TRY(code_counts(
        coder, BT_SCHEMA_KW_MIN_LENGTH, BT_SCHEMA_KW_MAX_LENGTH,
        (struct bt_schema_instr){.op = BT_SCHEMA_OP_LENGTH, .types = BT_SCHEMA_TYPE_SET_STRING}));
    BT_TRY(code_counts(
        coder, BT_SCHEMA_KW_MIN_ITEMS, BT_SCHEMA_KW_MAX_ITEMS,
        (struct bt_schema_instr){.op = BT_SCHEMA_OP_COUNT, .types = BT_SCHEMA_TYPE_SET_ARRAY}));
    BT_TRY(code_counts(
        coder, BT_SCHEMA_KW_MIN_PROPERTIES, BT_SCHEMA_KW_MAX_PROPERTIES,
        (struct bt_schema_instr){.op = BT_SCHEMA_OP_COUNT, .types = BT_SCHEMA_TYPE_SET_OBJECT}));
    BT_TRY(code_range(coder));
    BT_TRY(code_multiple(coder));
    BT_TRY(code_pattern(coder));
    BT_TRY(code_format(coder));
    BT_TRY(code_content(coder));
    if (is_true(bt_schema_code_keyword(coder, BT_SCHEMA_KW_UNIQUE_ITEMS))) {
        BT_TRY(bt_schema_code_instr(coder,
                                    (struct bt_schema_instr){.op = BT_SCHEMA_OP_UNIQUE,
                                                             .types = BT_SCHEMA_TYPE_SET_ARRAY}));
    }
    return BT_OK;
}
