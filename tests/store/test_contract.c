/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_contract.c - what a store is, in code: random histories of its operations, committed and
 * rolled back, beside a model in memory. Every back end runs this suite.
 */
#include "test.h"

#include <sqlite3.h>

#include "base/clock.h"
#include "base/str.h"
#include "fresh.h"
#include "store/rows.h"
#include "store/statements.h"

enum { ENTRIES_MAX = 8000, IDS = 300, DOCUMENTS = 60, ROWS = 40 };

/* ---- The model ------------------------------------------------------------------------------- */

struct model {
    uint64_t entries; /* their number; entry i is the text of i */
    bool seen[IDS];
    uint64_t seen_seq[IDS];
    char document[DOCUMENTS]; /* 0 absent, 'k' kept, 'r' redacted */
    uint64_t row[ROWS];       /* 0 absent, else the value */
};

struct history {
    struct fresh fresh;
    struct bt_arena arena;
    struct bt_error error;
    struct bt_store *store;
    struct model committed;
    struct model open;
    uint64_t random;
    bool forgets; /* the negative control: the model forgets a row */
};

static uint64_t rng(struct history *history)
{
    history->random = history->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return history->random >> 33;
}

static void digest_of(uint64_t number, char out[32])
{
    memset(out, 0, 32);
    memcpy(out, &number, sizeof(number));
}

