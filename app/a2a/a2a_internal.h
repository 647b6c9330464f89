/* SPDX-License-Identifier: Apache-2.0 */
/*
 * a2a_internal.h - one request on its way, for the files of this folder.
 */
#ifndef BATON_APP_A2A_A2A_INTERNAL_H
#define BATON_APP_A2A_A2A_INTERNAL_H

#include <baton/json.h>
#include <baton/task.h>

#include "a2a/a2a.h"

/* Codes of JSON-RPC and of the protocol. */
enum a2a_code {
    A2A_PARSE_ERROR = -32700,
    A2A_INVALID_REQUEST = -32600,
    A2A_UNKNOWN_METHOD = -32601,
    A2A_INVALID_PARAMS = -32602,
    A2A_INTERNAL = -32603,
    A2A_TASK_UNKNOWN = -32001,
    A2A_NOT_CANCELABLE = -32002,
    A2A_NO_PUSH = -32003,
    A2A_UNSUPPORTED = -32004,
    A2A_CONTENT_TYPE = -32005,
    A2A_VERSION = -32009,
};

/* A request that was read. */
struct a2a_request {
    struct a2a *a2a;
    enum a2a_binding binding;
    enum a2a_operation operation;
    bt_str id; /* of the JSON-RPC request, as it was written; "": the error has none */
    const struct bt_json_doc *document;
    const bt_json_value *params; /* an object */
    struct bt_buf result;        /* JSON value */
    bool is_answered;            /* an error was put */
};

enum { A2A_TEXT_BYTES_MAX = 256 << 20 };

/* ---- Answers (errors.c) ---------------------------------------------------------------------- */

/* Refuse. Returns BT_OK, so that it can end an operation. */
enum bt_status a2a_respond_error(struct a2a_request *request, enum a2a_code code,
                                 const char *message);
/* Refuse bad params: `field` says which. */
enum bt_status a2a_respond_field_error(struct a2a_request *request, const char *field, bt_str why);
/* Refuse for what an operation of the service could not use, or could not do. */
enum bt_status a2a_respond_result_error(struct a2a_request *request,
                                        const struct bt_result *answer);
/* The caller lacks a scope. */
enum bt_status a2a_respond_scope_error(struct a2a_request *request, const char *scope);
/* Put a result in the form of the binding, ended by a line feed. */
void a2a_put_result(struct a2a *a2a, enum a2a_binding binding, bt_str id, bt_str result);

/* Go on with a message that was late. */
BT_MUST_USE enum bt_status a2a_send_end(struct a2a_send_state *sending);
/* The request that it came with. */
struct a2a_request *a2a_request_read(const struct a2a_send_state *sending);

/* ---- Params ---------------------------------------------------------------------------------- */

const bt_json_value *a2a_param(const struct a2a_request *request, const char *name);
/* Its text; "" when it is no string. */
bt_str a2a_param_text(const struct a2a_request *request, const char *name);
/* The id of the task that is meant. False after an error: there is none. */
BT_MUST_USE bool a2a_param_id(struct a2a_request *request, bt_str *out);
/* A number from `min` to `max`; `otherwise` when it is not there. False after an error. */
bool a2a_param_number(struct a2a_request *request, const char *name, const uint64_t range[2],
                      uint64_t *out);
/* The text of a value, as it stands in the source. */
bt_str a2a_value_source(const struct bt_json_doc *document, const bt_json_value *value);

/* The same on one line, in the arena. */
BT_MUST_USE enum bt_status a2a_put_compact(struct bt_arena *arena,
                                           const struct bt_json_doc *document,
                                           const bt_json_value *value, bt_str *out);

/* ---- Extensions (extensions.c) --------------------------------------------------------------- */

enum a2a_extension {
    A2A_SCHEMA_CONTRACT = 1,
    A2A_RECEIPT = 2,
    A2A_ACTOR_CHAIN = 4,
    A2A_TRACE_CONTEXT = 8,
    A2A_GOVERNED_ENVELOPE = 16,
};

#define A2A_HANDOFF_KEY "urn:baton:a2a:handoff:v1"
#define A2A_APPROVAL_KEY "urn:baton:a2a:approval:v1"
#define A2A_ENVELOPE_KEY "urn:baton:a2a:governed-envelope:v1"
#define A2A_TRACE_KEY "urn:baton:a2a:trace-context:v1"

/* Those that a list of names, separated by commas, has. */
unsigned a2a_extensions_of(bt_str list);
/* Those that a message uses: it lists them, or has metadata of theirs. */
unsigned a2a_extensions_used(const struct bt_json_doc *document, const bt_json_value *message);
/* Put the member `capabilities.extensions` of the card, also what is so by default. */
void a2a_put_extension_cards(struct bt_emit *emit, bool includes_defaults);

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* What the state of a task depends on. */
enum a2a_status_source {
    A2A_STATUS_SOURCE_FIXED = 1, /* on nothing: it is what it is */
    A2A_STATUS_SOURCE_INBOX,     /* on the item in its inbox */
    A2A_STATUS_SOURCE_APPROVAL,  /* on a person's decision */
    A2A_STATUS_SOURCE_GOVERNED,  /* on the answers of the target */
};

