/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - a running pump: it passes messages from clients to listeners, each in its own process,
 * and their answers on as the organism allows.
 *
 *     bt_pump_open(&env, organism, &options, &pump, &error);
 *     bt_pump_submit(pump, &arena, &input, &judged, &error); // for each message
 *     while (bt_pump_pending_count(pump) > 0) {
 *         bt_pump_run_once(pump, 100, &error);
 *     }
 *     bt_pump_close(pump);
 *
 * A message is accepted when it is durable, that is after the next bt_pump_run_once(). What happens
 * after that is reported to the observer. One thread drives a pump. Statuses that are not
 * described: BT_ENOMEM, the arena reached its limit or the system has no memory; BT_EIO, the store
 * or a system call failed; `error` says why.
 */
#ifndef BATON_SRC_PUMP_PUMP_H
#define BATON_SRC_PUMP_PUMP_H

#include "ledger/ledger.h"
#include "organism/read.h"

struct bt_pump;

/* Something that happened after a message was accepted. */
struct bt_pump_event {
    const struct bt_rule *rule;
    bool security;
    bt_str pointer;    /* /ROOT of the fragment; "": the whole result */
    bt_str listener;   /* the emitter; "": none */
    uint64_t document; /* number of the input that caused it; 0: none */
    bt_str params;     /* a JSON object, or "" */
};

/* Put the members of an event into the object that `emit` has open. */
struct bt_emit;
void bt_pump_event_emit(struct bt_emit *emit, const struct bt_pump_event *event);

/* A message for a client. */
struct bt_pump_delivery {
    uint64_t id; /* counted per client */
    bt_str client;
    bt_str from; /* the listener, or core */
    bt_str thread;
    bt_str root;
    bt_str payload;
    bt_str message; /* the whole message, canonical */
};

/* A diagnostic (`huh`) as an operator reads it. */
struct bt_pump_diagnostic {
    bt_str error;
    bt_str attempt; /* what its receiver wrote; bytes that are not UTF-8 as \xHH */
};

/*
 * Read the payload of a delivery whose root is `huh`. *out lives in the arena. BT_EINVAL: it is not
 * a diagnostic. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_pump_diagnostic_read(const struct bt_env *env, struct bt_arena *arena,
                                                   bt_str payload, struct bt_pump_diagnostic *out);

/* A step of a message on its way, for operators. */
enum bt_pump_step_kind {
    BT_PUMP_STEP_ACCEPTED = 1,
    BT_PUMP_STEP_REFUSED,
    BT_PUMP_STEP_CALL,
    BT_PUMP_STEP_RESULT, /* also that a call failed, or got no answer */
    BT_PUMP_STEP_DELIVERY,
    BT_PUMP_STEP_CUT,
};
struct bt_pump_step {
    enum bt_pump_step_kind kind;
    bt_str listener; /* "": none is known */
    bt_str thread;   /* of the client */
    bt_str root;     /* of the payload, or of the first fragment; "": none */
    uint64_t ms;     /* that a call took; else 0 */
};

/*
 * A line that a handler printed: at most 1,000 bytes of UTF-8 without control characters except
 * tabs. For operators only.
 */
struct bt_pump_output {
    bt_str listener;
    bool is_error; /* from standard error */
    bt_str text;
};

/* Put the members of a line into the object that `emit` has open. */
void bt_pump_output_emit(struct bt_emit *emit, const struct bt_pump_output *output);

/*
 * Callbacks for what happens in the pump; each may be NULL. Their arguments are valid until the
 * call returns. They exist because one pump serves batch runs, a terminal and a server.
 */
struct bt_pump_observer {
    void *context;
    void (*event)(void *context, const struct bt_pump_event *event);
    /*
     * Return true when the client has received it. Without this callback, deliveries stay in the
     * store.
     */
    bool (*delivery)(void *context, const struct bt_pump_delivery *delivery);
    /* Every call and reply between listeners, as a canonical message; for operators only. */
    void (*trace)(void *context, bt_str message);
    /* Why a call failed, the end of a host (`listener`), and refused clients (""); for operators
     * only. */
    void (*log)(void *context, bt_str listener, bt_str text);
    void (*step)(void *context, const struct bt_pump_step *step);
    void (*output)(void *context, const struct bt_pump_output *output);
};

