/* SPDX-License-Identifier: Apache-2.0 */
/* render.c - a report -> the text that the command prints of it in another format. */
#include "base/buf.h"
#include "json/emit.h"
#include "operation/args_read.h"
#include "operation/operation.h"
#include "report/read_report.h"

enum { TEXT_BYTES_MAX = 256 << 20 };

/* The texts of the documents that were given with the report. */
static enum bt_status read_sources(struct bt_call *call, const struct bt_args *args,
                                   struct bt_str_list *out)
{
    const struct bt_arg *list = bt_args_at(args, BT_ARG_REPORT_RENDER_DOCUMENTS);
    const struct bt_arg_document *documents = NULL;
    const size_t count = list ? bt_json_count(list->json) : 0;
    bt_str *texts = BT_NEW_ARRAY(call->arena, bt_str, count + 1);
    if (!texts) {
        return BT_ENOMEM;
    }
    if (list) {
        BT_TRY(bt_args_read_documents(call, list, &documents));
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] = documents[i].text;
    }
    *out = (struct bt_str_list){texts, count};
    return BT_OK;
}

static enum bt_status put_render(struct bt_call *call, const struct bt_report *report,
                                 const struct bt_report_render_options *how, struct bt_buf *text)
{
    struct bt_emit emit;
    const enum bt_status status = bt_report_render(report, how, text);
    if (status == BT_ELIMIT) {
        return bt_result_set_problem(call, BT_PROBLEM_BODY_TOO_LARGE, BT_STR(""),
                                     "the text would be over 256 MiB");
    }
    BT_TRY(status);
    bt_emit_init(&emit, &call->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_object(&emit, "render");
    bt_emit_member_string(&emit, "format", bt_report_format_name(how->format));
    bt_emit_member_string(&emit, "text", bt_buf_str(text));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(call);
}

enum bt_status bt_op_report_render(struct bt_call *call, const struct bt_args *args)
{
    const struct bt_json_doc *document = NULL;
    struct bt_report_render_options how;
    struct bt_report *report = NULL;
    struct bt_error error = {0};
    struct bt_str_list sources;
    struct bt_buf text;
    const enum bt_status given = read_sources(call, args, &sources);
    if (given != BT_OK) {
        return given == BT_EINVAL ? BT_OK : given; /* the result says what is wrong with them */
    }
    BT_TRY(bt_op_read_valid(call, bt_args_source(args, BT_ARG_REPORT_RENDER_REPORT), "report",
                            &document));
    if (!document) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/report"),
                                     "it is not a report; the schema `report` says what that is");
    }
    const enum bt_status read =
        bt_report_read(document, &sources, call->arena, &report, &how, &error);
    if (read == BT_ENOENT) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/report"), "%s",
                                     error.text);
    }
    BT_TRY(read);
    BT_TRY(bt_report_format_parse(bt_args_text(args, BT_ARG_REPORT_RENDER_FORMAT), &how.format));
    bt_buf_init(&text, TEXT_BYTES_MAX);
    const enum bt_status status = put_render(call, report, &how, &text);
    bt_buf_free(&text);
    return status;
}
