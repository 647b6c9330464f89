/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_args.c - the arguments of a request: from its path and query, and from its body, which is a
 * document, an envelope around documents, or an object of parameters.
 */
#include "operation/args_read.h"
#include "serve/rest.h"

/* Read the object in the body; an empty body is an empty object. */
static enum bt_status read_object(struct serve_rest *rest, struct bt_arg *out)
{
    const bt_str body = rest->x->request->body;
    return bt_args_read_object(&rest->work, body.len > 0 ? body : BT_STR("{}"), out);
}

enum { RECEIPT_PLACES = BT_IN_TOOL | BT_IN_CALL };

/* True for the object around a receipt; a receipt itself has members of other names. */
static bool is_receipt_request(const struct bt_operation *row, const struct bt_arg *object)
{
    for (size_t i = 0; i < bt_json_count(object->json); i++) {
        const bt_str name = bt_json_name(&bt_json_members(object->json)[i]);
        if (!bt_operation_param_find(row, RECEIPT_PLACES, name)) {
            return bt_arg_member(object, "receipt").document != NULL;
        }
    }
    return true;
}

/* A receipt is the body itself, or a member of an object with keys and a document. */
static enum bt_status read_receipt(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    struct bt_json_read_result read = {0};
    if (!bt_str_eq(exchange_media_type(x), BT_STR("application/json")) ||
        /* from: caller */
        bt_json_read(x->arena, x->request->body, NULL, &read) != BT_OK || !read.document) {
        return BT_OK;
    }
    const struct bt_arg object = {.document = read.document, .json = bt_json_root(read.document)};
    if (bt_json_type(object.json) != BT_JSON_OBJECT ||
        !is_receipt_request(rest->args.operation, &object)) {
        return BT_OK;
    }
    rest->args.values[BT_ARG_LEDGER_VERIFY_RECEIPT_RECEIPT] = (struct bt_arg){0};
    return bt_args_add_members(&rest->work, &rest->args, &object, RECEIPT_PLACES);
}

/* Check the values in the query against the row. */
static enum bt_status check_query(struct serve_rest *rest, const struct bt_operation *row)
{
    struct serve_call *x = rest->x;
    for (size_t i = 0; i < x->target.query.count; i++) {
        const struct bt_operation_param *param =
            bt_operation_param_find(row, BT_IN_QUERY, x->target.query.items[i].name);
        const char *why = param && !param->is_unchecked
                              ? bt_argument_check_text(param, x->target.query.items[i].value)
                              : NULL;
        if (why) {
            return bt_result_refuse_argument(&rest->work, param->name, why);
        }
    }
    for (size_t i = 0; i < row->param_count; i++) {
        const struct bt_operation_param *param = &row->params[i];
        bt_str value;
        if ((param->places & BT_IN_QUERY) && param->is_required &&
            !exchange_query(x, param->name.ptr, &value)) {
            return bt_result_refuse_argument(&rest->work, param->name, "it is missing");
        }
    }
    return BT_OK;
}

static enum bt_status add_query(struct serve_rest *rest)
{
    const struct serve_call *x = rest->x;
    for (size_t i = 0; i < x->target.query.count; i++) {
        const struct bt_arg value = {.text = x->target.query.items[i].value};
        const bt_str name = x->target.query.items[i].name;
        const enum bt_status status = bt_args_add(&rest->args, BT_IN_QUERY, name, value, x->arena);
        if (status == BT_ENOENT && bt_operation_param_find(x->route->row, BT_IN_OPTION, name)) {
            bt_args_add_option(&rest->args, name, value);
        } else if (status != BT_OK) {
            return status == BT_ENOENT
                       ? bt_result_refuse_argument(&rest->work, name, "unknown parameter")
                       : status;
        }
    }
    return BT_OK;
}

/* Add the parameters of the path, and the whole body where that is one. */
static void add_path_and_content(struct serve_rest *rest, const struct bt_operation *row)
{
    const struct serve_call *x = rest->x;
    const bt_str body = x->request->body.len > 0 ? x->request->body : BT_STR("");
    size_t in_path = 0;
    for (size_t i = 0; i < row->param_count; i++) {
        if (row->params[i].places & BT_IN_PATH) {
            rest->args.values[i].text = x->params[in_path++];
        } else if (row->params[i].places & BT_IN_CONTENT) {
            rest->args.values[i].text = body;
        }
    }
}

enum bt_status rest_args_read(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    struct bt_call *work = &rest->work;
    const struct bt_operation *row = x->route->row;
    const bool is_envelope = row->rest.takes && !row->rest.takes_object &&
                             bt_str_eq(exchange_media_type(x), BT_STR(REST_ENVELOPE));
    struct bt_arg object;
    BT_TRY(check_query(rest, row));
    if (is_envelope) {
        BT_TRY(read_object(rest, &object));
        BT_TRY(bt_args_begin_envelope(work, &rest->args, row, &object, 0, x->target.query.count));
    } else {
        BT_TRY(bt_args_begin(&rest->args, row, x->target.query.count, x->arena));
    }
    add_path_and_content(rest, row);
    BT_TRY(add_query(rest));
    if (is_envelope) {
        return bt_args_add_options(work, &rest->args, &object);
    }
    if (row == &bt_operations[BT_OPERATION_LEDGER_VERIFY_RECEIPT]) {
        return read_receipt(rest);
    }
    if (!row->rest.takes_object) {
        return BT_OK;
    }
    BT_TRY(read_object(rest, &object));
    return bt_args_add_members(work, &rest->args, &object, BT_IN_BODY);
}
