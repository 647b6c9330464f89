/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - bytes -> records and cells, in exactly one way.
 *
 * Two passes over the same grammar would be two readers. So there is one loop over cells, which
 * appends to growing lists; rows learn where their cells lie when the list of cells stands still.
 */
#include "csv/csv.h"

#include <assert.h>
#include <string.h>

#include "base/env.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

enum { SOURCE_BYTES_MAX = 1 << 30 };

/* A row while cells are still being added. */
struct csv_open_row {
    size_t first; /* index of its first cell */
    size_t count;
    uint32_t begin;
    uint32_t end;
};

struct csv_reader {
    struct bt_arena *arena;
    const struct bt_csv_options *options;
    bt_str source;
    size_t at;
    BT_VEC(struct bt_csv_cell) cells;
    BT_VEC(struct csv_open_row) rows;
    struct bt_csv_table table;
    struct bt_csv_read_result result; /* `code` is set when reading ended early */
};

struct bt_csv_options bt_csv_options_default(void)
{
    return (struct bt_csv_options){.document_bytes_max = 8 << 20,
                                   .row_bytes_max = 1 << 20,
                                   .cell_bytes_max = 128 << 10,
                                   .cells_max = 1000000};
}

struct bt_csv_options bt_csv_options_from_env(const struct bt_env *env)
{
    assert(env);
    return (struct bt_csv_options){.document_bytes_max = env->limits.document_bytes,
                                   .row_bytes_max = env->limits.row_bytes,
                                   .cell_bytes_max = env->limits.cell_bytes,
                                   .cells_max = env->limits.nodes};
}

/* Say that reading ends here; the place is the cell that is being read. */
static void set_error(struct csv_reader *reader, enum bt_csv_error code, size_t offset)
{
    assert(reader->result.code == BT_CSV_ERROR_NONE);
    const struct csv_open_row *last =
        reader->rows.count > 0 ? &reader->rows.items[reader->rows.count - 1] : NULL;
    reader->result.code = code;
    reader->result.offset = offset;
    reader->result.row = reader->rows.count > 0 ? reader->rows.count - 1 : 0;
    reader->result.cell = last ? last->count : 0;
}

static void refuse_size(struct csv_reader *reader, enum bt_csv_limit kind, uint64_t limit,
                        uint64_t actual, size_t offset)
{
    set_error(reader, BT_CSV_TOO_LARGE, offset);
    reader->result.limit_kind = kind;
    reader->result.limit = limit;
    reader->result.actual = actual;
}

static enum bt_status open_row(struct csv_reader *reader)
{
    return bt_vec_push(
        reader->arena, &reader->rows,
        (struct csv_open_row){.first = reader->cells.count, .begin = (uint32_t)reader->at});
}

static enum bt_status add_cell(struct csv_reader *reader, const struct bt_csv_cell *cell)
{
    BT_TRY(bt_vec_push(reader->arena, &reader->cells, *cell));
    reader->rows.items[reader->rows.count - 1].count++;
    return BT_OK;
}

/* Whether a byte ends a bare cell or may not stand in one. */
static bool is_special(char byte)
{
    return byte == ',' || byte == '\n' || byte == '\r' || byte == '"';
}

static void read_bare(struct csv_reader *reader, struct bt_csv_cell *cell)
{
    const bt_str source = reader->source;
    size_t end = reader->at;
    while (end < source.len && !is_special(source.ptr[end])) {
        end++;
    }
    if (end < source.len && source.ptr[end] == '"') {
        set_error(reader, BT_CSV_QUOTE_BARE, end);
        return;
    }
    cell->begin = (uint32_t)reader->at;
    cell->end = (uint32_t)end;
    cell->text = bt_str_slice(source, reader->at, end);
    reader->at = end;
}

/* Copy what stands between the quotes, each doubled quote once. */
static enum bt_status undouble_quotes(struct bt_arena *arena, bt_str raw, size_t doubled,
                                      bt_str *out)
{
    if (doubled == 0) {
        *out = raw;
        return BT_OK;
    }
    char *text = bt_arena_alloc(arena, raw.len - doubled);
    if (!text) {
        return BT_ENOMEM;
    }
    size_t length = 0;
    for (size_t i = 0; i < raw.len; i++) {
        i += raw.ptr[i] == '"';
        text[length++] = raw.ptr[i];
    }
    assert(length == raw.len - doubled);
    *out = (bt_str){text, length};
    return BT_OK;
}

static enum bt_status read_quoted(struct csv_reader *reader, struct bt_csv_cell *cell)
{
    const bt_str source = reader->source;
    const size_t first = reader->at + 1;
    size_t doubled = 0;
    size_t quote = bt_str_find_byte(source, '"', first);
    while (quote + 1 < source.len && source.ptr[quote + 1] == '"') {
        doubled++;
        quote = bt_str_find_byte(source, '"', quote + 2);
    }
    if (quote >= source.len) {
        set_error(reader, BT_CSV_QUOTE_UNTERMINATED, reader->at);
        return BT_OK;
    }
    cell->is_quoted = true;
    cell->begin = (uint32_t)reader->at;
    cell->end = (uint32_t)(quote + 1);
    reader->at = quote + 1;
    return undouble_quotes(reader->arena, bt_str_slice(source, first, quote), doubled, &cell->text);
}