/* Bytes of a document: the odd ones are worth packing. */
static bt_str bytes_of(uint64_t number, char out[2000])
{
    const size_t size = number % 2 ? 2000 : (size_t)number % 50;
    for (size_t i = 0; i < size; i++) {
        out[i] = (char)(number % 2 ? number : number * 31 + i * i);
    }
    return (bt_str){out, size};
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void put_entry(struct history *history)
{
    char text[32];
    char digest[32];
    const uint64_t seq = history->open.entries;
    const int size = snprintf(text, sizeof(text), "%llu", (unsigned long long)seq);
    digest_of(seq % DOCUMENTS, digest);
    struct bt_store_entry entry = {.seq = seq,
                                   .leaf = {digest, 32},
                                   .entry = {text, (size_t)size},
                                   .batch = {digest, 16},
                                   .kind = BT_STR("raw"),
                                   .verdict = BT_STR("recorded"),
                                   .handoff_id =
                                       seq % 3 ? (bt_str){text, (size_t)size} : (bt_str){NULL, 0},
                                   .document = {digest, 32}};
    if (seq >= ENTRIES_MAX) {
        return;
    }
    assert_int_equal(bt_store_entry_put(history->store, &entry, &history->error), BT_OK);
    history->open.entries++;
    if (seq > 0) {
        entry.seq = rng(history) % seq;
        assert_int_equal(bt_store_entry_put(history->store, &entry, &history->error), BT_EDENIED);
    }
}

static void use_id(struct history *history)
{
    char digest[32];
    char id[24];
    const size_t number = rng(history) % IDS;
    (void)snprintf(id, sizeof(id), "id-%zu", number);
    digest_of(number, digest);
    const struct bt_store_used_id seen = {history->open.entries, {digest, 32}};
    const enum bt_status status =
        bt_store_used_id_put(history->store, BT_STR("raw"), bt_str_of(id), &seen, &history->error);
    assert_int_equal(status, history->open.seen[number] ? BT_EDENIED : BT_OK);
    if (status == BT_OK) {
        history->open.seen[number] = true;
        history->open.seen_seq[number] = seen.seq;
    }
}

static void keep_document(struct history *history)
{
    char digest[32];
    char bytes[2000];
    bool kept = false;
    const size_t number = rng(history) % DOCUMENTS;
    digest_of(number, digest);
    assert_int_equal(bt_store_document_put(history->store, (bt_str){digest, 32},
                                           bytes_of(number, bytes), &kept, &history->error),
                     BT_OK);
    assert_int_equal(kept, history->open.document[number] != 'r');
    history->open.document[number] = history->open.document[number] == 'r' ? 'r' : 'k';
}

static void redact_document(struct history *history)
{
    char digest[32];
    const size_t number = rng(history) % DOCUMENTS;
    digest_of(number, digest);
    const enum bt_status status =
        bt_store_document_redact(history->store, (bt_str){digest, 32}, 7, &history->error);
    if (history->open.document[number] == 'r') {
        assert_int_equal(status, BT_EDENIED); /* once */
    } else {
        assert_int_equal(status, BT_OK);
        history->open.document[number] = history->open.document[number] == 'k' ? 'r' : 0;
    }
}

static void change_row(struct history *history)
{
    char name[24];
    const size_t number = rng(history) % ROWS;
    const uint64_t value = 1 + rng(history) % 1000;
    (void)snprintf(name, sizeof(name), "agent-%zu", number);
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(bt_str_of(name)), bt_store_cell_text(BT_STR("why")),
        bt_store_cell_number(value), bt_store_cell_null(), bt_store_cell_number(value)};
    if (value % 5 == 0) {
        assert_int_equal(
            bt_store_row_delete(history->store, BT_TABLE_BLOCKED, cells, &history->error), BT_OK);
        history->open.row[number] = 0;
    } else {
        assert_int_equal(bt_store_row_put(history->store, BT_TABLE_BLOCKED, cells, &history->error),
                         BT_OK);
        history->open.row[number] = history->forgets && number == 3 ? 0 : value;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool count_entry(void *context, const struct bt_store_entry *entry)
{
    uint64_t *next = context;
    uint64_t number = 0;
    assert_int_equal(entry->seq, *next);
    assert_int_equal(bt_str_to_u64(entry->entry, &number), BT_OK);
    assert_int_equal(number, *next);
    ++*next;
    return true;
}

static bool count_row(void *context, const struct bt_store_cell *cells)
{
    (void)cells;
    (*(size_t *)context)++;
    return true;
}

/* Rows from a key on: as many as the model has there. */
static size_t differences_from(struct history *history, const struct model *model)
{
    const struct bt_store_cell from = bt_store_cell_text(BT_STR("agent-3"));
    size_t found = 0;
    size_t expected = 0;
    assert_int_equal(bt_store_row_scan_from(history->store, BT_TABLE_BLOCKED, &from, count_row,
                                            &found, &history->error),
                     BT_OK);
    for (size_t i = 0; i < ROWS; i++) {
        char name[24];
        (void)snprintf(name, sizeof(name), "agent-%zu", i);
        expected += model->row[i] != 0 && strcmp(name, "agent-3") >= 0;
    }
    return found != expected;
}

static size_t count_differences(struct history *history, const struct model *model)
{
    size_t differences = 0;
    uint64_t entries = 0;
    const struct bt_store_scan all = {.order = BT_STORE_UP};
    assert_int_equal(
        bt_store_entry_scan(history->store, &all, count_entry, &entries, &history->error), BT_OK);
    differences += entries != model->entries;
    for (size_t i = 0; i < IDS; i++) {
        char id[24];
        struct bt_store_used_id seen = {0};
        (void)snprintf(id, sizeof(id), "id-%zu", i);
        const bt_str key[2] = {BT_STR("raw"), bt_str_of(id)};
        const enum bt_status status =
            bt_store_used_id_get(history->store, &history->arena, key, &seen, &history->error);
        differences += (status == BT_OK) != model->seen[i];
        differences += status == BT_OK && seen.seq != model->seen_seq[i];
    }
    for (size_t i = 0; i < DOCUMENTS; i++) {
        char digest[32];
        char bytes[2000];
        struct bt_store_document document = {0};
        digest_of(i, digest);
        const enum bt_status status = bt_store_document_get(
            history->store, &history->arena, (bt_str){digest, 32}, &document, &history->error);
        const char found = status != BT_OK ? 0 : document.has_bytes ? 'k' : 'r';
        differences += found != model->document[i];
        differences += found == 'k' && !bt_str_eq(document.bytes, bytes_of(i, bytes));
    }
    for (size_t i = 0; i < ROWS; i++) {
        char name[24];
        const struct bt_store_cell *cells = NULL;
        (void)snprintf(name, sizeof(name), "agent-%zu", i);
        const struct bt_store_cell cell = bt_store_cell_text(bt_str_of(name));
        const struct bt_store_row_range key = {BT_TABLE_BLOCKED, &cell, 1};
        const enum bt_status status =
            bt_store_row_get(history->store, &history->arena, &key, &cells, &history->error);
        differences += (status == BT_OK ? (uint64_t)cells[2].number : 0) != model->row[i];
    }
    differences += differences_from(history, model);
    bt_arena_reset(&history->arena);
    return differences;
}

/* ---- Histories ------------------------------------------------------------------------------- */

static void history_open(struct history *history, uint64_t seed)
{
    *history = (struct history){.random = seed};
    fresh_open(&history->fresh);
    history->store = history->fresh.store;
    bt_arena_init(&history->arena, 64 << 20);
}

static void history_close(struct history *history)
{
    history->fresh.store = history->store;
    fresh_close(&history->fresh);
    bt_arena_free(&history->arena);
}

/* Run a history; the number of differences that were seen on the way. */
static size_t run_history(struct history *history, size_t operations_max)
{
    static void (*const operations[])(struct history *) = {
        put_entry, put_entry, use_id, keep_document, redact_document, change_row};
    size_t differences = 0;
    size_t done = 0;
    while (done < operations_max) {
        const size_t count = 1 + rng(history) % 60;
        assert_int_equal(bt_store_begin(history->store, &history->error), BT_OK);
        history->open = history->committed;
        for (size_t i = 0; i < count; i++) {
            operations[rng(history) % COUNT_OF(operations)](history);
        }
        done += count;
        if (rng(history) % 4 == 0) {
            bt_store_rollback(history->store);
        } else {
            assert_int_equal(bt_store_commit(history->store, &history->error), BT_OK);
            history->committed = history->open;
        }
        if (rng(history) % 12 == 0) {
            differences += count_differences(history, &history->committed);
        }
    }
    return differences + count_differences(history, &history->committed);
}

static void a_store_does_what_its_model_does(void **state)
{
    (void)state;
    static struct history history;
    history_open(&history, fresh_number("BATON_SEED", 1));
    assert_int_equal(run_history(&history, fresh_number("BATON_OPERATIONS", 10000)), 0);
    history_close(&history);
}

static void a_model_that_forgets_a_row_is_noticed(void **state)
{
    (void)state;
    static struct history history;
    history_open(&history, 1);
    history.forgets = true;
    assert_true(run_history(&history, 2000) > 0);
    history_close(&history);
}

/* Asked of SQLite itself; test_postgres.py asks the other one. */
static void what_is_only_added_to_cannot_be_changed(void **state)
{
    (void)state;
    static struct history history;
    static const char *const tables[] = {"ledger_entry",       "ledger_hash", "ledger_checkpoint",
                                         "ledger_cosignature", "seen",        "approval_event",
                                         "context_history"};
    sqlite3 *db = NULL;
    char digest[32] = {0};
    char path[300];
    history_open(&history, 1);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    put_entry(&history);
    use_id(&history);
    keep_document(&history);
    const bt_str hash = {digest, 32};
    assert_int_equal(bt_store_hash_put(history.store, 1, 0, hash, &history.error), BT_OK);
    assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    (void)snprintf(path, sizeof(path), "%s/store.db", history.fresh.folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        char sql[200];
        (void)snprintf(sql, sizeof(sql),
                       "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'"
                       " AND tbl_name = '%s'",
                       tables[i]);
        sqlite3_stmt *statement = NULL;
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(statement, 0), 2);
        (void)sqlite3_finalize(statement);
    }
    static const char *const refused[] = {
        "UPDATE ledger_entry SET kind = 'x'",
        "DELETE FROM ledger_entry",
        "UPDATE ledger_hash SET n = 9",
        "DELETE FROM ledger_hash",
        "UPDATE seen SET seq = 9",
        "DELETE FROM seen",
        "DELETE FROM document",
        "UPDATE document SET size = 1",
        "UPDATE document SET bytes = NULL",
    };
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        assert_int_equal(sqlite3_exec(db, refused[i], NULL, NULL, NULL), SQLITE_CONSTRAINT);
    }
    (void)sqlite3_close(db);
    history_close(&history);
}

