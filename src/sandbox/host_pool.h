/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pool.h - all hosts of a pump: started, spoken to, timed, killed and started again by one
 * thread that never blocks longer than it says.
 *
 *     bt_host_pool_open(&options, &hosts, &error);
 *     bt_host_pool_add(hosts, &context, &spec, &host_options, &id, &error); // for each listener
 *     for (;;) {
 *         bt_host_pool_wait(hosts, wait_ms, &error); // sends what is unsent, waits and reads
 *         while (bt_host_pool_next(hosts, &event)) {
 *             switch (event.kind) ...                // answer HELLO with bt_host_ready()
 *         }
 *         ... for each message that is due: if (bt_host_free_slots(hosts, id) > 0)
 *                 bt_host_call(hosts, id, &request);
 *     }
 *
 * Calls are gathered and leave together at the next wait, one write for each host. A pump that has
 * other things to wait for puts bt_host_pool_fd() into its own epoll set, with
 * bt_host_pool_due_ms() as time-out, and then waits here with 0.
 *
 * A host that dies, breaks the protocol or does not obey is killed with everything it started, each
 * of its calls is told as BT_HOST_EVENT_LOST, and it is started again after 0.1 s, doubling to 30
 * s, back to 0.1 s after 60 s of quiet. Repeating the lost calls, one at a time and before others,
 * is the pump's work, as only it knows what is durable.
 *
 * Hosts die with the thread that calls here, so it must live as long as they do; and no other code
 * in the process may wait for children that it does not know.
 */
#ifndef BATON_SRC_SANDBOX_HOST_POOL_H
#define BATON_SRC_SANDBOX_HOST_POOL_H

#include "sandbox/host_channel.h"
#include "sandbox/process.h"

struct bt_host_pool;

/* Milliseconds since some moment; the default is the system's clock that never goes back. */
typedef uint64_t bt_host_clock_fn(void *context);
/* Starts a process; the default is bt_host_process_start(). */
typedef enum bt_status bt_host_start_fn(void *context, const struct bt_host_launch *launch,
                                        struct bt_host_process *out, struct bt_error *error);

/* Replacements of the clock and of processes, for tests and simulations; all may be NULL. */
struct bt_host_pool_options {
    bt_host_clock_fn *clock;
    bt_host_start_fn *start;
    void *context;
};

/* BT_ENOMEM, BT_EIO: nothing was opened. On BT_OK *out is ended with bt_host_pool_close(). */
BT_MUST_USE enum bt_status bt_host_pool_open(const struct bt_host_pool_options *options,
                                             struct bt_host_pool **out, struct bt_error *error);
/* Kill whatever runs, wait for its end, free everything. NULL is allowed. */
void bt_host_pool_close(struct bt_host_pool *hosts);

/* ---- Hosts ----------------------------------------------------------------------------------- */

typedef uint32_t bt_host_id; /* counts from 0 and is never used again */

struct bt_host_options {
    bt_str work;            /* the host's private folder, absolute, existing */
    uint32_t in_flight_max; /* 1 to BT_IN_FLIGHT_MAX */
    bool once;              /* never start it again: for looking at handlers */
};

/*
 * Add a host and start it at the next wait. `context` must outlive it; what is needed of `spec`
 * is copied. Statuses as for bt_host_launch_make().
 */
BT_MUST_USE enum bt_status bt_host_pool_add(struct bt_host_pool *hosts,
                                            const struct bt_host_launch_context *context,
                                            const struct bt_host_spec *spec,
                                            const struct bt_host_options *options, bt_host_id *out,
                                            struct bt_error *error);
/* Kill a host at once and forget it; its calls are not told. */
void bt_host_pool_remove(struct bt_host_pool *hosts, bt_host_id id);

enum bt_host_state {
    BT_HOST_STOPPED = 0, /* not running, and not to be started again */
    BT_HOST_STARTING,    /* until READY is said */
    BT_HOST_READY,
    BT_HOST_LEAVING, /* a BYE was said */
    BT_HOST_BACKOFF, /* dead, to be started again */
};

struct bt_host_view {
    enum bt_host_state state;
    uint32_t in_flight;
    uint32_t restarts;
    pid_t pid; /* 0: none */
};

/* What a host is doing. */
struct bt_host_view bt_host_get_view(const struct bt_host_pool *hosts, bt_host_id id);

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Readable when some host has something to say. */
int bt_host_pool_fd(const struct bt_host_pool *hosts);
/* From now on bt_host_pool_wait() also ends when this descriptor is readable. Closing it ends
 * that. */
