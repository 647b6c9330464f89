/* SPDX-License-Identifier: Apache-2.0 */
/*
 * once.c - answers that are kept with the decision they tell of.
 */
#include "ledger/once.h"

#include <assert.h>

#include "store/answers.h"

/* Answers that nobody can ask for any more are deleted now and then. */
enum { PURGE_EVERY = 256 };

static uint64_t milliseconds(const struct bt_env *env)
{
    const bt_instant now = bt_env_now(env);
    return now.seconds > 0 ? (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000 : 0;
}

void bt_ledger_once(struct bt_ledger *ledger, struct bt_once *once)
{
    assert(ledger);
    ledger->once = once;
}

void bt_ledger_withhold(struct bt_ledger *ledger, uint32_t names)
{
    assert(ledger);
    ledger->withheld = names;
}

void bt_ledger_watch(struct bt_ledger *ledger, bt_ledger_event_fn *told, void *context)
{
    assert(ledger);
    ledger->told = told;
    ledger->told_context = context;
}

enum bt_status bt_once_look(const struct bt_recording *recording, struct bt_once *once,
                            struct bt_error *error)
{
    assert(recording);
    assert(once);
    const bt_str key[3] = {once->principal, once->path, once->key};
    struct bt_store_answer answer;
    uint8_t digest[BT_SHA256_BYTES];
    once->outcome = 0;
    const enum bt_status status =
        bt_store_answer_get(recording->ledger->store, recording->arena, key,
                            milliseconds(recording->env), &answer, error);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    BT_TRY(bt_sha256(once->request, digest));
    if (!bt_str_eq(answer.request, (bt_str){(const char *)digest, sizeof(digest)})) {
        once->outcome = BT_ONCE_REUSED;
        return BT_OK;
    }
    once->status = (unsigned)answer.status;
    once->seq = answer.seq;
    once->outcome = answer.body.ptr ? BT_ONCE_REPEATED : BT_ONCE_REDACTED;
    once->body = answer.body;
    return BT_OK;
}

enum bt_status bt_once_keep(const struct bt_recording *recording, struct bt_once *once,
                            uint64_t seq, struct bt_error *error)
{
    assert(recording);
    assert(once);
    const uint64_t now = milliseconds(recording->env);
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(once->compose(once->context, once));
    BT_TRY(bt_sha256(once->request, digest));
    once->seq = seq;
    once->outcome = BT_ONCE_FIRST;
    const struct bt_store_answer answer = {
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
        BT_TRY(bt_store_answer_purge(recording->ledger->store, now, error));
    }
    return bt_store_answer_put(recording->ledger->store, &answer, now, error);
}
