/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - a running pump: messages of clients go to listeners, each in a process of its own, and
 * what they answer goes where the organism lets it go.
 *
 *     bt_pump_open(&env, organism, &options, &pump, &error);
 *     bt_pump_submit(pump, &arena, &input, &judged, &error);     // as often as there is input
 *     while (bt_pump_pending_count(pump) > 0) {
 *         bt_pump_run_once(pump, 100, &error);
 *     }
 *     bt_pump_close(pump);
 *
 * A message is accepted when it is durable; bt_pump_run_once() makes it so. What happens after that
 * is told through the ears that were given. One thread drives a pump.
 */
#ifndef BATON_PUMP_H
#define BATON_PUMP_H

#include <baton/organism.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_pump;

/* Something that happened after a message was accepted. */
struct bt_pump_event {
    const struct bt_rule *rule;
    bool security;
    bt_str pointer;    /* /ROOT of the fragment, "": the whole result */
    bt_str listener;   /* the emitter; "": none */
    uint64_t document; /* number of the input that led there; 0: none */
    bt_str params;     /* a JSON object, or "" */
};

/* Put the members of an event; the object around them is the caller's. */
struct bt_emit;
BT_API void bt_pump_event_emit(struct bt_emit *emit, const struct bt_pump_event *event);

/* Something for a client. */
struct bt_pump_delivery {
    uint64_t id; /* counted per client */
    bt_str client;
    bt_str from; /* the listener, or core */
    bt_str thread;
    bt_str root;
    bt_str payload;
    bt_str message; /* all of it, canonical */
};

/* A line that a handler printed: at most 1,000 bytes of UTF-8 without control characters but tabs.
 * For operators only. */
struct bt_pump_output {
    bt_str listener;
    bool is_error; /* it came from standard error */
    bt_str text;
};

/* Who hears what happens; each may be NULL. What is pointed at lives until the call returns. */
struct bt_pump_observer {
    void *context;
    void (*event)(void *context, const struct bt_pump_event *event);
    /* True: the client has it. Without this, deliveries wait in the store. */
    bool (*delivery)(void *context, const struct bt_pump_delivery *delivery);
    /* Every call and reply between listeners, as a canonical message; for operators only. */
    void (*trace)(void *context, bt_str message);
    /* Why a call failed, and what became of a host; for operators only. */
    void (*log)(void *context, bt_str listener, bt_str text);
    void (*output)(void *context, const struct bt_pump_output *output);
};

struct bt_pump_options {
    const char *store; /* URL; NULL: where the organism says */
    const struct bt_host_launch_options *hosts;
    bool without_hosts; /* start no hosts and write no schemas: only take messages into the store */
    bool read_only; /* with that: make nothing, also no store; without one only the file is known */
    bool without_seccomp;
    bool without_landlock;
    struct bt_pump_observer ears;
};

/*
 * Open the store, which is made when it is missing, take up what earlier runs left, and start the
 * hosts. `env`, `organism` and what the options point at must outlive the pump.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_open(struct bt_env *env,
                                               const struct bt_organism *organism,
                                               const struct bt_pump_options *options,
                                               struct bt_pump **out, struct bt_error *error);
/* Stop the hosts and close the store; what is not done stays there. NULL is allowed. */
BT_API void bt_pump_close(struct bt_pump *pump);

struct bt_pump_input {
    bt_str path; /* as people know it */
    bt_str text;
    bt_str client;          /* who is known to send; "": whoever the message names */
    uint64_t document;      /* its number, from 1; events name it */
    bool sender_is_waiting; /* the sender hears of a refusal at once: no huh is delivered */
    bool wants_facts;       /* what was measured about it is wanted, in judged.facts */
};

/* What was told to the sender of a message. */
struct bt_pump_ingress_result {
    bt_str thread;     /* as replies carry it */
    bool is_repeated;  /* it was accepted before, and is not processed again */
    const char *error; /* refused: the words of the huh; NULL: the sender learns nothing */
};

