/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_internal.h - one MCP message in progress, for the files of this folder. */
#ifndef BATON_APP_MCP_MCP_INTERNAL_H
#define BATON_APP_MCP_MCP_INTERNAL_H

#include "base/buf.h"
#include "json/emit.h"
#include "mcp/mcp.h"
#include "operation/table.h"

/* Codes of JSON-RPC and of MCP. */
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

/* A request. */
struct mcp_request {
    struct mcp *mcp;
    struct bt_arena arena; /* holds the request itself */
    const struct bt_json_doc *document;
    bt_str id; /* as it was written; "": the error has no id */
    bt_str method;
    const bt_json_value *params; /* an object, or NULL */
    bool is_modern;
    unsigned can; /* set of enum mcp_client_capability */
    struct bt_buf *out;
    struct bt_emit emit; /* for the result */
    bt_str subscription; /* the subscription that the result ends, or "" */
};

enum { MCP_ARENA_BYTES_MAX = 512 << 20 };

/* A member of the params, or NULL. */
const bt_json_value *mcp_param(const struct mcp_request *request, const char *name);
/* The text of a member of the params; "" when it is absent or not a string. */
bt_str mcp_param_text(const struct mcp_request *request, const char *name);

/* A member of the `_meta` of the params, or NULL. */
const bt_json_value *mcp_meta(const struct mcp_request *request, const char *name);

/* How long a result may be cached, and by whom. */
enum mcp_cache {
    MCP_UNCACHED = 0, /* the result has no such members */
    MCP_HOUR_PUBLIC,
    MCP_MINUTES_PRIVATE,
    MCP_MINUTES_PUBLIC,
    MCP_NEVER,
};

/* Begin a result; request->emit has its object open. */
void mcp_result(struct mcp_request *request, const char *type);
/* End the result. */
void mcp_result_end(struct mcp_request *request, enum mcp_cache cache);
/* Put an error. `data` is a JSON value or "". */
void mcp_error(struct mcp_request *request, enum mcp_code code, const char *message, bt_str data);
/* Lists have one page, so every cursor is an error. False: an error was put. */
bool mcp_is_first_page(struct mcp_request *request);
/* True when the caller holds one of these scopes and, with `needs_store`, there is a store. */
bool mcp_has_scope(const struct mcp_request *request, unsigned scopes, bool needs_store);

/* A method. Any status other than BT_OK means that there was no memory. */
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

/* Put the error for a resource that does not exist or is not visible to the caller. */
BT_MUST_USE enum bt_status mcp_respond_no_resource(struct mcp_request *request, bt_str uri);
/* The digest of the current content of a resource. False when the caller has no such resource. */
bool mcp_resource_digest(struct mcp_request *request, bt_str uri, uint8_t out[BT_SHA256_BYTES]);
/* Begin a notification; `emit` has its params open; `subscription` is "" for none. */
void mcp_begin_notification(struct bt_emit *emit, struct bt_buf *out, const char *method,
                            bt_str subscription);
/* End a notification. */
void mcp_end_notification(struct bt_emit *emit);
/* The client cancelled the subscription with this id, as it was written. */
void mcp_listen_cancelled(struct mcp *mcp, bt_str id);
/* Handle a response to the server's question with this number: the whole message. */
BT_MUST_USE enum bt_status mcp_question_answered(struct mcp_request *request, uint64_t number,
                                                 const bt_json_value *response);
/* The client no longer waits for a call. */
void mcp_cancelled(struct mcp_request *request);

/* A question to a legacy client. */
struct mcp_legacy_question {
    const char *method;
    bt_str params; /* JSON object */
    mcp_resume_fn *resume;
    bt_str notes[2]; /* passed to `resume` */
};

/* The number in the id of a question of this server; 0 for any other id. */
uint64_t mcp_question_number(const struct mcp *mcp, bt_str id);
/* Put a question; the call waits. */
BT_MUST_USE enum bt_status mcp_question_put(struct mcp_call *call,
                                            const struct mcp_legacy_question *wanted);

/* Seal a state: `what` names everything that must be unchanged when the state comes back. */
BT_MUST_USE enum bt_status mcp_seal_state(struct mcp_request *request, bt_str what,
                                          struct bt_buf *out);
/* Set *out when the request's state was sealed by this server for `what` and has not expired. */
BT_MUST_USE enum bt_status mcp_open_state(struct mcp_request *request, bt_str what, bool *out);

