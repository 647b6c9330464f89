/* SPDX-License-Identifier: Apache-2.0 */
/* contract_agents.c - the states of agents as rows: listed, resumed and cleared. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "decide/contract_decide.h"
#include "json/emit.h"
#include "json/options.h"
#include "store/rows.h"

/* Columns of agent_state. */
enum { WORKSPACE = 0, SESSION, AGENT_ID, STATE, COUNTERS, RESUMED, UPDATED_SEQ, COLUMNS };

enum { COUNTERS_BYTES_MAX = 512 };

static bool take_u64(const struct bt_json_doc *document, bt_str name, uint64_t *out)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), name);
    return value && bt_json_is_number(value) &&
           bt_str_to_u64(bt_json_number_text(document, value), out) == BT_OK;
}

static bool take_counters(const struct bt_json_doc *document, struct bt_contract_agent *agent)
{
    const bt_json_value *updated =
        bt_json_get(document, bt_json_root(document), BT_STR("updated_at"));
    uint64_t escalated = 0;
    if (!updated || bt_json_type(updated) != BT_JSON_STRING ||
        !take_u64(document, BT_STR("in_progress"), &agent->in_progress) ||
        !take_u64(document, BT_STR("rejections"), &agent->rejections) ||
        !take_u64(document, BT_STR("escalated"), &escalated)) {
        return false;
    }
    agent->is_escalated = escalated != 0;
    agent->updated_at = bt_json_text(updated);
    return true;
}

/* State and counters of a row; texts are in the arena. */
static enum bt_status read_row(struct bt_arena *arena, const struct bt_store_cell *cells,
                               struct bt_contract_agent *agent, struct bt_error *error)
{
    const struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    bt_str counters;
    const bt_str state = cells[STATE].text;
    agent->is_resumed = cells[RESUMED].number != 0;
    BT_TRY(bt_arena_copy(arena, cells[COUNTERS].text, &counters));
    /* from: store */
    BT_TRY(bt_json_read(arena, counters, &options, &read));
    const bool fits = (state.len == 0 || bt_contract_status_parse(state, &agent->state) == BT_OK) &&
                      read.document &&
                      bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT &&
                      take_counters(read.document, agent);
    return fits ? BT_OK
                : bt_error_set(error, BT_ECORRUPT, "the stored state of an agent is damaged");
}

static void put_key(const struct bt_contract_agent *agent, struct bt_store_cell *cells)
{
    cells[WORKSPACE] = bt_store_cell_text(agent->workspace);
    cells[SESSION] = bt_store_cell_text(agent->session);
    cells[AGENT_ID] = bt_store_cell_text(agent->agent_id);
}

enum bt_status bt_contract_agent_load(struct bt_store *store, struct bt_arena *arena,
                                      struct bt_contract_agent *agent, struct bt_error *error)
{
    struct bt_store_cell key[STATE];
    const struct bt_store_cell *cells = NULL;
    put_key(agent, key);
    const struct bt_store_row_range scan = {BT_TABLE_AGENT_STATE, key, STATE};
    const enum bt_status status = bt_store_row_get(store, arena, &scan, &cells, error);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    return read_row(arena, cells, agent, error);
}

enum bt_status bt_contract_agent_save(struct bt_store *store, const struct bt_contract_agent *agent,
                                      uint64_t seq, struct bt_error *error)
{
    struct bt_store_cell cells[COLUMNS];
    struct bt_buf counters;
    struct bt_emit emit;
    bt_buf_init(&counters, COUNTERS_BYTES_MAX);
    bt_emit_init(&emit, &counters, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "in_progress", agent->in_progress);
    bt_emit_member_u64(&emit, "rejections", agent->rejections);
    bt_emit_member_u64(&emit, "escalated", agent->is_escalated);
    bt_emit_member_string(&emit, "updated_at", agent->updated_at);
    bt_emit_end(&emit);
    put_key(agent, cells);
    cells[STATE] = bt_store_cell_text(bt_contract_status_name(agent->state));
    cells[COUNTERS] = bt_store_cell_text(bt_buf_str(&counters));
    cells[RESUMED] = bt_store_cell_number(agent->is_resumed);
    cells[UPDATED_SEQ] = bt_store_cell_number(seq);
    const enum bt_status status = counters.status == BT_OK
                                      ? bt_store_row_put(store, BT_TABLE_AGENT_STATE, cells, error)
                                      : counters.status;
    bt_buf_free(&counters);
    return status;
}

