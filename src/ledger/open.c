/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - find, open and close a ledger, and check its state (rules D9 and D11). */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/uninitialized.h"
#include "ledger/ledger_internal.h"
#include "ledger/memory.h"
#include "ledger/sha256_pair.h"
#include "store/files.h"

enum { LEDGER_BYTES_MAX = 1 << 20, GROWTH_MAX = 1024, OTHER_WRITERS_TTL = 32 };

enum bt_status bt_ledger_companion_path(struct bt_arena *arena,
                                        const struct bt_store_location *place, const char *ending,
                                        bt_str *out)
{
    return bt_arena_printf(arena, out, "%.*s%s", BT_STR_ARG(place->base), ending);
}

enum bt_status bt_ledger_find_store(struct bt_arena *arena, const struct bt_ledger_options *options,
                                    bool upwards, struct bt_store_location *out,
                                    struct bt_error *error)
{
    assert(options);
    const struct bt_store_workspace workspace = {options->root, upwards};
    return options->store
               ? bt_store_location_of(arena, bt_str_of(options->store), workspace, out, error)
               : bt_store_default_location(arena, workspace, out, error);
}

/* Read what the leaves of the log are. */
static enum bt_status read_form(struct bt_ledger *ledger, struct bt_error *error)
{
    struct bt_error why;
    bt_str entries;
    const enum bt_status status =
        bt_store_meta_get(ledger->store, &ledger->arena, BT_STR("entries"), &entries, &why);
    if (status != BT_OK && status != BT_ENOENT) { /* a store of schema 1 has none */
        return bt_error_set(error, status, "%s", why.text);
    }
    if (status == BT_OK && bt_str_eq(entries, BT_STR(BT_STORE_STATEMENTS))) {
        ledger->form.version = BT_STORE_ENTRIES_STATEMENTS;
        return BT_OK;
    }
    ledger->form.version = 1;
    if (status == BT_OK && (bt_str_to_u64(entries, &ledger->form.version) != BT_OK ||
                            !bt_entry_version_is_known(ledger->form.version))) {
        return bt_error_set(error, BT_EINVAL,
                            "its entries have version %.*s; this program knows 1 and 2: use a "
                            "newer one",
                            BT_STR_ARG(entries));
    }
    return BT_OK;
}

static enum bt_status read_meta(struct bt_ledger *ledger, const struct bt_ledger_options *options,
                                struct bt_error *error)
{
    struct bt_arena *arena = &ledger->arena;
    struct bt_error why;
    bt_str test_key;
    BT_TRY(bt_store_meta_get(ledger->store, arena, BT_STR("vkey"), &ledger->first_vkey, error));
    BT_TRY(bt_store_meta_get(ledger->store, arena, BT_STR("test_key"), &test_key, error));
    ledger->is_test_key = bt_str_eq(test_key, BT_STR("true"));
    BT_TRY(read_form(ledger, error));
    if (bt_ledger_has_statements(ledger) && !options->accepts_statements) {
        return bt_error_set(error, BT_EDENIED,
                            "it is a log of statements of others, and this needs a log of "
                            "decisions");
    }
    if (bt_vkey_parse(ledger->first_vkey, BT_KEY_LOG, &ledger->vkey, &why) != BT_OK) {
        return bt_error_set(error, BT_ECORRUPT, "its own vkey is damaged: %s", why.text);
    }
    const struct bt_store_location *place = bt_store_url(ledger->store);
    BT_TRY(bt_ledger_companion_path(arena, place, ".head", &ledger->files.head));
    BT_TRY(bt_ledger_companion_path(arena, place, ".vkey", &ledger->files.vkey));
    ledger->origin = bt_vkey_name(&ledger->vkey);
    BT_TRY(bt_ledger_memory_path(arena, &options->memory, ledger->origin, ledger->is_test_key,
                                 &ledger->files.seen));
    BT_TRY(bt_arena_printf(arena, &ledger->files.memories, "%s%s%s", ledger->files.head.ptr,
                           ledger->files.seen.len > 0 ? " and " : "", ledger->files.seen.ptr));
    return bt_ledger_reload_public_keys(ledger, error);
}

