/* SPDX-License-Identifier: Apache-2.0 */
/* rest_logs.c - operators make logs and list them: /v1/admin/logs. */
#include "base/clock.h"
#include "json/emit.h"
#include "serve/auth.h"
#include "serve/logs.h"
#include "serve/rest.h"
#include "serve/server.h"

enum { LISTING_MS = 10000, LISTING_BYTES_MAX = 256 << 20 };

static struct bt_ledger_options options_of(const struct serve_call *x)
{
    struct bt_ledger_options options = x->gateway->flags->store;
    options.root = NULL;
    options.key_file = NULL;
    return options;
}

/* ---- newLog ---------------------------------------------------------------------------------- */

static enum bt_status refuse_new(struct serve_rest *rest, enum bt_status status,
                                 const struct bt_error *error)
{
    if (status == BT_EINVAL || status == BT_EEXIST || status == BT_ELIMIT || status == BT_EDENIED) {
        return bt_result_set_problem(&rest->work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/name"),
                                     "%s", error->text);
    }
    return bt_result_set_failed(&rest->work, BT_PROBLEM_STORE_UNAVAILABLE,
                                "the log could not be made");
}

static enum bt_status make_log(struct serve_rest *rest, struct bt_arena *arena)
{
    struct serve_call *x = rest->x;
    const struct bt_log_new_options options = {
        .name = bt_args_text(&rest->args, BT_ARG_SERVER_NEW_LOG_NAME),
        .init = {.origin = bt_args_text(&rest->args, BT_ARG_SERVER_NEW_LOG_ORIGIN),
                 .entries = (unsigned)bt_args_number(&rest->args, BT_ARG_SERVER_NEW_LOG_ENTRIES, 1),
                 .key_text = BT_STR("")},
        .ledger = options_of(x)};
    struct bt_ledger_init_result made;
    struct bt_error error = {0};
    struct bt_emit emit;
    const enum bt_status status =
        bt_log_new(&x->settings->logs.where, x->service->env, arena, &options, &made, &error);
    if (status != BT_OK) {
        return refuse_new(rest, status, &error);
    }
    bt_emit_init(&emit, &rest->answer.body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "name", options.name);
    bt_emit_member_string(&emit, "origin", options.init.origin);
    bt_emit_member_string(&emit, "vkey", made.vkey);
    bt_emit_member_u64(&emit, "size", 0);
    bt_emit_member_string(&emit, "root", made.root);
    bt_emit_member_string(&emit, "checkpoint", made.checkpoint);
    bt_emit_end(&emit);
    return bt_result_set_done(&rest->work);
}

/* Run an operation on the logs, if the server has any. */
static enum bt_status run_with(struct serve_call *x,
                               enum bt_status (*run)(struct serve_rest *, struct bt_arena *))
{
    struct serve_rest rest;
    struct bt_arena arena; /* for as many logs as there are */
    if (x->settings->logs.where.root.len == 0) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    bt_arena_init(&arena, LISTING_BYTES_MAX);
    const enum bt_status status = run(&rest, &arena);
    bt_arena_free(&arena);
    return rest_end(&rest, status);
}

enum bt_status rest_new_log(struct serve_call *x)
{
    return x->gateway->flags->is_read_only
               ? serve_call_respond_problem(x, BT_PROBLEM_LEDGER_READ_ONLY)
               : run_with(x, make_log);
}

/* ---- listLogs -------------------------------------------------------------------------------- */

/* List what the caller may use; the size of a log that cannot be read, or not in time, is null. */
static enum bt_status list_logs(struct serve_rest *rest, struct bt_arena *arena)
{
    struct serve_call *x = rest->x;
    const struct bt_logs *where = &x->settings->logs.where;
    const struct bt_ledger_options options = options_of(x);
    const uint64_t until_ms = bt_clock_monotonic_ms() + LISTING_MS;
    struct bt_log_rows rows = {0};
    struct bt_arena each;
    struct bt_error error;
    struct bt_emit emit;
    if (bt_logs_read(where, arena, NULL, &rows, &error) != BT_OK) {
        return bt_result_set_failed(&rest->work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the logs cannot be listed");
    }
    bt_emit_init(&emit, &rest->answer.body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "logs");
    bt_arena_init(&each, 16 << 20);
    for (size_t i = 0; i < rows.count; i++) {
        uint64_t size = 0;
        if (!serve_call_has_scope(x, BT_SCOPE_ADMIN) &&
            !serve_auth_has_log(x, rows.items[i].name)) {
            continue;
        }
        const bool is_read =
            bt_clock_monotonic_ms() < until_ms &&
            bt_log_read_size(where, &each, &options, rows.items[i].name, &size, &error) == BT_OK;
        bt_log_row_put(&emit, &rows.items[i], is_read ? &size : NULL);
        bt_arena_reset(&each);
    }
    bt_arena_free(&each);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(&rest->work);
}

enum bt_status rest_list_logs(struct serve_call *x)
{
    return run_with(x, list_logs);
}
