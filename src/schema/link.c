/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - blocks in their final place, and everything that names one by number pointing to it.
 *
 * Three things are found out on the way. Which blocks are leaves: their rank, the number of blocks
 * within blocks that judging them takes, is small, so they are judged on the spot by calls whose
 * depth the rank bounds. Which are used at all: those that were copied are often not. And an order
 * in which blocks stand near those that use them.
 */
#include <assert.h>
#include <string.h>

#include "schema/code.h"
#include "schema/quick.h"

#define RANK_NONE UINT8_MAX /* more than any leaf has, or endless */

struct schema_link_linker {
    struct bt_schema_coder *coder;
    uint8_t *ranks;   /* by variant */
    uint32_t *starts; /* by variant: where it begins, or UINT32_MAX */
    uint32_t *order;  /* variants that are used */
    size_t order_count;
    uint32_t length; /* of all of them */
};

/*
 * A block that only calls another is equivalent to it, so users of the first may apply the other
 * directly. Blocks in place form no cycles, so this ends.
 */
static uint32_t skip_calls(const struct bt_schema_coder *coder, uint32_t variant)
{
    for (;;) {
        const struct bt_schema_block *block = &coder->blocks[variant];
        const struct bt_schema_instr *code = &coder->code.items[block->start];
        const uint32_t memo = block->length > 0 && code[0].op == BT_SCHEMA_OP_MEMO ? 1 : 0;
        if (block->length != memo + 1 || code[memo].op != BT_SCHEMA_OP_CALL) {
            return variant;
        }
        variant = (uint32_t)code[memo].as.limit;
    }
}

typedef void visit_fn(struct schema_link_linker *linker, const struct bt_schema_block_ref *use,
                      uint8_t *result);

static void visit_object(struct schema_link_linker *linker, const struct bt_schema_object *object,
                         visit_fn *visit, uint8_t *result)
{
    for (uint32_t i = 0; i < object->count; i++) {
        visit(linker, &object->properties[i].use, result);
    }
    for (uint32_t i = 0; i < object->patterns_count; i++) {
        visit(linker, &object->patterns[i].use, result);
    }
    visit(linker, &object->additional, result);
}

static void visit_items(struct schema_link_linker *linker, const struct bt_schema_items *items,
                        visit_fn *visit, uint8_t *result)
{
    for (uint32_t i = 0; i < items->prefix_count; i++) {
        visit(linker, &items->prefix[i], result);
    }
    visit(linker, &items->rest, result);
}

static void visit_choice(struct schema_link_linker *linker, const struct bt_schema_choice *choice,
                         visit_fn *visit, uint8_t *result)
{
    for (uint32_t i = 0; i < choice->count; i++) {
        visit(linker, &choice->branches[i], result);
    }
}

static void visit_condition(struct schema_link_linker *linker,
                            const struct bt_schema_condition *condition, visit_fn *visit,
                            uint8_t *result)
{
    visit(linker, &condition->test, result);
    visit(linker, &condition->then, result);
    visit(linker, &condition->otherwise, result);
}

