/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.c - one node -> one block.
 */
#include "schema/code.h"

#include <assert.h>

#include "schema/set.h"

enum {
    COPY_MAX = 8,        /* instructions that are copied to each who applies them */
    COPY_SINGLE_MAX = 64 /* ... when there is only one */
};

const struct bt_schema_node *bt_schema_code_node(const struct bt_schema_coder *coder)
{
    return &coder->frame->nodes.items[coder->node];
}

const bt_json_value *bt_schema_code_keyword(const struct bt_schema_coder *coder,
                                            enum bt_schema_keyword keyword)
{
    return bt_schema_frame_keyword(coder->frame, bt_schema_code_node(coder), keyword);
}

const struct bt_json_doc *bt_schema_code_doc(const struct bt_schema_coder *coder)
{
    return bt_schema_frame_doc(coder->frame, bt_schema_code_node(coder));
}

enum bt_schema_draft bt_schema_code_draft(const struct bt_schema_coder *coder)
{
    return bt_frame_dialect(coder->frame, bt_schema_code_node(coder))->draft;
}

static enum bt_status append_instr(struct bt_schema_coder *coder, struct bt_schema_instr instr,
                                   struct bt_schema_origin origin)
{
    if (coder->code.count >= coder->options->instructions_max) {
        return BT_ELIMIT;
    }
    BT_TRY(bt_vec_reserve(coder->scratch, &coder->code, 1));
    BT_TRY(bt_vec_push(coder->scratch, &coder->origins, origin));
    coder->code.items[coder->code.count++] = instr;
    return BT_OK;
}

enum bt_status bt_schema_code_instr(struct bt_schema_coder *coder, struct bt_schema_instr instr)
{
    const struct bt_schema_node *node = bt_schema_code_node(coder);
    const struct bt_schema_origin origin = {node->value,
                                            coder->frame->resources.items[node->resource].document};
    return append_instr(coder, instr, origin);
}

enum bt_status bt_schema_code_problem(struct bt_schema_coder *coder, bt_schema_add_problem_fn *add,
                                      const bt_json_value *at, bt_str ref, const char *reason)
{
    const uint32_t document =
        coder->frame->resources.items[bt_schema_code_node(coder)->resource].document;
    const struct bt_schema_compile_error problem = {
        .add = add,
        .document = coder->frame->documents.items[document].document,
        .uri = document == 0 ? BT_STR("") : coder->frame->documents.items[document].uri,
        .at = at,
        .ref = ref,
        .reason = reason,
    };
    return bt_schema_compile_errors_add(coder->problems, &problem);
}

uint32_t bt_schema_code_variant(const struct bt_schema_coder *coder, uint32_t from, uint32_t to,
                                bool is_tracked)
{
    const struct bt_schema_node *nodes = coder->frame->nodes.items;
    const bool is_entered = nodes[from].resource != nodes[to].resource &&
                            bt_schema_code_binds(coder, nodes[to].resource);
    return to * BT_VARIANTS + (is_tracked ? BT_VARIANT_TRACKED : 0) +
           (is_entered ? BT_VARIANT_ENTERED : 0);
}

enum bt_status bt_schema_code_find(struct bt_schema_coder *coder, uint32_t variant)
{
    struct bt_schema_block *block = &coder->blocks[variant];
    if (block->is_queued || block->state != BT_SCHEMA_BLOCK_UNKNOWN) {
        return BT_OK;
    }
    BT_TRY(bt_vec_push(coder->scratch, &coder->queue, variant));
    block->is_queued = true;
    return BT_OK;
}

enum bt_status bt_schema_code_use_variant(struct bt_schema_coder *coder, uint32_t variant,
                                          struct bt_schema_block_ref *use)
{
    BT_TRY(bt_vec_push(coder->scratch, &coder->uses, use));
    use->block = variant;
    use->kind = BT_USE_BLOCK;
    return bt_schema_code_find(coder, variant);
}

enum bt_status bt_schema_code_use_node(struct bt_schema_coder *coder, uint32_t node,
                                       bool is_tracked, struct bt_schema_block_ref *use)
{
    return bt_schema_code_use_variant(
        coder, bt_schema_code_variant(coder, coder->node, node, is_tracked), use);
}

