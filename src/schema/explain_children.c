/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_children.c - members and items in the diagnostic run.
 */
#include <assert.h>

#include "base/str.h"
#include "schema/explain.h"
#include "schema/names.h"

enum { ALLOWED_MAX = 100, NEAREST_MAX = 10000 }; /* names that are listed, that are compared */

enum bt_schema_step bt_schema_explain_run_push(struct bt_schema_explain_run *explain,
                                               const struct bt_schema_block_ref *use,
                                               const bt_json_value *value)
{
    if (use->kind == BT_USE_NONE) {
        return BT_SCHEMA_STEP_NEXT;
    }
    struct bt_schema_stack_entry *entry = bt_run_push(explain->run);
    if (!entry) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    *entry = (struct bt_schema_stack_entry){
        .at = bt_use_block(use), .value = value, .kind = BT_ENTRY_RUN};
    return BT_SCHEMA_STEP_NEXT;
}

/* An object that is being walked. */
struct schema_explain_children_visit {
    struct bt_schema_explain_run *explain;
    const struct bt_schema_instr *at;
    const bt_json_value *value;
    uint64_t *seen;
};

static bool is_seen(const struct schema_explain_children_visit *visit, uint32_t index)
{
    return (visit->seen[index / 64] >> index % 64 & 1) != 0;
}

static bt_str name_of_property(const void *context, size_t index)
{
    const struct bt_schema_object *object = context;
    return object->properties[index].use.kind == BT_USE_NONE ? BT_STR("") : object->texts[index];
}

typedef enum bt_status schema_add_unknown_fn(struct bt_findings *findings, struct bt_location at,
                                             bt_str keyword, bt_str property,
                                             struct bt_str_list allowed, bt_str nearest);

/* A member that a closed object does not know; with the names of `object`, unless that is NULL. */
static void add_unknown_finding(struct bt_schema_explain_run *explain, schema_add_unknown_fn *add,
                                const struct bt_schema_finding_site *site, bt_str name,
                                const struct bt_schema_object *object)
{
    bt_str names[ALLOWED_MAX];
    struct bt_str_list allowed = {object ? names : NULL, 0};
    bt_str meant = BT_STR_ABSENT;
    for (uint32_t i = 0; object && i < object->count && i < ALLOWED_MAX; i++) {
        if (object->properties[i].use.kind != BT_USE_NONE) {
            names[allowed.count++] = name_of_property(object, i);
        }
    }
    if (object) {
        const size_t count = object->count < NEAREST_MAX ? object->count : NEAREST_MAX;
        const size_t nearest = bt_nearest_word(name, name_of_property, object, count);
        meant = nearest < count ? name_of_property(object, nearest) : BT_STR_ABSENT;
    }
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, site);
    bt_schema_finding_end(explain, add(head.findings, head.at, head.keyword, name, allowed, meant));
}

const struct bt_schema_object *
bt_schema_explain_run_known(const struct bt_schema_explain_run *explain,
                            const struct bt_schema_instr *at)
{
    while (at > explain->run->schema->code && (--at)->op != BT_SCHEMA_OP_END) {
        if (at->op == BT_SCHEMA_OP_OBJECT) {
            return at->as.object;
        }
    }
    return NULL;
}

static enum bt_schema_step visit_patterns(const struct schema_explain_children_visit *visit,
                                          const struct bt_json_member *member, bool *evaluated)
{
    const struct bt_schema_object *object = visit->at->as.object;
    for (uint32_t i = 0; i < object->patterns_count; i++) {
        const enum bt_schema_result match = bt_schema_leaf_match(
            visit->explain->run, object->patterns[i].regex, bt_json_name(member));
        if (match == BT_SCHEMA_UNDECIDED) {
            return BT_SCHEMA_STEP_LIMIT;
        }
        if (match == BT_SCHEMA_VALID) {
            *evaluated = true;
            if (bt_schema_explain_run_push(visit->explain, &object->patterns[i].use,
                                           &member->value) == BT_SCHEMA_STEP_LIMIT) {
                return BT_SCHEMA_STEP_LIMIT;
            }
        }
    }
    return BT_SCHEMA_STEP_NEXT;
}

