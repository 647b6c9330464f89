/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dfa.c - states and moves of the deterministic automaton.
 */
#include "regex/dfa.h"

#include <string.h>

#define STATES_FIRST 16U
#define POOL_FIRST 64U

static uint64_t hash_kernel(const uint32_t *kernel, uint32_t count, const struct bt_re_place *place)
{
    uint64_t hash = (uint64_t)count << 2 | (uint64_t)place->is_first << 1 | place->is_after_word;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ kernel[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static void *copy_to_larger(struct bt_arena *arena, const void *old, size_t old_bytes, size_t bytes)
{
    void *memory = bt_arena_calloc(arena, bytes, 1);
    if (memory && old_bytes > 0) {
        memcpy(memory, old, old_bytes);
    }
    return memory;
}

static size_t slots_of(const struct bt_re_dfa *dfa)
{
    return (size_t)dfa->states_capacity * 2;
}

static uint64_t hash_state(const struct bt_re_dfa *dfa, const struct bt_re_state *state)
{
    const struct bt_re_place place = {.is_first = state->is_first,
                                      .is_after_word = state->is_after_word};
    return hash_kernel(dfa->pool + state->kernel, state->kernel_count, &place);
}

/* Twice the room for states, with the hash table made anew. */
static bool grow_states(struct bt_re_dfa *dfa)
{
    const uint32_t capacity = dfa->states_capacity > 0 ? dfa->states_capacity * 2 : STATES_FIRST;
    const size_t row = (size_t)dfa->stride * sizeof(*dfa->moves);
    uint32_t *moves =
        copy_to_larger(dfa->arena, dfa->moves, dfa->states_count * row, capacity * row);
    struct bt_re_state *states =
        moves ? copy_to_larger(dfa->arena, dfa->states, dfa->states_count * sizeof(*states),
                               capacity * sizeof(*states))
              : NULL;
    uint32_t *slots = states ? BT_NEW_ARRAY(dfa->arena, uint32_t, (size_t)capacity * 2) : NULL;
    if (!slots) {
        return false;
    }
    dfa->moves = moves;
    dfa->states = states;
    dfa->slots = slots;
    dfa->states_capacity = capacity;
    for (uint32_t i = BT_RE_DEAD + 1; i < dfa->states_count; i++) {
        uint64_t slot = hash_state(dfa, &states[i]);
        while (slots[slot % ((size_t)capacity * 2)] != 0) {
            slot++;
        }
        slots[slot % ((size_t)capacity * 2)] = i;
    }
    return true;
}

static bool grow_pool(struct bt_re_dfa *dfa, uint32_t need)
{
    uint32_t capacity = dfa->pool_capacity > 0 ? dfa->pool_capacity : POOL_FIRST;
    while (capacity - dfa->pool_count < need) {
        capacity *= 2;
    }
    uint32_t *pool = copy_to_larger(dfa->arena, dfa->pool, dfa->pool_count * sizeof(*pool),
                                    (size_t)capacity * sizeof(*pool));
    if (!pool) {
        return false;
    }
    dfa->pool = pool;
    dfa->pool_capacity = capacity;
    return true;
}

static bool is_state(const struct bt_re_dfa *dfa, const struct bt_re_state *state,
                     const struct bt_re_place *place)
{
    return state->kernel_count == place->kernel_count && state->is_first == place->is_first &&
           state->is_after_word == place->is_after_word &&
           (place->kernel_count == 0 || memcmp(dfa->pool + state->kernel, place->kernel,
                                               place->kernel_count * sizeof(*place->kernel)) == 0);
}

uint32_t bt_re_dfa_state(struct bt_re_dfa *dfa, const struct bt_re_place *place)
{
    uint64_t slot = hash_kernel(place->kernel, place->kernel_count, place);
    for (uint32_t found = 0; (found = dfa->slots[slot % slots_of(dfa)]) != 0; slot++) {
        if (is_state(dfa, &dfa->states[found], place)) {
            return found;
        }
    }
    const bool is_full = dfa->states_count == dfa->states_capacity;
    if (is_full && !grow_states(dfa)) {
        return 0;
    }
    if (dfa->pool_capacity - dfa->pool_count < place->kernel_count &&
        !grow_pool(dfa, place->kernel_count)) {
        return 0;
    }
    const uint32_t state = dfa->states_count++;
    dfa->states[state] = (struct bt_re_state){dfa->pool_count, place->kernel_count, place->is_first,
                                              place->is_after_word};
    if (place->kernel_count > 0) {
        memcpy(dfa->pool + dfa->pool_count, place->kernel,
               place->kernel_count * sizeof(*place->kernel));
    }
    dfa->pool_count += place->kernel_count;
    slot = hash_kernel(place->kernel, place->kernel_count, place);
    while (dfa->slots[slot % slots_of(dfa)] != 0) {
        slot++;
    }
    dfa->slots[slot % slots_of(dfa)] = state;
    return state;
}

bool bt_re_dfa_make(struct bt_arena *arena, const struct bt_re_programs *programs,
                    const struct bt_re_program *program, struct bt_re_dfa *out)
{
    assert(bt_re_dfa_is_fit(program));
    *out = (struct bt_re_dfa){.programs = programs, .program = program, .arena = arena};
    out->stride = (programs->alphabet.count + 1) << program->looks_count;
    if (!bt_re_closure_make(arena, program, &programs->alphabet, &out->closure) ||
        !grow_states(out)) {
        return false;
    }
    out->states_count = BT_RE_INITIAL;
    for (uint32_t letter = 0; letter < out->stride; letter++) {
        out->moves[(size_t)BT_RE_DEAD * out->stride + letter] = BT_RE_DEAD * 2;
    }
    const struct bt_re_place first = {
        .is_first = true, .kernel = &program->start, .kernel_count = 1};
    return bt_re_dfa_state(out, &first) == BT_RE_INITIAL;
}

static void sift_down(uint32_t *items, uint32_t root, uint32_t count)
{
    for (uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && items[child + 1] > items[child];
        if (items[root] >= items[child]) {
            return;
        }
        const uint32_t swapped = items[root];
        items[root] = items[child];
        items[child] = swapped;
        root = child;
    }
}

/* Equal sets must be equal runs of numbers. */
static void sort_numbers(uint32_t *items, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sift_down(items, i, count);
    }
    for (uint32_t end = count; end-- > 1;) {
        const uint32_t swapped = items[0];
        items[0] = items[end];
        items[end] = swapped;
        sift_down(items, 0, end);
    }
}

/* The state behind the symbol that the closure has just been advanced with. */
static uint32_t state_behind(struct bt_re_dfa *dfa, bool is_after_word)
{
    struct bt_re_members *kernel = &dfa->closure.next;
    if (kernel->count == 0 && dfa->program->is_anchored) {
        return BT_RE_DEAD;
    }
    sort_numbers(kernel->dense, kernel->count);
    const struct bt_re_place place = {
        .is_after_word = is_after_word, .kernel = kernel->dense, .kernel_count = kernel->count};
    return bt_re_dfa_state(dfa, &place);
}

uint32_t bt_re_dfa_move(struct bt_re_dfa *dfa, uint32_t state, uint32_t letter)
{
    const struct bt_re_alphabet *alphabet = &dfa->programs->alphabet;
    const struct bt_re_program *program = dfa->program;
    const uint32_t symbol = letter >> program->looks_count;
    const bool is_last = symbol == alphabet->count;
    const bool is_word = program->has_word && !is_last &&
                         bt_re_alphabet_has(alphabet, dfa->programs->word_set, symbol);
    struct bt_re_closure *closure = &dfa->closure;
    const struct bt_re_state *from = &dfa->states[state];
    const struct bt_re_context context = {from->is_first, is_last, from->is_after_word, is_word,
                                          letter & ((1U << program->looks_count) - 1)};
    closure->kernel.count = 0;
    for (uint32_t i = 0; i < from->kernel_count; i++) {
        (void)bt_re_members_add(&closure->kernel, dfa->pool[from->kernel + i]);
    }
    bt_re_closure_advance(closure, &context, symbol);
    dfa->work += 1 + (uint64_t)closure->reached.count;
    uint32_t next = BT_RE_DEAD;
    const bool is_over = is_last || (closure->is_matched && !program->is_recording);
    if (!is_over) {
        next = state_behind(dfa, is_word);
        if (next == 0) {
            return 0;
        }
    }
    const uint32_t move = next * 2 + closure->is_matched;
    dfa->moves[(size_t)state * dfa->stride + letter] = move;
    return move;
}
