/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - items of one kind side by side: same, changed, added, removed, renamed. */
#include "wrap/compare.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
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
    struct bt_wrap_former *former;
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

static const bt_str labels[] = {BT_STR_INIT("name"), BT_STR_INIT("title")};
static const bt_str schemas[] = {BT_STR_INIT("inputSchema"), BT_STR_INIT("outputSchema")};

/* The digest of what is left of an item: without its labels, or its schemas alone. */
static enum bt_status digest_rest(const struct bt_wrap_memory *memory,
                                  const struct bt_wrap_item *item, bool has_schemas_alone,
                                  char out[BT_SHA256_HEX_BYTES])
{
    const struct bt_arena_mark mark = bt_arena_mark(memory->arena);
    const struct bt_str_list names = {has_schemas_alone ? schemas : labels, 2};
    struct bt_wrap_item rest = {0};
    static_assert(BT_COUNT_OF(labels) == 2 && BT_COUNT_OF(schemas) == 2, "see `names`");
    const enum bt_status status = copy_members(memory, item, names, has_schemas_alone, &rest);
    memcpy(out, rest.sha256, sizeof(rest.sha256));
    bt_arena_rewind(memory->arena, mark);
    return status;
}

/* Add an item that is gone. The first of a key stays, or, for schemas, none of several. */
static enum bt_status add_former(const struct bt_wrap_former *former, struct bt_map *map,
                                 const struct bt_wrap_item *item, bool has_schemas_alone)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_map_entry *entry = NULL;
    bt_str key;
    const uint32_t known = map->count;
    BT_TRY(digest_rest(former->memory, item, has_schemas_alone, digest));
    BT_TRY(bt_arena_copy(former->memory->arena, bt_str_of(digest), &key));
    BT_TRY(bt_map_add(map, bt_map_text(key), &entry));
    if (map->count > known) {
        entry->value.number = (uint64_t)(item - former->locked->list.items) + 1;
    } else if (has_schemas_alone) {
        entry->value.number = 0;
    }
    return BT_OK;
}

static enum bt_status prepare_former(struct bt_wrap_former *former)
{
    const struct bt_wrap_memory *memory = former->memory;
    bt_map_init(&former->by_rest, memory->arena, memory->env->hash_seed);
    bt_map_init(&former->by_schemas, memory->arena, memory->env->hash_seed);
    for (size_t i = 0; i < former->locked->list.count; i++) {
        const struct bt_wrap_item *item = &former->locked->list.items[i];
        if (bt_wrap_items_find(former->shown, item->key)) {
            continue;
        }
        BT_TRY(add_former(former, &former->by_rest, item, false));
        if (former->kind == BT_WRAP_TOOL) {
            BT_TRY(add_former(former, &former->by_schemas, item, true));
        }
    }
    former->is_ready = true;
    return BT_OK;
}

enum bt_status bt_wrap_former_find(struct bt_wrap_former *former, const struct bt_wrap_item *item,
                                   bt_str *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    *out = BT_STR_ABSENT;
    BT_TRY(former->is_ready ? BT_OK : prepare_former(former));
    BT_TRY(digest_rest(former->memory, item, false, digest));
    const struct bt_map_entry *entry =
        bt_map_find(&former->by_rest, bt_map_text(bt_str_of(digest)));
    if (!entry && former->kind == BT_WRAP_TOOL) {
        BT_TRY(digest_rest(former->memory, item, true, digest));
        entry = bt_map_find(&former->by_schemas, bt_map_text(bt_str_of(digest)));
    }
    if (entry && entry->value.number > 0) {
        *out = former->locked->list.items[entry->value.number - 1].key;
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
            BT_TRY(copy_members(&compare->memory, locked, names, false, &old));
            BT_TRY(copy_members(&compare->memory, shown, names, false, &new));
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
    BT_TRY(bt_wrap_former_find(run->former, shown, &former));
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
        struct bt_wrap_former former = {.memory = &compare->memory,
                                        .kind = (enum bt_wrap_kind)i,
                                        .locked = &locked->items[i],
                                        .shown = &shown->items[i]};
        const struct wrap_kind_comparison run = {.compare = compare,
                                                 .kind = former.kind,
                                                 .locked = former.locked,
                                                 .shown = former.shown,
                                                 .counts = out,
                                                 .former = &former};
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
