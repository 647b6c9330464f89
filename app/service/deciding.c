/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deciding.c - an operation that records: done once for one key, and answered again as it was.
 */
#include "service/service.h"

/* The answer in the words of the door. */
static enum bt_status fill(struct deciding *deciding)
{
    struct work *work = deciding->work;
    BT_TRY(deciding->compose(work, deciding->context));
    if (work->shape && work->answer->kind == ANSWER_REFUSED) {
        BT_TRY(work->shape(work, work->door));
    }
    if (deciding->tells_agents) {
        BT_TRY(service_hide(work, deciding->source, &work->answer->body));
    }
    deciding->is_composed = true;
    return BT_OK;
}

static enum bt_status compose(void *context, struct bt_once *once)
{
    struct deciding *deciding = context;
    const struct answer *answer = deciding->work->answer;
    BT_TRY(fill(deciding));
    once->status = answer->status;
    return bt_buf_keep(&answer->body, deciding->work->arena, &once->body);
}

void deciding_begin(struct deciding *deciding, struct work *work, compose_fn *how, void *context)
{
    *deciding = (struct deciding){.work = work, .compose = how, .context = context};
    if (!work->key) {
        return;
    }
    deciding->once = (struct bt_once){
        .principal = work->caller->actor,
        .path = work->key->path,
        .key = work->key->key,
        .request = work->key->request,
        .seconds = bt_config_seconds(work->service->config, "idempotency.ttl"),
        .compose = compose,
        .context = deciding,
    };
}

void deciding_watch(struct deciding *deciding)
{
    if (deciding->work->key) {
        bt_ledger_once(deciding->work->service->ledger, &deciding->once);
    }
}

/* Say again what was said. */
static enum bt_status repeat(struct deciding *deciding)
{
    struct answer *answer = deciding->work->answer;
    const struct bt_once *once = &deciding->once;
    bt_buf_clear(&answer->body);
    bt_buf_put(&answer->body, once->body);
    answer->kind = once->status < 400 ? ANSWER_DONE : ANSWER_REFUSED;
    answer->status = once->status;
    answer->seq = once->seq;
    answer->is_repeated = true;
    return answer->body.status;
}

enum bt_status deciding_end(struct deciding *deciding, bool is_done, const char *failed)
{
    struct work *work = deciding->work;
    if (work->key && work->service->ledger) {
        bt_ledger_once(work->service->ledger, NULL);
    }
    switch (deciding->once.outcome) {
    case BT_ONCE_REPEATED:
        return repeat(deciding);
    case BT_ONCE_REDACTED:
        return answer_unusable(work, "DOCUMENT_REDACTED: the answer was deleted with its document");
    case BT_ONCE_REUSED:
        return answer_unusable(work, "IDEMPOTENCY_KEY_REUSED: this key came with another request");
    case BT_ONCE_FIRST:
        break;
    }
    if (!is_done) {
        return answer_failed(work, "%s", failed);
    }
    return deciding->is_composed ? BT_OK : fill(deciding);
}
