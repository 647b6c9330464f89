/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_internal.h - a running pump as the files of this folder see it.
 */
#ifndef BATON_SRC_PUMP_PUMP_INTERNAL_H
#define BATON_SRC_PUMP_PUMP_INTERNAL_H

#include "base/vec.h"
#include "ledger/admin.h"
#include "organism/organism.h"
#include "pump/pump.h"
#include "pump/pump_store.h"
#include "sandbox/host_pool.h"
#include "sandbox/plain.h"

enum { BT_PUMP_ITEMS_MAX = 4096 };

/* A component through which others talk to a running pump; see src/pump_net. */
struct bt_pump_endpoint {
    void *context; /* NULL: there is none */
    /* Receive from the sockets. */
    enum bt_status (*receive)(void *context, struct bt_error *error);
    /* Send answers after a commit. */
    void (*send)(void *context);
    void (*event)(void *context, uint64_t number, const struct bt_pump_event *event);
    /* Calls through a gateway: whether one is possible, make one, cancel one. */
    bool (*is_open)(void *context, uint32_t number);
    enum bt_status (*call)(void *context, const struct bt_pump_message *message);
    void (*cancel)(void *context, uint32_t number, uint64_t call);
    void (*close)(void *context);
};

/* An organism that was in force, or is. */
struct bt_pump_generation {
    struct bt_arena arena; /* of the organism and this struct; the first belongs to its owner */
    const struct bt_organism *organism;
    struct bt_pump_generation *older;
    struct bt_pump_generation *base; /* an older one that this one points into, or NULL */
    bool is_needed;                  /* a mark while unused ones are searched for */
};

struct bt_pump_change;

/* A host and what it was started for. */
enum bt_pump_host_state {
    BT_PUMP_HOST_FORGOTTEN = 0,
    BT_PUMP_HOST_SERVES,
    BT_PUMP_HOST_LEAVES, /* answers its pending calls and gets no new ones */
    BT_PUMP_HOST_OVER,   /* to be removed */
};

/* The line that a host is printing, cut at the length that is shown. */
struct bt_pump_output_line {
    char bytes[BT_PLAIN_BYTES_MAX];
    size_t len;
};

struct bt_pump_host {
    enum bt_pump_host_state state;
    uint32_t number; /* of the listener */
    const struct bt_organism_listener *listener;
    struct bt_pump_generation *under; /* the organism that its results are judged by */
    struct bt_pump_output_line lines[BT_HOST_STREAM__COUNT];
};

/* What the number of a listener stands for; a name keeps its number as long as the pump runs. */
struct bt_pump_slot {
    const struct bt_organism_listener *listener; /* also of a removed one, while it has work left */
    const struct bt_organism_gateway *gateway;   /* instead of a listener, or NULL */
    struct bt_pump_generation *generation;
    bool is_gone; /* it was removed from the organism and cannot be called */
    bool has_host;
    bt_host_id host;
    struct bt_buf hello; /* the HELLO of its host; "": not yet received */
};

/* How hosts are started. */
struct bt_pump_launch {
    struct bt_host_launch_options options;
    struct bt_host_launch_context context;
    struct bt_host_python python;
    bt_str folder; /* that holds the private folders of the hosts */
    uint8_t folder_key[BT_SHA256_BYTES];
};

/* The entries about a run, on a log of version 2. */
struct bt_pump_heartbeat {
    char name[BT_LEDGER_RUN_BYTES]; /* of the run; "": it records none */
    uint64_t interval_s;            /* 0: off */
    uint64_t due_ms;                /* of the next one */
};

/* Where a pump stands between start and end. */
struct bt_pump_run {
    enum bt_pump_state state;
    uint64_t started_ms;
    uint64_t drained_ms; /* when draining ends at the latest */
    bool has_work;       /* the next turn does not wait */
    struct bt_pump_heartbeat heartbeat;
};

