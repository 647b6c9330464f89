/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.c - delete document bytes and record that, in one transaction. The entries that name the
 * digest, and all proofs, stay valid.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "ledger/hold.h"
#include "ledger/redact_approvals.h"
#include "ledger/redact_tasks.h"
#include "store/queue.h"

struct ledger_redact {
    struct bt_ledger_transaction recording;
    struct bt_ledger_redact_options *options;
    struct bt_merkle_hash digest;
    struct bt_ledger_redact_result out;
    uint64_t *seqs;
    size_t capacity;
    struct redact_queue_item *undelivered;
    bool was_redacted; /* its bytes are gone, and only copies remain */
    bool is_request;   /* what is redacted is a request for approval that no document made */
    struct bt_redacted_ids approvals;
    struct bt_redacted_ids tasks;
    struct bt_findings *alarms;
    struct bt_ledger_record *recorded; /* the redaction itself */
    enum bt_status status;
    struct bt_error *error;
};

/* A queue item whose document is deleted. */
struct redact_queue_item {
    struct redact_queue_item *next;
    bt_str message;
    uint64_t seq;
};

static enum bt_status note_seq(struct ledger_redact *redact, uint64_t seq)
{
    BT_TRY(bt_vec_grow(redact->recording.arena, &redact->seqs, redact->out.count, &redact->capacity,
                       1, sizeof(seq)));
    redact->seqs[redact->out.count++] = seq;
    return BT_OK;
}

/*
 * An entry without a document may be a request for approval of its own, as the command gate makes
 * them: then its payload is redacted, and its fingerprint stands for a digest.
 */
static enum bt_status take_request(struct ledger_redact *redact,
                                   const struct bt_ledger_entry_view *shown, bt_str *out_sha256)
{
    struct bt_entry entry;
    redact->is_request =
        bt_entry_read(shown->entry.text, &entry) && bt_str_eq(entry.kind, BT_STR("approval")) &&
        bt_str_eq(entry.refs.event, BT_STR("REQUESTED")) && entry.refs.parent == BT_SEQ_ABSENT;
    if (!redact->is_request) {
        return bt_error_set(redact->error, BT_ENOENT, "entry %" PRIu64 " has no document",
                            redact->options->seq);
    }
    *out_sha256 = entry.refs.fingerprint;
    BT_TRY(bt_redacted_ids_add(&redact->approvals, redact->recording.arena, entry.refs.approval));
    return note_seq(redact, redact->options->seq);
}

static enum bt_status find_digest(struct ledger_redact *redact, struct bt_findings *alarms)
{
    const struct bt_ledger_redact_options *options = redact->options;
    struct bt_ledger_transaction *recording = &redact->recording;
    bt_str sha256 = options->sha256;
    if (options->by_seq) {
        struct bt_ledger_entry_view shown;
        BT_TRY(bt_ledger_get_entry(recording->ledger, recording->arena, options->seq, alarms,
                                   &shown, redact->error));
        if (bt_findings_count(alarms) > 0) {
            return BT_OK;
        }
        sha256 = shown.sha256;
        if (shown.state == BT_DOCUMENT_ABSENT) {
            BT_TRY(take_request(redact, &shown, &sha256));
        }
    }
    if (!bt_merkle_hash_from_hex(sha256, &redact->digest)) {
        return bt_error_set(redact->error, BT_EINVAL,
                            "a digest is 64 lower-case hexadecimal digits");
    }
    return bt_arena_copy(recording->arena, sha256, &redact->out.sha256);
}

static bt_str digest_key(const struct ledger_redact *redact)
{
    return (bt_str){(const char *)redact->digest.bytes, BT_HASH_BYTES};
}

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_redact *redact = context;
    struct bt_entry entry;
    if (bt_entry_read(row->entry, &entry) && bt_entry_is_about_document(&entry)) {
        redact->status = note_seq(redact, row->seq);
    }
    return redact->status == BT_OK;
}

static enum bt_status find_entries(struct ledger_redact *redact)
{
    const struct bt_store_scan scan = {.order = BT_STORE_BY_DOCUMENT, .key = digest_key(redact)};
    BT_TRY(bt_store_entry_scan(redact->recording.ledger->store, &scan, take_entry, redact,
                               redact->error));
    redact->out.seqs = redact->seqs;
    return redact->status;
}

