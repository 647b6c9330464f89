/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - a handler's settings in the organism -> everything needed to start its host.
 *
 * A launch is made once and used for every start of the host. It holds everything that the child
 * needs between fork() and execve(), so that nothing has to be decided, or allocated, there.
 */
#ifndef BATON_SRC_SANDBOX_LAUNCH_H
#define BATON_SRC_SANDBOX_LAUNCH_H

#include "sandbox/host_spec.h"
#include "sandbox/landlock.h"
#include "sandbox/python.h"
#include "sandbox/seccomp_filter.h"
#include "sandbox/support.h"

/* What all hosts of an organism share. Everything is borrowed and must outlive the launches. */
struct bt_host_launch_context {
    bt_str root;                         /* the organism's folder, absolute */
    int root_fd;                         /* the organism's folder, open */
    bt_str search_path;                  /* PATH of the pump */
    bt_str baton;                        /* absolute path of the program `baton`, for C handlers */
    const struct bt_host_python *python; /* NULL when no listener needs it */
    struct bt_sandbox_support use; /* the mechanisms to use: those of the kernel, less --without */
    uint32_t disk_mb;              /* bound of a work directory; 0: the default */
    bool drop_user;                /* `sandbox_user`: run hosts as uid and gid */
    uint32_t uid;
    uint32_t gid;
};

/* Serve on two descriptors, in a process of its own; returns its exit status. A callback, because
 * what is served belongs to a layer above. */
typedef int bt_server_serve_fn(const void *served, int input, int output);

struct bt_host_launch {
    const char *program;
    char *const *argv; /* both end in NULL */
    char *const *environment;
    const char *work; /* absolute; the host's working directory */
    bt_str script;    /* what the host finds on descriptor 0; empty: /dev/null */
    bool stdio;
    bool is_server; /* a wrapped server: pipes on 0 and 1, our 2, SIGTERM when its parent ends */
    bool is_open;   /* no sandbox; only for servers */
    bt_server_serve_fn *serve; /* run in the process instead of a program; NULL: none */
    const void *served;        /* for `serve` */
    bool allow_exec;
    uint32_t memory_mb; /* of each process, and of all of them together; 0, for servers: no limit */
    uint32_t disk_mb;   /* of the work directory */
    struct bt_sandbox_support use;
    struct bt_sandbox_grants grants;
    struct bt_seccomp_filter filter;
    bool drop_user;
    uint32_t uid;
    uint32_t gid;
};

/*
 * Make the launch of a handler whose private folder is `work` (absolute, existing). Reads the disk
 * to find programs and code; runs nothing. Everything is in the arena.
 *
 * BT_ENOENT: the program is not there. BT_EINVAL: no Python was given for a Python handler. BT_EIO:
 * the disk could not be read. BT_ENOMEM: out of memory. `error` says more.
 */
BT_MUST_USE enum bt_status bt_host_launch_make(struct bt_arena *arena,
                                               const struct bt_host_launch_context *context,
                                               const struct bt_host_spec *spec, bt_str work,
                                               struct bt_host_launch *out, struct bt_error *error);

#endif
