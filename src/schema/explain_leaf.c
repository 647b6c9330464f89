/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_leaf.c - what a comparison found wrong, in words.
 */
#include <assert.h>

#include "schema/explain.h"
#include "schema/format.h"
#include "schema/set.h"

enum {
    ALLOWED_MAX = 100,   /* values that are listed */
    NEAREST_MAX = 10000, /* values that are compared */
    CHOICES_SHOWN = 160, /* bytes of values in a message */
};

static void say_type(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    const struct bt_saying saying = {"SCHEMA_TYPE", at, "type", value};
    const char *actual = bt_json_type_name(explain->run->document, value);
    bt_say_begin(explain, &saying);
    const bt_value *expected = bt_say_keyword(explain, at, "type");
    bt_say_schema_value(explain, "expected", at, expected);
    bt_emit_member_string(&explain->emit, "actual", bt_str_of(actual));
    bt_buf_put_text(&explain->message, " is of type ");
    bt_buf_put_text(&explain->message, actual);
    bt_buf_put_text(&explain->message, ", expected ");
    for (size_t i = 0; i < (bt_json_items(expected) ? bt_json_count(expected) : 1); i++) {
        const bt_value *each = bt_json_items(expected) ? &bt_json_items(expected)[i] : expected;
        bt_buf_put_text(&explain->message, i > 0 ? " or " : "");
        bt_buf_put_visible(&explain->message, bt_json_text(each), 40);
    }
    bt_say_end(explain);
}

static bt_str text_of_value(const void *context, size_t index)
{
    const struct bt_set *set = context;
    return bt_json_text(&set->values[index]);
}

static void say_nearest(struct bt_explain *explain, const struct bt_set *set, const bt_value *value)
{
    if (bt_json_type(value) != BT_JSON_STRING || set->count > NEAREST_MAX) {
        return;
    }
    const size_t found = bt_nearest(bt_json_text(value), text_of_value, set, set->count);
    if (found < set->count && bt_json_type(&set->values[found]) == BT_JSON_STRING) {
        const bt_str nearest = bt_json_text(&set->values[found]);
        bt_emit_member_string(&explain->emit, "nearest", nearest);
        if (set->count > 1) { /* the one value is named already */
            bt_buf_put_text(&explain->message, "; did you mean \"");
            bt_buf_put_visible(&explain->message, nearest, 80);
            bt_buf_put_text(&explain->message, "\"?");
        }
    }
}

static void put_values(struct bt_explain *explain, const struct bt_set *set)
{
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    bt_buf_put_char(&text, '[');
    for (uint32_t i = 0; i < set->count && i < ALLOWED_MAX && explain->status == BT_OK; i++) {
        bt_buf_put_text(&text, i > 0 ? "," : "");
        explain->status = bt_json_write(&text, set->document, &set->values[i], BT_JSON_COMPACT,
                                        &explain->run->scratch, NULL);
    }
    bt_buf_put_char(&text, ']');
    bt_emit_name(&explain->emit, "allowed");
    bt_emit_raw(&explain->emit, bt_buf_str(&text));
    bt_buf_free(&text);
}

/* The values for a person to choose from, as far as they fit a line. */
static void put_choices(struct bt_explain *explain, const struct bt_set *set)
{
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    for (uint32_t i = 0; i < set->count && text.len <= CHOICES_SHOWN; i++) {
        bt_buf_put_text(&text, i > 0 ? ", " : "");
        const enum bt_status status = bt_json_write(&text, set->document, &set->values[i],
                                                    BT_JSON_COMPACT, &explain->run->scratch, NULL);
        explain->status = explain->status == BT_OK ? status : explain->status;
    }
    bt_buf_put_text(&explain->message, set->count > 1 ? " is none of " : " is not ");
    bt_buf_put_visible(&explain->message, bt_buf_str(&text), CHOICES_SHOWN);
    bt_buf_free(&text);
}