/* Open the store in an existing arena that will hold the ledger. */
static enum bt_status open_in(struct bt_arena *arena, const struct bt_ledger_options *options,
                              bool writing, struct bt_ledger **out, struct bt_error *error)
{
    struct bt_store_location place;
    const struct bt_store_options store = {.deadline_ms = options->deadline_ms,
                                           .opening_ms = options->open_deadline_ms,
                                           .cache_kib = options->cache_kib,
                                           .is_lenient = options->allow_unsafe,
                                           .accepts_old_schema = options->allow_old_schema};
    BT_TRY(bt_ledger_find_store(arena, options, true, &place, error));
    struct bt_ledger *ledger = BT_NEW(arena, struct bt_ledger);
    if (!ledger) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    struct bt_error why;
    const uint64_t until = bt_store_deadline(&store);
    enum bt_status status = bt_store_open(&place, &store, &ledger->store, &why);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%.80s: %s", place.url.ptr, why.text);
    }
    ledger->arena = *arena;
    bt_store_set_deadline(ledger->store, until);
    status = read_meta(ledger, options, error);
    bt_store_set_deadline(ledger->store, BT_STORE_NONE);
    if (status == BT_OK && writing) {
        status = bt_ledger_load_private_keys(ledger, options, error);
    }
    *arena = ledger->arena;
    if (status != BT_OK) {
        bt_store_close(ledger->store);
        return status;
    }
    *out = ledger;
    return BT_OK;
}

enum bt_status bt_ledger_open(const struct bt_ledger_options *options, bool writing,
                              struct bt_ledger **out, struct bt_error *error)
{
    assert(options);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, LEDGER_BYTES_MAX);
    const enum bt_status status = open_in(&arena, options, writing, out, error);
    if (status != BT_OK) {
        bt_arena_free(&arena);
    }
    return status;
}

void bt_ledger_close(struct bt_ledger *ledger)
{
    if (!ledger) {
        return;
    }
    bt_store_close(ledger->store);
    bt_ledger_wipe_keys(ledger);
    bt_arena_free(&ledger->figures.arena);
    struct bt_arena arena = ledger->arena; /* holds the ledger */
    bt_arena_free(&arena);
}

void bt_ledger_set_deadline(struct bt_ledger *ledger, uint64_t until_ms)
{
    assert(ledger);
    bt_store_set_deadline(ledger->store, until_ms);
}

bt_str bt_ledger_origin(const struct bt_ledger *ledger)
{
    assert(ledger);
    return ledger->origin;
}

bt_str bt_ledger_url(const struct bt_ledger *ledger)
{
    assert(ledger);
    return bt_store_url(ledger->store)->url;
}

uint64_t bt_ledger_entries(const struct bt_ledger *ledger)
{
    assert(ledger);
    return ledger->form.version;
}

bool bt_ledger_has_test_key(const struct bt_ledger *ledger)
{
    assert(ledger);
    return ledger->is_test_key;
}

bool bt_ledger_commit_is_unknown(const struct bt_ledger *ledger)
{
    assert(ledger);
    return ledger->is_unknown;
}

/* True when the frontier gives the root of the row; the tree and its root go to `state`. */
static bool restore_tree(const struct bt_store_checkpoint *row, struct bt_ledger_state *state)
{
    if (!bt_merkle_tree_restore(&state->tree, row->size, row->frontier)) {
        return false;
    }
    bt_merkle_tree_root(&state->tree, &state->root);
    return bt_str_eq(row->root, (bt_str){(const char *)state->root.bytes, BT_HASH_BYTES});
}

static bool is_seen(const struct bt_ledger *ledger, const struct bt_store_checkpoint *row)
{
    return ledger->known.is_set && ledger->known.tree.size == row->size &&
           bt_str_eq(row->root, (bt_str){(const char *)ledger->known.root.bytes, BT_HASH_BYTES});
}

void bt_ledger_remember_head(struct bt_ledger *ledger, const struct bt_ledger_state *state)
{
    ledger->known.is_set = true;
    ledger->known.tree = state->tree;
    ledger->known.root = state->root;
}

/* `actual` is NULL when the stored hashes give no root. */
static enum bt_status add_root_finding(struct bt_findings *alarms, uint64_t size,
                                       const struct bt_merkle_hash *expected,
                                       const struct bt_merkle_hash *actual)
{
    char wanted[BT_HASH_HEX_BYTES];
    char found[BT_HASH_HEX_BYTES];
    return bt_add_ledger_root_mismatch(
        alarms, bt_ledger_part(BT_STR("/checkpoint")), bt_merkle_hash_text(expected, wanted),
        bt_merkle_hash_text(actual, found), size, BT_LEDGER_ROOT_MISMATCH_SOURCE_HASHES);
}

/* Row, note and frontier must agree. */
static enum bt_status judge_row(const struct bt_store_checkpoint *row,
                                const struct bt_checkpoint *note, struct bt_findings *alarms,
                                struct bt_ledger_state *state)
{
    struct bt_merkle_tree tree;
    struct bt_merkle_hash root;
    if (row->size == note->size && restore_tree(row, state) &&
        bt_merkle_hash_eq(&state->root, &note->root)) {
        return BT_OK;
    }
    const bool has_root = bt_merkle_tree_restore(&tree, row->size, row->frontier);
    if (has_root) {
        bt_merkle_tree_root(&tree, &root);
    }
    return add_root_finding(alarms, row->size, &note->root, has_root ? &root : NULL);
}