enum bt_status bt_schema_code_use(struct bt_schema_coder *coder, const bt_json_value *schema,
                                  bool is_tracked, struct bt_schema_block_ref *use)
{
    const uint32_t node = bt_schema_frame_node(coder->frame, schema);
    if (node == BT_NO_NODE) {
        *use = BT_USE_ANYTHING; /* no schema, as its meta-schema will say */
        return BT_OK;
    }
    return bt_schema_code_use_node(coder, node, is_tracked, use);
}

/* Comparisons, and few of them, are copied to each who applies them; other blocks only where one
 * alone does: copies have no memo, and would be judged again and again. */
static bool is_copied(const struct bt_schema_coder *coder, uint32_t node,
                      const struct bt_schema_block *block)
{
    if (block->has_marks || coder->applied[node] <= 1) {
        return !block->has_marks && block->length <= COPY_SINGLE_MAX;
    }
    for (uint32_t i = 0; i < block->length && block->length <= COPY_MAX; i++) {
        const uint8_t op = coder->code.items[block->start + i].op;
        if (op >= BT_SCHEMA_OP_ANY && op != BT_SCHEMA_OP_MEMO) {
            return false;
        }
    }
    return block->length <= COPY_MAX;
}

/*
 * Copying is safe because all instructions of a block must hold, in any order, of the same value;
 * those of another block in place join them. A block with marks is called instead: its marks must
 * not mix with ours.
 */
enum bt_status bt_schema_code_in_place(struct bt_schema_coder *coder, uint32_t node)
{
    const uint32_t variant = bt_schema_code_variant(coder, coder->node, node, coder->is_tracked);
    const struct bt_schema_block block = coder->blocks[variant];
    assert(block.state == BT_SCHEMA_BLOCK_DONE);
    if (!is_copied(coder, node, &block)) {
        return bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_CALL,
                                                                    .types = BT_SCHEMA_TYPE_SET_ALL,
                                                                    .as.limit = variant});
    }
    for (uint32_t i = 0; i < block.length; i++) {
        const struct bt_schema_instr instr = coder->code.items[block.start + i];
        if (instr.op != BT_SCHEMA_OP_MEMO) {
            BT_TRY(append_instr(coder, instr, coder->origins.items[block.start + i]));
        }
    }
    return BT_OK;
}

unsigned bt_schema_code_accepts(const struct bt_schema_coder *coder,
                                const struct bt_schema_block_ref *use)
{
    if (use->kind == BT_USE_BLOCK) {
        return coder->blocks[use->block].accepts;
    }
    const bool numbers =
        (use->types & (BT_SCHEMA_TYPE_SET_WHOLE | BT_SCHEMA_TYPE_SET_UNBROKEN)) != 0;
    return use->types | (numbers ? BT_SCHEMA_TYPE_SET_NUMBER : 0U);
}

/* What a choice can accept: anything that one of its branches can. */
static unsigned choice_accepts(const struct bt_schema_coder *coder,
                               const struct bt_schema_choice *choice)
{
    unsigned accepts = 0;
    for (uint32_t i = 0; i < choice->count; i++) {
        accepts |= bt_schema_code_accepts(coder, &choice->branches[i]);
    }
    return accepts;
}

static unsigned instr_accepts(const struct bt_schema_coder *coder,
                              const struct bt_schema_instr *instr)
{
    if (instr->op == BT_SCHEMA_OP_TYPE) {
        const bool numbers =
            (instr->types & (BT_SCHEMA_TYPE_SET_WHOLE | BT_SCHEMA_TYPE_SET_UNBROKEN)) != 0;
        return instr->types | (numbers ? BT_SCHEMA_TYPE_SET_NUMBER : 0U);
    }
    if (instr->op == BT_SCHEMA_OP_FAIL) {
        return 0;
    }
    if (instr->op == BT_SCHEMA_OP_SET) {
        return bt_schema_set_types(instr->as.set);
    }
    if (instr->op == BT_SCHEMA_OP_ANY || instr->op == BT_SCHEMA_OP_ONE) {
        return choice_accepts(coder, instr->as.choice);
    }
    if (instr->op == BT_SCHEMA_OP_CALL) {
        return coder->blocks[instr->as.limit].accepts;
    }
    return BT_SCHEMA_TYPE_SET_ALL;
}

