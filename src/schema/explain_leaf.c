/* SPDX-License-Identifier: Apache-2.0 */
/* explain_leaf.c - findings of failed comparisons. */
#include <assert.h>

#include "schema/explain.h"
#include "schema/format.h"
#include "schema/set.h"

enum {
    ALLOWED_MAX = 100,   /* values that are listed */
    NEAREST_MAX = 10000, /* values that are compared */
    CHOICES_SHOWN = 160, /* bytes of values in a message */
};

static void add_type_finding(struct bt_schema_explain_run *explain,
                             const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {"SCHEMA_TYPE", at, "type", value};
    const char *actual = bt_json_type_name(explain->run->document, value);
    bt_schema_finding_begin(explain, &site);
    const bt_json_value *expected = bt_schema_finding_put_keyword(explain, at, "type");
    bt_schema_finding_put_schema_value(explain, "expected", at, expected);
    bt_emit_member_string(&explain->emit, "actual", bt_str_of(actual));
    bt_buf_put_text(&explain->message, " is of type ");
    bt_buf_put_text(&explain->message, actual);
    bt_buf_put_text(&explain->message, ", expected ");
    for (size_t i = 0; i < (bt_json_items(expected) ? bt_json_count(expected) : 1); i++) {
        const bt_json_value *each =
            bt_json_items(expected) ? &bt_json_items(expected)[i] : expected;
        bt_buf_put_text(&explain->message, i > 0 ? " or " : "");
        bt_buf_put_printable(&explain->message, bt_json_text(each), 40);
    }
    bt_schema_finding_end(explain);
}

static bt_str text_of_value(const void *context, size_t index)
{
    const struct bt_schema_set *set = context;
    return bt_json_text(&set->values[index]);
}

static void put_nearest(struct bt_schema_explain_run *explain, const struct bt_schema_set *set,
                        const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_STRING || set->count > NEAREST_MAX) {
        return;
    }
    const size_t found = bt_nearest_word(bt_json_text(value), text_of_value, set, set->count);
    if (found < set->count && bt_json_type(&set->values[found]) == BT_JSON_STRING) {
        const bt_str nearest = bt_json_text(&set->values[found]);
        bt_emit_member_string(&explain->emit, "nearest", nearest);
        if (set->count > 1) { /* the one value is named already */
            bt_buf_put_text(&explain->message, "; did you mean \"");
            bt_buf_put_printable(&explain->message, nearest, 80);
            bt_buf_put_text(&explain->message, "\"?");
        }
    }
}

static void put_values(struct bt_schema_explain_run *explain, const struct bt_schema_set *set)
{
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    bt_buf_put_char(&text, '[');
    for (uint32_t i = 0; i < set->count && i < ALLOWED_MAX && explain->status == BT_OK; i++) {
        bt_buf_put_text(&text, i > 0 ? "," : "");
        explain->status = bt_json_write(&text, set->document, &set->values[i], BT_JSON_FORM_COMPACT,
                                        &explain->run->scratch, NULL);
    }
    bt_buf_put_char(&text, ']');
    bt_emit_name(&explain->emit, "allowed");
    bt_emit_raw(&explain->emit, bt_buf_str(&text));
    bt_buf_free(&text);
}

/* The values for a person to choose from, as far as they fit a line. */
static void put_choices(struct bt_schema_explain_run *explain, const struct bt_schema_set *set)
{
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    for (uint32_t i = 0; i < set->count && text.len <= CHOICES_SHOWN; i++) {
        bt_buf_put_text(&text, i > 0 ? ", " : "");
        const enum bt_status status =
            bt_json_write(&text, set->document, &set->values[i], BT_JSON_FORM_COMPACT,
                          &explain->run->scratch, NULL);
        explain->status = explain->status == BT_OK ? status : explain->status;
    }
    bt_buf_put_text(&explain->message, set->count > 1 ? " is none of " : " is not ");
    bt_buf_put_printable(&explain->message, bt_buf_str(&text), CHOICES_SHOWN);
    bt_buf_free(&text);
}

static void add_set_finding(struct bt_schema_explain_run *explain, const struct bt_schema_instr *at,
                            const bt_json_value *value)
{
    const struct bt_schema_set *set = at->as.set;
    const bool is_const = at->number == BT_SCHEMA_KW_CONST;
    const struct bt_schema_finding_site site = {is_const ? "SCHEMA_CONST" : "SCHEMA_ENUM", at,
                                                is_const ? "const" : "enum", value};
    bt_schema_finding_begin(explain, &site);
    if (is_const) {
        bt_schema_finding_put_schema_value(explain, "expected", at, &set->values[0]);
    } else {
        put_values(explain, set);
        if (set->count > ALLOWED_MAX) {
            bt_emit_member_u64(&explain->emit, "allowed_count", set->count);
        }
    }
    put_choices(explain, set);
    put_nearest(explain, set, value);
    bt_schema_finding_end(explain);
}

