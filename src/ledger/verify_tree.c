/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_tree.c - a log as static files (tlog-tiles), verified without any store.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ledger/policy.h"
#include "ledger/verify.h"

enum {
    WORK_BYTES_MAX = 256 << 20,
    BUNDLE_BYTES_MAX = BT_TILE_WIDTH * (2 + BT_ENTRY_BYTES_MAX),
    DOCUMENT_BYTES_MAX = 1 << 30,
};

/* A file of the tree after reading. */
struct ledger_verify_tree_piece {
    bool exists;
    bool is_full; /* a full tile replaces the partial one that the size needs */
    bt_str path;
    bt_str bytes;
};

static enum bt_status read_path(const struct bt_verify_input *input, struct bt_tile tile,
                                uint32_t width, struct ledger_verify_tree_piece *out)
{
    struct bt_buf buf;
    struct bt_error why;
    bt_buf_init(&buf, 256);
    bt_tile_put_path(&buf, tile, width);
    BT_TRY(bt_buf_finish(&buf, input->work, &out->path));
    const enum bt_status status =
        bt_dir_read(input->root, input->work, out->path, BUNDLE_BYTES_MAX, &out->bytes, &why);
    out->exists = status == BT_OK;
    return status == BT_OK || status == BT_ENOENT
               ? BT_OK
               : bt_error_set(input->error, status, "%s: %s", out->path.ptr, why.text);
}

static enum bt_status read_piece(const struct bt_verify_input *input, struct bt_tile tile,
                                 uint32_t width, struct ledger_verify_tree_piece *out)
{
    struct ledger_verify_tree_piece full = {.exists = false};
    *out = (struct ledger_verify_tree_piece){.exists = false};
    BT_TRY(read_path(input, tile, width, out));
    if (!out->exists && width < BT_TILE_WIDTH) {
        BT_TRY(read_path(input, tile, BT_TILE_WIDTH, &full));
        if (full.exists) {
            *out = full;
            out->is_full = true;
        }
    }
    return BT_OK;
}

static enum bt_status add_missing_tile_finding(struct bt_verify *verify, struct bt_tile tile,
                                               const struct ledger_verify_tree_piece *piece,
                                               uint64_t expected)
{
    const struct bt_location at =
        tile.level == BT_TILE_ENTRIES
            ? bt_ledger_location(&verify->work, "/tile/entries/%" PRIu64, tile.n)
            : bt_ledger_location(&verify->work, "/tile/%u/%" PRIu64, tile.level, tile.n);
    return bt_verify_add_missing_finding(verify, at, piece->path, expected, piece->bytes.len);
}

/* The size in bytes of a tile of this width. */
static size_t tile_bytes(const struct ledger_verify_tree_piece *piece, uint32_t width)
{
    return (size_t)(piece->is_full ? BT_TILE_WIDTH : width) * BT_HASH_BYTES;
}

/* Read the hashes of a tile that exists and has the right length. */
static enum bt_status read_hashes(const struct bt_verify_input *input, struct bt_tile tile,
                                  struct bt_verify_span *out,
                                  struct ledger_verify_tree_piece *out_piece)
{
    BT_TRY(read_piece(input, tile, out->width, out_piece));
    if (!out_piece->exists || out_piece->bytes.len != tile_bytes(out_piece, out->width)) {
        return BT_OK;
    }
    for (uint32_t i = 0; i < out->width; i++) {
        memcpy(out->hashes[i].bytes, out_piece->bytes.ptr + (size_t)i * BT_HASH_BYTES,
               BT_HASH_BYTES);
        out->has_hash[i] = true;
    }
    return BT_OK;
}

static enum bt_status read_tile(struct bt_verify *verify, struct bt_tile tile,
                                struct bt_verify_span *out)
{
    struct ledger_verify_tree_piece piece;
    BT_TRY(read_hashes(&verify->input, tile, out, &piece));
    return out->has_hash[0]
               ? BT_OK
               : add_missing_tile_finding(verify, tile, &piece, tile_bytes(&piece, out->width));
}

/* Split a bundle into entries; false when it is too short or too long. *out_used is the end
 * according to the lengths. */
