/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dfa_run.c - programs run by deterministic automata: built ahead, or lazily in a bounded cache.
 *
 * When the cache of a lazy one is full it is emptied and begun anew. When that happens too often
 * for the characters it served, the automaton is one of those that have a state for nearly every
 * character (exponential in the pattern), and the run is left to nfa.c: the rest of it, or all of
 * it once more where the program has a compact form.
 */
#include <string.h>

#include "regex/dfa.h"
#include "regex/matcher.h"

/* A state must have served so many characters to be worth building. */
#define USES_MIN 10U
/* So many runs may find out that an automaton is not worth it. */
#define THRASHES_MAX 4U
/* Work on building ahead of matching: some milliseconds. */
#define BUILD_WORK_MAX 1000000U

struct re_dfa_run_lazy {
    struct bt_re_run *run;
    struct bt_re_dfa *dfa;
    uint64_t uses;            /* characters since the cache was last emptied */
    uint32_t *kernel;         /* room for that of `saved` */
    struct bt_re_place saved; /* where the automaton could not go on */
};

/* Keep what a state stands for, which must outlive the cache it is in. */
static bool save_state(struct re_dfa_run_lazy *self, uint32_t state, size_t at)
{
    const struct bt_re_dfa *dfa = self->dfa;
    const struct bt_re_state *from = &dfa->states[state];
    if (!self->kernel) {
        self->kernel = BT_NEW_ARRAY(&self->run->matcher->arena, uint32_t, dfa->program->count);
    }
    if (!self->kernel) {
        return false;
    }
    if (from->kernel_count > 0) {
        memcpy(self->kernel, dfa->pool + from->kernel, from->kernel_count * sizeof(uint32_t));
    }
    self->saved = (struct bt_re_place){.at = at,
                                       .is_first = from->is_first,
                                       .is_after_word = from->is_after_word,
                                       .kernel = self->kernel,
                                       .kernel_count = from->kernel_count};
    return true;
}

/* Empty the cache and put the saved state into it; 0 when even that does not fit. */
static uint32_t begin_anew(struct re_dfa_run_lazy *self)
{
    struct bt_re_dfa *dfa = self->dfa;
    const uint32_t thrashes = dfa->thrashes;
    bt_arena_reset(dfa->arena);
    const bool is_made = bt_re_dfa_make(dfa->arena, dfa->programs, dfa->program, dfa);
    dfa->thrashes = is_made ? thrashes : THRASHES_MAX;
    self->uses = 0;
    return is_made ? bt_re_dfa_state(dfa, &self->saved) : 0;
}

/*
 * The move of a state at a letter, worked out if need be; the state gets another number when the
 * cache was emptied. 0: the automaton is not worth it, and `saved` says where to go on without.
 */
static uint32_t find_move(struct re_dfa_run_lazy *self, uint32_t *state, uint32_t letter, size_t at)
{
    struct bt_re_dfa *dfa = self->dfa;
    const uint64_t before = dfa->work;
    uint32_t move = bt_re_dfa_move(dfa, *state, letter);
    uint64_t work = dfa->work - before;
    if (move == 0) {
        const bool is_worth = self->uses >= (uint64_t)dfa->states_count * USES_MIN;
        if (!save_state(self, *state, at)) {
            (void)bt_re_spend(self->run, UINT64_MAX);
            return 0;
        }
        const uint32_t again = is_worth ? begin_anew(self) : 0;
        if (again != 0) {
            *state = again;
            move = bt_re_dfa_move(dfa, again, letter);
            work += dfa->work;
        }
        dfa->thrashes += move == 0;
    }
    return bt_re_spend(self->run, work) ? move : 0;
}

/* The next state, which is usually cached. */
static inline uint32_t lazy_move(struct re_dfa_run_lazy *self, uint32_t *state, uint32_t letter,
                                 size_t at)
{
    const uint32_t move = self->dfa->moves[(size_t)*state * self->dfa->stride + letter];
    self->uses++;
    return move != 0 ? move : find_move(self, state, letter, at);
}

static enum bt_regex_match_result run_nfa(struct bt_re_run *run)
{
    if (!run->is_plain && run->program->compact) {
        run->program = run->program->compact;
    }
    const struct bt_re_place first = bt_re_begin(run, &run->program->start);
    return bt_re_nfa_run(run, &first);
}

static enum bt_regex_match_result give_up(struct re_dfa_run_lazy *self)
{
    if (self->run->steps_left == 0) {
        return BT_REGEX_UNDECIDED;
    }
    return self->run->program->compact ? run_nfa(self->run)
                                       : bt_re_nfa_run(self->run, &self->saved);
}

