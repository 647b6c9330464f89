/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - one comparison of a block with a transcript, and the facts about it. */
#ifndef BATON_SRC_EVIDENCE_FACTS_H
#define BATON_SRC_EVIDENCE_FACTS_H

#include "evidence/claims.h"
#include "evidence/evidence.h"

struct bt_evidence_comparison {
    const struct bt_evidence *evidence;
    const struct bt_contract_view *view;
    struct bt_arena arena;
    struct bt_transcript_reader *reader; /* NULL: the transcript could not be opened */
    bool is_found;
    bool is_readable;
    bool is_partial;
    struct bt_evidence_index index;
    struct bt_claims claims;
    struct bt_transcript_state state; /* after the first reading */
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

/* Write the value of facts.evidence into the arena of the view. */
BT_MUST_USE enum bt_status bt_evidence_write_facts(const struct bt_evidence_comparison *comparison,
                                                   bt_str *out);

#endif
