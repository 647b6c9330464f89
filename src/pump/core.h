/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - the pump's decisions: threads, calls, replies, what is cut and who is notified.
 *
 *     accepted message ─┐
 *     result of a host ─┼─> core ─> messages, threads and roots that were touched, events
 *     a host that died ─┘           (stored in one transaction, then acted on)
 *
 * The core does not use sockets, processes, the store or the clock: the driver reports to it what
 * happened, and reads from it what follows. So the same code runs in the server and under a
 * simulator. The driver stores what was touched, commits, and calls bt_pump_core_forget_finished();
 * nothing that the core decided may leave the process before that.
 */
#ifndef BATON_SRC_PUMP_CORE_H
#define BATON_SRC_PUMP_CORE_H

#include "base/env.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/object_pool.h"
#include "pump/fragment.h"
#include "pump/schedule.h"

/* ---- Objects --------------------------------------------------------------------------------- */

enum bt_pump_message_kind {
    BT_PUMP_MESSAGE_KIND_NONE = 0,
    BT_PUMP_MESSAGE_KIND_INGRESS,    /* a client calls a listener */
    BT_PUMP_MESSAGE_KIND_CALL,       /* a listener calls another */
    BT_PUMP_MESSAGE_KIND_SELF,       /* a listener calls itself */
    BT_PUMP_MESSAGE_KIND_REPLY,      /* an answer for a listener */
    BT_PUMP_MESSAGE_KIND_DIAGNOSTIC, /* a fault is reported to a listener */
    BT_PUMP_MESSAGE_KIND_EGRESS,     /* an answer or a diagnostic for a client */
};

enum bt_pump_message_state {
    BT_PUMP_MESSAGE_STATE_QUEUED = 1,
    BT_PUMP_MESSAGE_STATE_IN_FLIGHT,
    BT_PUMP_MESSAGE_STATE_DONE,
    BT_PUMP_MESSAGE_STATE_DROPPED, /* its thread was cut */
    BT_PUMP_MESSAGE_STATE_DEAD,    /* its host died on every attempt */
};

/* Who wrote a message: the number of a listener, or one of these. */
#define BT_FROM_CLIENT UINT32_MAX
#define BT_FROM_CORE (UINT32_MAX - 1)

/* A UUID that is stored as text, whose length is known. */
static inline bt_str bt_uuid_str(const char uuid[BT_UUID_TEXT_BYTES])
{
    return (bt_str){uuid, BT_UUID_TEXT_BYTES - 1};
}

/* The conversation of a client, under the UUID that the client chose. */
struct bt_pump_root_thread {
    struct bt_treap_node by_name; /* client, UUID */
    uint64_t number;              /* in the order in which roots were made, from 1 */
    uint32_t client;
    char id[BT_UUID_TEXT_BYTES];   /* ours */
    char uuid[BT_UUID_TEXT_BYTES]; /* the client's */
    uint64_t tokens;               /* charged for all calls that were made ... */
    uint64_t tokens_kept;          /* ... and for those that are over */
    uint64_t tokens_stored; /* as stored: `tokens_kept`, or up to a part of the budget more */
    bool budget_is_spent;
    bool is_gone;
    uint64_t busy;             /* messages that are queued or in flight */
    uint64_t last_activity_ms; /* time of the last activity */
    struct bt_pump_thread *first;
    struct bt_pump_root_thread *older; /* in the order of last_activity_ms */
    struct bt_pump_root_thread *newer;
    struct bt_pump_root_thread *next_touched;
    bool is_dirty;
};

/* One edge of the call graph: the caller and the called listener. */
struct bt_pump_thread {
    struct bt_pump_schedule_thread schedule;
    struct bt_treap_node by_uuid;
    char uuid[BT_UUID_TEXT_BYTES];
    struct bt_pump_root_thread *root;
    struct bt_pump_thread *parent; /* NULL: the client */
    struct bt_pump_thread *first;  /* of those below */
    struct bt_pump_thread *next;   /* beside it */
    struct bt_pump_thread *before;
    uint32_t listener;
    uint32_t depth;           /* a listener called by a client is at 1 */
    uint64_t self_iterations; /* since the last message of somebody else */
    uint64_t request;         /* the number of the message that is being served */
    uint64_t busy;            /* messages on it and below that are queued or in flight */
    struct bt_pump_message *messages;
    bool has_replied; /* the threads below end when nothing on them is busy */
    bool is_gone;
    uint64_t request_kept; /* the stored values of these two */
    bool has_replied_kept;
    struct bt_pump_thread *next_touched;
    bool is_dirty;
};

