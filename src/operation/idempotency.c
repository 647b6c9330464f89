/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idempotency.c - an operation that records: done once for one key, and repeated with the same
 * result.
 */
#include "operation/operation.h"

/* The result in the form of the adapter. */
static enum bt_status build_result(struct bt_op_idempotent *deciding)
{
    struct bt_call *work = deciding->work;
    BT_TRY(deciding->compose(work, deciding->context));
    if (work->write_refusal && work->answer->kind == ANSWER_REFUSED) {
        BT_TRY(work->write_refusal(work, work->adapter));
    }
    if (deciding->can_name_agents) {
        BT_TRY(bt_result_hide_topology(work, deciding->source, &work->answer->body));
    }
    deciding->is_composed = true;
    return BT_OK;
}

static enum bt_status build_stored_result(void *context, struct bt_idempotency *once)
{
    struct bt_op_idempotent *deciding = context;
    const struct bt_result *answer = deciding->work->answer;
    BT_TRY(build_result(deciding));
    once->status = answer->status;
    return bt_buf_copy(&answer->body, deciding->work->arena, &once->body);
}

void bt_op_idempotency_begin(struct bt_op_idempotent *deciding, struct bt_call *work,
                             compose_fn *how, void *context)
{
    *deciding = (struct bt_op_idempotent){.work = work, .compose = how, .context = context};
    if (!work->key) {
        return;
    }
    deciding->once = (struct bt_idempotency){
        .principal = work->caller->actor,
        .path = work->key->path,
        .key = work->key->key,
        .request = work->key->request,
        .seconds = bt_config_seconds(work->service->config, "idempotency.ttl"),
        .compose = build_stored_result,
        .context = deciding,
    };
}

void bt_op_idempotent_attach(struct bt_op_idempotent *deciding)
{
    if (deciding->work->key) {
        bt_ledger_set_idempotency(deciding->work->service->ledger, &deciding->once);
    }
}

/* Repeat the earlier result. */
static enum bt_status replay_result(struct bt_op_idempotent *deciding)
{
    struct bt_result *answer = deciding->work->answer;
    const struct bt_idempotency *once = &deciding->once;
    bt_buf_clear(&answer->body);
    bt_buf_put(&answer->body, once->body);
    answer->kind = once->status < BT_HTTP_BAD_REQUEST ? ANSWER_DONE : ANSWER_REFUSED;
    answer->status = once->status;
    answer->seq = once->seq;
    answer->is_replay = true;
    return answer->body.status;
}

enum bt_status bt_op_idempotency_end(struct bt_op_idempotent *deciding, bool is_done,
                                     const char *failed)
{
    struct bt_call *work = deciding->work;
    if (work->key && work->service->ledger) {
        bt_ledger_set_idempotency(work->service->ledger, NULL);
    }
    switch (deciding->once.outcome) {
    case BT_IDEMPOTENCY_REPEATED:
        return replay_result(deciding);
    case BT_IDEMPOTENCY_REDACTED:
        return bt_result_set_problem(work, BT_PROBLEM_DOCUMENT_REDACTED, BT_STR(""),
                                     "the answer was deleted with its document");
    case BT_IDEMPOTENCY_CONFLICT:
        return bt_result_set_problem(work, BT_PROBLEM_IDEMPOTENCY_KEY_REUSED, BT_STR(""),
                                     "this key came with another request");
    case BT_IDEMPOTENCY_FIRST:
        break;
    }
    if (!is_done) {
        return failed ? bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "%s", failed)
                      : bt_result_set_unknown(work);
    }
    return deciding->is_composed ? BT_OK : build_result(deciding);
}
