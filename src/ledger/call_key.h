/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_key.h - keys of calls that must not be made twice: open from before the call is made until
 * its answer is recorded.
 *
 * A row of such a key names the process that made the call. When that process ends in between, it
 * is not known whether the call was made, and the row says so until it expires.
 */
#ifndef BATON_SRC_LEDGER_CALL_KEY_H
#define BATON_SRC_LEDGER_CALL_KEY_H

#include "ledger/transaction.h"

/* A key, and the call that it is used for. */
struct bt_call_key {
    bt_str principal;
    bt_str path;
    bt_str key;
    bt_str digest;    /* of the call, 32 bytes */
    bt_str owner;     /* this process */
    uint64_t seconds; /* until it may be used again */
};

enum bt_call_key_outcome {
    BT_CALL_KEY_NONE = 0, /* of a search: the key was not found */
    BT_CALL_KEY_FIRST,    /* it is open from now on: make the call */
    BT_CALL_KEY_OWN,      /* this process makes the call already */
    BT_CALL_KEY_ANSWERED,
    BT_CALL_KEY_UNKNOWN, /* the call may have been made, and its answer is not known */
    BT_CALL_KEY_REUSED,  /* the key belongs to another call */
};

struct bt_call_key_result {
    enum bt_call_key_outcome outcome;
    uint64_t status; /* of the answer, as it was given to bt_call_key_answer() */
    bt_str body;
    uint64_t seq; /* of its entry; BT_STORE_NONE: none */
};

/* How a key is taken. */
struct bt_call_key_use {
    struct bt_ledger *ledger; /* open for writing */
    struct bt_env *env;
    struct bt_arena *arena; /* of the result */
    struct bt_findings *alarms;
    bool may_repeat; /* a call whose outcome is unknown may be made again */
    bool is_search;  /* open nothing; an answer that is found is given once */
};

/*
 * Open a key before its call is made, in a transaction of its own that is durable afterwards; or
 * tell why the call need not or must not be made. With findings in the alarms the ledger cannot be
 * trusted. BT_EIO: the store failed.
 */
BT_MUST_USE enum bt_status bt_call_key_take(const struct bt_call_key_use *use,
                                            const struct bt_call_key *key,
                                            struct bt_call_key_result *out, struct bt_error *error);
/* Store the answer of a call within the transaction that records it as entry `seq`. */
BT_MUST_USE enum bt_status bt_call_key_answer(const struct bt_ledger_transaction *recording,
                                              const struct bt_call_key *key, uint64_t status,
                                              const bt_str *body, uint64_t seq,
                                              struct bt_error *error);
/* Free a key whose call was not made. */
BT_MUST_USE enum bt_status bt_call_key_free(const struct bt_ledger_transaction *recording,
                                            const struct bt_call_key *key, struct bt_error *error);

#endif