BT_MUST_USE enum bt_status bt_host_pool_watch_fd(struct bt_host_pool *hosts, int fd,
                                                 struct bt_error *error);
/* Milliseconds until bt_host_pool_wait() must be called again even if nothing is readable. */
uint64_t bt_host_pool_due_ms(const struct bt_host_pool *hosts);
/* Send, wait up to wait_ms for events (0: do not wait), and read. */
BT_MUST_USE enum bt_status bt_host_pool_wait(struct bt_host_pool *hosts, uint32_t wait_ms,
                                             struct bt_error *error);

enum bt_host_event_kind {
    BT_HOST_EVENT_NONE = 0,
    BT_HOST_EVENT_HELLO, /* `hello`: compare it with the organism, then bt_host_ready() */
    /* the host cannot serve: `hello` has problem and detail; ENDED follows */
    BT_HOST_EVENT_REFUSED,
    BT_HOST_EVENT_RESULT,    /* `call`, `body` */
    BT_HOST_EVENT_FAIL,      /* `call`, `fail`; `body` is the detail, for the operator's log only */
    BT_HOST_EVENT_TIMEOUT,   /* `call` got no answer in time and was cancelled: do not repeat it */
    BT_HOST_EVENT_LATE,      /* a RESULT of a cancelled call was dropped */
    BT_HOST_EVENT_CANCELLED, /* a cancelled call ended as it should */
    BT_HOST_EVENT_BROKE,     /* the host broke the protocol (`reason`) and was killed */
    BT_HOST_EVENT_STUCK,     /* the host did not obey a CANCEL and was killed */
    BT_HOST_EVENT_LOST,      /* `call` was in flight when the host ended */
    BT_HOST_EVENT_ENDED,     /* the host is gone; `reason`, and `restart_ms` or BT_NEVER */
    BT_HOST_EVENT_LOG,       /* `body`, `stream`: what the host printed, at most 64 KiB a second */
};

struct bt_host_event {
    enum bt_host_event_kind kind;
    bt_host_id host;
    uint64_t call;
    uint64_t document; /* of the call, with an answer */
    enum bt_host_failure_kind fail;
    bt_str body;                /* valid until the next bt_host_pool_wait() */
    enum bt_host_stream stream; /* with LOG */
    const struct bt_host_hello
        *hello;         /* valid until the host ends; never NULL with HELLO, REFUSED */
    const char *reason; /* for people; never NULL; valid until the next call here */
    bool loading;       /* it had not said HELLO yet: PUMP_HANDLER_LOAD */
    uint64_t restart_ms;
    struct bt_host_process_end end; /* with ENDED */
};

/* The next thing that happened, in the order in which each host did it; false: nothing more. */
BT_MUST_USE bool bt_host_pool_next(struct bt_host_pool *hosts, struct bt_host_event *out);

/* ---- Talking --------------------------------------------------------------------------------- */

/* Answer HELLO. `config` is a JSON object, `prompt` the text for agents (NULL pointer: none). */
BT_MUST_USE enum bt_status bt_host_ready(struct bt_host_pool *hosts, bt_host_id id, bt_str config,
                                         const bt_str *prompt);
/* How many calls may be made now; 0 unless the host is open and has answered every CANCEL. */
uint32_t bt_host_free_slots(const struct bt_host_pool *hosts, bt_host_id id);

struct bt_host_request {
    uint64_t call;
    bt_str thread_id;
    bt_str own_name; /* agents only; empty for others */
    bt_str payload;  /* canonical XML */
    uint64_t timeout_ms;
    uint64_t document; /* number of the input that led to the call; events of answers have it */
};

/* Make a call. BT_ELIMIT: no free slot. BT_EINVAL: it does not fit a frame. */
BT_MUST_USE enum bt_status bt_host_call(struct bt_host_pool *hosts, bt_host_id id,
                                        const struct bt_host_request *request);
/* Cancel a call; false when it is not in flight, or cancelled already. */
bool bt_host_cancel(struct bt_host_pool *hosts, bt_host_id id, uint64_t call);
/* Let it finish what is in flight, up to 10 s, and end for good; ENDED tells when. */
void bt_host_stop(struct bt_host_pool *hosts, bt_host_id id);
/* Kill it; with `restart` it is started again as after a crash. LOST and ENDED follow. */
void bt_host_kill(struct bt_host_pool *hosts, bt_host_id id, bool restart);

#endif
