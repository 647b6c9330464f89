/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_growth.c - what a document, an entry and a search cost does not grow with the store.
 *
 * The indexes are built here with spans of 16 entries instead of 256, and the filter of documents
 * gets two to four keys per word, as that of 2^25 words does with 0.7 to 1.3 * 10^8 documents. Work
 * is counted, not timed: statements, and bytes that pass between the store and the database.
 */
#include "test.h"

#include "base/env.h"

#include "fresh.h"
#include "store/name_index_layout.h"
#include "store/sqlite.h"
#include "store/store_internal.h"

enum {
    AT_ONCE = 4096,
    WINDOW = 1 << 14, /* documents whose cost is compared: as many as a span of level 3 has */
    WINDOW_REMOTE = 1 << 12, /* on a server */
    REST = 0x1a97,           /* of every size: spans of the lower levels, and some that fill none */
    SIZE_SMALL = WINDOW + REST,
    WINDOWS = 7,
    SEARCHES = 200,
    TRACE_ENTRIES = 4, /* entries of one trace follow each other ... */
    HOT_EVERY = 2,     /* ... except those of one trace that has half of all entries */
    KEYS_PER_WORD = 4,
};

struct work {
    uint64_t statements;
    uint64_t bytes;
};

/* The store's own driver, and the one in front of it that counts. */
static const struct bt_store_driver *real_driver;
static struct bt_store_driver counting_driver;
static struct work counted;

struct counted_query {
    const struct bt_store_query *query;
};

static void count_cells(const struct bt_store_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        counted.bytes += cells[i].type == BT_STORE_CELL_NUMBER ? 8 : cells[i].text.len;
    }
}

static bool pass_row(void *context, const struct bt_store_cell *cells)
{
    const struct counted_query *counting = context;
    counted.bytes += 8; /* all rows begin with a number */
    if (counting->query->statement == BT_SQL_MARK_SCAN) {
        counted.bytes += cells[1].text.len;
    }
    return counting->query->row(counting->query->context, cells);
}

static enum bt_status count_run(void *connection, const struct bt_store_query *query,
                                struct bt_error *error)
{
    struct counted_query counting = {query};
    struct bt_store_query passed = *query;
    counted.statements++;
    count_cells(query->cells, query->count);
    if (query->row) {
        passed.row = pass_row;
        passed.context = &counting;
    }
    return real_driver->run(connection, &passed, error);
}

/* Count what a store does, whose filter is to be as large as a store of `most` documents needs. */
static void count_work_of(struct bt_store *store, uint64_t most)
{
    store->document_index.filter_words_max = 1;
    while (store->document_index.filter_words_max * KEYS_PER_WORD < most) {
        store->document_index.filter_words_max *= 2;
    }
    real_driver = store->driver;
    counting_driver = *real_driver;
    counting_driver.run = count_run;
    store->driver = &counting_driver;
}

static bt_str digest_of(uint64_t number, uint8_t out[BT_SHA256_BYTES])
{
    char text[32];
    (void)snprintf(text, sizeof(text), "document %llu", (unsigned long long)number);
    assert_int_equal(bt_sha256(bt_str_of(text), out), BT_OK);
    return (bt_str){(const char *)out, BT_SHA256_BYTES};
}

static void put_document(struct fresh *fresh, uint64_t number)
{
    uint8_t digest[BT_SHA256_BYTES];
    bool kept = false;
    assert_int_equal(bt_store_document_put(fresh->store, digest_of(number, digest), BT_STR("small"),
                                           &kept, &fresh->error),
                     BT_OK);
}

static bt_str trace_of(uint64_t seq, char out[32])
{
    (void)snprintf(out, 32, "t-%llu",
                   seq % HOT_EVERY == 0 ? 0ULL : 1ULL + (unsigned long long)seq / TRACE_ENTRIES);
    return bt_str_of(out);
}

static void put_entry(struct fresh *fresh, uint64_t seq)
{
    uint8_t digest[BT_SHA256_BYTES];
    char trace[32];
    const bt_str bytes = digest_of(seq, digest);
    const struct bt_store_entry entry = {.seq = seq,
                                         .leaf = bytes,
                                         .entry = BT_STR("{}"),
                                         .batch = BT_STR("0123456789abcdef"),
                                         .kind = BT_STR("raw"),
                                         .verdict = BT_STR("recorded"),
                                         .trace_id = trace_of(seq, trace),
                                         .document = bytes};
    assert_int_equal(bt_store_entry_put(fresh->store, &entry, &fresh->error), BT_OK);
}

static uint64_t window_of(const struct fresh *fresh)
{
    return bt_store_is_remote(fresh->store) ? WINDOW_REMOTE : WINDOW;
}

/* Append documents with their entries up to a size, and return what the last window cost. */
static struct work grow(struct fresh *fresh, uint64_t *size, uint64_t wanted)
{
    const uint64_t window = window_of(fresh);
    struct work before = counted;
    while (*size < wanted) {
        assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
        bt_store_defer(fresh->store);
        for (size_t i = 0; i < AT_ONCE && *size < wanted; i++) {
            if (*size + window == wanted) {
                before = counted;
            }
            put_document(fresh, *size);
            put_entry(fresh, (*size)++);
        }
        assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
    }
    return (struct work){counted.statements - before.statements, counted.bytes - before.bytes};
}

static void print_work(const char *what, uint64_t size, struct work work)
{
    print_message("# %s at %llu: %llu statements, %llu bytes\n", what, (unsigned long long)size,
                  (unsigned long long)work.statements, (unsigned long long)work.bytes);
}

/* At most 1.3 times as much. */
static bool is_flat(struct work small, struct work large)
{
    return 10 * large.statements <= 13 * small.statements && 10 * large.bytes <= 13 * small.bytes;
}

