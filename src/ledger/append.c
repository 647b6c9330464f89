/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append.c - judgements -> records: what of a judged document enters the log, and the replay check.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "base/file.h"
#include "ledger/idempotency.h"
#include "ledger/judge.h"
#include "ledger/new_receipts.h"
#include "ledger/pending.h"

enum { RECORD_BYTES_MAX = 1 << 16 };

static int compare_words(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

/* The distinct codes of the findings that block, truncated at the first colon, sorted; at most
 * 100. */
static enum bt_status collect_codes(struct bt_arena *arena, const struct bt_findings *findings,
                                    enum bt_severity fail_level, struct bt_entry *entry)
{
    const size_t count = bt_findings_count(findings);
    bt_str *codes = BT_NEW_ARRAY(arena, bt_str, count + 1);
    size_t used = 0;
    if (!codes) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        const bt_str code = finding->rule->code;
        if (finding->severity >= fail_level) {
            codes[used++] = bt_str_slice(code, 0, bt_str_find_byte(code, ':', 0));
        }
    }
    qsort(codes, used, sizeof(bt_str), compare_words);
    entry->codes.count = 0;
    for (size_t i = 0; i < used; i++) {
        if (i > 0 && bt_str_eq(codes[i], codes[i - 1])) {
            continue;
        }
        if (entry->codes.count == BT_ENTRY_WORDS_MAX) {
            entry->withheld.items[entry->withheld.count++] = BT_STR("codes");
            break;
        }
        entry->codes.items[entry->codes.count++] = codes[i];
    }
    return BT_OK;
}

/* In the order of their names, so that `withheld` is sorted. */
static enum bt_status put_names(struct bt_arena *arena, const struct bt_submission *item,
                                uint32_t withheld, struct bt_entry *entry)
{
    bt_str id;
    BT_TRY(bt_ascii_lower_copy(arena, item->entry.handoff_id, &id));
    const struct {
        enum bt_entry_field bit;
        bt_str name;
        bt_str value;
        bt_str *place;
    } names[] = {
        {BT_ENTRY_FIELD_HANDOFF_ID, BT_STR("handoff_id"), id, &entry->handoff_id},
        {BT_ENTRY_FIELD_SOURCE, BT_STR("source"), item->entry.source, &entry->source},
        {BT_ENTRY_FIELD_TARGET, BT_STR("target"), item->entry.target, &entry->target},
        {BT_ENTRY_FIELD_TRACE_ID, BT_STR("trace_id"), item->entry.trace_id, &entry->trace_id},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].value.len == 0) {
            continue;
        }
        const bool fits = bt_entry_name_is_valid(names[i].value);
        if (fits && !(withheld & names[i].bit)) {
            *names[i].place = names[i].value;
        } else {
            entry->withheld.items[entry->withheld.count++] = names[i].name;
        }
    }
    return BT_OK;
}

static bt_str dialect_of(const struct bt_submission *item)
{
    return bt_dialect_name(item->entry.dialect ? item->entry.dialect : item->judged->dialect);
}

static void put_attest(uint32_t attest, struct bt_entry *entry)
{
    if (attest & BT_ATTESTATION_PRESENT) {
        entry->attest.source_agent_verified =
            attest & BT_ATTESTATION_SOURCE_AGENT ? BT_TRUE : BT_FALSE;
        entry->attest.target_agent_verified =
            attest & BT_ATTESTATION_TARGET_AGENT ? BT_TRUE : BT_FALSE;
        entry->attest.composition_valid = attest & BT_ATTESTATION_COMPOSITION ? BT_TRUE : BT_FALSE;
        entry->attest.boundaries_respected =
            attest & BT_ATTESTATION_BOUNDARIES ? BT_TRUE : BT_FALSE;
    }
}

/* Digest and size of the document; returns the size. */
static uint64_t hash_document(const struct bt_submission *item, struct bt_merkle_hash *out)
{
    const struct bt_file_digest *digest = item->entry.digest;
    if (!digest) {
        bt_merkle_hash_plain(item->bytes, out);
        return item->bytes.len;
    }
    memcpy(out->bytes, digest->sha256, BT_HASH_BYTES);
    return digest->size;
}