static enum bt_schema_step visit_member(const struct schema_explain_children_visit *visit,
                                        const struct bt_json_member *member, bool *evaluated)
{
    const struct bt_schema_object *object = visit->at->as.object;
    const struct bt_schema_property *property =
        bt_schema_machine_find(visit->explain->run, object, member);
    if (property) {
        const size_t index = (size_t)(property - object->properties);
        if (index < object->present_count) {
            visit->seen[index / 64] |= UINT64_C(1) << index % 64;
        }
        const struct bt_schema_block_ref *use = &property->use;
        *evaluated = use->kind != BT_USE_NONE;
        if (bt_schema_explain_run_push(visit->explain, use, &member->value) ==
            BT_SCHEMA_STEP_LIMIT) {
            return BT_SCHEMA_STEP_LIMIT;
        }
    }
    if (visit_patterns(visit, member, evaluated) == BT_SCHEMA_STEP_LIMIT) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    if (*evaluated || object->additional.kind == BT_USE_NONE) {
        return BT_SCHEMA_STEP_NEXT;
    }
    *evaluated = true;
    if (!object->is_closed) {
        return bt_schema_explain_run_push(visit->explain, &object->additional, &member->value);
    }
    const struct bt_schema_finding_site site = {visit->at, "additionalProperties", &member->value};
    add_unknown_finding(visit->explain, bt_add_schema_additional_properties, &site,
                        bt_json_name(member), object);
    return BT_SCHEMA_STEP_NEXT;
}

/* Whether dependentRequired, and not dependencies, has this trigger: both may be there. */
static bool is_dependent_required(const struct schema_explain_children_visit *visit, bt_str trigger)
{
    const bt_json_value *map =
        bt_schema_finding_keyword(visit->explain, visit->at, "dependentRequired");
    const struct bt_json_member *members = map ? bt_json_members(map) : NULL;
    for (size_t i = 0; members && i < bt_json_count(map); i++) {
        if (bt_str_eq(bt_json_name(&members[i]), trigger)) {
            return true;
        }
    }
    return false;
}

