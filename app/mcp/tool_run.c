/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_run.c - how the arguments of tools become requests of operations. A tool whose operation has
 * a row is one function and one line here.
 */
#include "mcp/mcp_internal.h"
#include "operation/records.h"

enum { LEASE_ITEMS_DEFAULT = 10, LEASE_S_DEFAULT = 60 };

/* ---- Requests -------------------------------------------------------------------------------- */

static bool take_options(struct mcp_call *call, struct bt_check_request *request, unsigned use)
{
    const bt_json_value *options = mcp_argument(call, "options");
    for (size_t i = 0; options && i < bt_json_count(options); i++) {
        const struct bt_json_member *member = &bt_json_members(options)[i];
        const struct bt_arg value = {.document = call->request->document, .json = &member->value};
        if (!bt_op_request_option(&call->work, request, use, bt_json_name(member), &value)) {
            return false;
        }
    }
    return true;
}

static bool read_argument(struct mcp_call *call, struct bt_check_request *request, unsigned use,
                          const char *name)
{
    const bt_json_value *json = mcp_argument(call, name);
    const struct bt_arg value = {
        .document = call->request->document, .json = json, .is_argument = true};
    return !json || bt_op_request_option(&call->work, request, use, bt_str_of(name), &value);
}

static bool read_document(struct mcp_call *call, struct bt_check_request *request, unsigned use,
                          enum bt_status *out_status)
{
    const bt_str dialect = mcp_argument_text(call, "dialect");
    const bt_str path = mcp_argument_text(call, "path");
    bt_op_request_begin(call->work.service, request);
    *out_status = bt_op_request_document(&call->work, call->request->document,
                                         mcp_argument(call, "document"), &request->text);
    if (*out_status != BT_OK) {
        return false;
    }
    request->path = path.len > 0 ? path : request->path;
    return (!mcp_argument(call, "dialect") ||
            bt_op_request_dialect(&call->work, dialect, &request->dialect)) &&
           take_options(call, request, use);
}

