/* SPDX-License-Identifier: Apache-2.0 */
/* webhooks.c - the threads that deliver to webhooks. */
#include "serve/webhooks.h"

#include <stdlib.h>

#include "operation/records.h"
#include "serve/background_threads.h"

enum {
    LIST_BYTES_MAX = 16 << 20,
    ITEM_BYTES_MAX = 256 << 20,
    FIELDS_BYTES_MAX = 65536,
    SENDERS_MAX = SERVE_THREADS_MAX,
    /* how often to check for deliveries of other nodes, or that are due again */
    POLL_INTERVAL_MS = 1000,
    POST_MS = 10000,     /* for one attempt ... */
    LEASE_S = 30,        /* ... during which no other node attempts it */
    STORE_MS = 5000,     /* for the store operations before it, and again after it */
    PAUSE_MS = 1000,     /* after the first failure; doubled after each further one ... */
    PAUSE_DOUBLINGS = 8, /* ... this many times, to about four minutes */
};

/* One configuration. */
struct serve_webhook_config {
    struct bt_arena arena;
    struct serve_webhook_list list;
    size_t users; /* attempts, and the sender itself */
};

struct serve_webhooks {
    struct serve_server *gateway;
    struct serve_threads threads; /* its lock guards what follows */
    struct serve_webhook_config *roll;
};

/* One thread, and its current attempt. */
struct serve_webhook_sender {
    struct serve_webhooks *webhooks;
    struct bt_env env;
    struct bt_ledger *ledger; /* NULL: not open */
    struct serve_webhook_config *roll;
    struct serve_webhook *hook;
    struct bt_deliver deliver;
    const struct bt_inbox_item *item;
    struct bt_buf body;
    struct bt_buf fields;
};

static uint64_t pause_after(uint64_t failures)
{
    const uint64_t doublings = failures > 0 ? failures - 1 : 0;
    return (uint64_t)PAUSE_MS << (doublings < PAUSE_DOUBLINGS ? doublings : PAUSE_DOUBLINGS);
}

/* ---- Configurations -------------------------------------------------------------------------- */

/* With the lock, if others may use it: release one user. NULL is allowed. */
static void roll_drop(struct serve_webhook_config *roll)
{
    if (roll && --roll->users == 0) {
        bt_arena_free(&roll->arena);
        free(roll);
    }
}

/* Make a configuration. NULL when it failed; `error` says why. */
static struct serve_webhook_config *roll_make(const struct bt_config *config,
                                              struct bt_error *error)
{
    struct serve_webhook_config *roll = calloc(1, sizeof(*roll));
    if (!roll) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    roll->users = 1;
    bt_arena_init(&roll->arena, LIST_BYTES_MAX);
    if (webhooks_read(&roll->arena, config, &roll->list, error) != BT_OK) {
        roll_drop(roll);
        return NULL;
    }
    return roll;
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* With the lock: check a receiver at this time, or later if it is paused. */
static void set_due(struct serve_webhook *hook, uint64_t due_ms)
{
    hook->due_ms = due_ms > hook->rest_ms ? due_ms : hook->rest_ms;
}

void serve_webhooks_notify(struct serve_webhooks *webhooks, bt_str target)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    serve_monitor_lock(&webhooks->threads.monitor);
    const struct serve_webhook_list *list = &webhooks->roll->list;
    for (size_t i = 0; i < list->count; i++) {
        struct serve_webhook *hook = &list->items[i];
        if (bt_str_eq(hook->target, target)) {
            set_due(hook, hook->due_ms < now_ms ? hook->due_ms : now_ms);
            serve_monitor_notify_all(&webhooks->threads.monitor);
        }
    }
    serve_monitor_unlock(&webhooks->threads.monitor);
}

/*
 * With the lock: true when a thread is free for receivers that failed last. One thread is reserved
 * for the others, so that receivers that hang do not delay them.
 */
static bool doubtful_may_go(const struct serve_webhooks *webhooks)
{
    const struct serve_webhook_list *list = &webhooks->roll->list;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        count += list->items[i].is_busy && list->items[i].failures > 0 ? 1 : 0;
    }
    return count == 0 || count + 1 < webhooks->threads.count;
}

/* With the lock: the receiver that is due next. NULL: none. */
static struct serve_webhook *next_turn(const struct serve_webhooks *webhooks)
{
    const struct serve_webhook_list *list = &webhooks->roll->list;
    const bool takes_doubtful = doubtful_may_go(webhooks);
    struct serve_webhook *next = NULL;
    for (size_t i = 0; i < list->count; i++) {
        struct serve_webhook *hook = &list->items[i];
        if (!hook->is_busy && (takes_doubtful || hook->failures == 0) &&
            (!next || hook->due_ms < next->due_ms)) {
            next = hook;
        }
    }
    return next;
}

