/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.c - entries, hashes, checkpoints, cosignatures and used ids: everything that is
 * append-only.
 */
#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "store/name_index.h"
#include "store/store_internal.h"

/* A scan that passes on each row as a value of its own type. */
struct store_entries_scan {
    union {
        bt_store_entry_fn *entry;
        bt_store_hash_fn *hash;
        bt_store_checkpoint_fn *checkpoint;
        bt_store_cosignature_fn *cosignature;
        bt_store_size_fn *size;
        bt_store_used_id_fn *used_id;
    } each;
    void *context;
};

enum bt_status bt_store_entry_put(struct bt_store *store, const struct bt_store_entry *entry,
                                  struct bt_error *error)
{
    assert(entry);
    const struct bt_store_cell cells[] = {
        bt_store_cell_number(entry->seq),      bt_store_cell_bytes(entry->leaf),
        bt_store_cell_bytes(entry->entry),     bt_store_cell_bytes(entry->batch),
        bt_store_cell_text(entry->kind),       bt_store_cell_text(entry->verdict),
        bt_store_cell_text(entry->handoff_id), bt_store_cell_text(entry->trace_id),
        bt_store_cell_bytes(entry->document),
    };
    BT_TRY(bt_store_put(store, BT_SQL_ENTRY_PUT, cells, 9, error));
    return bt_store_name_index_add(store, BT_STORE_INDEXED_TABLE_ENTRIES, entry->seq, cells + 6,
                                   error);
}

static struct bt_store_entry entry_of(const struct bt_store_cell *cells)
{
    return (struct bt_store_entry){
        .seq = bt_store_cell_u64(&cells[0]),
        .leaf = cells[1].text,
        .entry = cells[2].text,
        .batch = cells[3].text,
        .kind = cells[4].text,
        .verdict = cells[5].text,
        .handoff_id = cells[6].text,
        .trace_id = cells[7].text,
        .document = cells[8].text,
    };
}

static bool take_entry(void *context, const struct bt_store_cell *cells)
{
    const struct store_entries_scan *scan = context;
    const struct bt_store_entry entry = entry_of(cells);
    return scan->each.entry(scan->context, &entry);
}

/* The entries with a name, among the candidates. */
struct store_entries_named_scan {
    const struct bt_store_scan *scan;
    enum bt_store_name_kind kind;
    bool is_over;
    bt_store_entry_fn *each;
    void *context;
};

static bool take_named(void *context, const struct bt_store_cell *cells)
{
    struct store_entries_named_scan *named = context;
    const struct bt_store_entry entry = entry_of(cells);
    const bt_str names[] = {[BT_STORE_NAME_KIND_HANDOFF] = entry.handoff_id,
                            [BT_STORE_NAME_KIND_TRACE] = entry.trace_id,
                            [BT_STORE_NAME_KIND_DOCUMENT] = entry.document};
    if (names[named->kind].ptr && bt_str_eq(names[named->kind], named->scan->key)) {
        named->is_over = !named->each(named->context, &entry);
    }
    return !named->is_over;
}

/* Scan the seqs in order, as many at a time as one statement takes; a shorter run is padded with
 * its last seq, which is found once. */
static enum bt_status scan_among(struct bt_store *store, const struct bt_buf *seqs, bool is_down,
                                 struct store_entries_named_scan *named, struct bt_error *error)
{
    const size_t count = seqs->len / sizeof(uint64_t);
    for (size_t done = 0; done < count && !named->is_over; done += BT_ENTRIES_AMONG) {
        struct bt_store_cell cells[BT_ENTRIES_AMONG];
        for (size_t i = 0; i < BT_ENTRIES_AMONG; i++) {
            const size_t at = done + i < count ? done + i : count - 1;
            uint64_t seq = 0;
            memcpy(&seq, seqs->ptr + (is_down ? count - 1 - at : at) * sizeof(seq), sizeof(seq));
            cells[i] = bt_store_cell_number(seq);
        }
        const struct bt_store_query query = {is_down ? BT_SQL_ENTRY_AMONG_DOWN : BT_SQL_ENTRY_AMONG,
                                             cells, BT_ENTRIES_AMONG, take_named, named};
        BT_TRY(bt_store_run(store, &query, error));
    }
    return BT_OK;
}

