/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_prove.c - which schemas of a are covered by which of b: rules that are certain.
 */
#include <assert.h>
#include <string.h>

#include "dialect/plan/compat.h"
#include "json/builder.h"
#include "json/decimal.h"
#include "json/walk.h"

enum { PAIRS_MAX = 16 << 20, LISTED_MAX = 10000 };

bool bt_payload_compat_is_proven(const struct bt_payload_compat *compat, size_t a, size_t b)
{
    return compat->proven[a * compat->b->count + b] != 0;
}

/* The pair that is being judged. */
struct plan_compat_prove_pair {
    struct bt_payload_compat *compat;
    size_t a;
    size_t b;
    unsigned types; /* that a admits */
};

static const bt_json_value *of_a(const struct plan_compat_prove_pair *pair, const char *keyword)
{
    return bt_payload_side_get(pair->compat->a, pair->a, keyword);
}

static const bt_json_value *of_b(const struct plan_compat_prove_pair *pair, const char *keyword)
{
    return bt_payload_side_get(pair->compat->b, pair->b, keyword);
}

static bt_str number_of(const struct bt_payload_side *side, const bt_json_value *value)
{
    return bt_json_number_text(side->payload->document, value);
}

/* References mean something else in another document, so equal texts prove nothing then. */
static bool has_reference(const bt_json_value *value)
{
    struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bt_json_walk_begin(&walk, value);
    while (bt_json_walk_next(&walk, &walked)) {
        if (walked.member && bt_str_eq(bt_json_name(walked.member), BT_STR("$ref"))) {
            return true;
        }
    }
    return false;
}

static bool has_objects(const bt_json_value *value)
{
    struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bool found = bt_json_type(value) == BT_JSON_OBJECT;
    bt_json_walk_begin(&walk, value);
    while (!found && bt_json_walk_next(&walk, &walked)) {
        found = bt_json_type(walked.value) == BT_JSON_OBJECT;
    }
    return found;
}

static enum bt_status is_equal(const struct plan_compat_prove_pair *pair, const bt_json_value *a,
                               const bt_json_value *b, bool *out)
{
    *out = false;
    if (!a || !b || has_reference(a) || has_reference(b)) {
        return BT_OK;
    }
    /* Drafts read objects differently; scalars and lists of values mean the same in both. */
    const bool is_plain = bt_json_count(a) == 0 || !has_objects(a);
    if (pair->compat->a->payload->draft != pair->compat->b->payload->draft && !is_plain) {
        return BT_OK;
    }
    return bt_json_equal(pair->compat->a->payload->document, a, pair->compat->b->payload->document,
                         b, pair->compat->arena, out);
}

static enum bt_status covers_value(const struct plan_compat_prove_pair *pair,
                                   const bt_json_value *value, bool *out)
{
    const struct bt_payload_side *side = pair->compat->a;
    const struct bt_arena_mark mark = bt_arena_mark(pair->compat->arena);
    const struct bt_json_doc *part = NULL;
    enum bt_schema_result by_a = BT_SCHEMA_UNDECIDED;
    enum bt_schema_result by_b = BT_SCHEMA_UNDECIDED;
    BT_TRY(bt_json_part(side->payload->document, value, pair->compat->arena, &part));
    BT_TRY(bt_payload_side_validate(pair->compat, pair->compat->a, pair->a, part, &by_a));
    BT_TRY(bt_payload_side_validate(pair->compat, pair->compat->b, pair->b, part, &by_b));
    bt_arena_rewind(pair->compat->arena, mark);
    *out = by_a == BT_SCHEMA_INVALID || by_b == BT_SCHEMA_VALID;
    return BT_OK;
}

/* Whether a lists its values, and b accepts each that a does. */
static enum bt_status proven_by_list(const struct plan_compat_prove_pair *pair, bool *out)
{
    const bt_json_value *listed = of_a(pair, "const");
    const bt_json_value *list = of_a(pair, "enum");
    const bt_json_value *items = list ? bt_json_items(list) : NULL;
    *out = false;
    if (listed) {
        return covers_value(pair, listed, out);
    }
    if (!items || bt_json_count(list) > LISTED_MAX) {
        return BT_OK;
    }
    *out = true;
    for (size_t i = 0; *out && i < bt_json_count(list); i++) {
        BT_TRY(covers_value(pair, &items[i], out));
    }
    return BT_OK;
}

