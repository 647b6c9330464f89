/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - tools/list and tools/call: validate the arguments against the tool's schema, then run
 * the tool.
 */
#include <assert.h>
#include <stdlib.h>

#include <baton/schema.h>

#include "json/builder.h"
#include "mcp/mcp_internal.h"
#include "operation/records.h"
#include "schema/options.h"

enum {
    TOOLS_MAX = 64,
    SCHEMA_BYTES_MAX = 1 << 20,
    BODY_BYTES_MAX = 1 << 30,
    FINDINGS_SHOWN_MAX = 20,
    NEEDS_STORE = BT_EFFECT_READS_STORE | BT_EFFECT_RECORDS
};

static bool is_offered(const struct mcp_request *request, const struct mcp_tool *tool)
{
    return mcp_has_scope(request, tool->scopes, tool->needs_store);
}

/* The number of tools, and the tool at `index`; the fixtures come last. */
static size_t tools_count(const struct mcp_request *request)
{
    return BT_OPERATIONS_TOOLS_COUNT + (request->mcp->place.fixtures ? mcp_fixture_tools_count : 0);
}

static struct mcp_tool tool_at(size_t index)
{
    struct mcp_tool tool;
    if (index < BT_OPERATIONS_TOOLS_COUNT) {
        const enum bt_operation_id id = bt_operations_tools[index];
        const struct bt_operation *row = &bt_operations[id];
        tool = (struct mcp_tool){.name = row->tool.name,
                                 .description = row->tool.description,
                                 .scopes = row->tool.scopes,
                                 .needs_store = row->effects & NEEDS_STORE,
                                 .is_read_only = !(row->effects & BT_EFFECT_RECORDS),
                                 .input = row->tool.input,
                                 .output = row->tool.output,
                                 .row = row,
                                 .run = id == BT_OPERATION_APPROVAL_GRANT ? mcp_run_decide : NULL};
    } else {
        tool = mcp_fixture_tools[index - BT_OPERATIONS_TOOLS_COUNT];
    }
    assert(tool.run || tool.row->run);
    tool.index = index;
    return tool;
}

bool mcp_tool_find(const struct mcp_request *request, bt_str name, struct mcp_tool *out)
{
    for (size_t i = 0; i < tools_count(request); i++) {
        *out = tool_at(i);
        if (bt_str_eq(bt_str_of(out->name), name) && is_offered(request, out)) {
            return true;
        }
    }
    return false;
}

/* ---- Listing --------------------------------------------------------------------------------- */

enum bt_status mcp_tool_input(struct bt_arena *arena, const struct mcp_tool *tool, bt_str *out)
{
    return bt_arena_printf(arena, out, "{\"type\":\"object\",%s,\"additionalProperties\":false}",
                           tool->input);
}

