/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill.c - what a mapping says of a skill; front matter and entries of the registry look alike.
 *
 * Fields of the older protocol are read as those that took their place, unless these are there.
 */
#include <assert.h>
#include <stdlib.h>

#include "skill/skill_internal.h"

/* What an older field is read as, "" for what is not there. */
struct skill_old_field {
    bool accepts; /* accepts_handoff: true */
    struct bt_optional_str_list categories;
    bt_str version;
};

bt_str bt_skill_text(const struct bt_yaml_node *mapping, bt_str key)
{
    const struct bt_yaml_node *node = bt_yaml_get(mapping, key);
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    return type == BT_YAML_TYPE_NONE || type == BT_YAML_TYPE_NULL ? BT_STR("") : node->text;
}

static int compare_texts(const void *a, const void *b)
{
    return bt_skill_name_compare(*(const bt_str *)a, *(const bt_str *)b);
}

/* A list of texts; one text counts as a list of one, and items that are not texts do not count. */
static enum bt_status read_texts(struct bt_arena *arena, const struct bt_yaml_node *mapping,
                                 const char *key, bool is_sorted, struct bt_optional_str_list *out)
{
    const struct bt_yaml_node *node = bt_yaml_get(mapping, bt_str_of(key));
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    *out = (struct bt_optional_str_list){0};
    if (!node || node->kind == BT_YAML_MAPPING || type == BT_YAML_TYPE_NULL) {
        return BT_OK;
    }
    const bool is_list = node->kind == BT_YAML_SEQUENCE;
    const struct bt_yaml_node *items = is_list ? node->items : node;
    const size_t count = is_list ? node->count : 1;
    bt_str *texts = BT_NEW_ARRAY(arena, bt_str, count);
    BT_TRY(texts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == BT_YAML_SCALAR && bt_yaml_type_of(&items[i]) != BT_YAML_TYPE_NULL) {
            texts[out->count++] = items[i].text;
        }
    }
    if (is_sorted) {
        qsort(texts, out->count, sizeof(*texts), compare_texts);
    }
    out->items = texts;
    out->given = true;
    return BT_OK;
}

/* A struct bt_optional_str_list of a skill and where its list stands. */
struct skill_list_field {
    const char *key;
    bool is_in_handoff;
    bool is_edges; /* names of skills, which are sorted so that asking for one is cheap */
    size_t offset;
};

static const struct skill_list_field fields[] = {
    {"accepts_from", true, true, offsetof(struct bt_skill, accepts_from)},
    {"provides_to", true, true, offsetof(struct bt_skill, provides_to)},
    {"requires", true, false, offsetof(struct bt_skill, requires)},
    {"categories", false, false, offsetof(struct bt_skill, categories)},
    {"input_requirements", false, false, offsetof(struct bt_skill, input_requirements)},
    {"output_types", false, false, offsetof(struct bt_skill, output_types)},
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static struct bt_optional_str_list *texts_of(struct bt_skill *skill, size_t field)
{
    return (struct bt_optional_str_list *)(void *)((char *)skill + fields[field].offset);
}

static enum bt_status read_older(struct bt_arena *arena, const struct bt_yaml_node *handoff,
                                 struct skill_old_field *out)
{
    const struct bt_yaml_node *accepts = bt_yaml_get(handoff, BT_STR("accepts_handoff"));
    out->accepts = bt_yaml_type_of(accepts) == BT_YAML_TYPE_TRUE;
    out->version = bt_skill_text(handoff, BT_STR("protocol_version"));
    return read_texts(arena, handoff, "handoff_categories", false, &out->categories);
}

/* Whether a newer field of any kind is there: a skill with older ones alone is a legacy. */
static bool has_newer(const struct bt_skill *skill, const struct bt_yaml_node *handoff)
{
    static const bt_str others[] = {BT_STR_INIT("schema_version"), BT_STR_INIT("schema_type"),
                                    BT_STR_INIT("optional_consumes"),
                                    BT_STR_INIT("handoff_trigger")};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        const struct bt_yaml_node *node = bt_yaml_get(handoff, others[i]);
        if (node && bt_yaml_type_of(node) != BT_YAML_TYPE_NULL) {
            return true;
        }
    }
    return skill->accepts_from.given || skill->provides_to.given || skill->requires.given ||
           skill->categories.given || skill->input_requirements.given || skill->output_types.given;
}

