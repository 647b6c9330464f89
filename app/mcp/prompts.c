/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompts.c - texts that a person can put before a model.
 */
#include "mcp/inside.h"

enum { PROMPT_BYTES_MAX = 64 << 20 };

bt_str mcp_prompt_argument(const struct mcp_ask *ask, const char *name)
{
    const bt_value *arguments = mcp_param(ask, "arguments");
    const bt_value *value =
        arguments ? bt_json_get(ask->document, arguments, bt_str_of(name)) : NULL;
    return value ? bt_json_text(value) : BT_STR("");
}

static void invalid(struct mcp_ask *ask, const char *why)
{
    mcp_error(ask, MCP_INVALID_PARAMS, why, BT_STR(""));
}

void mcp_put_role(struct bt_emit *emit, bt_str text)
{
    bt_emit_object(emit);
    bt_emit_member_string(emit, "role", BT_STR("user"));
    bt_emit_name(emit, "content");
    bt_emit_object(emit);
    bt_emit_member_string(emit, "type", BT_STR("text"));
    bt_emit_member_string(emit, "text", text);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void mcp_put_message(struct mcp_ask *ask, bt_str text)
{
    mcp_result(ask, "complete");
    bt_emit_name(&ask->emit, "messages");
    bt_emit_array(&ask->emit);
    mcp_put_role(&ask->emit, text);
    bt_emit_end(&ask->emit);
    mcp_result_end(ask, MCP_UNCACHED);
}

/* ---- repair_handoff -------------------------------------------------------------------------- */

static enum bt_status universal_prompt(struct mcp_ask *ask, const struct request *request,
                                       bt_str *out)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const struct bt_repair_options how = {.attempts = 2, .no_spill = true};
    struct bt_universal *universal = NULL;
    struct bt_repair *repair = NULL;
    struct bt_prompt prompt = {BT_STR(""), BT_STR("")};
    BT_TRY(bt_checker_universal(ask->mcp->service->checker, &universal));
    BT_TRY(bt_repair_open(universal, &input, &how, &repair));
    enum bt_status status = BT_OK;
    if (bt_repair_is_askable(repair)) {
        status = bt_repair_prompt(repair, &ask->arena, &prompt);
    }
    bt_repair_close(repair);
    *out = prompt.text;
    return status;
}

static enum bt_status contract_prompt(struct mcp_ask *ask, const struct request *request,
                                      bt_str *out)
{
    const struct bt_contract_document document = {request->path, request->text, &request->contract};
    const struct bt_contract_attempt attempt = {1, request->max_rejections};
    struct bt_contract *contract = NULL;
    struct bt_contract_repair repaired;
    BT_TRY(bt_checker_contract(ask->mcp->service->checker, &contract));
    BT_TRY(bt_contract_repair(contract, &ask->arena, &document, attempt, &repaired));
    *out = repaired.prompt;
    return BT_OK;
}

