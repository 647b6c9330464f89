/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dfa.h - a deterministic automaton, built from a program state by state.
 *
 * A state is a set of instructions (a kernel: what the run stands before) and what is remembered of
 * the last character. A letter is the symbol that comes next, together with which look-arounds hold
 * here; the symbol behind the last means the end of the subject. A move is
 *     next state * 2 + whether the program matched before this letter
 * and 0 while it is not known. Built ahead of matching (frozen) or while matching (lazy).
 */
#ifndef BATON_SRC_REGEX_DFA_H
#define BATON_SRC_REGEX_DFA_H

#include "regex/run.h"

/* More would make the letters too many. */
#define BT_RE_DFA_LOOKS_MAX 4

enum {
    BT_RE_DEAD = 1,    /* the state from which nothing matches any more */
    BT_RE_INITIAL = 2, /* the state of the first position */
};

struct bt_re_state {
    uint32_t kernel; /* where in the pool it begins */
    uint32_t kernel_count;
    bool is_first;
    bool is_after_word;
};

struct bt_re_dfa {
    const struct bt_re_programs *programs;
    const struct bt_re_program *program;
    struct bt_arena *arena; /* for the states; a full one is told, never passed over */
    struct bt_re_closure closure;
    uint32_t stride; /* letters: (symbols + 1) times the sets of look-arounds */
    uint32_t *moves; /* by state, then letter */
    struct bt_re_state *states;
    uint32_t states_count; /* numbers 0 (no state) to states_count - 1 */
    uint32_t states_capacity;
    uint32_t *pool; /* the kernels */
    uint32_t pool_count;
    uint32_t pool_capacity;
    uint32_t *slots;   /* a hash table of state numbers, 0 for none; twice states_capacity */
    uint64_t work;     /* steps spent on building */
    uint32_t thrashes; /* runs in which the automaton was not worth building */
};

/* A finished automaton: moves by state and letter, where a state is the place of its first move. */
struct bt_re_frozen {
    uint32_t stride;
    const uint32_t *moves;
};

/* Whether a program can be run by such an automaton at all. */
static inline bool bt_re_dfa_is_fit(const struct bt_re_program *program)
{
    return program->counters_count == 0 && program->looks_count <= BT_RE_DFA_LOOKS_MAX;
}

/* An automaton of the dead and the initial state; false when the arena is full. */
bool bt_re_dfa_make(struct bt_arena *arena, const struct bt_re_programs *programs,
                    const struct bt_re_program *program, struct bt_re_dfa *out);

/* Work out the move of `state` at `letter`; 0 when the arena is full. */
uint32_t bt_re_dfa_move(struct bt_re_dfa *dfa, uint32_t state, uint32_t letter);

/* Find or add the state of a place; 0 when the arena is full. */
uint32_t bt_re_dfa_state(struct bt_re_dfa *dfa, const struct bt_re_place *place);

/*
 * Build the whole automaton in working memory. False when it, or the work, would be too large: its
 * moves must stay within `bytes_max`.
 */
bool bt_re_dfa_build(struct bt_re_build *build, const struct bt_re_programs *programs,
                     const struct bt_re_program *program, uint32_t bytes_max,
                     struct bt_re_dfa *out);

/* Run a program by the automaton that was built ahead, else by the cached one, else (NULL, or not
 * worth it) by nfa.c. */
enum bt_regex_match_result bt_re_run_program(struct bt_re_run *run, struct bt_re_dfa *cache);

/*
 * Whether a pattern matches, by the automaton of its main program, which was built ahead, reads
 * forwards and does not ask about look-arounds. `state` is the one in which it reads `subject`.
 */
bool bt_re_table_match(const struct bt_re_programs *programs, uint32_t state, bt_str subject);

/* The automaton of the main program, or NULL. */
static inline const struct bt_re_frozen *bt_re_table(const struct bt_re_programs *programs)
{
    return programs->items[programs->count - 1].frozen;
}

#endif
