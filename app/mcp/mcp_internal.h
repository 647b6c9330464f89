/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_internal.h - one message on its way, for the files of this folder.
 */
#ifndef BATON_APP_MCP_MCP_INTERNAL_H
#define BATON_APP_MCP_MCP_INTERNAL_H

#include "mcp/mcp.h"

/* Codes of JSON-RPC and of the protocol. */
enum mcp_code {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_UNKNOWN_METHOD = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_RESOURCE_NOT_FOUND = -32002, /* legacy */
    MCP_HEADER_MISMATCH = -32020,
    MCP_CAPABILITY_MISSING = -32021,
    MCP_VERSION_UNSUPPORTED = -32022,
};

/* Statuses of HTTP. */
enum { MCP_DONE = 200, MCP_ACCEPTED = 202, MCP_BAD_REQUEST = 400, MCP_NOT_FOUND = 404 };

/* A request. */
struct mcp_request {
    struct mcp *mcp;
    struct bt_arena arena; /* holds the request itself */
    const struct bt_json_doc *document;
    bt_str id; /* as it was written; "": the error has none */
    bt_str method;
    const bt_json_value *params; /* an object, or NULL */
    bool is_modern;
    unsigned can; /* of enum mcp_can */
    struct bt_buf *out;
    struct bt_emit emit; /* of the result */
    bt_str subscription; /* that the result ends, or "" */
};

enum { MCP_ARENA_BYTES_MAX = 512 << 20 };

/* A member of the params; NULL when there is none. */
const bt_json_value *mcp_param(const struct mcp_request *request, const char *name);
/* Its text; "" when it is no string. */
bt_str mcp_param_text(const struct mcp_request *request, const char *name);

/* A member of its `_meta`; NULL when there is none. */
const bt_json_value *mcp_meta(const struct mcp_request *request, const char *name);

/* How long a result may be kept, and by whom. */
enum mcp_cache {
    MCP_UNCACHED = 0, /* results that say nothing about it */
    MCP_HOUR_PUBLIC,
    MCP_MINUTES_PRIVATE,
    MCP_MINUTES_PUBLIC,
    MCP_NEVER,
};

/* Begin a result: ask->emit stands in its object. */
void mcp_result(struct mcp_request *request, const char *type);
/* End it. */
void mcp_result_end(struct mcp_request *request, enum mcp_cache cache);
/* Refuse. `data` is a JSON value or "". */
void mcp_error(struct mcp_request *request, enum mcp_code code, const char *message, bt_str data);
/* Lists have one page: any cursor is refused. False after that. */
bool mcp_is_first_page(struct mcp_request *request);
/* Whether the caller may use what needs one of these scopes, and perhaps a store. */
bool mcp_has_scope(const struct mcp_request *request, unsigned scopes, bool needs_store);

/* A method; a status other than BT_OK means that there was no memory. */
typedef enum bt_status mcp_method_fn(struct mcp_request *request);

mcp_method_fn mcp_tools_list;
mcp_method_fn mcp_tools_call;
mcp_method_fn mcp_resources_list;
mcp_method_fn mcp_templates_list;
mcp_method_fn mcp_resources_read;
mcp_method_fn mcp_subscribe;
mcp_method_fn mcp_unsubscribe;
mcp_method_fn mcp_listen;
mcp_method_fn mcp_prompts_list;
mcp_method_fn mcp_prompts_get;
mcp_method_fn mcp_complete;

/* Refuse to read what is not there, or not the caller's. */
BT_MUST_USE enum bt_status mcp_respond_no_resource(struct mcp_request *request, bt_str uri);
/* The digest of what a resource says now. False when there is none for the caller. */
bool mcp_resource_digest(struct mcp_request *request, bt_str uri, uint8_t out[BT_SHA256_BYTES]);
/* Begin a notice: emit stands in its params; `subscription` is "" for none. */
void mcp_begin_notification(struct bt_emit *emit, struct bt_buf *out, const char *method,
                            bt_str subscription);
void mcp_end_notification(struct bt_emit *emit);
/* The client no longer wants the subscription with this id, as it was written. */
void mcp_listen_cancelled(struct mcp *mcp, bt_str id);
/* A response to the question of ours with this number; `result` is NULL for an error. */
BT_MUST_USE enum bt_status mcp_question_answered(struct mcp_request *request, uint64_t number,
                                                 const bt_json_value *result);
/* The client no longer waits for a call. */
void mcp_cancelled(struct mcp_request *request);

/* A question to a legacy client. */
struct mcp_legacy_question {
    const char *method;
    bt_str params; /* JSON object */
    mcp_resume_fn *resume;
    bt_str notes[2]; /* that `resume` is given */
};

/* Put a question; the call waits. */
BT_MUST_USE enum bt_status mcp_question_put(struct mcp_call *call,
                                            const struct mcp_legacy_question *wanted);

/* Seal a state: `what` names everything that must be the same when it comes back. */
BT_MUST_USE enum bt_status mcp_seal_state(struct mcp_request *request, bt_str what,
                                          struct bt_buf *out);
/* Whether the request's state is one that we sealed for this, and is not over. */
BT_MUST_USE enum bt_status mcp_open_state(struct mcp_request *request, bt_str what, bool *out);

