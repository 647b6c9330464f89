/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_stream.c - stream entries as they are committed, one event each.
 *
 * The id of an event is the number of its entry, so a reader that lost its connection can continue
 * after the last one it received, at any node.
 */
#include <inttypes.h>

#include "operation/ledger_json.h"
#include "serve/rest.h"

enum { EVENTS_AT_ONCE = 64, ANSWER_BYTES_MAX = 1 << 20 };

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
                           .caller = &feed->x->caller,
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
    const bt_str last = http_field_text(rest->x->request, "last-event-id");
    struct bt_ledger_head head;
    if (last.len > 0) {
        filter->has_after = true;
        if (bt_str_to_u64(last, &filter->after) != BT_OK || filter->after > INT64_MAX) {
            return rest_refuse(rest, "Last-Event-ID", "it is no number of an entry");
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

static enum bt_status stream_entries(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    struct serve_entry_stream *feed = BT_NEW(x->arena, struct serve_entry_stream);
    if (!feed) {
        return BT_ENOMEM;
    }
    feed->x = x;
    rest_filter(rest, &feed->filter);
    if (!take_place(rest, &feed->filter)) {
        return BT_OK;
    }
    feed->filter.is_rising = true;
    feed->filter.limit = EVENTS_AT_ONCE;
    BT_TRY(serve_call_respond_body(x, 200, "text/event-stream", BT_STR("retry: 2000\n\n")));
    serve_call_add_header(x, "X-Accel-Buffering", BT_STR("no"));
    x->answer->stream = &entries;
    x->answer->stream_state = feed;
    return BT_OK;
}

const struct serve_handler stream_handlers[] = {
    {BT_OPERATION_HANDOFF_STREAM, 0, .run = stream_entries},
    {.run = NULL},
};
