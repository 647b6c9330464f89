/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_index.c - an index of names that adds almost nothing to the cost of an append.
 *
 * Names are in random order, so a B-tree of them changes a different page for every entry. Here
 * they are collected instead: the marks of 256 entries make one row; 16 such rows are split into 16
 * new ones by the first four bits of the marks, and 16 times those by the next four. A row is
 * written once, and all hold about the same number of marks. A search reads one row of each
 * complete span, and tests the entries after the last span, fewer than 256, one by one.
 *
 * The documents of a store in a file are indexed likewise, by the order in which they came: their
 * levels are in the same table.
 *
 * A mark is 48 bits of the name's SHA-256 above the last 16 bits of the entry's seq, or of the
 * document's number: an attacker cannot construct many names with the same key, so searches stay
 * fast.
 */
#include "store/name_index.h"

#include <assert.h>
#include <inttypes.h>

#include "base/env.h"

#include "store/store_internal.h"

enum {
    SPAN = BT_MARKS_SPAN, /* entries of a row of level 0 */
    FAN_BITS = 4,
    FAN = 1 << FAN_BITS,
    LEVELS = 3,
    SEQ_BITS = 16, /* as many as a span of the highest level needs */
    SEQ_MASK = (1 << SEQ_BITS) - 1,
    MARK_BITS = 64,
    MARK_BYTES = 8,
    DIGEST_BYTES_USED = 6,
    ROW_BYTES_MAX = 1 << 24,
};

/* How the rows of a table are numbered and named. */
struct store_name_index_table {
    size_t names; /* the statement that returns numbers and names of a range ... */
    enum bt_store_name_kind first;
    size_t count;
    size_t last;        /* ... and the one that returns the highest number */
    uint64_t level_min; /* the number of its level 0 */
};

static const struct store_name_index_table marked_rows[BT_STORE_INDEXED_TABLE__MAX] = {
    [BT_STORE_INDEXED_TABLE_ENTRIES] = {BT_SQL_ENTRY_NAMES, BT_STORE_NAME_KIND_HANDOFF, 3,
                                        BT_SQL_ENTRY_LAST, 0},
    [BT_STORE_INDEXED_TABLE_DOCUMENTS] = {BT_SQL_DOCUMENT_NAMES, BT_STORE_NAME_KIND_KEPT, 1,
                                          BT_SQL_DOCUMENT_LAST, BT_MARKS_DOCUMENT_LEVEL},
};

static uint64_t span_of(unsigned level)
{
    return (uint64_t)SPAN << (FAN_BITS * level);
}

static uint64_t parts_of(unsigned level)
{
    return (uint64_t)1 << (FAN_BITS * level);
}

/* The part of a level that holds a mark. */
static uint64_t part_of(uint64_t mark, unsigned level)
{
    return level == 0 ? 0 : mark >> (MARK_BITS - FAN_BITS * level);
}

/* Set the message of a failure that is not the back end's. */
static enum bt_status set_error(enum bt_status status, struct bt_error *error)
{
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

static uint64_t read_big_endian(const uint8_t *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number = number << 8 | bytes[i];
    }
    return number;
}

static void put_mark(struct bt_buf *buf, uint64_t mark)
{
    char bytes[MARK_BYTES];
    for (size_t i = 0; i < MARK_BYTES; i++) {
        bytes[i] = (char)(mark >> (8 * (MARK_BYTES - 1 - i)));
    }
    bt_buf_put(buf, (bt_str){bytes, MARK_BYTES});
}

/* The mark of a name for number 0. The same text as another kind is another name. */
static enum bt_status mark_of(enum bt_store_name_kind kind, bt_str name, uint64_t *out)
{
    uint8_t digest[BT_SHA256_BYTES];
    const uint8_t *bytes = digest;
    if (kind >= BT_STORE_NAME_KIND_DOCUMENT && name.len == BT_SHA256_BYTES) {
        bytes = (const uint8_t *)name.ptr;
    } else {
        BT_TRY(bt_sha256(name, digest));
    }
    *out = (read_big_endian(bytes, DIGEST_BYTES_USED) ^ (uint64_t)kind) << SEQ_BITS;
    return BT_OK;
}