/* The payload of a message. */
struct bt_pump_payload {
    bt_str tag;    /* name of the root element; lives as long as `bytes` */
    uint64_t size; /* in bytes, also when it is spilled */
    struct bt_buf bytes;
    bool is_spilled; /* it is only in the store, and is loaded again before the call */
};

struct bt_pump_message {
    /* Members that every commit reads are adjacent, so that it touches little memory. */
    uint64_t number;
    enum bt_pump_message_kind kind;
    enum bt_pump_message_state state;
    bool is_dirty;
    bool is_stored; /* the store has it: only its state changes */
    bool
        has_consequences; /* it is over, as others say that came of it: see BT_PUMP_MESSAGE_CAUSE */
    uint32_t attempts;    /* during which the host died */
    uint32_t sender;
    struct bt_pump_root_thread *root;
    struct bt_pump_thread *thread; /* that it is called on; NULL for a client */
    uint64_t call; /* for a listener: counted per listener; for a client: of the delivery */
    /* Of a client's: its place among those that are recorded together, from 1; else the number of
     * the message that led to it; 0: none. */
    uint64_t cause;
    uint64_t document; /* the number of the input that led here; 0: none */
    struct bt_pump_payload payload;
    struct bt_pump_message *next; /* on the same thread */
    struct bt_pump_message *before;
    struct bt_pump_schedule_slot slot;
    struct bt_treap_node by_call;   /* listener, call */
    struct bt_treap_node by_number; /* while it is not over */
    uint64_t called_ms;             /* on the monotonic clock, when somebody observes steps */
};

struct bt_pump_core_listener {
    struct bt_pump_schedule_listener lane;
    bt_str name;
    bool is_agent;
    bool diagnostics_go_to_emitter; /* instead of to its caller */
    uint64_t next_call;
    uint64_t calls; /* made, with repetitions */
    uint64_t queued;
};

struct bt_pump_core_client {
    bt_str name;
    uint64_t next_delivery;
};

struct bt_pump_core_limits {
    uint64_t depth;
    uint64_t self_iterations;
    uint64_t queue;
    uint64_t attempts;
    uint64_t tokens;  /* per root */
    uint64_t idle_ms; /* roots without activity for so long are deleted */
    uint64_t held;    /* bytes of payloads in memory; further ones are only in the store */
};

/* An event for operators and the ledger. */
struct bt_pump_core_event {
    enum bt_code code;
    uint32_t listener;  /* the emitter, or BT_FROM_CORE */
    uint64_t document;  /* 0: none */
    bt_str root;        /* name of the fragment, or "": the whole result */
    bt_str params;      /* a JSON object, or "" */
    uint64_t message;   /* number of the message that was being served; 0: none */
    const char *thread; /* UUID that it was served on; NULL: none */
    bool is_attack;     /* a security event, whatever its rule says */
};

/* What the core needs from the code that drives it. */
struct bt_pump_core_driver {
    void *context;
    /* Store an event in the same transaction. */
    enum bt_status (*add_event)(void *context, const struct bt_pump_core_event *event);
    /* Cancel a call in flight. */
    void (*cancel)(void *context, uint32_t listener, uint64_t call);
    /* Load the payload of a stored message. BT_ENOENT: it was deleted. */
    enum bt_status (*recall)(void *context, uint64_t number, struct bt_arena *arena, bt_str *out);
};

/* Pools of the objects that come and go. */
struct bt_pump_core_pools {
    struct bt_object_pool roots;
    struct bt_object_pool threads;
    struct bt_object_pool messages;
};

/* Objects by what they are looked up by. */
struct bt_pump_core_index {
    struct bt_treap roots_by_name;
    struct bt_treap threads_by_uuid;
    struct bt_treap messages_by_call;
    struct bt_treap messages_by_number;
};

/* The numbers that are given next. */
struct bt_pump_core_next {
    uint64_t root;
    uint64_t number; /* of messages */
    uint64_t result; /* of what was queued together */
    uint64_t index;  /* within that */
};