/* The type is tested first, wherever it came from: it is cheapest, and a block that applies this
 * one can test it without entering. All instructions must hold, so their order is free. */
static void move_type_first(struct bt_schema_coder *coder, uint32_t start)
{
    size_t at = start;
    while (at < coder->code.count && coder->code.items[at].op != BT_SCHEMA_OP_TYPE) {
        at++;
    }
    if (at == coder->code.count) {
        return;
    }
    const struct bt_schema_instr instr = coder->code.items[at];
    const struct bt_schema_origin origin = coder->origins.items[at];
    for (; at > start; at--) {
        coder->code.items[at] = coder->code.items[at - 1];
        coder->origins.items[at] = coder->origins.items[at - 1];
    }
    coder->code.items[start] = instr;
    coder->origins.items[start] = origin;
}

/* End the block and sum it up. */
static enum bt_status close_block(struct bt_schema_coder *coder, uint32_t start)
{
    struct bt_schema_block *block = &coder->blocks[coder->variant];
    const uint32_t length = (uint32_t)coder->code.count - start;
    move_type_first(coder, start);
    BT_TRY(bt_schema_code_instr(
        coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_END, .types = BT_SCHEMA_TYPE_SET_ALL}));
    block->start = start;
    block->length = length;
    unsigned accepts = BT_SCHEMA_TYPE_SET_ALL;
    for (uint32_t i = 0; i < length; i++) {
        const struct bt_schema_instr *instr = &coder->code.items[start + i];
        accepts &= instr_accepts(coder, instr);
        block->has_marks = block->has_marks || instr->op == BT_SCHEMA_OP_MARKS;
    }
    block->accepts = (uint16_t)accepts;
    return BT_OK;
}

/* Whether the node looks at what others evaluated. With `true` there is nothing to see, unless
 * somebody outside wants to know that all is evaluated. */
static bool wants_marks(const struct bt_schema_coder *coder, bool is_tracked)
{
    const enum bt_schema_keyword keywords[] = {BT_SCHEMA_KW_UNEVALUATED_ITEMS,
                                               BT_SCHEMA_KW_UNEVALUATED_PROPERTIES};
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        const bt_json_value *value = bt_schema_code_keyword(coder, keywords[i]);
        if (value && (is_tracked || bt_json_type(value) != BT_JSON_TRUE)) {
            return true;
        }
    }
    return false;
}

bool bt_schema_code_tracks(const struct bt_schema_coder *coder, uint32_t variant)
{
    struct bt_schema_coder other = *coder;
    other.node = variant / BT_VARIANTS;
    const bool is_tracked = (variant & BT_VARIANT_TRACKED) != 0;
    return is_tracked || wants_marks(&other, is_tracked);
}

static enum bt_status emit_unevaluated(struct bt_schema_coder *coder,
                                       enum bt_schema_keyword keyword)
{
    const bt_json_value *value = bt_schema_code_keyword(coder, keyword);
    if (!value) {
        return BT_OK;
    }
    struct bt_schema_unevaluated *unevaluated = BT_NEW(coder->arena, struct bt_schema_unevaluated);
    if (!unevaluated) {
        return BT_ENOMEM;
    }
    unevaluated->of_items = keyword == BT_SCHEMA_KW_UNEVALUATED_ITEMS;
    BT_TRY(bt_schema_code_use(coder, value, false, &unevaluated->use));
    const uint16_t types =
        unevaluated->of_items ? BT_SCHEMA_TYPE_SET_ARRAY : BT_SCHEMA_TYPE_SET_OBJECT;
    return bt_schema_code_instr(coder, (struct bt_schema_instr){.op = BT_SCHEMA_OP_UNEVALUATED,
                                                                .types = types,
                                                                .as.unevaluated = unevaluated});
}

