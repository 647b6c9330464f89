/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_index.c - an index of names that adds almost nothing to the cost of an append.
 *
 * Names are in random order, so a B-tree of them changes a different page for every entry. Here
 * they are collected instead: the marks of 256 entries make one row; 16 such rows are split into 16
 * new ones by the first four bits of the keys, and 16 times those by the next four. From there on
 * four spans at a time are merged into one with four times as many rows. A row is written once, and
 * all hold about the same number of marks. A search (name_index_search.c) reads at most 15 rows of
 * each of the two lowest levels and 3 of each other one, and tests the entries after the last span,
 * fewer than 256, one by one.
 *
 * A merge is large, so it is spread: one part of it is merged with each 256 entries that follow,
 * which is four times as fast as spans come. Which part that is follows from the number of entries
 * alone. So one transaction merges at most one part of each level, and no state is kept.
 *
 * The documents of a store in a file are indexed likewise, by the order in which they came: their
 * levels are in the same table.
 *
 * A key is 48 bits of the name's SHA-256: an attacker cannot construct many names with the same
 * key, so searches stay fast.
 */
#include "store/name_index.h"

#include <assert.h>

#include "base/env.h"

#include "store/name_index_layout.h"
#include "store/store_internal.h"

enum {
    SPAN = BT_MARKS_SPAN, /* entries of a row of level 0 */
    FAN_MAX = 1 << BT_MARKS_SPLIT_BITS,
    KEY_BYTES = BT_MARKS_KEY_BITS / 8,
    ROW_BYTES_MAX = 1 << 24,
    MERGED_BYTES_MAX = 1 << 18, /* larger rows stay below; one of the usual size has 6 KiB */
};

const struct bt_store_name_index_table bt_store_name_index_tables[BT_STORE_INDEXED_TABLE__MAX] = {
    [BT_STORE_INDEXED_TABLE_ENTRIES] = {BT_SQL_ENTRY_NAMES, BT_STORE_NAME_KIND_HANDOFF, 3,
                                        BT_SQL_ENTRY_LAST, 0},
    [BT_STORE_INDEXED_TABLE_DOCUMENTS] = {BT_SQL_DOCUMENT_NAMES, BT_STORE_NAME_KIND_KEPT, 1,
                                          BT_SQL_DOCUMENT_LAST, BT_MARKS_DOCUMENT_LEVEL},
};

/* The number of spans that make one of this level. */
static uint64_t fan_of(unsigned level)
{
    return (uint64_t)1 << (level > BT_MARKS_SPLIT_LEVEL ? BT_MARKS_MERGE_BITS
                                                        : BT_MARKS_SPLIT_BITS);
}