/* Verify a checkpoint, unless it is the last that was verified, by the same keys. */
static enum bt_status check_note(struct bt_ledger *ledger, bt_str note, struct bt_findings *alarms,
                                 struct bt_checkpoint *out, bool *out_fine)
{
    struct bt_ledger_verified_note *last = &ledger->known.verified;
    const struct bt_checkpoint_input shown = {note, BT_STR("/checkpoint"), &ledger->keys->keys,
                                              BT_STR("")};
    *out_fine = last->len > 0 && bt_str_eq(note, (bt_str){last->text, last->len}) &&
                memcmp(&last->keys, &ledger->vkey_seen, sizeof(last->keys)) == 0;
    if (*out_fine) {
        out->size = last->size;
        out->root = last->root;
        return BT_OK;
    }
    BT_TRY(bt_ledger_check_checkpoint(&shown, alarms, out, out_fine));
    last->len = *out_fine && note.len <= sizeof(last->text) ? note.len : 0;
    memcpy(last->text, note.ptr, last->len);
    last->keys = ledger->vkey_seen;
    last->size = out->size;
    last->root = out->root;
    return BT_OK;
}

enum bt_status bt_ledger_state(struct bt_ledger *ledger, struct bt_arena *arena,
                               struct bt_findings *alarms, struct bt_ledger_state *out,
                               struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct bt_store_checkpoint row;
    struct bt_checkpoint *note = BT_NEW(arena, struct bt_checkpoint);
    bool fine = false;
    if (!note) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_store_checkpoint_get(ledger->store, arena, BT_STORE_NONE, &row, error));
    const bool has_statements = row.entries == BT_STORE_ENTRIES_STATEMENTS;
    if (has_statements != bt_ledger_has_statements(ledger) ||
        (!has_statements && !bt_entry_version_is_known(row.entries))) {
        return bt_error_set(error, BT_EINVAL, "its entries have another version since: restart");
    }
    ledger->form.version = row.entries; /* store migrate may have switched it */
    out->note = row.note;
    if (is_seen(ledger, &row) && restore_tree(&row, out)) {
        return BT_OK; /* it was verified before, or signed here */
    }
    BT_TRY(
        bt_ledger_reload_public_keys(ledger, error)); /* other nodes may have recorded entries and
                                                  * rotated keys */
    BT_TRY(check_note(ledger, row.note, alarms, note, &fine));
    return fine ? judge_row(&row, note, alarms, out) : BT_OK;
}

enum bt_status bt_ledger_write_head_file(const struct bt_ledger *ledger, bt_str note,
                                         struct bt_error *error)
{
    assert(ledger);
    const struct bt_store_file_mode mode = {.mode = 0600, .replacing = true};
    struct bt_error why;
    const enum bt_status status = bt_store_write_file(ledger->files.head.ptr, note, mode, &why);
    return status == BT_OK ? BT_OK
                           : bt_error_set(error, status, "the head file %.60s: %s",
                                          ledger->files.head.ptr, why.text);
}

/* A state that was signed earlier: from the head file, the state file or this process. */
struct ledger_known_head {
    uint64_t size;
    struct bt_merkle_hash root;
    bt_str pointer; /* for findings */
    bool is_shown;  /* by somebody else */
};

/* The log may have grown since, and must begin with that state. */
static enum bt_status judge_growth(struct bt_ledger *ledger, const struct bt_ledger_state *state,
                                   const struct ledger_known_head *head, struct bt_findings *alarms,
                                   struct bt_error *error)
{
    struct bt_merkle_hash root = state->root;
    const struct bt_location at = bt_ledger_part(head->pointer);
    if (head->size > state->tree.size) {
        return head->is_shown
                   ? bt_add_ledger_rollback(alarms, at, state->tree.size, head->size,
                                            BT_LEDGER_ROLLBACK_SOURCE_CHECKPOINT, BT_STR_ABSENT)
                   : bt_add_ledger_rollback(alarms, at, state->tree.size, head->size,
                                            BT_LEDGER_ROLLBACK_SOURCE_NODE, ledger->files.memories);
    }
    if (head->size < state->tree.size) {
        const struct bt_merkle_subtrees log = bt_ledger_subtrees(ledger);
        const enum bt_status status = bt_merkle_subtrees_root(&log, head->size, &root);
        if (status != BT_OK) {
            return bt_error_set(error, status, "hashes of the log are missing");
        }
    }
    if (bt_merkle_hash_eq(&root, &head->root)) {
        return BT_OK;
    }
    return bt_add_ledger_fork(alarms, at, head->size,
                              head->is_shown ? BT_LEDGER_FORK_SOURCE_CHECKPOINT
                                             : BT_LEDGER_FORK_SOURCE_NODE);
}

