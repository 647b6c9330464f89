/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - what operators ask about a pump: its state, its listeners, who may call whom, and
 * what happened on a thread.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/inside.h"
#include "pump/control.h"
#include "pump/rows.h"
#include "store/rows.h"

enum { SHOWN_BYTES_MAX = 1 << 28, HISTORY_DEFAULT = 100, ROOTS_MAX = 64 };

enum bt_status bt_asked_refuse(struct bt_asked *asked, int code, const char *message)
{
    asked->out->error = code;
    asked->out->message = bt_str_of(message);
    return BT_OK;
}

const bt_value *bt_asked_param(const struct bt_asked *asked, const char *name)
{
    return asked->params ? bt_json_get(asked->params, bt_json_root(asked->params), bt_str_of(name))
                         : NULL;
}

/* ---- status, list ---------------------------------------------------------------------------- */

struct tally {
    uint64_t done;
    uint64_t dead;
};

static bool tally_message(void *context, const struct bt_cell *cells)
{
    struct tally *tally = context;
    const bt_str state = cells[BT_PUMP_MESSAGE_STATE].text;
    const bool is_call = !bt_str_eq(cells[BT_PUMP_MESSAGE_KIND].text, BT_STR("egress"));
    tally->done += is_call && bt_str_eq(state, BT_STR("done"));
    tally->dead += bt_str_eq(state, BT_STR("dead"));
    return true;
}

static bool tally_thread(void *context, const struct bt_cell *cells)
{
    *(uint64_t *)context += cells[BT_THREAD_DEPTH].number > 0;
    return true;
}

static void put_sandbox(struct bt_asked *asked)
{
    const struct bt_sandbox_support *use = &asked->pump->world.use;
    struct bt_emit *emit = &asked->emit;
    bt_emit_name(emit, "sandbox");
    bt_emit_object(emit);
    bt_emit_name(emit, "no_new_privs");
    bt_emit_bool(emit, use->no_new_privs);
    bt_emit_name(emit, "rlimits");
    bt_emit_bool(emit, use->rlimits);
    bt_emit_name(emit, "seccomp");
    bt_emit_bool(emit, use->seccomp);
    bt_emit_member_u64(emit, "landlock", use->landlock);
    bt_emit_end(emit);
}

static enum bt_status put_status(struct bt_asked *asked)
{
    const struct bt_pump *pump = asked->pump;
    struct bt_store *store = pump->ledger->store;
    const struct bt_row_scan messages = {.table = BT_TABLE_PUMP_MESSAGE};
    const struct bt_row_scan threads = {.table = BT_TABLE_THREAD};
    struct tally tally = {0};
    uint64_t live = 0;
    BT_TRY(bt_store_row_scan(store, &messages, tally_message, &tally, NULL));
    BT_TRY(bt_store_row_scan(store, &threads, tally_thread, &live, NULL));
    struct bt_emit *emit = &asked->emit;
    bt_emit_object(emit);
    bt_emit_member_string(emit, "organism", pump->organism->name);
    bt_emit_member_string(emit, "state", pump->hosts ? BT_STR("running") : BT_STR("stopped"));
    bt_emit_member_u64(emit, "uptime_s", 0);
    bt_emit_member_u64(emit, "listeners", pump->core.listeners_count);
    bt_emit_member_u64(emit, "threads", live);
    bt_emit_member_u64(emit, "queued", pump->core.unhandled - pump->core.schedule.in_flight);
    bt_emit_member_u64(emit, "in_flight", pump->core.schedule.in_flight);
    bt_emit_member_u64(emit, "processed", tally.done);
    bt_emit_member_u64(emit, "dead", tally.dead);
    put_sandbox(asked);
    bt_emit_end(emit);
    return BT_OK;
}

static int by_listener(const void *left, const void *right)
{
    const struct bt_listener *const *a = left;
    const struct bt_listener *const *b = right;
    return bt_str_compare((*a)->takes.name, (*b)->takes.name);
}

static bt_str host_name(enum bt_host_kind kind)
{
    return kind == BT_HOST_PYTHON ? BT_STR("python")
           : kind == BT_HOST_C    ? BT_STR("c")
                                  : BT_STR("command");
}

