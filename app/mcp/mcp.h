/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp.h - the Model Context Protocol: one message in, messages out. How they travel is not known
 * here.
 *
 * Two eras are served at once: *modern* messages say their version in `_meta`, each for itself;
 * *legacy* ones follow an `initialize`.
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

/* What a client can do when it is asked. */
enum mcp_client_capability {
    MCP_CLIENT_CAPABILITY_FORMS = 1, /* show a form to a person */
    MCP_CLIENT_CAPABILITY_SAMPLE = 2,
    MCP_CLIENT_CAPABILITY_ROOTS = 4,
};

struct mcp_call;

/* Goes on with a call when its question is answered; `result` is NULL for an error. */
typedef enum bt_status mcp_resume_fn(struct mcp_call *call, const bt_str notes[2],
                                     const bt_json_value *result);

/* A call that waits for an answer (legacy). */
struct mcp_pending_question {
    uint64_t number;    /* of its id "baton-N"; 0: there is none */
    struct bt_buf call; /* the id of the call, JSON */
    mcp_resume_fn *resume;
    struct bt_buf notes[2]; /* what it wants to know then */
};

/* A resource that can be watched. */
struct mcp_watched_resource {
    bool is_on;    /* by a legacy client */
    bool is_known; /* the digest is that of what it said last */
    uint8_t digest[BT_SHA256_BYTES];
};

/* A subscription of a modern client. */
struct mcp_subscription {
    bool is_on;
    struct bt_buf id; /* JSON */
    bool watches[MCP_WATCHED_MAX];
    bool tools; /* wants to know when they change */
    bool prompts;
};

/* Changes that only the conformance fixtures make; shared by all conversations of a process. */
struct mcp_fixtures {
    atomic_ulong tools;
    atomic_ulong prompts;
};

/* What the headers of HTTP say; a NULL pointer: there is no such header. Values are trimmed. */
struct mcp_headers {
    bt_str version;
    bt_str method;
    bt_str name;
    bt_str session;
    /* The value of Mcp-Param-NAME. */
    bt_str (*param)(const void *request, bt_str name);
    const void *request;
};

/* Where a conversation takes place. */
struct mcp_transport {
    const struct mcp_headers *headers; /* NULL: messages are lines, and it lasts */
    struct mcp_fixtures *fixtures;     /* NULL: none */
    const uint8_t *state_key;          /* BT_SHA256_BYTES; NULL: the conversation makes one */
    const uint8_t *session_key;        /* the same, for headers only */
    uint8_t node[8];                   /* which process it is */
    uint64_t last_question_number;     /* ids go on from here */
    struct bt_call_completion *later;  /* of a submission; NULL: the thread waits */
    void *watcher;                     /* of calls, as struct work has it */
    bool is_read_only;                 /* the store may only be read */
    /* Whether the caller may record one more thing now, asked with `watcher`; NULL: always. */
    bool (*may_record)(void *watcher);
};

/* What became of a message, for HTTP and for figures. */
struct mcp_outcome {
    unsigned status;    /* of HTTP */
    const char *method; /* from the closed list, or "other" */
    bool is_modern;
    bool is_refused;  /* the answer is an error */
    bool is_limited;  /* the caller records too often: nothing was done */
    bool has_opened;  /* a legacy conversation, so that a session can be handed out */
    bool is_silent;   /* a notification, or a response: there is nothing to answer */
    uint64_t answers; /* the number of the question of ours that a response answers, or 0 */
};

/* A conversation: one for a connection of lines, one for each request of HTTP. */
struct mcp {
    struct bt_worker *service;
    const struct bt_caller *caller;
    struct mcp_transport place;
    uint8_t seal_key[BT_SHA256_BYTES];   /* what is handed out and must come back unchanged */
    bool is_legacy;                      /* initialize succeeded, or a session says so */
    unsigned can;                        /* what the legacy client declared; of enum mcp_can */
    struct mcp_outcome outcome;          /* about the last message */
    struct mcp_call *pending_submission; /* a submission that is with the writer; NULL: none */
    unsigned long seen_tools;            /* of the fixtures' changes ... */
    unsigned long seen_prompts;
    uint64_t last_question_number;
    struct mcp_pending_question questions[MCP_QUESTIONS_MAX];
    struct mcp_watched_resource watched[MCP_WATCHED_MAX];
    struct mcp_subscription listens[MCP_LISTENS_MAX];
};

/* Make a conversation. BT_EIO: there is no randomness, or no key can be derived. */
BT_MUST_USE enum bt_status mcp_begin(struct mcp *mcp, struct bt_worker *service,
                                     const struct bt_caller *caller,
                                     const struct mcp_transport *place);
void mcp_end(struct mcp *mcp);

/* Free what conversations have left in a service. NULL is allowed. */
void mcp_schemas_destroy(struct mcp_schemas *schemas);

/*
 * Take one message and put what is to be said, each message ended by a line feed. A status other
 * than BT_OK means that there was no memory even to refuse it.
 */
BT_MUST_USE enum bt_status mcp_handle_message(struct mcp *mcp, bt_str message, struct bt_buf *out);
/*
 * With place.later nothing may be said yet: then `late` is set, and this goes on with it when the
 * writer has told or it is late, in any thread that has made its service the conversation's. It may
 * be late once more.
 */
BT_MUST_USE enum bt_status mcp_resume(struct mcp *mcp, struct bt_buf *out);
/* Whether a call waits for an answer, or a subscription is open: there is more to be said. */
bool mcp_is_open(const struct mcp *mcp);

/* Put the session of the conversation that has just opened: what is known of the client, sealed, so
 * that any node knows it again. */
BT_MUST_USE enum bt_status mcp_session_put(const struct mcp *mcp, struct bt_buf *out);

/* Whether the client watches something, so that mcp_look() is worth its while. */
bool mcp_is_watching(const struct mcp *mcp);
/* Look at what the client watches, and put a notice for what has changed. */
void mcp_poll_subscriptions(struct mcp *mcp, struct bt_buf *out);
/* End the subscriptions that are open, before the conversation ends. */
void mcp_close(struct mcp *mcp, struct bt_buf *out);
/* Refuse a message that was too long to be read. */
void mcp_respond_too_long(struct bt_buf *out);

#endif