/* Read the subject, move by move: those of an automaton built ahead, or those of a lazy one. */
static inline __attribute__((always_inline)) enum bt_regex_match_result
run_moves(struct bt_re_run *run, const struct bt_re_frozen *frozen, struct re_dfa_run_lazy *lazy)
{
    const uint32_t symbols = run->programs->alphabet.count;
    const uint32_t looks = run->program->looks_count;
    size_t at = run->program->is_backward ? run->subject.len : 0;
    const uint32_t stride = frozen ? frozen->stride : 1;
    uint32_t state = BT_RE_INITIAL * stride;
    if (!bt_re_spend(run, (uint64_t)run->subject.len + 1)) {
        return BT_REGEX_UNDECIDED;
    }
    while (state != BT_RE_DEAD * stride) {
        size_t after = at;
        const uint32_t symbol = bt_re_read(run, &after);
        const uint32_t letter = symbol << looks | (uint32_t)bt_re_looks_at(run, at);
        const uint32_t move =
            frozen ? frozen->moves[state + letter] : lazy_move(lazy, &state, letter, at);
        if (!frozen && move == 0) {
            return give_up(lazy);
        }
        if ((move & 1) != 0) {
            if (!run->record) {
                return BT_REGEX_MATCH;
            }
            bt_re_record(run, at);
        }
        if (symbol == symbols) {
            break;
        }
        state = move >> 1;
        at = after;
    }
    return run->record ? BT_REGEX_MATCH : BT_REGEX_NO_MATCH;
}

static enum bt_regex_match_result run_frozen(struct bt_re_run *run)
{
    return run_moves(run, run->program->frozen, NULL);
}

static enum bt_regex_match_result run_lazy(struct bt_re_run *run, struct bt_re_dfa *cache)
{
    struct re_dfa_run_lazy self = {.run = run, .dfa = cache};
    const struct bt_arena_mark mark = bt_arena_mark(&run->matcher->arena);
    const enum bt_regex_match_result answer = run_moves(run, NULL, &self);
    bt_arena_rewind(&run->matcher->arena, mark);
    return answer;
}

enum bt_regex_match_result bt_re_run_program(struct bt_re_run *run, struct bt_re_dfa *cache)
{
    if (run->is_plain) {
        return run_nfa(run);
    }
    if (run->program->frozen) {
        return run_frozen(run);
    }
    return cache && cache->thrashes < THRASHES_MAX ? run_lazy(run, cache) : run_nfa(run);
}

bool bt_re_table_match(const struct bt_re_programs *programs, uint32_t state, bt_str subject)
{
    const struct bt_re_alphabet *alphabet = &programs->alphabet;
    const struct bt_re_frozen *frozen = bt_re_table(programs);
    const unsigned char *at = (const unsigned char *)subject.ptr;
    const unsigned char *end = at + subject.len;
    const uint32_t *moves = frozen->moves;
    while (at < end && state != BT_RE_DEAD * frozen->stride) {
        uint32_t symbol = 0;
        if (*at < 0x80) {
            symbol = alphabet->ascii[*at++];
        } else {
            uint32_t point = 0;
            at += bt_re_decode(at, (size_t)(end - at), &point);
            symbol = bt_re_alphabet_symbol(alphabet, point);
        }
        const uint32_t move = moves[state + symbol];
        if ((move & 1) != 0) {
            return true;
        }
        state = move >> 1;
    }
    return (moves[state + alphabet->count] & 1) != 0;
}

/* Every move of every state that can be reached, until there are too many. */
static bool build_all_moves(struct bt_re_dfa *dfa, uint32_t states_max)
{
    for (uint32_t state = BT_RE_INITIAL; state < dfa->states_count; state++) {
        for (uint32_t letter = 0; letter < dfa->stride; letter++) {
            if (bt_re_dfa_move(dfa, state, letter) == 0 || dfa->states_count > states_max ||
                dfa->work > BUILD_WORK_MAX) {
                return false;
            }
        }
    }
    return true;
}

bool bt_re_dfa_build(struct bt_re_build *build, const struct bt_re_programs *programs,
                     const struct bt_re_program *program, uint32_t bytes_max, struct bt_re_dfa *out)
{
    if (!bt_re_dfa_is_fit(program)) {
        return false;
    }
    const uint64_t row = ((uint64_t)programs->alphabet.count + 1) << program->looks_count;
    const uint64_t states_max = bytes_max / (row * sizeof(uint32_t));
    return states_max > BT_RE_INITIAL && bt_re_dfa_make(build->scratch, programs, program, out) &&
           build_all_moves(out, (uint32_t)states_max);
}