static void put_listener(struct bt_asked *asked, const struct bt_listener *listener)
{
    const struct bt_pump *pump = asked->pump;
    const size_t number = (size_t)(listener - pump->organism->listeners);
    struct bt_emit *emit = &asked->emit;
    bt_emit_object(emit);
    bt_emit_member_string(emit, "name", listener->takes.name);
    bt_emit_member_string(emit, "tag", listener->takes.tag);
    bt_emit_name(emit, "agent");
    bt_emit_bool(emit, listener->is_agent);
    bt_emit_member_string(emit, "host", host_name(listener->host));
    bt_emit_member_string(emit, "state", BT_STR("stopped"));
    bt_emit_member_u64(emit, "in_flight", pump->core.listeners[number].lane.in_flight);
    bt_emit_member_u64(emit, "queued", pump->core.listeners[number].queued);
    bt_emit_member_u64(emit, "restarts", 0);
    bt_emit_end(emit);
}

static enum bt_status put_list(struct bt_asked *asked)
{
    const struct bt_organism *organism = asked->pump->organism;
    const size_t count = organism->listeners_count;
    const struct bt_listener **sorted =
        BT_NEW_ARRAY(asked->arena, const struct bt_listener *, count + 1);
    if (!sorted) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &organism->listeners[i];
    }
    qsort(sorted, count, sizeof(void *), by_listener);
    bt_emit_object(&asked->emit);
    bt_emit_name(&asked->emit, "listeners");
    bt_emit_array(&asked->emit);
    for (size_t i = 0; i < count; i++) {
        put_listener(asked, sorted[i]);
    }
    bt_emit_end(&asked->emit);
    bt_emit_end(&asked->emit);
    return BT_OK;
}

/* ---- thread-history -------------------------------------------------------------------------- */

/* The roots whose messages are shown: a client may have had several under one UUID. */
struct history {
    struct bt_asked *asked;
    bt_str thread;
    bt_str client; /* "": the thread is one of ours */
    bt_str roots[ROOTS_MAX];
    size_t roots_count;
    uint64_t skip;
    uint64_t left;
    uint64_t shown;
    bool with_payloads;
    enum bt_status status;
};

static bool has_root(const struct history *history, bt_str root)
{
    for (size_t i = 0; i < history->roots_count; i++) {
        if (bt_str_eq(history->roots[i], root)) {
            return true;
        }
    }
    return false;
}

static bool add_root(struct history *history, bt_str root)
{
    if (history->roots_count < ROOTS_MAX && !has_root(history, root)) {
        history->status =
            bt_arena_copy(history->asked->arena, root, &history->roots[history->roots_count++]);
    }
    return history->status == BT_OK;
}

static bool find_in_thread(void *context, const struct bt_cell *cells)
{
    struct history *history = context;
    const bool is_meant = cells[BT_THREAD_DEPTH].number == 0 &&
                          bt_str_eq(cells[BT_THREAD_CLIENT].text, history->client) &&
                          bt_str_eq(cells[BT_THREAD_UUID].text, history->thread);
    return !is_meant || add_root(history, cells[BT_THREAD_ID].text);
}

/* A root that is forgotten is known by what it delivered. */
static bool find_in_message(void *context, const struct bt_cell *cells)
{
    struct history *history = context;
    const bool is_meant = bt_str_eq(cells[BT_PUMP_MESSAGE_KIND].text, BT_STR("egress")) &&
                          bt_str_eq(cells[BT_PUMP_MESSAGE_TARGET].text, history->client) &&
                          bt_str_eq(cells[BT_PUMP_MESSAGE_THREAD].text, history->thread);
    return !is_meant || add_root(history, cells[BT_PUMP_MESSAGE_ROOT].text);
}

static void put_entry(struct history *history, const struct bt_cell *cells)
{
    struct bt_emit *emit = &history->asked->emit;
    bt_emit_object(emit);
    bt_emit_member_u64(emit, "n", (uint64_t)cells[BT_PUMP_MESSAGE_N].number);
    bt_emit_member_string(emit, "kind", cells[BT_PUMP_MESSAGE_KIND].text);
    bt_emit_member_string(emit, "from", cells[BT_PUMP_MESSAGE_SENDER].text);
    bt_emit_member_string(emit, "to", cells[BT_PUMP_MESSAGE_TARGET].text);
    bt_emit_member_string(emit, "thread", cells[BT_PUMP_MESSAGE_THREAD].text);
    bt_emit_member_string(emit, "root", cells[BT_PUMP_MESSAGE_TAG].text);
    bt_emit_member_string(emit, "state", cells[BT_PUMP_MESSAGE_STATE].text);
    if (history->with_payloads && cells[BT_PUMP_MESSAGE_PAYLOAD].text.ptr) {
        bt_emit_member_string(emit, "payload", cells[BT_PUMP_MESSAGE_PAYLOAD].text);
    }
    bt_emit_end(emit);
}

