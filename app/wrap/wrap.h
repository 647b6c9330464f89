/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap.h - a proxy in front of an MCP server: the pipes, the process and the waiting around a
 * session, which decides what passes.
 */
#ifndef BATON_APP_WRAP_WRAP_H
#define BATON_APP_WRAP_WRAP_H

#include "sandbox/server_process.h"
#include "wrap/servers.h"
#include "wrap/session.h"

/* The lock when neither a flag nor the configuration names one. */
#define WRAP_LOCK_NAME "baton.mcp.lock"

/* How the client ends the server. */
struct wrap_timing {
    uint64_t answers_ms;  /* for open requests, after the client's input has ended */
    uint64_t shutdown_ms; /* until SIGTERM, after the server's input was closed */
    uint64_t kill_ms;     /* from SIGTERM to SIGKILL */
};

struct wrap_timing wrap_timing_default(void);

/* What a client that is in this process has to say. */
enum wrap_client_state {
    WRAP_CLIENT_TALKS = 1,
    WRAP_CLIENT_ENDED,   /* as when its input ends */
    WRAP_CLIENT_ABORTED, /* the server is ended at once */
};

/*
 * A client in this process. The thread of the proxy calls its functions; they are callbacks,
 * because the proxy stands below the server that has such clients.
 */
struct wrap_client {
    void *context;
    int ready_fd; /* an eventfd: readable when take() has something new */
    /* Put complete lines of the client, as many as the buffer takes. */
    enum wrap_client_state (*take)(void *context, struct bt_buf *input);
    /* Give complete lines to the client. */
    void (*give)(void *context, bt_str lines);
    /* The session may have counted something. */
    void (*note)(void *context, const struct bt_wrap_session *session);
};

/* The proxy's own descriptors. */
struct wrap_streams {
    int input;                        /* from the client */
    int output;                       /* to the client */
    int errors;                       /* for people; -1: nobody reads */
    int wake;                         /* readable when records are done; -1: nothing is recorded */
    const struct wrap_client *client; /* instead of input, output and signals; NULL: none */
    int stop;                         /* an eventfd that ends the server as SIGTERM does; -1 */
};

/* How a conversation ended. */
enum wrap_end {
    WRAP_END_NONE = 0,
    WRAP_END_CLIENT,  /* the client ended it, or a signal did */
    WRAP_END_SERVER,  /* the server ended by itself */
    WRAP_END_BLOCKED, /* the server changed, and was ended */
    WRAP_END_FAILED,  /* the system failed; `error` says how */
};

/*
 * Pass messages between the client and a server that was started, until one of them ends. The
 * server's process has ended and is closed afterwards.
 */
enum wrap_end wrap_proxy_run(struct bt_wrap_session *session, struct bt_server_process *server,
                             const struct wrap_streams *streams, const struct wrap_timing *timing,
                             struct bt_error *error);

/* What a server gets of the environment of this process, which is nothing that begins with BATON_.
 */
struct wrap_environment_options {
    bool is_short;            /* only a short list and the variables named */
    struct bt_str_list names; /* of further variables, for the short list */
    bt_str home;              /* HOME and TMPDIR, or "" for our own */
    struct bt_wrap_pairs set; /* on top of all */
};

/* The environment of a server: a list that ends in NULL, in the arena. NULL: no memory. */
BT_MUST_USE char **wrap_environment(struct bt_arena *arena,
                                    const struct wrap_environment_options *options);

/* A word that is a path, seen from here when the command is run in `folder` ("": here). */
BT_MUST_USE enum bt_status wrap_place_word(struct bt_arena *arena, bt_str folder, bt_str word,
                                           bt_str *out);
/*
 * Which word of a command is the file that it runs: for an interpreter such as node or python3 the
 * first word after it that is not a flag and names a regular file, else the first word when that
 * has a slash. The number of words when there is none.
 */
size_t wrap_find_program(struct bt_arena *arena, struct bt_str_list command, bt_str folder);

#endif
