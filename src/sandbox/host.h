/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - one host: process and channel, and what happens when either ends. */
#ifndef BATON_SRC_SANDBOX_HOST_H
#define BATON_SRC_SANDBOX_HOST_H

#include "sandbox/host_pool.h"
#include "sandbox/timers.h"

/* Where a host stands between two starts. */
enum bt_host_phase {
    BT_PHASE_OFF = 0, /* stopped for good */
    BT_PHASE_WAITING, /* to be started at start_ms */
    BT_PHASE_RUNNING,
    BT_PHASE_CLOSING,   /* the conversation is over; it may end by itself until kill_ms */
    BT_PHASE_DYING,     /* killed, not reaped yet */
    BT_PHASE_REPORTING, /* reaped; its calls and its end are still to be reported */
};

/* The reading of what a host prints, which is limited. */
struct bt_host_log {
    uint64_t second_ms; /* when the current second began */
    uint32_t left;      /* bytes that may still be read in it */
    bool is_open[BT_HOST_STREAM__COUNT];
};

/* When a host is started, was started and is killed. */
struct bt_host_times {
    uint64_t start_ms;
    uint64_t started_ms;
    uint64_t kill_ms;
    uint32_t backoff_ms; /* before the next start */
    uint32_t restarts;
};

/* The lists of its pool that a host stands in. */
struct bt_host_links {
    bool is_queued; /* in the list of hosts with events */
    struct bt_host *next_with_events;
    bool is_active; /* it was used since the last wait */
    struct bt_host *next_active;
    size_t timer_index; /* among the timers, from 1; 0: in none */
};

/* How and why a host ended. */
struct bt_host_ending {
    struct bt_host_process_end process;
    const char *reason; /* a literal, or in `text` */
    char text[BT_ERROR_TEXT_BYTES];
};

struct bt_host {
    bt_host_id id;
    enum bt_host_phase phase;
    bool once;
    bool stop;    /* not to be started again */
    bool hung_up; /* the host closed its side */
    bool loading; /* no HELLO yet */
    struct bt_host_links links;

    struct bt_host_launch launch;
    struct bt_arena arena; /* of the launch */
    struct bt_host_process process;
    struct bt_host_ending ending;
    struct bt_host_channel session;
    bool has_session;
    uint32_t in_flight_max;

    struct bt_host_times times;

    struct bt_host_log log;
    uint32_t talk_events; /* epoll events that the channel is watched for */
};

/* An entry in the list of hosts; empty when the host was removed. */
struct bt_host_entry {
    struct bt_host *host;
};

struct bt_host_pool {
    struct bt_host_pool_options options;
    int epoll_fd;
    struct bt_host_entry *hosts;
    size_t count;
    size_t capacity;
    struct bt_host *first_with_events;
    struct bt_host *last_with_events;
    struct bt_host *active_hosts; /* hosts with unsent data, or with a new due time */
    struct bt_host_timers timers; /* of the others */
    char *log_text;
    int net_mark_fd;        /* held while hosts may use the network; -1: not held */
    uint64_t net_mark_from; /* the earliest start of such hosts */
};

enum { BT_LOG_CHUNK = 65536 };

uint64_t bt_host_pool_now(const struct bt_host_pool *hosts);

/* Take the descriptors of a host out of the set, before they are closed: a child that was forked
 * just now may still have them, and while it has, closing ours leaves them in the set. */
void bt_host_unwatch(const struct bt_host_pool *hosts, struct bt_host *host);
/* Send unsent data, and read available data, within limits. */
void bt_host_send(struct bt_host_pool *hosts, struct bt_host *host);
void bt_host_receive(struct bt_host *host);
/* The next event of one host, which may change its phase; false: there is none now. */
BT_MUST_USE bool bt_host_next(struct bt_host_pool *hosts, struct bt_host *host,
                              struct bt_host_event *out);
/* Kill it; its unanswered calls are reported. `why` is a literal. */
void bt_host_begin_stop(struct bt_host *host, const char *why);
/* When bt_host_next() must be called again even without input. */
uint64_t bt_host_due(const struct bt_host *host);
/* Free a host that has no process. */
void bt_host_free(struct bt_host *host);

#endif
