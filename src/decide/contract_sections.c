/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_sections.c - update_contracts applied in the order of the entries: all that may be
 * written or none; the others are dropped.
 */
#include <assert.h>

#include "base/vec.h"
#include "decide/contract_decide.h"
#include "dialect/contract/contract_check.h"
#include "json/options.h"
#include "store/rows.h"

static struct bt_context_key key_of(bt_str workspace, bt_str name)
{
    return (struct bt_context_key){workspace, BT_SPACE_SECTION, BT_STR(""), name};
}

/* The section before this update: the result of an earlier update of the block, else the stored
 * one, else "". */
static enum bt_status find_section(struct bt_contract_decision_state *gating, bt_str name,
                                   bt_str *out)
{
    for (size_t i = gating->change_count; i > 0; i--) {
        if (!gating->changes[i - 1].is_dropped && bt_str_eq(gating->changes[i - 1].name, name)) {
            *out = gating->changes[i - 1].value;
            return BT_OK;
        }
    }
    const struct bt_context_key key = key_of(gating->submission->workspace, name);
    return bt_contract_context_load(gating->store, gating->arena, &key, out, gating->error);
}

static enum bt_status merge_update(struct bt_contract_decision_state *gating,
                                   const struct bt_contract_update *update)
{
    struct bt_json_options options = bt_json_options_from_env(gating->gate.contract->env);
    struct bt_contract_merge_result merged = {.result = BT_STR("")};
    struct bt_json_read_result read = {0};
    bt_str stored;
    const bt_str name = bt_json_text(update->contract);
    BT_TRY(find_section(gating, name, &stored));
    const bool is_new = stored.len == 0;
    options.document_bytes_max = stored.len + 2;
    /* from: store */
    BT_TRY(bt_json_read(gating->arena, is_new ? BT_STR("{}") : stored, &options, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return bt_error_set(gating->error, BT_ECORRUPT, "the stored section is not a JSON object");
    }
    const enum bt_status status =
        bt_contract_check_merge(&gating->turn, update->payload, read.document, &merged);
    if (status == BT_ELIMIT) {
        return bt_error_set(gating->error, status, "a section would become larger than the limits");
    }
    BT_TRY(status);
    gating->changes[gating->change_count++] =
        (struct bt_section_change){.name = name, .is_new = is_new, .value = merged.result};
    return BT_OK;
}

enum bt_status bt_contract_decide_sections(struct bt_contract_decision_state *gating)
{
    const size_t count = bt_contract_updates_count(&gating->turn);
    if (count == 0 || bt_contract_check_is_rejected(&gating->turn)) {
        return BT_OK;
    }
    gating->changes = BT_NEW_ARRAY(gating->arena, struct bt_section_change, count);
    if (!gating->changes) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_contract_update update = bt_contract_updates_at(&gating->turn, i);
        assert(update.contract && update.payload); /* anything else is HARD */
        if (update.is_dropped) {
            gating->changes[gating->change_count++] = (struct bt_section_change){
                .name = bt_json_text(update.contract), .is_dropped = true};
        } else {
            BT_TRY(merge_update(gating, &update));
        }
    }
    return BT_OK;
}

enum bt_status bt_contract_decide_save_sections(struct bt_contract_decision_state *gating,
                                                uint64_t parent)
{
    for (size_t i = 0; i < gating->change_count; i++) {
        const struct bt_section_change *change = &gating->changes[i];
        const struct bt_context_key key = key_of(gating->submission->workspace, change->name);
        if (change->is_dropped) {
            continue;
        }
        BT_TRY(bt_contract_context_save(&gating->gate, gating->recording, &key, change->value,
                                        parent, gating->error));
    }
    return BT_OK;
}

/* Columns behind the key. */
enum { NAME = 3, VALUE = 4, SHA256 = 5, SEQ = 6 };

struct contract_sections_scan {
    struct bt_arena *arena;
    size_t shift; /* 1 in the history, which has a version before the value */
    struct bt_contract_section *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static enum bt_status take_section(struct contract_sections_scan *listing,
                                   const struct bt_store_cell *cells)
{
    BT_TRY(bt_vec_reserve(listing->arena, listing, 1));
    struct bt_contract_section *section = &listing->items[listing->count++];
    section->version = listing->shift ? (uint64_t)cells[VALUE].number : 0;
    section->seq = (uint64_t)cells[SEQ + listing->shift].number;
    BT_TRY(bt_arena_copy(listing->arena, cells[NAME].text, &section->name));
    BT_TRY(bt_arena_copy(listing->arena, cells[VALUE + listing->shift].text, &section->value));
    return bt_arena_copy(listing->arena, cells[SHA256 + listing->shift].text, &section->sha256);
}

static bool see_row(void *context, const struct bt_store_cell *cells)
{
    struct contract_sections_scan *listing = context;
    listing->status = take_section(listing, cells);
    return listing->status == BT_OK;
}

enum bt_status bt_contract_sections_list(const struct bt_contract_state *gate, bt_str workspace,
                                         bt_str name, bool history,
                                         struct bt_contract_section_list *out,
                                         struct bt_error *error)
{
    assert(gate);
    assert(out);
    struct contract_sections_scan listing = {.arena = gate->arena, .shift = history};
    const struct bt_store_cell key[] = {bt_store_cell_text(workspace),
                                        bt_store_cell_text(BT_SPACE_SECTION),
                                        bt_store_cell_text(BT_STR("")), bt_store_cell_text(name)};
    const struct bt_store_row_range scan = {history ? BT_TABLE_CONTEXT_HISTORY : BT_TABLE_CONTEXT,
                                            key, name.len > 0 ? 4 : 3};
    BT_TRY(bt_store_row_scan(gate->ledger->store, &scan, see_row, &listing, error));
    BT_TRY(listing.status);
    *out = (struct bt_contract_section_list){listing.items, listing.count};
    return BT_OK;
}
