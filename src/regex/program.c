/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - automata written from the tree, from their ends to their beginnings.
 *
 * Each node is written with the instruction that follows it already known, so no jump is ever
 * needed; only a loop is patched, once its body is there.
 */
#include "regex/program.h"

#include <string.h>

/* A repeated set of more copies than the first is counted instead of written out; of more than the
 * second, in the compact form; of more than the third, where even that would be too long. */
#define COPIES_MAX 1000U
#define COPIES_MAX_COMPACT 16U
#define COPIES_MAX_SCARCE 4U

struct re_program_writer {
    struct bt_re_build *build;
    struct bt_re_inst *insts;
    uint32_t count;
    uint32_t capacity;
    uint32_t copies_max;
    bool is_backward;
    bool has_word;
    struct bt_re_counter *counters;
    uint32_t counters_count;
    uint32_t counters_capacity;
    uint32_t *looks;
    uint32_t looks_count;
    uint32_t copies_most; /* of one set, written out */
    bool is_too_long;     /* not a failure yet: another try may do better */
};

static uint32_t write_node(struct re_program_writer *self, const struct bt_re_node *node,
                           uint32_t next);

static void *grow_array(struct bt_re_build *build, void *old, uint32_t *capacity, size_t size)
{
    const uint32_t more = *capacity > 0 ? *capacity * 2 : 32;
    void *memory = bt_re_scratch(build, more, size);
    if (memory) {
        if (*capacity > 0) {
            memcpy(memory, old, *capacity * size);
        }
        *capacity = more;
    }
    return memory;
}

static uint32_t write_inst(struct re_program_writer *self, struct bt_re_inst inst)
{
    if (self->count == self->build->options->instructions_max) {
        self->is_too_long = true;
        return BT_RE_NOWHERE;
    }
    if (self->count == self->capacity) {
        struct bt_re_inst *insts =
            grow_array(self->build, self->insts, &self->capacity, sizeof(*insts));
        if (!insts) {
            return BT_RE_NOWHERE;
        }
        self->insts = insts;
    }
    self->insts[self->count] = inst;
    return self->count++;
}