/* What there is, and what there was. */
struct bt_pump_core_counts {
    uint64_t deliveries; /* made so far, and one for what an earlier run may have left */
    uint64_t done;       /* messages for listeners that were handled, ever */
    uint64_t dead;       /* and those that were given up */
    uint64_t threads;
    uint64_t unhandled;     /* messages for listeners that are queued or in flight */
    uint64_t payload_bytes; /* bytes of their payloads that are in memory */
};

/* What changed since the last commit. */
struct bt_pump_core_dirty {
    struct bt_pump_root_thread *roots;
    struct bt_pump_thread *threads;
    struct bt_pump_message **messages; /* in the order in which they changed */
    uint64_t capacity;                 /* of `messages`: room for all that there are */
    uint64_t count;                    /* of `messages` */
    uint64_t unstored;                 /* new messages for listeners among them */
    uint64_t undelivered;              /* messages for clients among them */
};

struct bt_pump_core {
    struct bt_env *env;
    struct bt_pump_core_limits limits;
    struct bt_pump_core_driver driver;
    struct bt_pump_core_listener *listeners;
    uint32_t listeners_count;
    uint32_t listeners_max; /* capacity; 0: no listener is added later */
    struct bt_pump_core_client *clients;
    uint32_t clients_count;
    uint32_t clients_max; /* capacity; 0: no client is added later */
    struct bt_pump_schedule schedule;
    uint64_t now_ms; /* set by the driver before each call */

    struct bt_arena arena; /* of roots, threads and messages */
    struct bt_arena work;  /* of one step */
    struct bt_pump_core_pools pools;
    struct bt_pump_core_index index;
    struct bt_pump_root_thread *oldest; /* by the time of their last activity */
    struct bt_pump_root_thread *newest;
    struct bt_pump_core_next next;
    struct bt_pump_core_counts counts;
    struct bt_pump_core_dirty dirty;
};

/* ---- Lifecycle ------------------------------------------------------------------------------- */

/* Initialise the core. Listeners, clients, limits, env and driver have been set. */
void bt_pump_core_begin(struct bt_pump_core *core, size_t bytes_max);
void bt_pump_core_end(struct bt_pump_core *core);

#define BT_NOBODY UINT32_MAX

/* The number of a listener or client; BT_NOBODY: there is none of this name. */
uint32_t bt_pump_core_find_listener(const struct bt_pump_core *core, bt_str name);
uint32_t bt_pump_core_find_client(const struct bt_pump_core *core, bt_str name);

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* An accepted message of a client. */
struct bt_pump_core_ingress {
    uint32_t client;
    const char *uuid; /* the client's thread */
    const uint32_t *targets;
    size_t targets_count;
    bt_str tag;
    bt_str payload; /* canonical */
    uint64_t document;
    uint64_t item; /* its place among those that are recorded together, from 1; 0: none */
};

/* True when the queue has room for another message. */
bool bt_pump_core_can_accept(const struct bt_pump_core *core);
/* True when the tokens of the client's thread are spent. */
bool bt_pump_core_budget_is_spent(const struct bt_pump_core *core, uint32_t client,
                                  const char *uuid);
BT_MUST_USE enum bt_status bt_pump_core_accept(struct bt_pump_core *core,
                                               const struct bt_pump_core_ingress *order);

/* A message of the core itself to a client, on its thread. */
struct bt_pump_core_notice {
    uint32_t client;
    const char *uuid;
    bt_str tag;
    bt_str payload;
    uint64_t document;
};
BT_MUST_USE enum bt_status bt_pump_core_send_notice(struct bt_pump_core *core,
                                                    const struct bt_pump_core_notice *words);
/* The text of a diagnostic about a finding or event with this code. */
const char *bt_pump_core_diagnostic_text(enum bt_code code);
/* Put a diagnostic with this text; `attempt` is what its receiver wrote. */
void bt_pump_core_put_diagnostic(struct bt_buf *buf, const char *words, bt_str attempt);
/* Send a client a diagnostic about its rejected message, on its thread. */
BT_MUST_USE enum bt_status bt_pump_core_reject_ingress(struct bt_pump_core *core, uint32_t client,
                                                       const char *uuid, enum bt_code code,
                                                       bt_str attempt);

/*
 * The next message to be called; *out is NULL when there is none. Its call is made from here on:
 * counted, charged, in flight. A message whose root cannot pay for it is not called; that root is
 * cut, and its client told.
 */
BT_MUST_USE enum bt_status bt_pump_core_next(struct bt_pump_core *core,
                                             struct bt_pump_message **out);