static enum bt_status scan_named(struct bt_store *store, struct store_entries_named_scan *named,
                                 struct bt_error *error)
{
    const enum bt_store_order order = named->scan->order;
    const bool is_down = order == BT_STORE_BY_HANDOFF_DOWN || order == BT_STORE_BY_TRACE_DOWN;
    struct bt_buf seqs;
    bt_buf_init(&seqs, SIZE_MAX);
    named->kind = order == BT_STORE_BY_DOCUMENT ? BT_STORE_NAME_KIND_DOCUMENT
                  : order == BT_STORE_BY_TRACE || order == BT_STORE_BY_TRACE_DOWN
                      ? BT_STORE_NAME_KIND_TRACE
                      : BT_STORE_NAME_KIND_HANDOFF;
    enum bt_status status =
        bt_store_name_index_find(store, named->kind, named->scan->key, &seqs, error);
    if (status == BT_OK) {
        status = scan_among(store, &seqs, is_down, named, error);
    }
    bt_buf_free(&seqs);
    return status;
}

enum bt_status bt_store_entries_of(struct bt_store *store, bt_str sha256, uint64_t out[2],
                                   struct bt_error *error)
{
    uint64_t range[2] = {1, 0};
    struct bt_buf seqs;
    bt_buf_init(&seqs, SIZE_MAX);
    const enum bt_status status =
        bt_store_name_index_find(store, BT_STORE_NAME_KIND_DOCUMENT, sha256, &seqs, error);
    if (status == BT_OK && seqs.len > 0) {
        memcpy(&range[0], seqs.ptr, sizeof(range[0]));
        memcpy(&range[1], seqs.ptr + seqs.len - sizeof(range[1]), sizeof(range[1]));
    }
    bt_buf_free(&seqs);
    BT_TRY(status);
    memcpy(out, range, sizeof(range));
    return BT_OK;
}

enum bt_status bt_store_entry_scan(struct bt_store *store, const struct bt_store_scan *scan,
                                   bt_store_entry_fn *each, void *context, struct bt_error *error)
{
    assert(scan);
    assert(each);
    struct store_entries_scan rows = {.each.entry = each, .context = context};
    struct store_entries_named_scan named = {.scan = scan, .each = each, .context = context};
    const struct bt_store_cell from =
        bt_store_cell_number(scan->from < INT64_MAX ? scan->from : (uint64_t)INT64_MAX);
    const struct bt_store_query queries[] = {
        [BT_STORE_UP] = {BT_SQL_ENTRY_UP, &from, 1, take_entry, &rows},
        [BT_STORE_DOWN] = {BT_SQL_ENTRY_DOWN, &from, 1, take_entry, &rows},
        [BT_STORE_ABSENT] = {bt_store_is_remote(store) ? BT_SQL_DOCUMENT_ABSENT
                                                       : BT_SQL_DOCUMENT_ROW_ABSENT,
                             NULL, 0, take_entry, &rows},
    };
    return scan->order <= BT_STORE_ABSENT ? bt_store_run(store, &queries[scan->order], error)
                                          : scan_named(store, &named, error);
}

/* A scan of texts; the rest of the entry stays absent. */
struct store_entries_text_scan {
    bt_store_entry_fn *each;
    void *context;
    struct bt_store_entry entry;
};

static bool take_text(void *context, const struct bt_store_cell *cells)
{
    struct store_entries_text_scan *scan = context;
    scan->entry.seq = bt_store_cell_u64(&cells[0]);
    scan->entry.leaf = cells[1].text;
    scan->entry.entry = cells[2].text;
    return scan->each(scan->context, &scan->entry);
}

