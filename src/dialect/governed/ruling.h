/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ruling.h - one handoff or response on its way through the stages.
 *
 *     root -> read -> schema -> semantics -> governance (-> record, which is src/govern's)
 *
 * A HARD finding of reading or of the schema ends the way; later rules run when their inputs are
 * known. What Baton established is in `verified`, whatever the document claims.
 */
#ifndef BATON_SRC_DIALECT_GOVERNED_RULING_H
#define BATON_SRC_DIALECT_GOVERNED_RULING_H

#include "base/ascii.h"
#include "dialect/governed/pairs.h"
#include "dialect/governed/roster.h"

/* Zero is not established. */
enum bt_found { BT_FOUND_NOTHING = 0, BT_FOUND_FALSE, BT_FOUND_TRUE };

/* The flags of a handoff's governance, in their order; a response has the first. */
enum bt_flag {
    BT_SOURCE_VERIFIED = 0,
    BT_TARGET_VERIFIED,
    BT_COMPOSITION_VALID,
    BT_BOUNDARIES_RESPECTED,
    BT_FLAG__MAX,
};

bt_str bt_flag_name(enum bt_flag flag);

/* An agent that the document names. */
struct bt_party {
    const char *role;   /* "source", "target", "responder" */
    const char *member; /* "source_agent", "target_agent", "agent" */
    const bt_value *value;
    bt_str id;
    size_t agent;      /* of the roster when it is identified, else BT_NO_AGENT */
    unsigned blocking; /* reasons that block it: enum bt_integrity, BT_HANDOFF_HASH_MISMATCH */
};

/* Not a fault of the catalogue, so no bit of enum bt_integrity. */
enum { BT_HANDOFF_HASH_MISMATCH = 1024 };

/* The first of the reasons, as blocks and findings call it; "" for none. */
bt_str bt_blocking_reason(unsigned blocking);

struct bt_ruling {
    struct bt_governed *governed;
    const struct bt_governed_options *options;
    enum bt_governed_kind kind; /* handoff or response */
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    bt_str text;

    struct bt_roster roster;       /* when there is a root */
    const struct bt_doc *document; /* NULL: it could not be read */
    const bt_value *root;
    bool is_sound; /* it satisfies its schema */
    struct bt_party parties[2];
    size_t party_count;
    bool is_governor; /* a response of Baton itself */
    enum bt_found verified[BT_FLAG__MAX];
    unsigned pattern; /* 0: none */
};

/*
 * Judge `text`: everything that needs no store. *ruling has been cleared but for governed, options,
 * kind, findings and text. With ruling->roster.agents[].is_blocked nothing is done yet.
 */
BT_MUST_USE enum bt_status bt_ruling_judge(struct bt_ruling *ruling);

/* The steps, for whoever puts something between them: all that needs no other agents than the two,
 * then suggestions and what depends on them. */
BT_MUST_USE enum bt_status bt_ruling_open(struct bt_ruling *ruling);
BT_MUST_USE enum bt_status bt_ruling_govern(struct bt_ruling *ruling);

/* Write the facts; the findings are complete. */
BT_MUST_USE enum bt_status bt_ruling_facts(const struct bt_ruling *ruling, bt_str *out);

/* Put the member `modes`. */
void bt_put_modes(const struct bt_governed_options *options, struct bt_emit *emit);

/* ---- Stages ---------------------------------------------------------------------------------- */

typedef enum bt_status bt_ruling_fn(struct bt_ruling *ruling);

bt_ruling_fn bt_ruling_context;  /* 5.1, and its part of 9 */
bt_ruling_fn bt_ruling_response; /* semantics of responses */
bt_ruling_fn bt_ruling_identify; /* 5.2 */
bt_ruling_fn bt_ruling_compare;  /* 5.2 */
bt_ruling_fn bt_ruling_compose;  /* 5.3: compositions */
bt_ruling_fn bt_ruling_pair;     /* 5.3: boundary and scope */
bt_ruling_fn bt_ruling_attest;   /* 5.3: what the sender says about itself */
bt_ruling_fn bt_ruling_suggest;  /* 9: what a response suggests */

/* ---- Saying ---------------------------------------------------------------------------------- */

/* The value at a pointer into the document, or NULL. */
const bt_value *bt_ruling_at(const struct bt_ruling *ruling, bt_str pointer);
/* The text there, or "". */
bt_str bt_ruling_text(const struct bt_ruling *ruling, bt_str pointer);
/* Begin a finding at a pointer into the document. */
void bt_ruling_remark(const struct bt_ruling *ruling, struct bt_remark *remark, const char *code,
                      bt_str pointer);
/* Begin a finding about a party, at its member; its role is put. */
void bt_party_remark(const struct bt_ruling *ruling, const struct bt_party *party,
                     struct bt_remark *remark, const char *code, const char *member);
/* Put `"NAME":[ids]`. */
void bt_ruling_put_agents(const struct bt_ruling *ruling, struct bt_emit *emit, const char *name,
                          const size_t *agents, size_t count);
/* MANIFEST_UNUSABLE and BOUNDARIES_UNUSABLE at "". */
BT_MUST_USE enum bt_status bt_roster_say_manifest(const struct bt_roster *roster,
                                                  struct bt_findings *findings);
BT_MUST_USE enum bt_status bt_roster_say_boundaries(const struct bt_roster *roster,
                                                    struct bt_findings *findings);
/* Put the params of an id that is not known: reason, available_agents, closest. */
void bt_roster_put_unknown(const struct bt_roster *roster, bt_str id, struct bt_emit *emit);

/* Whether a text is empty or ASCII white space. */
bool bt_is_ascii_blank(bt_str text);
#endif
