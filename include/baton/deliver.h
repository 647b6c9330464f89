/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - decisions that are recorded and handed on: a submission, its repeat, an inbox.
 *
 * Check, record and queue are one transaction. An accepted handoff waits in the inbox of its target
 * until somebody takes it under a lease and says how that ended; a lease that runs out delivers
 * again, so a handoff arrives at least once.
 *
 * Three results, never mixed: BT_OK and done; BT_OK and findings in `alarms`, because the ledger
 * itself is not to be trusted, and then nothing was done; any other status, and then nothing was
 * stored unless the call says so. What comes back lives in the arena.
 */
#ifndef BATON_DELIVER_H
#define BATON_DELIVER_H

#include <baton/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every call works with. */
struct bt_deliver {
    struct bt_ledger *ledger; /* open for writing */
    struct bt_ledger_writer
        *writer;                  /* submissions go through it, with others; NULL: by themselves */
    const struct timespec *until; /* with a writer: when to give up, by CLOCK_MONOTONIC */
    struct bt_env *env;
    struct bt_arena *arena;
    bt_str actor;
    struct bt_findings *alarms;
};

/* ---- Who speaks ------------------------------------------------------------------------------ */

/*
 * Refuse a document whose source the caller does not speak for: AGENT_BINDING_MISMATCH at `pointer`
 * takes the place of everything that was found after the stage schema, and the verdict is rejected.
 */
BT_API BT_MUST_USE enum bt_status bt_submission_reject_source(struct bt_arena *arena,
                                                              struct bt_judgement *judged,
                                                              bt_str claimed, bt_str pointer);

/* The same for a document whose envelope is no longer valid: ENVELOPE_EXPIRED. */
BT_API BT_MUST_USE enum bt_status bt_submission_reject_expired(struct bt_arena *arena,
                                                               struct bt_judgement *judged);

/* ---- Submitting ------------------------------------------------------------------------------ */

/* A decision inside its transaction, when its entry is made. */
struct bt_decision_record {
    const struct bt_judgement *judged; /* its members are those of the command, for the report */
    uint64_t seq;
    bt_str time;
    bt_str record;  /* JSON object: seq, ref, leaf_hash */
    bt_str message; /* its id in an inbox; "": it is in none */
};

/*
 * What commits with a decision, or not at all. `before` runs under the append lock ahead of it, and
 * may say that there is nothing to decide; `after` runs when the entry is made and the inbox
 * filled. Both may be called again, and must not count on what an earlier call did.
 */
struct bt_transaction_hooks {
    enum bt_status (*before)(void *context, struct bt_ledger_transaction *recording,
                             bool *out_is_over, struct bt_error *error);
    enum bt_status (*after)(void *context, struct bt_ledger_transaction *recording,
                            const struct bt_decision_record *decided, struct bt_error *error);
    void *context;
};

/* A document that was judged, or that the act of its item judges, on its way into the record. */
struct bt_deliver_submission {
    struct bt_submission *
        /* a plain one, or of bt_contract_state_prepare() or bt_governed_submission_prepare() */
        item;
    bool has_inbox;                           /* documents of this dialect are handed on ... */
    bool has_webhook;                         /* ... to the webhook of their target as well */
    struct bt_idempotency *once;              /* NULL: no key was given */
    const struct bt_transaction_hooks *hooks; /* NULL: nothing */
    bt_str traceparent; /* of the request, for whoever takes it from the inbox; or "" */

    bool is_over; /* out: `beside` said so, and nothing was done ... */
    bool is_queued;
    bt_str inbox;   /* whose, when queued */
    bt_str message; /* its id there */
    bt_str record;  /* JSON object about its entry, also for `once->compose` */
    bt_str members; /* what its act says beside, `"name":value,...` or ""; the same */
    const struct bt_judgement *judged; /* as it was decided; the same */
    uint64_t size;                     /* of the tree, with all that was recorded together */
    bool is_recorded;                  /* it is durable, whatever the status says */
    bool is_unknown;                   /* the commit failed, and may have happened all the same */

    struct bt_submitting *pending; /* between bt_submit_begin() and bt_submit_finish() */
};

