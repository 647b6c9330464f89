/* SPDX-License-Identifier: Apache-2.0 */
/* op_proof.c - operations for verifiers and auditors: public keys, COSE receipts, audits, holds. */
#include "config/config_internal.h"
#include "ledger/audit.h"
#include "operation/entry_fields.h"
#include "operation/ledger_json.h"
#include "operation/records.h"

enum { OPEN_DEFAULT_S = 7 * 86400, AUDIT_ARENA_BYTES_MAX = 1 << 29 };

/* ---- Keys and receipts ----------------------------------------------------------------------- */

static enum bt_status set_keys(struct bt_call *call, enum bt_public_key_format format)
{
    struct bt_error error;
    return bt_ledger_put_keys(call->service->ledger, call->arena, format, &call->answer->body,
                              &error) == BT_OK
               ? bt_result_set_done(call)
               : bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE,
                                      "the keys cannot be read");
}

enum bt_status bt_op_ledger_list_keys(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    return set_keys(call, BT_PUBLIC_KEYS_ALL);
}

enum bt_status bt_op_ledger_scitt_keys(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    call->answer->media = BT_MEDIA_CBOR;
    return set_keys(call, BT_PUBLIC_KEYS_COSE);
}

enum bt_status bt_op_ledger_scitt_key(struct bt_call *call, const struct bt_args *args)
{
    struct bt_error error;
    const enum bt_status status = bt_ledger_put_cose_key(
        call->service->ledger, bt_args_text(args, BT_ARG_LEDGER_SCITT_KEY_KID), &call->answer->body,
        &error);
    if (status == BT_ENOENT) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "key not found");
    }
    call->answer->media = BT_MEDIA_CBOR;
    return status == BT_OK ? bt_result_set_done(call)
                           : bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE,
                                                  "the keys cannot be read");
}

enum bt_status bt_op_ledger_scitt_receipt(struct bt_call *call, const struct bt_args *args)
{
    const bt_str number = bt_args_text(args, BT_ARG_LEDGER_SCITT_RECEIPT_SEQ);
    uint64_t seq = 0;
    /* a statement is registered for all who may use its log, and names no agents */
    const bool is_open = bt_ledger_entries(call->service->ledger) == 0;
    if (bt_str_to_u64(number, &seq) != BT_OK ||
        (!is_open && !bt_entry_fields_find_number(call, number, &seq))) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "entry not found");
    }
    const struct bt_receipt_request request = {
        .seq = seq, .size = BT_LEDGER_SEQ_NONE, .format = BT_RECEIPT_FORMAT_COSE};
    call->answer->media = BT_MEDIA_COSE;
    return bt_op_set_receipt(call, &request, "entry not found");
}

/* ---- Audits ---------------------------------------------------------------------------------- */

/* Read a duration. False: the result is set. */
static bool take_duration(struct bt_call *call, const struct bt_args *args, const char *name,
                          uint64_t *out)
{
    const bt_str text = bt_arg_text(bt_args_find(args, name));
    if (text.len > 0 && !bt_config_is_duration(text)) {
        (void)bt_result_refuse_argument(call, bt_str_of(name),
                                        "it is 1 to 6 digits and s, m, h or d");
        return false;
    }
    *out = text.len > 0 ? bt_config_text_seconds(text) : *out;
    return true;
}

static bool take_audit(struct bt_call *call, const struct bt_args *args,
                       struct bt_ledger_audit_options *out)
{
    *out = (struct bt_ledger_audit_options){
        .silence_s = 2 * bt_config_heartbeat_seconds(call->service->config),
        .silence_is_given = bt_args_has(args, BT_ARG_LEDGER_AUDIT_MAX_SILENCE),
        .open_s = OPEN_DEFAULT_S,
        .now = bt_env_now(call->service->env)};
    return bt_op_take_bound(call, args, "from", &out->from) &&
           bt_op_take_bound(call, args, "to", &out->to) &&
           take_duration(call, args, "max_silence", &out->silence_s) &&
           take_duration(call, args, "max_open", &out->open_s);
}

