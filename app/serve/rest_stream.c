/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_stream.c - stream entries as they are committed, and events of the pump.
 *
 * The id of an event is the number of its entry, so a reader that lost its connection can continue
 * after the last one it received, at any node.
 */
#include <inttypes.h>

#include "json/emit.h"
#include "operation/ledger_json.h"
#include "operation/pump.h"
#include "serve/rest.h"

enum {
    EVENTS_AT_ONCE = 64,
    ANSWER_BYTES_MAX = 1 << 20,
    ANSWER_MS = 5000,
    TEXT_BYTES_MAX = 64 << 20,
};

/* ---- Entries --------------------------------------------------------------------------------- */

struct serve_entry_stream {
    struct serve_call *x;
    struct bt_handoff_filter filter; /* `after` is the last entry that was examined */
};

static void put_event(struct bt_buf *out, const struct bt_ledger_entry *entry)
{
    struct bt_emit emit;
    bt_buf_printf(out, "id: %" PRIu64 "\nevent: entry\ndata: ", entry->seq);
    bt_emit_init(&emit, out, false);
    bt_entry_fields_emit(&emit, entry);
    bt_buf_put_text(out, "\n\n");
}

/* Put the entries committed since then. False when they cannot be read now; it is tried again. */
static bool put_news(struct serve_entry_stream *feed, struct bt_call *work, struct bt_buf *out,
                     bool *out_more)
{
    struct bt_ledger_entries found;
    if (!bt_op_read_handoffs(work, &feed->filter, &found)) {
        return false;
    }
    for (size_t i = 0; i < found.count; i++) {
        put_event(out, &found.items[i]);
    }
    *out_more = found.is_truncated;
    if (found.last != BT_LEDGER_SEQ_NONE &&
        (!feed->filter.has_after || found.last > feed->filter.after)) {
        feed->filter.has_after = true;
        feed->filter.after = found.last; /* so that no entry is examined twice */
    }
    return true;
}

static enum http_stream_result pull_entries(struct http_exchange *call, void *worker,
                                            struct bt_buf *out)
{
    struct serve_entry_stream *feed = call->answer.stream_state;
    struct bt_result answer = {0};
    struct bt_call work = {.service = serve_call_worker_for_stream(feed->x, worker),
                           .caller = &feed->x->identity.caller,
                           .answer = &answer};
    struct bt_arena arena;
    bool has_more = false;
    if (!work.service || !work.service->ledger) {
        return HTTP_STREAM_RESULT_IDLE;
    }
    bt_arena_init(&arena, (size_t)1 << 28);
    bt_buf_init(&answer.body, ANSWER_BYTES_MAX);
    work.arena = &arena;
    const size_t before = out->len;
    const bool is_read = put_news(feed, &work, out, &has_more);
    bt_buf_free(&answer.body);
    bt_arena_free(&arena);
    return is_read && (has_more || out->len > before) ? HTTP_STREAM_RESULT_MORE
                                                      : HTTP_STREAM_RESULT_IDLE;
}

static const struct http_stream entries = {
    .pull = pull_entries,
    .name = "handoffs",
    .poll_ms = 1000,
    .keepalive_text = ": still here\n\n",
    .too_slow_text = "event: lagged\ndata: {}\n\n",
    .closing_text = ": bye\n\n",
};

/* Set where to begin: after the last event that the reader received, else at the end. */
static bool take_place(struct serve_rest *rest, struct bt_handoff_filter *filter)
{
    const bt_str last = serve_field(rest->x->request, "last-event-id", NULL);
    struct bt_ledger_head head;
    if (last.len > 0) {
        filter->has_after = true;
        if (bt_str_to_u64(last, &filter->after) != BT_OK || filter->after > INT64_MAX) {
            (void)serve_call_respond_bad_parameter(rest->x, BT_STR("Last-Event-ID"),
                                                   "it is not the number of an entry");
            return false;
        }
        return true;
    }
    if (filter->has_after) {
        return true;
    }
    if (!bt_op_read_head(&rest->work, &head)) {
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_STORE_UNAVAILABLE);
        return false;
    }
    filter->has_after = head.size > 0;
    filter->after = head.size > 0 ? head.size - 1 : 0;
    return true;
}

static enum bt_status begin_stream(struct serve_call *x, const struct http_stream *stream,
                                   void *state)
{
    x->answer->stream = stream;
    x->answer->stream_state = state;
    serve_call_add_header(x, "X-Accel-Buffering", BT_STR("no"));
    return serve_call_respond_body(x, BT_HTTP_OK, "text/event-stream", BT_STR("retry: 2000\n\n"));
}

