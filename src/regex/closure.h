/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closure.h - sets of instructions, and all that can be reached from them without reading.
 */
#ifndef BATON_SRC_REGEX_CLOSURE_H
#define BATON_SRC_REGEX_CLOSURE_H

#include "regex/program.h"

/* A set of small numbers with constant-time add, test and clear (Briggs and Torczon). */
struct bt_re_members {
    uint32_t *dense;
    uint32_t *sparse;
    uint32_t count;
};

/* What the instructions that read nothing may ask about a place. */
struct bt_re_context {
    bool is_first; /* nothing has been read */
    bool is_last;  /* nothing is left */
    bool is_after_word;
    bool is_before_word;
    uint64_t looks; /* which of the program's look-arounds hold, a bit each */
};

struct bt_re_closure {
    const struct bt_re_program *program;
    const struct bt_re_alphabet *alphabet;
    struct bt_re_members kernel;  /* what the run stands before */
    struct bt_re_members reached; /* everything that can be reached from there without reading */
    struct bt_re_members next;    /* what it stands before when the next symbol has been read */
    uint32_t *stack;
    bool is_matched; /* MATCH was reached */
};

/* Add an item; false when it is there already. */
static inline bool bt_re_members_add(struct bt_re_members *members, uint32_t item)
{
    const uint32_t slot = members->sparse[item];
    if (slot < members->count && members->dense[slot] == item) {
        return false;
    }
    members->sparse[item] = members->count;
    members->dense[members->count++] = item;
    return true;
}

/* Room for the numbers below `count`; false when the arena is full. */
bool bt_re_members_make(struct bt_arena *arena, uint32_t count, struct bt_re_members *out);

/* Room for one program's closures; false when the arena is full. */
bool bt_re_closure_make(struct bt_arena *arena, const struct bt_re_program *program,
                        const struct bt_re_alphabet *alphabet, struct bt_re_closure *out);

/*
 * Fill `reached` from the kernel (and from the start, unless the program is anchored) and `next`
 * with what follows if `symbol` is read; the count of symbols stands for the end.
 */
void bt_re_closure_advance(struct bt_re_closure *closure, const struct bt_re_context *context,
                           uint32_t symbol);

/* The symbol has been read: what was next is the kernel. */
static inline void bt_re_closure_step(struct bt_re_closure *closure)
{
    const struct bt_re_members kernel = closure->kernel;
    closure->kernel = closure->next;
    closure->next = kernel;
}

#endif
