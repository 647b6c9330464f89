/* SPDX-License-Identifier: Apache-2.0 */
/*
 * govern.h - governed handoffs against a store: freshness, replay, blocked agents, the record.
 *
 * A document is opened by itself, as bt_check() would judge it, and then decided: what the store
 * knows is compared, and decision, id, blocks and entries become durable in one transaction. A
 * refusal is recorded like an acceptance; an id is used up by acceptance alone.
 *
 * Three results, never mixed: BT_OK and done; BT_OK and findings in `alarms`, because the ledger
 * itself is not to be trusted, and then nothing was done; any other status, and then nothing was
 * stored unless is_recorded or is_unknown say so.
 */
#ifndef BATON_GOVERN_H
#define BATON_GOVERN_H

#include <baton/governed.h>
#include <baton/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cases ----------------------------------------------------------------------------------- */

enum bt_governed_submission_kind {
    BT_GOVERNED_SUBMISSION_HANDOFF = 0,
    BT_GOVERNED_SUBMISSION_RESPONSE,
};

struct bt_governed_input {
    enum bt_governed_submission_kind kind;
    bt_str path; /* as people know it */
    bt_str text;
    const struct bt_governed_options *options; /* with a root */
    const bt_str *speakers;                    /* agents that the caller speaks for ... */
    size_t speaker_count;                      /* ... 0: for anybody */
};

/* A document on its way to a decision. It lives in the arena it was opened in and points into the
 * document, the options and `governed`. */
struct bt_governed_submission;

/* Read the catalogue and judge everything that needs no store. Threads may open cases at the same
 * time, each with a `governed` and an arena of its own, which belong to the case until it is
 * decided: when a file of the catalogue has changed since, the case is read again. */
BT_API BT_MUST_USE enum bt_status
bt_governed_submission_open(struct bt_governed_checker *governed, struct bt_arena *arena,
                            const struct bt_governed_input *document,
                            struct bt_governed_submission **out);

/* What was decided. Everything lives in the arena of the case. */
struct bt_governed_decision {
    struct bt_judgement
        judged;      /* with the members `record`, `blocks` and, for refusals, `response` */
    bt_str response; /* JSON object, "" unless a handoff was refused */
    bt_str record;   /* JSON object, "" when nothing was recorded */
    const struct bt_finding *primary; /* that a refusal is about; NULL when accepted */
    unsigned pattern;                 /* of an accepted handoff */
    bt_str handoff_id;                /* in small letters; "" when there is none */
    bt_str target;                    /* of an accepted handoff: id, type and version */
    bt_str target_type;
    bt_str target_version;
    bool is_flagged; /* some finding is a security event */
};

/* Valid after bt_governed_decide() returned BT_OK without alarms, or its batch was recorded. */
BT_API const struct bt_governed_decision *
bt_governed_submission_decision(const struct bt_governed_submission *item);
/* For a case of a batch of the ledger: where it is recorded, a JSON object. */
BT_API void bt_governed_submission_note_record(struct bt_governed_submission *item, bt_str record);

/* ---- Deciding -------------------------------------------------------------------------------- */

struct bt_governed_state {
    struct bt_ledger *ledger; /* open for writing, unless the call only looks */
    struct bt_env *env;       /* clock and identifiers */
    struct bt_arena *arena;   /* working memory of the call, and what it returns */
    bt_str actor;             /* who asked: a name that an entry may hold */
    struct bt_findings *alarms;
};

struct bt_govern_batch {
    struct bt_governed_submission *const *cases;
    size_t count;     /* at most BT_LEDGER_BATCH_MAX */
    bool is_dry;      /* judge against the store, and write nothing */
    bool is_recorded; /* out: they are durable, whatever the status says */
    bool is_unknown;  /* out: the commit failed, and may have happened all the same */
};

