/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transaction.c - lock, judge, add, sign, commit, remember.
 */
#include "ledger/transaction.h"
#include "ledger/counts.h"
#include "ledger/judge.h"
#include "ledger/memory.h"

#include <assert.h>
#include <string.h>

#include <baton/json.h>

#include "base/clock.h"
#include "ledger/figures.h"
#include "ledger/idempotency.h"

/* The deadline usually ends it earlier. */
enum { RUNS_MAX = 64 };

enum { LEAVES_MIN = 4 };

/* Check before anything is added that the ledger is valid and the request is new. */
static enum bt_status check_ledger(struct bt_ledger_transaction *recording,
                                   struct bt_findings *alarms, struct bt_error *error)
{
    struct bt_ledger *ledger = recording->ledger;
    BT_TRY(bt_ledger_state(ledger, recording->arena, alarms, &recording->state, error));
    if (bt_findings_count(alarms) == 0) {
        BT_TRY(
            bt_ledger_check_head_file(ledger, recording->arena, &recording->state, alarms, error));
    }
    if (bt_findings_count(alarms) > 0 || !ledger->idempotency) {
        return BT_OK;
    }
    BT_TRY(bt_idempotency_find(recording, ledger->idempotency, error));
    return ledger->idempotency->outcome == 0
               ? BT_OK
               : bt_error_set(error, BT_EEXIST, "the request came before");
}