struct bt_pump_options {
    const char *store;              /* URL; NULL: the store that the organism names */
    struct bt_ledger_memory memory; /* of the size of its ledger */
    const char *agent;              /* socket of the SSH agent with its key; NULL: SSH_AUTH_SOCK */
    uint64_t heartbeat_s; /* the longest time without entries on a log of version 2; 0: any */
    const struct bt_host_launch_options *hosts;
    /* start no hosts and write no schemas: only accept messages into the store */
    bool without_hosts;
    /*
     * with without_hosts: create nothing, not even a store; without a store only the organism is
     * known
     */
    bool read_only;
    bool without_seccomp;
    bool without_landlock;
    struct bt_pump_observer observer;
};

/*
 * Open the store, creating a missing one, continue the work of earlier runs, and start the hosts.
 * `env`, `organism` and what the options point at must outlive the pump. On BT_OK the caller must
 * close *out with bt_pump_close().
 */
BT_MUST_USE enum bt_status bt_pump_open(struct bt_env *env, const struct bt_organism *organism,
                                        const struct bt_pump_options *options, struct bt_pump **out,
                                        struct bt_error *error);
/* Stop the hosts and close the store; unfinished work stays in the store. NULL is allowed. */
void bt_pump_close(struct bt_pump *pump);

struct bt_pump_input {
    bt_str path; /* for messages */
    bt_str text;
    bt_str client;          /* the authenticated sender; "": the sender that the message names */
    uint64_t document;      /* its number, from 1; events refer to it */
    bool sender_is_waiting; /* the sender gets a refusal directly: no `huh` message is delivered */
    bool wants_facts;       /* set judged.facts */
};

/* What the sender of a message is told. */
struct bt_pump_ingress_result {
    bt_str thread;     /* as replies have it */
    bool is_repeated;  /* it was accepted before and is not processed again */
    const char *error; /* refused: the text of the diagnostic; NULL: the sender is told nothing */
};

/* True when another message may be submitted now. */
bool bt_pump_can_accept(const struct bt_pump *pump);
/*
 * Judge a message and accept or refuse it. It is durable, and may be reported as accepted, after
 * the next bt_pump_run_once(); until then *out and what it points at in `arena` must stay in place.
 */
BT_MUST_USE enum bt_status bt_pump_submit(struct bt_pump *pump, struct bt_arena *arena,
                                          const struct bt_pump_input *input,
                                          struct bt_judgement *out, struct bt_error *error);
/* What the sender of the last submitted message is told; valid until the next bt_pump_submit(). */
struct bt_pump_ingress_result bt_pump_last_ingress(const struct bt_pump *pump);
/* Commit what was decided, and nothing else. */
BT_MUST_USE enum bt_status bt_pump_commit(struct bt_pump *pump, struct bt_error *error);

/*
 * Commit what was decided, make the calls that are possible, deliver messages, and wait up to
 * wait_ms for hosts. After a failure of the store nothing more may be acknowledged, and the pump
 * must be closed.
 */
BT_MUST_USE enum bt_status bt_pump_run_once(struct bt_pump *pump, uint32_t wait_ms,
                                            struct bt_error *error);

/*
 * Show the deliveries that wait in the store, without marking them as received. `each` returns
 * false to end.
 */
typedef bool bt_pump_delivery_fn(void *context, const struct bt_pump_delivery *delivery);
BT_MUST_USE enum bt_status bt_pump_each_waiting(struct bt_pump *pump, bt_pump_delivery_fn *each,
                                                void *context, struct bt_error *error);

/* The name of its organism. */
bt_str bt_pump_organism_name(const struct bt_pump *pump);
/* The number of messages that are queued or in flight. */
uint64_t bt_pump_pending_count(const struct bt_pump *pump);

struct bt_pump_listener_stats {
    bt_str name;
    uint64_t calls; /* calls made, repetitions included */
};
/* The statistics of the listener with this index; false after the last one. */
bool bt_pump_listener_stats_at(const struct bt_pump *pump, size_t index,
                               struct bt_pump_listener_stats *out);

/* The response to a control request. */
struct bt_control_result {
    bt_str result;  /* JSON; "null" after an error */
    int error;      /* a JSON-RPC code, one of those below; 0: there is a result */
    bt_str message; /* of the error */
    bt_str data;    /* of the error: a JSON object, or "" */
};

/* Put `"result":...` or `"error":{...}` into the object that `emit` has open. */
void bt_control_result_emit(struct bt_emit *emit, const struct bt_control_result *answer);