/* Compare the newest state with one that somebody else shows, and that this ledger has signed. */
static enum bt_status judge_shown(struct bt_ledger *ledger, struct bt_arena *arena,
                                  const struct ledger_known_head *known, struct bt_findings *alarms,
                                  struct bt_error *error)
{
    struct bt_ledger_state *state = BT_NEW(arena, struct bt_ledger_state);
    if (!state) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_state(ledger, arena, alarms, state, error));
    return bt_findings_count(alarms) == 0 ? judge_growth(ledger, state, known, alarms, error)
                                          : BT_OK;
}

enum bt_status bt_ledger_check_receipt_state(struct bt_ledger *ledger, struct bt_arena *arena,
                                             const struct bt_receipt_state *shown,
                                             struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(shown);
    struct ledger_known_head known = {
        .size = shown->size, .pointer = BT_STR("/receipt"), .is_shown = true};
    memcpy(known.root.bytes, shown->root, BT_HASH_BYTES);
    return judge_shown(ledger, arena, &known, alarms, error);
}

enum bt_status bt_ledger_check_shown(struct bt_ledger *ledger, struct bt_arena *arena, bt_str note,
                                     bt_str pointer, struct bt_findings *alarms,
                                     struct bt_error *error)
{
    assert(ledger);
    struct bt_checkpoint *shown = BT_NEW(arena, struct bt_checkpoint);
    struct bt_findings *ignored = bt_findings_new(arena);
    bool is_ours = false;
    if (!shown || !ignored) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_reload_public_keys(ledger, error));
    const struct bt_checkpoint_input input = {note, pointer, &ledger->keys->keys,
                                              bt_ledger_origin(ledger)};
    BT_TRY(bt_ledger_check_checkpoint(&input, ignored, shown, &is_ours));
    const struct ledger_known_head known = {shown->size, shown->root, pointer, true};
    return is_ours ? judge_shown(ledger, arena, &known, alarms, error) : BT_OK;
}

/* The tree that this process saw, while it grows to the one that others have signed since. */
struct ledger_growth_check {
    struct bt_merkle_tree tree;
    uint64_t size; /* the signed size */
};

static bool add_leaf(void *context, uint64_t seq, bt_str hash)
{
    struct ledger_growth_check *growth = context;
    struct bt_merkle_hash leaf;
    struct bt_tile_hash done[BT_TILE_LEVELS];
    if (seq != growth->tree.size || seq >= growth->size || hash.len != BT_HASH_BYTES) {
        return false;
    }
    memcpy(leaf.bytes, hash.ptr, BT_HASH_BYTES);
    (void)bt_merkle_tree_add(&growth->tree, &leaf, done);
    return true;
}

/*
 * Nodes that alternate see a few new entries each time. Their leaves, added to the known tree, must
 * give the signed root: then nothing before them can differ. That takes one query, where the root
 * at the former size takes one for each of its subtrees.
 */
static enum bt_status judge_seen(struct bt_ledger *ledger, const struct bt_ledger_state *state,
                                 struct bt_findings *alarms, struct bt_error *error)
{
    const struct ledger_known_head head = {ledger->known.tree.size, ledger->known.root,
                                           BT_STR("/head"), false};
    struct ledger_growth_check growth = {.tree = ledger->known.tree, .size = state->tree.size};
    struct bt_merkle_hash root;
    const uint64_t range[2] = {head.size, growth.size};
    if (growth.size <= head.size) {
        ledger->other_writers_ttl -= ledger->other_writers_ttl > 0;
        return judge_growth(ledger, state, &head, alarms, error);
    }
    ledger->other_writers_ttl = OTHER_WRITERS_TTL;
    if (growth.size - head.size > GROWTH_MAX) {
        return judge_growth(ledger, state, &head, alarms, error);
    }
    BT_TRY(bt_store_hash_scan(ledger->store, 0, range, add_leaf, &growth, error));
    bt_merkle_tree_root(&growth.tree, &root);
    if (growth.tree.size == growth.size && bt_merkle_hash_eq(&root, &state->root)) {
        return BT_OK;
    }
    BT_TRY(judge_growth(ledger, state, &head, alarms, error));
    return bt_findings_count(alarms) > 0
               ? BT_OK
               : add_root_finding(alarms, growth.size, &state->root,
                                  growth.tree.size == growth.size ? &root : NULL);
}