static bool cut_bundle(const struct ledger_verify_tree_piece *piece, struct bt_verify_span *out,
                       size_t *out_used)
{
    const bt_str bytes = piece->bytes;
    size_t at = 0;
    for (uint32_t i = 0; i < out->width; i++) {
        if (bytes.len - at < 2) {
            *out_used = at + 2;
            return false;
        }
        const size_t length =
            (size_t)(unsigned char)bytes.ptr[at] << 8 | (size_t)(unsigned char)bytes.ptr[at + 1];
        at += 2;
        if (bytes.len - at < length) {
            *out_used = at + length;
            return false;
        }
        out->entries[i] = bt_str_slice(bytes, at, at + length);
        at += length;
    }
    *out_used = at;
    return piece->is_full || at == bytes.len;
}

/* Read the entries of a complete bundle. *out_used is the end according to its lengths. */
static enum bt_status read_bundle(const struct bt_verify_input *input, struct bt_verify_span *out,
                                  struct ledger_verify_tree_piece *out_piece, size_t *out_used)
{
    const struct bt_tile bundle = {BT_TILE_ENTRIES, out->first / BT_TILE_WIDTH};
    *out_used = 0;
    BT_TRY(read_piece(input, bundle, out->width, out_piece));
    if (out_piece->exists && cut_bundle(out_piece, out, out_used)) {
        memset(out->has_entry, true, out->width * sizeof(bool));
    }
    return BT_OK;
}

static enum bt_status read_stretch(struct bt_verify *verify, struct bt_verify_span *out)
{
    struct ledger_verify_tree_piece piece;
    size_t used = 0;
    const uint64_t n = out->first / BT_TILE_WIDTH;
    BT_TRY(read_bundle(&verify->input, out, &piece, &used));
    if (!out->has_entry[0]) {
        BT_TRY(
            add_missing_tile_finding(verify, (struct bt_tile){BT_TILE_ENTRIES, n}, &piece, used));
    }
    return read_tile(verify, (struct bt_tile){0, n}, out);
}

static enum bt_status read_rows(const struct bt_verify_input *input, uint64_t first,
                                bt_store_entry_fn *take, void *context)
{
    struct ledger_verify_tree_piece piece;
    size_t used = 0;
    struct bt_verify_span *span = BT_NEW(input->work, struct bt_verify_span);
    if (!span) {
        return BT_ENOMEM;
    }
    span->first = first;
    span->width = BT_TILE_WIDTH;
    BT_TRY(read_bundle(input, span, &piece, &used));
    BT_TRY(read_hashes(input, (struct bt_tile){0, first / BT_TILE_WIDTH}, span, &piece));
    for (uint32_t i = 0; i < span->width && span->has_entry[i]; i++) {
        const struct bt_store_entry row = {
            .seq = first + i,
            .leaf = {(const char *)span->hashes[i].bytes, span->has_hash[i] ? BT_HASH_BYTES : 0},
            .entry = span->entries[i],
        };
        if (!take(context, &row)) {
            return BT_OK;
        }
    }
    return BT_OK;
}

/* All threads share one open folder. */
static enum bt_status open_input(const struct bt_verify *verify, struct bt_verify_input *out)
{
    out->root = verify->input.root;
    return BT_OK;
}

static void close_input(struct bt_verify_input *input)
{
    input->root = NULL;
}

/* A tree has one checkpoint, and nothing before or beyond its size is checked. */
static enum bt_status nothing_more(struct bt_verify *verify)
{
    (void)verify;
    return BT_OK;
}

static enum bt_status collect_none(struct bt_verify *verify, uint64_t first, uint64_t end)
{
    (void)verify;
    (void)first;
    (void)end;
    return BT_OK;
}

static enum bt_status is_signed(struct bt_verify *verify, const struct bt_verify_known_root *probe,
                                bool *out_is)
{
    (void)verify;
    (void)probe;
    *out_is = false;
    return BT_OK;
}

/* A folder cannot be read as a file, which distinguishes it from a missing one. */
static bool has_documents(const struct bt_dir *root, struct bt_arena *arena)
{
    bt_str bytes;
    struct bt_error why;
    return bt_dir_read(root, arena, BT_STR("documents"), 1, &bytes, &why) != BT_ENOENT;
}

