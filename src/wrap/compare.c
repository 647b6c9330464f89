/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - items of one kind side by side: same, changed, added, removed, renamed. */
#include "wrap/compare.h"

#include <string.h>

#include "json/builder.h"
#include "report/rules.h"
#include "wrap/canonical.h"
#include "wrap/change.h"
#include "wrap/policy.h"
#include "wrap/server_name.h"

/* Both lists of one kind. */
struct wrap_kind_comparison {
    const struct bt_wrap_compare *compare;
    enum bt_wrap_kind kind;
    const struct bt_wrap_items *locked;
    const struct bt_wrap_items *shown;
    struct bt_wrap_compare_counts *counts;
};

static enum bt_status locate_item(const struct wrap_kind_comparison *run, bt_str key,
                                  struct bt_location *out)
{
    bt_str pointer;
    BT_TRY(bt_wrap_item_pointer(run->compare->memory.arena, run->kind, key, &pointer));
    *out = bt_location_pointer(pointer, BT_OFFSET_NONE);
    return BT_OK;
}

/* ---- Renamed items --------------------------------------------------------------------------- */

/* A definition with some of its members: those that are listed, or all others. */
static enum bt_status copy_members(const struct bt_wrap_memory *memory,
                                   const struct bt_wrap_item *item, struct bt_str_list names,
                                   bool is_listed, struct bt_wrap_item *out)
{
    const bt_json_value *root = bt_json_root(item->document);
    const struct bt_json_member *members = bt_json_members(root);
    struct bt_json_builder builder;
    struct bt_emit *emit = bt_json_builder_begin(&builder, memory->arena, memory->env->hash_seed);
    *out = *item;
    bt_emit_begin_object(emit);
    for (size_t i = 0; members && i < bt_json_count(root); i++) {
        const bt_str name = bt_json_name(&members[i]);
        if ((bt_str_index_in(name, names.items, names.count) < names.count) == is_listed) {
            bt_emit_name_str(emit, name);
            bt_json_builder_copy(&builder, (bt_ref){item->document, &members[i].value}, NULL);
        }
    }
    bt_emit_end(emit);
    BT_TRY(bt_json_builder_finish(&builder, BT_OK, &out->document));
    return bt_wrap_digest(memory->arena, out->document, bt_json_root(out->document), out->sha256);
}

enum bt_status bt_wrap_item_without(const struct bt_wrap_memory *memory,
                                    const struct bt_wrap_item *item, struct bt_str_list names,
                                    struct bt_wrap_item *out)
{
    return copy_members(memory, item, names, false, out);
}

