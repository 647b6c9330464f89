/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_object.c - the keywords about members, fused into one instruction.
 */
#include <assert.h>
#include <string.h>

#include "regex/matcher.h"
#include "schema/code.h"
#include "schema/leaf.h"
#include "schema/names.h"

/* The table of names while it grows: first a list, in any order. */
struct schema_code_object_draft_property {
    bt_str name;
    uint32_t hash;
    const bt_json_value *schema; /* NULL: only its presence matters */
    bool is_present;             /* its presence matters */
    bool is_required;
    uint32_t index; /* in the final order */
};

struct schema_code_object_draft_dependency {
    uint32_t trigger;
    uint32_t first; /* of its names in `needed` */
    uint32_t count;
};

struct schema_code_object_draft {
    struct bt_schema_coder *coder;
    BT_VEC(struct schema_code_object_draft_property) properties;
    struct bt_map by_name; /* the numbers of its entries are those of the properties */
    BT_VEC(struct schema_code_object_draft_dependency) dependencies;
    BT_VEC(uint32_t) needed;
};

/* The place of a name in the list; added when it is new. */
static enum bt_status find_or_add(struct schema_code_object_draft *draft, bt_str name,
                                  uint32_t *out)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&draft->by_name, bt_map_text(name), &entry));
    *out = bt_map_index(&draft->by_name, entry);
    if (*out < draft->properties.count) {
        return BT_OK;
    }
    return bt_vec_push(
        draft->coder->scratch, &draft->properties,
        (struct schema_code_object_draft_property){
            .name = name, .hash = bt_json_name_hash(bt_schema_code_doc(draft->coder), name)});
}

static enum bt_status require_property(struct schema_code_object_draft *draft, bt_str name)
{
    uint32_t index = 0;
    BT_TRY(find_or_add(draft, name, &index));
    draft->properties.items[index].is_present = true;
    draft->properties.items[index].is_required = true;
    return BT_OK;
}

static enum bt_status add_properties(struct schema_code_object_draft *draft)
{
    struct bt_schema_coder *coder = draft->coder;
    const bt_json_value *object = bt_schema_code_keyword(coder, BT_SCHEMA_KW_PROPERTIES);
    const struct bt_json_member *members = object ? bt_json_members(object) : NULL;
    for (size_t i = 0; members && i < bt_json_count(object); i++) {
        const bt_str name = bt_json_name(&members[i]);
        uint32_t index = 0;
        BT_TRY(find_or_add(draft, name, &index));
        draft->properties.items[index].schema = &members[i].value;
        if (bt_schema_code_draft(coder) == BT_SCHEMA_DRAFT_3) {
            /* In draft 3 a property says itself that it is required. */
            const bt_json_value *required =
                bt_json_get(bt_schema_code_doc(coder), &members[i].value, BT_STR("required"));
            if (required && bt_json_type(required) == BT_JSON_TRUE) {
                BT_TRY(require_property(draft, name));
            }
        }
    }
    return BT_OK;
}

static enum bt_status add_required(struct schema_code_object_draft *draft)
{
    const bt_json_value *list = bt_schema_code_keyword(draft->coder, BT_SCHEMA_KW_REQUIRED);
    const bt_json_value *items = list ? bt_json_items(list) : NULL;
    for (size_t i = 0; items && i < bt_json_count(list); i++) {
        if (bt_json_type(&items[i]) == BT_JSON_STRING) {
            BT_TRY(require_property(draft, bt_json_text(&items[i])));
        }
    }
    return BT_OK;
}

static enum bt_status add_needed(struct schema_code_object_draft *draft, bt_str name)
{
    uint32_t index = 0;
    BT_TRY(find_or_add(draft, name, &index));
    draft->properties.items[index].is_present = true;
    return bt_vec_push(draft->coder->scratch, &draft->needed, index);
}

