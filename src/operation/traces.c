/* SPDX-License-Identifier: Apache-2.0 */
/* traces.c - the handoffs of one trace, as a list and as a drawing. */
#include <inttypes.h>

#include "base/buf.h"
#include "json/emit.h"
#include "operation/entry_fields.h"
#include "trace/trace.h"

enum { HOPS_MAX = 10000, TRACE_SCAN_MAX = 20000, LOG_BYTES_MAX = 64 << 20 };

static int64_t ms_between(bt_str from, bt_str to)
{
    bt_instant begin;
    bt_instant end;
    if (bt_instant_parse(from, &begin) != BT_OK || bt_instant_parse(to, &end) != BT_OK) {
        return 0;
    }
    return (end.seconds - begin.seconds) * 1000 + (end.nanos - begin.nanos) / 1000000;
}

static void put_hop(struct bt_emit *emit, const struct bt_entry_fields *entry, uint64_t seq,
                    bt_str before)
{
    const bt_json_value *codes = bt_json_get(entry->document, entry->root, BT_STR("codes"));
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "seq", seq);
    bt_emit_member_string(emit, "time", bt_entry_fields_text(entry, "time"));
    bt_emit_member_string(emit, "dialect", bt_entry_fields_text(entry, "dialect"));
    bt_emit_member_string_or_null(emit, "source", bt_entry_fields_text(entry, "source"));
    bt_emit_member_string_or_null(emit, "target", bt_entry_fields_text(entry, "target"));
    bt_emit_member_string(emit, "verdict", bt_entry_fields_text(entry, "verdict"));
    bt_emit_name(emit, "codes");
    bt_emit_begin_array(emit);
    for (size_t i = 0; codes && i < bt_json_count(codes); i++) {
        bt_emit_string(emit, bt_json_text(&bt_json_items(codes)[i]));
    }
    bt_emit_end(emit);
    bt_emit_name(emit, "gap_ms");
    if (before.len > 0) {
        bt_emit_i64(emit, ms_between(before, bt_entry_fields_text(entry, "time")));
    } else {
        bt_emit_null(emit);
    }
    bt_emit_end(emit);
}

struct bt_op_trace_hops {
    struct bt_entry_fields *entries;
    const uint64_t *seqs;
    size_t count;
};

/* The source of a hop, then its target, then the source of the next one ... */
static bt_str agent_at(const struct bt_op_trace_hops *hops, size_t index)
{
    return bt_entry_fields_text(&hops->entries[index / 2], index % 2 == 0 ? "source" : "target");
}

/* Whether an agent appears here for the first time. */
static bool is_first(const struct bt_op_trace_hops *hops, size_t index)
{
    const bt_str agent = agent_at(hops, index);
    for (size_t i = 0; i < index; i++) {
        if (bt_str_eq(agent, agent_at(hops, i))) {
            return false;
        }
    }
    return true;
}

/* The agents in the order in which they first appear. */
static void put_agents(struct bt_emit *emit, const struct bt_op_trace_hops *hops)
{
    bt_emit_name(emit, "agents");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < 2 * hops->count; i++) {
        if (agent_at(hops, i).len > 0 && is_first(hops, i)) {
            bt_emit_string(emit, agent_at(hops, i));
        }
    }
    bt_emit_end(emit);
}

