/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - a process beside each host that limits what the host and its children use in total, and
 * ends all of them when the pump ends, however it ends.
 *
 * The guard leads the process group of its host, which no process in it can leave. It watches a
 * pipe that only the pump holds open. It measures what the kernel does not limit without
 * privileges: the memory and the number of processes of a tree, and the disk space of a work
 * directory.
 */
#ifndef BATON_SRC_SANDBOX_GUARD_H
#define BATON_SRC_SANDBOX_GUARD_H

#include <sys/types.h>

#include "sandbox/launch.h"

/* Limits for a host and everything it started together. The memory limit is in the launch. */
enum {
    BT_GUARD_PROCESSES_MAX = 64,
    BT_GUARD_FILES_MAX = 20000, /* files and folders in the work directory */
    BT_GUARD_DEPTH_MAX = 32,    /* nesting of folders */
    BT_GUARD_DISK_MB = 1024,    /* files in the work directory, and open files without a name */
};

struct bt_host_guard_fds {
    int pump; /* sends the process id of the host, and is closed when the pump ends */
    int log;  /* standard error of the host, for the reason of a kill */
};

/* Runs in a new process of the pump, with every signal blocked; never returns. Calls nothing that
 * is not async-signal-safe. */
_Noreturn void bt_host_guard_run(const struct bt_host_launch *launch,
                                 const struct bt_host_guard_fds *fds);

#endif
