/* SPDX-License-Identifier: Apache-2.0 */
/* tool_table.c - the table of tools, and how their arguments become the arguments of operations. */
#include "mcp/mcp_internal.h"

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

bool mcp_argument_read(struct mcp_call *call, struct bt_check_request *request, unsigned use,
                       const char *name)
{
    const bt_json_value *json = mcp_argument(call, name);
    const struct bt_arg value = {
        .document = call->request->document, .json = json, .is_argument = true};
    return !json || bt_op_request_option(&call->work, request, use, bt_str_of(name), &value);
}

bool mcp_document_read(struct mcp_call *call, struct bt_check_request *request, unsigned use,
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
    if (bt_contract_checker_input_read(contract, call->work.arena, text, &request->input, &error) !=
        BT_OK) {
        (void)bt_result_set_problem(&call->work, "PARAMETER_INVALID at /input: %s", error.text);
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
    if (mcp_document_read(call, &request, OPTION_JUDGE, &status) &&
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
    bool is_taken = mcp_document_read(call, &request, OPTION_REPAIR, &status) &&
                    mcp_argument_read(call, &request, OPTION_REPAIR, "attempt") &&
                    mcp_argument_read(call, &request, OPTION_REPAIR, "emit_prompt");
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
    if (mcp_document_read(call, &request, OPTION_REPAIR, &status) &&
        mcp_argument_read(call, &request, OPTION_REPAIR, "budget") &&
        mcp_argument_read(call, &request, OPTION_REPAIR, "tokens")) {
        status = bt_op_compress(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status run_convert(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (mcp_document_read(call, &request, OPTION_CONVERT, &status) &&
        mcp_argument_read(call, &request, OPTION_CONVERT, "from")) {
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
    if (mcp_argument_read(call, &request, OPTION_JUDGE, "root") &&
        mcp_argument_read(call, &request, OPTION_JUDGE, "today") &&
        mcp_argument_read(call, &request, OPTION_JUDGE, "edges")) {
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

/* ---- The table ------------------------------------------------------------------------------- */

/* clang-format off */
#define TEXT "{\"type\":\"string\"}"
#define NAME "{\"type\":\"string\",\"minLength\":1}"
#define DOCUMENT "\"document\":{\"type\":[\"string\",\"object\"]," \
    "\"description\":\"the exact text, or a JSON object\"}"
#define DIALECT "\"dialect\":{\"type\":\"string\"," \
    "\"description\":\"universal, contract, plan ...; recognised when it is absent\"}"
#define SCHEMA "{\"type\":[\"string\",\"object\"]," \
    "\"description\":\"the schema, or a reference below root\"}"
#define TOKENS_OUTPUT "{\"type\":\"object\",\"required\":[\"baton\",\"tokens\"],\"properties\":{" \
    "\"baton\":{\"const\":1},\"tokens\":{\"type\":\"object\"}}}"
#define RULE_OUTPUT "{\"type\":\"object\",\"required\":[\"baton\",\"rule\"],\"properties\":{" \
    "\"baton\":{\"const\":1},\"rule\":{\"type\":\"object\"}}}"

#define ID_INPUT "\"properties\":{\"id\":" NAME "},\"required\":[\"id\"]"
#define ENTRY_INPUT "\"properties\":{\"id\":{\"type\":[\"string\",\"integer\"],\"minLength\":1," \
    "\"minimum\":0}},\"required\":[\"id\"]"
#define OBJECT_OUTPUT "{\"type\":\"object\",\"required\":[\"baton\"]," \
    "\"properties\":{\"baton\":{\"const\":1}}}"

const struct mcp_tool mcp_tools[] = {
    {"check_handoff", "Judge a handoff: verdict and findings with positions. Nothing is stored.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{" DOCUMENT "," DIALECT ",\"path\":" TEXT ",\"options\":{\"type\":\"object\"},"
     "\"input\":{\"type\":\"object\"}},\"required\":[\"document\"]", NULL, run_check},
    {"repair_handoff", "Mend a handoff as far as that is safe, or word a question about the rest.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{" DOCUMENT "," DIALECT ",\"attempt\":{\"type\":\"integer\",\"minimum\":1},"
     "\"emit_prompt\":{\"type\":\"boolean\"},"
     "\"answer\":{\"type\":[\"string\",\"object\",\"array\"]},"
     "\"options\":{\"type\":\"object\"}},\"required\":[\"document\"]", NULL, run_repair},
    {"compress_handoff", "Make a universal handoff fit its token budget by the smallest change.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{" DOCUMENT ","
     "\"budget\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2000},"
     "\"tokens\":" TEXT ",\"options\":{\"type\":\"object\"}},\"required\":[\"document\"]", NULL,
     run_compress},
    {"convert_handoff", "Make a universal handoff 3.0 of another version or dialect.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{" DOCUMENT ",\"from\":" TEXT ",\"options\":{\"type\":\"object\"}},"
     "\"required\":[\"document\"]", NULL, run_convert},
    {"count_tokens", "Count the tokens of a text exactly.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{\"text\":" TEXT ",\"encoding\":" TEXT "},\"required\":[\"text\"]",
     TOKENS_OUTPUT, run_tokens},
    {"explain_code", "Say what the code of a finding means and what to do about it.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{\"code\":" NAME "},\"required\":[\"code\"]", RULE_OUTPUT, run_explain},
    {"audit_plan", "Compare what each step of a plan gives with what the next one takes.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{\"plan\":" TEXT ",\"root\":" TEXT ",\"today\":" TEXT ",\"edges\":" TEXT "},"
     "\"required\":[\"plan\"]", NULL, run_audit},
    {"validate_payload", "Judge a payload by its payload schema, in bounded time.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{\"schema\":" SCHEMA ",\"payload\":{},\"root\":" TEXT "},"
     "\"required\":[\"schema\",\"payload\"]", NULL, run_validate},
    {"compare_schemas", "Say whether a new version of a payload schema breaks anyone.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{\"old\":" SCHEMA ",\"new\":" SCHEMA ",\"mode\":" TEXT ",\"root\":" TEXT "},"
     "\"required\":[\"old\",\"new\"]", NULL, run_compat},
    {"verify_receipt", "Verify a receipt of a recorded handoff offline.",
     BT_SCOPE_CHECK, false, true,
     "\"properties\":{\"receipt\":{\"type\":[\"string\",\"object\"]},\"vkey\":{\"type\":\"array\","
     "\"items\":" NAME "},\"document\":" TEXT "},\"required\":[\"receipt\"]", NULL, run_verify},
    {"submit_handoff", "Judge a handoff, record the verdict and hand it on to its target.",
     BT_SCOPE_SUBMIT, true, false,
     "\"properties\":{" DOCUMENT "," DIALECT ",\"path\":" TEXT ",\"id\":" NAME ","
     "\"idempotency_key\":{\"type\":\"string\",\"pattern\":\"^[A-Za-z0-9._:-]{1,128}$\"},"
     "\"options\":{\"type\":\"object\"}},\"required\":[\"document\"]", NULL, mcp_run_submit},
    {"get_handoff", "Show a recorded handoff by its number or id.",
     BT_SCOPE_SUBMIT, true, true, ENTRY_INPUT, OBJECT_OUTPUT, mcp_run_handoff},
    {"get_receipt", "Get the receipt that proves a recorded handoff to anyone.",
     BT_SCOPE_SUBMIT, true, true, ENTRY_INPUT, "{\"type\":\"object\"}", mcp_run_receipt},
    {"get_trace", "Show the handoffs of one trace in the order of the ledger.",
     BT_SCOPE_SUBMIT, true, true,
     "\"properties\":{\"trace_id\":" NAME "},\"required\":[\"trace_id\"]", OBJECT_OUTPUT,
     mcp_run_trace},
    {"receive_handoffs", "Take what waits in the inbox of an agent, under a lease.",
     BT_SCOPE_SUBMIT, true, false,
     "\"properties\":{\"agent\":" NAME ",\"max\":{\"type\":\"integer\",\"minimum\":1,"
     "\"maximum\":100},\"lease_s\":{\"type\":\"integer\",\"minimum\":10,\"maximum\":3600}},"
     "\"required\":[\"agent\"]", OBJECT_OUTPUT, mcp_run_receive},
    {"finish_handoff", "Say how the delivery of a handoff ended.",
     BT_SCOPE_SUBMIT, true, false,
     "\"properties\":{\"agent\":" NAME ",\"message\":" NAME ",\"lease\":" NAME ","
     "\"outcome\":{\"enum\":[\"delivered\",\"failed\"]}},"
     "\"required\":[\"agent\",\"message\",\"lease\",\"outcome\"]", OBJECT_OUTPUT,
     mcp_run_finish},
    {"list_approvals", "List requests for consent.",
     BT_SCOPE_SUBMIT | BT_SCOPE_APPROVE, true, true,
     "\"properties\":{\"status\":" NAME "}", OBJECT_OUTPUT, mcp_run_approvals},
    {"use_approval", "Use a grant up for exactly this command. Run it only when it is granted.",
     BT_SCOPE_SUBMIT, true, false,
     "\"properties\":{\"command\":" NAME ",\"id\":" NAME ",\"agent\":" NAME "},"
     "\"required\":[\"command\"]", OBJECT_OUTPUT, mcp_run_use},
    {"decide_approval", "Ask the person in charge to approve or deny a request.",
     BT_SCOPE_APPROVE, true, false, ID_INPUT, OBJECT_OUTPUT, mcp_run_decide},
};
/* clang-format on */

const size_t mcp_tools_count = sizeof(mcp_tools) / sizeof(mcp_tools[0]);