enum bt_status bt_store_name_index_status(enum bt_status status, struct bt_error *error)
{
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

static void put_mark(struct bt_buf *buf, uint64_t mark)
{
    char bytes[BT_MARKS_BYTES];
    for (size_t i = 0; i < BT_MARKS_BYTES; i++) {
        bytes[i] = (char)(mark >> (8 * (BT_MARKS_BYTES - 1 - i)));
    }
    bt_buf_put(buf, (bt_str){bytes, BT_MARKS_BYTES});
}

enum bt_status bt_store_name_index_key_of(enum bt_store_name_kind kind, bt_str name, uint64_t *out)
{
    uint8_t digest[BT_SHA256_BYTES];
    const uint8_t *bytes = digest;
    uint64_t key = 0;
    if (kind >= BT_STORE_NAME_KIND_DOCUMENT && name.len == BT_SHA256_BYTES) {
        bytes = (const uint8_t *)name.ptr;
    } else {
        BT_TRY(bt_sha256(name, digest));
    }
    for (size_t i = 0; i < KEY_BYTES; i++) {
        key = key << 8 | bytes[i];
    }
    *out = key ^ (uint64_t)kind;
    return BT_OK;
}

struct store_name_index_split;
/* Called with each row of a split. */
typedef enum bt_status store_name_index_row_fn(const struct store_name_index_split *dealing,
                                               uint64_t part, bt_str marks, struct bt_error *error);

/* The rows that a span is split into. */
struct store_name_index_split {
    struct bt_store *store;
    const struct bt_store_name_index_table *marked;
    store_name_index_row_fn *row;
    const struct bt_store_name_index_tail *fresh; /* NULL: all are read */
    uint64_t *wrong;                              /* for compare_row() */
    bool is_completing;                           /* add only the rows of merges that are missing */
    bool is_changed;                              /* there were some */
    unsigned level;
    uint64_t n;                  /* of the span */
    uint64_t part;               /* of the spans below, ... */
    uint64_t found;              /* ... of which so many rows were found, ... */
    bool is_left_below;          /* ... one of them too large to be merged */
    struct bt_buf rows[FAN_MAX]; /* their marks, in the order of the entries */
    enum bt_status status;
};

/* Put the marks of all names of one row. */
static enum bt_status put_marks(struct bt_buf *buf, const struct bt_store_name_index_table *marked,
                                uint64_t number, const struct bt_store_cell *names)
{
    for (size_t i = 0; i < marked->count; i++) {
        uint64_t key = 0;
        if (names[i].type != BT_STORE_CELL_NULL) {
            BT_TRY(bt_store_name_index_key_of((enum bt_store_name_kind)(marked->first + i),
                                              names[i].text, &key));
            put_mark(buf, bt_marks_make(0, key, number));
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
    const unsigned below = dealing->level - 1;
    const uint64_t n = bt_store_cell_u64(&cells[0]);
    const bt_str marks = cells[1].text;
    dealing->found++;
    dealing->is_left_below = dealing->is_left_below || marks.len == BT_MARKS_LEFT_BELOW_BYTES;
    for (size_t at = 0; at + BT_MARKS_BYTES <= marks.len; at += BT_MARKS_BYTES) {
        const uint64_t mark = bt_marks_read(marks.ptr + at);
        const uint64_t key = bt_marks_key(below, dealing->part, mark);
        const uint64_t part = bt_marks_part_of(key, dealing->level);
        put_mark(&dealing->rows[part % fan_of(dealing->level)],
                 bt_marks_make(dealing->level, key, bt_marks_number(below, n, mark)));
    }
    return true;
}

/* Pass on a row, or that it would be too large. */
static enum bt_status end_row(const struct store_name_index_split *dealing, uint64_t part,
                              size_t at, struct bt_error *error)
{
    const struct bt_buf *row = &dealing->rows[at];
    const bool is_merged = dealing->level > BT_MARKS_SPLIT_LEVEL;
    BT_TRY(bt_store_name_index_status(row->status, error));
    return dealing->row(dealing, part,
                        is_merged && (dealing->is_left_below || row->len > MERGED_BYTES_MAX)
                            ? BT_STR("-")
                        : row->len > 0 ? bt_buf_str(row)
                                       : BT_STR(""),
                        error);
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
    BT_TRY(bt_store_name_index_status(dealing->status, error));
    return end_row(dealing, 0, 0, error);
}

static bool take_presence(void *context, const struct bt_store_cell *cells)
{
    bool *is_present = context;
    (void)cells;
    *is_present = true;
    return false;
}

/* Check whether a row of this split exists. */
static enum bt_status has_row(const struct store_name_index_split *dealing, uint64_t part,
                              bool *out, struct bt_error *error)
{
    const struct bt_store_cell cells[] = {
        bt_marks_level_cell(dealing->marked, dealing->level), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n), bt_store_cell_number(dealing->n + 1)};
    const struct bt_store_query query = {BT_SQL_MARK_SCAN, cells, 4, take_presence, out};
    *out = false;
    return bt_store_run(dealing->store, &query, error);
}

/* Check whether rows are missing that one part of the spans below is merged into. */
static enum bt_status misses_rows(const struct store_name_index_split *dealing, uint64_t part,
                                  bool *out, struct bt_error *error)
{
    const uint64_t fan = fan_of(dealing->level);
    bool is_present = true;
    for (uint64_t i = 0; i < fan && is_present; i++) {
        BT_TRY(has_row(dealing, part * fan + i, &is_present, error));
    }
    *out = !is_present;
    return BT_OK;
}

/* The rows that one part of the spans below is split into. */
static enum bt_status distribute_marks(struct store_name_index_split *dealing, uint64_t part,
                                       struct bt_error *error)
{
    const uint64_t fan = fan_of(dealing->level);
    const struct bt_store_cell cells[] = {
        bt_marks_level_cell(dealing->marked, dealing->level - 1), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n * fan), bt_store_cell_number((dealing->n + 1) * fan)};
    const struct bt_store_query lower = {BT_SQL_MARK_SCAN, cells, 4, take_lower, dealing};
    for (size_t i = 0; i < fan; i++) {
        bt_buf_clear(&dealing->rows[i]);
    }
    dealing->part = part;
    dealing->found = 0;
    dealing->is_left_below = false;
    BT_TRY(bt_store_run(dealing->store, &lower, error));
    if (dealing->level > BT_MARKS_SPLIT_LEVEL && dealing->found < fan) {
        return BT_OK; /* an earlier version did not merge the spans below; they are searched */
    }
    for (size_t i = 0; i < fan; i++) {
        BT_TRY(end_row(dealing, part * fan + i, i, error));
    }
    return BT_OK;
}

/* Split the span of each low level that ends at entry `size`. */
static enum bt_status split_spans(struct store_name_index_split *dealing, uint64_t size,
                                  struct bt_error *error)
{
    for (unsigned level = 0; level <= BT_MARKS_SPLIT_LEVEL && size % bt_marks_span(level) == 0;
         level++) {
        dealing->level = level;
        dealing->n = size / bt_marks_span(level) - 1;
        bt_buf_clear(&dealing->rows[0]);
        if (level == 0) {
            BT_TRY(build_lowest_row(dealing, error));
        }
        for (uint64_t part = 0; level > 0 && part < bt_marks_parts(level - 1); part++) {
            BT_TRY(distribute_marks(dealing, part, error));
        }
    }
    return BT_OK;
}

/* Merge one part of each higher level, as long as there are some: the part of the last complete
 * span whose turn it is. The rows below it are there, since its turn never comes before theirs. */
static enum bt_status merge_spans(struct store_name_index_split *dealing, uint64_t size,
                                  struct bt_error *error)
{
    for (unsigned level = BT_MARKS_SPLIT_LEVEL + 1;
         level < BT_MARKS_LEVELS && bt_marks_span(level) <= size; level++) {
        const uint64_t part = size % bt_marks_span(level) / SPAN;
        bool is_due = true;
        if (part >= bt_marks_parts(level - 1)) {
            continue;
        }
        dealing->level = level;
        dealing->n = size / bt_marks_span(level) - 1;
        if (dealing->is_completing) {
            BT_TRY(misses_rows(dealing, part, &is_due, error));
            dealing->is_changed = dealing->is_changed || is_due;
        }
        if (is_due) {
            BT_TRY(distribute_marks(dealing, part, error));
        }
    }
    return BT_OK;
}

/* What is to be done after entry `from`, up to `size`. */
static enum bt_status deal_all(struct store_name_index_split *dealing, uint64_t from, uint64_t size,
                               struct bt_error *error)
{
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < FAN_MAX; i++) {
        bt_buf_init(&dealing->rows[i], ROW_BYTES_MAX);
    }
    for (uint64_t end = (from / SPAN + 1) * SPAN; end <= size && status == BT_OK; end += SPAN) {
        status = dealing->is_completing ? BT_OK : split_spans(dealing, end, error);
        if (status == BT_OK) {
            status = merge_spans(dealing, end, error);
        }
    }
    for (size_t i = 0; i < FAN_MAX; i++) {
        bt_buf_free(&dealing->rows[i]);
    }
    return status;
}

