/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shelf.c - find a document by its digest, exactly, and fast where it is new.
 *
 * Who holds the write lock sees all documents there are, and nobody adds one before it ends: what
 * is not found then is not there. The filter has the documents below a number; those that others
 * add behind them are read before it is asked. What was rolled back stays in it, and does no harm.
 */
#include "store/shelf.h"

#include <assert.h>
#include <string.h>

#include "store/inside.h"
#include "store/marks.h"

/* Who asks more often than this is worth a filter. */
enum { SEARCHES_MAX = 16 };

void bt_shelf_init(struct bt_shelf *shelf)
{
    assert(shelf);
    *shelf = (struct bt_shelf){.guess = 0};
    bt_filter_init(&shelf->filter);
    bt_places_init(&shelf->places);
}

void bt_shelf_free(struct bt_shelf *shelf)
{
    assert(shelf);
    bt_filter_free(&shelf->filter);
    bt_places_free(&shelf->places);
}

void bt_shelf_end(struct bt_shelf *shelf, bool is_committed)
{
    assert(shelf);
    if (shelf->is_counted && !is_committed && shelf->covered > shelf->begun) {
        shelf->covered = shelf->begun; /* others may put theirs where ours were */
    }
    shelf->is_counted = false;
}

/* ---- Through the marks ----------------------------------------------------------------------- */

static bool take_state(void *context, const struct bt_cell *cells)
{
    struct bt_spot *spot = context;
    spot->exists = true;
    spot->is_redacted = cells[0].type != BT_CELL_NULL;
    return false;
}

/* Whether the document is the one of this number. */
static enum bt_status look_at(struct bt_store *store, uint64_t number, bt_str sha256,
                              struct bt_spot *out, struct bt_error *error)
{
    const struct bt_cell cells[] = {bt_cell_number(number), bt_cell_bytes(sha256)};
    const struct bt_query query = {BT_SQL_SHELF_STATE, cells, 2, take_state, out};
    *out = (struct bt_spot){.number = number};
    return bt_store_run(store, &query, error);
}

static enum bt_status search(struct bt_store *store, bt_str sha256, struct bt_spot *out,
                             struct bt_error *error)
{
    struct bt_buf numbers;
    *out = (struct bt_spot){.exists = false};
    bt_buf_init(&numbers, SIZE_MAX);
    enum bt_status status = bt_marks_find(store, BT_NAME_KEPT, sha256, &numbers, error);
    for (size_t at = 0; at < numbers.len && status == BT_OK && !out->exists;
         at += sizeof(uint64_t)) {
        uint64_t number = 0;
        memcpy(&number, numbers.ptr + at, sizeof(number));
        status = look_at(store, number, sha256, out, error);
    }
    bt_buf_free(&numbers);
    return status;
}

enum bt_status bt_shelf_find(struct bt_store *store, bt_str sha256, struct bt_spot *out,
                             struct bt_error *error)
{
    assert(store);
    assert(out);
    BT_TRY(look_at(store, store->shelf.guess, sha256, out, error));
    return out->exists ? BT_OK : search(store, sha256, out, error);
}

/* ---- Through the filter ---------------------------------------------------------------------- */

static void add_mark(void *context, uint64_t mark, uint64_t number)
{
    struct bt_shelf *shelf = context;
    bt_filter_add(&shelf->filter, mark);
    bt_places_add(&shelf->places, mark, number);
}

static enum bt_status count(struct bt_store *store, struct bt_error *error)
{
    struct bt_shelf *shelf = &store->shelf;
    if (!shelf->is_counted) {
        BT_TRY(bt_marks_count(store, BT_MARKED_DOCUMENTS, &shelf->begun, error));
        shelf->end = shelf->begun;
        shelf->is_counted = true;
    }
    return BT_OK;
}

/* Let the filter have all documents there are, if it is worth it. */
static enum bt_status fill(struct bt_store *store, struct bt_error *error)
{
    struct bt_shelf *shelf = &store->shelf;
    if (bt_filter_is_narrow(&shelf->filter, shelf->end)) {
        shelf->covered = 0;
        if (bt_filter_reserve(&shelf->filter, shelf->end) != BT_OK) {
            return BT_OK; /* it goes on without, slowly */
        }
        bt_places_reserve(&shelf->places, 2 * shelf->end); /* as they may become */
    }
    const uint64_t range[2] = {shelf->covered, shelf->end};
    if (range[0] < range[1]) {
        BT_TRY(bt_marks_documents(store, range, add_mark, shelf, error));
        shelf->covered = shelf->end;
    }
    return BT_OK;
}

/* Whether a document is certainly new. */
static enum bt_status is_new(struct bt_store *store, uint64_t mark, bool *out,
                             struct bt_error *error)
{
    struct bt_shelf *shelf = &store->shelf;
    *out = false;
    BT_TRY(count(store, error));
    if (shelf->searches < SEARCHES_MAX) {
        shelf->searches++;
        return BT_OK;
    }
    BT_TRY(fill(store, error));
    *out = shelf->filter.words && !bt_filter_may_have(&shelf->filter, mark);
    return BT_OK;
}

/* One that is not new is where it is guessed to be, or is searched for. */
static enum bt_status find_old(struct bt_store *store, bt_str sha256, uint64_t mark,
                               struct bt_spot *out, struct bt_error *error)
{
    uint64_t guesses[BT_PLACES_GUESSES];
    const size_t guess_count = bt_places_guess(&store->shelf.places, mark, guesses);
    for (size_t i = 0; i < guess_count; i++) {
        BT_TRY(look_at(store, guesses[i], sha256, out, error));
        if (out->exists) {
            return BT_OK;
        }
    }
    BT_TRY(search(store, sha256, out, error));
    if (out->exists) {
        bt_places_add(&store->shelf.places, mark, out->number);
    }
    return BT_OK;
}

enum bt_status bt_shelf_find_new(struct bt_store *store, bt_str sha256, struct bt_spot *out,
                                 struct bt_error *error)
{
    assert(store);
    assert(store->writing);
    assert(out);
    bool is_certain = false;
    uint64_t mark = 0;
    BT_TRY(bt_marks_of_document(sha256, &mark, error));
    BT_TRY(is_new(store, mark, &is_certain, error));
    *out = (struct bt_spot){.exists = false};
    return is_certain ? BT_OK : find_old(store, sha256, mark, out, error);
}

enum bt_status bt_shelf_add(struct bt_store *store, bt_str sha256, struct bt_error *error)
{
    struct bt_shelf *shelf = &store->shelf;
    uint64_t mark = 0;
    assert(shelf->is_counted);
    if (shelf->filter.words) {
        BT_TRY(bt_marks_of_document(sha256, &mark, error));
        add_mark(shelf, mark, shelf->end);
        shelf->covered += shelf->covered == shelf->end;
    }
    const struct bt_cell name = bt_cell_bytes(sha256);
    return bt_marks_add(store, BT_MARKED_DOCUMENTS, shelf->end++, &name, error);
}
