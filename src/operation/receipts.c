/* SPDX-License-Identifier: Apache-2.0 */
/* receipts.c - verify receipts of others with keys that the caller trusts. */
#include "ledger/proof_api.h"

#include "operation/args_read.h"

/* Add the keys of a list of arguments. BT_EINVAL: the result says which of them is not a key. */
static enum bt_status add_keys(struct bt_call *work, const struct bt_args *args, size_t place,
                               struct bt_verifier_keys *keys, const char *why)
{
    const bt_str name = args->operation->params[place].name;
    struct bt_str_list texts;
    BT_TRY(bt_args_texts(args, place, work->arena, &texts));
    for (size_t i = 0; i < texts.count; i++) {
        if (bt_verifier_keys_add(keys, texts.items[i], NULL) != BT_OK) {
            (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID,
                                        bt_result_pointer(work, "/%.*s/%zu", BT_STR_ARG(name), i),
                                        "%s", why);
            return BT_EINVAL;
        }
    }
    return BT_OK;
}

/* The keys of logs: those of the caller, else that of the ledger here. BT_EINVAL: the result is
 * set. */
static enum bt_status take_keys(struct bt_call *work, const struct bt_args *args,
                                struct bt_receipt_judge_options *options)
{
    struct bt_verifier_keys *keys = bt_verifier_keys_new(work->arena, BT_VERIFIER_KEY_LOG);
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_head head;
    struct bt_error error;
    if (!keys || !alarms) {
        return BT_ENOMEM;
    }
    options->keys = keys;
    BT_TRY(add_keys(work, args, BT_ARG_LEDGER_VERIFY_RECEIPT_VKEY, keys,
                    "it is not the key of a log"));
    if (bt_verifier_keys_count(keys) > 0) {
        return BT_OK;
    }
    options->keys_are_local = work->service->ledger != NULL;
    if (!options->keys_are_local) {
        return bt_result_refuse_argument(
            work, BT_STR("vkey"),
            "it is missing, and there is no ledger here whose key could be used; give the vkey of "
            "the log that wrote the receipt");
    }
    if (bt_ledger_head(work->service->ledger, work->arena, alarms, &head, &error) != BT_OK ||
        bt_verifier_keys_add(keys, head.vkey, &error) != BT_OK) {
        (void)bt_result_set_failed(work, BT_PROBLEM_NONE, "the ledger cannot be read");
        return BT_EINVAL;
    }
    return BT_OK;
}

/* With keys of witnesses, one of them must have signed, unless the caller says otherwise. */
static enum bt_status take_witnesses(struct bt_call *work, const struct bt_args *args,
                                     struct bt_receipt_judge_options *options)
{
    struct bt_verifier_keys *keys = bt_verifier_keys_new(work->arena, BT_VERIFIER_KEY_WITNESS);
    if (!keys) {
        return BT_ENOMEM;
    }
    BT_TRY(add_keys(work, args, BT_ARG_LEDGER_VERIFY_RECEIPT_WITNESS_KEY, keys,
                    "it is not the key of a witness"));
    const bool has_keys = bt_verifier_keys_count(keys) > 0;
    options->witnesses = has_keys ? keys : NULL;
    options->witnesses_required =
        bt_args_number(args, BT_ARG_LEDGER_VERIFY_RECEIPT_REQUIRE_WITNESS, has_keys ? 1 : 0);
    return BT_OK;
}

/* The receipt as it was sent, so that positions are those of the request; from a tool without white
 * space. */
static enum bt_status take_receipt(struct bt_call *work, const struct bt_args *args, bt_str *out)
{
    const struct bt_arg *given = bt_args_at(args, BT_ARG_LEDGER_VERIFY_RECEIPT_RECEIPT);
    const bool is_value = given && given->document && bt_json_type(given->json) != BT_JSON_STRING;
    *out = is_value ? bt_arg_source(given) : bt_arg_text(given);
    return is_value && args->is_tool
               ? bt_op_request_document(work, given->document, given->json, out)
               : BT_OK;
}

static enum bt_status take_options(struct bt_call *work, const struct bt_args *args,
                                   struct bt_receipt_judge_options *options)
{
    options->any_verdict = bt_args_bool(args, BT_ARG_LEDGER_VERIFY_RECEIPT_ANY_VERDICT);
    options->document = BT_STR("");
    options->has_document = bt_args_has(args, BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT) ||
                            bt_args_has(args, BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT_BASE64);
    if (options->has_document) {
        BT_TRY(bt_args_read_bytes(work, args, BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT,
                                  BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT_BASE64,
                                  &options->document));
    }
    BT_TRY(take_keys(work, args, options));
    return take_witnesses(work, args, options);
}

enum bt_status bt_op_ledger_verify_receipt(struct bt_call *work, const struct bt_args *args)
{
    struct bt_receipt_judge_options options = {0};
    struct bt_judgement judged;
    bt_str receipt;
    BT_TRY(take_receipt(work, args, &receipt));
    const enum bt_status status = take_options(work, args, &options);
    if (status != BT_OK) {
        return status == BT_EINVAL ? BT_OK : status;
    }
    BT_TRY(bt_receipt_judge(work->arena, BT_STR("receipt"), receipt, &options, &judged));
    return bt_result_set_report(work, &judged, 1, BT_STR(""));
}