enum bt_status bt_ledger_transaction_begin(struct bt_ledger_transaction *recording,
                                           struct bt_findings *alarms, struct bt_error *error)
{
    assert(recording);
    assert(recording->ledger->is_writing);
    struct bt_ledger *ledger = recording->ledger;
    const struct bt_env *env = recording->env;
    ledger->is_unknown = false;
    if (recording->drafts.are_statements != bt_ledger_has_statements(ledger)) {
        return bt_error_set(error, BT_EDENIED, "a log holds decisions, or statements of others");
    }
    if (!recording->is_retry &&
        !env->random(env->context, recording->batch, sizeof(recording->batch))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    /* An entry of a real log has the time of this node's clock, whatever a flag says; a pinned
     * instant stands beside it. A log with a test key can be repeated, so it has the pinned one. */
    const bool is_pinned = !env->clock && !ledger->is_test_key;
    bt_entry_time_put(is_pinned ? bt_clock_now() : bt_env_now(env), recording->time);
    recording->pinned[0] = '\0';
    if (is_pinned) {
        bt_entry_time_put(env->fixed_now, recording->pinned);
    }
    const uint64_t leaves = ledger->other_writers_ttl > 0 ? ledger->known.tree.size : BT_STORE_NONE;
    BT_TRY(bt_store_lookup_batch(ledger->store, recording->lookups, recording->expected_count,
                                 leaves, error));
    BT_TRY(recording->is_retry ? bt_store_begin_retry(ledger->store, error)
                               : bt_store_begin(ledger->store, error));
    const enum bt_status status = check_ledger(recording, alarms, error);
    if (status != BT_OK || bt_findings_count(alarms) > 0) {
        bt_store_rollback(ledger->store);
        return status;
    }
    bt_ledger_remember_head(ledger, &recording->state);
    recording->before = recording->state.tree;
    recording->leaf_count = 0;
    recording->events = NULL;
    recording->drafts.policy = BT_STR("");
    bt_ledger_counts_begin(recording);
    bt_ledger_figures_begin(ledger, recording->before.size);
    bt_store_defer(ledger->store);
    return BT_OK;
}

/* Store the document's bytes, if they were given, and set in the entry whether the store has
 * them: an earlier entry may have stored them. A document that was truncated at the limit is not
 * stored. */
static enum bt_status keep_document(struct bt_ledger_transaction *recording, struct bt_entry *entry,
                                    const bt_str *bytes, struct bt_merkle_hash *out_digest,
                                    struct bt_error *error)
{
    const bool has_digest = bt_merkle_hash_from_hex(entry->document.sha256, out_digest);
    assert(has_digest);
    struct bt_store *store = recording->ledger->store;
    const bt_str digest = {(const char *)out_digest->bytes, BT_HASH_BYTES};
    bool kept = false;
    if (bytes) {
        BT_TRY(bt_store_document_put(store, digest, *bytes, &kept, error));
    } else if (entry->document.truncated != BT_TRUE) {
        BT_TRY(bt_store_document_is_kept(store, digest, &kept, error));
    }
    /* A hold names a document, and says nothing about its bytes. */
    entry->document.kept = kept && !bt_str_eq(entry->kind, BT_STR("hold")) ? BT_TRUE : BT_FALSE;
    return BT_OK;
}

static bt_str or_null(bt_str text)
{
    return text.len > 0 ? text : (bt_str){NULL, 0};
}

/*
 * Entries that verify would reject must not be written. Reading the text again costs some
 * hundredths of an append; an invalid entry could never be removed, and the whole log would be in
 * doubt.
 */
static enum bt_status check_text(struct bt_ledger_transaction *recording, bt_str text,
                                 struct bt_error *error)
{
    struct bt_entry_check_result judged;
    const struct bt_arena_mark before = bt_arena_mark(recording->arena);
    struct bt_entry *read = bt_arena_alloc(recording->arena, sizeof(*read));
    const enum bt_status status =
        read ? bt_entry_check(recording->arena, text, read, &judged) : BT_ENOMEM;
    bt_arena_rewind(recording->arena, before);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    return judged.judgement == BT_ENTRY_FINE
               ? BT_OK
               : bt_error_set(error, BT_EINVAL, "the entry would break rule %s: %s", judged.rule,
                              judged.why);
}

static enum bt_status put_text(struct bt_ledger_transaction *recording,
                               const struct bt_entry *entry, const struct bt_merkle_hash *digest,
                               bt_str text, struct bt_merkle_hash *out_leaf, struct bt_error *error)
{
    const bool has_document = entry->document.sha256.len > 0;
    BT_TRY(check_text(recording, text, error));
    bt_merkle_hash_leaf(text, out_leaf);
    const struct bt_store_entry row = {
        .seq = entry->seq,
        .leaf = {(const char *)out_leaf->bytes, BT_HASH_BYTES},
        .entry = text,
        .batch = {recording->batch, sizeof(recording->batch)},
        .kind = entry->kind,
        .verdict = entry->verdict,
        .handoff_id = or_null(entry->handoff_id),
        .trace_id = or_null(entry->trace_id),
        .document = {has_document ? (const char *)digest->bytes : NULL,
                     has_document ? BT_HASH_BYTES : 0},
    };
    return bt_store_entry_put(recording->ledger->store, &row, error);
}

static enum bt_status put_entry(struct bt_ledger_transaction *recording,
                                const struct bt_entry *entry, const struct bt_merkle_hash *digest,
                                struct bt_ledger_record *out, struct bt_error *error)
{
    struct bt_buf text;
    bt_buf_init(&text, BT_ENTRY_BYTES_MAX);
    bt_entry_put(&text, entry);
    const enum bt_status status = bt_buf_finish(&text, recording->arena, &out->text);
    return status == BT_OK ? put_text(recording, entry, digest, out->text, &out->leaf, error)
                           : bt_error_set(error, status, "the entry would be too long");
}

static enum bt_status keep_leaf(struct bt_ledger_transaction *recording,
                                const struct bt_merkle_hash *leaf)
{
    if (recording->leaf_count == recording->leaf_room) {
        const size_t room = recording->leaf_room > 0 ? 2 * recording->leaf_room : LEAVES_MIN;
        struct bt_merkle_hash *leaves = BT_NEW_ARRAY(recording->arena, struct bt_merkle_hash, room);
        if (!leaves) {
            return BT_ENOMEM;
        }
        for (size_t i = 0; i < recording->leaf_count; i++) {
            leaves[i] = recording->leaves[i];
        }
        recording->leaves = leaves;
        recording->leaf_room = room;
    }
    recording->leaves[recording->leaf_count++] = *leaf;
    return BT_OK;
}

/* Keep the event for the observer, which is called when it is durable. */
static enum bt_status keep_event(struct bt_ledger_transaction *recording,
                                 const struct bt_entry *entry)
{
    if (!recording->ledger->observer.notify || entry->refs.event.len == 0) {
        return BT_OK;
    }
    struct bt_ledger_event *event = BT_NEW(recording->arena, struct bt_ledger_event);
    if (!event) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_arena_copy(recording->arena, entry->kind, &event->kind));
    BT_TRY(bt_arena_copy(recording->arena, entry->refs.event, &event->event));
    event->before = recording->events;
    recording->events = event;
    return BT_OK;
}