/* Everything of the entry that does not depend on the log. */
static enum bt_status build_entry(struct bt_ledger_transaction *recording,
                                  const struct bt_submission *item, struct bt_entry *entry,
                                  struct bt_error *error)
{
    char digest[BT_SHA256_HEX_BYTES];
    bt_entry_init(entry);
    entry->actor = item->entry.actor;
    entry->kind = item->entry.kind;
    entry->dialect = dialect_of(item);
    put_attest(item->entry.attestation, entry);
    entry->verdict = bt_verdict_name(item->judged->verdict);
    struct bt_merkle_hash hash;
    entry->document.size = hash_document(item, &hash);
    bt_merkle_hash_hex(&hash, digest);
    BT_TRY(bt_arena_copy(recording->arena, bt_str_of(digest), &entry->document.sha256));
    entry->document.truncated = item->entry.is_truncated ? BT_TRUE : BT_ABSENT;
    for (size_t i = 0; i < item->entry.ref_count; i++) {
        BT_TRY(bt_entry_ref_set(entry, item->entry.refs[i].name, item->entry.refs[i].value, error));
    }
    return BT_OK;
}

/* The members that only entries of version 2 have. The document of a submission is the next entry,
 * so its number is known. */
static enum bt_status add_version_2(struct bt_ledger_transaction *recording,
                                    const struct bt_submission *item, struct bt_entry *entry,
                                    struct bt_error *error)
{
    const struct bt_submission_delivery *delivery = &item->delivery;
    const uint64_t seq = recording->state.tree.size;
    if (item->entry.number > 0) {
        entry->n.client = item->entry.number;
    }
    if (!bt_str_eq(entry->kind, BT_STR("handoff"))) {
        return BT_OK;
    }
    BT_TRY(bt_ledger_judge(recording->ledger, &entry->judge, error));
    if (!delivery->has_inbox || item->judged->verdict != BT_VERDICT_ACCEPTED ||
        !delivery->is_addressed) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(recording->arena, &entry->deliver[0], "h%" PRIu64, seq));
    return delivery->has_webhook
               ? bt_arena_printf(recording->arena, &entry->deliver[1], "w%" PRIu64, seq)
               : BT_OK;
}

/* The replay key as the entry has it, or would have it if it were not withheld; without an id
 * *out is unchanged. */
static enum bt_status replay_key(struct bt_arena *arena, const struct bt_submission *item,
                                 bt_str *out)
{
    if (item->entry.handoff_id.len == 0) {
        return BT_OK;
    }
    bt_str id;
    BT_TRY(bt_ascii_lower_copy(arena, item->entry.handoff_id, &id));
    if (bt_entry_name_is_valid(id)) {
        *out = id;
    }
    return BT_OK;
}

static bool counts_as_accepted(const struct bt_submission *item)
{
    return item->judged->verdict == BT_VERDICT_ACCEPTED ||
           item->judged->verdict == BT_VERDICT_RECORDED;
}

/* Turn an acceptance into a rejection, because the id was used before. */
static enum bt_status refuse_replay(struct bt_submission *item, bt_str id,
                                    const struct bt_store_used_id *seen)
{
    struct bt_merkle_hash digest;
    struct bt_findings *findings = bt_findings_new(item->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(item->judged->findings); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(item->judged->findings, i)));
    }
    (void)hash_document(item, &digest);
    const bool is_same =
        bt_str_eq(seen->document, (bt_str){(const char *)digest.bytes, BT_HASH_BYTES});
    BT_TRY(bt_add_raw_replayed_id(findings, bt_ledger_part(item->entry.id_pointer), id, seen->seq,
                                  is_same));
    BT_TRY(bt_findings_finish(findings, item->judged->source));
    item->judged->findings = findings;
    item->judged->verdict = BT_VERDICT_REJECTED;
    return BT_OK;
}

/* Look the id up, within the transaction that will use it. */
static enum bt_status check_replay(struct bt_ledger_transaction *recording,
                                   struct bt_submission *item, bt_str id, struct bt_error *error)
{
    struct bt_store_used_id seen;
    const bt_str key[2] = {dialect_of(item), id};
    if (id.len == 0 || !counts_as_accepted(item)) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_store_used_id_get(recording->ledger->store, recording->arena, key, &seen, error);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    return status == BT_OK ? refuse_replay(item, id, &seen) : status;
}