static void say_set(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    const struct bt_set *set = at->as.set;
    const bool is_const = at->number == BT_KW_CONST;
    const struct bt_saying saying = {is_const ? "SCHEMA_CONST" : "SCHEMA_ENUM", at,
                                     is_const ? "const" : "enum", value};
    bt_say_begin(explain, &saying);
    if (is_const) {
        bt_say_schema_value(explain, "expected", at, &set->values[0]);
    } else {
        put_values(explain, set);
        if (set->count > ALLOWED_MAX) {
            bt_emit_member_u64(&explain->emit, "allowed_count", set->count);
        }
    }
    put_choices(explain, set);
    say_nearest(explain, set, value);
    bt_say_end(explain);
}

/* A count that is too small or too large. */
struct count {
    const char *low_code;
    const char *low_keyword;
    const char *high_code;
    const char *high_keyword;
    const char *unit;
};

static void say_count(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value,
                      uint64_t actual, const struct count *count)
{
    const bool is_low = actual < at->number;
    const struct bt_saying saying = {is_low ? count->low_code : count->high_code, at,
                                     is_low ? count->low_keyword : count->high_keyword, value};
    bt_say_begin(explain, &saying);
    const bt_value *limit = bt_say_keyword(explain, at, saying.keyword);
    bt_say_schema_value(explain, "limit", at, limit);
    bt_emit_member_u64(&explain->emit, "actual", actual);
    bt_buf_printf(&explain->message, " has %llu %s, %s ", (unsigned long long)actual, count->unit,
                  is_low ? "fewer than" : "more than");
    bt_buf_put_u64(&explain->message, is_low ? at->number : at->as.limit);
    bt_say_end(explain);
}

static const struct count lengths = {"SCHEMA_MIN_LENGTH", "minLength", "SCHEMA_MAX_LENGTH",
                                     "maxLength", "characters"};
static const struct count item_counts = {"SCHEMA_MIN_ITEMS", "minItems", "SCHEMA_MAX_ITEMS",
                                         "maxItems", "items"};
static const struct count member_counts = {"SCHEMA_MIN_PROPERTIES", "minProperties",
                                           "SCHEMA_MAX_PROPERTIES", "maxProperties", "members"};

struct range_row {
    enum bt_keyword keyword;
    const char *code;
    const char *name;
    const char *clause;
};

static const struct range_row ranges[] = {
    {BT_KW_MINIMUM, "SCHEMA_MINIMUM", "minimum", "below"},
    {BT_KW_MAXIMUM, "SCHEMA_MAXIMUM", "maximum", "above"},
    {BT_KW_EXCLUSIVE_MINIMUM, "SCHEMA_EXCLUSIVE_MINIMUM", "exclusiveMinimum", "not above"},
    {BT_KW_EXCLUSIVE_MAXIMUM, "SCHEMA_EXCLUSIVE_MAXIMUM", "exclusiveMaximum", "not below"},
};

static void say_range(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    size_t i = 0;
    while (ranges[i].keyword != at->number) {
        i++;
        assert(i < sizeof(ranges) / sizeof(ranges[0]));
    }
    const struct bt_saying saying = {ranges[i].code, at, ranges[i].name, value};
    bt_say_begin(explain, &saying);
    const bt_value *limit = bt_say_keyword(explain, at, ranges[i].name);
    bt_say_schema_value(explain, "limit", at, limit);
    bt_say_value(explain, "actual", value);
    const struct bt_bounds *bounds = at->as.bounds;
    const bool excluded = bounds->low_excluded || bounds->high_excluded;
    const bool is_flagged = excluded && ranges[i].clause[0] != 'n'; /* drafts 3 and 4 */
    bt_buf_printf(&explain->message, " is %s%s ", ranges[i].clause, is_flagged ? " or at" : "");
    bt_buf_put_visible(&explain->message,
                       bounds->low_text.len > 0 ? bounds->low_text : bounds->high_text, 40);
    bt_say_end(explain);
}

/* A leaf whose whole story is one member of the schema. */
static void say_simple(struct bt_explain *explain, const struct bt_saying *saying,
                       const char *param, const char *clause)
{
    bt_say_begin(explain, saying);
    const bt_value *value = bt_say_keyword(explain, saying->at, saying->keyword);
    bt_say_schema_value(explain, param, saying->at, value);
    bt_buf_put_text(&explain->message, clause);
    const bt_str text = bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
    bt_buf_put_visible(&explain->message, text, 80);
    bt_say_end(explain);
}