/* Decide cases that were opened, in their order, in one transaction. */
BT_API BT_MUST_USE enum bt_status bt_governed_decide(const struct bt_governed_state *govern,
                                                     struct bt_govern_batch *batch,
                                                     struct bt_error *error);

/* A case as an item of a batch of the ledger. Both stay where they are until it is recorded. */
struct bt_case_append {
    const struct bt_governed_state *govern; /* its ledger and alarms are not used */
    struct bt_governed_submission *item;
};

/* Let bt_ledger_append() or a writer decide and record a case within its batch. The judged document
 * of the item gets the members `blocks` and `response`. */
BT_API void bt_governed_submission_prepare(struct bt_case_append *append,
                                           struct bt_submission *item);

/* ---- Answers --------------------------------------------------------------------------------- */

/* How an accepted handoff was answered. */
struct bt_governed_response_state {
    uint64_t seq;      /* of its entry */
    uint64_t last_seq; /* of the entry of the newest answer; BT_LEDGER_SEQ_NONE: there is none */
    bool is_closed;    /* that was the last one */
};

/* What became of a handoff, by its id in small letters. BT_ENOENT: none was accepted. */
BT_API BT_MUST_USE enum bt_status
bt_governed_get_response_state(const struct bt_governed_state *govern, bt_str handoff_id,
                               struct bt_governed_response_state *out, struct bt_error *error);

/* ---- Blocked agents -------------------------------------------------------------------------- */

struct bt_agent_block {
    bt_str agent_id;
    bt_str since; /* of its entry */
    bt_str reason;
    bt_str handoff_id; /* of the decision that blocked it; "" when it had none */
    uint64_t seq;      /* of its entry */
};

struct bt_agent_block_list {
    const struct bt_agent_block *items;
    size_t count;
};

/* The agents that are blocked, by id. */
BT_API BT_MUST_USE enum bt_status bt_agent_blocks_list(const struct bt_governed_state *govern,
                                                       struct bt_agent_block_list *out,
                                                       struct bt_error *error);

struct bt_agent_unblock_options {
    bt_str agent_id;
    bt_str reason; /* not blank; in the person's words */
    const struct bt_governed_options *options;

    const struct bt_findings *findings; /* out: why not; empty when nothing stands in the way */
    bool is_unblocked;                  /* out: it was blocked, and is no longer */
    bt_str record;                      /* out: JSON object, "" when nothing was recorded */
    bool is_recorded;                   /* out: as for batches */
    bool is_unknown;
};

/* Lift a block, if lock and file agree about the agent now. */
BT_API BT_MUST_USE enum bt_status bt_agent_unblock(const struct bt_governed_state *govern,
                                                   struct bt_governed_checker *governed,
                                                   struct bt_agent_unblock_options *unblocking,
                                                   struct bt_error *error);

/* ---- HTTP ------------------------------------------------------------------------------------ */

/* What `POST /v1/dispatch` answers. */
struct bt_dispatch_response {
    unsigned status;
    bt_str allow;       /* header, or "" */
    bt_str retry_after; /* header, or "" */
    bt_str content_type;
    bt_str body; /* JSON object */
};

/* Judge method and media type; *out_refused tells whether they are the answer. The body need not be
 * there yet. Texts live in the arena. `content_type` may be "". */
BT_API BT_MUST_USE enum bt_status bt_dispatch_check_request(struct bt_arena *arena, bt_str method,
                                                            bt_str content_type,
                                                            struct bt_dispatch_response *out,
                                                            bool *out_refused);
/* The answer when the store could not be written. */
BT_API BT_MUST_USE enum bt_status bt_dispatch_write_unavailable(struct bt_arena *arena,
                                                                struct bt_dispatch_response *out);
/* The answer to a handoff that was decided. */
BT_API BT_MUST_USE enum bt_status
bt_dispatch_write_response(const struct bt_governed_state *govern,
                           const struct bt_governed_submission *item,
                           struct bt_dispatch_response *out);

#ifdef __cplusplus
}
#endif

#endif
