/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - a small automaton made smallest, as a table of two-byte moves.
 *
 * States are merged by refinement (Moore): they begin as those that have matched, those that never
 * will and the rest, and are told apart by where their letters lead until nothing changes.
 */
#include <string.h>

#include "regex/run.h"
#include "regex/tier.h"

/* Each round of merging looks at every move. */
#define MERGE_WORK_MAX 2000000U
/* More would only make a table smaller that is good as it is. */
#define SINK_ROUNDS_MAX 50U
/* Bytes that the moves of two letters may take. */
#define PAIRS_BYTES_MAX 16384U
/* A shorter prefix is read by the table as fast. */
#define PREFIX_MIN 8U

enum { DEAD = 0, MATCHED = 1 };

struct re_table_merger {
    const struct bt_re_dfa *dfa;
    uint32_t *class_of;
    uint32_t *next_class;
    uint32_t *slots; /* a hash table of states that stand for their class */
    uint32_t slots_count;
    uint32_t classes;
};

/* The class that a state's move at a letter leads to. */
static uint32_t get_target_class(const struct re_table_merger *self, uint32_t state,
                                 uint32_t letter)
{
    const uint32_t move = self->dfa->moves[(size_t)state * self->dfa->stride + letter];
    return (move & 1) != 0 ? MATCHED : self->class_of[move >> 1];
}

