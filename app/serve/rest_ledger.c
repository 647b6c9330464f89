/* SPDX-License-Identifier: Apache-2.0 */
/* rest_ledger.c - the log, its checkpoints and tiles, and the witness. */
#include <baton/ledger_care.h>
#include <baton/witness.h>

#include "serve/rest.h"
#include "serve/server.h"

static const uint64_t numbers[2] = {0, INT64_MAX};

/* ---- Proofs ---------------------------------------------------------------------------------- */

static enum bt_status get_checkpoint(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x)
               ? rest_end_cached(&rest, bt_op_checkpoint(&rest.work), NULL, "no-cache")
               : BT_OK;
}

static enum bt_status prove_consistency(struct serve_call *x)
{
    struct serve_rest rest;
    uint64_t old_size = BT_LEDGER_SEQ_NONE;
    uint64_t size = BT_LEDGER_SEQ_NONE;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_query_number(&rest, "old", numbers, &old_size) ||
        !rest_query_number(&rest, "size", numbers, &size)) {
        return rest_drop(&rest);
    }
    if (old_size == BT_LEDGER_SEQ_NONE) {
        (void)rest_refuse(&rest, "old", "it is missing");
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_prove_consistency(&rest.work, old_size, size));
}

static enum bt_status prove_inclusion(struct serve_call *x)
{
    struct serve_rest rest;
    uint64_t seq = BT_LEDGER_SEQ_NONE;
    uint64_t size = BT_LEDGER_SEQ_NONE;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_query_number(&rest, "seq", numbers, &seq) ||
        !rest_query_number(&rest, "size", numbers, &size)) {
        return rest_drop(&rest);
    }
    if (seq == BT_LEDGER_SEQ_NONE) {
        (void)rest_refuse(&rest, "seq", "it is missing");
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_prove_inclusion(&rest.work, rest_query(x, "seq"), size));
}

static enum bt_status add_cosignatures(struct serve_call *x)
{
    const struct serve_query_item *items = NULL;
    struct serve_rest rest;
    size_t count = 0;
    size_t keys = 0;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    enum bt_status status = exchange_query_items(x, &items, &count);
    bt_str *vkeys = BT_NEW_ARRAY(x->arena, bt_str, count + 1);
    for (size_t i = 0; status == BT_OK && vkeys && i < count; i++) {
        if (!bt_str_eq(items[i].name, BT_STR("witness_key"))) {
            (void)serve_call_respond_bad_parameter(x, items[i].name, "there is no such parameter");
            return rest_drop(&rest);
        }
        vkeys[keys++] = items[i].value;
    }
    if (status == BT_OK && vkeys) {
        status = bt_op_cosignatures(&rest.work, x->request->body, vkeys, keys);
    }
    return rest_end(&rest, vkeys ? status : BT_ENOMEM);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static enum bt_status list_entries(struct serve_call *x)
{
    static const uint64_t limits[2] = {1, 500};
    struct bt_ledger_filter filter = {
        .count = 50, .from = BT_LEDGER_SEQ_NONE, .handoff_id = BT_STR(""), .trace_id = BT_STR("")};
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_query_word(&rest, "kind", bt_schema_stack_entry_kind_is_valid, &filter.kind) ||
        !rest_query_word(&rest, "verdict", bt_schema_stack_entry_verdict_is_valid,
                         &filter.verdict) ||
        !rest_query_number(&rest, "from", numbers, &filter.from) ||
        !rest_query_number(&rest, "limit", limits, &filter.count)) {
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_entries(&rest.work, &filter));
}

static enum bt_status get_entry(struct serve_call *x)
{
    struct serve_rest rest;
    uint64_t seq = 0;
    if (bt_str_to_u64(x->params[0], &seq) != BT_OK) {
        return serve_call_respond_problem(x, "NOT_FOUND");
    }
    return rest_begin(&rest, x)
               ? rest_end_cached(&rest, bt_op_handoff(&rest.work, x->params[0]), NULL, "no-cache")
               : BT_OK;
}

static enum bt_status redact_document(struct serve_call *x)
{
    struct bt_ledger_redact_options redaction = {.sha256 = BT_STR("")};
    struct serve_rest_object object;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "seq sha256 reason", &object) ||
        !rest_number(&object, "seq", numbers, &redaction.seq) ||
        !rest_text(&object, "sha256", &redaction.sha256) ||
        !rest_text(&object, "reason", &redaction.reason)) {
        return rest_drop(&rest);
    }
    redaction.by_seq = rest_member(&object, "seq") != NULL;
    if (redaction.by_seq == (redaction.sha256.len > 0)) {
        (void)rest_refuse(&rest, "seq", "name the document by seq or by sha256");
        return rest_drop(&rest);
    }
    if (!redaction.by_seq && !bt_entry_sha256_is_valid(redaction.sha256)) {
        (void)rest_refuse(&rest, "sha256", "it is no digest of 64 hexadecimal digits");
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_redact(&rest.work, &redaction));
}

/* ---- The tree -------------------------------------------------------------------------------- */

