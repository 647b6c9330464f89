/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - one pass over the log: entries against leaves, leaves against tiles, roots against
 * everything that was ever signed.
 *
 * The tree is grown leaf by leaf, so the root of every size is known when the pass reaches it,
 * along with the hashes of complete subtrees. Where an entry is missing its leaf hash is used, and
 * vice versa; where both are missing, roots are not checked from there on.
 */
#include "ledger/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "ledger/dsse.h"

enum { REGRESSION_MS_MAX = 5000 };

bool bt_verify_root(const struct bt_verify *verify, struct bt_merkle_hash *out)
{
    bt_merkle_tree_root(&verify->tree, out);
    return !verify->has_bad_leaf;
}

enum bt_status bt_verify_compare(struct bt_verify *verify, const struct bt_merkle_hash *root,
                                 bt_str pointer)
{
    struct bt_merkle_hash computed;
    bt_str params;
    if (!bt_verify_root(verify, &computed) || bt_merkle_hash_eq(&computed, root)) {
        return BT_OK;
    }
    BT_TRY(bt_ledger_hash_params(&verify->work, root, &computed, &params));
    return bt_verify_add_finding(
        verify, "LEDGER_ROOT_MISMATCH", pointer, params,
        "the entries do not give the root that was signed at size %" PRIu64, verify->tree.size);
}

/* Check heads and stored checkpoints of the size that the pass has reached. */
static void note_probes(struct bt_verify *verify)
{
    while (verify->next_probe < verify->probe_count &&
           verify->probes[verify->next_probe].size == verify->tree.size) {
        bt_merkle_tree_root(&verify->tree, &verify->probes[verify->next_probe++].computed);
    }
}

/* Compare the computed hashes of a tile with the stored ones. */
static enum bt_status compare_level(struct bt_verify *verify, uint32_t number)
{
    struct bt_verify_level *level = &verify->levels[number];
    const struct bt_tile tile = {number, level->first / BT_TILE_WIDTH};
    struct bt_verify_span *stored = BT_NEW(&verify->work, struct bt_verify_span);
    if (level->count == 0) {
        return BT_OK;
    }
    if (!stored) {
        return BT_ENOMEM;
    }
    stored->first = level->first;
    stored->width = level->count;
    BT_TRY(verify->source->tile(verify, tile, stored));
    for (uint32_t i = 0; i < level->count; i++) {
        bt_str pointer;
        bt_str params;
        if (!stored->has_hash[i] || !level->is_sound[i] ||
            bt_merkle_hash_eq(&stored->hashes[i], &level->hashes[i])) {
            continue;
        }
        BT_TRY(bt_arena_printf(&verify->work, &pointer, "/tile/%u/%" PRIu64, number, tile.n));
        BT_TRY(bt_arena_printf(&verify->work, &params, "{\"index\":%u}", i));
        BT_TRY(bt_verify_add_finding(verify, "LEDGER_TILE_MISMATCH", pointer, params,
                                     "hash %u of this tile is not what the level below gives", i));
    }
    level->first += level->count;
    level->count = 0;
    return BT_OK;
}

static enum bt_status add_to_level(struct bt_verify *verify, const struct bt_tile_hash *done)
{
    struct bt_verify_level *level = &verify->levels[done->level];
    const uint64_t first_leaf = done->n << (done->level * BT_TILE_HEIGHT);
    level->hashes[level->count] = done->hash;
    level->is_sound[level->count] = !verify->has_bad_leaf || first_leaf > verify->last_bad_leaf;
    level->count++;
    return level->count == BT_TILE_WIDTH ? compare_level(verify, done->level) : BT_OK;
}

/* Pointers are made only for findings: most entries are valid. */
static enum bt_status put_pointer(struct bt_verify *verify, uint64_t seq, bt_str *out)
{
    return bt_arena_printf(&verify->work, out, "/entries/%" PRIu64, seq);
}

static enum bt_status add_leaf_finding(struct bt_verify *verify, uint64_t seq,
                                       const struct bt_merkle_hash *stored,
                                       const struct bt_merkle_hash *computed)
{
    bt_str pointer;
    bt_str params;
    BT_TRY(put_pointer(verify, seq, &pointer));
    BT_TRY(bt_ledger_hash_params(&verify->work, stored, computed, &params));
    return bt_verify_add_finding(verify, "LEDGER_LEAF_MISMATCH", pointer, params,
                                 "the entry does not hash to the leaf that is stored for it");
}