/* Whether another message may be submitted now. */
BT_API bool bt_pump_can_accept(const struct bt_pump *pump);
/*
 * Judge a message and take it, or refuse it. It is durable, and may be called accepted, after the
 * next bt_pump_run_once(); until then *out must stay in place, and what it points at in `arena`.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_submit(struct bt_pump *pump, struct bt_arena *arena,
                                                 const struct bt_pump_input *input,
                                                 struct bt_judgement *out, struct bt_error *error);
/* What its sender is told about the last message that was submitted; lives until the next. */
BT_API struct bt_pump_ingress_result bt_pump_last_ingress(const struct bt_pump *pump);
/* Keep what was decided, and nothing else. */
BT_API BT_MUST_USE enum bt_status bt_pump_commit(struct bt_pump *pump, struct bt_error *error);

/*
 * Keep what was decided, make the calls that can be made, hand over deliveries, and wait up to
 * wait_ms for hosts. A failure of the store ends the pump: nothing may be acknowledged after it.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_run_once(struct bt_pump *pump, uint32_t wait_ms,
                                                   struct bt_error *error);

/* The name of its organism. */
BT_API bt_str bt_pump_organism_name(const struct bt_pump *pump);
/* Messages that are queued or in flight. */
BT_API uint64_t bt_pump_pending_count(const struct bt_pump *pump);

struct bt_pump_listener_stats {
    bt_str name;
    uint64_t calls; /* made, repetitions included */
};
/* What was called how often, one listener after the other; false when there are no more. */
BT_API bool bt_pump_listener_stats_at(const struct bt_pump *pump, size_t index,
                                      struct bt_pump_listener_stats *out);

/* The answer to a question about a pump. */
struct bt_control_result {
    bt_str result;  /* JSON; "null" when refused */
    int error;      /* a code of JSON-RPC, one of those below, or 0: there is a result */
    bt_str message; /* of the error */
    bt_str data;    /* of the error: a JSON object, or "" */
};

/* Put `"result":...` or `"error":{...}` into the object that `emit` stands in. */
BT_API void bt_control_result_emit(struct bt_emit *emit, const struct bt_control_result *answer);

enum {
    BT_CONTROL_ERROR_PARSE = -32700,
    BT_CONTROL_ERROR_INVALID_REQUEST = -32600,
    BT_CONTROL_ERROR_METHOD_NOT_FOUND = -32601,
    BT_CONTROL_ERROR_INVALID_PARAMS =
        -32602, /* `data` has `findings` when a listener or message was refused */
    BT_CONTROL_ERROR_INTERNAL = -32603,
    BT_CONTROL_ERROR_NOT_FOUND = -32001,
    BT_CONTROL_ERROR_CONFLICT = -32002,
    BT_CONTROL_ERROR_BUSY = -32004,
};

/*
 * Answer `status`, `list`, `graph` or `thread-history`; `params` is a JSON object, or "". What is
 * in *out lives in the arena. BT_ENOENT: it takes a store to answer this, and there is none.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_query(struct bt_pump *pump, struct bt_arena *arena,
                                                bt_str method, bt_str params,
                                                struct bt_control_result *out);

/*
 * Whether a handler that can open network connections may run on this machine (in this network
 * namespace): it could pose as a local caller of a server here. True as well when that cannot be
 * found out. The answer "false" holds for 100 ms.
 */
BT_API bool bt_pump_handlers_have_net(void);

/* ---- A running pump and others --------------------------------------------------------------- */

/*
 * The control socket of an organism, as a path from the working directory; "": it has none. Made
 * from the file alone, so that another process finds it.
 */
BT_API BT_MUST_USE enum bt_status bt_pump_control_path(const struct bt_organism *organism,
                                                       struct bt_arena *arena, bt_str *out);
/* Listen there and at the bus, and connect to the pumps that gateways name. From now on
 * bt_pump_run_once() answers whoever asks, and never waits for any of them. With TLS, SIGPIPE must
 * be ignored. */
BT_API BT_MUST_USE enum bt_status bt_pump_listen(struct bt_pump *pump, struct bt_error *error);

