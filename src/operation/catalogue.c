/* SPDX-License-Identifier: Apache-2.0 */
/* catalogue.c - the agents of governed handoffs: which are blocked, which may hand off to which. */
#include "decide/governed_state.h"

#include "operation/govern_json.h"
#include "operation/records.h"

static enum bt_status govern_of(struct bt_call *work, struct bt_governed_state *out)
{
    *out = (struct bt_governed_state){.ledger = work->service->ledger,
                                      .env = work->service->env,
                                      .arena = work->arena,
                                      .actor = work->caller->actor,
                                      .alarms = bt_findings_new(work->arena)};
    return out->alarms ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_op_governed_list_blocked(struct bt_call *work, const struct bt_args *args)
{
    (void)args;
    struct bt_agent_block_list blocks;
    struct bt_governed_state govern;
    struct bt_error error;
    BT_TRY(govern_of(work, &govern));
    if (bt_agent_blocks_list(&govern, &blocks, &error) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the blocked agents cannot be read");
    }
    bt_emit_agent_blocks(&work->answer->body, &blocks);
    return bt_result_set_done(work);
}

static enum bt_status put_unblocking(struct bt_call *work, void *context)
{
    const struct bt_agent_unblock_options *unblock_options = context;
    bt_buf_clear(&work->answer->body);
    bt_emit_unblock(&work->answer->body, unblock_options);
    work->answer->kind = ANSWER_DONE;
    work->answer->status = BT_HTTP_OK;
    if (bt_findings_count(unblock_options->findings) > 0) {
        bt_result_set_refused(work, bt_findings_at(unblock_options->findings, 0),
                              unblock_options->findings, unblock_options->record);
        work->answer->status = BT_HTTP_UNPROCESSABLE;
    }
    return work->answer->body.status;
}

static enum bt_status unblock_agent(struct bt_call *work,
                                    struct bt_agent_unblock_options *unblock_options)
{
    struct bt_governed_checker *governed = NULL;
    struct bt_governed_state govern;
    struct bt_op_idempotent deciding;
    struct bt_error error;
    BT_TRY(govern_of(work, &govern));
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    bt_op_idempotency_begin(&deciding, work, put_unblocking, unblock_options);
    bt_op_idempotent_attach(&deciding);
    const enum bt_status status = bt_agent_unblock(&govern, governed, unblock_options, &error);
    return bt_op_idempotency_end(&deciding,
                                 status == BT_OK && bt_findings_count(govern.alarms) == 0,
                                 unblock_options->is_unknown ? NULL : "nothing was decided");
}

enum bt_status bt_op_governed_unblock(struct bt_call *work, const struct bt_args *args)
{
    struct bt_agent_unblock_options unblock_options = {
        .agent_id = bt_args_text(args, BT_ARG_GOVERNED_UNBLOCK_AGENT),
        .reason = bt_args_text(args, BT_ARG_GOVERNED_UNBLOCK_REASON)};
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (bt_str_is_blank(unblock_options.reason)) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/reason"),
                                     "say why");
    }
    if (bt_op_open_catalogue(work, &request)) {
        unblock_options.options = &request.governed;
        status = unblock_agent(work, &unblock_options);
    }
    bt_op_request_end(&request);
    return status;
}

/* The agents that are blocked may not take part. */
static enum bt_status avoid_blocked(struct bt_call *work, struct bt_governed_path_query *question)
{
    struct bt_agent_block_list blocks;
    struct bt_governed_state govern;
    struct bt_error error;
    BT_TRY(govern_of(work, &govern));
    BT_TRY(bt_agent_blocks_list(&govern, &blocks, &error));
    bt_str *ids = BT_NEW_ARRAY(work->arena, bt_str, blocks.count + 1);
    for (size_t i = 0; ids && i < blocks.count; i++) {
        ids[i] = blocks.items[i].agent_id;
    }
    question->excluded = ids;
    question->avoided_count = blocks.count;
    return ids ? BT_OK : BT_ENOMEM;
}

static enum bt_status find_path(struct bt_call *work, const struct bt_check_request *request,
                                struct bt_governed_path_query *question)
{
    struct bt_governed_checker *governed = NULL;
    bool is_reachable = false;
    struct bt_buf *body = &work->answer->body;
    if (avoid_blocked(work, question) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the blocked agents cannot be read");
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_governed_find_path(governed, work->arena, &request->governed, question, body,
                              &is_reachable) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the catalogue of agents cannot be read");
    }
    body->len -= body->len > 0 && body->ptr[body->len - 1] == '\n' ? 1 : 0;
    work->answer->kind = ANSWER_DONE;
    return body->status;
}

enum bt_status bt_op_governed_find_path(struct bt_call *work, const struct bt_args *args)
{
    const bt_str from = bt_args_text(args, BT_ARG_GOVERNED_FIND_PATH_FROM);
    const bt_str to = bt_args_text(args, BT_ARG_GOVERNED_FIND_PATH_TO);
    struct bt_governed_path_query question = {.from = from, .to = to, .form = BT_BOUNDARY_MAP_JSON};
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (from.len == 0 || to.len == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID,
                                     from.len == 0 ? BT_STR("/from") : BT_STR("/to"),
                                     "name both agents");
    }
    if (bt_op_open_catalogue(work, &request)) {
        status = find_path(work, &request, &question);
    }
    bt_op_request_end(&request);
    return status;
}
