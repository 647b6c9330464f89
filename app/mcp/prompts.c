/* SPDX-License-Identifier: Apache-2.0 */
/* prompts.c - prompts/list and prompts/get. */
#include "mcp/mcp_internal.h"

enum { PROMPT_BYTES_MAX = 64 << 20 };

bt_str mcp_prompt_argument(const struct mcp_request *mcp_request, const char *name)
{
    const bt_json_value *arguments = mcp_param(mcp_request, "arguments");
    const bt_json_value *value =
        arguments ? bt_json_get(mcp_request->document, arguments, bt_str_of(name)) : NULL;
    return value ? bt_json_text(value) : BT_STR("");
}

static void respond_invalid_params(struct mcp_request *mcp_request, const char *why)
{
    mcp_error(mcp_request, MCP_INVALID_PARAMS, why, BT_STR(""));
}

void mcp_put_role(struct bt_emit *emit, bt_str text)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "role", BT_STR("user"));
    bt_emit_member_object(emit, "content");
    bt_emit_member_string(emit, "type", BT_STR("text"));
    bt_emit_member_string(emit, "text", text);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void mcp_put_message(struct mcp_request *mcp_request, bt_str text)
{
    mcp_result(mcp_request, "complete");
    bt_emit_member_array(&mcp_request->emit, "messages");
    mcp_put_role(&mcp_request->emit, text);
    bt_emit_end(&mcp_request->emit);
    mcp_result_end(mcp_request, MCP_UNCACHED);
}

/* ---- repair_handoff -------------------------------------------------------------------------- */

static enum bt_status universal_prompt(struct mcp_request *mcp_request,
                                       const struct bt_check_request *request, bt_str *out)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const struct bt_universal_repair_options how = {.attempts = 2,
                                                    .no_spill = true,
                                                    .prompt = request->rewrite.prompts_findings
                                                                  ? BT_UNIVERSAL_PROMPT_FINDINGS
                                                                  : BT_UNIVERSAL_PROMPT_DOCUMENT};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_repair_run *repair = NULL;
    struct bt_universal_prompt prompt = {BT_STR(""), BT_STR("")};
    BT_TRY(bt_checker_universal(mcp_request->mcp->service->checker, &universal));
    BT_TRY(bt_universal_repair_open(universal, &input, &how, &repair));
    enum bt_status status = BT_OK;
    if (bt_universal_repair_can_prompt(repair)) {
        status = bt_universal_repair_write_prompt(repair, &mcp_request->arena, &prompt);
    }
    bt_universal_repair_close(repair);
    *out = prompt.text;
    return status;
}

static enum bt_status contract_prompt(struct mcp_request *mcp_request,
                                      const struct bt_check_request *request, bt_str *out)
{
    const struct bt_contract_document document = {request->path, request->text, &request->contract};
    const struct bt_contract_attempt attempt = {1, request->max_rejections};
    struct bt_contract_checker *contract = NULL;
    struct bt_contract_repair_prompt repaired;
    BT_TRY(bt_checker_contract(mcp_request->mcp->service->checker, &contract));
    BT_TRY(bt_contract_write_repair_prompt(contract, &mcp_request->arena, &document, attempt,
                                           &repaired));
    *out = repaired.prompt;
    return BT_OK;
}