struct store_name_index_split;
/* Called with each row of a split. */
typedef enum bt_status store_name_index_row_fn(const struct store_name_index_split *dealing,
                                               uint64_t part, bt_str marks, struct bt_error *error);

/* The rows that a span is split into. */
struct store_name_index_split {
    struct bt_store *store;
    const struct store_name_index_table *marked;
    store_name_index_row_fn *row;
    const struct bt_store_name_index_tail *fresh; /* NULL: all are read */
    uint64_t *wrong;                              /* for compare_row() */
    unsigned level;
    uint64_t n;              /* of the span */
    struct bt_buf rows[FAN]; /* their marks, in the order of the entries */
    enum bt_status status;
};

/* Put the marks of all names of one row. */
static enum bt_status put_marks(struct bt_buf *buf, const struct store_name_index_table *marked,
                                uint64_t number, const struct bt_store_cell *names)
{
    for (size_t i = 0; i < marked->count; i++) {
        uint64_t mark = 0;
        if (names[i].type != BT_STORE_CELL_NULL) {
            BT_TRY(mark_of((enum bt_store_name_kind)(marked->first + i), names[i].text, &mark));
            put_mark(buf, mark | (number & SEQ_MASK));
        }
    }
    return BT_OK;
}

static bool take_names(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_split *dealing = context;
    dealing->status =
        put_marks(&dealing->rows[0], dealing->marked, bt_store_cell_u64(&cells[0]), cells + 1);
    return dealing->status == BT_OK;
}

static bool take_lower(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_split *dealing = context;
    const uint8_t *marks = (const uint8_t *)cells[1].text.ptr;
    for (size_t at = 0; at + MARK_BYTES <= cells[1].text.len; at += MARK_BYTES) {
        const uint64_t mark = read_big_endian(marks + at, MARK_BYTES);
        put_mark(&dealing->rows[part_of(mark, dealing->level) % FAN], mark);
    }
    return true;
}

static enum bt_status end_row(const struct store_name_index_split *dealing, uint64_t part,
                              size_t at, struct bt_error *error)
{
    const struct bt_buf *row = &dealing->rows[at];
    BT_TRY(set_error(row->status, error));
    return dealing->row(dealing, part, row->len > 0 ? bt_buf_str(row) : BT_STR(""), error);
}

/* One row of the lowest level: from the marks collected while rows were added, or read again. */
static enum bt_status build_lowest_row(struct store_name_index_split *dealing,
                                       struct bt_error *error)
{
    const struct bt_store_name_index_tail *fresh = dealing->fresh;
    if (fresh && fresh->next == (dealing->n + 1) * SPAN && fresh->marks.status == BT_OK) {
        bt_buf_put(&dealing->rows[0], bt_buf_str(&fresh->marks));
        return end_row(dealing, 0, 0, error);
    }
    const struct bt_store_cell cells[] = {bt_store_cell_number(dealing->n * SPAN),
                                          bt_store_cell_number((dealing->n + 1) * SPAN)};
    const struct bt_store_query names = {dealing->marked->names, cells, 2, take_names, dealing};
    BT_TRY(bt_store_run(dealing->store, &names, error));
    BT_TRY(set_error(dealing->status, error));
    return end_row(dealing, 0, 0, error);
}

static struct bt_store_cell level_cell(const struct store_name_index_table *marked, unsigned level)
{
    return bt_store_cell_number(marked->level_min + level);
}

/* 16 rows, from one part of the 16 spans below. */
static enum bt_status distribute_marks(struct store_name_index_split *dealing, uint64_t part,
                                       struct bt_error *error)
{
    const struct bt_store_cell cells[] = {
        level_cell(dealing->marked, dealing->level - 1), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n * FAN), bt_store_cell_number((dealing->n + 1) * FAN)};
    const struct bt_store_query lower = {BT_SQL_MARK_SCAN, cells, 4, take_lower, dealing};
    for (size_t i = 0; i < FAN; i++) {
        bt_buf_clear(&dealing->rows[i]);
    }
    BT_TRY(bt_store_run(dealing->store, &lower, error));
    for (size_t i = 0; i < FAN; i++) {
        BT_TRY(end_row(dealing, part * FAN + i, i, error));
    }
    return BT_OK;
}

