/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_rest.c - /v1/wrap: wrapped servers, what they did, and the calls that were recorded. */
#include "base/file.h"
#include "json/emit.h"
#include "serve/rest.h"
#include "serve/wrap_state.h"
#include "wrap/history_json.h"
#include "wrap/lock.h"
#include "wrap/served.h"
#include "wrap/servers.h"

/* ---- Recorded calls -------------------------------------------------------------------------- */

/* Set the result that the ledger cannot be read. */
static enum bt_status fail_reading(struct serve_rest *rest)
{
    return bt_result_set_failed(&rest->work, BT_PROBLEM_STORE_UNAVAILABLE,
                                "the ledger cannot be read");
}

static struct bt_wrap_history begin_history(struct serve_rest *rest)
{
    return (struct bt_wrap_history){rest->work.service->ledger,
                                    {rest->work.arena, rest->work.service->env},
                                    bt_findings_new(rest->work.arena)};
}

/* Whose calls a caller may see: "" for all. */
static bt_str visible_actor(const struct serve_rest *rest)
{
    return serve_call_has_scope(rest->x, BT_SCOPE_OPERATE) ? BT_STR("")
                                                           : rest->x->identity.caller.actor;
}

static enum bt_status put_calls(struct serve_rest *rest, const struct bt_wrap_past_calls *calls,
                                bool has_more)
{
    struct bt_emit emit;
    bt_emit_init(&emit, &rest->work.answer->body, false);
    bt_emit_begin_object(&emit);
    bt_wrap_past_calls_emit(&emit, bt_ledger_origin(rest->work.service->ledger), calls);
    bt_emit_member_u64_or_null(&emit, "next", has_more,
                               has_more ? calls->items[calls->count - 1].seq : 0);
    bt_emit_end(&emit);
    return bt_result_set_done(&rest->work);
}

/* All calls of a server between two times, which are arguments. */
static struct bt_wrap_history_filter filter_calls(const struct bt_args *args, size_t server,
                                                  size_t since, size_t until)
{
    struct bt_wrap_history_filter filter = {.entries = {.from = BT_LEDGER_SEQ_NONE,
                                                        .kind = BT_STR(""),
                                                        .verdict = BT_STR(""),
                                                        .handoff_id = BT_STR(""),
                                                        .trace_id = BT_STR("")},
                                            .server = bt_args_text(args, server)};
    filter.entries.has_since = bt_args_instant(args, since, &filter.entries.since);
    filter.entries.has_until = bt_args_instant(args, until, &filter.entries.until);
    return filter;
}

static enum bt_status list_calls(struct serve_rest *rest)
{
    const struct bt_args *args = &rest->args;
    const struct bt_wrap_history history = begin_history(rest);
    const bool has_after = bt_args_has(args, BT_ARG_WRAP_LIST_CALLS_AFTER);
    const bt_str event = bt_args_text(args, BT_ARG_WRAP_LIST_CALLS_EVENT);
    struct bt_wrap_history_filter filter =
        filter_calls(args, BT_ARG_WRAP_LIST_CALLS_SERVER, BT_ARG_WRAP_LIST_CALLS_SINCE,
                     BT_ARG_WRAP_LIST_CALLS_UNTIL);
    if (has_after) {
        filter.entries.from = bt_args_number(args, BT_ARG_WRAP_LIST_CALLS_AFTER, 0) + 1;
    }
    filter.entries.count =
        bt_args_number(args, BT_ARG_WRAP_LIST_CALLS_LIMIT, BT_LIST_LIMIT_DEFAULT);
    filter.tool = bt_args_text(args, BT_ARG_WRAP_LIST_CALLS_TOOL);
    filter.session = bt_args_text(args, BT_ARG_WRAP_LIST_CALLS_SESSION);
    filter.actor = visible_actor(rest);
    filter.event = event.len > 0 ? bt_wrap_event_find(event) : BT_WRAP_EVENT_NONE;
    struct bt_wrap_past_calls calls = {.last = BT_LEDGER_SEQ_NONE};
    struct bt_error error = {0};
    BT_TRY(history.alarms ? BT_OK : BT_ENOMEM);
    if (bt_wrap_history_list(&history, &filter, &calls, &error) != BT_OK ||
        bt_findings_count(history.alarms) > 0) {
        return fail_reading(rest);
    }
    return put_calls(rest, &calls, has_after && calls.count == filter.entries.count);
}

enum bt_status rest_list_calls(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, list_calls(&rest)) : BT_OK;
}

static enum bt_status get_call(struct serve_rest *rest)
{
    const struct bt_wrap_history history = begin_history(rest);
    const bt_str actor = visible_actor(rest);
    const bt_str number = bt_args_text(&rest->args, BT_ARG_WRAP_GET_CALL_SEQ);
    struct bt_wrap_past_call call;
    uint64_t seq = 0;
    struct bt_error error = {0};
    struct bt_emit emit;
    BT_TRY(history.alarms ? BT_OK : BT_ENOMEM);
    const enum bt_status status = bt_str_to_u64(number, &seq) == BT_OK
                                      ? bt_wrap_history_get(&history, seq, &call, &error)
                                      : BT_ENOENT;
    if (status == BT_ENOMEM || status == BT_EIO || bt_findings_count(history.alarms) > 0) {
        return fail_reading(rest);
    }
    if (status != BT_OK || (actor.len > 0 && !bt_str_eq(call.actor, actor))) {
        return bt_result_set_problem(&rest->work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "call not found");
    }
    bt_emit_init(&emit, &rest->work.answer->body, false);
    bt_emit_begin_object(&emit);
    bt_wrap_past_call_emit_whole(&emit, bt_ledger_origin(rest->work.service->ledger), &call);
    bt_emit_member_object(&emit, "matches");
    bt_emit_member_null(&emit, "request");
    bt_emit_member_null(&emit, "response");
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "findings");
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(&rest->work);
}

