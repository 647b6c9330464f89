/* SPDX-License-Identifier: Apache-2.0 */
/* rest_check.c - paths that judge, repair, count and compare; nothing is stored. */
#include "serve/rest.h"

/* ---- Documents ------------------------------------------------------------------------------- */

static enum bt_status check_documents(struct serve_call *x)
{
    struct serve_rest_documents documents;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    rest.work.arena = x->service->scratch; /* only the response outlives the request */
    const bool is_ready = rest_documents(&rest, OPTION_JUDGE, true, &documents);
    const enum bt_status status =
        is_ready ? bt_op_check_all(&rest.work, documents.items, documents.count) : BT_OK;
    rest_documents_end(&documents);
    if (is_ready && status == BT_OK && rest.answer.kind == ANSWER_DONE) {
        serve_call_add_header(x, "Baton-Verdict", bt_verdict_name(rest.answer.verdict));
    }
    return is_ready ? rest_end(&rest, status) : rest_drop(&rest);
}

static enum bt_status repair_document(struct serve_call *x)
{
    return rest_run(x, OPTION_REPAIR, bt_op_repair);
}

static enum bt_status compress_document(struct serve_call *x)
{
    return rest_run(x, OPTION_REPAIR, bt_op_compress);
}

static enum bt_status convert_document(struct serve_call *x)
{
    return rest_run(x, OPTION_CONVERT, bt_op_convert);
}

static enum bt_status audit_plan(struct serve_call *x)
{
    return rest_run(x, OPTION_JUDGE, bt_op_plan_audit);
}

static enum bt_status as_contract(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = bt_dialect_find(BT_STR("contract"));
    return bt_op_check(work, request);
}

static enum bt_status contract_check(struct serve_call *x)
{
    return rest_run(x, OPTION_JUDGE, as_contract);
}

static enum bt_status repair_contract(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = bt_dialect_find(BT_STR("contract"));
    return bt_op_repair(work, request);
}

static enum bt_status contract_repair_prompt(struct serve_call *x)
{
    return rest_run(x, OPTION_REPAIR, repair_contract);
}

/* ---- Texts and plans ------------------------------------------------------------------------- */

static enum bt_status count_tokens(struct serve_call *x)
{
    const bt_str encoding = rest_query(x, "tokens");
    struct serve_rest rest;
    return rest_begin(&rest, x)
               ? rest_end(&rest,
                          bt_op_tokens(&rest.work, x->request->body,
                                       encoding.len > 0 ? encoding : rest_query(x, "encoding")))
               : BT_OK;
}

static enum bt_status list_waves(struct serve_call *x)
{
    struct bt_check_request request;
    struct serve_rest rest;
    bool remaining = false;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_query_switch(&rest, "remaining", &remaining)) {
        return rest_drop(&rest);
    }
    const bt_str path = rest_query(x, "path");
    bt_op_request_begin(x->service, &request);
    request.text = x->request->body;
    request.path = path.len > 0 ? path : request.path;
    const enum bt_status status = bt_op_plan_waves(&rest.work, &request, remaining);
    bt_op_request_end(&request);
    return rest_end(&rest, status);
}

/* Read `run`, and what was expected: `plan`, `chains`, `returns_to`. */
static bool take_trajectory(const struct serve_rest_object *object, struct bt_op_trajectory *out)
{
    const bt_json_value *chains = rest_member(object, "chains");
    const size_t count = chains ? bt_json_count(chains) : 0;
    bt_str *list = BT_NEW_ARRAY(object->rest->x->arena, bt_str, count + 1);
    *out = (struct bt_op_trajectory){.chains = list, .chain_count = count};
    out->has_plan = rest_member(object, "plan") != NULL;
    for (size_t i = 0; list && i < count; i++) {
        list[i] = bt_json_text(&bt_json_items(chains)[i]);
        if (list[i].len == 0) {
            return rest_refuse(object->rest, "chains", "it is no list of texts");
        }
    }
    return list && rest_text(object, "plan", &out->plan) &&
           rest_text(object, "returns_to", &out->returns_to);
}

static enum bt_status check_trajectory(struct serve_call *x)
{
    struct bt_op_trajectory arguments;
    struct serve_rest_object object;
    struct bt_check_request request;
    struct serve_rest rest;
    bt_str root;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "run plan chains returns_to root", &object) ||
        !take_trajectory(&object, &arguments) || !rest_text(&object, "root", &root)) {
        return rest_drop(&rest);
    }
    bt_op_request_begin(x->service, &request);
    request.root_name = root;
    request.path = BT_STR("run");
    const bt_json_value *run = rest_member(&object, "run");
    request.text = run && bt_json_type(run) == BT_JSON_STRING ? bt_json_text(run)
                                                              : rest_source(&object, "run");
    const enum bt_status status = bt_op_plan_trajectory(&rest.work, &request, &arguments);
    bt_op_request_end(&request);
    return rest_end(&rest, status);
}

/* ---- Schemas --------------------------------------------------------------------------------- */