/* Is the time more than five seconds before the latest time so far? All times have one length,
 * so their bytes compare like the times. */
static enum bt_status judge_time(struct bt_verify *verify, uint64_t seq, bt_str time)
{
    bt_str pointer;
    bt_instant now;
    bt_instant latest;
    bt_str params;
    const bt_str so_far = bt_str_of(verify->latest_time);
    if (bt_str_compare(time, so_far) >= 0) {
        assert(time.len == BT_ENTRY_TIME_BYTES);
        memcpy(verify->latest_time, time.ptr, time.len); /* it must outlive the span */
        return BT_OK;
    }
    if (bt_instant_parse(time, &now) != BT_OK || bt_instant_parse(so_far, &latest) != BT_OK) {
        return BT_OK; /* rule E2 has reported it */
    }
    const int64_t behind_ms =
        (latest.seconds - now.seconds) * 1000 + (latest.nanos - now.nanos) / 1000000;
    if (behind_ms <= REGRESSION_MS_MAX) {
        return BT_OK;
    }
    BT_TRY(put_pointer(verify, seq, &pointer));
    BT_TRY(bt_arena_printf(&verify->work, &params, "{\"time\":\"%.*s\",\"previous\":\"%.*s\"}",
                           BT_STR_ARG(time), BT_STR_ARG(so_far)));
    return bt_verify_add_finding(
        verify, "LEDGER_TIME_REGRESSION", pointer, params,
        "the entry's time lies %" PRId64 " ms before that of an earlier one", behind_ms);
}

static enum bt_status note_digest(struct bt_verify *verify, const struct bt_entry *entry)
{
    struct bt_merkle_hash digest;
    if (!verify->wants_digests || entry->document.kept != BT_TRUE) {
        return BT_OK;
    }
    const bool is_digest = bt_merkle_hash_from_hex(entry->document.sha256, &digest);
    assert(is_digest);
    bt_buf_put(&verify->digests, (bt_str){(const char *)digest.bytes, BT_HASH_BYTES});
    return verify->digests.status;
}

static enum bt_status judge_seq(struct bt_verify *verify, uint64_t seq, uint64_t actual)
{
    bt_str pointer;
    bt_str params;
    if (actual == seq) {
        return BT_OK;
    }
    BT_TRY(put_pointer(verify, seq, &pointer));
    BT_TRY(bt_arena_printf(&verify->work, &params,
                           "{\"expected\":%" PRIu64 ",\"actual\":%" PRIu64 "}", seq, actual));
    return bt_verify_add_finding(verify, "LEDGER_SEQ_MISMATCH", pointer, params,
                                 "the entry at %" PRIu64 " says that it is number %" PRIu64, seq,
                                 actual);
}

/* The time and document of an altered entry prove nothing about other entries and documents, so
 * only recorded values are remembered. */
static enum bt_status judge_fine(struct bt_verify *verify, uint64_t seq,
                                 const struct bt_entry *entry, bool is_altered)
{
    BT_TRY(judge_seq(verify, seq, entry->seq));
    if (is_altered) {
        return BT_OK;
    }
    BT_TRY(note_digest(verify, entry));
    return judge_time(verify, seq, entry->time);
}

/* Check the rules about the bytes of an entry; `is_altered`: they do not hash to their leaf. */
static enum bt_status judge_rules(struct bt_verify *verify, uint64_t seq, bt_str text,
                                  bool is_altered)
{
    struct bt_entry entry;
    struct bt_entry_check_result judged;
    BT_TRY(bt_entry_check(&verify->work, text, &entry, &judged));
    if (verify->options->any_entries) {
        return judged.judgement == BT_ENTRY_FINE && !is_altered ? note_digest(verify, &entry)
                                                                : BT_OK;
    }
    if (judged.judgement == BT_ENTRY_FINE) {
        return judge_fine(verify, seq, &entry, is_altered);
    }
    bt_str pointer;
    bt_str params;
    BT_TRY(put_pointer(verify, seq, &pointer));
    if (judged.judgement == BT_ENTRY_NEWER) {
        BT_TRY(bt_arena_printf(&verify->work, &params, "{\"v\":%.*s}", BT_STR_ARG(judged.v)));
        return bt_verify_add_finding(verify, "LEDGER_ENTRY_VERSION", pointer, params,
                                     "the entry is of format %.*s; this program knows 1",
                                     BT_STR_ARG(bt_str_slice(judged.v, 0, 30)));
    }
    BT_TRY(bt_arena_printf(&verify->work, &params, "{\"rule\":\"%s\"}", judged.rule));
    return bt_verify_add_finding(verify, "LEDGER_ENTRY_INVALID", pointer, params,
                                 "the entry breaks rule %s: %s", judged.rule, judged.why);
}