/* The plan of a statement, as SQLite says it; the parameters do not matter for it. */
static bool plan_names(sqlite3 *db, const char *statement, const char *index)
{
    char sql[2000];
    sqlite3_stmt *plan = NULL;
    bool is_named = false;
    (void)snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", statement);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW) {
        is_named = is_named || strstr((const char *)sqlite3_column_text(plan, 3), index) != NULL;
    }
    (void)sqlite3_finalize(plan);
    return is_named;
}

static void what_waits_is_found_through_an_index(void **state)
{
    (void)state;
    static struct history history;
    static const struct {
        enum bt_statement statement;
        const char *index;
    } rows[] = {
        {BT_SQL_WAITING, "queue_waiting"},           {BT_SQL_QUEUE_SIZES, "queue_waiting"},
        {BT_SQL_QUEUE_READY, "queue_waiting"},       {BT_SQL_QUEUE_SPENT, "queue_tried"},
        {BT_SQL_ANSWER_PURGE, "idempotency_expiry"}, {BT_SQL_TASK_SCAN, "a2a_task_principal"}};
    sqlite3 *db = NULL;
    char path[300];
    history_open(&history, 1);
    (void)snprintf(path, sizeof(path), "%s/store.db", history.fresh.folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(plan_names(db, bt_statements[rows[i].statement], rows[i].index));
    }
    assert_false(plan_names(db, "SELECT COUNT(*) FROM queue WHERE attempts = 1", "queue_waiting"));
    (void)sqlite3_close(db);
    history_close(&history);
}

