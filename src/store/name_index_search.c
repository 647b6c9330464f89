/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_index_search.c - find the numbers of a name, and all keys of a range.
 *
 * A search begins at the highest level. What its rows do not cover, because spans are incomplete,
 * not merged yet or too large to be merged, is left to the level below as ranges of numbers.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/name_index_layout.h"
#include "store/store_internal.h"

/* Ranges come one for each gap between rows, of which a level has few. */
enum { RANGES_BYTES_MAX = 1 << 24 };

struct store_name_index_range {
    uint64_t first;
    uint64_t end;
};

struct store_name_index_search {
    struct bt_store *store;
    const struct bt_store_name_index_table *marked;
    uint64_t key;
    unsigned level;
    uint64_t rows;      /* read of the present range */
    uint64_t done;      /* the numbers of the range below this one are searched, or left */
    struct bt_buf left; /* ranges for the next level */
    struct bt_buf *numbers;
};

static void put_number(struct bt_buf *numbers, uint64_t number)
{
    bt_buf_put(numbers, (bt_str){(const char *)&number, sizeof(number)});
}

/* Leave what precedes `end` to the next level. */
static void leave_below(struct store_name_index_search *search, uint64_t end)
{
    const struct store_name_index_range range = {search->done, end};
    if (range.first < range.end) {
        bt_buf_put(&search->left, (bt_str){(const char *)&range, sizeof(range)});
    }
}

static bool take_marks(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_search *search = context;
    const unsigned level = search->level;
    const unsigned bits = bt_marks_number_bits(level);
    const uint64_t n = bt_store_cell_u64(&cells[0]);
    const uint64_t wanted = bt_marks_make(level, search->key, 0);
    const bt_str marks = cells[1].text;
    search->rows++;
    if (marks.len == BT_MARKS_LEFT_BELOW_BYTES) {
        return true;
    }
    leave_below(search, n * bt_marks_span(level));
    search->done = (n + 1) * bt_marks_span(level);
    for (size_t at = 0; at + BT_MARKS_BYTES <= marks.len; at += BT_MARKS_BYTES) {
        const uint64_t mark = bt_marks_read(marks.ptr + at);
        if ((mark ^ wanted) >> bits == 0) {
            put_number(search->numbers, bt_marks_number(level, n, mark));
        }
    }
    return true;
}

static bool take_number(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_search *search = context;
    put_number(search->numbers, bt_store_cell_u64(&cells[0]));
    return true;
}

static enum bt_status check_rows(uint64_t count, uint64_t needed, struct bt_error *error)
{
    return count == needed
               ? BT_OK
               : bt_error_set(error, BT_ECORRUPT,
                              "%" PRIu64 " rows of ledger_mark are missing; run baton store check",
                              needed - count);
}

/* Search the complete spans of a range, which begins with one. */
static enum bt_status search_range(struct store_name_index_search *search,
                                   const struct store_name_index_range *range,
                                   struct bt_error *error)
{
    const uint64_t span = bt_marks_span(search->level);
    const uint64_t first = range->first / span;
    const uint64_t end = range->end / span;
    const struct bt_store_cell cells[] = {
        bt_marks_level_cell(search->marked, search->level),
        bt_store_cell_number(bt_marks_part_of(search->key, search->level)),
        bt_store_cell_number(first), bt_store_cell_number(end)};
    const struct bt_store_query query = {BT_SQL_MARK_SCAN, cells, 4, take_marks, search};
    search->rows = 0;
    search->done = range->first;
    if (first < end) {
        BT_TRY(bt_store_run(search->store, &query, error));
    }
    leave_below(search, range->end);
    return search->level > BT_MARKS_SPLIT_LEVEL ? BT_OK
                                                : check_rows(search->rows, end - first, error);
}

