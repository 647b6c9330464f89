/* SPDX-License-Identifier: Apache-2.0 */
/* batch_lookup.c - look up what a transaction needs, for many items in one exchange. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/store_internal.h"

/* There is also room for later items: as many as a group commit takes. LEAVES_MAX is what other
 * nodes record in a few of them. */
enum { QUERIES_PER_ITEM = 2 + BT_STORE_COUNT__MAX };
enum { KEY_BYTES_MAX = 512, ROOM_MIN = 256, LEAVES_MAX = 1024, LEAF_BYTES = 32 };

/* Ids of all dialects share a table; "" for one that is too long to be cached. */
static bt_str key_of(char room[KEY_BYTES_MAX], bt_str dialect, bt_str id)
{
    const int size =
        snprintf(room, KEY_BYTES_MAX, "%.*s\n%.*s", BT_STR_ARG(dialect), BT_STR_ARG(id));
    return size > 0 && size < KEY_BYTES_MAX ? (bt_str){room, (size_t)size} : BT_STR("");
}

static struct bt_store_transaction_cache_row *find_id(struct bt_store_transaction_cache *ids,
                                                      bt_str dialect, bt_str id)
{
    char room[KEY_BYTES_MAX];
    return bt_store_transaction_cache_find(ids, key_of(room, dialect, id));
}

struct bt_store_transaction_cache_row *bt_store_cached_id(struct bt_store *store, bt_str dialect,
                                                          bt_str id)
{
    return store->ids.rows ? find_id(&store->ids, dialect, id) : NULL;
}

struct bt_store_transaction_cache_row *bt_store_cached_count(struct bt_store *store, bt_str space,
                                                             bt_str name)
{
    return store->counts.rows ? find_id(&store->counts, space, name) : NULL;
}

/* One query: about a document, an id or a counter. */
struct store_batch_lookup_row {
    struct bt_store_transaction_cache *known;
    struct bt_store_transaction_cache_row *row;
    struct bt_store_cell cells[2];
};

static bool take_document(void *context, const struct bt_store_cell *cells)
{
    struct store_batch_lookup_row *question = context;
    question->row->exists = true;
    question->row->is_redacted = cells[0].type != BT_STORE_CELL_NULL;
    return false;
}

static bool take_id(void *context, const struct bt_store_cell *cells)
{
    struct store_batch_lookup_row *question = context;
    const struct bt_store_used_id seen = {bt_store_cell_u64(&cells[0]), cells[1].text};
    if (bt_store_transaction_cache_set_used(question->known, question->row, &seen) != BT_OK) {
        question->row->is_unsure = true;
    }
    return false;
}

static bool take_count(void *context, const struct bt_store_cell *cells)
{
    struct store_batch_lookup_row *question = context;
    question->row->exists = true;
    question->row->seen.seq = bt_store_cell_u64(&cells[2]);
    return false;
}

/* Queries while they are collected. */
struct store_batch_lookup_state {
    struct bt_store *store;
    struct bt_store_query *queries;
    struct store_batch_lookup_row *questions;
    size_t count;
};

/* True when a key is not in the cache, and so has to be queried. */
static bool is_news(struct bt_store_transaction_cache *known, bt_str key,
                    struct store_batch_lookup_row *question)
{
    const size_t before = known->count;
    question->known = known;
    question->row = key.len > 0 ? bt_store_transaction_cache_add(known, key) : NULL;
    return question->row && known->count > before;
}

static void add_document_query(struct store_batch_lookup_state *batch, bt_str sha256)
{
    struct store_batch_lookup_row *question = &batch->questions[batch->count];
    if (sha256.ptr && is_news(&batch->store->documents, sha256, question)) {
        question->cells[0] = bt_store_cell_bytes(sha256);
        batch->queries[batch->count++] = (struct bt_store_query){
            BT_SQL_DOCUMENT_STATE, question->cells, 1, take_document, question};
    }
}

static void add_id_query(struct store_batch_lookup_state *batch, bt_str dialect, bt_str id)
{
    char room[KEY_BYTES_MAX];
    struct store_batch_lookup_row *question = &batch->questions[batch->count];
    if (id.len > 0 && is_news(&batch->store->ids, key_of(room, dialect, id), question)) {
        question->cells[0] = bt_store_cell_text(dialect);
        question->cells[1] = bt_store_cell_text(id);
        batch->queries[batch->count++] =
            (struct bt_store_query){BT_SQL_SEEN_GET, question->cells, 2, take_id, question};
    }
}

static void add_count_query(struct store_batch_lookup_state *batch, enum bt_store_count_space space,
                            bt_str name)
{
    char room[KEY_BYTES_MAX];
    const bt_str word = bt_store_count_space_name(space);
    struct store_batch_lookup_row *question = &batch->questions[batch->count];
    if (name.len > 0 && is_news(&batch->store->counts, key_of(room, word, name), question)) {
        question->cells[0] = bt_store_cell_text(word);
        question->cells[1] = bt_store_cell_text(name);
        batch->queries[batch->count++] = (struct bt_store_query){
            bt_store_row_statement_of(BT_TABLE_LEDGER_COUNT, BT_ROW_SCAN + 2), question->cells, 2,
            take_count, question};
    }
}

static bool take_newest(void *context, const struct bt_store_cell *cells)
{
    struct bt_store *store = context;
    store->newest = bt_store_checkpoint_of(cells);
    bt_str *const texts[] = {&store->newest.root, &store->newest.frontier, &store->newest.note,
                             &store->newest.batch};
    store->has_newest = true;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        store->has_newest =
            store->has_newest && bt_arena_copy(&store->expecting, *texts[i], texts[i]) == BT_OK;
    }
    return false;
}

