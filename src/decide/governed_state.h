/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_state.h - decide governed handoffs against stored state: freshness, replay, blocked
 * agents.
 *
 * A document is first judged by itself, as bt_check_document() would do, and then decided: it is
 * compared with the stored state, and the decision, the used id, agent blocks and entries become
 * durable in one transaction. A refusal is recorded like an acceptance; only an acceptance uses up
 * the id.
 *
 * Every call has one of three results: BT_OK and done; BT_OK with findings in `alarms`, which means
 * that the ledger itself cannot be trusted and nothing was done; any other status, and then nothing
 * was stored unless is_recorded or is_unknown is set. Statuses that are not described: BT_ENOMEM,
 * the arena reached its limit; BT_EIO, a file or the store failed; `error` says why.
 */
#ifndef BATON_SRC_DECIDE_GOVERNED_STATE_H
#define BATON_SRC_DECIDE_GOVERNED_STATE_H

#include "dialect/governed/governed.h"
#include "ledger/ledger.h"

/* ---- Submissions ----------------------------------------------------------------------------- */

enum bt_governed_submission_kind {
    BT_GOVERNED_SUBMISSION_HANDOFF = 0,
    BT_GOVERNED_SUBMISSION_RESPONSE,
};

struct bt_governed_input {
    enum bt_governed_submission_kind kind;
    bt_str path; /* for messages */
    bt_str text;
    const struct bt_governed_options *options; /* with a governed root */
    const bt_str *speakers;                    /* agents that the caller may represent ... */
    size_t speaker_count;                      /* ... 0: any agent */
};

/*
 * A document on its way to a decision. It lives in the arena it was opened in and points into the
 * document, the options and `governed`.
 */
struct bt_governed_submission;

/*
 * Read the governed root and run all checks that need no store. Threads may open submissions at the
 * same time, each with its own `governed` and arena, which the submission uses until it is decided:
 * if a file of the governed root has changed by then, it is read again.
 */
BT_MUST_USE enum bt_status bt_governed_submission_open(struct bt_governed_checker *governed,
                                                       struct bt_arena *arena,
                                                       const struct bt_governed_input *document,
                                                       struct bt_governed_submission **out);

/* A decision. Everything lives in the arena of the submission. */
struct bt_governed_decision {
    /* with the members `record`, `blocks` and, for refusals, `response` */
    struct bt_judgement judged;
    bt_str response;                  /* JSON object; "" unless a handoff was refused */
    const struct bt_finding *primary; /* the main reason of a refusal; NULL when accepted */
    unsigned pattern;                 /* of an accepted handoff */
    bt_str handoff_id;                /* in lower case; "" when there is none */
    bt_str target;                    /* of an accepted handoff: id, type and version */
    bt_str target_type;
    bt_str target_version;
    bool is_flagged; /* some finding is a security event */
};

/* Set the names of the entry from the document. */
void bt_governed_submission_name(const struct bt_governed_submission *item,
                                 struct bt_submission *submission);
/* The decision of a submission. Valid after bt_submit() returned BT_OK without alarms. */
const struct bt_governed_decision *
bt_governed_submission_decision(const struct bt_governed_submission *item);

/* The id of an agent that the decision has newly blocked, by its index; "" after the last one. */
bt_str bt_governed_submission_blocked(const struct bt_governed_submission *item, size_t index);

/* ---- Deciding -------------------------------------------------------------------------------- */

struct bt_governed_state {
    struct bt_ledger *ledger; /* open for writing, unless the call only reads */
    struct bt_env *env;       /* clock and identifiers */
    struct bt_arena *arena;   /* working memory of the call, and its results */
    bt_str actor;             /* the caller's name, valid in an entry */
    struct bt_findings *alarms;
};

/* ---- Responses ------------------------------------------------------------------------------- */

/* How an accepted handoff was answered. */
struct bt_governed_response_state {
    uint64_t seq;      /* of its entry */
    uint64_t last_seq; /* of the entry of the newest response; BT_LEDGER_SEQ_NONE: none */
    bool is_closed;    /* that response was the last one */
};

/*
 * Find the responses to a handoff by its id in lower case. BT_ENOENT: no handoff with this id was
 * accepted.
 */
BT_MUST_USE enum bt_status bt_governed_get_response_state(const struct bt_governed_state *govern,
                                                          bt_str handoff_id,
                                                          struct bt_governed_response_state *out,
                                                          struct bt_error *error);

/* ---- Blocked agents -------------------------------------------------------------------------- */

struct bt_agent_block {
    bt_str agent_id;
    bt_str since; /* time of its entry */
    bt_str reason;
    bt_str handoff_id; /* of the decision that blocked it; "": none */
    uint64_t seq;      /* of its entry */
};

struct bt_agent_block_list {
    const struct bt_agent_block *items;
    size_t count;
};

/* List the blocked agents by id. */
BT_MUST_USE enum bt_status bt_agent_blocks_list(const struct bt_governed_state *govern,
                                                struct bt_agent_block_list *out,
                                                struct bt_error *error);

struct bt_agent_unblock_options {
    bt_str agent_id;
    bt_str reason; /* the person's text; not blank */
    const struct bt_governed_options *options;

    /* out: why not; empty when the agent was or could be unblocked */
    const struct bt_findings *findings;
    bool is_unblocked; /* out: it was blocked, and no longer is */
    bt_str record;     /* out: JSON object; "" when nothing was recorded */
    uint64_t seq;      /* out: of the entry about it, if is_unblocked */
    bool is_recorded;  /* out: the record is durable, whatever the status */
    bool is_unknown;
};

/* Unblock an agent if the lock and its files agree now. */
BT_MUST_USE enum bt_status bt_agent_unblock(const struct bt_governed_state *govern,
                                            struct bt_governed_checker *governed,
                                            struct bt_agent_unblock_options *unblocking,
                                            struct bt_error *error);

/* ---- HTTP ------------------------------------------------------------------------------------ */

/* The response to `POST /v1/dispatch`. */
struct bt_dispatch_response {
    unsigned status;
    bt_str allow;       /* header, or "" */
    bt_str retry_after; /* header, or "" */
    bt_str content_type;
    bt_str body; /* JSON object */
};

/*
 * Check method and media type; *out_refused tells whether *out is already the response. The body
 * need not have arrived yet. Texts live in the arena. `content_type` may be "".
 */
BT_MUST_USE enum bt_status bt_dispatch_check_request(struct bt_arena *arena, bt_str method,
                                                     bt_str content_type,
                                                     struct bt_dispatch_response *out,
                                                     bool *out_refused);
/* Write the response for a store that could not be written to. Texts live in the arena. */
BT_MUST_USE enum bt_status bt_dispatch_write_unavailable(struct bt_arena *arena,
                                                         struct bt_dispatch_response *out);
/* Write the response to a handoff that was decided. */
BT_MUST_USE enum bt_status bt_dispatch_write_response(const struct bt_governed_state *govern,
                                                      const struct bt_governed_submission *item,
                                                      struct bt_dispatch_response *out);

#endif