/*
 * Wait until a receiver is due. False: the thread must end. A receiver that is notified in the
 * meantime is checked again.
 */
static bool begin_turn(struct serve_webhook_sender *sender)
{
    struct serve_webhooks *webhooks = sender->webhooks;
    serve_monitor_lock(&webhooks->threads.monitor);
    struct serve_webhook *hook = next_turn(webhooks);
    while (!serve_threads_are_stopping(&webhooks->threads) &&
           !(hook && bt_clock_monotonic_ms() >= hook->due_ms)) {
        serve_monitor_wait(&webhooks->threads.monitor, hook ? hook->due_ms : UINT64_MAX);
        hook = next_turn(webhooks);
    }
    const bool goes_on = !serve_threads_are_stopping(&webhooks->threads);
    if (goes_on) {
        hook->is_busy = true;
        hook->due_ms = bt_clock_monotonic_ms() + POLL_INTERVAL_MS;
        sender->hook = hook;
        sender->roll = webhooks->roll;
        sender->roll->users++;
    }
    serve_monitor_unlock(&webhooks->threads.monitor);
    return goes_on;
}

static void end_turn(struct serve_webhook_sender *sender)
{
    struct serve_monitor *monitor = &sender->webhooks->threads.monitor;
    serve_monitor_lock(monitor);
    sender->hook->is_busy = false;
    roll_drop(sender->roll);
    serve_monitor_notify_all(monitor);
    serve_monitor_unlock(monitor);
}

/* Set when to use the receiver again, after a success or a failure. */
static void note_end(struct serve_webhook_sender *sender, bool is_delivered)
{
    struct serve_webhook *hook = sender->hook;
    const uint64_t now_ms = bt_clock_monotonic_ms();
    serve_monitor_lock(&sender->webhooks->threads.monitor);
    hook->failures = is_delivered ? 0 : hook->failures + 1;
    hook->rest_ms = is_delivered ? 0 : now_ms + pause_after(hook->failures);
    set_due(hook, now_ms);
    serve_monitor_unlock(&sender->webhooks->threads.monitor);
}

/* ---- One attempt ----------------------------------------------------------------------------- */

/* Send the item. False: the thread must end, and the result is unknown. */
static bool post_webhook(struct serve_webhook_sender *sender, unsigned *out_status)
{
    const _Atomic uint64_t *end_ms = &sender->webhooks->threads.end_ms;
    const struct http_client_post post = {.where = &sender->hook->where,
                                          .path = sender->hook->path,
                                          .fields = bt_buf_str(&sender->fields),
                                          .body = bt_buf_str(&sender->body),
                                          .until_ms = bt_clock_monotonic_ms() + POST_MS,
                                          .end_ms = end_ms};
    *out_status = bt_http_client_post(&post, NULL);
    return *out_status > 0 || bt_clock_monotonic_ms() < *end_ms;
}

static void put_fields(struct serve_webhook_sender *sender, bt_str leaf)
{
    const bt_str trace = sender->item->traceparent;
    bt_buf_put(&sender->fields, sender->hook->fields);
    bt_buf_printf(&sender->fields, "Idempotency-Key: %.*s\r\n", BT_STR_ARG(leaf));
    if (trace.len > 0) {
        bt_buf_printf(&sender->fields, "traceparent: %.*s\r\n", BT_STR_ARG(trace));
    }
}

/*
 * Send the leased item, and record the result. What cannot be made or recorded is delivered again
 * when its lease has expired.
 */
static enum bt_status deliver_item(struct serve_webhook_sender *sender)
{
    const struct bt_inbox_item *item = sender->item;
    const struct serve_webhook *hook = sender->hook;
    struct bt_error error;
    bt_str leaf = BT_STR("");
    unsigned status = 0;
    BT_TRY(bt_op_put_webhook_body(&sender->deliver, hook->target, item, &sender->body, &leaf));
    put_fields(sender, leaf);
    BT_TRY(sender->fields.status);
    if (!post_webhook(sender, &status)) {
        return BT_OK;
    }
    struct bt_inbox_finish_item finish = {.agent = hook->target,
                                          .is_webhook = true,
                                          .message = item->message,
                                          .lease = item->lease,
                                          .is_delivered = bt_http_is_success(status),
                                          .pause_ms = pause_after(item->attempt),
                                          .attempts_max = sender->roll->list.attempts_max};
    bt_ledger_set_deadline(sender->ledger, bt_clock_monotonic_ms() + STORE_MS);
    const enum bt_status end = bt_inbox_finish_item(&sender->deliver, &finish, 1, &error);
    note_end(sender, finish.is_delivered);
    return end;
}