/* Record a decision and hand it on, in one transaction. When the request was answered before,
 * once->outcome says so, and nothing else is done. */
BT_API BT_MUST_USE enum bt_status bt_submit(const struct bt_deliver *deliver,
                                            struct bt_deliver_submission *submission,
                                            struct bt_error *error);

/*
 * The same through the writer, for whoever has other things to do meanwhile: give, be told, take;
 * or leave at the deadline. Everything stays where it is until then, and the arena is not used.
 * Statuses are those of bt_ledger_writer_submit(), _take() and _leave().
 */
BT_API BT_MUST_USE enum bt_status bt_submit_begin(const struct bt_deliver *deliver,
                                                  struct bt_deliver_submission *submission,
                                                  const struct bt_ledger_completion *wait);
BT_API BT_MUST_USE enum bt_status bt_submit_finish(struct bt_deliver_submission *submission,
                                                   struct bt_error *error);
BT_API BT_MUST_USE enum bt_status bt_submit_abandon(struct bt_deliver_submission *submission,
                                                    struct bt_error *error);

/* ---- Inboxes --------------------------------------------------------------------------------- */

struct bt_inbox_item {
    bt_str message;
    bt_str lease;
    bt_str lease_until;
    uint64_t attempt; /* from 1 */
    uint64_t seq;     /* of the handoff */
    bt_str traceparent;
    bt_str bytes;
};

struct bt_inbox_items {
    const struct bt_inbox_item *items;
    size_t count;
};

/*
 * An agent's webhook has a queue of its own, where h<seq> of the inbox is w<seq>: nobody takes from
 * it in the name of an agent.
 */
struct bt_inbox_lease_options {
    bt_str agent;
    uint64_t max;
    uint64_t lease_seconds;
    uint64_t attempts_max; /* after so many an item is dead */
    bool is_webhook;       /* what is owed to its webhook, not what waits in its inbox */
};

/* Take what waits for an agent, oldest first. */
BT_API BT_MUST_USE enum bt_status bt_inbox_lease(const struct bt_deliver *deliver,
                                                 const struct bt_inbox_lease_options *lease_options,
                                                 struct bt_inbox_items *out,
                                                 struct bt_error *error);

/* Put the receipt of an item's handoff as JSON, against the first checkpoint that has it: at every
 * attempt it is the same, but for cosignatures that were added. */
BT_API BT_MUST_USE enum bt_status bt_inbox_put_receipt(const struct bt_deliver *deliver,
                                                       const struct bt_inbox_item *item,
                                                       struct bt_buf *buf, struct bt_error *error);

/* How it ended. Zero is nothing. */
enum bt_inbox_finish_result {
    BT_INBOX_FINISHED = 1,
    BT_INBOX_LEASE_LOST, /* somebody else may have it now */
    BT_INBOX_NOT_FOUND,  /* the agent has no such item */
};

struct bt_inbox_finish_item {
    bt_str agent;
    bool is_webhook; /* as it was taken */
    bt_str message;
    bt_str lease;
    bool is_delivered; /* else it failed, and is delivered again ... */
    uint64_t pause_ms; /* ... not before so much later */
    uint64_t attempts_max;
    enum bt_inbox_finish_result end; /* out */
};

/* Say how deliveries ended; that is recorded, together. */
BT_API BT_MUST_USE enum bt_status bt_inbox_finish_item(const struct bt_deliver *deliver,
                                                       struct bt_inbox_finish_item *items,
                                                       size_t count, struct bt_error *error);

struct bt_inbox_item_state {
    bt_str state; /* "queued", "taken", "delivered", "dead" or "cancelled" */
    uint64_t seq; /* of the entry that changed it last */
};

/* Where an item stands. BT_ENOENT: there is none. */
BT_API BT_MUST_USE enum bt_status bt_inbox_get_state(const struct bt_deliver *deliver,
                                                     bt_str message,
                                                     struct bt_inbox_item_state *out,
                                                     struct bt_error *error);
/* Take back an item of an inbox, and what is owed to a webhook with it, unless somebody has either
 * or had it; that is recorded. */
BT_API BT_MUST_USE enum bt_status bt_inbox_cancel(const struct bt_deliver *deliver, bt_str message,
                                                  bool *out_is_done, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
