/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - tables for people. */
#include "report/table.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "report/display_width.h"

enum {
    GAP = 2,           /* spaces between columns */
    CUT_MIN = 8,       /* columns that a cut cell keeps at least */
    CELL_MAX = 1 << 16 /* bytes of a cell that are shown */
};

#define ELLIPSIS "\xe2\x80\xa6"

void bt_table_init(struct bt_table *table, struct bt_arena *arena, const char *const *names)
{
    *table = (struct bt_table){.arena = arena, .names = names};
    while (names[table->column_count]) {
        table->column_count++;
    }
    assert(table->column_count > 0 && table->column_count <= BT_TABLE_COLUMNS_MAX);
}

void bt_table_add(struct bt_table *table, bt_str cell)
{
    struct bt_buf buf;
    bt_str shown = BT_STR("-");
    if (cell.len > 0 && table->status == BT_OK) {
        bt_buf_init(&buf, (size_t)8 * CELL_MAX);
        bt_buf_put_printable(&buf, cell, CELL_MAX);
        table->status = bt_buf_finish(&buf, table->arena, &shown);
    }
    if (table->status == BT_OK) {
        table->status = bt_vec_push(table->arena, &table->cells, shown);
    }
}

void bt_table_add_u64(struct bt_table *table, uint64_t number)
{
    bt_str text = BT_STR("");
    if (table->status == BT_OK) {
        table->status = bt_arena_printf(table->arena, &text, "%" PRIu64, number);
    }
    bt_table_add(table, text);
}

void bt_table_add_bool(struct bt_table *table, bool value)
{
    bt_table_add(table, value ? BT_STR("yes") : BT_STR("no"));
}

static bool has_numbers(const struct bt_table *table, size_t column)
{
    return table->names[column][0] == '#';
}

static bt_str get_header(const struct bt_table *table, size_t column)
{
    return bt_str_of(table->names[column] + (has_numbers(table, column) ? 1 : 0));
}

/* The widths of all columns. Returns the width of a line. */
static size_t measure_columns(const struct bt_table *table, size_t widths[BT_TABLE_COLUMNS_MAX])
{
    size_t total = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = get_header(table, i).len;
        for (size_t cell = i; cell < table->cells.count; cell += table->column_count) {
            const size_t width = bt_display_columns(table->cells.items[cell]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
        total += widths[i] + (i > 0 ? GAP : 0);
    }
    return total;
}

/* Make the widest column of texts narrower until a line fits, as far as that is sensible. */
static void fit_columns(const struct bt_table *table, size_t total, size_t columns,
                        size_t widths[BT_TABLE_COLUMNS_MAX])
{
    while (total > columns) {
        size_t widest = table->column_count;
        for (size_t i = 0; i < table->column_count; i++) {
            const size_t header = get_header(table, i).len;
            const size_t least = header > CUT_MIN ? header : CUT_MIN;
            if (!has_numbers(table, i) && widths[i] > least &&
                (widest == table->column_count || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        if (widest == table->column_count) {
            return;
        }
        widths[widest]--;
        total--;
    }
}

/* Put a cell, cut at its width. Returns the columns that it takes. */
static size_t put_cell(struct bt_buf *buf, bt_str cell, size_t width)
{
    if (bt_display_columns(cell) <= width) {
        bt_buf_put(buf, cell);
        return bt_display_columns(cell);
    }
    size_t end = 0;
    size_t taken = 0;
    while (end < cell.len) {
        const struct bt_display_char next = bt_display_char_at(cell, end);
        const size_t columns = bt_display_char_columns(next.code_point);
        if (taken + columns + 1 > width) {
            break;
        }
        taken += columns;
        end += next.bytes;
    }
    bt_buf_put(buf, bt_str_slice(cell, 0, end));
    bt_buf_put_text(buf, ELLIPSIS);
    return taken + 1;
}

/* Put the cell of a column and the spaces around it. */
static void put_column(const struct bt_table *table, size_t column, bt_str cell,
                       const size_t *widths, struct bt_buf *buf)
{
    const bool is_last = column + 1 == table->column_count;
    if (has_numbers(table, column)) {
        const size_t width = bt_display_columns(cell);
        bt_buf_put_repeat(buf, ' ', width < widths[column] ? widths[column] - width : 0);
        bt_buf_put(buf, cell);
    } else {
        const size_t taken = put_cell(buf, cell, widths[column]);
        bt_buf_put_repeat(buf, ' ', is_last ? 0 : widths[column] - taken);
    }
    if (is_last) {
        bt_buf_put_char(buf, '\n');
    } else {
        bt_buf_put_repeat(buf, ' ', GAP);
    }
}

enum bt_status bt_table_put(const struct bt_table *table, size_t columns, struct bt_buf *buf)
{
    size_t widths[BT_TABLE_COLUMNS_MAX];
    if (table->status != BT_OK) {
        return table->status;
    }
    assert(table->cells.count % table->column_count == 0);
    const size_t total = measure_columns(table, widths);
    if (columns > 0) {
        fit_columns(table, total, columns, widths);
    }
    for (size_t i = 0; !table->without_header && i < table->column_count; i++) {
        put_column(table, i, get_header(table, i), widths, buf);
    }
    for (size_t i = 0; i < table->cells.count; i++) {
        put_column(table, i % table->column_count, table->cells.items[i], widths, buf);
    }
    return buf->status;
}
