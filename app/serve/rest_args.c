/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_args.c - the arguments of a request: from its path and query, and from its body, which is a
 * document, an envelope around documents, or an object of parameters.
 */
#include "serve/rest.h"

enum { DOCUMENTS_MAX = 100, FINDINGS_BYTES_MAX = 4 << 20, ITEM_TEXTS = 4 };

/* Respond that a part of the request is invalid. Returns false. */
static bool refuse_part(struct serve_rest *rest, bt_str name, const char *message)
{
    (void)serve_call_respond_bad_parameter(rest->x, name, message);
    return false;
}

static bool respond_overload(struct serve_rest *rest)
{
    (void)serve_call_respond_problem(rest->x, BT_PROBLEM_OVERLOADED);
    return false;
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* Respond with 400 and the findings of the JSON reader. Returns false. */
static bool refuse_body(struct serve_rest *rest, bt_str text)
{
    const struct bt_check_options how = {.dialect = BT_DIALECT_JSON};
    struct serve_call *x = rest->x;
    struct bt_judgement judged;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str members = BT_STR("");
    bt_buf_init(&buf, FINDINGS_BYTES_MAX);
    if (bt_check(rest->work.service->env, x->arena, BT_STR("body"), text, &how, &judged) == BT_OK) {
        bt_buf_put_text(&buf, "\"findings\":");
        bt_emit_init(&emit, &buf, false);
        bt_emit_begin_array(&emit);
        bt_findings_emit(&emit, judged.findings);
        bt_emit_end(&emit);
    }
    if (bt_buf_copy(&buf, x->arena, &members) != BT_OK) {
        members = BT_STR("");
    }
    bt_buf_free(&buf);
    (void)serve_call_respond_problem_with(x, BT_PROBLEM_BAD_REQUEST, members);
    return false;
}

/* Read the object in the body; an empty body is an empty object. False: the response is set. */
static bool read_object(struct serve_rest *rest, struct bt_arg *out)
{
    struct serve_call *x = rest->x;
    const bt_str body = x->request->body.len > 0 ? x->request->body : BT_STR("{}");
    struct bt_json_options options = bt_json_options_from_env(rest->work.service->env);
    struct bt_json_read_result read;
    options.document_bytes_max = body.len + 1;
    options.string_bytes_max = body.len + 1;
    /* from: caller */
    if (bt_json_read(x->arena, body, &options, &read) != BT_OK) {
        return respond_overload(rest);
    }
    if (!read.document) {
        return refuse_body(rest, body);
    }
    *out = (struct bt_arg){.document = read.document, .json = bt_json_root(read.document)};
    if (bt_json_type(out->json) != BT_JSON_OBJECT) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_BAD_REQUEST);
        return false;
    }
    return true;
}

/* The member of an object; absent when there is none. */
static struct bt_arg member_of(const struct bt_arg *object, const char *name)
{
    const bt_json_value *value = bt_json_get(object->document, object->json, bt_str_of(name));
    return (struct bt_arg){.document = value ? object->document : NULL, .json = value};
}

/* Check that an object has no other members than those in the list. False: the response is set. */
static bool is_closed(struct serve_rest *rest, const struct bt_arg *object, const char *names)
{
    for (size_t i = 0; i < bt_json_count(object->json); i++) {
        const bt_str name = bt_json_name(&bt_json_members(object->json)[i]);
        if (!serve_list_has_word(names, name)) {
            return refuse_part(rest, name, "there is no such parameter");
        }
    }
    return true;
}

/* Read the texts of all members that an object may have. False: the response is set. */
static bool read_texts(struct serve_rest *rest, const struct bt_arg *object,
                       const struct bt_operation_param *members, size_t count, bt_str texts[])
{
    const struct bt_operation_param list = {.members = members, .member_count = count};
    struct bt_argument_fault fault;
    return bt_arguments_read_texts(&list, object->document, object->json, texts, &fault) ||
           refuse_part(rest, fault.name, fault.why);
}

/* ---- Envelopes ------------------------------------------------------------------------------- */