static bool count_entry(void *context, const struct bt_store_entry *entry)
{
    uint64_t *found = context;
    (void)entry;
    (*found)++;
    return true;
}

/* Search for traces all over the store. */
static struct work search_traces(struct fresh *fresh, uint64_t size)
{
    const struct work before = counted;
    for (uint64_t i = 0; i < SEARCHES; i++) {
        const uint64_t seq = i * (size / SEARCHES) | 1;
        char trace[32];
        uint64_t found = 0;
        const struct bt_store_scan scan = {.order = BT_STORE_BY_TRACE, .key = trace_of(seq, trace)};
        assert_int_equal(
            bt_store_entry_scan(fresh->store, &scan, count_entry, &found, &fresh->error), BT_OK);
        assert_int_equal(found, TRACE_ENTRIES / HOT_EVERY);
    }
    return (struct work){counted.statements - before.statements, counted.bytes - before.bytes};
}

/* The trace of half of all entries, whose rows are too large to be merged. */
static void expect_hot_trace(struct fresh *fresh, uint64_t size)
{
    char trace[32];
    uint64_t found = 0;
    const struct bt_store_scan scan = {.order = BT_STORE_BY_TRACE, .key = trace_of(0, trace)};
    assert_int_equal(bt_store_entry_scan(fresh->store, &scan, count_entry, &found, &fresh->error),
                     BT_OK);
    assert_int_equal(found, (size + 1) / HOT_EVERY);
}

static void expect_right_index(struct fresh *fresh)
{
    uint64_t wrong = 1;
    assert_int_equal(bt_store_name_index_check(fresh->store, &wrong, &fresh->error), BT_OK);
    assert_int_equal(wrong, 0);
}

static void expect_kept_once(struct fresh *fresh, uint64_t size)
{
    struct bt_store_counts counts;
    assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
    for (uint64_t i = 0; i < size; i += size / SEARCHES) {
        put_document(fresh, i);
    }
    assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
    assert_int_equal(bt_store_counts(fresh->store, &counts, &fresh->error), BT_OK);
    assert_int_equal(counts.documents_kept, size);
}

static void appends_and_searches_cost_the_same_in_a_large_store(void **state)
{
    (void)state;
    struct fresh fresh;
    uint64_t size = 0;
    fresh_open(&fresh);
    const uint64_t window = window_of(&fresh);
    const uint64_t most =
        fresh_number("BATON_ENTRIES", WINDOWS * window + REST) / window * window + REST;
    count_work_of(fresh.store, most);
    const struct work small = grow(&fresh, &size, window + REST);
    print_work("appends", size, small);
    const struct work few = search_traces(&fresh, size);
    print_work("searches", size, few);
    const struct work large = grow(&fresh, &size, most);
    print_work("appends", size, large);
    const struct work many = search_traces(&fresh, size);
    print_work("searches", size, many);
    expect_kept_once(&fresh, size);
    expect_hot_trace(&fresh, size);
    expect_right_index(&fresh);
    assert_true(is_flat(small, large));
    assert_true(is_flat(few, many));
    assert_false(is_flat(few, large)); /* it can fail */
    fresh_close(&fresh);
}

static uint64_t count_merged(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT COUNT(*) FROM ledger_mark WHERE level % 16 > 2",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const uint64_t count = (uint64_t)sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return count;
}

/* As a version does that has no levels above 2. */
static void delete_merged(sqlite3 *db, const char *which)
{
    char sql[256];
    (void)snprintf(sql, sizeof(sql),
                   "DROP TRIGGER ledger_mark_delete; "
                   "DELETE FROM ledger_mark WHERE level %% 16 > 2 %s;"
                   "CREATE TRIGGER ledger_mark_delete BEFORE DELETE ON ledger_mark BEGIN SELECT "
                   "RAISE(ABORT, 'ledger_mark is append-only'); END",
                   which);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void complete(struct fresh *fresh, bool expected)
{
    bool is_changed[BT_STORE_INDEXED_TABLE__MAX] = {false};
    assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
    for (size_t i = 0; i < BT_STORE_INDEXED_TABLE__MAX; i++) {
        assert_int_equal(bt_store_name_index_complete(fresh->store, (enum bt_store_indexed_table)i,
                                                      &is_changed[i], &fresh->error),
                         BT_OK);
        assert_int_equal(is_changed[i], expected);
    }
    assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
}

static void a_store_without_merged_rows_is_searched_and_completed(void **state)
{
    (void)state;
    static const char *const gone[] = {"", "AND n < 1", "AND part % 3 = 1"};
    struct fresh fresh;
    uint64_t size = 0;
    fresh_open(&fresh);
    for (size_t i = 0; i < 3 && !bt_store_is_remote(fresh.store); i++) {
        sqlite3 *db = ((struct bt_sqlite *)fresh.store->connection)->db;
        (void)grow(&fresh, &size, (i + 1) * SIZE_SMALL);
        const uint64_t rows = count_merged(db);
        delete_merged(db, gone[i]);
        assert_true(count_merged(db) < rows);
        (void)search_traces(&fresh, size);
        expect_right_index(&fresh);
        (void)grow(&fresh, &size, size + 1000); /* merges go on, where rows are */
        expect_kept_once(&fresh, size);
        (void)search_traces(&fresh, size);
        complete(&fresh, true);
        expect_right_index(&fresh);
        assert_true(count_merged(db) >= rows);
        complete(&fresh, false);
    }
    fresh_close(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_and_searches_cost_the_same_in_a_large_store),
        cmocka_unit_test(a_store_without_merged_rows_is_searched_and_completed),
    };
    return RUN_TESTS(tests);
}
