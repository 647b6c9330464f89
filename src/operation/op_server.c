/* SPDX-License-Identifier: Apache-2.0 */
/* op_server.c - what the server says about itself and its caller. */
#include "operation/operation.h"

#include "json/emit.h"

enum bt_status bt_op_config_show(struct bt_call *call, const struct bt_args *args)
{
    struct bt_emit emit;
    (void)args;
    bt_emit_init(&emit, &call->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_config_emit(call->service->config, &emit);
    bt_emit_end(&emit);
    return bt_result_set_done(call);
}

enum bt_status bt_op_server_whoami(struct bt_call *call, const struct bt_args *args)
{
    const struct bt_caller *caller = call->caller;
    struct bt_emit emit;
    (void)args;
    bt_emit_init(&emit, &call->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "principal", caller->name);
    bt_emit_name(&emit, "scopes");
    bt_scopes_emit(&emit, caller->scopes);
    bt_emit_name(&emit, "agents");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < caller->agent_count; i++) {
        bt_emit_string(&emit, caller->agents[i]);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "anonymous");
    bt_emit_bool(&emit, caller->is_anonymous);
    bt_emit_end(&emit);
    return bt_result_set_done(call);
}

enum bt_status bt_op_server_version(struct bt_call *call, const struct bt_args *args)
{
    (void)args;
    bt_buf_printf(&call->answer->body, "{\"baton\":1,\"version\":\"%s\"}", bt_version());
    return bt_result_set_done(call);
}