enum bt_status bt_store_text_scan(struct bt_store *store, const uint64_t range[2],
                                  bt_store_entry_fn *each, void *context, struct bt_error *error)
{
    assert(each);
    struct store_entries_text_scan rows = {.each = each, .context = context};
    const struct bt_store_cell cells[] = {bt_store_cell_number(range[0]),
                                          bt_store_cell_number(range[1])};
    const struct bt_store_query query = {BT_SQL_ENTRY_TEXTS, cells, 2, take_text, &rows};
    return bt_store_run(store, &query, error);
}

static bool take_hash(void *context, const struct bt_store_cell *cells)
{
    const struct store_entries_scan *scan = context;
    return scan->each.hash(scan->context, bt_store_cell_u64(&cells[0]), cells[1].text);
}

enum bt_status bt_store_hash_scan(struct bt_store *store, uint32_t level, const uint64_t range[2],
                                  bt_store_hash_fn *each, void *context, struct bt_error *error)
{
    assert(each);
    struct store_entries_scan rows = {.each.hash = each, .context = context};
    const struct bt_store_cell cells[] = {bt_store_cell_number(level),
                                          bt_store_cell_number(range[0]),
                                          bt_store_cell_number(range[1])};
    const struct bt_store_query leaves = {BT_SQL_LEAF_SCAN, cells + 1, 2, take_hash, &rows};
    const struct bt_store_query hashes = {BT_SQL_HASH_SCAN, cells, 3, take_hash, &rows};
    if (level == 0 && bt_store_has_cached_leaves(store, range)) {
        bt_store_scan_cached_leaves(store, range, each, context);
        return BT_OK;
    }
    return bt_store_run(store, level == 0 ? &leaves : &hashes, error);
}

enum bt_status bt_store_hash_put(struct bt_store *store, uint32_t level, uint64_t n, bt_str hash,
                                 struct bt_error *error)
{
    assert(level > 0);
    const struct bt_store_cell cells[] = {bt_store_cell_number(level), bt_store_cell_number(n),
                                          bt_store_cell_bytes(hash)};
    return bt_store_put(store, BT_SQL_HASH_PUT, cells, 3, error);
}

enum bt_status bt_store_checkpoint_put(struct bt_store *store,
                                       const struct bt_store_checkpoint *checkpoint,
                                       struct bt_error *error)
{
    assert(checkpoint);
    const struct bt_store_cell cells[] = {
        bt_store_cell_number(checkpoint->size),    bt_store_cell_bytes(checkpoint->root),
        bt_store_cell_bytes(checkpoint->frontier), bt_store_cell_text(checkpoint->note),
        bt_store_cell_bytes(checkpoint->batch),
    };
    store->has_newest = false;
    return bt_store_put(store, BT_SQL_CHECKPOINT_PUT, cells, 5, error);
}

/* A store of schema version 1 has no such text. */
static uint64_t entries_version(const struct bt_store_cell *cell)
{
    uint64_t version = 0;
    if (cell->type == BT_STORE_CELL_NULL) {
        return 1;
    }
    if (bt_str_eq(cell->text, BT_STR(BT_STORE_STATEMENTS))) {
        return BT_STORE_ENTRIES_STATEMENTS;
    }
    return bt_str_to_u64(cell->text, &version) == BT_OK && version > 0 ? version : BT_STORE_NONE;
}

struct bt_store_checkpoint bt_store_checkpoint_of(const struct bt_store_cell *cells)
{
    return (struct bt_store_checkpoint){
        .size = bt_store_cell_u64(&cells[0]),
        .root = cells[1].text,
        .frontier = cells[2].text,
        .note = cells[3].text,
        .batch = cells[4].text,
        .entries = entries_version(&cells[5]),
    };
}

struct store_entries_one_checkpoint {
    struct bt_arena *arena;
    struct bt_store_checkpoint *out;
    enum bt_status status; /* BT_ENOENT until a row came */
};

