/* SPDX-License-Identifier: Apache-2.0 */
/* explain_leaf.c - findings of failed comparisons. */
#include <assert.h>

#include "base/str.h"
#include "schema/explain.h"
#include "schema/format.h"
#include "schema/set.h"

enum {
    ALLOWED_MAX = 100,   /* values that are listed */
    NEAREST_MAX = 10000, /* values that are compared */
    CHOICES_SHOWN = 160, /* bytes of values in a message */
    NUMBER_SHOWN = 40,   /* bytes of a number or type of the schema in a message */
};

static void add_type_finding(struct bt_schema_explain_run *explain,
                             const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {at, "type", value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    const bt_json_value *expected = bt_schema_finding_keyword(explain, at, "type");
    const bt_str json = bt_schema_finding_schema_json(explain, 0, at, expected);
    struct bt_buf *wanted = &explain->texts[1];
    bt_buf_clear(wanted);
    for (size_t i = 0; i < (bt_json_items(expected) ? bt_json_count(expected) : 1); i++) {
        const bt_json_value *each =
            bt_json_items(expected) ? &bt_json_items(expected)[i] : expected;
        bt_buf_put_text(wanted, i > 0 ? " or " : "");
        bt_buf_put_printable(wanted, bt_json_text(each), NUMBER_SHOWN);
    }
    bt_schema_finding_end(explain, bt_add_json_schema_type(
                                       head.findings, head.at, head.keyword, json,
                                       bt_str_of(bt_json_type_name(explain->run->document, value)),
                                       head.subject, bt_buf_str(wanted)));
}

static bt_str text_of_value(const void *context, size_t index)
{
    const struct bt_schema_set *set = context;
    return bt_json_text(&set->values[index]);
}

/* The listed text that is most like the value, or an absent one. */
static bt_str find_nearest(const struct bt_schema_set *set, const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_STRING || set->count > NEAREST_MAX) {
        return BT_STR_ABSENT;
    }
    const size_t found = bt_nearest_word(bt_json_text(value), text_of_value, set, set->count);
    return found < set->count && bt_json_type(&set->values[found]) == BT_JSON_STRING
               ? bt_json_text(&set->values[found])
               : BT_STR_ABSENT;
}

static void put_set_value(struct bt_schema_explain_run *explain, struct bt_buf *buf,
                          const struct bt_schema_set *set, uint32_t index)
{
    const enum bt_status status = bt_json_write(buf, set->document, &set->values[index],
                                                BT_JSON_FORM_COMPACT, &explain->run->scratch, NULL);
    explain->status = explain->status == BT_OK ? status : explain->status;
}

/* The first values as a JSON array. */
static bt_str write_values(struct bt_schema_explain_run *explain, const struct bt_schema_set *set)
{
    struct bt_buf *text = &explain->texts[0];
    bt_buf_clear(text);
    bt_buf_put_char(text, '[');
    for (uint32_t i = 0; i < set->count && i < ALLOWED_MAX && explain->status == BT_OK; i++) {
        bt_buf_put_text(text, i > 0 ? "," : "");
        put_set_value(explain, text, set, i);
    }
    bt_buf_put_char(text, ']');
    return bt_buf_str(text);
}

/* The values for a person to choose from, as far as they fit a line. */
static bt_str write_choices(struct bt_schema_explain_run *explain, const struct bt_schema_set *set)
{
    struct bt_buf all;
    struct bt_buf *shown = &explain->texts[1];
    bt_buf_init(&all, SIZE_MAX);
    bt_buf_clear(shown);
    for (uint32_t i = 0; i < set->count && all.len <= CHOICES_SHOWN; i++) {
        bt_buf_put_text(&all, i > 0 ? ", " : "");
        put_set_value(explain, &all, set, i);
    }
    bt_buf_put_printable(shown, bt_buf_str(&all), CHOICES_SHOWN);
    bt_buf_free(&all);
    return bt_buf_str(shown);
}

