/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backtrack_make.c - the steps of a search, written from the tree (ECMA-262, 22.2.2).
 *
 * As in program.c each node is written with what follows it already known. Inside a look-behind
 * everything is written in reverse order, since there it is matched from right to left, which
 * decides what groups have captured when a reference asks for it.
 */
#include <string.h>

#include "regex/backtrack.h"

struct re_backtrack_make_writer {
    struct bt_re_build *build;
    struct bt_re_step *steps;
    uint32_t count;
    uint32_t capacity;
    uint32_t slots;
    bool is_backward;
};

static uint32_t write_node(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                           uint32_t next);

/* Write a step. After a failure, which build->code has, nothing is written any more. */
static uint32_t write_step(struct re_backtrack_make_writer *self, struct bt_re_step step)
{
    if (bt_re_is_failed(self->build)) {
        return BT_RE_NOWHERE;
    }
    if (self->count == self->build->options->instructions_max) {
        (void)bt_re_fail(self->build, BT_REGEX_ERROR_TOO_COMPLEX, 0, "the automaton is too large");
        return BT_RE_NOWHERE;
    }
    if (self->count == self->capacity) {
        const uint32_t capacity = self->capacity > 0 ? self->capacity * 2 : 32;
        struct bt_re_step *steps = bt_re_scratch(self->build, capacity, sizeof(*steps));
        if (!steps) {
            return BT_RE_NOWHERE;
        }
        if (self->count > 0) {
            memcpy(steps, self->steps, self->count * sizeof(*steps));
        }
        self->steps = steps;
        self->capacity = capacity;
    }
    step.is_backward = self->is_backward;
    self->steps[self->count] = step;
    return self->count++;
}

