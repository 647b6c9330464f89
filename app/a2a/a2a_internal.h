/* SPDX-License-Identifier: Apache-2.0 */
/* a2a_internal.h - one A2A request in progress, for the files of this folder. */
#ifndef BATON_APP_A2A_A2A_INTERNAL_H
#define BATON_APP_A2A_A2A_INTERNAL_H

#include <baton/json.h>

#include "a2a/a2a.h"
#include "base/buf.h"
#include "deliver/task.h"
#include "json/emit.h"

/* Codes of JSON-RPC and of A2A. */
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

/* A request that was parsed. */
struct a2a_request {
    struct a2a *a2a;
    enum a2a_binding binding;
    enum a2a_operation operation;
    bt_str id; /* of the JSON-RPC request, as it was written; "": the error has no id */
    const struct bt_json_doc *document;
    const bt_json_value *params; /* an object */
    struct bt_buf result;        /* JSON value */
    bool is_answered;            /* an error was put */
};

enum { A2A_TEXT_BYTES_MAX = 256 << 20 };

/* ---- Answers (errors.c) ---------------------------------------------------------------------- */

/* Put an error. Returns BT_OK, so that it can end an operation. */
enum bt_status a2a_respond_error(struct a2a_request *request, enum a2a_code code,
                                 const char *message);
/* Put the error for invalid params; `field` says which. */
enum bt_status a2a_respond_field_error(struct a2a_request *request, const char *field, bt_str why);
/* Put the error for an operation that failed or rejected its arguments. */
enum bt_status a2a_respond_result_error(struct a2a_request *request,
                                        const struct bt_result *answer);
/* Refuse the request, because the caller lacks a scope. */
enum bt_status a2a_respond_scope_error(struct a2a_request *request, const char *scope);
/* Put a result in the form of the binding, ended by a line feed. */
void a2a_put_result(struct a2a *a2a, enum a2a_binding binding, bt_str id, bt_str result);

/* Continue with a message that was pending. */
BT_MUST_USE enum bt_status a2a_send_end(struct a2a_send_state *sending);
/* The request of a pending message. */
struct a2a_request *a2a_request_read(const struct a2a_send_state *sending);

/* ---- Params ---------------------------------------------------------------------------------- */

/* A member of the params, or NULL. */
const bt_json_value *a2a_param(const struct a2a_request *request, const char *name);
/* The text of a member of the params; "" when it is absent or not a string. */
bt_str a2a_param_text(const struct a2a_request *request, const char *name);
/* The id of the requested task. False after an error: there is none. */
BT_MUST_USE bool a2a_param_id(struct a2a_request *request, bt_str *out);
/*
 * A number of the params within the range; *out is unchanged when it is absent. False after an
 * error.
 */
bool a2a_param_number(struct a2a_request *request, const char *name, const uint64_t range[2],
                      uint64_t *out);
/* The source text of a value. */
bt_str a2a_value_source(const struct bt_json_doc *document, const bt_json_value *value);
/* The text of a member of the root; "" when there is none. */
bt_str a2a_member_text(const struct bt_json_doc *document, const char *name);

/* The source text of a value on one line, in the arena. BT_ENOMEM: the arena reached its limit. */
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

/* The extensions in a list of names, separated by commas. */
unsigned a2a_extensions_of(bt_str list);
/* The extensions that a message uses: it lists them, or has their metadata. */
unsigned a2a_extensions_used(const struct bt_json_doc *document, const bt_json_value *message);
/*
 * Put the member `capabilities.extensions` of the card, with `includes_defaults` also members that
 * have their default value.
 */
void a2a_put_extension_cards(struct bt_emit *emit, bool includes_defaults);

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* What the state of a task depends on. */
enum a2a_status_source {
    A2A_STATUS_SOURCE_FIXED = 1, /* on nothing: it does not change */
    A2A_STATUS_SOURCE_INBOX,     /* on the item in its inbox */
    A2A_STATUS_SOURCE_APPROVAL,  /* on a person's decision */
    A2A_STATUS_SOURCE_GOVERNED,  /* on the responses of the target */
};