static enum bt_status use_up(struct bt_ledger_transaction *recording,
                             const struct bt_submission *item, bt_str id, struct bt_error *error)
{
    const struct bt_ledger_record *recorded = item->recorded;
    struct bt_merkle_hash digest;
    if (id.len == 0 || !counts_as_accepted(item)) {
        return BT_OK;
    }
    const bool has_digest = bt_merkle_hash_from_hex(recorded->entry.document.sha256, &digest);
    assert(has_digest);
    const struct bt_store_used_id seen = {recorded->entry.seq,
                                          {(const char *)digest.bytes, BT_HASH_BYTES}};
    return bt_store_used_id_put(recording->ledger->store, dialect_of(item), id, &seen, error);
}

void bt_submission_set_names(struct bt_submission *submission)
{
    assert(submission);
    struct bt_submission_entry *entry = &submission->entry;
    const struct bt_identity *identity = &submission->judged->identity;
    if (entry->is_truncated) {
        return;
    }
    entry->trace_id = identity->trace_id.len > 0 ? identity->trace_id : entry->trace_id;
    entry->source = identity->source.len > 0 ? identity->source : entry->source;
    entry->target = identity->target.len > 0 ? identity->target : entry->target;
    if (identity->id_pointer.len > 0) {
        entry->id_pointer = identity->id_pointer;
        entry->handoff_id = identity->handoff_id.len > 0 ? identity->handoff_id : entry->handoff_id;
    }
}

enum bt_status bt_ledger_transaction_add_submission(struct bt_ledger_transaction *recording,
                                                    struct bt_submission *item,
                                                    struct bt_error *error)
{
    bt_str id = BT_STR("");
    if (!recording->drafts.entry) {
        recording->drafts.entry =
            bt_arena_alloc(recording->arena, sizeof(*recording->drafts.entry));
    }
    struct bt_entry *entry = recording->drafts.entry;
    item->recorded = bt_arena_alloc(recording->arena, sizeof(*item->recorded));
    if (!entry || !item->recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_transaction_add_policy(recording, item, error));
    BT_TRY(replay_key(recording->arena, item, &id));
    BT_TRY(check_replay(recording, item, id, error));
    BT_TRY(build_entry(recording, item, entry, error));
    if (item->judged->verdict == BT_VERDICT_REJECTED) {
        const enum bt_severity level = item->fail_level ? item->fail_level : BT_SEVERITY_HARD;
        BT_TRY(collect_codes(recording->arena, item->judged->findings, level, entry));
    }
    item->delivery.is_addressed = bt_entry_name_is_valid(item->entry.target);
    BT_TRY(put_names(recording->arena, item,
                     item->entry.withheld | recording->ledger->form.withheld, entry));
    if (recording->ledger->form.version >= 2) {
        BT_TRY(add_version_2(recording, item, entry, error));
    }
    const bool keeps =
        !item->entry.omit_document && !item->entry.is_truncated && !item->entry.digest;
    BT_TRY(bt_ledger_transaction_add_entry(recording, entry, keeps ? &item->bytes : NULL,
                                           item->recorded, error));
    item->seq = item->recorded->entry.seq;
    return use_up(recording, item, id, error);
}

/* Prove each item that wants a receipt. Writing the receipt is left to the submitting thread,
 * because other submissions wait here. */
static enum bt_status prove_all(const struct bt_ledger_transaction *recording,
                                const struct bt_ledger_batch *batch)
{
    struct bt_ledger_new_leaves *fresh = NULL;
    for (size_t i = 0; i < batch->count; i++) {
        struct bt_submission *item = batch->items[i];
        if (!item || !item->wants_receipt || item->is_skipped) {
            continue;
        }
        if (!fresh) {
            fresh = BT_NEW(recording->arena, struct bt_ledger_new_leaves);
            BT_TRY(fresh ? bt_ledger_new_leaves_init(fresh, recording->arena, &recording->before,
                                                     recording->leaves, recording->leaf_count)
                         : BT_ENOMEM);
        }
        struct bt_receipt *proof = bt_arena_alloc(recording->arena, sizeof(*proof));
        if (!proof) {
            return BT_ENOMEM;
        }
        BT_TRY(bt_ledger_new_leaves_prove(fresh, item->recorded, recording->note, proof));
        item->progress.proof = proof;
    }
    return BT_OK;
}

