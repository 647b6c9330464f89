/* SPDX-License-Identifier: Apache-2.0 */
/* peer_receipts.h - a handoff of a partner, with receipts of the partner's log. */
#ifndef BATON_SRC_OPERATION_PEER_RECEIPTS_H
#define BATON_SRC_OPERATION_PEER_RECEIPTS_H

#include "operation/filing.h"

/*
 * Verify the receipts of a request with the keys of `ledger.peers`, and demand the one that a
 * token of a peer needs. With findings, filing->partner.refusal has them; otherwise the receipts
 * are set to be recorded with an acceptance. False in *out_go_on: the result is set.
 */
BT_MUST_USE enum bt_status bt_op_peer_receipts_check(struct bt_op_filing *filing, bool *out_go_on);

#endif