static enum bt_status add_dependency(struct schema_code_object_draft *draft,
                                     const struct bt_json_member *member)
{
    const bt_json_value *value = &member->value;
    const bool is_text = bt_json_type(value) == BT_JSON_STRING; /* draft 3 */
    if (!is_text && bt_json_type(value) != BT_JSON_ARRAY) {
        return BT_OK; /* a schema: see code_choice.c */
    }
    struct schema_code_object_draft_dependency dependency = {.first =
                                                                 (uint32_t)draft->needed.count};
    BT_TRY(find_or_add(draft, bt_json_name(member), &dependency.trigger));
    draft->properties.items[dependency.trigger].is_present = true;
    if (is_text) {
        BT_TRY(add_needed(draft, bt_json_text(value)));
    }
    for (size_t i = 0; !is_text && i < bt_json_count(value); i++) {
        if (bt_json_type(&value->as.items[i]) == BT_JSON_STRING) {
            BT_TRY(add_needed(draft, bt_json_text(&value->as.items[i])));
        }
    }
    dependency.count = (uint32_t)draft->needed.count - dependency.first;
    return bt_vec_push(draft->coder->scratch, &draft->dependencies, dependency);
}

static enum bt_status add_dependencies(struct schema_code_object_draft *draft,
                                       enum bt_schema_keyword keyword)
{
    const bt_json_value *object = bt_schema_code_keyword(draft->coder, keyword);
    const struct bt_json_member *members = object ? bt_json_members(object) : NULL;
    for (size_t i = 0; members && i < bt_json_count(object); i++) {
        BT_TRY(add_dependency(draft, &members[i]));
    }
    return BT_OK;
}

/* Order: required first, then those whose presence matters, then the rest. */
static int rank_property(const struct schema_code_object_draft_property *property)
{
    return property->is_required ? 0 : property->is_present ? 1 : 2;
}

static enum bt_status make_properties(struct schema_code_object_draft *draft,
                                      struct bt_schema_object *object)
{
    struct bt_schema_coder *coder = draft->coder;
    struct bt_schema_property *properties =
        BT_NEW_ARRAY(coder->arena, struct bt_schema_property, draft->properties.count + 1);
    bt_str *texts = BT_NEW_ARRAY(coder->arena, bt_str, draft->properties.count + 1);
    if (!properties || !texts) {
        return BT_ENOMEM;
    }
    uint32_t next = 0;
    for (int wanted = 0; wanted <= 2; wanted++) {
        for (size_t i = 0; i < draft->properties.count; i++) {
            struct schema_code_object_draft_property *property = &draft->properties.items[i];
            if (rank_property(property) != wanted) {
                continue;
            }
            property->index = next;
            struct bt_schema_property *made = &properties[next];
            bt_schema_property_name(made, property->name, property->hash);
            texts[next] = property->name;
            const bool has_bit = property->is_required && next < BT_BITS;
            made->others = has_bit ? ~(UINT64_C(1) << next) : ~UINT64_C(0);
            made->use = BT_USE_ANYTHING;
            next++;
            if (property->schema) {
                BT_TRY(bt_schema_code_use(coder, property->schema, false, &made->use));
            }
            object->present_count += property->is_present;
        }
    }
    properties[next].key = BT_NO_KEY;
    object->properties = properties;
    object->texts = texts;
    object->count = next;
    for (uint32_t i = 0; i < BT_FEW; i++) {
        object->few[i] = i < next ? properties[i].key : BT_NO_KEY;
    }
    return bt_schema_names_make(coder->arena, properties, next, &object->names);
}

static enum bt_status make_required(const struct schema_code_object_draft *draft,
                                    struct bt_schema_object *object)
{
    uint32_t count = 0;
    for (size_t i = 0; i < draft->properties.count; i++) {
        count += draft->properties.items[i].is_required;
    }
    /* Required properties have the first indexes. */
    object->required = count < BT_BITS ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
    if (count <= BT_BITS) {
        return BT_OK;
    }
    uint32_t *more = BT_NEW_ARRAY(draft->coder->arena, uint32_t, count - BT_BITS);
    if (!more) {
        return BT_ENOMEM;
    }
    for (uint32_t i = BT_BITS; i < count; i++) {
        more[i - BT_BITS] = i;
    }
    object->required_more = more;
    object->required_more_count = count - BT_BITS;
    return BT_OK;
}

