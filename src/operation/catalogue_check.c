/* SPDX-License-Identifier: Apache-2.0 */
/* catalogue_check.c - the catalogue of governed agents, opened and checked as a whole. */
#include "operation/governed.h"
#include "operation/operation.h"

bool bt_op_open_catalogue(struct bt_call *work, struct bt_check_request *out)
{
    bt_op_request_begin(work->service, out);
    if (!bt_op_request_root(work, out, BT_STR(""))) {
        return false;
    }
    if (!out->catalogue) {
        (void)bt_result_set_failed(work, BT_PROBLEM_ROOT_NOT_CONFIGURED,
                                   "no catalogue of agents is configured");
        return false;
    }
    return true;
}

static enum bt_status verify_root(struct bt_call *work, const struct bt_check_request *request)
{
    const struct bt_report_render_options how = {.format = BT_REPORT_FORMAT_JSON,
                                                 .extra_members = BT_STR("")};
    struct bt_report *report = bt_report_new(work->arena);
    struct bt_governed_checker *governed = NULL;
    struct bt_buf *body = &work->answer->body;
    if (!report) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_governed_verify_root(governed, &request->governed, report) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the catalogue of agents cannot be read");
    }
    BT_TRY(bt_report_render(report, &how, body));
    body->len--; /* without the line feed */
    work->answer->kind = ANSWER_DONE;
    return BT_OK;
}

enum bt_status bt_op_governed_verify_root(struct bt_call *work, const struct bt_args *args)
{
    struct bt_check_request request;
    (void)args;
    const bool is_open = bt_op_open_catalogue(work, &request);
    const enum bt_status status = is_open ? verify_root(work, &request) : BT_OK;
    bt_op_request_end(&request);
    return status;
}
