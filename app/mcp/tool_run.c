/* SPDX-License-Identifier: Apache-2.0 */
/* tool_run.c - how the arguments of a tool become those of an operation. */
#include "mcp/mcp_internal.h"
#include "operation/records.h"

/* True when an argument is an option for judging, which tools take beside the others. */
static bool is_option(const struct bt_operation *row, const struct bt_operation_param *param)
{
    return param->type != BT_OPERATION_PARAM_DOCUMENT && param->type != BT_OPERATION_PARAM_PATH &&
           bt_operation_param_find(row, BT_IN_OPTION, param->name);
}

/* The options of a call, then the arguments in the order of the row. */
static enum bt_status read_args(struct mcp_call *call, const struct bt_operation *row,
                                struct bt_args *out)
{
    const struct bt_json_doc *document = call->request->document;
    const bt_json_value *options = mcp_argument(call, "options");
    const size_t count = options ? bt_json_count(options) : 0;
    BT_TRY(bt_args_begin(out, row, count + row->param_count, call->work.arena));
    out->is_tool = true;
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *member = &bt_json_members(options)[i];
        bt_args_add_option(out, bt_json_name(member),
                           (struct bt_arg){.document = document, .json = &member->value});
    }
    for (size_t i = 0; i < row->param_count; i++) {
        const struct bt_operation_param *param = &row->params[i];
        struct bt_arg value = {
            .document = document,
            .json = param->places & BT_IN_TOOL ? mcp_argument(call, param->name.ptr) : NULL};
        if (value.json && is_option(row, param)) {
            value.is_argument = true;
            bt_args_add_option(out, param->name, value);
        } else if (value.json) {
            BT_TRY(bt_args_add(out, BT_IN_TOOL, param->name, value, call->work.arena));
        }
    }
    return BT_OK;
}

/* A key of idempotency tells documents apart. */
static enum bt_status take_key(struct mcp_call *call, const struct bt_args *args)
{
    const struct bt_arg *key = bt_args_find(args, "idempotency_key");
    const struct bt_arg *content = bt_args_content(args);
    bt_str path;
    if (bt_arg_text(key).len == 0 || !content) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(call->work.arena, &path, "mcp:%s", args->operation->tool.name));
    call->key = (struct bt_idempotency_key){.path = path, .key = bt_arg_text(key)};
    BT_TRY(
        bt_op_request_document(&call->work, content->document, content->json, &call->key.request));
    call->work.key = &call->key;
    return BT_OK;
}

enum bt_status mcp_run_operation(struct mcp_call *call, const struct bt_operation *row)
{
    struct bt_args args;
    BT_TRY(read_args(call, row, &args));
    BT_TRY(take_key(call, &args));
    if (row->effects & BT_EFFECT_DELIVERS) {
        call->work.later = call->request->mcp->place.later;
    }
    return row->run(&call->work, &args);
}
