/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waves.c - which steps can run at the same time.
 *
 * Steps are taken in the order of their dependencies, the lowest free row first. Each goes to the
 * wave after the highest among its dependencies and the placed steps that it conflicts with. A step
 * that must run alone conflicts with every other.
 */
#include <assert.h>

#include "dialect/plan/footprint.h"
#include "dialect/plan/plan_check.h"
#include "json/emit.h"

enum { MEMBERS_BYTES_MAX = 1 << 30, ID_SHOWN = 80 };

struct plan_waves_scheduled {
    bool is_in; /* it is to be scheduled */
    size_t wave;
    const char *alone;
    struct bt_plan_placed_step conflict; /* wave 0: none */
    bool has_path;                       /* the path through which they conflict: */
    bt_str path;
};

struct plan_waves_schedule {
    struct bt_plan_check *plan;
    struct plan_waves_scheduled *steps;
    struct bt_plan_path_tree *tree;
    struct bt_plan_placed_step first;       /* of all placed steps */
    struct bt_plan_placed_step first_alone; /* of those that run alone */
    size_t waves;
    size_t *heap; /* free steps, the lowest first */
    size_t heap_count;
    size_t *waiting;  /* by step: dependencies that are not placed yet */
    size_t *users;    /* steps that depend on a step, those of one step in a row ... */
    size_t *users_at; /* ... which begins here */
};

static void push_step(struct plan_waves_schedule *schedule, size_t step)
{
    size_t *heap = schedule->heap;
    size_t at = schedule->heap_count++;
    while (at > 0 && heap[(at - 1) / 2] > step) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = step;
}

static size_t pop_step(struct plan_waves_schedule *schedule)
{
    size_t *heap = schedule->heap;
    const size_t lowest = heap[0];
    const size_t last = heap[--schedule->heap_count];
    size_t at = 0;
    for (size_t child = 1; child < schedule->heap_count; child = 2 * at + 1) {
        child += child + 1 < schedule->heap_count && heap[child + 1] < heap[child];
        if (heap[child] >= last) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return lowest;
}

/* The placed step that conflicts first, and the first path through which it does. */
static void find_conflict(const struct plan_waves_schedule *schedule,
                          const struct bt_plan_footprint *footprint,
                          struct plan_waves_scheduled *step)
{
    if (footprint->alone) {
        step->conflict = schedule->first;
        return;
    }
    struct bt_plan_placed_step by_path = {0};
    for (size_t i = 0; i < footprint->count; i++) {
        const struct bt_plan_footprint_path *path = &footprint->paths[i];
        const struct bt_plan_placed_step found =
            bt_plan_path_tree_conflict(schedule->tree, path->text, path->is_write);
        const struct bt_plan_placed_step first = bt_plan_placed_step_first(by_path, found);
        if (found.wave > 0 && (first.wave != by_path.wave || first.step != by_path.step)) {
            by_path = first;
            step->path = path->text;
        }
    }
    step->conflict = bt_plan_placed_step_first(by_path, schedule->first_alone);
    step->has_path =
        step->conflict.wave > 0 && step->conflict.step == by_path.step && by_path.wave > 0;
}

static enum bt_status place_step(struct plan_waves_schedule *schedule, size_t index)
{
    const struct bt_plan_check *plan = schedule->plan;
    struct plan_waves_scheduled *step = &schedule->steps[index];
    struct bt_plan_footprint footprint;
    BT_TRY(bt_plan_footprint_of(plan, index, &footprint));
    step->alone = footprint.alone;
    find_conflict(schedule, &footprint, step);
    step->wave = step->conflict.wave + 1;
    for (size_t i = 0; i < plan->edges[index].count; i++) {
        const struct plan_waves_scheduled *before = &schedule->steps[plan->edges[index].items[i]];
        if (before->is_in && before->wave >= step->wave) {
            step->wave = before->wave + 1;
        }
    }
    const struct bt_plan_placed_step placed = {step->wave, index};
    schedule->waves = step->wave > schedule->waves ? step->wave : schedule->waves;
    schedule->first = bt_plan_placed_step_first(schedule->first, placed);
    if (footprint.alone) {
        schedule->first_alone = bt_plan_placed_step_first(schedule->first_alone, placed);
        return BT_OK;
    }
    for (size_t i = 0; i < footprint.count; i++) {
        BT_TRY(bt_plan_path_tree_add(schedule->tree, footprint.paths[i].text,
                                     footprint.paths[i].is_write, placed));
    }
    return BT_OK;
}

/* Turn the edges around: who waits for whom. */
static enum bt_status find_users(struct plan_waves_schedule *schedule)
{
    const struct bt_plan_check *plan = schedule->plan;
    const size_t count = plan->steps_count;
    size_t edges = 0;
    for (size_t i = 0; i < count; i++) {
        edges += plan->edges[i].count;
    }
    schedule->users = BT_NEW_ARRAY(plan->arena, size_t, edges + 1);
    schedule->users_at = BT_NEW_ARRAY(plan->arena, size_t, count + 2);
    BT_TRY(schedule->users && schedule->users_at ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; schedule->steps[i].is_in && j < plan->edges[i].count; j++) {
            const size_t before = plan->edges[i].items[j];
            schedule->users_at[before + 2] += schedule->steps[before].is_in;
            schedule->waiting[i] += schedule->steps[before].is_in;
        }
    }
    for (size_t i = 2; i < count + 2; i++) {
        schedule->users_at[i] += schedule->users_at[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; schedule->steps[i].is_in && j < plan->edges[i].count; j++) {
            const size_t before = plan->edges[i].items[j];
            if (schedule->steps[before].is_in) {
                schedule->users[schedule->users_at[before + 1]++] = i;
            }
        }
    }
    return BT_OK;
}

