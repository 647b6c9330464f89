/* SPDX-License-Identifier: Apache-2.0 */
/* server_query.h - a client of an MCP server that lists what the server shows. */
#ifndef BATON_APP_WRAP_SERVER_QUERY_H
#define BATON_APP_WRAP_SERVER_QUERY_H

#include "wrap/lock.h"
#include "wrap/wrap.h"

enum wrap_query_era { WRAP_QUERY_AUTO = 0, WRAP_QUERY_MODERN, WRAP_QUERY_LEGACY };

struct wrap_query_options {
    enum wrap_query_era era;
    bool with_resources;
    bool is_upstream; /* of wrap_query_process(): it is reached over HTTP */
};

/*
 * Start a server, ask who it is, list its tools, prompts, resource templates and perhaps resources,
 * and end it. Sets the instructions, the name, the version and the items of *out, which are in the
 * arena of `memory`. Each list is walked until two walks agree.
 *
 * BT_EIO: the server cannot be started, does not answer, or answers with an error; a list changes
 * each time. BT_ENOMEM. `error` says more.
 */
BT_MUST_USE enum bt_status wrap_query_server(const struct bt_wrap_memory *memory,
                                             const struct bt_server_command *command,
                                             const struct wrap_query_options *options,
                                             struct bt_wrap_entry *out, struct bt_error *error);

/* Query a server that was started, and close it; everything else as wrap_query_server(). */
BT_MUST_USE enum bt_status wrap_query_process(const struct bt_wrap_memory *memory,
                                              const struct bt_server_process *server,
                                              const struct wrap_query_options *options,
                                              struct bt_wrap_entry *out, struct bt_error *error);

struct cli_run;
struct wrap_server;

/*
 * Query the server of a run with the flags --era and --resources, and describe its command. It is
 * also asked for resources when `locked`, its entry of the lock or NULL, has some. All of *out is
 * set. False after an error message.
 */
bool wrap_query_shown(struct cli_run *run, const struct wrap_server *server, const char *lock_path,
                      const struct bt_wrap_entry *locked, struct bt_wrap_entry *out);
/*
 * Add a document about a server to the report of a run: what it shows now beside its entry of the
 * lock, of which one may be NULL (cmd_wrap_diff.c). False after an error message.
 */
bool wrap_diff_entries(struct cli_run *run, bt_str name, const struct bt_wrap_entry *locked,
                       const struct bt_wrap_entry *shown);

#endif
