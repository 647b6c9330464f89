/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.c - responses stored with the decision they describe. */
#include "ledger/idempotency.h"

#include <assert.h>

#include "store/responses.h"

/* Expired responses are deleted after so many requests. */
enum { PURGE_EVERY = 256 };

static uint64_t get_now_ms(const struct bt_env *env)
{
    const bt_instant now = bt_env_now(env);
    return now.seconds > 0 ? (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000 : 0;
}

void bt_ledger_set_idempotency(struct bt_ledger *ledger, struct bt_idempotency *once)
{
    assert(ledger);
    ledger->idempotency = once;
}

void bt_ledger_set_withheld(struct bt_ledger *ledger, uint32_t names)
{
    assert(ledger);
    ledger->form.withheld = names;
}

void bt_ledger_set_observer(struct bt_ledger *ledger, bt_ledger_event_fn *observer, void *context)
{
    assert(ledger);
    ledger->observer.notify = observer;
    ledger->observer.context = context;
}

enum bt_status bt_idempotency_find(const struct bt_ledger_transaction *recording,
                                   struct bt_idempotency *once, struct bt_error *error)
{
    assert(recording);
    assert(once);
    const bt_str key[3] = {once->principal, once->path, once->key};
    struct bt_store_response answer;
    uint8_t digest[BT_SHA256_BYTES];
    once->outcome = 0;
    const enum bt_status status =
        bt_store_response_get(recording->ledger->store, recording->arena, key,
                              get_now_ms(recording->env), &answer, error);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    BT_TRY(bt_sha256(once->request, digest));
    if (!bt_str_eq(answer.request, (bt_str){(const char *)digest, sizeof(digest)})) {
        once->outcome = BT_IDEMPOTENCY_CONFLICT;
        return BT_OK;
    }
    once->status = (unsigned)answer.status;
    once->seq = answer.seq;
    once->outcome = answer.body.ptr ? BT_IDEMPOTENCY_REPEATED : BT_IDEMPOTENCY_REDACTED;
    once->body = answer.body;
    return BT_OK;
}

enum bt_status bt_idempotency_store(const struct bt_ledger_transaction *recording,
                                    struct bt_idempotency *once, uint64_t seq,
                                    struct bt_error *error)
{
    assert(recording);
    assert(once);
    const uint64_t now = get_now_ms(recording->env);
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(once->compose(once->context, once));
    BT_TRY(bt_sha256(once->request, digest));
    once->seq = seq;
    once->outcome = BT_IDEMPOTENCY_FIRST;
    const struct bt_store_response answer = {
        .principal = once->principal,
        .path = once->path,
        .key = once->key,
        .request = {(const char *)digest, sizeof(digest)},
        .status = once->status,
        .body = once->body,
        .seq = seq,
        .expiry_ms = now + once->seconds * 1000,
    };
    if (seq % PURGE_EVERY == 0) {
        BT_TRY(bt_store_response_purge(recording->ledger->store, now, error));
    }
    return bt_store_response_put(recording->ledger->store, &answer, now, error);
}
