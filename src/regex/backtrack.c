/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backtrack.c - a search for patterns with back-references, under fuel.
 *
 * One stack holds, in the order they were made, the choices that are still open, what slots held
 * before they were written (to be written back when the search goes back), and the look-arounds
 * that are under way. Running out of fuel or of stack is the answer LIMIT.
 */
#include "regex/backtrack.h"

#include <string.h>

#include "regex/matcher.h"
#include "regex/run.h"

#define UNSET SIZE_MAX
#define STACK_FIRST 256U

enum re_backtrack_entry_kind { CHOICE = 1, UNDO, LOOK };

struct re_backtrack_entry {
    enum re_backtrack_entry_kind kind;
    uint32_t number; /* the step to go on with, or the slot, or the LOOK step */
    size_t value;    /* the position, or what the slot held */
    size_t previous; /* LOOK: the one that was under way before */
};

struct re_backtrack_search {
    const struct bt_re_backtrack *program;
    struct bt_arena *arena;
    const unsigned char *bytes;
    size_t size;
    uint64_t fuel;
    size_t *slots;
    struct re_backtrack_entry *stack;
    size_t depth;
    size_t capacity;
    size_t look; /* where on the stack the innermost look-around is, or UNSET */
    bool is_spent;
    uint32_t pc;
    size_t at;
};

static bool push_entry(struct re_backtrack_search *self, struct re_backtrack_entry entry)
{
    if (self->depth == self->capacity) {
        const size_t capacity = self->capacity > 0 ? self->capacity * 2 : STACK_FIRST;
        struct re_backtrack_entry *stack =
            BT_NEW_ARRAY(self->arena, struct re_backtrack_entry, capacity);
        if (!stack) {
            self->is_spent = true;
            return false;
        }
        if (self->depth > 0) {
            memcpy(stack, self->stack, self->depth * sizeof(*stack));
        }
        self->stack = stack;
        self->capacity = capacity;
    }
    self->stack[self->depth++] = entry;
    return true;
}

static bool set_slot(struct re_backtrack_search *self, uint32_t slot, size_t value)
{
    if (!push_entry(self, (struct re_backtrack_entry){
                              .kind = UNDO, .number = slot, .value = self->slots[slot]})) {
        return false;
    }
    self->slots[slot] = value;
    return true;
}

/* Go back to the latest choice that is open; false when there is none. */
static bool go_back(struct re_backtrack_search *self)
{
    while (self->depth > 0) {
        const struct re_backtrack_entry entry = self->stack[--self->depth];
        switch (entry.kind) {
        case UNDO:
            self->slots[entry.number] = entry.value;
            break;
        case CHOICE:
            self->pc = entry.number;
            self->at = entry.value;
            return true;
        case LOOK:
            self->look = entry.previous;
            if (self->program->steps[entry.number].is_negative) {
                self->pc = self->program->steps[entry.number].out;
                self->at = entry.value;
                return true;
            }
            break;
        }
    }
    return false;
}

static bool begin_look(struct re_backtrack_search *self, const struct bt_re_step *step)
{
    const struct re_backtrack_entry look = {.kind = LOOK,
                                            .number = (uint32_t)(step - self->program->steps),
                                            .value = self->at,
                                            .previous = self->look};
    if (!push_entry(self, look)) {
        return false;
    }
    self->look = self->depth - 1;
    self->pc = step->alt;
    return true;
}

/* The body of the innermost look-around has matched. Returns whether the search goes on here. */
static bool finish_look(struct re_backtrack_search *self)
{
    assert(self->look != UNSET);
    const size_t bottom = self->look;
    const struct re_backtrack_entry look = self->stack[bottom];
    const struct bt_re_step *step = &self->program->steps[look.number];
    self->look = look.previous;
    if (step->is_negative) {
        while (self->depth > bottom) {
            const struct re_backtrack_entry entry = self->stack[--self->depth];
            if (entry.kind == UNDO) {
                self->slots[entry.number] = entry.value;
            }
        }
        return false;
    }
    /* Its choices are closed; what it captured stays, and can still be taken back. */
    size_t kept = bottom;
    for (size_t i = bottom + 1; i < self->depth; i++) {
        if (self->stack[i].kind == UNDO) {
            self->stack[kept++] = self->stack[i];
        }
    }
    self->fuel -= self->fuel < self->depth - bottom ? self->fuel : self->depth - bottom;
    self->depth = kept;
    self->pc = step->out;
    self->at = look.value;
    return true;
}

static bool read_set(struct re_backtrack_search *self, const struct bt_re_step *step)
{
    const struct bt_re_alphabet *alphabet = &self->program->alphabet;
    uint32_t point = 0;
    size_t length = 0;
    if (self->at == (step->is_backward ? 0 : self->size)) {
        return false;
    }
    length = step->is_backward
                 ? bt_re_decode_back(self->bytes, self->at, &point)
                 : bt_re_decode(self->bytes + self->at, self->size - self->at, &point);
    const uint32_t symbol =
        point < 0x80 ? alphabet->ascii[point] : bt_re_alphabet_symbol(alphabet, point);
    if (!bt_re_alphabet_has(alphabet, step->arg, symbol)) {
        return false;
    }
    self->at = step->is_backward ? self->at - length : self->at + length;
    return true;
}

