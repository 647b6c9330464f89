/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - <baton/check.h>: options by name, and bt_check(): a document -> a report that its
 * caller owns.
 */
#include <assert.h>

#include "base/error.h"
#include "base/vec.h"
#include "operation/engine.h"

enum {
    OPTIONS_MAX = 64,
    OPTIONS_BYTES_MAX = 1 << 20,
    REPORT_BYTES_MAX = 1 << 30,
    BODY_MAX = 1 << 20
};

struct bt_options {
    struct bt_arena *memory; /* in which the options lie */
    BT_VEC(struct bt_arg_option) items;
};

/* ---- Options --------------------------------------------------------------------------------- */

enum bt_status bt_options_create(struct bt_options **out)
{
    assert(out);
    struct bt_arena *memory = bt_arena_create(OPTIONS_BYTES_MAX);
    struct bt_options *options = memory ? BT_NEW(memory, struct bt_options) : NULL;
    if (!options) {
        bt_arena_destroy(memory);
        return BT_ENOMEM;
    }
    options->memory = memory;
    *out = options;
    return BT_OK;
}

void bt_options_destroy(struct bt_options *options)
{
    if (options) {
        bt_arena_destroy(options->memory);
    }
}

static struct bt_arg_option *find_option(const struct bt_options *options, bt_str name)
{
    for (size_t i = 0; options && i < options->items.count; i++) {
        if (bt_str_eq(options->items.items[i].name, name)) {
            return &options->items.items[i];
        }
    }
    return NULL;
}

/* The value of an option; "" when it is not set. */
static bt_str read_option(const struct bt_options *options, const char *name)
{
    const struct bt_arg_option *option = find_option(options, bt_str_of(name));
    return option ? option->value.text : BT_STR("");
}

static bool is_valid_option(bt_str name, bt_str value)
{
    if (bt_str_eq(name, BT_STR("as"))) {
        return bt_dialect_find(value) != BT_DIALECT_NONE;
    }
    return bt_str_eq(name, BT_STR("path")) ? value.len > 0
                                           : bt_op_option_is_valid(OPTION_JUDGE, name, value);
}

/* Add the option, or give it another value. */
static enum bt_status store_option(struct bt_options *options, bt_str name, bt_str value)
{
    struct bt_arg_option *known = find_option(options, name);
    struct bt_arg_option option = {.value = {.is_argument = true}};
    BT_TRY(bt_arena_copy(options->memory, value, &option.value.text));
    if (known) {
        known->value = option.value;
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(options->memory, name, &option.name));
    return bt_vec_push_max(options->memory, &options->items, OPTIONS_MAX, option);
}

enum bt_status bt_options_set(struct bt_options *options, bt_str name, bt_str value,
                              struct bt_error *error)
{
    assert(options);
    assert(name.ptr || name.len == 0);
    assert(value.ptr || value.len == 0);
    if (!is_valid_option(name, value)) {
        return bt_error_set(error, BT_EINVAL,
                            "unknown option %.*s, or %.*s is not a value that it takes",
                            BT_STR_ARG(bt_str_slice(name, 0, BT_ERROR_TEXT_BYTES)),
                            BT_STR_ARG(bt_str_slice(value, 0, BT_ERROR_TEXT_BYTES)));
    }
    const enum bt_status status = store_option(options, name, value);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* Set the options of a request. False: the result says which is wrong. */
static bool take_options(struct bt_call *work, const struct bt_options *options,
                         struct bt_check_request *request)
{
    for (size_t i = 0; options && i < options->items.count; i++) {
        const struct bt_arg_option *option = &options->items.items[i];
        if (bt_str_eq(option->name, BT_STR("as"))) {
            request->dialect = bt_dialect_find(option->value.text);
        } else if (!bt_str_eq(option->name, BT_STR("path")) &&
                   !bt_op_request_option(work, request, OPTION_JUDGE, option->name,
                                         &option->value)) {
            return false;
        }
    }
    return true;
}

/* Why there is no judgement although nothing failed. */
static enum bt_status explain_result(const struct bt_result *answer, struct bt_error *error)
{
    const bt_str why = bt_str_slice(bt_buf_str(&answer->body), 0, BT_ERROR_TEXT_BYTES);
    const enum bt_status status = answer->problem == BT_PROBLEM_DIALECT_UNKNOWN ? BT_ENOENT
                                  : answer->kind == ANSWER_UNUSABLE             ? BT_EINVAL
                                                                                : BT_EIO;
    return bt_error_set(error, status, "%.*s", BT_STR_ARG(why));
}

/* Judge into a report, in whose arena everything lies. */
static enum bt_status fill_report(struct bt_call *work, struct bt_check_request *request,
                                  const struct bt_options *options, struct bt_report *report,
                                  struct bt_error *error)
{
    struct bt_judgement judged;
    bool is_done = take_options(work, options, request);
    enum bt_status status = is_done ? bt_op_judge(work, request, &judged, &is_done) : BT_OK;
    if (status == BT_OK && !is_done) {
        return explain_result(work->answer, error);
    }
    status = status == BT_OK ? bt_judgement_publish(&judged, work->arena) : status;
    status = status == BT_OK ? bt_report_add(report, &judged) : status;
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

static enum bt_status make_request(struct bt_engine *engine, struct bt_arena *arena, bt_str path,
                                   bt_str content, struct bt_check_request *out)
{
    bt_op_request_begin(&engine->worker, out);
    BT_TRY(path.len > 0 ? bt_arena_copy(arena, path, &out->path) : BT_OK);
    return bt_arena_copy(arena, content, &out->text);
}

enum bt_status bt_check(struct bt_engine *engine, bt_str path, bt_str content,
                        const struct bt_options *options, struct bt_report **out,
                        struct bt_error *error)
{
    assert(engine);
    assert(path.ptr || path.len == 0);
    assert(content.ptr || content.len == 0);
    assert(out);
    struct bt_report *report = bt_report_create(REPORT_BYTES_MAX);
    if (!report) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    struct bt_result answer = {0};
    struct bt_check_request request;
    struct bt_call work = {.service = &engine->worker,
                           .caller = &engine->caller,
                           .arena = bt_report_arena(report),
                           .answer = &answer};
    bt_buf_init(&answer.body, BODY_MAX);
    enum bt_status status = make_request(
        engine, work.arena, path.len > 0 ? path : read_option(options, "path"), content, &request);
    status = status == BT_OK ? fill_report(&work, &request, options, report, error)
                             : bt_error_set(error, status, "%s", bt_status_text(status));
    bt_op_request_end(&request);
    bt_buf_free(&answer.body);
    if (status != BT_OK) {
        bt_report_destroy(report);
        return status;
    }
    *out = report;
    return BT_OK;
}
