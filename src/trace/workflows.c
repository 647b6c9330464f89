/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workflows.c - the workflows of one trace, with their phases and errors.
 */
#include <assert.h>

#include "trace/trace_set.h"

/* The events of a trace by workflow, in their order within each. */
struct trace_workflows_by_workflow {
    const struct bt_trace_event *events;
    const size_t *order;
    size_t count;
};

/* The events of one workflow: order[from] to order[end - 1]. */
struct trace_workflows_run {
    size_t from;
    size_t end;
};

static int compare_workflows(const void *context, size_t a, size_t b)
{
    const struct bt_trace_event *events = context;
    return bt_str_compare(events[a].workflow, events[b].workflow);
}

static int compare_firsts(const void *context, size_t a, size_t b)
{
    const struct bt_trace_workflow *workflows = context;
    return (workflows[a].first > workflows[b].first) - (workflows[a].first < workflows[b].first);
}

/* Where the run of one workflow that begins at `from` ends. */
static size_t run_end(const struct trace_workflows_by_workflow *sorted, size_t from)
{
    size_t end = from + 1;
    while (end < sorted->count &&
           compare_workflows(sorted->events, sorted->order[from], sorted->order[end]) == 0) {
        end++;
    }
    return end;
}

static enum bt_status fill_workflow(struct bt_trace_group_state *grouping,
                                    const struct trace_workflows_by_workflow *sorted,
                                    struct trace_workflows_run run,
                                    struct bt_trace_phase **out_phases,
                                    struct bt_trace_workflow *out)
{
    size_t phases = 0;
    size_t errors = 0;
    for (size_t i = run.from; i < run.end; i++) {
        const enum bt_trace_event_type type = sorted->events[sorted->order[i]].type;
        phases += type == BT_TRACE_EVENT_PHASE_STARTED;
        errors += type == BT_TRACE_EVENT_ERROR;
    }
    struct bt_trace_phase *phase = BT_NEW_ARRAY(grouping->arena, struct bt_trace_phase, phases);
    const struct bt_trace_event **error =
        BT_NEW_ARRAY(grouping->arena, const struct bt_trace_event *, errors);
    BT_TRY(phase && error ? BT_OK : BT_ENOMEM);
    *out_phases = phase;
    *out = (struct bt_trace_workflow){
        .name = sorted->events[sorted->order[run.from]].workflow,
        .first = &sorted->events[sorted->order[run.from]],
        .last = &sorted->events[sorted->order[run.end - 1]],
        .phases = phase,
        .phase_count = phases,
        .errors = error,
        .error_count = errors,
    };
    for (size_t i = run.from; i < run.end; i++) {
        const struct bt_trace_event *event = &sorted->events[sorted->order[i]];
        if (event->type == BT_TRACE_EVENT_PHASE_STARTED) {
            (phase++)->started = event;
        } else if (event->type == BT_TRACE_EVENT_ERROR) {
            *error++ = event;
        }
    }
    return BT_OK;
}

/* Find the end of each phase of a workflow. */
static enum bt_status join_phases(struct bt_trace_group_state *grouping,
                                  const struct trace_workflows_by_workflow *sorted,
                                  struct trace_workflows_run run, struct bt_trace_phase *phases)
{
    struct bt_trace_link *links =
        BT_NEW_ARRAY(grouping->scratch, struct bt_trace_link, run.end - run.from);
    size_t count = 0;
    size_t started = 0;
    BT_TRY(links ? BT_OK : BT_ENOMEM);
    for (size_t i = run.from; i < run.end; i++) {
        const struct bt_trace_event *event = &sorted->events[sorted->order[i]];
        if (event->type == BT_TRACE_EVENT_PHASE_STARTED) {
            links[count++] = (struct bt_trace_link){.names = {event->phase},
                                                    .slot = {&phases[started++].completed}};
        } else if (event->type == BT_TRACE_EVENT_PHASE_COMPLETED) {
            links[count++] = (struct bt_trace_link){.names = {event->phase}, .event = event};
        }
    }
    BT_TRY(bt_trace_links_join(grouping, links, count));
    for (size_t i = 0; i < started; i++) {
        const struct bt_trace_event *completed = phases[i].completed;
        if (completed) {
            phases[i].duration_ms = completed->has_duration
                                        ? completed->duration_ms
                                        : bt_trace_ms_between(phases[i].started, completed);
        }
    }
    return BT_OK;
}

/* Make the workflows in the order of their names. */
static enum bt_status build_workflows(struct bt_trace_group_state *grouping,
                                      const struct trace_workflows_by_workflow *sorted,
                                      struct bt_trace_workflow *out)
{
    for (size_t from = 0; from < sorted->count;) {
        const size_t end = run_end(sorted, from);
        struct bt_trace_phase *phases = NULL;
        BT_TRY(
            fill_workflow(grouping, sorted, (struct trace_workflows_run){from, end}, &phases, out));
        BT_TRY(join_phases(grouping, sorted, (struct trace_workflows_run){from, end}, phases));
        from = end;
        out++;
    }
    return BT_OK;
}

static size_t count_runs(const struct trace_workflows_by_workflow *sorted)
{
    size_t count = 0;
    for (size_t from = 0; from < sorted->count; from = run_end(sorted, from)) {
        count++;
    }
    return count;
}

enum bt_status bt_trace_group_workflows(struct bt_trace_group_state *grouping,
                                        struct bt_trace *trace)
{
    assert(trace->event_count > 0);
    struct trace_workflows_by_workflow sorted = {.events = trace->events,
                                                 .count = trace->event_count};
    BT_TRY(bt_sort_indices_new(grouping->scratch, trace->event_count, compare_workflows,
                               trace->events, &sorted.order));
    const size_t count = count_runs(&sorted);
    struct bt_trace_workflow *made =
        BT_NEW_ARRAY(grouping->scratch, struct bt_trace_workflow, count);
    struct bt_trace_workflow *workflows =
        BT_NEW_ARRAY(grouping->arena, struct bt_trace_workflow, count);
    BT_TRY(made && workflows ? BT_OK : BT_ENOMEM);
    BT_TRY(build_workflows(grouping, &sorted, made));
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(grouping->scratch, count, compare_firsts, made, &order));
    for (size_t i = 0; i < count; i++) {
        workflows[i] = made[order[i]];
        trace->error_count += workflows[i].error_count;
    }
    trace->workflows = workflows;
    trace->workflow_count = count;
    return BT_OK;
}