static void take_older(struct bt_skill *skill, const struct skill_old_field *older)
{
    static const bt_str anybody[] = {BT_STR_INIT("*")};
    if (!skill->accepts_from.given && older->accepts) {
        skill->accepts_from = (struct bt_optional_str_list){anybody, 1, true};
    }
    if (!skill->categories.given) {
        skill->categories = older->categories;
    }
    if (skill->schema_version.len == 0) {
        skill->schema_version = older->version;
    }
}

static enum bt_skill_answer answer_of(const struct bt_yaml_node *node)
{
    switch (bt_yaml_type_of(node)) {
    case BT_YAML_TYPE_TRUE:
        return BT_SKILL_ANSWER_YES;
    case BT_YAML_TYPE_FALSE:
        return BT_SKILL_ANSWER_NO;
    case BT_YAML_TYPE_NONE:
    case BT_YAML_TYPE_STRING:
    case BT_YAML_TYPE_NULL:
    case BT_YAML_TYPE_INTEGER:
    case BT_YAML_TYPE_NUMBER:
        break;
    }
    return BT_SKILL_ANSWER_NONE;
}

/* What follows from the fields once they are complete. */
static void derive_fields(struct bt_skill *skill)
{
    skill->is_discoverable = skill->accepts_from.given;
    if (skill->is_legacy) {
        skill->schema_type = BT_STR("");
    } else if (skill->schema_type.len == 0 && skill->schema_version.len > 0) {
        skill->schema_type = BT_STR("universal");
    }
}

enum bt_status bt_skill_read(struct bt_arena *arena, const struct bt_yaml_node *mapping,
                             struct bt_skill *out)
{
    assert(out);
    const struct bt_yaml_node *handoff = bt_yaml_get(mapping, BT_STR("handoff"));
    const struct bt_yaml_node *meta = bt_yaml_get(mapping, BT_STR("meta"));
    struct bt_skill skill = {.name = bt_skill_text(mapping, BT_STR("name")),
                             .path = bt_skill_text(mapping, BT_STR("skill_path")),
                             .schema_version = bt_skill_text(handoff, BT_STR("schema_version")),
                             .schema_type = bt_skill_text(handoff, BT_STR("schema_type")),
                             .autonomous = answer_of(bt_yaml_get(meta, BT_STR("autonomous")))};
    for (size_t i = 0; i < FIELDS; i++) {
        BT_TRY(read_texts(arena, fields[i].is_in_handoff ? handoff : mapping, fields[i].key,
                          fields[i].is_edges, texts_of(&skill, i)));
    }
    struct skill_old_field older;
    BT_TRY(read_older(arena, handoff, &older));
    const bool has_older = older.accepts || older.categories.given || older.version.len > 0;
    skill.is_legacy = has_older && !has_newer(&skill, handoff);
    take_older(&skill, &older);
    derive_fields(&skill);
    *out = skill;
    return BT_OK;
}

void bt_skill_merge(struct bt_skill *skill, const struct bt_skill *entry)
{
    struct bt_skill other = *entry;
    const bool is_silent = !skill->accepts_from.given && !skill->provides_to.given &&
                           skill->schema_version.len == 0 && skill->schema_type.len == 0;
    skill->is_legacy = is_silent && !skill->is_legacy ? other.is_legacy : skill->is_legacy;
    for (size_t i = 0; i < FIELDS; i++) {
        struct bt_optional_str_list *mine = texts_of(skill, i);
        if (!mine->given) {
            *mine = *texts_of(&other, i);
        }
    }
    if (skill->schema_type.len == 0) {
        skill->schema_type = other.schema_type;
    }
    if (skill->schema_version.len == 0) {
        skill->schema_version = other.schema_version;
    }
    if (skill->path.len == 0) {
        skill->path = other.path;
    }
    skill->autonomous = other.autonomous;
    skill->entry = other.entry;
    derive_fields(skill);
}

/* Whether a sorted list has the name. */
static bool has_name(const struct bt_optional_str_list *list, bt_str name)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = bt_skill_name_compare(list->items[middle], name);
        if (order == 0) {
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

bool bt_skill_list_has(const struct bt_optional_str_list *list, bt_str name)
{
    return has_name(list, name) || has_name(list, BT_STR("*"));
}
