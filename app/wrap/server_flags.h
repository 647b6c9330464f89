/* SPDX-License-Identifier: Apache-2.0 */
/* server_flags.h - the server that the commands of wrap name: its command, name and lock. */
#ifndef BATON_APP_WRAP_SERVER_FLAGS_H
#define BATON_APP_WRAP_SERVER_FLAGS_H

#include "cli/run.h"
#include "wrap/lock.h"
#include "wrap/wrap.h"

/* The server of a run. */
struct wrap_server {
    bt_str name;
    bt_str entry_name;                       /* in wrap.servers, or "" */
    struct bt_wrap_server_settings settings; /* of the entry */
    struct bt_str_list words;                /* of its command */
    bool is_upstream;               /* it is reached over HTTP, and the only word is its URL */
    bt_str program;                 /* the file that the command runs, or "" */
    size_t program_word;            /* which word that is; their number: none */
    struct bt_server_command start; /* for execve() */
};

/* Read the command behind `--`, the entry that the operand names or --upstream, --name and --env.
 * False after an error message. */
bool wrap_take_server(struct cli_run *run, struct wrap_server *out);

/* True when the host of a URL is this machine: localhost or a loopback address. */
bool wrap_host_is_local(bt_str host);
/* Read --upstream and the flags that belong to it: everything but --name. False after an error
 * message. */
bool wrap_take_upstream(struct cli_run *run, struct wrap_server *server);
/* Set the limits of such a server, whose name is known now, from the configuration. False after an
 * error message. */
bool wrap_limit_upstream(struct cli_run *run, const struct wrap_server *server);
/*
 * Read --sandbox, --read, --write and --allow, and make the server's private folder. False after an
 * error message.
 */
bool wrap_take_sandbox(struct cli_run *run, struct wrap_server *server);

/* The lock of a run. */
struct wrap_lock_file {
    const char *path;
    bool is_there;
    bt_str bytes;
    struct bt_wrap_lock lock;
};

/*
 * Read the lock that --lock names, or else baton.mcp.lock in the current folder. A file that does
 * not exist is an empty lock; with `must_exist` one that --lock names must be there. False after an
 * error message.
 */
bool wrap_read_lock(struct cli_run *run, bool must_exist, struct wrap_lock_file *out);
/* Read the lock at a path, which must be there. False after an error message. */
bool wrap_read_lock_at(struct cli_run *run, const char *path, struct wrap_lock_file *out);
/*
 * Set an entry of a lock that was read, and write it if that changes it. What others have written
 * since is kept; when they have changed this entry, nothing is written. `out_sha256` is the digest
 * of the lock as it is now, or NULL. False after an error message.
 */
bool wrap_write_lock(struct cli_run *run, const struct wrap_lock_file *file,
                     const struct bt_wrap_entry *entry, char out_sha256[BT_SHA256_HEX_BYTES]);
/* Check the digests of a lock. False after an error message: somebody edited it. */
bool wrap_check_lock(struct cli_run *run, const struct wrap_lock_file *file);

/* Set what an entry says about a server's command: digests, package and program. `lock_path` is
 * that of the lock. False after an error message. */
bool wrap_describe_command(struct cli_run *run, const struct wrap_server *server,
                           const char *lock_path, struct bt_wrap_entry *out);

/* The memory and environment of a run. */
static inline struct bt_wrap_memory wrap_memory(struct cli_run *run)
{
    return (struct bt_wrap_memory){&run->arena, &run->env};
}

#endif
