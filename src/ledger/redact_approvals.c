/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_approvals.c - approval requests of a redacted report: their payloads are deleted with its
 * bytes, and open ones are revoked.
 */
#include <assert.h>
#include <string.h>

#include "ledger/admin.h"
#include "ledger/redact_approvals.h"
#include "store/responses.h"
#include "store/rows.h"

/* Columns of approval, approval_grant and approval_event. */
enum { STATUS = 4, FINGERPRINT = 5, PAYLOAD = 6, DECIDED = 8 };
enum { REDACTED_SEQ = 11, UPDATED_SEQ = 12, COLUMNS = 13 };
enum { GRANT_STATUS = 1, GRANT_UPDATED_SEQ = 5, GRANT_COLUMNS = 6 };
enum { EVENT_OF = 0, N, TYPE, AT, ACTOR, CODE, EVENT_FINGERPRINT, SEQ, EVENT_COLUMNS };

enum { EVENTS_FIRST = 16 };

/* The requests that were made in the transaction of one entry. */
struct ledger_redact_approvals_search {
    struct bt_arena *arena;
    uint64_t parent;
    char batch[BT_STORE_BATCH_BYTES];
    struct bt_redacted_ids *found;
    enum bt_status status;
};

static bool see_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_redact_approvals_search *search = context;
    struct bt_entry entry;
    if (row->batch.len != sizeof(search->batch)) {
        return false;
    }
    if (row->seq == search->parent) {
        memcpy(search->batch, row->batch.ptr, sizeof(search->batch));
        return true;
    }
    if (memcmp(search->batch, row->batch.ptr, sizeof(search->batch)) != 0) {
        return false;
    }
    if (bt_entry_read(row->entry, &entry) && bt_str_eq(entry.kind, BT_STR("approval")) &&
        bt_str_eq(entry.refs.event, BT_STR("REQUESTED")) && entry.refs.parent == search->parent) {
        search->status = bt_redacted_ids_add(search->found, search->arena, entry.refs.approval);
    }
    return search->status == BT_OK;
}

static enum bt_status get_row(const struct bt_ledger_transaction *recording,
                              enum bt_store_table_id table, bt_str id,
                              const struct bt_store_cell **out, struct bt_error *error)
{
    const struct bt_store_cell key = bt_store_cell_text(id);
    const struct bt_store_row_range scan = {table, &key, 1};
    const enum bt_status status =
        bt_store_row_get(recording->ledger->store, recording->arena, &scan, out, error);
    if (status == BT_ENOENT) {
        *out = NULL;
        return BT_OK;
    }
    return status;
}

/* Only those that still have a payload. */
static enum bt_status keep_full(const struct bt_ledger_transaction *recording,
                                struct bt_redacted_ids *found, struct bt_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct bt_store_cell *row = NULL;
        BT_TRY(get_row(recording, BT_TABLE_APPROVAL, found->items[i], &row, error));
        if (row && row[PAYLOAD].type != BT_STORE_CELL_NULL) {
            found->items[count++] = found->items[i];
        }
    }
    found->count = count;
    return BT_OK;
}

enum bt_status bt_redacted_approvals_find(const struct bt_ledger_transaction *recording,
                                          const uint64_t *seqs, size_t count,
                                          struct bt_redacted_ids *out, struct bt_error *error)
{
    *out = (struct bt_redacted_ids){0};
    for (size_t i = 0; i < count; i++) {
        struct ledger_redact_approvals_search search = {
            .arena = recording->arena, .parent = seqs[i], .found = out};
        const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = seqs[i]};
        BT_TRY(bt_store_entry_scan(recording->ledger->store, &scan, see_entry, &search, error));
        BT_TRY(search.status);
    }
    return keep_full(recording, out, error);
}

enum bt_status bt_redacted_approvals_measure(const struct bt_ledger_transaction *recording,
                                             struct bt_redacted_ids *found, uint64_t *out_bytes,
                                             struct bt_error *error)
{
    BT_TRY(keep_full(recording, found, error));
    *out_bytes = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct bt_store_cell *row = NULL;
        BT_TRY(get_row(recording, BT_TABLE_APPROVAL, found->items[i], &row, error));
        *out_bytes += row ? row[PAYLOAD].text.len : 0;
    }
    return BT_OK;
}

/* One request while it is emptied. */
struct ledger_redact_approvals_emptying {
    struct bt_ledger_transaction *recording;
    bt_str actor;
    bt_str id;
    uint64_t redaction; /* seq of its entry */
    uint64_t *events;   /* seqs of those of the request */
    size_t event_count;
    size_t event_room;
    char now[BT_INSTANT_TEXT_BYTES];
    enum bt_status status;
    struct bt_error *error;
};

static bool see_event(void *context, const struct bt_store_cell *cells)
{
    struct ledger_redact_approvals_emptying *emptying = context;
    if (emptying->event_count == emptying->event_room) {
        const size_t room = emptying->event_room > 0 ? emptying->event_room * 2 : EVENTS_FIRST;
        uint64_t *events = BT_NEW_ARRAY(emptying->recording->arena, uint64_t, room);
        if (!events) {
            emptying->status = BT_ENOMEM;
            return false;
        }
        if (emptying->event_count > 0) {
            memcpy(events, emptying->events, emptying->event_count * sizeof(uint64_t));
        }
        emptying->events = events;
        emptying->event_room = room;
    }
    emptying->events[emptying->event_count++] = (uint64_t)cells[SEQ].number;
    return true;
}

