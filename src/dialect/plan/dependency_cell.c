/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dependency_cell.c - what a dependency cell says: step ids, words without a meaning of their own,
 * ranges of steps and phases as people write them.
 *
 * A range or a phase stands for many steps, so a short cell can grow to the whole plan. All cells
 * of one plan together are read as at most READ_MAX steps; what would be more is not read.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/str.h"
#include "dialect/plan/plan_check.h"

enum {
    READ_MAX = 100000,
    SPLITS_MAX = 8, /* places of one token at which a range may be split */
};

bool bt_plan_next_token(bt_str text, size_t *at, bt_str *out)
{
    static const bt_str separators = BT_STR_INIT(" \t\r\n,;");
    size_t begin = *at;
    while (begin < text.len && bt_str_find_byte(separators, text.ptr[begin], 0) < separators.len) {
        begin++;
    }
    size_t end = begin;
    while (end < text.len && bt_str_find_byte(separators, text.ptr[end], 0) == separators.len) {
        end++;
    }
    *at = end;
    *out = bt_str_slice(text, begin, end);
    return end > begin;
}

static bool is_one_of(bt_str token, const bt_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_ascii_equal_nocase(token, words[i])) {
            return true;
        }
    }
    return false;
}

bool bt_plan_means_no_dependency(bt_str text, size_t at, bt_str token)
{
    static const bt_str always[] = {BT_STR_INIT("none"), BT_STR_INIT("n/a"), BT_STR_INIT("-"),
                                    BT_STR_INIT("+"),    BT_STR_INIT("&"),   BT_STR_INIT("and")};
    static const bt_str before_another[] = {BT_STR_INIT("step"), BT_STR_INIT("steps")};
    bt_str next;
    return is_one_of(token, always, BT_COUNT_OF(always)) ||
           (is_one_of(token, before_another, BT_COUNT_OF(before_another)) &&
            bt_plan_next_token(text, &at, &next));
}

/* ---- Phases ---------------------------------------------------------------------------------- */

/* Number the phases by their first rows, and link the steps of each in rising order. */
static enum bt_status find_phases(struct bt_plan_dependency_reader *reader)
{
    const struct bt_plan_check *plan = reader->plan;
    if (reader->next_in_phase) {
        return BT_OK;
    }
    reader->first_in_phase = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1);
    reader->next_in_phase = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1);
    size_t *last = BT_NEW_ARRAY(plan->arena, size_t, plan->steps_count + 1);
    BT_TRY(reader->first_in_phase && reader->next_in_phase && last ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < plan->steps_count; i++) {
        const bt_str phase =
            bt_plan_trim(bt_plan_text(plan, plan->steps[i].row, BT_PLAN_COLUMN_PHASE_ID));
        struct bt_map_entry *entry = NULL;
        reader->next_in_phase[i] = BT_ABSENT;
        if (bt_plan_is_blank(phase)) {
            continue;
        }
        BT_TRY(bt_map_add(&reader->phases, bt_map_text(phase), &entry));
        const size_t number = bt_map_index(&reader->phases, entry);
        if (entry->value.number == 0) {
            entry->value.number = 1;
            reader->first_in_phase[number] = i;
        } else {
            reader->next_in_phase[last[number]] = i;
        }
        last[number] = i;
    }
    return BT_OK;
}

static size_t find_phase(const struct bt_plan_dependency_reader *reader, bt_str name)
{
    const struct bt_map_entry *entry = bt_map_find(&reader->phases, bt_map_text(name));
    return entry ? bt_map_index(&reader->phases, entry) : BT_ABSENT;
}

