/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_children.c - members and items in the diagnostic run.
 */
#include <assert.h>

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

static void put_allowed_names(struct bt_schema_explain_run *explain,
                              const struct bt_schema_object *object, bt_str name)
{
    const uint32_t listed = object->count < ALLOWED_MAX ? object->count : ALLOWED_MAX;
    bt_emit_name(&explain->emit, "allowed");
    bt_emit_begin_array(&explain->emit);
    for (uint32_t i = 0; i < listed; i++) {
        const bt_str allowed = name_of_property(object, i);
        if (object->properties[i].use.kind != BT_USE_NONE) {
            bt_emit_string(&explain->emit, allowed);
        }
    }
    bt_emit_end(&explain->emit);
    const size_t count = object->count < NEAREST_MAX ? object->count : NEAREST_MAX;
    const size_t nearest = bt_nearest_word(name, name_of_property, object, count);
    if (nearest < count) {
        const bt_str meant = name_of_property(object, nearest);
        bt_emit_member_string(&explain->emit, "nearest", meant);
        bt_buf_put_text(&explain->message, "; did you mean \"");
        bt_buf_put_printable(&explain->message, meant, 80);
        bt_buf_put_text(&explain->message, "\"?");
    }
}

/* A member that a closed object does not know. */
static void add_unknown_finding(struct bt_schema_explain_run *explain,
                                const struct bt_schema_finding_site *site, bt_str name,
                                const struct bt_schema_object *object)
{
    bt_schema_finding_begin(explain, site);
    bt_emit_member_string(&explain->emit, "property", name);
    bt_buf_clear(&explain->message);
    bt_buf_put_text(&explain->message, "the member \"");
    bt_buf_put_printable(&explain->message, name, 80);
    bt_buf_put_text(&explain->message, "\" is not allowed here");
    if (object) {
        put_allowed_names(explain, object, name);
    }
    bt_schema_finding_end(explain);
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
    const struct bt_schema_finding_site site = {"SCHEMA_ADDITIONAL_PROPERTIES", visit->at,
                                                "additionalProperties", &member->value};
    add_unknown_finding(visit->explain, &site, bt_json_name(member), object);
    return BT_SCHEMA_STEP_NEXT;
}

static void add_missing_finding(const struct schema_explain_children_visit *visit, uint32_t index,
                                const uint32_t *trigger)
{
    struct bt_schema_explain_run *explain = visit->explain;
    const bt_str *texts = visit->at->as.object->texts;
    assert(texts && index < visit->at->as.object->count);
    struct bt_schema_finding_site site = {"SCHEMA_REQUIRED", visit->at, "required", visit->value};
    const bt_str *other = trigger ? &texts[*trigger] : NULL;
    if (other) {
        /* Both keywords may be there: the one that has this trigger is meant. */
        const bt_json_value *map =
            bt_schema_finding_put_keyword(explain, visit->at, "dependentRequired");
        const struct bt_json_member *members = map ? bt_json_members(map) : NULL;
        bool is_new = false;
        for (size_t i = 0; members && i < bt_json_count(map); i++) {
            is_new = is_new || bt_str_eq(bt_json_name(&members[i]), *other);
        }
        site.code = is_new ? "SCHEMA_DEPENDENT_REQUIRED" : "SCHEMA_DEPENDENCIES";
        site.keyword = is_new ? "dependentRequired" : "dependencies";
    }
    if (!other && !bt_schema_finding_put_keyword(explain, visit->at, "required")) {
        site.keyword = "properties"; /* draft 3: the property says so itself */
    }
    bt_schema_finding_begin(explain, &site);
    bt_buf_clear(&explain->message);
    bt_emit_member_string(&explain->emit, "property", texts[index]);
    bt_buf_put_text(&explain->message, "the member \"");
    bt_buf_put_printable(&explain->message, texts[index], 80);
    bt_buf_put_text(&explain->message, "\" is missing");
    if (other) {
        bt_emit_member_string(&explain->emit, "trigger", *other);
        bt_buf_put_text(&explain->message, ", which \"");
        bt_buf_put_printable(&explain->message, *other, 80);
        bt_buf_put_text(&explain->message, "\" needs");
    }
    bt_schema_finding_end(explain);
}

static void visit_missing(const struct schema_explain_children_visit *visit)
{
    const struct bt_schema_object *object = visit->at->as.object;
    for (uint32_t i = 0; i < 64 && object->required >> i != 0; i++) {
        if ((object->required >> i & 1) != 0 && !is_seen(visit, i)) {
            add_missing_finding(visit, i, NULL);
        }
    }
    for (uint32_t i = 0; i < object->required_more_count; i++) {
        if (!is_seen(visit, object->required_more[i])) {
            add_missing_finding(visit, object->required_more[i], NULL);
        }
    }
    for (uint32_t i = 0; i < object->dependencies_count; i++) {
        const struct bt_schema_dependency *dependency = &object->dependencies[i];
        for (uint32_t k = 0; is_seen(visit, dependency->trigger) && k < dependency->needed_count;
             k++) {
            if (!is_seen(visit, dependency->needed[k])) {
                add_missing_finding(visit, dependency->needed[k], &dependency->trigger);
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
                           bt_schema_finding_put_keyword(explain, at, "additionalItems") != NULL;
    for (uint32_t i = 0; i < value->size; i++) {
        const bt_json_value *item = &value->as.items[i];
        if (i >= prefix && is_closed) {
            const struct bt_schema_finding_site site = {"SCHEMA_ADDITIONAL_ITEMS", at,
                                                        "additionalItems", item};
            bt_schema_finding_begin(explain, &site);
            bt_emit_member_u64(&explain->emit, "limit", items->prefix_count);
            bt_buf_put_text(&explain->message, " is an item too many");
            bt_schema_finding_end(explain);
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
            const struct bt_schema_finding_site site = {"SCHEMA_UNEVALUATED_ITEMS", at,
                                                        "unevaluatedItems", child};
            bt_schema_finding_begin(explain, &site);
            bt_buf_put_text(&explain->message, " is an item that nothing allows");
            bt_schema_finding_end(explain);
        } else {
            const struct bt_schema_finding_site site = {"SCHEMA_UNEVALUATED_PROPERTIES", at,
                                                        "unevaluatedProperties", child};
            add_unknown_finding(explain, &site, bt_json_name(&value->as.members[i]),
                                bt_schema_explain_run_known(explain, at));
        }
    }
    bt_schema_evaluated_set_first(explain->run, value->size);
    return BT_SCHEMA_STEP_NEXT;
}
