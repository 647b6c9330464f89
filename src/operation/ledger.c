/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c - operations on the log: checkpoints, proofs, entries, tiles, redaction. */
#include "ledger/bundle.h"
#include "operation/ledger_json.h"
#include "operation/records.h"

bool bt_op_read_head(struct bt_call *work, struct bt_ledger_head *out)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    if (alarms &&
        bt_ledger_head(work->service->ledger, work->arena, alarms, out, &error) == BT_OK &&
        bt_findings_count(alarms) == 0) {
        return true;
    }
    (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
    return false;
}

static bool read_newest_checkpoint(struct bt_call *work, struct bt_ledger_head *head,
                                   struct bt_ledger_checkpoint *out)
{
    struct bt_error error;
    if (!bt_op_read_head(work, head)) {
        return false;
    }
    if (bt_ledger_get_checkpoint(work->service->ledger, work->arena, BT_LEDGER_SEQ_NONE, out,
                                 &error) != BT_OK) {
        (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
        return false;
    }
    return true;
}

enum bt_status bt_op_ledger_get(struct bt_call *work, const struct bt_args *args)
{
    (void)args;
    struct bt_ledger_checkpoint checkpoint;
    struct bt_ledger_head head;
    if (!read_newest_checkpoint(work, &head, &checkpoint)) {
        return BT_OK;
    }
    bt_emit_checkpoint(&work->answer->body, &head, &checkpoint);
    return bt_result_set_done(work);
}

enum bt_status bt_op_ledger_checkpoint(struct bt_call *work, const struct bt_args *args)
{
    (void)args;
    struct bt_ledger_checkpoint checkpoint;
    struct bt_ledger_head head;
    if (!read_newest_checkpoint(work, &head, &checkpoint)) {
        return BT_OK;
    }
    bt_buf_put(&work->answer->body, checkpoint.note);
    work->answer->media = BT_MEDIA_TEXT;
    return bt_result_set_done(work);
}

enum bt_status bt_op_ledger_prove_consistency(struct bt_call *work, const struct bt_args *args)
{
    const uint64_t old_size = bt_args_number(args, BT_ARG_LEDGER_PROVE_CONSISTENCY_OLD, 0);
    const uint64_t size =
        bt_args_number(args, BT_ARG_LEDGER_PROVE_CONSISTENCY_SIZE, BT_LEDGER_SEQ_NONE);
    struct bt_consistency_result growth;
    struct bt_ledger_head head;
    struct bt_error error;
    if (!bt_op_read_head(work, &head)) {
        return BT_OK;
    }
    const enum bt_status status = bt_ledger_prove_consistency(work->service->ledger, work->arena,
                                                              old_size, size, &growth, &error);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "proof not found");
    }
    if (status != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the ledger cannot be read");
    }
    bt_emit_consistency(&work->answer->body, head.origin, &growth);
    return bt_result_set_done(work);
}

enum bt_status bt_op_set_findings(struct bt_call *work, struct bt_findings *findings)
{
    BT_TRY(bt_findings_finish(findings, BT_STR("")));
    bt_result_set_refused(work, bt_findings_at(findings, 0), findings, BT_STR(""));
    work->answer->status = BT_HTTP_UNPROCESSABLE;
    return BT_OK;
}

static enum bt_status add_lines(struct bt_call *work, bt_str lines,
                                const struct bt_verifier_keys *witnesses)
{
    struct bt_findings *findings = bt_findings_new(work->arena);
    struct bt_error error;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (bt_ledger_add_cosignatures(work->service->ledger, BT_LEDGER_SEQ_NONE, lines, witnesses,
                                   findings, &error) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was kept");
    }
    return bt_findings_count(findings) > 0 ? bt_op_set_findings(work, findings)
                                           : bt_op_ledger_get(work, NULL);
}

enum bt_status bt_op_ledger_add_cosignatures(struct bt_call *work, const struct bt_args *args)
{
    struct bt_verifier_keys *witnesses = bt_verifier_keys_new(work->arena, BT_VERIFIER_KEY_WITNESS);
    struct bt_str_list vkeys;
    struct bt_error error;
    BT_TRY(bt_args_texts(args, BT_ARG_LEDGER_ADD_COSIGNATURES_WITNESS_KEY, work->arena, &vkeys));
    if (!witnesses) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < vkeys.count; i++) {
        if (bt_verifier_keys_add(witnesses, vkeys.items[i], &error) != BT_OK) {
            return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/witness_key"),
                                         "it is not the key of a witness");
        }
    }
    return vkeys.count > 0
               ? add_lines(work, bt_args_text(args, BT_ARG_LEDGER_ADD_COSIGNATURES_COSIGNATURES),
                           witnesses)
               : bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/witness_key"),
                                       "name the keys of the witnesses");
}

