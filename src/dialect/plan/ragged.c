/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ragged.c - a row that does not fit the header -> its repair, or none.
 *
 * Whether some cells may be one column depends only on these cells and that column. So the possible
 * readings are counted column by column, from the last to the first: the number of readings of the
 * columns from c on, when they begin at a certain cell, is the sum over every cell that column
 * c + 1 may begin at.
 */
#include "dialect/plan/plan_check.h"

#include <assert.h>

#include "dialect/plan/references.h"

/* What a single cell holds that belongs into certain columns only. */
enum plan_ragged_content {
    PLAN_RAGGED_CONTENT_FREE = 0,
    PLAN_RAGGED_CONTENT_STATUS,
    PLAN_RAGGED_CONTENT_REFERENCE
};

/* What a column takes. */
enum plan_ragged_takes {
    PLAN_RAGGED_TAKES_ANY = 0,
    PLAN_RAGGED_TAKES_ID,
    PLAN_RAGGED_TAKES_STATUS,
    PLAN_RAGGED_TAKES_REFERENCE,
    PLAN_RAGGED_TAKES_DEPENDENCIES
};

struct plan_ragged_search {
    const struct bt_plan_check *plan;
    const struct bt_csv_row *row;
    size_t columns;
    size_t surplus;  /* cells more than columns */
    size_t *single;  /* by cell: cells before it that cannot be part of a joined cell */
    size_t *strange; /* by cell: cells before it that hold more than ids of steps */
    unsigned char *reading_counts; /* by column and shift: possible readings from there on */
};

static enum plan_ragged_content content_of(bt_str text)
{
    const bt_str trimmed = bt_plan_trim(text);
    for (size_t i = 0; bt_plan_step_status_at(i).len > 0; i++) {
        if (bt_str_eq(trimmed, bt_plan_step_status_at(i))) {
            return PLAN_RAGGED_CONTENT_STATUS;
        }
    }
    return trimmed.len > 0 && !bt_plan_reference_read(trimmed).refuse
               ? PLAN_RAGGED_CONTENT_REFERENCE
               : PLAN_RAGGED_CONTENT_FREE;
}

static enum plan_ragged_takes takes_of(const struct bt_plan_check *plan, size_t column)
{
    if (column == plan->at[bt_plan_id_column(plan)]) {
        return PLAN_RAGGED_TAKES_ID;
    }
    if (column == plan->at[BT_PLAN_COLUMN_STATUS]) {
        return PLAN_RAGGED_TAKES_STATUS;
    }
    if (column == plan->at[BT_PLAN_COLUMN_PAYLOAD_IN] ||
        column == plan->at[BT_PLAN_COLUMN_PAYLOAD_OUT]) {
        return PLAN_RAGGED_TAKES_REFERENCE;
    }
    return column == plan->at[bt_plan_depend_column(plan)] ? PLAN_RAGGED_TAKES_DEPENDENCIES
                                                           : PLAN_RAGGED_TAKES_ANY;
}

/* Whether status words and references among the first cells stand in the columns made for them. */
static bool is_in_place(const struct bt_plan_check *plan, const struct bt_csv_row *row,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const enum plan_ragged_content content = content_of(row->cells[i].text);
        const enum plan_ragged_takes takes = takes_of(plan, i);
        if ((content == PLAN_RAGGED_CONTENT_STATUS && takes != PLAN_RAGGED_TAKES_STATUS) ||
            (content == PLAN_RAGGED_CONTENT_REFERENCE && takes != PLAN_RAGGED_TAKES_REFERENCE)) {
            return false;
        }
    }
    return true;
}

/* The ids of all rows, ragged ones included, by the position of the cell. */
static enum bt_status find_row_ids(struct bt_plan_check *plan)
{
    const struct bt_csv_table *table = plan->table;
    const enum bt_plan_column column = bt_plan_id_column(plan);
    if (plan->has_row_ids) {
        return BT_OK;
    }
    bt_map_init(&plan->row_ids, plan->arena, plan->plans->env->hash_seed);
    for (size_t row = 1; row < table->count; row++) {
        const bt_str id = bt_plan_text(plan, row, column);
        struct bt_map_entry *entry = NULL;
        if (!bt_plan_is_blank(id)) {
            BT_TRY(bt_map_add(&plan->row_ids, bt_map_text(bt_plan_trim(id)), &entry));
        }
    }
    plan->has_row_ids = true;
    return BT_OK;
}