/* The findings as text, for a dialect without its own prompt, or a document that cannot be read. */
static enum bt_status findings_text(struct mcp_request *mcp_request,
                                    const struct bt_check_request *request, bt_str *out)
{
    const struct bt_check_options options = {.dialect = request->dialect,
                                             .checker = mcp_request->mcp->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan};
    const struct bt_report_render_options how = {.format = BT_REPORT_FORMAT_CONCISE};
    struct bt_report *report = bt_report_new(&mcp_request->arena);
    struct bt_judgement judged;
    struct bt_buf buf;
    if (!report) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_check_document(mcp_request->mcp->service->env, &mcp_request->arena, request->path,
                             request->text, &options, &judged));
    BT_TRY(bt_report_add(report, &judged));
    bt_buf_init(&buf, PROMPT_BYTES_MAX);
    enum bt_status status = bt_report_render(report, &how, &buf);
    if (judged.verdict == BT_VERDICT_ACCEPTED) {
        bt_buf_clear(&buf);
    }
    status = status == BT_OK ? bt_buf_copy(&buf, &mcp_request->arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status get_repair(struct mcp_request *mcp_request)
{
    const bt_str dialect = mcp_prompt_argument(mcp_request, "dialect");
    const bt_str shown = mcp_prompt_argument(mcp_request, "prompt");
    struct bt_check_request request;
    bt_str text = BT_STR("");
    bt_op_request_begin(mcp_request->mcp->service, &request);
    request.text = mcp_prompt_argument(mcp_request, "document");
    request.dialect = dialect.len > 0 ? bt_dialect_find(dialect)
                                      : bt_dialect_recognise(request.path, request.text);
    if (request.text.len == 0) {
        respond_invalid_params(mcp_request, "the argument document is missing");
        return BT_OK;
    }
    if (!request.dialect) {
        respond_invalid_params(mcp_request, "the dialect is not known; name it");
        return BT_OK;
    }
    request.rewrite.prompts_findings = bt_str_eq(shown, BT_STR("findings"));
    if (shown.len > 0 && !request.rewrite.prompts_findings &&
        !bt_str_eq(shown, BT_STR("document"))) {
        respond_invalid_params(mcp_request, "prompt is document or findings");
        return BT_OK;
    }
    if (request.dialect == BT_DIALECT_UNIVERSAL) {
        BT_TRY(universal_prompt(mcp_request, &request, &text));
    } else if (request.dialect == BT_DIALECT_CONTRACT) {
        BT_TRY(contract_prompt(mcp_request, &request, &text));
    }
    if (text.len == 0) {
        BT_TRY(findings_text(mcp_request, &request, &text));
    }
    mcp_put_message(mcp_request, text.len > 0 ? text : BT_STR("nothing to repair"));
    return BT_OK;
}

/* ---- write_contract_block -------------------------------------------------------------------- */

static enum bt_status get_block(struct mcp_request *mcp_request)
{
    const bt_str status_name = mcp_prompt_argument(mcp_request, "status");
    struct bt_contract_template wanted = {.agent_id = mcp_prompt_argument(mcp_request, "agent_id")};
    struct bt_buf buf;
    if (status_name.len > 0 && bt_contract_status_parse(status_name, &wanted.status) != BT_OK) {
        respond_invalid_params(mcp_request, "unknown status");
        return BT_OK;
    }
    if (wanted.agent_id.len > 0 && !bt_agent_id_is_valid(wanted.agent_id)) {
        respond_invalid_params(mcp_request, "agent_id is not the id of an agent");
        return BT_OK;
    }
    bt_buf_init(&buf, PROMPT_BYTES_MAX);
    bt_contract_put_block(&buf, &wanted);
    const enum bt_status status = buf.status;
    if (status == BT_OK) {
        mcp_put_message(mcp_request, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct mcp_prompt prompts[] = {
    {"repair_handoff", "what to tell a model about a handoff that was rejected",
     "[{\"name\":\"document\",\"required\":true},{\"name\":\"dialect\",\"required\":false},"
     "{\"name\":\"prompt\",\"required\":false}]",
     get_repair},
    {"write_contract_block", "the block with which an agent ends its turn, to be filled in",
     "[{\"name\":\"status\",\"required\":false},{\"name\":\"agent_id\",\"required\":false}]",
     get_block},
};

enum { PROMPTS = sizeof(prompts) / sizeof(prompts[0]) };

/* The number of prompts for the caller, and the prompt at `index`; the fixtures come last. */
static size_t prompts_count(const struct mcp_request *mcp_request)
{
    const size_t fixtures = mcp_request->mcp->place.fixtures ? mcp_fixture_prompts_count : 0;
    return mcp_has_scope(mcp_request, BT_SCOPE_CHECK, false) ? PROMPTS + fixtures : 0;
}

static const struct mcp_prompt *prompt_at(size_t index)
{
    return index < PROMPTS ? &prompts[index] : &mcp_fixture_prompts[index - PROMPTS];
}

enum bt_status mcp_prompts_list(struct mcp_request *mcp_request)
{
    if (!mcp_is_first_page(mcp_request)) {
        return BT_OK;
    }
    mcp_result(mcp_request, "complete");
    bt_emit_member_array(&mcp_request->emit, "prompts");
    for (size_t i = 0; i < prompts_count(mcp_request); i++) {
        const struct mcp_prompt *prompt = prompt_at(i);
        bt_emit_begin_object(&mcp_request->emit);
        bt_emit_member_string(&mcp_request->emit, "name", bt_str_of(prompt->name));
        bt_emit_member_string(&mcp_request->emit, "description", bt_str_of(prompt->description));
        bt_emit_member_raw(&mcp_request->emit, "arguments", bt_str_of(prompt->arguments));
        bt_emit_end(&mcp_request->emit);
    }
    bt_emit_end(&mcp_request->emit);
    mcp_result_end(mcp_request, MCP_MINUTES_PRIVATE);
    return BT_OK;
}

enum bt_status mcp_prompts_get(struct mcp_request *mcp_request)
{
    const bt_str name = mcp_param_text(mcp_request, "name");
    for (size_t i = 0; i < prompts_count(mcp_request); i++) {
        if (bt_str_eq(bt_str_of(prompt_at(i)->name), name)) {
            return prompt_at(i)->get(mcp_request);
        }
    }
    respond_invalid_params(mcp_request, "unknown prompt");
    return BT_OK;
}
