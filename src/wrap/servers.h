/* SPDX-License-Identifier: Apache-2.0 */
/* servers.h - an entry of `wrap.servers`: how a server is started or reached. */
#ifndef BATON_SRC_WRAP_SERVERS_H
#define BATON_SRC_WRAP_SERVERS_H

#include "base/arena.h"
#include "base/str.h"

struct bt_config; /* see config/config.h */

/* Names and texts side by side: variables and their values, headers and variables. */
struct bt_wrap_pairs {
    const bt_str *names;
    const bt_str *texts;
    size_t count;
};

/* Numbered like the words of the configuration. */
enum bt_wrap_sandbox_mode {
    BT_WRAP_SANDBOX_OFF = 1,
    BT_WRAP_SANDBOX_AVAILABLE,
    BT_WRAP_SANDBOX_REQUIRED,
};

struct bt_wrap_sandbox {
    enum bt_wrap_sandbox_mode mode;
    struct bt_str_list read; /* paths */
    struct bt_str_list write;
    bool allows_net;
    bool allows_exec;
    uint64_t memory_mb; /* 0: not limited */
};

/* Texts end in NUL; "" and empty lists are absent. Paths are as seen from the current folder. */
struct bt_wrap_server_settings {
    struct bt_str_list command; /* or ... */
    bt_str url;                 /* neither: the entry only has a policy */
    bt_str cwd;
    struct bt_wrap_pairs env;
    struct bt_str_list env_from;
    bool has_env_from; /* the server gets the short environment */
    struct bt_wrap_pairs headers_env;
    bt_str bearer_env;
    bt_str ca;
    bool is_served;
    struct bt_str_list principals;
    bool has_principals; /* else all may use it */
    uint64_t idle_s;
    uint64_t processes;
    struct bt_wrap_sandbox sandbox;
};

/* The names of all entries, in the order of the configuration, in the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_servers_list(struct bt_arena *arena,
                                                const struct bt_config *config,
                                                struct bt_str_list *out);
/* Read the entry of a name, in the arena. BT_ENOENT: there is none. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_servers_read(struct bt_arena *arena,
                                                const struct bt_config *config, bt_str name,
                                                struct bt_wrap_server_settings *out);

#endif
