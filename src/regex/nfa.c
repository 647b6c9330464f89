/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nfa.c - all ways through an automaton at once, one character after the other.
 *
 * Between two characters the machine stands before a set of instructions. It follows those that
 * read nothing as far as the place allows (the closure), then lets the next character through those
 * that read. Each instruction is visited at most once for each character.
 *
 * A counted repeat of one set is not written out when it is long. All repeats that are under way
 * read the same characters, so it is enough to know when each began: they all end together, at a
 * character outside the set, and they may be left while one of them is between min and max
 * characters old.
 */
#include <string.h>

#include "regex/matcher.h"
#include "regex/run.h"

struct re_nfa_counter {
    const struct bt_re_counter *rule;
    uint32_t out;
    bool is_active;
    bool has_ring;
    uint64_t oldest; /* times, in characters read, at which repeats that are under way began */
    uint64_t newest;
    uint64_t *ring; /* a bit for each of the last max + 1 times; only when in between matters */
};

struct re_nfa {
    struct bt_re_run *run;
    struct bt_re_closure closure;
    struct re_nfa_counter *countings;
    struct bt_re_members active; /* the countings with repeats under way */
    uint64_t time;               /* characters read */
};

static bool make_countings(struct re_nfa *self, struct bt_arena *arena)
{
    const struct bt_re_program *program = self->run->program;
    self->countings = BT_NEW_ARRAY(arena, struct re_nfa_counter, program->counters_count);
    if (!self->countings || !bt_re_members_make(arena, program->counters_count, &self->active)) {
        return false;
    }
    for (uint32_t i = 0; i < program->counters_count; i++) {
        struct re_nfa_counter *counting = &self->countings[i];
        counting->rule = &program->counters[i];
        /* One that cannot grow too old is left by the oldest; min 1 is reached by the newest. */
        counting->has_ring =
            counting->rule->min > 1 && counting->rule->max <= self->run->subject.len;
        if (counting->has_ring) {
            const size_t words = (size_t)counting->rule->max / 64 + 1;
            counting->ring = BT_NEW_ARRAY(arena, uint64_t, words);
        }
        if (counting->has_ring && !counting->ring) {
            return false;
        }
    }
    return true;
}

static uint64_t *ring_word(const struct re_nfa_counter *counting, uint64_t time, uint64_t *out_mask)
{
    const uint64_t bit = time % ((uint64_t)counting->rule->max + 1);
    *out_mask = UINT64_C(1) << (bit % 64);
    return &counting->ring[bit / 64];
}

static void begin_counting(struct re_nfa_counter *counting, uint64_t time)
{
    if (!counting->is_active) {
        counting->is_active = true;
        counting->oldest = time;
    }
    counting->newest = time;
    if (counting->has_ring) {
        uint64_t mask = 0;
        uint64_t *word = ring_word(counting, time, &mask);
        *word |= mask;
    }
}

/* Forget the repeats that began before `time`, and find the oldest that is left. */
static void forget_before(struct re_nfa_counter *counting, uint64_t time)
{
    while (counting->oldest <= counting->newest) {
        uint64_t mask = 0;
        uint64_t *word = ring_word(counting, counting->oldest, &mask);
        if (counting->oldest >= time && (*word & mask) != 0) {
            return;
        }
        *word &= ~mask;
        counting->oldest++;
    }
    counting->is_active = false;
}

/* A character has been read; `time` counts it. Returns whether the repeat may be left now. */
static bool advance_counting(struct re_nfa_counter *counting, bool is_in_set, uint64_t time)
{
    const struct bt_re_counter *rule = counting->rule;
    if (counting->has_ring) {
        const uint64_t keep_from = time > rule->max ? time - rule->max : 0;
        forget_before(counting, is_in_set ? keep_from : UINT64_MAX);
        return counting->is_active && time - counting->oldest >= rule->min;
    }
    if (rule->min == 1) {
        counting->is_active =
            is_in_set && (rule->max == BT_RE_INFINITE || time - counting->newest <= rule->max);
        return counting->is_active;
    }
    counting->is_active = is_in_set;
    return is_in_set && time - counting->oldest >= rule->min;
}

