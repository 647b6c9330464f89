/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_blocks.c - blocked agents: rows, findings, and the entries about them.
 *
 * A block keeps its first reason and entry, and is ended only by bt_agent_unblock().
 */
#include <assert.h>

#include "base/vec.h"
#include "decide/governed_decide.h"
#include "report/rules.h"
#include "store/rows.h"

struct bt_entry *bt_governed_add_entry(const struct bt_governed_state *govern, const char *kind)
{
    struct bt_entry *entry = BT_NEW(govern->arena, struct bt_entry);
    if (entry) {
        bt_entry_init(entry);
        entry->actor = govern->actor;
        entry->kind = bt_str_of(kind);
        entry->dialect = BT_STR("baton");
        entry->verdict = BT_STR("recorded");
    }
    return entry;
}

static bool is_in_force(const struct bt_store_cell *cells)
{
    return cells[BT_BLOCKED_CLEARED].type == BT_STORE_CELL_NULL;
}

static bool mark_row(void *context, const struct bt_store_cell *cells)
{
    struct bt_governed_root *governed_root = context;
    const size_t agent = bt_governed_root_find(governed_root, cells[BT_BLOCKED_AGENT_ID].text);
    if (agent != BT_NO_AGENT && is_in_force(cells)) {
        governed_root->agents[agent].is_blocked = true;
    }
    return true;
}

enum bt_status bt_agent_blocks_mark(const struct bt_governed_decision_state *deciding,
                                    struct bt_governed_root *governed_root)
{
    const struct bt_store_row_range scan = {.table = BT_TABLE_BLOCKED};
    return bt_store_row_scan(deciding->store, &scan, mark_row, governed_root, deciding->error);
}

/* An entry of the log, read back; its texts are in the arena. */
struct agent_block_entry {
    struct bt_arena *arena;
    uint64_t seq;
    struct bt_entry *entry; /* NULL: not found */
    enum bt_status status;
};

static bool see_entry(void *context, const struct bt_store_entry *row)
{
    struct agent_block_entry *seeking = context;
    bt_str text;
    if (row->seq == seeking->seq) {
        seeking->entry = BT_NEW(seeking->arena, struct bt_entry);
        seeking->status =
            seeking->entry ? bt_arena_copy(seeking->arena, row->entry, &text) : BT_ENOMEM;
        if (seeking->status == BT_OK && !bt_entry_read(text, seeking->entry)) {
            seeking->status = BT_ECORRUPT;
        }
    }
    return false;
}

static enum bt_status get_entry(const struct bt_governed_decision_state *deciding, uint64_t seq,
                                const struct bt_entry **out)
{
    struct agent_block_entry seeking = {.arena = deciding->govern->arena, .seq = seq};
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = seq};
    BT_TRY(bt_store_entry_scan(deciding->store, &scan, see_entry, &seeking, deciding->error));
    if (seeking.status != BT_OK || !seeking.entry) {
        (void)bt_error_set(deciding->error, BT_ECORRUPT, "the entry of a block is damaged");
        return seeking.status != BT_OK ? seeking.status : BT_ECORRUPT;
    }
    *out = seeking.entry;
    return BT_OK;
}

enum bt_status bt_agent_block_load(const struct bt_governed_decision_state *deciding,
                                   bt_str agent_id, const struct bt_store_cell **out)
{
    const struct bt_store_cell key = bt_store_cell_text(agent_id);
    const struct bt_store_row_range scan = {BT_TABLE_BLOCKED, &key, 1};
    BT_TRY(bt_store_row_get(deciding->store, deciding->govern->arena, &scan, out, NULL));
    return is_in_force(*out) ? BT_OK : BT_ENOENT;
}

static enum bt_status add_blocked_finding(const struct bt_governed_decision_state *deciding,
                                          struct bt_governed_submission *item,
                                          const struct bt_governed_party *party)
{
    const struct bt_store_cell *cells = NULL;
    const struct bt_entry *entry = NULL;
    BT_TRY(bt_agent_block_load(deciding, party->id, &cells));
    BT_TRY(get_entry(deciding, (uint64_t)cells[BT_BLOCKED_SINCE].number, &entry));
    return bt_add_agent_blocked(
        item->check.findings, bt_governed_party_locate(&item->check, party, "agent_id"),
        bt_str_of(party->role), party->id, entry->time, cells[BT_BLOCKED_REASON].text);
}

enum bt_status bt_agent_blocks_add_findings(const struct bt_governed_decision_state *deciding,
                                            struct bt_governed_submission *item)
{
    for (size_t i = 0; i < item->check.party_count; i++) {
        const struct bt_governed_party *party = &item->check.parties[i];
        if (party->agent != BT_NO_AGENT &&
            item->check.governed_root.agents[party->agent].is_blocked) {
            BT_TRY(add_blocked_finding(deciding, item, party));
        }
    }
    return BT_OK;
}

/*
 * Whether a wrong hash for this party blocks it. What a caller says about an agent of another
 * caller is evidence about the caller; what it says about its own is evidence about that agent. A
 * caller that is bound to agents comes here only with one of them as the first party.
 */
static bool is_blocked_by_claim(const struct bt_governed_submission *item, size_t party)
{
    switch (item->check.options->block_on) {
    case BT_GOVERNED_BLOCK_ON_ANY:
        return true;
    case BT_GOVERNED_BLOCK_ON_BOUND:
        return party == 0 && item->document.speaker_count > 0;
    case BT_GOVERNED_BLOCK_ON_ROOT:
        break;
    }
    return false;
}