static void a_transaction_sees_what_it_did_and_others_do_not(void **state)
{
    (void)state;
    static struct history history;
    const struct bt_store_options options = {0};
    struct bt_store *other = NULL;
    uint64_t entries = 0;
    const struct bt_store_scan all = {.order = BT_STORE_UP};
    history_open(&history, 1);
    assert_int_equal(bt_store_open(&history.fresh.place, &options, &other, &history.error), BT_OK);
    assert_int_equal(bt_store_begin_read(other, &history.error), BT_OK);
    assert_int_equal(bt_store_entry_scan(other, &all, count_entry, &entries, &history.error),
                     BT_OK);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    put_entry(&history);
    assert_int_equal(count_differences(&history, &history.open), 0);
    assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    /* The other one still has the snapshot that it began with. */
    assert_int_equal(bt_store_entry_scan(other, &all, count_entry, &entries, &history.error),
                     BT_OK);
    assert_int_equal(entries, 0);
    bt_store_rollback(other);
    assert_int_equal(bt_store_entry_scan(other, &all, count_entry, &entries, &history.error),
                     BT_OK);
    assert_int_equal(entries, 1);
    bt_store_close(other);
    history_close(&history);
}

static void a_copy_holds_what_the_store_does(void **state)
{
    (void)state;
    static struct history history;
    const struct bt_store_options options = {0};
    struct bt_arena arena;
    struct bt_store_location place;
    char path[300];
    history_open(&history, 1);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    for (size_t i = 0; i < 50; i++) {
        put_entry(&history);
        use_id(&history);
        keep_document(&history);
        redact_document(&history);
        change_row(&history);
    }
    assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    (void)snprintf(path, sizeof(path), "%s/copy.db", history.fresh.folder);
    bt_arena_init(&arena, 1 << 16);
    assert_int_equal(bt_store_get_location(&arena, bt_str_of(path), &place, &history.error), BT_OK);
    assert_int_equal(bt_store_backup(history.store, place.path, &history.error), BT_OK);
    struct bt_store *original = history.store;
    assert_int_equal(bt_store_open(&place, &options, &history.store, &history.error), BT_OK);
    assert_int_equal(count_differences(&history, &history.open), 0);
    bt_store_close(original);
    bt_arena_free(&arena);
    history_close(&history);
}

static uint64_t entries_in(struct history *history)
{
    uint64_t entries = 0;
    const struct bt_store_scan all = {.order = BT_STORE_UP};
    assert_int_equal(
        bt_store_entry_scan(history->store, &all, count_entry, &entries, &history->error), BT_OK);
    return entries;
}