/* Search all ranges in `ranges` and replace them by those that are left. */
static enum bt_status search_level(struct store_name_index_search *search, struct bt_buf *ranges,
                                   struct bt_error *error)
{
    enum bt_status status = BT_OK;
    bt_buf_init(&search->left, RANGES_BYTES_MAX);
    for (size_t at = 0; at < ranges->len && status == BT_OK;
         at += sizeof(struct store_name_index_range)) {
        struct store_name_index_range range;
        memcpy(&range, ranges->ptr + at, sizeof(range));
        status = search_range(search, &range, error);
    }
    if (status == BT_OK) {
        status = bt_store_name_index_status(search->left.status, error);
    }
    bt_buf_free(ranges);
    *ranges = search->left;
    return status;
}

/* All levels; what is left then is not in any row. */
static enum bt_status search_levels(struct store_name_index_search *search, uint64_t size,
                                    struct bt_buf *ranges, struct bt_error *error)
{
    const struct store_name_index_range all = {0, size};
    unsigned level = BT_MARKS_LEVELS;
    bt_buf_put(ranges, (bt_str){(const char *)&all, sizeof(all)});
    BT_TRY(bt_store_name_index_status(ranges->status, error));
    while (level > 1 && bt_marks_span(level - 1) > size) {
        level--;
    }
    while (level-- > 0) {
        search->level = level;
        BT_TRY(search_level(search, ranges, error));
    }
    return BT_OK;
}

/* The table of each kind of name, and the statement for the rows after the last complete span. */
static const struct {
    enum bt_store_indexed_table what;
    size_t rest;
} kinds[BT_STORE_NAME_KIND__MAX] = {
    [BT_STORE_NAME_KIND_HANDOFF] = {BT_STORE_INDEXED_TABLE_ENTRIES, BT_SQL_SEQS_BY_HANDOFF},
    [BT_STORE_NAME_KIND_TRACE] = {BT_STORE_INDEXED_TABLE_ENTRIES, BT_SQL_SEQS_BY_TRACE},
    [BT_STORE_NAME_KIND_DOCUMENT] = {BT_STORE_INDEXED_TABLE_ENTRIES, BT_SQL_SEQS_BY_DOCUMENT},
    [BT_STORE_NAME_KIND_KEPT] = {BT_STORE_INDEXED_TABLE_DOCUMENTS, BT_SQL_DOCUMENT_ROWS_BY_SHA256},
};

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = 0;
    uint64_t b = 0;
    memcpy(&a, left, sizeof(a));
    memcpy(&b, right, sizeof(b));
    return a < b ? -1 : a > b;
}

/* Ranges that were left below come after what follows them. */
static enum bt_status sort_numbers(struct bt_buf *numbers, struct bt_error *error)
{
    BT_TRY(bt_store_name_index_status(numbers->status, error));
    if (numbers->len > sizeof(uint64_t)) {
        qsort(numbers->ptr, numbers->len / sizeof(uint64_t), sizeof(uint64_t), compare_numbers);
    }
    return BT_OK;
}

/* Test the rows after the last complete span one by one. */
static enum bt_status search_rest(struct store_name_index_search *search,
                                  enum bt_store_name_kind kind, bt_str name, uint64_t first,
                                  struct bt_error *error)
{
    const struct bt_store_cell cells[] = {
        bt_store_cell_number(first),
        kind >= BT_STORE_NAME_KIND_DOCUMENT ? bt_store_cell_bytes(name) : bt_store_cell_text(name)};
    const struct bt_store_query newest = {kinds[kind].rest, cells, 2, take_number, search};
    return bt_store_run(search->store, &newest, error);
}

enum bt_status bt_store_name_index_find_below(struct bt_store *store, enum bt_store_name_kind kind,
                                              bt_str name, uint64_t end, struct bt_buf *out,
                                              struct bt_error *error)
{
    assert(store);
    assert(end % BT_MARKS_SPAN == 0);
    assert(out);
    struct store_name_index_search search = {
        .store = store, .marked = &bt_store_name_index_tables[kinds[kind].what], .numbers = out};
    struct bt_buf ranges;
    BT_TRY(bt_store_name_index_status(bt_store_name_index_key_of(kind, name, &search.key), error));
    bt_buf_init(&ranges, RANGES_BYTES_MAX);
    const enum bt_status status = search_levels(&search, end, &ranges, error);
    bt_buf_free(&ranges);
    BT_TRY(status);
    return sort_numbers(out, error);
}

