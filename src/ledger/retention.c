/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.c - delete the documents of old acceptances, and record an entry for each.
 *
 * A document stays as long as any entry needs it: a rejection, a raw record, a more recent
 * acceptance of the same bytes.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/admin.h"
#include "ledger/entry.h"
#include "ledger/ledger_internal.h"

enum { DAY_SECONDS = 86400 };

/* Digests, 32 bytes each. */
struct redact_expired_digests {
    char limit[BT_ENTRY_TIME_BYTES + 1];   /* entries before this time are old */
    char minimum[BT_ENTRY_TIME_BYTES + 1]; /* retain.min keeps documents of later entries */
    uint64_t size;                         /* of the signed log */
    struct bt_buf old;
    struct bt_buf needed;
    struct bt_buf recent; /* those of `needed` that retain.min keeps */
    enum bt_status status;
};

static bool is_old(const struct redact_expired_digests *sorting, const struct bt_entry *entry)
{
    return bt_str_eq(entry->kind, BT_STR("handoff")) &&
           bt_str_eq(entry->verdict, BT_STR("accepted")) &&
           bt_str_compare(entry->time, bt_str_of(sorting->limit)) < 0;
}

static bool sort_entry(void *context, const struct bt_store_entry *row)
{
    struct redact_expired_digests *sorting = context;
    struct bt_entry entry;
    struct bt_merkle_hash digest;
    if (row->seq >= sorting->size) {
        return false;
    }
    /* An entry that cannot be read keeps its document: only its copied digest is known. */
    const bool is_read = bt_entry_read(row->entry, &entry);
    if (is_read && (!bt_merkle_hash_from_hex(entry.document.sha256, &digest) ||
                    !bt_entry_is_about_document(&entry))) {
        return true;
    }
    const bt_str key =
        is_read ? (bt_str){(const char *)digest.bytes, BT_HASH_BYTES} : row->document;
    struct bt_buf *list = is_read && is_old(sorting, &entry) ? &sorting->old : &sorting->needed;
    if (key.len == BT_HASH_BYTES) {
        bt_buf_put(list, key);
    }
    if (is_read && bt_str_compare(entry.time, bt_str_of(sorting->minimum)) > 0) {
        bt_buf_put(&sorting->recent, key);
    }
    sorting->status = list->status == BT_OK ? sorting->recent.status : list->status;
    return sorting->status == BT_OK;
}

static int compare_digests(const void *a, const void *b)
{
    return memcmp(a, b, BT_HASH_BYTES);
}

static void sort_digests(struct bt_buf *list)
{
    if (list->len > 0) {
        qsort(list->ptr, list->len / BT_HASH_BYTES, BT_HASH_BYTES, compare_digests);
    }
}

static bool has_digest(const struct bt_buf *list, const char *digest)
{
    return list->len > 0 && bsearch(digest, list->ptr, list->len / BT_HASH_BYTES, BT_HASH_BYTES,
                                    compare_digests) != NULL;
}

static void count_refusal(struct bt_ledger_retain_options *retention,
                          const struct bt_findings *refusals)
{
    if (refusals && bt_findings_count(refusals) > 0) {
        const bool is_held = bt_findings_at(refusals, 0)->rule->id == BT_CODE_RETENTION_HOLD;
        retention->held += is_held;
        retention->below_minimum += !is_held;
    }
}

