/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.h - compare the claims of a contract block with the transcript of the turn.
 *
 * A finding says that something did not happen only when the whole transcript was read, was
 * understood, and excludes it. Everything else is *undecided*: a fact, never a finding.
 */
#ifndef BATON_SRC_EVIDENCE_EVIDENCE_H
#define BATON_SRC_EVIDENCE_EVIDENCE_H

#include "dialect/contract/contract.h"
#include "evidence/follow.h"

enum bt_evidence_mode {
    BT_EVIDENCE_OFF = 0,
    BT_EVIDENCE_REPORT, /* what would reject a report is a warning */
    BT_EVIDENCE_ENFORCE,
};

/* "off", "report", "enforce". */
bt_str bt_evidence_mode_name(enum bt_evidence_mode mode);
/* Parse a mode. BT_EINVAL: the text is not one of the three words. */
BT_MUST_USE enum bt_status bt_evidence_mode_parse(bt_str name, enum bt_evidence_mode *out);

/* How many commands that a block claims were found in which way. */
struct bt_evidence_agreement {
    size_t confirmed;
    size_t ran;
    size_t failed;
    size_t not_run;
    size_t undecided;
};

/* What is compared with which transcript. */
struct bt_evidence {
    const struct bt_env *env;
    enum bt_evidence_mode mode;
    struct bt_evidence_source source;
    struct bt_evidence_follow *follow; /* the source, read to its end; NULL: it is read now */
    bool is_compared;                  /* out: there was a block, and a transcript to read ... */
    struct bt_evidence_agreement agreement; /* ... with this result */
};

/* The comparison as an option of a contract check; `context` is a struct bt_evidence. */
bt_contract_compare_fn bt_evidence_compare;

#endif