/* A leaf that does not follow the previous one ends the cached run. */
static bool take_leaf(void *context, const struct bt_store_cell *cells)
{
    struct bt_store_leaves *leaves = context;
    const bool is_next = bt_store_cell_u64(&cells[0]) == leaves->first + leaves->count &&
                         leaves->count < LEAVES_MAX && cells[1].text.len == LEAF_BYTES;
    if (is_next) {
        memcpy(leaves->hashes + leaves->count++ * LEAF_BYTES, cells[1].text.ptr, LEAF_BYTES);
    }
    return is_next;
}

bool bt_store_has_cached_leaves(const struct bt_store *store, const uint64_t range[2])
{
    const struct bt_store_leaves *leaves = &store->leaves;
    return store->writing && range[0] >= leaves->first && range[1] <= leaves->first + leaves->count;
}

void bt_store_scan_cached_leaves(const struct bt_store *store, const uint64_t range[2],
                                 bt_store_hash_fn *each, void *context)
{
    const struct bt_store_leaves *leaves = &store->leaves;
    for (uint64_t seq = range[0]; seq < range[1]; seq++) {
        const char *hash = leaves->hashes + (seq - leaves->first) * LEAF_BYTES;
        if (!each(context, seq, (bt_str){hash, LEAF_BYTES})) {
            return;
        }
    }
}

bool bt_store_is_remote(const struct bt_store *store)
{
    assert(store);
    return store->driver->set_lock_queries != NULL;
}

void bt_store_drop_caches(struct bt_store *store)
{
    bt_store_transaction_cache_clear(&store->documents);
    bt_store_transaction_cache_clear(&store->ids);
    bt_store_transaction_cache_clear(&store->counts);
    store->has_newest = false;
    store->leaves = (struct bt_store_leaves){.hashes = NULL};
    if (store->driver->set_lock_queries) {
        store->driver->set_lock_queries(store->connection, NULL, 0);
    }
    bt_arena_reset(&store->expecting);
}

/* The queries about all items that are not cached yet, with room for two more. */
static enum bt_status put_questions(struct bt_store *store, const struct bt_store_lookup *items,
                                    size_t count, struct store_batch_lookup_state *out,
                                    struct bt_error *error)
{
    const size_t room = QUERIES_PER_ITEM * count + 2;
    *out = (struct store_batch_lookup_state){
        .store = store,
        .queries = BT_NEW_ARRAY(&store->expecting, struct bt_store_query, room),
        .questions = BT_NEW_ARRAY(&store->expecting, struct store_batch_lookup_row, room)};
    if (!out->queries || !out->questions) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (size_t i = 0; i < count; i++) {
        add_document_query(out, items[i].sha256);
        add_id_query(out, items[i].dialect, items[i].id);
        for (size_t space = 0; space < BT_STORE_COUNT__MAX; space++) {
            add_count_query(out, (enum bt_store_count_space)space, items[i].counted[space]);
        }
    }
    return BT_OK;
}

static enum bt_status add_leaves_query(struct store_batch_lookup_state *batch, uint64_t from)
{
    struct bt_store *store = batch->store;
    struct store_batch_lookup_row *question = &batch->questions[batch->count];
    if (from > (uint64_t)INT64_MAX - LEAVES_MAX) {
        return BT_OK; /* none are needed */
    }
    store->leaves.first = from;
    store->leaves.hashes = bt_arena_alloc(&store->expecting, (size_t)LEAVES_MAX * LEAF_BYTES);
    if (!store->leaves.hashes) {
        return BT_ENOMEM;
    }
    question->cells[0] = bt_store_cell_number(from);
    question->cells[1] = bt_store_cell_number(from + LEAVES_MAX);
    batch->queries[batch->count++] =
        (struct bt_store_query){BT_SQL_LEAF_SCAN, question->cells, 2, take_leaf, &store->leaves};
    return BT_OK;
}

enum bt_status bt_store_lookup_batch(struct bt_store *store, const struct bt_store_lookup *items,
                                     size_t count, uint64_t leaves, struct bt_error *error)
{
    assert(store);
    assert(!store->writing);
    if (!bt_store_is_remote(store)) {
        return BT_OK;
    }
    struct store_batch_lookup_state batch;
    const size_t room = count < ROOM_MIN ? ROOM_MIN : count;
    bt_store_drop_caches(store);
    if (bt_store_transaction_cache_reserve(&store->documents, room) != BT_OK ||
        bt_store_transaction_cache_reserve(&store->ids, room) != BT_OK ||
        bt_store_transaction_cache_reserve(&store->counts, BT_STORE_COUNT__MAX * room) != BT_OK ||
        put_questions(store, items, count, &batch, error) != BT_OK ||
        add_leaves_query(&batch, leaves) != BT_OK) {
        bt_store_drop_caches(store);
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    batch.queries[batch.count++] =
        (struct bt_store_query){BT_SQL_CHECKPOINT_LAST, NULL, 0, take_newest, store};
    store->driver->set_lock_queries(store->connection, batch.queries, batch.count);
    return BT_OK;
}

enum bt_status bt_store_lookup_more(struct bt_store *store, const struct bt_store_lookup *items,
                                    size_t count, struct bt_error *error)
{
    assert(store);
    assert(store->writing);
    struct store_batch_lookup_state batch;
    if (!bt_store_is_remote(store)) {
        return BT_OK;
    }
    BT_TRY(put_questions(store, items, count, &batch, error));
    return batch.count > 0
               ? store->driver->run_queries(store->connection, batch.queries, batch.count, error)
               : BT_OK;
}