/* The findings, for a dialect that has no prompt of its own, or a document that nobody can read. */
static enum bt_status findings_text(struct mcp_ask *ask, const struct request *request, bt_str *out)
{
    const struct bt_check_options options = {.dialect = request->dialect,
                                             .checker = ask->mcp->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan};
    const struct bt_render_options how = {.format = BT_FORMAT_CONCISE};
    struct bt_report *report = bt_report_new(&ask->arena);
    struct bt_judged judged;
    struct bt_buf buf;
    if (!report) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_check(ask->mcp->service->env, &ask->arena, request->path, request->text, &options,
                    &judged));
    BT_TRY(bt_report_add(report, &judged));
    bt_buf_init(&buf, PROMPT_BYTES_MAX);
    enum bt_status status = bt_report_render(report, &how, &buf);
    if (judged.verdict == BT_ACCEPTED) {
        bt_buf_clear(&buf);
    }
    status = status == BT_OK ? bt_buf_keep(&buf, &ask->arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status get_repair(struct mcp_ask *ask)
{
    const bt_str dialect = mcp_prompt_argument(ask, "dialect");
    struct request request;
    bt_str text = BT_STR("");
    request_begin(ask->mcp->service, &request);
    request.text = mcp_prompt_argument(ask, "document");
    request.dialect =
        dialect.len > 0 ? bt_dialect_named(dialect) : bt_dialect_of(request.path, request.text);
    if (request.text.len == 0) {
        invalid(ask, "the argument document is missing");
        return BT_OK;
    }
    if (!request.dialect) {
        invalid(ask, "the dialect is not known; name it");
        return BT_OK;
    }
    const bt_str name = bt_dialect_name(request.dialect);
    if (bt_str_eq(name, BT_STR("universal"))) {
        BT_TRY(universal_prompt(ask, &request, &text));
    } else if (bt_str_eq(name, BT_STR("contract"))) {
        BT_TRY(contract_prompt(ask, &request, &text));
    }
    if (text.len == 0) {
        BT_TRY(findings_text(ask, &request, &text));
    }
    mcp_put_message(ask, text.len > 0 ? text : BT_STR("nothing to repair"));
    return BT_OK;
}

/* ---- write_contract_block -------------------------------------------------------------------- */

static enum bt_status get_block(struct mcp_ask *ask)
{
    const bt_str status_name = mcp_prompt_argument(ask, "status");
    struct bt_contract_template wanted = {.agent_id = mcp_prompt_argument(ask, "agent_id")};
    struct bt_buf buf;
    if (status_name.len > 0 && bt_plan_status_parse(status_name, &wanted.status) != BT_OK) {
        invalid(ask, "there is no such status");
        return BT_OK;
    }
    if (wanted.agent_id.len > 0 && !bt_agent_id_is(wanted.agent_id)) {
        invalid(ask, "agent_id is no id of an agent");
        return BT_OK;
    }
    bt_buf_init(&buf, PROMPT_BYTES_MAX);
    bt_contract_put_block(&buf, &wanted);
    const enum bt_status status = buf.status;
    if (status == BT_OK) {
        mcp_put_message(ask, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct mcp_prompt prompts[] = {
    {"repair_handoff", "what to tell a model about a handoff that was rejected",
     "[{\"name\":\"document\",\"required\":true},{\"name\":\"dialect\",\"required\":false}]",
     get_repair},
    {"write_contract_block", "the block with which an agent ends its turn, to be filled in",
     "[{\"name\":\"status\",\"required\":false},{\"name\":\"agent_id\",\"required\":false}]",
     get_block},
};

enum { PROMPTS = sizeof(prompts) / sizeof(prompts[0]) };

/* How many there are for the caller, and the one at `index`: the fixtures come last. */
static size_t prompts_count(const struct mcp_ask *ask)
{
    const size_t fixtures = ask->mcp->place.fixtures ? mcp_fixture_prompts_count : 0;
    return mcp_may(ask, SCOPE_CHECK, false) ? PROMPTS + fixtures : 0;
}

static const struct mcp_prompt *prompt_at(size_t index)
{
    return index < PROMPTS ? &prompts[index] : &mcp_fixture_prompts[index - PROMPTS];
}

enum bt_status mcp_prompts_list(struct mcp_ask *ask)
{
    if (!mcp_is_first_page(ask)) {
        return BT_OK;
    }
    mcp_result(ask, "complete");
    bt_emit_name(&ask->emit, "prompts");
    bt_emit_array(&ask->emit);
    for (size_t i = 0; i < prompts_count(ask); i++) {
        const struct mcp_prompt *prompt = prompt_at(i);
        bt_emit_object(&ask->emit);
        bt_emit_member_string(&ask->emit, "name", bt_str_of(prompt->name));
        bt_emit_member_string(&ask->emit, "description", bt_str_of(prompt->description));
        bt_emit_name(&ask->emit, "arguments");
        bt_emit_raw(&ask->emit, bt_str_of(prompt->arguments));
        bt_emit_end(&ask->emit);
    }
    bt_emit_end(&ask->emit);
    mcp_result_end(ask, MCP_MINUTES_PRIVATE);
    return BT_OK;
}

enum bt_status mcp_prompts_get(struct mcp_ask *ask)
{
    const bt_str name = mcp_param_text(ask, "name");
    for (size_t i = 0; i < prompts_count(ask); i++) {
        if (bt_str_eq(bt_str_of(prompt_at(i)->name), name)) {
            return prompt_at(i)->get(ask);
        }
    }
    invalid(ask, "there is no such prompt");
    return BT_OK;
}
