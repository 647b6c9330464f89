/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_internal.h - what the files of this folder share: connections, jobs, the loop and its
 * workers.
 *
 *     connection --bytes--> job (reader, call) --complete--> lane --worker--> done --> connection
 *
 * A connection that waits for its next request has no job, and so no buffer.
 */
#ifndef BATON_SRC_HTTP_HTTP_INTERNAL_H
#define BATON_SRC_HTTP_HTTP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "http/http.h"
#include "http/reader.h"
#include "net/tls.h"

/* ---- Jobs ------------------------------------------------------------------------------------ */

struct http_connection;

/* One request, from its first byte to the end of its response. */
struct http_job {
    struct http_exchange call;
    struct http_limits limits; /* in force when it began */
    struct http_reader reader;
    struct http_connection *conn;
    struct http_job *next;      /* in a lane, among the events, or in the list of finished jobs or
                              * spare ones */
    enum http_event_kind event; /* that waits for the application ... */
    enum http_error error;      /* ... and its error */
    struct http_job *before;    /* among the suspended jobs */
    bool is_parked;             /* this and what follows are protected by the lock of the lane */
    bool is_called;             /* it has been resumed */
    enum http_stream_result pulled;
    bool is_streaming;
    bool is_in_flight;        /* counted as in flight */
    bool is_ending;           /* the last bytes of the stream are in `out` */
    uint64_t bytes_counted;   /* of the body and the response */
    uint64_t last_output_ms;  /* a stream: time of the last output */
    struct bt_buf out;        /* head of the response, or bytes of a stream */
    size_t body_bytes_in_out; /* so many bytes at the end of `out` are the body */
    size_t sent;              /* of `out` and then of the body */
    uint64_t first_run_ms;
};

/* Threads that run jobs, first come first served. A job that waits for something is suspended,
 * and no thread waits with it. */
struct http_lane_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct http_job *first;
    struct http_job **end;
    struct http_job *parked; /* the one with the earliest deadline first */
    struct http_job *parked_last;
    size_t idle_workers;
    size_t watchers; /* sleeping threads that wake up at the deadline of a suspended job */
    bool is_closed;
    struct http_job *queued; /* of this iteration of the loop, not yet in the queue */
    struct http_job **given_end;
    size_t given_count;
};

/* ---- Connections ----------------------------------------------------------------------------- */

enum http_state {
    HTTP_IDLE = 1,  /* between two requests */
    HTTP_READING,   /* a request has begun */
    HTTP_UNDECIDED, /* the application has to decide about the request */
    HTTP_RUNNING,   /* a worker has the job */
    HTTP_WAITING,   /* the job is to be run again later, or its stream has no output */
    HTTP_WRITING,   /* the response is being sent */
    HTTP_LINGERING, /* everything is sent, and the peer has to read it */
};

/* An entry of the timer wheel. */
struct http_timer {
    struct http_timer *next;
    struct http_timer **link; /* the link to this timer; NULL: not in the wheel */
    uint64_t due_ms;
};

/* Resources used by requests; accessed only by the loop. */
struct http_use {
    size_t in_flight;
    uint64_t bytes; /* of bodies and responses in memory */
};

/* An address with connections; see address_counts.c. */
struct http_address_count {
    struct http_address_count *next;
    size_t bucket;
    size_t count; /* of connections */
    struct http_use use;
    char text[HTTP_ADDRESS_BYTES];
};

/* The place of a connection in the list of scheduled ones. */
struct http_schedule_link {
    struct http_connection *next;
    struct http_connection **link; /* the link to this connection; NULL: not scheduled */
};

/* What can be done with the socket of a connection. */
struct http_socket_state {
    bool can_read;
    bool can_write;
    bool peer_has_closed; /* the peer shut down its sending side */
    bool cannot_write;    /* nothing can be sent any more */
};

struct http_connection {
    struct http_timer timer; /* the first member: a timer is a connection */
    int fd;
    enum http_state state;
    struct http_server *server;
    struct http_connection *next; /* of all connections */
    struct http_connection **link;
    struct http_job *job;
    struct http_address_count *address; /* NULL: not counted */
    struct bt_tls_connection *tls;
    struct bt_buf pipelined; /* bytes after the request that is being answered ... */
    size_t rest_at;          /* ... from here on */
    struct http_schedule_link scheduled;
    struct http_peer peer;
    uint64_t deadline_ms;   /* of the current state */
    uint64_t last_write_ms; /* a stream: when bytes were last sent */
    struct http_socket_state socket;
    bool is_woken;   /* it was woken while a worker had its job */
    bool keep_alive; /* another request may follow */
    bool is_used;    /* it had a request before */
};