/* Read the contract INPUT for a check; a submission never takes it from the caller. */
static bool take_input(struct mcp_call *call, struct bt_check_request *request,
                       enum bt_status *out_status)
{
    const bt_json_value *input = mcp_argument(call, "input");
    struct bt_contract_checker *contract = NULL;
    struct bt_error error;
    bt_str text;
    if (!input) {
        return true;
    }
    *out_status = bt_checker_contract(call->work.service->checker, &contract);
    if (*out_status == BT_OK) {
        *out_status = bt_op_request_document(&call->work, call->request->document, input, &text);
    }
    if (*out_status != BT_OK) {
        return false;
    }
    if (bt_contract_input_read(contract, call->work.arena, text, &request->input, &error) !=
        BT_OK) {
        (void)bt_result_set_problem(&call->work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/input"),
                                    "%s", error.text);
        return false;
    }
    request->contract.input = &request->input;
    return true;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static enum bt_status run_check(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (read_document(call, &request, OPTION_JUDGE, &status) &&
        take_input(call, &request, &status)) {
        status = bt_op_check(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status run_repair(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    const bt_json_value *answer = mcp_argument(call, "answer");
    bool is_taken = read_document(call, &request, OPTION_REPAIR, &status) &&
                    read_argument(call, &request, OPTION_REPAIR, "attempt") &&
                    read_argument(call, &request, OPTION_REPAIR, "emit_prompt");
    if (is_taken && answer) {
        status =
            bt_op_request_document(&call->work, call->request->document, answer, &request.answer);
        is_taken = status == BT_OK;
    }
    if (is_taken) {
        status = bt_op_repair(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status run_compress(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (read_document(call, &request, OPTION_REPAIR, &status) &&
        read_argument(call, &request, OPTION_REPAIR, "budget") &&
        read_argument(call, &request, OPTION_REPAIR, "tokens")) {
        status = bt_op_compress(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status run_convert(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (read_document(call, &request, OPTION_CONVERT, &status) &&
        read_argument(call, &request, OPTION_CONVERT, "from")) {
        status = bt_op_convert(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

/* ---- Lookups --------------------------------------------------------------------------------- */

static enum bt_status run_tokens(struct mcp_call *call)
{
    return bt_op_tokens(&call->work, mcp_argument_text(call, "text"),
                        mcp_argument_text(call, "encoding"));
}

static enum bt_status run_explain(struct mcp_call *call)
{
    return bt_op_explain(&call->work, mcp_argument_text(call, "code"));
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static enum bt_status run_audit(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    bt_op_request_begin(call->work.service, &request);
    request.text = mcp_argument_text(call, "plan");
    if (read_argument(call, &request, OPTION_JUDGE, "root") &&
        read_argument(call, &request, OPTION_JUDGE, "today") &&
        read_argument(call, &request, OPTION_JUDGE, "edges")) {
        status = bt_op_plan_audit(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

/* Read a schema: an object, or a reference below the root. */
static enum bt_status take_schema(struct mcp_call *call, const char *name,
                                  struct bt_op_schema_ref *out)
{
    const bt_json_value *value = mcp_argument(call, name);
    *out = (struct bt_op_schema_ref){BT_STR(""), BT_STR(""), name};
    if (bt_json_type(value) == BT_JSON_STRING) {
        out->reference = bt_json_text(value);
        return BT_OK;
    }
    return bt_op_request_document(&call->work, call->request->document, value, &out->text);
}

static bool take_root(struct mcp_call *call, struct bt_check_request *request)
{
    return bt_op_request_root(&call->work, request, mcp_argument_text(call, "root"));
}

static enum bt_status run_validate(struct mcp_call *call)
{
    struct bt_check_request request;
    struct bt_op_schema_ref schema;
    enum bt_status status = take_schema(call, "schema", &schema);
    bt_op_request_begin(call->work.service, &request);
    request.path = BT_STR("payload");
    if (status == BT_OK) {
        /* A payload is any JSON value, including a string. */
        const struct bt_json_span span =
            bt_json_span(call->request->document, mcp_argument(call, "payload"));
        request.text = bt_str_slice(bt_json_source(call->request->document), span.begin, span.end);
    }
    if (status == BT_OK && take_root(call, &request)) {
        status = bt_op_validate(&call->work, &request, &schema);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status run_compat(struct mcp_call *call)
{
    struct bt_check_request request;
    struct bt_op_schema_ref schemas[2];
    enum bt_status status = take_schema(call, "old", &schemas[0]);
    status = status == BT_OK ? take_schema(call, "new", &schemas[1]) : status;
    bt_op_request_begin(call->work.service, &request);
    if (status == BT_OK && take_root(call, &request)) {
        status =
            bt_op_schema_compare(&call->work, &request, schemas, mcp_argument_text(call, "mode"));
    }
    bt_op_request_end(&request);
    return status;
}

/* ---- Receipts -------------------------------------------------------------------------------- */

static enum bt_status run_verify(struct mcp_call *call)
{
    const bt_json_value *vkeys = mcp_argument(call, "vkey");
    const size_t count = vkeys ? bt_json_count(vkeys) : 0;
    bt_str *keys = BT_NEW_ARRAY(call->work.arena, bt_str, count + 1);
    struct bt_op_receipt receipt_arguments = {.vkeys = keys,
                                              .vkey_count = count,
                                              .has_document =
                                                  mcp_argument(call, "document") != NULL,
                                              .document = mcp_argument_text(call, "document")};
    if (!keys) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = bt_json_text(&bt_json_items(vkeys)[i]);
    }
    BT_TRY(bt_op_request_document(&call->work, call->request->document,
                                  mcp_argument(call, "receipt"), &receipt_arguments.receipt));
    return bt_op_verify_receipt(&call->work, &receipt_arguments);
}

/* ---- Records --------------------------------------------------------------------------------- */

static enum bt_status run_submit(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (read_document(call, &request, OPTION_SUBMIT, &status) &&
        read_argument(call, &request, OPTION_SUBMIT, "id")) {
        call->key = (struct bt_idempotency_key){
            BT_STR("mcp:submit_handoff"), mcp_argument_text(call, "idempotency_key"), request.text};
        call->work.key = call->key.key.len > 0 ? &call->key : NULL;
        call->work.later = call->request->mcp->place.later;
        status = bt_op_handoff_submit(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

/* The number of an entry is one in every answer, so a client may send it back as one. */
static bt_str entry_id(const struct mcp_call *call)
{
    const bt_json_value *id = mcp_argument(call, "id");
    const bool is_number = id && bt_json_is_number(id);
    return is_number ? bt_json_number_text(call->request->document, id)
                     : mcp_argument_text(call, "id");
}

static enum bt_status run_handoff(struct mcp_call *call)
{
    return bt_op_handoff(&call->work, entry_id(call));
}

static enum bt_status run_receipt(struct mcp_call *call)
{
    return bt_op_receipt(&call->work, entry_id(call));
}

static enum bt_status run_trace(struct mcp_call *call)
{
    return bt_op_trace(&call->work, mcp_argument_text(call, "trace_id"));
}

/* A number whose range the schema has judged. */
static uint64_t number_of(const struct mcp_call *call, const char *name, uint64_t otherwise)
{
    const bt_json_value *value = mcp_argument(call, name);
    return value && bt_json_is_number(value) ? (uint64_t)bt_json_to_double(value) : otherwise;
}

static enum bt_status run_receive(struct mcp_call *call)
{
    const struct bt_op_inbox_lease lease = {.agent = mcp_argument_text(call, "agent"),
                                            .max = number_of(call, "max", LEASE_ITEMS_DEFAULT),
                                            .lease_s = number_of(call, "lease_s", LEASE_S_DEFAULT)};
    return bt_op_inbox_lease_items(&call->work, &lease);
}

static enum bt_status run_finish(struct mcp_call *call)
{
    struct bt_inbox_finish_item item = {
        .message = mcp_argument_text(call, "message"),
        .lease = mcp_argument_text(call, "lease"),
        .is_delivered = bt_str_eq(mcp_argument_text(call, "outcome"), BT_STR("delivered"))};
    BT_TRY(bt_op_inbox_finish_items(&call->work, mcp_argument_text(call, "agent"), &item, 1));
    if (call->work.answer->kind == ANSWER_DONE && item.end != BT_INBOX_FINISHED) {
        call->work.answer->kind = ANSWER_REFUSED;
    }
    return BT_OK;
}

static enum bt_status run_approvals(struct mcp_call *call)
{
    return bt_op_approvals(&call->work, mcp_argument_text(call, "status"));
}

static enum bt_status run_use(struct mcp_call *call)
{
    return bt_op_approval_use(&call->work, mcp_argument_text(call, "command"),
                              mcp_argument_text(call, "id"), mcp_argument_text(call, "agent"));
}

/* ---- The table ------------------------------------------------------------------------------- */

mcp_tool_fn *mcp_tool_run_find(enum bt_operation_id id)
{
    static mcp_tool_fn *const runs[BT_OPERATION__MAX] = {
        [BT_OPERATION_HANDOFF_CHECK] = run_check,
        [BT_OPERATION_HANDOFF_REPAIR] = run_repair,
        [BT_OPERATION_HANDOFF_COMPRESS] = run_compress,
        [BT_OPERATION_HANDOFF_CONVERT] = run_convert,
        [BT_OPERATION_TOKENS_COUNT] = run_tokens,
        [BT_OPERATION_RULE_GET] = run_explain,
        [BT_OPERATION_PLAN_AUDIT] = run_audit,
        [BT_OPERATION_PLAN_VALIDATE] = run_validate,
        [BT_OPERATION_PAYLOAD_SCHEMA_COMPARE] = run_compat,
        [BT_OPERATION_LEDGER_VERIFY_RECEIPT] = run_verify,
        [BT_OPERATION_HANDOFF_SUBMIT] = run_submit,
        [BT_OPERATION_HANDOFF_GET] = run_handoff,
        [BT_OPERATION_HANDOFF_RECEIPT] = run_receipt,
        [BT_OPERATION_TRACE_GET] = run_trace,
        [BT_OPERATION_INBOX_LEASE] = run_receive,
        [BT_OPERATION_INBOX_FINISH] = run_finish,
        [BT_OPERATION_APPROVAL_LIST] = run_approvals,
        [BT_OPERATION_APPROVAL_USE] = run_use,
        [BT_OPERATION_APPROVAL_GRANT] = mcp_run_decide,
    };
    return runs[id];
}
