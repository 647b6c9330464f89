/* SPDX-License-Identifier: Apache-2.0 */
/* rest_ledger.c - the log, its checkpoints and tiles, and the witness. */
#include <baton/ledger_care.h>
#include <baton/witness.h>

#include "operation/rule_codes.h"
#include "serve/rest.h"
#include "serve/server.h"

/* ---- Proofs ---------------------------------------------------------------------------------- */

static enum bt_status get_checkpoint(struct serve_rest *rest)
{
    rest->cache = "no-cache";
    return bt_op_checkpoint(&rest->work);
}

static enum bt_status prove_consistency(struct serve_rest *rest)
{
    return bt_op_prove_consistency(&rest->work, rest_number(rest, "old", 0),
                                   rest_number(rest, "size", BT_LEDGER_SEQ_NONE));
}

static enum bt_status prove_inclusion(struct serve_rest *rest)
{
    return bt_op_prove_inclusion(&rest->work, rest_text(rest, "seq"),
                                 rest_number(rest, "size", BT_LEDGER_SEQ_NONE));
}

static enum bt_status add_cosignatures(struct serve_rest *rest)
{
    const struct serve_call *x = rest->x;
    bt_str *vkeys = BT_NEW_ARRAY(x->arena, bt_str, x->query_count + 1);
    for (size_t i = 0; vkeys && i < x->query_count; i++) {
        if (!bt_operation_param_find(x->route->row, BT_IN_QUERY, x->query[i].name)) {
            return serve_call_respond_bad_parameter(rest->x, x->query[i].name,
                                                    "there is no such parameter");
        }
        vkeys[i] = x->query[i].value;
    }
    return vkeys ? bt_op_cosignatures(&rest->work, x->request->body, vkeys, x->query_count)
                 : BT_ENOMEM;
}

/* ---- Entries --------------------------------------------------------------------------------- */

static enum bt_status list_entries(struct serve_rest *rest)
{
    const struct bt_ledger_filter filter = {.kind = rest_text(rest, "kind"),
                                            .verdict = rest_text(rest, "verdict"),
                                            .from = rest_number(rest, "from", BT_LEDGER_SEQ_NONE),
                                            .count = rest_number(rest, "limit", 50),
                                            .handoff_id = BT_STR(""),
                                            .trace_id = BT_STR("")};
    return bt_op_entries(&rest->work, &filter);
}

static enum bt_status get_entry(struct serve_rest *rest)
{
    uint64_t seq = 0;
    if (bt_str_to_u64(rest->x->params[0], &seq) != BT_OK) {
        return serve_call_respond_problem(rest->x, BT_PROBLEM_NOT_FOUND);
    }
    rest->cache = "no-cache";
    return bt_op_handoff(&rest->work, rest->x->params[0]);
}

static enum bt_status redact_document(struct serve_rest *rest)
{
    const struct bt_ledger_redact_options redaction = {.by_seq = rest_has(rest, "seq"),
                                                       .seq = rest_number(rest, "seq", 0),
                                                       .sha256 = rest_text(rest, "sha256"),
                                                       .reason = rest_text(rest, "reason")};
    if (redaction.by_seq == (redaction.sha256.len > 0)) {
        (void)rest_refuse(rest, "seq", "name the document by seq or by sha256");
        return BT_OK;
    }
    if (!redaction.by_seq && !bt_entry_sha256_is_valid(redaction.sha256)) {
        (void)rest_refuse(rest, "sha256", "it is no digest of 64 hexadecimal digits");
        return BT_OK;
    }
    return bt_op_redact(&rest->work, &redaction);
}

/* ---- The tree -------------------------------------------------------------------------------- */

static enum bt_status get_checkpoint_note(struct serve_rest *rest)
{
    rest->type = "text/plain; charset=utf-8";
    rest->cache = "no-cache";
    return bt_op_ledger_note(&rest->work);
}

static enum bt_status get_tile(struct serve_rest *rest)
{
    const bool is_public = bt_config_bool(rest->x->config, "ledger.public");
    rest->type = "application/octet-stream";
    rest->cache =
        is_public ? "max-age=31536000, immutable" : "private, max-age=31536000, immutable";
    return bt_op_tile(&rest->work, rest->x->params[0]);
}

/* ---- Witness --------------------------------------------------------------------------------- */

static const char *witness_folder(struct serve_call *x)
{
    const char *given = x->gateway->flags->witness;
    bt_str path = BT_STR("");
    if (given) {
        return given;
    }
    return bt_config_has(x->config, "ledger.witness") &&
                   bt_config_path(x->config, "ledger.witness", x->arena, &path) == BT_OK
               ? path.ptr
               : NULL;
}

