/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lsp_internal.h - the state of a server, and what its files share.
 *
 *     bytes -> frame -> message -> row of a method -> answer
 *                                \-> change of a document -> judgement -> diagnostics
 */
#ifndef BATON_APP_LSP_LSP_INTERNAL_H
#define BATON_APP_LSP_LSP_INTERNAL_H

#include <baton/json.h>

#include "json/emit.h"
#include "lsp/lsp.h"
#include "lsp/text.h"

/* ---- Documents ------------------------------------------------------------------------------- */

/* A finding where it stands in the text. */
struct lsp_diagnostic {
    const struct bt_finding *finding;
    struct lsp_span span;
    bool has_position;
};

/* The last judgement of a document. Everything lives in its arena and points into the text. */
struct lsp_judged {
    struct bt_arena arena;
    enum bt_dialect_id dialect;             /* BT_DIALECT_NONE: it is not judged */
    const struct bt_check_options *options; /* that it was judged with */
    struct bt_judgement judgement;
    struct lsp_diagnostic *items;
    size_t count;
    struct bt_buf rendered; /* the diagnostics as a JSON array */
    uint64_t number;        /* of the result: changes with `rendered` */
};

/* An open document. */
struct lsp_document {
    struct bt_arena arena; /* holds this struct, its URI and its path */
    bt_str uri;
    bt_str path;     /* of a file: absolute; of an untitled document: its name */
    bool is_ignored; /* of another scheme, or too many are open: never judged */
    bool is_lost;    /* out of sync with the client */
    bool needs_check;
    bool needs_publish;
    bool was_published; /* the client may have diagnostics of it */
    int64_t version;
    struct bt_buf text;
    struct lsp_judged judged;
};

/* ---- The server ------------------------------------------------------------------------------ */

enum lsp_phase { LSP_PHASE_NEW = 0, LSP_PHASE_READY, LSP_PHASE_SHUT };

/* What `initialize` says about the client. */
struct lsp_client {
    enum lsp_encoding encoding;
    bool pulls_diagnostics;
    bool has_document_changes;
    int64_t process_id; /* 0: none */
};

/* A folder from which configuration is found. */
struct lsp_folder {
    bt_str path; /* absolute, without a slash at its end */
    struct lsp_workspace *workspace;
    bool has_failed; /* it could not be opened, and the client was told */
};

struct lsp_folders {
    struct bt_arena arena;                        /* of the paths */
    struct lsp_folder items[LSP_FOLDERS_MAX + 1]; /* the first: where the server was started */
    size_t count;
    const struct lsp_folder *current; /* the current directory; NULL: unknown */
};

struct lsp_documents {
    struct lsp_document *items[LSP_DOCUMENTS_MAX * 2]; /* half of them can be ignored ones */
    size_t count;
};

struct lsp_server {
    struct bt_arena arena; /* holds this struct */
    const struct lsp_program *program;
    struct bt_buf input;
    size_t input_at; /* of the first byte that was not handled */
    size_t scan_at;  /* of the first byte that was not searched for cancellations */
    struct bt_buf output;
    struct bt_buf message;   /* that is being written */
    struct bt_buf result;    /* of the request that is being answered */
    struct bt_buf cancelled; /* ids of requests that are cancelled before they began, as JSON, each
                              * ended by LF */
    enum lsp_phase phase;
    bool has_exited;
    bool has_warned_of_documents;
    struct lsp_client client;
    struct bt_arena settings_arena;
    struct lsp_settings settings;
    struct lsp_folders folders;
    struct lsp_documents documents;
    uint64_t last_result;
};

/* ---- Messages -------------------------------------------------------------------------------- */

enum lsp_error {
    LSP_OK = 0,
    LSP_PARSE_ERROR = -32700,
    LSP_INVALID_REQUEST = -32600,
    LSP_METHOD_NOT_FOUND = -32601,
    LSP_INVALID_PARAMS = -32602,
    LSP_INTERNAL_ERROR = -32603,
    LSP_NOT_INITIALIZED = -32002,
    LSP_REQUEST_CANCELLED = -32800,
};

/* A request or notification that is being handled. */
struct lsp_request {
    struct lsp_server *server;
    struct bt_arena *arena; /* ends with the message */
    const struct bt_json_doc *message;
    const bt_json_value *params;     /* NULL: absent */
    struct lsp_document *document;   /* of rows that need one */
    struct lsp_workspace *workspace; /* of the document; NULL: it cannot be used */
    size_t offset;                   /* of params.position, in rows that need a position */
    struct bt_emit emit;             /* takes the result: one value */
};

