/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_keywords.c - the values of keywords at random, close to what the instance has.
 */
#include "random_inside.h"

#include "base/buf.h"
#include "base/str.h"

#define PICK(maker, list) ((list)[rng_below(&(maker)->rng, COUNT_OF(list))])

static const char *const numbers[] = {
    "0", "1", "-1", "2", "1.5", "-0.5", "1e2", "100", "1e-2", "9007199254740993", "1e400",
};

static const char *const names[] = {"a", "b", "c", "foo", "bar", "x1", "", "\xc3\xa9"};

/* Values that no instance has, all different, so that enums repeat nothing. */
static const char *const strangers[] = {"\"zz\"", "987654", "[987]", "{\"zz\":1}", "-98.5"};

static struct random_place child_of(struct random_place place)
{
    return (struct random_place){.number = place.number, .is_here = false};
}

static void put_text(struct random_maker *maker, const char *name, const char *json)
{
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_text(maker->out, json);
}

/* A count that is what the value has, or one more or less. */
static void put_count(struct random_maker *maker, const char *name, size_t count)
{
    const size_t choice = rng_below(&maker->rng, 6);
    count = choice == 0 ? count + 1 : count;
    count = choice == 1 && count > 0 ? count - 1 : count;
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_u64(maker->out, count);
    /* Draft 4 has no such integers. */
    if (maker->draft >= BT_SCHEMA_DRAFT_6 && random_hit(maker, 10)) {
        bt_buf_put_text(maker->out, ".0");
    }
}

static size_t count_of(const bt_json_value *about)
{
    return bt_json_type(about) == BT_JSON_STRING ? bt_utf8_count(bt_json_text(about))
                                                 : bt_json_count(about);
}

/* A least or most: nearer to true than rng alone would be. */
static void put_least(struct random_maker *maker, const char *name, const bt_json_value *about,
                      struct random_place place)
{
    (void)place;
    put_count(maker, name, count_of(about) / (1 + rng_below(&maker->rng, 2)));
}

static void put_most(struct random_maker *maker, const char *name, const bt_json_value *about,
                     struct random_place place)
{
    (void)place;
    put_count(maker, name, count_of(about) + rng_below(&maker->rng, 2));
}

/* A bound beside the number, with room on the right side of it more often than not. */
static void put_bound(struct random_maker *maker, const char *name, const bt_json_value *about,
                      int64_t side)
{
    random_put_name(maker, bt_str_of(name));
    const bool is_small = bt_json_type(about) == BT_JSON_INTEGER && about->as.integer > -1000000 &&
                          about->as.integer < 1000000;
    if (is_small && random_hit(maker, 80)) {
        const int64_t step = (int64_t)rng_below(&maker->rng, 4) - 1;
        bt_buf_printf(maker->out, "%lld", (long long)(about->as.integer + side * step));
    } else if (bt_json_is_number(about) && random_hit(maker, 80)) {
        random_put_value(maker, about);
    } else {
        bt_buf_put_text(maker->out, PICK(maker, numbers));
    }
}

/* Drafts 3 and 4 say in another keyword whether the bound itself is out. */
static void put_flag(struct random_maker *maker, const char *name)
{
    if (maker->draft <= BT_SCHEMA_DRAFT_4 && random_hit(maker, 40)) {
        put_text(maker, name, random_hit(maker, 70) ? "true" : "false");
    }
}

static void put_minimum(struct random_maker *maker, const char *name, const bt_json_value *about,
                        struct random_place place)
{
    (void)place;
    put_bound(maker, name, about, -1);
    put_flag(maker, "exclusiveMinimum");
}

static void put_maximum(struct random_maker *maker, const char *name, const bt_json_value *about,
                        struct random_place place)
{
    (void)place;
    put_bound(maker, name, about, 1);
    put_flag(maker, "exclusiveMaximum");
}

static void put_multiple(struct random_maker *maker, const char *name, const bt_json_value *about,
                         struct random_place place)
{
    static const char *const divisors[] = {"1", "1.0",  "2",   "0.5", "0.01",
                                           "3", "1e-2", "0.1", "1e2"};
    (void)about;
    (void)place;
    put_text(maker, name, PICK(maker, divisors));
}

