/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.h - the whole pump in a world that is driven by random numbers: what its parts share.
 *
 *     clients ──> the real pump: ingress, core, turn, results ──> hosts that answer, lie and die
 *                        │
 *                        └── a store that keeps what was committed, and power that goes
 *
 * sim_hosts.c and sim_keep.c stand in for the real hosts and the real store, under the same names:
 * the linker takes them first. Every payload that somebody writes has a number of its own, so that
 * whoever gets it can be compared with whoever wrote it, without asking the pump.
 */
#ifndef BATON_TESTS_SIM_SIM_H
#define BATON_TESTS_SIM_SIM_H

#include "pump/pump_internal.h"

enum {
    LISTENERS = 5,
    CLIENTS = 2,
    CLIENT_THREADS = 3,
    PAYLOADS_MAX = 4096,
    EDGES_MAX = 4096,
    CALLS_MAX = 4096,
    DELIVERIES_MAX = 4096,
    TEXT_BYTES = 1024,
    CLIENT = LISTENERS, /* as a writer */
    GROUP = LISTENERS,  /* as a target: m1 and m2 */
};

enum listener { AGENT_A = 0, AGENT_B, TOOL, MEMBER_1, MEMBER_2 };

/* What can be broken on purpose; each must be found. */
enum fault {
    FAULT_NONE = 0,
    FAULT_LOSE,    /* the store forgets a message that it took */
    FAULT_EARLY,   /* clients are told before it is kept */
    FAULT_SENDER,  /* the store names somebody else as sender of a delivery */
    FAULT_CALL_ID, /* a message gets another call id when it is read again */
    FAULT_ALIVE,   /* what is done is read as if it were not */
    FAULT_TOKENS,  /* the store forgets what a root was charged */
    FAULT_THREAD,  /* a delivery is read with another client's thread */
    FAULT_MIXED,   /* a host's answers are taken for those of other calls */
    FAULT_TAKEN,   /* deliveries count as taken before anybody has them */
    FAULT_PARENT,  /* a thread hangs on another parent when it is read again */
    FAULT_LEAK,    /* threads that ended stay in the store */
    FAULT_TWICE,   /* an id that was used is not remembered */
    FAULT__MAX,
};

extern const char *const fault_names[FAULT__MAX];

enum said { SAID_CALL = 1, SAID_REPLY, SAID_SELF };

/* A payload that somebody wrote. */
struct written {
    enum said how;
    uint32_t writer;
    uint32_t target;                 /* of a call */
    uint32_t client;                 /* of the root */
    uint32_t uuid;                   /* of the root: its place among a client's */
    char thread[BT_UUID_TEXT_BYTES]; /* that it was written on; "": by a client */
    uint64_t calls[LISTENERS];       /* the call that it came with; 0: none yet */
    bool is_accepted;                /* its client was told */
};

/* An edge, as hosts come to know it. */
struct edge {
    char uuid[BT_UUID_TEXT_BYTES];
    char above[BT_UUID_TEXT_BYTES]; /* "": the client */
    uint32_t listener;
    uint32_t client;
    uint32_t thread;
    uint32_t depth;
};

struct sim {
    uint64_t seed;
    uint64_t rng;
    enum fault fault;
    bool is_draining; /* hosts only reply, nothing dies */
    uint64_t now_ms;
    struct bt_env env;
    struct bt_arena arena; /* of the organism */
    const struct bt_organism *organism;
    struct bt_host_hello hello; /* of every host */
    struct bt_pump *pump;
    struct sim_store *store;
    struct bt_host_pool *hosts;
    uint64_t tokens_max;
    uint64_t depth_max;
    struct written written[PAYLOADS_MAX];
    size_t written_count; /* numbers count from 1 */
    struct edge edges[EDGES_MAX];
    size_t edges_count;
    uint64_t tokens[CLIENTS][CLIENT_THREADS];
    bool is_called[LISTENERS][CALLS_MAX];    /* and charged, by call */
    uint64_t heard[CLIENTS][DELIVERIES_MAX]; /* digests of deliveries, by id; 0: not heard */
    uint64_t heard_last[CLIENTS];
    uint64_t accepted;
    uint64_t calls;
    uint64_t restarts;
    uint64_t events;
};

extern const char *const listener_names[LISTENERS];
extern const char *const client_names[CLIENTS];

/* Something does not hold: say so, and end. */
_Noreturn void violated(const struct sim *sim, const char *what);

static inline void must(const struct sim *sim, bool held, const char *what)
{
    if (!held) {
        violated(sim, what);
    }
}

uint64_t draw(struct sim *sim, uint64_t below);
/* A new number for something that is written. */
uint64_t write_down(struct sim *sim, struct written written);
/* A host gets a call: who wrote it, and may it be here? */
void check_call(struct sim *sim, uint32_t listener, const struct bt_host_request *request);
struct edge *edge_of(struct sim *sim, bt_str uuid);

/* ---- The store ------------------------------------------------------------------------------- */

struct sim_store *sim_store_new(struct sim *sim);
void sim_store_free(struct sim_store *store);
/* The power goes at one of the next commits: before it, or after it. */
void sim_store_cut(struct sim_store *store, bool after);
/* Nothing that came to its end is left, and everything has come to its end. */
void sim_store_check(struct sim *sim);
/* Count anew what was charged: a call whose end was not kept is made again, and charged then. */
void sim_store_recount(struct sim *sim);
size_t sim_store_waiting(const struct sim_store *store);

/* ---- Hosts ----------------------------------------------------------------------------------- */

struct bt_host_pool *sim_hosts_new(struct sim *sim);
void sim_hosts_free(struct bt_host_pool *hosts);

#endif