/* Redact one document, unless it is already gone. One that `is_recent` is counted, and stays. */
static enum bt_status redact_document(struct bt_ledger *ledger, struct bt_env *env,
                                      struct bt_ledger_retain_options *retention,
                                      const char *digest, bool is_recent, struct bt_error *error)
{
    struct bt_merkle_hash hash;
    char hex[BT_HASH_HEX_BYTES];
    struct bt_arena arena;
    struct bt_store_document document;
    memcpy(hash.bytes, digest, BT_HASH_BYTES);
    bt_merkle_hash_hex(&hash, hex);
    bt_arena_init(&arena, SIZE_MAX);
    enum bt_status status = bt_store_document_get(
        ledger->store, &arena, (bt_str){digest, BT_HASH_BYTES}, &document, error);
    if (status == BT_OK && document.has_bytes && is_recent) {
        retention->below_minimum++;
    } else if (status == BT_OK && document.has_bytes) {
        struct bt_ledger_redact_options options = {.sha256 = bt_str_of(hex),
                                                   .reason = BT_STR("retention"),
                                                   .actor = retention->actor,
                                                   .min_s = retention->min_s,
                                                   .refusals = bt_findings_new(&arena)};
        status = options.refusals
                     ? bt_ledger_redact(ledger, env, &arena, &options, retention->alarms, error)
                     : BT_ENOMEM;
        count_refusal(retention, options.refusals);
        retention->redacted += options.done.is_recorded;
        retention->bytes += options.done.is_recorded ? document.size : 0;
    }
    bt_arena_free(&arena);
    return status == BT_ENOENT ? BT_OK : status; /* never stored */
}

static enum bt_status redact_old(struct bt_ledger *ledger, struct bt_env *env,
                                 struct bt_ledger_retain_options *retention,
                                 struct redact_expired_digests *sorting, struct bt_error *error)
{
    const size_t count = sorting->old.len / BT_HASH_BYTES;
    sort_digests(&sorting->old);
    sort_digests(&sorting->needed);
    sort_digests(&sorting->recent);
    for (size_t i = 0; i < count && bt_findings_count(retention->alarms) == 0; i++) {
        const char *digest = sorting->old.ptr + i * BT_HASH_BYTES;
        const bool is_double = i > 0 && compare_digests(digest, digest - BT_HASH_BYTES) == 0;
        const bool is_recent = retention->min_s > 0 && has_digest(&sorting->recent, digest);
        if (!is_double && (is_recent || !has_digest(&sorting->needed, digest))) {
            BT_TRY(redact_document(ledger, env, retention, digest, is_recent, error));
        }
    }
    return BT_OK;
}

enum bt_status bt_ledger_redact_expired(struct bt_ledger *ledger, struct bt_env *env,
                                        struct bt_arena *arena,
                                        struct bt_ledger_retain_options *retention,
                                        struct bt_error *error)
{
    assert(ledger);
    assert(env);
    assert(retention);
    const struct bt_store_scan all = {.order = BT_STORE_UP};
    struct bt_ledger_head head;
    struct redact_expired_digests sorting = {.status = BT_OK};
    bt_instant limit = bt_env_now(env);
    retention->redacted = 0;
    retention->bytes = 0;
    retention->held = 0;
    retention->below_minimum = 0;
    if (retention->accepted_days < (retention->min_s + DAY_SECONDS - 1) / DAY_SECONDS) {
        return bt_add_retention_minimum(retention->alarms, bt_location_whole(), BT_STR_ABSENT);
    }
    BT_TRY(bt_ledger_head(ledger, arena, retention->alarms, &head, error));
    if (bt_findings_count(retention->alarms) > 0 ||
        retention->accepted_days > (uint64_t)limit.seconds / DAY_SECONDS) {
        return BT_OK; /* nothing can be that old */
    }
    bt_instant minimum = limit;
    minimum.seconds -= (int64_t)retention->min_s; /* not longer than the days */
    bt_entry_time_put(minimum, sorting.minimum);
    limit.seconds -= (int64_t)retention->accepted_days * DAY_SECONDS;
    bt_entry_time_put(limit, sorting.limit);
    sorting.size = head.size;
    bt_buf_init(&sorting.old, SIZE_MAX);
    bt_buf_init(&sorting.needed, SIZE_MAX);
    bt_buf_init(&sorting.recent, SIZE_MAX);
    enum bt_status status = bt_store_entry_scan(ledger->store, &all, sort_entry, &sorting, error);
    status = status == BT_OK ? sorting.status : status;
    if (status == BT_OK) {
        status = redact_old(ledger, env, retention, &sorting, error);
    }
    bt_buf_free(&sorting.old);
    bt_buf_free(&sorting.needed);
    bt_buf_free(&sorting.recent);
    return status;
}
