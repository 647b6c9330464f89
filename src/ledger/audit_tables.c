/* SPDX-License-Identifier: Apache-2.0 */
/* audit_tables.c - the tables of a store against the entries that an audit has read. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/audit_state.h"
#include "store/queue.h"
#include "store/rows.h"

/* The verification and the audit, for callbacks of the store. */
struct audit_tables {
    struct bt_verify *verify;
    struct bt_audit *audit;
    enum bt_status status;
};

/* ---- What witnesses saw ---------------------------------------------------------------------- */

enum bt_status bt_audit_take_sightings(struct bt_audit *audit,
                                       const struct bt_checkpoint *checkpoint,
                                       const struct bt_verifier_keys *witnesses)
{
    assert(audit);
    assert(checkpoint);
    for (size_t i = 0; witnesses && i < checkpoint->line_count; i++) {
        for (size_t j = 0; j < witnesses->keys.count; j++) {
            struct bt_checkpoint_cosigner seen;
            const enum bt_status status = bt_cosignature_judge(checkpoint, &checkpoint->lines[i],
                                                               &witnesses->keys.items[j], &seen);
            if (status == BT_ENOENT || (status == BT_OK && !seen.valid)) {
                continue;
            }
            BT_TRY(status);
            const int64_t time = (int64_t)seen.time; /* a valid one has a time of a clock */
            const struct bt_audit_sighting sighting = {checkpoint->size, time, time};
            bt_buf_put(&audit->sightings, (bt_str){(const char *)&sighting, sizeof(sighting)});
        }
    }
    return audit->sightings.status;
}

static enum bt_status take_checkpoint(struct audit_tables *tables, uint64_t size)
{
    struct bt_verify *verify = tables->verify;
    struct bt_ledger_checkpoint found;
    struct bt_arena work;
    bt_arena_init(&work, SIZE_MAX);
    struct bt_checkpoint *note = BT_NEW(&work, struct bt_checkpoint);
    enum bt_status status =
        note ? bt_ledger_get_checkpoint(verify->ledger, &work, size, &found, verify->error)
             : BT_ENOMEM;
    if (status == BT_OK && !bt_checkpoint_read(found.note, note)) {
        status = bt_audit_take_sightings(tables->audit, note, verify->options->witnesses);
    }
    bt_arena_free(&work);
    return status;
}

static bool take_size(void *context, uint64_t size)
{
    struct audit_tables *tables = context;
    tables->status = take_checkpoint(tables, size);
    return tables->status == BT_OK;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct bt_audit_sighting *left = a;
    const struct bt_audit_sighting *right = b;
    return left->size < right->size ? -1 : left->size > right->size;
}

void bt_audit_bound_sightings(struct bt_audit *audit)
{
    assert(audit);
    struct bt_audit_sighting *items = (void *)audit->sightings.ptr;
    const size_t count = audit->sightings.len / sizeof(*items);
    if (count == 0) {
        return;
    }
    qsort(items, count, sizeof(*items), compare_sizes);
    for (size_t i = count - 1; i-- > 0;) {
        if (items[i + 1].bound < items[i].bound) {
            items[i].bound = items[i + 1].bound;
        }
    }
}

/* ---- Approvals ------------------------------------------------------------------------------- */

/* Columns of approval_grant and approval_event. */
enum { GRANT_ID = 0, GRANT_USES = 2 };
enum { EVENT_APPROVAL = 0, EVENT_TYPE = 2, EVENT_SEQ = 7 };

static bool take_grant(void *context, const struct bt_store_cell *cells)
{
    struct audit_tables *tables = context;
    struct bt_audit_approval *approval = NULL;
    tables->status = bt_audit_find_approval(tables->audit, cells[GRANT_ID].text, &approval);
    if (tables->status == BT_OK) {
        approval->has_grant = true;
        approval->uses = (uint64_t)cells[GRANT_USES].number;
    }
    return tables->status == BT_OK;
}

enum bt_status bt_audit_begin_tables(struct bt_verify *verify, struct bt_audit *audit)
{
    assert(verify);
    assert(audit);
    struct bt_store *store = verify->ledger->store;
    struct audit_tables tables = {.verify = verify, .audit = audit};
    const struct bt_store_row_range grants = {BT_TABLE_APPROVAL_GRANT, NULL, 0};
    BT_TRY(bt_store_row_scan(store, &grants, take_grant, &tables, verify->error));
    BT_TRY(tables.status);
    if (verify->options->witnesses) {
        BT_TRY(bt_store_cosigned_scan(store, take_size, &tables, verify->error));
        BT_TRY(tables.status);
    }
    return BT_OK;
}

