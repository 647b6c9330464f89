/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_body.c - read the body of a request: a document with options in the query, an envelope
 * around documents, or an object of parameters.
 */
#include <string.h>

#include "serve/rest.h"

enum { DOCUMENTS_MAX = 100, FINDINGS_BYTES_MAX = 4 << 20 };

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

bool rest_object_is_closed(const struct serve_rest_object *object, const char *names)
{
    for (size_t i = 0; i < bt_json_count(object->root); i++) {
        const bt_str name = bt_json_name(&bt_json_members(object->root)[i]);
        if (!serve_list_has_word(names, name)) {
            (void)serve_call_respond_bad_parameter(object->rest->x, name,
                                                   "there is no such parameter");
            return false;
        }
    }
    return true;
}

bool rest_object_read(struct serve_rest *rest, struct serve_rest_object *out)
{
    struct serve_call *x = rest->x;
    const bt_str body = x->request->body.len > 0 ? x->request->body : BT_STR("{}");
    struct bt_json_options options = bt_json_options_from_env(rest->work.service->env);
    struct bt_json_read_result read;
    options.document_bytes_max = body.len + 1;
    options.string_bytes_max = body.len + 1;
    /* from: caller */
    if (bt_json_read(x->arena, body, &options, &read) != BT_OK) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    if (!read.document) {
        return refuse_body(rest, body);
    }
    *out = (struct serve_rest_object){rest, read.document, bt_json_root(read.document)};
    if (bt_json_type(out->root) != BT_JSON_OBJECT) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_BAD_REQUEST);
        return false;
    }
    return true;
}

bool rest_object(struct serve_rest *rest, const char *names, struct serve_rest_object *out)
{
    return rest_object_read(rest, out) && rest_object_is_closed(out, names);
}

const bt_json_value *rest_object_member(const struct serve_rest_object *object, const char *name)
{
    return bt_json_get(object->document, object->root, bt_str_of(name));
}

bool rest_object_text(const struct serve_rest_object *object, const char *name, bt_str *out)
{
    const bt_json_value *value = rest_object_member(object, name);
    *out = BT_STR("");
    if (!value || bt_json_type(value) == BT_JSON_NULL) {
        return true;
    }
    if (bt_json_type(value) != BT_JSON_STRING) {
        return rest_refuse(object->rest, name, "it is no text");
    }
    *out = bt_json_text(value);
    return true;
}

bt_str rest_object_source(const struct serve_rest_object *object, const char *name)
{
    const bt_json_value *value = rest_object_member(object, name);
    if (!value) {
        return BT_STR("");
    }
    const struct bt_json_span span = bt_json_span(object->document, value);
    return bt_str_slice(bt_json_source(object->document), span.begin, span.end);
}

/* ---- Documents ------------------------------------------------------------------------------- */

/* Read one option from the query or the envelope. False: the response is set. */
static bool take_option(struct serve_rest *rest, struct bt_check_request *request, unsigned use,
                        bt_str name, const struct bt_arg *value)
{
    struct bt_call *work = &rest->work;
    if (bt_str_eq(name, BT_STR("as"))) {
        const bt_str text = value->document ? bt_json_text(value->json) : value->text;
        if (bt_op_request_dialect(work, text, &request->dialect)) {
            return true;
        }
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_DIALECT_UNKNOWN);
        return false;
    }
    if (bt_str_eq(name, BT_STR("path"))) {
        request->path = value->document ? bt_json_text(value->json) : value->text;
        return request->path.len > 0 || rest_refuse(rest, "path", "it is empty");
    }
    if (bt_op_request_option(work, request, use, name, value)) {
        return true;
    }
    if (work->answer->params.len > 0) {
        (void)rest_respond_bad_parameter(rest, name);
        return false;
    }
    (void)serve_call_respond_bad_parameter(rest->x, name,
                                           "there is no such option here, or no such value");
    return false;
}

static bool take_query(struct serve_rest *rest, struct bt_check_request *request, unsigned use)
{
    const struct serve_query_item *items = NULL;
    size_t count = 0;
    if (exchange_query_items(rest->x, &items, &count) != BT_OK) {
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_arg value = {.text = items[i].value};
        if (!take_option(rest, request, use, items[i].name, &value)) {
            return false;
        }
    }
    return true;
}

static bool take_options(struct serve_rest *rest, const struct serve_rest_object *envelope,
                         struct bt_check_request *request, unsigned use)
{
    const bt_json_value *options = rest_object_member(envelope, "options");
    if (!options) {
        return true;
    }
    if (bt_json_type(options) != BT_JSON_OBJECT) {
        return rest_refuse(rest, "options", "it is no object");
    }
    for (size_t i = 0; i < bt_json_count(options); i++) {
        const bt_str name = bt_json_name(&bt_json_members(options)[i]);
        const struct bt_arg value = {
            .document = envelope->document,
            .json = bt_json_get(envelope->document, options, name),
        };
        bt_str twice;
        char plain[64] = "";
        if (name.len < sizeof(plain)) {
            memcpy(plain, name.ptr, name.len);
        }
        if (exchange_query(rest->x, plain, &twice)) {
            return rest_refuse(rest, plain, "the option is given twice");
        }
        if (!take_option(rest, request, use, name, &value)) {
            return false;
        }
    }
    return true;
}

