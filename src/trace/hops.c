/* SPDX-License-Identifier: Apache-2.0 */
/* hops.c - the hops of one trace: which agent handed off to which, and when it arrived. */
#include <assert.h>

#include "trace/trace_set.h"

/* The value of one member of details; what is absent is "null". */
static enum bt_status take_value(struct bt_arena *arena, const struct bt_json_doc *details,
                                 bt_str name, struct bt_trace_hop_value *out)
{
    const bt_json_value *value = details ? bt_json_get(details, bt_json_root(details), name) : NULL;
    *out = (struct bt_trace_hop_value){BT_STR("null"), BT_STR("")};
    if (!value) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(details, value);
    out->json = bt_str_slice(bt_json_source(details), span.begin, span.end);
    if (bt_json_is_number(value)) {
        out->text = out->json;
    }
    /* Text with escapes would go with the document. */
    return bt_json_type(value) == BT_JSON_STRING
               ? bt_arena_copy(arena, bt_json_text(value), &out->text)
               : BT_OK;
}

static enum bt_status fill_hop(struct bt_trace_group_state *grouping,
                               const struct bt_trace_event *event, struct bt_trace_hop *out)
{
    struct bt_json_read_result result = {0};
    if (event->details.ptr) {
        /* from: file */
        BT_TRY(bt_json_read(grouping->scratch, event->details, NULL, &result));
    }
    out->transmitted = event;
    BT_TRY(take_value(grouping->arena, result.document, BT_STR("target"), &out->target));
    BT_TRY(take_value(grouping->arena, result.document, BT_STR("schema_version"),
                      &out->schema_version));
    BT_TRY(take_value(grouping->arena, result.document, BT_STR("token_count"), &out->token_count));
    return take_value(grouping->arena, result.document, BT_STR("validation"), &out->validation);
}

/* Only a text is a name. */
static bool names_target(const struct bt_trace_hop *hop)
{
    return hop->target.json.ptr[0] == '"';
}

static struct bt_trace_link link_of_hop(struct bt_trace_hop *hop)
{
    return (struct bt_trace_link){.names = {hop->target.text},
                                  .slot = {&hop->received, &hop->processed}};
}

static struct bt_trace_link link_of_event(const struct bt_trace_event *event)
{
    return (struct bt_trace_link){.names = {event->workflow},
                                  .event = event,
                                  .kind = event->type == BT_TRACE_EVENT_HANDOFF_PROCESSED ? 1 : 0};
}

/* Make the hops of transmissions, and links of everything that hops have to do with. */
static enum bt_status build_hops(struct bt_trace_group_state *grouping,
                                 const struct bt_trace *trace, struct bt_trace_hop *hops,
                                 struct bt_trace_link *links, size_t *out_link_count)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->event_count; i++) {
        const struct bt_trace_event *event = &trace->events[i];
        if (event->type == BT_TRACE_EVENT_HANDOFF_TRANSMITTED) {
            const struct bt_arena_mark mark = bt_arena_mark(grouping->scratch);
            BT_TRY(fill_hop(grouping, event, hops));
            bt_arena_rewind(grouping->scratch, mark);
            if (names_target(hops)) {
                links[count++] = link_of_hop(hops);
            }
            hops++;
        } else if (event->type == BT_TRACE_EVENT_HANDOFF_RECEIVED ||
                   event->type == BT_TRACE_EVENT_HANDOFF_PROCESSED) {
            links[count++] = link_of_event(event);
        }
    }
    *out_link_count = count;
    return BT_OK;
}

enum bt_status bt_trace_group_hops(struct bt_trace_group_state *grouping, struct bt_trace *trace)
{
    assert(trace->event_count > 0);
    size_t count = 0;
    for (size_t i = 0; i < trace->event_count; i++) {
        count += trace->events[i].type == BT_TRACE_EVENT_HANDOFF_TRANSMITTED;
    }
    struct bt_trace_hop *hops = BT_NEW_ARRAY(grouping->arena, struct bt_trace_hop, count);
    struct bt_trace_link *links =
        BT_NEW_ARRAY(grouping->scratch, struct bt_trace_link, trace->event_count);
    size_t link_count = 0;
    BT_TRY(hops && links ? BT_OK : BT_ENOMEM);
    BT_TRY(build_hops(grouping, trace, hops, links, &link_count));
    BT_TRY(bt_trace_links_join(grouping, links, link_count));
    trace->hops = hops;
    trace->hop_count = count;
    return BT_OK;
}