/* The removed items that are like `item`: the first of them and their number. */
static enum bt_status find_alike(const struct wrap_kind_comparison *run,
                                 const struct bt_wrap_item *item, struct bt_str_list names,
                                 bool is_listed, const struct bt_wrap_item **out, size_t *out_count)
{
    const struct bt_wrap_memory *memory = &run->compare->memory;
    struct bt_wrap_item part;
    BT_TRY(copy_members(memory, item, names, is_listed, &part));
    *out_count = 0;
    for (size_t i = 0; i < run->locked->list.count; i++) {
        const struct bt_wrap_item *old = &run->locked->list.items[i];
        struct bt_wrap_item other;
        if (bt_wrap_items_find(run->shown, old->key)) {
            continue;
        }
        BT_TRY(copy_members(memory, old, names, is_listed, &other));
        if (strcmp(part.sha256, other.sha256) == 0) {
            *out = *out_count == 0 ? old : *out;
            (*out_count)++;
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_find_former(const struct bt_wrap_compare *compare, enum bt_wrap_kind kind,
                                   const struct bt_wrap_items *locked,
                                   const struct bt_wrap_items *shown,
                                   const struct bt_wrap_item *item, bt_str *out)
{
    const struct wrap_kind_comparison both = {
        .compare = compare, .kind = kind, .locked = locked, .shown = shown};
    static const bt_str labels[] = {BT_STR_INIT("name"), BT_STR_INIT("title")};
    static const bt_str schemas[] = {BT_STR_INIT("inputSchema"), BT_STR_INIT("outputSchema")};
    const struct bt_wrap_item *former = NULL;
    size_t count = 0;
    *out = BT_STR_ABSENT;
    BT_TRY(find_alike(&both, item, (struct bt_str_list){labels, BT_COUNT_OF(labels)}, false,
                      &former, &count));
    if (count == 0 && kind == BT_WRAP_TOOL) {
        BT_TRY(find_alike(&both, item, (struct bt_str_list){schemas, BT_COUNT_OF(schemas)}, true,
                          &former, &count));
        count = count == 1 ? 1 : 0;
    }
    if (count > 0) {
        *out = former->key;
    }
    return BT_OK;
}

/* ---- Items of one kind ----------------------------------------------------------------------- */

enum bt_status bt_wrap_compare_item(const struct bt_wrap_compare *compare, enum bt_wrap_kind kind,
                                    struct bt_location at, const struct bt_wrap_item *locked,
                                    const struct bt_wrap_item *shown, bool *out_is_same)
{
    struct bt_wrap_item old = *locked;
    struct bt_wrap_item new = *shown;
    *out_is_same = false;
    if (kind == BT_WRAP_TOOL && compare->policy) {
        const struct bt_wrap_hints hints =
            bt_wrap_hints_read(locked->document, bt_json_root(locked->document));
        struct bt_wrap_tool_policy policy;
        bt_wrap_policy_for_tool(compare->policy, locked->key, &hints, &policy);
        const struct bt_str_list names = policy.rule.unpinned;
        if (names.count > 0) {
            BT_TRY(bt_wrap_item_without(&compare->memory, locked, names, &old));
            BT_TRY(bt_wrap_item_without(&compare->memory, shown, names, &new));
            *out_is_same = strcmp(old.sha256, new.sha256) == 0;
            memcpy(old.sha256, locked->sha256, sizeof(old.sha256));
            memcpy(new.sha256, shown->sha256, sizeof(new.sha256));
        }
    }
    return *out_is_same ? BT_OK : bt_wrap_add_change(compare, at, &old, &new);
}

static enum bt_status compare_locked(const struct wrap_kind_comparison *run,
                                     const struct bt_wrap_item *locked)
{
    const struct bt_wrap_compare *compare = run->compare;
    const struct bt_wrap_item *shown = bt_wrap_items_find(run->shown, locked->key);
    struct bt_location at;
    if (shown && strcmp(shown->sha256, locked->sha256) == 0) {
        run->counts->same++;
        return BT_OK;
    }
    BT_TRY(locate_item(run, locked->key, &at));
    if (!shown) {
        run->counts->removed++;
        return bt_add_wrap_pin_removed(compare->findings, compare->removed, at,
                                       bt_str_of(locked->sha256), locked->key);
    }
    bool is_same = false;
    BT_TRY(bt_wrap_compare_item(compare, run->kind, at, locked, shown, &is_same));
    run->counts->same += is_same;
    run->counts->changed += !is_same;
    return BT_OK;
}

static enum bt_status add_added(const struct wrap_kind_comparison *run,
                                const struct bt_wrap_item *shown)
{
    const struct bt_wrap_compare *compare = run->compare;
    struct bt_location at;
    bt_str former;
    BT_TRY(locate_item(run, shown->key, &at));
    BT_TRY(bt_wrap_find_former(compare, run->kind, run->locked, run->shown, shown, &former));
    run->counts->added++;
    return bt_add_wrap_pin_added(compare->findings, compare->added, at, bt_str_of(shown->sha256),
                                 former, shown->key);
}

static enum bt_status compare_kind(const struct wrap_kind_comparison *run)
{
    struct bt_arena *arena = run->compare->memory.arena;
    const struct bt_wrap_item **sorted = NULL;
    BT_TRY(bt_wrap_items_sorted(arena, run->locked, &sorted));
    for (size_t i = 0; i < run->locked->list.count; i++) {
        BT_TRY(compare_locked(run, sorted[i]));
    }
    BT_TRY(bt_wrap_items_sorted(arena, run->shown, &sorted));
    for (size_t i = 0; i < run->shown->list.count; i++) {
        if (sorted[i]->is_duplicate || !bt_wrap_items_find(run->locked, sorted[i]->key)) {
            BT_TRY(add_added(run, sorted[i]));
        }
    }
    return BT_OK;
}

/* ---- Whole entries --------------------------------------------------------------------------- */

static bool texts_are_equal(bt_str a, bt_str b)
{
    return !a.ptr == !b.ptr && (!a.ptr || bt_str_eq(a, b));
}

enum bt_status bt_wrap_compare_entries(const struct bt_wrap_compare *compare,
                                       const struct bt_wrap_entry *locked,
                                       const struct bt_wrap_entry *shown,
                                       struct bt_wrap_compare_counts *out)
{
    *out = (struct bt_wrap_compare_counts){0};
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const struct wrap_kind_comparison run = {.compare = compare,
                                                 .kind = (enum bt_wrap_kind)i,
                                                 .locked = &locked->items[i],
                                                 .shown = &shown->items[i],
                                                 .counts = out};
        if (i != BT_WRAP_RESOURCE || (locked->has_resources && shown->has_resources)) {
            BT_TRY(compare_kind(&run));
        }
    }
    return texts_are_equal(locked->instructions, shown->instructions)
               ? BT_OK
               : bt_wrap_add_instructions_change(compare, locked->instructions,
                                                 shown->instructions);
}

static bt_str digest_or_absent(const struct bt_wrap_entry *entry)
{
    return entry->program_path.ptr ? bt_str_of(entry->program_sha256) : BT_STR_ABSENT;
}

enum bt_status bt_wrap_compare_commands(const struct bt_wrap_compare *compare,
                                        const struct bt_wrap_entry *locked,
                                        const struct bt_wrap_entry *shown)
{
    const struct bt_location command = bt_location_pointer(BT_STR("/command"), BT_OFFSET_NONE);
    const struct bt_location server = bt_location_pointer(BT_STR("/server"), BT_OFFSET_NONE);
    struct bt_findings *findings = compare->findings;
    if (strcmp(locked->command_sha256, shown->command_sha256) != 0) {
        BT_TRY(bt_add_wrap_pin_command(findings, compare->command, command,
                                       BT_WRAP_PIN_COMMAND_WHAT_COMMAND, BT_STR_ABSENT,
                                       BT_STR_ABSENT));
    }
    if (!texts_are_equal(locked->package, shown->package)) {
        BT_TRY(bt_add_wrap_pin_command(findings, compare->command, command,
                                       BT_WRAP_PIN_COMMAND_WHAT_PACKAGE, locked->package,
                                       shown->package));
    }
    if (!texts_are_equal(locked->program_path, shown->program_path) ||
        strcmp(locked->program_sha256, shown->program_sha256) != 0) {
        BT_TRY(bt_add_wrap_pin_command(findings, compare->command, command,
                                       BT_WRAP_PIN_COMMAND_WHAT_PROGRAM, digest_or_absent(locked),
                                       digest_or_absent(shown)));
    }
    return bt_str_eq(locked->server_name, shown->server_name) &&
                   bt_str_eq(locked->server_version, shown->server_version)
               ? BT_OK
               : bt_add_wrap_pin_command(findings, compare->command, server,
                                         BT_WRAP_PIN_COMMAND_WHAT_VERSION, locked->server_version,
                                         shown->server_version);
}

enum bt_status bt_wrap_add_whole(const struct bt_wrap_compare *compare,
                                 const struct bt_wrap_entry *locked,
                                 const struct bt_wrap_entry *shown)
{
    return shown ? bt_add_wrap_pin_added(compare->findings, compare->added, bt_location_whole(),
                                         BT_STR_ABSENT, BT_STR_ABSENT, shown->name)
                 : bt_add_wrap_pin_removed(compare->findings, compare->removed, bt_location_whole(),
                                           BT_STR_ABSENT, locked->name);
}

enum bt_status bt_wrap_check_review(const struct bt_wrap_memory *memory,
                                    const struct bt_wrap_entry *entry, struct bt_findings *findings)
{
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_items *items = &entry->items[i];
        for (size_t j = 0; j < items->list.count; j++) {
            const bt_str key = items->list.items[j].key;
            bt_str pointer;
            if (items->list.items[j].is_duplicate) {
                BT_TRY(bt_wrap_item_pointer(memory->arena, (enum bt_wrap_kind)i, key, &pointer));
                BT_TRY(bt_add_wrap_name_duplicate(
                    findings, BT_SEVERITY_HARD, bt_location_pointer(pointer, BT_OFFSET_NONE), key));
            }
        }
    }
    return !entry->package.ptr || bt_wrap_package_is_versioned(entry->package)
               ? BT_OK
               : bt_add_wrap_package_floating(
                     findings, bt_location_pointer(BT_STR("/command"), BT_OFFSET_NONE),
                     entry->package);
}