static void put_pattern(struct random_maker *maker, const char *name, const bt_json_value *about,
                        struct random_place place)
{
    static const char *const patterns[] = {
        "\"\"",         "\"^a\"",        "\"^[a-z]*$\"",    "\"[0-9]\"",   "\"o{2}\"",
        "\"^.{0,3}$\"", "\"^(?!x).*$\"", "\"^\\\\p{L}*$\"", "\"(?<=f)o\"", "\"^(foo|bar|b)\"",
    };
    (void)about;
    (void)place;
    put_text(maker, name, PICK(maker, patterns));
}

static void put_format(struct random_maker *maker, const char *name, const bt_json_value *about,
                       struct random_place place)
{
    static const char *const formats[] = {"\"date\"",  "\"ipv4\"",     "\"uri\"",
                                          "\"regex\"", "\"hostname\"", "\"unheard-of\""};
    (void)about;
    (void)place;
    put_text(maker, name, PICK(maker, formats));
}

static void put_content(struct random_maker *maker, const char *name, const bt_json_value *about,
                        struct random_place place)
{
    (void)about;
    (void)place;
    if (random_hit(maker, 50)) {
        put_text(maker, "contentEncoding", "\"base64\"");
    }
    put_text(maker, name, "\"application/json\"");
}

static void put_type_name(struct random_maker *maker, const bt_json_value *about)
{
    static const char *const types[] = {"null",   "boolean", "integer", "number",
                                        "string", "array",   "object"};
    const char *name =
        random_hit(maker, 85) ? bt_json_type_name(maker->about, about) : PICK(maker, types);
    bt_buf_printf(maker->out, "\"%s\"", name);
}

/* Draft 3 mixes names and schemas. */
static void put_type(struct random_maker *maker, const char *name, const bt_json_value *about,
                     struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    if (random_hit(maker, 70)) {
        put_type_name(maker, about);
    } else if (maker->draft == BT_SCHEMA_DRAFT_3 && random_hit(maker, 50)) {
        bt_buf_put_text(maker->out, "[\"null\",");
        random_put_schema(maker, about, place);
        bt_buf_put_char(maker->out, ']');
    } else {
        static const char *const unions[] = {"[\"object\",\"array\"]", "[\"string\",\"number\"]",
                                             "[\"integer\",\"null\",\"boolean\"]", "[\"string\"]",
                                             "[\"array\",\"integer\",\"object\",\"string\"]"};
        bt_buf_put_text(maker->out, PICK(maker, unions));
    }
}

static void put_disallow(struct random_maker *maker, const char *name, const bt_json_value *about,
                         struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    if (random_hit(maker, 60)) {
        bt_buf_put_text(maker->out,
                        random_hit(maker, 50) ? "\"null\"" : "[\"string\",\"boolean\"]");
    } else {
        bt_buf_put_char(maker->out, '[');
        random_put_schema(maker, about, place);
        bt_buf_put_char(maker->out, ']');
    }
}

static void put_enum(struct random_maker *maker, const char *name, const bt_json_value *about,
                     struct random_place place)
{
    (void)place;
    const size_t count = 1 + rng_below(&maker->rng, 4);
    const size_t first = rng_below(&maker->rng, COUNT_OF(strangers));
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '[');
    for (size_t i = 0; i < count; i++) {
        random_put_comma(maker, i);
        bt_buf_put_text(maker->out, strangers[(first + i) % COUNT_OF(strangers)]);
    }
    if (random_hit(maker, 85)) {
        bt_buf_put_char(maker->out, ',');
        random_put_value(maker, about);
    }
    bt_buf_put_char(maker->out, ']');
}

static void put_const(struct random_maker *maker, const char *name, const bt_json_value *about,
                      struct random_place place)
{
    (void)place;
    random_put_name(maker, bt_str_of(name));
    if (random_hit(maker, 85)) {
        random_put_value(maker, about);
    } else {
        bt_buf_put_text(maker->out, PICK(maker, strangers));
    }
}

/* The item at `index`, or anything. */
static const bt_json_value *item_of(struct random_maker *maker, const bt_json_value *about,
                                    size_t index)
{
    const bool has = bt_json_type(about) == BT_JSON_ARRAY && index < bt_json_count(about);
    return has ? &bt_json_items(about)[index] : random_any_value(maker);
}

static const bt_json_value *any_item_of(struct random_maker *maker, const bt_json_value *about)
{
    const size_t count = bt_json_count(about);
    return item_of(maker, about, count > 0 ? rng_below(&maker->rng, count) : 0);
}

