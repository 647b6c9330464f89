/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_store.h - the core's state in the store: what was touched is written in one transaction with
 * its ledger entries, and read again when the pump starts.
 */
#ifndef BATON_SRC_PUMP_PUMP_STORE_H
#define BATON_SRC_PUMP_PUMP_STORE_H

#include "ledger/ledger.h"
#include "pump/core.h"

/* A future entry of the ledger: a message that was delivered, failed or is dead, or a security
 * event. */
struct bt_pump_store_entry {
    struct bt_pump_store_entry *next;
    uint64_t message; /* number; 0: none */
    bt_str event;
    bt_str reason;                   /* code of a security event, or "" */
    char thread[BT_UUID_TEXT_BYTES]; /* "": none */
};

/* An id that a client gave to a message. It cannot be used again. */
struct bt_pump_store_id {
    struct bt_pump_store_id *next;
    uint32_t client;
    bt_str id;
    uint8_t digest[BT_SHA256_BYTES]; /* of the canonical message */
    char thread[BT_UUID_TEXT_BYTES];
    uint64_t expiry; /* seconds since 1970 */
};

/* A delivery. */
struct bt_pump_store_delivery {
    struct bt_pump_store_delivery *next;
    uint32_t client;
    uint64_t delivery;
    uint64_t number; /* of the message */
};

/* Counters as the store has them. */
struct bt_pump_stored_counters {
    uint64_t *calls;      /* by listener */
    uint64_t *deliveries; /* by client */
    uint64_t *filed;      /* by client */
    uint64_t number;
    uint64_t done;
    uint64_t dead;
};

struct bt_pump_store {
    struct bt_pump_core *core;
    struct bt_ledger *ledger;
    struct bt_arena arena; /* of one transaction */
    /* Written by the next transaction besides the dirty objects of the core. */
    struct bt_submission *items; /* judged messages of clients */
    size_t items_count;
    struct bt_pump_store_entry *notes;
    struct bt_pump_store_entry **notes_end;
    struct bt_pump_store_id *ids;
    struct bt_pump_store_delivery
        *delivered; /* taken by their clients, to be deleted from pump_delivery */
    struct bt_pump_store_delivery
        *new_deliveries; /* made by the last commit and not taken yet, the oldest first */
    bool files_at_once;  /* new deliveries are written to pump_delivery at once */
    uint64_t last_seq;   /* of the newest entry; BT_SEQ_ABSENT: there is none */
    struct bt_pump_stored_counters stored;
    uint64_t *item_seqs; /* of the entries that the items became, while rows are written */
    uint64_t day;        /* of the last pruning, in days since 1970; see bt_pump_store_prune() */
    uint64_t pruned;     /* pruning has handled the messages below this one */
};

/* Begin with an open ledger; ended with bt_pump_store_close(). BT_ENOMEM: `memory`, which outlives
 * it, is at its limit. */
BT_MUST_USE enum bt_status bt_pump_store_open(struct bt_pump_store *rows, struct bt_pump_core *core,
                                              struct bt_ledger *ledger, struct bt_arena *memory);
void bt_pump_store_close(struct bt_pump_store *rows);

/* A fact about a message for the ledger. */
struct bt_pump_entry_fact {
    uint64_t message;    /* number; 0: none */
    const char *event;   /* a literal */
    enum bt_code reason; /* the code of a security event; 0: none */
    const char *thread;  /* a UUID; NULL: none */
};

/* Add an entry to the next commit. */
BT_MUST_USE enum bt_status bt_pump_store_add_entry(struct bt_pump_store *rows,
                                                   const struct bt_pump_entry_fact *fact);

/*
 * Write everything in one transaction. On BT_OK it is durable and the lists are empty; the driver
 * then acts on what the core touched and calls bt_pump_core_forget_finished(). With findings in
 * `alarms` the ledger cannot be trusted, and nothing was written.
 */
BT_MUST_USE enum bt_status bt_pump_store_commit(struct bt_pump_store *rows,
                                                struct bt_findings *alarms, struct bt_error *error);

/* Read everything into a core that has just begun. What belongs to listeners or clients that are no
 * more is passed over, and counted. */
BT_MUST_USE enum bt_status bt_pump_store_load(struct bt_pump_store *rows, uint64_t *out_passed,
                                              struct bt_error *error);

/*
 * Forget messages that are over, and ids, after so many days. A little each time; *out_more: there
 * may be more at once. In a transaction of its own, when nothing is to be kept.
 */
BT_MUST_USE enum bt_status bt_pump_store_prune(struct bt_pump_store *rows, uint64_t days,
                                               bool *out_more, struct bt_error *error);

struct bt_store_cell;

/* The row of a message, in the arena. BT_ENOENT: it was deleted. */
BT_MUST_USE enum bt_status bt_pump_store_find_message(struct bt_pump_store *rows, uint64_t number,
                                                      struct bt_arena *arena,
                                                      const struct bt_store_cell **out);

/* The payload of a stored message. BT_ENOENT: it was deleted. */
BT_MUST_USE enum bt_status bt_pump_store_load_payload(struct bt_pump_store *rows, uint64_t number,
                                                      struct bt_arena *arena, bt_str *out);

/* The stored id of a client. BT_ENOENT: it was never used, or is too old. */
BT_MUST_USE enum bt_status bt_pump_store_find_id(struct bt_pump_store *rows, uint32_t client,
                                                 bt_str id, struct bt_pump_store_id *out);

/* The name of the sender of a message. */
bt_str bt_pump_store_sender_name(const struct bt_pump_core *core,
                                 const struct bt_pump_message *message);

/* Called for each delivery that its client does not have yet, in the order in which they were made;
 * false ends it. Nothing is fresh: a commit came before it. */
struct bt_pump_pending_delivery {
    uint64_t id;
    uint64_t number; /* of the message */
    uint32_t client;
    bt_str sender; /* name of a listener, or core */
    bt_str thread; /* the client's */
    bt_str tag;
    bt_str payload;
};
typedef bool bt_pump_pending_delivery_fn(void *context,
                                         const struct bt_pump_pending_delivery *delivery);
BT_MUST_USE enum bt_status bt_pump_store_each_delivery(struct bt_pump_store *rows,
                                                       bt_pump_pending_delivery_fn *each,
                                                       void *context, struct bt_error *error);
/* True when a delivery, given by client and number, was not taken yet. */
bool bt_pump_store_has_pending_delivery(const struct bt_pump_store *rows, struct bt_arena *arena,
                                        bt_str client, uint64_t id);
/* A client has taken a delivery; that is stored by the next commit. */
BT_MUST_USE enum bt_status
bt_pump_store_mark_delivered(struct bt_pump_store *rows,
                             const struct bt_pump_pending_delivery *delivery);

#endif
