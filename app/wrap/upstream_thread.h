/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream_thread.h - a server over HTTP for a process that has threads: it is served on one more.
 * A process without exec would inherit locks of threads that it does not have.
 */
#ifndef BATON_APP_WRAP_UPSTREAM_THREAD_H
#define BATON_APP_WRAP_UPSTREAM_THREAD_H

#include <pthread.h>

#include "sandbox/server_process.h"
#include "wrap/upstream.h"

struct wrap_upstream_thread {
    struct wrap_upstream upstream;
    pthread_t thread;
    int input; /* its ends of the pipes */
    int output;
    int ended; /* an eventfd */
    bool is_started;
};

/*
 * Start the thread for a command with `serve`; *out looks like a process without a number. End it
 * in every case. BT_EIO: the system has no thread or descriptor left; *out is closed.
 */
BT_MUST_USE enum bt_status wrap_upstream_thread_start(const struct bt_server_command *command,
                                                      struct wrap_upstream_thread *own,
                                                      struct bt_server_process *out,
                                                      struct bt_error *error);
/* Tell the thread to end, and wait for it. */
void wrap_upstream_thread_end(struct wrap_upstream_thread *own);

#endif