static enum bt_status note_undelivered(struct ledger_redact *redact,
                                       const struct bt_queue_item *item)
{
    struct redact_queue_item *undelivered =
        BT_NEW(redact->recording.arena, struct redact_queue_item);
    if (!undelivered) {
        return BT_ENOMEM;
    }
    *undelivered = (struct redact_queue_item){.next = redact->undelivered, .seq = item->seq};
    redact->undelivered = undelivered;
    return bt_arena_copy(redact->recording.arena, item->message, &undelivered->message);
}

static bool take_item(void *context, const struct bt_queue_item *item)
{
    struct ledger_redact *redact = context;
    redact->status = note_undelivered(redact, item);
    return redact->status == BT_OK;
}

static struct bt_entry *entry_of(const struct ledger_redact *redact, const char *kind)
{
    struct bt_entry *entry = BT_NEW(redact->recording.arena, struct bt_entry);
    if (entry) {
        bt_entry_init(entry);
        entry->actor = redact->options->actor;
        entry->kind = bt_str_of(kind);
        entry->dialect = BT_STR("baton");
        entry->verdict = BT_STR("recorded");
    }
    return entry;
}

static enum bt_status add_redaction(struct ledger_redact *redact)
{
    struct bt_ledger_transaction *recording = &redact->recording;
    struct bt_entry *entry = entry_of(redact, "redaction");
    if (!entry) {
        return BT_ENOMEM;
    }
    entry->document.sha256 = redact->out.sha256;
    entry->document.size = redact->out.size;
    entry->refs.reason = redact->options->reason;
    entry->refs.event = redact->options->is_early ? BT_STR("early") : BT_STR("");
    entry->refs.parent = redact->options->by_seq ? redact->options->seq : BT_SEQ_ABSENT;
    const uint64_t seq = recording->state.tree.size;
    if (!redact->is_request) {
        BT_TRY((redact->was_redacted ? bt_store_copies_redact : bt_store_document_redact)(
            recording->ledger->store, digest_key(redact), seq, redact->error));
    }
    BT_TRY(bt_redacted_tasks_empty(recording, &redact->tasks, seq, redact->error));
    return bt_ledger_transaction_add_entry(recording, entry, NULL, redact->recorded, redact->error);
}

/* Queued deliveries of the document become dead. */
static enum bt_status add_deaths(struct ledger_redact *redact)
{
    struct bt_ledger_record *recorded = BT_NEW(redact->recording.arena, struct bt_ledger_record);
    for (const struct redact_queue_item *item = redact->undelivered; item; item = item->next) {
        struct bt_entry *entry = entry_of(redact, "delivery");
        if (!entry || !recorded) {
            return BT_ENOMEM;
        }
        entry->refs.message = item->message;
        entry->refs.event = BT_STR("dead");
        entry->refs.reason = BT_STR("redacted");
        entry->refs.parent = item->seq;
        BT_TRY(bt_ledger_transaction_add_entry(&redact->recording, entry, NULL, recorded,
                                               redact->error));
    }
    return BT_OK;
}

/* Find the payload of a request, and whether it is still there. */
static enum bt_status find_request(struct ledger_redact *redact, bool *out_is_there)
{
    BT_TRY(bt_redacted_approvals_measure(&redact->recording, &redact->approvals, &redact->out.size,
                                         redact->error));
    redact->out.seqs = redact->seqs;
    redact->out.approvals = redact->approvals.items;
    redact->out.approval_count = redact->approvals.count;
    redact->out.was_redacted = redact->approvals.count == 0;
    *out_is_there = !redact->out.was_redacted;
    return BT_OK;
}