/* The era according to the HTTP header fields; NOBODY: the session is unknown. */
enum mcp_era { MCP_ERA_UNKNOWN = 0, MCP_ERA_MODERN, MCP_ERA_LEGACY, MCP_ERA_NOBODY };
/*
 * Check that the header fields, if there are any, match the message. *out is false after an error.
 */
BT_MUST_USE enum bt_status mcp_headers_check(struct mcp_request *request, bool *out);
/*
 * Take what a session says about the client. False when the session was not issued to this caller.
 */
bool mcp_session_take(struct mcp *mcp, bt_str text);

/* ---- Tools ----------------------------------------------------------------------------------- */

/* A call of a tool whose arguments match its schema. */
struct mcp_call {
    struct mcp_request *request;
    struct bt_call work;
    struct bt_result answer;
    struct bt_idempotency_key key;
    const bt_json_value *arguments; /* an object, or NULL */
    bool has_responded;             /* the tool has put its answer itself */
};

typedef enum bt_status mcp_tool_fn(struct mcp_call *call);

struct mcp_tool {
    const char *name;
    const char *description;
    unsigned scopes; /* any one of them is enough */
    bool needs_store;
    bool is_read_only;
    const char *input;              /* properties and required of the closed object */
    const char *output;             /* a schema; NULL: a Report; "": none */
    const struct bt_operation *row; /* that it runs, unless `run` does */
    mcp_tool_fn *run;
    size_t index; /* among all tools, those of operations first */
};

/* The tool of this name that the caller may use. False: there is none. */
BT_MUST_USE bool mcp_tool_find(const struct mcp_request *request, bt_str name,
                               struct mcp_tool *out);
/* Run an operation with the arguments of its tool. */
BT_MUST_USE enum bt_status mcp_run_operation(struct mcp_call *call, const struct bt_operation *row);
/* The schema of a tool's arguments. */
BT_MUST_USE enum bt_status mcp_tool_input(struct bt_arena *arena, const struct mcp_tool *tool,
                                          bt_str *out);

/* Ask a person to decide an approval. */
mcp_tool_fn mcp_run_decide;

/* Finish a call that was pending: put its answer. */
BT_MUST_USE enum bt_status mcp_call_end(struct mcp_call *call);

/* Put the result of a call. */
void mcp_put_answer(struct mcp_request *request, const struct bt_result *answer);
/* Put a result that has only content, a JSON array. */
void mcp_put_content(struct mcp_call *call, bt_str content, bool is_error);
/* Put a result that is one text. */
void mcp_put_text(struct mcp_call *call, bt_str text);

/* ---- Fixtures -------------------------------------------------------------------------------- */

/* Tools for the official conformance suite; available only when the transport has fixtures. */
extern const struct mcp_tool mcp_fixture_tools[];
extern const size_t mcp_fixture_tools_count;

/* The fixtures that send questions to the client. */
mcp_tool_fn mcp_fixture_run_questions;
mcp_tool_fn mcp_fixture_missing;
/* Handle logging/setLevel, for fixtures that send log messages. */
mcp_method_fn mcp_set_level;

struct mcp_prompt {
    const char *name;
    const char *description;
    const char *arguments; /* JSON array */
    mcp_method_fn *get;
};

extern const struct mcp_prompt mcp_fixture_prompts[];
extern const size_t mcp_fixture_prompts_count;
/* The prompt that sends a question to the client. */
mcp_method_fn mcp_fixture_run_prompt;

/* An argument of a prompt, a string; "" when it is absent. */
bt_str mcp_prompt_argument(const struct mcp_request *request, const char *name);
/* Put a message with role `user`; put a whole prompt of one such message. */
void mcp_put_role(struct bt_emit *emit, bt_str text);
void mcp_put_message(struct mcp_request *request, bt_str text);

/* One resource or template. The uri of a template ends before its variable. */
struct mcp_resource {
    const char *uri;
    const char *variable; /* NULL: a resource */
    const char *name;
    const char *description;
    const char *type;
    /* Put the text of what `key` names. False when it does not exist. */
    bool (*put)(struct mcp_request *request, bt_str key, struct bt_buf *buf);
    const char *ending; /* of a template: what follows its variable */
    unsigned scopes;
    enum mcp_cache cache;
    bool needs_store;
    bool is_bytes; /* shown as base64 */
};

extern const struct mcp_resource mcp_fixture_resources[];
extern const size_t mcp_fixture_resources_count;

/* An argument, or NULL. */
const bt_json_value *mcp_argument(const struct mcp_call *call, const char *name);
/* The text of an argument; "" when it is absent. */
bt_str mcp_argument_text(const struct mcp_call *call, const char *name);

#endif