/* What a dynamic reference may lead to. */
static void visit_dynamic(struct schema_link_linker *linker, const struct bt_schema_instr *instr,
                          visit_fn *visit, uint8_t *result)
{
    const struct bt_schema_coder *coder = linker->coder;
    visit(linker, &instr->as.dynamic->fallback, result);
    for (size_t i = 0; i < coder->candidates.count; i++) {
        if (coder->candidates.registers[i] == instr->as.dynamic->place) {
            visit(linker,
                  &coder->candidates.targets[i]
                       .uses[(instr->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0],
                  result);
        }
    }
}

static void visit_uses(struct schema_link_linker *linker, const struct bt_schema_instr *instr,
                       visit_fn *visit, uint8_t *result)
{
    switch ((enum bt_schema_op)instr->op) {
    case BT_SCHEMA_OP_ANY:
    case BT_SCHEMA_OP_ONE:
    case BT_SCHEMA_OP_NOT:
        visit_choice(linker, instr->as.choice, visit, result);
        return;
    case BT_SCHEMA_OP_IF:
        visit_condition(linker, instr->as.condition, visit, result);
        return;
    case BT_SCHEMA_OP_OBJECT:
        visit_object(linker, instr->as.object, visit, result);
        return;
    case BT_SCHEMA_OP_ITEMS:
        visit_items(linker, instr->as.items, visit, result);
        return;
    case BT_SCHEMA_OP_NAMES:
        visit(linker, &instr->as.names->use, result);
        return;
    case BT_SCHEMA_OP_CONTAINS:
        visit(linker, &instr->as.contains->use, result);
        return;
    case BT_SCHEMA_OP_CALL: {
        const struct bt_schema_block_ref use = {.kind = BT_USE_BLOCK,
                                                .block = (uint32_t)instr->as.limit};
        visit(linker, &use, result);
        return;
    }
    case BT_SCHEMA_OP_DYNAMIC:
        visit_dynamic(linker, instr, visit, result);
        return;
    case BT_SCHEMA_OP_SCOPE:
        visit(linker, &instr->as.scope->use, result);
        return;
    case BT_SCHEMA_OP_WHEN:
        visit(linker, &instr->as.when->use, result);
        return;
    case BT_SCHEMA_OP_UNEVALUATED:
        visit(linker, &instr->as.unevaluated->use, result);
        return;
    case BT_SCHEMA_OP_END:
    case BT_SCHEMA_OP_FAIL:
    case BT_SCHEMA_OP_TYPE:
    case BT_SCHEMA_OP_LENGTH:
    case BT_SCHEMA_OP_PATTERN:
    case BT_SCHEMA_OP_FORMAT:
    case BT_SCHEMA_OP_CONTENT:
    case BT_SCHEMA_OP_RANGE:
    case BT_SCHEMA_OP_MULTIPLE:
    case BT_SCHEMA_OP_SET:
    case BT_SCHEMA_OP_COUNT:
    case BT_SCHEMA_OP_UNIQUE:
    case BT_SCHEMA_OP_QUICK:
    case BT_SCHEMA_OP_MEMO:
    case BT_SCHEMA_OP_MARKS:
    case BT_SCHEMA_OP__MAX:
        return;
    }
}

static void visit_rank(struct schema_link_linker *linker, const struct bt_schema_block_ref *use,
                       uint8_t *result)
{
    if (use->kind == BT_USE_BLOCK) {
        const uint8_t rank = linker->ranks[skip_calls(linker->coder, use->block)];
        *result = rank > *result ? rank : *result;
    }
}

/* What marks children, looks at marks or depends on the path here needs the stack. */
static bool needs_stack(const struct bt_schema_instr *instr)
{
    switch (instr->op) {
    case BT_SCHEMA_OP_MARKS:
    case BT_SCHEMA_OP_UNEVALUATED:
    case BT_SCHEMA_OP_SCOPE:
    case BT_SCHEMA_OP_DYNAMIC:
        return true;
    case BT_SCHEMA_OP_OBJECT:
    case BT_SCHEMA_OP_ITEMS:
    case BT_SCHEMA_OP_CONTAINS:
        return (instr->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0;
    default:
        return false;
    }
}

static uint8_t rank_of(struct schema_link_linker *linker, const struct bt_schema_instr *instr)
{
    if (instr->op < BT_SCHEMA_OP_ANY || instr->op == BT_SCHEMA_OP_MEMO) {
        return 0;
    }
    if (needs_stack(instr)) {
        return RANK_NONE;
    }
    uint8_t rank = 0;
    visit_uses(linker, instr, visit_rank, &rank);
    return rank >= BT_RANK_MAX ? RANK_NONE : (uint8_t)(rank + 1);
}

/* After round n all ranks up to n are known; those that are not after the last are none. */
static void find_ranks(struct schema_link_linker *linker)
{
    const struct bt_schema_coder *coder = linker->coder;
    const size_t variants = coder->frame->nodes.count * BT_VARIANTS;
    memset(linker->ranks, RANK_NONE, variants);
    for (int round = 0; round <= BT_RANK_MAX; round++) {
        for (size_t i = 0; i < variants; i++) {
            const struct bt_schema_block *block = &coder->blocks[i];
            if (block->state != BT_SCHEMA_BLOCK_DONE || linker->ranks[i] != RANK_NONE) {
                continue;
            }
            uint8_t rank = 0;
            for (uint32_t k = 0; k < block->length && rank != RANK_NONE; k++) {
                const uint8_t each = rank_of(linker, &coder->code.items[block->start + k]);
                rank = each > rank ? each : rank;
            }
            linker->ranks[i] = rank;
        }
    }
}

static void visit_place(struct schema_link_linker *linker, const struct bt_schema_block_ref *use,
                        uint8_t *result)
{
    (void)result;
    if (use->kind != BT_USE_BLOCK) {
        return;
    }
    const uint32_t variant = skip_calls(linker->coder, use->block);
    if (linker->starts[variant] == UINT32_MAX) {
        linker->starts[variant] = 0; /* to be known soon */
        linker->order[linker->order_count++] = variant;
    }
}

/* A leaf is judged faster than its memo is asked. */
static bool is_dropped(const struct schema_link_linker *linker, uint32_t variant,
                       const struct bt_schema_instr *instr)
{
    return instr->op == BT_SCHEMA_OP_MEMO && linker->ranks[variant] != RANK_NONE;
}

/* Whether a block gets a quick look in front. */
static bool is_quick(const struct schema_link_linker *linker, uint32_t variant)
{
    const struct bt_schema_block *block = &linker->coder->blocks[variant];
    return bt_schema_quick_fits(&linker->coder->code.items[block->start], block->length);
}

static void find_places(struct schema_link_linker *linker, const struct bt_schema_block_ref *entry)
{
    const struct bt_schema_coder *coder = linker->coder;
    memset(linker->starts, 0xff, coder->frame->nodes.count * BT_VARIANTS * sizeof(*linker->starts));
    visit_place(linker, entry, NULL);
    for (size_t i = 0; i < linker->order_count; i++) {
        const uint32_t variant = linker->order[i];
        const struct bt_schema_block *block = &coder->blocks[variant];
        linker->starts[variant] = linker->length;
        linker->length += is_quick(linker, variant) ? 2 : 1; /* its END */
        for (uint32_t k = 0; k < block->length; k++) {
            const struct bt_schema_instr *instr = &coder->code.items[block->start + k];
            linker->length += is_dropped(linker, variant, instr) ? 0 : 1;
            visit_uses(linker, instr, visit_place, NULL);
        }
    }
}

static bool copy_block(struct schema_link_linker *linker, uint32_t variant,
                       struct bt_schema_instr *code, struct bt_schema_origin *origins)
{
    const struct bt_schema_coder *coder = linker->coder;
    const struct bt_schema_block *block = &coder->blocks[variant];
    uint32_t to = linker->starts[variant];
    bool is_quick_due = is_quick(linker, variant);
    for (uint32_t k = 0; k <= block->length; k++) {
        struct bt_schema_instr instr = coder->code.items[block->start + k];
        if (is_dropped(linker, variant, &instr)) {
            continue;
        }
        if (is_quick_due && instr.op != BT_SCHEMA_OP_TYPE) {
            is_quick_due = false;
            code[to] = (struct bt_schema_instr){
                .op = BT_SCHEMA_OP_QUICK,
                .as.quick = bt_schema_quick_new(coder->arena, &coder->code.items[block->start],
                                                block->length)};
            if (!code[to].as.quick) {
                return false;
            }
            origins[to++] = coder->origins.items[block->start + k];
        }
        if (instr.op >= BT_SCHEMA_OP_ANY && instr.op != BT_SCHEMA_OP_MEMO &&
            rank_of(linker, &instr) != RANK_NONE) {
            instr.flags |= BT_SCHEMA_INSTR_FLAG_LEAF;
        }
        if (instr.op == BT_SCHEMA_OP_CALL) {
            instr.as.code = code + linker->starts[skip_calls(coder, (uint32_t)instr.as.limit)];
        }
        code[to] = instr;
        origins[to++] = coder->origins.items[block->start + k];
    }
    return true;
}

static uint8_t kind_of(const struct bt_schema_block_ref *use, bool is_leaf)
{
    const struct bt_schema_instr *code = use->rest;
    if (code->op == BT_SCHEMA_OP_END) {
        return BT_USE_TYPES;
    }
    if (!is_leaf) {
        return BT_USE_BLOCK;
    }
    if (code->op == BT_SCHEMA_OP_QUICK) {
        return BT_USE_QUICK;
    }
    if (code[1].op != BT_SCHEMA_OP_END) {
        return BT_USE_LEAF;
    }
    /* What these two do not look at passes by its type, unless that takes a look at the number. */
    const bool is_plain =
        (use->types & (BT_SCHEMA_TYPE_SET_WHOLE | BT_SCHEMA_TYPE_SET_UNBROKEN)) == 0;
    return is_plain && code->op == BT_SCHEMA_OP_OBJECT  ? BT_USE_OBJECT
           : is_plain && code->op == BT_SCHEMA_OP_ITEMS ? BT_USE_ITEMS
                                                        : BT_USE_ONE;
}

/* Whether the next instruction, ITEMS, asks all that this one does; see code_array.c. */
static bool is_joined(const struct bt_schema_instr *code)
{
    return code[0].op == BT_SCHEMA_OP_COUNT && code[0].types == BT_SCHEMA_TYPE_SET_ARRAY &&
           code[1].op == BT_SCHEMA_OP_ITEMS && code[1].as.items->low == code[0].number &&
           code[1].as.items->high == code[0].as.limit;
}

static void link_use(const struct schema_link_linker *linker, const struct bt_schema_instr *code,
                     struct bt_schema_block_ref *use)
{
    const uint32_t variant = skip_calls(linker->coder, use->block);
    const struct bt_schema_block *block = &linker->coder->blocks[variant];
    assert(block->state == BT_SCHEMA_BLOCK_DONE);
    if (linker->starts[variant] == UINT32_MAX) {
        return; /* of an instruction that was copied away */
    }
    const struct bt_schema_instr *first = code + linker->starts[variant];
    use->skip = first->op == BT_SCHEMA_OP_TYPE || first->op == BT_SCHEMA_OP_FAIL ? 1 : 0;
    use->types = first->op == BT_SCHEMA_OP_TYPE   ? first->types
                 : first->op == BT_SCHEMA_OP_FAIL ? 0
                                                  : BT_SCHEMA_TYPE_SET_ALL;
    use->rest = first + use->skip;
    if (is_joined(use->rest)) {
        use->rest++;
        use->skip++;
    }
    use->kind = kind_of(use, linker->ranks[variant] != RANK_NONE);
}

/* The types for which the choice certainly holds: those of a branch that asks for nothing but a
 * type. For oneOf no other branch may be able to pass then. */
static unsigned sure_types(const struct bt_schema_instr *instr)
{
    const struct bt_schema_choice *choice = instr->as.choice;
    unsigned sure = 0;
    for (uint32_t i = 0; i < choice->count; i++) {
        const struct bt_schema_block_ref *branch = &choice->branches[i];
        for (unsigned type = BT_JSON_NULL; type <= BT_JSON_OBJECT; type++) {
            const bool is_alone =
                instr->op == BT_SCHEMA_OP_ANY || choice->by_type[type] == UINT64_C(1) << i;
            if (branch->kind == BT_USE_TYPES && (branch->types >> type & 1) != 0 && is_alone) {
                sure |= 1U << type;
            }
        }
    }
    return sure;
}

/* A value of a sure type passes the choice by. Not when children are marked: there every branch
 * that passes has its say. */
static void narrow_choice(struct bt_schema_instr *instr)
{
    const bool is_choice = instr->op == BT_SCHEMA_OP_ANY || instr->op == BT_SCHEMA_OP_ONE;
    if (is_choice && instr->as.choice->is_pruned &&
        (instr->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) == 0) {
        instr->types = (uint16_t)(instr->types & ~sure_types(instr));
    }
}

/* A block that is one narrowed choice, which for all types that are left has no branch: the types
 * that it passes by are all that it accepts. */
static void narrow_use(struct bt_schema_block_ref *use)
{
    if (use->kind != BT_USE_ONE || use->types != BT_SCHEMA_TYPE_SET_ALL) {
        return;
    }
    const struct bt_schema_instr *code = use->rest;
    const bool is_choice = code->op == BT_SCHEMA_OP_ANY || code->op == BT_SCHEMA_OP_ONE;
    if (!is_choice || !code->as.choice->is_pruned) {
        return;
    }
    for (unsigned type = BT_JSON_NULL; type <= BT_JSON_OBJECT; type++) {
        if ((code->types >> type & 1) != 0 && code->as.choice->by_type[type] != 0) {
            return;
        }
    }
    use->types = (uint16_t)(BT_SCHEMA_TYPE_SET_ALL & ~code->types);
    use->kind = BT_USE_TYPES;
}

/* The types that pass what the use applies without being looked at: the block accepts them, and
 * none of its other instructions is about them. Long blocks are entered in any case. */
static unsigned passing_types(const struct bt_schema_block_ref *use)
{
    enum { INSTRUCTIONS = 16 };
    unsigned passes = use->types & BT_SCHEMA_TYPE_SET_ALL;
    const struct bt_schema_instr *at = use->rest;
    const struct bt_schema_instr *end = at + INSTRUCTIONS;
    for (; use->kind != BT_USE_TYPES && passes != 0 && at->op != BT_SCHEMA_OP_END; at++) {
        passes &= at == end || at->op == BT_SCHEMA_OP_TYPE ? 0U : ~(unsigned)at->types;
    }
    return passes;
}

/* All that uses need to know about their block, which is complete by now. */
static void finish_block_ref(struct bt_schema_block_ref *use)
{
    if (use->rest) {
        narrow_use(use);
        use->passes = (uint16_t)passing_types(use);
    }
}

enum bt_status bt_schema_link_all(struct bt_schema_coder *coder, struct bt_schema *schema)
{
    const size_t variants = coder->frame->nodes.count * BT_VARIANTS;
    struct schema_link_linker linker = {.coder = coder,
                                        .ranks = BT_NEW_ARRAY(coder->scratch, uint8_t, variants),
                                        .starts = BT_NEW_ARRAY(coder->scratch, uint32_t, variants),
                                        .order = BT_NEW_ARRAY(coder->scratch, uint32_t, variants)};
    if (!linker.ranks || !linker.starts || !linker.order) {
        return BT_ENOMEM;
    }
    find_ranks(&linker);
    find_places(&linker, &schema->entry);
    struct bt_schema_instr *code =
        BT_NEW_ARRAY(coder->arena, struct bt_schema_instr, linker.length);
    struct bt_schema_origin *origins =
        BT_NEW_ARRAY(coder->arena, struct bt_schema_origin, linker.length);
    if (!code || !origins) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < linker.order_count; i++) {
        if (!copy_block(&linker, linker.order[i], code, origins)) {
            return BT_ENOMEM;
        }
    }
    for (size_t i = 0; i < coder->uses.count; i++) {
        link_use(&linker, code, coder->uses.items[i]);
    }
    for (uint32_t i = 0; i < linker.length; i++) {
        narrow_choice(&code[i]);
    }
    for (size_t i = 0; i < coder->uses.count; i++) {
        finish_block_ref(coder->uses.items[i]);
    }
    schema->code = code;
    schema->origins = origins;
    schema->code_count = linker.length;
    schema->candidates = coder->candidates.targets;
    schema->registers_count = (uint32_t)coder->registers.count;
    return BT_OK;
}