/* A count that is too small or too large. */
struct schema_explain_leaf_count {
    const char *low_code;
    const char *low_keyword;
    const char *high_code;
    const char *high_keyword;
    const char *unit;
};

static void add_count_finding(struct bt_schema_explain_run *explain,
                              const struct bt_schema_instr *at, const bt_json_value *value,
                              uint64_t actual, const struct schema_explain_leaf_count *count)
{
    const bool is_low = actual < at->number;
    const struct bt_schema_finding_site site = {is_low ? count->low_code : count->high_code, at,
                                                is_low ? count->low_keyword : count->high_keyword,
                                                value};
    bt_schema_finding_begin(explain, &site);
    const bt_json_value *limit = bt_schema_finding_put_keyword(explain, at, site.keyword);
    bt_schema_finding_put_schema_value(explain, "limit", at, limit);
    bt_emit_member_u64(&explain->emit, "actual", actual);
    bt_buf_printf(&explain->message, " has %llu %s, %s ", (unsigned long long)actual, count->unit,
                  is_low ? "fewer than" : "more than");
    bt_buf_put_u64(&explain->message, is_low ? at->number : at->as.limit);
    bt_schema_finding_end(explain);
}

static const struct schema_explain_leaf_count lengths = {
    "SCHEMA_MIN_LENGTH", "minLength", "SCHEMA_MAX_LENGTH", "maxLength", "characters"};
static const struct schema_explain_leaf_count item_counts = {
    "SCHEMA_MIN_ITEMS", "minItems", "SCHEMA_MAX_ITEMS", "maxItems", "items"};
static const struct schema_explain_leaf_count member_counts = {
    "SCHEMA_MIN_PROPERTIES", "minProperties", "SCHEMA_MAX_PROPERTIES", "maxProperties", "members"};

struct schema_explain_leaf_range_row {
    enum bt_schema_keyword keyword;
    const char *code;
    const char *name;
    const char *clause;
};

static const struct schema_explain_leaf_range_row ranges[] = {
    {BT_SCHEMA_KW_MINIMUM, "SCHEMA_MINIMUM", "minimum", "below"},
    {BT_SCHEMA_KW_MAXIMUM, "SCHEMA_MAXIMUM", "maximum", "above"},
    {BT_SCHEMA_KW_EXCLUSIVE_MINIMUM, "SCHEMA_EXCLUSIVE_MINIMUM", "exclusiveMinimum", "not above"},
    {BT_SCHEMA_KW_EXCLUSIVE_MAXIMUM, "SCHEMA_EXCLUSIVE_MAXIMUM", "exclusiveMaximum", "not below"},
};

static void add_range_finding(struct bt_schema_explain_run *explain,
                              const struct bt_schema_instr *at, const bt_json_value *value)
{
    size_t i = 0;
    while (ranges[i].keyword != at->number) {
        i++;
        assert(i < sizeof(ranges) / sizeof(ranges[0]));
    }
    const struct bt_schema_finding_site site = {ranges[i].code, at, ranges[i].name, value};
    bt_schema_finding_begin(explain, &site);
    const bt_json_value *limit = bt_schema_finding_put_keyword(explain, at, ranges[i].name);
    bt_schema_finding_put_schema_value(explain, "limit", at, limit);
    bt_schema_finding_put_value(explain, "actual", value);
    const struct bt_schema_bounds *bounds = at->as.bounds;
    const bool excluded = bounds->low_excluded || bounds->high_excluded;
    const bool is_flagged = excluded && ranges[i].clause[0] != 'n'; /* drafts 3 and 4 */
    bt_buf_printf(&explain->message, " is %s%s ", ranges[i].clause, is_flagged ? " or at" : "");
    bt_buf_put_printable(&explain->message,
                         bounds->low_text.len > 0 ? bounds->low_text : bounds->high_text, 40);
    bt_schema_finding_end(explain);
}

/* A leaf whose whole story is one member of the schema. */
static void add_simple_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_finding_site *site, const char *param,
                               const char *clause)
{
    bt_schema_finding_begin(explain, site);
    const bt_json_value *value = bt_schema_finding_put_keyword(explain, site->at, site->keyword);
    bt_schema_finding_put_schema_value(explain, param, site->at, value);
    bt_buf_put_text(&explain->message, clause);
    const bt_str text = bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
    bt_buf_put_printable(&explain->message, text, 80);
    bt_schema_finding_end(explain);
}