static enum bt_status keep_checkpoint(struct bt_arena *arena, const struct bt_store_checkpoint *row,
                                      struct bt_store_checkpoint *out)
{
    out->size = row->size;
    out->entries = row->entries;
    BT_TRY(bt_arena_copy(arena, row->root, &out->root));
    BT_TRY(bt_arena_copy(arena, row->frontier, &out->frontier));
    BT_TRY(bt_arena_copy(arena, row->note, &out->note));
    return bt_arena_copy(arena, row->batch, &out->batch);
}

static bool take_checkpoint(void *context, const struct bt_store_cell *cells)
{
    struct store_entries_one_checkpoint *one = context;
    const struct bt_store_checkpoint row = bt_store_checkpoint_of(cells);
    one->status = keep_checkpoint(one->arena, &row, one->out);
    return false;
}

enum bt_status bt_store_checkpoint_get(struct bt_store *store, struct bt_arena *arena,
                                       uint64_t size, struct bt_store_checkpoint *out,
                                       struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct bt_store_checkpoint found = {0};
    struct store_entries_one_checkpoint one = {arena, &found, BT_ENOENT};
    const struct bt_store_cell key = bt_store_cell_number(size);
    const struct bt_store_query last = {BT_SQL_CHECKPOINT_LAST, NULL, 0, take_checkpoint, &one};
    const struct bt_store_query exact = {BT_SQL_CHECKPOINT_GET, &key, 1, take_checkpoint, &one};
    if (size == BT_STORE_NONE && store->writing && store->has_newest) {
        one.status = keep_checkpoint(arena, &store->newest, &found);
    } else {
        BT_TRY(bt_store_run(store, size == BT_STORE_NONE ? &last : &exact, error));
    }
    if (one.status != BT_OK) {
        return bt_error_set(error, one.status, "no checkpoint was signed at this size");
    }
    *out = found;
    return BT_OK;
}

static bool pass_checkpoint(void *context, const struct bt_store_cell *cells)
{
    const struct store_entries_scan *scan = context;
    const struct bt_store_checkpoint row = bt_store_checkpoint_of(cells);
    return scan->each.checkpoint(scan->context, &row);
}

