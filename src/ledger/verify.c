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

#include "json/emit.h"
#include "ledger/dsse.h"
#include "ledger/statement.h"
#include "ledger/verify_spans.h"
#include "report/findings.h"

enum { REGRESSION_MS_MAX = 5000, AHEAD = 16 };

static const bt_str key_sources[] = {
    [BT_VERIFY_KEY_ARGUMENT] = BT_STR_INIT("argument"),
    [BT_VERIFY_KEY_FILE] = BT_STR_INIT("file"),
    [BT_VERIFY_KEY_STORE] = BT_STR_INIT("store"),
};

bool bt_verify_root(const struct bt_verify *verify, struct bt_merkle_hash *out)
{
    bt_merkle_tree_root(&verify->pass.tree, out);
    return !verify->pass.has_bad_leaf;
}

enum bt_status bt_verify_compare(struct bt_verify *verify, const struct bt_merkle_hash *root,
                                 struct bt_location at)
{
    struct bt_merkle_hash computed;
    char expected[BT_HASH_HEX_BYTES];
    char actual[BT_HASH_HEX_BYTES];
    if (!bt_verify_root(verify, &computed) || bt_merkle_hash_eq(&computed, root)) {
        return BT_OK;
    }
    return bt_add_ledger_root_mismatch(verify->findings, at, bt_merkle_hash_text(root, expected),
                                       bt_merkle_hash_text(&computed, actual),
                                       verify->pass.tree.size,
                                       BT_LEDGER_ROOT_MISMATCH_SOURCE_ENTRIES);
}

/* Check heads and stored checkpoints of the size that the pass has reached. */
static void note_probes(struct bt_verify *verify)
{
    while (verify->probes.next < verify->probes.count &&
           verify->probes.items[verify->probes.next].size == verify->pass.tree.size) {
        bt_merkle_tree_root(&verify->pass.tree,
                            &verify->probes.items[verify->probes.next++].computed);
    }
}

/* Compare the computed hashes of a tile with the stored ones. */
static enum bt_status compare_level(struct bt_verify *verify, uint32_t number)
{
    struct bt_verify_level *level = &verify->pass.levels[number];
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
        if (!stored->has_hash[i] || !level->is_sound[i] ||
            bt_merkle_hash_eq(&stored->hashes[i], &level->hashes[i])) {
            continue;
        }
        BT_TRY(bt_add_ledger_tile_mismatch(
            verify->findings,
            bt_ledger_location(&verify->work, "/tile/%u/%" PRIu64, number, tile.n), i));
    }
    level->first += level->count;
    level->count = 0;
    return BT_OK;
}

static enum bt_status add_to_level(struct bt_verify *verify, const struct bt_tile_hash *done)
{
    struct bt_verify_level *level = &verify->pass.levels[done->level];
    const uint64_t first_leaf = done->n << (done->level * BT_TILE_HEIGHT);
    level->hashes[level->count] = done->hash;
    level->is_sound[level->count] =
        !verify->pass.has_bad_leaf || first_leaf > verify->pass.last_bad_leaf;
    level->count++;
    return level->count == BT_TILE_WIDTH ? compare_level(verify, done->level) : BT_OK;
}

static struct bt_location entry_location(struct bt_verify *verify, uint64_t seq)
{
    return bt_ledger_location(&verify->work, "/entries/%" PRIu64, seq);
}

static enum bt_status add_leaf_finding(struct bt_verify *verify, uint64_t seq,
                                       const struct bt_merkle_hash *stored,
                                       const struct bt_merkle_hash *computed)
{
    char expected[BT_HASH_HEX_BYTES];
    char actual[BT_HASH_HEX_BYTES];
    return bt_add_ledger_leaf_mismatch(verify->findings, entry_location(verify, seq),
                                       bt_merkle_hash_text(stored, expected),
                                       bt_merkle_hash_text(computed, actual), NULL);
}

/* Times have one length, so their bytes compare like the times. */
uint64_t bt_verify_regression_ms(bt_str time, bt_str latest)
{
    bt_instant then;
    bt_instant now;
    if (bt_str_compare(time, latest) >= 0 || bt_instant_parse(time, &then) != BT_OK ||
        bt_instant_parse(latest, &now) != BT_OK) {
        return 0; /* rule E2 has reported a time that is not one */
    }
    const int64_t behind_ms =
        (now.seconds - then.seconds) * 1000 + (now.nanos - then.nanos) / 1000000;
    return behind_ms > REGRESSION_MS_MAX ? (uint64_t)behind_ms : 0;
}

