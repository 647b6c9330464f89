/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.c - the table of views and forms, and what the renderers share: untrusted names are fitted
 * into a given number of columns.
 */
#include "trace/views.h"

#include <assert.h>

#include "report/display_width.h"
#include "report/sort.h"
#include "trace/trace_set.h"

static const bt_str view_names[BT_TRACE_VIEW__MAX] = {
    [BT_TRACE_VIEW_TIMELINE] = BT_STR_INIT("timeline"),
    [BT_TRACE_VIEW_CHAIN] = BT_STR_INIT("chain"),
};

static const struct trace_views_form {
    bt_str name;
    bt_trace_render_fn *render;
} forms[BT_TRACE_FORMAT__MAX] = {
    [BT_TRACE_FORMAT_TEXT] = {BT_STR_INIT("text"), bt_trace_render_text},
    [BT_TRACE_FORMAT_MERMAID] = {BT_STR_INIT("mermaid"), bt_trace_render_mermaid},
    [BT_TRACE_FORMAT_DOT] = {BT_STR_INIT("dot"), bt_trace_render_dot},
    [BT_TRACE_FORMAT_SVG] = {BT_STR_INIT("svg"), bt_trace_render_svg},
    [BT_TRACE_FORMAT_JSON] = {BT_STR_INIT("json"), bt_trace_render_json},
};

bt_str bt_trace_view_name(enum bt_trace_view view)
{
    return (size_t)view < BT_TRACE_VIEW__MAX ? view_names[view] : BT_STR("");
}

bt_str bt_trace_format_name(enum bt_trace_format form)
{
    return (size_t)form < BT_TRACE_FORMAT__MAX ? forms[form].name : BT_STR("");
}

enum bt_status bt_trace_set_render(const struct bt_trace_set *traces,
                                   const struct bt_trace_render_options *options,
                                   struct bt_buf *buf)
{
    assert(traces);
    assert(options);
    assert(buf);
    if ((size_t)options->view >= BT_TRACE_VIEW__MAX ||
        (size_t)options->form >= BT_TRACE_FORMAT__MAX) {
        return BT_EINVAL;
    }
    BT_TRY(forms[options->form].render(traces, options, buf));
    return buf->status;
}

const struct bt_trace_event *bt_trace_last(const struct bt_trace *trace)
{
    return &trace->events[trace->event_count - 1];
}

const struct bt_trace_event *bt_trace_phase_end(const struct bt_trace_workflow *workflow,
                                                const struct bt_trace_phase *phase)
{
    return phase->completed ? phase->completed : workflow->last;
}

bt_str bt_trace_phase_name(const struct bt_trace_phase *phase)
{
    return phase->started->phase.len > 0 ? phase->started->phase : BT_STR("(no phase)");
}

bt_str bt_trace_target_name(const struct bt_trace_hop *hop)
{
    return hop->target.text.len > 0 ? hop->target.text : BT_STR("(nobody)");
}

/* "2 d 4 h": two neighbouring units, the smaller one left out when it is zero. */
static void put_units(struct bt_buf *buf, uint64_t count, uint64_t per, const char *const units[2])
{
    bt_buf_printf(buf, "%llu %s", (unsigned long long)(count / per), units[0]);
    if (count % per > 0) {
        bt_buf_printf(buf, " %llu %s", (unsigned long long)(count % per), units[1]);
    }
}

void bt_trace_put_duration(struct bt_buf *buf, double ms)
{
    assert(ms >= 0);
    const double days_max = 1e12; /* far beyond any log, far below what a number can hold */
    const uint64_t seconds = ms / 1000 < days_max ? (uint64_t)(ms / 1000) : (uint64_t)days_max;
    if (ms < 1000) {
        bt_buf_printf(buf, "%u ms", (unsigned)ms);
    } else if (seconds < 60) {
        const unsigned tenths = (unsigned)(ms / 100);
        bt_buf_printf(buf, tenths % 10 > 0 ? "%u.%u s" : "%u s", tenths / 10, tenths % 10);
    } else if (seconds < 3600) {
        put_units(buf, seconds, 60, (const char *const[]){"min", "s"});
    } else if (seconds < 86400) {
        put_units(buf, seconds / 60, 60, (const char *const[]){"h", "min"});
    } else {
        put_units(buf, seconds / 3600, 24, (const char *const[]){"d", "h"});
    }
}

void bt_trace_put_time(struct bt_buf *buf, const struct bt_trace_event *event)
{
    char text[BT_INSTANT_TEXT_BYTES] = "";
    const bool written = bt_timestamp_format(event->at, text);
    assert(written); /* others are not let in by the reader */
    bt_buf_put_text(buf, written ? text : "");
}

