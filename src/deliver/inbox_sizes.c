/* SPDX-License-Identifier: Apache-2.0 */
/* inbox_sizes.c - what waits in the inboxes of all agents, and for their webhooks. */
#include <assert.h>

#include "deliver/inbox_internal.h"
#include "store/queue.h"

struct deliver_sizes_state {
    struct bt_arena *arena;
    struct bt_inbox_sizes *out;
    enum bt_status status;
};

static bool take_size(void *context, const struct bt_queue_size *row)
{
    struct deliver_sizes_state *listing = context;
    struct bt_inbox_size *size = &listing->out->items[listing->out->count];
    *size = (struct bt_inbox_size){
        .is_webhook = bt_str_eq(row->queue, BT_STR("webhook")),
        .waiting = row->queued,
        .leased = row->leased,
        .dead = row->dead,
        .attempts_max = row->attempts_max,
        .oldest = row->oldest,
    };
    listing->status = bt_arena_copy(listing->arena, row->target, &size->agent);
    listing->out->count += listing->status == BT_OK ? 1 : 0;
    return listing->status == BT_OK;
}

enum bt_status bt_inbox_list_sizes(const struct bt_deliver *deliver, uint64_t max,
                                   struct bt_inbox_sizes *out, struct bt_error *error)
{
    assert(deliver);
    assert(out);
    const uint64_t now_ms = bt_inbox_ms(bt_env_now(deliver->env));
    struct bt_inbox_sizes sizes = {.items =
                                       BT_NEW_ARRAY(deliver->arena, struct bt_inbox_size, max)};
    struct deliver_sizes_state listing = {deliver->arena, &sizes, sizes.items ? BT_OK : BT_ENOMEM};
    if (listing.status == BT_OK) {
        BT_TRY(bt_queue_each_size(deliver->ledger->store, now_ms, max, take_size, &listing, error));
    }
    if (listing.status != BT_OK) {
        return bt_error_set(error, listing.status, "%s", bt_status_text(listing.status));
    }
    *out = sizes;
    return BT_OK;
}