/* Split the span of every level that ends at entry `size`. */
static enum bt_status deal_spans(struct store_name_index_split *dealing, uint64_t size,
                                 struct bt_error *error)
{
    for (unsigned level = 0; level < LEVELS && size % span_of(level) == 0; level++) {
        dealing->level = level;
        dealing->n = size / span_of(level) - 1;
        bt_buf_clear(&dealing->rows[0]);
        if (level == 0) {
            BT_TRY(build_lowest_row(dealing, error));
        }
        for (uint64_t part = 0; level > 0 && part < parts_of(level - 1); part++) {
            BT_TRY(distribute_marks(dealing, part, error));
        }
    }
    return BT_OK;
}

/* All spans that end after entry `from`, up to `size`. */
static enum bt_status deal_all(struct store_name_index_split *dealing, uint64_t from, uint64_t size,
                               struct bt_error *error)
{
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < FAN; i++) {
        bt_buf_init(&dealing->rows[i], ROW_BYTES_MAX);
    }
    for (uint64_t end = (from / SPAN + 1) * SPAN; end <= size && status == BT_OK; end += SPAN) {
        status = deal_spans(dealing, end, error);
    }
    for (size_t i = 0; i < FAN; i++) {
        bt_buf_free(&dealing->rows[i]);
    }
    return status;
}

static enum bt_status put_row(const struct store_name_index_split *dealing, uint64_t part,
                              bt_str marks, struct bt_error *error)
{
    const struct bt_store_cell cells[] = {
        level_cell(dealing->marked, dealing->level), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n), bt_store_cell_bytes(marks)};
    return bt_store_put(dealing->store, BT_SQL_MARK_PUT, cells, 4, error);
}

struct store_name_index_check {
    bt_str expected;
    bool is_equal;
};

static bool take_equal(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_check *comparing = context;
    comparing->is_equal = bt_str_eq(cells[1].text, comparing->expected);
    return false;
}

static enum bt_status compare_row(const struct store_name_index_split *dealing, uint64_t part,
                                  bt_str marks, struct bt_error *error)
{
    struct store_name_index_check comparing = {marks, false};
    const struct bt_store_cell cells[] = {
        level_cell(dealing->marked, dealing->level), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n), bt_store_cell_number(dealing->n + 1)};
    const struct bt_store_query query = {BT_SQL_MARK_SCAN, cells, 4, take_equal, &comparing};
    BT_TRY(bt_store_run(dealing->store, &query, error));
    *dealing->wrong += !comparing.is_equal;
    return BT_OK;
}

static bool take_last(void *context, const struct bt_store_cell *cells)
{
    uint64_t *size = context;
    *size = bt_store_cell_u64(&cells[0]) + 1;
    return false;
}

enum bt_status bt_store_name_index_count(struct bt_store *store, enum bt_store_indexed_table what,
                                         uint64_t *out, struct bt_error *error)
{
    assert(out);
    const struct bt_store_query last = {marked_rows[what].last, NULL, 0, take_last, out};
    *out = 0;
    return bt_store_run(store, &last, error);
}

static struct store_name_index_split
dealing_of(struct bt_store *store, enum bt_store_indexed_table what, store_name_index_row_fn *row)
{
    return (struct store_name_index_split){
        .store = store, .marked = &marked_rows[what], .row = row};
}

void bt_store_name_index_tail_init(struct bt_store_name_index_tail *fresh)
{
    assert(fresh);
    *fresh = (struct bt_store_name_index_tail){.next = BT_STORE_NONE};
    bt_buf_init(&fresh->marks, ROW_BYTES_MAX);
}

void bt_store_name_index_tail_free(struct bt_store_name_index_tail *fresh)
{
    assert(fresh);
    bt_buf_free(&fresh->marks);
}

/* Collect the marks of one row, if those of all before it in its span are there. */
static enum bt_status add_to_tail(struct bt_store_name_index_tail *fresh,
                                  const struct store_name_index_table *marked, uint64_t number,
                                  const struct bt_store_cell *names)
{
    if (number % SPAN == 0) {
        bt_buf_clear(&fresh->marks);
        fresh->next = number;
    }
    if (fresh->next != number) {
        fresh->next = BT_STORE_NONE; /* other nodes have written */
        return BT_OK;
    }
    fresh->next++;
    return put_marks(&fresh->marks, marked, number, names);
}