/* Respond to a request that was not cosigned, as C2SP tlog-witness defines. */
static enum bt_status refuse_checkpoint(struct serve_call *x, const struct bt_judgement *judged)
{
    static const struct {
        enum bt_code code;
        unsigned status;
    } rows[] = {{BT_CODE_WITNESS_BAD_REQUEST, 400},
                {BT_CODE_WITNESS_UNKNOWN_ORIGIN, 404},
                {BT_CODE_WITNESS_BAD_SIGNATURE, 403},
                {BT_CODE_WITNESS_STALE, 409},
                {BT_CODE_WITNESS_INCONSISTENT, 422}};
    const struct bt_finding *why = bt_findings_at(judged->findings, 0);
    struct bt_json_read_result read = {0};
    unsigned status = 422;
    bt_str text;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        status = why->rule->id == rows[i].code ? rows[i].status : status;
    }
    if (status == 409) { /* the known size, so that the log can prove from there */
        BT_TRY(bt_json_read(x->arena, why->params, NULL, &read));
        const bt_json_value *latest =
            read.document
                ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("latest"))
                : NULL;
        BT_TRY(bt_arena_printf(
            x->arena, &text, "%.*s\n",
            BT_STR_ARG(latest ? bt_json_number_text(read.document, latest) : BT_STR("0"))));
        return serve_call_respond_body(x, 409, "text/x.tlog.size", text);
    }
    BT_TRY(bt_arena_printf(x->arena, &text, "%.*s\n", BT_STR_ARG(why->rule->meaning)));
    return serve_call_respond_body(x, status, "text/plain; charset=utf-8", text);
}

static enum bt_status add_checkpoint(struct serve_call *x)
{
    struct bt_witness_request request = {
        .folder = witness_folder(x), .path = BT_STR("request"), .body = x->request->body};
    struct bt_witness_cosign_result answer;
    struct bt_error error;
    if (!request.folder) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    if (bt_witness_cosign(x->service->env, x->arena, &request, &answer, &error) != BT_OK) {
        return serve_call_respond_problem(x, BT_PROBLEM_STORE_UNAVAILABLE);
    }
    return answer.line.len > 0
               ? serve_call_respond_body(x, 200, "text/plain; charset=utf-8", answer.line)
               : refuse_checkpoint(x, &answer.judged);
}

/* The origin with this digest among the logs of the witness; "" when there is none. */
static bt_str origin_of(struct serve_call *x, const char *folder, bt_str hash)
{
    struct bt_json_read_result read = {0};
    struct bt_error error;
    struct bt_buf buf;
    bt_str text = BT_STR("");
    bt_str found = BT_STR("");
    bt_buf_init(&buf, 16 << 20);
    if (bt_witness_put_logs(x->arena, folder, BT_STR(""), &buf, &error) == BT_OK &&
        bt_buf_copy(&buf, x->arena, &text) == BT_OK) {
        (void)!bt_json_read(x->arena, text, NULL, &read);
    }
    bt_buf_free(&buf);
    const bt_json_value *logs =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("logs"))
                      : NULL;
    for (size_t i = 0; logs && i < bt_json_count(logs); i++) {
        const bt_json_value *log = &bt_json_items(logs)[i];
        const bt_json_value *digest = bt_json_get(read.document, log, BT_STR("origin_hash"));
        const bt_json_value *origin = bt_json_get(read.document, log, BT_STR("origin"));
        if (digest && origin && bt_str_eq(bt_json_text(digest), hash)) {
            found = bt_json_text(origin);
        }
    }
    return found;
}

static enum bt_status get_witnessed_checkpoint(struct serve_call *x)
{
    const char *folder = witness_folder(x);
    const bt_str origin = folder ? origin_of(x, folder, x->params[0]) : BT_STR("");
    struct bt_error error;
    bt_str text;
    if (origin.len == 0 ||
        bt_witness_get_checkpoint(x->arena, folder, origin, &text, &error) != BT_OK) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    BT_TRY(serve_call_respond_body(x, 200, "text/plain; charset=utf-8", text));
    serve_call_set_cache_control(x, "no-cache");
    return serve_call_set_etag(x);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const struct serve_handler ledger_handlers[] = {
    {BT_OPERATION_LEDGER_GET, 0, .run = get_checkpoint},
    {BT_OPERATION_LEDGER_PROVE_CONSISTENCY, 0, .run = prove_consistency},
    {BT_OPERATION_LEDGER_PROVE_INCLUSION, 0, .run = prove_inclusion},
    {BT_OPERATION_LEDGER_LIST_ENTRIES, 0, .run = list_entries},
    {BT_OPERATION_LEDGER_GET_ENTRY, 0, .run = get_entry},
    {BT_OPERATION_LEDGER_ADD_COSIGNATURES, 0, .run = add_cosignatures},
    {BT_OPERATION_LEDGER_REDACT, 0, .run = redact_document},
    {BT_OPERATION_LEDGER_CHECKPOINT, ROUTE_PUBLIC_LEDGER, .run = get_checkpoint_note},
    {BT_OPERATION_LEDGER_TILE, ROUTE_PUBLIC_LEDGER, .run = get_tile},
    {BT_OPERATION_WITNESS_COSIGN, ROUTE_WAITS | ROUTE_ANY_ACCEPT, .run_call = add_checkpoint},
    {BT_OPERATION_WITNESS_SHOW, ROUTE_ANY_ACCEPT, .run_call = get_witnessed_checkpoint},
    {.run = NULL},
};
