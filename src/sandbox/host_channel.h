/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_channel.h - one conversation with a host: which frame is permitted when, which calls are in
 * flight, and by when something must have happened.
 *
 * It knows neither processes nor descriptors nor the clock: bytes and the time are passed in,
 * events and bytes come out. So every rule of the conversation can be tested, and simulated,
 * without a host.
 *
 *     host's bytes -> bt_host_channel_input_buffer() -> bt_host_channel_next() -> events
 *     calls        -> bt_host_channel_call() -> bt_host_channel_pending() -> bytes for the host
 */
#ifndef BATON_SRC_SANDBOX_HOST_CHANNEL_H
#define BATON_SRC_SANDBOX_HOST_CHANNEL_H

#include "base/arena.h"
#include "base/buf.h"
#include "sandbox/hello.h"
#include "sandbox/host_frame.h"

enum {
    BT_HELLO_MS_MAX = 10000, /* from the start to HELLO */
    BT_LEAVE_MS_MAX = 10000, /* from a BYE to the last answer */
    BT_CANCEL_MS_MAX = 2000, /* from CANCEL to the answer */
    BT_IN_FLIGHT_MAX = 1000, /* calls of one host */
};

/* A time that never comes. */
#define BT_NEVER UINT64_MAX

enum bt_host_channel_state {
    BT_SESSION_CLOSED = 0, /* no frame is permitted */
    BT_SESSION_START,      /* waiting for HELLO */
    BT_SESSION_HELD,       /* HELLO was received, READY was not sent; the host must wait */
    BT_SESSION_OPEN,
    BT_SESSION_LEAVING, /* the host said BYE */
    BT_SESSION_DRAIN,   /* the pump said BYE */
    BT_SESSION__MAX,
};

enum bt_host_channel_event_kind {
    BT_HOST_CHANNEL_EVENT_KIND_NOTHING = 0,
    /* `hello` is fine: answer with bt_host_channel_send_ready() */
    BT_HOST_CHANNEL_EVENT_KIND_HELLO,
    BT_HOST_CHANNEL_EVENT_KIND_REFUSED,   /* `hello` names a problem; closed */
    BT_HOST_CHANNEL_EVENT_KIND_RESULT,    /* `call`, `body` */
    BT_HOST_CHANNEL_EVENT_KIND_FAIL,      /* `call`, `fail`, `body` is the detail */
    BT_HOST_CHANNEL_EVENT_KIND_LATE,      /* RESULT of the cancelled `call`; dropped */
    BT_HOST_CHANNEL_EVENT_KIND_CANCELLED, /* FAIL of the cancelled `call`; dropped */
    BT_HOST_CHANNEL_EVENT_KIND_TIMEOUT,   /* no answer to `call` in time: CANCEL is on its way */
    BT_HOST_CHANNEL_EVENT_KIND_STUCK,     /* no answer to a CANCEL in time: closed */
    BT_HOST_CHANNEL_EVENT_KIND_BROKE, /* the host broke the protocol, `reason` says how: closed */
    /* everything is answered, or time is up, after a BYE: closed */
    BT_HOST_CHANNEL_EVENT_KIND_DONE,
};

struct bt_host_channel_event {
    enum bt_host_channel_event_kind kind;
    uint64_t call;
    uint64_t document; /* of an answer */
    bt_str body;       /* valid until bt_host_channel_input_buffer() */
    enum bt_host_failure_kind fail;
    const struct bt_host_hello *hello; /* valid as long as the session */
    const char *reason;                /* never NULL */
};

/* A call in flight. */
struct bt_host_channel_call {
    uint64_t id;
    uint64_t due_ms;
    uint64_t document; /* see struct bt_host_channel_request */
    bool cancelled;
};

struct bt_host_channel {
    enum bt_host_channel_state state;
    uint64_t due_ms; /* by when the state must have been left */
    uint32_t in_flight_max;
    uint32_t in_flight;
    uint32_t cancels;      /* of these, waiting for the answer to a CANCEL */
    uint64_t calls_due_ms; /* no call is due before this */
    uint64_t newest_call;  /* no greater id was ever in flight */
    /* Those in flight, in the order in which they were made: older ones are mostly answered first,
     * and leave in front without the others being moved. */
    struct bt_host_channel_call calls[2 * BT_IN_FLIGHT_MAX];
    uint32_t first_call; /* the place of the oldest */
    struct bt_buf in;
    size_t in_done; /* bytes of `in` that were judged */
    struct bt_buf out;
    size_t out_done;        /* bytes of `out` that are gone */
    struct bt_buf metadata; /* for metadata */
    struct bt_arena hello_arena;
    struct bt_arena scratch;
    struct bt_host_hello hello;
};

/* A conversation with a host that starts now. in_flight_max is at most BT_IN_FLIGHT_MAX. */
void bt_host_channel_init(struct bt_host_channel *session, uint32_t in_flight_max, uint64_t now_ms);
void bt_host_channel_free(struct bt_host_channel *session);

/* ---- Hearing --------------------------------------------------------------------------------- */

/* Where the next `size` bytes of the host go; the caller adds what it wrote to session->in.len.
 * NULL: there are frames to be taken first, the host is held, or memory ran out. Ends the bodies of
 * earlier events. */
BT_MUST_USE char *bt_host_channel_input_buffer(struct bt_host_channel *session, size_t size);

/* The next thing that happened, or false when there is nothing until more bytes or time come. When
 * a session closes, calls without an answer are still listed by
 * bt_host_channel_next_lost_call(). */
BT_MUST_USE bool bt_host_channel_next(struct bt_host_channel *session, uint64_t now_ms,
                                      struct bt_host_channel_event *out);
/* Take one call that was in flight, and not cancelled, when the session closed. */
BT_MUST_USE bool bt_host_channel_next_lost_call(struct bt_host_channel *session,
                                                uint64_t *out_call);
/* The host is gone, and what it said before has been taken: close the session. */
void bt_host_channel_close(struct bt_host_channel *session);
/* When bt_host_channel_next() must be asked again even if no byte comes. */
uint64_t bt_host_channel_due(const struct bt_host_channel *session);

/* ---- Saying ---------------------------------------------------------------------------------- */

/* Answer a HELLO with READY, whose JSON is given; the session is open. */
void bt_host_channel_send_ready(struct bt_host_channel *session, bt_str ready_json);

/* How many calls may be made now: none while a CANCEL is unanswered or much is unsent. */
uint32_t bt_host_channel_free_slots(const struct bt_host_channel *session);

struct bt_host_channel_request {
    uint64_t id; /* not in flight */
    bt_str thread_id;
    bt_str own_name; /* agents only; empty for others */
    bt_str payload;
    uint64_t due_ms;   /* by when the answer must be there */
    uint64_t document; /* number of the input that led to the call, told with the answer */
};

/* Make a call. BT_ELIMIT: there is no free slot; BT_EINVAL: it does not fit a frame. */
BT_MUST_USE enum bt_status bt_host_channel_call(struct bt_host_channel *session,
                                                const struct bt_host_channel_request *request);
/* Cancel a call; false when it is not in flight, or cancelled already. */
bool bt_host_channel_cancel(struct bt_host_channel *session, uint64_t call, uint64_t now_ms);
/* Say BYE: no more calls; what is in flight may be answered. Only when OPEN or HELD. */
void bt_host_channel_send_bye(struct bt_host_channel *session, uint64_t now_ms);

/* What is still to be sent; bt_host_channel_sent() says how much of it went. */
bt_str bt_host_channel_pending(const struct bt_host_channel *session);
void bt_host_channel_sent(struct bt_host_channel *session, size_t bytes);

#endif
