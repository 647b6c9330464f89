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

enum bt_case_kind {
    BT_CASE_HANDOFF = 0,
    BT_CASE_RESPONSE,
};

struct bt_case_document {
    enum bt_case_kind kind;
    bt_str path; /* as people know it */
    bt_str text;
    const struct bt_governed_options *options; /* with a root */
    const bt_str *speakers;                    /* agents that the caller speaks for ... */
    size_t speaker_count;                      /* ... 0: for anybody */
};

/* A document on its way to a decision. It lives in the arena it was opened in and points into the
 * document, the options and `governed`. */
struct bt_case;

/* Read the catalogue and judge everything that needs no store. Threads may open cases at the same
 * time, each with a `governed` and an arena of its own, which belong to the case until it is
 * decided: when a file of the catalogue has changed since, the case is read again. */
BT_API BT_MUST_USE enum bt_status bt_case_open(struct bt_governed *governed, struct bt_arena *arena,
                                               const struct bt_case_document *document,
                                               struct bt_case **out);

/* What was decided. Everything lives in the arena of the case. */
struct bt_case_decision {
    struct bt_judged judged; /* with the members `record`, `blocks` and, for refusals, `response` */
    bt_str response;         /* JSON object, "" unless a handoff was refused */
    bt_str record;           /* JSON object, "" when nothing was recorded */
    const struct bt_finding *primary; /* that a refusal is about; NULL when accepted */
    unsigned pattern;                 /* of an accepted handoff */
    bt_str handoff_id;                /* in small letters; "" when there is none */
    bt_str target;                    /* of an accepted handoff: id, type and version */
    bt_str target_type;
    bt_str target_version;
    bool is_flagged; /* some finding is a security event */
};

/* Valid after bt_govern_decide() returned BT_OK without alarms, or its batch was recorded. */
BT_API const struct bt_case_decision *bt_case_decision(const struct bt_case *item);
/* For a case of a batch of the ledger: where it is recorded, a JSON object. */
BT_API void bt_case_note_record(struct bt_case *item, bt_str record);

/* ---- Deciding -------------------------------------------------------------------------------- */

struct bt_govern {
    struct bt_ledger *ledger; /* open for writing, unless the call only looks */
    struct bt_env *env;       /* clock and identifiers */
    struct bt_arena *arena;   /* working memory of the call, and what it returns */
    bt_str actor;             /* who asked: a name that an entry may hold */
    struct bt_findings *alarms;
};

struct bt_govern_batch {
    struct bt_case *const *cases;
    size_t count;     /* at most BT_LEDGER_BATCH_MAX */
    bool is_dry;      /* judge against the store, and write nothing */
    bool is_recorded; /* out: they are durable, whatever the status says */
    bool is_unknown;  /* out: the commit failed, and may have happened all the same */
};

/* Decide cases that were opened, in their order, in one transaction. */
BT_API BT_MUST_USE enum bt_status bt_govern_decide(const struct bt_govern *govern,
                                                   struct bt_govern_batch *batch,
                                                   struct bt_error *error);

/* A case as an item of a batch of the ledger. Both stay where they are until it is recorded. */
struct bt_case_append {
    const struct bt_govern *govern; /* its ledger and alarms are not used */
    struct bt_case *item;
};

/* Let bt_ledger_append() or a writer decide and record a case within its batch. The judged document
 * of the item gets the members `blocks` and `response`. */
BT_API void bt_case_prepare(struct bt_case_append *append, struct bt_ledger_item *item);

/* ---- Answers --------------------------------------------------------------------------------- */

/* How an accepted handoff was answered. */
struct bt_govern_look {
    uint64_t seq;      /* of its entry */
    uint64_t last_seq; /* of the entry of the newest answer; BT_LEDGER_NONE: there is none */
    bool is_closed;    /* that was the last one */
};

/* What became of a handoff, by its id in small letters. BT_ENOENT: none was accepted. */
BT_API BT_MUST_USE enum bt_status bt_govern_look(const struct bt_govern *govern, bt_str handoff_id,
                                                 struct bt_govern_look *out,
                                                 struct bt_error *error);

/* ---- Blocked agents -------------------------------------------------------------------------- */

struct bt_block {
    bt_str agent_id;
    bt_str since; /* of its entry */
    bt_str reason;
    bt_str handoff_id; /* of the decision that blocked it; "" when it had none */
    uint64_t seq;      /* of its entry */
};

struct bt_blocks {
    const struct bt_block *items;
    size_t count;
};

/* The agents that are blocked, by id. */
BT_API BT_MUST_USE enum bt_status bt_govern_blocked(const struct bt_govern *govern,
                                                    struct bt_blocks *out, struct bt_error *error);

struct bt_unblocking {
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
BT_API BT_MUST_USE enum bt_status bt_govern_unblock(const struct bt_govern *govern,
                                                    struct bt_governed *governed,
                                                    struct bt_unblocking *unblocking,
                                                    struct bt_error *error);

/* ---- HTTP ------------------------------------------------------------------------------------ */

/* What `POST /v1/dispatch` answers. */
struct bt_dispatch_answer {
    unsigned status;
    bt_str allow;       /* header, or "" */
    bt_str retry_after; /* header, or "" */
    bt_str content_type;
    bt_str body; /* JSON object */
};

/* Judge method and media type; *out_refused tells whether they are the answer. The body need not be
 * there yet. Texts live in the arena. `content_type` may be "". */
BT_API BT_MUST_USE enum bt_status bt_dispatch_refuse(struct bt_arena *arena, bt_str method,
                                                     bt_str content_type,
                                                     struct bt_dispatch_answer *out,
                                                     bool *out_refused);
/* The answer when the store could not be written. */
BT_API BT_MUST_USE enum bt_status bt_dispatch_unavailable(struct bt_arena *arena,
                                                          struct bt_dispatch_answer *out);
/* The answer to a handoff that was decided. */
BT_API BT_MUST_USE enum bt_status bt_dispatch_answer(const struct bt_govern *govern,
                                                     const struct bt_case *item,
                                                     struct bt_dispatch_answer *out);

#ifdef __cplusplus
}
#endif

#endif
