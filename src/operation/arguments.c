/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.c - the arguments of a call: checked against the parameters of its operation, then
 * read.
 */
#include "operation/arguments.h"

#include <assert.h>

#include "base/ascii.h"
#include "ledger/ledger.h"

enum { KEY_BYTES_MAX = 128 };

/* ---- Checks ---------------------------------------------------------------------------------- */

static const char not_a_text[] = "it is not a text";
static const char out_of_bounds[] = "it is not a whole number within its bounds";
static const char not_a_value[] = "not one of the allowed values";

bool bt_argument_read_integer(const struct bt_operation_param *param, bt_str text, uint64_t *out)
{
    uint64_t number = 0;
    if (bt_str_to_u64(text, &number) != BT_OK || number < param->min || number > param->max) {
        return false;
    }
    *out = number;
    return true;
}

bool bt_argument_read_bool(bt_str text, bool *out)
{
    const bool is_on = bt_str_eq(text, BT_STR("1")) || bt_str_eq(text, BT_STR("true"));
    if (!is_on && !bt_str_eq(text, BT_STR("0")) && !bt_str_eq(text, BT_STR("false"))) {
        return false;
    }
    *out = is_on;
    return true;
}

bool bt_argument_decode_base64(bt_str text, struct bt_arena *arena, bt_str *out)
{
    const size_t size = bt_base64_decoded_size(text);
    char *bytes = size == SIZE_MAX ? NULL : bt_arena_alloc(arena, size + 1);
    if (!bytes) {
        return false;
    }
    bt_base64_decode(text, bytes);
    *out = (bt_str){bytes, size};
    return true;
}

static bool is_key(bt_str text)
{
    const bt_str marks = BT_STR("._:-");
    for (size_t i = 0; i < text.len; i++) {
        if (!bt_ascii_is_alnum(text.ptr[i]) &&
            bt_str_find_byte(marks, text.ptr[i], 0) == marks.len) {
            return false;
        }
    }
    return text.len > 0 && text.len <= KEY_BYTES_MAX;
}

static bool is_word_of(const struct bt_operation_param *param, bt_str text)
{
    for (size_t i = 0; i < param->word_count; i++) {
        if (bt_str_eq(param->words[i], text)) {
            return true;
        }
    }
    return false;
}

static const char *check_that(bool is_right, const char *why)
{
    return is_right ? NULL : why;
}

const char *bt_argument_check_text(const struct bt_operation_param *param, bt_str text)
{
    bt_instant instant;
    uint64_t number = 0;
    bool is_on = false;
    switch (param->type) {
    case BT_OPERATION_PARAM_INTEGER:
    case BT_OPERATION_PARAM_SEQ:
        return check_that(bt_argument_read_integer(param, text, &number), out_of_bounds);
    case BT_OPERATION_PARAM_BOOL:
        return check_that(bt_argument_read_bool(text, &is_on), "it is 1 or 0");
    case BT_OPERATION_PARAM_INSTANT:
        return check_that(bt_instant_parse(text, &instant) == BT_OK,
                          "it is not a time such as 2026-02-11T00:45:02Z");
    case BT_OPERATION_PARAM_DIALECT:
        return check_that(bt_entry_dialect_is_valid(text), not_a_value);
    case BT_OPERATION_PARAM_VERDICT:
        return check_that(bt_entry_verdict_is_valid(text), not_a_value);
    case BT_OPERATION_PARAM_KIND:
        return check_that(bt_entry_kind_is_valid(text), not_a_value);
    case BT_OPERATION_PARAM_NAME:
        return check_that(text.len > 0, not_a_value);
    case BT_OPERATION_PARAM_WORD:
        return check_that(is_word_of(param, text), not_a_value);
    case BT_OPERATION_PARAM_KEY:
        return check_that(is_key(text), "it is 1 to 128 of [A-Za-z0-9._:-]");
    case BT_OPERATION_PARAM_TEXT:
    case BT_OPERATION_PARAM_DOCUMENT:
    case BT_OPERATION_PARAM_SCHEMA:
    case BT_OPERATION_PARAM_JSON:
    case BT_OPERATION_PARAM_LIST:
    case BT_OPERATION_PARAM_SEVERITY:
    case BT_OPERATION_PARAM_ENCODING:
    case BT_OPERATION_PARAM_DURATION:
    case BT_OPERATION_PARAM_ID:
    case BT_OPERATION_PARAM_PATH:
        break;
    }
    return NULL;
}