static void put_trace(struct bt_buf *buf, bt_str trace_id, const struct bt_op_trace_hops *hops)
{
    struct bt_emit emit;
    bt_str before = BT_STR("");
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "trace_id", trace_id);
    bt_emit_member_string(&emit, "started", bt_entry_fields_text(&hops->entries[0], "time"));
    bt_emit_member_string(&emit, "ended",
                          bt_entry_fields_text(&hops->entries[hops->count - 1], "time"));
    put_agents(&emit, hops);
    bt_emit_name(&emit, "hops");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < hops->count; i++) {
        put_hop(&emit, &hops->entries[i], hops->seqs[i], before);
        before = bt_entry_fields_text(&hops->entries[i], "time");
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

/* Read the hops of a trace that the caller may see. False: the result is set. */
static bool read_hops(struct bt_call *work, bt_str trace_id, struct bt_op_trace_hops *out)
{
    const struct bt_ledger_filter filter = {.count = HOPS_MAX,
                                            .from = 0,
                                            .kind = BT_STR("handoff"),
                                            .verdict = BT_STR(""),
                                            .handoff_id = BT_STR(""),
                                            .trace_id = trace_id,
                                            .is_exact = true};
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_entries found = {0};
    struct bt_error error;
    *out = (struct bt_op_trace_hops){0};
    if (bt_entry_name_is_valid(trace_id) &&
        (!alarms ||
         bt_ledger_list_entries(work->service->ledger, work->arena, &filter, alarms, &found,
                                &error) != BT_OK ||
         bt_findings_count(alarms) > 0)) {
        (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
        return false;
    }
    const size_t count = found.count;
    struct bt_entry_fields *entries = BT_NEW_ARRAY(work->arena, struct bt_entry_fields, count + 1);
    uint64_t *seqs = BT_NEW_ARRAY(work->arena, uint64_t, count + 1);
    for (size_t i = 0; entries && seqs && i < count; i++) {
        seqs[out->count] = found.items[i].seq;
        const bool is_read = bt_entry_fields_read(work->service->env, work->arena,
                                                  found.items[i].text, &entries[out->count]);
        out->count += is_read && bt_entry_fields_visible_to(work, &entries[out->count]) ? 1 : 0;
    }
    out->entries = entries;
    out->seqs = seqs;
    if (out->count == 0) {
        (void)bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "trace not found");
    }
    return out->count > 0;
}

enum bt_status bt_op_trace_get(struct bt_call *work, const struct bt_args *args)
{
    const bt_str trace_id = bt_args_text(args, BT_ARG_TRACE_GET_TRACE_ID);
    struct bt_op_trace_hops hops;
    if (!read_hops(work, trace_id, &hops)) {
        return BT_OK;
    }
    put_trace(&work->answer->body, trace_id, &hops);
    return bt_result_set_done(work);
}

static void put_graph(struct bt_buf *buf, bt_str trace_id, const struct bt_op_trace_hops *hops)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "trace_id", trace_id);
    bt_emit_name(&emit, "nodes");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < 2 * hops->count; i++) {
        const bt_str agent = agent_at(hops, i);
        if (agent.len > 0 && is_first(hops, i)) {
            bt_emit_begin_object(&emit);
            bt_emit_member_string(&emit, "id", agent);
            bt_emit_end(&emit);
        }
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "edges");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < hops->count; i++) {
        bt_emit_begin_object(&emit);
        bt_emit_member_u64(&emit, "seq", hops->seqs[i]);
        bt_emit_member_string_or_null(&emit, "source", agent_at(hops, 2 * i));
        bt_emit_member_string_or_null(&emit, "target", agent_at(hops, 2 * i + 1));
        bt_emit_member_string(&emit, "verdict", bt_entry_fields_text(&hops->entries[i], "verdict"));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

/* One event of a hop as a line of a log. */
static void put_event(struct bt_buf *log, bt_str trace_id, const struct bt_op_trace_hops *hops,
                      size_t hop, bool is_taken)
{
    const bt_str target = agent_at(hops, 2 * hop + 1);
    struct bt_emit emit;
    bt_emit_init(&emit, log, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "trace_id", trace_id);
    bt_emit_member_string(&emit, "timestamp", bt_entry_fields_text(&hops->entries[hop], "time"));
    bt_emit_member_string(&emit, "event_type",
                          is_taken ? BT_STR("handoff_processed") : BT_STR("handoff_transmitted"));
    bt_emit_member_string(&emit, "workflow", is_taken ? target : agent_at(hops, 2 * hop));
    bt_emit_name(&emit, "details");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "target", target);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(log, '\n');
}

/* Draw the hops that have both ends, as `baton trace show --view chain` draws a log of them. */
static enum bt_status render_hops(struct bt_call *work, bt_str trace_id,
                                  const struct bt_op_trace_hops *hops, enum bt_trace_format form)
{
    const struct bt_trace_render_options how = {.view = BT_TRACE_VIEW_CHAIN, .form = form};
    struct bt_trace_set *traces = bt_trace_set_new(work->service->env, work->arena);
    struct bt_buf log;
    bt_str text;
    if (!traces) {
        return BT_ENOMEM;
    }
    bt_buf_init(&log, LOG_BYTES_MAX);
    for (size_t i = 0; i < hops->count; i++) {
        if (agent_at(hops, 2 * i).len > 0 && agent_at(hops, 2 * i + 1).len > 0) {
            put_event(&log, trace_id, hops, i, false);
            put_event(&log, trace_id, hops, i, true);
        }
    }
    BT_TRY(bt_buf_finish(&log, work->arena, &text));
    BT_TRY(bt_trace_set_read(traces, BT_STR("ledger"), text));
    BT_TRY(bt_trace_set_group(traces, BT_STR("")));
    return bt_trace_set_render(traces, &how, &work->answer->body);
}

