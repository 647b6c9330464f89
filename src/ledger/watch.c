/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - one look at somebody else's log: its newest checkpoint must be signed, extend the
 * remembered one, and not be too old.
 *
 * Comparing and remembering happen under one lock for each log, so that two processes with one
 * memory cannot take it back.
 */
#include "ledger/watch.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "json/emit.h"
#include "ledger/policy.h"
#include "ledger/witness_internal.h"
#include "store/files.h"

/* A tile that was read; one proof needs many hashes of few tiles. */
struct watch_tile {
    struct bt_tile tile;
    bt_str hashes;
};

enum watch_status {
    WATCH_UNKNOWN = 0, /* the checkpoint cannot be trusted */
    WATCH_FIRST,
    WATCH_SAME,
    WATCH_GROWN,
    WATCH_ROLLBACK,
    WATCH_FORK,
};

struct ledger_watch {
    struct bt_arena *arena;
    const struct bt_ledger_watch_options *options;
    struct bt_findings *findings;
    struct bt_error *error;
    struct bt_checkpoint checkpoint;
    struct bt_witness_log *memory;
    enum watch_status status;
    bt_str policy_facts; /* JSON object; "" without a policy */
    struct {
        struct watch_tile *items;
        size_t count;
        size_t capacity;
    } tiles;
};

/* ---- Tiles ----------------------------------------------------------------------------------- */

static enum bt_status read_file(struct ledger_watch *watch, bt_str path, size_t bytes_max,
                                bt_str *out)
{
    const struct bt_log_source *log = &watch->options->log;
    BT_TRY(log->read(log->context, watch->arena, path, bytes_max, out, watch->error));
    return out->len <= bytes_max
               ? BT_OK
               : bt_error_set(watch->error, BT_ELIMIT, "%.*s is too large", BT_STR_ARG(path));
}

/* Read the partial tile that the size needs or, when the log has grown since, the full one. */
static enum bt_status read_tile(struct ledger_watch *watch, struct bt_tile tile, size_t bytes_max,
                                bt_str *out)
{
    const uint32_t width = bt_tile_width(tile, watch->checkpoint.size);
    struct bt_buf path;
    bt_buf_init(&path, 256);
    bt_tile_put_path(&path, tile, width);
    enum bt_status status =
        path.status == BT_OK ? read_file(watch, bt_buf_str(&path), bytes_max, out) : path.status;
    if (status == BT_ENOENT && width < BT_TILE_WIDTH) {
        bt_buf_clear(&path);
        bt_tile_put_path(&path, tile, BT_TILE_WIDTH);
        status = read_file(watch, bt_buf_str(&path), bytes_max, out);
    }
    if (status == BT_ENOENT) {
        status = bt_error_set(watch->error, BT_ENOENT, "the log has no %.*s",
                              BT_STR_ARG(bt_buf_str(&path)));
    }
    bt_buf_free(&path);
    return status;
}

static enum bt_status find_hashes(struct ledger_watch *watch, struct bt_tile tile, bt_str *out)
{
    for (size_t i = 0; i < watch->tiles.count; i++) {
        const struct watch_tile *known = &watch->tiles.items[i];
        if (known->tile.level == tile.level && known->tile.n == tile.n) {
            *out = known->hashes;
            return BT_OK;
        }
    }
    BT_TRY(read_tile(watch, tile, (size_t)BT_TILE_WIDTH * BT_HASH_BYTES, out));
    return bt_vec_push(watch->arena, &watch->tiles, ((struct watch_tile){tile, *out}));
}

/* The root of a complete subtree, from at most 128 hashes of one tile. */
static enum bt_status get_subtree(void *context, uint32_t level, uint64_t n,
                                  struct bt_merkle_hash *out)
{
    struct ledger_watch *watch = context;
    const size_t width = (size_t)1 << level % BT_TILE_HEIGHT;
    const struct bt_tile tile = {level / BT_TILE_HEIGHT, n * width / BT_TILE_WIDTH};
    const size_t first = (size_t)(n * width % BT_TILE_WIDTH) * BT_HASH_BYTES;
    struct bt_merkle_hash hashes[BT_TILE_WIDTH];
    bt_str bytes;
    BT_TRY(find_hashes(watch, tile, &bytes));
    if (bytes.len < first + width * BT_HASH_BYTES) {
        return bt_error_set(watch->error, BT_ECORRUPT, "tile %" PRIu64 " of level %u is too short",
                            tile.n, tile.level);
    }
    memcpy(hashes, bytes.ptr + first, width * BT_HASH_BYTES);
    for (size_t count = width; count > 1; count /= 2) {
        for (size_t i = 0; i < count / 2; i++) {
            bt_merkle_hash_node(&hashes[2 * i], &hashes[2 * i + 1], &hashes[i]);
        }
    }
    *out = hashes[0];
    return BT_OK;
}