/* ---- Times ----------------------------------------------------------------------------------- */

enum { HTTP_SLOTS = 512, HTTP_SLOT_MS = 32 };

/* Timers in slots by due time; timers further away are moved on each round. */
struct http_timer_wheel {
    struct http_timer *slots[HTTP_SLOTS];
    uint64_t now_slot; /* everything up to here has expired */
};

void http_wheel_begin(struct http_timer_wheel *wheel, uint64_t now_ms);
/* Set the time at which a timer expires. */
void http_wheel_set(struct http_timer_wheel *wheel, struct http_timer *timer, uint64_t due_ms);
void http_wheel_drop(struct http_timer *timer);
/* An expired timer, removed from the wheel; NULL when there is none left. */
struct http_timer *http_wheel_take(struct http_timer_wheel *wheel, uint64_t now_ms);

/* ---- Addresses ------------------------------------------------------------------------------- */

/* The number of connections of each address. */
struct http_address_counts;

struct http_address_counts *http_addresses_create(void);
void http_addresses_destroy(struct http_address_counts *addresses);
/* Count one more. NULL: it already has `max`, or out of memory. */
struct http_address_count *http_addresses_add(struct http_address_counts *addresses,
                                              const char *text, size_t max);
void http_addresses_drop(struct http_address_counts *addresses, struct http_address_count *address);

/* ---- The server ------------------------------------------------------------------------------ */

enum { HTTP_SCRATCH_BYTES = 64 << 10 };

/* Counters of the server. Only the loop writes; any thread may read them. */
struct http_counters {
    atomic_size_t conns;
    atomic_size_t idle;
    atomic_size_t streams;
    struct http_use use;       /* of all requests */
    struct http_use anonymous; /* of requests without credentials */
};

/* Jobs that the application has to be told about, in order. */
struct http_event_queue {
    struct http_job *first;
    struct http_job **end;
    size_t count;
    size_t left;              /* of them in this turn; later ones are left to the next turn */
    struct http_job *current; /* the application has it; NULL: none */
    bool is_in_turn;
};

struct http_server {
    struct http_event_queue events;
    struct http_event event; /* of this turn */
    struct http_listener listeners[HTTP_LISTENERS_MAX];
    size_t listener_count;
    struct http_limits limits;
    struct bt_tls_context *tls;
    int epoll;
    int wake_fd; /* an eventfd: `done` is not empty, or the server was woken */
    int signals;
    struct http_timer_wheel wheel;
    struct http_address_counts *addresses;
    struct http_connection *conns;
    struct http_connection *scheduled; /* have more to do, but only after the others */
    struct http_connection **scheduled_end;
    struct http_connection *closed; /* freed after this batch of epoll events, which may still
                                     * refer to them */
    struct http_job *spare;
    size_t spare_count;
    struct http_counters counts;
    struct http_lane_queue lanes[HTTP_LANES];
    _Atomic(struct http_job *) done; /* newest first */
    atomic_bool loop_is_waiting;     /* the loop waits, and was not woken yet */
    atomic_bool wake_streams;        /* wake waiting streams and calls */
    uint64_t now_ms;
    uint64_t tick_ms; /* the next time at which the application is called */
    bool is_stopping;
    uint64_t stop_ms; /* when remaining connections are closed */
    size_t waiting;   /* connections in HTTP_WAITING */
    char date[64];    /* the Date line of a response */
    int64_t date_s;
    bool
        /* the process is out of descriptors: no accept until the next tick */
        accept_is_paused;
    char scratch[HTTP_SCRATCH_BYTES];
};

/* ---- Workers (workers.c) ------------------------------------------------------------------ */

/* Open the queues of the lanes. */
BT_MUST_USE enum bt_status http_workers_open(struct http_server *server, struct bt_error *error);
/* Submit a job to its lane, at the end of this iteration of the loop: to be run, or to pull output
 * from its stream. */