static uint32_t write_save(struct re_backtrack_make_writer *self, uint32_t slot, uint32_t next)
{
    return write_step(self, (struct bt_re_step){.op = BT_RE_STEP_SAVE, .arg = slot, .out = next});
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the groups of the pattern, which is bounded. */

static uint32_t write_alternatives(struct re_backtrack_make_writer *self,
                                   const struct bt_re_node *node, uint32_t next)
{
    uint32_t entry = BT_RE_NOWHERE;
    for (const struct bt_re_node *child = node->last; child; child = child->previous) {
        const uint32_t branch = write_node(self, child, next);
        entry = child == node->last
                    ? branch
                    : write_step(self, (struct bt_re_step){
                                           .op = BT_RE_STEP_TRY, .out = branch, .alt = entry});
    }
    return entry;
}

static uint32_t write_sequence(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                               uint32_t next)
{
    const struct bt_re_node *child = self->is_backward ? node->child : node->last;
    while (child && next != BT_RE_NOWHERE) {
        next = write_node(self, child, next);
        child = self->is_backward ? child->next : child->previous;
    }
    return next;
}

/* What a group held before stays in force until it has matched again as a whole. */
static uint32_t write_group(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                            uint32_t next)
{
    const uint32_t slot = self->slots++;
    const uint32_t after = write_step(
        self, (struct bt_re_step){
                  .op = BT_RE_STEP_CAPTURE, .arg = node->index, .alt = slot, .out = next});
    return write_save(self, slot, write_node(self, node->child, after));
}

/* One turn of a loop: its groups are forgotten first. */
static uint32_t write_turn(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                           uint32_t next)
{
    const uint32_t body = write_node(self, node->child, next);
    if (node->groups_begin == node->groups_end) {
        return body;
    }
    return write_step(self, (struct bt_re_step){.op = BT_RE_STEP_FORGET,
                                                .arg = node->groups_begin,
                                                .alt = node->groups_end,
                                                .out = body});
}

static struct bt_re_step make_choice(const struct bt_re_node *node, uint32_t turn, uint32_t leave)
{
    return (struct bt_re_step){.op = BT_RE_STEP_TRY,
                               .out = node->is_lazy ? leave : turn,
                               .alt = node->is_lazy ? turn : leave};
}

/* A turn that may be left out, and that must not match nothing; then `next`. */
static uint32_t write_optional(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                               uint32_t next, uint32_t leave)
{
    const uint32_t slot = self->slots++;
    const uint32_t moved =
        write_step(self, (struct bt_re_step){.op = BT_RE_STEP_MOVED, .arg = slot, .out = next});
    const uint32_t turn = write_save(self, slot, write_turn(self, node, moved));
    return write_step(self, make_choice(node, turn, leave));
}

static uint32_t write_repeat(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                             uint32_t next)
{
    uint32_t entry = next;
    if (node->max == BT_RE_INFINITE) {
        /* The choice comes first, to be patched once the turn behind it is there. */
        const uint32_t loop = write_step(self, (struct bt_re_step){.op = BT_RE_STEP_TRY});
        entry = write_optional(self, node, loop, next);
        if (entry != BT_RE_NOWHERE) {
            self->steps[loop] = self->steps[entry];
        }
    } else {
        for (uint32_t i = node->min; i < node->max && entry != BT_RE_NOWHERE; i++) {
            entry = write_optional(self, node, entry, next);
        }
    }
    for (uint32_t i = 0; i < node->min && entry != BT_RE_NOWHERE; i++) {
        entry = write_turn(self, node, entry);
    }
    return entry;
}

static uint32_t write_look(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                           uint32_t next)
{
    const bool was_backward = self->is_backward;
    self->is_backward = node->is_behind;
    const uint32_t end = write_step(self, (struct bt_re_step){.op = BT_RE_STEP_LOOK_END});
    const uint32_t body = write_node(self, node->child, end);
    self->is_backward = was_backward;
    return write_step(self, (struct bt_re_step){.op = BT_RE_STEP_LOOK,
                                                .is_negative = node->is_negative,
                                                .out = next,
                                                .alt = body});
}

static uint32_t write_node(struct re_backtrack_make_writer *self, const struct bt_re_node *node,
                           uint32_t next)
{
    struct bt_re_step step = {.arg = node->index, .out = next, .is_negative = node->is_negative};
    switch (node->kind) {
    case BT_RE_EMPTY:
        return next;
    case BT_RE_CAT:
        return write_sequence(self, node, next);
    case BT_RE_ALT:
        return write_alternatives(self, node, next);
    case BT_RE_REPEAT:
        return write_repeat(self, node, next);
    case BT_RE_GROUP:
        return write_group(self, node, next);
    case BT_RE_LOOK:
        return write_look(self, node, next);
    case BT_RE_SET:
        step.op = BT_RE_STEP_SET;
        break;
    case BT_RE_BEGIN:
        step.op = BT_RE_STEP_BEGIN;
        break;
    case BT_RE_END:
        step.op = BT_RE_STEP_END;
        break;
    case BT_RE_WORD:
        step.op = BT_RE_STEP_WORD;
        break;
    case BT_RE_BACKREF:
        step.op = BT_RE_STEP_BACKREF;
        break;
    }
    return write_step(self, step);
}

/* NOLINTEND(misc-no-recursion) */

bool bt_re_backtrack_make(struct bt_re_build *build, const struct bt_re_pattern *pattern,
                          struct bt_re_backtrack *out)
{
    struct bt_re_sets sets = {0};
    uint32_t looks = 0;
    struct re_backtrack_make_writer self = {.build = build, .slots = pattern->groups * 2};
    if (!bt_re_link(build, pattern->root, &sets, &looks) ||
        !bt_re_alphabet_make(build, &sets, &out->alphabet)) {
        return false;
    }
    const uint32_t match = write_step(&self, (struct bt_re_step){.op = BT_RE_STEP_MATCH});
    out->start = write_node(&self, pattern->root, match);
    struct bt_re_step *steps =
        bt_re_is_failed(build) ? NULL : bt_re_keep(build, self.count, sizeof(*steps));
    if (!steps) {
        return false;
    }
    memcpy(steps, self.steps, self.count * sizeof(*steps));
    out->steps = steps;
    out->count = self.count;
    out->slots = self.slots;
    return true;
}
