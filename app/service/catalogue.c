/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue.c - the agents of governed handoffs: who is blocked, who may hand to whom.
 */
#include <baton/govern.h>

#include "service/govern_json.h"
#include "service/records.h"

static enum bt_status govern_of(struct work *work, struct bt_govern *out)
{
    *out = (struct bt_govern){.ledger = work->service->ledger,
                              .env = work->service->env,
                              .arena = work->arena,
                              .actor = work->caller->actor,
                              .alarms = bt_findings_new(work->arena)};
    return out->alarms ? BT_OK : BT_ENOMEM;
}

/* Open the catalogue. False after an answer. The request is given back in either case. */
static bool open_catalogue(struct work *work, struct request *out)
{
    request_begin(work->service, out);
    if (!request_root(work, out, BT_STR(""))) {
        return false;
    }
    if (!out->catalogue) {
        (void)answer_failed(work, "ROOT_NOT_CONFIGURED: there is no catalogue of agents");
        return false;
    }
    return true;
}

enum bt_status op_blocked(struct work *work)
{
    struct bt_blocks blocks;
    struct bt_govern govern;
    struct bt_error error;
    BT_TRY(govern_of(work, &govern));
    if (bt_govern_blocked(&govern, &blocks, &error) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the blocked agents cannot be read");
    }
    blocks_put(&work->answer->body, &blocks);
    return answer_done(work);
}

/* ---- Unblocking ------------------------------------------------------------------------------ */

static enum bt_status put_unblocking(struct work *work, void *context)
{
    const struct bt_unblocking *asked = context;
    bt_buf_clear(&work->answer->body);
    unblocking_put(&work->answer->body, asked);
    work->answer->kind = ANSWER_DONE;
    work->answer->status = 200;
    if (bt_findings_count(asked->findings) > 0) {
        answer_refuse(work, bt_findings_at(asked->findings, 0), asked->findings, asked->record);
        work->answer->status = 422;
    }
    return work->answer->body.status;
}

static enum bt_status unblock(struct work *work, struct bt_unblocking *asked)
{
    struct bt_governed *governed = NULL;
    struct bt_govern govern;
    struct deciding deciding;
    struct bt_error error;
    BT_TRY(govern_of(work, &govern));
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    deciding_begin(&deciding, work, put_unblocking, asked);
    deciding_watch(&deciding);
    const enum bt_status status = bt_govern_unblock(&govern, governed, asked, &error);
    return deciding_end(&deciding, status == BT_OK && bt_findings_count(govern.alarms) == 0,
                        asked->is_unknown ? "OUTCOME_UNKNOWN: it may have been recorded"
                                          : "STORE_UNAVAILABLE: nothing was decided");
}

enum bt_status op_unblock(struct work *work, bt_str agent, bt_str reason)
{
    struct bt_unblocking asked = {.agent_id = agent, .reason = reason};
    struct request request;
    enum bt_status status = BT_OK;
    if (bt_str_is_blank(reason)) {
        return answer_unusable(work, "PARAMETER_INVALID at /reason: say why");
    }
    if (open_catalogue(work, &request)) {
        asked.options = &request.governed;
        status = unblock(work, &asked);
    }
    request_end(&request);
    return status;
}

/* ---- Paths, and the whole -------------------------------------------------------------------- */

/* The agents that are blocked may not take part. */
static enum bt_status avoid_blocked(struct work *work, struct bt_path_question *question)
{
    struct bt_blocks blocks;
    struct bt_govern govern;
    struct bt_error error;
    BT_TRY(govern_of(work, &govern));
    BT_TRY(bt_govern_blocked(&govern, &blocks, &error));
    bt_str *ids = BT_NEW_ARRAY(work->arena, bt_str, blocks.count + 1);
    for (size_t i = 0; ids && i < blocks.count; i++) {
        ids[i] = blocks.items[i].agent_id;
    }
    question->avoided = ids;
    question->avoided_count = blocks.count;
    return ids ? BT_OK : BT_ENOMEM;
}

static enum bt_status find_path(struct work *work, const struct request *request,
                                struct bt_path_question *question)
{
    struct bt_governed *governed = NULL;
    bool is_reachable = false;
    struct bt_buf *body = &work->answer->body;
    if (avoid_blocked(work, question) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the blocked agents cannot be read");
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_governed_path(governed, work->arena, &request->governed, question, body,
                         &is_reachable) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the catalogue of agents cannot be read");
    }
    body->len -= body->len > 0 && body->ptr[body->len - 1] == '\n' ? 1 : 0;
    work->answer->kind = ANSWER_DONE;
    return body->status;
}

enum bt_status op_path(struct work *work, bt_str from, bt_str to)
{
    struct bt_path_question question = {.from = from, .to = to, .form = BT_MAP_JSON};
    struct request request;
    enum bt_status status = BT_OK;
    if (from.len == 0 || to.len == 0) {
        return answer_unusable(work, "PARAMETER_INVALID at /%s: name both agents",
                               from.len == 0 ? "from" : "to");
    }
    if (open_catalogue(work, &request)) {
        status = find_path(work, &request, &question);
    }
    request_end(&request);
    return status;
}

static enum bt_status verify(struct work *work, const struct request *request)
{
    const struct bt_render_options how = {.format = BT_FORMAT_JSON, .members = BT_STR("")};
    struct bt_report *report = bt_report_new(work->arena);
    struct bt_governed *governed = NULL;
    struct bt_buf *body = &work->answer->body;
    if (!report) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_governed_verify_root(governed, &request->governed, report) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the catalogue of agents cannot be read");
    }
    BT_TRY(bt_report_render(report, &how, body));
    body->len--; /* the line feed */
    work->answer->kind = ANSWER_DONE;
    return BT_OK;
}

enum bt_status op_verify_root(struct work *work)
{
    struct request request;
    const bool is_open = open_catalogue(work, &request);
    const enum bt_status status = is_open ? verify(work, &request) : BT_OK;
    request_end(&request);
    return status;
}