enum bt_status rest_get_call(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, get_call(&rest)) : BT_OK;
}

static enum bt_status count_calls(struct serve_rest *rest)
{
    const struct bt_args *args = &rest->args;
    const struct bt_wrap_history history = begin_history(rest);
    const struct bt_wrap_history_filter filter = filter_calls(
        args, BT_ARG_WRAP_STATS_SERVER, BT_ARG_WRAP_STATS_SINCE, BT_ARG_WRAP_STATS_UNTIL);
    struct bt_wrap_tool_stats *tools = NULL;
    struct bt_error error = {0};
    struct bt_emit emit;
    size_t count = 0;
    BT_TRY(history.alarms ? BT_OK : BT_ENOMEM);
    if (bt_wrap_history_count(&history, &filter, &tools, &count, &error) != BT_OK ||
        bt_findings_count(history.alarms) > 0) {
        return fail_reading(rest);
    }
    bt_emit_init(&emit, &rest->work.answer->body, false);
    bt_wrap_stats_emit(&emit, tools, count);
    return bt_result_set_done(&rest->work);
}

enum bt_status rest_wrap_stats(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, count_calls(&rest)) : BT_OK;
}

/* ---- Servers --------------------------------------------------------------------------------- */

/* The lock of the configuration; one that is missing or unusable has no servers. */
static void read_lock(struct serve_rest *rest, struct bt_wrap_lock *out)
{
    struct bt_arena *arena = rest->work.arena;
    const struct bt_wrap_memory memory = {arena, rest->work.service->env};
    struct bt_error error = {0};
    bt_str path = BT_STR("");
    bt_str bytes;
    *out = (struct bt_wrap_lock){0};
    if (bt_config_path(rest->x->config, "wrap.lock", arena, &path) != BT_OK ||
        bt_file_read(arena, path.len > 0 ? path : BT_STR(WRAP_LOCK_NAME), BT_WRAP_LOCK_BYTES_MAX,
                     &bytes, &error) != BT_OK ||
        bt_wrap_lock_read(&memory, bytes, out, &error) != BT_OK) {
        *out = (struct bt_wrap_lock){0};
    }
}

/* What the lock has of a server; none without an entry. */
static enum bt_status put_items(struct serve_rest *rest, const struct bt_wrap_entry *entry,
                                struct bt_emit *emit)
{
    bt_emit_member_array(emit, "items");
    for (size_t kind = 0; entry && kind < BT_WRAP_KINDS; kind++) {
        const struct bt_wrap_item **items = NULL;
        BT_TRY(bt_wrap_items_sorted(rest->work.arena, &entry->items[kind], &items));
        for (size_t i = 0; i < entry->items[kind].list.count; i++) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "kind",
                                  bt_wrap_kind_names((enum bt_wrap_kind)kind)->pointer);
            bt_emit_member_string(emit, "name", items[i]->key);
            bt_emit_member_string(emit, "sha256", bt_str_of(items[i]->sha256));
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status list_servers(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    struct bt_str_list names = {NULL, 0};
    struct bt_wrap_lock lock;
    struct bt_emit emit;
    if (x->settings->may_wrap) {
        BT_TRY(bt_wrap_servers_list(rest->work.arena, x->config, &names));
    }
    read_lock(rest, &lock);
    bt_emit_init(&emit, &rest->work.answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "servers");
    for (size_t i = 0; i < names.count; i++) {
        struct bt_wrap_server_settings entry;
        BT_TRY(bt_wrap_servers_read(rest->work.arena, x->config, names.items[i], &entry));
        if (entry.command.count == 0 && entry.url.len == 0) {
            continue; /* it only has a policy */
        }
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "name", names.items[i]);
        bt_emit_member_string(&emit, "transport",
                              entry.url.len > 0 ? BT_STR("http") : BT_STR("stdio"));
        bt_emit_member_bool(&emit, "serve", entry.is_served);
        const struct bt_wrap_entry *locked = bt_wrap_lock_find(&lock, names.items[i]);
        bt_emit_member_bool(&emit, "pinned", locked != NULL);
        BT_TRY(put_items(rest, locked, &emit));
        serve_wrap_emit_counts(x->gateway->conversations.wrap, names.items[i], &emit);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(&rest->work);
}

enum bt_status rest_list_wrapped(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, list_servers(&rest)) : BT_OK;
}

static enum bt_status diff_server(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    const bt_str name = bt_args_text(&rest->args, BT_ARG_WRAP_DIFF_NAME);
    struct bt_wrap_server_settings entry;
    struct wrap_served served = {
        .config = x->config, .limits = &x->settings->reading, .actor = BT_STR("")};
    const bool is_known =
        x->settings->may_wrap &&
        bt_wrap_servers_read(rest->work.arena, x->config, name, &entry) == BT_OK &&
        (entry.command.count > 0 || entry.url.len > 0);
    BT_TRY(bt_arena_copy(rest->work.arena, name, &served.name));
    const enum wrap_served_answer answer =
        is_known ? wrap_served_diff(&served, &rest->work.answer->body) : WRAP_SERVED_NO_LOCK;
    if (answer == WRAP_SERVED_NO_LOCK) {
        return bt_result_set_problem(&rest->work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "unknown server, or one without a lock");
    }
    return answer == WRAP_SERVED_DONE ? bt_result_set_done(&rest->work)
                                      : bt_result_set_failed(&rest->work, BT_PROBLEM_OVERLOADED,
                                                             "the server could not be asked");
}

enum bt_status rest_wrap_diff(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, diff_server(&rest)) : BT_OK;
}
