/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_schema.c - schemas at random: which keywords a schema has, and how schemas hang together.
 *
 * The root has some definitions, numbered from 1; it is number 0 itself. Some of them are resources
 * of their own. A schema that is applied to the same value as definition n refers only to
 * definitions beyond n, one that is applied to a child refers to any: so no reference goes in
 * circles, and yet schemas are recursive.
 */
#include "random_schema.h"

#include "base/buf.h"
#include "random_inside.h"

/* How likely a keyword is, out of 100, when it fits the type of the value and when not. */
enum {
    LIKELY = 20,
    UNLIKELY = 3,
    DEPTH_MAX = 4,
    SCHEMAS_MAX = 25,
};

bool random_hit(struct random_maker *maker, size_t percent)
{
    return rng_below(&maker->rng, 100) < percent;
}

void random_put_name(struct random_maker *maker, bt_str name)
{
    const char last = maker->out->len > 0 ? maker->out->ptr[maker->out->len - 1] : '{';
    if (last != '{') {
        bt_buf_put_char(maker->out, ',');
    }
    bt_json_put_string(maker->out, name);
    bt_buf_put_char(maker->out, ':');
}

void random_put_comma(struct random_maker *maker, size_t index)
{
    if (index > 0) {
        bt_buf_put_char(maker->out, ',');
    }
}

void random_put_value(struct random_maker *maker, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(maker->about, value);
    bt_buf_put(maker->out, bt_str_slice(bt_json_source(maker->about), span.begin, span.end));
}

/* Any value of the instance, found by going down from the root for as long as rng wants. */
const bt_json_value *random_any_value(struct random_maker *maker)
{
    const bt_json_value *value = bt_json_root(maker->about);
    while (bt_json_count(value) > 0 && random_hit(maker, 70)) {
        const size_t index = rng_below(&maker->rng, bt_json_count(value));
        value = bt_json_type(value) == BT_JSON_ARRAY ? &bt_json_items(value)[index]
                                                     : &bt_json_members(value)[index].value;
    }
    return value;
}

static unsigned type_bit(const bt_json_value *value)
{
    return 1U << bt_json_type(value);
}

static const char *id_name(const struct random_maker *maker)
{
    return maker->draft <= BT_SCHEMA_DRAFT_4 ? "id" : "$id";
}

static const char *definitions_name(const struct random_maker *maker)
{
    return maker->draft <= BT_SCHEMA_DRAFT_7 ? "definitions" : "$defs";
}

/* A reference to definition n: through the root's pointer, by its anchor, or as a resource. */
static void put_target(struct random_maker *maker, size_t number)
{
    const bool by_name = random_hit(maker, 50);
    if (number == 0) {
        bt_buf_put_text(maker->out, "\"" RANDOM_BASE "root\"");
    } else if (maker->definitions[number].is_resource && by_name) {
        bt_buf_printf(maker->out, "\"%sd%zu\"", random_hit(maker, 50) ? RANDOM_BASE : "", number);
    } else if (maker->definitions[number].has_anchor && by_name) {
        bt_buf_printf(maker->out, "\"" RANDOM_BASE "root#a%zu\"", number);
    } else {
        bt_buf_printf(maker->out, "\"" RANDOM_BASE "root#/%s/d%zu\"", definitions_name(maker),
                      number);
    }
}

/* Whether there is a definition to refer to from here. */
static bool may_refer(const struct random_maker *maker, struct random_place place)
{
    return !place.is_here || place.number + 1 < maker->definitions_count;
}

static void put_reference(struct random_maker *maker, struct random_place place)
{
    const size_t first = place.is_here ? place.number + 1 : 0;
    random_put_name(maker, BT_STR("$ref"));
    put_target(maker, first + rng_below(&maker->rng, maker->definitions_count - first));
}

/* Dynamic references only go to children: where they lead is decided by the way that led here. */
static void put_dynamic_reference(struct random_maker *maker)
{
    const bool is_recursive = maker->draft == BT_SCHEMA_DRAFT_2019_09;
    random_put_name(maker, is_recursive ? BT_STR("$recursiveRef") : BT_STR("$dynamicRef"));
    bt_buf_put_text(maker->out, is_recursive ? "\"#\"" : "\"#node\"");
}

static void put_keywords(struct random_maker *maker, const bt_json_value *about,
                         struct random_place place)
{
    for (size_t i = 0; i < random_keywords_count; i++) {
        const struct random_keyword *keyword = &random_keywords[i];
        const bool fits = (keyword->types & type_bit(about)) != 0;
        if (maker->draft >= keyword->first && maker->draft <= keyword->last &&
            random_hit(maker, fits ? LIKELY : UNLIKELY)) {
            keyword->put(maker, keyword->name, about, place);
        }
    }
}

/* What stands inside the braces of a schema that is more than a reference. */
static void put_body(struct random_maker *maker, const bt_json_value *about,
                     struct random_place place)
{
    const bool may_hold_more = maker->draft >= BT_SCHEMA_DRAFT_2019_09;
    if (may_refer(maker, place) && random_hit(maker, 14)) {
        put_reference(maker, place);
        /* In old drafts nothing else counts, and sometimes something else is there. */
        if (!may_hold_more && random_hit(maker, 70)) {
            return;
        }
    }
    if (!place.is_here && may_hold_more && random_hit(maker, 8)) {
        put_dynamic_reference(maker);
    }
    put_keywords(maker, about, place);
}

