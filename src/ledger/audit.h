/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.h - is anything missing? What the entries of a log promise, against what they and the
 * tables of the store say became of it.
 */
#ifndef BATON_SRC_LEDGER_AUDIT_H
#define BATON_SRC_LEDGER_AUDIT_H

#include "ledger/proof_api.h"

/* One end of a range of entries: nothing, a number or an instant; all of them are included. */
struct bt_ledger_bound {
    bool is_given;
    bool is_time;
    uint64_t seq;
    bt_instant time;
};

struct bt_ledger_audit_options {
    struct bt_ledger_verify_options verify; /* what is verified first, without documents */
    struct bt_ledger_bound from;
    struct bt_ledger_bound to;
    uint64_t silence_s;    /* the longest time without entries; 0: any */
    bool silence_is_given; /* else it is not asked of entries of version 1 */
    uint64_t open_s;       /* the longest time that a delivery may wait */
    bt_instant now;
};

/*
 * Verify a ledger in its store, or in the exported tree `folder` (ledger NULL), and audit it when
 * that gave no finding that blocks. The judgement has the dialect `ledger` and lives in the arena.
 * BT_EINVAL: no entry is in the range.
 */
BT_MUST_USE enum bt_status bt_ledger_audit(struct bt_ledger *ledger, bt_str folder,
                                           struct bt_arena *arena,
                                           const struct bt_ledger_audit_options *options,
                                           struct bt_judgement *out, struct bt_error *error);
/* Put the sentences of what an audit cannot prove; `facts` are those of its judgement. */
void bt_ledger_audit_put_unproven(struct bt_buf *buf, const struct bt_judgement *judged);

#endif
