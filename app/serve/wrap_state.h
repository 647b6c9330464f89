/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_state.h - what the files of wrap_channels.h share. */
#ifndef BATON_APP_SERVE_WRAP_STATE_H
#define BATON_APP_SERVE_WRAP_STATE_H

#include "base/map.h"
#include "serve/wrap_channels.h"
#include "wrap/record.h"
#include "wrap/session.h"
#include "wrap/upstream.h"

struct bt_emit; /* see json/emit.h */

enum { SERVE_WRAP_ERROR_SERVER = -31003 }; /* the server has ended */

enum { SERVE_WRAP_BOUNDS = 14 };

/* A histogram of times. */
struct serve_wrap_times {
    uint64_t counts[SERVE_WRAP_BOUNDS + 1]; /* up to each bound; the last is beyond all of them */
    uint64_t sum_us;
};

/* What happened in all channels of one server. */
struct serve_wrap_stats {
    struct serve_wrap_stats *next;
    bt_str server;
    uint64_t events[BT_WRAP_EVENTS]; /* calls, by how they ended */
    uint64_t unrecorded;
    uint64_t dropped;                     /* messages of the server that were not passed on */
    struct serve_wrap_times server_times; /* of calls: in the server ... */
    struct serve_wrap_times added_times;  /* ... and in Baton */
};

/* What one principal has spent of one server. */
struct serve_wrap_account {
    struct serve_wrap_account *next;
    bt_str server;
    bt_str actor;
    struct bt_wrap_spending spending;
};

/* The counters of a session that are in its statistics already. */
struct serve_wrap_seen {
    uint64_t events[BT_WRAP_EVENTS];
    uint64_t unrecorded;
    uint64_t dropped;
    size_t findings;
    size_t hidden; /* of its tools, now */
};

/* How far a channel has come. */
struct serve_wrap_life {
    uint64_t idle_ms;
    uint64_t used_ms; /* when it was used last */
    bool is_retired;  /* the configuration has changed: it takes no new requests */
    bool is_ending;   /* its server is ended */
    bool is_done;     /* its thread is about to end */
};

struct serve_wrap_channel {
    struct serve_wrap_channel *next;
    struct serve_wrap *wrap;
    struct serve_settings *settings; /* of which it is a user */
    struct bt_arena texts;
    bt_str server;
    bt_str actor;
    char session[BT_UUID_TEXT_BYTES]; /* of a legacy client */
    bool is_legacy;
    struct bt_env env;       /* for its thread, as is ... */
    struct bt_arena message; /* ... the memory of one message */
    pthread_t thread;
    int ready_fd;
    struct bt_buf input; /* lines for the server; this and what follows is guarded by the lock */
    struct serve_wrap_exchange *exchanges; /* the newest first */
    struct wrap_params params;
    struct bt_wrap_spending *spending; /* has a lock of its own */
    struct serve_wrap_stats *stats;
    struct serve_wrap_seen seen;
    struct serve_wrap_life life;
};

/* A name as it stands, or without case and dashes. */
enum serve_wrap_spelling { SERVE_WRAP_SPELLING_EXACT = 0, SERVE_WRAP_SPELLING_FOLDED };
enum { SERVE_WRAP_SPELLINGS = 2 };

/* Tools that servers have shown. */
struct serve_wrap_tools {
    struct bt_map by_name[SERVE_WRAP_SPELLINGS];
    size_t count;
};

struct serve_wrap {
    struct serve_server *gateway;
    atomic_ullong numbers;
    pthread_mutex_t lock; /* guards what follows */
    struct bt_arena texts;
    struct serve_wrap_channel *channels;
    struct serve_wrap_account *accounts;
    struct serve_wrap_stats *stats;
    bool is_stopping;
    struct serve_wrap_tools tools;
};

/* ---- Tools of all servers (wrap_tools.c) ----------------------------------------------------- */

void serve_wrap_tools_init(struct serve_wrap *wrap);
/* On the thread of a channel, `context`: find a tool of another server, see wrap/texts.h. */
bool serve_wrap_find_tool(void *context, bt_str name, bool is_folded,
                          struct bt_wrap_other_tool *out);
/* On the thread of a channel, `context`: its server shows a tool. */
void serve_wrap_add_tool(void *context, bt_str name, bt_str folded);

/* With the lock: the statistics of a server. NULL: no memory. */
struct serve_wrap_stats *serve_wrap_find_stats(struct serve_wrap *wrap, bt_str server);
/* Put what the channels of a server do now, and what they did, as members. */
void serve_wrap_emit_counts(struct serve_wrap *wrap, bt_str server, struct bt_emit *emit);
/* On the thread of a channel: count the times of a call. `context` is the channel. */
void serve_wrap_note_call(void *context, uint64_t server_us, uint64_t total_us);
/* On the thread of a channel: count what its session has counted. `context` is the channel. */
void serve_wrap_note_session(void *context, const struct bt_wrap_session *session);

#endif