enum bt_status bt_op_ledger_list_entries(struct bt_call *work, const struct bt_args *args)
{
    const struct bt_ledger_filter filter = {
        .kind = bt_args_text(args, BT_ARG_LEDGER_LIST_ENTRIES_KIND),
        .verdict = bt_args_text(args, BT_ARG_LEDGER_LIST_ENTRIES_VERDICT),
        .from = bt_args_number(args, BT_ARG_LEDGER_LIST_ENTRIES_FROM, BT_LEDGER_SEQ_NONE),
        .count = bt_args_number(args, BT_ARG_LEDGER_LIST_ENTRIES_LIMIT, BT_LIST_LIMIT_DEFAULT),
        .handoff_id = BT_STR(""),
        .trace_id = BT_STR("")};
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_entries found;
    struct bt_ledger_head head;
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    if (!bt_op_read_head(work, &head)) {
        return BT_OK;
    }
    if (bt_ledger_list_entries(work->service->ledger, work->arena, &filter, alarms, &found,
                               &error) != BT_OK ||
        bt_findings_count(alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the ledger cannot be read");
    }
    bt_emit_entries(&work->answer->body, &head, &found);
    return bt_result_set_done(work);
}

enum bt_status bt_op_ledger_tile(struct bt_call *work, const struct bt_args *args)
{
    const bt_str path = bt_args_text(args, BT_ARG_LEDGER_TILE_PATH);
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    const enum bt_status status = bt_ledger_put_tile(work->service->ledger, work->arena, path,
                                                     alarms, &work->answer->body, &error);
    if (status == BT_ENOENT) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "tile not found");
    }
    if (status != BT_OK || bt_findings_count(alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the ledger cannot be read");
    }
    work->answer->media = BT_MEDIA_BYTES;
    return bt_result_set_done(work);
}

enum { BUNDLE_ARENA_BYTES_MAX = 1 << 29 };

bool bt_op_take_bound(struct bt_call *call, const struct bt_args *args, const char *name,
                      struct bt_ledger_bound *out)
{
    const bt_str text = bt_arg_text(bt_args_find(args, name));
    out->is_given = text.len > 0;
    out->is_time = out->is_given && bt_str_to_u64(text, &out->seq) != BT_OK;
    if (!out->is_time || bt_instant_parse(text, &out->time) == BT_OK) {
        return true;
    }
    (void)bt_result_refuse_argument(call, bt_str_of(name),
                                    "it is neither the number of an entry nor a time");
    return false;
}

static bool take_bundle(struct bt_call *call, const struct bt_args *args,
                        struct bt_ledger_bundle_options *out)
{
    static const size_t places[] = {[BT_LEDGER_BUNDLE_HANDOFF] = BT_ARG_LEDGER_BUNDLE_HANDOFF,
                                    [BT_LEDGER_BUNDLE_TRACE] = BT_ARG_LEDGER_BUNDLE_TRACE,
                                    [BT_LEDGER_BUNDLE_AGENT] = BT_ARG_LEDGER_BUNDLE_AGENT};
    out->no_documents = bt_args_bool(args, BT_ARG_LEDGER_BUNDLE_NO_DOCUMENTS);
    out->document_bytes_max = bt_args_number(args, BT_ARG_LEDGER_BUNDLE_MAX_DOCUMENT,
                                             BT_LEDGER_BUNDLE_DOCUMENT_BYTES_MAX);
    out->title = bt_args_text(args, BT_ARG_LEDGER_BUNDLE_TITLE);
    out->now = bt_env_now(call->service->env);
    out->silence_s = 2 * bt_config_heartbeat_seconds(call->service->config);
    out->is_page = call->wants_text;
    for (size_t by = BT_LEDGER_BUNDLE_HANDOFF; by <= BT_LEDGER_BUNDLE_AGENT; by++) {
        if (bt_args_has(args, places[by]) && out->by != BT_LEDGER_BUNDLE_ALL) {
            (void)bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/trace"),
                                        "select by one of handoff, trace and agent");
            return false;
        }
        if (bt_args_has(args, places[by])) {
            out->by = (enum bt_ledger_bundle_by)by;
            out->value = bt_args_text(args, places[by]);
        }
    }
    return bt_op_take_bound(call, args, "from", &out->from) &&
           bt_op_take_bound(call, args, "to", &out->to);
}

