/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cancel.c - take back what nobody has taken yet: an item of an inbox, a request for consent.
 */
#include "a2a/inside.h"
#include "service/records.h"

/* *out_is_done: it is taken back. BT_EIO: the store failed. */
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

static enum bt_status revoke(struct a2a *a2a, bt_str id, bool *out_is_done)
{
    struct bt_approval_wish wish = service_wish(BT_APPROVAL_REVOKE, id);
    struct bt_approval_owner owner;
    struct answer answer = {0};
    struct work work = {
        .service = a2a->service, .caller = a2a->caller, .arena = a2a->arena, .answer = &answer};
    struct bt_approval_answer said;
    wish.owner = service_owner(a2a->caller, &owner);
    bt_buf_init(&answer.body, 1 << 16);
    const bool is_told = service_approve(&work, &wish, &said);
    *out_is_done = is_told && bt_findings_count(said.findings) == 0;
    bt_buf_free(&answer.body);
    return is_told ? BT_OK : BT_EIO;
}

static enum bt_status take_back(struct a2a *a2a, const struct a2a_status *status, bool *out_is_done)
{
    bt_str message;
    *out_is_done = false;
    switch (status->kind) {
    case A2A_KIND_INBOX:
        return cancel_item(a2a, status->key, out_is_done);
    case A2A_KIND_GOVERNED:
        BT_TRY(bt_arena_printf(a2a->arena, &message, "h%llu", (unsigned long long)status->seq));
        return cancel_item(a2a, message, out_is_done);
    case A2A_KIND_APPROVAL:
        return a2a_is_waiting(status->state) ? revoke(a2a, status->key, out_is_done) : BT_OK;
    case A2A_KIND_FIXED:
        break;
    }
    return BT_OK;
}

enum bt_status a2a_cancel(struct a2a_ask *ask)
{
    struct a2a *a2a = ask->a2a;
    struct a2a_status status;
    struct bt_task task;
    bool is_done = false;
    bt_str id;
    if (!a2a_param_id(ask, &id)) {
        return BT_OK;
    }
    const enum bt_status found = a2a_task_find(a2a, id, &task);
    if (found == BT_ENOENT) {
        return a2a_refuse(ask, A2A_TASK_UNKNOWN, "there is no such task");
    }
    BT_TRY(found);
    if (!scopes_hold(a2a->caller->scopes, SCOPE_SUBMIT)) {
        return a2a_refuse_scope(ask, "submit");
    }
    BT_TRY(a2a_status_read(a2a, task.state, &status));
    if (!a2a_is_final(status.state) && !a2a->place->is_read_only) {
        const enum bt_status back = take_back(a2a, &status, &is_done);
        if (back != BT_OK && back != BT_ENOMEM) {
            return a2a_refuse(ask, A2A_INTERNAL, "the store could not be written");
        }
        BT_TRY(back);
    }
    a2a->told.is_recorded = is_done;
    return is_done ? a2a_answer_task(ask, &task)
                   : a2a_refuse(ask, A2A_NOT_CANCELABLE, "the task can no longer be cancelled");
}