/* True when a value of JSON has one of the types of its parameter. */
static bool is_type_of(const struct bt_operation_param *param, enum bt_json_type type)
{
    static const bt_str names[] = {
        [BT_JSON_NULL] = BT_STR_INIT("null"),     [BT_JSON_TRUE] = BT_STR_INIT("boolean"),
        [BT_JSON_FALSE] = BT_STR_INIT("boolean"), [BT_JSON_INTEGER] = BT_STR_INIT("integer"),
        [BT_JSON_NUMBER] = BT_STR_INIT("number"), [BT_JSON_STRING] = BT_STR_INIT("string"),
        [BT_JSON_ARRAY] = BT_STR_INIT("array"),   [BT_JSON_OBJECT] = BT_STR_INIT("object"),
    };
    return param->word_count == 0 || is_word_of(param, names[type]);
}

static bool is_list_of_texts(const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_ARRAY) {
        return false;
    }
    for (size_t i = 0; i < bt_json_count(value); i++) {
        if (bt_json_type(&bt_json_items(value)[i]) != BT_JSON_STRING) {
            return false;
        }
    }
    return true;
}

/* True when a value of JSON has the type of its parameter, which is neither a list nor a text. */
static bool has_own_type(const struct bt_operation_param *param, const struct bt_json_doc *document,
                         const bt_json_value *value, const char **out_why)
{
    const enum bt_json_type type = bt_json_type(value);
    uint64_t number = 0;
    *out_why = NULL;
    if (param->type == BT_OPERATION_PARAM_SCHEMA || param->type == BT_OPERATION_PARAM_LIST) {
        return true;
    }
    if (param->type == BT_OPERATION_PARAM_JSON) {
        *out_why = check_that(is_type_of(param, type), "it is a value of another type");
        return true;
    }
    if (param->type == BT_OPERATION_PARAM_INTEGER || param->type == BT_OPERATION_PARAM_SEQ) {
        *out_why = check_that(
            type == BT_JSON_INTEGER &&
                bt_argument_read_integer(param, bt_json_number_text(document, value), &number),
            out_of_bounds);
        return true;
    }
    if (param->type == BT_OPERATION_PARAM_BOOL) {
        *out_why =
            check_that(type == BT_JSON_TRUE || type == BT_JSON_FALSE, "it is not true or false");
        return true;
    }
    return (param->type == BT_OPERATION_PARAM_DOCUMENT && type == BT_JSON_OBJECT) ||
           (param->type == BT_OPERATION_PARAM_ID && type == BT_JSON_INTEGER);
}

const char *bt_argument_check_json(const struct bt_operation_param *param,
                                   const struct bt_json_doc *document, const bt_json_value *value)
{
    const enum bt_json_type type = bt_json_type(value);
    const char *why = NULL;
    if (param->is_repeated) {
        const bool is_list = param->type == BT_OPERATION_PARAM_TEXT ? is_list_of_texts(value)
                                                                    : type == BT_JSON_ARRAY;
        return check_that(is_list || type == BT_JSON_NULL, "it is not a list of texts");
    }
    if (has_own_type(param, document, value, &why)) {
        return why;
    }
    /* What a text of a body stands for is read by the operation, which knows more about it. */
    if ((param->places & BT_IN_BODY) &&
        (param->type != BT_OPERATION_PARAM_WORD || type == BT_JSON_NULL)) {
        return check_that(type == BT_JSON_STRING || type == BT_JSON_NULL, not_a_text);
    }
    return type == BT_JSON_STRING ? bt_argument_check_text(param, bt_json_text(value)) : not_a_text;
}