enum bt_status bt_store_name_index_add(struct bt_store *store, enum bt_store_indexed_table what,
                                       uint64_t number, const struct bt_store_cell *names,
                                       struct bt_error *error)
{
    assert(store);
    assert(names);
    const uint64_t size = number + 1;
    struct store_name_index_split dealing = dealing_of(store, what, put_row);
    BT_TRY(set_error(add_to_tail(&store->fresh[what], dealing.marked, number, names), error));
    dealing.fresh = &store->fresh[what];
    return size % SPAN == 0 ? deal_all(&dealing, number, size, error) : BT_OK;
}

enum bt_status bt_store_name_index_rebuild(struct bt_store *store, enum bt_store_indexed_table what,
                                           struct bt_error *error)
{
    assert(store);
    uint64_t size = 0;
    struct store_name_index_split dealing = dealing_of(store, what, put_row);
    BT_TRY(bt_store_name_index_count(store, what, &size, error));
    return deal_all(&dealing, 0, size, error);
}

/* Check the index of one table; without the table every row of it is missing. */
static enum bt_status check_marked(struct bt_store *store, enum bt_store_indexed_table what,
                                   bool has_table, uint64_t *wrong, struct bt_error *error)
{
    uint64_t size = 0;
    struct store_name_index_split dealing = dealing_of(store, what, compare_row);
    dealing.wrong = wrong;
    BT_TRY(bt_store_name_index_count(store, what, &size, error));
    if (!has_table) {
        *wrong += size / SPAN;
        return BT_OK;
    }
    return deal_all(&dealing, 0, size, error);
}

enum bt_status bt_store_name_index_check(struct bt_store *store, uint64_t *out_wrong,
                                         struct bt_error *error)
{
    assert(store);
    assert(out_wrong);
    uint64_t wrong = 0;
    bool has = false;
    const struct bt_store_table *table = &bt_tables[BT_TABLE_MARK];
    BT_TRY(store->driver->has_table(store->connection, table, &has, error));
    BT_TRY(check_marked(store, BT_STORE_INDEXED_TABLE_ENTRIES, has, &wrong, error));
    if (!bt_store_is_remote(store)) {
        BT_TRY(check_marked(store, BT_STORE_INDEXED_TABLE_DOCUMENTS, has, &wrong, error));
    }
    *out_wrong = wrong;
    return BT_OK;
}

struct store_name_index_search {
    const struct store_name_index_table *marked;
    uint64_t mark; /* of the searched name */
    uint64_t span; /* of this level */
    uint64_t rows; /* number of rows read */
    struct bt_buf *seqs;
};

static void put_seq(struct bt_buf *seqs, uint64_t seq)
{
    bt_buf_put(seqs, (bt_str){(const char *)&seq, sizeof(seq)});
}

static bool take_marks(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_search *search = context;
    const uint64_t above = bt_store_cell_u64(&cells[0]) * search->span >> SEQ_BITS << SEQ_BITS;
    const uint8_t *marks = (const uint8_t *)cells[1].text.ptr;
    search->rows++;
    for (size_t at = 0; at + MARK_BYTES <= cells[1].text.len; at += MARK_BYTES) {
        const uint64_t mark = read_big_endian(marks + at, MARK_BYTES);
        if ((mark ^ search->mark) >> SEQ_BITS == 0) {
            put_seq(search->seqs, above | (mark ^ search->mark));
        }
    }
    return true;
}