/* Find what is to be redacted, and whether there is anything. */
static enum bt_status find_documents(struct ledger_redact *redact, bool *out_is_there)
{
    struct bt_store_document document;
    struct bt_ledger_transaction *recording = &redact->recording;
    bool has_copies = false;
    *out_is_there = false;
    redact->out = (struct bt_ledger_redact_result){.record = BT_STR("")};
    redact->capacity = 0;
    redact->undelivered = NULL;
    redact->is_request = false;
    redact->approvals = (struct bt_redacted_ids){0};
    redact->tasks = (struct bt_redacted_ids){0};
    BT_TRY(find_digest(redact, redact->alarms));
    if (bt_findings_count(redact->alarms) > 0) {
        return BT_OK;
    }
    if (redact->is_request) {
        return find_request(redact, out_is_there);
    }
    BT_TRY(bt_store_document_get(recording->ledger->store, recording->arena, digest_key(redact),
                                 &document, redact->error));
    redact->out.size = document.size;
    redact->was_redacted = document.redacted_seq != BT_STORE_NONE;
    BT_TRY(find_entries(redact));
    if (!redact->was_redacted && !document.has_bytes) {
        return bt_error_set(redact->error, BT_ECORRUPT, "its bytes are gone without a redaction");
    }
    BT_TRY(bt_redacted_approvals_find(recording, redact->seqs, redact->out.count,
                                      &redact->approvals, redact->error));
    BT_TRY(bt_redacted_tasks_find(recording, &document, &redact->tasks, redact->error));
    BT_TRY(bt_store_document_has_copies(recording->ledger->store, digest_key(redact), &has_copies,
                                        redact->error));
    redact->out.approvals = redact->approvals.items;
    redact->out.approval_count = redact->approvals.count;
    /* A redacted document may have been submitted again, and left copies. */
    redact->out.was_redacted = redact->was_redacted && redact->approvals.count == 0 &&
                               redact->tasks.count == 0 && !has_copies;
    *out_is_there = !redact->out.was_redacted;
    return BT_OK;
}

/* Runs within the transaction, from the beginning each time. */
static enum bt_status redact_in_transaction(struct bt_ledger_transaction *recording, void *context,
                                            struct bt_error *error)
{
    struct ledger_redact *redact = context;
    bool is_there = false;
    BT_TRY(find_documents(redact, &is_there));
    if (!is_there) {
        return BT_OK;
    }
    if (!redact->is_request) {
        const struct bt_ledger_retention retention = {redact->options->min_s,
                                                      redact->options->is_early};
        struct bt_findings *refusals =
            redact->options->refusals ? redact->options->refusals : redact->alarms;
        BT_TRY(bt_ledger_check_retention(recording, &redact->digest, &retention, refusals, error));
        if (bt_findings_count(refusals) > 0) {
            return BT_OK;
        }
        BT_TRY(bt_queue_each_with_document(recording->ledger->store, digest_key(redact), take_item,
                                           redact, error));
        BT_TRY(redact->status);
    }
    BT_TRY(add_redaction(redact));
    BT_TRY(add_deaths(redact));
    BT_TRY(bt_redacted_approvals_empty(recording, &redact->approvals, redact->options->actor,
                                       redact->recorded->entry.seq, error));
    /* Before the commit, which may store a response about it. */
    BT_TRY(bt_ledger_transaction_copy_record(recording, redact->recorded, &redact->out.record));
    redact->out.seq = redact->recorded->entry.seq;
    redact->options->done = redact->out;
    return BT_OK;
}

enum bt_status bt_ledger_redact(struct bt_ledger *ledger, struct bt_env *env,
                                struct bt_arena *arena, struct bt_ledger_redact_options *redaction,
                                struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(redaction);
    struct ledger_redact redact = {.recording = {.ledger = ledger, .env = env, .arena = arena},
                                   .options = redaction,
                                   .alarms = alarms,
                                   .recorded = BT_NEW(arena, struct bt_ledger_record),
                                   .error = error};
    if (!redact.recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (!bt_entry_text_is_valid(redaction->reason)) {
        return bt_error_set(error, BT_EINVAL, "a reason is 1 to 200 of [A-Za-z0-9 ._:/@+,-]");
    }
    enum bt_status status =
        bt_ledger_transaction_run(&redact.recording, redact_in_transaction, &redact, alarms, error);
    redact.out.is_recorded = redact.recording.is_recorded;
    redaction->done = redact.out;
    if (status == BT_OK && redact.out.is_recorded) {
        status = bt_store_clear_document_copies(ledger->store, error);
    }
    return status;
}