/* The message for a listener with this number, or NULL when it is over or unknown. */
struct bt_pump_message *bt_pump_core_find_message(const struct bt_pump_core *core, uint64_t number);
/* The thread with this UUID, or NULL when it ended or is unknown. */
struct bt_pump_thread *bt_pump_core_find_thread(const struct bt_pump_core *core, bt_str uuid);
/* The message that a listener's call is about; NULL: the call is over, or was cancelled. */
struct bt_pump_message *bt_pump_core_find_call(const struct bt_pump_core *core, uint32_t listener,
                                               uint64_t call);

/* Handle the result of a call: `raw` as it came, and its fragments. */
BT_MUST_USE enum bt_status bt_pump_core_handle_result(struct bt_pump_core *core,
                                                      struct bt_pump_message *message, bt_str raw,
                                                      const struct bt_pump_fragments *fragments);
/* Handle a failed call; `code` is that of the event. */
BT_MUST_USE enum bt_status bt_pump_core_handle_failure(struct bt_pump_core *core,
                                                       struct bt_pump_message *message,
                                                       enum bt_code code, bt_str params);
/* Handle a result or a failure on a thread whose call is already over: another pump may answer
 * more than once. */
BT_MUST_USE enum bt_status
bt_pump_core_handle_late_result(struct bt_pump_core *core, struct bt_pump_thread *thread,
                                bt_str raw, const struct bt_pump_fragments *fragments);
BT_MUST_USE enum bt_status bt_pump_core_handle_late_failure(struct bt_pump_core *core,
                                                            struct bt_pump_thread *thread,
                                                            enum bt_code code);
/* Handle a call that was not answered in time. */
BT_MUST_USE enum bt_status bt_pump_core_handle_timeout(struct bt_pump_core *core,
                                                       struct bt_pump_message *message,
                                                       bt_str params);
/* The host died during the call: it is made again, or given up. `detail` says how it died, in plain
 * ASCII without quotes. */
BT_MUST_USE enum bt_status bt_pump_core_handle_crash(struct bt_pump_core *core,
                                                     struct bt_pump_message *message,
                                                     bt_str detail);

/* Before the end: mark every root whose stored tokens are not exact. */
void bt_pump_core_flush_charges(struct bt_pump_core *core);

/* True when a listener has queued messages, calls in flight or open requests. */
bool bt_pump_core_is_busy(const struct bt_pump_core *core, uint32_t listener);
/* Remove a listener: its threads are cut, and callers that wait for it are notified.
 * *out_dropped counts the messages that were not processed. */
BT_MUST_USE enum bt_status bt_pump_core_remove(struct bt_pump_core *core, uint32_t listener,
                                               uint64_t *out_dropped);

/* Delete roots without activity for too long. */
BT_MUST_USE enum bt_status bt_pump_core_expire_roots(struct bt_pump_core *core);

/* The number of the oldest message for a listener that is not over; when all are, the next that
 * will be given. */
uint64_t bt_pump_core_oldest(const struct bt_pump_core *core);

/* ---- After a commit, and loading ------------------------------------------------------------- */

/* Everything dirty is stored: free what is over. */
void bt_pump_core_forget_finished(struct bt_pump_core *core);

/* A row of the store, when the pump starts again. Roots come before their threads, and threads
 * before those below them and before their messages. BT_ECORRUPT: it names something that is not
 * there. */
struct bt_pump_core_row {
    bt_str id;       /* of a root or thread */
    bt_str uuid;     /* root: the client's */
    bt_str parent;   /* thread: that of the thread above, or of the root */
    uint32_t client; /* root and thread */
    uint32_t owner;  /* thread and message: listener */
    uint64_t number;
    uint64_t tokens;
    bool is_spent;
    bool has_replied;
    enum bt_pump_message_kind kind;
    uint32_t sender;
    uint64_t call;
    uint64_t document;
    bt_str tag;
    bt_str payload;
};

BT_MUST_USE enum bt_status bt_pump_core_load_root(struct bt_pump_core *core,
                                                  const struct bt_pump_core_row *row);
BT_MUST_USE enum bt_status bt_pump_core_load_thread(struct bt_pump_core *core,
                                                    const struct bt_pump_core_row *row);
/* `id` names the thread. The message waits again, with the call that it had. */
BT_MUST_USE enum bt_status bt_pump_core_load_message(struct bt_pump_core *core,
                                                     const struct bt_pump_core_row *row);

#endif