/* Read one item of `documents`: a path, a dialect, and its text or its bytes. */
static bool read_item(struct serve_rest *rest, const struct bt_arg *item,
                      struct bt_arg_document *out)
{
    static const struct bt_operation_param members[ITEM_TEXTS] = {{.name = BT_STR_INIT("text")},
                                                                  {.name = BT_STR_INIT("base64")},
                                                                  {.name = BT_STR_INIT("path")},
                                                                  {.name = BT_STR_INIT("as")}};
    static const bt_str name = BT_STR_INIT("documents");
    bt_str texts[ITEM_TEXTS];
    if (bt_json_type(item->json) != BT_JSON_OBJECT) {
        return refuse_part(rest, name, "it is not a list of objects");
    }
    if (!read_texts(rest, item, members, ITEM_TEXTS, texts)) {
        return false;
    }
    const bool has_text = member_of(item, "text").document != NULL;
    if (has_text == (member_of(item, "base64").document != NULL)) {
        return refuse_part(rest, name, "each has either text or base64");
    }
    *out = (struct bt_arg_document){.text = texts[0], .path = texts[2], .dialect = texts[3]};
    if (has_text) {
        return true;
    }
    const size_t size = bt_base64_decoded_size(texts[1]);
    char *bytes = size == SIZE_MAX ? NULL : bt_arena_alloc(rest->x->arena, size + 1);
    if (!bytes) {
        return refuse_part(rest, name, "its base64 cannot be read");
    }
    bt_base64_decode(texts[1], bytes);
    out->text = (bt_str){bytes, size};
    return true;
}

static bool read_documents(struct serve_rest *rest, const struct bt_arg *envelope)
{
    const bool many = rest->x->route->row == &bt_operations[BT_OPERATION_HANDOFF_CHECK];
    const struct bt_arg list = member_of(envelope, "documents");
    const bool is_list = list.document && bt_json_type(list.json) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(list.json) : 0;
    if (count == 0 || count > (many ? DOCUMENTS_MAX : 1)) {
        return refuse_part(rest, BT_STR("documents"),
                           many ? "it is a list of 1 to 100 documents"
                                : "it is a list of exactly one document here");
    }
    struct bt_arg_document *items = BT_NEW_ARRAY(rest->x->arena, struct bt_arg_document, count);
    if (!items) {
        return respond_overload(rest);
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_arg item = {.document = list.document,
                                    .json = &bt_json_items(list.json)[i]};
        if (!read_item(rest, &item, &items[i])) {
            return false;
        }
    }
    rest->args.documents = items;
    rest->args.document_count = count;
    return true;
}

/* The options of an envelope are those of the query. */
static void add_options(struct serve_rest *rest, const struct bt_arg *options)
{
    for (size_t i = 0; options->document && i < bt_json_count(options->json); i++) {
        const struct bt_json_member *member = &bt_json_members(options->json)[i];
        bt_args_add_option(&rest->args, bt_json_name(member),
                           (struct bt_arg){.document = options->document, .json = &member->value});
    }
}

/* Read what is in an envelope but its options, which are `out`. False: the response is set. */
static bool read_envelope(struct serve_rest *rest, struct bt_arg *out)
{
    struct bt_arg envelope;
    if (!read_object(rest, &envelope) ||
        !is_closed(rest, &envelope, "documents options input answer")) {
        return false;
    }
    const struct bt_arg answer = member_of(&envelope, "answer");
    const struct bt_arg input = member_of(&envelope, "input");
    if (answer.document && bt_json_type(answer.json) != BT_JSON_STRING &&
        bt_json_type(answer.json) != BT_JSON_NULL) {
        return refuse_part(rest, BT_STR("answer"), "it is not a text");
    }
    rest->args.answer = answer.document ? bt_json_text(answer.json) : BT_STR("");
    rest->args.input = bt_arg_source(&input);
    *out = member_of(&envelope, "options");
    if (!read_documents(rest, &envelope)) {
        return false;
    }
    return !out->document || bt_json_type(out->json) == BT_JSON_OBJECT ||
           refuse_part(rest, BT_STR("options"), "it is not an object");
}

/* ---- Receipts -------------------------------------------------------------------------------- */

