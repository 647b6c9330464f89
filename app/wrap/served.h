/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served.h - a wrapped server of `baton serve`: what `baton wrap SERVER` does, for a client in this
 * process and on a thread of the caller.
 */
#ifndef BATON_APP_WRAP_SERVED_H
#define BATON_APP_WRAP_SERVED_H

#include "config/config.h"
#include "ledger/ledger.h"
#include "wrap/wrap.h"

struct bt_wrap_spending; /* see src/wrap/spending.h */
struct bt_json_doc;
struct bt_wrap_shared_tools; /* see src/wrap/texts.h */

/* A server, for whom it runs, and what it shares with others. */
struct wrap_served {
    bt_str name;                    /* of its entry in wrap.servers; ends in NUL */
    bt_str actor;                   /* for records, approvals and keys */
    const struct bt_config *config; /* outlives the run, as everything here does */
    const struct bt_limits *limits;
    const struct bt_ledger_options *store;
    struct bt_ledger_writer *writer;   /* of that store; NULL: nothing is recorded */
    struct bt_wrap_spending *spending; /* of this server and actor */
    const struct wrap_client *client;
    const struct bt_wrap_meter *meter; /* of calls */
    /* Called before the server runs, for each tool of the lock: the root is its definition. */
    void (*show_tool)(void *context, const struct bt_json_doc *definition);
    const struct bt_wrap_shared_tools *shared_tools; /* of all servers of this process */
};

/*
 * Start the server, and pass messages until the client has ended or the server has. Errors are told
 * on standard error. WRAP_END_FAILED: it could not be started, or the system failed.
 */
enum wrap_end wrap_served_run(const struct wrap_served *served);

enum wrap_served_answer {
    WRAP_SERVED_DONE = 1,
    WRAP_SERVED_NO_LOCK,
    WRAP_SERVED_FAILED, /* the server cannot be asked, or the lock cannot be used */
};

/* Put the report of `baton wrap diff` about a server as JSON. Errors are told on standard error. */
enum wrap_served_answer wrap_served_diff(const struct wrap_served *served, struct bt_buf *out);

#endif
