/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args_read.c - JSON -> the arguments of a call: an object of parameters, or an envelope around
 * documents.
 */
#include "operation/args_read.h"

#include "json/options.h"

enum { DOCUMENTS_MAX = 100, RECEIPTS_MAX = 8, ITEM_TEXTS = 4 };

/* ---- Objects --------------------------------------------------------------------------------- */

/* Set the problem that a text is not JSON, with the findings of its reading. */
static enum bt_status refuse_text(struct bt_call *work, bt_str text)
{
    const struct bt_check_options how = {.dialect = BT_DIALECT_JSON};
    struct bt_judgement judged;
    BT_TRY(bt_check_document(work->service->env, work->arena, BT_STR("body"), text, &how, &judged));
    (void)bt_result_set_problem(work, BT_PROBLEM_BAD_REQUEST, BT_STR(""), "it is not JSON");
    work->answer->findings = judged.findings;
    return BT_EINVAL;
}

enum bt_status bt_args_read_object(struct bt_call *work, bt_str text, struct bt_arg *out)
{
    struct bt_json_options options = bt_json_options_from_env(work->service->env);
    struct bt_json_read_result read = {0};
    options.document_bytes_max = text.len + 1;
    options.string_bytes_max = text.len + 1;
    /* from: caller */
    BT_TRY(bt_json_read(work->arena, text, &options, &read));
    if (!read.document) {
        return refuse_text(work, text);
    }
    *out = (struct bt_arg){.document = read.document, .json = bt_json_root(read.document)};
    if (bt_json_type(out->json) != BT_JSON_OBJECT) {
        (void)bt_result_set_problem(work, BT_PROBLEM_BAD_REQUEST, BT_STR(""),
                                    "it is not an object");
        return BT_EINVAL;
    }
    return BT_OK;
}

struct bt_arg bt_arg_member(const struct bt_arg *object, const char *name)
{
    const bt_json_value *value = bt_json_get(object->document, object->json, bt_str_of(name));
    return (struct bt_arg){.document = value ? object->document : NULL, .json = value};
}

enum bt_status bt_args_add_members(struct bt_call *work, struct bt_args *args,
                                   const struct bt_arg *object, unsigned places)
{
    struct bt_argument_fault fault;
    if (!bt_arguments_check_object(args->operation, places, object->document, object->json,
                                   &fault)) {
        return bt_result_refuse_argument(work, fault.name, fault.why);
    }
    for (size_t i = 0; i < bt_json_count(object->json); i++) {
        const struct bt_json_member *member = &bt_json_members(object->json)[i];
        const struct bt_arg value = {.document = object->document, .json = &member->value};
        BT_TRY(bt_args_add(args, places, bt_json_name(member), value, work->arena));
    }
    return BT_OK;
}

enum bt_status bt_args_read_bytes(struct bt_call *work, const struct bt_args *args,
                                  size_t text_place, size_t base64_place, bt_str *out)
{
    const struct bt_operation_param *params = args->operation->params;
    const bool has_text = bt_args_has(args, text_place);
    if (has_text == bt_args_has(args, base64_place)) {
        (void)bt_result_set_problem(
            work, BT_PROBLEM_PARAMETER_INVALID,
            bt_result_pointer(work, "/%.*s", BT_STR_ARG(params[text_place].name)),
            "give it as %.*s or as %.*s", BT_STR_ARG(params[text_place].name),
            BT_STR_ARG(params[base64_place].name));
        return BT_EINVAL;
    }
    if (has_text) {
        *out = bt_args_text(args, text_place);
        return BT_OK;
    }
    return bt_argument_decode_base64(bt_args_text(args, base64_place), work->arena, out)
               ? BT_OK
               : bt_result_refuse_argument(work, params[base64_place].name,
                                           "its base64 cannot be read");
}

/* ---- Envelopes ------------------------------------------------------------------------------- */

/* Read one item of `documents`: a path, a dialect, and its text or its bytes. */
static enum bt_status read_item(struct bt_call *work, const struct bt_arg *item,
                                struct bt_arg_document *out)
{
    static const struct bt_operation_param members[ITEM_TEXTS] = {{.name = BT_STR_INIT("text")},
                                                                  {.name = BT_STR_INIT("base64")},
                                                                  {.name = BT_STR_INIT("path")},
                                                                  {.name = BT_STR_INIT("as")}};
    static const struct bt_operation_param list = {.members = members, .member_count = ITEM_TEXTS};
    static const bt_str name = BT_STR_INIT("documents");
    struct bt_argument_fault fault;
    bt_str texts[ITEM_TEXTS];
    if (bt_json_type(item->json) != BT_JSON_OBJECT) {
        return bt_result_refuse_argument(work, name, "it is not a list of objects");
    }
    if (!bt_arguments_read_texts(&list, item->document, item->json, texts, &fault)) {
        return bt_result_refuse_argument(work, fault.name, fault.why);
    }
    const bool has_text = bt_arg_member(item, "text").document != NULL;
    if (has_text == (bt_arg_member(item, "base64").document != NULL)) {
        return bt_result_refuse_argument(work, name, "each has either text or base64");
    }
    *out = (struct bt_arg_document){.text = texts[0], .path = texts[2], .dialect = texts[3]};
    return has_text || bt_argument_decode_base64(texts[1], work->arena, &out->text)
               ? BT_OK
               : bt_result_refuse_argument(work, name, "its base64 cannot be read");
}