/* A batch while it is appended. */
struct ledger_append_state {
    struct bt_ledger_group_commit *growing;
    struct bt_judgement *judged; /* of each item, as it was before the log was read */
    size_t known;                /* number of items whose judgement is there */
};

/* What the items will look up in a store. */
struct ledger_append_lookups {
    struct bt_store_lookup *items;
    size_t count;
};

/* The names that an item will be counted by. */
static void expect_counts(const struct bt_submission *item, struct bt_store_lookup *expected)
{
    const bt_str names[] = {[BT_STORE_COUNT_ACTOR] = item->entry.actor,
                            [BT_STORE_COUNT_SOURCE] = item->entry.source,
                            [BT_STORE_COUNT_TRACE] = item->entry.trace_id};
    for (size_t i = 0; i < BT_STORE_COUNT__MAX; i++) {
        expected->counted[i] = bt_entry_name_is_valid(names[i]) ? names[i] : BT_STR("");
    }
}

/* Note the items from index `from` on. A remote store is told what they will look up, so that one
 * exchange answers all. */
static enum bt_status note_items(const struct bt_ledger_transaction *recording,
                                 struct ledger_append_state *appending, size_t from,
                                 struct ledger_append_lookups *out)
{
    const struct bt_ledger_batch *batch = &appending->growing->batch;
    const bool is_remote = bt_store_is_remote(recording->ledger->store);
    const size_t count = is_remote ? batch->count - from : 0;
    struct bt_store_lookup *expected =
        BT_NEW_ARRAY(recording->arena, struct bt_store_lookup, count + 1);
    struct bt_merkle_hash *digests =
        BT_NEW_ARRAY(recording->arena, struct bt_merkle_hash, count + 1);
    if (!expected || !digests) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_submission *item = batch->items[from + i];
        (void)hash_document(item, &digests[i]);
        expected[i].sha256 = (bt_str){(const char *)digests[i].bytes, BT_HASH_BYTES};
        expected[i].dialect = dialect_of(item);
        BT_TRY(replay_key(recording->arena, item, &expected[i].id));
        if (recording->ledger->form.version >= 2) {
            expect_counts(item, &expected[i]);
        }
    }
    for (; appending->known < batch->count; appending->known++) {
        appending->judged[appending->known] = *batch->items[appending->known]->judged;
    }
    *out = (struct ledger_append_lookups){expected, count};
    return BT_OK;
}

static enum bt_status add_from(struct bt_ledger_transaction *recording,
                               const struct ledger_append_state *appending, size_t from,
                               struct bt_error *error)
{
    const struct bt_ledger_batch *batch = &appending->growing->batch;
    for (size_t i = from; i < batch->count; i++) {
        struct bt_submission *item = batch->items[i];
        if (!item) {
            continue;
        }
        *item->judged = appending->judged[i];
        item->is_skipped = false;
        item->commit_count = 0;
        item->progress.proof = NULL;
        item->record_json = BT_STR("");
        item->receipt = BT_STR("");
        BT_TRY(item->record ? item->record(item, recording, error)
                            : bt_ledger_transaction_add_submission(recording, item, error));
    }
    return BT_OK;
}

/* Say where each item is recorded, now that the size of the log is known, and store the answers
 * that may be repeated. */
static enum bt_status describe_all(struct bt_ledger_transaction *recording,
                                   const struct bt_ledger_batch *batch, struct bt_error *error)
{
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_merkle_tree_root(&recording->state.tree, &recording->state.root);
    bt_buf_init(&buf, RECORD_BYTES_MAX);
    for (size_t i = 0; i < batch->count && status == BT_OK; i++) {
        struct bt_submission *item = batch->items[i];
        if (!item || item->is_skipped) {
            continue;
        }
        bt_buf_clear(&buf);
        bt_ledger_transaction_put_record(&buf, recording, item->recorded);
        status = bt_buf_copy(&buf, item->arena, &item->record_json);
        if (status == BT_OK && item->once) {
            status = bt_idempotency_store(recording, item->once, item->seq, error);
        }
    }
    bt_buf_free(&buf);
    return status == BT_ENOMEM ? bt_error_set(error, status, "%s", bt_status_text(status)) : status;
}