/* Hosts and the listeners that they serve. */
struct bt_pump_hosting {
    struct bt_host_pool *pool;
    BT_VEC(struct bt_pump_host) by_id; /* by number of the host */
    struct bt_pump_slot *slots;        /* by number of the listener */
    size_t leaving;                    /* hosts that leave, or are to be forgotten */
    size_t gone;                       /* listeners that are gone, and still have something to do */
};

/* The store of a pump, and what is written to it. */
struct bt_pump_storage {
    struct bt_pump_store rows; /* the state of the core */
    struct bt_ledger *ledger;
    int lock_fd; /* held as long as the pump has the store; -1: not */
    struct bt_submission items[BT_PUMP_ITEMS_MAX];
    bool can_write; /* it may write, and the store has not failed it */
};

/* Deliveries that are handed over to clients. */
struct bt_pump_handover {
    struct bt_buf envelope; /* of the delivery that is being handed over */
    uint64_t count;         /* deliveries there were when all of them had been handed over */
};

/* The last message that was submitted. */
struct bt_pump_submitted {
    struct bt_pump_ingress_result result;
    char thread[BT_UUID_TEXT_BYTES];
};

/* Changes of the organism. */
struct bt_pump_changes {
    struct bt_pump_change *current; /* NULL: none is being made */
    uint64_t begun;                 /* so far */
};

struct bt_pump {
    struct bt_env *env;
    const struct bt_organism *organism; /* in force */
    struct bt_pump_generation first;
    struct bt_pump_generation *generation; /* the one in force, the first of a list */
    struct bt_pump_launch launch;
    struct bt_pump_observer observer;
    struct bt_pump_endpoint endpoint;
    struct bt_pump_run run;
    uint64_t last_event;    /* the number of the newest event */
    struct bt_arena memory; /* holds the pump itself */
    struct bt_arena arena;  /* of one turn */
    struct bt_pump_core core;
    struct bt_pump_storage storage;
    struct bt_pump_hosting hosting;
    struct bt_pump_changes changes;
    struct bt_pump_handover handover;
    struct bt_pump_submitted submitted;
};

/* ---- Heartbeats ------------------------------------------------------------------------------ */

/* Record that the pump starts, and name the run. On a log of version 1 nothing is recorded. */
BT_MUST_USE enum bt_status bt_pump_start_heartbeat(struct bt_pump *pump, uint64_t interval_s,
                                                   struct bt_error *error);
/* While nothing waits for a commit: record that it runs, when the log was quiet long enough. */
BT_MUST_USE enum bt_status bt_pump_beat_when_due(struct bt_pump *pump, struct bt_error *error);
/* Record that it stops. */
void bt_pump_stop_heartbeat(struct bt_pump *pump);

/* ---- The core -------------------------------------------------------------------------------- */

/* Make the core for the organism; ended with bt_pump_core_end(). */
BT_MUST_USE enum bt_status bt_pump_make_core(struct bt_pump *pump);
/* The functions that the core calls. */
struct bt_pump_core_driver bt_pump_driver(struct bt_pump *pump);
/* Wait for events of hosts and sockets, and handle them. */
BT_MUST_USE enum bt_status bt_pump_wait_events(struct bt_pump *pump, uint32_t wait_ms,
                                               struct bt_error *error);

/* Report an event to the observer. */
void bt_pump_notify_event(struct bt_pump *pump, const struct bt_pump_event *event);
/* Report a step of a message, if somebody observes them. */
void bt_pump_notify_step(const struct bt_pump *pump, const struct bt_pump_step *step);
/* Write a line of the operator's log. */
void bt_pump_log(const struct bt_pump *pump, bt_str who, bt_str text);

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* What the hosts of an organism share. The caller closes out->root_fd unless it is -1. */
BT_MUST_USE enum bt_status bt_pump_open_context(struct bt_arena *arena,
                                                const struct bt_organism *organism,
                                                const struct bt_host_launch_options *hosts,
                                                struct bt_host_launch_context *out,
                                                struct bt_error *error);