enum {
    BT_CONTROL_ERROR_PARSE = -32700,
    BT_CONTROL_ERROR_INVALID_REQUEST = -32600,
    BT_CONTROL_ERROR_METHOD_NOT_FOUND = -32601,
    /* `data` has `findings` when a listener or message was rejected */
    BT_CONTROL_ERROR_INVALID_PARAMS = -32602,
    BT_CONTROL_ERROR_INTERNAL = -32603,
    BT_CONTROL_ERROR_NOT_FOUND = -32001,
    BT_CONTROL_ERROR_CONFLICT = -32002,
    BT_CONTROL_ERROR_BUSY = -32004,
};

/*
 * Answer `status`, `list`, `graph` or `thread-history`; `params` is a JSON object, or "". *out
 * lives in the arena. BT_ENOENT: the query needs a store, and there is none.
 */
BT_MUST_USE enum bt_status bt_pump_query(struct bt_pump *pump, struct bt_arena *arena,
                                         bt_str method, bt_str params,
                                         struct bt_control_result *out);

/* ---- One handler alone ----------------------------------------------------------------------- */

/* A field of a payload that is built. */
struct bt_pump_test_field {
    bt_str name;
    bt_str value;
};

/* True when an element can have the name of the field. */
bool bt_pump_test_field_is_valid(const struct bt_pump_test_field *field);

struct bt_pump_test_input {
    const struct bt_host_launch_options *hosts;
    bt_str listener; /* folded; it is in the organism, whose handler was loaded */
    bool is_alone;   /* no listener was named: the payload may have the name of any */
    bt_str thread;   /* "": a new one */
    bt_str payload;  /* XML; ptr NULL: it is built from the fields */
    const struct bt_pump_test_field *fields;
    size_t field_count;
};

enum bt_pump_test_outcome {
    BT_PUMP_TEST_REFUSED = 1, /* the payload; the handler was not called */
    BT_PUMP_TEST_RESULT,
    BT_PUMP_TEST_FAIL,
    BT_PUMP_TEST_TIMEOUT,
    BT_PUMP_TEST_CRASHED,
};

/* Where a fragment of the result would go. */
enum bt_pump_test_goes {
    BT_PUMP_TEST_DROPPED = 1,
    BT_PUMP_TEST_TO_PARENT,
    BT_PUMP_TEST_TO_SELF,
    BT_PUMP_TEST_TO_PEER,
};

struct bt_pump_test_fragment {
    bt_str root;
    enum bt_pump_test_goes goes;
    bt_str to;                  /* the listener, group or gateway; "": the parent or none */
    const struct bt_rule *rule; /* of a dropped one */
};

struct bt_pump_test_result {
    enum bt_pump_test_outcome outcome;
    bt_str kind;   /* of FAIL; "" otherwise */
    bt_str detail; /* of FAIL and a crash; "" otherwise */
    bt_str result; /* as text for an operator */
    const struct bt_pump_test_fragment *fragments;
    size_t fragment_count;
    const struct bt_pump_output *output; /* lines that the handler printed */
    size_t output_count;
    uint64_t output_more; /* lines beyond BT_PUMP_TEST_LINES_MAX */
    uint64_t ms;
    const struct bt_judgement *refused; /* with the findings of a refused payload; else NULL */
    const struct bt_pump_event *events;
    size_t event_count;
    bool is_delivered; /* there is a result, and every fragment would be delivered */
};

enum { BT_PUMP_TEST_LINES_MAX = 1000 };

/*
 * Call the handler of one listener once, in its sandbox, without a store. *out lives in the arena.
 * BT_ENOENT: it cannot be started. BT_EIO, BT_ENOMEM: nothing is known about it. `error` says why.
 */
BT_MUST_USE enum bt_status bt_pump_test(struct bt_env *env, struct bt_arena *arena,
                                        const struct bt_organism *organism,
                                        const struct bt_pump_test_input *input,
                                        struct bt_pump_test_result *out, struct bt_error *error);

/* ---- Control channel, bus and gateways ------------------------------------------------------- */

/*
 * The path of an organism's control socket, relative to the working directory; "": it has none. It
 * depends only on the file, so that other processes can find the socket. *out lives in the arena.
 */
BT_MUST_USE enum bt_status bt_pump_control_path(const struct bt_organism *organism,
                                                struct bt_arena *arena, bt_str *out);
