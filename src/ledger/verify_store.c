/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_store.c - verify a log in its store, with every checkpoint, document and cosignature it
 * holds.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "ledger/policy.h"
#include "ledger/proof_api.h"
#include "ledger/verify_documents.h"

/* A scan reads every page once, so a small cache is enough and stays in the processor's. */
enum { WORK_BYTES_MAX = 256 << 20, KEY_FILE_BYTES_MAX = 4096, SCAN_CACHE_KIB = 256 };

struct verify_store_span {
    struct bt_arena *work;
    struct bt_verify_span *stretch;
    enum bt_status status;
};

static enum bt_status fill_row(struct verify_store_span *filling, const struct bt_store_entry *row)
{
    struct bt_verify_span *stretch = filling->stretch;
    const uint64_t index = row->seq - stretch->first;
    stretch->has_entry[index] = true;
    BT_TRY(bt_arena_copy(filling->work, row->entry, &stretch->entries[index]));
    if (row->leaf.len == BT_HASH_BYTES) {
        memcpy(stretch->hashes[index].bytes, row->leaf.ptr, BT_HASH_BYTES);
        stretch->has_hash[index] = true;
    }
    return BT_OK;
}

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct verify_store_span *filling = context;
    filling->status = fill_row(filling, row);
    return filling->status == BT_OK;
}

static enum bt_status read_rows(const struct bt_verify_input *input, uint64_t first,
                                bt_store_entry_fn *take, void *context)
{
    const uint64_t range[2] = {first, first + BT_TILE_WIDTH};
    return bt_store_text_scan(input->store, range, take, context, input->error);
}

/* Nothing below a signed size ever changes, so it does not matter that this connection has a
 * later snapshot than the first one. A server has one connection for a verification. */
static enum bt_status open_input(const struct bt_verify *verify, struct bt_verify_input *out)
{
    struct bt_store *store = NULL;
    const struct bt_store_location *place = bt_store_url(verify->ledger->store);
    const struct bt_store_options options = {.is_lenient = true, .cache_kib = SCAN_CACHE_KIB};
    if (place->backend != BT_STORE_SQLITE) {
        return BT_EINVAL;
    }
    BT_TRY(bt_store_open(place, &options, &store, out->error));
    const enum bt_status status = bt_store_begin_read(store, out->error);
    if (status != BT_OK) {
        bt_store_close(store);
        return status;
    }
    out->store = store;
    return BT_OK;
}

static void close_input(struct bt_verify_input *input)
{
    bt_store_close(input->store);
}

static enum bt_status read_entries(struct bt_verify *verify, struct bt_verify_span *out)
{
    struct verify_store_span filling = {&verify->work, out, BT_OK};
    const uint64_t range[2] = {out->first, out->first + out->width};
    BT_TRY(bt_store_text_scan(verify->ledger->store, range, take_entry, &filling, verify->error));
    return filling.status;
}

/* The path that the missing data would have in a tree of files: a store has no files of its own. */
static enum bt_status keep_path(struct bt_verify *verify, struct bt_tile tile, uint32_t width,
                                bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_tile_put_path(&buf, tile, width);
    return bt_buf_finish(&buf, &verify->work, out);
}

static enum bt_status add_missing_entry_findings(struct bt_verify *verify,
                                                 const struct bt_verify_span *stretch)
{
    const struct bt_tile bundle = {BT_TILE_ENTRIES, stretch->first / BT_TILE_WIDTH};
    for (uint32_t i = 0; i < stretch->width && !verify->is_stopped; i++) {
        bt_str path;
        if (stretch->has_entry[i] && stretch->has_hash[i]) {
            continue;
        }
        BT_TRY(keep_path(verify, bundle, stretch->width, &path));
        BT_TRY(bt_verify_add_missing_finding(
            verify, bt_ledger_location(&verify->work, "/entries/%" PRIu64, stretch->first + i),
            path, BT_HASH_BYTES, 0));
    }
    return BT_OK;
}

struct verify_store_entries {
    struct bt_verify *verify;
    uint64_t end;
    enum bt_status status;
};

static bool collect_row(void *context, const struct bt_store_checkpoint *row)
{
    struct verify_store_entries *collecting = context;
    struct bt_verify *verify = collecting->verify;
    if (row->size > collecting->end) {
        return false;
    }
    struct bt_store_checkpoint *copy = &verify->rows.items[verify->rows.count++];
    copy->size = row->size;
    collecting->status = bt_arena_copy(&verify->work, row->note, &copy->note);
    if (collecting->status == BT_OK) {
        collecting->status = bt_arena_copy(&verify->work, row->root, &copy->root);
    }
    return collecting->status == BT_OK;
}