/* What HTTP's headers say of the era; NOBODY: a session that is not there. */
enum mcp_era { MCP_ERA_UNKNOWN = 0, MCP_ERA_MODERN, MCP_ERA_LEGACY, MCP_ERA_NOBODY };
/* Whether the headers, if there are any, fit the message. False after an error. */
BT_MUST_USE enum bt_status mcp_headers_check(struct mcp_request *request, bool *out);
/* Take what a session says about the client. False when it is not one of ours for this caller. */
bool mcp_session_take(struct mcp *mcp, bt_str text);

/* ---- Tools ----------------------------------------------------------------------------------- */

/* A call of a tool whose arguments fit its schema. */
struct mcp_call {
    struct mcp_request *request;
    struct bt_call work;
    struct bt_result answer;
    struct bt_idempotency_key key;
    const bt_json_value *arguments; /* an object, or NULL when none were given */
    bool has_responded;             /* the tool has answered by itself */
};

typedef enum bt_status mcp_tool_fn(struct mcp_call *call);

struct mcp_tool {
    const char *name;
    const char *description;
    unsigned scopes; /* one of them */
    bool needs_store;
    bool is_read_only;
    const char *input;  /* properties and required of the closed object */
    const char *output; /* a schema, NULL: a Report, "": it has none */
    mcp_tool_fn *run;
};

extern const struct mcp_tool mcp_tools[];
extern const size_t mcp_tools_count;

/* The tool of this name that the caller may use, or NULL. */
const struct mcp_tool *mcp_tool_named(const struct mcp_request *request, bt_str name);
/* The schema of a tool's arguments. */
BT_MUST_USE enum bt_status mcp_tool_input(struct bt_arena *arena, const struct mcp_tool *tool,
                                          bt_str *out);

/* The tools that need a store. */
mcp_tool_fn mcp_run_submit;
mcp_tool_fn mcp_run_handoff;
mcp_tool_fn mcp_run_receipt;
mcp_tool_fn mcp_run_trace;
mcp_tool_fn mcp_run_receive;
mcp_tool_fn mcp_run_finish;
mcp_tool_fn mcp_run_approvals;
mcp_tool_fn mcp_run_use;
mcp_tool_fn mcp_run_decide;

/* End a call that was late: put its answer. */
BT_MUST_USE enum bt_status mcp_call_end(struct mcp_call *call);

/* document, dialect, path and options of a call. False when the answer is given, or *out_status
 * says why not. */
BT_MUST_USE bool mcp_document_read(struct mcp_call *call, struct bt_check_request *request,
                                   unsigned use, enum bt_status *out_status);
/* An argument that is also an option of the same name. */
BT_MUST_USE bool mcp_argument_read(struct mcp_call *call, struct bt_check_request *request,
                                   unsigned use, const char *name);
/* Put the result of a call. */
void mcp_put_answer(struct mcp_request *request, const struct bt_result *answer);
/* Put a result that is nothing but content, a JSON array. */
void mcp_put_content(struct mcp_call *call, bt_str content, bool is_error);
/* Put a result that is one text. */
void mcp_put_text(struct mcp_call *call, bt_str text);

/* ---- Fixtures -------------------------------------------------------------------------------- */

/* What the official conformance suite calls for; there only when the place has fixtures. */
extern const struct mcp_tool mcp_fixture_tools[];
extern const size_t mcp_fixture_tools_count;

/* The fixtures that ask the client. */
mcp_tool_fn mcp_fixture_run_questions;
mcp_tool_fn mcp_fixture_missing;
/* Log messages of a fixture, when the request wants them. */
mcp_method_fn mcp_set_level;

struct mcp_prompt {
    const char *name;
    const char *description;
    const char *arguments; /* JSON array */
    mcp_method_fn *get;
};

extern const struct mcp_prompt mcp_fixture_prompts[];
extern const size_t mcp_fixture_prompts_count;
/* The prompt that asks the client. */
mcp_method_fn mcp_fixture_run_prompt;

/* An argument of a prompt, a string; "" when there is none. */
bt_str mcp_prompt_argument(const struct mcp_request *request, const char *name);
/* Put a message of the user's, and a whole prompt that is one such message. */
void mcp_put_role(struct bt_emit *emit, bt_str text);
void mcp_put_message(struct mcp_request *request, bt_str text);

/* One resource or template. A template's uri ends before its variable. */
struct mcp_resource {
    const char *uri;
    const char *variable; /* NULL: a resource */
    const char *name;
    const char *description;
    const char *type;
    /* Put the text of what `key` names. False when there is no such thing. */
    bool (*put)(struct mcp_request *request, bt_str key, struct bt_buf *buf);
    const char *ending; /* of a template, after its variable */
    unsigned scopes;
    enum mcp_cache cache;
    bool needs_store;
    bool is_bytes; /* it is shown as base64 */
};

extern const struct mcp_resource mcp_fixture_resources[];
extern const size_t mcp_fixture_resources_count;

/* An argument; NULL when there is none. */
const bt_json_value *mcp_argument(const struct mcp_call *call, const char *name);
/* Its text; "" when there is none. */
bt_str mcp_argument_text(const struct mcp_call *call, const char *name);

#endif
