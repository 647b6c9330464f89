/* SPDX-License-Identifier: Apache-2.0 */
/* filing.h - a document while it is recorded, in any dialect. */
#ifndef BATON_SRC_OPERATION_FILING_H
#define BATON_SRC_OPERATION_FILING_H

#include <time.h>

#include "decide/governed_state.h"
#include "engine/submit.h"
#include "operation/records.h"

struct bt_op_filing_time {
    struct timespec until;
    uint64_t begun_ns;
};

/* What came of the receipts of a partner's log; see peer_receipts.h. */
struct bt_op_filing_partner {
    const struct bt_findings *refusal;      /* why it is refused; NULL: it is not */
    struct bt_submission_receipts receipts; /* recorded when it is accepted */
};

/* In the arena of the request. Its address must not change until it is answered. */
struct bt_op_filing {
    struct bt_call *work;
    struct bt_check_request *request; /* only until it is recorded */
    enum bt_dialect_id dialect;
    const struct bt_dialect *row;
    struct bt_judgement judged;
    struct bt_policy policy;
    struct bt_entry_ref policy_ref;
    struct bt_submission submission;
    struct bt_contract_state contract_state; /* contract blocks ... */
    struct bt_contract_document message;
    struct bt_contract_input_owner input_owner;
    struct bt_contract_submission contract;
    struct bt_governed_submission *governed; /* ... governed documents; NULL: another dialect */
    bool is_dispatch;                        /* the response is that of POST /v1/dispatch */
    struct bt_op_filing_partner partner;

    struct bt_op_filing_time time; /* while it is being recorded */
    struct bt_deliver deliver;
    struct bt_op_idempotent deciding;
    bool is_back; /* returned by the writer, with this status */
    enum bt_status status;
};

/* Record the submission, and set the result; or leave it to the writer, see
 * struct bt_call_completion. */
BT_MUST_USE enum bt_status bt_op_record(struct bt_op_filing *filing);

#endif
