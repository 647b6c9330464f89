/* SPDX-License-Identifier: Apache-2.0 */
/* own_receipt.c - a receipt of our own log must agree with the ledger. */
#include "operation/own_receipt.h"

#include <assert.h>

#include "ledger/proof_api.h"

enum bt_status bt_op_compare_receipt(struct bt_call *work, bt_str receipt, struct bt_judgement *out,
                                     bool *out_is_other)
{
    struct bt_ledger *ledger = work->service->ledger;
    struct bt_verifier_keys *keys = bt_verifier_keys_new(work->arena, BT_VERIFIER_KEY_LOG);
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_receipt_state state = {.is_proven = false};
    struct bt_error error;
    assert(out);
    *out_is_other = false;
    if (!keys || !alarms) {
        return BT_ENOMEM;
    }
    const struct bt_receipt_judge_options options = {
        .keys = keys, .any_verdict = true, .state = &state};
    if (!ledger || !work->service->is_contradicted ||
        bt_ledger_copy_keys(ledger, keys, &error) != BT_OK) {
        return BT_OK;
    }
    BT_TRY(bt_receipt_judge(work->arena, BT_STR("receipt"), receipt, &options, out));
    if (!state.is_proven ||
        bt_ledger_check_receipt_state(ledger, work->arena, &state, alarms, &error) != BT_OK ||
        bt_findings_count(alarms) == 0) {
        return BT_OK;
    }
    atomic_store(work->service->is_contradicted, true);
    *out_is_other = true;
    BT_TRY(bt_findings_finish(alarms, BT_STR("")));
    *out = (struct bt_judgement){.path = bt_ledger_url(ledger),
                                 .dialect = BT_DIALECT_LEDGER,
                                 .source = BT_STR(""),
                                 .verdict = BT_VERDICT_REJECTED,
                                 .findings = alarms,
                                 .facts = BT_STR("{}")};
    return BT_OK;
}