static enum bt_status make_dependencies(const struct schema_code_object_draft *draft,
                                        struct bt_schema_object *object)
{
    if (draft->dependencies.count == 0) {
        return BT_OK;
    }
    struct bt_schema_dependency *made =
        BT_NEW_ARRAY(draft->coder->arena, struct bt_schema_dependency, draft->dependencies.count);
    uint32_t *needed = BT_NEW_ARRAY(draft->coder->arena, uint32_t, draft->needed.count + 1);
    if (!made || !needed) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < draft->needed.count; i++) {
        needed[i] = draft->properties.items[draft->needed.items[i]].index;
    }
    for (size_t i = 0; i < draft->dependencies.count; i++) {
        const struct schema_code_object_draft_dependency *from = &draft->dependencies.items[i];
        made[i] =
            (struct bt_schema_dependency){.trigger = draft->properties.items[from->trigger].index,
                                          .needed_count = from->count,
                                          .needed = needed + from->first};
    }
    object->dependencies = made;
    object->dependencies_count = (uint32_t)draft->dependencies.count;
    return BT_OK;
}

static enum bt_status make_patterns(struct bt_schema_coder *coder, struct bt_schema_object *object)
{
    const bt_json_value *map = bt_schema_code_keyword(coder, BT_SCHEMA_KW_PATTERN_PROPERTIES);
    const struct bt_json_member *members = map ? bt_json_members(map) : NULL;
    if (!members || bt_json_count(map) == 0) {
        return BT_OK;
    }
    struct bt_schema_name_pattern *patterns =
        BT_NEW_ARRAY(coder->arena, struct bt_schema_name_pattern, bt_json_count(map));
    if (!patterns) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_json_count(map); i++) {
        struct bt_schema_name_pattern *pattern = &patterns[object->patterns_count];
        BT_TRY(bt_schema_code_regex(coder, &members[i].value, bt_json_name(&members[i]),
                                    &pattern->regex));
        if (pattern->regex) {
            BT_TRY(bt_schema_code_use(coder, &members[i].value, false, &pattern->use));
            object->patterns_count++;
        }
    }
    object->patterns = patterns;
    return BT_OK;
}

/* Whether a name is required that has no schema: additionalProperties judges its value. */
static bool has_bare_name(const struct schema_code_object_draft *draft)
{
    for (size_t i = 0; i < draft->properties.count; i++) {
        if (!draft->properties.items[i].schema) {
            return true;
        }
    }
    return false;
}

/* Whether a pattern matches the name of a property, or may: not all is tried of large schemas. */
static bool has_matching_name(const struct bt_schema_object *object)
{
    enum { PAIRS_MAX = 4096, STEPS_MAX = 4096 };
    if ((uint64_t)object->patterns_count * object->count > PAIRS_MAX) {
        return true;
    }
    struct bt_regex_limits limits = bt_regex_limits_default();
    limits.steps_max = STEPS_MAX;
    struct bt_regex_matcher matcher;
    bt_regex_matcher_init(&matcher, &limits);
    bool may_match = false;
    for (uint32_t i = 0; i < object->patterns_count; i++) {
        for (uint32_t k = 0; k < object->count && !may_match; k++) {
            may_match = bt_regex_match(object->patterns[i].regex, &matcher, object->texts[k]) !=
                        BT_REGEX_NO_MATCH;
        }
    }
    bt_regex_matcher_free(&matcher);
    return may_match;
}