/* How the bound `value` of a compares with that of b: negative when it is lower. */
static int compare_bounds(const struct plan_compat_prove_pair *pair, const bt_json_value *a,
                          const bt_json_value *b)
{
    return bt_json_decimal_compare(number_of(pair->compat->a, a), number_of(pair->compat->b, b));
}

/* Whether a's bound `keyword` lies at b's or within; `beyond`: strictly within. */
static bool is_within(const struct plan_compat_prove_pair *pair, const char *keyword,
                      const bt_json_value *bound, bool is_lower, bool beyond)
{
    const bt_json_value *own = of_a(pair, keyword);
    if (!own || !bt_json_is_number(own)) {
        return false;
    }
    const int order = compare_bounds(pair, own, bound);
    return (is_lower ? order > 0 : order < 0) || (!beyond && order == 0);
}

static size_t distinct_required(const struct plan_compat_prove_pair *pair)
{
    const bt_json_value *required = of_a(pair, "required");
    return required ? bt_json_count(required) : 0; /* its own draft wants them to differ */
}

static bool is_closed(const struct plan_compat_prove_pair *pair)
{
    const bt_json_value *rest = of_a(pair, "additionalProperties");
    return rest && bt_json_type(rest) == BT_JSON_FALSE && !of_a(pair, "patternProperties");
}

/* Bounds that follow from what a names. */
static bool is_counted(const struct plan_compat_prove_pair *pair, bt_str name,
                       const bt_json_value *bound)
{
    const double limit = bt_json_to_double(bound);
    if (bt_str_starts_with(name, BT_STR("min")) && limit <= 0 &&
        !bt_str_eq(name, BT_STR("minimum"))) {
        return true;
    }
    if (bt_str_eq(name, BT_STR("minProperties"))) {
        return limit <= (double)distinct_required(pair);
    }
    const bt_json_value *properties = of_a(pair, "properties");
    return bt_str_eq(name, BT_STR("maxProperties")) && is_closed(pair) && properties &&
           limit >= (double)bt_json_count(properties);
}

static bool bound_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                          const bt_json_value *bound)
{
    static const struct plan_compat_prove_bound {
        bt_str name;
        const char *inclusive;
        const char *exclusive;
        bool is_lower;
        bool is_exclusive; /* an inclusive bound must lie strictly within */
    } bounds[] = {
        {BT_STR_INIT("minimum"), "minimum", "exclusiveMinimum", true, false},
        {BT_STR_INIT("exclusiveMinimum"), "minimum", "exclusiveMinimum", true, true},
        {BT_STR_INIT("maximum"), "maximum", "exclusiveMaximum", false, false},
        {BT_STR_INIT("exclusiveMaximum"), "maximum", "exclusiveMaximum", false, true},
    };
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        if (bt_str_eq(bounds[i].name, name)) {
            return is_within(pair, bounds[i].inclusive, bound, bounds[i].is_lower,
                             bounds[i].is_exclusive) ||
                   is_within(pair, bounds[i].exclusive, bound, bounds[i].is_lower, false);
        }
    }
    char keyword[32];
    assert(name.len < sizeof(keyword));
    memcpy(keyword, name.ptr, name.len);
    keyword[name.len] = '\0';
    return is_counted(pair, name, bound) ||
           is_within(pair, keyword, bound, bt_str_starts_with(name, BT_STR("min")), false);
}

static bool multiple_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                             const bt_json_value *divisor)
{
    (void)name;
    const bt_json_value *own = of_a(pair, "multipleOf");
    const bt_str wanted = number_of(pair->compat->b, divisor);
    if ((pair->types & BT_TYPE_FRACTION) == 0 &&
        bt_json_decimal_compare(wanted, BT_STR("1")) == 0) {
        return true;
    }
    return own && bt_json_decimal_is_divisor(wanted) &&
           bt_json_decimal_is_multiple(number_of(pair->compat->a, own), wanted);
}