/* ---- Growth ---------------------------------------------------------------------------------- */

static enum bt_status add_fork(struct ledger_watch *watch, enum bt_ledger_fork_source source)
{
    watch->status = WATCH_FORK;
    return bt_add_ledger_fork(watch->findings, bt_ledger_part(BT_STR("/checkpoint")),
                              watch->checkpoint.size, source);
}

static enum bt_status judge_growth(struct ledger_watch *watch)
{
    const struct bt_checkpoint *old = &watch->memory->checkpoint;
    const struct bt_checkpoint *new = &watch->checkpoint;
    const struct bt_merkle_subtrees log = {get_subtree, watch};
    const struct bt_consistency_proof claim = {old->size, new->size, old->root, new->root};
    struct bt_merkle_proof proof;
    BT_TRY(bt_consistency_proof_make(&log, old->size, new->size, &proof));
    if (!bt_consistency_proof_verify(&claim, &proof)) {
        return add_fork(watch, BT_LEDGER_FORK_SOURCE_GROWTH);
    }
    watch->status = WATCH_GROWN;
    return BT_OK;
}

static enum bt_status compare_memory(struct ledger_watch *watch)
{
    const struct bt_checkpoint *old = &watch->memory->checkpoint;
    const struct bt_checkpoint *new = &watch->checkpoint;
    if (!watch->memory->has_checkpoint) {
        watch->status = WATCH_FIRST;
        return BT_OK;
    }
    if (new->size < old->size) {
        watch->status = WATCH_ROLLBACK;
        return bt_add_ledger_rollback(watch->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                      new->size, old->size, BT_LEDGER_ROLLBACK_SOURCE_CHECKPOINT,
                                      BT_STR_ABSENT);
    }
    if (new->size > old->size) {
        return judge_growth(watch);
    }
    if (!bt_merkle_hash_eq(&new->root, &old->root)) {
        return add_fork(watch, BT_LEDGER_FORK_SOURCE_CHECKPOINT);
    }
    watch->status = WATCH_SAME;
    return BT_OK;
}

static enum bt_status remember_checkpoint(struct ledger_watch *watch)
{
    const struct bt_store_file_mode mode = {.mode = 0600, .replacing = true};
    bt_str path;
    if (watch->status == WATCH_SAME) {
        return BT_OK;
    }
    if (watch->status == WATCH_ROLLBACK || watch->status == WATCH_FORK) {
        return bt_witness_keep_evidence(watch->arena, watch->memory->folder, watch->checkpoint.note,
                                        watch->error);
    }
    BT_TRY(bt_arena_printf(watch->arena, &path, "%s/checkpoint", watch->memory->folder.ptr));
    return bt_store_write_file(path.ptr, watch->checkpoint.note, mode, watch->error);
}

/* Compare and remember; with the lock. */
static enum bt_status compare_locked(struct ledger_watch *watch)
{
    BT_TRY(bt_witness_log(watch->arena, watch->options->memory, watch->checkpoint.origin,
                          &watch->memory, watch->error));
    BT_TRY(compare_memory(watch));
    return remember_checkpoint(watch);
}

static enum bt_status use_memory(struct ledger_watch *watch)
{
    bt_str folder;
    BT_TRY(bt_witness_make_log_folder(watch->arena, watch->options->memory,
                                      watch->checkpoint.origin, &folder, watch->error));
    const int lock = bt_witness_lock(watch->arena, folder.ptr, watch->error);
    if (lock < 0) {
        return BT_EIO;
    }
    const enum bt_status status = compare_locked(watch);
    (void)close(lock);
    return status;
}

/* ---- Age ------------------------------------------------------------------------------------- */

