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
    bool is_partial;      /* it is for a bundle that has some of the entries */
    struct bt_buf *facts; /* gets the object `audit` alone, unless something blocks; NULL: no */
    uint32_t *out_limits; /* with `facts`: the set of limits that apply, see below */
};

/* What an audit cannot prove. */
struct bt_ledger_audit_limit {
    const char *word;
    const char *sentence;
};

enum bt_ledger_audit_limit_id {
    BT_LEDGER_AUDIT_UNSUBMITTED = 0,
    BT_LEDGER_AUDIT_ACTED,
    BT_LEDGER_AUDIT_HOPS,
    BT_LEDGER_AUDIT_PROMISES,
    BT_LEDGER_AUDIT_CLOCK,
    BT_LEDGER_AUDIT_REWRITE,
    BT_LEDGER_AUDIT_LAST,
    BT_LEDGER_AUDIT_LIMIT__MAX,
};

/* In that order, which is the one in which they are listed. */
extern const struct bt_ledger_audit_limit bt_ledger_audit_limits[BT_LEDGER_AUDIT_LIMIT__MAX];

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