/* How a task stands. Texts are in the arena. */
struct a2a_status {
    enum a2a_status_source kind;
    bt_str state;       /* "COMPLETED", without the prefix */
    bt_str time;        /* UTC with milliseconds */
    bt_str text;        /* for people: codes, or what is waited for; "" for none */
    bt_str data;        /* the same for programs, a JSON object; "" for none */
    bt_str key;         /* of the item, approval or handoff that it depends on */
    bt_str fingerprint; /* of the approval */
    bt_str dialect;
    bt_str verdict;
    bt_str codes;        /* JSON array */
    uint64_t seq;        /* of the decision; BT_LEDGER_SEQ_NONE: none was recorded */
    uint64_t answer_seq; /* of the newest answer; the same */
};

/* Whether nothing more can come of it; and whether it waits for the caller. */
bool a2a_is_final(bt_str state);
bool a2a_is_waiting(bt_str state);

/* What is written into the row: everything but what is looked up later. */
BT_MUST_USE enum bt_status a2a_status_write(struct bt_arena *arena, const struct a2a_status *status,
                                            bt_str *out);
/* Read it back, and look up how it stands now. */
BT_MUST_USE enum bt_status a2a_status_read(struct a2a *a2a, bt_str text, struct a2a_status *out);
/* A time of an entry with milliseconds. */
BT_MUST_USE enum bt_status a2a_format_time(struct bt_arena *arena, bt_str time, bt_str *out);
BT_MUST_USE enum bt_status a2a_format_now(struct a2a *a2a, bt_str *out);
/* An entry, or the document of one, as JSON; NULL when there is none that can be believed. */
BT_MUST_USE enum bt_status a2a_put_entry(struct a2a *a2a, uint64_t seq,
                                         const struct bt_json_doc **out);
BT_MUST_USE enum bt_status a2a_document(struct a2a *a2a, uint64_t seq,
                                        const struct bt_json_doc **out);

/* The task of this id, if it is the caller's. BT_ENOENT: for the caller there is none. */
BT_MUST_USE enum bt_status a2a_task_find(struct a2a *a2a, bt_str id, struct bt_task *out);

/* What is shown of a task. */
struct a2a_task_view {
    bool has_history_length;
    uint64_t history_length;
    bool has_no_artifacts;
};

/* Put a task as an object, with how it stands now. */
BT_MUST_USE enum bt_status a2a_put_task(struct a2a *a2a, struct bt_emit *emit,
                                        const struct bt_task *task,
                                        const struct a2a_task_view *view);
/* Put its status as an object. */
void a2a_put_status(struct bt_emit *emit, const struct bt_task *task,
                    const struct a2a_status *status);
/* Put the items of its artifacts from `first` on; *out_count is how many it has. */
BT_MUST_USE enum bt_status a2a_put_artifacts(struct a2a *a2a, struct bt_emit *emit,
                                             const struct bt_task *task,
                                             const struct a2a_status *status, uint64_t first,
                                             uint64_t *out_count);

/* ---- Operations ------------------------------------------------------------------------------ */

typedef enum bt_status a2a_run_fn(struct a2a_request *request);

a2a_run_fn a2a_send;
a2a_run_fn a2a_get;
a2a_run_fn a2a_list;
a2a_run_fn a2a_cancel;
a2a_run_fn a2a_subscribe;

/* The result is the task; it goes on as a stream when that was asked for. */
BT_MUST_USE enum bt_status a2a_respond_with_task(struct a2a_request *request,
                                                 const struct bt_task *task);

/* ---- Messages (message.c) -------------------------------------------------------------------- */

enum a2a_action { A2A_ACTION_SUBMIT = 1, A2A_ACTION_CHECK, A2A_ACTION_REPAIR };

/* A message that was read and found well formed. */
struct a2a_message {
    bt_str source; /* the whole of it */
    bt_str id;
    bt_str context; /* "": a new one */
    bt_str task;    /* "": a new one */
    enum a2a_action act;
    bt_str dialect; /* "": recognise it */
    const bt_json_value *options;
    bool has_document;
    bt_str text;      /* of the document */
    bt_str path;      /* for recognition */
    bool is_decision; /* it answers a request for consent ... */
    bool is_approved;
    bt_str fingerprint;
    bt_str replay_id; /* of the envelope, or "" */
    bool is_expired;  /* the envelope's time is over */
};

/* Read the message of a request. False after an error. */
BT_MUST_USE enum bt_status a2a_message_read(struct a2a_request *request, struct a2a_message *out,
                                            bool *out_fits);

#endif