static uint64_t hash_row(const struct re_table_merger *self, uint32_t state)
{
    uint64_t hash = self->class_of[state];
    for (uint32_t letter = 0; letter < self->dfa->stride; letter++) {
        hash = (hash ^ get_target_class(self, state, letter)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is_same_row(const struct re_table_merger *self, uint32_t a, uint32_t b)
{
    for (uint32_t letter = 0; letter < self->dfa->stride; letter++) {
        if (get_target_class(self, a, letter) != get_target_class(self, b, letter)) {
            return false;
        }
    }
    return self->class_of[a] == self->class_of[b];
}

/* Whether every letter of a state leads to `class`. */
static bool leads_only_to(const struct re_table_merger *self, uint32_t state, uint32_t class)
{
    for (uint32_t letter = 0; letter < self->dfa->stride; letter++) {
        if (get_target_class(self, state, letter) != class) {
            return false;
        }
    }
    return true;
}

/* Give the states that can only match, or never can, the class of those that did. */
static void sink_states(struct re_table_merger *self)
{
    bool is_changed = true;
    for (uint32_t round = 0; is_changed && round < SINK_ROUNDS_MAX; round++) {
        is_changed = false;
        for (uint32_t state = BT_RE_INITIAL; state < self->dfa->states_count; state++) {
            if (self->class_of[state] <= MATCHED) {
                continue;
            }
            const bool is_dead = leads_only_to(self, state, DEAD);
            if (is_dead || leads_only_to(self, state, MATCHED)) {
                self->class_of[state] = is_dead ? DEAD : MATCHED;
                is_changed = true;
            }
        }
    }
}

/* One round: states of equal rows get the same class. Returns the number of classes. */
static uint32_t merge_round(struct re_table_merger *self)
{
    uint32_t classes = MATCHED + 1;
    memset(self->slots, 0, self->slots_count * sizeof(*self->slots));
    for (uint32_t state = BT_RE_INITIAL; state < self->dfa->states_count; state++) {
        if (self->class_of[state] <= MATCHED) {
            self->next_class[state] = self->class_of[state];
            continue;
        }
        uint64_t slot = hash_row(self, state);
        uint32_t found = 0;
        while ((found = self->slots[slot & (self->slots_count - 1)]) != 0 &&
               !is_same_row(self, found, state)) {
            slot++;
        }
        if (found == 0) {
            self->slots[slot & (self->slots_count - 1)] = state;
            self->next_class[state] = classes++;
        } else {
            self->next_class[state] = self->next_class[found];
        }
    }
    return classes;
}

static bool make_merger(struct bt_re_build *build, struct re_table_merger *self)
{
    const uint32_t states = self->dfa->states_count;
    self->slots_count = 4;
    while (self->slots_count < states * 2) {
        self->slots_count *= 2;
    }
    self->class_of = bt_re_scratch(build, states, sizeof(uint32_t));
    self->next_class = self->class_of ? bt_re_scratch(build, states, sizeof(uint32_t)) : NULL;
    self->slots =
        self->next_class ? bt_re_scratch(build, self->slots_count, sizeof(uint32_t)) : NULL;
    for (uint32_t state = BT_RE_INITIAL; self->slots && state < states; state++) {
        self->class_of[state] = MATCHED + 1;
    }
    return self->slots != NULL;
}

/* Refine until nothing changes; false when that would take too long. */
static bool merge_states(struct re_table_merger *self)
{
    const uint32_t states = self->dfa->states_count;
    uint64_t work = 0;
    sink_states(self);
    for (uint32_t classes = merge_round(self); classes != self->classes;
         classes = merge_round(self)) {
        self->classes = classes;
        memcpy(self->class_of, self->next_class, states * sizeof(uint32_t));
        work += (uint64_t)states * self->dfa->stride;
        if (work > MERGE_WORK_MAX) {
            return false;
        }
    }
    return true;
}

static void fill_moves(const struct re_table_merger *self, uint16_t *moves)
{
    const uint32_t stride = self->dfa->stride;
    for (uint32_t letter = 0; letter < stride; letter++) {
        moves[MATCHED * stride + letter] = (uint16_t)(MATCHED * stride);
    }
    for (uint32_t state = BT_RE_INITIAL; state < self->dfa->states_count; state++) {
        const uint32_t class = self->class_of[state];
        for (uint32_t letter = 0; class > MATCHED && letter < stride; letter++) {
            moves[class * stride + letter] =
                (uint16_t)(get_target_class(self, state, letter) * stride);
        }
    }
}

/* Give the table the fixed part that the pattern begins with, if it is long enough. */
static bool add_prefix(struct bt_re_build *build, const struct bt_re_dfa *dfa,
                       const struct bt_re_shape *shape, struct bt_re_table *table)
{
    if (!shape->has_begin || dfa->program->has_word) {
        return true;
    }
    struct bt_re_fixed *prefix = NULL;
    uint32_t runs = 0;
    if (!bt_re_fixed_make(build, shape, &prefix, &runs)) {
        return false;
    }
    if (prefix->size < PREFIX_MIN) {
        return true;
    }
    /* The automaton stands before one instruction throughout, so any character will do. */
    uint16_t state = table->initial;
    for (uint32_t i = 0; i < runs; i++) {
        const uint32_t point = shape->runs[i].set->set.ranges[0].first;
        for (uint32_t count = 0; count < shape->runs[i].max; count++) {
            state = table->moves[state + dfa->programs->alphabet.ascii[point]];
        }
    }
    table->prefix = prefix;
    table->after_prefix = state;
    return true;
}

static bool add_pairs(struct bt_re_build *build, struct bt_re_table *table)
{
    const uint64_t row = (uint64_t)table->stride * table->stride;
    const uint64_t bytes = row * table->states * sizeof(uint16_t);
    if (bytes > PAIRS_BYTES_MAX || bytes > build->options->tables_bytes_max) {
        return true;
    }
    uint16_t *pairs = bt_re_keep(build, table->states, (size_t)row * sizeof(*pairs));
    if (!pairs) {
        return false;
    }
    size_t at = 0;
    for (uint32_t state = 0; state < table->states; state++) {
        for (uint32_t first = 0; first < table->stride; first++) {
            const uint32_t between = table->moves[state * table->stride + first];
            for (uint32_t second = 0; second < table->stride; second++) {
                const uint32_t next = table->moves[between + second];
                pairs[at++] = (uint16_t)(next * table->stride);
            }
        }
    }
    table->pairs = pairs;
    return true;
}

bool bt_re_table_make(struct bt_re_build *build, const struct bt_re_dfa *dfa,
                      const struct bt_re_shape *shape, struct bt_re_table **out)
{
    struct re_table_merger self = {.dfa = dfa};
    if (!make_merger(build, &self)) {
        return false;
    }
    if (!merge_states(&self) || (uint64_t)self.classes * dfa->stride > UINT16_MAX) {
        return true;
    }
    struct bt_re_table *table = bt_re_keep(build, 1, sizeof(*table));
    uint16_t *moves =
        table ? bt_re_keep(build, (size_t)self.classes * dfa->stride, sizeof(*moves)) : NULL;
    if (!moves) {
        return false;
    }
    fill_moves(&self, moves);
    table->stride = dfa->stride;
    table->states = self.classes;
    table->moves = moves;
    table->initial = (uint16_t)(self.class_of[BT_RE_INITIAL] * dfa->stride);
    *out = table;
    return add_prefix(build, dfa, shape, table) && add_pairs(build, table);
}

/* Read on from a state at `at`. */
static bool read_rest(const struct bt_re_table *table, const struct bt_re_alphabet *alphabet,
                      bt_str subject, size_t at, uint32_t state)
{
    const unsigned char *bytes = (const unsigned char *)subject.ptr;
    const uint32_t undecided = (MATCHED + 1) * table->stride;
    while (at < subject.len && state >= undecided) {
        uint32_t symbol = 0;
        if (bytes[at] < 0x80) {
            symbol = alphabet->ascii[bytes[at++]];
        } else {
            uint32_t point = 0;
            at += bt_re_decode(bytes + at, subject.len - at, &point);
            symbol = bt_re_alphabet_symbol(alphabet, point);
        }
        state = table->moves[state + symbol];
    }
    return table->moves[state + table->stride - 1] != DEAD;
}

/* Run the table on two letters at a time; anything that is not ASCII is left to the other loop. */
static bool read_pairs(const struct bt_re_table *table, const struct bt_re_alphabet *alphabet,
                       bt_str subject, size_t at, uint32_t start)
{
    const unsigned char *bytes = (const unsigned char *)subject.ptr;
    const uint32_t stride = table->stride;
    const uint32_t undecided = (MATCHED + 1) * stride * stride;
    const uint32_t end = stride - 1;
    uint32_t state = start * stride;
    for (; subject.len - at >= 2 && state >= undecided; at += 2) {
        if (((bytes[at] | bytes[at + 1]) & 0x80) != 0) {
            return read_rest(table, alphabet, subject, at, state / stride);
        }
        state = table->pairs[state + alphabet->ascii[bytes[at]] * stride +
                             alphabet->ascii[bytes[at + 1]]];
    }
    if (at == subject.len || state < undecided) {
        return table->pairs[state + end * stride] != DEAD;
    }
    if (bytes[at] >= 0x80) {
        return read_rest(table, alphabet, subject, at, state / stride);
    }
    return table->pairs[state + alphabet->ascii[bytes[at]] * stride + end] != DEAD;
}

bool bt_re_table_match(const struct bt_re_table *table, const struct bt_re_alphabet *alphabet,
                       bt_str subject)
{
    size_t at = 0;
    uint32_t state = table->initial;
    if (table->prefix) {
        at = table->prefix->size;
        state = table->after_prefix;
        if (subject.len < at ||
            !bt_re_fixed_match(table->prefix, (const unsigned char *)subject.ptr)) {
            return false;
        }
    }
    return table->pairs ? read_pairs(table, alphabet, subject, at, state)
                        : read_rest(table, alphabet, subject, at, state);
}