static void add_multiple_finding(struct bt_schema_explain_run *explain,
                                 const struct bt_schema_instr *at, const bt_json_value *value)
{
    const bool is_old = !bt_schema_finding_put_keyword(explain, at, "multipleOf");
    const struct bt_schema_finding_site site = {is_old ? "SCHEMA_DIVISIBLE_BY"
                                                       : "SCHEMA_MULTIPLE_OF",
                                                at, is_old ? "divisibleBy" : "multipleOf", value};
    bt_schema_finding_begin(explain, &site);
    bt_schema_finding_put_schema_value(explain, "divisor", at,
                                       bt_schema_finding_put_keyword(explain, at, site.keyword));
    bt_schema_finding_put_value(explain, "actual", value);
    bt_buf_put_text(&explain->message, " is no multiple of ");
    bt_buf_put_printable(&explain->message, at->as.multiple->text, 40);
    bt_schema_finding_end(explain);
}

static void add_content_finding(struct bt_schema_explain_run *explain,
                                const struct bt_schema_instr *at, const bt_json_value *value)
{
    const bool is_encoded = (at->number & BT_SCHEMA_CONTENT_BASE64) == 0 ||
                            bt_schema_leaf_content(explain->run, BT_SCHEMA_CONTENT_BASE64,
                                                   bt_json_text(value)) == BT_SCHEMA_VALID;
    const struct bt_schema_finding_site site = {
        is_encoded ? "SCHEMA_CONTENT_MEDIA_TYPE" : "SCHEMA_CONTENT_ENCODING", at,
        is_encoded ? "contentMediaType" : "contentEncoding", value};
    add_simple_finding(explain, &site, "expected", " is no ");
}

static void add_unique_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value)
{
    uint32_t first = 0;
    uint32_t second = 0;
    if (bt_schema_leaf_unique(explain->run, value, &first, &second) != BT_SCHEMA_INVALID) {
        return; /* a limit, which ends the walk */
    }
    const struct bt_schema_finding_site site = {"SCHEMA_UNIQUE_ITEMS", at, "uniqueItems", value};
    bt_schema_finding_begin(explain, &site);
    bt_emit_member_u64(&explain->emit, "first", first);
    bt_emit_member_u64(&explain->emit, "second", second);
    bt_buf_printf(&explain->message, " holds the same item at %u and at %u", first, second);
    bt_schema_finding_end(explain);
}

static void add_length_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value)
{
    add_count_finding(explain, at, value, bt_utf8_count(bt_json_text(value)), &lengths);
}

static void add_children_finding(struct bt_schema_explain_run *explain,
                                 const struct bt_schema_instr *at, const bt_json_value *value)
{
    add_count_finding(explain, at, value, value->size,
                      bt_json_type(value) == BT_JSON_ARRAY ? &item_counts : &member_counts);
}

static void add_pattern_finding(struct bt_schema_explain_run *explain,
                                const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {"SCHEMA_PATTERN", at, "pattern", value};
    add_simple_finding(explain, &site, "pattern", " does not match ");
}

static void add_format_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {"SCHEMA_FORMAT", at, "format", value};
    add_simple_finding(explain, &site, "format", " does not have the format ");
}

static void add_false_finding(struct bt_schema_explain_run *explain,
                              const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {"SCHEMA_FALSE", at, NULL, value};
    bt_schema_finding_begin(explain, &site);
    bt_buf_put_text(&explain->message, " stands where nothing is allowed");
    bt_schema_finding_end(explain);
}

typedef void schema_explain_finding_fn(struct bt_schema_explain_run *explain,
                                       const struct bt_schema_instr *at,
                                       const bt_json_value *value);

/* By instruction. */
static schema_explain_finding_fn *const sayers[BT_SCHEMA_OP__MAX] = {
    [BT_SCHEMA_OP_FAIL] = add_false_finding,    [BT_SCHEMA_OP_TYPE] = add_type_finding,
    [BT_SCHEMA_OP_LENGTH] = add_length_finding, [BT_SCHEMA_OP_PATTERN] = add_pattern_finding,
    [BT_SCHEMA_OP_FORMAT] = add_format_finding, [BT_SCHEMA_OP_CONTENT] = add_content_finding,
    [BT_SCHEMA_OP_RANGE] = add_range_finding,   [BT_SCHEMA_OP_MULTIPLE] = add_multiple_finding,
    [BT_SCHEMA_OP_SET] = add_set_finding,       [BT_SCHEMA_OP_COUNT] = add_children_finding,
    [BT_SCHEMA_OP_UNIQUE] = add_unique_finding,
};

void bt_schema_explain_run_leaf(struct bt_schema_explain_run *explain,
                                const struct bt_schema_instr *at, const bt_json_value *value)
{
    assert(at->op < BT_SCHEMA_OP__MAX && sayers[at->op]);
    sayers[at->op](explain, at, value);
}
