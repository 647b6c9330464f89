/* SPDX-License-Identifier: Apache-2.0 */
/* requests.c - open requests in a treap, by the digest of their id. */
#include "wrap/requests.h"

#include <assert.h>
#include <string.h>

/*
 * Numbers stand for themselves; texts by their SHA-256, so that no choice of ids makes two equal or
 * the tree deep.
 */
static bool make_key(const struct bt_wrap_id *id, struct bt_treap_key *out)
{
    uint8_t digest[BT_SHA256_BYTES];
    if (!id->is_text) {
        *out = (struct bt_treap_key){{0, 0, (uint64_t)id->number}};
        return true;
    }
    if (bt_sha256((bt_str){id->text, id->size}, digest) != BT_OK) {
        return false;
    }
    memcpy(out->part, digest, sizeof(out->part));
    out->part[0] |= 1;
    return true;
}

void bt_wrap_requests_init(struct bt_wrap_requests *requests, struct bt_arena *arena)
{
    *requests = (struct bt_wrap_requests){0};
    bt_object_pool_init(&requests->pool, arena, sizeof(struct bt_wrap_request));
}

struct bt_wrap_request *bt_wrap_requests_find(const struct bt_wrap_requests *requests,
                                              const struct bt_wrap_id *id)
{
    struct bt_treap_key key;
    struct bt_treap_node *node = make_key(id, &key) ? bt_treap_find(&requests->by_id, &key) : NULL;
    return node ? BT_WITHIN(struct bt_wrap_request, node, node) : NULL;
}

enum bt_status bt_wrap_requests_add(struct bt_wrap_requests *requests, const struct bt_wrap_id *id,
                                    struct bt_wrap_request **out)
{
    struct bt_wrap_request *request = bt_object_pool_acquire(&requests->pool);
    if (!request || !make_key(id, &request->node.key)) {
        return BT_ENOMEM;
    }
    assert(!bt_treap_find(&requests->by_id, &request->node.key));
    request->id = *id;
    bt_treap_add(&requests->by_id, &request->node);
    requests->count++;
    *out = request;
    return BT_OK;
}

void bt_wrap_requests_remove(struct bt_wrap_requests *requests, struct bt_wrap_request *request)
{
    const bool is_unawaited = request->is_cancelled || request->method == BT_WRAP_METHOD_LISTEN;
    requests->unawaited -= is_unawaited;
    bt_treap_remove(&requests->by_id, &request->node);
    bt_buf_destroy(request->tool);
    bt_object_pool_release(&requests->pool, request);
    requests->count--;
}

struct bt_wrap_request *bt_wrap_requests_first(const struct bt_wrap_requests *requests)
{
    struct bt_treap_node *node = bt_treap_first(&requests->by_id);
    return node ? BT_WITHIN(struct bt_wrap_request, node, node) : NULL;
}