/* Is the time more than five seconds before the latest time so far? */
static enum bt_status judge_time(struct bt_verify *verify, uint64_t seq, bt_str time)
{
    const bt_str so_far = bt_str_of(verify->pass.latest_time);
    if (bt_str_compare(time, so_far) >= 0) {
        assert(time.len == BT_ENTRY_TIME_BYTES);
        memcpy(verify->pass.latest_time, time.ptr, time.len); /* it must outlive the span */
        return BT_OK;
    }
    const uint64_t behind_ms = bt_verify_regression_ms(time, so_far);
    return behind_ms == 0
               ? BT_OK
               : bt_add_ledger_time_regression(verify->findings, entry_location(verify, seq), time,
                                               so_far, behind_ms);
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

static enum bt_status compare_count(struct bt_verify *verify, uint64_t seq,
                                    enum bt_ledger_count_mismatch_name name, uint64_t expected,
                                    uint64_t actual)
{
    return expected == actual || actual == BT_SEQ_ABSENT
               ? BT_OK
               : bt_add_ledger_count_mismatch(verify->findings, entry_location(verify, seq), name,
                                              expected, actual);
}

/* Compare the counters of an entry. Where an entry is gone, those after it are not compared: that
 * finding is made already. */
static enum bt_status compare_counts(struct bt_verify *verify, uint64_t seq, uint64_t v,
                                     const struct bt_entry_counts *expected,
                                     const struct bt_entry_counts *actual)
{
    if (v < 2 || verify->pass.has_gap) {
        return BT_OK;
    }
    BT_TRY(compare_count(verify, seq, BT_LEDGER_COUNT_MISMATCH_NAME_ACTOR, expected->actor,
                         actual->actor));
    BT_TRY(compare_count(verify, seq, BT_LEDGER_COUNT_MISMATCH_NAME_SOURCE, expected->source,
                         actual->source));
    return compare_count(verify, seq, BT_LEDGER_COUNT_MISMATCH_NAME_TRACE, expected->trace,
                         actual->trace);
}

static enum bt_status judge_counts(struct bt_verify *verify, uint64_t seq,
                                   const struct bt_entry *entry)
{
    struct bt_entry_counts expected;
    BT_TRY(bt_ledger_recount_add(&verify->pass.recount, entry, &expected));
    return compare_counts(verify, seq, entry->v, &expected, &entry->n);
}

/* The time and document of an altered entry prove nothing about other entries and documents, so
 * only recorded values are remembered. */
static enum bt_status judge_fine(struct bt_verify *verify, uint64_t seq,
                                 const struct bt_entry *entry, bool is_altered)
{
    if (entry->seq != seq) {
        BT_TRY(bt_add_ledger_seq_mismatch(verify->findings, entry_location(verify, seq), seq,
                                          entry->seq));
    }
    if (is_altered) {
        verify->pass.has_gap = true;
        return BT_OK;
    }
    BT_TRY(note_digest(verify, entry));
    BT_TRY(judge_counts(verify, seq, entry));
    if (verify->options->reader) {
        BT_TRY(verify->options->reader->entry(verify->options->reader->context, seq, entry));
    }
    return judge_time(verify, seq, entry->time);
}

/* A leaf of a log of statements is a statement in its one encoding. Whose signature it has was
 * judged when it was registered, by the list of issuers that came before it. */
static enum bt_status judge_statement(struct bt_verify *verify, uint64_t seq, bt_str leaf)
{
    struct bt_signed_statement statement;
    const struct bt_statement_fault fault = bt_statement_read_leaf(leaf, &statement);
    const struct bt_entry_check_result judged = {
        .judgement = BT_ENTRY_BROKEN, .rule = "S1", .why = fault.why};
    return fault.refusal && !verify->options->any_entries
               ? bt_ledger_add_entry_finding(verify->findings, entry_location(verify, seq), &judged)
               : BT_OK;
}

/* Check the rules about the bytes of an entry; `is_altered`: they do not hash to their leaf. */
static enum bt_status judge_rules(struct bt_verify *verify, uint64_t seq, bt_str text,
                                  bool is_altered)
{
    struct bt_entry entry;
    struct bt_entry_check_result judged;
    if (bt_verify_has_statements(verify)) {
        return judge_statement(verify, seq, text);
    }
    BT_TRY(bt_entry_check(&verify->work, text, &entry, &judged));
    if (verify->options->any_entries) {
        return judged.judgement == BT_ENTRY_FINE && !is_altered ? note_digest(verify, &entry)
                                                                : BT_OK;
    }
    if (judged.judgement == BT_ENTRY_FINE) {
        return judge_fine(verify, seq, &entry, is_altered);
    }
    verify->pass.has_gap = true;
    return bt_ledger_add_entry_finding(verify->findings, entry_location(verify, seq), &judged);
}

/* One position of the log: which leaf counts, and what is wrong with it. */
static enum bt_status take_leaf(struct bt_verify *verify, const struct bt_verify_span *stretch,
                                uint32_t index, struct bt_merkle_hash *out)
{
    const uint64_t seq = stretch->first + index;
    *out = stretch->hashes[index];
    if (!stretch->has_entry[index]) {
        verify->pass.has_gap = true;
        if (!stretch->has_hash[index]) {
            verify->pass.has_bad_leaf = true;
            verify->pass.last_bad_leaf = seq;
        }
        return BT_OK;
    }
    bt_merkle_hash_leaf(stretch->entries[index], out);
    verify->result.entries_checked++;
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
    const uint64_t left = verify->newest.size - verify->pass.tree.size;
    stretch->first = verify->pass.tree.size;
    stretch->width = left < BT_TILE_WIDTH ? (uint32_t)left : BT_TILE_WIDTH;
    BT_TRY(verify->source->stretch(verify, stretch));
    BT_TRY(verify->source->collect(verify, stretch->first, stretch->first + stretch->width));
    for (uint32_t i = 0; i < stretch->width; i++) {
        struct bt_merkle_hash leaf;
        BT_TRY(take_leaf(verify, stretch, i, &leaf));
        BT_TRY(check_grown_tree(verify, done, bt_merkle_tree_add(&verify->pass.tree, &leaf, done)));
    }
    return BT_OK;
}

/* Count the entries of a span that needs no other finding. */
static enum bt_status count_span(struct bt_verify *verify, const struct bt_verify_plain_span *span)
{
    for (uint32_t i = 0; i < BT_TILE_WIDTH; i++) {
        struct bt_entry_counts expected;
        const struct bt_verify_plain_entry *entry = &span->entries[i];
        if (i + AHEAD < BT_TILE_WIDTH) {
            bt_ledger_recount_prefetch(&verify->pass.recount, &entry[AHEAD].keys.trace);
        }
        BT_TRY(bt_ledger_recount_add_keys(&verify->pass.recount, &entry->keys, &expected));
        BT_TRY(compare_counts(verify, verify->pass.tree.size + i, entry->v, &expected, &entry->n));
    }
    const bt_str latest = {span->latest, sizeof(span->latest)};
    if (bt_str_compare(latest, bt_str_of(verify->pass.latest_time)) > 0) {
        memcpy(verify->pass.latest_time, latest.ptr, latest.len);
    }
    return BT_OK;
}

/* True when something was signed within the span that ends there. */
static bool has_signed_sizes(const struct bt_verify *verify, uint64_t end)
{
    return (verify->rows.count > 0 && verify->rows.items[0].size < end) ||
           (verify->probes.next < verify->probes.count &&
            verify->probes.items[verify->probes.next].size < end);
}

/* A span that was checked: the tree grows by its root, unless a root within it was signed. */
static enum bt_status walk_plain(struct bt_verify *verify, const struct bt_verify_plain_span *span)
{
    struct bt_tile_hash done[BT_TILE_LEVELS];
    struct bt_merkle_tree *tree = &verify->pass.tree;
    const uint64_t end = tree->size + BT_TILE_WIDTH;
    verify->result.entries_checked += BT_TILE_WIDTH;
    bt_buf_put(&verify->digests,
               (bt_str){(const char *)span->digests, span->digest_count * BT_HASH_BYTES});
    BT_TRY(verify->digests.status);
    BT_TRY(verify->source->collect(verify, tree->size, end));
    if (!verify->options->any_entries) {
        BT_TRY(count_span(verify, span));
    }
    if (!has_signed_sizes(verify, end)) {
        return check_grown_tree(verify, done, bt_merkle_tree_add_tile(tree, &span->root, done));
    }
    for (uint32_t i = 0; i < BT_TILE_WIDTH; i++) {
        BT_TRY(check_grown_tree(verify, done, bt_merkle_tree_add(tree, &span->leaves[i], done)));
    }
    return BT_OK;
}

/* True when the span needs no finding about its times either. */
static bool is_plain(const struct bt_verify *verify, const struct bt_verify_plain_span *span)
{
    const bt_str earliest = {span->earliest, sizeof(span->earliest)};
    return span->is_plain &&
           (verify->options->any_entries ||
            bt_verify_regression_ms(earliest, bt_str_of(verify->pass.latest_time)) == 0);
}

static enum bt_status walk_all(struct bt_verify *verify, struct bt_verify_spans *spans)
{
    const uint64_t size = verify->newest.size;
    while (verify->pass.tree.size < size && !verify->is_stopped) {
        bt_arena_reset(&verify->work);
        const struct bt_verify_plain_span *span =
            spans && size - verify->pass.tree.size >= BT_TILE_WIDTH ? bt_verify_spans_next(spans)
                                                                    : NULL;
        BT_TRY(span && is_plain(verify, span) ? walk_plain(verify, span) : walk_stretch(verify));
        bt_progress_report(&verify->options->progress, verify->pass.tree.size, size);
    }
    return BT_OK;
}

static enum bt_status verify_log(struct bt_verify *verify)
{
    struct bt_verify_spans *spans = NULL;
    bt_merkle_tree_init(&verify->pass.tree);
    note_probes(verify);
    BT_TRY(verify->source->checkpoints(verify));
    if (!bt_verify_has_statements(verify)) {
        BT_TRY(bt_verify_spans_open(verify, &spans));
    }
    const enum bt_status status = walk_all(verify, spans);
    bt_verify_spans_close(spans);
    if (status != BT_OK || verify->is_stopped) {
        return status;
    }
    for (uint32_t level = 1; level < BT_TILE_LEVELS; level++) {
        bt_arena_reset(&verify->work);
        BT_TRY(compare_level(verify, level));
    }
    return bt_verify_compare(verify, &verify->newest.root, bt_ledger_part(BT_STR("/checkpoint")));
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
        verify->probes.items[verify->probes.count++] = (struct bt_verify_known_root){
            .size = kept->size,
            .root = kept->root,
            .pointer = pointer,
            .result = kept->size > verify->newest.size ? "rollback" : "consistent",
            .path = path,
        };
        if (kept->size > verify->newest.size) {
            return bt_add_ledger_rollback(
                verify->findings, bt_ledger_part(pointer), verify->newest.size, kept->size,
                BT_LEDGER_ROLLBACK_SOURCE_CHECKPOINT,
                path.len == 0 ? verify->ledger->files.memories : BT_STR_ABSENT);
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
    verify->probes.items =
        BT_NEW_ARRAY(verify->arena, struct bt_verify_known_root, options->against_count + 2);
    if (!verify->probes.items) {
        return BT_ENOMEM;
    }
    const struct bt_verify_memories *memories = &verify->memories;
    if (memories->head.ptr) {
        BT_TRY(add_probe(verify, memories->head, BT_STR("/head"), BT_STR("")));
    } else if (memories->are_used && verify->newest.size > 0) {
        BT_TRY(bt_add_ledger_head_missing(verify->findings, bt_ledger_part(BT_STR("/head"))));
    }
    if (memories->seen.ptr) {
        BT_TRY(add_probe(verify, memories->seen, BT_STR("/seen"), BT_STR("")));
    }
    for (size_t i = 0; i < options->against_count; i++) {
        bt_str pointer;
        bt_str note;
        BT_TRY(bt_arena_printf(verify->arena, &pointer, "/against/%zu", i));
        BT_TRY(bt_receipt_find_note(verify->arena, options->against[i].note, &note));
        BT_TRY(add_probe(verify, note, pointer, options->against[i].path));
    }
    qsort(verify->probes.items, verify->probes.count, sizeof(struct bt_verify_known_root),
          compare_sizes);
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
    for (size_t i = 0; i < verify->probes.count; i++) {
        struct bt_verify_known_root *probe = &verify->probes.items[i];
        bool fork = false;
        if (probe->size > verify->pass.tree.size) {
            continue; /* a rollback, which was reported; or the pass did not get there */
        }
        BT_TRY(is_fork(verify, probe, &fork));
        if (!fork) {
            continue;
        }
        probe->result = "fork";
        BT_TRY(bt_add_ledger_fork(verify->findings, bt_ledger_part(probe->pointer), probe->size,
                                  BT_LEDGER_FORK_SOURCE_CHECKPOINT));
    }
    return BT_OK;
}

static void put_against(struct bt_emit *emit, const struct bt_verify *verify)
{
    bt_emit_name(emit, "against");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < verify->options->against_count; i++) {
        for (size_t j = 0; j < verify->probes.count; j++) {
            const struct bt_verify_known_root *probe = &verify->probes.items[j];
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
    if (bt_verify_has_statements(verify)) {
        bt_emit_member_string(emit, "entries", BT_STR(BT_STORE_STATEMENTS));
    }
    put_vkey(emit, verify);
    bt_emit_member_string(emit, "key_source", key_sources[verify->result.key_source]);
    bt_emit_member_u64(emit, "entries_checked", verify->result.entries_checked);
    bt_emit_member_u64(emit, "checkpoints_checked", verify->result.checkpoints_checked);
    bt_emit_member_u64(emit, "documents_checked", verify->result.documents_checked);
    put_against(emit, verify);
    bt_emit_name(emit, "witnessed");
    if (verify->result.has_witnessed) {
        bt_emit_u64(emit, verify->result.witnessed);
    } else {
        bt_emit_null(emit);
    }
    if (verify->result.policy_facts.len > 0) {
        bt_emit_name(emit, "policy");
        bt_emit_raw(emit, verify->result.policy_facts);
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
        if (verify->is_read) {
            verify->options->reader->facts(verify->options->reader->context, &emit);
        }
    } else {
        bt_emit_member_string(&emit, "key_source", key_sources[verify->result.key_source]);
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, verify->arena, out);
}

static enum bt_status add_local_key_finding(struct bt_verify *verify)
{
    return verify->result.key_source == BT_VERIFY_KEY_ARGUMENT
               ? BT_OK
               : bt_add_ledger_key_local(verify->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                         verify->result.key_source == BT_VERIFY_KEY_FILE
                                             ? BT_LEDGER_KEY_LOCAL_KEY_SOURCE_FILE
                                             : BT_LEDGER_KEY_LOCAL_KEY_SOURCE_STORE,
                                         BT_LEDGER_KEY_LOCAL_SUBJECT_LOG);
}

/* The steps that follow once the size is proven. */
static enum bt_status run_steps(struct bt_verify *verify)
{
    verify->result.checkpoints_checked = 1;
    BT_TRY(add_local_key_finding(verify));
    const struct bt_verify_reader *reader = verify->options->reader;
    BT_TRY(collect_probes(verify));
    if (reader) {
        BT_TRY(reader->begin(verify, reader->context));
    }
    BT_TRY(verify_log(verify));
    BT_TRY(judge_probes(verify));
    BT_TRY(verify->source->tail(verify));
    bt_arena_reset(&verify->work);
    if (!verify->options->no_documents && !verify->is_stopped) {
        BT_TRY(verify->source->documents(verify));
    }
    bt_arena_reset(&verify->work);
    BT_TRY(verify->source->witnesses(verify));
    bt_arena_reset(&verify->work);
    verify->is_read =
        reader && bt_verdict_of(verify->findings, BT_SEVERITY_HARD) != BT_VERDICT_REJECTED;
    return verify->is_read ? reader->end(verify, reader->context) : BT_OK;
}

enum bt_status bt_verify_run(struct bt_verify *verify, bt_str note, bt_str path,
                             struct bt_judgement *out)
{
    assert(verify);
    assert(out);
    bt_str facts;
    const struct bt_checkpoint_input shown = {note, BT_STR("/checkpoint"), verify->keys,
                                              BT_STR("")};
    bt_findings_limit_codes(verify->findings, BT_VERIFY_FINDINGS_PER_CODE);
    BT_TRY(
        bt_ledger_check_checkpoint(&shown, verify->findings, &verify->newest, &verify->is_trusted));
    if (verify->is_trusted) {
        enum bt_status status = bt_ledger_recount_init(&verify->pass.recount);
        if (status == BT_OK) {
            status = run_steps(verify);
        }
        bt_ledger_recount_free(&verify->pass.recount);
        BT_TRY(status);
    }
    BT_TRY(put_facts(verify, &facts));
    return bt_judgement_make(path, BT_DIALECT_LEDGER, BT_STR(""), verify->findings, facts, out);
}
