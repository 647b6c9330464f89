/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhooks.c - the thread that sends what is owed to webhooks.
 */
#include "gateway/webhooks.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "gateway/bell.h"
#include "service/records.h"

enum {
    LIST_BYTES_MAX = 16 << 20,
    ITEM_BYTES_MAX = 256 << 20,
    FIELDS_BYTES_MAX = 65536,
    LOOK_MS = 1000,      /* how often to look for what other nodes left, or what has rested */
    POST_MS = 10000,     /* for one attempt ... */
    LEASE_S = 30,        /* ... which nobody else makes meanwhile */
    PAUSE_MS = 1000,     /* after the first failure; then twice that, and so on ... */
    PAUSE_DOUBLINGS = 8, /* ... so often, which is some four minutes */
    FLUSH_MS = 5000,     /* for what is being sent at the end */
    GRACE_MS = 500,      /* for the thread to notice the end */
};

/* One configuration. */
struct roll {
    struct bt_arena arena;
    struct webhook_list list;
};

struct webhooks {
    struct gateway *gateway;
    struct bell bell;        /* of what follows */
    struct roll *roll;       /* replaced by the thread, once it runs */
    struct roll *next;       /* not yet in force; NULL: none */
    bool is_begun;           /* there is a thread */
    bool is_over;            /* which has ended */
    bool is_posting;         /* and uses nothing of the gateway now */
    bool is_abandoned;       /* and must never again */
    _Atomic uint64_t end_ms; /* when to give up what is being sent; UINT64_MAX: not told to end */
    pthread_t thread;
    struct bt_env env; /* these are of the thread */
    struct bt_ledger *ledger;
};

static bool is_ending(const struct webhooks *webhooks)
{
    return webhooks->end_ms != UINT64_MAX;
}

static uint64_t pause_after(uint64_t failures)
{
    const uint64_t doublings = failures > 0 ? failures - 1 : 0;
    return (uint64_t)PAUSE_MS << (doublings < PAUSE_DOUBLINGS ? doublings : PAUSE_DOUBLINGS);
}

/* ---- Configurations -------------------------------------------------------------------------- */

static void roll_free(struct roll *roll)
{
    if (roll) {
        bt_arena_free(&roll->arena);
        free(roll);
    }
}