/* A file that remembers a checkpoint, and the pointer of findings about it. */
struct ledger_head_source {
    bt_str path;
    bt_str pointer;
};

/* Compare the store with the checkpoint in a file; *out_has is false when there is no file. */
static enum bt_status judge_file(struct bt_ledger *ledger, struct bt_arena *arena,
                                 const struct ledger_head_source *source,
                                 const struct bt_ledger_state *state, struct bt_findings *alarms,
                                 bool *out_has, struct bt_error *error)
{
    bt_str note;
    bool fine = false;
    struct bt_error why;
    struct bt_checkpoint *head = BT_NEW(arena, struct bt_checkpoint);
    const enum bt_status status =
        head ? bt_file_read(arena, source->path, BT_NOTE_BYTES_MAX, &note, &why) : BT_ENOMEM;
    *out_has = status != BT_ENOENT;
    if (status == BT_ENOENT) {
        return BT_OK; /* a node that has seen nothing yet */
    }
    if (status != BT_OK) {
        return bt_error_set(error, status, "the file %.60s: %s", source->path.ptr,
                            head ? why.text : bt_status_text(BT_ENOMEM));
    }
    const struct bt_checkpoint_input shown = {note, source->pointer, &ledger->keys->keys,
                                              BT_STR("")};
    BT_TRY(bt_ledger_check_checkpoint(&shown, alarms, head, &fine));
    const struct ledger_known_head known = {head->size, head->root, source->pointer, false};
    return fine ? judge_growth(ledger, state, &known, alarms, error) : BT_OK;
}

enum bt_status bt_ledger_check_head_file(struct bt_ledger *ledger, struct bt_arena *arena,
                                         const struct bt_ledger_state *state,
                                         struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    const struct ledger_head_source head = {ledger->files.head, BT_STR("/head")};
    const struct ledger_head_source seen = {ledger->files.seen, BT_STR("/seen")};
    bool has_file = false;
    if (ledger->known.is_set) {
        return judge_seen(ledger, state, alarms, error);
    }
    BT_TRY(judge_file(ledger, arena, &head, state, alarms, &has_file, error));
    ledger->files.misses_head = !has_file && state->tree.size > 0;
    if (seen.path.len == 0) {
        return BT_OK;
    }
    const enum bt_status status = judge_file(ledger, arena, &seen, state, alarms, &has_file, error);
    if (status == BT_EDENIED) { /* a folder that is closed to us cannot be written either */
        atomic_store(&ledger->files.memory_failed, true);
        return BT_OK;
    }
    return status;
}

/* Hashes of a tile, collected. */
struct ledger_open_row_of_hashes {
    uint64_t first;
    size_t count;
    bool is_odd; /* a hash is missing or has the wrong length */
    struct bt_merkle_hash hashes[BT_TILE_WIDTH];
};

static bool collect_hash(void *context, uint64_t n, bt_str hash)
{
    struct ledger_open_row_of_hashes *row = context;
    if (n != row->first + row->count || hash.len != BT_HASH_BYTES || row->count == BT_TILE_WIDTH) {
        row->is_odd = true;
        return false;
    }
    memcpy(row->hashes[row->count++].bytes, hash.ptr, BT_HASH_BYTES);
    return true;
}

/* A subtree is computed from the nearest stored level, from at most 128 hashes. */
static enum bt_status get_subtree(void *context, uint32_t level, uint64_t n,
                                  struct bt_merkle_hash *out)
{
    struct bt_ledger *ledger = context;
    const size_t width = (size_t)1 << level % BT_TILE_HEIGHT;
    const uint64_t range[2] = {n * width, (n + 1) * width};
    BT_UNCLEARED struct ledger_open_row_of_hashes row;
    row.first = range[0];
    row.count = 0;
    row.is_odd = false;
    BT_TRY(
        bt_store_hash_scan(ledger->store, level / BT_TILE_HEIGHT, range, collect_hash, &row, NULL));
    if (row.is_odd || row.count != width) {
        return BT_ECORRUPT;
    }
    BT_UNCLEARED struct bt_sha256_nodes nodes;
    bt_sha256_nodes_init(&nodes, width / 2);
    bt_sha256_nodes_root(&nodes, row.hashes, width, bt_sha256_pair_is_supported(), out);
    return BT_OK;
}

struct bt_merkle_subtrees bt_ledger_subtrees(struct bt_ledger *ledger)
{
    return (struct bt_merkle_subtrees){get_subtree, ledger};
}
