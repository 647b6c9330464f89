/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.c - delete document bytes and record that, in one transaction. The entries that name the
 * digest, and all proofs, stay valid.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "ledger/record.h"
#include "ledger/redact_copies.h"

struct redact {
    struct bt_recording recording;
    const struct bt_ledger_redaction *asked;
    struct bt_hash digest;
    struct bt_ledger_redacted out;
    uint64_t *seqs;
    size_t capacity;
    enum bt_status status;
    struct bt_error *error;
};

/* ---- Which document -------------------------------------------------------------------------- */

static enum bt_status find_digest(struct redact *redact, struct bt_findings *alarms)
{
    const struct bt_ledger_redaction *asked = redact->asked;
    struct bt_recording *recording = &redact->recording;
    bt_str sha256 = asked->sha256;
    if (asked->by_seq) {
        struct bt_ledger_shown shown;
        BT_TRY(bt_ledger_show(recording->ledger, recording->arena, asked->seq, alarms, &shown,
                              redact->error));
        if (bt_findings_count(alarms) > 0) {
            return BT_OK;
        }
        if (shown.state == BT_DOCUMENT_NONE) {
            return bt_fail(redact->error, BT_ENOENT, "entry %" PRIu64 " has no document",
                           asked->seq);
        }
        sha256 = shown.sha256;
    }
    if (!bt_hash_from_hex(sha256, &redact->digest)) {
        return bt_fail(redact->error, BT_EINVAL, "a digest is 64 lower-case hexadecimal digits");
    }
    return bt_arena_copy(recording->arena, sha256, &redact->out.sha256);
}

static bt_str digest_key(const struct redact *redact)
{
    return (bt_str){(const char *)redact->digest.bytes, BT_HASH_BYTES};
}

static enum bt_status note_seq(struct redact *redact, uint64_t seq)
{
    if (redact->out.count == redact->capacity) {
        const size_t capacity = redact->capacity > 0 ? redact->capacity * 2 : 16;
        uint64_t *seqs = BT_NEW_ARRAY(redact->recording.arena, uint64_t, capacity);
        if (!seqs) {
            return BT_ENOMEM;
        }
        if (redact->out.count > 0) {
            memcpy(seqs, redact->seqs, redact->out.count * sizeof(uint64_t));
        }
        redact->seqs = seqs;
        redact->capacity = capacity;
    }
    redact->seqs[redact->out.count++] = seq;
    return BT_OK;
}

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct redact *redact = context;
    struct bt_entry entry;
    if (bt_entry_read(row->entry, &entry) && !bt_str_eq(entry.kind, BT_STR("redaction"))) {
        redact->status = note_seq(redact, row->seq);
    }
    return redact->status == BT_OK;
}

static enum bt_status find_entries(struct redact *redact)
{
    const struct bt_store_scan scan = {.order = BT_STORE_BY_DOCUMENT, .key = digest_key(redact)};
    BT_TRY(bt_store_entry_scan(redact->recording.ledger->store, &scan, take_entry, redact,
                               redact->error));
    redact->out.seqs = redact->seqs;
    return redact->status;
}

/* ---- The act --------------------------------------------------------------------------------- */

static enum bt_status add_entry(struct redact *redact, struct bt_recorded *out)
{
    struct bt_recording *recording = &redact->recording;
    struct bt_entry *entry = BT_NEW(recording->arena, struct bt_entry);
    if (!entry) {
        return BT_ENOMEM;
    }
    bt_entry_init(entry);
    entry->actor = redact->asked->actor;
    entry->kind = BT_STR("redaction");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->document.sha256 = redact->out.sha256;
    entry->document.size = redact->out.size;
    entry->refs.reason = redact->asked->reason;
    entry->refs.parent = redact->asked->by_seq ? redact->asked->seq : BT_SEQ_ABSENT;
    const uint64_t seq = recording->state.tree.size;
    const struct bt_redacted_entries gone = {redact->seqs, redact->out.count, seq};
    struct bt_store *store = recording->ledger->store;
    BT_TRY(bt_store_document_redact(store, digest_key(redact), seq, redact->error));
    BT_TRY(bt_redact_copies(store, recording->arena, &gone, redact->error));
    return bt_recording_add(recording, entry, NULL, out, redact->error);
}

static enum bt_status tell(struct redact *redact, const struct bt_recorded *recorded)
{
    struct bt_recording *recording = &redact->recording;
    struct bt_buf buf;
    bt_tree_root(&recording->state.tree, &recording->state.root);
    bt_buf_init(&buf, 1 << 16);
    bt_recording_put(&buf, recording, recorded);
    const enum bt_status status = bt_buf_keep(&buf, redact->recording.arena, &redact->out.record);
    bt_buf_free(&buf);
    return status;
}

/* Within the transaction. *out_recorded says whether there is something to commit. */
static enum bt_status redact_locked(struct redact *redact, struct bt_findings *alarms,
                                    struct bt_recorded *recorded, bool *out_recorded)
{
    struct bt_store_document document;
    struct bt_recording *recording = &redact->recording;
    *out_recorded = false;
    BT_TRY(find_digest(redact, alarms));
    if (bt_findings_count(alarms) > 0) {
        return BT_OK;
    }
    BT_TRY(bt_store_document_get(recording->ledger->store, recording->arena, digest_key(redact),
                                 &document, redact->error));
    redact->out.size = document.size;
    redact->out.is_already = document.redacted_seq != BT_STORE_NONE;
    BT_TRY(find_entries(redact));
    if (redact->out.is_already) {
        return BT_OK;
    }
    if (!document.has_bytes) {
        return bt_fail(redact->error, BT_ECORRUPT, "its bytes are gone without a redaction");
    }
    *out_recorded = true;
    return add_entry(redact, recorded);
}

enum bt_status bt_ledger_redact(struct bt_ledger *ledger, struct bt_env *env,
                                struct bt_arena *arena, struct bt_ledger_redaction *redaction,
                                struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(redaction);
    struct redact redact = {.recording = {.ledger = ledger, .env = env, .arena = arena},
                            .asked = redaction,
                            .out = {.record = BT_STR("")},
                            .error = error};
    struct bt_recorded *recorded = BT_NEW(arena, struct bt_recorded);
    bool has_record = false;
    if (!recorded) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (!bt_entry_text_is(redaction->reason)) {
        return bt_fail(error, BT_EINVAL, "a reason is 1 to 200 of [A-Za-z0-9 ._:/@+,-]");
    }
    BT_TRY(bt_recording_begin(&redact.recording, alarms, error));
    if (bt_findings_count(alarms) > 0) {
        return BT_OK;
    }
    enum bt_status status = redact_locked(&redact, alarms, recorded, &has_record);
    if (status == BT_OK && has_record) { /* before the commit, which may keep an answer about it */
        status = tell(&redact, recorded);
    }
    redaction->done = redact.out;
    if (status != BT_OK || !has_record) {
        bt_store_rollback(ledger->store);
    } else {
        status = bt_recording_commit(&redact.recording, error);
        redact.out.is_recorded = redact.recording.is_recorded;
    }
    if (status == BT_OK && has_record) {
        status = bt_store_scrub(ledger->store, error);
    }
    redaction->done = redact.out;
    return status;
}