/* Whether a text holds nothing but ids of steps and words that mean no dependency. */
static bool has_ids_only(const struct bt_plan_check *plan, bt_str text)
{
    bt_str token;
    for (size_t at = 0; bt_plan_next_token(text, &at, &token);) {
        if (!bt_map_find(&plan->row_ids, bt_map_text(token)) &&
            !bt_plan_means_no_dependency(text, at, token)) {
            return false;
        }
    }
    return true;
}

/* Whether the number of ways to join `cells` cells to `columns`, the binomial coefficient of both
 * less 1, is at most BT_READINGS_TRIED. */
static bool can_be_tried(size_t cells, size_t columns)
{
    const size_t all = cells - 1;
    const size_t chosen = columns - 1 < all - (columns - 1) ? columns - 1 : all - (columns - 1);
    uint64_t readings = 1;
    for (size_t i = 1; i <= chosen; i++) {
        readings = readings * (all - chosen + i) / i; /* exact: a product of i numbers in a row */
        if (readings > BT_READINGS_TRIED) {
            return false;
        }
    }
    return true;
}

/* Whether the one cell may be that column. */
static bool fits_single(const struct plan_ragged_search *search, size_t cell,
                        enum plan_ragged_takes takes)
{
    const bt_str text = search->row->cells[cell].text;
    const enum plan_ragged_content content = content_of(text);
    switch (takes) {
    case PLAN_RAGGED_TAKES_ID:
        return content == PLAN_RAGGED_CONTENT_FREE && !bt_plan_is_blank(text);
    case PLAN_RAGGED_TAKES_STATUS:
        return content == PLAN_RAGGED_CONTENT_STATUS || bt_plan_is_blank(text);
    case PLAN_RAGGED_TAKES_REFERENCE:
        return content == PLAN_RAGGED_CONTENT_REFERENCE || bt_plan_is_blank(text);
    case PLAN_RAGGED_TAKES_DEPENDENCIES:
        return content == PLAN_RAGGED_CONTENT_FREE &&
               search->strange[cell] == search->strange[cell + 1];
    case PLAN_RAGGED_TAKES_ANY:
        break;
    }
    return content == PLAN_RAGGED_CONTENT_FREE;
}

/* Whether the cells begin..end, joined where they are more than one, may be that column. */
static bool fits_column(const struct plan_ragged_search *search, size_t begin, size_t end,
                        enum plan_ragged_takes takes)
{
    if (end - begin == 1) {
        return fits_single(search, begin, takes);
    }
    if (search->single[begin] != search->single[end]) {
        return false;
    }
    /* A joined cell has a comma, so it is neither blank nor a status word nor a reference. */
    return takes == PLAN_RAGGED_TAKES_ANY || (takes == PLAN_RAGGED_TAKES_DEPENDENCIES &&
                                              search->strange[begin] == search->strange[end]);
}

static unsigned char *get_reading_count(const struct plan_ragged_search *search, size_t column,
                                        size_t shift)
{
    return &search->reading_counts[column * (search->surplus + 1) + shift];
}

static enum bt_status prepare_search(struct plan_ragged_search *search)
{
    struct bt_arena *arena = search->plan->arena;
    const size_t count = search->row->count;
    search->single = BT_NEW_ARRAY(arena, size_t, count + 1);
    search->strange = BT_NEW_ARRAY(arena, size_t, count + 1);
    search->reading_counts =
        BT_NEW_ARRAY(arena, unsigned char, (search->columns + 1) * (search->surplus + 1));
    BT_TRY(search->single && search->strange && search->reading_counts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const struct bt_csv_cell *cell = &search->row->cells[i];
        const bool is_single =
            cell->is_quoted || content_of(cell->text) != PLAN_RAGGED_CONTENT_FREE;
        search->single[i + 1] = search->single[i] + is_single;
        search->strange[i + 1] = search->strange[i] + !has_ids_only(search->plan, cell->text);
    }
    return BT_OK;
}