static void notify_events(const struct bt_ledger_transaction *recording)
{
    const struct bt_ledger *ledger = recording->ledger;
    for (const struct bt_ledger_event *at = recording->events; at; at = at->before) {
        ledger->observer.notify(ledger->observer.context, at->kind, at->event);
    }
}

static enum bt_status check_room(const struct bt_ledger_transaction *recording,
                                 struct bt_error *error)
{
    return recording->state.tree.size < BT_SEQ_MAX
               ? BT_OK
               : bt_error_set(error, BT_ELIMIT, "the ledger is full");
}

/* Let the tree grow by a leaf whose row was put. */
static enum bt_status grow_tree(struct bt_ledger_transaction *recording,
                                const struct bt_merkle_hash *leaf, struct bt_error *error)
{
    struct bt_tile_hash done[BT_TILE_LEVELS];
    if (keep_leaf(recording, leaf) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const size_t count = bt_merkle_tree_add(&recording->state.tree, leaf, done);
    for (size_t i = 0; i < count; i++) {
        const bt_str hash = {(const char *)done[i].hash.bytes, BT_HASH_BYTES};
        BT_TRY(bt_store_hash_put(recording->ledger->store, done[i].level, done[i].n, hash, error));
    }
    return BT_OK;
}

enum bt_status bt_ledger_transaction_add_leaf(struct bt_ledger_transaction *recording,
                                              const struct bt_ledger_leaf *leaf,
                                              struct bt_error *error)
{
    assert(recording);
    assert(recording->drafts.are_statements);
    assert(leaf);
    struct bt_merkle_hash hash;
    BT_TRY(check_room(recording, error));
    bt_merkle_hash_leaf(leaf->bytes, &hash);
    const struct bt_store_entry row = {
        .seq = recording->state.tree.size,
        .leaf = {(const char *)hash.bytes, BT_HASH_BYTES},
        .entry = leaf->bytes,
        .batch = {recording->batch, sizeof(recording->batch)},
        .kind = BT_STR("statement"),
        .verdict = BT_STR("recorded"),
        .handoff_id = leaf->id,
        .trace_id = or_null(leaf->group),
        .document = {NULL, 0},
    };
    BT_TRY(bt_store_entry_put(recording->ledger->store, &row, error));
    return grow_tree(recording, &hash, error);
}

enum bt_status bt_ledger_transaction_add_entry(struct bt_ledger_transaction *recording,
                                               struct bt_entry *entry, const bt_str *bytes,
                                               struct bt_ledger_record *out, struct bt_error *error)
{
    assert(recording);
    assert(!recording->drafts.are_statements);
    assert(entry);
    assert(out);
    struct bt_merkle_hash digest = {{0}};
    BT_TRY(check_room(recording, error));
    entry->seq = recording->state.tree.size;
    entry->time = bt_str_of(recording->time);
    entry->refs.pinned = bt_str_of(recording->pinned);
    entry->v = recording->ledger->form.version;
    if (entry->document.sha256.len > 0) {
        BT_TRY(keep_document(recording, entry, bytes, &digest, error));
    }
    if (entry->v >= 2) {
        BT_TRY(bt_ledger_counts_add(recording, entry, error));
    }
    BT_TRY(put_entry(recording, entry, &digest, out, error));
    BT_TRY(bt_ledger_figures_add(recording->ledger, entry, error));
    if (keep_event(recording, entry) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(grow_tree(recording, &out->leaf, error));
    bt_entry_copy(&out->entry, entry);
    return BT_OK;
}

/* The checkpoint, by one key or two. */
static enum bt_status put_note(struct bt_ledger *ledger, const struct bt_ledger_state *state,
                               struct bt_buf *note, struct bt_error *error)
{
    BT_TRY(bt_signing_key_ready(&ledger->signing.key));
    BT_TRY(bt_checkpoint_put(note, ledger->origin, &ledger->signing.key, state->tree.size,
                             &state->root, error));
    return ledger->signing.is_rotating
               ? bt_checkpoint_put_more(note, ledger->origin, &ledger->signing.next, error)
               : BT_OK;
}

static enum bt_status sign_checkpoint(struct bt_ledger_transaction *recording,
                                      struct bt_error *error)
{
    struct bt_ledger_state *state = &recording->state;
    struct bt_error why = {.status = BT_OK};
    struct bt_buf note;
    bt_merkle_tree_root(&state->tree, &state->root);
    BT_TRY(bt_ledger_lock_keys(recording->ledger, error));
    bt_buf_init(&note, BT_NOTE_BYTES_MAX);
    enum bt_status status = put_note(recording->ledger, state, &note, &why);
    bt_ledger_unlock_keys(recording->ledger);
    if (status == BT_OK) {
        status = bt_buf_copy(&note, recording->arena, &recording->note);
    }
    bt_buf_free(&note);
    if (status != BT_OK) {
        return bt_ledger_sign_error(status, &why, error);
    }
    const struct bt_store_checkpoint checkpoint = {
        .size = state->tree.size,
        .root = {(const char *)state->root.bytes, BT_HASH_BYTES},
        .frontier = bt_merkle_tree_frontier(&state->tree),
        .note = recording->note,
        .batch = {recording->batch, sizeof(recording->batch)},
    };
    return bt_store_checkpoint_put(recording->ledger->store, &checkpoint, error);
}

/* The result of the commit was lost: ask the store whether it took effect. */
static enum bt_status find_out(struct bt_ledger_transaction *recording, struct bt_error *error)
{
    bool is_there = false;
    struct bt_error why;
    const bt_str batch = {recording->batch, sizeof(recording->batch)};
    if (bt_store_resolve_commit(recording->ledger->store, recording->state.tree.size, batch,
                                &is_there, &why) != BT_OK) {
        return BT_EIO; /* with the error of the commit */
    }
    recording->is_unknown = false;
    recording->is_lost = !is_there;
    return is_there ? BT_OK
                    : bt_error_set(error, BT_EIO,
                                   "the connection to the store was lost; nothing was recorded");
}

enum bt_status bt_ledger_transaction_commit(struct bt_ledger_transaction *recording,
                                            struct bt_error *error)
{
    assert(recording);
    struct bt_store *store = recording->ledger->store;
    struct bt_idempotency *once = recording->ledger->idempotency;
    enum bt_status status = sign_checkpoint(recording, error);
    if (status == BT_OK && !recording->drafts.are_statements) {
        status = bt_ledger_count_segments(recording, error);
    }
    if (status == BT_OK) {
        status = bt_ledger_counts_store(recording, error);
    }
    if (status == BT_OK && once) {
        status = bt_idempotency_store(recording, once, recording->state.tree.size - 1, error);
    }
    if (status != BT_OK) {
        bt_store_rollback(store);
        return status;
    }
    enum bt_status committed = bt_store_commit(store, error);
    recording->is_unknown = bt_store_is_unknown(store);
    if (recording->is_unknown) {
        committed = find_out(recording, error);
    }
    recording->ledger->is_unknown = recording->is_unknown;
    recording->is_recorded = committed == BT_OK;
    BT_TRY(committed);
    bt_ledger_figures_end(recording->ledger);
    notify_events(recording);
    bt_ledger_remember_policy(recording);
    bt_ledger_remember_head(recording->ledger, &recording->state);
    if (recording->ledger->head_file.is_deferred) {
        recording->ledger->head_file.pending_note = recording->note;
        return BT_OK;
    }
    BT_TRY(bt_ledger_write_head_file(recording->ledger, recording->note, error));
    bt_ledger_write_memory(recording->ledger, recording->note);
    return BT_OK;
}

enum bt_status bt_ledger_transaction_run(struct bt_ledger_transaction *recording,
                                         bt_ledger_transaction_fn *add, void *context,
                                         struct bt_findings *alarms, struct bt_error *error)
{
    assert(recording);
    assert(add);
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < RUNS_MAX; i++) {
        BT_TRY(bt_ledger_transaction_begin(recording, alarms, error));
        if (bt_findings_count(alarms) > 0) {
            return BT_OK;
        }
        const uint64_t size = recording->state.tree.size;
        status = add(recording, context, error);
        const bool has_entries = recording->state.tree.size != size;
        if (status != BT_OK || !has_entries) {
            bt_store_rollback(recording->ledger->store);
            return status;
        }
        recording->is_lost = false;
        status = bt_ledger_transaction_commit(recording, error);
        if (!recording->is_lost) {
            return status;
        }
        recording->is_retry = true;
    }
    return status;
}

enum bt_status bt_ledger_transaction_mark(struct bt_ledger_transaction *recording,
                                          bt_ledger_transaction_fn *change, void *context,
                                          struct bt_findings *alarms, struct bt_error *error)
{
    assert(recording);
    assert(change);
    BT_TRY(bt_ledger_transaction_begin(recording, alarms, error));
    if (bt_findings_count(alarms) > 0) {
        return BT_OK;
    }
    const enum bt_status status = change(recording, context, error);
    if (status != BT_OK) {
        bt_store_rollback(recording->ledger->store);
        return status;
    }
    const enum bt_status committed = bt_store_commit(recording->ledger->store, error);
    recording->ledger->is_unknown =
        committed != BT_OK && bt_store_is_unknown(recording->ledger->store);
    return committed;
}

static enum bt_status add_nothing(struct bt_ledger_transaction *recording, void *context,
                                  struct bt_error *error)
{
    (void)recording;
    (void)context;
    (void)error;
    return BT_OK;
}

enum bt_status bt_ledger_check_writable(struct bt_ledger *ledger, struct bt_env *env,
                                        struct bt_arena *arena, struct bt_findings *alarms,
                                        struct bt_error *error)
{
    assert(ledger);
    struct bt_ledger_transaction recording = {.ledger = ledger,
                                              .env = env,
                                              .arena = arena,
                                              .drafts.are_statements =
                                                  bt_ledger_has_statements(ledger)};
    return bt_ledger_transaction_run(&recording, add_nothing, NULL, alarms, error);
}

/* A member that is a string. */
static void put_string(struct bt_buf *buf, bt_str lead, bt_str text)
{
    bt_buf_put(buf, lead);
    bt_json_put_string(buf, text);
}

static void put_number(struct bt_buf *buf, bt_str lead, uint64_t number)
{
    bt_buf_put(buf, lead);
    bt_buf_put_u64(buf, number);
}

static void put_document(struct bt_buf *buf, const struct bt_entry_document *document)
{
    if (document->sha256.len > 0) {
        put_string(buf, BT_STR(",\"document\":{\"sha256\":"), document->sha256);
        put_number(buf, BT_STR(",\"size\":"), document->size);
        bt_buf_put(buf, document->kept == BT_TRUE ? BT_STR(",\"kept\":true")
                                                  : BT_STR(",\"kept\":false"));
        bt_buf_put(buf,
                   document->truncated == BT_TRUE ? BT_STR(",\"truncated\":true}") : BT_STR("}"));
    }
}

/* Every response contains this, so it is written without the JSON emitter. */
void bt_ledger_transaction_put_record(struct bt_buf *buf,
                                      const struct bt_ledger_transaction *recording,
                                      const struct bt_ledger_record *recorded)
{
    assert(buf);
    assert(recorded);
    const struct bt_entry *entry = &recorded->entry;
    char leaf[BT_HASH_HEX_BYTES];
    char root[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(&recorded->leaf, leaf);
    bt_merkle_hash_hex(&recording->state.root, root);
    put_number(buf, BT_STR("{\"seq\":"), entry->seq);
    bt_buf_put(buf, BT_STR(",\"ref\":\""));
    bt_buf_put(buf, recording->ledger->origin); /* no character needs an escape */
    put_number(buf, BT_STR("#"), entry->seq);
    put_string(buf, BT_STR("\",\"time\":"), bt_str_of(recording->time));
    put_string(buf, BT_STR(",\"kind\":"), entry->kind);
    put_string(buf, BT_STR(",\"verdict\":"), entry->verdict);
    put_document(buf, &entry->document);
    put_string(buf, BT_STR(",\"leaf_hash\":"), bt_str_of(leaf));
    put_number(buf, BT_STR(",\"tree_size\":"), recording->state.tree.size);
    put_string(buf, BT_STR(",\"root\":"), bt_str_of(root));
    bt_buf_put_char(buf, '}');
}

enum bt_status bt_ledger_transaction_copy_record(struct bt_ledger_transaction *recording,
                                                 const struct bt_ledger_record *recorded,
                                                 bt_str *out)
{
    assert(recording);
    struct bt_buf buf;
    bt_merkle_tree_root(&recording->state.tree, &recording->state.root);
    bt_buf_init(&buf, 1 << 16);
    bt_ledger_transaction_put_record(&buf, recording, recorded);
    return bt_buf_finish(&buf, recording->arena, out);
}
