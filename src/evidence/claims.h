/* SPDX-License-Identifier: Apache-2.0 */
/* claims.h - what a block claims, and what the calls of the turn say about it. */
#ifndef BATON_SRC_EVIDENCE_CLAIMS_H
#define BATON_SRC_EVIDENCE_CLAIMS_H

#include "dialect/contract/contract.h"
#include "evidence/index.h"
#include "evidence/outputs.h"
#include "report/rules.h"

enum { BT_EVIDENCE_CLAIMS_MAX = 1000 };

enum bt_claim_state {
    BT_CLAIM_UNDECIDED = 0,
    BT_CLAIM_CONFIRMED,
    BT_CLAIM_RAN, /* how it ended is not known */
    BT_CLAIM_FAILED,
    BT_CLAIM_NOT_RUN,
    BT_CLAIM_OTHER_ARGUMENTS,
    BT_CLAIM__MAX,
};

/* "undecided" and so on. */
bt_str bt_claim_state_name(enum bt_claim_state state);

/* A command that the block says was run. */
struct bt_command_claim {
    const bt_json_value *value; /* its text in the block */
    bt_str text;
    bool is_verification;
    bool is_passed; /* the block says that it passed */
    bool has_form;  /* it can be looked for */
    struct bt_command_key key;
    enum bt_claim_state state;
    enum bt_evidence_exit_unknown_reason reason; /* of BT_CLAIM_RAN */
    const struct bt_evidence_call *call;         /* the last that matches, or NULL */
    bool is_mentioned; /* the key occurs where it cannot be told whether it was run */
    bt_str nearest;    /* a command with the same key, or "" */
};

/* A text that the block says came out of a tool. */
struct bt_output_claim {
    const bt_json_value *value;
    struct bt_quotation quotation;
    bool is_short;  /* too short to prove anything */
    bool is_beyond; /* a limit: it is not looked for */
};

/* A file that the block says was changed. */
struct bt_file_claim {
    const bt_json_value *value;
    bt_str path;
    bool is_touched;
};

struct bt_claims {
    BT_VEC(struct bt_command_claim) commands;
    BT_VEC(struct bt_output_claim) outputs;
    BT_VEC(struct bt_file_claim) files;
    const bt_json_value *files_changed; /* the list, or NULL */
    const bt_json_value *verification;  /* the object, or NULL */
    bool is_verified;                   /* its result is pass */
};

/* Read the claims of a block. */
BT_MUST_USE enum bt_status
bt_claims_read(struct bt_arena *arena, const struct bt_contract_view *view, struct bt_claims *out);
/* Match a command with the calls: the last that has it. Sets state, reason and call. */
BT_MUST_USE enum bt_status bt_command_claim_match(struct bt_arena *arena,
                                                  const struct bt_evidence_index *index,
                                                  struct bt_command_claim *claim);
/* Whether two paths name one file. */
bool bt_paths_are_same(bt_str a, bt_str b);

#endif
