/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_process.h - a program that talks on its standard input and output, in a process group of
 * its own. It gets SIGTERM when the thread that started it ends.
 */
#ifndef BATON_SRC_SANDBOX_SERVER_PROCESS_H
#define BATON_SRC_SANDBOX_SERVER_PROCESS_H

#include <sys/types.h>

#include "base/str.h"
#include "sandbox/launch.h"

struct bt_server_process {
    pid_t pid;     /* 0: not started; also the number of its group */
    int life_fd;   /* becomes readable when the process has ended */
    int input_fd;  /* to write to it; never blocks; -1: closed */
    int output_fd; /* to read from it; never blocks; -1: closed */
};

/* What a server may touch. All paths are absolute and end in NUL. */
struct bt_server_sandbox {
    struct bt_sandbox_support use; /* the mechanisms to use */
    bt_str home;                   /* its private folder, which it may write */
    bt_str work;                   /* its current folder */
    bt_str program_folder;         /* it may read it; "": none */
    struct bt_str_list readable;
    struct bt_str_list writable;
    bool allow_net;
    bool allow_exec;    /* run the programs of the system and of its own folder */
    uint32_t memory_mb; /* 0: no limit */
};

/* What is started. All lists end in NULL. */
struct bt_server_command {
    char *const *argv;        /* argv[0] is looked up in search_path unless it has a slash */
    char *const *environment; /* NAME=VALUE */
    bt_str search_path;
    const char *folder; /* where it runs without a sandbox; NULL: where we run */
    const struct bt_server_sandbox *sandbox; /* NULL: none */
    /* Run this in the process instead of a program; argv[0] is its name. NULL: a program. */
    bt_server_serve_fn *serve;
    const void *served;
};

/*
 * Start a program without a shell. Its standard error is ours; other descriptors are closed, and
 * signals have their default action. On BT_OK *out is closed with bt_server_process_close().
 *
 * With a sandbox the program is restricted before it runs, or does not run.
 *
 * BT_ENOENT: the program is missing. BT_EDENIED: it cannot be executed. BT_EIO: the system has no
 * process or descriptor left. BT_ENOMEM. `error` says more.
 */
BT_MUST_USE enum bt_status bt_server_process_start(struct bt_arena *arena,
                                                   const struct bt_server_command *command,
                                                   struct bt_server_process *out,
                                                   struct bt_error *error);

/* Close its standard input. May be repeated. */
void bt_server_process_close_input(struct bt_server_process *process);
/* Send a signal to the group. */
void bt_server_process_signal(const struct bt_server_process *process, int signal_number);

/* How it ended. */
struct bt_server_process_end {
    bool has_ended;
    bool was_signalled;
    int number; /* of the signal, or the exit status */
};

/* Whether it has ended, and how. Does not wait. */
struct bt_server_process_end bt_server_process_poll(struct bt_server_process *process);
/* Kill what is left of the group, reap the process, unless the kernel does not let it go, and close
 * everything. */
void bt_server_process_close(struct bt_server_process *process);

#endif