/* The last entry of a bundle that begins with `width` entries. */
static bool cut_last_entry(bt_str bundle, uint32_t width, bt_str *out)
{
    size_t at = 0;
    *out = BT_STR("");
    for (uint32_t i = 0; i < width; i++) {
        if (bundle.len - at < 2) {
            return false;
        }
        const size_t length =
            (size_t)(unsigned char)bundle.ptr[at] << 8 | (size_t)(unsigned char)bundle.ptr[at + 1];
        at += 2;
        if (bundle.len - at < length) {
            return false;
        }
        *out = bt_str_slice(bundle, at, at + length);
        at += length;
    }
    return width > 0;
}

/* Read the last entry, and prove that it is the one that was signed. */
static enum bt_status read_last_entry(struct ledger_watch *watch, struct bt_entry *out)
{
    const uint64_t last = watch->checkpoint.size - 1;
    const struct bt_tile bundle = {BT_TILE_ENTRIES, last / BT_TILE_WIDTH};
    const struct bt_merkle_subtrees log = {get_subtree, watch};
    struct bt_inclusion_proof claim = {
        .index = last, .size = watch->checkpoint.size, .root = watch->checkpoint.root};
    struct bt_merkle_proof proof;
    struct bt_entry_check_result judged;
    bt_str bytes;
    bt_str entry;
    BT_TRY(read_tile(watch, bundle, BT_BUNDLE_BYTES_MAX, &bytes));
    if (!cut_last_entry(bytes, (uint32_t)(last % BT_TILE_WIDTH) + 1, &entry)) {
        return bt_error_set(watch->error, BT_ECORRUPT, "the last entries are incomplete");
    }
    bt_merkle_hash_leaf(entry, &claim.leaf);
    BT_TRY(bt_inclusion_proof_make(&log, last, claim.size, &proof));
    if (!bt_inclusion_proof_verify(&claim, &proof)) {
        return bt_error_set(watch->error, BT_ECORRUPT,
                            "the last entry is not the one that was signed");
    }
    BT_TRY(bt_entry_check(watch->arena, entry, out, &judged));
    return judged.judgement == BT_ENTRY_FINE
               ? BT_OK
               : bt_error_set(watch->error, BT_EINVAL,
                              "the last entry is not one that this program can read");
}

