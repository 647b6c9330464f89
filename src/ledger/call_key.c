/* SPDX-License-Identifier: Apache-2.0 */
/* call_key.c - keys of calls as rows: open, answered, freed. */
#include "ledger/call_key.h"

#include <assert.h>

#include "store/responses.h"

static uint64_t milliseconds_now(const struct bt_env *env)
{
    const bt_instant now = bt_env_now(env);
    return now.seconds > 0 ? (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000 : 0;
}

static struct bt_store_response row_of(const struct bt_call_key *key, const struct bt_env *env)
{
    return (struct bt_store_response){.principal = key->principal,
                                      .path = key->path,
                                      .key = key->key,
                                      .request = key->digest,
                                      .status = BT_STORE_NONE,
                                      .body = {NULL, 0},
                                      .seq = BT_STORE_NONE,
                                      .expiry_ms = milliseconds_now(env) + key->seconds * 1000,
                                      .owner = key->owner};
}

struct call_key_taking {
    const struct bt_call_key_use *use;
    const struct bt_call_key *key;
    struct bt_call_key_result *out;
};

static enum bt_status open_key(const struct call_key_taking *taking, struct bt_error *error)
{
    const struct bt_store_response row = row_of(taking->key, taking->use->env);
    taking->out->outcome = BT_CALL_KEY_FIRST;
    return bt_store_response_replace(taking->use->ledger->store, &row, error);
}

/* Judge a row that there is. */
static enum bt_status judge_row(const struct call_key_taking *taking,
                                const struct bt_store_response *row, struct bt_error *error)
{
    const struct bt_call_key *key = taking->key;
    const bool is_open = row->status == BT_STORE_NONE;
    *taking->out =
        (struct bt_call_key_result){.status = row->status, .body = row->body, .seq = row->seq};
    if (!bt_str_eq(row->request, key->digest)) {
        taking->out->outcome = BT_CALL_KEY_REUSED;
    } else if (!is_open) {
        taking->out->outcome = row->body.ptr ? BT_CALL_KEY_ANSWERED : BT_CALL_KEY_UNKNOWN;
    } else if (bt_str_eq(row->owner, key->owner)) {
        taking->out->outcome = BT_CALL_KEY_OWN;
    } else {
        taking->out->outcome = BT_CALL_KEY_UNKNOWN;
    }
    if (taking->use->is_search && taking->out->outcome == BT_CALL_KEY_ANSWERED) {
        return bt_store_response_delete(taking->use->ledger->store,
                                        (const bt_str[3]){key->principal, key->path, key->key},
                                        error);
    }
    return taking->out->outcome == BT_CALL_KEY_UNKNOWN && is_open && taking->use->may_repeat
               ? open_key(taking, error)
               : BT_OK;
}

static enum bt_status take_in_transaction(struct bt_ledger_transaction *recording, void *context,
                                          struct bt_error *error)
{
    const struct call_key_taking *taking = context;
    const struct bt_call_key *key = taking->key;
    const bt_str names[3] = {key->principal, key->path, key->key};
    struct bt_store_response row;
    const enum bt_status status =
        bt_store_response_get(recording->ledger->store, taking->use->arena, names,
                              milliseconds_now(taking->use->env), &row, error);
    *taking->out = (struct bt_call_key_result){.seq = BT_STORE_NONE};
    if (status == BT_ENOENT) {
        return taking->use->is_search ? BT_OK : open_key(taking, error);
    }
    return status == BT_OK ? judge_row(taking, &row, error) : status;
}

enum bt_status bt_call_key_take(const struct bt_call_key_use *use, const struct bt_call_key *key,
                                struct bt_call_key_result *out, struct bt_error *error)
{
    assert(use);
    assert(key);
    assert(out);
    struct call_key_taking taking = {use, key, out};
    struct bt_ledger_transaction recording = {
        .ledger = use->ledger, .env = use->env, .arena = use->arena};
    return bt_ledger_transaction_mark(&recording, take_in_transaction, &taking, use->alarms, error);
}

enum bt_status bt_call_key_answer(const struct bt_ledger_transaction *recording,
                                  const struct bt_call_key *key, uint64_t status,
                                  const bt_str *body, uint64_t seq, struct bt_error *error)
{
    struct bt_store_response row = row_of(key, recording->env);
    row.status = status;
    row.body = body ? *body : (bt_str){NULL, 0};
    row.seq = seq;
    return bt_store_response_replace(recording->ledger->store, &row, error);
}

enum bt_status bt_call_key_free(const struct bt_ledger_transaction *recording,
                                const struct bt_call_key *key, struct bt_error *error)
{
    return bt_store_response_delete(recording->ledger->store,
                                    (const bt_str[3]){key->principal, key->path, key->key}, error);
}
