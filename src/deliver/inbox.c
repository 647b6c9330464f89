/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox.c - the inbox of an agent: items are leased, finished, or dead.
 *
 * Leasing an item is not a decision, so it has no entry and does not wait for the append lock. The
 * end of a delivery has an entry.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/hex.h"
#include "base/vec.h"
#include "deliver/inbox_internal.h"
#include "ledger/proof_api.h"
#include "report/rules.h"
#include "store/queue.h"

#define INBOX BT_STR("inbox")
#define WEBHOOK BT_STR("webhook")

enum { LEASE_BYTES = 16, NAME_BYTES = 24 };

static bt_str queue_of(bool is_webhook)
{
    return is_webhook ? WEBHOOK : INBOX;
}

/* The name of a queue item for a webhook. */
static bt_str webhook_name(uint64_t seq, char out[NAME_BYTES])
{
    (void)snprintf(out, NAME_BYTES, "w%" PRIu64, seq);
    return bt_str_of(out);
}

uint64_t bt_inbox_ms(bt_instant instant)
{
    return instant.seconds > 0
               ? (uint64_t)instant.seconds * 1000 + (uint64_t)instant.nanos / 1000000
               : 0;
}

/* An inbox has no threads; the column holds the trace that the request was part of. */
static enum bt_status queue_handoff(struct bt_store *store, const struct bt_submission *submission,
                                    struct bt_error *error)
{
    const struct bt_submission_delivery *delivery = &submission->delivery;
    char name[NAME_BYTES];
    struct bt_queue_item row = {.queue = INBOX,
                                .message = delivery->message,
                                .target = submission->entry.target,
                                .seq = submission->seq,
                                .thread = delivery->traceparent.len > 0 ? delivery->traceparent
                                                                        : (bt_str){NULL, 0},
                                .payload = submission->bytes,
                                .updated_seq = submission->seq};
    BT_TRY(bt_queue_put(store, &row, error));
    row.queue = WEBHOOK;
    row.message = webhook_name(submission->seq, name);
    return delivery->has_webhook ? bt_queue_put(store, &row, error) : BT_OK;
}

/* Add the finding that an accepted document has no inbox to go to. */
static enum bt_status add_unaddressed_finding(struct bt_submission *submission)
{
    struct bt_judgement *judged = submission->judged;
    struct bt_findings *findings = bt_findings_new(submission->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(judged->findings, i)));
    }
    BT_TRY(bt_add_delivery_unaddressed(findings, judged->dialect, bt_location_whole()));
    BT_TRY(bt_findings_finish(findings, judged->source));
    judged->findings = findings;
    return BT_OK;
}

enum bt_status bt_deliver_accepted(struct bt_ledger_transaction *transaction,
                                   struct bt_submission *submission, struct bt_error *error)
{
    assert(transaction);
    assert(submission);
    struct bt_submission_delivery *delivery = &submission->delivery;
    delivery->is_queued = false;
    delivery->inbox = BT_STR("");
    delivery->message = BT_STR("");
    if (!delivery->has_inbox || submission->judged->verdict != BT_VERDICT_ACCEPTED) {
        return BT_OK;
    }
    if (!delivery->is_addressed) {
        return add_unaddressed_finding(submission);
    }
    BT_TRY(bt_arena_printf(submission->arena, &delivery->message, "h%" PRIu64, submission->seq));
    delivery->inbox = submission->entry.target;
    delivery->is_queued = true;
    return queue_handoff(transaction->ledger->store, submission, error);
}

/* The end of one delivery, while it is recorded. */
struct inbox_finish_state {
    const struct bt_deliver *deliver;
    struct bt_ledger_transaction *recording;
    struct bt_error *error;
    uint64_t pause_ms; /* before it is delivered again */
    bt_str reason;     /* why it is dead; "": it is not */
};

static enum bt_status record_end(const struct inbox_finish_state *ending,
                                 const struct bt_queue_item *item, const char *event,
                                 uint64_t *out_seq)
{
    struct bt_arena *arena = ending->deliver->arena;
    struct bt_entry *entry = BT_NEW(arena, struct bt_entry);
    struct bt_ledger_record *recorded = BT_NEW(arena, struct bt_ledger_record);
    if (!entry || !recorded) {
        return BT_ENOMEM;
    }
    bt_entry_init(entry);
    entry->actor = ending->deliver->actor;
    entry->kind = BT_STR("delivery");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->refs.message = item->message;
    entry->refs.event = bt_str_of(event);
    entry->refs.parent = item->seq;
    entry->refs.reason = ending->reason;
    BT_TRY(
        bt_ledger_transaction_add_entry(ending->recording, entry, NULL, recorded, ending->error));
    *out_seq = recorded->entry.seq;
    return BT_OK;
}