/* A tree may lack documents; those that it has must match their names. */
static enum bt_status check_document(struct bt_verify *verify, bt_str digest)
{
    struct bt_merkle_hash hash;
    char hex[BT_HASH_HEX_BYTES];
    bt_str path;
    bt_str bytes;
    struct bt_error why;
    memcpy(hash.bytes, digest.ptr, BT_HASH_BYTES);
    bt_merkle_hash_hex(&hash, hex);
    BT_TRY(bt_arena_printf(&verify->work, &path, "documents/%.2s/%s", hex, hex));
    const enum bt_status status =
        bt_dir_read(verify->input.root, &verify->work, path, DOCUMENT_BYTES_MAX, &bytes, &why);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    if (status != BT_OK) {
        return bt_error_set(verify->error, status, "%s: %s", path.ptr, why.text);
    }
    return bt_verify_document(verify, digest, bytes, bytes.len);
}

static enum bt_status check_documents(struct bt_verify *verify)
{
    const struct bt_merkle_hash *digests = NULL;
    const size_t count = bt_verify_digests(verify, &digests);
    for (size_t i = 0; i < count; i++) {
        bt_arena_reset(&verify->work);
        BT_TRY(check_document(verify, (bt_str){(const char *)digests[i].bytes, BT_HASH_BYTES}));
    }
    return BT_OK;
}

static enum bt_status check_witnesses(struct bt_verify *verify)
{
    const struct bt_ledger_verify_options *options = verify->options;
    struct bt_checkpoint_witnesses witnessed;
    BT_TRY(bt_ledger_check_witnesses(&verify->newest, options->witnesses, verify->findings,
                                     &witnessed));
    if (options->policy) {
        BT_TRY(bt_witness_policy_add_unsupported(options->policy, verify->findings));
        BT_TRY(bt_witness_policy_judge(options->policy, &witnessed, verify->findings,
                                       &verify->result.policy_facts,
                                       &verify->result.has_witnessed));
        verify->result.witnessed = verify->newest.size;
        return BT_OK;
    }
    if (witnessed.count < options->witnesses_required) {
        return bt_add_ledger_witness_missing(verify->findings,
                                             bt_ledger_part(BT_STR("/checkpoint")),
                                             options->witnesses_required, witnessed.count);
    }
    verify->result.has_witnessed = options->witnesses != NULL;
    verify->result.witnessed = verify->newest.size;
    return BT_OK;
}

static enum bt_status verify_in(struct bt_verify *verify, bt_str folder, struct bt_judgement *out)
{
    bt_str note;
    struct bt_error why;
    const enum bt_status status = bt_dir_read(verify->input.root, verify->arena,
                                              BT_STR("checkpoint"), BT_NOTE_BYTES_MAX, &note, &why);
    if (status != BT_OK) {
        return bt_error_set(verify->error, status, "checkpoint: %s", why.text);
    }
    return bt_verify_run(verify, note, folder, out);
}

enum bt_status bt_ledger_verify_files(bt_str folder, struct bt_arena *arena,
                                      const struct bt_ledger_verify_options *options,
                                      struct bt_judgement *out, struct bt_error *error)
{
    assert(arena);
    assert(options);
    assert(options->keys);
    static const struct bt_verify_source source = {
        .open_input = open_input,
        .close_input = close_input,
        .read = read_rows,
        .stretch = read_stretch,
        .tile = read_tile,
        .collect = collect_none,
        .checkpoints = nothing_more,
        .is_signed = is_signed,
        .tail = nothing_more,
        .documents = check_documents,
        .witnesses = check_witnesses,
    };
    struct bt_dir *root = NULL;
    struct bt_verify *verify = BT_NEW(arena, struct bt_verify);
    struct bt_findings *findings = bt_findings_new(arena);
    if (!verify || !findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_dir_open(folder, &root, error));
    verify->arena = arena;
    verify->options = options;
    verify->keys = &options->keys->keys;
    verify->source = &source;
    verify->findings = findings;
    verify->error = error;
    verify->input = (struct bt_verify_input){&verify->work, NULL, root, error};
    verify->wants_digests =
        !options->no_documents && !bt_verify_has_statements(verify) && has_documents(root, arena);
    verify->result.key_source = BT_VERIFY_KEY_ARGUMENT;
    bt_arena_init(&verify->work, WORK_BYTES_MAX);
    bt_buf_init(&verify->digests, SIZE_MAX);
    const enum bt_status status = verify_in(verify, folder, out);
    bt_buf_free(&verify->digests);
    bt_arena_free(&verify->work);
    bt_dir_close(root);
    return status;
}