static bool property_proven(const struct plan_compat_prove_pair *pair, bt_str name)
{
    return bt_payload_compat_is_proven(pair->compat,
                                       bt_payload_side_property(pair->compat->a, pair->a, name),
                                       bt_payload_side_property(pair->compat->b, pair->b, name));
}

static bool named_proven(const struct plan_compat_prove_pair *pair, const bt_json_value *properties)
{
    const struct bt_json_member *members = properties ? bt_json_members(properties) : NULL;
    for (size_t i = 0; members && i < bt_json_count(properties); i++) {
        if (!property_proven(pair, bt_json_name(&members[i]))) {
            return false;
        }
    }
    return true;
}

/* Whether the properties of a are covered; patternProperties must be equal besides. */
static bool members_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                            const bt_json_value *value)
{
    (void)name;
    (void)value;
    return named_proven(pair, of_a(pair, "properties")) &&
           named_proven(pair, of_b(pair, "properties")) && property_proven(pair, (bt_str){NULL, 0});
}

static bool items_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                          const bt_json_value *value)
{
    (void)name;
    (void)value;
    const size_t a = bt_payload_side_items(pair->compat->a, pair->a);
    const size_t b = bt_payload_side_items(pair->compat->b, pair->b);
    const size_t count = a > b ? a : b;
    for (size_t i = 0; i <= count; i++) {
        if (!bt_payload_compat_is_proven(pair->compat,
                                         bt_payload_side_item(pair->compat->a, pair->a, i),
                                         bt_payload_side_item(pair->compat->b, pair->b, i))) {
            return false;
        }
    }
    return true;
}

static bool required_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                             const bt_json_value *required)
{
    (void)name;
    const bt_json_value *items = bt_json_items(required);
    for (size_t i = 0; items && i < bt_json_count(required); i++) {
        if (!bt_payload_side_requires(pair->compat->a, pair->a, bt_json_text(&items[i]))) {
            return false;
        }
    }
    return true;
}

/* Whether a is covered by all of the branches or, of anyOf, by one. */
static bool branches_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                             const bt_json_value *branches)
{
    const bool all = bt_str_eq(name, BT_STR("allOf"));
    const bt_json_value *items = bt_json_items(branches);
    for (size_t i = 0; items && i < bt_json_count(branches); i++) {
        const bool is_proven = bt_payload_compat_is_proven(
            pair->compat, pair->a, bt_payload_side_node(pair->compat->b, &items[i]));
        if (is_proven != all) {
            return is_proven;
        }
    }
    return all;
}

static bool types_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                          const bt_json_value *value)
{
    (void)name;
    (void)value;
    return (pair->types & ~bt_payload_side_types(pair->compat->b, pair->b)) == 0;
}

static bool ref_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                        const bt_json_value *value)
{
    (void)name;
    (void)value;
    return bt_payload_compat_is_proven(pair->compat, pair->a, pair->compat->b->targets[pair->b]);
}

/* Beside additionalProperties false nothing is left that could be unevaluated. */
static bool unevaluated_implied(const struct plan_compat_prove_pair *pair, bt_str name,
                                const bt_json_value *value)
{
    const bt_json_value *rest = of_b(pair, "additionalProperties");
    (void)value;
    return bt_str_eq(name, BT_STR("unevaluatedProperties")) && rest &&
           bt_json_type(rest) == BT_JSON_FALSE;
}

/* Whether a implies the keyword `name` of b, which has that value. */
typedef bool implied_fn(const struct plan_compat_prove_pair *pair, bt_str name,
                        const bt_json_value *value);

enum { NUMBER = BT_TYPE_INTEGER | BT_TYPE_FRACTION };