/* NULL, with a reason, when it cannot be made. */
static struct roll *roll_make(const struct bt_config *config, struct bt_error *error)
{
    struct roll *roll = calloc(1, sizeof(*roll));
    if (!roll) {
        (void)bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    bt_arena_init(&roll->arena, LIST_BYTES_MAX);
    if (webhooks_read(&roll->arena, config, &roll->list, error) != BT_OK) {
        roll_free(roll);
        return NULL;
    }
    return roll;
}

/* With the lock: the newest configuration holds, and everything is looked for anew. */
static void adopt(struct webhooks *webhooks)
{
    if (webhooks->next) {
        roll_free(webhooks->roll);
        webhooks->roll = webhooks->next;
        webhooks->next = NULL;
    }
}

void webhooks_tell(struct webhooks *webhooks, bt_str target)
{
    bell_lock(&webhooks->bell);
    const struct webhook_list *list = &webhooks->roll->list;
    for (size_t i = 0; i < list->count; i++) {
        if (bt_str_eq(list->items[i].target, target)) {
            list->items[i].due_ms = list->items[i].rest_ms;
            bell_ring(&webhooks->bell);
        }
    }
    bell_unlock(&webhooks->bell);
}

/* ---- One attempt ----------------------------------------------------------------------------- */

/* What one attempt works with. */
struct attempt {
    struct webhooks *webhooks;
    struct webhook *hook;
    struct bt_deliver deliver;
    const struct bt_inbox_item *item;
    struct bt_buf body;
    struct bt_buf fields;
};

static bool open_store(struct webhooks *webhooks)
{
    struct gateway *gateway = webhooks->gateway;
    struct bt_error error;
    if (webhooks->ledger) {
        return true;
    }
    if (bt_ledger_open(&gateway->flags->store, true, &webhooks->ledger, &error) != BT_OK) {
        return false;
    }
    bt_ledger_watch(webhooks->ledger, gateway_count_event, gateway);
    return true;
}

/* Send it. False: the thread is to end, and nothing is known of how it went. */
static bool post(struct attempt *attempt, unsigned *out_status)
{
    struct webhooks *webhooks = attempt->webhooks;
    const struct http_post post = {.where = &attempt->hook->where,
                                   .path = attempt->hook->path,
                                   .fields = bt_buf_str(&attempt->fields),
                                   .body = bt_buf_str(&attempt->body),
                                   .until_ms = http_now_ms() + POST_MS,
                                   .end_ms = &webhooks->end_ms};
    bell_lock(&webhooks->bell);
    webhooks->is_posting = true;
    bell_unlock(&webhooks->bell);
    *out_status = http_post(&post, NULL);
    bell_lock(&webhooks->bell);
    webhooks->is_posting = false;
    const bool goes_on =
        !webhooks->is_abandoned && (*out_status > 0 || http_now_ms() < webhooks->end_ms);
    bell_unlock(&webhooks->bell);
    return goes_on;
}

static void put_fields(struct attempt *attempt, bt_str leaf)
{
    const bt_str trace = attempt->item->traceparent;
    bt_buf_put(&attempt->fields, attempt->hook->fields);
    bt_buf_printf(&attempt->fields, "Idempotency-Key: %.*s\r\n", BT_STR_ARG(leaf));
    if (trace.len > 0) {
        bt_buf_printf(&attempt->fields, "traceparent: %.*s\r\n", BT_STR_ARG(trace));
    }
}

/* The receiver took it or not: note when to turn to it again. */
static void note_end(struct attempt *attempt, bool is_delivered)
{
    struct webhook *hook = attempt->hook;
    bell_lock(&attempt->webhooks->bell);
    hook->failures = is_delivered ? 0 : hook->failures + 1;
    hook->rest_ms = is_delivered ? 0 : http_now_ms() + pause_after(hook->failures);
    hook->due_ms = hook->rest_ms;
    bell_unlock(&attempt->webhooks->bell);
}

/* Send what was taken, and record how that ended. What cannot be put together or recorded is
 * delivered again when its lease has run out. */
static enum bt_status deliver_item(struct attempt *attempt)
{
    const struct bt_inbox_item *item = attempt->item;
    struct webhook *hook = attempt->hook;
    struct bt_error error;
    bt_str leaf = BT_STR("");
    unsigned status = 0;
    BT_TRY(webhook_put(&attempt->deliver, hook->target, item, &attempt->body, &leaf));
    put_fields(attempt, leaf);
    BT_TRY(attempt->fields.status);
    if (!post(attempt, &status)) {
        return BT_OK;
    }
    struct bt_inbox_finish finish = {.agent = hook->target,
                                     .is_webhook = true,
                                     .message = item->message,
                                     .lease = item->lease,
                                     .is_delivered = status >= 200 && status < 300,
                                     .pause_ms = pause_after(item->attempt),
                                     .attempts_max = attempt->webhooks->roll->list.attempts_max};
    const enum bt_status end = bt_inbox_finish(&attempt->deliver, &finish, 1, &error);
    note_end(attempt, finish.is_delivered);
    return end;
}

static enum bt_status take_and_deliver(struct attempt *attempt)
{
    const struct bt_inbox_wish wish = {.agent = attempt->hook->target,
                                       .is_webhook = true,
                                       .max = 1,
                                       .lease_seconds = LEASE_S,
                                       .attempts_max = attempt->webhooks->roll->list.attempts_max};
    struct bt_inbox_items taken = {NULL, 0};
    struct bt_error error;
    BT_TRY(bt_inbox_take(&attempt->deliver, &wish, &taken, &error));
    if (taken.count == 0) {
        return BT_OK;
    }
    attempt->item = taken.items;
    return deliver_item(attempt);
}

static void try_hook(struct webhooks *webhooks, struct webhook *hook)
{
    struct bt_arena arena;
    if (!open_store(webhooks)) {
        return;
    }
    bt_arena_init(&arena, ITEM_BYTES_MAX);
    struct attempt attempt = {.webhooks = webhooks,
                              .hook = hook,
                              .deliver = {.ledger = webhooks->ledger,
                                          .env = &webhooks->env,
                                          .arena = &arena,
                                          .actor = BT_STR("webhooks"),
                                          .alarms = bt_findings_new(&arena)}};
    bt_buf_init(&attempt.body, ITEM_BYTES_MAX);
    bt_buf_init(&attempt.fields, FIELDS_BYTES_MAX);
    if (attempt.deliver.alarms && take_and_deliver(&attempt) != BT_OK) {
        bt_ledger_close(webhooks->ledger); /* whatever it held, the next one opens anew */
        webhooks->ledger = NULL;
    }
    bt_buf_free(&attempt.fields);
    bt_buf_free(&attempt.body);
    bt_arena_free(&arena);
}

/* ---- The thread ------------------------------------------------------------------------------ */

static uint64_t first_due(const struct webhook_list *list)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < list->count; i++) {
        first = list->items[i].due_ms < first ? list->items[i].due_ms : first;
    }
    return first;
}

/* Wait until it is time to look for something. False: it is the end. */
static bool wait_for_work(struct webhooks *webhooks)
{
    bell_lock(&webhooks->bell);
    adopt(webhooks);
    while (!is_ending(webhooks) && http_now_ms() < first_due(&webhooks->roll->list)) {
        bell_wait(&webhooks->bell, first_due(&webhooks->roll->list));
        adopt(webhooks);
    }
    const bool goes_on = !is_ending(webhooks);
    bell_unlock(&webhooks->bell);
    return goes_on;
}