static void add_dependent_finding(const struct schema_explain_children_visit *visit, uint32_t index,
                                  uint32_t trigger)
{
    struct bt_schema_explain_run *explain = visit->explain;
    const bt_str *texts = visit->at->as.object->texts;
    assert(texts && index < visit->at->as.object->count);
    const bool is_new = is_dependent_required(visit, texts[trigger]);
    const struct bt_schema_finding_site site = {
        visit->at, is_new ? "dependentRequired" : "dependencies", visit->value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    bt_schema_finding_end(
        explain, is_new ? bt_add_schema_dependent_required(head.findings, head.at, head.keyword,
                                                           texts[index], texts[trigger])
                        : bt_add_schema_dependencies(head.findings, head.at, head.keyword,
                                                     texts[index], texts[trigger]));
}

static void add_missing_finding(const struct schema_explain_children_visit *visit, uint32_t index)
{
    struct bt_schema_explain_run *explain = visit->explain;
    const bt_str *texts = visit->at->as.object->texts;
    assert(texts && index < visit->at->as.object->count);
    /* In draft 3 the property says so itself. */
    const bool has_required = bt_schema_finding_keyword(explain, visit->at, "required") != NULL;
    const struct bt_schema_finding_site site = {visit->at, has_required ? "required" : "properties",
                                                visit->value};
    const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
    bt_schema_finding_end(
        explain, bt_add_json_schema_required(head.findings, head.at, head.keyword, texts[index]));
}

static void visit_missing(const struct schema_explain_children_visit *visit)
{
    const struct bt_schema_object *object = visit->at->as.object;
    for (uint32_t i = 0; i < 64 && object->required >> i != 0; i++) {
        if ((object->required >> i & 1) != 0 && !is_seen(visit, i)) {
            add_missing_finding(visit, i);
        }
    }
    for (uint32_t i = 0; i < object->required_more_count; i++) {
        if (!is_seen(visit, object->required_more[i])) {
            add_missing_finding(visit, object->required_more[i]);
        }
    }
    for (uint32_t i = 0; i < object->dependencies_count; i++) {
        const struct bt_schema_dependency *dependency = &object->dependencies[i];
        for (uint32_t k = 0; is_seen(visit, dependency->trigger) && k < dependency->needed_count;
             k++) {
            if (!is_seen(visit, dependency->needed[k])) {
                add_dependent_finding(visit, dependency->needed[k], dependency->trigger);
            }
        }
    }
}

enum bt_schema_step bt_schema_explain_run_object(struct bt_schema_explain_run *explain,
                                                 const struct bt_schema_instr *at,
                                                 const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return BT_SCHEMA_STEP_NEXT;
    }
    struct bt_schema_machine *run = explain->run;
    if (!bt_schema_run_charge(run, 1 + (uint64_t)value->size)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    const struct bt_arena_mark mark = bt_arena_mark(&run->scratch);
    struct schema_explain_children_visit visit = {explain, at, value, NULL};
    visit.seen = BT_NEW_ARRAY(&run->scratch, uint64_t, at->as.object->present_count / 64 + 1);
    enum bt_schema_step step =
        visit.seen ? BT_SCHEMA_STEP_NEXT : (enum bt_schema_step)bt_schema_run_out_of_memory(run);
    for (uint32_t i = 0; i < value->size && step != BT_SCHEMA_STEP_LIMIT; i++) {
        bool evaluated = false;
        step = visit_member(&visit, &value->as.members[i], &evaluated);
        if ((at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0 && evaluated) {
            bt_schema_evaluated_set(run, i);
        }
    }
    if (step != BT_SCHEMA_STEP_LIMIT) {
        visit_missing(&visit);
    }
    bt_arena_rewind(&run->scratch, mark);
    return step;
}

enum bt_schema_step bt_schema_explain_run_names(struct bt_schema_explain_run *explain,
                                                const struct bt_schema_instr *at,
                                                const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return BT_SCHEMA_STEP_NEXT;
    }
    for (uint32_t i = 0; i < value->size; i++) {
        struct bt_schema_name_value *name = BT_NEW(&explain->arena, struct bt_schema_name_value);
        if (!name) {
            explain->status = BT_ENOMEM;
            return BT_SCHEMA_STEP_LIMIT;
        }
        name->member = &value->as.members[i];
        name->value = bt_schema_name_value(name->member);
        name->value.spare = 1;
        if (!bt_schema_run_charge(explain->run, 1) ||
            bt_schema_explain_run_push(explain, &at->as.names->use, &name->value) ==
                BT_SCHEMA_STEP_LIMIT) {
            return BT_SCHEMA_STEP_LIMIT;
        }
    }
    return BT_SCHEMA_STEP_NEXT;
}

enum bt_schema_step bt_schema_explain_run_items(struct bt_schema_explain_run *explain,
                                                const struct bt_schema_instr *at,
                                                const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_ARRAY) {
        return BT_SCHEMA_STEP_NEXT;
    }
    const struct bt_schema_items *items = at->as.items;
    const uint32_t prefix = items->prefix_count < value->size ? items->prefix_count : value->size;
    if (!bt_schema_run_charge(explain->run, 1 + (uint64_t)value->size)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    const bool is_closed = bt_use_is_false(&items->rest) &&
                           bt_schema_finding_keyword(explain, at, "additionalItems") != NULL;
    for (uint32_t i = 0; i < value->size; i++) {
        const bt_json_value *item = &value->as.items[i];
        if (i >= prefix && is_closed) {
            const struct bt_schema_finding_site site = {at, "additionalItems", item};
            const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
            bt_schema_finding_end(
                explain, bt_add_schema_additional_items(head.findings, head.at, head.keyword,
                                                        items->prefix_count, head.subject));
        } else if (bt_schema_explain_run_push(explain,
                                              i < prefix ? &items->prefix[i] : &items->rest,
                                              item) == BT_SCHEMA_STEP_LIMIT) {
            return BT_SCHEMA_STEP_LIMIT;
        }
    }
    if ((at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0) {
        bt_schema_evaluated_set_first(explain->run,
                                      items->rest.kind != BT_USE_NONE ? value->size : prefix);
    }
    return BT_SCHEMA_STEP_NEXT;
}

enum bt_schema_step bt_schema_explain_run_unevaluated(struct bt_schema_explain_run *explain,
                                                      const struct bt_schema_instr *at,
                                                      const bt_json_value *value)
{
    const struct bt_schema_unevaluated *rule = at->as.unevaluated;
    if (bt_json_type(value) != (rule->of_items ? BT_JSON_ARRAY : BT_JSON_OBJECT)) {
        return BT_SCHEMA_STEP_NEXT;
    }
    if (!bt_schema_run_charge(explain->run, 1 + (uint64_t)value->size)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    for (uint32_t i = 0; i < value->size; i++) {
        if (bt_schema_evaluated_has(explain->run, i)) {
            continue;
        }
        const bt_json_value *child =
            rule->of_items ? &value->as.items[i] : &value->as.members[i].value;
        if (!bt_use_is_false(&rule->use)) {
            if (bt_schema_explain_run_push(explain, &rule->use, child) == BT_SCHEMA_STEP_LIMIT) {
                return BT_SCHEMA_STEP_LIMIT;
            }
        } else if (rule->of_items) {
            const struct bt_schema_finding_site site = {at, "unevaluatedItems", child};
            const struct bt_schema_finding_head head = bt_schema_finding_begin(explain, &site);
            bt_schema_finding_end(explain, bt_add_schema_unevaluated_items(
                                               head.findings, head.at, head.keyword, head.subject));
        } else {
            const struct bt_schema_finding_site site = {at, "unevaluatedProperties", child};
            add_unknown_finding(explain, bt_add_json_schema_unevaluated_properties, &site,
                                bt_json_name(&value->as.members[i]),
                                bt_schema_explain_run_known(explain, at));
        }
    }
    bt_schema_evaluated_set_first(explain->run, value->size);
    return BT_SCHEMA_STEP_NEXT;
}
