/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - record submissions and deliver them: idempotency, inboxes, leases.
 *
 * Deciding, recording and queueing are one transaction. An accepted handoff waits in the inbox of
 * its target until somebody takes it under a lease and reports the result; when a lease expires the
 * handoff is delivered again, so it arrives at least once.
 *
 * Every call has one of three results: BT_OK and done; BT_OK with findings in `alarms`, which means
 * that the ledger itself cannot be trusted and nothing was done; any other status, and then nothing
 * was stored unless the call says otherwise. Results live in the arena. Statuses that are not
 * described: BT_ENOMEM, the arena reached its limit; BT_EIO, the store failed; `error` says why.
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
    /* submissions go through it, in a group commit; NULL: each by itself */
    struct bt_ledger_writer *writer;
    const struct timespec *until; /* with a writer: the deadline (CLOCK_MONOTONIC) */
    struct bt_env *env;
    struct bt_arena *arena;
    bt_str actor;
    struct bt_findings *alarms;
};

/* ---- Rejecting before a decision ------------------------------------------------------------- */

/*
 * Reject a document whose source the caller may not represent: AGENT_BINDING_MISMATCH at `pointer`
 * replaces all findings of stages after `schema`, and the verdict is rejected. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_submission_reject_source(struct bt_arena *arena,
                                                              struct bt_judgement *judged,
                                                              bt_str claimed, bt_str pointer);

/*
 * Reject a document whose envelope has expired: ENVELOPE_EXPIRED replaces all findings of stages
 * after `schema`, and the verdict is rejected. BT_ENOMEM: the arena reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_submission_reject_expired(struct bt_arena *arena,
                                                               struct bt_judgement *judged);

/* ---- Submitting ------------------------------------------------------------------------------ */

/* A decision inside its transaction, after its entry was made. */
struct bt_decision_record {
    const struct bt_judgement *judged; /* its members are those of the command, for the report */
    uint64_t seq;
    bt_str time;
    bt_str record;  /* JSON object: seq, ref, leaf_hash */
    bt_str message; /* its id in an inbox; "": not in an inbox */
};

/*
 * Code that runs in the transaction of a decision. `before` runs under the append lock before the
 * decision, and may end it by setting *out_is_over; `after` runs when the entry is made and the
 * inbox filled. Both may be called again after a failed transaction, so they must not rely on the
 * effects of an earlier call.
 */
struct bt_transaction_hooks {
    enum bt_status (*before)(void *context, struct bt_ledger_transaction *recording,
                             bool *out_is_over, struct bt_error *error);
    enum bt_status (*after)(void *context, struct bt_ledger_transaction *recording,
                            const struct bt_decision_record *decided, struct bt_error *error);
    void *context;
};

/* A document that was judged, or that the item's `act` will judge, to be recorded and delivered. */
struct bt_deliver_submission {
    /* a plain item, or one of bt_contract_state_prepare() or bt_governed_submission_prepare() */
    struct bt_submission *item;
    /* documents of this dialect are delivered to an inbox ... */
    bool has_inbox;
    bool has_webhook;                         /* ... and to the webhook of their target */
    struct bt_idempotency *once;              /* NULL: no idempotency key was given */
    const struct bt_transaction_hooks *hooks; /* NULL: none */
    bt_str traceparent; /* of the request, for the receiver of the handoff; or "" */

    bool is_over; /* out: `hooks->before` ended the call, and nothing was done ... */
    bool is_queued;
    bt_str inbox;   /* the agent whose inbox it is in, when queued */
    bt_str message; /* its id in the inbox */
    bt_str record;  /* JSON object about its entry; already set for once->compose */
    /* more members from its `act`, `"name":value,...` or ""; already set for once->compose */
    bt_str members;
    const struct bt_judgement *judged; /* as decided; already set for once->compose */
    uint64_t size;                     /* of the log after the whole transaction */
    bool is_recorded;                  /* the record is durable, whatever the status */
    bool is_unknown;                   /* the commit failed, but may have taken effect */

    struct bt_submitting *pending; /* between bt_submit_begin() and bt_submit_finish() */
};

/*
 * Record and deliver a submission in one transaction. If the request was decided before, only
 * once->outcome and the stored response are set. Statuses as for bt_ledger_append().
 */
BT_API BT_MUST_USE enum bt_status bt_submit(const struct bt_deliver *deliver,
                                            struct bt_deliver_submission *submission,
                                            struct bt_error *error);

/*
 * Record and deliver a submission through the writer without waiting: begin, wait for the
 * notification, finish; or abandon it at the deadline. Everything passed in must stay in place
 * until then; the arena is not used. Statuses as for bt_ledger_writer_submit(),
 * bt_ledger_writer_finish() and bt_ledger_writer_abandon().
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
 * An agent's webhook has its own queue, in which message h<seq> of the inbox is w<seq>; an agent
 * cannot lease from it.
 */
struct bt_inbox_lease_options {
    bt_str agent;
    uint64_t max;
    uint64_t lease_seconds;
    uint64_t attempts_max; /* after this many attempts an item is dead */
    bool is_webhook;       /* lease from the webhook queue instead of the inbox */
};

/* Lease the items that wait for an agent, oldest first. */
BT_API BT_MUST_USE enum bt_status bt_inbox_lease(const struct bt_deliver *deliver,
                                                 const struct bt_inbox_lease_options *lease_options,
                                                 struct bt_inbox_items *out,
                                                 struct bt_error *error);

/*
 * Put the receipt of an item's handoff as JSON, against the first checkpoint that contains it, so
 * that every attempt has the same receipt except for added cosignatures. Failures of the buffer are
 * returned.
 */
BT_API BT_MUST_USE enum bt_status bt_inbox_put_receipt(const struct bt_deliver *deliver,
                                                       const struct bt_inbox_item *item,
                                                       struct bt_buf *buf, struct bt_error *error);

/* The result of finishing an item. Zero is not a result. */
enum bt_inbox_finish_result {
    BT_INBOX_FINISHED = 1,
    BT_INBOX_LEASE_LOST, /* the lease expired; another receiver may have the item */
    BT_INBOX_NOT_FOUND,  /* the agent has no such item */
};

struct bt_inbox_finish_item {
    bt_str agent;
    bool is_webhook; /* as it was leased */
    bt_str message;
    bt_str lease;
    bool is_delivered; /* else it failed and is delivered again ... */
    uint64_t pause_ms; /* ... after this delay */
    uint64_t attempts_max;
    enum bt_inbox_finish_result end; /* out */
};

/* Report the results of deliveries and record them in one transaction. */
BT_API BT_MUST_USE enum bt_status bt_inbox_finish_item(const struct bt_deliver *deliver,
                                                       struct bt_inbox_finish_item *items,
                                                       size_t count, struct bt_error *error);

struct bt_inbox_item_state {
    bt_str state; /* "queued", "taken", "delivered", "dead" or "cancelled" */
    uint64_t seq; /* of the entry that changed it last */
};

/* The state of an item. BT_ENOENT: there is none. */
BT_API BT_MUST_USE enum bt_status bt_inbox_get_state(const struct bt_deliver *deliver,
                                                     bt_str message,
                                                     struct bt_inbox_item_state *out,
                                                     struct bt_error *error);
/*
 * Cancel an item of an inbox together with its webhook delivery, unless one of them is or was
 * leased; *out_is_done is set when it was cancelled. The cancellation is recorded.
 */
BT_API BT_MUST_USE enum bt_status bt_inbox_cancel(const struct bt_deliver *deliver, bt_str message,
                                                  bool *out_is_done, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