static enum bt_status place_all(struct plan_waves_schedule *schedule)
{
    for (size_t i = 0; i < schedule->plan->steps_count; i++) {
        if (schedule->steps[i].is_in && schedule->waiting[i] == 0) {
            push_step(schedule, i);
        }
    }
    while (schedule->heap_count > 0) {
        const size_t step = pop_step(schedule);
        BT_TRY(place_step(schedule, step));
        for (size_t i = schedule->users_at[step]; i < schedule->users_at[step + 1]; i++) {
            if (--schedule->waiting[schedule->users[i]] == 0) {
                push_step(schedule, schedule->users[i]);
            }
        }
    }
    return BT_OK;
}

static enum bt_status build_schedule(struct plan_waves_schedule *schedule,
                                     struct bt_plan_check *plan, bool remaining)
{
    const size_t count = plan->steps_count + 1;
    *schedule = (struct plan_waves_schedule){
        .plan = plan,
        .steps = BT_NEW_ARRAY(plan->arena, struct plan_waves_scheduled, count),
        .tree = bt_plan_path_tree_new(plan->arena, plan->plans->env->hash_seed),
        .heap = BT_NEW_ARRAY(plan->arena, size_t, count),
        .waiting = BT_NEW_ARRAY(plan->arena, size_t, count),
    };
    BT_TRY(schedule->steps && schedule->tree && schedule->heap && schedule->waiting ? BT_OK
                                                                                    : BT_ENOMEM);
    for (size_t i = 0; i < plan->steps_count; i++) {
        schedule->steps[i].is_in =
            !remaining || bt_plan_step_status(plan, i) != BT_PLAN_STEP_COMPLETED;
    }
    BT_TRY(find_users(schedule));
    return place_all(schedule);
}

