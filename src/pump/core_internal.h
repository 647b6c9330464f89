/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_internal.h - functions that the files of the core share.
 */
#ifndef BATON_SRC_PUMP_CORE_INTERNAL_H
#define BATON_SRC_PUMP_CORE_INTERNAL_H

#include "pump/core.h"

/* ---- Threads --------------------------------------------------------------------------------- */

/* The root of a client's UUID, or NULL. */
struct bt_pump_root_thread *bt_pump_core_find_root(const struct bt_pump_core *core, uint32_t client,
                                                   const char *uuid);
/* The root of a client's UUID, created when it is missing. */
BT_MUST_USE enum bt_status bt_pump_core_make_root(struct bt_pump_core *core, uint32_t client,
                                                  const char *uuid,
                                                  struct bt_pump_root_thread **out);
/* The thread of an edge, created when it is missing. `parent` NULL: from the client. */
BT_MUST_USE enum bt_status bt_pump_core_make_thread(struct bt_pump_core *core,
                                                    struct bt_pump_root_thread *root,
                                                    struct bt_pump_thread *parent,
                                                    uint32_t listener, struct bt_pump_thread **out);

/* Note the time of the last activity in a root. That alone does not make it dirty. */
void bt_pump_core_note_activity(struct bt_pump_core *core, struct bt_pump_root_thread *root);
void bt_pump_core_mark_root_dirty(struct bt_pump_core *core, struct bt_pump_root_thread *root);
/* A thread that may have to be written: what is served on it matters as long as something on it or
 * below waits; when all is quiet, the next request takes its place. */
void bt_pump_core_consider_thread(struct bt_pump_core *core, struct bt_pump_thread *thread);

/*
 * End threads and everything on them: those below `thread`, and with `itself` that one as well;
 * `thread` NULL: all of the root. `skipped` fragments count as well. One event tells how much that
 * ended, if anything did.
 */
struct bt_pump_cut {
    struct bt_pump_root_thread *root;
    struct bt_pump_thread *thread;
    bool itself;
    uint64_t skipped;
    uint32_t listener; /* who caused it */
    uint64_t document;
};
BT_MUST_USE enum bt_status bt_pump_core_cut(struct bt_pump_core *core,
                                            const struct bt_pump_cut *cut);
/* End a root that has no threads. */
void bt_pump_core_end_root(struct bt_pump_core *core, struct bt_pump_root_thread *root);
/* From `thread` upwards: a listener that has replied, and below which all is quiet, ends what is
 * below it. */
void bt_pump_core_prune(struct bt_pump_core *core, struct bt_pump_thread *thread);

/* ---- Messages -------------------------------------------------------------------------------- */

struct bt_pump_new_message {
    enum bt_pump_message_kind kind;
    uint32_t sender;
    struct bt_pump_root_thread *root;
    struct bt_pump_thread *thread; /* NULL: for the client of the root */
    bt_str tag;
    bt_str payload;
    uint64_t document;
    uint64_t cause; /* see struct bt_pump_message */
};

/* Forget the payload of a message, if it is kept and either in flight or more than can be held. */
void bt_pump_core_drop_payload(struct bt_pump_core *core, struct bt_pump_message *message);
/* Free a message. */
void bt_pump_core_forget(struct bt_pump_core *core, struct bt_pump_message *message);
/* Make a message and queue it. */
BT_MUST_USE enum bt_status bt_pump_core_queue(struct bt_pump_core *core,
                                              const struct bt_pump_new_message *draft);
/* True when it is a request of the caller, and not a consequence of one. */
bool bt_pump_core_is_request(const struct bt_pump_message *message);
/* End a message for a listener: it leaves its thread and its call. */
void bt_pump_core_finish(struct bt_pump_core *core, struct bt_pump_message *message,
                         enum bt_pump_message_state state);

/* ---- Diagnostics ----------------------------------------------------------------------------- */

/* Queue a diagnostic for the receiver `to`: a thread, or the client of a root. `attempt` is what
 * the receiver wrote. */
BT_MUST_USE enum bt_status bt_pump_core_queue_diagnostic(struct bt_pump_core *core,
                                                         const struct bt_pump_new_message *to,
                                                         enum bt_code code, bt_str attempt);
/* Send a diagnostic to the caller of `thread`, about message `request`, which it serves; `cause`
 * is the message that failed. */
BT_MUST_USE enum bt_status bt_pump_core_send_diagnostic_to_caller(struct bt_pump_core *core,
                                                                  struct bt_pump_thread *thread,
                                                                  uint64_t request, uint64_t cause,
                                                                  enum bt_code code,
                                                                  uint64_t document);
/* Send a diagnostic to the client of a root, about its request that led to `message`. */
BT_MUST_USE enum bt_status
bt_pump_core_send_diagnostic_to_client(struct bt_pump_core *core,
                                       const struct bt_pump_message *message, enum bt_code code);

/* Pass an event to the driver. */
BT_MUST_USE enum bt_status bt_pump_core_add_event(struct bt_pump_core *core,
                                                  const struct bt_pump_core_event *event);

#endif