bool rest_decode(struct serve_rest *rest, const char *name, bt_str text, bt_str *out)
{
    const size_t size = bt_base64_decoded_size(text);
    char *bytes = size == SIZE_MAX ? NULL : bt_arena_alloc(rest->x->arena, size + 1);
    if (!bytes) {
        return rest_refuse(rest, name, "its base64 cannot be read");
    }
    bt_base64_decode(text, bytes);
    *out = (bt_str){bytes, size};
    return true;
}

/* Read one item of `documents`: a path, a dialect, and its text or its bytes. */
static bool take_item(struct serve_rest *rest, const struct serve_rest_object *item,
                      struct bt_check_request *request)
{
    bt_str text;
    bt_str base64;
    bt_str path;
    bt_str as;
    if (bt_json_type(item->root) != BT_JSON_OBJECT) {
        return rest_refuse(rest, "documents", "it is no list of objects");
    }
    if (!rest_object_is_closed(item, "path as text base64") ||
        !rest_object_text(item, "text", &text) || !rest_object_text(item, "base64", &base64) ||
        !rest_object_text(item, "path", &path) || !rest_object_text(item, "as", &as)) {
        return false;
    }
    const bool has_text = rest_object_member(item, "text") != NULL;
    if (has_text == (rest_object_member(item, "base64") != NULL)) {
        return rest_refuse(rest, "documents", "each has either text or base64");
    }
    request->path = path.len > 0 ? path : request->path;
    request->text = text;
    if (as.len > 0 && !bt_op_request_dialect(&rest->work, as, &request->dialect)) {
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_DIALECT_UNKNOWN);
        return false;
    }
    return has_text || rest_decode(rest, "documents", base64, &request->text);
}

/*
 * Read the INPUT of a contract: anybody may judge with it, but only an operator may record with it.
 */
static bool take_input(struct serve_rest *rest, const struct serve_rest_object *envelope,
                       unsigned use, struct bt_check_request *request)
{
    const bt_str input = rest_object_source(envelope, "input");
    struct bt_contract_checker *contract = NULL;
    struct bt_error error;
    if (input.len == 0) {
        return true;
    }
    if (use & OPTION_SUBMIT) {
        if (!serve_call_has_scope(rest->x, BT_SCOPE_OPERATE)) {
            (void)serve_call_respond_problem_with(rest->x, BT_PROBLEM_SCOPE_MISSING,
                                                  BT_STR("\"scope\":\"operate\""));
            return false;
        }
        request->input_text = input;
    }
    if (bt_checker_contract(rest->work.service->checker, &contract) != BT_OK) {
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    if (bt_contract_input_read(contract, rest->x->arena, input, &request->input, &error) != BT_OK) {
        return rest_refuse(rest, "input", "it is no INPUT of a contract");
    }
    request->contract.input = &request->input;
    return true;
}

static bool take_envelope(struct serve_rest *rest, unsigned use, bool many,
                          struct serve_rest_documents *out)
{
    struct serve_rest_object envelope;
    bt_str answer;
    if (!rest_object(rest, "documents options input answer", &envelope) ||
        !rest_object_text(&envelope, "answer", &answer)) {
        return false;
    }
    const bt_json_value *documents = rest_object_member(&envelope, "documents");
    const bool is_list = documents && bt_json_type(documents) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(documents) : 0;
    if (count == 0 || count > (many ? DOCUMENTS_MAX : 1)) {
        return rest_refuse(rest, "documents",
                           many ? "it is a list of 1 to 100 documents"
                                : "it is a list of exactly one document here");
    }
    struct bt_check_request *items = BT_NEW_ARRAY(rest->x->arena, struct bt_check_request, count);
    if (!items) {
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    out->items = items;
    for (size_t i = 0; i < count; i++) {
        const struct serve_rest_object item = {rest, envelope.document,
                                               &bt_json_items(documents)[i]};
        bt_op_request_begin(rest->work.service, &items[i]);
        out->count = i + 1;
        items[i].answer = answer;
        if (!take_query(rest, &items[i], use) || !take_options(rest, &envelope, &items[i], use) ||
            !take_item(rest, &item, &items[i]) || !take_input(rest, &envelope, use, &items[i])) {
            return false;
        }
    }
    return true;
}

bool rest_documents(struct serve_rest *rest, unsigned use, bool many,
                    struct serve_rest_documents *out)
{
    struct serve_call *x = rest->x;
    *out = (struct serve_rest_documents){0};
    if (bt_str_eq(exchange_media_type(x), BT_STR(REST_ENVELOPE))) {
        return take_envelope(rest, use, many, out);
    }
    out->items = BT_NEW_ARRAY(x->arena, struct bt_check_request, 1);
    if (!out->items) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    bt_op_request_begin(rest->work.service, &out->items[0]);
    out->count = 1;
    out->items[0].text = x->request->body;
    return take_query(rest, &out->items[0], use);
}

void rest_documents_end(struct serve_rest_documents *documents)
{
    for (size_t i = 0; i < documents->count; i++) {
        bt_op_request_end(&documents->items[i]);
    }
}

enum bt_status rest_run(struct serve_rest *rest, unsigned use, rest_document_fn *run)
{
    struct serve_rest_documents documents;
    const bool is_ready = rest_documents(rest, use, false, &documents);
    const enum bt_status status = is_ready ? run(&rest->work, &documents.items[0]) : BT_OK;
    rest_documents_end(&documents);
    return status;
}
