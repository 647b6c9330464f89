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

#include "service/service.h"

enum {
    MCP_MESSAGE_BYTES_MAX = 32 << 20,
    MCP_QUESTIONS_MAX = 16,
    MCP_WATCHED_MAX = 2,
    MCP_LISTENS_MAX = 8
};

/* A call that waits for a person's answer (legacy). */
struct mcp_question {
    uint64_t number;    /* of its id "baton-N"; 0: there is none */
    struct bt_buf call; /* the id of the call, JSON */
    struct bt_buf approval;
    struct bt_buf fingerprint;
};

/* A resource that can be watched. */
struct mcp_watch {
    bool is_on;    /* by a legacy client */
    bool is_known; /* the digest is that of what it said last */
    uint8_t digest[BT_SHA256_BYTES];
};

/* A subscription of a modern client. */
struct mcp_listen {
    bool is_on;
    struct bt_buf id; /* JSON */
    bool watches[MCP_WATCHED_MAX];
};

/* A conversation. */
struct mcp {
    struct service *service;
    const struct caller *caller;
    uint8_t seal_key[BT_SHA256_BYTES]; /* what is handed out and must come back unchanged */
    bool is_legacy;                    /* initialize succeeded */
    bool has_forms;                    /* the legacy client can ask a person */
    uint64_t questions_asked;
    struct mcp_question questions[MCP_QUESTIONS_MAX];
    struct mcp_watch watched[MCP_WATCHED_MAX];
    struct mcp_listen listens[MCP_LISTENS_MAX];
};

/* Make a conversation. BT_EIO: there is no randomness, or no key can be derived. */
BT_MUST_USE enum bt_status mcp_begin(struct mcp *mcp, struct service *service,
                                     const struct caller *caller);
void mcp_end(struct mcp *mcp);

/*
 * Take one message and put what is to be said, each message ended by a line feed. A status other
 * than BT_OK means that there was no memory even to refuse it.
 */
BT_MUST_USE enum bt_status mcp_take(struct mcp *mcp, bt_str message, struct bt_buf *out);
/* Whether the client watches something, so that mcp_look() is worth its while. */
bool mcp_is_watching(const struct mcp *mcp);
/* Look at what the client watches, and put a notice for what has changed. */
void mcp_look(struct mcp *mcp, struct bt_buf *out);
/* End the subscriptions that are open, before the conversation ends. */
void mcp_bye(struct mcp *mcp, struct bt_buf *out);
/* Refuse a message that was too long to be read. */
void mcp_refuse_long(struct bt_buf *out);

#endif
