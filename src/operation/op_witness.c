/* SPDX-License-Identifier: Apache-2.0 */
/* op_witness.c - this server as the witness of other logs. */
#include <inttypes.h>

#include "ledger/witness.h"
#include "operation/operation.h"
#include "report/rules.h"

const char *bt_op_witness_folder(struct bt_call *call)
{
    const struct bt_config *config = call->service->config;
    bt_str path = BT_STR("");
    if (call->service->witness) {
        return call->service->witness;
    }
    return bt_config_has(config, "ledger.witness") &&
                   bt_config_path(config, "ledger.witness", call->arena, &path) == BT_OK
               ? path.ptr
               : NULL;
}

static enum bt_status set_text_result(struct bt_call *call, unsigned status, const char *media,
                                      bt_str text)
{
    bt_buf_clear(&call->answer->body);
    bt_buf_put(&call->answer->body, text);
    call->answer->status = status;
    call->answer->media = media;
    return bt_result_set_done(call);
}

/* Respond to a request that was not cosigned, as C2SP tlog-witness defines. */
static enum bt_status refuse_checkpoint(struct bt_call *call, const struct bt_judgement *judged)
{
    static const struct {
        enum bt_code code;
        unsigned status;
    } rows[] = {{BT_CODE_WITNESS_BAD_REQUEST, BT_HTTP_BAD_REQUEST},
                {BT_CODE_WITNESS_UNKNOWN_ORIGIN, BT_HTTP_NOT_FOUND},
                {BT_CODE_WITNESS_BAD_SIGNATURE, BT_HTTP_FORBIDDEN},
                {BT_CODE_WITNESS_STALE, BT_HTTP_CONFLICT},
                {BT_CODE_WITNESS_INCONSISTENT, BT_HTTP_UNPROCESSABLE}};
    const struct bt_finding *why = bt_findings_at(judged->findings, 0);
    unsigned status = BT_HTTP_UNPROCESSABLE;
    bt_str text;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        status = why->rule->id == rows[i].code ? rows[i].status : status;
    }
    if (status == BT_HTTP_CONFLICT) { /* the known size, so that the log can prove from there */
        const struct bt_finding_arg *latest = bt_finding_arg(why, BT_STR("latest"));
        BT_TRY(
            bt_arena_printf(call->arena, &text, "%" PRIu64 "\n", latest ? latest->as.integer : 0));
        return set_text_result(call, BT_HTTP_CONFLICT, "text/x.tlog.size", text);
    }
    BT_TRY(bt_arena_printf(call->arena, &text, "%.*s\n", BT_STR_ARG(why->rule->meaning)));
    return set_text_result(call, status, BT_MEDIA_TEXT, text);
}

enum bt_status bt_op_witness_cosign(struct bt_call *call, const struct bt_args *args)
{
    struct bt_witness_request request = {.folder = bt_op_witness_folder(call),
                                         .path = BT_STR("request"),
                                         .body = bt_args_text(args, BT_ARG_WITNESS_COSIGN_REQUEST)};
    struct bt_witness_cosign_result cosigned;
    struct bt_error error;
    if (!request.folder) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "this server is not a witness");
    }
    if (bt_witness_cosign(call->service->env, call->arena, &request, &cosigned, &error) != BT_OK) {
        return bt_result_set_failed(call, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was signed");
    }
    return cosigned.line.len > 0 ? set_text_result(call, BT_HTTP_OK, BT_MEDIA_TEXT, cosigned.line)
                                 : refuse_checkpoint(call, &cosigned.judged);
}

enum bt_status bt_op_witness_show(struct bt_call *call, const struct bt_args *args)
{
    const char *folder = bt_op_witness_folder(call);
    const bt_str hash = bt_args_text(args, BT_ARG_WITNESS_SHOW_ORIGIN_HASH);
    struct bt_error error;
    bt_str origin = BT_STR("");
    bt_str text;
    if (!folder || bt_witness_find_origin(call->arena, folder, hash, &origin, &error) != BT_OK ||
        bt_witness_get_checkpoint(call->arena, folder, origin, &text, &error) != BT_OK) {
        return bt_result_set_problem(call, BT_PROBLEM_NOT_FOUND, BT_STR(""), "log not found");
    }
    return set_text_result(call, BT_HTTP_OK, BT_MEDIA_TEXT, text);
}