size_t bt_trace_escape_none(struct bt_buf *buf, bt_str text, size_t at)
{
    bt_buf_put_char(buf, text.ptr[at]);
    return 1;
}

void bt_trace_put_hop_facts(struct bt_buf *buf, const struct bt_trace_hop *hop,
                            bt_escape_fn *escape)
{
    const struct {
        bt_str text;
        const char *unit;
    } facts[] = {
        {hop->schema_version.text, ""},
        {hop->token_count.text, " tokens"},
        {hop->validation.text, ""},
    };
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        if (facts[i].text.len > 0) {
            bt_report_put_escaped(buf, facts[i].text, BT_NAME_SHOWN, escape);
            bt_buf_printf(buf, "%s, ", facts[i].unit);
        }
    }
    if (hop->received) {
        bt_trace_put_duration(buf, bt_trace_ms_between(hop->transmitted, hop->received));
    } else {
        bt_buf_put_text(buf, "not received");
    }
}

static int compare_names(const void *context, size_t a, size_t b)
{
    const bt_str *names = context;
    return bt_str_compare(names[a], names[b]);
}

enum bt_status bt_trace_hop_ends_of(struct bt_arena *arena, const struct bt_trace *trace,
                                    struct bt_trace_hop_ends *out)
{
    const size_t count = 2 * trace->hop_count;
    bt_str *all = BT_NEW_ARRAY(arena, bt_str, count);
    size_t *first = BT_NEW_ARRAY(arena, size_t, count);
    struct bt_trace_hop_ends places = {.names = BT_NEW_ARRAY(arena, bt_str, count),
                                       .of_end = BT_NEW_ARRAY(arena, size_t, count)};
    BT_TRY(all && first && places.names && places.of_end ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < trace->hop_count; i++) {
        all[2 * i] = trace->hops[i].transmitted->workflow;
        all[2 * i + 1] = bt_trace_target_name(&trace->hops[i]);
    }
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(arena, count, compare_names, all, &order));
    for (size_t i = 0; i < count; i++) {
        const bool is_new = i == 0 || !bt_str_eq(all[order[i]], all[order[i - 1]]);
        first[order[i]] = is_new ? order[i] : first[order[i - 1]];
    }
    for (size_t i = 0; i < count; i++) {
        places.of_end[i] = first[i] == i ? places.count : places.of_end[first[i]];
        if (first[i] == i) {
            places.names[places.count++] = all[i];
        }
    }
    *out = places;
    return BT_OK;
}

enum bt_status bt_each_trace(const struct bt_trace_set *traces, struct bt_buf *buf,
                             bt_trace_put_fn *put)
{
    struct bt_arena arena;
    enum bt_status status = BT_OK;
    bt_arena_init(&arena, traces->arena->limit);
    for (size_t i = 0; status == BT_OK && i < traces->count; i++) {
        status = put(buf, &arena, &traces->items[i], i);
        bt_arena_reset(&arena);
    }
    bt_arena_free(&arena);
    return status;
}

/* The longest beginning that has at most so many columns. */
static bt_str truncate_to_columns(bt_str visible, size_t columns)
{
    size_t at = 0;
    size_t used = 0;
    while (at < visible.len) {
        const struct bt_display_char glyph = bt_display_char_at(visible, at);
        used += bt_display_char_columns(glyph.code_point);
        if (used > columns) {
            break;
        }
        at += glyph.bytes;
    }
    return bt_str_slice(visible, 0, at);
}

size_t bt_trace_name_columns(bt_str name)
{
    struct bt_buf visible;
    bt_buf_init(&visible, SIZE_MAX);
    bt_buf_put_printable(&visible, name, BT_NAME_SHOWN);
    const size_t columns = bt_display_columns(bt_buf_str(&visible));
    bt_buf_free(&visible);
    return columns;
}

size_t bt_trace_put_truncated(struct bt_buf *buf, bt_str name, size_t columns, bt_escape_fn *escape)
{
    assert(columns >= 3);
    struct bt_buf visible;
    bt_buf_init(&visible, SIZE_MAX);
    bt_buf_put_printable(&visible, name, BT_NAME_SHOWN);
    bt_str shown = bt_buf_str(&visible);
    const bool fits = bt_display_columns(shown) <= columns;
    shown = fits ? shown : truncate_to_columns(shown, columns - 3);
    for (size_t at = 0; at < shown.len;) {
        at += escape(buf, shown, at);
    }
    bt_buf_put_text(buf, fits ? "" : "...");
    const size_t used = bt_display_columns(shown) + (fits ? 0 : 3);
    buf->status = buf->status == BT_OK ? visible.status : buf->status;
    bt_buf_free(&visible);
    return used;
}
