/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_prose.c - text in a schema that a model could read: what strip removes, and what it
 * leaves.
 *
 * Strip removes four keywords at schema positions and nothing else; by position, not by name, so a
 * property called `title` stays.
 */
#include <assert.h>

#include "dialect/plan/payload.h"
#include "json/walk.h"
#include "report/rules.h"

enum { TEXT_BYTES_SHORT = 64 };

size_t bt_payload_removable(const struct bt_payload *payload)
{
    size_t count = 0;
    for (size_t i = 0; i < payload->positions.count; i++) {
        const bt_json_value *schema = payload->positions.items[i].schema;
        const struct bt_json_member *members = bt_json_members(schema);
        for (size_t j = 0; members && j < bt_json_count(schema); j++) {
            count += bt_payload_keyword_is_prose(bt_json_name(&members[j]));
        }
    }
    return count;
}

/* The Unicode property White_Space. */
static bool is_white(uint32_t point)
{
    return (point >= 0x09 && point <= 0x0d) || point == 0x20 || point == 0x85 || point == 0xa0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
           point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

static bool is_text(bt_str string)
{
    if (string.len > TEXT_BYTES_SHORT) {
        return true;
    }
    for (size_t i = 0; i < string.len;) {
        uint32_t point = 0;
        i += bt_utf8_decode(string, i, &point);
        if (is_white(point)) {
            return true;
        }
    }
    return false;
}

struct plan_text_search {
    const struct bt_payload *payload;
    struct bt_findings *findings;
    enum bt_schema_draft draft;
};

static enum bt_status check_string(struct plan_text_search *search, bt_str string,
                                   const bt_json_value *where, const char *place)
{
    return is_text(string) ? bt_add_payload_schema_text(search->findings,
                                                        bt_payload_location(search->payload, where),
                                                        bt_str_of(place), string)
                           : BT_OK;
}

/* Whether the value stands where a schema does: it is looked at by itself then. */
static bool is_position(const struct plan_text_search *search, const bt_json_value *value)
{
    return bt_payload_schema_positions_index(&search->payload->positions, value) != SIZE_MAX;
}

/* Check every string in a value that is not a schema, and names too, where they are data. */
static enum bt_status check_strings_below(struct plan_text_search *search,
                                          const bt_json_value *value, const char *place)
{
    struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    BT_TRY(check_string(search, bt_json_text(value), value, place));
    bt_json_walk_begin(&walk, value);
    while (bt_json_walk_next(&walk, &walked)) {
        if (walked.member) {
            BT_TRY(check_string(search, bt_json_name(walked.member), walked.value, place));
        }
        BT_TRY(check_string(search, bt_json_text(walked.value), walked.value, place));
    }
    return BT_OK;
}

/* Check a keyword with names and schemas: a value that is not a schema is a list of names, or a
 * mistake. */
static enum bt_status check_map(struct plan_text_search *search, const bt_json_value *value,
                                const char *place, const char *lists)
{
    const struct bt_json_member *members = bt_json_members(value);
    for (size_t i = 0; members && i < bt_json_count(value); i++) {
        BT_TRY(check_string(search, bt_json_name(&members[i]), &members[i].value, place));
        if (!is_position(search, &members[i].value)) {
            BT_TRY(check_strings_below(search, &members[i].value, lists));
        }
    }
    return members ? BT_OK : check_strings_below(search, value, "keyword");
}

/* A schema, a list of them, or neither. */
static enum bt_status check_schemas(struct plan_text_search *search, const bt_json_value *value)
{
    const bt_json_value *items = bt_json_items(value);
    for (size_t i = 0; items && i < bt_json_count(value); i++) {
        if (!is_position(search, &items[i])) {
            BT_TRY(check_strings_below(search, &items[i], "keyword"));
        }
    }
    return items || is_position(search, value) ? BT_OK
                                               : check_strings_below(search, value, "keyword");
}

static enum bt_status check_member(struct plan_text_search *search,
                                   const struct bt_json_member *member)
{
    static const struct plan_text_row {
        bt_str name;
        const char *place;
        bool is_map;
    } rows[] = {
        {BT_STR_INIT("enum"), "enum", false},
        {BT_STR_INIT("const"), "const", false},
        {BT_STR_INIT("default"), "default", false},
        {BT_STR_INIT("pattern"), "pattern", false},
        {BT_STR_INIT("required"), "property_name", false},
        {BT_STR_INIT("patternProperties"), "pattern", true},
        {BT_STR_INIT("$defs"), "definition_name", true},
        {BT_STR_INIT("definitions"), "definition_name", true},
        {BT_STR_INIT("properties"), "property_name", true},
        {BT_STR_INIT("dependentSchemas"), "property_name", true},
        {BT_STR_INIT("dependencies"), "property_name", true},
        {BT_STR_INIT("dependentRequired"), "property_name", true},
    };
    const bt_str name = bt_json_name(member);
    const bt_json_value *value = &member->value;
    const bool is_known =
        bt_payload_keyword_is_defined(name, search->draft) || bt_payload_keyword_has_schemas(name);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(rows[i].name, name) && (is_known || rows[i].is_map)) {
            return rows[i].is_map ? check_map(search, value, rows[i].place, "property_name")
                                  : check_strings_below(search, value, rows[i].place);
        }
    }
    if (!is_known) {
        BT_TRY(check_string(search, name, value, "unknown_keyword"));
        return check_strings_below(search, value, "unknown_keyword");
    }
    return bt_payload_keyword_has_schemas(name) ? check_schemas(search, value)
                                                : check_strings_below(search, value, "keyword");
}

/* Which draft a schema that need not be a good one is written in. */
static enum bt_schema_draft draft_of(const struct bt_payload *payload)
{
    const bt_json_value *given =
        bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$schema"));
    return given && bt_str_starts_with(bt_json_text(given),
                                       BT_STR("http://json-schema.org/draft-07/"))
               ? BT_SCHEMA_DRAFT_7
               : BT_SCHEMA_DRAFT_2020_12;
}

enum bt_status bt_payload_find_text(const struct bt_payload *payload, struct bt_findings *findings)
{
    struct plan_text_search search = {payload, findings, draft_of(payload)};
    BT_TRY(check_schemas(&search, bt_json_root(payload->document)));
    for (size_t i = 0; i < payload->positions.count; i++) {
        const bt_json_value *schema = payload->positions.items[i].schema;
        const struct bt_json_member *members = bt_json_members(schema);
        for (size_t j = 0; members && j < bt_json_count(schema); j++) {
            if (!bt_payload_keyword_is_prose(bt_json_name(&members[j]))) {
                BT_TRY(check_member(&search, &members[j]));
            }
        }
    }
    return BT_OK;
}