static bool may_be_boolean(const struct random_maker *maker)
{
    return maker->draft >= BT_SCHEMA_DRAFT_6;
}

void random_put_schema(struct random_maker *maker, const bt_json_value *about,
                       struct random_place place)
{
    /* Sometimes a schema is about something else. */
    about = random_hit(maker, 12) ? random_any_value(maker) : about;
    if (may_be_boolean(maker) && random_hit(maker, 6)) {
        bt_buf_put_text(maker->out, random_hit(maker, 60) ? "true" : "false");
        return;
    }
    bt_buf_put_char(maker->out, '{');
    if (maker->depth < DEPTH_MAX && maker->schemas < SCHEMAS_MAX) {
        maker->depth++;
        maker->schemas++;
        put_body(maker, about, place);
        maker->depth--;
    }
    bt_buf_put_char(maker->out, '}');
}

/* A resource's own place for what dynamic references look for. */
static void put_dynamic_anchor(struct random_maker *maker)
{
    if (maker->draft == BT_SCHEMA_DRAFT_2019_09 && random_hit(maker, 60)) {
        random_put_name(maker, BT_STR("$recursiveAnchor"));
        bt_buf_put_text(maker->out, random_hit(maker, 80) ? "true" : "false");
    } else if (maker->draft >= BT_SCHEMA_DRAFT_2020_12) {
        random_put_name(maker, BT_STR("$dynamicAnchor"));
        bt_buf_put_text(maker->out, "\"node\"");
    }
}

static void put_definition(struct random_maker *maker, size_t number)
{
    const struct random_definition *definition = &maker->definitions[number];
    const struct random_place place = {.number = number, .is_here = true};
    char name[24];
    (void)snprintf(name, sizeof(name), "d%zu", number);
    random_put_name(maker, bt_str_of(name));
    bt_buf_put_char(maker->out, '{');
    if (definition->is_resource) {
        random_put_name(maker, bt_str_of(id_name(maker)));
        bt_buf_printf(maker->out, "\"d%zu\"", number);
        put_dynamic_anchor(maker);
    } else if (definition->has_anchor) {
        random_put_name(maker, maker->draft >= BT_SCHEMA_DRAFT_2019_09 ? BT_STR("$anchor")
                                                                       : bt_str_of(id_name(maker)));
        bt_buf_printf(maker->out, "\"%sa%zu\"", maker->draft >= BT_SCHEMA_DRAFT_2019_09 ? "" : "#",
                      number);
    }
    maker->schemas = 0;
    /* With an identifier a reference would hide it in old drafts, so these get keywords only. */
    put_keywords(maker, random_any_value(maker), place);
    bt_buf_put_char(maker->out, '}');
}

static void choose_definitions(struct random_maker *maker)
{
    maker->definitions_count = 1 + rng_below(&maker->rng, RANDOM_DEFINITIONS_MAX);
    for (size_t i = 1; i < maker->definitions_count; i++) {
        maker->definitions[i].is_resource = random_hit(maker, 30);
        /* Draft 3 knows no such names. */
        maker->definitions[i].has_anchor = maker->draft > BT_SCHEMA_DRAFT_3 &&
                                           !maker->definitions[i].is_resource &&
                                           random_hit(maker, 30);
    }
}

static const char *schema_uri(enum bt_schema_draft draft)
{
    switch (draft) {
    case BT_SCHEMA_DRAFT_3:
        return "http://json-schema.org/draft-03/schema#";
    case BT_SCHEMA_DRAFT_4:
        return "http://json-schema.org/draft-04/schema#";
    case BT_SCHEMA_DRAFT_6:
        return "http://json-schema.org/draft-06/schema#";
    case BT_SCHEMA_DRAFT_7:
        return "http://json-schema.org/draft-07/schema#";
    case BT_SCHEMA_DRAFT_2019_09:
        return "https://json-schema.org/draft/2019-09/schema";
    case BT_SCHEMA_DRAFT_2020_12:
        return "https://json-schema.org/draft/2020-12/schema";
    case BT_SCHEMA_DRAFT_V1:
    default:
        return "https://json-schema.org/v1";
    }
}

void random_schema(struct bt_buf *out, uint64_t seed, enum bt_schema_draft draft,
                   const struct bt_json_doc *about)
{
    struct random_maker maker = {.out = out, .draft = draft, .about = about, .rng = {seed}};
    const struct random_place place = {.number = 0, .is_here = true};
    choose_definitions(&maker);
    bt_buf_put_char(out, '{');
    random_put_name(&maker, BT_STR("$schema"));
    bt_json_put_string(out, bt_str_of(schema_uri(draft)));
    random_put_name(&maker, bt_str_of(id_name(&maker)));
    bt_buf_put_text(out, "\"" RANDOM_BASE "root\"");
    put_dynamic_anchor(&maker);
    random_put_name(&maker, bt_str_of(definitions_name(&maker)));
    bt_buf_put_char(out, '{');
    for (size_t i = 1; i < maker.definitions_count; i++) {
        put_definition(&maker, i);
    }
    bt_buf_put_char(out, '}');
    maker.schemas = 0;
    /* The random numbers may leave the root bare, which says nothing about anything. */
    const size_t bare = out->len;
    for (size_t tries = 0; tries < 8 && out->len == bare; tries++) {
        put_keywords(&maker, bt_json_root(about), place);
    }
    bt_buf_put_char(out, '}');
}
