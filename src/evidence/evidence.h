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
#include "transcript/transcript.h"

enum bt_evidence_mode {
    BT_EVIDENCE_OFF = 0,
    BT_EVIDENCE_REPORT, /* what would reject a report is a warning */
    BT_EVIDENCE_ENFORCE,
};

/* "off", "report", "enforce". */
bt_str bt_evidence_mode_name(enum bt_evidence_mode mode);
/* Parse a mode. BT_EINVAL: the text is not one of the three words. */
BT_MUST_USE enum bt_status bt_evidence_mode_parse(bt_str name, enum bt_evidence_mode *out);

/* What is compared with which transcript. */
struct bt_evidence {
    const struct bt_env *env;
    enum bt_evidence_mode mode;
    bt_str path;                  /* of the transcript; "": none is known */
    bt_str agent;                 /* whose calls count; "": the agent that the file belongs to */
    struct bt_str_list doc_paths; /* patterns of files whose change needs no check */
    bool owned_only;              /* a transcript of another user is not read */
};

/* The default of doc_paths. */
struct bt_str_list bt_evidence_doc_paths(void);

/* The comparison as an option of a contract check; `context` is a struct bt_evidence. */
bt_contract_compare_fn bt_evidence_compare;

#endif