static enum bt_status take_and_deliver(struct serve_webhook_sender *sender)
{
    const struct bt_inbox_lease_options lease_options = {.agent = sender->hook->target,
                                                         .is_webhook = true,
                                                         .max = 1,
                                                         .lease_seconds = LEASE_S,
                                                         .attempts_max =
                                                             sender->roll->list.attempts_max};
    struct bt_inbox_items taken = {NULL, 0};
    struct bt_error error;
    bt_ledger_set_deadline(sender->ledger, bt_clock_monotonic_ms() + STORE_MS);
    BT_TRY(bt_inbox_lease(&sender->deliver, &lease_options, &taken, &error));
    if (taken.count == 0) {
        return BT_OK;
    }
    sender->item = taken.items;
    return deliver_item(sender);
}

static void make_attempt(struct serve_webhook_sender *sender)
{
    struct bt_arena arena;
    if (serve_is_read_only(sender->webhooks->gateway) ||
        !gateway_open_store(sender->webhooks->gateway, &sender->ledger)) {
        return;
    }
    bt_arena_init(&arena, ITEM_BYTES_MAX);
    sender->deliver = (struct bt_deliver){.ledger = sender->ledger,
                                          .env = &sender->env,
                                          .arena = &arena,
                                          .actor = BT_STR("webhooks"),
                                          .alarms = bt_findings_new(&arena)};
    bt_buf_init(&sender->body, ITEM_BYTES_MAX);
    bt_buf_init(&sender->fields, FIELDS_BYTES_MAX);
    if (sender->deliver.alarms && take_and_deliver(sender) != BT_OK) {
        bt_ledger_close(sender->ledger); /* the next attempt opens it again */
        sender->ledger = NULL;
    }
    bt_buf_free(&sender->fields);
    bt_buf_free(&sender->body);
    bt_arena_free(&arena);
}

/* Take one item of each receiver in turn, so that no receiver waits for all items of another. */
static void *send_owed(void *context)
{
    struct serve_webhooks *webhooks = context;
    struct serve_webhook_sender sender = {.webhooks = webhooks, .env = webhooks->gateway->env};
    while (begin_turn(&sender)) {
        make_attempt(&sender);
        end_turn(&sender);
    }
    bt_ledger_close(sender.ledger);
    return NULL;
}

/* ---- Lifecycle ------------------------------------------------------------------------------- */

struct serve_webhooks *webhooks_create(struct serve_server *gateway)
{
    struct serve_webhooks *webhooks = calloc(1, sizeof(*webhooks));
    struct serve_webhook_config *roll = calloc(1, sizeof(*roll));
    if (!webhooks || !roll || !serve_threads_init(&webhooks->threads)) {
        free(webhooks);
        free(roll);
        return NULL;
    }
    webhooks->gateway = gateway;
    webhooks->roll = roll;
    roll->users = 1;
    return webhooks;
}

bool webhooks_change(struct serve_webhooks *webhooks, const struct bt_config *config,
                     struct bt_error *error)
{
    struct serve_webhook_config *roll = roll_make(config, error);
    if (!roll) {
        return false;
    }
    /* none without a writer, because nothing is accepted then */
    const size_t count = webhooks->gateway->store.writer ? roll->list.count : 0;
    const size_t wanted = count < SENDERS_MAX ? count : SENDERS_MAX;
    serve_monitor_lock(&webhooks->threads.monitor);
    roll_drop(webhooks->roll);
    webhooks->roll = roll;
    const bool is_running = serve_threads_start(&webhooks->threads, wanted, send_owed, webhooks);
    serve_monitor_notify_all(&webhooks->threads.monitor);
    serve_monitor_unlock(&webhooks->threads.monitor);
    if (wanted > 0 && !is_running) {
        (void)bt_error_set(error, BT_EIO, "cannot start a thread for deliver.webhooks");
    }
    return is_running || wanted == 0;
}

void webhooks_destroy(struct serve_webhooks *webhooks, uint64_t until_ms)
{
    if (webhooks) {
        serve_threads_stop(&webhooks->threads, until_ms);
        roll_drop(webhooks->roll);
        free(webhooks);
    }
}
