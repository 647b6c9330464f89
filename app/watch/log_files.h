/* SPDX-License-Identifier: Apache-2.0 */
/* log_files.h - files of a tlog-tiles log from a folder or a server. */
#ifndef BATON_APP_WATCH_LOG_FILES_H
#define BATON_APP_WATCH_LOG_FILES_H

#include "ledger/watch.h"
#include "net/http_client.h"

/* Read from a folder; the context is a `const char *`, its path. */
bt_log_read_fn watch_read_folder;

/* A server that is read. */
struct watch_server {
    struct http_url where;
    /* Asked before each request; true: the command is to end. */
    bool (*is_ending)(void);
};

/* Read from a server; the context is a struct watch_server. */
bt_log_read_fn watch_read_server;

#endif
