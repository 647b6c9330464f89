/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c - what is kept of transcripts, as rows. */
#include "evidence/kept.h"

#include <assert.h>

#include "dialect/contract/contract_check.h"
#include "ledger/transaction.h"
#include "store/rows.h"

/* Columns of transcript. */
enum {
    WORKSPACE = 0,
    SESSION,
    AGENT_ID,
    SETTINGS,
    DEVICE,
    INODE,
    READ_TO,
    LAST_BYTES,
    SLICE,
    CALLS,
    COUNTERS,
    MESSAGE_IDS,
    NOTICES,
    COLUMNS,
    KEYS = SETTINGS,
};

static void put_key(const struct bt_evidence_key *key, struct bt_store_cell *cells)
{
    cells[WORKSPACE] = bt_store_cell_text(key->workspace);
    cells[SESSION] = bt_store_cell_text(key->session);
    cells[AGENT_ID] = bt_store_cell_text(key->agent_id);
}

static enum bt_status load_row(struct bt_store *store, struct bt_arena *arena,
                               const struct bt_evidence_key *key, struct bt_evidence_kept *out,
                               struct bt_error *error)
{
    struct bt_store_cell cells[KEYS];
    const struct bt_store_cell *row = NULL;
    put_key(key, cells);
    const struct bt_store_row_range range = {BT_TABLE_TRANSCRIPT, cells, KEYS};
    const enum bt_status status = bt_store_row_get(store, arena, &range, &row, error);
    *out = (struct bt_evidence_kept){.settings = BT_STR(""),
                                     .device = BT_STR(""),
                                     .inode = BT_STR(""),
                                     .last_bytes = BT_STR(""),
                                     .slice = BT_STR(""),
                                     .calls = BT_STR(""),
                                     .spent = {BT_STR_INIT(""), BT_STR_INIT(""), BT_STR_INIT("")}};
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    *out = (struct bt_evidence_kept){
        .is_there = true,
        .settings = row[SETTINGS].text,
        .device = row[DEVICE].text,
        .inode = row[INODE].text,
        .read_to = (uint64_t)row[READ_TO].number,
        .last_bytes = row[LAST_BYTES].text,
        .slice = row[SLICE].text,
        .calls = row[CALLS].text,
        .spent = {row[COUNTERS].text, row[MESSAGE_IDS].text, row[NOTICES].text}};
    return BT_OK;
}

enum bt_status bt_evidence_kept_load(struct bt_ledger *ledger, struct bt_arena *arena,
                                     const struct bt_evidence_key *key,
                                     struct bt_evidence_kept *out, struct bt_error *error)
{
    assert(ledger);
    assert(key);
    assert(out);
    return load_row(ledger->store, arena, key, out, error);
}

bool bt_evidence_kept_is_equal(const struct bt_evidence_kept *a, const struct bt_evidence_kept *b)
{
    assert(a);
    assert(b);
    if (!a->is_there || !b->is_there) {
        return a->is_there == b->is_there;
    }
    return bt_str_eq(a->settings, b->settings) && bt_str_eq(a->device, b->device) &&
           bt_str_eq(a->inode, b->inode) && a->read_to == b->read_to &&
           bt_str_eq(a->last_bytes, b->last_bytes) && bt_str_eq(a->slice, b->slice) &&
           bt_str_eq(a->calls, b->calls) && bt_str_eq(a->spent.counters, b->spent.counters) &&
           bt_str_eq(a->spent.message_ids, b->spent.message_ids) &&
           bt_str_eq(a->spent.notices, b->spent.notices);
}

enum bt_status bt_evidence_kept_put(struct bt_ledger_transaction *transaction,
                                    const struct bt_evidence_key *key,
                                    const struct bt_evidence_kept *before,
                                    const struct bt_evidence_kept *after, bool *out_is_put,
                                    struct bt_error *error)
{
    assert(transaction);
    assert(after->is_there);
    assert(out_is_put);
    struct bt_store *store = transaction->ledger->store;
    struct bt_evidence_kept now;
    struct bt_store_cell cells[COLUMNS];
    BT_TRY(load_row(store, transaction->arena, key, &now, error));
    *out_is_put = bt_evidence_kept_is_equal(&now, before);
    if (!*out_is_put) {
        return BT_OK;
    }
    put_key(key, cells);
    cells[SETTINGS] = bt_store_cell_bytes(after->settings);
    cells[DEVICE] = bt_store_cell_text(after->device);
    cells[INODE] = bt_store_cell_text(after->inode);
    cells[READ_TO] = bt_store_cell_number(after->read_to);
    cells[LAST_BYTES] = bt_store_cell_bytes(after->last_bytes);
    cells[SLICE] = bt_store_cell_bytes(after->slice);
    cells[CALLS] = bt_store_cell_bytes(after->calls);
    cells[COUNTERS] = bt_store_cell_text(after->spent.counters);
    cells[MESSAGE_IDS] = bt_store_cell_text(after->spent.message_ids);
    cells[NOTICES] = bt_store_cell_text(after->spent.notices);
    return bt_store_row_put(store, BT_TABLE_TRANSCRIPT, cells, error);
}

struct kept_change {
    const struct bt_evidence_key *key;
    const struct bt_evidence_kept *before;
    const struct bt_evidence_kept *after;
    bool is_put;
};

static enum bt_status change_row(struct bt_ledger_transaction *transaction, void *context,
                                 struct bt_error *error)
{
    struct kept_change *change = context;
    return bt_evidence_kept_put(transaction, change->key, change->before, change->after,
                                &change->is_put, error);
}

enum bt_status bt_evidence_kept_save(const struct bt_contract_state *state,
                                     const struct bt_evidence_key *key,
                                     const struct bt_evidence_kept *before,
                                     const struct bt_evidence_kept *after, bool *out_is_put,
                                     struct bt_error *error)
{
    assert(state);
    assert(out_is_put);
    struct bt_ledger_transaction transaction = {
        .ledger = state->ledger, .env = state->contract->env, .arena = state->arena};
    struct kept_change change = {.key = key, .before = before, .after = after};
    BT_TRY(bt_ledger_transaction_mark(&transaction, change_row, &change, state->alarms, error));
    *out_is_put = change.is_put && bt_findings_count(state->alarms) == 0;
    return BT_OK;
}
