/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - in which order variants are emitted, and references that go in circles.
 *
 * Depth first along the edges in place, without recursion. An edge back to a variant that is still
 * open closes a circle: the schema would apply itself to the same value forever. Dynamic references
 * are left out, since where they lead is not known yet; the machine's own bounds hold there.
 */
#include <assert.h>

#include "schema/code.h"

/* A variant whose edges are being followed. */
struct schema_order_level {
    uint32_t variant;
    uint32_t next;                     /* edge of its node */
    const struct bt_schema_edge *edge; /* by which it was reached, or NULL */
};

struct schema_order_walk {
    struct bt_schema_coder *coder;
    BT_VEC(struct schema_order_level) levels;
};

static enum bt_status open_variant(struct schema_order_walk *walk, uint32_t variant,
                                   const struct bt_schema_edge *edge)
{
    BT_TRY(bt_vec_push(walk->coder->scratch, &walk->levels,
                       (struct schema_order_level){variant, 0, edge}));
    walk->coder->blocks[variant].state = BT_SCHEMA_BLOCK_OPEN;
    return BT_OK;
}

static bool is_reference(const struct bt_schema_edge *edge)
{
    return bt_keyword_rows[edge->keyword].shape == BT_SCHEMA_KEYWORD_SHAPE_NONE;
}

/* Tell of a circle that `edge` closes, at one of its references; it has at least one, because edges
 * to children only lead down. */
static enum bt_status refuse_circle(struct schema_order_walk *walk,
                                    const struct bt_schema_edge *edge)
{
    struct bt_schema_coder *coder = walk->coder;
    coder->has_circle = true;
    size_t at = walk->levels.count;
    assert(edge);
    while (!is_reference(edge)) {
        assert(at > 1);
        edge = walk->levels.items[--at].edge;
        assert(edge);
    }
    /* The node that holds the reference: the one whose edges are followed there. */
    coder->node = walk->levels.items[at - 1].variant / BT_VARIANTS;
    return bt_schema_code_problem(
        coder, bt_add_schema_cycle, edge->at, bt_json_text(edge->at),
        "the reference leads back to itself without going into the value");
}

/* The next variant that `level` applies in place, or UINT32_MAX. */
static uint32_t next_in_place(const struct schema_order_walk *walk,
                              struct schema_order_level *level,
                              const struct bt_schema_edge **out_edge)
{
    const struct bt_schema_coder *coder = walk->coder;
    const uint32_t node = level->variant / BT_VARIANTS;
    if ((level->variant & BT_VARIANT_ENTERED) != 0) {
        return level->next++ == 0 ? level->variant - BT_VARIANT_ENTERED : UINT32_MAX;
    }
    const struct bt_schema_node *from = &coder->frame->nodes.items[node];
    while (level->next < from->edges_count) {
        const struct bt_schema_edge *edge = &coder->frame->edges.items[from->edges + level->next++];
        const bool in_place = edge->place == BT_IN_PLACE || edge->place == BT_NEGATED;
        if (in_place && edge->to != BT_NO_NODE && !edge->is_dynamic) {
            *out_edge = edge;
            const bool is_tracked =
                edge->place == BT_IN_PLACE && bt_schema_code_tracks(coder, level->variant);
            return bt_schema_code_variant(coder, node, edge->to, is_tracked);
        }
    }
    return UINT32_MAX;
}

static enum bt_status visit_variants(struct schema_order_walk *walk, bt_code_fn *emit)
{
    struct bt_schema_coder *coder = walk->coder;
    while (walk->levels.count > 0) {
        struct schema_order_level *level = &walk->levels.items[walk->levels.count - 1];
        const struct bt_schema_edge *edge = level->edge;
        const uint32_t next = next_in_place(walk, level, &edge);
        if (next == UINT32_MAX) {
            const uint32_t variant = level->variant;
            if (!coder->has_circle) {
                BT_TRY(emit(coder, variant));
            }
            coder->blocks[variant].state = BT_SCHEMA_BLOCK_DONE;
            walk->levels.count--;
        } else if (coder->blocks[next].state == BT_SCHEMA_BLOCK_OPEN) {
            BT_TRY(refuse_circle(walk, edge));
        } else if (coder->blocks[next].state == BT_SCHEMA_BLOCK_UNKNOWN) {
            BT_TRY(open_variant(walk, next, edge));
        }
    }
    return BT_OK;
}

enum bt_status bt_order_run(struct bt_schema_coder *coder, bt_code_fn *emit)
{
    struct schema_order_walk walk = {.coder = coder};
    for (size_t i = 0; i < coder->queue.count; i++) {
        const uint32_t variant = coder->queue.items[i];
        if (coder->blocks[variant].state == BT_SCHEMA_BLOCK_UNKNOWN) {
            BT_TRY(open_variant(&walk, variant, NULL));
            BT_TRY(visit_variants(&walk, emit));
        }
    }
    return BT_OK;
}