static void add_set_finding(struct bt_schema_explain_run *explain, const struct bt_schema_instr *at,
                            const bt_json_value *value)
{
    const struct bt_schema_set *set = at->as.set;
    const bool is_const = at->number == BT_SCHEMA_KW_CONST;
    const struct bt_schema_finding_site site = {at, is_const ? "const" : "enum", value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    const bt_str nearest = find_nearest(set, value);
    const bt_str choices = write_choices(explain, set);
    if (is_const) {
        const bt_str expected = bt_schema_finding_schema_json(explain, 0, at, &set->values[0]);
        bt_schema_finding_end(explain,
                              bt_add_json_schema_const(head.findings, head.at, head.keyword,
                                                       expected, nearest, head.subject, choices));
        return;
    }
    const uint64_t count = set->count;
    bt_schema_finding_end(explain,
                          bt_add_json_schema_enum(head.findings, head.at, head.keyword,
                                                  write_values(explain, set),
                                                  count > ALLOWED_MAX ? &count : NULL, nearest,
                                                  head.subject, choices, count > 1));
}

/* A count that is too small or too large. */
typedef enum bt_status schema_add_count_fn(struct bt_findings *findings, struct bt_location at,
                                           bt_str keyword, bt_str limit, uint64_t actual,
                                           bt_str subject, uint64_t bound);

struct schema_explain_leaf_count {
    schema_add_count_fn *add_low;
    const char *low_keyword;
    schema_add_count_fn *add_high;
    const char *high_keyword;
};

static void add_count_finding(struct bt_schema_explain_run *explain,
                              const struct bt_schema_instr *at, const bt_json_value *value,
                              uint64_t actual, const struct schema_explain_leaf_count *count)
{
    const bool is_low = actual < at->number;
    const struct bt_schema_finding_site site = {
        at, is_low ? count->low_keyword : count->high_keyword, value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    const bt_json_value *limit = bt_schema_finding_keyword(explain, at, site.keyword);
    schema_add_count_fn *add = is_low ? count->add_low : count->add_high;
    bt_schema_finding_end(explain, add(head.findings, head.at, head.keyword,
                                       bt_schema_finding_schema_json(explain, 0, at, limit), actual,
                                       head.subject, is_low ? at->number : at->as.limit));
}

static const struct schema_explain_leaf_count lengths = {
    bt_add_json_schema_min_length, "minLength", bt_add_json_schema_max_length, "maxLength"};
static const struct schema_explain_leaf_count item_counts = {
    bt_add_json_schema_min_items, "minItems", bt_add_schema_max_items, "maxItems"};
static const struct schema_explain_leaf_count member_counts = {
    bt_add_schema_min_properties, "minProperties", bt_add_schema_max_properties, "maxProperties"};

struct schema_explain_leaf_range_row {
    enum bt_schema_keyword keyword;
    const char *name;
    const char *relation;
    const char *flagged; /* the relation with exclusiveMinimum or -Maximum of drafts 3 and 4 */
    enum bt_status (*add)(struct bt_findings *findings, struct bt_location at, bt_str keyword,
                          bt_str limit, bt_str actual, bt_str subject, bt_str relation,
                          bt_str bound);
};

static const struct schema_explain_leaf_range_row ranges[] = {
    {BT_SCHEMA_KW_MINIMUM, "minimum", "below", "below or at", bt_add_json_schema_minimum},
    {BT_SCHEMA_KW_MAXIMUM, "maximum", "above", "above or at", bt_add_json_schema_maximum},
    {BT_SCHEMA_KW_EXCLUSIVE_MINIMUM, "exclusiveMinimum", "not above", "not above",
     bt_add_schema_exclusive_minimum},
    {BT_SCHEMA_KW_EXCLUSIVE_MAXIMUM, "exclusiveMaximum", "not below", "not below",
     bt_add_schema_exclusive_maximum},
};

/* A number of the schema as messages show it. */
static bt_str show_number(struct bt_buf *buf, bt_str number)
{
    bt_buf_put_printable(buf, number, NUMBER_SHOWN);
    return bt_buf_str(buf);
}

static void add_range_finding(struct bt_schema_explain_run *explain,
                              const struct bt_schema_instr *at, const bt_json_value *value)
{
    size_t i = 0;
    while (ranges[i].keyword != at->number) {
        i++;
        assert(i < sizeof(ranges) / sizeof(ranges[0]));
    }
    const struct bt_schema_finding_site site = {at, ranges[i].name, value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    const bt_json_value *limit = bt_schema_finding_keyword(explain, at, ranges[i].name);
    const struct bt_schema_bounds *bounds = at->as.bounds;
    const bool excluded = bounds->low_excluded || bounds->high_excluded;
    const bt_str bound = bounds->low_text.len > 0 ? bounds->low_text : bounds->high_text;
    struct bt_buf shown;
    bt_buf_init(&shown, SIZE_MAX);
    bt_schema_finding_end(
        explain, ranges[i].add(head.findings, head.at, head.keyword,
                               bt_schema_finding_schema_json(explain, 0, at, limit),
                               bt_schema_finding_value_json(explain, 1, value), head.subject,
                               bt_str_of(excluded ? ranges[i].flagged : ranges[i].relation),
                               show_number(&shown, bound)));
    bt_buf_free(&shown);
}

static void add_multiple_finding(struct bt_schema_explain_run *explain,
                                 const struct bt_schema_instr *at, const bt_json_value *value)
{
    const bool is_old = !bt_schema_finding_keyword(explain, at, "multipleOf");
    const struct bt_schema_finding_site site = {at, is_old ? "divisibleBy" : "multipleOf", value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    const bt_json_value *divisor = bt_schema_finding_keyword(explain, at, site.keyword);
    const bt_str json = bt_schema_finding_schema_json(explain, 0, at, divisor);
    const bt_str actual = bt_schema_finding_value_json(explain, 1, value);
    struct bt_buf shown;
    bt_buf_init(&shown, SIZE_MAX);
    const bt_str bound = show_number(&shown, at->as.multiple->text);
    bt_schema_finding_end(explain,
                          is_old ? bt_add_schema_divisible_by(head.findings, head.at, head.keyword,
                                                              json, actual, head.subject, bound)
                                 : bt_add_schema_multiple_of(head.findings, head.at, head.keyword,
                                                             json, actual, head.subject, bound));
    bt_buf_free(&shown);
}

/* A leaf whose whole story is one member of the schema, which is a text. */
static void add_simple_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_finding_site *site,
                               enum bt_status (*add)(struct bt_findings *findings,
                                                     struct bt_location at, bt_str keyword,
                                                     bt_str json, bt_str subject, bt_str wanted))
{
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, site);
    const bt_json_value *value = bt_schema_finding_keyword(explain, site->at, site->keyword);
    bt_schema_finding_end(explain, add(head.findings, head.at, head.keyword,
                                       bt_schema_finding_schema_json(explain, 0, site->at, value),
                                       head.subject, bt_json_text(value)));
}

static void add_content_finding(struct bt_schema_explain_run *explain,
                                const struct bt_schema_instr *at, const bt_json_value *value)
{
    const bool is_encoded = (at->number & BT_SCHEMA_CONTENT_BASE64) == 0 ||
                            bt_schema_leaf_content(explain->run, BT_SCHEMA_CONTENT_BASE64,
                                                   bt_json_text(value)) == BT_SCHEMA_VALID;
    const struct bt_schema_finding_site site = {
        at, is_encoded ? "contentMediaType" : "contentEncoding", value};
    add_simple_finding(explain, &site,
                       is_encoded ? bt_add_schema_content_media_type
                                  : bt_add_schema_content_encoding);
}

static void add_unique_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value)
{
    uint32_t first = 0;
    uint32_t second = 0;
    if (bt_schema_leaf_unique(explain->run, value, &first, &second) != BT_SCHEMA_INVALID) {
        return; /* a limit, which ends the walk */
    }
    const struct bt_schema_finding_site site = {at, "uniqueItems", value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    bt_schema_finding_end(explain, bt_add_schema_unique_items(head.findings, head.at, head.keyword,
                                                              first, second, head.subject));
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
    const struct bt_schema_finding_site site = {at, "pattern", value};
    add_simple_finding(explain, &site, bt_add_json_schema_pattern);
}

static void add_format_finding(struct bt_schema_explain_run *explain,
                               const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {at, "format", value};
    add_simple_finding(explain, &site, bt_add_schema_format);
}

static void add_false_finding(struct bt_schema_explain_run *explain,
                              const struct bt_schema_instr *at, const bt_json_value *value)
{
    const struct bt_schema_finding_site site = {at, NULL, value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    bt_schema_finding_end(explain,
                          bt_add_schema_false(head.findings, head.at, head.keyword, head.subject));
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