static bool show_message(void *context, const struct bt_cell *cells)
{
    struct history *history = context;
    const bool is_meant = history->client.len > 0
                              ? has_root(history, cells[BT_PUMP_MESSAGE_ROOT].text)
                              : bt_str_eq(cells[BT_PUMP_MESSAGE_THREAD].text, history->thread);
    if (!is_meant) {
        return true;
    }
    history->shown++;
    if (history->skip > 0) {
        history->skip--;
        return true;
    }
    if (history->left == 0) {
        return false;
    }
    history->left--;
    put_entry(history, cells);
    return true;
}

/* A number among the params; `usual` when it is not there. False: it is none. */
static bool number_param(const struct bt_asked *asked, const char *name, uint64_t usual,
                         uint64_t *out)
{
    const bt_value *value = bt_asked_param(asked, name);
    *out = usual;
    return !value || (bt_json_is_number(value) &&
                      bt_str_to_u64(bt_json_number_text(asked->params, value), out) == BT_OK);
}

static bool text_param(const struct bt_asked *asked, const char *name, bt_str *out)
{
    const bt_value *value = bt_asked_param(asked, name);
    *out = value ? bt_json_text(value) : BT_STR("");
    return !value || bt_json_type(value) == BT_JSON_STRING;
}

static enum bt_status put_history(struct bt_asked *asked)
{
    struct bt_store *store = asked->pump->ledger->store;
    const struct bt_row_scan messages = {.table = BT_TABLE_PUMP_MESSAGE};
    const struct bt_row_scan threads = {.table = BT_TABLE_THREAD};
    struct history history = {.asked = asked, .status = BT_OK};
    const bt_value *payloads = bt_asked_param(asked, "payloads");
    if (!text_param(asked, "thread", &history.thread) || history.thread.len == 0 ||
        !text_param(asked, "client", &history.client) ||
        !number_param(asked, "limit", HISTORY_DEFAULT, &history.left) ||
        !number_param(asked, "offset", 0, &history.skip)) {
        return bt_asked_refuse(asked, BT_ASKED_BAD_PARAMS,
                               "thread, client, limit and offset have no such values");
    }
    history.with_payloads = payloads && bt_json_type(payloads) == BT_JSON_TRUE;
    if (history.client.len > 0) {
        BT_TRY(bt_store_row_scan(store, &threads, find_in_thread, &history, NULL));
        BT_TRY(bt_store_row_scan(store, &messages, find_in_message, &history, NULL));
        BT_TRY(history.status);
    }
    bt_emit_object(&asked->emit);
    bt_emit_name(&asked->emit, "entries");
    bt_emit_array(&asked->emit);
    BT_TRY(bt_store_row_scan(store, &messages, show_message, &history, NULL));
    bt_emit_end(&asked->emit);
    bt_emit_end(&asked->emit);
    return history.shown > 0 ? BT_OK : bt_asked_refuse(asked, BT_ASKED_NOT_FOUND, "NOT_FOUND");
}

/* ---- The table ------------------------------------------------------------------------------- */

enum bt_status bt_pump_ask(struct bt_pump *pump, struct bt_arena *arena, bt_str method,
                           bt_str params, struct bt_pump_answer *out)
{
    assert(pump);
    assert(out);
    static const struct method {
        const char *name;
        enum bt_status (*put)(struct bt_asked *asked);
    } methods[] = {
        {"status", put_status},
        {"list", put_list},
        {"graph", bt_asked_graph},
        {"thread-history", put_history},
    };
    struct bt_buf buf;
    struct bt_asked asked = {.pump = pump, .arena = arena, .out = out};
    struct bt_json_result read = {.document = NULL};
    *out = (struct bt_pump_answer){.result = BT_STR("null"), .message = BT_STR("")};
    if (params.len > 0) {
        BT_TRY(bt_json_read(arena, params, NULL, &read));
        if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
            return bt_asked_refuse(&asked, BT_ASKED_BAD_PARAMS, "the params are no JSON object");
        }
    }
    asked.params = read.document;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (!bt_str_eq(method, bt_str_of(methods[i].name))) {
            continue;
        }
        bt_buf_init(&buf, SHOWN_BYTES_MAX);
        bt_emit_init(&asked.emit, &buf, false);
        enum bt_status status = methods[i].put(&asked);
        status = status == BT_OK ? bt_buf_keep(&buf, arena, &out->result) : status;
        bt_buf_free(&buf);
        return status;
    }
    return bt_asked_refuse(&asked, BT_ASKED_NO_METHOD,
                           "no such method, or not while the pump stands still");
}