/* A group that has captured nothing is found everywhere. */
static bool read_backref(struct re_backtrack_search *self, const struct bt_re_step *step)
{
    const size_t *group = self->slots + (size_t)step->arg * 2;
    const size_t begin = group[0];
    const size_t end = group[1];
    if (begin == UNSET) {
        return true;
    }
    const size_t length = end - begin;
    const size_t room = step->is_backward ? self->at : self->size - self->at;
    self->fuel -= self->fuel < length ? self->fuel : length;
    if (length > room) {
        return false;
    }
    const size_t from = step->is_backward ? self->at - length : self->at;
    if (length > 0 && memcmp(self->bytes + from, self->bytes + begin, length) != 0) {
        return false;
    }
    self->at = step->is_backward ? from : from + length;
    return true;
}

static bool is_word_byte(const struct re_backtrack_search *self, size_t at)
{
    const unsigned char byte = at < self->size ? self->bytes[at] : ' ';
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

static bool is_boundary(const struct re_backtrack_search *self)
{
    const bool is_after_word = self->at > 0 && is_word_byte(self, self->at - 1);
    return is_after_word != is_word_byte(self, self->at);
}

static bool clear_groups(struct re_backtrack_search *self, const struct bt_re_step *step)
{
    for (uint32_t slot = step->arg * 2; slot < step->alt * 2; slot++) {
        self->fuel -= self->fuel > 0;
        if (self->slots[slot] != UNSET && !set_slot(self, slot, UNSET)) {
            return false;
        }
    }
    return true;
}

static bool capture_group(struct re_backtrack_search *self, const struct bt_re_step *step)
{
    const size_t other = self->slots[step->alt];
    const size_t begin = other < self->at ? other : self->at;
    const size_t end = other < self->at ? self->at : other;
    return set_slot(self, step->arg * 2, begin) && set_slot(self, step->arg * 2 + 1, end);
}

/* Do one step; false when it fails, and the search must go back. */
static bool run_step(struct re_backtrack_search *self, const struct bt_re_step *step)
{
    self->pc = step->out;
    switch (step->op) {
    case BT_RE_STEP_SET:
        return read_set(self, step);
    case BT_RE_STEP_TRY:
        return push_entry(self, (struct re_backtrack_entry){
                                    .kind = CHOICE, .number = step->alt, .value = self->at});
    case BT_RE_STEP_BEGIN:
        return self->at == 0;
    case BT_RE_STEP_END:
        return self->at == self->size;
    case BT_RE_STEP_WORD:
        return is_boundary(self) != step->is_negative;
    case BT_RE_STEP_SAVE:
        return set_slot(self, step->arg, self->at);
    case BT_RE_STEP_CAPTURE:
        return capture_group(self, step);
    case BT_RE_STEP_FORGET:
        return clear_groups(self, step);
    case BT_RE_STEP_MOVED:
        return self->slots[step->arg] != self->at;
    case BT_RE_STEP_BACKREF:
        return read_backref(self, step);
    case BT_RE_STEP_LOOK:
        return begin_look(self, step);
    default:
        assert(step->op == BT_RE_STEP_LOOK_END);
        return finish_look(self);
    }
}

static enum bt_regex_match_result search_at(struct re_backtrack_search *self, size_t at)
{
    self->pc = self->program->start;
    self->at = at;
    self->depth = 0;
    self->look = UNSET;
    for (;;) {
        const struct bt_re_step *step = &self->program->steps[self->pc];
        if (step->op == BT_RE_STEP_MATCH) {
            return BT_REGEX_MATCH;
        }
        if (self->fuel == 0) {
            return BT_REGEX_UNDECIDED;
        }
        self->fuel--;
        if (!run_step(self, step)) {
            if (self->is_spent) {
                return BT_REGEX_UNDECIDED;
            }
            if (!go_back(self)) {
                return BT_REGEX_NO_MATCH;
            }
        }
    }
}

/* Try each position in turn. */
static enum bt_regex_match_result search_all(struct re_backtrack_search *self)
{
    const uint32_t slots = self->program->slots;
    for (size_t at = 0;;) {
        for (uint32_t i = 0; i < slots; i++) {
            self->slots[i] = UNSET;
        }
        self->fuel -= self->fuel < slots ? self->fuel : slots;
        const enum bt_regex_match_result answer = search_at(self, at);
        if (answer != BT_REGEX_NO_MATCH || at == self->size) {
            return answer;
        }
        uint32_t point = 0;
        at += bt_re_decode(self->bytes + at, self->size - at, &point);
    }
}

enum bt_regex_match_result bt_re_backtrack_run(const struct bt_re_backtrack *program,
                                               struct bt_regex_matcher *matcher, bt_str subject)
{
    struct re_backtrack_search self = {.program = program,
                                       .arena = &matcher->arena,
                                       .bytes = (const unsigned char *)subject.ptr,
                                       .size = subject.len,
                                       .fuel = matcher->limits.steps_max};
    const struct bt_arena_mark mark = bt_arena_mark(&matcher->arena);
    enum bt_regex_match_result answer = BT_REGEX_UNDECIDED;
    self.slots = BT_NEW_ARRAY(&matcher->arena, size_t, program->slots);
    if (self.slots) {
        answer = search_all(&self);
    }
    bt_arena_rewind(&matcher->arena, mark);
    matcher->steps += matcher->limits.steps_max - self.fuel;
    return answer;
}