/*
 * Listen on the control socket and the bus, and connect to the pumps that gateways name. From now
 * on bt_pump_run_once() serves these connections and never blocks on one of them. With TLS, SIGPIPE
 * must be ignored.
 */
BT_MUST_USE enum bt_status bt_pump_listen(struct bt_pump *pump, struct bt_error *error);

/* Connect to the pumps that gateways name, without listening: for batch runs. */
BT_MUST_USE enum bt_status bt_pump_connect_gateways(struct bt_pump *pump, struct bt_error *error);

enum bt_pump_state {
    BT_PUMP_STOPPED = 0, /* opened without hosts, or stopped at once */
    BT_PUMP_RUNNING,
    BT_PUMP_DRAINING, /* accepts nothing new; continues until nothing is left or the time is up */
};

/* The state of the pump. */
enum bt_pump_state bt_pump_get_state(const struct bt_pump *pump);
/*
 * Accept nothing new and finish the rest within `within_ms` milliseconds; 0: stop at once.
 * Unfinished work stays in the store.
 */
void bt_pump_drain(struct bt_pump *pump, uint64_t within_ms);

/*
 * Execute one line of the control channel as if it had been received there, and wait for its
 * result; no listener is called meanwhile. *out is the response without its line feed, in the
 * arena, or "" when none is expected. The effects are durable after the next bt_pump_run_once().
 */
BT_MUST_USE enum bt_status bt_pump_run_control_line(struct bt_pump *pump, struct bt_arena *arena,
                                                    bt_str line, bt_str *out,
                                                    struct bt_error *error);

/*
 * A connection to the control channel of a running pump, for other processes. It may be used by one
 * thread at a time, for one request at a time. Every wait has the given limit.
 *
 *     bt_control_client_open("pump/oob.sock", 1000, &control, &error);
 *     bt_control_client_call(control, &arena, &(struct bt_control_request){
 *         .method = BT_STR("status"), .params = BT_STR(""), .wait_ms = 2000}, &answer, &error);
 *     bt_control_client_close(control);
 */
struct bt_control_client;

/*
 * Connect within wait_ms. On BT_OK the caller must close *out with bt_control_client_close().
 * BT_ENOENT: no pump listens there. BT_EDENIED: this user may not connect. BT_ELIMIT: the time is
 * up. BT_EIO: any other failure. A pump that does not serve this user closes the connection; the
 * first call then fails.
 */
BT_MUST_USE enum bt_status bt_control_client_open(const char *path, uint32_t wait_ms,
                                                  struct bt_control_client **out,
                                                  struct bt_error *error);
/* Close the connection. A request without a response may still take effect. NULL is allowed. */
void bt_control_client_close(struct bt_control_client *control);

struct bt_control_request {
    bt_str method;
    bt_str params; /* a JSON object in one line, or "" */
    uint32_t wait_ms;
};

/*
 * Send a request and wait for the response, which lives in the arena. An error response of the pump
 * (out->error) is not a failure. BT_ELIMIT: no response in time. BT_EDENIED: the pump closed the
 * connection without a response, as it does for users without permission. BT_EIO: the connection
 * broke. After a failure the connection can only be closed, and it is unknown whether the request
 * took effect.
 */
BT_MUST_USE enum bt_status bt_control_client_call(struct bt_control_client *control,
                                                  struct bt_arena *arena,
                                                  const struct bt_control_request *question,
                                                  struct bt_control_result *out,
                                                  struct bt_error *error);

/*
 * Receive events. First send the request `events` with bt_control_client_call() (params `after`:
 * the number of the last known event; 0 or absent: only new events), whose result is {"last":N};
 * then this call returns them one by one. *out is a JSON object: `n` (its number, which only grows,
 * also over restarts of the pump), `at`, `code`, `severity`, `stage`, `security`, `pointer`,
 * `listener`, `message`, `params`; "" when none arrived within wait_ms. The pump keeps the newest
 * 4096 events; missing numbers are lost. The pump disconnects a reader that is more than 1 MiB
 * behind: BT_EIO, to be resumed with `after`. No other request may be sent on this connection after
 * `events`.
 */
BT_MUST_USE enum bt_status bt_control_client_next_event(struct bt_control_client *control,
                                                        struct bt_arena *arena, uint32_t wait_ms,
                                                        bt_str *out, struct bt_error *error);

#endif