/* Stored responses about the request show the payload, too. */
static enum bt_status empty_answers(struct ledger_redact_approvals_emptying *emptying)
{
    struct bt_store *store = emptying->recording->ledger->store;
    const struct bt_store_cell key = bt_store_cell_text(emptying->id);
    const struct bt_store_row_range scan = {BT_TABLE_APPROVAL_EVENT, &key, 1};
    emptying->event_count = 0;
    BT_TRY(bt_store_row_scan(store, &scan, see_event, emptying, emptying->error));
    BT_TRY(emptying->status);
    for (size_t i = 0; i < emptying->event_count; i++) {
        BT_TRY(bt_store_response_redact(store, emptying->events[i], emptying->redaction,
                                        emptying->error));
    }
    return BT_OK;
}

static enum bt_status put_revocation(struct ledger_redact_approvals_emptying *emptying,
                                     bt_str fingerprint, uint64_t *out_seq)
{
    struct bt_ledger_transaction *recording = emptying->recording;
    struct bt_entry *entry = BT_NEW(recording->arena, struct bt_entry);
    struct bt_ledger_record *recorded = BT_NEW(recording->arena, struct bt_ledger_record);
    struct bt_store_cell cells[EVENT_COLUMNS];
    if (!entry || !recorded) {
        return BT_ENOMEM;
    }
    bt_entry_init(entry);
    entry->actor = emptying->actor;
    entry->kind = BT_STR("approval");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->refs.approval = emptying->id;
    entry->refs.event = BT_STR("REVOKED");
    entry->refs.fingerprint = fingerprint;
    entry->refs.reason = BT_STR("redacted");
    BT_TRY(bt_ledger_transaction_add_entry(recording, entry, NULL, recorded, emptying->error));
    *out_seq = recorded->entry.seq;
    cells[EVENT_OF] = bt_store_cell_text(emptying->id);
    cells[N] = bt_store_cell_number(emptying->event_count + 1);
    cells[TYPE] = bt_store_cell_text(BT_STR("REVOKED"));
    cells[AT] = bt_store_cell_text(bt_str_of(emptying->now));
    cells[ACTOR] = bt_store_cell_text(emptying->actor);
    cells[CODE] = bt_store_cell_null();
    cells[EVENT_FINGERPRINT] = bt_store_cell_text(fingerprint);
    cells[SEQ] = bt_store_cell_number(*out_seq);
    return bt_store_row_put(recording->ledger->store, BT_TABLE_APPROVAL_EVENT, cells,
                            emptying->error);
}

static enum bt_status put_grant(const struct ledger_redact_approvals_emptying *emptying,
                                const struct bt_store_cell *row, uint64_t seq)
{
    struct bt_store_cell cells[GRANT_COLUMNS];
    memcpy(cells, row, sizeof(cells));
    cells[GRANT_STATUS] = bt_store_cell_text(BT_STR("revoked"));
    cells[GRANT_UPDATED_SEQ] = bt_store_cell_number(seq);
    return bt_store_row_put(emptying->recording->ledger->store, BT_TABLE_APPROVAL_GRANT, cells,
                            emptying->error);
}

static enum bt_status redact_approval(struct ledger_redact_approvals_emptying *emptying)
{
    const struct bt_ledger_transaction *recording = emptying->recording;
    struct bt_store *store = recording->ledger->store;
    const struct bt_store_cell *row = NULL;
    const struct bt_store_cell *grant = NULL;
    struct bt_store_cell cells[COLUMNS];
    uint64_t seq = emptying->redaction;
    BT_TRY(get_row(recording, BT_TABLE_APPROVAL, emptying->id, &row, emptying->error));
    BT_TRY(get_row(recording, BT_TABLE_APPROVAL_GRANT, emptying->id, &grant, emptying->error));
    BT_TRY(empty_answers(emptying));
    assert(row);
    memcpy(cells, row, sizeof(cells));
    const bool is_granted = grant && bt_str_eq(grant[GRANT_STATUS].text, BT_STR("active"));
    if (is_granted || bt_str_eq(row[STATUS].text, BT_STR("pending"))) {
        BT_TRY(put_revocation(emptying, row[FINGERPRINT].text, &seq));
        cells[STATUS] = bt_store_cell_text(BT_STR("revoked"));
        cells[DECIDED] = bt_store_cell_text(bt_str_of(emptying->now));
    }
    cells[PAYLOAD] = bt_store_cell_null();
    cells[REDACTED_SEQ] = bt_store_cell_number(emptying->redaction);
    cells[UPDATED_SEQ] = bt_store_cell_number(seq);
    BT_TRY(bt_store_row_put(store, BT_TABLE_APPROVAL, cells, emptying->error));
    return is_granted ? put_grant(emptying, grant, seq) : BT_OK;
}

enum bt_status bt_redacted_approvals_empty(struct bt_ledger_transaction *recording,
                                           const struct bt_redacted_ids *found, bt_str actor,
                                           uint64_t redaction, struct bt_error *error)
{
    struct ledger_redact_approvals_emptying emptying = {
        .recording = recording, .actor = actor, .redaction = redaction, .error = error};
    bt_instant now = bt_env_now(recording->env);
    now.nanos = 0;
    (void)bt_instant_format(now, emptying.now);
    for (size_t i = 0; i < found->count; i++) {
        emptying.id = found->items[i];
        BT_TRY(redact_approval(&emptying));
    }
    return BT_OK;
}