/* One position of the log: which leaf counts, and what is wrong with it. */
static enum bt_status take_leaf(struct bt_verify *verify, const struct bt_verify_span *stretch,
                                uint32_t index, struct bt_merkle_hash *out)
{
    const uint64_t seq = stretch->first + index;
    *out = stretch->hashes[index];
    if (!stretch->has_entry[index]) {
        if (!stretch->has_hash[index]) {
            verify->has_bad_leaf = true;
            verify->last_bad_leaf = seq;
        }
        return BT_OK;
    }
    bt_merkle_hash_leaf(stretch->entries[index], out);
    verify->entries_checked++;
    const bool is_same =
        !stretch->has_hash[index] || bt_merkle_hash_eq(out, &stretch->hashes[index]);
    const struct bt_arena_mark before = bt_arena_mark(&verify->work);
    if (!is_same) {
        BT_TRY(add_leaf_finding(verify, seq, &stretch->hashes[index], out));
    }
    if (!verify->options->any_entries || verify->wants_digests) {
        BT_TRY(judge_rules(verify, seq, stretch->entries[index], !is_same));
    }
    bt_arena_rewind(&verify->work, before);
    return BT_OK;
}

/* The tree has grown: check what was signed at its size. */
static enum bt_status check_grown_tree(struct bt_verify *verify, const struct bt_tile_hash *done,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        BT_TRY(add_to_level(verify, &done[i]));
    }
    note_probes(verify);
    return verify->source->checkpoints(verify);
}

/* Check entry by entry, with findings. */
static enum bt_status walk_stretch(struct bt_verify *verify)
{
    struct bt_tile_hash done[BT_TILE_LEVELS];
    struct bt_verify_span *stretch = BT_NEW(&verify->work, struct bt_verify_span);
    if (!stretch) {
        return BT_ENOMEM;
    }
    const uint64_t left = verify->newest.size - verify->tree.size;
    stretch->first = verify->tree.size;
    stretch->width = left < BT_TILE_WIDTH ? (uint32_t)left : BT_TILE_WIDTH;
    BT_TRY(verify->source->stretch(verify, stretch));
    BT_TRY(verify->source->collect(verify, stretch->first, stretch->first + stretch->width));
    for (uint32_t i = 0; i < stretch->width; i++) {
        struct bt_merkle_hash leaf;
        BT_TRY(take_leaf(verify, stretch, i, &leaf));
        BT_TRY(check_grown_tree(verify, done, bt_merkle_tree_add(&verify->tree, &leaf, done)));
    }
    return BT_OK;
}

static enum bt_status walk_all(struct bt_verify *verify)
{
    const uint64_t size = verify->newest.size;
    while (verify->tree.size < size && !verify->is_stopped) {
        bt_arena_reset(&verify->work);
        BT_TRY(walk_stretch(verify));
        bt_progress_report(&verify->options->progress, verify->tree.size, size);
    }
    return BT_OK;
}

static enum bt_status verify_log(struct bt_verify *verify)
{
    bt_merkle_tree_init(&verify->tree);
    note_probes(verify);
    BT_TRY(verify->source->checkpoints(verify));
    BT_TRY(walk_all(verify));
    if (verify->is_stopped) {
        return BT_OK;
    }
    for (uint32_t level = 1; level < BT_TILE_LEVELS; level++) {
        bt_arena_reset(&verify->work);
        BT_TRY(compare_level(verify, level));
    }
    return bt_verify_compare(verify, &verify->newest.root, BT_STR("/checkpoint"));
}