/* Read a cell and judge what follows it. */
static enum bt_status read_cell(struct csv_reader *reader)
{
    const bt_str source = reader->source;
    struct bt_csv_cell cell = {0};
    const bool is_quoted = reader->at < source.len && source.ptr[reader->at] == '"';
    if (is_quoted) {
        BT_TRY(read_quoted(reader, &cell));
    } else {
        read_bare(reader, &cell);
    }
    if (reader->result.code != BT_CSV_ERROR_NONE) {
        return BT_OK;
    }
    const size_t at = reader->at;
    const char next = at < source.len ? source.ptr[at] : '\n';
    if (next == '\r' && (at + 1 == source.len || source.ptr[at + 1] != '\n')) {
        set_error(reader, BT_CSV_BARE_CR, at);
    } else if (is_quoted && next != ',' && next != '\n' && next != '\r') {
        set_error(reader, BT_CSV_QUOTE_TRAILING, at);
    } else if (cell.text.len > reader->options->cell_bytes_max) {
        refuse_size(reader, BT_CSV_LIMIT_CELL, reader->options->cell_bytes_max, cell.text.len,
                    cell.begin);
    } else if (reader->cells.count >= reader->options->cells_max) {
        refuse_size(reader, BT_CSV_LIMIT_CELLS, reader->options->cells_max,
                    (uint64_t)reader->cells.count + 1, cell.begin);
    } else {
        return add_cell(reader, &cell);
    }
    return BT_OK;
}

/* The bytes of the record end at `at`: 0 when there is none. */
static size_t end_bytes(bt_str source, size_t at)
{
    if (at < source.len && source.ptr[at] == '\n') {
        return 1;
    }
    return at + 1 < source.len && source.ptr[at] == '\r' && source.ptr[at + 1] == '\n' ? 2 : 0;
}

static void close_row(struct csv_reader *reader)
{
    struct csv_open_row *row = &reader->rows.items[reader->rows.count - 1];
    row->end = (uint32_t)reader->at;
    const uint64_t bytes = row->end - row->begin;
    if (bytes > reader->options->row_bytes_max) {
        refuse_size(reader, BT_CSV_LIMIT_ROW, reader->options->row_bytes_max, bytes, row->begin);
        return;
    }
    const size_t end = end_bytes(reader->source, reader->at);
    reader->table.lf_count += end == 1;
    reader->table.crlf_count += end == 2;
    reader->at += end;
}

static enum bt_status read_row(struct csv_reader *reader)
{
    BT_TRY(open_row(reader));
    for (;;) {
        BT_TRY(read_cell(reader));
        if (reader->result.code != BT_CSV_ERROR_NONE) {
            return BT_OK;
        }
        if (reader->at == reader->source.len || reader->source.ptr[reader->at] != ',') {
            close_row(reader);
            return BT_OK;
        }
        reader->at++;
    }
}

static enum bt_status read_rows(struct csv_reader *reader)
{
    while (reader->at < reader->source.len && reader->result.code == BT_CSV_ERROR_NONE) {
        const size_t blank = end_bytes(reader->source, reader->at);
        if (blank > 0) {
            reader->table.blank_lines++;
            reader->at += blank;
        } else {
            BT_TRY(read_row(reader));
        }
    }
    if (reader->result.code == BT_CSV_ERROR_NONE && reader->rows.count == 0) {
        set_error(reader, BT_CSV_EMPTY, 0);
    }
    return BT_OK;
}

/* What is judged before the first record. */
static void read_whole(struct csv_reader *reader)
{
    const bt_str source = reader->source;
    if (source.len > reader->options->document_bytes_max) {
        refuse_size(reader, BT_CSV_LIMIT_DOCUMENT, reader->options->document_bytes_max, source.len,
                    0);
        return;
    }
    const size_t bad = bt_utf8_check(source);
    const size_t nul = bt_str_find_byte(source, '\0', 0);
    if (bad < source.len) {
        set_error(reader, BT_CSV_UTF8, bad);
    } else if (nul < source.len) {
        set_error(reader, BT_CSV_NUL, nul);
    } else if (bt_str_starts_with(source, BT_STR("\xef\xbb\xbf"))) {
        reader->table.has_bom = true;
        reader->at = 3;
    }
}

static struct bt_csv_row row_of(const struct csv_reader *reader, const struct csv_open_row *row)
{
    return (struct bt_csv_row){.cells = reader->cells.items + row->first,
                               .count = row->count,
                               .begin = row->begin,
                               .end = row->end};
}

static enum bt_status finish_table(struct csv_reader *reader)
{
    const size_t complete =
        reader->result.code == BT_CSV_ERROR_NONE ? reader->rows.count : reader->rows.count > 1;
    struct bt_csv_table *table = BT_NEW(reader->arena, struct bt_csv_table);
    struct bt_csv_row *rows = BT_NEW_ARRAY(reader->arena, struct bt_csv_row, complete + 1);
    if (!table || !rows) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < complete; i++) {
        rows[i] = row_of(reader, &reader->rows.items[i]);
    }
    reader->result.header = complete > 0 ? rows : NULL;
    if (reader->result.code == BT_CSV_ERROR_NONE) {
        *table = reader->table;
        table->source = reader->source;
        table->rows = rows;
        table->count = complete;
        table->cells = reader->cells.count;
        reader->result.table = table;
    }
    return BT_OK;
}

enum bt_status bt_csv_read(struct bt_arena *arena, bt_str source,
                           const struct bt_csv_options *options,
                           struct bt_csv_read_result *out_result)
{
    assert(arena);
    assert(out_result);
    const struct bt_csv_options defaults = bt_csv_options_default();
    struct csv_reader reader = {
        .arena = arena, .options = options ? options : &defaults, .source = source};
    if (reader.options->document_bytes_max > SOURCE_BYTES_MAX) {
        return BT_EINVAL;
    }
    read_whole(&reader);
    if (reader.result.code == BT_CSV_ERROR_NONE) {
        BT_TRY(read_rows(&reader));
    }
    BT_TRY(finish_table(&reader));
    *out_result = reader.result;
    return BT_OK;
}