static void put_item_schemas(struct random_maker *maker, const char *name,
                             const bt_json_value *about, struct random_place place)
{
    const size_t count = 1 + rng_below(&maker->rng, 3);
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '[');
    for (size_t i = 0; i < count; i++) {
        random_put_comma(maker, i);
        random_put_schema(maker, item_of(maker, about, i), child_of(place));
    }
    bt_buf_put_char(maker->out, ']');
}

static void put_child_schema(struct random_maker *maker, const char *name,
                             const bt_json_value *about, struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    random_put_schema(maker, about, child_of(place));
}

static void put_items(struct random_maker *maker, const char *name, const bt_json_value *about,
                      struct random_place place)
{
    if (maker->draft >= BT_SCHEMA_DRAFT_2020_12 || random_hit(maker, 60)) {
        put_child_schema(maker, name, any_item_of(maker, about), place);
        return;
    }
    put_item_schemas(maker, name, about, place);
}

static void put_item_schema(struct random_maker *maker, const char *name,
                            const bt_json_value *about, struct random_place place)
{
    put_child_schema(maker, name, any_item_of(maker, about), place);
}

static void put_contains(struct random_maker *maker, const char *name, const bt_json_value *about,
                         struct random_place place)
{
    static const char *const counts[] = {"0", "1", "2", "3", "1.0"};
    put_child_schema(maker, name, any_item_of(maker, about), place);
    if (maker->draft >= BT_SCHEMA_DRAFT_2019_09 && random_hit(maker, 30)) {
        put_text(maker, "minContains", PICK(maker, counts));
    }
    if (maker->draft >= BT_SCHEMA_DRAFT_2019_09 && random_hit(maker, 30)) {
        put_text(maker, "maxContains", PICK(maker, counts));
    }
}

static void put_unique(struct random_maker *maker, const char *name, const bt_json_value *about,
                       struct random_place place)
{
    (void)about;
    (void)place;
    put_text(maker, name, random_hit(maker, 80) ? "true" : "false");
}

static const bt_json_value *any_member_of(struct random_maker *maker, const bt_json_value *about)
{
    const size_t count = bt_json_type(about) == BT_JSON_OBJECT ? bt_json_count(about) : 0;
    return count > 0 ? &bt_json_members(about)[rng_below(&maker->rng, count)].value
                     : random_any_value(maker);
}

/* The name of a member, or one from our list. */
static bt_str any_name_of(struct random_maker *maker, const bt_json_value *about)
{
    const size_t count = bt_json_type(about) == BT_JSON_OBJECT ? bt_json_count(about) : 0;
    if (count > 0 && random_hit(maker, 85)) {
        return bt_json_name(&bt_json_members(about)[rng_below(&maker->rng, count)]);
    }
    return bt_str_of(PICK(maker, names));
}

static void put_property(struct random_maker *maker, bt_str name, const bt_json_value *about,
                         struct random_place place)
{
    random_put_name(maker, name);
    if (maker->draft == BT_SCHEMA_DRAFT_3 && random_hit(maker, 30)) {
        bt_buf_printf(maker->out, "{\"required\":true,\"type\":[\"any\"],\"extends\":");
        random_put_schema(maker, about, child_of(place));
        bt_buf_put_char(maker->out, '}');
        return;
    }
    random_put_schema(maker, about, child_of(place));
}

static void put_properties(struct random_maker *maker, const char *name, const bt_json_value *about,
                           struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    for (size_t i = 0; bt_json_members(about) && i < bt_json_count(about); i++) {
        const struct bt_json_member *member = &bt_json_members(about)[i];
        if (random_hit(maker, 70)) {
            put_property(maker, bt_json_name(member), &member->value, place);
        }
    }
    if (random_hit(maker, 30)) {
        put_property(maker, BT_STR("not there"), random_any_value(maker), place);
    }
    bt_buf_put_char(maker->out, '}');
}

static void put_pattern_properties(struct random_maker *maker, const char *name,
                                   const bt_json_value *about, struct random_place place)
{
    static const char *const patterns[] = {"^a", "o", "[0-9]$", "^.?$", "^(?!f)", "^\\p{L}+$"};
    const size_t count = 1 + rng_below(&maker->rng, 2);
    const size_t first = rng_below(&maker->rng, COUNT_OF(patterns));
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    for (size_t i = 0; i < count; i++) {
        random_put_name(maker, bt_str_of(patterns[(first + i) % COUNT_OF(patterns)]));
        random_put_schema(maker, any_member_of(maker, about), child_of(place));
    }
    bt_buf_put_char(maker->out, '}');
}

