/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_file.h - the MCP servers in the settings of agent hosts: text -> servers, and the text of
 * one server changed.
 *
 * Only the text of that server is changed: everything else keeps its bytes. A file that cannot be
 * parsed is refused, never repaired.
 */
#ifndef BATON_APP_WRAP_HOST_FILE_H
#define BATON_APP_WRAP_HOST_FILE_H

#include <baton/json.h>

#include "base/error.h"
#include "base/str.h"

/* Where a host keeps its MCP servers. */
struct wrap_host {
    const char *name;
    const char *project_file; /* below the project directory */
    const char *user_file;    /* below the home directory; NULL: none */
    const char *member;       /* the object with the servers; NULL: the file is TOML */
    bool has_comments;        /* JSON with comments and trailing commas */
};

/* The host called `name`, or NULL. */
const struct wrap_host *wrap_host_find(const char *name);
/* The host at `index`, or NULL after the last. */
const struct wrap_host *wrap_host_at(size_t index);

/* How a host talks to a server. */
enum wrap_transport {
    WRAP_TRANSPORT_NONE = 0, /* the entry is not understood */
    WRAP_TRANSPORT_STDIO,
    WRAP_TRANSPORT_HTTP,
    WRAP_TRANSPORT_SSE,
};

/* A name and a value: a header, or a variable. */
struct wrap_pair {
    bt_str name;
    bt_str value;
};

struct wrap_toml_table; /* see host_toml.c */

/* A server in the settings of a host. */
struct wrap_host_server {
    bt_str name;
    struct bt_json_span span; /* of its text: the value, or the lines that a change concerns */
    enum wrap_transport transport;
    const char *problem; /* why it cannot be changed; NULL: it can */
    bt_str command;      /* "" when it has a URL */
    struct bt_str_list args;
    bt_str url;
    const struct wrap_pair *headers;
    size_t header_count;
    bt_str bearer_env;                   /* the variable with its token, or "" */
    const struct bt_json_member *member; /* NULL: the file is TOML */
    struct wrap_toml_table *table;       /* NULL: the file is JSON */
};

/* The settings of a host. */
struct wrap_host_text {
    const struct wrap_host *host;
    struct bt_arena *arena;
    bt_str text;
    const struct bt_json_doc *document; /* of the text without comments; NULL: it is TOML */
    struct wrap_host_server *servers;
    size_t count;
    size_t capacity;
};

/*
 * Read the settings of a host. The text must outlive *out. BT_EINVAL: they are not understood;
 * `error` says why. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status wrap_host_text_read(struct bt_arena *arena, const struct wrap_host *host,
                                               bt_str text, struct wrap_host_text *out,
                                               struct bt_error *error);
/* The server called `name`, or NULL. */
const struct wrap_host_server *wrap_host_text_find(const struct wrap_host_text *text, bt_str name);

/* True when the host runs the server behind `baton wrap`. */
bool wrap_host_server_is_wrapped(const struct wrap_host_server *server);

/* What a server's command is to be. What it has of a URL goes. */
struct wrap_host_change {
    bt_str command;
    struct bt_str_list args;
    const struct wrap_pair *variables; /* added to its environment */
    size_t variable_count;
};

/*
 * Make the text of a server, which has no problem, with another command. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status wrap_host_text_change(const struct wrap_host_text *text,
                                                 const struct wrap_host_server *server,
                                                 const struct wrap_host_change *change,
                                                 bt_str *out);
/* Make the whole text with that of one server replaced. BT_ENOMEM. */
BT_MUST_USE enum bt_status wrap_host_text_replace(const struct wrap_host_text *text,
                                                  const struct wrap_host_server *server,
                                                  bt_str part, bt_str *out);

/* ---- The two formats; for host_file.c -------------------------------------------------------- */

BT_MUST_USE enum bt_status wrap_host_json_read(struct wrap_host_text *text, struct bt_error *error);
BT_MUST_USE enum bt_status wrap_host_json_change(const struct wrap_host_text *text,
                                                 const struct wrap_host_server *server,
                                                 const struct wrap_host_change *change,
                                                 bt_str *out);
BT_MUST_USE enum bt_status wrap_host_toml_read(struct wrap_host_text *text, struct bt_error *error);
BT_MUST_USE enum bt_status wrap_host_toml_change(const struct wrap_host_text *text,
                                                 const struct wrap_host_server *server,
                                                 const struct wrap_host_change *change,
                                                 bt_str *out);

/* Add a server. BT_ENOMEM. */
BT_MUST_USE enum bt_status wrap_host_add_server(struct wrap_host_text *text,
                                                const struct wrap_host_server *server);

struct bt_edit_list; /* see edit/edit.h */

/* Add an edit in any order. BT_ENOMEM. */
BT_MUST_USE enum bt_status wrap_host_add_edit(const struct wrap_host_text *text,
                                              struct bt_edit_list *edits, struct bt_json_span span,
                                              bt_str with);
/* The text of a server with the edits made, which all lie within its span. BT_ENOMEM. */
BT_MUST_USE enum bt_status wrap_host_apply_edits(const struct wrap_host_text *text,
                                                 const struct wrap_host_server *server,
                                                 struct bt_edit_list *edits, bt_str *out);

#endif
