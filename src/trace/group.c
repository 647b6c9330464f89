/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - events -> traces. Everything is found by sorting, so no log can make it slow.
 */

#include <assert.h>

#include "trace/trace_set.h"

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By instant, then by log and line. */
static int compare_times(const struct bt_trace_event *a, const struct bt_trace_event *b)
{
    int order = compare_numbers(a->at.seconds, b->at.seconds);
    order = order != 0 ? order : compare_numbers(a->at.nanos, b->at.nanos);
    order = order != 0 ? order : compare_numbers(a->log, b->log);
    return order != 0 ? order : compare_numbers(a->line, b->line);
}

static int compare_events(const void *context, size_t a, size_t b)
{
    const struct bt_trace_event *const *events = context;
    const int order = bt_str_compare(events[a]->trace_id, events[b]->trace_id);
    return order != 0 ? order : compare_times(events[a], events[b]);
}

static int compare_traces(const void *context, size_t a, size_t b)
{
    const struct bt_trace *traces = context;
    return compare_times(&traces[a].events[0], &traces[b].events[0]);
}

static int compare_links(const void *context, size_t a, size_t b)
{
    const struct bt_trace_link *links = context;
    const int order = bt_str_compare(links[a].names[0], links[b].names[0]);
    return order != 0 ? order : bt_str_compare(links[a].names[1], links[b].names[1]);
}

/* From the last to the first, so that the link met last is the next one of the waiting event. */
enum bt_status bt_trace_links_join(struct bt_trace_group_state *grouping,
                                   const struct bt_trace_link *links, size_t count)
{
    if (count == 0) {
        return BT_OK;
    }
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(grouping->scratch, count, compare_links, links, &order));
    const struct bt_trace_event *next[2] = {NULL, NULL};
    for (size_t i = count; i > 0; i--) {
        const struct bt_trace_link *link = &links[order[i - 1]];
        if (i < count && compare_links(links, order[i - 1], order[i]) != 0) {
            next[0] = NULL;
            next[1] = NULL;
        }
        if (link->event) {
            next[link->kind] = link->event;
            continue;
        }
        for (size_t kind = 0; kind < 2; kind++) {
            if (link->slot[kind] && next[kind]) {
                *link->slot[kind] = next[kind];
            }
        }
    }
    return BT_OK;
}

/* The events of all logs, or those of one trace, side by side: by trace, then by time. */
static enum bt_status collect_events(struct bt_trace_group_state *grouping,
                                     const struct bt_trace_set *traces, bt_str only,
                                     struct bt_trace_event **out_events, size_t *out_count)
{
    const struct bt_trace_event **found =
        BT_NEW_ARRAY(grouping->scratch, const struct bt_trace_event *, traces->event_count);
    size_t count = 0;
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < traces->logs.count; i++) {
        const struct bt_trace_log *log = &traces->logs.items[i];
        for (size_t j = 0; j < log->event_count; j++) {
            if (only.len == 0 || bt_str_eq(log->events[j].trace_id, only)) {
                found[count++] = &log->events[j];
            }
        }
    }
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(grouping->scratch, count, compare_events, found, &order));
    struct bt_trace_event *events = BT_NEW_ARRAY(grouping->arena, struct bt_trace_event, count);
    BT_TRY(events ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        events[i] = *found[order[i]];
    }
    *out_events = events;
    *out_count = count;
    return BT_OK;
}

/* Cut the sorted events into traces; returns how many there are, and fills `out` unless NULL. */
static size_t split_traces(const struct bt_trace_event *events, size_t count, struct bt_trace *out)
{
    size_t made = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && bt_str_eq(events[end].trace_id, events[i].trace_id)) {
            end++;
        }
        if (out) {
            out[made] = (struct bt_trace){
                .id = events[i].trace_id, .events = &events[i], .event_count = end - i};
        }
        made++;
        i = end;
    }
    return made;
}

static enum bt_status order_traces(struct bt_trace_group_state *grouping,
                                   struct bt_trace_set *traces, const struct bt_trace_event *events,
                                   size_t count)
{
    traces->count = split_traces(events, count, NULL);
    struct bt_trace *unordered = BT_NEW_ARRAY(grouping->scratch, struct bt_trace, traces->count);
    traces->items = BT_NEW_ARRAY(grouping->arena, struct bt_trace, traces->count);
    BT_TRY(unordered && traces->items ? BT_OK : BT_ENOMEM);
    (void)split_traces(events, count, unordered);
    const size_t *order = NULL;
    BT_TRY(
        bt_sort_indices_new(grouping->scratch, traces->count, compare_traces, unordered, &order));
    for (size_t i = 0; i < traces->count; i++) {
        traces->items[i] = unordered[order[i]];
    }
    return BT_OK;
}

static enum bt_status group_events(struct bt_trace_group_state *grouping,
                                   struct bt_trace_set *traces, bt_str only)
{
    struct bt_trace_event *events = NULL;
    size_t count = 0;
    BT_TRY(collect_events(grouping, traces, only, &events, &count));
    BT_TRY(order_traces(grouping, traces, events, count));
    for (size_t i = 0; i < traces->count; i++) {
        const struct bt_arena_mark mark = bt_arena_mark(grouping->scratch);
        BT_TRY(bt_trace_group_workflows(grouping, &traces->items[i]));
        BT_TRY(bt_trace_group_hops(grouping, &traces->items[i]));
        bt_arena_rewind(grouping->scratch, mark);
    }
    return BT_OK;
}

enum bt_status bt_trace_set_group(struct bt_trace_set *traces, bt_str only)
{
    assert(traces);
    assert(!traces->items);
    struct bt_arena scratch;
    bt_arena_init(&scratch, traces->arena->limit);
    struct bt_trace_group_state grouping = {traces->arena, &scratch};
    const enum bt_status status = group_events(&grouping, traces, only);
    traces->count = status == BT_OK ? traces->count : 0;
    bt_arena_free(&scratch);
    return status;
}

size_t bt_trace_set_count(const struct bt_trace_set *traces)
{
    return traces->count;
}

const struct bt_trace *bt_trace_set_at(const struct bt_trace_set *traces, size_t index)
{
    assert(index < traces->count);
    return &traces->items[index];
}

double bt_trace_ms_between(const struct bt_trace_event *from, const struct bt_trace_event *to)
{
    assert(from);
    assert(to);
    const int64_t seconds = to->at.seconds - from->at.seconds;
    const int64_t nanos = (int64_t)to->at.nanos - from->at.nanos;
    /* Rounded down: one second is lent so that what is divided is not negative. */
    const int64_t ms = seconds * 1000 - 1000 + (nanos + 1000000000) / 1000000;
    return (double)ms;
}

bool bt_trace_set_has_success(const struct bt_trace_set *traces, bt_str source, bt_str target)
{
    for (size_t i = 0; i < traces->count; i++) {
        const struct bt_trace *trace = &traces->items[i];
        for (size_t j = 0; j < trace->hop_count; j++) {
            const struct bt_trace_hop *hop = &trace->hops[j];
            if (hop->processed && bt_str_eq(hop->transmitted->workflow, source) &&
                bt_str_eq(hop->processed->workflow, target)) {
                return true;
            }
        }
    }
    return false;
}