/* The entry that a row names. */
struct audit_entry_search {
    struct bt_arena *arena;
    struct bt_entry entry;
    bool is_found;
    enum bt_status status;
};

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct audit_entry_search *search = context;
    bt_str text;
    search->status = bt_arena_copy(search->arena, row->entry, &text);
    search->is_found = search->status == BT_OK && bt_entry_read(text, &search->entry) &&
                       search->entry.seq == row->seq;
    return false;
}

/* In verify->work. */
static enum bt_status find_entry(struct bt_verify *verify, uint64_t seq,
                                 struct audit_entry_search *out)
{
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = seq};
    out->arena = &verify->work;
    out->is_found = false;
    out->status = BT_OK;
    BT_TRY(bt_store_entry_scan(verify->ledger->store, &scan, take_entry, out, verify->error));
    out->is_found = out->is_found && out->entry.seq == seq && seq < verify->newest.size;
    return out->status;
}

static enum bt_status compare_event(struct audit_tables *tables, const struct bt_store_cell *cells)
{
    struct bt_audit *audit = tables->audit;
    struct audit_entry_search search;
    const uint64_t seq = (uint64_t)cells[EVENT_SEQ].number;
    BT_TRY(find_entry(tables->verify, seq, &search));
    const struct bt_entry *entry = &search.entry;
    if (search.is_found && bt_str_eq(entry->kind, BT_STR("approval")) &&
        bt_str_eq(entry->refs.approval, cells[EVENT_APPROVAL].text) &&
        bt_str_eq(entry->refs.event, cells[EVENT_TYPE].text)) {
        return BT_OK;
    }
    if (search.is_found && !bt_audit_has(audit, seq, entry->time)) {
        return BT_OK;
    }
    bt_str id;
    BT_TRY(bt_arena_copy(audit->arena, cells[EVENT_APPROVAL].text, &id));
    return bt_add_audit_approval_stray(audit->findings,
                                       bt_ledger_location(audit->arena, "/entries/%" PRIu64, seq),
                                       id, BT_AUDIT_APPROVAL_STRAY_REASON_UNRECORDED);
}

static bool take_event(void *context, const struct bt_store_cell *cells)
{
    struct audit_tables *tables = context;
    const struct bt_arena_mark before = bt_arena_mark(&tables->verify->work);
    tables->status = compare_event(tables, cells);
    bt_arena_rewind(&tables->verify->work, before);
    return tables->status == BT_OK;
}

/* ---- The queue ------------------------------------------------------------------------------- */

/* Whether the row says what the entry says. */
static enum bt_audit_queue_stray_reason judge_item(const struct bt_audit *audit,
                                                   const struct bt_queue_item *item,
                                                   const struct audit_entry_search *search)
{
    static const enum bt_audit_end ends[] = {[BT_QUEUE_QUEUED] = BT_AUDIT_OPEN,
                                             [BT_QUEUE_LEASED] = BT_AUDIT_OPEN,
                                             [BT_QUEUE_DONE] = BT_AUDIT_DELIVERED,
                                             [BT_QUEUE_DEAD] = BT_AUDIT_DEAD,
                                             [BT_QUEUE_CANCELLED] = BT_AUDIT_CANCELLED};
    const struct bt_entry *entry = &search->entry;
    const bool is_webhook = bt_str_eq(item->queue, BT_STR("webhook"));
    const enum bt_audit_end end = bt_audit_end_of(audit, item->seq, is_webhook);
    struct bt_merkle_hash digest;
    char hex[BT_HASH_HEX_BYTES];
    char message[24];
    (void)snprintf(message, sizeof(message), "%c%" PRIu64, is_webhook ? 'w' : 'h', item->seq);
    if (!search->is_found || !bt_str_eq(entry->kind, BT_STR("handoff")) ||
        !bt_str_eq(entry->verdict, BT_STR("accepted")) ||
        !bt_str_eq(item->message, bt_str_of(message))) {
        return BT_AUDIT_QUEUE_STRAY_REASON_ENTRY;
    }
    if (entry->target.len > 0 && !bt_str_eq(entry->target, item->target)) {
        return BT_AUDIT_QUEUE_STRAY_REASON_TARGET; /* a withheld one cannot be compared */
    }
    if (item->payload.ptr) {
        bt_merkle_hash_plain(item->payload, &digest);
        bt_merkle_hash_hex(&digest, hex);
        if (!bt_str_eq(entry->document.sha256, bt_str_of(hex))) {
            return BT_AUDIT_QUEUE_STRAY_REASON_PAYLOAD;
        }
    }
    return ends[item->state] == end ? 0 : BT_AUDIT_QUEUE_STRAY_REASON_END;
}