enum bt_status bt_store_checkpoint_scan(struct bt_store *store, uint64_t from,
                                        bt_store_checkpoint_fn *each, void *context,
                                        struct bt_error *error)
{
    assert(each);
    struct store_entries_scan rows = {.each.checkpoint = each, .context = context};
    const struct bt_store_cell key = bt_store_cell_number(from);
    const struct bt_store_query query = {BT_SQL_CHECKPOINT_SCAN, &key, 1, pass_checkpoint, &rows};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_cosignature_put(struct bt_store *store,
                                        const struct bt_store_cosignature *line,
                                        struct bt_error *error)
{
    assert(line);
    const struct bt_store_cell cells[] = {
        bt_store_cell_number(line->size), bt_store_cell_text(line->name),
        bt_store_cell_bytes(line->key_id), bt_store_cell_text(line->line)};
    return bt_store_put(store, BT_SQL_COSIGNATURE_PUT, cells, 4, error);
}

static bool pass_cosignature(void *context, const struct bt_store_cell *cells)
{
    const struct store_entries_scan *scan = context;
    const struct bt_store_cosignature line = {
        .size = bt_store_cell_u64(&cells[0]),
        .name = cells[1].text,
        .key_id = cells[2].text,
        .line = cells[3].text,
    };
    return scan->each.cosignature(scan->context, &line);
}

enum bt_status bt_store_cosignature_scan(struct bt_store *store, uint64_t size,
                                         bt_store_cosignature_fn *each, void *context,
                                         struct bt_error *error)
{
    assert(each);
    struct store_entries_scan rows = {.each.cosignature = each, .context = context};
    const struct bt_store_cell key = bt_store_cell_number(size);
    const struct bt_store_query query = {BT_SQL_COSIGNATURE_SCAN, &key, 1, pass_cosignature, &rows};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_cosignature_last(struct bt_store *store, bt_str name, bt_str key_id,
                                         bt_store_cosignature_fn *each, void *context,
                                         struct bt_error *error)
{
    assert(each);
    struct store_entries_scan rows = {.each.cosignature = each, .context = context};
    const struct bt_store_cell key[] = {bt_store_cell_text(name), bt_store_cell_bytes(key_id)};
    const struct bt_store_query query = {BT_SQL_COSIGNATURE_LAST, key, 2, pass_cosignature, &rows};
    return bt_store_run(store, &query, error);
}

static bool pass_size(void *context, const struct bt_store_cell *cells)
{
    const struct store_entries_scan *scan = context;
    return scan->each.size(scan->context, bt_store_cell_u64(&cells[0]));
}

enum bt_status bt_store_cosigned_scan(struct bt_store *store, bt_store_size_fn *each, void *context,
                                      struct bt_error *error)
{
    assert(each);
    struct store_entries_scan rows = {.each.size = each, .context = context};
    const struct bt_store_query query = {BT_SQL_COSIGNATURE_SIZES, NULL, 0, pass_size, &rows};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_used_id_put(struct bt_store *store, bt_str dialect, bt_str id,
                                    const struct bt_store_used_id *seen, struct bt_error *error)
{
    assert(seen);
    const struct bt_store_cell cells[] = {bt_store_cell_text(dialect), bt_store_cell_text(id),
                                          bt_store_cell_number(seen->seq),
                                          bt_store_cell_bytes(seen->document)};
    struct bt_store_transaction_cache_row *known = bt_store_cached_id(store, dialect, id);
    BT_TRY(bt_store_put(store, BT_SQL_SEEN_PUT, cells, 4, error));
    return known ? bt_store_transaction_cache_set_used(&store->ids, known, seen) : BT_OK;
}

struct store_used_id_result {
    struct bt_arena *arena;
    struct bt_store_used_id seen;
    enum bt_status status; /* BT_ENOENT until a row came */
};

static bool take_seen(void *context, const struct bt_store_cell *cells)
{
    struct store_used_id_result *one = context;
    one->seen.seq = bt_store_cell_u64(&cells[0]);
    one->status = bt_arena_copy(one->arena, cells[1].text, &one->seen.document);
    return false;
}

enum bt_status bt_store_used_id_get(struct bt_store *store, struct bt_arena *arena,
                                    const bt_str key[2], struct bt_store_used_id *out,
                                    struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct store_used_id_result one = {.arena = arena, .status = BT_ENOENT};
    const struct bt_store_cell cells[] = {bt_store_cell_text(key[0]), bt_store_cell_text(key[1])};
    const struct bt_store_query query = {BT_SQL_SEEN_GET, cells, 2, take_seen, &one};
    const struct bt_store_transaction_cache_row *known = bt_store_cached_id(store, key[0], key[1]);
    if (!known) {
        BT_TRY(bt_store_run(store, &query, error));
    } else if (known->exists) {
        one.seen.seq = known->seen.seq;
        one.status = bt_arena_copy(arena, known->seen.document, &one.seen.document);
    }
    if (one.status == BT_ENOENT) {
        return BT_ENOENT; /* this is the normal case, so it has no message */
    }
    if (one.status != BT_OK) {
        return bt_error_set(error, one.status, "%s", bt_status_text(one.status));
    }
    *out = one.seen;
    return BT_OK;
}

static bool pass_seen(void *context, const struct bt_store_cell *cells)
{
    const struct store_entries_scan *scan = context;
    const struct bt_store_used_id seen = {bt_store_cell_u64(&cells[2]), cells[3].text};
    return scan->each.used_id(scan->context, cells[0].text, cells[1].text, &seen);
}

enum bt_status bt_store_used_id_scan(struct bt_store *store, bt_store_used_id_fn *each,
                                     void *context, struct bt_error *error)
{
    assert(each);
    struct store_entries_scan rows = {.each.used_id = each, .context = context};
    const struct bt_store_query query = {BT_SQL_SEEN_SCAN, NULL, 0, pass_seen, &rows};
    return bt_store_run(store, &query, error);
}