/* Answer the HELLO of a listener's host with READY. `arena` is working memory. */
BT_MUST_USE enum bt_status bt_pump_send_ready(struct bt_host_pool *pool, bt_host_id host,
                                              struct bt_arena *arena,
                                              const struct bt_organism *organism,
                                              const struct bt_organism_listener *listener);

/* Start the host of every listener. */
BT_MUST_USE enum bt_status bt_pump_start_hosts(struct bt_pump *pump, struct bt_error *error);
/* Start a host for a listener. */
BT_MUST_USE enum bt_status bt_pump_start_host(struct bt_pump *pump,
                                              const struct bt_organism_listener *listener,
                                              struct bt_pump_generation *under, bt_host_id *out,
                                              struct bt_error *error);
/* Answer the HELLO of a host with READY. */
BT_MUST_USE enum bt_status bt_pump_ready(struct bt_pump *pump, bt_host_id host);
/* Stop a host after it has answered its pending calls. */
void bt_pump_retire_host(struct bt_pump *pump, bt_host_id host);
void bt_pump_host_ended(struct bt_pump *pump, bt_host_id host);
/* Free hosts that ended and organisms that are no longer used. */
void bt_pump_free_retired(struct bt_pump *pump);
/* Cancel a call. False: no host has it. */
bool bt_pump_cancel(struct bt_pump *pump, uint32_t number, uint64_t call);
void bt_pump_stop_hosts(struct bt_pump *pump);

/* ---- Listeners ------------------------------------------------------------------------------- */

/* The number of a name; a new name gets a new number. BT_ELIMIT: there are too many. */
BT_MUST_USE enum bt_status bt_pump_new_number(struct bt_pump *pump, bt_str name, uint32_t *out);
/* Assign the listener to its number. */
void bt_pump_set_listener(struct bt_pump *pump, const struct bt_organism_listener *listener,
                          struct bt_pump_generation *under);
/* Assign the gateway to its number. */
void bt_pump_set_gateway(struct bt_pump *pump, const struct bt_organism_gateway *gateway,
                         struct bt_pump_generation *under);
/* Apply the clients and limits of the organism in force. */
BT_MUST_USE enum bt_status bt_pump_set_organism(struct bt_pump *pump);
/* Release removed listeners that have no work left. */
BT_MUST_USE enum bt_status bt_pump_check_timers(struct bt_pump *pump);
/* Remove a listener now; *out_dropped counts the messages that were dropped. */
BT_MUST_USE enum bt_status bt_pump_drop_listener(struct bt_pump *pump, uint32_t number,
                                                 uint64_t *out_dropped);
void bt_pump_forget_slots(struct bt_pump *pump);
/* Abort the current change, if there is one. */
void bt_pump_abort_change(struct bt_pump *pump);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Write the texts that are generated from the organism, where the files differ. */
BT_MUST_USE enum bt_status bt_pump_write_schemas(struct bt_pump *pump, struct bt_error *error);
/* Prepare the folder of the work directories, below the store. */
BT_MUST_USE enum bt_status bt_pump_open_work(struct bt_pump *pump, bt_str folder,
                                             struct bt_error *error);
/* The work directory of a listener's host, made where it is missing; valid until the turn ends. */
BT_MUST_USE enum bt_status bt_pump_work_of(struct bt_pump *pump, bt_str listener, bt_str *out,
                                           struct bt_error *error);
/* Make a folder with this mode and its missing parents. */
BT_MUST_USE enum bt_status bt_pump_make_folders(const char *path, mode_t mode,
                                                struct bt_error *error);
/* ---- Messages -------------------------------------------------------------------------------- */

struct bt_pump_envelope {
    bt_str from;
    bt_str to;
    bt_str thread;
    bt_str payload; /* canonical, as a document of its own */
};

/* Put an element that holds text. */
void bt_pump_put_leaf(struct bt_buf *buf, const char *name, bt_str text);
/* Put a message of the pump's own, canonical. */
void bt_pump_put_message(struct bt_buf *buf, const struct bt_pump_envelope *envelope);

#endif
