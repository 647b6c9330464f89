/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.c - CancelTask: cancel an inbox item that is not leased, or an approval request. */
#include "a2a/a2a_internal.h"
#include "operation/records.h"

/* *out_is_done: it was cancelled. BT_EIO: the store failed. */
static enum bt_status cancel_item(struct a2a *a2a, bt_str message, bool *out_is_done)
{
    const struct bt_deliver deliver = {.ledger = a2a->service->ledger,
                                       .env = a2a->service->env,
                                       .arena = a2a->arena,
                                       .actor = a2a->caller->actor,
                                       .alarms = bt_findings_new(a2a->arena)};
    struct bt_error error;
    *out_is_done = false;
    if (!deliver.alarms) {
        return BT_ENOMEM;
    }
    const enum bt_status status = bt_inbox_cancel(&deliver, message, out_is_done, &error);
    return status == BT_OK && bt_findings_count(deliver.alarms) > 0 ? BT_EIO : status;
}

static enum bt_status revoke_approval(struct a2a *a2a, bt_str id, bool *out_is_done)
{
    struct bt_approval_action_options action_options =
        bt_approval_action_options_init(BT_APPROVAL_ACTION_REVOKE, id);
    struct bt_approval_owner owner;
    struct bt_result answer = {0};
    struct bt_call work = {
        .service = a2a->service, .caller = a2a->caller, .arena = a2a->arena, .answer = &answer};
    struct bt_approval_result result;
    action_options.owner = bt_op_owner(a2a->caller, &owner);
    bt_buf_init(&answer.body, 1 << 16);
    const bool has_result = bt_op_run_approval_action(&work, &action_options, &result);
    *out_is_done = has_result && bt_findings_count(result.findings) == 0;
    bt_buf_free(&answer.body);
    return has_result ? BT_OK : BT_EIO;
}

static enum bt_status take_back(struct a2a *a2a, const struct a2a_status *status, bool *out_is_done)
{
    bt_str message;
    *out_is_done = false;
    switch (status->kind) {
    case A2A_STATUS_SOURCE_INBOX:
        return cancel_item(a2a, status->key, out_is_done);
    case A2A_STATUS_SOURCE_GOVERNED:
        BT_TRY(bt_arena_printf(a2a->arena, &message, "h%llu", (unsigned long long)status->seq));
        return cancel_item(a2a, message, out_is_done);
    case A2A_STATUS_SOURCE_APPROVAL:
        return a2a_is_waiting(status->state) ? revoke_approval(a2a, status->key, out_is_done)
                                             : BT_OK;
    case A2A_STATUS_SOURCE_FIXED:
        break;
    }
    return BT_OK;
}

enum bt_status a2a_cancel(struct a2a_request *request)
{
    struct a2a *a2a = request->a2a;
    struct a2a_status status;
    struct bt_task task;
    bool is_done = false;
    bt_str id;
    if (!a2a_param_id(request, &id)) {
        return BT_OK;
    }
    const enum bt_status found = a2a_task_find(a2a, id, &task);
    if (found == BT_ENOENT) {
        return a2a_respond_error(request, A2A_TASK_UNKNOWN, "unknown task");
    }
    BT_TRY(found);
    if (!bt_scopes_hold(a2a->caller->scopes, BT_SCOPE_SUBMIT)) {
        return a2a_respond_scope_error(request, "submit");
    }
    BT_TRY(a2a_status_read(a2a, task.state, &status));
    if (!a2a_is_final(status.state) && !a2a->place->is_read_only) {
        const enum bt_status back = take_back(a2a, &status, &is_done);
        if (back != BT_OK && back != BT_ENOMEM) {
            return a2a_respond_error(request, A2A_INTERNAL, "the store could not be written");
        }
        BT_TRY(back);
    }
    a2a->outcome.is_recorded = is_done;
    return is_done ? a2a_respond_with_task(request, &task)
                   : a2a_respond_error(request, A2A_NOT_CANCELABLE,
                                       "the task can no longer be cancelled");
}