static enum bt_status add_rollback_finding(struct bt_verify *verify,
                                           const struct bt_verify_known_root *probe)
{
    bt_str params;
    BT_TRY(bt_arena_printf(&verify->work, &params, "{\"size\":%" PRIu64 ",\"seen\":%" PRIu64 "}",
                           verify->newest.size, probe->size));
    return bt_verify_add_finding(verify, "LEDGER_ROLLBACK", probe->pointer, params,
                                 "there are %" PRIu64 " entries, and %" PRIu64 " were signed once",
                                 verify->newest.size, probe->size);
}

/* Check a stored checkpoint; when it can be trusted its root is compared later. */
static enum bt_status add_probe(struct bt_verify *verify, bt_str note, bt_str pointer, bt_str path)
{
    bool fine = false;
    struct bt_checkpoint *kept = BT_NEW(&verify->work, struct bt_checkpoint);
    const struct bt_checkpoint_input shown = {note, pointer, verify->keys, verify->newest.origin};
    if (!kept) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_ledger_check_checkpoint(&shown, verify->findings, kept, &fine));
    if (fine) {
        verify->probes[verify->probe_count++] = (struct bt_verify_known_root){
            .size = kept->size,
            .root = kept->root,
            .pointer = pointer,
            .result = kept->size > verify->newest.size ? "rollback" : "consistent",
            .path = path,
        };
        if (kept->size > verify->newest.size) {
            return add_rollback_finding(verify, &verify->probes[verify->probe_count - 1]);
        }
    }
    return BT_OK;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct bt_verify_known_root *left = a;
    const struct bt_verify_known_root *right = b;
    return left->size < right->size ? -1 : left->size > right->size;
}

static enum bt_status collect_probes(struct bt_verify *verify)
{
    const struct bt_ledger_verify_options *options = verify->options;
    verify->probes =
        BT_NEW_ARRAY(verify->arena, struct bt_verify_known_root, options->against_count + 1);
    if (!verify->probes) {
        return BT_ENOMEM;
    }
    if (verify->has_head) {
        BT_TRY(add_probe(verify, verify->head, BT_STR("/head"), BT_STR("")));
    }
    for (size_t i = 0; i < options->against_count; i++) {
        bt_str pointer;
        bt_str note;
        BT_TRY(bt_arena_printf(verify->arena, &pointer, "/against/%zu", i));
        BT_TRY(bt_receipt_find_note(verify->arena, options->against[i].note, &note));
        BT_TRY(add_probe(verify, note, pointer, options->against[i].path));
    }
    qsort(verify->probes, verify->probe_count, sizeof(struct bt_verify_known_root), compare_sizes);
    return BT_OK;
}

/*
 * Two histories were signed when this one, although valid, has another root at that size. Where
 * entries were altered the computed roots prove nothing, and only signed roots count.
 */
static enum bt_status is_fork(struct bt_verify *verify, const struct bt_verify_known_root *probe,
                              bool *out)
{
    struct bt_merkle_hash root;
    bool is_signed = false;
    const bool is_sound =
        bt_verify_root(verify, &root) && bt_merkle_hash_eq(&root, &verify->newest.root);
    if (probe->size == verify->newest.size) {
        *out = !bt_merkle_hash_eq(&probe->root, &verify->newest.root);
        return BT_OK;
    }
    *out = !bt_merkle_hash_eq(&probe->root, &probe->computed);
    if (*out && !is_sound) {
        BT_TRY(verify->source->is_signed(verify, probe, &is_signed));
        *out = !is_signed;
    }
    return BT_OK;
}

static enum bt_status judge_probes(struct bt_verify *verify)
{
    for (size_t i = 0; i < verify->probe_count; i++) {
        struct bt_verify_known_root *probe = &verify->probes[i];
        bool fork = false;
        bt_str params;
        if (probe->size > verify->tree.size) {
            continue; /* a rollback, which was reported; or the pass did not get there */
        }
        BT_TRY(is_fork(verify, probe, &fork));
        if (!fork) {
            continue;
        }
        probe->result = "fork";
        BT_TRY(bt_arena_printf(&verify->work, &params, "{\"size\":%" PRIu64 "}", probe->size));
        BT_TRY(bt_verify_add_finding(verify, "LEDGER_FORK", probe->pointer, params,
                                     "another root was signed at size %" PRIu64, probe->size));
    }
    return BT_OK;
}