/* The schema of a Report, without white space. */
static enum bt_status report_text(struct mcp_request *request, bt_str *out)
{
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    /* from: built-in text */
    BT_TRY(bt_json_read(&request->arena, bt_schema_builtin_named(BT_STR("report")), NULL, &read));
    assert(read.document);
    bt_buf_init(&buf, SCHEMA_BYTES_MAX);
    enum bt_status status = bt_json_write(&buf, read.document, bt_json_root(read.document),
                                          BT_JSON_FORM_COMPACT, &request->arena, NULL);
    status = status == BT_OK ? bt_buf_copy(&buf, &request->arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status put_tool(struct mcp_request *request, const struct mcp_tool *tool,
                               bt_str report)
{
    struct bt_emit *emit = &request->emit;
    bt_str input;
    BT_TRY(mcp_tool_input(&request->arena, tool, &input));
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", bt_str_of(tool->name));
    bt_emit_member_string(emit, "description", bt_str_of(tool->description));
    bt_emit_member_raw(emit, "inputSchema", input);
    if (!tool->output || tool->output[0]) {
        bt_emit_member_raw(emit, "outputSchema", tool->output ? bt_str_of(tool->output) : report);
    }
    bt_emit_member_object(emit, "annotations");
    bt_emit_member_bool(emit, "readOnlyHint", tool->is_read_only);
    bt_emit_member_bool(emit, "destructiveHint", false);
    bt_emit_end(emit);
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status mcp_tools_list(struct mcp_request *request)
{
    bt_str report;
    if (!mcp_is_first_page(request)) {
        return BT_OK;
    }
    BT_TRY(report_text(request, &report));
    mcp_result(request, "complete");
    bt_emit_member_array(&request->emit, "tools");
    for (size_t i = 0; i < tools_count(request); i++) {
        const struct mcp_tool tool = tool_at(i);
        if (is_offered(request, &tool)) {
            BT_TRY(put_tool(request, &tool, report));
        }
    }
    bt_emit_end(&request->emit);
    mcp_result_end(request, MCP_MINUTES_PRIVATE);
    return BT_OK;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

const bt_json_value *mcp_argument(const struct mcp_call *call, const char *name)
{
    return call->arguments ? bt_json_get(call->request->document, call->arguments, bt_str_of(name))
                           : NULL;
}

bt_str mcp_argument_text(const struct mcp_call *call, const char *name)
{
    const bt_json_value *value = mcp_argument(call, name);
    return value ? bt_json_text(value) : BT_STR("");
}

/* Describe what is wrong with the arguments for a model. */
static void describe_findings(struct mcp_call *call, const struct bt_findings *findings)
{
    struct bt_buf *body = &call->work.answer->body;
    bt_buf_put_text(body, "the arguments do not fit the tool's inputSchema:");
    for (size_t i = 0; i < bt_findings_count(findings) && i < FINDINGS_SHOWN_MAX; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bt_buf_printf(body, "\n%.*s at \"", BT_STR_ARG(finding->rule->code));
        bt_buf_put_printable(body, finding->pointer, 200);
        bt_buf_put_text(body, "\": ");
        bt_buf_put_printable(body, finding->message, 400);
    }
    call->work.answer->kind = ANSWER_UNUSABLE;
}

static enum bt_status run_schema(struct mcp_call *call, const struct bt_schema *schema,
                                 const struct bt_json_doc *arguments)
{
    struct bt_findings *findings = bt_findings_new(&call->request->arena);
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    enum bt_status status = findings && runner ? BT_OK : BT_ENOMEM;
    if (status == BT_OK && bt_schema_run(schema, runner, arguments) != BT_SCHEMA_VALID) {
        status = bt_schema_explain(schema, runner, arguments, findings, NULL);
        status = status == BT_OK ? bt_findings_finish(findings, BT_STR("")) : status;
        if (status == BT_OK) {
            describe_findings(call, findings);
        }
    }
    bt_schema_runner_destroy(runner);
    return status;
}

/* ---- Schemas --------------------------------------------------------------------------------- */

/* The compiled schemas of arguments; each is compiled when its tool is first called. */
struct mcp_schemas {
    struct bt_schema *items[TOOLS_MAX];
};

void mcp_schemas_destroy(struct mcp_schemas *schemas)
{
    for (size_t i = 0; schemas && i < TOOLS_MAX; i++) {
        bt_schema_destroy(schemas->items[i]);
    }
    free(schemas);
}

static enum bt_status compile_input_schema(struct mcp_request *request, const struct mcp_tool *tool,
                                           struct bt_schema **out)
{
    struct bt_schema_options options = bt_schema_options_default();
    struct bt_json_read_result read = {0};
    bt_str text;
    BT_TRY(mcp_tool_input(&request->arena, tool, &text));
    /* from: the built-in table of tools */
    BT_TRY(bt_json_read(&request->arena, text, NULL, &read));
    assert(read.document);
    options.skip_metaschema = true;
    options.hash_seed[0] = request->mcp->service->env->hash_seed[0];
    options.hash_seed[1] = request->mcp->service->env->hash_seed[1];
    return bt_schema_compile(read.document, &options, NULL, out);
}

/* The schema of a tool; the worker owns it. */
static enum bt_status schema_of(struct mcp_request *request, const struct mcp_tool *tool,
                                const struct bt_schema **out)
{
    struct bt_worker *service = request->mcp->service;
    assert(tool->index < TOOLS_MAX);
    if (!service->schemas) {
        service->schemas = calloc(1, sizeof(*service->schemas));
    }
    if (!service->schemas) {
        return BT_ENOMEM;
    }
    struct bt_schema **place = &service->schemas->items[tool->index];
    if (!*place) {
        BT_TRY(compile_input_schema(request, tool, place));
        assert(*place);
    }
    *out = *place;
    return BT_OK;
}

static enum bt_status judge_arguments(struct mcp_call *call, const struct mcp_tool *tool)
{
    struct mcp_request *request = call->request;
    const struct bt_schema *schema = NULL;
    const struct bt_json_doc *arguments = NULL;
    struct bt_json_read_result none = {0};
    BT_TRY(schema_of(request, tool, &schema));
    if (call->arguments) {
        BT_TRY(bt_json_part(request->document, call->arguments, &request->arena, &arguments));
    } else {
        BT_TRY(bt_json_read(&request->arena, BT_STR("{}"), NULL, &none)); /* from: built-in text */
        arguments = none.document;
    }
    return run_schema(call, schema, arguments);
}

/* ---- Calling --------------------------------------------------------------------------------- */

void mcp_put_answer(struct mcp_request *request, const struct bt_result *answer)
{
    const bool has_object = answer->kind == ANSWER_DONE || answer->kind == ANSWER_REFUSED;
    const bt_str body = bt_buf_str(&answer->body);
    struct bt_emit *emit = &request->emit;
    mcp_result(request, "complete");
    bt_emit_member_array(emit, "content");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "type", BT_STR("text"));
    bt_emit_member_string(emit, "text", body);
    bt_emit_end(emit);
    bt_emit_end(emit);
    if (has_object) {
        bt_emit_member_raw(emit, "structuredContent", body);
    }
    bt_emit_member_bool(emit, "isError", answer->kind != ANSWER_DONE);
    mcp_result_end(request, MCP_UNCACHED);
}

void mcp_put_content(struct mcp_call *call, bt_str content, bool is_error)
{
    struct mcp_request *request = call->request;
    mcp_result(request, "complete");
    bt_emit_member_raw(&request->emit, "content", content);
    bt_emit_member_bool(&request->emit, "isError", is_error);
    mcp_result_end(request, MCP_UNCACHED);
    call->has_responded = true;
}

void mcp_put_text(struct mcp_call *call, bt_str text)
{
    struct bt_buf content;
    struct bt_emit emit;
    bt_buf_init(&content, BODY_BYTES_MAX);
    bt_emit_init(&emit, &content, false);
    bt_emit_begin_array(&emit);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "type", BT_STR("text"));
    bt_emit_member_string(&emit, "text", text);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    mcp_put_content(call, bt_buf_str(&content), false);
    if (content.status != BT_OK) {
        call->request->out->status = content.status;
    }
    bt_buf_free(&content);
}

static enum bt_status put_answer(struct mcp_call *call)
{
    if (!call->has_responded) {
        assert(call->answer.kind != 0);
        BT_TRY(call->answer.body.status);
        mcp_put_answer(call->request, &call->answer);
    }
    return BT_OK;
}

/* Put the answer, unless the submission is with the writer. */
static enum bt_status end_call(struct mcp_call *call, enum bt_status status)
{
    struct mcp *mcp = call->request->mcp;
    const struct bt_call_completion *later = mcp->place.later;
    mcp->pending_submission = status == BT_OK && later && later->filing ? call : NULL;
    if (mcp->pending_submission) {
        return BT_OK;
    }
    status = status == BT_OK ? put_answer(call) : status;
    bt_buf_free(&call->answer.body);
    return status;
}

enum bt_status mcp_call_end(struct mcp_call *call)
{
    return end_call(call, bt_op_submit_end(&call->work, call->request->mcp->service));
}

static enum bt_status run_tool(struct mcp_call *call, const struct mcp_tool *tool)
{
    struct mcp *mcp = call->request->mcp;
    BT_TRY(judge_arguments(call, tool));
    if (call->answer.kind != 0) {
        return BT_OK;
    }
    const bool records = tool->needs_store && !tool->is_read_only;
    if (records && mcp->place.is_read_only) {
        return bt_result_set_problem(&call->work, BT_PROBLEM_LEDGER_READ_ONLY, BT_STR(""),
                                     "nothing is recorded here");
    }
    if (records && mcp->place.may_record && !mcp->place.may_record(mcp->place.rate)) {
        mcp->outcome.is_limited = true;
        return bt_result_set_problem(&call->work, BT_PROBLEM_RATE_LIMITED, BT_STR(""),
                                     "wait a second and call again");
    }
    return tool->run ? tool->run(call) : mcp_run_operation(call, tool->row);
}

enum bt_status mcp_tools_call(struct mcp_request *request)
{
    struct mcp_tool tool;
    const bt_json_value *arguments = mcp_param(request, "arguments");
    if (!mcp_tool_find(request, mcp_param_text(request, "name"), &tool)) {
        mcp_error(request, MCP_INVALID_PARAMS, "unknown tool", BT_STR(""));
        return BT_OK;
    }
    if (arguments && bt_json_type(arguments) != BT_JSON_OBJECT) {
        mcp_error(request, MCP_INVALID_PARAMS, "arguments are an object", BT_STR(""));
        return BT_OK;
    }
    struct mcp_call *call = BT_NEW(&request->arena, struct mcp_call);
    if (!call) {
        return BT_ENOMEM;
    }
    call->request = request;
    call->work = (struct bt_call){.service = request->mcp->service,
                                  .caller = request->mcp->caller,
                                  .arena = &request->arena,
                                  .answer = &call->answer,
                                  .events = request->mcp->place.events};
    call->arguments = arguments;
    bt_buf_init(&call->answer.body, BODY_BYTES_MAX);
    return end_call(call, run_tool(call, &tool));
}
