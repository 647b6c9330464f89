/* SPDX-License-Identifier: Apache-2.0 */
/* contract_context.c - the values that a workspace stores, and every version of them. */
#include <assert.h>

#include "decide/contract_decide.h"
#include "store/rows.h"

/* Columns of context and context_history. */
enum { WORKSPACE = 0, SPACE, SESSION, NAME, KEYS };
enum { VALUE = KEYS, SHA256, UPDATED_SEQ, COLUMNS };
enum { VERSION = KEYS, OLD_VALUE, OLD_SHA256, SEQ, HISTORY_COLUMNS };

static void put_key(const struct bt_context_key *key, struct bt_store_cell *cells)
{
    cells[WORKSPACE] = bt_store_cell_text(key->workspace);
    cells[SPACE] = bt_store_cell_text(key->space);
    cells[SESSION] = bt_store_cell_text(key->session);
    cells[NAME] = bt_store_cell_text(key->name);
}

enum bt_status bt_contract_context_load(struct bt_store *store, struct bt_arena *arena,
                                        const struct bt_context_key *key, bt_str *out,
                                        struct bt_error *error)
{
    struct bt_store_cell cells[KEYS];
    const struct bt_store_cell *row = NULL;
    put_key(key, cells);
    const struct bt_store_row_range scan = {BT_TABLE_CONTEXT, cells, KEYS};
    const enum bt_status status = bt_store_row_get(store, arena, &scan, &row, error);
    if (status == BT_ENOENT) {
        *out = BT_STR("");
        return BT_OK;
    }
    BT_TRY(status);
    *out = row[VALUE].text;
    return BT_OK;
}

static bool take_version(void *context, const struct bt_store_cell *cells)
{
    *(uint64_t *)context = (uint64_t)cells[VERSION].number;
    return true;
}

static enum bt_status put_rows(struct bt_store *store, const struct bt_context_key *key,
                               bt_str value, bt_str sha256, uint64_t seq, struct bt_error *error)
{
    struct bt_store_cell now[COLUMNS];
    struct bt_store_cell version[HISTORY_COLUMNS];
    uint64_t last = 0;
    put_key(key, now);
    put_key(key, version);
    const struct bt_store_row_range scan = {BT_TABLE_CONTEXT_HISTORY, version, KEYS};
    BT_TRY(bt_store_row_scan(store, &scan, take_version, &last, error));
    now[VALUE] = bt_store_cell_bytes(value);
    now[SHA256] = bt_store_cell_text(sha256);
    now[UPDATED_SEQ] = bt_store_cell_number(seq);
    version[VERSION] = bt_store_cell_number(last + 1);
    version[OLD_VALUE] = now[VALUE];
    version[OLD_SHA256] = now[SHA256];
    version[SEQ] = bt_store_cell_number(seq);
    BT_TRY(bt_store_row_put(store, BT_TABLE_CONTEXT, now, error));
    return bt_store_row_put(store, BT_TABLE_CONTEXT_HISTORY, version, error);
}

/* A name as an entry may hold it. */
static enum bt_status name_of(struct bt_arena *arena, bt_str name, bt_str *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    if (bt_entry_name_is_valid(name)) {
        *out = name;
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(name, digest));
    return bt_arena_printf(arena, out, "sha256:%s", digest);
}

static enum bt_status digest_of(struct bt_arena *arena, bt_str value, bt_str *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    BT_TRY(bt_sha256_hex(value, digest));
    return bt_arena_copy(arena, bt_str_of(digest), out);
}

enum bt_status bt_contract_context_save(const struct bt_contract_state *gate,
                                        struct bt_ledger_transaction *recording,
                                        const struct bt_context_key *key, bt_str value,
                                        uint64_t parent, struct bt_error *error)
{
    assert(value.len > 0);
    struct bt_store *store = gate->ledger->store;
    struct bt_entry *entry = bt_contract_add_entry(gate, "context");
    struct bt_ledger_record *recorded = BT_NEW(gate->arena, struct bt_ledger_record);
    bt_str before;
    if (!entry || !recorded) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_contract_context_load(store, gate->arena, key, &before, error));
    if (bt_str_eq(before, value)) {
        return BT_OK;
    }
    BT_TRY(name_of(gate->arena, key->name, &entry->refs.context));
    BT_TRY(digest_of(gate->arena, value, &entry->refs.after));
    if (before.len > 0) {
        BT_TRY(digest_of(gate->arena, before, &entry->refs.before));
    }
    entry->refs.parent = parent;
    BT_TRY(bt_ledger_transaction_add_entry(recording, entry, NULL, recorded, error));
    return put_rows(store, key, value, entry->refs.after, recorded->entry.seq, error);
}