static void put_against(struct bt_emit *emit, const struct bt_verify *verify)
{
    bt_emit_name(emit, "against");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < verify->options->against_count; i++) {
        for (size_t j = 0; j < verify->probe_count; j++) {
            const struct bt_verify_known_root *probe = &verify->probes[j];
            if (probe->path.ptr != verify->options->against[i].path.ptr) {
                continue;
            }
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "path", probe->path);
            bt_emit_member_u64(emit, "size", probe->size);
            bt_emit_member_string(emit, "result", bt_str_of(probe->result));
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

static void put_vkey(struct bt_emit *emit, const struct bt_verify *verify)
{
    for (size_t i = 0; i < verify->keys->count; i++) {
        if (bt_str_eq(bt_vkey_name(&verify->keys->items[i]), verify->newest.origin)) {
            bt_emit_name(emit, "vkey");
            bt_emit_raw(emit, BT_STR("\""));
            bt_vkey_put(emit->buf, &verify->keys->items[i]); /* no character needs an escape */
            bt_buf_put_char(emit->buf, '"');
            return;
        }
    }
}

static void put_walked(struct bt_emit *emit, const struct bt_verify *verify)
{
    char root[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(&verify->newest.root, root);
    bt_emit_member_string(emit, "origin", verify->newest.origin);
    bt_emit_member_u64(emit, "size", verify->newest.size);
    bt_emit_member_string(emit, "root", bt_str_of(root));
    put_vkey(emit, verify);
    bt_emit_member_string(emit, "key_source", bt_str_of(verify->key_source));
    bt_emit_member_u64(emit, "entries_checked", verify->entries_checked);
    bt_emit_member_u64(emit, "checkpoints_checked", verify->checkpoints_checked);
    bt_emit_member_u64(emit, "documents_checked", verify->documents_checked);
    put_against(emit, verify);
    bt_emit_name(emit, "witnessed");
    if (verify->has_witnessed) {
        bt_emit_u64(emit, verify->witnessed);
    } else {
        bt_emit_null(emit);
    }
}

static enum bt_status put_facts(const struct bt_verify *verify, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    if (verify->is_trusted) {
        put_walked(&emit, verify);
    } else {
        bt_emit_member_string(&emit, "key_source", bt_str_of(verify->key_source));
    }
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, verify->arena, out);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status add_local_key_finding(struct bt_verify *verify)
{
    bt_str params;
    if (strcmp(verify->key_source, "argument") == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(&verify->work, &params, "{\"key_source\":\"%s\"}", verify->key_source));
    return bt_verify_add_finding(
        verify, "LEDGER_KEY_LOCAL", BT_STR("/checkpoint"), params,
        "the key came from %s the store: this proves only that the record agrees "
        "with itself",
        strcmp(verify->key_source, "file") == 0 ? "beside" : "inside");
}

/* The steps that follow once the size is proven. */
static enum bt_status run_steps(struct bt_verify *verify)
{
    verify->checkpoints_checked = 1;
    BT_TRY(add_local_key_finding(verify));
    BT_TRY(collect_probes(verify));
    BT_TRY(verify_log(verify));
    BT_TRY(judge_probes(verify));
    BT_TRY(verify->source->tail(verify));
    bt_arena_reset(&verify->work);
    if (!verify->options->no_documents && !verify->is_stopped) {
        BT_TRY(verify->source->documents(verify));
    }
    bt_arena_reset(&verify->work);
    return verify->source->witnesses(verify);
}

enum bt_status bt_verify_run(struct bt_verify *verify, bt_str note, bt_str path,
                             struct bt_judgement *out)
{
    assert(verify);
    assert(out);
    bt_str facts;
    const struct bt_checkpoint_input shown = {note, BT_STR("/checkpoint"), verify->keys,
                                              BT_STR("")};
    BT_TRY(
        bt_ledger_check_checkpoint(&shown, verify->findings, &verify->newest, &verify->is_trusted));
    if (verify->is_trusted) {
        BT_TRY(run_steps(verify));
    }
    BT_TRY(bt_verify_add_omitted_counts(verify));
    BT_TRY(put_facts(verify, &facts));
    BT_TRY(bt_findings_finish(verify->findings, BT_STR("")));
    *out = (struct bt_judgement){
        .path = path,
        .dialect = BT_DIALECT_LEDGER,
        .source = BT_STR(""),
        .verdict = bt_verdict_of(verify->findings, BT_SEVERITY_HARD),
        .findings = verify->findings,
        .facts = facts,
    };
    return BT_OK;
}