/* Sizes are keys, so there are no more than this. */
static enum bt_status collect_from(struct bt_verify *verify, uint64_t from, uint64_t end)
{
    struct verify_store_entries collecting = {verify, end, BT_OK};
    verify->rows.count = 0;
    verify->rows.next = 0;
    verify->rows.items = BT_NEW_ARRAY(&verify->work, struct bt_store_checkpoint, end - from + 1);
    if (!verify->rows.items) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_store_checkpoint_scan(verify->ledger->store, from, collect_row, &collecting,
                                    verify->error));
    return collecting.status;
}

static enum bt_status collect_rows(struct bt_verify *verify, uint64_t first, uint64_t end)
{
    return collect_from(verify, first + 1, end);
}

static enum bt_status read_stretch(struct bt_verify *verify, struct bt_verify_span *out)
{
    BT_TRY(read_entries(verify, out));
    return add_missing_entry_findings(verify, out);
}

static enum bt_status compare_row(struct bt_verify *verify, const struct bt_store_checkpoint *row)
{
    bool fine = false;
    struct bt_checkpoint *note = BT_NEW(&verify->work, struct bt_checkpoint);
    if (!note) {
        return BT_ENOMEM;
    }
    const struct bt_location at =
        bt_ledger_location(&verify->work, "/checkpoints/%" PRIu64, row->size);
    BT_TRY(at.status);
    const struct bt_checkpoint_input shown = {row->note, at.pointer, verify->keys,
                                              verify->newest.origin};
    BT_TRY(bt_ledger_check_checkpoint(&shown, verify->findings, note, &fine));
    verify->result.checkpoints_checked++;
    if (!fine) {
        return BT_OK;
    }
    if (note->size != row->size ||
        !bt_str_eq(row->root, (bt_str){(const char *)note->root.bytes, BT_HASH_BYTES})) {
        struct bt_merkle_hash root;
        char expected[BT_HASH_HEX_BYTES];
        char actual[BT_HASH_HEX_BYTES];
        const bool is_hash = row->root.len == BT_HASH_BYTES;
        memcpy(root.bytes, row->root.ptr, is_hash ? BT_HASH_BYTES : 0);
        return bt_add_ledger_root_mismatch(verify->findings, at,
                                           bt_merkle_hash_text(&note->root, expected),
                                           bt_merkle_hash_text(is_hash ? &root : NULL, actual),
                                           row->size, BT_LEDGER_ROOT_MISMATCH_SOURCE_ROW);
    }
    return bt_verify_compare(verify, &note->root, at);
}

static enum bt_status compare_rows(struct bt_verify *verify)
{
    if (verify->pass.tree.size == 0) {
        BT_TRY(collect_from(verify, 0, 0));
    }
    while (verify->rows.next < verify->rows.count &&
           verify->rows.items[verify->rows.next].size == verify->pass.tree.size) {
        const struct bt_store_checkpoint *row = &verify->rows.items[verify->rows.next++];
        if (row->size != verify->newest.size) {
            const struct bt_arena_mark before = bt_arena_mark(&verify->work);
            BT_TRY(compare_row(verify, row));
            bt_arena_rewind(&verify->work, before);
        }
    }
    return BT_OK;
}

static enum bt_status is_signed(struct bt_verify *verify, const struct bt_verify_known_root *probe,
                                bool *out_is)
{
    struct bt_store_checkpoint row;
    struct bt_error why;
    const enum bt_status status =
        bt_store_checkpoint_get(verify->ledger->store, &verify->work, probe->size, &row, &why);
    *out_is = status == BT_OK &&
              bt_str_eq(row.root, (bt_str){(const char *)probe->root.bytes, BT_HASH_BYTES});
    return status == BT_ENOENT ? BT_OK : status;
}

static bool take_hash(void *context, uint64_t n, bt_str hash)
{
    struct bt_verify_span *stretch = context;
    const uint64_t index = n - stretch->first;
    if (hash.len == BT_HASH_BYTES && index < stretch->width) {
        memcpy(stretch->hashes[index].bytes, hash.ptr, BT_HASH_BYTES);
        stretch->has_hash[index] = true;
    }
    return true;
}