static const struct plan_compat_prove_keyword {
    bt_str name;
    implied_fn *is_implied; /* NULL: a needs an equal value */
    unsigned types;         /* that it asserts something about */
} keywords[] = {
    {BT_STR_INIT("type"), types_implied, BT_TYPE_ALL},
    {BT_STR_INIT("minimum"), bound_implied, NUMBER},
    {BT_STR_INIT("maximum"), bound_implied, NUMBER},
    {BT_STR_INIT("exclusiveMinimum"), bound_implied, NUMBER},
    {BT_STR_INIT("exclusiveMaximum"), bound_implied, NUMBER},
    {BT_STR_INIT("multipleOf"), multiple_implied, NUMBER},
    {BT_STR_INIT("minLength"), bound_implied, BT_TYPE_STRING},
    {BT_STR_INIT("maxLength"), bound_implied, BT_TYPE_STRING},
    {BT_STR_INIT("pattern"), NULL, BT_TYPE_STRING},
    {BT_STR_INIT("minItems"), bound_implied, BT_TYPE_ARRAY},
    {BT_STR_INIT("maxItems"), bound_implied, BT_TYPE_ARRAY},
    {BT_STR_INIT("uniqueItems"), NULL, BT_TYPE_ARRAY},
    {BT_STR_INIT("contains"), NULL, BT_TYPE_ARRAY},
    {BT_STR_INIT("minContains"), NULL, BT_TYPE_ARRAY},
    {BT_STR_INIT("maxContains"), NULL, BT_TYPE_ARRAY},
    {BT_STR_INIT("items"), items_implied, BT_TYPE_ARRAY},
    {BT_STR_INIT("prefixItems"), items_implied, BT_TYPE_ARRAY},
    {BT_STR_INIT("additionalItems"), items_implied, BT_TYPE_ARRAY},
    {BT_STR_INIT("unevaluatedItems"), unevaluated_implied, BT_TYPE_ARRAY},
    {BT_STR_INIT("minProperties"), bound_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("maxProperties"), bound_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("required"), required_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("properties"), members_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("patternProperties"), members_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("additionalProperties"), members_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("unevaluatedProperties"), unevaluated_implied, BT_TYPE_OBJECT},
    {BT_STR_INIT("propertyNames"), NULL, BT_TYPE_OBJECT},
    {BT_STR_INIT("dependentRequired"), NULL, BT_TYPE_OBJECT},
    {BT_STR_INIT("dependentSchemas"), NULL, BT_TYPE_OBJECT},
    {BT_STR_INIT("dependencies"), NULL, BT_TYPE_OBJECT},
    {BT_STR_INIT("allOf"), branches_implied, BT_TYPE_ALL},
    {BT_STR_INIT("anyOf"), branches_implied, BT_TYPE_ALL},
    {BT_STR_INIT("$ref"), ref_implied, BT_TYPE_ALL},
    {BT_STR_INIT("enum"), NULL, BT_TYPE_ALL},
    {BT_STR_INIT("const"), NULL, BT_TYPE_ALL},
    {BT_STR_INIT("not"), NULL, BT_TYPE_ALL},
    {BT_STR_INIT("oneOf"), NULL, BT_TYPE_ALL},
    {BT_STR_INIT("if"), NULL, BT_TYPE_ALL},
    {BT_STR_INIT("then"), NULL, BT_TYPE_ALL},
    {BT_STR_INIT("else"), NULL, BT_TYPE_ALL},
};

/* The keyword, or NULL when it asserts nothing. */
static const struct plan_compat_prove_keyword *keyword_of(bt_str name)
{
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        if (bt_str_eq(keywords[i].name, name)) {
            return &keywords[i];
        }
    }
    return NULL;
}

static enum bt_status prove_member(const struct plan_compat_prove_pair *pair,
                                   const struct bt_json_member *member, bool *out)
{
    const struct bt_payload_side *side = pair->compat->a;
    const bt_str name = bt_json_name(member);
    const struct plan_compat_prove_keyword *keyword = keyword_of(name);
    *out = !keyword || (keyword->types & pair->types) == 0;
    if (*out) {
        return BT_OK;
    }
    if (keyword->is_implied) {
        const bt_json_value *a = of_a(pair, "patternProperties");
        const bt_json_value *b = of_b(pair, "patternProperties");
        *out = keyword->is_implied(pair, name, &member->value);
        return *out && keyword->is_implied == members_implied && (a || b)
                   ? is_equal(pair, a, b, out)
                   : BT_OK;
    }
    const bt_json_value *schema = bt_payload_side_schema(side, pair->a);
    const bool is_known = bt_payload_keyword_is_defined(name, side->payload->draft);
    const bt_json_value *own =
        schema && is_known ? bt_json_get(side->payload->document, schema, name) : NULL;
    return is_equal(pair, own, &member->value, out);
}