/*
 * Fill in the ways, up to one more than BT_READINGS_COUNTED. A column begins at the cell of its own
 * number plus a shift; the first column has the shift 0, and behind the last it is the surplus. So
 * only columns between two others try all pairs of shifts, and can_be_tried() keeps these few.
 */
static void count_readings(const struct plan_ragged_search *search)
{
    *get_reading_count(search, search->columns, search->surplus) = 1;
    for (size_t column = search->columns; column-- > 0;) {
        const enum plan_ragged_takes takes = takes_of(search->plan, column);
        const size_t shift_max = column == 0 ? 0 : search->surplus;
        const size_t next_min = column + 1 == search->columns ? search->surplus : 0;
        for (size_t shift = 0; shift <= shift_max; shift++) {
            unsigned readings = 0;
            for (size_t next = next_min > shift ? next_min : shift; next <= search->surplus;
                 next++) {
                const unsigned rest = *get_reading_count(search, column + 1, next);
                if (rest > 0 && fits_column(search, column + shift, column + 1 + next, takes)) {
                    readings += rest;
                }
                readings = readings > BT_READINGS_COUNTED ? BT_READINGS_COUNTED + 1 : readings;
            }
            *get_reading_count(search, column, shift) = (unsigned char)readings;
        }
    }
}

/* Follow the only possible reading. */
static const size_t *find_starts(const struct plan_ragged_search *search)
{
    size_t *starts = BT_NEW_ARRAY(search->plan->arena, size_t, search->columns + 1);
    size_t shift = 0;
    for (size_t column = 0; starts && column < search->columns; column++) {
        const enum plan_ragged_takes takes = takes_of(search->plan, column);
        size_t next = shift;
        while (*get_reading_count(search, column + 1, next) == 0 ||
               !fits_column(search, column + shift, column + 1 + next, takes)) {
            next++;
            assert(next <= search->surplus);
        }
        starts[column] = column + shift;
        shift = next;
    }
    if (starts) {
        starts[search->columns] = search->row->count;
    }
    return starts;
}

static enum bt_status find_readings(struct bt_plan_check *plan, const struct bt_csv_row *row,
                                    struct bt_plan_ragged *out)
{
    const size_t columns = plan->table->rows[0].count;
    struct plan_ragged_search search = {
        .plan = plan, .row = row, .columns = columns, .surplus = row->count - columns};
    out->has_readings = true;
    if (!can_be_tried(row->count, columns)) {
        out->readings = BT_READINGS_TOO_MANY;
        return BT_OK;
    }
    BT_TRY(find_row_ids(plan));
    BT_TRY(prepare_search(&search));
    count_readings(&search);
    const unsigned readings = *get_reading_count(&search, 0, 0);
    out->readings = readings > BT_READINGS_COUNTED ? BT_READINGS_COUNTED : (int)readings;
    if (readings == 1) {
        out->starts = find_starts(&search);
        out->fix = BT_FIX_UNSAFE;
        return out->starts ? BT_OK : BT_ENOMEM;
    }
    return BT_OK;
}

static bool is_empty_from(const struct bt_csv_row *row, size_t begin)
{
    for (size_t i = begin; i < row->count; i++) {
        if (row->cells[i].text.len > 0) {
            return false;
        }
    }
    return true;
}

enum bt_status bt_plan_check_ragged(struct bt_plan_check *plan, size_t row,
                                    struct bt_plan_ragged *out)
{
    const size_t columns = plan->table->rows[0].count;
    const struct bt_csv_row *record = &plan->table->rows[row];
    struct bt_plan_ragged ragged = {.fix = BT_FIX_NONE};
    assert(record->count != columns);
    if (record->count < columns) {
        ragged.fix = is_in_place(plan, record, record->count) ? BT_FIX_UNSAFE : BT_FIX_NONE;
    } else if (is_empty_from(record, columns) && is_in_place(plan, record, columns)) {
        ragged.fix = BT_FIX_SAFE;
    } else {
        BT_TRY(find_readings(plan, record, &ragged));
    }
    *out = ragged;
    return BT_OK;
}
