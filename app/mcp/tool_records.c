/* SPDX-License-Identifier: Apache-2.0 */
/* tool_records.c - the tools that need a store, except decide_approval. */
#include "mcp/mcp_internal.h"
#include "operation/records.h"

enum { ITEMS_USUAL = 10, LEASE_S_USUAL = 60 };

enum bt_status mcp_run_submit(struct mcp_call *call)
{
    struct bt_check_request request;
    enum bt_status status = BT_OK;
    if (mcp_document_read(call, &request, OPTION_SUBMIT, &status) &&
        mcp_argument_read(call, &request, OPTION_SUBMIT, "id")) {
        call->key = (struct bt_idempotency_key){
            BT_STR("mcp:submit_handoff"), mcp_argument_text(call, "idempotency_key"), request.text};
        call->work.key = call->key.key.len > 0 ? &call->key : NULL;
        call->work.later = call->request->mcp->place.later;
        status = bt_op_handoff_submit(&call->work, &request);
    }
    bt_op_request_end(&request);
    return status;
}

/* Responses have the number of an entry as a number, so clients may send it back as one. */
static bt_str entry_id(const struct mcp_call *call)
{
    const bt_json_value *id = mcp_argument(call, "id");
    const bool is_number = id && bt_json_is_number(id);
    return is_number ? bt_json_number_text(call->request->document, id)
                     : mcp_argument_text(call, "id");
}

enum bt_status mcp_run_handoff(struct mcp_call *call)
{
    return bt_op_handoff(&call->work, entry_id(call));
}

enum bt_status mcp_run_receipt(struct mcp_call *call)
{
    return bt_op_receipt(&call->work, entry_id(call));
}

enum bt_status mcp_run_trace(struct mcp_call *call)
{
    return bt_op_trace(&call->work, mcp_argument_text(call, "trace_id"));
}

/* A number; the schema has checked its range. */
static uint64_t number_of(const struct mcp_call *call, const char *name, uint64_t otherwise)
{
    const bt_json_value *value = mcp_argument(call, name);
    return value && bt_json_is_number(value) ? (uint64_t)bt_json_to_double(value) : otherwise;
}

enum bt_status mcp_run_receive(struct mcp_call *call)
{
    const struct bt_op_inbox_lease lease = {.agent = mcp_argument_text(call, "agent"),
                                            .max = number_of(call, "max", ITEMS_USUAL),
                                            .lease_s = number_of(call, "lease_s", LEASE_S_USUAL)};
    return bt_op_inbox_lease_items(&call->work, &lease);
}

enum bt_status mcp_run_finish(struct mcp_call *call)
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

enum bt_status mcp_run_approvals(struct mcp_call *call)
{
    return bt_op_approvals(&call->work, mcp_argument_text(call, "status"));
}

enum bt_status mcp_run_use(struct mcp_call *call)
{
    return bt_op_approval_use(&call->work, mcp_argument_text(call, "command"),
                              mcp_argument_text(call, "id"), mcp_argument_text(call, "agent"));
}
