/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - the process of a host: born inside the sandbox, ended with everything it started.
 */
#ifndef BATON_SRC_SANDBOX_PROCESS_H
#define BATON_SRC_SANDBOX_PROCESS_H

#include <sys/types.h>

#include "sandbox/launch.h"

/* A running host as the pump holds it. Descriptors are -1 when there is none, and non-blocking. */
/* The output streams of a host. */
enum bt_host_stream { BT_HOST_STREAM_OUTPUT = 0, BT_HOST_STREAM_ERROR, BT_HOST_STREAM__COUNT };

/* A process that does not exist. */
#define BT_PROCESS_NONE                                                                            \
    {                                                                                              \
        .guard_fd = -1, .life_fd = -1, .talk_fd = -1, .log_fds = { -1, -1 }                        \
    }

struct bt_host_process {
    pid_t pid;                          /* 0: not started */
    pid_t guard_pid;                    /* see guard.h; also their process group */
    int guard_fd;                       /* the guard lives as long as this is open */
    int life_fd;                        /* becomes readable when the process has ended */
    int talk_fd;                        /* frames, both ways */
    int log_fds[BT_HOST_STREAM__COUNT]; /* what it prints; -1: nothing comes from there */
};

/*
 * Start the host of a launch. The child closes every descriptor but 0 to 3, makes its own process
 * group, gives up all privileges, limits itself, and enters Landlock and the filter before the
 * program starts; when any of this fails it says so on standard error and ends with 126, so that
 * nothing ever runs outside. It dies with the thread that started it.
 *
 * BT_EIO: the system has no process or descriptor left, or the kernel refused the rules.
 * BT_EDENIED: a path leaves the organism's folder. On BT_OK *out is ended with
 * bt_host_process_kill() and bt_host_process_reap().
 */
BT_MUST_USE enum bt_status bt_host_process_start(const struct bt_host_launch *launch,
                                                 struct bt_host_process *out,
                                                 struct bt_error *error);

/* Kill it and everything it started. May be repeated until it is reaped. */
void bt_host_process_kill(const struct bt_host_process *process);

/* How a process ended. */
struct bt_host_process_end {
    int code;   /* exit code; -1 when a signal ended it */
    int signal; /* 0: none */
};

/* True when it has ended. Does not wait. */
BT_MUST_USE bool bt_host_process_has_exited(const struct bt_host_process *process);
/* Bury a process that has ended: what it started is killed, the system forgets it, and the
 * descriptors are closed, but for log_fds, which may have words left. */
struct bt_host_process_end bt_host_process_reap(struct bt_host_process *process);
/* Close what is open; NULL is not allowed. */
void bt_host_process_close(struct bt_host_process *process);

#endif
