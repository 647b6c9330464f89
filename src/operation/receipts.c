/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipts.c - verify receipts of others with keys that the caller trusts: the operation, and
 * <baton/receipt.h>.
 */
#include <baton/receipt.h>

#include <assert.h>

#include "base/sized.h"
#include "ledger/proof_api.h"
#include "operation/args_read.h"
#include "operation/engine.h"
#include "operation/own_receipt.h"

enum { REPORT_BYTES_MAX = 1 << 30 };

/* Add keys. BT_EINVAL: the one with the number *out_wrong is not a key of this kind. */
static enum bt_status add_keys(struct bt_verifier_keys *keys, struct bt_str_list texts,
                               size_t *out_wrong)
{
    for (*out_wrong = 0; *out_wrong < texts.count; (*out_wrong)++) {
        BT_TRY(bt_verifier_keys_add(keys, texts.items[*out_wrong], NULL));
    }
    return BT_OK;
}

/* ---- The operation --------------------------------------------------------------------------- */

/* Add the keys of a list of arguments. BT_EINVAL: the result says which of them is not a key. */
static enum bt_status take_list(struct bt_call *work, const struct bt_args *args, size_t place,
                                struct bt_verifier_keys *keys, const char *why)
{
    const bt_str name = args->operation->params[place].name;
    struct bt_str_list texts;
    size_t wrong = 0;
    BT_TRY(bt_args_texts(args, place, work->arena, &texts));
    const enum bt_status status = add_keys(keys, texts, &wrong);
    if (status == BT_EINVAL) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID,
                                    bt_result_pointer(work, "/%.*s/%zu", BT_STR_ARG(name), wrong),
                                    "%s", why);
    }
    return status;
}

/* The keys of logs: those of the caller, else all that the ledger here ever had. BT_EINVAL: the
 * result is set. */
static enum bt_status take_keys(struct bt_call *work, const struct bt_args *args,
                                struct bt_receipt_judge_options *options)
{
    struct bt_verifier_keys *keys = bt_verifier_keys_new(work->arena, BT_VERIFIER_KEY_LOG);
    if (!keys) {
        return BT_ENOMEM;
    }
    options->keys = keys;
    bt_verifier_keys_set_host(keys, work->service->signatures);
    BT_TRY(take_list(work, args, BT_ARG_LEDGER_VERIFY_RECEIPT_VKEY, keys,
                     "it is not the key of a log"));
    if (bt_verifier_keys_count(keys) > 0) {
        return BT_OK;
    }
    options->keys_are_local = work->service->ledger != NULL;
    if (!options->keys_are_local) {
        return bt_result_refuse_argument(work, BT_STR("vkey"),
                                         "it is missing, and this server has no ledger whose key "
                                         "could be used; give the vkey of "
                                         "the log that wrote the receipt");
    }
    struct bt_error error;
    if (bt_ledger_copy_keys(work->service->ledger, keys, &error) != BT_OK) {
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
    bt_verifier_keys_set_host(keys, work->service->signatures);
    BT_TRY(take_list(work, args, BT_ARG_LEDGER_VERIFY_RECEIPT_WITNESS_KEY, keys,
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
    struct bt_judgement judged[2];
    bool is_other = false;
    bt_str receipt;
#if defined(BT_PROFILE_CORE) || defined(BT_WITHOUT_ED25519)
    if (!work->service->signatures) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_IMPLEMENTED, BT_STR(""),
                                     "this build has no ed25519");
    }
#endif
    BT_TRY(take_receipt(work, args, &receipt));
    const enum bt_status status = take_options(work, args, &options);
    if (status != BT_OK) {
        return status == BT_EINVAL ? BT_OK : status;
    }
    BT_TRY(bt_receipt_judge(work->arena, BT_STR("receipt"), receipt, &options, &judged[0]));
#ifndef BT_PROFILE_CORE
    BT_TRY(bt_op_compare_receipt(work, receipt, &judged[1], &is_other));
#endif
    return bt_result_set_report(work, judged, is_other ? 2 : 1, BT_STR(""));
}

/* ---- The library ----------------------------------------------------------------------------- */

/* Add the keys that the caller gives. */
static enum bt_status add_given_keys(struct bt_verifier_keys *keys, struct bt_str_list texts,
                                     const char *what, struct bt_error *error)
{
    size_t wrong = 0;
    const enum bt_status status = add_keys(keys, texts, &wrong);
    return status == BT_OK
               ? BT_OK
               : bt_error_set(error, status, "%s %zu is not a key of its kind", what, wrong);
}

static enum bt_status find_keys(struct bt_engine *engine, struct bt_arena *arena,
                                const struct bt_receipt_verify_options *how,
                                struct bt_receipt_judge_options *out, struct bt_error *error)
{
    struct bt_verifier_keys *keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    struct bt_verifier_keys *witnesses = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_WITNESS);
    if (!keys || !witnesses) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(add_given_keys(keys, (struct bt_str_list){how->vkeys, how->vkey_count}, "vkey", error));
    BT_TRY(add_given_keys(witnesses,
                          (struct bt_str_list){how->witness_keys, how->witness_key_count},
                          "witness key", error));
    out->keys = keys;
    out->witnesses = how->witness_key_count > 0 ? witnesses : NULL;
    out->witnesses_required = how->witnesses_required > 0  ? how->witnesses_required
                              : how->witness_key_count > 0 ? 1
                                                           : 0;
    out->keys_are_local = how->vkey_count == 0;
    if (!out->keys_are_local) {
        return BT_OK;
    }
    if (!engine->worker.ledger) {
        return bt_error_set(error, BT_EINVAL, "there is neither a vkey nor a store");
    }
    return bt_ledger_copy_keys(engine->worker.ledger, keys, error) == BT_OK
               ? BT_OK
               : bt_error_set(error, BT_EIO, "the ledger cannot be read");
}