enum bt_status bt_op_ledger_audit(struct bt_call *call, const struct bt_args *args)
{
    struct bt_ledger_audit_options options;
    struct bt_judgement judged;
    struct bt_error error;
    struct bt_arena arena; /* an audit takes more than other requests */
    if (!take_audit(call, args, &options)) {
        return BT_OK;
    }
    bt_arena_init(&arena, AUDIT_ARENA_BYTES_MAX);
    enum bt_status status =
        bt_ledger_audit(call->service->ledger, BT_STR(""), &arena, &options, &judged, &error);
    if (status == BT_OK) {
        status = bt_result_set_report(call, &judged, 1, BT_STR(""));
    } else if (status == BT_EINVAL) {
        status = bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/from"), "%s",
                                       error.text);
    } else {
        status =
            bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
    }
    bt_arena_free(&arena);
    return status;
}

/* ---- Holds ----------------------------------------------------------------------------------- */

/* Answer with the holds in force, and what was recorded. */
static enum bt_status set_holds(struct bt_call *call, const struct bt_ledger_hold_options *done)
{
    struct bt_ledger_holds holds;
    struct bt_error error;
    if (bt_ledger_list_holds(call->service->ledger, call->arena, &holds, &error) != BT_OK) {
        return bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the ledger cannot be read");
    }
    bt_buf_clear(&call->answer->body);
    bt_emit_holds(&call->answer->body, &holds, done);
    return bt_result_set_done(call);
}

enum bt_status bt_op_ledger_list_holds(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    return set_holds(call, NULL);
}

/* Read what is held: by one of three names. False: the result is set. */
static bool take_hold(struct bt_call *call, const struct bt_args *args,
                      struct bt_ledger_hold_options *out)
{
    static const bt_str prefix = BT_STR_INIT("sha256:");
    const bt_str trace = bt_arg_text(bt_args_find(args, "trace"));
    const bt_str handoff = bt_arg_text(bt_args_find(args, "handoff"));
    const bt_str document = bt_arg_text(bt_args_find(args, "document"));
    const bt_str digest = bt_str_slice(document, prefix.len, document.len);
    out->by = trace.len > 0     ? BT_LEDGER_HOLD_TRACE
              : handoff.len > 0 ? BT_LEDGER_HOLD_HANDOFF
                                : BT_LEDGER_HOLD_DOCUMENT;
    out->value = trace.len > 0 ? trace : handoff.len > 0 ? handoff : digest;
    out->reason = bt_arg_text(bt_args_find(args, "reason"));
    out->actor = call->caller->actor;
    if ((trace.len > 0) + (handoff.len > 0) + (document.len > 0) != 1) {
        (void)bt_result_refuse_argument(call, BT_STR("trace"),
                                        "name what is held by one of trace, handoff and document");
        return false;
    }
    if (document.len > 0 &&
        (!bt_str_starts_with(document, prefix) || !bt_entry_sha256_is_valid(digest))) {
        (void)bt_result_refuse_argument(call, BT_STR("document"),
                                        "it is sha256: and 64 hexadecimal digits");
        return false;
    }
    return true;
}

static enum bt_status put_changed_hold(struct bt_call *call, void *context)
{
    call->answer->status = BT_HTTP_OK;
    return set_holds(call, context);
}

static enum bt_status change_hold(struct bt_call *call, const struct bt_args *args, bool releases)
{
    struct bt_worker *service = call->service;
    struct bt_findings *alarms = bt_findings_new(call->arena);
    struct bt_ledger_hold_options hold = {.releases = releases};
    struct bt_op_idempotent deciding;
    struct bt_ledger_head head;
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    /* with the head comes the version, which may have been switched since this thread read it */
    if (!take_hold(call, args, &hold) || !bt_op_read_head(call, &head)) {
        return BT_OK;
    }
    if (bt_ledger_entries(service->ledger) < 2) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR(""),
                                     "the log has entries of version 1, which have no holds");
    }
    bt_op_idempotency_begin(&deciding, call, put_changed_hold, &hold);
    bt_op_idempotent_attach(&deciding);
    const enum bt_status status =
        bt_ledger_change_hold(service->ledger, service->env, call->arena, &hold, alarms, &error);
    BT_TRY(bt_op_idempotency_end(&deciding, status == BT_OK && bt_findings_count(alarms) == 0,
                                 "nothing was changed"));
    if (status == BT_ENOENT) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "document not found");
    }
    return status == BT_EINVAL && deciding.once.outcome == 0
               ? bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/reason"), "%s",
                                       error.text)
               : BT_OK;
}

enum bt_status bt_op_ledger_set_hold(struct bt_call *call, const struct bt_args *args)
{
    return change_hold(call, args, false);
}

enum bt_status bt_op_ledger_release_hold(struct bt_call *call, const struct bt_args *args)
{
    return change_hold(call, args, true);
}