enum bt_status bt_args_read_documents(struct bt_call *work, const struct bt_arg *list,
                                      const struct bt_arg_document **out)
{
    const size_t count = bt_json_count(list->json);
    struct bt_arg_document *items = BT_NEW_ARRAY(work->arena, struct bt_arg_document, count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_arg item = {.document = list->document,
                                    .json = &bt_json_items(list->json)[i]};
        BT_TRY(read_item(work, &item, &items[i]));
    }
    *out = items;
    return BT_OK;
}

static enum bt_status read_documents(struct bt_call *work, struct bt_args *args,
                                     const struct bt_arg *envelope)
{
    const bool many = args->operation == &bt_operations[BT_OPERATION_HANDOFF_CHECK];
    const struct bt_arg list = bt_arg_member(envelope, "documents");
    const bool is_list = list.document && bt_json_type(list.json) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(list.json) : 0;
    if (count == 0 || count > (many ? DOCUMENTS_MAX : 1)) {
        return bt_result_refuse_argument(work, BT_STR("documents"),
                                         many ? "it is a list of 1 to 100 documents"
                                              : "it is a list of exactly one document here");
    }
    args->document_count = count;
    return bt_args_read_documents(work, &list, &args->documents);
}

#ifndef BT_PROFILE_CORE
/* Take the receipts of partners' logs, each a JSON receipt or the base64 of a COSE receipt. */
static enum bt_status take_receipts(struct bt_call *work, struct bt_args *args,
                                    const struct bt_arg *envelope)
{
    static const bt_str name = BT_STR_INIT("receipts");
    const struct bt_arg list = bt_arg_member(envelope, "receipts");
    if (!list.document) {
        return BT_OK;
    }
    const size_t count = bt_json_type(list.json) == BT_JSON_ARRAY ? bt_json_count(list.json) : 0;
    if (count == 0 || count > RECEIPTS_MAX) {
        return bt_result_refuse_argument(work, name, "it is a list of 1 to 8 receipts");
    }
    for (size_t i = 0; i < count; i++) {
        const enum bt_json_type type = bt_json_type(&bt_json_items(list.json)[i]);
        if (type != BT_JSON_OBJECT && type != BT_JSON_STRING) {
            return bt_result_refuse_argument(
                work, name, "each is a JSON receipt, or the base64 of a COSE receipt");
        }
    }
    args->receipts = list;
    return BT_OK;
}
#endif

static bool has_member(const struct bt_operation *operation, unsigned more_places, bt_str name)
{
    const bool is_answer = bt_str_eq(name, BT_STR("answer"));
#ifndef BT_PROFILE_CORE
    if (bt_str_eq(name, BT_STR("receipts"))) {
        return operation == &bt_operations[BT_OPERATION_HANDOFF_SUBMIT];
    }
#endif
    return bt_str_eq(name, BT_STR("documents")) || bt_str_eq(name, BT_STR("options")) ||
           bt_str_eq(name, BT_STR("input")) ||
           bt_operation_param_find(operation, is_answer ? BT_IN_CALL : more_places, name);
}

enum bt_status bt_args_begin_envelope(struct bt_call *work, struct bt_args *args,
                                      const struct bt_operation *operation,
                                      const struct bt_arg *envelope, unsigned more_places,
                                      size_t others)
{
    const struct bt_arg answer = bt_arg_member(envelope, "answer");
    const struct bt_arg input = bt_arg_member(envelope, "input");
    const struct bt_arg options = bt_arg_member(envelope, "options");
    const size_t count = options.document ? bt_json_count(options.json) : 0;
    for (size_t i = 0; i < bt_json_count(envelope->json); i++) {
        const bt_str name = bt_json_name(&bt_json_members(envelope->json)[i]);
        if (!has_member(operation, more_places, name)) {
            return bt_result_refuse_argument(work, name, "unknown parameter");
        }
    }
    if (answer.document && bt_json_type(answer.json) != BT_JSON_STRING &&
        bt_json_type(answer.json) != BT_JSON_NULL) {
        return bt_result_refuse_argument(work, BT_STR("answer"), "it is not a text");
    }
    BT_TRY(bt_args_begin(args, operation, others + count, work->arena));
    args->answer = answer.document ? bt_json_text(answer.json) : BT_STR("");
    args->input = bt_arg_source(&input);
#ifndef BT_PROFILE_CORE
    BT_TRY(take_receipts(work, args, envelope));
#endif
    BT_TRY(read_documents(work, args, envelope));
    return !options.document || bt_json_type(options.json) == BT_JSON_OBJECT
               ? BT_OK
               : bt_result_refuse_argument(work, BT_STR("options"), "it is not an object");
}

enum bt_status bt_args_add_options(struct bt_call *work, struct bt_args *args,
                                   const struct bt_arg *envelope)
{
    const struct bt_arg options = bt_arg_member(envelope, "options");
    for (size_t i = 0; options.document && i < bt_json_count(options.json); i++) {
        const struct bt_json_member *member = &bt_json_members(options.json)[i];
        const struct bt_arg value = {.document = options.document, .json = &member->value};
        const bt_str name = bt_json_name(member);
        const struct bt_operation_param *param =
            bt_operation_param_find(args->operation, BT_IN_QUERY, name);
        const char *why = param ? bt_argument_check_json(param, value.document, value.json) : NULL;
        if (why) {
            return bt_result_refuse_argument(work, name, why);
        }
        if (param) {
            BT_TRY(bt_args_add(args, BT_IN_QUERY, name, value, work->arena));
        } else {
            bt_args_add_option(args, name, value);
        }
    }
    return BT_OK;
}
