/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_copies.c - queues, messages, tasks and answers hold content as long as they need it. When
 * the document goes, so does what was copied from it.
 */
#include "ledger/redact_copies.h"

#include <assert.h>
#include <string.h>

#include "store/rows.h"

enum { CELLS_MAX = 16, CONTENTS_MAX = 2 };

/* Where a table keeps content, and the number of the entry that it belongs to. */
static const struct place {
    enum bt_table_number table;
    const char *seq;
    const char *contents[CONTENTS_MAX];
    const char *state; /* of what may wait to be delivered, or NULL */
} places[] = {
    {BT_TABLE_QUEUE, "seq", {"payload"}, "state"},
    {BT_TABLE_PUMP_MESSAGE, "updated_seq", {"payload"}, NULL},
    {BT_TABLE_IDEMPOTENCY, "seq", {"body"}, NULL},
    {BT_TABLE_A2A_TASK, "updated_seq", {"artifacts", "history"}, NULL},
};

/* A row that has to change; scanning and changing do not mix. */
struct row {
    struct row *next;
    struct bt_cell cells[CELLS_MAX];
};

struct search {
    const struct place *place;
    const struct bt_redacted_entries *entries;
    struct bt_arena *arena;
    struct row *rows;
    enum bt_status status;
};

static size_t column_of(enum bt_table_number table, const char *name)
{
    const struct bt_column *columns = bt_tables[table].columns;
    size_t at = 0;
    while (strcmp(columns[at].name, name) != 0) {
        at++;
        assert(columns[at].name); /* the table above names columns that there are */
    }
    return at;
}

static bool is_redacted(const struct bt_redacted_entries *entries, const struct bt_cell *seq)
{
    size_t low = 0;
    size_t high = entries->count;
    while (seq->type == BT_CELL_NUMBER && low < high) {
        const size_t middle = low + (high - low) / 2;
        if (entries->seqs[middle] == (uint64_t)seq->number) {
            return true;
        }
        if (entries->seqs[middle] < (uint64_t)seq->number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static bool has_content(const struct place *place, const struct bt_cell *cells)
{
    for (size_t i = 0; i < CONTENTS_MAX && place->contents[i]; i++) {
        if (cells[column_of(place->table, place->contents[i])].type != BT_CELL_NULL) {
            return true;
        }
    }
    return false;
}

static enum bt_status keep_row(struct search *search, const struct bt_cell *cells)
{
    struct row *row = BT_NEW(search->arena, struct row);
    const size_t count = bt_table_columns(&bt_tables[search->place->table]);
    if (!row) {
        return BT_ENOMEM;
    }
    assert(count <= CELLS_MAX);
    for (size_t i = 0; i < count; i++) {
        row->cells[i] = cells[i];
        if (cells[i].type == BT_CELL_TEXT || cells[i].type == BT_CELL_BYTES) {
            BT_TRY(bt_arena_copy(search->arena, cells[i].text, &row->cells[i].text));
        }
    }
    row->next = search->rows;
    search->rows = row;
    return BT_OK;
}

static bool take_row(void *context, const struct bt_cell *cells)
{
    struct search *search = context;
    const struct place *place = search->place;
    if (is_redacted(search->entries, &cells[column_of(place->table, place->seq)]) &&
        has_content(place, cells)) {
        search->status = keep_row(search, cells);
    }
    return search->status == BT_OK;
}

static void empty_row(const struct search *search, struct row *row)
{
    const struct place *place = search->place;
    for (size_t i = 0; i < CONTENTS_MAX && place->contents[i]; i++) {
        row->cells[column_of(place->table, place->contents[i])] = bt_cell_null();
    }
    row->cells[column_of(place->table, "updated_seq")] = bt_cell_number(search->entries->redaction);
    if (!place->state) {
        return;
    }
    struct bt_cell *state = &row->cells[column_of(place->table, place->state)];
    if (bt_str_eq(state->text, BT_STR("queued")) || bt_str_eq(state->text, BT_STR("leased"))) {
        *state = bt_cell_text(BT_STR("dead"));
    }
}

enum bt_status bt_redact_copies(struct bt_store *store, struct bt_arena *arena,
                                const struct bt_redacted_entries *entries, struct bt_error *error)
{
    assert(store);
    assert(entries);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct search search = {.place = &places[i], .entries = entries, .arena = arena};
        const struct bt_row_scan all = {places[i].table, NULL, 0};
        BT_TRY(bt_store_row_scan(store, &all, take_row, &search, error));
        BT_TRY(search.status);
        for (struct row *row = search.rows; row; row = row->next) {
            empty_row(&search, row);
            BT_TRY(bt_store_row_put(store, places[i].table, row->cells, error));
        }
    }
    return BT_OK;
}