/* In the order of their price, so that a document that fails does so early. */
static enum bt_status emit_keywords(struct bt_schema_coder *coder, bool is_tracked, bool has_marks)
{
    if (coder->applied[coder->node] > 1) {
        BT_TRY(bt_schema_code_instr(
            coder,
            (struct bt_schema_instr){.op = BT_SCHEMA_OP_MEMO,
                                     .types = BT_SCHEMA_TYPE_SET_ALL,
                                     .flags = is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0}));
    }
    if (has_marks) {
        BT_TRY(bt_schema_code_instr(
            coder,
            (struct bt_schema_instr){.op = BT_SCHEMA_OP_MARKS,
                                     .types = BT_SCHEMA_TYPE_SET_ALL,
                                     .flags = is_tracked ? BT_SCHEMA_INSTR_FLAG_TRACKED : 0}));
    }
    BT_TRY(bt_schema_code_scalars(coder));
    BT_TRY(bt_schema_code_object(coder));
    BT_TRY(bt_schema_code_array(coder));
    BT_TRY(bt_schema_code_references(coder));
    BT_TRY(bt_schema_code_choices(coder));
    if (has_marks) {
        BT_TRY(emit_unevaluated(coder, BT_SCHEMA_KW_UNEVALUATED_ITEMS));
        BT_TRY(emit_unevaluated(coder, BT_SCHEMA_KW_UNEVALUATED_PROPERTIES));
    }
    return BT_OK;
}

static enum bt_status emit_variant(struct bt_schema_coder *coder, uint32_t variant)
{
    coder->variant = variant;
    coder->node = variant / BT_VARIANTS;
    const bool is_tracked = (variant & BT_VARIANT_TRACKED) != 0;
    const uint32_t start = (uint32_t)coder->code.count;
    if ((variant & BT_VARIANT_ENTERED) != 0) {
        BT_TRY(bt_schema_code_entered(coder));
        return close_block(coder, start);
    }
    const struct bt_schema_node *node = bt_schema_code_node(coder);
    if (bt_json_type(node->value) != BT_JSON_OBJECT) {
        if (bt_json_type(node->value) == BT_JSON_FALSE) {
            BT_TRY(bt_schema_code_instr(coder,
                                        (struct bt_schema_instr){.op = BT_SCHEMA_OP_FAIL,
                                                                 .types = BT_SCHEMA_TYPE_SET_ALL}));
        }
        return close_block(coder, start);
    }
    const bool has_marks = wants_marks(coder, is_tracked);
    coder->is_tracked = is_tracked || has_marks;
    BT_TRY(bt_schema_code_type(coder));
    BT_TRY(emit_keywords(coder, is_tracked, has_marks));
    return close_block(coder, start);
}

/* How often each node is applied, by its parent and by references. */
static enum bt_status count_applied(struct bt_schema_coder *coder)
{
    const struct bt_schema_frame *frame = coder->frame;
    coder->applied = BT_NEW_ARRAY(coder->scratch, uint32_t, frame->nodes.count);
    if (!coder->applied) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < frame->edges.count; i++) {
        const struct bt_schema_edge *edge = &frame->edges.items[i];
        if (edge->to != BT_NO_NODE && edge->place != BT_NOWHERE) {
            coder->applied[edge->to]++;
        }
    }
    coder->applied[frame->resources.items[0].root]++;
    for (size_t i = 0; i < coder->candidates.count; i++) {
        coder->applied[coder->candidates.nodes[i]] += 2;
    }
    return BT_OK;
}

enum bt_status bt_schema_code_all(struct bt_schema_coder *coder, struct bt_schema *schema)
{
    struct bt_schema_frame *frame = coder->frame;
    bt_map_init(&coder->by_pattern, coder->scratch, coder->options->hash_seed);
    coder->blocks =
        BT_NEW_ARRAY(coder->scratch, struct bt_schema_block, frame->nodes.count * BT_VARIANTS);
    if (!coder->blocks) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_schema_code_find_registers(coder));
    BT_TRY(count_applied(coder));
    const uint32_t root = frame->resources.items[0].root;
    coder->node = root;
    const bool is_entered = bt_schema_code_binds(coder, frame->nodes.items[root].resource);
    BT_TRY(bt_schema_code_use_variant(
        coder, root * BT_VARIANTS + (is_entered ? BT_VARIANT_ENTERED : 0), &schema->entry));
    BT_TRY(bt_order_run(coder, emit_variant));
    if (coder->problems->count > 0) {
        return BT_OK;
    }
    return bt_schema_link_all(coder, schema);
}