/* Only connect to the pumps that gateways name, and let nobody in: for batches. */
BT_API BT_MUST_USE enum bt_status bt_pump_connect_gateways(struct bt_pump *pump,
                                                           struct bt_error *error);

enum bt_pump_state {
    BT_PUMP_STOPPED = 0, /* it was opened without hosts, or has been told to stop at once */
    BT_PUMP_RUNNING,
    BT_PUMP_DRAINING, /* takes nothing new, and goes on until nothing is left or time is up */
};

BT_API enum bt_pump_state bt_pump_get_state(const struct bt_pump *pump);
/* Take nothing new, and finish what there is within so many milliseconds; with 0 stop at once. What
 * is not finished stays in the store. */
BT_API void bt_pump_drain(struct bt_pump *pump, uint64_t within_ms);

/*
 * Do what a line of the control channel asks, as if it had come from there, and wait until it is
 * done; nothing is called meanwhile. *out is the answer without its line feed, in the arena, or ""
 * when none is wanted. What the line decided is durable after the next bt_pump_run_once().
 */
BT_API BT_MUST_USE enum bt_status bt_pump_run_control_line(struct bt_pump *pump,
                                                           struct bt_arena *arena, bt_str line,
                                                           bt_str *out, struct bt_error *error);

/*
 * A connection to the control channel of a running pump, for other processes. One thread uses it at
 * a time; it asks one thing after the other. Nothing here waits longer than it was told.
 *
 *     bt_control_client_open("pump/oob.sock", 1000, &control, &error);
 *     bt_control_client_call(control, &arena, &(struct bt_control_request){
 *         .method = BT_STR("status"), .params = BT_STR(""), .wait_ms = 2000}, &answer, &error);
 *     bt_control_client_close(control);
 */
struct bt_control_client;

/*
 * Connect within wait_ms. BT_ENOENT: no pump listens there; BT_EDENIED: this user may not connect;
 * BT_ELIMIT: the time is up; BT_EIO: anything else. A pump that does not let this user ask closes
 * the connection, which the first call tells.
 */
BT_API BT_MUST_USE enum bt_status bt_control_client_open(const char *path, uint32_t wait_ms,
                                                         struct bt_control_client **out,
                                                         struct bt_error *error);
/* NULL is allowed. What was asked and not answered may still happen. */
BT_API void bt_control_client_close(struct bt_control_client *control);

struct bt_control_request {
    bt_str method;
    bt_str params; /* a JSON object in one line, or "" */
    uint32_t wait_ms;
};

/*
 * Ask, and wait for the answer, which lives in the arena. That the pump refused is an answer
 * (out->error), not a failure. BT_ELIMIT: no answer in time; BT_EDENIED: the pump hung up without a
 * word, as it does to users who may not ask; BT_EIO: the connection broke. After a failure only
 * bt_control_client_close() is of use, and whether a request had effect is not known.
 */
BT_API BT_MUST_USE enum bt_status bt_control_client_call(struct bt_control_client *control,
                                                         struct bt_arena *arena,
                                                         const struct bt_control_request *question,
                                                         struct bt_control_result *out,
                                                         struct bt_error *error);

/*
 * Events as they happen: ask `events` (params `after`, the number of the last one that is known; 0
 * or absent: from now on) with bt_control_client_call(), whose result is {"last":N}; then take them
 * one by one here. *out is a JSON object: `n` (its number, which only grows, also over restarts of
 * the pump), `at`, `code`, `severity`, `stage`, `security`, `pointer`, `listener`, `message`,
 * `params`; "" when none came within wait_ms. The pump remembers the newest 4096; numbers that are
 * missing are gone. A reader that is more than 1 MiB behind is hung up on: BT_EIO, to be resumed
 * with `after`. No other call may be made on this connection from then on.
 */
BT_API BT_MUST_USE enum bt_status bt_control_client_next_event(struct bt_control_client *control,
                                                               struct bt_arena *arena,
                                                               uint32_t wait_ms, bt_str *out,
                                                               struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