/* A back end may tell at once or at the commit, but tell it must. */
static void what_is_refused_later_is_not_committed(void **state)
{
    (void)state;
    static struct history history;
    char digest[32];
    digest_of(1, digest);
    const struct bt_store_used_id seen = {0, {digest, 32}};
    history_open(&history, 1);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    bt_store_defer(history.store);
    put_entry(&history);
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < 2 && status == BT_OK; i++) {
        status = bt_store_used_id_put(history.store, BT_STR("raw"), BT_STR("twice"), &seen,
                                      &history.error);
    }
    if (status == BT_OK) {
        status = bt_store_commit(history.store, &history.error);
    }
    assert_int_equal(status, BT_EDENIED);
    bt_store_rollback(history.store);
    assert_int_equal(entries_in(&history), 0);
    /* And the store goes on as if nothing had been. */
    history.open.entries = 0;
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    bt_store_defer(history.store);
    put_entry(&history);
    assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    assert_int_equal(entries_in(&history), 1);
    history_close(&history);
}

/* Expecting changes no answer, and neither does what happens to the expected afterwards. */
static void what_is_expected_is_answered_the_same(void **state)
{
    (void)state;
    static struct history history;
    static char digests[DOCUMENTS][32];
    static char ids[DOCUMENTS][24];
    struct bt_store_lookup items[DOCUMENTS];
    history_open(&history, 1);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    for (size_t i = 0; i < 100; i++) {
        use_id(&history);
        keep_document(&history);
        redact_document(&history);
    }
    for (size_t i = 0; i < DOCUMENTS; i++) {
        (void)snprintf(ids[i], sizeof(ids[i]), "id-%zu", i);
        const bt_str key[2] = {BT_STR("trace"), bt_str_of(ids[i])};
        assert_int_equal(bt_store_count_add(history.store, key, i % 2, 0, &history.error), BT_OK);
    }
    assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        digest_of(i, digests[i]);
        items[i] = (struct bt_store_lookup){
            {i % 3 ? digests[i] : NULL, 32},
            BT_STR("raw"),
            bt_str_of(i % 4 ? ids[i] : ""),
            {BT_STR(""), BT_STR("nobody"), bt_str_of(i % 4 ? ids[i] : "")}};
    }
    for (size_t round = 0; round < 3; round++) {
        const size_t first = round == 0 ? DOCUMENTS : DOCUMENTS / 2; /* the rest comes up later */
        assert_int_equal(
            bt_store_lookup_batch(history.store, items, first, BT_STORE_NONE, &history.error),
            BT_OK);
        assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
        for (size_t i = 0; i < DOCUMENTS; i++) {
            struct bt_store_count count;
            assert_int_equal(bt_store_count_get(history.store, BT_STORE_COUNT_TRACE,
                                                bt_str_of(ids[i]), &count, &history.error),
                             BT_OK);
            assert_int_equal(count.n, i % 2);
        }
        if (round == 2) {
            bt_store_defer(history.store);
            put_entry(&history);
        }
        assert_int_equal(
            bt_store_lookup_more(history.store, items + first, DOCUMENTS - first, &history.error),
            BT_OK);
        assert_int_equal(count_differences(&history, &history.open), 0);
        for (size_t i = 0; i < 200 && round < 2; i++) {
            keep_document(&history);
            use_id(&history);
        }
        assert_int_equal(count_differences(&history, &history.open), 0);
        if (round < 2) {
            redact_document(&history);
            keep_document(&history);
        }
        assert_int_equal(count_differences(&history, &history.open), 0);
        assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    }
    history_close(&history);
}

/* Leaves of a range, as many as there are. */
struct leaves {
    uint64_t next;
    size_t count;
    size_t most; /* who has so many wants no more */
};

static bool take_leaf(void *context, uint64_t seq, bt_str leaf)
{
    struct leaves *leaves = context;
    char digest[32];
    digest_of(seq % DOCUMENTS, digest);
    assert_int_equal(seq, leaves->next);
    assert_true(bt_str_eq(leaf, (bt_str){digest, 32}));
    leaves->next++;
    return ++leaves->count < leaves->most;
}