static size_t find_step(const struct bt_plan_dependency_reader *reader, bt_str name)
{
    return bt_plan_step_of_id(reader->plan, name);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

typedef size_t plan_dependency_find_fn(const struct bt_plan_dependency_reader *reader, bt_str name);

struct plan_dependency_range {
    size_t from; /* indexes of steps, or numbers of phases */
    size_t to;
};

/* The length of what stands between the two ends of a range, if it stands there, else 0. */
static size_t measure_dash(bt_str token, size_t at)
{
    static const bt_str dashes[] = {BT_STR_INIT("-"), BT_STR_INIT("\xE2\x80\x93"),
                                    BT_STR_INIT("..")};
    const bt_str rest = bt_str_slice(token, at, token.len);
    for (size_t i = 0; i < BT_COUNT_OF(dashes); i++) {
        if (bt_str_starts_with(rest, dashes[i])) {
            return dashes[i].len;
        }
    }
    return 0;
}

/*
 * Split a token into the two names of a range. A token that can be split into two ranges says
 * neither: names may have dashes themselves.
 */
static bool split_range(const struct bt_plan_dependency_reader *reader, bt_str token,
                        plan_dependency_find_fn *find, struct plan_dependency_range *out)
{
    size_t ranges = 0;
    size_t splits = 0;
    for (size_t at = 1; at < token.len && splits < SPLITS_MAX; at++) {
        const size_t dash = measure_dash(token, at);
        if (dash == 0) {
            continue;
        }
        splits++;
        const size_t from = find(reader, bt_str_slice(token, 0, at));
        const size_t to =
            from == BT_ABSENT ? BT_ABSENT : find(reader, bt_str_slice(token, at + dash, token.len));
        if (to != BT_ABSENT && from < to) {
            *out = (struct plan_dependency_range){from, to};
            ranges++;
        }
    }
    return ranges == 1;
}

/* Put the steps that are meant, without the one whose cell it is. */
static enum bt_status add_steps(struct bt_plan_dependency_reader *reader,
                                const struct plan_dependency_range *range, bool is_phase,
                                struct bt_plan_dependency *out)
{
    struct bt_arena *arena = reader->plan->arena;
    const size_t end = range->to + 1;
    size_t count = 0;
    out->kind = BT_PLAN_DEPENDENCY_TOO_MANY;
    for (size_t i = range->from; i < end && count <= reader->read_left; i++) {
        size_t step = is_phase ? reader->first_in_phase[i] : i;
        for (; step != BT_ABSENT && count <= reader->read_left;
             step = is_phase ? reader->next_in_phase[step] : BT_ABSENT) {
            count++;
        }
    }
    if (count > reader->read_left) {
        return BT_OK;
    }
    size_t *steps = BT_NEW_ARRAY(arena, size_t, count + 1);
    BT_TRY(steps ? BT_OK : BT_ENOMEM);
    reader->read_left -= count;
    out->kind = BT_PLAN_DEPENDENCY_SPELLED;
    out->steps = steps;
    for (size_t i = range->from; i < end; i++) {
        size_t step = is_phase ? reader->first_in_phase[i] : i;
        for (; step != BT_ABSENT; step = is_phase ? reader->next_in_phase[step] : BT_ABSENT) {
            if (step != reader->step) {
                steps[out->count++] = step;
            }
        }
    }
    bt_plan_sort_indexes(steps, out->count);
    return BT_OK;
}

/* `phase` or `phases` before a phase or a range of them. */
static enum bt_status read_phases(struct bt_plan_dependency_reader *reader, bt_str token,
                                  struct bt_plan_dependency *out)
{
    static const bt_str words[] = {BT_STR_INIT("phase"), BT_STR_INIT("phases")};
    size_t at = reader->at;
    bt_str name;
    if (reader->plan->columns != BT_PLAN_COLUMN_SET_PLANNING ||
        !is_one_of(token, words, BT_COUNT_OF(words)) ||
        !bt_plan_next_token(reader->text, &at, &name)) {
        return BT_OK;
    }
    BT_TRY(find_phases(reader));
    const size_t phase = find_phase(reader, name);
    struct plan_dependency_range range = {phase, phase};
    if (phase == BT_ABSENT && !split_range(reader, name, find_phase, &range)) {
        return BT_OK;
    }
    reader->at = at;
    BT_TRY(bt_arena_printf(reader->plan->arena, &out->text, "%.*s %.*s", BT_STR_ARG(token),
                           BT_STR_ARG(name)));
    return add_steps(reader, &range, true, out);
}

static enum bt_status read_spelling(struct bt_plan_dependency_reader *reader, bt_str token,
                                    struct bt_plan_dependency *out)
{
    struct plan_dependency_range range;
    *out = (struct bt_plan_dependency){.kind = BT_PLAN_DEPENDENCY_UNKNOWN, .text = token};
    BT_TRY(read_phases(reader, token, out));
    return out->kind == BT_PLAN_DEPENDENCY_UNKNOWN && split_range(reader, token, find_step, &range)
               ? add_steps(reader, &range, false, out)
               : BT_OK;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

void bt_plan_dependency_reader_init(struct bt_plan_dependency_reader *reader,
                                    struct bt_plan_check *plan)
{
    assert(plan->has_ids);
    *reader = (struct bt_plan_dependency_reader){.plan = plan, .read_left = READ_MAX};
    bt_map_init(&reader->phases, plan->arena, plan->plans->env->hash_seed);
    bt_map_init(&reader->seen, plan->arena, plan->plans->env->hash_seed);
}

void bt_plan_dependency_reader_begin(struct bt_plan_dependency_reader *reader, size_t step)
{
    const struct bt_plan_check *plan = reader->plan;
    reader->step = step;
    reader->text = bt_plan_text(plan, plan->steps[step].row, bt_plan_depend_column(plan));
    reader->at = 0;
}

/* Whether the current cell had this text before. */
static enum bt_status find_repeat(struct bt_plan_dependency_reader *reader, bt_str text,
                                  bool *out_is_repeat)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&reader->seen, bt_map_text(text), &entry));
    *out_is_repeat = entry->value.number == reader->step + 1;
    entry->value.number = reader->step + 1;
    return BT_OK;
}

enum bt_status bt_plan_dependency_next(struct bt_plan_dependency_reader *reader,
                                       struct bt_plan_dependency *out)
{
    bt_str token;
    while (bt_plan_next_token(reader->text, &reader->at, &token)) {
        const size_t target = bt_plan_step_of_id(reader->plan, token);
        bool is_repeat = false;
        if (target != BT_ABSENT) {
            *out = (struct bt_plan_dependency){
                .kind = BT_PLAN_DEPENDENCY_STEP, .text = token, .step = target};
            return BT_OK;
        }
        if (bt_plan_means_no_dependency(reader->text, reader->at, token)) {
            continue;
        }
        BT_TRY(read_spelling(reader, token, out));
        BT_TRY(find_repeat(reader, out->text, &is_repeat));
        if (!is_repeat) {
            return BT_OK;
        }
    }
    *out = (struct bt_plan_dependency){.kind = BT_PLAN_DEPENDENCY_NONE};
    return BT_OK;
}
