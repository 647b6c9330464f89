/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the arguments of a call -> a document and how it is judged. */
#include "operation/operation.h"

enum { DOCUMENT_BYTES_MAX = 1 << 30 };

bool bt_op_request_dialect(struct bt_call *work, bt_str name, enum bt_dialect_id *out)
{
    *out = bt_dialect_find(name);
    if (!*out) {
        (void)bt_result_set_problem(work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                    "unknown dialect");
    }
    return *out != BT_DIALECT_NONE;
}

enum bt_status bt_op_request_document(struct bt_call *work, const struct bt_json_doc *document,
                                      const bt_json_value *value, bt_str *out)
{
    if (bt_json_type(value) == BT_JSON_STRING) {
        *out = bt_json_text(value);
        return BT_OK;
    }
    bt_str written;
    if (bt_json_source_has_form(document, value, BT_JSON_FORM_COMPACT, &written) &&
        written.len <= DOCUMENT_BYTES_MAX) {
        *out = written;
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, DOCUMENT_BYTES_MAX);
    enum bt_status status =
        bt_json_write(&buf, document, value, BT_JSON_FORM_COMPACT, work->arena, NULL);
    status = status == BT_OK ? bt_buf_copy(&buf, work->arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

/* Take the dialect that an option names, once everything else about the request is right. */
static bool take_dialect(struct bt_call *work, const struct bt_args *args,
                         struct bt_check_request *request)
{
    for (size_t i = 0; !args->is_tool && i < args->option_count; i++) {
        const struct bt_arg *value = &args->options[i].value;
        if (bt_str_eq(args->options[i].name, BT_STR("as"))) {
            return bt_op_request_dialect(
                work, value->document ? bt_json_text(value->json) : value->text, &request->dialect);
        }
    }
    return true;
}

/* A path or a dialect, which are options in a query and in an envelope. */
static bool take_name(struct bt_call *work, struct bt_check_request *request, bt_str name,
                      const struct bt_arg *value)
{
    const bt_str text = value->document ? bt_json_text(value->json) : value->text;
    if (value->document && bt_json_type(value->json) != BT_JSON_STRING) {
        (void)bt_result_refuse_argument(work, name, "it is not a text");
        return false;
    }
    if (bt_str_eq(name, BT_STR("as"))) {
        return true; /* see take_dialect() */
    }
    request->path = text;
    if (text.len == 0) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/path"),
                                    "it is empty");
    }
    return text.len > 0;
}

static bool take_option(struct bt_call *work, struct bt_check_request *request, unsigned use,
                        const struct bt_args *args, size_t index)
{
    const struct bt_arg *value = &args->options[index].value;
    const bt_str name = args->options[index].name;
    for (size_t i = 0; !args->is_tool && i < index; i++) {
        if (bt_str_eq(args->options[i].name, name)) {
            return bt_result_refuse_argument(work, name, "the option is given twice") == BT_OK;
        }
    }
    if (!args->is_tool && (bt_str_eq(name, BT_STR("as")) || bt_str_eq(name, BT_STR("path")))) {
        return take_name(work, request, name, value);
    }
    if (bt_op_request_option(work, request, use, name, value)) {
        return true;
    }
    return !args->is_tool && work->answer->params.len == 0 &&
           bt_result_refuse_argument(work, name, "unknown option, or not a value that it takes") ==
               BT_OK;
}

/* Read the text, the path and the dialect. False: the result is set, or *out_status is. */
static bool take_document(struct bt_call *work, const struct bt_args *args, size_t index,
                          struct bt_check_request *request, enum bt_status *out_status)
{
    const struct bt_arg *content = bt_args_content(args);
    const struct bt_arg *dialect = args->is_tool ? bt_args_find(args, "dialect") : NULL;
    struct bt_arg_document given = {BT_STR_INIT(""), BT_STR_INIT(""), BT_STR_INIT("")};
    if (args->documents) {
        given = args->documents[index];
    } else if (content && content->document) {
        *out_status = bt_op_request_document(work, content->document, content->json, &given.text);
        given.path = bt_arg_text(bt_args_find(args, "path"));
        given.dialect = bt_arg_text(dialect);
    } else {
        given.text = bt_arg_text(content);
    }
    request->text = given.text;
    request->path = given.path.len > 0 ? given.path : request->path;
    return *out_status == BT_OK && ((given.dialect.len == 0 && !dialect) ||
                                    bt_op_request_dialect(work, given.dialect, &request->dialect));
}

/*
 * Read the INPUT of a contract: anybody may judge with it, but only an operator may record with it,
 * and no tool does.
 */
static bool take_input(struct bt_call *work, const struct bt_args *args, unsigned use,
                       struct bt_check_request *request, enum bt_status *out_status)
{
    const struct bt_arg *argument = args->is_tool ? bt_args_find(args, "input") : NULL;
    struct bt_contract_checker *contract = NULL;
    struct bt_error error;
    bt_str text = args->input;
    if (argument) {
        *out_status = bt_op_request_document(work, argument->document, argument->json, &text);
    }
    if (text.len == 0 || *out_status != BT_OK) {
        return *out_status == BT_OK;
    }
    if ((use & OPTION_SUBMIT) && !bt_scopes_hold(work->caller->scopes, BT_SCOPE_OPERATE)) {
        (void)bt_result_set_problem(work, BT_PROBLEM_SCOPE_MISSING, BT_STR("/operate"),
                                    "only an operator records with an INPUT");
        return false;
    }
    request->record.input_text = use & OPTION_SUBMIT ? text : BT_STR("");
    *out_status = bt_checker_contract(work->service->checker, &contract);
    if (*out_status != BT_OK) {
        return false;
    }
    request->contract.input = &request->input;
    if (bt_contract_input_read(contract, work->arena, text, &request->input, &error) == BT_OK) {
        return true;
    }
    (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/input"), "%s",
                                args->is_tool ? error.text : "it is not the INPUT of a contract");
    return false;
}

enum bt_status bt_op_request_read(struct bt_call *work, const struct bt_args *args, unsigned use,
                                  size_t index, struct bt_check_request *out)
{
    const struct bt_arg *answer = args->is_tool ? bt_args_find(args, "answer") : NULL;
    enum bt_status status = BT_OK;
    bt_op_request_begin(work->service, out);
    bool is_read = !args->is_tool || take_document(work, args, index, out, &status);
    for (size_t i = 0; is_read && i < args->option_count; i++) {
        is_read = take_option(work, out, use, args, i);
    }
    is_read = is_read && take_input(work, args, use, out, &status);
    out->rewrite.answer = args->answer;
#ifndef BT_PROFILE_CORE
    out->record.receipts = args->receipts;
#endif
    if (is_read && answer) {
        return bt_op_request_document(work, answer->document, answer->json, &out->rewrite.answer);
    }
    /* a dialect that does not exist is a problem only of a request without other faults */
    if (!args->is_tool && is_read && take_dialect(work, args, out)) {
        (void)take_document(work, args, index, out, &status);
    }
    return status;
}

enum bt_status bt_op_run_document(struct bt_call *work, const struct bt_args *args, unsigned use,
                                  enum bt_dialect_id dialect, request_fn *run)
{
    struct bt_check_request request;
    enum bt_status status = bt_op_request_read(work, args, use, 0, &request);
    if (status == BT_OK && work->answer->kind == 0) {
        request.dialect = dialect ? dialect : request.dialect;
        status = run(work, &request);
    }
    bt_op_request_end(&request);
    return status;
}