enum bt_status bt_contract_agent_mark_resumed(const struct bt_contract_state *gate,
                                              const struct bt_contract_agent *agent,
                                              struct bt_error *error)
{
    struct bt_store *store = gate->ledger->store;
    struct bt_store_cell key[STATE];
    struct bt_store_cell changed[COLUMNS];
    const struct bt_store_cell *cells = NULL;
    put_key(agent, key);
    const struct bt_store_row_range scan = {BT_TABLE_AGENT_STATE, key, STATE};
    const enum bt_status status = bt_store_row_get(store, gate->arena, &scan, &cells, error);
    if (status != BT_OK || cells[STATE].text.len == 0) {
        return status == BT_ENOENT ? BT_OK : status; /* nothing to go on from */
    }
    memcpy(changed, cells, sizeof(changed));
    changed[RESUMED] = bt_store_cell_number(1);
    return bt_store_row_put(store, BT_TABLE_AGENT_STATE, changed, error);
}

enum bt_status bt_contract_agent_delete(struct bt_store *store,
                                        const struct bt_contract_agent *agent,
                                        struct bt_error *error)
{
    struct bt_store_cell key[STATE];
    put_key(agent, key);
    return bt_store_row_delete(store, BT_TABLE_AGENT_STATE, key, error);
}

struct contract_agents_scan {
    const struct bt_contract_state *gate;
    const struct bt_contract_agent_filter *filter;
    struct bt_contract_agent *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
    struct bt_error *error;
};

static bool is_filter_match(bt_str wanted, const struct bt_store_cell *cell)
{
    return wanted.len == 0 || bt_str_eq(wanted, cell->text);
}

static enum bt_status take_agent(struct contract_agents_scan *listing,
                                 const struct bt_store_cell *cells)
{
    struct bt_arena *arena = listing->gate->arena;
    BT_TRY(bt_vec_reserve(arena, listing, 1));
    struct bt_contract_agent *agent = &listing->items[listing->count];
    *agent = (struct bt_contract_agent){0};
    BT_TRY(bt_arena_copy(arena, cells[WORKSPACE].text, &agent->workspace));
    BT_TRY(bt_arena_copy(arena, cells[SESSION].text, &agent->session));
    BT_TRY(bt_arena_copy(arena, cells[AGENT_ID].text, &agent->agent_id));
    BT_TRY(read_row(arena, cells, agent, listing->error));
    listing->count++;
    return BT_OK;
}

static bool see_row(void *context, const struct bt_store_cell *cells)
{
    struct contract_agents_scan *listing = context;
    const bt_str wanted = listing->filter->agent_id;
    bool is_match = wanted.len == 0;
    if (!is_match) {
        listing->status = bt_contract_names_agent(wanted, cells[AGENT_ID].text, &is_match);
    }
    if (listing->status == BT_OK && is_match &&
        is_filter_match(listing->filter->workspace, &cells[WORKSPACE]) &&
        is_filter_match(listing->filter->session, &cells[SESSION])) {
        listing->status = take_agent(listing, cells);
    }
    return listing->status == BT_OK;
}

enum bt_status bt_contract_agents_list(const struct bt_contract_state *gate,
                                       const struct bt_contract_agent_filter *filter,
                                       struct bt_contract_agent_list *out, struct bt_error *error)
{
    assert(gate);
    assert(filter);
    assert(out);
    struct contract_agents_scan listing = {.gate = gate, .filter = filter, .error = error};
    const struct bt_store_row_range scan = {.table = BT_TABLE_AGENT_STATE};
    BT_TRY(bt_store_row_scan(gate->ledger->store, &scan, see_row, &listing, error));
    BT_TRY(listing.status);
    *out = (struct bt_contract_agent_list){listing.items, listing.count};
    return BT_OK;
}