/* Record an event, and set the state of the item accordingly. `lease` is NULL for an item that
 * is not leased. */
static enum bt_status end_item(const struct inbox_finish_state *ending,
                               const struct bt_queue_item *item, bt_str lease, const char *event,
                               enum bt_queue_state state)
{
    struct bt_queue_end end = {.queue = item->queue,
                               .message = item->message,
                               .lease = lease,
                               .state = state,
                               .now_ms = bt_inbox_ms(bt_env_now(ending->deliver->env))};
    end.not_before_ms = ending->pause_ms > 0 ? end.now_ms + ending->pause_ms : 0;
    BT_TRY(record_end(ending, item, event, &end.seq));
    return bt_queue_finish(ending->recording->ledger->store, &end, ending->error);
}

static enum bt_status make_lease(const struct bt_deliver *deliver, bt_str *out,
                                 struct bt_error *error)
{
    uint8_t secret[LEASE_BYTES];
    char text[2 * LEASE_BYTES + 1];
    const struct bt_env *env = deliver->env;
    if (!env->random(env->context, secret, sizeof(secret))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    for (size_t i = 0; i < LEASE_BYTES; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", secret[i]);
    }
    return bt_arena_copy(deliver->arena, bt_str_of(text), out);
}

/* The leased items as the caller gets them. */
struct inbox_lease_result {
    struct bt_arena *arena;
    struct bt_inbox_item *items;
    size_t count;
    bt_str until;
    enum bt_status status;
};

static enum bt_status copy_item(struct inbox_lease_result *lease_result,
                                const struct bt_queue_item *item)
{
    struct bt_inbox_item *out = &lease_result->items[lease_result->count];
    *out = (struct bt_inbox_item){
        .lease_until = lease_result->until, .attempt = item->attempts, .seq = item->seq};
    BT_TRY(bt_arena_copy(lease_result->arena, item->message, &out->message));
    BT_TRY(bt_arena_copy(lease_result->arena, item->lease, &out->lease));
    BT_TRY(bt_arena_copy(lease_result->arena, item->thread, &out->traceparent));
    BT_TRY(bt_arena_copy(lease_result->arena, item->payload, &out->bytes));
    lease_result->count++;
    return BT_OK;
}

static bool collect_leased(void *context, const struct bt_queue_item *item)
{
    struct inbox_lease_result *lease_result = context;
    lease_result->status = copy_item(lease_result, item);
    return lease_result->status == BT_OK;
}

/* Items that were leased too often and are not leased now. */
struct inbox_expired_item {
    struct bt_arena *arena;
    const struct bt_inbox_lease_options *options;
    struct bt_queue_item *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static enum bt_status collect_exhausted(struct inbox_expired_item *spent,
                                        const struct bt_queue_item *item)
{
    BT_TRY(bt_vec_reserve(spent->arena, spent, 1));
    struct bt_queue_item *kept = &spent->items[spent->count++];
    *kept = (struct bt_queue_item){.queue = queue_of(spent->options->is_webhook), .seq = item->seq};
    return bt_arena_copy(spent->arena, item->message, &kept->message);
}

static bool see_spent(void *context, const struct bt_queue_item *item)
{
    struct inbox_expired_item *spent = context;
    spent->status = collect_exhausted(spent, item);
    return spent->status == BT_OK;
}

static enum bt_status find_spent(const struct bt_deliver *deliver, struct bt_store *store,
                                 const struct bt_inbox_lease_options *options,
                                 struct inbox_expired_item *out, struct bt_error *error)
{
    const struct bt_queue_limit limit = {queue_of(options->is_webhook), options->agent,
                                         bt_inbox_ms(bt_env_now(deliver->env)),
                                         options->attempts_max};
    *out = (struct inbox_expired_item){.arena = deliver->arena, .options = options};
    BT_TRY(bt_queue_each_exhausted(store, &limit, see_spent, out, error));
    return out->status;
}

struct inbox_dead_letter {
    const struct bt_deliver *deliver;
    const struct bt_inbox_lease_options *options;
};

static enum bt_status record_dead_items(struct bt_ledger_transaction *recording, void *context,
                                        struct bt_error *error)
{
    const struct inbox_dead_letter *dead_letter = context;
    const struct inbox_finish_state ending = {dead_letter->deliver, recording, error, 0,
                                              BT_STR("not finished by its receiver")};
    struct inbox_expired_item spent;
    BT_TRY(find_spent(dead_letter->deliver, recording->ledger->store, dead_letter->options, &spent,
                      error));
    for (size_t i = 0; i < spent.count; i++) {
        BT_TRY(end_item(&ending, &spent.items[i], (bt_str){NULL, 0}, "dead", BT_QUEUE_DEAD));
    }
    return BT_OK;
}

/* Items that were leased too often become dead; that is a decision, made only when there is such
 * an item. */
static enum bt_status record_exhausted_items(const struct bt_deliver *deliver,
                                             const struct bt_inbox_lease_options *options,
                                             struct bt_error *error)
{
    struct inbox_dead_letter dead_letter = {deliver, options};
    struct bt_ledger_transaction recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    struct inbox_expired_item spent;
    BT_TRY(find_spent(deliver, deliver->ledger->store, options, &spent, error));
    return spent.count > 0 ? bt_ledger_transaction_run(&recording, record_dead_items, &dead_letter,
                                                       deliver->alarms, error)
                           : BT_OK;
}

enum bt_status bt_inbox_lease(const struct bt_deliver *deliver,
                              const struct bt_inbox_lease_options *options,
                              struct bt_inbox_items *out, struct bt_error *error)
{
    assert(deliver);
    assert(options->attempts_max > 0);
    char until[BT_INSTANT_TEXT_BYTES];
    const bt_instant now = bt_env_now(deliver->env);
    bt_instant end = bt_instant_after(now, options->lease_seconds);
    end.nanos -= end.nanos % 1000000;
    (void)bt_instant_format(end, until);
    struct inbox_lease_result lease_result = {
        .arena = deliver->arena,
        .items = BT_NEW_ARRAY(deliver->arena, struct bt_inbox_item, options->max + 1)};
    struct bt_queue_lease lease = {.queue = queue_of(options->is_webhook),
                                   .target = options->agent,
                                   .now_ms = bt_inbox_ms(now),
                                   .until_ms = bt_inbox_ms(end),
                                   .attempts_max = options->attempts_max,
                                   .count_max = options->max};
    if (!lease_result.items) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(record_exhausted_items(deliver, options, error));
    if (bt_findings_count(deliver->alarms) > 0) {
        return BT_OK;
    }
    BT_TRY(make_lease(deliver, &lease.token, error));
    BT_TRY(bt_arena_copy(deliver->arena, bt_str_of(until), &lease_result.until));
    BT_TRY(bt_queue_lease(deliver->ledger->store, &lease, collect_leased, &lease_result, error));
    BT_TRY(lease_result.status);
    *out = (struct bt_inbox_items){lease_result.items, lease_result.count};
    return BT_OK;
}

static bool keep_size(void *context, const struct bt_store_checkpoint *checkpoint)
{
    uint64_t *size = context;
    *size = checkpoint->size;
    return false;
}

enum bt_status bt_inbox_put_receipt(const struct bt_deliver *deliver,
                                    const struct bt_inbox_item *item, struct bt_buf *buf,
                                    struct bt_error *error)
{
    assert(deliver);
    assert(item);
    uint64_t size = 0; /* no checkpoint with an entry has this size */
    BT_TRY(
        bt_store_checkpoint_scan(deliver->ledger->store, item->seq + 1, keep_size, &size, error));
    BT_TRY(bt_ledger_prove_inclusion(deliver->ledger, item->seq, size, BT_RECEIPT_FORMAT_JSON, buf,
                                     error));
    buf->len -= buf->len > 0 && buf->ptr[buf->len - 1] == '\n' ? 1 : 0;
    return buf->status;
}

/* True when the agent holds the item under this lease, and no other agent can hold it yet. */
static enum bt_inbox_finish_result judge_end(const struct bt_queue_item *item,
                                             const struct bt_inbox_finish_item *finish,
                                             uint64_t now_ms)
{
    if (!bt_str_eq(item->target, finish->agent)) {
        return BT_INBOX_NOT_FOUND;
    }
    return item->state == BT_QUEUE_LEASED && bt_str_eq(item->lease, finish->lease) &&
                   item->lease_until_ms > now_ms
               ? BT_INBOX_FINISHED
               : BT_INBOX_LEASE_LOST;
}

/* The hash of an entry that the receiver names, and whether it is that of the item's entry. */
struct inbox_named_leaf {
    uint64_t seq;
    bt_str hex;
    bool is_right;
};

static bool compare_leaf(void *context, const struct bt_store_entry *entry)
{
    struct inbox_named_leaf *named = context;
    char hex[2 * BT_SHA256_BYTES + 1];
    if (entry->seq == named->seq && entry->leaf.len == BT_SHA256_BYTES) {
        bt_hex_put((const uint8_t *)entry->leaf.ptr, BT_SHA256_BYTES, hex);
        named->is_right = bt_str_eq(named->hex, (bt_str){hex, sizeof(hex) - 1});
    }
    return false;
}

/* Check that the receiver acknowledges the entry of the item, where it names one. */
static enum bt_status check_leaf(const struct inbox_finish_state *ending,
                                 const struct bt_queue_item *item,
                                 struct bt_inbox_finish_item *finish)
{
    struct inbox_named_leaf named = {.seq = item->seq, .hex = finish->leaf_hash};
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = item->seq};
    if (finish->end != BT_INBOX_FINISHED || !finish->has_leaf_hash) {
        return BT_OK;
    }
    BT_TRY(bt_store_entry_scan(ending->recording->ledger->store, &scan, compare_leaf, &named,
                               ending->error));
    finish->end = named.is_right ? BT_INBOX_FINISHED : BT_INBOX_WRONG_ENTRY;
    return BT_OK;
}

static enum bt_status finish_one(struct inbox_finish_state *ending,
                                 struct bt_inbox_finish_item *finish)
{
    const struct bt_deliver *deliver = ending->deliver;
    const bt_str key[2] = {queue_of(finish->is_webhook), finish->message};
    struct bt_queue_item item;
    enum bt_status status =
        bt_queue_get(ending->recording->ledger->store, deliver->arena, key, &item, ending->error);
    finish->end = BT_INBOX_NOT_FOUND;
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    finish->end = judge_end(&item, finish, bt_inbox_ms(bt_env_now(deliver->env)));
    BT_TRY(check_leaf(ending, &item, finish));
    if (finish->end != BT_INBOX_FINISHED) {
        return BT_OK;
    }
    const bool is_last = !finish->is_delivered && item.attempts >= finish->attempts_max;
    ending->pause_ms = finish->pause_ms;
    BT_TRY(end_item(ending, &item, finish->lease, finish->is_delivered ? "delivered" : "failed",
                    finish->is_delivered ? BT_QUEUE_DONE : BT_QUEUE_QUEUED));
    if (!is_last) {
        return BT_OK;
    }
    ending->reason = BT_STR("failed at its last attempt");
    status = end_item(ending, &item, (bt_str){NULL, 0}, "dead", BT_QUEUE_DEAD);
    ending->reason = BT_STR("");
    return status;
}

struct inbox_finish_batch {
    const struct bt_deliver *deliver;
    struct bt_inbox_finish_item *items;
    size_t count;
};

static enum bt_status finish_all(struct bt_ledger_transaction *recording, void *context,
                                 struct bt_error *error)
{
    const struct inbox_finish_batch *finishing = context;
    struct inbox_finish_state ending = {finishing->deliver, recording, error, 0, BT_STR("")};
    for (size_t i = 0; i < finishing->count; i++) {
        BT_TRY(finish_one(&ending, &finishing->items[i]));
    }
    return BT_OK;
}

enum bt_status bt_inbox_finish_item(const struct bt_deliver *deliver,
                                    struct bt_inbox_finish_item *items, size_t count,
                                    struct bt_error *error)
{
    assert(deliver);
    assert(items);
    struct inbox_finish_batch finishing = {deliver, items, count};
    struct bt_ledger_transaction recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    return bt_ledger_transaction_run(&recording, finish_all, &finishing, deliver->alarms, error);
}

enum bt_status bt_inbox_get_state(const struct bt_deliver *deliver, bt_str message,
                                  struct bt_inbox_item_state *out, struct bt_error *error)
{
    static const char *const words[] = {[BT_QUEUE_QUEUED] = "queued",
                                        [BT_QUEUE_LEASED] = "taken",
                                        [BT_QUEUE_DONE] = "delivered",
                                        [BT_QUEUE_DEAD] = "dead",
                                        [BT_QUEUE_CANCELLED] = "cancelled"};
    assert(deliver);
    assert(out);
    const uint64_t now = bt_inbox_ms(bt_env_now(deliver->env));
    const bt_str key[2] = {INBOX, message};
    struct bt_queue_item item;
    BT_TRY(bt_queue_get(deliver->ledger->store, deliver->arena, key, &item, error));
    const bool is_back = item.state == BT_QUEUE_LEASED && item.lease_until_ms <= now;
    *out = (struct bt_inbox_item_state){
        .state = bt_str_of(words[is_back ? BT_QUEUE_QUEUED : item.state]), .seq = item.updated_seq};
    return BT_OK;
}

struct inbox_cancel_state {
    const struct bt_deliver *deliver;
    bt_str message;
    bool is_done;
};

static bool is_untouched(const struct bt_queue_item *item)
{
    return item->state == BT_QUEUE_QUEUED && item->attempts == 0;
}

static enum bt_status cancel_queued_item(struct bt_ledger_transaction *recording, void *context,
                                         struct bt_error *error)
{
    static const bt_str no_holder = {NULL, 0};
    struct inbox_cancel_state *cancelling = context;
    struct bt_store *store = recording->ledger->store;
    struct bt_arena *arena = cancelling->deliver->arena;
    const struct inbox_finish_state ending = {cancelling->deliver, recording, error, 0, BT_STR("")};
    char name[NAME_BYTES];
    bt_str key[2] = {INBOX, cancelling->message};
    struct bt_queue_item item;
    struct bt_queue_item owed;
    cancelling->is_done = false;
    enum bt_status status = bt_queue_get(store, arena, key, &item, error);
    if (status != BT_OK || !is_untouched(&item)) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    key[0] = WEBHOOK;
    key[1] = webhook_name(item.seq, name);
    status = bt_queue_get(store, arena, key, &owed, error);
    if (status != BT_ENOENT && (status != BT_OK || !is_untouched(&owed))) {
        return status;
    }
    cancelling->is_done = true;
    BT_TRY(end_item(&ending, &item, no_holder, "cancelled", BT_QUEUE_CANCELLED));
    return status == BT_OK ? end_item(&ending, &owed, no_holder, "cancelled", BT_QUEUE_CANCELLED)
                           : BT_OK;
}

enum bt_status bt_inbox_cancel(const struct bt_deliver *deliver, bt_str message, bool *out_is_done,
                               struct bt_error *error)
{
    assert(deliver);
    assert(out_is_done);
    struct inbox_cancel_state cancelling = {deliver, message, false};
    struct bt_ledger_transaction recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    BT_TRY(bt_ledger_transaction_run(&recording, cancel_queued_item, &cancelling, deliver->alarms,
                                     error));
    *out_is_done = cancelling.is_done;
    return BT_OK;
}

struct inbox_retry_state {
    const struct bt_deliver *deliver;
    bt_str message;
    uint64_t seq;
};

static enum bt_status retry_dead_item(struct bt_ledger_transaction *recording, void *context,
                                      struct bt_error *error)
{
    struct inbox_retry_state *retrying = context;
    struct bt_store *store = recording->ledger->store;
    /* The events of deliveries are a closed list, so that the reason names a retry. */
    const struct inbox_finish_state ending = {retrying->deliver, recording, error, 0,
                                              BT_STR(BT_DELIVERY_RETRIED)};
    const bool is_webhook = retrying->message.len > 0 && retrying->message.ptr[0] == 'w';
    const bt_str key[2] = {queue_of(is_webhook), retrying->message};
    struct bt_queue_item item;
    BT_TRY(bt_queue_get(store, retrying->deliver->arena, key, &item, error));
    if (item.state != BT_QUEUE_DEAD) {
        return bt_error_set(error, BT_ENOENT, "the item is not dead");
    }
    BT_TRY(record_end(&ending, &item, "failed", &retrying->seq));
    return bt_queue_retry(store, key, retrying->seq, error);
}

enum bt_status bt_inbox_retry(const struct bt_deliver *deliver, bt_str message, uint64_t *out_seq,
                              struct bt_error *error)
{
    assert(deliver);
    assert(out_seq);
    struct inbox_retry_state retrying = {deliver, message, 0};
    struct bt_ledger_transaction recording = {
        .ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena};
    BT_TRY(
        bt_ledger_transaction_run(&recording, retry_dead_item, &retrying, deliver->alarms, error));
    *out_seq = retrying.seq;
    return BT_OK;
}