static enum bt_schema_object_plan choose_object_plan(const struct schema_code_object_draft *draft,
                                                     const struct bt_schema_object *object)
{
    const bool has_additional =
        bt_schema_node_has(bt_schema_code_node(draft->coder), BT_SCHEMA_KW_ADDITIONAL_PROPERTIES);
    const bool is_special = draft->coder->is_tracked || (has_additional && has_bare_name(draft));
    if (object->dependencies_count > 0 || object->required_more_count > 0 ||
        (is_special && (BT_SCHEMA_IS_SMALL || object->patterns_count > 0)) ||
        (object->patterns_count > 0 && (BT_SCHEMA_IS_SMALL || has_matching_name(object)))) {
        return BT_OBJECT_RICH;
    }
    if (is_special) {
        return BT_OBJECT_NAMED;
    }
    if (object->patterns_count > 0) {
        return BT_OBJECT_PLAIN;
    }
    if (object->count == 0) {
        return BT_OBJECT_MAP;
    }
    return !has_additional && object->count <= BT_FEW ? BT_OBJECT_FEW : BT_OBJECT_PLAIN;
}

static enum bt_status make_object(struct schema_code_object_draft *draft)
{
    struct bt_schema_coder *coder = draft->coder;
    struct bt_schema_object *object = BT_NEW(coder->arena, struct bt_schema_object);
    if (!object) {
        return BT_ENOMEM;
    }
    object->additional = BT_USE_ANYTHING;
    const bt_json_value *additional =
        bt_schema_code_keyword(coder, BT_SCHEMA_KW_ADDITIONAL_PROPERTIES);
    if (additional) {
        BT_TRY(bt_schema_code_use(coder, additional, false, &object->additional));
        object->is_closed = bt_json_type(additional) == BT_JSON_FALSE;
    }
    BT_TRY(make_properties(draft, object));
    BT_TRY(make_required(draft, object));
    BT_TRY(make_dependencies(draft, object));
    BT_TRY(make_patterns(coder, object));
    return bt_schema_code_instr(
        coder,
        (struct bt_schema_instr){.op = BT_SCHEMA_OP_OBJECT,
                                 .types = BT_SCHEMA_TYPE_SET_OBJECT,
                                 .flags = coder->is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0,
                                 .number = choose_object_plan(draft, object),
                                 .as.object = object});
}

static enum bt_status code_names(struct bt_schema_coder *coder)
{
    const bt_json_value *schema = bt_schema_code_keyword(coder, BT_SCHEMA_KW_PROPERTY_NAMES);
    if (!schema) {
        return BT_OK;
    }
    struct bt_schema_names_rule *names = BT_NEW(coder->arena, struct bt_schema_names_rule);
    if (!names) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_schema_code_use(coder, schema, false, &names->use));
    return bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_NAMES,
                                                                .types = BT_SCHEMA_TYPE_SET_OBJECT,
                                                                .as.names = names});
}

enum bt_status bt_schema_code_object(struct bt_schema_coder *coder)
{
    static const enum bt_schema_keyword keywords[] = {
        BT_SCHEMA_KW_PROPERTIES,
        BT_SCHEMA_KW_REQUIRED,
        BT_SCHEMA_KW_ADDITIONAL_PROPERTIES,
        BT_SCHEMA_KW_DEPENDENCIES,
        BT_SCHEMA_KW_DEPENDENT_REQUIRED,
        BT_SCHEMA_KW_PATTERN_PROPERTIES,
    };
    bool is_needed = false;
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        is_needed = is_needed || bt_schema_node_has(bt_schema_code_node(coder), keywords[i]);
    }
    if (is_needed) {
        struct schema_code_object_draft draft = {.coder = coder};
        bt_map_init(&draft.by_name, coder->scratch, coder->options->hash_seed);
        BT_TRY(add_properties(&draft));
        BT_TRY(add_required(&draft));
        BT_TRY(add_dependencies(&draft, BT_SCHEMA_KW_DEPENDENCIES));
        BT_TRY(add_dependencies(&draft, BT_SCHEMA_KW_DEPENDENT_REQUIRED));
        const bool is_empty =
            draft.properties.count == 0 &&
            !bt_schema_node_has(bt_schema_code_node(coder), BT_SCHEMA_KW_ADDITIONAL_PROPERTIES) &&
            !bt_schema_node_has(bt_schema_code_node(coder), BT_SCHEMA_KW_PATTERN_PROPERTIES);
        BT_TRY(is_empty ? BT_OK : make_object(&draft));
    }
    return code_names(coder);
}
