/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - a running pump as the files of this folder see it.
 */
#ifndef BATON_SRC_PUMP_PUMP_H
#define BATON_SRC_PUMP_PUMP_H

#include <baton/pump.h>

#include "organism/organism.h"
#include "pump/keep.h"
#include "sandbox/hosts.h"

enum { BT_PUMP_ITEMS_MAX = 1024 };

/* Whoever lets others talk to a running pump; see src/door. */
struct bt_pump_door {
    void *context; /* NULL: nobody */
    /* Take what others said. */
    enum bt_status (*hear)(void *context, struct bt_error *error);
    /* What was decided is kept: say so. */
    void (*speak)(void *context);
    void (*event)(void *context, uint64_t number, const struct bt_pump_event *event);
    void (*close)(void *context);
};

struct bt_pump {
    struct bt_env *env;
    const struct bt_organism *organism;
    struct bt_pump_ears ears;
    struct bt_pump_door door;
    enum bt_pump_state state;
    uint64_t started_ms;
    uint64_t drained_ms;    /* when draining ends at the latest */
    uint64_t last_event;    /* the number of the newest event */
    bool is_hurried;        /* there is something to do: the next turn does not wait */
    struct bt_arena memory; /* holds the pump itself */
    struct bt_arena arena;  /* of one turn */
    struct bt_core core;
    struct bt_keep keep;
    struct bt_ledger *ledger;
    struct bt_hosts *hosts;
    bt_host_id *host_ids; /* by listener */
    struct bt_launch_world world;
    struct bt_python python;
    int lock_fd; /* held as long as the pump has the store; -1: not */
    struct bt_ledger_item items[BT_PUMP_ITEMS_MAX];
    bool is_whole;          /* it may write, and the store has not failed it */
    struct bt_buf envelope; /* of the delivery that is being handed over */
    uint64_t handed_over;   /* of core.deliveries: when it last was all of them, nothing waits */
    struct bt_pump_taken taken; /* of the last message that was submitted */
    char taken_thread[BT_UUID_TEXT_BYTES];
};

/* ---- Driving the core ------------------------------------------------------------------------ */

/* What the core asks of the pump. */
struct bt_core_driver bt_pump_driver(struct bt_pump *pump);
/* Make the calls that can be made; they leave with the next wait. */
BT_MUST_USE enum bt_status bt_pump_dispatch(struct bt_pump *pump);
/* Take what hosts said. */
BT_MUST_USE enum bt_status bt_pump_hear(struct bt_pump *pump);
/* Hand over what clients do not have yet. */
BT_MUST_USE enum bt_status bt_pump_deliver(struct bt_pump *pump, struct bt_error *error);

/* The row of an event. */
const struct bt_rule *bt_pump_rule(const char *code);
/* Tell whoever listens what happened. */
void bt_pump_tell(struct bt_pump *pump, const struct bt_pump_event *event);
/* Write a line of the operator's log. */
void bt_pump_log(const struct bt_pump *pump, bt_str who, bt_str text);

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* Start the host of every listener. */
BT_MUST_USE enum bt_status bt_pump_start_hosts(struct bt_pump *pump,
                                               const struct bt_pump_options *options,
                                               struct bt_error *error);
/* Write the texts that are made from the organism, where they are not as they should be. */
BT_MUST_USE enum bt_status bt_pump_write_schemas(struct bt_pump *pump, struct bt_error *error);
/* Make a folder and those above it, as far as they are missing. */
BT_MUST_USE enum bt_status bt_pump_make_folders(const char *path, mode_t mode,
                                                struct bt_error *error);
/* Answer a host that has said what it is. */
BT_MUST_USE enum bt_status bt_pump_ready(struct bt_pump *pump, uint32_t listener);

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