static enum bt_status judge_age(struct ledger_watch *watch)
{
    const struct bt_ledger_watch_options *options = watch->options;
    struct bt_entry *entry = BT_NEW(watch->arena, struct bt_entry);
    bt_instant time;
    if (!entry) {
        return bt_error_set(watch->error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (options->age_max_s == 0 || watch->checkpoint.size == 0) {
        return BT_OK; /* without entries there is nothing that could be old */
    }
    BT_TRY(read_last_entry(watch, entry));
    BT_TRY(bt_instant_parse(entry->time, &time));
    const bt_instant now = options->now;
    const bt_instant limit = bt_instant_after(time, options->age_max_s);
    const bool is_old =
        now.seconds > limit.seconds || (now.seconds == limit.seconds && now.nanos > limit.nanos);
    return is_old ? bt_add_ledger_stale(watch->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                        entry->time, (uint64_t)(now.seconds - time.seconds))
                  : BT_OK;
}

/* ---- One look -------------------------------------------------------------------------------- */

static enum bt_status judge_policy(struct ledger_watch *watch)
{
    const struct bt_witness_policy *policy = watch->options->policy;
    struct bt_checkpoint_witnesses witnessed;
    bool is_met = false;
    if (!policy) {
        return BT_OK;
    }
    BT_TRY(bt_ledger_check_witnesses(&watch->checkpoint, bt_witness_policy_witnesses(policy),
                                     watch->findings, &witnessed));
    BT_TRY(bt_witness_policy_add_unsupported(policy, watch->findings));
    return bt_witness_policy_judge(policy, &witnessed, watch->findings, &watch->policy_facts,
                                   &is_met);
}

static enum bt_status put_facts(const struct ledger_watch *watch, bt_str *out)
{
    static const char *const words[] = {[WATCH_FIRST] = "first",
                                        [WATCH_SAME] = "same",
                                        [WATCH_GROWN] = "grown",
                                        [WATCH_ROLLBACK] = "rollback",
                                        [WATCH_FORK] = "fork"};
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    if (watch->status != WATCH_UNKNOWN) {
        char root[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&watch->checkpoint.root, root);
        bt_emit_member_string(&emit, "origin", watch->checkpoint.origin);
        bt_emit_member_u64(&emit, "size", watch->checkpoint.size);
        bt_emit_member_string(&emit, "root", bt_str_of(root));
        if (watch->memory->has_checkpoint) {
            bt_emit_member_u64(&emit, "remembered", watch->memory->checkpoint.size);
        } else {
            bt_emit_name(&emit, "remembered");
            bt_emit_raw(&emit, BT_STR("null"));
        }
        bt_emit_member_string(&emit, "status", bt_str_of(words[watch->status]));
    }
    if (watch->policy_facts.len > 0) {
        bt_emit_name(&emit, "policy");
        bt_emit_raw(&emit, watch->policy_facts);
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, watch->arena, out);
}

static enum bt_status judge_log(struct ledger_watch *watch)
{
    const struct bt_ledger_watch_options *options = watch->options;
    struct bt_checkpoint_input shown = {
        .pointer = BT_STR("/checkpoint"), .log_keys = &options->keys->keys, .origin = BT_STR("")};
    bool is_fine = false;
    const enum bt_status status =
        read_file(watch, BT_STR("checkpoint"), BT_NOTE_BYTES_MAX, &shown.note);
    if (status == BT_ENOENT) {
        return bt_error_set(watch->error, BT_ENOENT, "the log has no checkpoint");
    }
    BT_TRY(status);
    BT_TRY(bt_ledger_check_checkpoint(&shown, watch->findings, &watch->checkpoint, &is_fine));
    if (!is_fine) {
        return BT_OK;
    }
    BT_TRY(judge_policy(watch));
    BT_TRY(use_memory(watch));
    return watch->status == WATCH_ROLLBACK || watch->status == WATCH_FORK ? BT_OK
                                                                          : judge_age(watch);
}

enum bt_status bt_ledger_watch(struct bt_arena *arena,
                               const struct bt_ledger_watch_options *options,
                               struct bt_judgement *out, struct bt_error *error)
{
    assert(options);
    assert(options->keys);
    struct ledger_watch *watch = BT_NEW(arena, struct ledger_watch);
    struct bt_findings *findings = bt_findings_new(arena);
    bt_str facts;
    if (!watch || !findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    *watch = (struct ledger_watch){
        .arena = arena, .options = options, .findings = findings, .error = error};
    BT_TRY(judge_log(watch));
    BT_TRY(put_facts(watch, &facts));
    return bt_judgement_make(options->path, BT_DIALECT_CHECKPOINT, BT_STR(""), findings, facts,
                             out);
}

/* ---- A store as a log of files --------------------------------------------------------------- */

static enum bt_status read_store_tile(struct bt_ledger *ledger, struct bt_arena *arena, bt_str path,
                                      size_t bytes_max, bt_str *out, struct bt_error *error)
{
    struct bt_findings *alarms = bt_findings_new(arena);
    struct bt_buf buf;
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_buf_init(&buf, bytes_max);
    enum bt_status status = bt_ledger_put_tile(ledger, arena, path, alarms, &buf, error);
    if (status == BT_OK && bt_findings_count(alarms) > 0) {
        const struct bt_finding *alarm = bt_findings_at(alarms, 0);
        status = bt_error_set(error, BT_ECORRUPT, "%.*s: %.*s", BT_STR_ARG(alarm->rule->code),
                              BT_STR_ARG(alarm->message));
    }
    status = status == BT_OK ? bt_buf_copy(&buf, arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_ledger_read_log_file(void *context, struct bt_arena *arena, bt_str path,
                                       size_t bytes_max, bt_str *out, struct bt_error *error)
{
    const bt_str tiles = BT_STR("tile/");
    struct bt_ledger_checkpoint newest;
    if (bt_str_starts_with(path, tiles)) {
        return read_store_tile(context, arena, bt_str_slice(path, tiles.len, path.len), bytes_max,
                               out, error);
    }
    BT_TRY(bt_ledger_get_checkpoint(context, arena, BT_LEDGER_SEQ_NONE, &newest, error));
    *out = newest.note;
    return BT_OK;
}
