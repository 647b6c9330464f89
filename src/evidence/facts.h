/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - one comparison of a block with a transcript, and the facts about it. */
#ifndef BATON_SRC_EVIDENCE_FACTS_H
#define BATON_SRC_EVIDENCE_FACTS_H

#include "evidence/claims.h"
#include "evidence/evidence.h"

struct bt_evidence_comparison {
    struct bt_evidence *evidence;
    const struct bt_contract_view *view;
    struct bt_arena arena;
    struct bt_evidence_follow *follow; /* the transcript, read to its end */
    struct bt_claims claims;
    struct {
        size_t commands;
        size_t writing; /* commands that may have changed something */
        size_t edits;
        size_t opaque;
        size_t cut; /* results of which a part is missing */
    } counts;
    uint64_t last_edit;    /* call number, or 0 */
    uint64_t last_command; /* call number, or 0 */
    bool is_checked;       /* something that may be a check came after the last edit */
    bool outputs_undecided;
};

/* Whether what a block quotes or names was found. */
enum bt_evidence_found {
    BT_EVIDENCE_FOUND_UNDECIDED = 0,
    BT_EVIDENCE_FOUND,
    BT_EVIDENCE_FOUND_NOT,
};

enum bt_evidence_found bt_evidence_output_state(const struct bt_evidence_comparison *comparison,
                                                const struct bt_output_claim *claim);
enum bt_evidence_found bt_evidence_file_state(const struct bt_evidence_comparison *comparison,
                                              const struct bt_file_claim *claim);

/* Look in the transcript for the texts that the index does not have: quotations, keys of commands
 * that matched no call, paths of edits that were read before. */
BT_MUST_USE enum bt_status bt_evidence_search_texts(struct bt_evidence_comparison *comparison);
/* Count the claims by their state. */
struct bt_evidence_agreement bt_evidence_count_claims(const struct bt_claims *claims);
struct bt_emit;
/* Put the member `agreement`. */
void bt_evidence_put_agreement(const struct bt_evidence_agreement *agreement, struct bt_emit *emit);
/* Write the value of facts.evidence into the arena of the view. */
BT_MUST_USE enum bt_status bt_evidence_write_facts(const struct bt_evidence_comparison *comparison,
                                                   bt_str *out);

#endif
