/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closure.c - all that can be reached from a set of instructions without reading.
 */
#include "regex/closure.h"

bool bt_re_members_make(struct bt_arena *arena, uint32_t count, struct bt_re_members *out)
{
    out->count = 0;
    out->dense = BT_NEW_ARRAY(arena, uint32_t, count);
    out->sparse = BT_NEW_ARRAY(arena, uint32_t, count);
    return out->dense && out->sparse;
}

bool bt_re_closure_make(struct bt_arena *arena, const struct bt_re_program *program,
                        const struct bt_re_alphabet *alphabet, struct bt_re_closure *out)
{
    *out = (struct bt_re_closure){.program = program, .alphabet = alphabet};
    out->stack = BT_NEW_ARRAY(arena, uint32_t, program->count);
    return out->stack && bt_re_members_make(arena, program->count, &out->kernel) &&
           bt_re_members_make(arena, program->count, &out->reached) &&
           bt_re_members_make(arena, program->count, &out->next);
}

static bool assertion_holds(const struct bt_re_closure *self, const struct bt_re_inst *inst,
                            const struct bt_re_context *context, uint32_t symbol)
{
    switch (inst->op) {
    case BT_RE_OP_FIRST:
        return context->is_first;
    case BT_RE_OP_LAST:
        return context->is_last;
    case BT_RE_OP_WORD:
        return context->is_after_word != context->is_before_word;
    case BT_RE_OP_NEXT:
        return bt_re_alphabet_has(self->alphabet, inst->arg, symbol);
    default:
        assert(inst->op == BT_RE_OP_LOOK);
        return (context->looks >> inst->arg & 1) != 0;
    }
}

/* Reach an instruction; *depth is that of the stack of those that are still to be followed. */
static void reach_inst(struct bt_re_closure *self, uint32_t pc, uint32_t symbol, uint32_t *depth)
{
    if (!bt_re_members_add(&self->reached, pc)) {
        return;
    }
    const struct bt_re_inst *inst = &self->program->insts[pc];
    switch (inst->op) {
    case BT_RE_OP_SET:
        if (bt_re_alphabet_has(self->alphabet, inst->arg, symbol)) {
            (void)bt_re_members_add(&self->next, inst->out);
        }
        break;
    case BT_RE_OP_COUNT:
        break;
    case BT_RE_OP_MATCH:
        self->is_matched = true;
        break;
    default: /* once at most, so the stack is as long as the program */
        self->stack[(*depth)++] = pc;
        break;
    }
}

static void reach_all(struct bt_re_closure *self, uint32_t pc, const struct bt_re_context *context,
                      uint32_t symbol)
{
    uint32_t depth = 0;
    reach_inst(self, pc, symbol, &depth);
    while (depth > 0) {
        const struct bt_re_inst *inst = &self->program->insts[self->stack[--depth]];
        if (inst->op == BT_RE_OP_SPLIT) {
            reach_inst(self, inst->alt, symbol, &depth);
            reach_inst(self, inst->out, symbol, &depth);
        } else if (assertion_holds(self, inst, context, symbol) != inst->is_negative) {
            reach_inst(self, inst->out, symbol, &depth);
        }
    }
}

void bt_re_closure_advance(struct bt_re_closure *closure, const struct bt_re_context *context,
                           uint32_t symbol)
{
    closure->reached.count = 0;
    closure->next.count = 0;
    closure->is_matched = false;
    for (uint32_t i = 0; i < closure->kernel.count; i++) {
        reach_all(closure, closure->kernel.dense[i], context, symbol);
    }
    if (!closure->program->is_anchored) {
        reach_all(closure, closure->program->start, context, symbol);
    }
}