static enum bt_status put_row(const struct store_name_index_split *dealing, uint64_t part,
                              bt_str marks, struct bt_error *error)
{
    const struct bt_store_cell cells[] = {
        bt_marks_level_cell(dealing->marked, dealing->level), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n), bt_store_cell_bytes(marks)};
    return bt_store_put(dealing->store, BT_SQL_MARK_PUT, cells, 4, error);
}

static enum bt_status put_missing_row(const struct store_name_index_split *dealing, uint64_t part,
                                      bt_str marks, struct bt_error *error)
{
    bool is_present = false;
    BT_TRY(has_row(dealing, part, &is_present, error));
    return is_present ? BT_OK : put_row(dealing, part, marks, error);
}

struct store_name_index_check {
    bt_str expected;
    bool is_present;
    bool is_equal;
};

static bool take_equal(void *context, const struct bt_store_cell *cells)
{
    struct store_name_index_check *comparing = context;
    comparing->is_present = true;
    comparing->is_equal = bt_str_eq(cells[1].text, comparing->expected);
    return false;
}

static enum bt_status compare_row(const struct store_name_index_split *dealing, uint64_t part,
                                  bt_str marks, struct bt_error *error)
{
    struct store_name_index_check comparing = {.expected = marks};
    const bool may_be_missing = dealing->level > BT_MARKS_SPLIT_LEVEL;
    const struct bt_store_cell cells[] = {
        bt_marks_level_cell(dealing->marked, dealing->level), bt_store_cell_number(part),
        bt_store_cell_number(dealing->n), bt_store_cell_number(dealing->n + 1)};
    const struct bt_store_query query = {BT_SQL_MARK_SCAN, cells, 4, take_equal, &comparing};
    BT_TRY(bt_store_run(dealing->store, &query, error));
    *dealing->wrong += !comparing.is_equal && (comparing.is_present || !may_be_missing);
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
    const struct bt_store_query last = {bt_store_name_index_tables[what].last, NULL, 0, take_last,
                                        out};
    *out = 0;
    return bt_store_run(store, &last, error);
}

static struct store_name_index_split
dealing_of(struct bt_store *store, enum bt_store_indexed_table what, store_name_index_row_fn *row)
{
    return (struct store_name_index_split){
        .store = store, .marked = &bt_store_name_index_tables[what], .row = row};
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
                                  const struct bt_store_name_index_table *marked, uint64_t number,
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
    BT_TRY(bt_store_name_index_status(
        add_to_tail(&store->fresh[what], dealing.marked, number, names), error));
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

enum bt_status bt_store_name_index_complete(struct bt_store *store,
                                            enum bt_store_indexed_table what, bool *out_changed,
                                            struct bt_error *error)
{
    assert(store);
    assert(out_changed);
    uint64_t size = 0;
    struct store_name_index_split dealing = dealing_of(store, what, put_missing_row);
    dealing.is_completing = true;
    BT_TRY(bt_store_name_index_count(store, what, &size, error));
    BT_TRY(deal_all(&dealing, 0, size, error));
    *out_changed = dealing.is_changed;
    return BT_OK;
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