static void say_multiple(struct bt_explain *explain, const struct bt_instr *at,
                         const bt_value *value)
{
    const bool is_old = !bt_say_keyword(explain, at, "multipleOf");
    const struct bt_saying saying = {is_old ? "SCHEMA_DIVISIBLE_BY" : "SCHEMA_MULTIPLE_OF", at,
                                     is_old ? "divisibleBy" : "multipleOf", value};
    bt_say_begin(explain, &saying);
    bt_say_schema_value(explain, "divisor", at, bt_say_keyword(explain, at, saying.keyword));
    bt_say_value(explain, "actual", value);
    bt_buf_put_text(&explain->message, " is no multiple of ");
    bt_buf_put_visible(&explain->message, at->as.multiple->text, 40);
    bt_say_end(explain);
}

static void say_content(struct bt_explain *explain, const struct bt_instr *at,
                        const bt_value *value)
{
    const bool is_encoded =
        (at->number & BT_CONTENT_BASE64) == 0 ||
        bt_leaf_content(explain->run, BT_CONTENT_BASE64, bt_json_text(value)) == BT_SCHEMA_VALID;
    const struct bt_saying saying = {
        is_encoded ? "SCHEMA_CONTENT_MEDIA_TYPE" : "SCHEMA_CONTENT_ENCODING", at,
        is_encoded ? "contentMediaType" : "contentEncoding", value};
    say_simple(explain, &saying, "expected", " is no ");
}

static void say_unique(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    uint32_t first = 0;
    uint32_t second = 0;
    if (bt_leaf_unique(explain->run, value, &first, &second) != BT_SCHEMA_INVALID) {
        return; /* a limit, which ends the walk */
    }
    const struct bt_saying saying = {"SCHEMA_UNIQUE_ITEMS", at, "uniqueItems", value};
    bt_say_begin(explain, &saying);
    bt_emit_member_u64(&explain->emit, "first", first);
    bt_emit_member_u64(&explain->emit, "second", second);
    bt_buf_printf(&explain->message, " holds the same item at %u and at %u", first, second);
    bt_say_end(explain);
}

static void say_length(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    say_count(explain, at, value, bt_utf8_count(bt_json_text(value)), &lengths);
}

static void say_children(struct bt_explain *explain, const struct bt_instr *at,
                         const bt_value *value)
{
    say_count(explain, at, value, value->size,
              bt_json_type(value) == BT_JSON_ARRAY ? &item_counts : &member_counts);
}

static void say_pattern(struct bt_explain *explain, const struct bt_instr *at,
                        const bt_value *value)
{
    const struct bt_saying saying = {"SCHEMA_PATTERN", at, "pattern", value};
    say_simple(explain, &saying, "pattern", " does not match ");
}

static void say_format(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    const struct bt_saying saying = {"SCHEMA_FORMAT", at, "format", value};
    say_simple(explain, &saying, "format", " does not have the format ");
}

static void say_false(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    const struct bt_saying saying = {"SCHEMA_FALSE", at, NULL, value};
    bt_say_begin(explain, &saying);
    bt_buf_put_text(&explain->message, " stands where nothing is allowed");
    bt_say_end(explain);
}

typedef void say_fn(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value);

/* By instruction. */
static say_fn *const sayers[BT_OP__MAX] = {
    [BT_OP_FAIL] = say_false,      [BT_OP_TYPE] = say_type,         [BT_OP_LENGTH] = say_length,
    [BT_OP_PATTERN] = say_pattern, [BT_OP_FORMAT] = say_format,     [BT_OP_CONTENT] = say_content,
    [BT_OP_RANGE] = say_range,     [BT_OP_MULTIPLE] = say_multiple, [BT_OP_SET] = say_set,
    [BT_OP_COUNT] = say_children,  [BT_OP_UNIQUE] = say_unique,
};

void bt_explain_leaf(struct bt_explain *explain, const struct bt_instr *at, const bt_value *value)
{
    assert(at->op < BT_OP__MAX && sayers[at->op]);
    sayers[at->op](explain, at, value);
}