/* The state of a task. Texts are in the arena. */
struct a2a_status {
    enum a2a_status_source kind;
    bt_str state;       /* "COMPLETED", without the prefix */
    bt_str time;        /* UTC with milliseconds */
    bt_str text;        /* for people: codes, or what the task waits for; "": none */
    bt_str data;        /* the details for programs, a JSON object; "": none */
    bt_str key;         /* of the item, approval or handoff that it depends on */
    bt_str fingerprint; /* of the approval */
    enum bt_dialect_id dialect;
    bt_str verdict;
    bt_str codes;        /* JSON array */
    uint64_t seq;        /* of the decision; BT_LEDGER_SEQ_NONE: not recorded */
    uint64_t answer_seq; /* of the newest response; BT_LEDGER_SEQ_NONE: none */
};

/* True when the state is final; true when the task waits for the caller. */
bool a2a_is_final(bt_str state);
bool a2a_is_waiting(bt_str state);

/* Write what is stored in the row: everything but what is derived later. */
BT_MUST_USE enum bt_status a2a_status_write(struct bt_arena *arena, const struct a2a_status *status,
                                            bt_str *out);
/* Read the stored state, and derive the current one from the store. */
BT_MUST_USE enum bt_status a2a_status_read(struct a2a *a2a, bt_str text, struct a2a_status *out);
/* The time of an entry with milliseconds. */
BT_MUST_USE enum bt_status a2a_format_time(struct bt_arena *arena, bt_str time, bt_str *out);
BT_MUST_USE enum bt_status a2a_format_now(struct a2a *a2a, bt_str *out);
/* An entry, or the document of one, as JSON; NULL when there is none that can be trusted. */
BT_MUST_USE enum bt_status a2a_put_entry(struct a2a *a2a, uint64_t seq,
                                         const struct bt_json_doc **out);
BT_MUST_USE enum bt_status a2a_document(struct a2a *a2a, uint64_t seq,
                                        const struct bt_json_doc **out);

/* The caller's task with this id. BT_ENOENT: the caller has no such task. */
BT_MUST_USE enum bt_status a2a_task_find(struct a2a *a2a, bt_str id, struct bt_task *out);

/* Which parts of a task are shown. */
struct a2a_task_view {
    bool has_history_length;
    uint64_t history_length;
    bool has_no_artifacts;
};

/* Put a task with its current state as an object. */
BT_MUST_USE enum bt_status a2a_put_task(struct a2a *a2a, struct bt_emit *emit,
                                        const struct bt_task *task,
                                        const struct a2a_task_view *view);
/* Put the status of a task as an object. */
void a2a_put_status(struct bt_emit *emit, const struct bt_task *task,
                    const struct a2a_status *status);
struct a2a_artifact_range {
    uint64_t first;
    uint64_t end; /* the number after the last */
};

/* Put the artifacts of a task that are in the range; *out_count is their total number. */
BT_MUST_USE enum bt_status a2a_put_artifacts(struct a2a *a2a, struct bt_emit *emit,
                                             const struct bt_task *task,
                                             const struct a2a_status *status,
                                             const struct a2a_artifact_range *range,
                                             uint64_t *out_count);

/* ---- Operations ------------------------------------------------------------------------------ */

typedef enum bt_status a2a_run_fn(struct a2a_request *request);

a2a_run_fn a2a_send;
a2a_run_fn a2a_get;
a2a_run_fn a2a_list;
a2a_run_fn a2a_cancel;
a2a_run_fn a2a_subscribe;

/* Answer with the task; continue as a stream if the operation is one. */
BT_MUST_USE enum bt_status a2a_respond_with_task(struct a2a_request *request,
                                                 const struct bt_task *task);

/* ---- Messages (message.c) -------------------------------------------------------------------- */

enum a2a_action { A2A_ACTION_SUBMIT = 1, A2A_ACTION_CHECK, A2A_ACTION_REPAIR };

/* A message that was read and is well formed. */
struct a2a_message {
    bt_str source; /* the whole message */
    bt_str id;
    bt_str context; /* "": a new one */
    bt_str task;    /* "": a new one */
    enum a2a_action act;
    bt_str dialect; /* "": recognise it */
    const bt_json_value *options;
    bool has_document;
    bt_str text;      /* of the document */
    bt_str path;      /* for recognition */
    bool is_decision; /* it answers an approval request ... */
    bool is_approved;
    bt_str fingerprint;
    bt_str replay_id; /* of the envelope, or "" */
    bool is_expired;  /* the envelope has expired */
};

/* Read the message of a request. *out_fits is false after an error. */
BT_MUST_USE enum bt_status a2a_message_read(struct a2a_request *request, struct a2a_message *out,
                                            bool *out_fits);

#endif
