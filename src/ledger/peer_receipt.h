/* SPDX-License-Identifier: Apache-2.0 */
/* peer_receipt.h - receipts of partners' logs that come with a submission. */
#ifndef BATON_SRC_LEDGER_PEER_RECEIPT_H
#define BATON_SRC_LEDGER_PEER_RECEIPT_H

#include "ledger/proof_api.h"

/* A receipt to verify. */
struct bt_peer_receipt_input {
    const struct bt_verifier_keys *keys; /* of the partners' logs */
    bt_str document;                     /* whose acceptance it must prove */
    bt_str bytes;
    bool is_cose; /* else a JSON receipt */
};

/* What was verified. Texts live in the arena, or in the input. */
struct bt_peer_receipt {
    bool is_valid;   /* there is no finding */
    bool is_trusted; /* a partner's key has signed `state` */
    struct bt_receipt_state state;
    bt_str document; /* of a valid one: the JSON receipt; of COSE without a checkpoint its bytes */
};

/*
 * Verify a receipt. Its findings are added to `findings` below `pointer`. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status bt_peer_receipt_judge(struct bt_arena *arena,
                                                 const struct bt_peer_receipt_input *input,
                                                 bt_str pointer, struct bt_findings *findings,
                                                 struct bt_peer_receipt *out);
/*
 * Keep what the receipt carries as evidence when the witness in `folder` holds another root of the
 * same size. BT_EIO: a file could not be read or written; `error` says why.
 */
BT_MUST_USE enum bt_status bt_peer_receipt_keep_evidence(struct bt_arena *arena, const char *folder,
                                                         const struct bt_peer_receipt *shown,
                                                         struct bt_error *error);

#endif
