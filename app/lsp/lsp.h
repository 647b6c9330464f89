/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lsp.h - a server of the Language Server Protocol 3.17, independent of its transport: bytes in,
 * frames out.
 *
 * The server writes no file, opens no connection, starts no process and loads no handler. It
 * changes the current directory to the workspace folder of the document it works on, so that paths
 * mean what they mean to `baton check` in that folder.
 */
#ifndef BATON_APP_LSP_LSP_H
#define BATON_APP_LSP_LSP_H

#include <baton/check.h>

#include "engine/check.h"

enum {
    LSP_FRAME_BYTES_MAX = 33554432,
    LSP_HEADER_BYTES_MAX = 4096,
    LSP_DOCUMENTS_MAX = 1000,
    LSP_DIAGNOSTICS_MAX = 1000, /* of one document */
    LSP_COMPLETIONS_MAX = 200,
    LSP_FOLDERS_MAX = 100, /* workspace folders */
    LSP_TEXT_BYTES_MAX = 64 << 20,
};

/* What a client sets instead of the flags; a text with a NULL pointer is not set. */
struct lsp_settings {
    bt_str config;
    bt_str root;
    bt_str organism;
    bt_str input;
    struct bt_str_list skills; /* items NULL: not set */
};

struct config_select;  /* see config/select.h */
struct bt_ignore_list; /* see pattern/ignore.h */

/* How the documents of one folder are judged: the configuration, and what the flags name. */
struct lsp_workspace {
    struct bt_env *env;
    struct bt_check_options options;      /* with a checker, and without a dialect */
    const struct config_select *select;   /* levels, ignore and baseline; NULL: none */
    const struct bt_ignore_list *include; /* NULL: every document is judged ... */
    const struct bt_ignore_list *exclude; /* ... unless one of these patterns matches; NULL: none */
    bt_str root;                          /* absolute; "": not given */
    bt_str governed_root;                 /* absolute; "": none is open */
    bt_str organism_path;                 /* absolute; "": not given */
    bt_str docs_url; /* of the page of rules, to which `#CODE` is added; "": none */
    void *owner;     /* of the program */
};

/*
 * What the program gives to the server. A callback, because flags and configuration belong to the
 * command line, which lies above this folder.
 */
struct lsp_program {
    struct bt_env *env; /* for messages: limits, and the seed of hashes */
    void *context;
    /*
     * Open the workspace of the current directory. NULL: the configuration or a file that the
     * settings name cannot be used; `error` says why.
     */
    struct lsp_workspace *(*open)(void *context, const struct lsp_settings *settings,
                                  struct bt_error *error);
    void (*close)(void *context, struct lsp_workspace *workspace);
};

struct lsp_server;

/*
 * Make a server; destroy it with lsp_server_destroy(). `program` must outlive it. NULL: there is
 * not enough memory.
 */
BT_MUST_USE struct lsp_server *lsp_server_create(const struct lsp_program *program);
/* Destroy it, with all its documents. NULL is allowed. */
void lsp_server_destroy(struct lsp_server *server);

/* What a server does next. Zero: it wants more bytes. */
enum lsp_state {
    LSP_RUNNING = 0,
    LSP_ENDED,  /* `exit` was received: see lsp_server_exit_code() */
    LSP_BROKEN, /* a frame is malformed: the next one cannot be found */
};

/* Add bytes from the client; nothing is handled yet. BT_ELIMIT, BT_ENOMEM: they do not fit. */
BT_MUST_USE enum bt_status lsp_server_receive(struct lsp_server *server, bt_str bytes);
/* Handle the messages that are complete, in order, and put the answers to lsp_server_output(). */
BT_MUST_USE enum lsp_state lsp_server_handle(struct lsp_server *server);
/* Publish what changed since the last publication. Call it when no more bytes have arrived. */
void lsp_server_publish(struct lsp_server *server);
/* The frames to send; the caller clears the buffer when they are sent. */
struct bt_buf *lsp_server_output(struct lsp_server *server);
/* True when a whole frame or more is waiting, so that reading more can be deferred. */
bool lsp_server_is_full(const struct lsp_server *server);
/* The process that started the server, as `initialize` gives it; 0: not given. */
int64_t lsp_server_process_id(const struct lsp_server *server);
/* 0 after `shutdown`, else 1. */
int lsp_server_exit_code(const struct lsp_server *server);

/*
 * Serve on two descriptors until the client ends it. Returns the exit code: 0 after `shutdown`, 1
 * without it, 2 after a malformed frame; `error` is set for 2.
 */
int lsp_serve(struct lsp_server *server, int input, int output, struct bt_error *error);

#endif