static enum bt_status read_tile(struct bt_verify *verify, struct bt_tile tile,
                                struct bt_verify_span *out)
{
    const uint64_t range[2] = {out->first, out->first + out->width};
    uint64_t missing = 0;
    BT_TRY(bt_store_hash_scan(verify->ledger->store, tile.level, range, take_hash, out,
                              verify->error));
    for (uint32_t i = 0; i < out->width; i++) {
        missing += !out->has_hash[i];
    }
    if (missing == 0) {
        return BT_OK;
    }
    bt_str path;
    BT_TRY(keep_path(verify, tile, out->width, &path));
    return bt_verify_add_missing_finding(
        verify, bt_ledger_location(&verify->work, "/tile/%u/%" PRIu64, tile.level, tile.n), path,
        (uint64_t)out->width * BT_HASH_BYTES, (out->width - missing) * BT_HASH_BYTES);
}

static bool count_entry(void *context, const struct bt_store_entry *row)
{
    (void)row;
    ++*(uint64_t *)context;
    return true;
}

static enum bt_status check_tail(struct bt_verify *verify)
{
    uint64_t count = 0;
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = verify->newest.size};
    BT_TRY(bt_store_entry_scan(verify->ledger->store, &scan, count_entry, &count, verify->error));
    return count == 0
               ? BT_OK
               : bt_add_ledger_unsigned_tail(
                     verify->findings,
                     bt_ledger_location(&verify->work, "/entries/%" PRIu64, verify->newest.size),
                     count);
}

struct ledger_verify_store_witnesses {
    struct bt_verify *verify;
    struct bt_findings *findings; /* a witness may fail at many sizes: its finding counts once */
    uint64_t most;
    enum bt_status status;
    struct bt_checkpoint_witnesses best; /* of the size that has the most */
};

/* Check a size by the policy, if there is one, or by the number of witnesses. */
static enum bt_status is_cosigned(struct ledger_verify_store_witnesses *witnesses,
                                  const struct bt_checkpoint_witnesses *witnessed, bool *out)
{
    const struct bt_ledger_verify_options *options = witnesses->verify->options;
    struct bt_findings *unused = bt_findings_new(witnesses->verify->arena);
    *out = witnessed->count >= options->witnesses_required;
    if (!options->policy) {
        return BT_OK;
    }
    return unused ? bt_witness_policy_judge(options->policy, witnessed, unused,
                                            &witnesses->verify->result.policy_facts, out)
                  : BT_ENOMEM;
}

static enum bt_status judge_size(struct ledger_verify_store_witnesses *witnesses, uint64_t size)
{
    struct bt_verify *verify = witnesses->verify;
    const struct bt_ledger_verify_options *options = verify->options;
    struct bt_ledger_checkpoint checkpoint;
    struct bt_checkpoint_witnesses witnessed;
    bt_arena_reset(&verify->work);
    struct bt_checkpoint *note = BT_NEW(&verify->work, struct bt_checkpoint);
    if (!note) {
        return BT_ENOMEM;
    }
    BT_TRY(
        bt_ledger_get_checkpoint(verify->ledger, &verify->work, size, &checkpoint, verify->error));
    if (bt_checkpoint_read(checkpoint.note, note)) {
        return BT_OK; /* it was already found to be damaged */
    }
    BT_TRY(bt_ledger_check_witnesses(note, options->witnesses, witnesses->findings, &witnessed));
    if (witnessed.count > witnesses->most || !witnesses->best.signers) {
        witnesses->best = witnessed;
        witnesses->most = witnessed.count;
    }
    verify->result.witnessed = size;
    return is_cosigned(witnesses, &witnessed, &verify->result.has_witnessed);
}

static bool take_size(void *context, uint64_t size)
{
    struct ledger_verify_store_witnesses *witnesses = context;
    witnesses->status = judge_size(witnesses, size);
    return witnesses->status == BT_OK && !witnesses->verify->result.has_witnessed;
}

static enum bt_status check_witnesses(struct bt_verify *verify)
{
    const struct bt_ledger_verify_options *options = verify->options;
    struct ledger_verify_store_witnesses witnesses = {.verify = verify,
                                                      .findings = bt_findings_new(verify->arena)};
    if (!options->policy && !options->witnesses && options->witnesses_required == 0) {
        return BT_OK;
    }
    if (!witnesses.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_store_cosigned_scan(verify->ledger->store, take_size, &witnesses, verify->error));
    BT_TRY(witnesses.status);
    BT_TRY(bt_findings_finish(witnesses.findings, BT_STR("")));
    for (size_t i = 0; i < bt_findings_count(witnesses.findings); i++) {
        BT_TRY(bt_findings_add(verify->findings, bt_findings_at(witnesses.findings, i)));
    }
    if (options->policy) {
        bool is_met = verify->result.has_witnessed;
        BT_TRY(bt_witness_policy_add_unsupported(options->policy, verify->findings));
        return is_met ? BT_OK
                      : bt_witness_policy_judge(options->policy, &witnesses.best, verify->findings,
                                                &verify->result.policy_facts, &is_met);
    }
    return verify->result.has_witnessed || witnesses.most >= options->witnesses_required
               ? BT_OK
               : bt_add_ledger_witness_missing(verify->findings,
                                               bt_ledger_part(BT_STR("/checkpoint")),
                                               options->witnesses_required, witnesses.most);
}

