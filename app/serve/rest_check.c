/* SPDX-License-Identifier: Apache-2.0 */
/* rest_check.c - paths that judge, repair, count and compare; nothing is stored. */
#include "serve/rest.h"

/* ---- Documents ------------------------------------------------------------------------------- */

static enum bt_status check_documents(struct serve_rest *rest)
{
    struct serve_rest_documents documents;
    rest->work.arena = rest->x->service->scratch; /* only the answer outlives the call */
    const bool is_ready = rest_documents(rest, OPTION_JUDGE, true, &documents);
    const enum bt_status status =
        is_ready ? bt_op_check_all(&rest->work, documents.items, documents.count) : BT_OK;
    rest_documents_end(&documents);
    if (is_ready && status == BT_OK && rest->answer.kind == ANSWER_DONE) {
        serve_call_add_header(rest->x, "Baton-Verdict", bt_verdict_name(rest->answer.verdict));
    }
    return status;
}

static enum bt_status repair_document(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_REPAIR, bt_op_repair);
}

static enum bt_status compress_document(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_REPAIR, bt_op_compress);
}

static enum bt_status convert_document(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_CONVERT, bt_op_convert);
}

static enum bt_status audit_plan(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_JUDGE, bt_op_plan_audit);
}

static enum bt_status as_contract(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = BT_DIALECT_CONTRACT;
    return bt_op_check(work, request);
}

static enum bt_status contract_check(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_JUDGE, as_contract);
}

static enum bt_status repair_contract(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = BT_DIALECT_CONTRACT;
    return bt_op_repair(work, request);
}

static enum bt_status contract_repair_prompt(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_REPAIR, repair_contract);
}

/* ---- Texts and plans ------------------------------------------------------------------------- */

static enum bt_status count_tokens(struct serve_rest *rest)
{
    const bt_str encoding = rest_text(rest, "tokens");
    return bt_op_tokens(&rest->work, rest->x->request->body,
                        encoding.len > 0 ? encoding : rest_text(rest, "encoding"));
}

static enum bt_status list_waves(struct serve_rest *rest)
{
    const bt_str path = rest_text(rest, "path");
    struct bt_check_request request;
    bt_op_request_begin(rest->work.service, &request);
    request.text = rest->x->request->body;
    request.path = path.len > 0 ? path : request.path;
    const enum bt_status status =
        bt_op_plan_waves(&rest->work, &request, rest_switch(rest, "remaining"));
    bt_op_request_end(&request);
    return status;
}

/* Read `chains`. False: the response is set, or there is no memory and the list is NULL. */
static bool read_chains(struct serve_rest *rest, struct bt_op_trajectory *out)
{
    const bt_json_value *chains = rest_value(rest, "chains");
    const size_t count = chains ? bt_json_count(chains) : 0;
    bt_str *list = BT_NEW_ARRAY(rest->x->arena, bt_str, count + 1);
    out->chains = list;
    out->chain_count = count;
    for (size_t i = 0; list && i < count; i++) {
        list[i] = bt_json_text(&bt_json_items(chains)[i]);
        if (list[i].len == 0) {
            return rest_refuse(rest, "chains", "it is no list of texts");
        }
    }
    return list != NULL;
}

static enum bt_status check_trajectory(struct serve_rest *rest)
{
    struct bt_op_trajectory arguments = {.has_plan = rest_has(rest, "plan"),
                                         .plan = rest_text(rest, "plan"),
                                         .returns_to = rest_text(rest, "returns_to")};
    const bt_json_value *run = rest_value(rest, "run");
    struct bt_check_request request;
    if (!read_chains(rest, &arguments)) {
        return arguments.chains ? BT_OK : BT_ENOMEM;
    }
    bt_op_request_begin(rest->work.service, &request);
    request.root_name = rest_text(rest, "root");
    request.path = BT_STR("run");
    request.text =
        run && bt_json_type(run) == BT_JSON_STRING ? bt_json_text(run) : rest_source(rest, "run");
    const enum bt_status status = bt_op_plan_trajectory(&rest->work, &request, &arguments);
    bt_op_request_end(&request);
    return status;
}

/* ---- Schemas --------------------------------------------------------------------------------- */