/* Whether to look for what is owed to this one now. What it is told of meanwhile is looked for
 * again. */
static bool is_due(struct webhooks *webhooks, struct webhook *hook)
{
    const uint64_t now_ms = http_now_ms();
    bell_lock(&webhooks->bell);
    const bool is_due = !is_ending(webhooks) && now_ms >= hook->due_ms;
    hook->due_ms = is_due ? now_ms + LOOK_MS : hook->due_ms;
    bell_unlock(&webhooks->bell);
    return is_due;
}

/* One item for each in turn, so that none waits for all of another. */
static void *send_owed(void *context)
{
    struct webhooks *webhooks = context;
    while (wait_for_work(webhooks)) {
        const struct webhook_list *list = &webhooks->roll->list;
        for (size_t i = 0; i < list->count; i++) {
            if (is_due(webhooks, &list->items[i])) {
                try_hook(webhooks, &list->items[i]);
            }
        }
    }
    bell_lock(&webhooks->bell);
    const bool is_abandoned = webhooks->is_abandoned;
    bell_unlock(&webhooks->bell);
    if (!is_abandoned) {
        bt_ledger_close(webhooks->ledger);
    }
    bell_lock(&webhooks->bell);
    webhooks->is_over = true;
    bell_ring(&webhooks->bell);
    bell_unlock(&webhooks->bell);
    return NULL;
}

/* ---- The life -------------------------------------------------------------------------------- */

struct webhooks *webhooks_create(struct gateway *gateway)
{
    struct webhooks *webhooks = calloc(1, sizeof(*webhooks));
    struct roll *roll = calloc(1, sizeof(*roll));
    if (!webhooks || !roll || !bell_init(&webhooks->bell)) {
        free(webhooks);
        free(roll);
        return NULL;
    }
    webhooks->gateway = gateway;
    webhooks->roll = roll;
    webhooks->end_ms = UINT64_MAX;
    return webhooks;
}

bool webhooks_change(struct webhooks *webhooks, const struct bt_config *config,
                     struct bt_error *error)
{
    const struct gateway *gateway = webhooks->gateway;
    struct roll *roll = roll_make(config, error);
    if (!roll) {
        return false;
    }
    const bool is_wanted = roll->list.count > 0 && gateway->writer; /* else nothing is accepted */
    bell_lock(&webhooks->bell);
    roll_free(webhooks->next);
    webhooks->next = roll;
    if (!webhooks->is_begun) {
        adopt(webhooks);
        webhooks->env = gateway->env;
        webhooks->is_begun =
            is_wanted && pthread_create(&webhooks->thread, NULL, send_owed, webhooks) == 0;
    }
    const bool is_running = webhooks->is_begun;
    bell_ring(&webhooks->bell);
    bell_unlock(&webhooks->bell);
    if (is_wanted && !is_running) {
        (void)bt_fail(error, BT_EIO, "no thread for deliver.webhooks");
    }
    return is_running || !is_wanted;
}

/* Tell the thread to end and wait for it. What it records is waited for; false: it is still looking
 * for a name, which nothing can hasten. */
static bool end_thread(struct webhooks *webhooks, uint64_t until_ms)
{
    const uint64_t now_ms = http_now_ms();
    const uint64_t end_ms = until_ms < now_ms + FLUSH_MS ? until_ms : now_ms + FLUSH_MS;
    const uint64_t wait_ms = (end_ms > now_ms ? end_ms : now_ms) + GRACE_MS;
    bell_lock(&webhooks->bell);
    webhooks->end_ms = end_ms;
    bell_ring(&webhooks->bell);
    while (!webhooks->is_over && !(webhooks->is_posting && http_now_ms() >= wait_ms)) {
        bell_wait(&webhooks->bell, http_now_ms() + GRACE_MS);
    }
    webhooks->is_abandoned = !webhooks->is_over;
    const bool is_over = webhooks->is_over;
    bell_unlock(&webhooks->bell);
    return is_over;
}

void webhooks_destroy(struct webhooks *webhooks, uint64_t until_ms)
{
    if (!webhooks) {
        return;
    }
    if (webhooks->is_begun && !end_thread(webhooks, until_ms)) {
        (void)pthread_detach(webhooks->thread); /* it keeps what it uses until the process ends */
        return;
    }
    if (webhooks->is_begun) {
        (void)pthread_join(webhooks->thread, NULL);
    }
    roll_free(webhooks->next);
    roll_free(webhooks->roll);
    bell_free(&webhooks->bell);
    free(webhooks);
}