static void put_member_schema(struct random_maker *maker, const char *name,
                              const bt_json_value *about, struct random_place place)
{
    if (maker->draft <= BT_SCHEMA_DRAFT_4 && random_hit(maker, 30)) {
        put_text(maker, name, random_hit(maker, 50) ? "true" : "false");
        return;
    }
    put_child_schema(maker, name, any_member_of(maker, about), place);
}

static void put_property_names(struct random_maker *maker, const char *name,
                               const bt_json_value *about, struct random_place place)
{
    static const char *const schemas[] = {"{\"maxLength\":3}", "{\"pattern\":\"^[a-z]\"}",
                                          "{\"not\":{\"const\":\"foo\"}}", "{\"type\":\"string\"}"};
    if (random_hit(maker, 70)) {
        put_text(maker, name, PICK(maker, schemas));
        return;
    }
    put_child_schema(maker, name, about, place);
}

/* One or two different names. */
static void put_names(struct random_maker *maker, const bt_json_value *about)
{
    const bt_str first = any_name_of(maker, about);
    const bt_str second = any_name_of(maker, about);
    bt_buf_put_char(maker->out, '[');
    bt_json_put_string(maker->out, first);
    if (!bt_str_eq(first, second)) {
        bt_buf_put_char(maker->out, ',');
        bt_json_put_string(maker->out, second);
    }
    bt_buf_put_char(maker->out, ']');
}

static void put_required(struct random_maker *maker, const char *name, const bt_json_value *about,
                         struct random_place place)
{
    (void)place;
    random_put_name(maker, bt_str_of(name));
    put_names(maker, about);
}

static void put_dependencies(struct random_maker *maker, const char *name,
                             const bt_json_value *about, struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    random_put_name(maker, any_name_of(maker, about));
    if (maker->draft == BT_SCHEMA_DRAFT_3 && random_hit(maker, 30)) {
        bt_json_put_string(maker->out, any_name_of(maker, about));
    } else if (random_hit(maker, 50)) {
        put_names(maker, about);
    } else {
        random_put_schema(maker, about, place);
    }
    bt_buf_put_char(maker->out, '}');
}

static void put_dependent_required(struct random_maker *maker, const char *name,
                                   const bt_json_value *about, struct random_place place)
{
    (void)place;
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    random_put_name(maker, any_name_of(maker, about));
    put_names(maker, about);
    bt_buf_put_char(maker->out, '}');
}

static void put_dependent_schemas(struct random_maker *maker, const char *name,
                                  const bt_json_value *about, struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    random_put_name(maker, any_name_of(maker, about));
    random_put_schema(maker, about, place);
    bt_buf_put_char(maker->out, '}');
}

static void put_property_dependencies(struct random_maker *maker, const char *name,
                                      const bt_json_value *about, struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    random_put_name(maker, any_name_of(maker, about));
    bt_buf_put_char(maker->out, '{');
    random_put_name(maker, bt_json_text(any_member_of(maker, about)));
    random_put_schema(maker, about, place);
    bt_buf_put_text(maker->out, "}}");
}

/* Schemas for the same value. */
static void put_schemas(struct random_maker *maker, const char *name, const bt_json_value *about,
                        struct random_place place)
{
    const size_t count = 1 + rng_below(&maker->rng, 3);
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '[');
    for (size_t i = 0; i < count; i++) {
        random_put_comma(maker, i);
        random_put_schema(maker, about, place);
    }
    bt_buf_put_char(maker->out, ']');
}

static void put_extends(struct random_maker *maker, const char *name, const bt_json_value *about,
                        struct random_place place)
{
    if (random_hit(maker, 50)) {
        put_schemas(maker, name, about, place);
        return;
    }
    random_put_name(maker, bt_str_of(name));
    random_put_schema(maker, about, place);
}

/* Of another value, mostly: else it would nearly always fail. */
static void put_not(struct random_maker *maker, const char *name, const bt_json_value *about,
                    struct random_place place)
{
    random_put_name(maker, bt_str_of(name));
    random_put_schema(maker, random_hit(maker, 60) ? random_any_value(maker) : about, place);
}