enum bt_status rest_stream_entries(struct serve_call *x)
{
    struct serve_entry_stream *feed = BT_NEW(x->arena, struct serve_entry_stream);
    struct serve_rest rest;
    if (!feed) {
        return BT_ENOMEM;
    }
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    feed->x = x;
    bt_handoff_filter_read(&rest.args, &feed->filter);
    const bool is_ready = take_place(&rest, &feed->filter);
    feed->filter.is_rising = true;
    feed->filter.limit = EVENTS_AT_ONCE;
    (void)rest_drop(&rest);
    return is_ready ? begin_stream(x, &entries, feed) : BT_OK;
}

/* ---- Events of the pump ---------------------------------------------------------------------- */

struct serve_pump_stream {
    struct bt_control_client *control;
    bool is_over; /* the pump closed the connection */
};

static void put_pump_event(struct bt_arena *arena, bt_str event, struct bt_buf *out)
{
    struct bt_json_read_result read = {0};
    uint64_t number = 0;
    /* from: socket */
    if (bt_json_read(arena, event, NULL, &read) == BT_OK && read.document) {
        const bt_json_value *n =
            bt_json_get(read.document, bt_json_root(read.document), BT_STR("n"));
        if (n && bt_str_to_u64(bt_json_number_text(read.document, n), &number) == BT_OK) {
            bt_buf_printf(out, "id: %" PRIu64 "\n", number);
        }
    }
    bt_buf_put_text(out, "event: pump\ndata: ");
    bt_buf_put(out, event);
    bt_buf_put_text(out, "\n\n");
}

static enum http_stream_result pull_events(struct http_exchange *call, void *worker,
                                           struct bt_buf *out)
{
    struct serve_pump_stream *watching = call->answer.stream_state;
    struct bt_arena arena;
    struct bt_error error;
    size_t count = 0;
    bt_str event = BT_STR("");
    (void)worker;
    bt_arena_init(&arena, TEXT_BYTES_MAX);
    for (; count < EVENTS_AT_ONCE && !watching->is_over; count++) {
        watching->is_over =
            bt_control_client_next_event(watching->control, &arena, 0, &event, &error) != BT_OK;
        if (watching->is_over || event.len == 0) {
            break;
        }
        put_pump_event(&arena, event, out);
    }
    bt_arena_free(&arena);
    return watching->is_over         ? HTTP_STREAM_RESULT_ENDED
           : count == EVENTS_AT_ONCE ? HTTP_STREAM_RESULT_MORE
                                     : HTTP_STREAM_RESULT_IDLE;
}

static void close_events(void *control)
{
    bt_control_client_close(control);
}

static const struct http_stream pump_stream = {
    .pull = pull_events,
    .name = "pump",
    .poll_ms = 250,
    .keepalive_text = ": still here\n\n",
    .too_slow_text = "event: lagged\ndata: {}\n\n",
    .closing_text = ": bye\n\n",
};

/* Request events from where the reader stopped. False: the pump does not send them. */
static bool request_events(struct serve_call *x, struct bt_control_client *control, bt_str after)
{
    struct bt_control_request question = {
        .method = BT_STR("events"), .params = BT_STR(""), .wait_ms = ANSWER_MS};
    struct bt_control_result answer;
    struct bt_error error;
    uint64_t number = 0;
    if (after.len > 0 &&
        (bt_str_to_u64(after, &number) != BT_OK ||
         bt_arena_printf(x->arena, &question.params, "{\"after\":%" PRIu64 "}", number) != BT_OK)) {
        return false;
    }
    return bt_control_client_call(control, x->arena, &question, &answer, &error) == BT_OK &&
           answer.error == 0;
}

enum bt_status rest_stream_pump(struct serve_call *x)
{
    const bt_str last = serve_field(x->request, "last-event-id", NULL);
    struct serve_pump_stream *watching = BT_NEW(x->arena, struct serve_pump_stream);
    struct serve_rest rest;
    uint64_t number = 0;
    if (!watching) {
        return BT_ENOMEM;
    }
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    const bt_str after = last.len > 0 ? last : bt_args_text(&rest.args, BT_ARG_PUMP_EVENTS_AFTER);
    if (after.len > 0 && (bt_str_to_u64(after, &number) != BT_OK || number > INT64_MAX)) {
        (void)rest_drop(&rest);
        return serve_call_respond_bad_parameter(x, BT_STR("after"),
                                                "it is not the number of an event");
    }
    watching->control = bt_op_pump_connect(&rest.work);
    if (!watching->control) {
        return rest_end(&rest, BT_OK);
    }
    (void)rest_drop(&rest);
    exchange_hold(x, close_events, watching->control);
    if (!request_events(x, watching->control, after)) {
        exchange_release(x);
        return serve_call_respond_problem(x, BT_PROBLEM_STORE_UNAVAILABLE);
    }
    return begin_stream(x, &pump_stream, watching);
}