/* Read a schema from a member: an object, or a reference. */
static struct bt_op_schema_ref take_schema(const struct serve_rest_object *object, const char *name)
{
    const bt_json_value *value = rest_member(object, name);
    const bool is_text = value && bt_json_type(value) == BT_JSON_STRING;
    return (struct bt_op_schema_ref){.text = is_text ? BT_STR("") : rest_source(object, name),
                                     .reference = is_text ? bt_json_text(value) : BT_STR(""),
                                     .name = name};
}

/* Begin a request about payload schemas: the object, and the root that it names. */
static bool begin_schemas(struct serve_rest *rest, struct serve_call *x, const char *names,
                          struct serve_rest_object *object, struct bt_check_request *request)
{
    bt_str root;
    bt_op_request_begin(x->service, request);
    if (!rest_begin(rest, x)) {
        return false;
    }
    if (!rest_object(rest, names, object) || !rest_text(object, "root", &root)) {
        (void)rest_drop(rest);
        return false;
    }
    if (!bt_op_request_root(&rest->work, request, root)) {
        (void)rest_end(rest, BT_OK);
        return false;
    }
    return true;
}

static enum bt_status plan_validate(struct serve_call *x)
{
    struct serve_rest_object object;
    struct bt_check_request request;
    struct serve_rest rest;
    enum bt_status status = BT_OK;
    if (begin_schemas(&rest, x, "schema root payload", &object, &request)) {
        const struct bt_op_schema_ref schema = take_schema(&object, "schema");
        request.path = BT_STR("payload");
        request.text = rest_source(&object, "payload");
        if (request.text.len == 0 || (schema.text.len == 0 && schema.reference.len == 0)) {
            (void)rest_refuse(&rest, request.text.len == 0 ? "payload" : "schema", "it is missing");
            (void)rest_drop(&rest);
        } else {
            status = rest_end(&rest, bt_op_validate(&rest.work, &request, &schema));
        }
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status schema_compat(struct serve_call *x)
{
    struct serve_rest_object object;
    struct bt_check_request request;
    struct serve_rest rest;
    enum bt_status status = BT_OK;
    bt_str mode = BT_STR("");
    if (begin_schemas(&rest, x, "old new mode root", &object, &request)) {
        const struct bt_op_schema_ref schemas[2] = {take_schema(&object, "old"),
                                                    take_schema(&object, "new")};
        const bool has_old = schemas[0].text.len > 0 || schemas[0].reference.len > 0;
        const bool has_new = schemas[1].text.len > 0 || schemas[1].reference.len > 0;
        if (!has_old || !has_new) {
            (void)rest_refuse(&rest, has_old ? "new" : "old", "it is missing");
            (void)rest_drop(&rest);
        } else if (!rest_text(&object, "mode", &mode)) {
            (void)rest_drop(&rest);
        } else {
            status = rest_end(&rest, bt_op_schema_compare(&rest.work, &request, schemas, mode));
        }
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status schema_validate(struct serve_call *x)
{
    struct serve_rest_object object;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "schema instance", &object)) {
        return rest_drop(&rest);
    }
    const bt_str schema = rest_source(&object, "schema");
    const bt_str instance = rest_source(&object, "instance");
    if (schema.len == 0 || instance.len == 0) {
        (void)rest_refuse(&rest, schema.len == 0 ? "schema" : "instance", "it is missing");
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_schema_validate(&rest.work, schema, instance));
}

static enum bt_status merge_payload(struct serve_call *x)
{
    struct serve_rest_object object;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "stored payload", &object)) {
        return rest_drop(&rest);
    }
    const bt_str stored = rest_source(&object, "stored");
    const bt_str payload = rest_source(&object, "payload");
    if (stored.len == 0 || payload.len == 0) {
        (void)rest_refuse(&rest, stored.len == 0 ? "stored" : "payload", "it is missing");
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_contract_merge(&rest.work, stored, payload));
}

/* ---- Receipts -------------------------------------------------------------------------------- */

/* Read the keys of a list of texts. False: the response is set. */
static bool take_keys(const struct serve_rest_object *object, struct bt_op_receipt *arguments)
{
    const bt_json_value *list = rest_member(object, "vkey");
    const bool is_one = list && bt_json_type(list) == BT_JSON_STRING;
    const size_t count = is_one ? 1 : list ? bt_json_count(list) : 0;
    bt_str *keys = BT_NEW_ARRAY(object->rest->x->arena, bt_str, count + 1);
    for (size_t i = 0; keys && i < count; i++) {
        keys[i] = bt_json_text(is_one ? list : &bt_json_items(list)[i]);
    }
    arguments->vkeys = keys;
    arguments->vkey_count = count;
    return keys != NULL;
}