static void put_if(struct random_maker *maker, const char *name, const bt_json_value *about,
                   struct random_place place)
{
    const char *const parts[] = {name, "then", "else"};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (random_hit(maker, 85)) {
            random_put_name(maker, bt_str_of(parts[i]));
            random_put_schema(maker, about, place);
        }
    }
}

/* What says nothing, but is easily taken for something. */
static void put_noise(struct random_maker *maker, const char *name, const bt_json_value *about,
                      struct random_place place)
{
    (void)place;
    random_put_name(maker, BT_STR("default"));
    random_put_value(maker, about);
    put_text(maker, name,
             "{\"$id\":\"" RANDOM_BASE "root\",\"id\":\"" RANDOM_BASE "d1\",\"$ref\":\"nowhere\"}");
    if (maker->draft >= BT_SCHEMA_DRAFT_2019_09) {
        put_text(maker, "contentSchema", "false");
    }
}

#define NUMBERS (1U << BT_JSON_INTEGER | 1U << BT_JSON_NUMBER)
#define STRINGS (1U << BT_JSON_STRING)
#define ARRAYS (1U << BT_JSON_ARRAY)
#define OBJECTS (1U << BT_JSON_OBJECT)
#define ALL (~0U)

const struct random_keyword random_keywords[] = {
    {"type", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, ALL, put_type},
    {"disallow", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_3, 0, put_disallow},
    {"enum", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, NUMBERS | STRINGS, put_enum},
    {"const", BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_V1, NUMBERS | STRINGS, put_const},
    {"minimum", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, NUMBERS, put_minimum},
    {"maximum", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, NUMBERS, put_maximum},
    {"exclusiveMinimum", BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_V1, NUMBERS, put_minimum},
    {"exclusiveMaximum", BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_V1, NUMBERS, put_maximum},
    {"divisibleBy", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_3, NUMBERS, put_multiple},
    {"multipleOf", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, NUMBERS, put_multiple},
    {"minLength", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, STRINGS, put_least},
    {"maxLength", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, STRINGS, put_most},
    {"pattern", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, STRINGS, put_pattern},
    {"format", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, STRINGS, put_format},
    {"contentMediaType", BT_SCHEMA_DRAFT_7, BT_SCHEMA_DRAFT_V1, 0, put_content},
    {"items", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, ARRAYS, put_items},
    {"prefixItems", BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_V1, ARRAYS, put_item_schemas},
    {"additionalItems", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_2019_09, ARRAYS, put_item_schema},
    {"contains", BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_V1, ARRAYS, put_contains},
    {"minItems", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, ARRAYS, put_least},
    {"maxItems", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, ARRAYS, put_most},
    {"uniqueItems", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, ARRAYS, put_unique},
    {"unevaluatedItems", BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_V1, ARRAYS, put_item_schema},
    {"properties", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, OBJECTS, put_properties},
    {"patternProperties", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, OBJECTS, put_pattern_properties},
    {"additionalProperties", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, OBJECTS, put_member_schema},
    {"propertyNames", BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_V1, OBJECTS, put_property_names},
    {"minProperties", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, OBJECTS, put_least},
    {"maxProperties", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, OBJECTS, put_most},
    {"required", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, OBJECTS, put_required},
    {"dependencies", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, OBJECTS, put_dependencies},
    {"dependentRequired", BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_V1, OBJECTS,
     put_dependent_required},
    {"dependentSchemas", BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_V1, OBJECTS,
     put_dependent_schemas},
    {"propertyDependencies", BT_SCHEMA_DRAFT_V1, BT_SCHEMA_DRAFT_V1, OBJECTS,
     put_property_dependencies},
    {"unevaluatedProperties", BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_V1, OBJECTS,
     put_member_schema},
    {"allOf", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, ALL, put_schemas},
    {"anyOf", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, ALL, put_schemas},
    {"oneOf", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, ALL, put_schemas},
    {"extends", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_3, ALL, put_extends},
    {"not", BT_SCHEMA_DRAFT_4, BT_SCHEMA_DRAFT_V1, ALL, put_not},
    {"if", BT_SCHEMA_DRAFT_7, BT_SCHEMA_DRAFT_V1, ALL, put_if},
    {"x-unknown", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1, 0, put_noise},
};

const size_t random_keywords_count = COUNT_OF(random_keywords);
