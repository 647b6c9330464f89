/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_csv.c - any bytes at all, read as CSV.
 *
 * Promises: what was read can be written again, byte for byte, from its cells alone; a cell that is
 * changed leaves every other row as it was, and is read back as what was written; a problem lies
 * within the text; scarce memory changes no judgement.
 */
#include "csv/csv.h"
#include "edit/edit.h"

#include "base/buf.h"
#include "fuzz.h"

static const struct bt_csv_options bounds = {
    .document_bytes_max = 1 << 16, .row_bytes_max = 4096, .cell_bytes_max = 1024, .cells_max = 999};

static bool is_end(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\n' && !(text.ptr[i] == '\r' && i + 1 < text.len)) {
            return false;
        }
    }
    return true;
}

static void rows_make_the_text(const struct bt_csv_table *table)
{
    const bt_str text = table->source;
    size_t at = table->has_bom ? 3 : 0;
    size_t cells = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct bt_csv_row *row = &table->rows[i];
        PROMISE(row->count > 0 && row->begin >= at);
        PROMISE(is_end(bt_str_slice(text, at, row->begin)));
        at = row->begin;
        for (size_t j = 0; j < row->count; j++, cells++) {
            struct bt_buf buf;
            bt_buf_init(&buf, 1 << 16);
            bt_csv_put_cell(&buf, row->cells[j].text, row->cells[j].is_quoted);
            PROMISE(row->cells[j].begin == at);
            PROMISE(bt_str_eq(bt_buf_str(&buf), bt_str_slice(text, at, row->cells[j].end)));
            bt_buf_free(&buf);
            at = row->cells[j].end + (j + 1 < row->count);
            PROMISE(j + 1 == row->count || text.ptr[at - 1] == ',');
        }
        PROMISE(at == row->end);
    }
    PROMISE(cells == table->cells);
    PROMISE(is_end(bt_str_slice(text, at, text.len)));
}

static void same_elsewhere(const struct bt_csv_table *a, const struct bt_csv_table *b, size_t row)
{
    PROMISE(a->count == b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct bt_csv_row *left = &a->rows[i];
        const struct bt_csv_row *right = &b->rows[i];
        PROMISE(i == row || bt_str_eq(bt_str_slice(a->source, left->begin, left->end),
                                      bt_str_slice(b->source, right->begin, right->end)));
        PROMISE(left->count == right->count);
    }
}

/* Change one cell, chosen by the text itself. */
static void a_change_stays_where_it_is(const struct bt_csv_table *table)
{
    static const bt_str text = BT_STR_INIT("a,\"b\"\r\nc");
    const size_t row = table->source.len % table->count;
    const size_t place = table->cells % table->rows[row].count;
    const struct bt_csv_cell *cell = &table->rows[row].cells[place];
    struct bt_buf made;
    struct bt_buf whole;
    struct bt_arena arena;
    struct bt_csv_read_result read;
    bt_buf_init(&made, 64);
    bt_buf_init(&whole, 1 << 17);
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_csv_put_cell(&made, text, cell->is_quoted);
    struct bt_edit edit = {cell->begin, cell->end, bt_buf_str(&made)};
    bt_edit_list_put(&(struct bt_edit_list){&edit, 1, 1}, table->source, &whole);
    PROMISE(bt_csv_read(&arena, bt_buf_str(&whole), NULL, &read) == BT_OK);
    PROMISE(read.table);
    same_elsewhere(table, read.table, row);
    PROMISE(bt_str_eq(read.table->rows[row].cells[place].text, text));
    bt_arena_free(&arena);
    bt_buf_free(&whole);
    bt_buf_free(&made);
}

static void scarce_memory_changes_nothing(const struct bt_csv_read_result *plenty, bt_str text)
{
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 64; status != BT_OK && limit <= FUZZ_ARENA_BYTES; limit *= 4) {
        struct bt_arena arena;
        struct bt_csv_read_result result;
        bt_arena_init(&arena, limit);
        status = bt_csv_read(&arena, text, &bounds, &result);
        PROMISE(status == BT_OK || status == BT_ENOMEM);
        if (status == BT_OK) {
            PROMISE(result.code == plenty->code && result.offset == plenty->offset);
            PROMISE(result.row == plenty->row && result.cell == plenty->cell);
        }
        bt_arena_free(&arena);
    }
    PROMISE(status == BT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_arena arena;
    struct bt_csv_read_result result;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_csv_read(&arena, text, &bounds, &result) == BT_OK);
    PROMISE((result.table != NULL) == (result.code == BT_CSV_ERROR_NONE));
    if (result.table) {
        rows_make_the_text(result.table);
        a_change_stays_where_it_is(result.table);
    } else {
        PROMISE(result.offset <= text.len);
        PROMISE((result.limit_kind != BT_CSV_LIMIT_NONE) == (result.code == BT_CSV_TOO_LARGE));
    }
    scarce_memory_changes_nothing(&result, text);
    bt_arena_free(&arena);
    return 0;
}