/* Add all items, then those that were submitted in the meantime, until there are no more: they
 * share the commit, which costs more than all the rest. */
static enum bt_status add_all(struct bt_ledger_transaction *recording, void *context,
                              struct bt_error *error)
{
    struct ledger_append_state *appending = context;
    struct bt_ledger_group_commit *growing = appending->growing;
    size_t from = 0;
    if (growing->group) {
        bt_writer_batch_lock(growing->group, &growing->batch);
    }
    while (from < growing->batch.count) {
        struct ledger_append_lookups questions;
        BT_TRY(add_from(recording, appending, from, error));
        from = growing->batch.count;
        if (!growing->group || from == growing->room) {
            break;
        }
        bt_writer_batch_take_more(growing->group, &growing->batch);
        assert(growing->batch.count >= from);
        assert(growing->batch.count <= growing->room);
        if (note_items(recording, appending, from, &questions) != BT_OK) {
            return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
        if (questions.count > 0) {
            BT_TRY(bt_store_lookup_more(recording->ledger->store, questions.items, questions.count,
                                        error));
        }
    }
    BT_TRY(describe_all(recording, &growing->batch, error));
    if (growing->group) {
        bt_writer_batch_unlock(growing->group);
    }
    return BT_OK;
}

enum bt_status bt_ledger_append_group(struct bt_ledger *ledger, struct bt_env *env,
                                      struct bt_arena *arena,
                                      struct bt_ledger_group_commit *growing,
                                      struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(env);
    assert(growing);
    assert(alarms);
    struct bt_ledger_batch *batch = &growing->batch;
    assert(batch->count <= growing->room);
    assert(growing->room <= BT_LEDGER_BATCH_MAX);
    struct ledger_append_lookups questions;
    struct bt_ledger_transaction recording = {.ledger = ledger, .env = env, .arena = arena};
    struct ledger_append_state appending = {
        .growing = growing,
        .judged = BT_NEW_ARRAY(arena, struct bt_judgement, growing->room + 1),
    };
    if (!appending.judged || note_items(&recording, &appending, 0, &questions) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    recording.lookups = questions.items;
    recording.expected_count = questions.count;
    const enum bt_status status =
        bt_ledger_transaction_run(&recording, add_all, &appending, alarms, error);
    if (growing->group) {
        bt_writer_batch_lock(growing->group, batch);
    }
    batch->is_recorded = recording.is_recorded;
    batch->is_unknown = recording.is_unknown;
    for (size_t i = 0; i < appending.known && status != BT_OK; i++) {
        if (batch->items[i]) {
            *batch->items[i]->judged = appending.judged[i]; /* as if it had not been submitted */
        }
    }
    BT_TRY(status);
    return recording.is_recorded ? prove_all(&recording, batch) : BT_OK;
}

enum bt_status bt_ledger_append(struct bt_ledger *ledger, struct bt_env *env,
                                struct bt_arena *arena, struct bt_ledger_batch *batch,
                                struct bt_findings *alarms, struct bt_error *error)
{
    assert(batch);
    struct bt_ledger_group_commit growing = {.batch = *batch, .room = batch->count};
    const enum bt_status status =
        bt_ledger_append_group(ledger, env, arena, &growing, alarms, error);
    batch->is_recorded = growing.batch.is_recorded;
    batch->is_unknown = growing.batch.is_unknown;
    for (size_t i = 0; i < batch->count; i++) {
        struct bt_submission *item = batch->items[i];
        item->durability = batch->is_unknown                         ? BT_DURABILITY_UNKNOWN
                           : batch->is_recorded && !item->is_skipped ? BT_DURABILITY_DURABLE
                                                                     : BT_DURABILITY_NONE;
        if (status == BT_OK && item->progress.proof) {
            BT_TRY(bt_receipt_write(item->arena, item->progress.proof, &item->receipt));
        }
    }
    return status;
}

enum bt_status bt_ledger_add_too_large_finding(struct bt_findings *findings, uint64_t limit)
{
    return bt_add_record_too_large(findings, bt_location_whole(), limit);
}