/* A name is not empty; a text may be. */
static bool is_missing(const struct bt_operation_param *param, const struct bt_json_doc *document,
                       const bt_json_value *object)
{
    const bt_json_value *value = bt_json_get(document, object, param->name);
    return !value || (param->type != BT_OPERATION_PARAM_JSON &&
                      (bt_json_type(value) == BT_JSON_NULL ||
                       (param->type != BT_OPERATION_PARAM_TEXT &&
                        bt_json_type(value) == BT_JSON_STRING && bt_json_text(value).len == 0)));
}

bool bt_arguments_check_object(const struct bt_operation *operation, unsigned places,
                               const struct bt_json_doc *document, const bt_json_value *object,
                               struct bt_argument_fault *out)
{
    const size_t count = bt_json_count(object);
    for (size_t i = 0; i < count; i++) {
        out->name = bt_json_name(&bt_json_members(object)[i]);
        if (!bt_operation_param_find(operation, places, out->name)) {
            out->why = "unknown parameter";
            return false;
        }
    }
    for (size_t i = 0; i < operation->param_count; i++) {
        const struct bt_operation_param *param = &operation->params[i];
        const bt_json_value *value =
            param->places & places ? bt_json_get(document, object, param->name) : NULL;
        out->name = param->name;
        out->why = value ? bt_argument_check_json(param, document, value) : NULL;
        if (out->why) {
            return false;
        }
    }
    for (size_t i = 0; i < operation->param_count; i++) {
        const struct bt_operation_param *param = &operation->params[i];
        out->name = param->name;
        out->why = "it is missing";
        if ((param->places & places) && param->is_required && is_missing(param, document, object)) {
            return false;
        }
    }
    return true;
}

