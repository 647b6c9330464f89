/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - C2SP tlog-policy: which logs are trusted, and which witnesses must have cosigned.
 *
 *     log VKEY [URL]
 *     witness NAME VKEY [URL]
 *     group NAME any|all|K MEMBER...
 *     quorum NAME|none
 */
#ifndef BATON_SRC_LEDGER_POLICY_H
#define BATON_SRC_LEDGER_POLICY_H

#include "ledger/ledger_internal.h"

enum { BT_POLICY_NODES_MAX = 256 };

/* A witness or a group; members have lower numbers. */
struct bt_policy_node {
    bt_str name;
    bool is_group;
    bool is_member;  /* of a group */
    unsigned type;   /* of a witness's key that cannot be verified here; 0: it can */
    bt_str key_name; /* of such a key */
    uint8_t key[BT_KEY_BYTES];
    size_t threshold; /* of a group */
    size_t *members;
    size_t member_count;
};

struct bt_witness_policy {
    struct bt_verifier_keys *logs;
    struct bt_verifier_keys *witnesses;
    struct bt_policy_node *items;
    size_t count;
    size_t capacity;
    size_t witness_count;
    size_t group_count;
    bool has_quorum;
    bool needs_none; /* quorum none */
    size_t quorum;   /* number of the node */
    char sha256[BT_HASH_HEX_BYTES];
};

/* Check whether the witnesses that have cosigned are enough; otherwise LEDGER_WITNESS_MISSING.
 * *out_facts is the JSON object of the facts. */
BT_MUST_USE enum bt_status bt_witness_policy_judge(const struct bt_witness_policy *policy,
                                                   const struct bt_checkpoint_witnesses *witnessed,
                                                   struct bt_findings *findings, bt_str *out_facts,
                                                   bool *out_met);
/* WITNESS_KEY_UNSUPPORTED for each witness whose key cannot be verified here. */
BT_MUST_USE enum bt_status bt_witness_policy_add_unsupported(const struct bt_witness_policy *policy,
                                                             struct bt_findings *findings);

#endif
