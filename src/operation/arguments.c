/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.c - check what a caller gave against the parameters of an operation.
 */
#include "operation/arguments.h"

#include <baton/env.h>
#include <baton/ledger.h>

static const char not_a_text[] = "it is no text";
static const char out_of_bounds[] = "it is no whole number within its bounds";
static const char not_a_value[] = "there is no such value";

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
                          "it is no time such as 2026-02-11T00:45:02Z");
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
    case BT_OPERATION_PARAM_TEXT:
    case BT_OPERATION_PARAM_DOCUMENT:
    case BT_OPERATION_PARAM_SCHEMA:
    case BT_OPERATION_PARAM_JSON:
    case BT_OPERATION_PARAM_LIST:
    case BT_OPERATION_PARAM_SEVERITY:
    case BT_OPERATION_PARAM_ENCODING:
    case BT_OPERATION_PARAM_DURATION:
    case BT_OPERATION_PARAM_ID:
    case BT_OPERATION_PARAM_KEY:
    case BT_OPERATION_PARAM_PATH:
        break;
    }
    return NULL;
}

/* What a value of JSON stands for is read by the operation, which knows more about it. */
const char *bt_argument_check_json(const struct bt_operation_param *param,
                                   const struct bt_json_doc *document, const bt_json_value *value)
{
    const enum bt_json_type type = bt_json_type(value);
    uint64_t number = 0;
    if (param->is_repeated) {
        return check_that(type == BT_JSON_ARRAY || type == BT_JSON_NULL, "it is not a list");
    }
    if (param->type == BT_OPERATION_PARAM_JSON || param->type == BT_OPERATION_PARAM_SCHEMA ||
        param->type == BT_OPERATION_PARAM_LIST) {
        return NULL;
    }
    if (param->type == BT_OPERATION_PARAM_INTEGER) {
        return check_that(
            type == BT_JSON_INTEGER &&
                bt_argument_read_integer(param, bt_json_number_text(document, value), &number),
            out_of_bounds);
    }
    return check_that(type == BT_JSON_STRING || type == BT_JSON_NULL, not_a_text);
}

/* An empty text says nothing, but it is a value of JSON. */
static bool is_missing(const struct bt_operation_param *param, const struct bt_json_doc *document,
                       const bt_json_value *object)
{
    if (!(param->places & BT_IN_BODY) || !param->is_required) {
        return false;
    }
    const bt_json_value *value = bt_json_get(document, object, param->name);
    return !value || (param->type != BT_OPERATION_PARAM_JSON &&
                      (bt_json_type(value) == BT_JSON_NULL ||
                       (bt_json_type(value) == BT_JSON_STRING && bt_json_text(value).len == 0)));
}

bool bt_arguments_check_object(const struct bt_operation *operation,
                               const struct bt_json_doc *document, const bt_json_value *object,
                               struct bt_argument_fault *out)
{
    const size_t count = bt_json_count(object);
    for (size_t i = 0; i < count; i++) {
        out->name = bt_json_name(&bt_json_members(object)[i]);
        if (!bt_operation_param_find(operation, BT_IN_BODY, out->name)) {
            out->why = "there is no such parameter";
            return false;
        }
    }
    for (size_t i = 0; i < operation->param_count; i++) {
        const struct bt_operation_param *param = &operation->params[i];
        const bt_json_value *value =
            param->places & BT_IN_BODY ? bt_json_get(document, object, param->name) : NULL;
        out->name = param->name;
        out->why = value ? bt_argument_check_json(param, document, value) : NULL;
        if (out->why) {
            return false;
        }
    }
    for (size_t i = 0; i < operation->param_count; i++) {
        out->name = operation->params[i].name;
        out->why = "it is missing";
        if (is_missing(&operation->params[i], document, object)) {
            return false;
        }
    }
    return true;
}