static void put_step(const struct plan_waves_schedule *schedule, size_t index, struct bt_emit *emit)
{
    const struct bt_plan_check *plan = schedule->plan;
    const struct plan_waves_scheduled *step = &schedule->steps[index];
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "step", plan->steps[index].id);
    bt_emit_member_u64(emit, "row", plan->steps[index].row);
    bt_emit_member_u64(emit, "wave", step->wave);
    bt_emit_member_string_or_null(emit, "alone", bt_str_of(step->alone));
    bt_emit_member_array(emit, "after");
    for (size_t i = 0; i < plan->edges[index].count; i++) {
        const size_t before = plan->edges[index].items[i];
        if (schedule->steps[before].is_in) {
            bt_emit_string(emit, plan->steps[before].id);
        }
    }
    bt_emit_end(emit);
    bt_emit_name(emit, "conflict");
    if (step->conflict.wave == 0) {
        bt_emit_null(emit);
    } else {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "step", plan->steps[step->conflict.step].id);
        bt_emit_name(emit, "path");
        if (step->has_path) {
            bt_emit_string(emit, step->path);
        } else {
            bt_emit_null(emit);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* The waves, each with its steps by row, as JSON and for people; the size of the largest. */
static enum bt_status put_waves(const struct plan_waves_schedule *schedule, struct bt_emit *emit,
                                struct bt_buf *shown, size_t *out_largest)
{
    const struct bt_plan_check *plan = schedule->plan;
    size_t *first = BT_NEW_ARRAY(plan->arena, size_t, schedule->waves + 2); /* by wave */
    size_t *next = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1);
    BT_TRY(first && next ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < schedule->waves + 2; i++) {
        first[i] = BT_ABSENT;
    }
    for (size_t i = plan->steps_count; i > 0; i--) {
        if (schedule->steps[i - 1].is_in) {
            next[i - 1] = first[schedule->steps[i - 1].wave];
            first[schedule->steps[i - 1].wave] = i - 1;
        }
    }
    bt_emit_begin_array(emit);
    for (size_t wave = 1; wave <= schedule->waves; wave++) {
        size_t size = 0;
        bt_emit_begin_array(emit);
        bt_buf_printf(shown, "wave %zu:", wave);
        for (size_t i = first[wave]; i != BT_ABSENT; i = next[i]) {
            bt_emit_string(emit, plan->steps[i].id);
            bt_buf_put_char(shown, ' ');
            bt_buf_put_printable(shown, plan->steps[i].id, ID_SHOWN);
            size++;
        }
        bt_emit_end(emit);
        bt_buf_put_char(shown, '\n');
        *out_largest = size > *out_largest ? size : *out_largest;
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_schedule(const struct plan_waves_schedule *schedule,
                                   struct bt_plan_result *out)
{
    const struct bt_plan_check *plan = schedule->plan;
    struct bt_buf buf;
    struct bt_buf shown;
    struct bt_emit emit;
    size_t largest = 0;
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_buf_init(&shown, MEMBERS_BYTES_MAX);
    bt_buf_put_text(&buf, "\"schedule\":");
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "waves");
    enum bt_status status = put_waves(schedule, &emit, &shown, &largest);
    if (status == BT_OK) {
        bt_emit_member_u64(&emit, "max_parallelism", largest);
        bt_emit_member_array(&emit, "steps");
        for (size_t i = 0; i < plan->steps_count; i++) {
            if (schedule->steps[i].is_in) {
                put_step(schedule, i, &emit);
            }
        }
        bt_emit_end(&emit);
        bt_emit_end(&emit);
        status = bt_buf_copy(&buf, plan->arena, &out->members);
    }
    status = status == BT_OK ? bt_buf_copy(&shown, plan->arena, &out->text) : status;
    bt_buf_free(&shown);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_plan_waves(struct bt_plan_checker *plans, struct bt_arena *arena,
                             const struct bt_plan_input *input, bool remaining,
                             struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    assert(out);
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_plan_result result = {0};
    struct plan_waves_schedule schedule;
    struct bt_plan_check plan;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, plans, input->options, findings);
    BT_TRY(bt_plan_read(&plan, input->text));
    if (plan.is_readable) {
        BT_TRY(bt_plan_duplicates(&plan));
        BT_TRY(bt_plan_dependencies(&plan));
    }
    if (!bt_findings_have_hard(findings, 0)) {
        BT_TRY(build_schedule(&schedule, &plan, remaining));
        BT_TRY(put_schedule(&schedule, &result));
    }
    BT_TRY(bt_plan_finish(findings, input->path, input->text, &result.judged));
    *out = result;
    return BT_OK;
}