/* Judge the receipt into a report, in whose arena everything lies. */
static enum bt_status fill_report(struct bt_engine *engine, bt_str path, bt_str receipt,
                                  const struct bt_receipt_verify_options *how,
                                  struct bt_report *report, struct bt_error *error)
{
    struct bt_arena *arena = bt_report_arena(report);
    struct bt_receipt_judge_options options = {.has_document = how->has_document,
                                               .document = how->document,
                                               .any_verdict = how->any_verdict};
    struct bt_judgement judged;
    bt_str name;
    bt_str text;
    BT_TRY(find_keys(engine, arena, how, &options, error));
    enum bt_status status = bt_arena_copy(arena, path, &name);
    status = status == BT_OK ? bt_arena_copy(arena, receipt, &text) : status;
    status = status == BT_OK ? bt_receipt_judge(arena, name, text, &options, &judged) : status;
    status = status == BT_OK ? bt_judgement_publish(&judged, arena) : status;
    status = status == BT_OK ? bt_report_add(report, &judged) : status;
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

enum bt_status bt_receipt_verify(struct bt_engine *engine, bt_str path, bt_str receipt,
                                 const struct bt_receipt_verify_options *how,
                                 struct bt_report **out, struct bt_error *error)
{
    assert(engine);
    assert(out);
    struct bt_receipt_verify_options known;
    if (bt_sized_read(how, BT_SIZED_FIRST(struct bt_receipt_verify_options), &known) != BT_OK) {
        return bt_error_set(error, BT_EINVAL,
                            "the options have a size or members of another "
                            "release");
    }
    struct bt_report *report = bt_report_create(REPORT_BYTES_MAX);
    if (!report) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    const enum bt_status status = fill_report(engine, path, receipt, &known, report, error);
    if (status != BT_OK) {
        bt_report_destroy(report);
        return status;
    }
    *out = report;
    return BT_OK;
}
