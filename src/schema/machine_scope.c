/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_scope.c - $dynamicRef and $recursiveRef: one register per name, bound by the outermost
 * resource that has such an anchor, free again when that resource is left.
 */
#include <assert.h>

#include "schema/machine.h"

bool bt_schema_scope_enter(struct bt_schema_machine *run, const struct bt_schema_cursor *cursor)
{
    const struct bt_schema_scope *scope = cursor->at->as.scope;
    struct bt_schema_stack_entry *entry = NULL;
    if (!bt_schema_run_charge(run, 1) || !bt_step_postpone(run, cursor) ||
        (entry = bt_run_push(run)) == NULL) {
        return false;
    }
    *entry = (struct bt_schema_stack_entry){.at = cursor->at,
                                            .value = cursor->value,
                                            .kind = BT_ENTRY_SCOPE,
                                            .index = ++run->scope.open,
                                            .extra = run->scope.current};
    bool has_bound = false;
    for (uint32_t i = 0; i < scope->bindings_count; i++) {
        struct bt_schema_register *place = &run->registers[scope->bindings[i].place];
        if (!place->candidate) {
            place->candidate = &run->schema->candidates[scope->bindings[i].candidate];
            place->owner = run->scope.open;
            has_bound = true;
        }
    }
    run->scope.current = has_bound ? ++run->scope.count : run->scope.current;
    return true;
}

enum bt_schema_step bt_schema_step_scope(struct bt_schema_machine *run,
                                         struct bt_schema_cursor *cursor)
{
    const struct bt_schema_block_ref *use = &cursor->at->as.scope->use;
    if (!bt_schema_scope_enter(run, cursor)) {
        return BT_SCHEMA_STEP_LIMIT;
    }
    if (!bt_types_ok(run->document, use->types, cursor->value)) {
        return BT_SCHEMA_STEP_FAIL;
    }
    if (use->kind <= BT_USE_TYPES) {
        return BT_SCHEMA_STEP_END;
    }
    cursor->at = use->rest;
    return BT_SCHEMA_STEP_JUMP;
}

void bt_schema_scope_leave(struct bt_schema_machine *run, const struct bt_schema_stack_entry *entry)
{
    const struct bt_schema_scope *scope = entry->at->as.scope;
    assert(entry->index == run->scope.open);
    for (uint32_t i = 0; i < scope->bindings_count; i++) {
        struct bt_schema_register *place = &run->registers[scope->bindings[i].place];
        if (place->candidate && place->owner == entry->index) {
            place->candidate = NULL;
        }
    }
    run->scope.open--;
    run->scope.current = entry->extra;
}

const struct bt_schema_block_ref *bt_schema_dynamic_use(const struct bt_schema_machine *run,
                                                        const struct bt_schema_instr *at)
{
    const struct bt_schema_dynamic *dynamic = at->as.dynamic;
    const struct bt_schema_dynamic_target *bound = run->registers[dynamic->place].candidate;
    if (bound) {
        return &bound->uses[(at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0];
    }
    return dynamic->fallback.kind == BT_USE_NONE ? NULL : &dynamic->fallback;
}

enum bt_schema_step bt_schema_step_dynamic(struct bt_schema_machine *run,
                                           struct bt_schema_cursor *cursor)
{
    const struct bt_schema_block_ref *use = bt_schema_dynamic_use(run, cursor->at);
    return use ? bt_schema_step_in_place(run, cursor, use) : BT_SCHEMA_STEP_FAIL;
}