/* Begin the counted repeats that the closure has reached. */
static void begin_countings(struct re_nfa *self)
{
    for (uint32_t i = 0; i < self->closure.reached.count; i++) {
        const struct bt_re_inst *inst = &self->run->program->insts[self->closure.reached.dense[i]];
        if (inst->op == BT_RE_OP_COUNT) {
            self->countings[inst->arg].out = inst->out;
            begin_counting(&self->countings[inst->arg], self->time);
            (void)bt_re_members_add(&self->active, inst->arg);
        }
    }
}

/* Let a symbol through the repeats that are under way. */
static void step_countings(struct re_nfa *self, uint32_t symbol)
{
    const struct bt_re_alphabet *alphabet = &self->run->programs->alphabet;
    const uint32_t count = self->active.count;
    self->active.count = 0;
    self->time++;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = self->active.dense[i];
        struct re_nfa_counter *counting = &self->countings[index];
        const bool is_in_set = bt_re_alphabet_has(alphabet, counting->rule->set, symbol);
        if (advance_counting(counting, is_in_set, self->time)) {
            (void)bt_re_members_add(&self->closure.next, counting->out);
        }
        if (counting->is_active) { /* never overtakes the reading of the list */
            (void)bt_re_members_add(&self->active, index);
        }
    }
}

static bool is_dead(const struct re_nfa *self)
{
    return self->run->program->is_anchored && self->closure.kernel.count == 0 &&
           self->active.count == 0;
}

static enum bt_regex_match_result run_all(struct re_nfa *self, struct bt_re_place place)
{
    struct bt_re_run *run = self->run;
    const struct bt_re_alphabet *alphabet = &run->programs->alphabet;
    for (;;) {
        size_t after = place.at;
        const uint32_t symbol = bt_re_read(run, &after);
        const bool is_last = symbol == alphabet->count;
        const struct bt_re_context context = {place.is_first, is_last, place.is_after_word,
                                              bt_re_is_word(run, symbol),
                                              bt_re_looks_at(run, place.at)};
        bt_re_closure_advance(&self->closure, &context, symbol);
        if (self->closure.is_matched && !run->record) {
            return BT_REGEX_MATCH;
        }
        if (self->closure.is_matched) {
            bt_re_record(run, place.at);
        }
        if (run->program->counters_count > 0) {
            begin_countings(self);
        }
        if (!bt_re_spend(run, 1 + (uint64_t)self->closure.reached.count + self->active.count)) {
            return BT_REGEX_UNDECIDED;
        }
        if (is_last) {
            break;
        }
        step_countings(self, symbol);
        bt_re_closure_step(&self->closure);
        if (is_dead(self)) {
            break;
        }
        place = (struct bt_re_place){.at = after, .is_after_word = context.is_before_word};
    }
    return run->record ? BT_REGEX_MATCH : BT_REGEX_NO_MATCH;
}

enum bt_regex_match_result bt_re_nfa_run(struct bt_re_run *run, const struct bt_re_place *from)
{
    struct re_nfa self = {.run = run};
    struct bt_arena *arena = &run->matcher->arena;
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    enum bt_regex_match_result answer = BT_REGEX_UNDECIDED;
    if (bt_re_closure_make(arena, run->program, &run->programs->alphabet, &self.closure) &&
        make_countings(&self, arena) && bt_re_spend(run, run->program->count / 4)) {
        for (uint32_t i = 0; i < from->kernel_count; i++) {
            (void)bt_re_members_add(&self.closure.kernel, from->kernel[i]);
        }
        answer = run_all(&self, *from);
    }
    bt_arena_rewind(arena, mark);
    return answer;
}