/* The trusted keys: given ones, else the file beside the store, else the store's own. */
static enum bt_status find_keys(struct bt_verify *verify)
{
    bt_str text;
    struct bt_error why;
    struct bt_ledger *ledger = verify->ledger;
    if (verify->options->keys) {
        verify->keys = &verify->options->keys->keys;
        verify->result.key_source = BT_VERIFY_KEY_ARGUMENT;
        return BT_OK;
    }
    struct bt_verifier_keys *keys = bt_verifier_keys_new(verify->arena, BT_VERIFIER_KEY_LOG);
    if (!keys) {
        return BT_ENOMEM;
    }
    const enum bt_status status =
        bt_file_read(verify->arena, ledger->files.vkey, KEY_FILE_BYTES_MAX, &text, &why);
    verify->keys = &keys->keys;
    verify->result.key_source = status == BT_OK ? BT_VERIFY_KEY_FILE : BT_VERIFY_KEY_STORE;
    if (status == BT_OK) {
        return bt_verifier_keys_add_lines(keys, text, verify->error);
    }
    if (status != BT_ENOENT) {
        return bt_error_set(verify->error, status, "%.60s: %s", ledger->files.vkey.ptr, why.text);
    }
    return bt_verifier_keys_add(keys, ledger->vkey_text, verify->error);
}

/* Read a file that remembers a checkpoint; *out stays unset when there is none. */
static enum bt_status read_memory(struct bt_verify *verify, bt_str path, bt_str *out)
{
    struct bt_error why;
    const enum bt_status status =
        path.len > 0 ? bt_file_read(verify->arena, path, BT_NOTE_BYTES_MAX, out, &why) : BT_ENOENT;
    return status == BT_OK || status == BT_ENOENT
               ? BT_OK
               : bt_error_set(verify->error, status, "%.60s: %s", path.ptr, why.text);
}

static enum bt_status read_memories(struct bt_verify *verify)
{
    const struct bt_ledger_paths *files = &verify->ledger->files;
    if (verify->options->no_head) {
        return BT_OK;
    }
    verify->memories.are_used = true;
    BT_TRY(read_memory(verify, files->head, &verify->memories.head));
    return read_memory(verify, files->seen, &verify->memories.seen);
}

static enum bt_status verify_in(struct bt_verify *verify, struct bt_judgement *out)
{
    struct bt_store_checkpoint row;
    BT_TRY(find_keys(verify));
    BT_TRY(read_memories(verify));
    BT_TRY(bt_store_checkpoint_get(verify->ledger->store, verify->arena, BT_STORE_NONE, &row,
                                   verify->error));
    return bt_verify_run(verify, row.note, bt_ledger_url(verify->ledger), out);
}

enum bt_status bt_ledger_verify(struct bt_ledger *ledger, struct bt_arena *arena,
                                const struct bt_ledger_verify_options *options,
                                struct bt_judgement *out, struct bt_error *error)
{
    assert(ledger);
    assert(options);
    assert(out);
    static const struct bt_verify_source source = {
        .open_input = open_input,
        .close_input = close_input,
        .read = read_rows,
        .stretch = read_stretch,
        .tile = read_tile,
        .collect = collect_rows,
        .checkpoints = compare_rows,
        .is_signed = is_signed,
        .tail = check_tail,
        .documents = bt_verify_documents,
        .witnesses = check_witnesses,
    };
    struct bt_verify *verify = BT_NEW(arena, struct bt_verify);
    struct bt_findings *findings = bt_findings_new(arena);
    if (!verify || !findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    verify->arena = arena;
    verify->options = options;
    verify->source = &source;
    verify->findings = findings;
    verify->error = error;
    verify->ledger = ledger;
    verify->input = (struct bt_verify_input){&verify->work, ledger->store, NULL, error};
    verify->wants_digests = !options->no_documents && !bt_verify_has_statements(verify);
    BT_TRY(bt_store_begin_read(ledger->store, error));
    bt_arena_init(&verify->work, WORK_BYTES_MAX);
    bt_buf_init(&verify->digests, SIZE_MAX);
    const enum bt_status status = verify_in(verify, out);
    bt_buf_free(&verify->digests);
    bt_arena_free(&verify->work);
    bt_store_rollback(ledger->store);
    return status;
}