/* Read a receipt: the body itself, or a member of an object. */
static bool take_receipt(struct serve_rest *rest, struct bt_op_receipt *arguments)
{
    const bt_str body = rest->x->request->body;
    struct serve_rest_object object;
    struct bt_json_read_result read;
    *arguments = (struct bt_op_receipt){.receipt = body};
    if (!bt_str_eq(exchange_media_type(rest->x), BT_STR("application/json")) ||
        /* from: caller */
        bt_json_read(rest->x->arena, body, NULL, &read) != BT_OK || !read.document ||
        !bt_json_get(read.document, bt_json_root(read.document), BT_STR("receipt"))) {
        return true;
    }
    if (!rest_object(rest, "receipt vkey document", &object) ||
        !rest_text(&object, "document", &arguments->document) || !take_keys(&object, arguments)) {
        return false;
    }
    const bt_json_value *receipt = rest_member(&object, "receipt");
    arguments->receipt = bt_json_type(receipt) == BT_JSON_STRING ? bt_json_text(receipt)
                                                                 : rest_source(&object, "receipt");
    arguments->has_document = rest_member(&object, "document") != NULL;
    return true;
}

static enum bt_status verify_receipt(struct serve_call *x)
{
    struct bt_op_receipt arguments;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return take_receipt(&rest, &arguments)
               ? rest_end(&rest, bt_op_verify_receipt(&rest.work, &arguments))
               : rest_drop(&rest);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define JSON_BODY "application/json"
#define TEXT_BODY "text/plain text/csv text/markdown application/json application/octet-stream"

#define JUDGE_ROW(path_, operation_, run_, query_, summary_)                                       \
    {                                                                                              \
        .method = HTTP_POST, .path = (path_), .operation = (operation_), .scopes = BT_SCOPE_CHECK, \
        .flags = ROUTE_BRIEF, .run = (run_), .takes = REST_DOCUMENT, .query = (query_),            \
        .summary = (summary_)                                                                      \
    }
#define OBJECT_ROW(path_, operation_, run_, summary_)                                              \
    {                                                                                              \
        .method = HTTP_POST, .path = (path_), .operation = (operation_), .scopes = BT_SCOPE_CHECK, \
        .run = (run_), .takes = JSON_BODY, .summary = (summary_)                                   \
    }

const struct serve_route judge_routes[] = {
    JUDGE_ROW("/v1/check", "check", check_documents,
              REST_JUDGE " edges direction bare runtime_agent_id structure_only",
              "Judge documents"),
    JUDGE_ROW("/v1/repair", "repair", repair_document,
              REST_JUDGE " attempt literal emit_prompt edges bare runtime_agent_id max_rejections",
              "Repair a document"),
    JUDGE_ROW("/v1/compress", "compress", compress_document, REST_JUDGE " literal",
              "Shorten a universal handoff to its budget"),
    JUDGE_ROW("/v1/convert", "convert", convert_document, REST_JUDGE " to from step",
              "Convert a document to a universal handoff"),
    {.method = HTTP_POST,
     .path = "/v1/tokens",
     .operation = "countTokens",
     .scopes = BT_SCOPE_CHECK,
     .run = count_tokens,
     .takes = TEXT_BODY,
     .query = "tokens encoding",
     .summary = "Count the tokens of a text"},
    JUDGE_ROW("/v1/plan/audit", "planAudit", audit_plan, REST_JUDGE " edges",
              "Compare what each step gives with what the next one takes"),
    {.method = HTTP_POST,
     .path = "/v1/plan/waves",
     .operation = "planWaves",
     .scopes = BT_SCOPE_CHECK,
     .run = list_waves,
     .takes = TEXT_BODY,
     .query = "path remaining",
     .summary = "Find which steps can run at the same time"},
    OBJECT_ROW("/v1/plan/trajectory", "planTrajectory", check_trajectory,
               "Compare a recorded run with what was planned"),
    OBJECT_ROW("/v1/plan/validate", "planValidate", plan_validate,
               "Judge a payload by its payload schema"),
    OBJECT_ROW("/v1/schema/validate", "schemaValidate", schema_validate,
               "Judge a document by a JSON Schema"),
    OBJECT_ROW("/v1/schema/compat", "schemaCompat", schema_compat,
               "Compare two versions of a payload schema"),
    JUDGE_ROW("/v1/contract/check", "contractCheck", contract_check,
              "path fail_level root today now direction bare runtime_agent_id",
              "Judge the contract block of a message"),
    JUDGE_ROW("/v1/contract/repair-prompt", "contractRepairPrompt", contract_repair_prompt,
              "path root today now attempt bare runtime_agent_id max_rejections",
              "Say what an agent must change about its contract block"),
    OBJECT_ROW("/v1/contract/merge", "contractMerge", merge_payload,
               "Merge the payload of an update into a section"),
    {.method = HTTP_POST,
     .path = "/v1/ledger/verify-receipt",
     .operation = "verifyReceipt",
     .scopes = BT_SCOPE_CHECK,
     .flags = ROUTE_MAY_STORE,
     .run = verify_receipt,
     .takes = "application/json text/plain application/octet-stream",
     .summary = "Verify a receipt"},
    {.path = NULL},
};