bool bt_arguments_read_texts(const struct bt_operation_param *list,
                             const struct bt_json_doc *document, const bt_json_value *object,
                             bt_str texts[], struct bt_argument_fault *out)
{
    for (size_t i = 0; i < bt_json_count(object); i++) {
        out->name = bt_json_name(&bt_json_members(object)[i]);
        out->why = "unknown parameter";
        size_t k = 0;
        while (k < list->member_count && !bt_str_eq(list->members[k].name, out->name)) {
            k++;
        }
        if (k == list->member_count) {
            return false;
        }
    }
    for (size_t i = 0; i < list->member_count; i++) {
        const bt_json_value *value = bt_json_get(document, object, list->members[i].name);
        texts[i] = value ? bt_json_text(value) : BT_STR("");
        out->name = list->members[i].name;
        out->why = not_a_text;
        if (value && bt_json_type(value) != BT_JSON_STRING && bt_json_type(value) != BT_JSON_NULL) {
            return false;
        }
    }
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

enum bt_status bt_args_begin(struct bt_args *args, const struct bt_operation *operation,
                             size_t option_max, struct bt_arena *arena)
{
    *args = (struct bt_args){
        .operation = operation,
        .values = BT_NEW_ARRAY(arena, struct bt_arg, operation->param_count + 1),
        .options = BT_NEW_ARRAY(arena, struct bt_arg_option, option_max + 1),
        .option_max = option_max,
        .input = BT_STR(""),
        .answer = BT_STR(""),
    };
    return args->values && args->options ? BT_OK : BT_ENOMEM;
}

static bool is_given(const struct bt_arg *arg)
{
    return arg->document || arg->text.ptr;
}

/* The place of a name: one for all its places, and none for what is only an option. */
static size_t place_of(const struct bt_operation *operation, bt_str name)
{
    size_t i = 0;
    while (i < operation->param_count && (operation->params[i].places == BT_IN_OPTION ||
                                          !bt_str_eq(operation->params[i].name, name))) {
        i++;
    }
    return i;
}

enum bt_status bt_args_add(struct bt_args *args, unsigned places, bt_str name, struct bt_arg value,
                           struct bt_arena *arena)
{
    const size_t place = place_of(args->operation, name);
    if (!bt_operation_param_find(args->operation, places, name) ||
        place == args->operation->param_count) {
        return BT_ENOENT;
    }
    struct bt_arg *last = &args->values[place];
    if (!is_given(last)) {
        *last = value;
        return BT_OK;
    }
    struct bt_arg *added = BT_NEW(arena, struct bt_arg);
    if (!added) {
        return BT_ENOMEM;
    }
    *added = *last; /* the newest first; bt_args_texts() turns them round */
    *last = value;
    last->next = added;
    return BT_OK;
}

void bt_args_add_option(struct bt_args *args, bt_str name, struct bt_arg value)
{
    assert(args->option_count < args->option_max);
    args->options[args->option_count++] = (struct bt_arg_option){name, value};
}

const struct bt_arg *bt_args_at(const struct bt_args *args, size_t place)
{
    const bool is_there = place < args->operation->param_count && is_given(&args->values[place]);
    return is_there ? &args->values[place] : NULL;
}

const struct bt_arg *bt_args_find(const struct bt_args *args, const char *name)
{
    return bt_args_at(args, place_of(args->operation, bt_str_of(name)));
}

const struct bt_arg *bt_args_content(const struct bt_args *args)
{
    for (size_t i = 0; i < args->operation->param_count; i++) {
        if (args->operation->params[i].places & BT_IN_CONTENT) {
            return bt_args_at(args, i);
        }
    }
    return NULL;
}

bt_str bt_arg_text(const struct bt_arg *arg)
{
    if (!arg || !arg->document) {
        return arg ? arg->text : BT_STR("");
    }
    return bt_json_is_number(arg->json) ? bt_json_number_text(arg->document, arg->json)
                                        : bt_json_text(arg->json);
}

bt_str bt_arg_source(const struct bt_arg *arg)
{
    if (!arg || !arg->document) {
        return arg ? arg->text : BT_STR("");
    }
    const struct bt_json_span span = bt_json_span(arg->document, arg->json);
    return bt_str_slice(bt_json_source(arg->document), span.begin, span.end);
}

bool bt_args_has(const struct bt_args *args, size_t place)
{
    return bt_args_at(args, place) != NULL;
}

bt_str bt_args_text(const struct bt_args *args, size_t place)
{
    return bt_arg_text(bt_args_at(args, place));
}

bt_str bt_args_source(const struct bt_args *args, size_t place)
{
    return bt_arg_source(bt_args_at(args, place));
}

uint64_t bt_args_number(const struct bt_args *args, size_t place, uint64_t otherwise)
{
    const struct bt_arg *arg = bt_args_at(args, place);
    uint64_t number = 0;
    if (arg && bt_str_to_u64(bt_arg_text(arg), &number) == BT_OK) {
        return number;
    }
    /* JSON Schema takes 1.0 for a whole number */
    return arg && arg->document && bt_json_is_number(arg->json)
               ? (uint64_t)bt_json_to_double(arg->json)
               : otherwise;
}

bool bt_args_bool(const struct bt_args *args, size_t place)
{
    const struct bt_arg *arg = bt_args_at(args, place);
    bool is_on = false;
    return arg && arg->document ? bt_json_type(arg->json) == BT_JSON_TRUE
                                : bt_argument_read_bool(bt_arg_text(arg), &is_on) && is_on;
}

bool bt_args_instant(const struct bt_args *args, size_t place, bt_instant *out)
{
    return bt_instant_parse(bt_args_text(args, place), out) == BT_OK;
}

enum bt_status bt_args_texts(const struct bt_args *args, size_t place, struct bt_arena *arena,
                             struct bt_str_list *out)
{
    const struct bt_arg *arg = bt_args_at(args, place);
    const bool is_list = arg && arg->document && bt_json_type(arg->json) == BT_JSON_ARRAY;
    const bool is_null = arg && arg->document && bt_json_type(arg->json) == BT_JSON_NULL;
    size_t count = is_list ? bt_json_count(arg->json) : 0;
    for (const struct bt_arg *at = is_list || is_null ? NULL : arg; at; at = at->next) {
        count++;
    }
    bt_str *texts = BT_NEW_ARRAY(arena, bt_str, count + 1);
    *out = (struct bt_str_list){texts, count};
    for (size_t i = 0; texts && is_list && i < count; i++) {
        texts[i] = bt_json_text(&bt_json_items(arg->json)[i]);
    }
    for (size_t i = count; texts && !is_list && i > 0; arg = arg->next) {
        texts[--i] = bt_arg_text(arg);
    }
    return texts ? BT_OK : BT_ENOMEM;
}