enum bt_status bt_store_name_index_find(struct bt_store *store, enum bt_store_name_kind kind,
                                        bt_str name, struct bt_buf *out, struct bt_error *error)
{
    assert(store);
    assert(out);
    struct store_name_index_search search = {.store = store, .numbers = out};
    uint64_t size = 0;
    BT_TRY(bt_store_name_index_count(store, kinds[kind].what, &size, error));
    const uint64_t end = size / BT_MARKS_SPAN * BT_MARKS_SPAN;
    BT_TRY(bt_store_name_index_find_below(store, kind, name, end, out, error));
    if (end < size) {
        BT_TRY(search_rest(&search, kind, name, end, error));
    }
    return bt_store_name_index_status(out->status, error);
}

struct store_name_index_scan {
    enum bt_store_name_kind kind;
    bt_store_name_index_fn *each;
    void *context;
    uint64_t rows;
    enum bt_status status;
};

static bool pass_marks(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_scan *passing = context;
    const uint64_t n = bt_store_cell_u64(&cells[0]);
    const bt_str marks = cells[1].text;
    passing->rows++;
    for (size_t at = 0; at + BT_MARKS_BYTES <= marks.len; at += BT_MARKS_BYTES) {
        const uint64_t mark = bt_marks_read(marks.ptr + at);
        passing->each(passing->context, bt_marks_key(0, 0, mark), bt_marks_number(0, n, mark));
    }
    return true;
}

static bool pass_name(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_scan *passing = context;
    uint64_t key = 0;
    passing->status = bt_store_name_index_key_of(passing->kind, cells[1].text, &key);
    passing->each(passing->context, key, bt_store_cell_u64(&cells[0]));
    return passing->status == BT_OK;
}

enum bt_status bt_store_name_index_key(bt_str sha256, uint64_t *out, struct bt_error *error)
{
    assert(out);
    return bt_store_name_index_status(
        bt_store_name_index_key_of(BT_STORE_NAME_KIND_KEPT, sha256, out), error);
}

enum bt_status bt_store_name_index_scan_documents(struct bt_store *store, const uint64_t range[2],
                                                  bt_store_name_index_fn *each, void *context,
                                                  struct bt_error *error)
{
    assert(store);
    assert(each);
    const struct bt_store_name_index_table *marked =
        &bt_store_name_index_tables[BT_STORE_INDEXED_TABLE_DOCUMENTS];
    struct store_name_index_scan passing = {
        .kind = BT_STORE_NAME_KIND_KEPT, .each = each, .context = context};
    const uint64_t first = range[0] / BT_MARKS_SPAN;
    const uint64_t end = range[1] / BT_MARKS_SPAN;
    const struct bt_store_cell spans[] = {bt_marks_level_cell(marked, 0), bt_store_cell_number(0),
                                          bt_store_cell_number(first), bt_store_cell_number(end)};
    const struct bt_store_cell rest[] = {
        bt_store_cell_number(first < end ? end * BT_MARKS_SPAN : range[0]),
        bt_store_cell_number(range[1])};
    const struct bt_store_query rows = {BT_SQL_MARK_SCAN, spans, 4, pass_marks, &passing};
    const struct bt_store_query names = {marked->names, rest, 2, pass_name, &passing};
    if (first < end) {
        BT_TRY(bt_store_run(store, &rows, error));
        BT_TRY(check_rows(passing.rows, end - first, error));
    }
    BT_TRY(bt_store_run(store, &names, error));
    return bt_store_name_index_status(passing.status, error);
}