static enum bt_status compare_item(struct audit_tables *tables, const struct bt_queue_item *item)
{
    struct bt_audit *audit = tables->audit;
    struct audit_entry_search search;
    bt_str message;
    BT_TRY(find_entry(tables->verify, item->seq, &search));
    const enum bt_audit_queue_stray_reason reason = judge_item(audit, item, &search);
    if (search.is_found && !bt_audit_has(audit, item->seq, search.entry.time)) {
        return BT_OK;
    }
    if (reason == 0) {
        /* A promise of version 1 is known only by its row. */
        return search.entry.v < 2 ? bt_audit_add_promise(audit, &search.entry, true,
                                                         bt_str_eq(item->queue, BT_STR("webhook")))
                                  : BT_OK;
    }
    BT_TRY(bt_arena_copy(audit->arena, item->message, &message));
    return bt_add_audit_queue_stray(audit->findings, bt_ledger_part(BT_STR("/tables/queue")),
                                    message, reason);
}

static bool take_item(void *context, const struct bt_queue_item *item)
{
    struct audit_tables *tables = context;
    const struct bt_arena_mark before = bt_arena_mark(&tables->verify->work);
    tables->status = compare_item(tables, item);
    bt_arena_rewind(&tables->verify->work, before);
    return tables->status == BT_OK;
}

/* Each open promise of version 2 must have an item that waits. */
static enum bt_status compare_promises(struct bt_verify *verify, struct bt_audit *audit)
{
    const struct bt_audit_promise *promises = (const void *)audit->promises.ptr;
    const size_t count = audit->promises.len / sizeof(*promises);
    for (size_t i = 0; i < count; i++) {
        const struct bt_audit_promise *promise = &promises[i];
        struct bt_queue_item item;
        char message[24];
        if (!promise->is_in_range ||
            bt_audit_end_of(audit, promise->seq, promise->is_webhook) != BT_AUDIT_OPEN) {
            continue;
        }
        (void)snprintf(message, sizeof(message), "%c%" PRIu64, promise->is_webhook ? 'w' : 'h',
                       promise->seq);
        const bt_str key[2] = {promise->is_webhook ? BT_STR("webhook") : BT_STR("inbox"),
                               bt_str_of(message)};
        bt_arena_reset(&verify->work);
        const enum bt_status status =
            bt_queue_get(verify->ledger->store, &verify->work, key, &item, verify->error);
        if (status != BT_OK && status != BT_ENOENT) {
            return status;
        }
        if (status == BT_ENOENT) {
            BT_TRY(bt_add_audit_delivery_missing(
                audit->findings,
                bt_ledger_location(audit->arena, "/entries/%" PRIu64, promise->seq),
                bt_str_of(message)));
        }
    }
    return BT_OK;
}

enum bt_status bt_audit_compare_tables(struct bt_verify *verify, struct bt_audit *audit)
{
    assert(verify);
    assert(audit);
    static const char *const queues[] = {"inbox", "webhook"};
    struct bt_store *store = verify->ledger->store;
    struct audit_tables tables = {.verify = verify, .audit = audit};
    const struct bt_store_row_range events = {BT_TABLE_APPROVAL_EVENT, NULL, 0};
    BT_TRY(compare_promises(verify, audit));
    for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
        BT_TRY(bt_queue_each(store, bt_str_of(queues[i]), take_item, &tables, verify->error));
        BT_TRY(tables.status);
    }
    BT_TRY(bt_store_row_scan(store, &events, take_event, &tables, verify->error));
    return tables.status;
}