/* A receipt is the body itself, or a member of an object with keys and a document. */
static bool read_receipt(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    struct bt_arg *values = rest->args.values;
    struct bt_json_read_result read;
    if (!bt_str_eq(exchange_media_type(x), BT_STR("application/json")) ||
        /* from: caller */
        bt_json_read(x->arena, x->request->body, NULL, &read) != BT_OK || !read.document) {
        return true;
    }
    const struct bt_arg object = {.document = read.document, .json = bt_json_root(read.document)};
    const struct bt_arg receipt = member_of(&object, "receipt");
    const struct bt_arg vkey = member_of(&object, "vkey");
    const struct bt_arg document = member_of(&object, "document");
    if (!receipt.document) {
        return true;
    }
    if (!is_closed(rest, &object, "receipt vkey document")) {
        return false;
    }
    if (document.document && bt_json_type(document.json) != BT_JSON_STRING &&
        bt_json_type(document.json) != BT_JSON_NULL) {
        return refuse_part(rest, BT_STR("document"), "it is not a text");
    }
    if (vkey.document && bt_json_type(vkey.json) != BT_JSON_STRING &&
        bt_json_type(vkey.json) != BT_JSON_ARRAY) {
        return refuse_part(rest, BT_STR("vkey"), "it is not a text or a list of texts");
    }
    values[BT_ARG_LEDGER_VERIFY_RECEIPT_RECEIPT].text = bt_json_type(receipt.json) == BT_JSON_STRING
                                                            ? bt_json_text(receipt.json)
                                                            : bt_arg_source(&receipt);
    values[BT_ARG_LEDGER_VERIFY_RECEIPT_VKEY] = vkey;
    values[BT_ARG_LEDGER_VERIFY_RECEIPT_DOCUMENT] = document;
    return true;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Check the values in the query against the row. False: the response is set. */
static bool check_query(struct serve_rest *rest, const struct bt_operation *row)
{
    struct serve_call *x = rest->x;
    for (size_t i = 0; i < x->query.count; i++) {
        const struct bt_operation_param *param =
            bt_operation_param_find(row, BT_IN_QUERY, x->query.items[i].name);
        const char *why = param && !param->is_unchecked
                              ? bt_argument_check_text(param, x->query.items[i].value)
                              : NULL;
        if (why) {
            return refuse_part(rest, param->name, why);
        }
    }
    for (size_t i = 0; i < row->param_count; i++) {
        const struct bt_operation_param *param = &row->params[i];
        bt_str value;
        if ((param->places & BT_IN_QUERY) && param->is_required &&
            !exchange_query(x, param->name.ptr, &value)) {
            return refuse_part(rest, param->name, "it is missing");
        }
    }
    return true;
}

static bool add_query(struct serve_rest *rest)
{
    const struct serve_call *x = rest->x;
    for (size_t i = 0; i < x->query.count; i++) {
        const struct bt_arg value = {.text = x->query.items[i].value};
        const bt_str name = x->query.items[i].name;
        const enum bt_status status = bt_args_add(&rest->args, BT_IN_QUERY, name, value, x->arena);
        if (status == BT_ENOENT && bt_operation_param_find(x->route->row, BT_IN_OPTION, name)) {
            bt_args_add_option(&rest->args, name, value);
        } else if (status != BT_OK) {
            return status == BT_ENOENT ? refuse_part(rest, name, "there is no such parameter")
                                       : respond_overload(rest);
        }
    }
    return true;
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

/* Read the object in the body and check it against the row. False: the response is set. */
static bool add_body(struct serve_rest *rest, const struct bt_operation *row)
{
    struct bt_argument_fault fault;
    struct bt_arg object;
    if (!read_object(rest, &object)) {
        return false;
    }
    if (!bt_arguments_check_object(row, object.document, object.json, &fault)) {
        return refuse_part(rest, fault.name, fault.why);
    }
    for (size_t i = 0; i < bt_json_count(object.json); i++) {
        const struct bt_json_member *member = &bt_json_members(object.json)[i];
        const struct bt_arg value = {.document = object.document, .json = &member->value};
        if (bt_args_add(&rest->args, BT_IN_BODY, bt_json_name(member), value, rest->x->arena) !=
            BT_OK) {
            return respond_overload(rest);
        }
    }
    return true;
}

bool rest_args_read(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    const struct bt_operation *row = x->route->row;
    const bool is_envelope = row->rest.takes && !bt_operation_takes_object(row) &&
                             bt_str_eq(exchange_media_type(x), BT_STR(REST_ENVELOPE));
    struct bt_arg options = {0};
    if (!check_query(rest, row) || (is_envelope && !read_envelope(rest, &options))) {
        return false;
    }
    const struct bt_args envelope = rest->args;
    const size_t count = options.document ? bt_json_count(options.json) : 0;
    if (bt_args_begin(&rest->args, row, x->query.count + count, x->arena) != BT_OK) {
        return respond_overload(rest);
    }
    if (is_envelope) {
        rest->args.documents = envelope.documents;
        rest->args.document_count = envelope.document_count;
        rest->args.input = envelope.input;
        rest->args.answer = envelope.answer;
    }
    add_path_and_content(rest, row);
    if (!add_query(rest)) {
        return false;
    }
    add_options(rest, &options);
    if (row == &bt_operations[BT_OPERATION_LEDGER_VERIFY_RECEIPT]) {
        return read_receipt(rest);
    }
    return !bt_operation_takes_object(row) || add_body(rest, row);
}