void bt_agent_blocks_collect(struct bt_governed_submission *item)
{
    struct bt_governed_check *check = &item->check;
    for (size_t i = 0; i < check->party_count; i++) {
        struct bt_governed_party *party = &check->parties[i];
        if (!is_blocked_by_claim(item, i)) {
            party->blocking &= ~(unsigned)BT_HANDOFF_HASH_MISMATCH;
        }
        const bool is_new = party->agent != BT_NO_AGENT && party->blocking != 0 &&
                            !check->governed_root.agents[party->agent].is_blocked;
        if (is_new && (item->block_count == 0 || item->blocks[0] != party->agent)) {
            item->blocks[item->block_count++] = party->agent;
        }
    }
    if (item->block_count == 2 && item->blocks[0] > item->blocks[1]) {
        const size_t first = item->blocks[1];
        item->blocks[1] = item->blocks[0];
        item->blocks[0] = first;
    }
}

bt_str bt_governed_submission_blocked(const struct bt_governed_submission *item, size_t index)
{
    return index < item->block_count ? item->check.governed_root.agents[item->blocks[index]].id
                                     : BT_STR("");
}

static unsigned reasons_of(const struct bt_governed_submission *item, size_t agent)
{
    unsigned reasons = 0;
    for (size_t i = 0; i < item->check.party_count; i++) {
        const struct bt_governed_party *party = &item->check.parties[i];
        reasons |= party->agent == agent ? party->blocking : 0;
    }
    return reasons;
}

enum bt_status bt_agent_blocks_emit(struct bt_governed_decision_state *deciding,
                                    const struct bt_governed_submission *item)
{
    for (size_t i = 0; i < item->block_count; i++) {
        struct bt_ledger_record recorded;
        struct bt_entry *entry = bt_governed_add_entry(deciding->govern, "block");
        const bt_str id = item->check.governed_root.agents[item->blocks[i]].id;
        const bt_str reason = bt_governed_block_reason(reasons_of(item, item->blocks[i]));
        if (!entry) {
            return BT_ENOMEM;
        }
        entry->refs.agent = id;
        entry->refs.reason = reason;
        entry->refs.parent = item->submission->seq;
        BT_TRY(bt_ledger_transaction_add_entry(deciding->recording, entry, NULL, &recorded,
                                               deciding->error));
        const struct bt_store_cell cells[BT_BLOCKED_COLUMNS] = {
            [BT_BLOCKED_AGENT_ID] = bt_store_cell_text(id),
            [BT_BLOCKED_REASON] = bt_store_cell_text(reason),
            [BT_BLOCKED_SINCE] = bt_store_cell_number(recorded.entry.seq),
            [BT_BLOCKED_CLEARED] = bt_store_cell_null(),
            [BT_BLOCKED_UPDATED] = bt_store_cell_number(recorded.entry.seq),
        };
        BT_TRY(bt_store_row_put(deciding->store, BT_TABLE_BLOCKED, cells, deciding->error));
    }
    return BT_OK;
}

struct agent_blocks_scan {
    struct bt_arena *arena;
    struct bt_agent_block *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static enum bt_status take_block(struct agent_blocks_scan *listing,
                                 const struct bt_store_cell *cells)
{
    BT_TRY(bt_vec_reserve(listing->arena, listing, 1));
    struct bt_agent_block *block = &listing->items[listing->count];
    *block = (struct bt_agent_block){.seq = (uint64_t)cells[BT_BLOCKED_SINCE].number};
    BT_TRY(bt_arena_copy(listing->arena, cells[BT_BLOCKED_AGENT_ID].text, &block->agent_id));
    BT_TRY(bt_arena_copy(listing->arena, cells[BT_BLOCKED_REASON].text, &block->reason));
    listing->count++;
    return BT_OK;
}

static bool see_row(void *context, const struct bt_store_cell *cells)
{
    struct agent_blocks_scan *listing = context;
    if (is_in_force(cells)) {
        listing->status = take_block(listing, cells);
    }
    return listing->status == BT_OK;
}

/* When and by which decision it was blocked. */
static enum bt_status load_block_details(const struct bt_governed_decision_state *deciding,
                                         struct bt_agent_block *block)
{
    const struct bt_entry *entry = NULL;
    const struct bt_entry *decision = NULL;
    BT_TRY(get_entry(deciding, block->seq, &entry));
    block->since = entry->time;
    block->handoff_id = BT_STR("");
    if (entry->refs.parent != BT_SEQ_ABSENT) {
        BT_TRY(get_entry(deciding, entry->refs.parent, &decision));
        block->handoff_id = decision->handoff_id;
    }
    return BT_OK;
}

enum bt_status bt_agent_blocks_list(const struct bt_governed_state *govern,
                                    struct bt_agent_block_list *out, struct bt_error *error)
{
    assert(govern);
    assert(out);
    const struct bt_governed_decision_state deciding = {
        .govern = govern, .store = govern->ledger->store, .error = error};
    const struct bt_store_row_range scan = {.table = BT_TABLE_BLOCKED};
    struct agent_blocks_scan listing = {.arena = govern->arena};
    BT_TRY(bt_store_begin_read(deciding.store, error));
    enum bt_status status = bt_store_row_scan(deciding.store, &scan, see_row, &listing, error);
    status = status == BT_OK ? listing.status : status;
    for (size_t i = 0; i < listing.count && status == BT_OK; i++) {
        status = load_block_details(&deciding, &listing.items[i]);
    }
    bt_store_rollback(deciding.store);
    BT_TRY(status);
    *out = (struct bt_agent_block_list){listing.items, listing.count};
    return BT_OK;
}