/* A schema in a member: an object, or a reference. */
static struct bt_op_schema_ref read_schema(const struct serve_rest *rest, const char *name)
{
    const bt_json_value *value = rest_value(rest, name);
    const bool is_text = bt_json_type(value) == BT_JSON_STRING;
    return (struct bt_op_schema_ref){.text = is_text ? BT_STR("") : rest_source(rest, name),
                                     .reference = is_text ? bt_json_text(value) : BT_STR(""),
                                     .name = name};
}

static enum bt_status plan_validate(struct serve_rest *rest)
{
    const struct bt_op_schema_ref schema = read_schema(rest, "schema");
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    bt_op_request_begin(rest->work.service, &request);
    request.path = BT_STR("payload");
    request.text = rest_source(rest, "payload");
    if (bt_op_request_root(&rest->work, &request, rest_text(rest, "root"))) {
        status = bt_op_validate(&rest->work, &request, &schema);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status schema_compat(struct serve_rest *rest)
{
    const struct bt_op_schema_ref schemas[2] = {read_schema(rest, "old"), read_schema(rest, "new")};
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    bt_op_request_begin(rest->work.service, &request);
    if (bt_op_request_root(&rest->work, &request, rest_text(rest, "root"))) {
        status = bt_op_schema_compare(&rest->work, &request, schemas, rest_text(rest, "mode"));
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status schema_validate(struct serve_rest *rest)
{
    return bt_op_schema_validate(&rest->work, rest_source(rest, "schema"),
                                 rest_source(rest, "instance"));
}

static enum bt_status merge_payload(struct serve_rest *rest)
{
    return bt_op_contract_merge(&rest->work, rest_source(rest, "stored"),
                                rest_source(rest, "payload"));
}

/* ---- Receipts -------------------------------------------------------------------------------- */

/* Read the keys of a list of texts. False: the response is set. */
static bool take_keys(const struct serve_rest_object *object, struct bt_op_receipt *arguments)
{
    const bt_json_value *list = rest_object_member(object, "vkey");
    const bool is_one = list && bt_json_type(list) == BT_JSON_STRING;
    if (list && !is_one && bt_json_type(list) != BT_JSON_ARRAY) {
        return rest_refuse(object->rest, "vkey", "it is not a text or a list of texts");
    }
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
        !rest_object_text(&object, "document", &arguments->document) ||
        !take_keys(&object, arguments)) {
        return false;
    }
    const bt_json_value *receipt = rest_object_member(&object, "receipt");
    arguments->receipt = bt_json_type(receipt) == BT_JSON_STRING
                             ? bt_json_text(receipt)
                             : rest_object_source(&object, "receipt");
    arguments->has_document = rest_object_member(&object, "document") != NULL;
    return true;
}

static enum bt_status verify_receipt(struct serve_rest *rest)
{
    struct bt_op_receipt arguments;
    return take_receipt(rest, &arguments) ? bt_op_verify_receipt(&rest->work, &arguments) : BT_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const struct serve_handler judge_handlers[] = {
    {BT_OPERATION_HANDOFF_CHECK, ROUTE_BRIEF, .run = check_documents},
    {BT_OPERATION_HANDOFF_REPAIR, ROUTE_BRIEF, .run = repair_document},
    {BT_OPERATION_HANDOFF_COMPRESS, ROUTE_BRIEF, .run = compress_document},
    {BT_OPERATION_HANDOFF_CONVERT, ROUTE_BRIEF, .run = convert_document},
    {BT_OPERATION_TOKENS_COUNT, 0, .run = count_tokens},
    {BT_OPERATION_PLAN_AUDIT, ROUTE_BRIEF, .run = audit_plan},
    {BT_OPERATION_PLAN_WAVES, 0, .run = list_waves},
    {BT_OPERATION_PLAN_TRAJECTORY, 0, .run = check_trajectory},
    {BT_OPERATION_PLAN_VALIDATE, 0, .run = plan_validate},
    {BT_OPERATION_SCHEMA_VALIDATE, 0, .run = schema_validate},
    {BT_OPERATION_PAYLOAD_SCHEMA_COMPARE, 0, .run = schema_compat},
    {BT_OPERATION_CONTRACT_CHECK, ROUTE_BRIEF, .run = contract_check},
    {BT_OPERATION_CONTRACT_REPAIR_PROMPT, ROUTE_BRIEF, .run = contract_repair_prompt},
    {BT_OPERATION_CONTRACT_MERGE, 0, .run = merge_payload},
    {BT_OPERATION_LEDGER_VERIFY_RECEIPT, ROUTE_MAY_STORE, .run = verify_receipt},
    {.run = NULL},
};