static enum bt_status all_implied(const struct plan_compat_prove_pair *pair, bool *out)
{
    const bt_json_value *schema = bt_payload_side_schema(pair->compat->b, pair->b);
    const struct bt_json_member *members = schema ? bt_json_members(schema) : NULL;
    *out = members != NULL;
    /* draft-07 ignores what stands beside a $ref. */
    if (pair->compat->b->payload->draft == BT_SCHEMA_DRAFT_7 &&
        pair->compat->b->targets[pair->b] != BT_ABSENT) {
        *out =
            bt_payload_compat_is_proven(pair->compat, pair->a, pair->compat->b->targets[pair->b]);
        return BT_OK;
    }
    for (size_t i = 0; *out && i < bt_json_count(schema); i++) {
        BT_TRY(prove_member(pair, &members[i], out));
    }
    return BT_OK;
}

/* Whether a part of a suffices: a branch of allOf, each branch of anyOf, what $ref leads to. */
static bool proven_by_part(const struct plan_compat_prove_pair *pair)
{
    const struct bt_payload_side *side = pair->compat->a;
    const bt_json_value *all = of_a(pair, "allOf");
    const bt_json_value *any = of_a(pair, "anyOf");
    const size_t target = side->targets[pair->a];
    bool is_proven =
        target != BT_ABSENT && bt_payload_compat_is_proven(pair->compat, target, pair->b);
    for (size_t i = 0; all && i < bt_json_count(all); i++) {
        is_proven = is_proven ||
                    bt_payload_compat_is_proven(
                        pair->compat, bt_payload_side_node(side, &bt_json_items(all)[i]), pair->b);
    }
    bool each = any && bt_json_count(any) > 0;
    for (size_t i = 0; each && i < bt_json_count(any); i++) {
        each = bt_payload_compat_is_proven(
            pair->compat, bt_payload_side_node(side, &bt_json_items(any)[i]), pair->b);
    }
    return is_proven || each;
}

static enum bt_status prove_pair(struct bt_payload_compat *compat, size_t a, size_t b, bool *out)
{
    const struct plan_compat_prove_pair pair = {compat, a, b, bt_payload_side_types(compat->a, a)};
    *out = bt_payload_side_is_anything(compat->b, b) || bt_payload_side_is_nothing(compat->a, a) ||
           proven_by_part(&pair);
    if (*out || bt_payload_side_is_nothing(compat->b, b)) {
        return BT_OK;
    }
    const bool is_ref =
        compat->a->payload->draft == BT_SCHEMA_DRAFT_7 && compat->a->targets[a] != BT_ABSENT;
    if (is_ref) {
        return BT_OK; /* what stands beside it does not count */
    }
    if (bt_payload_side_schema(compat->a, a)) {
        BT_TRY(is_equal(&pair, bt_payload_side_schema(compat->a, a),
                        bt_payload_side_schema(compat->b, b), out));
    }
    if (!*out) {
        BT_TRY(proven_by_list(&pair, out));
    }
    return *out ? BT_OK : all_implied(&pair, out);
}

enum bt_status bt_payload_compat_prove(struct bt_payload_compat *compat)
{
    const size_t a_count = compat->a->count;
    const size_t b_count = compat->b->count;
    if (a_count > PAIRS_MAX / b_count) {
        return BT_ELIMIT;
    }
    compat->proven = BT_NEW_ARRAY(compat->arena, uint8_t, a_count * b_count);
    BT_TRY(compat->proven ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < a_count; i++) {
        for (size_t j = 0; j < b_count; j++) {
            const size_t a = compat->a->order[i];
            const size_t b = compat->b->order[j];
            bool is_proven = false;
            BT_TRY(prove_pair(compat, a, b, &is_proven));
            compat->proven[a * b_count + b] = is_proven;
        }
    }
    return BT_OK;
}