static enum bt_status get_checkpoint_note(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end_cached(&rest, bt_op_ledger_note(&rest.work),
                                                  "text/plain; charset=utf-8", "no-cache")
                                : BT_OK;
}

static enum bt_status get_tile(struct serve_call *x)
{
    const bool is_public = bt_config_bool(x->config, "ledger.public");
    struct serve_rest rest;
    return rest_begin(&rest, x)
               ? rest_end_cached(&rest, bt_op_tile(&rest.work, x->params[0]),
                                 "application/octet-stream",
                                 is_public ? "max-age=31536000, immutable"
                                           : "private, max-age=31536000, immutable")
               : BT_OK;
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
        const char *code;
        unsigned status;
    } rows[] = {{"WITNESS_BAD_REQUEST", 400},
                {"WITNESS_UNKNOWN_ORIGIN", 404},
                {"WITNESS_BAD_SIGNATURE", 403},
                {"WITNESS_STALE", 409},
                {"WITNESS_INCONSISTENT", 422}};
    const struct bt_finding *why = bt_findings_at(judged->findings, 0);
    struct bt_json_read_result read = {0};
    unsigned status = 422;
    bt_str text;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        status = bt_str_eq(why->rule->code, bt_str_of(rows[i].code)) ? rows[i].status : status;
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
        return serve_call_respond_problem(x, "NOT_FOUND");
    }
    if (bt_witness_cosign(x->service->env, x->arena, &request, &answer, &error) != BT_OK) {
        return serve_call_respond_problem(x, "STORE_UNAVAILABLE");
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
        return serve_call_respond_problem(x, "NOT_FOUND");
    }
    BT_TRY(serve_call_respond_body(x, 200, "text/plain; charset=utf-8", text));
    serve_call_set_cache_control(x, "no-cache");
    return serve_call_set_etag(x);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const struct serve_route ledger_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/ledger",
     .operation = "getLedger",
     .scopes = BT_SCOPE_CHECK,
     .flags = ROUTE_STORE,
     .run = get_checkpoint,
     .summary = "Show the newest checkpoint"},
    {.method = HTTP_GET,
     .path = "/v1/ledger/proof/consistency",
     .operation = "proveConsistency",
     .scopes = BT_SCOPE_CHECK,
     .flags = ROUTE_STORE,
     .run = prove_consistency,
     .query = "old size",
     .summary = "Prove that the log extends an older state of it"},
    {.method = HTTP_GET,
     .path = "/v1/ledger/proof/inclusion",
     .operation = "proveInclusion",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = prove_inclusion,
     .query = "seq size",
     .summary = "Prove that an entry is in the log"},
    {.method = HTTP_GET,
     .path = "/v1/ledger/entries",
     .operation = "listEntries",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_STORE,
     .run = list_entries,
     .query = "from limit kind verdict",
     .summary = "List entries of any kind"},
    {.method = HTTP_GET,
     .path = "/v1/ledger/entries/{seq}",
     .operation = "getEntry",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_STORE,
     .run = get_entry,
     .summary = "Show one entry"},
    {.method = HTTP_POST,
     .path = "/v1/ledger/cosignatures",
     .operation = "addCosignatures",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_RECORDS | ROUTE_ANY_QUERY,
     .run = add_cosignatures,
     .takes = "text/plain application/octet-stream",
     .query = "witness_key",
     .summary = "Keep cosignatures of the newest checkpoint"},
    {.method = HTTP_POST,
     .path = "/v1/ledger/redact",
     .operation = "redactDocument",
     .scopes = BT_SCOPE_ADMIN,
     .flags = ROUTE_RECORDS,
     .run = redact_document,
     .takes = "application/json",
     .summary = "Delete the bytes of a document, and record that"},
    {.method = HTTP_GET,
     .path = "/ledger/checkpoint",
     .operation = "tlogCheckpoint",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_STORE | ROUTE_PUBLIC_LEDGER,
     .run = get_checkpoint_note,
     .gives = "text/plain",
     .summary = "The newest checkpoint as a signed note"},
    {.method = HTTP_GET,
     .path = "/ledger/tile/{path...}",
     .operation = "tlogTile",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_STORE | ROUTE_PUBLIC_LEDGER,
     .run = get_tile,
     .gives = "application/octet-stream",
     .summary = "A tile or bundle of entries of the log"},
    {.method = HTTP_POST,
     .path = "/witness/add-checkpoint",
     .operation = "witnessAddCheckpoint",
     .flags = ROUTE_PUBLIC | ROUTE_WAITS | ROUTE_ANY_ACCEPT,
     .run = add_checkpoint,
     .summary = "Ask this server's witness to cosign a checkpoint"},
    {.method = HTTP_GET,
     .path = "/witness/{origin_hash}/checkpoint",
     .operation = "witnessCheckpoint",
     .flags = ROUTE_PUBLIC | ROUTE_ANY_ACCEPT,
     .run = get_witnessed_checkpoint,
     .gives = "text/plain",
     .summary = "The checkpoint that the witness has cosigned"},
    {.path = NULL},
};