enum bt_status bt_contract_names_agent(bt_str name, bt_str agent_id, bool *out)
{
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    *out = bt_str_eq(name, agent_id);
    if (!*out && name.len > 0) {
        BT_TRY(bt_contract_agent_id_from_runtime(name, mapped));
        *out = bt_str_eq(bt_str_of(mapped), agent_id);
    }
    return BT_OK;
}

enum bt_status bt_contract_agent_ref(struct bt_arena *arena, bt_str agent_id, bt_str *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    if (bt_str_eq(agent_id, BT_AGENT_NOBODY) || bt_entry_name_is_valid(agent_id)) {
        *out = bt_str_eq(agent_id, BT_AGENT_NOBODY) ? BT_STR("none") : agent_id;
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(agent_id, digest));
    return bt_arena_printf(arena, out, "sha256:%s", digest);
}

static enum bt_status forget_all(const struct bt_contract_state *gate,
                                 const struct bt_contract_agent_list *agents,
                                 struct bt_ledger_transaction *recording, struct bt_error *error)
{
    struct bt_ledger_record recorded;
    struct bt_entry *entry = bt_contract_add_entry(gate, "unblock");
    if (!entry) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_contract_agent_ref(gate->arena, agents->items[0].agent_id, &entry->refs.agent));
    entry->refs.reason = BT_STR("state-cleared");
    for (size_t i = 0; i < agents->count; i++) {
        BT_TRY(bt_contract_agent_delete(gate->ledger->store, &agents->items[i], error));
    }
    return bt_ledger_transaction_add_entry(recording, entry, NULL, &recorded, error);
}

/* States to be cleared. */
struct contract_agents_clear_state {
    const struct bt_contract_state *gate;
    const struct bt_contract_agent_filter *filter;
    struct bt_contract_agent_list agents;
};

static enum bt_status clear_matching_agents(struct bt_ledger_transaction *recording, void *context,
                                            struct bt_error *error)
{
    struct contract_agents_clear_state *clearing = context;
    BT_TRY(bt_contract_agents_list(clearing->gate, clearing->filter, &clearing->agents, error));
    return clearing->agents.count > 0
               ? forget_all(clearing->gate, &clearing->agents, recording, error)
               : BT_OK;
}

enum bt_status bt_contract_agents_clear(const struct bt_contract_state *gate,
                                        const struct bt_contract_agent_filter *filter,
                                        uint64_t *out_cleared, struct bt_error *error)
{
    assert(gate);
    assert(filter->agent_id.len > 0);
    assert(out_cleared);
    struct bt_ledger_transaction recording = {
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    struct contract_agents_clear_state clearing = {.gate = gate, .filter = filter};
    BT_TRY(bt_ledger_transaction_run(&recording, clear_matching_agents, &clearing, gate->alarms,
                                     error));
    *out_cleared = clearing.agents.count;
    return BT_OK;
}

/* Agents to be resumed. */
struct contract_agents_resume_state {
    const struct bt_contract_state *gate;
    const struct bt_contract_agent_filter *filter;
    uint64_t count;
};

static enum bt_status resume_matching_agents(struct bt_ledger_transaction *recording, void *context,
                                             struct bt_error *error)
{
    struct contract_agents_resume_state *resuming = context;
    struct bt_contract_agent_list agents;
    (void)recording;
    BT_TRY(bt_contract_agents_list(resuming->gate, resuming->filter, &agents, error));
    for (size_t i = 0; i < agents.count; i++) {
        if (agents.items[i].state != BT_CONTRACT_STATUS_NONE) {
            BT_TRY(bt_contract_agent_mark_resumed(resuming->gate, &agents.items[i], error));
            resuming->count++;
        }
    }
    return BT_OK;
}

enum bt_status bt_contract_agents_resume(const struct bt_contract_state *gate,
                                         const struct bt_contract_agent_filter *filter,
                                         uint64_t *out_resumed, struct bt_error *error)
{
    assert(gate);
    assert(filter->agent_id.len > 0);
    assert(out_resumed);
    struct bt_ledger_transaction recording = {
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    struct contract_agents_resume_state resuming = {.gate = gate, .filter = filter};
    BT_TRY(bt_ledger_transaction_mark(&recording, resume_matching_agents, &resuming, gate->alarms,
                                      error));
    *out_resumed = resuming.count;
    return BT_OK;
}