/* Handle a message. Of a request the result is put to request->emit, or an error is returned. */
typedef enum lsp_error lsp_method_fn(struct lsp_request *request);

lsp_method_fn lsp_method_initialize;
lsp_method_fn lsp_method_did_open;
lsp_method_fn lsp_method_did_change;
lsp_method_fn lsp_method_did_close;
lsp_method_fn lsp_method_reload; /* a document is saved, or a file changed */
lsp_method_fn lsp_method_change_configuration;
lsp_method_fn lsp_method_change_folders;
lsp_method_fn lsp_method_diagnostic;
lsp_method_fn lsp_method_code_action;
lsp_method_fn lsp_method_hover;
lsp_method_fn lsp_method_completion;
lsp_method_fn lsp_method_definition;
lsp_method_fn lsp_method_formatting;
lsp_method_fn lsp_method_code_lens;

/* Handle the content of one frame. */
void lsp_handle_message(struct lsp_server *server, bt_str content);
/* Note the id when the content of a frame that was not handled yet cancels a request. */
void lsp_note_cancellation(struct lsp_server *server, bt_str content);

/* Begin a notification; its params are put next, and lsp_notification_end() ends it. */
struct bt_emit lsp_notification_begin(struct lsp_server *server, const char *method);
void lsp_notification_end(struct lsp_server *server, struct bt_emit *emit);
/* Show an error to the person who uses the client. */
void lsp_show_message(struct lsp_server *server, bt_str text);

/* A member of the params or of another object; NULL: absent. */
const bt_json_value *lsp_get(const struct lsp_request *request, const bt_json_value *object,
                             const char *name);
/* The text of a member. False: it is absent or not a string. */
bool lsp_get_text(const struct lsp_request *request, const bt_json_value *object, const char *name,
                  bt_str *out);
/* A position or a range. False: it is malformed. */
bool lsp_get_position(const struct lsp_request *request, const bt_json_value *value,
                      struct lsp_position *out);
bool lsp_get_range(const struct lsp_request *request, const bt_json_value *value,
                   struct lsp_range *out);

/* Put a range as an object. */
void lsp_emit_range(struct bt_emit *emit, struct lsp_range range);
/* Put the member `range` of a span of the request's document. */
void lsp_emit_span(struct lsp_request *request, struct lsp_span span);

/* ---- Documents of the server ----------------------------------------------------------------- */

/* The open document with this URI, or NULL. */
struct lsp_document *lsp_document_find(struct lsp_server *server, bt_str uri);
void lsp_document_destroy(struct lsp_document *document);
static inline bt_str lsp_document_text(const struct lsp_document *document)
{
    return bt_buf_str(&document->text);
}

/* The path that a file URI names, in the arena. False: it is not a URI of a local file. */
bool lsp_uri_to_path(struct bt_arena *arena, bt_str uri, bt_str *out);
/* The name of an untitled document, in the arena. False: it is not the URI of one. */
bool lsp_uri_to_name(struct bt_arena *arena, bt_str uri, bt_str *out);
/* Put the URI of a file at an absolute path. */
void lsp_uri_put(struct bt_buf *buf, bt_str path);

/* ---- Folders --------------------------------------------------------------------------------- */

/* Add a workspace folder; what is not a folder of this machine is ignored. */
void lsp_folder_add(struct lsp_server *server, bt_str uri);
void lsp_folder_remove(struct lsp_server *server, bt_str uri);
/*
 * Go to the folder that holds the document and open its workspace. NULL: it cannot be used; the
 * client was told.
 */
struct lsp_workspace *lsp_folder_enter(struct lsp_server *server,
                                       const struct lsp_document *document);
/* The path of a document as `baton check` in the entered folder would show it. */
bt_str lsp_shown_path(const struct lsp_server *server, const struct lsp_document *document);
/* True when an absolute path without `..` is below a workspace folder or the root. */
bool lsp_path_is_inside(const struct lsp_server *server, const struct lsp_workspace *workspace,
                        bt_str path);
/* Close all workspaces, so that their configuration is read again, and judge every document again.
 */
void lsp_folders_reload(struct lsp_server *server);

/* ---- Diagnostics ----------------------------------------------------------------------------- */

/* Judge a document that was changed, and render its diagnostics. */
void lsp_judge_document(struct lsp_server *server, struct lsp_document *document);
/* Tell a client to which diagnostics are pushed that a document has none. */
void lsp_publish_empty(struct lsp_server *server, bt_str uri);
/* Put a diagnostic as an object. The cursor is one of the document's text. */
void lsp_emit_diagnostic(struct bt_emit *emit, struct lsp_cursor *cursor, bt_str docs_url,
                         const struct lsp_diagnostic *diagnostic);

#endif