enum bt_status bt_op_trace_graph(struct bt_call *work, const struct bt_args *args)
{
    static const char *const media[BT_TRACE_FORMAT__MAX] = {
        [BT_TRACE_FORMAT_MERMAID] = BT_MEDIA_TEXT,
        [BT_TRACE_FORMAT_DOT] = "text/vnd.graphviz; charset=utf-8",
        [BT_TRACE_FORMAT_SVG] = "image/svg+xml"};
    const bt_str trace_id = bt_args_text(args, BT_ARG_TRACE_GRAPH_TRACE_ID);
    const bt_str format = bt_args_has(args, BT_ARG_TRACE_GRAPH_FORMAT)
                              ? bt_args_text(args, BT_ARG_TRACE_GRAPH_FORMAT)
                              : BT_STR("json");
    struct bt_op_trace_hops hops;
    size_t form = 0;
    while (form < BT_TRACE_FORMAT__MAX &&
           !bt_str_eq(bt_trace_format_name((enum bt_trace_format)form), format)) {
        form++;
    }
    if (form == BT_TRACE_FORMAT_TEXT || form == BT_TRACE_FORMAT__MAX) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/format"),
                                     "json, mermaid, dot or svg");
    }
    if (!read_hops(work, trace_id, &hops)) {
        return BT_OK;
    }
    if (form == BT_TRACE_FORMAT_JSON) {
        put_graph(&work->answer->body, trace_id, &hops);
    } else {
        BT_TRY(render_hops(work, trace_id, &hops, (enum bt_trace_format)form));
    }
    work->answer->media = media[form];
    return bt_result_set_done(work);
}

/* What is known of a trace, found from its end. */
struct bt_op_trace_seen {
    bt_str id;
    bt_str started;
    bt_str ended;
    uint64_t hops;
    uint64_t refused;
};

struct bt_op_traces_seen {
    struct bt_call *work;
    struct bt_op_trace_seen *items;
    size_t count;
    uint64_t limit;
};

static enum bt_status see_hop(struct bt_op_traces_seen *seen, const struct bt_entry_fields *entry)
{
    const bt_str id = bt_entry_fields_text(entry, "trace_id");
    struct bt_arena *arena = seen->work->arena;
    size_t i = 0;
    while (i < seen->count && !bt_str_eq(seen->items[i].id, id)) {
        i++;
    }
    if (id.len == 0 || i == seen->limit) {
        return BT_OK;
    }
    struct bt_op_trace_seen *trace = &seen->items[i];
    if (i == seen->count) {
        seen->count++;
        *trace = (struct bt_op_trace_seen){0};
        BT_TRY(bt_arena_copy(arena, id, &trace->id));
        BT_TRY(bt_arena_copy(arena, bt_entry_fields_text(entry, "time"), &trace->ended));
    }
    trace->hops++;
    trace->refused += bt_str_eq(bt_entry_fields_text(entry, "verdict"), BT_STR("rejected")) ? 1 : 0;
    return bt_arena_copy(arena, bt_entry_fields_text(entry, "time"), &trace->started);
}

static void put_traces(struct bt_buf *buf, const struct bt_op_traces_seen *seen)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "traces");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < seen->count; i++) {
        const struct bt_op_trace_seen *trace = &seen->items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "trace_id", trace->id);
        bt_emit_member_string(&emit, "started", trace->started);
        bt_emit_member_string(&emit, "ended", trace->ended);
        bt_emit_member_u64(&emit, "hops", trace->hops);
        bt_emit_member_u64(&emit, "rejected", trace->refused);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

enum bt_status bt_op_trace_list(struct bt_call *work, const struct bt_args *args)
{
    const uint64_t limit = bt_args_number(args, BT_ARG_TRACE_LIST_LIMIT, BT_LIST_LIMIT_DEFAULT);
    const struct bt_handoff_filter filter = {.dialect = BT_STR(""),
                                             .verdict = BT_STR(""),
                                             .kind = BT_STR("handoff"),
                                             .handoff_id = BT_STR(""),
                                             .trace_id = BT_STR(""),
                                             .source = BT_STR(""),
                                             .target = BT_STR(""),
                                             .code = BT_STR(""),
                                             .limit = TRACE_SCAN_MAX};
    struct bt_op_traces_seen seen = {
        .work = work,
        .items = BT_NEW_ARRAY(work->arena, struct bt_op_trace_seen, limit + 1),
        .limit = limit};
    struct bt_ledger_entries found;
    struct bt_entry_fields entry;
    if (!seen.items) {
        return BT_ENOMEM;
    }
    if (!bt_op_read_handoffs(work, &filter, &found)) {
        return BT_OK;
    }
    for (size_t i = found.count; i > 0; i--) {
        if (bt_entry_fields_read(work->service->env, work->arena, found.items[i - 1].text,
                                 &entry)) {
            BT_TRY(see_hop(&seen, &entry));
        }
    }
    put_traces(&work->answer->body, &seen);
    return bt_result_set_done(work);
}
