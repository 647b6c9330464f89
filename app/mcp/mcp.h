/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp.h - the Model Context Protocol, independent of its transport: one message in, messages out.
 *
 * Two eras of the protocol are served at the same time: a *modern* message has its version in
 * `_meta`; *legacy* messages follow an `initialize`.
 */
#ifndef BATON_APP_MCP_MCP_H
#define BATON_APP_MCP_MCP_H

#include <stdatomic.h>

#include "operation/operation.h"

enum {
    MCP_MESSAGE_BYTES_MAX = 32 << 20,
    MCP_QUESTIONS_MAX = 16,
    MCP_WATCHED_MAX = 3,
    MCP_LISTENS_MAX = 8
};

/* What a client can do for the server. */
enum mcp_client_capability {
    MCP_CLIENT_CAPABILITY_FORMS = 1, /* show a form to a person */
    MCP_CLIENT_CAPABILITY_SAMPLE = 2,
    MCP_CLIENT_CAPABILITY_ROOTS = 4,
};

struct mcp_call;

/*
 * Continue a call when its question is answered; `result` is NULL for an error. A callback, because
 * each tool continues differently.
 */
typedef enum bt_status mcp_resume_fn(struct mcp_call *call, const bt_str notes[2],
                                     const bt_json_value *result);

/* A call that waits for an answer (legacy). */
struct mcp_pending_question {
    uint64_t number;    /* of its id, behind the prefix; 0: unused */
    struct bt_buf call; /* the id of the call, JSON */
    mcp_resume_fn *resume;
    struct bt_buf notes[2]; /* what `resume` needs then */
    const char *method;
    struct bt_buf params; /* JSON object */
    bool was_dropped;     /* by `baton wrap`; it was put again under another id */
};

/* A resource that can be watched. */
struct mcp_watched_resource {
    bool is_on;    /* watched by a legacy client */
    bool is_known; /* the digest is that of the content sent last */
    uint8_t digest[BT_SHA256_BYTES];
};

/* A subscription of a modern client. */
struct mcp_subscription {
    bool is_on;
    struct bt_buf id; /* JSON */
    bool watches[MCP_WATCHED_MAX];
    bool tools; /* notify when the list of tools changes */
    bool prompts;
};

/* False in a build without fixtures (-Dconformance_fixtures=false), where --conformance-fixtures is
 * refused. */
extern const bool mcp_fixtures_are_built;

/* Changes that only the conformance fixtures make; shared by all conversations of a process. */
struct mcp_fixtures {
    atomic_ulong tools;
    atomic_ulong prompts;
};

/* Values of HTTP header fields, trimmed; a NULL pointer: there is no such field. */
struct mcp_headers {
    bt_str version;
    bt_str method;
    bt_str name;
    bt_str session;
    /* The value of Mcp-Param-NAME. */
    bt_str (*param)(const void *request, bt_str name);
    const void *request;
};

/* True when a field is there and has this value, which may be wrapped in =?base64?...?=. */
bool mcp_header_equals(struct bt_arena *arena, bt_str header, bt_str expected);
/* The member of the params that the field Mcp-Name repeats; NULL when the method has none. */
const char *mcp_named_member(bt_str method);

/* The transport of a conversation. */
struct mcp_transport {
    const struct mcp_headers *headers; /* NULL: messages are lines of one connection */
    struct mcp_fixtures *fixtures;     /* NULL: none */
    const uint8_t *state_key;          /* BT_SHA256_BYTES; NULL: the conversation makes one */
    const uint8_t *session_key;        /* BT_SHA256_BYTES; only with headers */
    uint8_t node[8];                   /* identifies the process */
    uint64_t last_question_number;     /* question ids continue from here */
    struct bt_call_completion *later;  /* of a submission; NULL: the thread waits */
    struct bt_call_events *events;     /* of calls, see struct bt_call */
    bool is_read_only;                 /* the store may only be read */
    /* True when the caller may record once more now; `rate` is passed. NULL: always. */
    bool (*may_record)(void *rate);
    void *rate;
};

/* The outcome of a message, for HTTP and for metrics. */
struct mcp_outcome {
    unsigned status;    /* HTTP status */
    const char *method; /* from the closed list, or "other" */
    bool is_modern;
    bool is_refused;  /* the response is an error */
    bool is_limited;  /* the caller's rate limit is reached: nothing was done */
    bool has_opened;  /* a legacy conversation began, so that a session can be sent */
    bool is_silent;   /* a notification or a response: there is no answer */
    uint64_t answers; /* the number of the server's question that a response answers, or 0 */
};

/* A conversation: one per connection of lines, one per HTTP request. */
struct mcp {
    struct bt_worker *service;
    const struct bt_caller *caller;
    struct mcp_transport place;
    /* seals states that are sent out and must come back unchanged */
    uint8_t seal_key[BT_SHA256_BYTES];
    bool is_legacy; /* initialize succeeded, or the session says so */
    /* what the legacy client declared; set of enum mcp_client_capability */
    unsigned can;
    struct mcp_outcome outcome;          /* of the last message */
    struct mcp_call *pending_submission; /* a submission that the writer holds; NULL: none */
    unsigned long seen_tools;            /* of the fixtures' changes ... */
    unsigned long seen_prompts;
    uint64_t last_question_number;
    struct mcp_pending_question questions[MCP_QUESTIONS_MAX];
    struct mcp_watched_resource watched[MCP_WATCHED_MAX];
    struct mcp_subscription listens[MCP_LISTENS_MAX];
};

/* Begin a conversation. BT_EIO: the system gives no randomness, or no key can be derived. */
BT_MUST_USE enum bt_status mcp_begin(struct mcp *mcp, struct bt_worker *service,
                                     const struct bt_caller *caller,
                                     const struct mcp_transport *place);
/* End a conversation and free its memory. */
void mcp_end(struct mcp *mcp);

/* Free the schemas that conversations have compiled in a worker. NULL is allowed. */
void mcp_schemas_destroy(struct mcp_schemas *schemas);

/*
 * Handle one message and put the answers, each ended by a line feed. Any status other than BT_OK
 * means that there was not even memory for an error.
 */
BT_MUST_USE enum bt_status mcp_handle_message(struct mcp *mcp, bt_str message, struct bt_buf *out);
/*
 * Continue a conversation whose pending_submission is set, after the writer has notified
 * transport.later or its deadline has passed, on any thread whose worker was made the
 * conversation's. The submission may still be pending afterwards.
 */
BT_MUST_USE enum bt_status mcp_resume(struct mcp *mcp, struct bt_buf *out);
/*
 * True when a call waits for an answer or a subscription is open, so that more messages will
 * follow.
 */
bool mcp_is_open(const struct mcp *mcp);

/*
 * Put the session of a conversation that has just begun: what is known of the client, sealed, so
 * that every node can restore it.
 */
BT_MUST_USE enum bt_status mcp_session_put(const struct mcp *mcp, struct bt_buf *out);

/* True when the client watches something, so that mcp_poll_subscriptions() is needed. */
bool mcp_is_watching(const struct mcp *mcp);
/* Compare what the client watches with its last state, and put a notification for each change. */
void mcp_poll_subscriptions(struct mcp *mcp, struct bt_buf *out);
/* End the open subscriptions before the conversation ends. */
void mcp_close(struct mcp *mcp, struct bt_buf *out);
/* Put the error for a message that was too long to be read. */
void mcp_respond_too_long(struct bt_buf *out);

#endif