enum bt_status bt_op_ledger_bundle(struct bt_call *work, const struct bt_args *args)
{
    struct bt_ledger_bundle_options options = {.by = BT_LEDGER_BUNDLE_ALL};
    struct bt_ledger_bundle_result made;
    struct bt_error error;
    struct bt_arena arena; /* a bundle takes more than other requests */
    if (!take_bundle(work, args, &options)) {
        return BT_OK;
    }
    bt_arena_init(&arena, BUNDLE_ARENA_BYTES_MAX);
    const enum bt_status status = bt_ledger_put_bundle(work->service->ledger, &arena, &options,
                                                       &work->answer->body, &made, &error);
    bt_arena_free(&arena);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR(""), "%s",
                                     error.text);
    }
    if (status == BT_ELIMIT) {
        return bt_result_set_problem(work, BT_PROBLEM_BODY_TOO_LARGE, BT_STR(""), "%s", error.text);
    }
    if (status != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the ledger cannot be read");
    }
    work->answer->media = options.is_page ? BT_MEDIA_PAGE : "application/json";
    return bt_result_set_done(work);
}

static enum bt_status put_redacted(struct bt_call *work, void *context)
{
    const struct bt_ledger_redact_options *requested = context;
    bt_buf_clear(&work->answer->body);
    bt_emit_redaction(&work->answer->body, &requested->done);
    work->answer->status = BT_HTTP_OK;
    return bt_result_set_done(work);
}

/* Read which document. False: the result is set. */
static bool take_redaction(struct bt_call *call, const struct bt_args *args,
                           struct bt_ledger_redact_options *out)
{
    *out =
        (struct bt_ledger_redact_options){.by_seq = bt_args_has(args, BT_ARG_LEDGER_REDACT_SEQ),
                                          .seq = bt_args_number(args, BT_ARG_LEDGER_REDACT_SEQ, 0),
                                          .sha256 = bt_args_text(args, BT_ARG_LEDGER_REDACT_SHA256),
                                          .reason = bt_args_text(args, BT_ARG_LEDGER_REDACT_REASON),
                                          .actor = call->caller->actor,
                                          .min_s = bt_config_retain_seconds(call->service->config),
                                          .refusals = bt_findings_new(call->arena)};
    if (out->by_seq == (out->sha256.len > 0)) {
        (void)bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/seq"),
                                    "name the document by seq or by sha256");
        return false;
    }
    if (!out->by_seq && !bt_entry_sha256_is_valid(out->sha256)) {
        (void)bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/sha256"),
                                    "it is not a digest of 64 hexadecimal digits");
        return false;
    }
    return true;
}

enum bt_status bt_op_ledger_redact(struct bt_call *work, const struct bt_args *args)
{
    struct bt_worker *service = work->service;
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_redact_options redaction;
    struct bt_op_idempotent deciding;
    struct bt_error error;
    if (!take_redaction(work, args, &redaction)) {
        return BT_OK;
    }
    if (!alarms || !redaction.refusals) {
        return BT_ENOMEM;
    }
    bt_op_idempotency_begin(&deciding, work, put_redacted, &redaction);
    bt_op_idempotent_attach(&deciding);
    const enum bt_status status =
        bt_ledger_redact(service->ledger, service->env, work->arena, &redaction, alarms, &error);
    const bool is_refused = bt_findings_count(redaction.refusals) > 0;
    const bool is_done = (status == BT_OK || redaction.done.is_recorded) && !is_refused &&
                         bt_findings_count(alarms) == 0;
    BT_TRY(bt_op_idempotency_end(&deciding, is_done, "nothing was deleted"));
    if (is_refused && bt_findings_count(alarms) == 0) {
        return bt_op_set_findings(work, redaction.refusals);
    }
    if (status == BT_ENOENT) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "document not found");
    }
    return status == BT_EINVAL && deciding.once.outcome == 0
               ? bt_result_set_problem(
                     work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/reason"),
                     "1 to 200 of [A-Za-z0-9 ._:/@+,-]; a digest is 64 hexadecimal digits")
               : BT_OK;
}