static size_t leaves_in(struct history *history, uint64_t from, uint64_t to, size_t most)
{
    const uint64_t range[2] = {from, to};
    struct leaves leaves = {.next = from, .most = most};
    assert_int_equal(
        bt_store_hash_scan(history->store, 0, range, take_leaf, &leaves, &history->error), BT_OK);
    return leaves.count;
}

static void leaves_that_are_expected_are_the_same(void **state)
{
    (void)state;
    static struct history history;
    static const uint64_t froms[] = {BT_STORE_NONE, 0, 2, 6, 100, INT64_MAX};
    history_open(&history, 1);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    for (size_t i = 0; i < 6; i++) {
        put_entry(&history);
    }
    assert_int_equal(bt_store_commit(history.store, &history.error), BT_OK);
    for (size_t i = 0; i < COUNT_OF(froms); i++) {
        assert_int_equal(bt_store_lookup_batch(history.store, NULL, 0, froms[i], &history.error),
                         BT_OK);
        assert_int_equal(leaves_in(&history, 0, 6, 100), 6); /* nothing has been asked yet */
        assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
        for (size_t round = 0; round < 2; round++) { /* before and after we add one */
            assert_int_equal(leaves_in(&history, 0, 6, 100), 6);
            assert_int_equal(leaves_in(&history, 2, 6, 100), 4);
            assert_int_equal(leaves_in(&history, 3, 5, 100), 2);
            assert_int_equal(leaves_in(&history, 2, 6, 3), 3);
            assert_int_equal(leaves_in(&history, 4, 4, 100), 0);
            assert_int_equal(leaves_in(&history, 2, 9, 100), 4 + round);
            put_entry(&history);
        }
        bt_store_rollback(history.store);
        history.open.entries = 6;
        assert_int_equal(leaves_in(&history, 2, 9, 100), 4);
    }
    history_close(&history);
}

static void a_lock_that_is_not_to_be_had_ends_at_the_deadline(void **state)
{
    (void)state;
    static struct history history;
    const struct bt_store_options hasty = {.deadline_ms = 50};
    struct bt_store *other = NULL;
    history_open(&history, 1);
    assert_int_equal(bt_store_open(&history.fresh.place, &hasty, &other, &history.error), BT_OK);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    assert_int_equal(bt_store_begin(other, &history.error), BT_EIO);
    bt_store_rollback(history.store);
    assert_int_equal(bt_store_begin(other, &history.error), BT_OK);
    bt_store_close(other);
    history_close(&history);
}

static void a_limit_ends_it_before_the_deadline(void **state)
{
    (void)state;
    static struct history history;
    const struct bt_store_options patient = {.deadline_ms = 600000};
    struct bt_store *other = NULL;
    history_open(&history, 1);
    assert_int_equal(bt_store_open(&history.fresh.place, &patient, &other, &history.error), BT_OK);
    assert_int_equal(bt_store_begin(history.store, &history.error), BT_OK);
    bt_store_set_deadline(other, bt_clock_monotonic_ms() + 50);
    assert_int_equal(bt_store_begin(other, &history.error), BT_EIO); /* and the test goes on */
    bt_store_rollback(history.store);
    bt_store_set_deadline(other, BT_STORE_NONE);
    assert_int_equal(bt_store_begin(other, &history.error), BT_OK);
    bt_store_close(other);
    history_close(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_does_what_its_model_does),
        cmocka_unit_test(a_model_that_forgets_a_row_is_noticed),
        cmocka_unit_test(a_transaction_sees_what_it_did_and_others_do_not),
        cmocka_unit_test(a_copy_holds_what_the_store_does),
        cmocka_unit_test(what_is_refused_later_is_not_committed),
        cmocka_unit_test(what_is_expected_is_answered_the_same),
        cmocka_unit_test(leaves_that_are_expected_are_the_same),
        cmocka_unit_test(a_lock_that_is_not_to_be_had_ends_at_the_deadline),
        cmocka_unit_test(a_limit_ends_it_before_the_deadline),
        cmocka_unit_test(what_is_only_added_to_cannot_be_changed), /* SQLite alone; stay last */
        cmocka_unit_test(what_waits_is_found_through_an_index),
    };
    const size_t count = COUNT_OF(tests) - (getenv("BATON_TEST_POSTGRES") ? 2 : 0);
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
