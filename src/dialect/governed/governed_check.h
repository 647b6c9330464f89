/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_check.h - one handoff or response on its way through the stages.
 *
 *     root -> read -> schema -> semantics -> governance (-> record, which is src/decide's)
 *
 * A HARD finding of reading or of the schema ends the way; later rules run when their inputs are
 * known. What Baton established is in `verified`, whatever the document claims.
 */
#ifndef BATON_SRC_DIALECT_GOVERNED_GOVERNED_CHECK_H
#define BATON_SRC_DIALECT_GOVERNED_GOVERNED_CHECK_H

#include "base/ascii.h"
#include "dialect/governed/governed_root.h"

/* Zero is not established. */
enum bt_governed_fact {
    BT_GOVERNED_FACT_NOTHING = 0,
    BT_GOVERNED_FACT_FALSE,
    BT_GOVERNED_FACT_TRUE
};

/* The flags of a handoff's governance, in their order; a response has the first. */
enum bt_governed_claim {
    BT_SOURCE_VERIFIED = 0,
    BT_TARGET_VERIFIED,
    BT_COMPOSITION_VALID,
    BT_BOUNDARIES_RESPECTED,
    BT_GOVERNED_CLAIM__MAX,
};

bt_str bt_governed_claim_name(enum bt_governed_claim flag);

/* An agent that the document names. */
struct bt_governed_party {
    const char *role;   /* "source", "target", "responder" */
    const char *member; /* "source_agent", "target_agent", "agent" */
    const bt_json_value *value;
    bt_str id;
    size_t agent; /* of the roster when it is identified, else BT_NO_AGENT */
    unsigned
        /* reasons that block it: enum bt_governed_integrity_error, BT_HANDOFF_HASH_MISMATCH */
        blocking;
};

/* Not a fault of the catalogue, so no bit of enum bt_governed_integrity_error. */
enum { BT_HANDOFF_HASH_MISMATCH = 1024 };

/* The first of the reasons, as blocks and findings call it; "" for none. */
bt_str bt_governed_block_reason(unsigned blocking);

struct bt_governed_check {
    struct bt_governed_checker *governed;
    const struct bt_governed_options *options;
    enum bt_governed_kind kind; /* handoff or response */
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    bt_str text;

    struct bt_governed_root governed_root; /* when there is a root */
    const struct bt_json_doc *document;    /* NULL: it could not be read */
    const bt_json_value *root;
    bool matches_schema; /* it satisfies its schema */
    struct bt_governed_party parties[2];
    size_t party_count;
    bool is_governor; /* a response of Baton itself */
    enum bt_governed_fact verified[BT_GOVERNED_CLAIM__MAX];
    unsigned pattern; /* 0: none */
};

/*
 * Judge `text`: everything that needs no store. *ruling has been cleared but for governed, options,
 * kind, findings and text. With ruling->roster.agents[].is_blocked nothing is done yet.
 */
BT_MUST_USE enum bt_status bt_governed_check_judge(struct bt_governed_check *check);

/* The two halves of the check, for a caller that does something between them: first everything
 * that needs no agents besides the two, then the suggestions and what depends on them. */
BT_MUST_USE enum bt_status bt_governed_check_begin(struct bt_governed_check *check);
BT_MUST_USE enum bt_status bt_governed_check_finish(struct bt_governed_check *check);

/* Whom the document is from and for, as far as it could be read. */
void bt_governed_check_identify_document(const struct bt_governed_check *check,
                                         struct bt_identity *out);
/* Write the facts; the findings are complete. */
BT_MUST_USE enum bt_status bt_governed_check_facts(const struct bt_governed_check *check,
                                                   bt_str *out);

/* Put the member `modes`. */
void bt_governed_put_modes(const struct bt_governed_options *options, struct bt_emit *emit);

/* ---- Stages ---------------------------------------------------------------------------------- */

typedef enum bt_status bt_governed_check_fn(struct bt_governed_check *check);

bt_governed_check_fn bt_governed_check_context_step; /* 5.1, and its part of 9 */
bt_governed_check_fn bt_governed_check_response;     /* semantics of responses */
bt_governed_check_fn bt_governed_check_identify;     /* 5.2 */
bt_governed_check_fn bt_governed_check_compare;      /* 5.2 */
bt_governed_check_fn bt_governed_check_compose;      /* 5.3: compositions */
bt_governed_check_fn bt_governed_check_pair_step;    /* 5.3: boundary and scope */
bt_governed_check_fn bt_governed_check_attest;       /* 5.3: what the sender says about itself */
bt_governed_check_fn bt_governed_check_suggest;      /* 9: what a response suggests */

/*
 * Find a phrase of list 1 that tries to take over the reader of the text: its name, or "". `arena`
 * is working memory.
 */
BT_MUST_USE enum bt_status bt_governed_find_injection(struct bt_arena *arena, bt_str text,
                                                      bt_str *out);

/* ---- Saying ---------------------------------------------------------------------------------- */

/* The value at a pointer into the document, or NULL. */
const bt_json_value *bt_governed_check_at(const struct bt_governed_check *check, bt_str pointer);
/* The text there, or "". */
bt_str bt_governed_check_text(const struct bt_governed_check *check, bt_str pointer);
/* A pointer into the document, with the position of the value that is there. */
struct bt_location bt_governed_locate(const struct bt_governed_check *check, bt_str pointer);
/* The member of a party, which the schema requires. */
struct bt_location bt_governed_party_locate(const struct bt_governed_check *check,
                                            const struct bt_governed_party *party,
                                            const char *member);
/* MANIFEST_UNUSABLE and BOUNDARIES_UNUSABLE at "". */
BT_MUST_USE enum bt_status
bt_governed_root_add_manifest_finding(const struct bt_governed_root *governed_root,
                                      struct bt_findings *findings);
BT_MUST_USE enum bt_status
bt_governed_root_add_boundaries_finding(const struct bt_governed_root *governed_root,
                                        struct bt_findings *findings);
/* INVALID_AGENT_REFERENCE for an id that is not known; `role` may be absent. */
BT_MUST_USE enum bt_status
bt_governed_root_add_unknown_finding(const struct bt_governed_root *governed_root,
                                     struct bt_findings *findings, struct bt_location at,
                                     bt_str role, bt_str id);

/* Whether a text is empty or ASCII white space. */
bool bt_ascii_is_all_space(bt_str text);
#endif