void http_workers_submit(struct http_server *server, struct http_job *job, bool needs_output);
void http_workers_flush(struct http_server *server);
/* The loop is about to wait, and must be woken for jobs finished from now on. False: some are
 * already finished. */
bool http_workers_prepare_wait(struct http_server *server);
void http_workers_wake_loop(struct http_server *server);
/* The finished jobs, oldest first. */
struct http_job *http_workers_take_done(struct http_server *server);

/* ---- Connections (connection.c, response.c, stream.c) ------------------------------------- */

/* NULL, with the descriptor closed, when memory runs out. */
struct http_connection *http_conn_open(struct http_server *server, int fd,
                                       const struct http_peer *peer);
/* The first byte of a request has arrived. False: the connection is closed. */
bool http_conn_begin(struct http_connection *conn);
void http_conn_close(struct http_connection *conn);
/* Do what is possible: read, feed the reader, send. When that is more than its share of an
 * iteration, the rest is scheduled for the next one. */
void http_connection_continue(struct http_connection *conn);
/* Continue the connections that were scheduled first. */
void http_conns_run_scheduled(struct http_server *server);
/* Its job was returned by a worker. */
void http_conn_done(struct http_connection *conn);
/* Its timer has expired. */
void http_conn_due(struct http_connection *conn);
/* The server is stopping. */
void http_conn_stop(struct http_connection *conn);
/* There may be new output. */
void http_conn_wake(struct http_connection *conn);
void http_conn_set_timer(struct http_connection *conn, uint64_t due_ms);
void http_conn_enter(struct http_connection *conn, enum http_state state);

/* Reject the request that is being read, and close after that. */
void http_connection_reject(struct http_connection *conn, enum http_error error);
/* The application has decided about the head of its request. */
void http_connection_take_decision(struct http_connection *conn);
/* The response has been sent. */
void http_connection_end_response(struct http_connection *conn);

/* Receive and send bytes; -1 with errno EAGAIN when nothing is possible now. */
ssize_t http_conn_recv(struct http_connection *conn, void *bytes, size_t size);
ssize_t http_conn_send(struct http_connection *conn, const bt_str parts[2]);

/* Send some of the response, or end it. False when nothing more can be sent now. */
BT_MUST_USE bool http_conn_write(struct http_connection *conn);
/* The response is complete: begin to send it. */
void http_connection_respond(struct http_connection *conn);
/* The head of a response. */
void http_answer_head(struct http_server *server, struct http_job *job, bool keeps);

bt_str http_answer_body(const struct http_response *answer);

/* The head of a stream is ready. */
void http_stream_begin(struct http_connection *conn);
/* It waits: let a worker pull output. */
void http_stream_pull(struct http_connection *conn);
void http_stream_worker_done(struct http_connection *conn);
/* The state of the connection has changed. */
void http_stream_continue(struct http_connection *conn);
void http_stream_due(struct http_connection *conn);
/* Send the last text; NULL for none. */
void http_stream_end(struct http_connection *conn, const char *last_words);

/* ---- Events (server.c) ----------------------------------------------------------------------- */

/* Tell the application about a job. */
void http_events_add(struct http_server *server, struct http_job *job, enum http_event_kind kind);

/* ---- Requests (job.c) ------------------------------------------------------------------------ */

/* NULL when memory runs out. */
struct http_job *http_job_acquire(struct http_server *server);
/* Free the spare jobs. */
void http_jobs_free(struct http_server *server);
/* True when the server has room for one more request in flight, and for so many bytes. */
bool http_server_has_room(const struct http_server *server, uint64_t bytes);
/* True when the request of a connection may be put in flight with so many bytes in total: the
 * server has room, and so do the shares of its address and, without credentials, of all without. */
bool http_job_has_room(const struct http_connection *conn, uint64_t bytes);
/* Set the number of bytes that the request of a connection holds. */
void http_job_count_bytes(struct http_connection *conn, uint64_t bytes);
void http_job_set_in_flight(struct http_connection *conn, bool is_in_flight);
/* The call is over, in whatever way. The only end of a job ... */
void http_job_end(struct http_connection *conn);
/* ... which is used again once the application has released what belongs to it. */
void http_job_give_back(struct http_server *server, struct http_job *job);

#endif
