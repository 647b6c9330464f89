/* SPDX-License-Identifier: Apache-2.0 */
/* receipts.c - verify receipts of others with keys that the caller trusts. */
#include "ledger/proof_api.h"

#include "operation/operation.h"

enum bt_status bt_op_ledger_verify_receipt(struct bt_call *work, const struct bt_args *args)
{
    const struct bt_arg *given = bt_args_at(args, BT_ARG_LEDGER_VERIFY_RECEIPT_RECEIPT);
    struct bt_receipt_verify_options options = {
        .has_document = bt_args_has(args, BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT),
        .document = bt_args_text(args, BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT)};
    struct bt_str_list vkeys;
    bt_str receipt = bt_arg_text(given);
    struct bt_verifier_keys *keys = bt_verifier_keys_new(work->arena, BT_VERIFIER_KEY_LOG);
    struct bt_judgement judged;
    struct bt_error error;
    if (!keys) {
        return BT_ENOMEM;
    }
    if (given && given->document && args->is_tool) {
        BT_TRY(bt_op_request_document(work, given->document, given->json, &receipt));
    } else if (given && given->document && bt_json_type(given->json) != BT_JSON_STRING) {
        receipt = bt_arg_source(given); /* so that positions are those of the request */
    }
    BT_TRY(bt_args_texts(args, BT_ARG_LEDGER_VERIFY_RECEIPT_VKEY, work->arena, &vkeys));
    for (size_t i = 0; i < vkeys.count; i++) {
        if (bt_verifier_keys_add(keys, vkeys.items[i], &error) != BT_OK) {
            return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID,
                                         bt_result_pointer(work, "/vkey/%zu", i),
                                         "it is not the key of a log");
        }
    }
    if (vkeys.count == 0 && work->service->ledger) {
        struct bt_findings *alarms = bt_findings_new(work->arena);
        struct bt_ledger_head head;
        if (!alarms) {
            return BT_ENOMEM;
        }
        if (bt_ledger_head(work->service->ledger, work->arena, alarms, &head, &error) != BT_OK ||
            bt_verifier_keys_add(keys, head.vkey, &error) != BT_OK) {
            return bt_result_set_failed(work, BT_PROBLEM_NONE, "the ledger cannot be read");
        }
        options.keys_are_local = true;
    }
    if (bt_verifier_keys_count(keys) == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/vkey"),
                                     "it is missing, and there is no ledger here whose key could "
                                     "be used; give the vkey of the log that wrote the receipt");
    }
    options.keys = keys;
    BT_TRY(bt_receipt_verify(work->arena, BT_STR("receipt"), receipt, &options, &judged));
    return bt_result_set_report(work, &judged, 1, BT_STR(""));
}
