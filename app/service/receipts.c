/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipts.c - receipts of others, verified with keys that the caller trusts.
 */
#include <baton/ledger_proof.h>

#include "service/service.h"

enum bt_status op_verify_receipt(struct work *work, const struct receipt_ask *ask)
{
    struct bt_receipt_options options = {.has_document = ask->has_document,
                                         .document = ask->document};
    struct bt_ledger_keys *keys = bt_ledger_keys_new(work->arena, BT_LEDGER_LOG_KEY);
    struct bt_judged judged;
    struct bt_error error;
    if (!keys) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < ask->vkey_count; i++) {
        if (bt_ledger_keys_add(keys, ask->vkeys[i], &error) != BT_OK) {
            return answer_unusable(work, "PARAMETER_INVALID at /vkey/%zu: it is no key of a log",
                                   i);
        }
    }
    if (ask->vkey_count == 0 && work->service->ledger) {
        struct bt_findings *alarms = bt_findings_new(work->arena);
        struct bt_ledger_head head;
        if (!alarms) {
            return BT_ENOMEM;
        }
        if (bt_ledger_head(work->service->ledger, work->arena, alarms, &head, &error) != BT_OK ||
            bt_ledger_keys_add(keys, head.vkey, &error) != BT_OK) {
            return answer_failed(work, "the ledger cannot be read");
        }
        options.keys_are_local = true;
    }
    if (bt_ledger_keys_count(keys) == 0) {
        return answer_unusable(work, "PARAMETER_INVALID at /vkey: it is missing, and there is no "
                                     "ledger here whose key could be used; give the vkey of the "
                                     "log that wrote the receipt");
    }
    options.keys = keys;
    BT_TRY(bt_receipt_verify(work->arena, BT_STR("receipt"), ask->receipt, &options, &judged));
    return answer_report(work, &judged, 1, BT_STR(""));
}