static uint32_t write_split(struct re_program_writer *self, uint32_t out, uint32_t alt)
{
    return write_inst(self, (struct bt_re_inst){.op = BT_RE_OP_SPLIT, .out = out, .alt = alt});
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the groups of the pattern, which is bounded. */

static uint32_t write_alternatives(struct re_program_writer *self, const struct bt_re_node *node,
                                   uint32_t next)
{
    uint32_t entry = BT_RE_NOWHERE;
    for (const struct bt_re_node *child = node->last; child; child = child->previous) {
        const uint32_t branch = write_node(self, child, next);
        if (branch == BT_RE_NOWHERE) {
            return BT_RE_NOWHERE;
        }
        entry = entry == BT_RE_NOWHERE ? branch : write_split(self, branch, entry);
        if (entry == BT_RE_NOWHERE) {
            return BT_RE_NOWHERE;
        }
    }
    return entry;
}

static uint32_t write_sequence(struct re_program_writer *self, const struct bt_re_node *node,
                               uint32_t next)
{
    const struct bt_re_node *child = self->is_backward ? node->child : node->last;
    while (child && next != BT_RE_NOWHERE) {
        next = write_node(self, child, next);
        child = self->is_backward ? child->next : child->previous;
    }
    return next;
}

static uint32_t write_copies(struct re_program_writer *self, const struct bt_re_node *child,
                             uint32_t copies, uint32_t next)
{
    for (uint32_t i = 0; i < copies && next != BT_RE_NOWHERE; i++) {
        next = write_node(self, child, next);
    }
    return next;
}

/* x{min,}: a loop, and as many copies before it as are needed. */
static uint32_t write_loop(struct re_program_writer *self, const struct bt_re_node *node,
                           uint32_t next)
{
    const uint32_t split = write_split(self, BT_RE_NOWHERE, next);
    const uint32_t body =
        split != BT_RE_NOWHERE ? write_node(self, node->child, split) : BT_RE_NOWHERE;
    if (body == BT_RE_NOWHERE) {
        return BT_RE_NOWHERE;
    }
    self->insts[split].out = body;
    return node->min == 0 ? split : write_copies(self, node->child, node->min - 1, body);
}

static uint32_t write_counter(struct re_program_writer *self, const struct bt_re_node *node,
                              uint32_t next)
{
    if (self->counters_count == self->counters_capacity) {
        struct bt_re_counter *counters =
            grow_array(self->build, self->counters, &self->counters_capacity, sizeof(*counters));
        if (!counters) {
            return BT_RE_NOWHERE;
        }
        self->counters = counters;
    }
    const uint32_t min = node->min > 0 ? node->min : 1;
    self->counters[self->counters_count] =
        (struct bt_re_counter){node->child->index, min, node->max};
    const uint32_t count = write_inst(
        self,
        (struct bt_re_inst){.op = BT_RE_OP_COUNT, .arg = self->counters_count++, .out = next});
    return count == BT_RE_NOWHERE || node->min > 0 ? count : write_split(self, count, next);
}

static uint32_t write_repeat(struct re_program_writer *self, const struct bt_re_node *node,
                             uint32_t next)
{
    const uint32_t copies = node->max == BT_RE_INFINITE ? node->min : node->max;
    if (node->child->kind == BT_RE_SET && copies > self->copies_max) {
        return write_counter(self, node, next);
    }
    if (node->child->kind == BT_RE_SET && copies > self->copies_most) {
        self->copies_most = copies;
    }
    if (node->max == BT_RE_INFINITE) {
        return write_loop(self, node, next);
    }
    uint32_t entry = next;
    for (uint32_t i = node->min; i < node->max && entry != BT_RE_NOWHERE; i++) {
        const uint32_t body = write_node(self, node->child, entry);
        entry = body != BT_RE_NOWHERE ? write_split(self, body, next) : BT_RE_NOWHERE;
    }
    return write_copies(self, node->child, node->min, entry);
}

/* An instruction for a look-around that this place alone can answer; op 0 when there is none. */
static struct bt_re_inst simple_look(struct re_program_writer *self, const struct bt_re_node *node,
                                     uint32_t next)
{
    const struct bt_re_node *child = node->child;
    struct bt_re_inst inst = {.out = next, .is_negative = node->is_negative};
    if (child->kind == BT_RE_BEGIN || child->kind == BT_RE_END) {
        const bool is_start = (child->kind == BT_RE_BEGIN) != self->is_backward;
        inst.op = is_start ? BT_RE_OP_FIRST : BT_RE_OP_LAST;
    } else if (child->kind == BT_RE_WORD) {
        inst.op = BT_RE_OP_WORD;
        inst.is_negative = node->is_negative != child->is_negative;
        self->has_word = true;
    } else if (child->kind == BT_RE_SET && node->is_behind == self->is_backward) {
        inst.op = BT_RE_OP_NEXT; /* the character it asks for is the next to be read */
        inst.arg = child->index;
    }
    return inst;
}

/* The place of a look-around in this program's own list. */
static uint32_t write_look(struct re_program_writer *self, const struct bt_re_node *node,
                           uint32_t next)
{
    const struct bt_re_inst simple = simple_look(self, node, next);
    if (simple.op != 0) {
        return write_inst(self, simple);
    }
    uint32_t index = 0;
    while (index < self->looks_count && self->looks[index] != node->index) {
        index++;
    }
    if (index == BT_RE_LOOKS_IN_PROGRAM_MAX) {
        self->is_too_long = true;
        return BT_RE_NOWHERE;
    }
    if (index == self->looks_count) {
        self->looks[self->looks_count++] = node->index;
    }
    return write_inst(self, (struct bt_re_inst){.op = BT_RE_OP_LOOK,
                                                .is_negative = node->is_negative,
                                                .arg = index,
                                                .out = next});
}

static uint32_t write_node(struct re_program_writer *self, const struct bt_re_node *node,
                           uint32_t next)
{
    assert(node);
    struct bt_re_inst inst = {.out = next, .is_negative = node->is_negative};
    switch (node->kind) {
    case BT_RE_EMPTY:
        return next;
    case BT_RE_SET:
        inst.op = BT_RE_OP_SET;
        inst.arg = node->index;
        break;
    case BT_RE_CAT:
        return write_sequence(self, node, next);
    case BT_RE_ALT:
        return write_alternatives(self, node, next);
    case BT_RE_REPEAT:
        return write_repeat(self, node, next);
    case BT_RE_BEGIN:
        inst.op = self->is_backward ? BT_RE_OP_LAST : BT_RE_OP_FIRST;
        break;
    case BT_RE_END:
        inst.op = self->is_backward ? BT_RE_OP_FIRST : BT_RE_OP_LAST;
        break;
    case BT_RE_WORD:
        inst.op = BT_RE_OP_WORD;
        self->has_word = true;
        break;
    case BT_RE_LOOK:
        return write_look(self, node, next);
    case BT_RE_GROUP:
    case BT_RE_BACKREF:
        assert(false); /* such patterns go another way: backtrack.h */
        break;
    }
    return write_inst(self, inst);
}

/* Whether every match begins (ends, when is_backward) at that end of the subject. */
static bool is_anchored(const struct bt_re_node *node, bool is_backward)
{
    assert(node);
    switch (node->kind) {
    case BT_RE_BEGIN:
        return !is_backward;
    case BT_RE_END:
        return is_backward;
    case BT_RE_CAT:
        return is_anchored(is_backward ? node->last : node->child, is_backward);
    case BT_RE_ALT:
        for (const struct bt_re_node *child = node->child; child; child = child->next) {
            if (!is_anchored(child, is_backward)) {
                return false;
            }
        }
        return true;
    case BT_RE_REPEAT:
        return node->min > 0 && is_anchored(node->child, is_backward);
    case BT_RE_EMPTY:
    case BT_RE_SET:
    case BT_RE_WORD:
    case BT_RE_LOOK:
    case BT_RE_GROUP:
    case BT_RE_BACKREF:
        break;
    }
    return false;
}

/* NOLINTEND(misc-no-recursion) */

/* Move what was written from working memory to the caller's. */
static bool copy_program(struct re_program_writer *self, struct bt_re_program *out)
{
    struct bt_re_inst *insts = bt_re_keep(self->build, self->count, sizeof(*insts));
    struct bt_re_counter *counters =
        insts ? bt_re_keep(self->build, self->counters_count, sizeof(*counters)) : NULL;
    uint32_t *looks = counters ? bt_re_keep(self->build, self->looks_count, sizeof(*looks)) : NULL;
    if (!looks) {
        return false;
    }
    memcpy(insts, self->insts, self->count * sizeof(*insts));
    if (self->counters_count > 0) {
        memcpy(counters, self->counters, self->counters_count * sizeof(*counters));
    }
    if (self->looks_count > 0) {
        memcpy(looks, self->looks, self->looks_count * sizeof(*looks));
    }
    out->insts = insts;
    out->count = self->count;
    out->counters = counters;
    out->counters_count = self->counters_count;
    out->looks = looks;
    out->looks_count = self->looks_count;
    out->has_word = self->has_word;
    return true;
}

struct re_program_outcome {
    bool is_too_long;
    uint32_t copies_most;
};

static bool write_program(struct bt_re_build *build, const struct bt_re_node *body,
                          uint32_t copies_max, struct bt_re_program *out,
                          struct re_program_outcome *out_outcome)
{
    struct re_program_writer self = {
        .build = build, .copies_max = copies_max, .is_backward = out->is_backward};
    self.looks = bt_re_scratch(build, BT_RE_LOOKS_IN_PROGRAM_MAX, sizeof(*self.looks));
    if (!self.looks) {
        return false;
    }
    const uint32_t match = write_inst(&self, (struct bt_re_inst){.op = BT_RE_OP_MATCH});
    out->start = match != BT_RE_NOWHERE ? write_node(&self, body, match) : match;
    *out_outcome = (struct re_program_outcome){self.is_too_long, self.copies_most};
    out->is_anchored = is_anchored(body, out->is_backward);
    return out->start != BT_RE_NOWHERE && copy_program(&self, out);
}

static bool add_compact(struct bt_re_build *build, const struct bt_re_node *body,
                        struct bt_re_program *out)
{
    struct re_program_outcome outcome = {0};
    struct bt_re_program *compact = bt_re_keep(build, 1, sizeof(*compact));
    if (!compact) {
        return false;
    }
    compact->is_backward = out->is_backward;
    compact->is_recording = out->is_recording;
    out->compact = compact;
    return write_program(build, body, COPIES_MAX_COMPACT, compact, &outcome);
}

/* Write one program, counting repeats where writing them out would be too much. */
static bool make_program(struct bt_re_build *build, const struct bt_re_node *body,
                         struct bt_re_program *out)
{
    struct re_program_outcome outcome = {0};
    if (write_program(build, body, COPIES_MAX, out, &outcome)) {
        return outcome.copies_most <= COPIES_MAX_COMPACT || add_compact(build, body, out);
    }
    if (outcome.is_too_long && write_program(build, body, COPIES_MAX_SCARCE, out, &outcome)) {
        return true;
    }
    return bt_re_fail(build, BT_REGEX_ERROR_TOO_COMPLEX, 0, "the automaton is too large");
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the groups of the pattern, which is bounded. */

/* The programs of the look-arounds inside `node`. */
static bool make_looks(struct bt_re_build *build, const struct bt_re_node *node,
                       struct bt_re_programs *programs)
{
    for (const struct bt_re_node *child = node->child; child; child = child->next) {
        if (!make_looks(build, child, programs)) {
            return false;
        }
    }
    if (node->kind != BT_RE_LOOK) {
        return true;
    }
    struct bt_re_program *program = &programs->items[node->index];
    program->is_backward = !node->is_behind;
    program->is_recording = true;
    return make_program(build, node->child, program);
}

/* NOLINTEND(misc-no-recursion) */

/* From the main program down; what a program asks for has a lower number. */
static void mark_needed(struct bt_re_programs *programs)
{
    programs->items[programs->count - 1].is_needed = true;
    for (uint32_t i = programs->count; i-- > 0;) {
        const struct bt_re_program *program = &programs->items[i];
        for (uint32_t j = 0; program->is_needed && j < program->looks_count; j++) {
            assert(program->looks[j] < i);
            programs->items[program->looks[j]].is_needed = true;
        }
    }
}

bool bt_re_programs_make(struct bt_re_build *build, struct bt_re_node *root,
                         struct bt_re_programs *out)
{
    struct bt_re_sets sets = {0};
    uint32_t looks = 0;
    struct bt_re_set word = {0};
    if (!bt_re_link(build, root, &sets, &looks) ||
        !bt_re_alphabet_make(build, &sets, &out->alphabet)) {
        return false;
    }
    out->count = looks + 1;
    out->items = bt_re_keep(build, out->count, sizeof(*out->items));
    if (!out->items || !make_looks(build, root, out) ||
        !make_program(build, root, &out->items[looks])) {
        return false;
    }
    mark_needed(out);
    bool has_word = false;
    for (uint32_t i = 0; i < out->count; i++) {
        has_word = has_word || out->items[i].has_word;
    }
    /* It was numbered while linking, so this only looks it up. */
    return !has_word || (bt_re_set_add_escape(build, &word, 'w') &&
                         bt_re_sets_add(build, &sets, &word, &out->word_set));
}