static bool take_seq(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_search *search = context;
    put_seq(search->seqs, bt_store_cell_u64(&cells[0]));
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

/* Search the spans of a level that are complete within a range. */
static enum bt_status search_level(struct bt_store *store, struct store_name_index_search *search,
                                   unsigned level, const uint64_t range[2], struct bt_error *error)
{
    const uint64_t first = range[0] / span_of(level);
    const uint64_t end = range[1] / span_of(level);
    const struct bt_store_cell cells[] = {level_cell(search->marked, level),
                                          bt_store_cell_number(part_of(search->mark, level)),
                                          bt_store_cell_number(first), bt_store_cell_number(end)};
    const struct bt_store_query query = {BT_SQL_MARK_SCAN, cells, 4, take_marks, search};
    search->span = span_of(level);
    search->rows = 0;
    if (first < end) {
        BT_TRY(bt_store_run(store, &query, error));
    }
    return check_rows(search->rows, end - first, error);
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

enum bt_status bt_store_name_index_find(struct bt_store *store, enum bt_store_name_kind kind,
                                        bt_str name, struct bt_buf *out, struct bt_error *error)
{
    assert(store);
    assert(out);
    const enum bt_store_indexed_table what = kinds[kind].what;
    struct store_name_index_search search = {.marked = &marked_rows[what], .seqs = out};
    uint64_t range[2] = {0, 0}; /* not searched yet */
    BT_TRY(set_error(mark_of(kind, name, &search.mark), error));
    BT_TRY(bt_store_name_index_count(store, what, &range[1], error));
    for (unsigned level = LEVELS; level-- > 0;) {
        BT_TRY(search_level(store, &search, level, range, error));
        range[0] = range[1] / span_of(level) * span_of(level);
    }
    const struct bt_store_cell cells[] = {
        bt_store_cell_number(range[0]),
        kind >= BT_STORE_NAME_KIND_DOCUMENT ? bt_store_cell_bytes(name) : bt_store_cell_text(name)};
    const struct bt_store_query newest = {kinds[kind].rest, cells, 2, take_seq, &search};
    BT_TRY(bt_store_run(store, &newest, error));
    return set_error(out->status, error);
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
    const uint64_t above = bt_store_cell_u64(&cells[0]) * SPAN >> SEQ_BITS << SEQ_BITS;
    const uint8_t *marks = (const uint8_t *)cells[1].text.ptr;
    passing->rows++;
    for (size_t at = 0; at + MARK_BYTES <= cells[1].text.len; at += MARK_BYTES) {
        const uint64_t mark = read_big_endian(marks + at, MARK_BYTES);
        passing->each(passing->context, mark >> SEQ_BITS, above | (mark & SEQ_MASK));
    }
    return true;
}

static bool pass_name(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_scan *passing = context;
    uint64_t mark = 0;
    passing->status = mark_of(passing->kind, cells[1].text, &mark);
    passing->each(passing->context, mark >> SEQ_BITS, bt_store_cell_u64(&cells[0]));
    return passing->status == BT_OK;
}

enum bt_status bt_store_name_index_key(bt_str sha256, uint64_t *out, struct bt_error *error)
{
    assert(out);
    uint64_t mark = 0;
    BT_TRY(set_error(mark_of(BT_STORE_NAME_KIND_KEPT, sha256, &mark), error));
    *out = mark >> SEQ_BITS;
    return BT_OK;
}

enum bt_status bt_store_name_index_scan_documents(struct bt_store *store, const uint64_t range[2],
                                                  bt_store_name_index_fn *each, void *context,
                                                  struct bt_error *error)
{
    assert(store);
    assert(each);
    const struct store_name_index_table *marked = &marked_rows[BT_STORE_INDEXED_TABLE_DOCUMENTS];
    struct store_name_index_scan passing = {
        .kind = BT_STORE_NAME_KIND_KEPT, .each = each, .context = context};
    const uint64_t first = range[0] / SPAN;
    const uint64_t end = range[1] / SPAN;
    const struct bt_store_cell spans[] = {level_cell(marked, 0), bt_store_cell_number(0),
                                          bt_store_cell_number(first), bt_store_cell_number(end)};
    const struct bt_store_cell rest[] = {bt_store_cell_number(first < end ? end * SPAN : range[0]),
                                         bt_store_cell_number(range[1])};
    const struct bt_store_query rows = {BT_SQL_MARK_SCAN, spans, 4, pass_marks, &passing};
    const struct bt_store_query names = {marked->names, rest, 2, pass_name, &passing};
    if (first < end) {
        BT_TRY(bt_store_run(store, &rows, error));
        BT_TRY(check_rows(passing.rows, end - first, error));
    }
    BT_TRY(bt_store_run(store, &names, error));
    return set_error(passing.status, error);
}
