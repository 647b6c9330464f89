/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_cycles.c - the references of a payload schema: each local, each to a schema, no cycles.
 *
 * Schemas are nodes; an edge leads from a schema to each one directly below it, and along $ref. The
 * graph has a cycle when a strongly connected component has an edge within it. References are the
 * only edges that lead up, so every cycle contains one.
 */
#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/plan/payload.h"
#include "dialect/plan/strong_components.h"
#include "json/value_pointer.h"
#include "report/rules.h"

#define NONE SIZE_MAX

struct plan_circle_graph {
    const struct bt_payload *payload;
    const struct bt_payload_schema_positions *positions;
    size_t *targets; /* by position: where its $ref leads, or NONE */
    size_t *sets;    /* by position: the strongly connected set */
};

static const bt_json_value *ref_of(const struct bt_payload *payload, size_t position)
{
    const bt_json_value *schema = payload->positions.items[position].schema;
    return bt_json_get(payload->document, schema, BT_STR("$ref"));
}

/* Undo %XX; false when it is malformed. */
static bool decode_percent(bt_str text, struct bt_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '%') {
            bt_buf_put_char(out, text.ptr[i]);
            continue;
        }
        if (i + 2 >= text.len || !bt_ascii_is_hex(text.ptr[i + 1]) ||
            !bt_ascii_is_hex(text.ptr[i + 2])) {
            return false;
        }
        bt_buf_put_char(out, (char)(bt_ascii_hex_value(text.ptr[i + 1]) * 16 +
                                    bt_ascii_hex_value(text.ptr[i + 2])));
        i += 2;
    }
    return true;
}

const bt_json_value *bt_payload_ref_target(const struct bt_payload *payload, bt_str ref,
                                           const bt_json_value *root)
{
    if (!bt_str_starts_with(ref, BT_STR("#"))) {
        return NULL;
    }
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    const bool is_decoded = decode_percent(bt_str_slice(ref, 1, ref.len), &pointer);
    const bt_json_value *found =
        is_decoded && pointer.status == BT_OK
            ? bt_json_resolve(payload->document, root, bt_buf_str(&pointer))
            : NULL;
    bt_buf_free(&pointer);
    return found;
}

void bt_payload_put_fragment(const struct bt_payload *payload, const bt_json_value *value,
                             struct bt_buf *buf)
{
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    bt_json_put_value_pointer(&pointer, payload->document, value);
    for (size_t i = 0; i < pointer.len; i++) {
        const char byte = pointer.ptr[i];
        if (bt_ascii_is_alnum(byte) || (byte != '\0' && strchr("/~$_-", byte))) {
            bt_buf_put_char(buf, byte);
        } else {
            bt_buf_printf(buf, "%%%02X", (unsigned)(unsigned char)byte);
        }
    }
    buf->status = buf->status == BT_OK ? pointer.status : buf->status;
    bt_buf_free(&pointer);
}

static enum bt_status find_targets(struct bt_payload *payload, struct plan_circle_graph *graph)
{
    for (size_t i = 0; i < graph->positions->count; i++) {
        const bt_json_value *ref = ref_of(payload, i);
        graph->targets[i] = NONE;
        if (!ref || bt_json_type(ref) != BT_JSON_STRING) {
            continue;
        }
        payload->refs++;
        const bt_json_value *found =
            bt_payload_ref_target(payload, bt_json_text(ref), bt_json_root(payload->document));
        graph->targets[i] =
            found ? bt_payload_schema_positions_index(&payload->positions, found) : NONE;
        if (graph->targets[i] == NONE) {
            BT_TRY(bt_add_payload_schema_ref(payload->findings, bt_payload_location(payload, ref),
                                             bt_json_text(ref)));
        }
    }
    return BT_OK;
}

/* The next schema that an edge of `node` leads to: those directly below, then along $ref. */
static size_t next_edge(const void *context, size_t node, size_t *cursor)
{
    const struct plan_circle_graph *graph = context;
    const struct bt_payload_schema_position *items = graph->positions->items;
    if (*cursor == NONE) {
        return NONE;
    }
    const size_t child = *cursor == 0 ? node + 1 : items[*cursor].end;
    const bool is_below = child < items[node].end;
    *cursor = is_below ? child : NONE;
    return is_below ? child : graph->targets[node];
}

/* The position whose $ref comes first in the document among those that lie on a circle, or NONE. */
static size_t first_on_circle(const struct plan_circle_graph *graph)
{
    size_t first = NONE;
    size_t first_offset = SIZE_MAX;
    for (size_t i = 0; i < graph->positions->count; i++) {
        const size_t target = graph->targets[i];
        if (target == NONE || graph->sets[i] != graph->sets[target]) {
            continue;
        }
        const size_t offset =
            bt_json_span(graph->payload->document, ref_of(graph->payload, i)).begin;
        if (offset < first_offset) {
            first = i;
            first_offset = offset;
        }
    }
    return first;
}

/* Where each schema is reached from on the shortest way from `start` to `goal` within its set. */
static enum bt_status find_path(const struct plan_circle_graph *graph, size_t start, size_t goal,
                                struct bt_arena *arena, size_t *from)
{
    const size_t count = graph->positions->count;
    size_t *queue = BT_NEW_ARRAY(arena, size_t, count);
    BT_TRY(queue ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        from[i] = NONE;
    }
    size_t queued = 0;
    queue[queued++] = start;
    from[start] = start;
    for (size_t i = 0; i < queued && from[goal] == NONE; i++) {
        const size_t node = queue[i];
        size_t cursor = 0;
        for (size_t to = next_edge(graph, node, &cursor); to != NONE;
             to = next_edge(graph, node, &cursor)) {
            if (from[to] == NONE && graph->sets[to] == graph->sets[goal]) {
                from[to] = node;
                queue[queued++] = to;
            }
        }
    }
    assert(from[goal] != NONE);
    return BT_OK;
}

/* Add the pointer of the $ref of a schema to the list, which has room. */
static enum bt_status add_ref_pointer(const struct plan_circle_graph *graph, size_t node,
                                      bt_str *pointers, size_t *count)
{
    return bt_json_value_pointer(graph->payload->document, ref_of(graph->payload, node),
                                 graph->payload->arena, &pointers[(*count)++]);
}

/* List the pointers of the first $ref and of those on the way from where it leads back to it. */
static enum bt_status list_circle(const struct plan_circle_graph *graph, size_t first,
                                  struct bt_str_list *out)
{
    struct bt_arena *arena = graph->payload->arena;
    const size_t start = graph->targets[first];
    size_t *from = BT_NEW_ARRAY(arena, size_t, graph->positions->count);
    size_t *back = BT_NEW_ARRAY(arena, size_t, graph->positions->count);
    bt_str *pointers = BT_NEW_ARRAY(arena, bt_str, graph->positions->count + 1);
    BT_TRY(from && back && pointers ? BT_OK : BT_ENOMEM);
    BT_TRY(find_path(graph, start, first, arena, from));
    size_t steps = 0;
    for (size_t node = first; node != start; node = from[node]) {
        back[steps++] = node;
    }
    size_t count = 0;
    BT_TRY(add_ref_pointer(graph, first, pointers, &count));
    for (size_t node = start; steps > 0; node = back[--steps]) {
        if (graph->targets[node] == back[steps - 1]) {
            BT_TRY(add_ref_pointer(graph, node, pointers, &count));
        }
    }
    *out = (struct bt_str_list){pointers, count};
    return BT_OK;
}

static enum bt_status refuse_circle(struct bt_payload *payload,
                                    const struct plan_circle_graph *graph, size_t first)
{
    const bt_json_value *ref = ref_of(payload, first);
    struct bt_str_list cycle;
    BT_TRY(list_circle(graph, first, &cycle));
    return bt_add_payload_schema_cycle(payload->findings, bt_payload_location(payload, ref), cycle,
                                       bt_json_text(ref));
}

enum bt_status bt_payload_check_refs(struct bt_payload *payload)
{
    struct plan_circle_graph graph = {
        .payload = payload,
        .positions = &payload->positions,
        .targets = BT_NEW_ARRAY(payload->arena, size_t, payload->positions.count),
        .sets = BT_NEW_ARRAY(payload->arena, size_t, payload->positions.count),
    };
    BT_TRY(graph.targets && graph.sets ? BT_OK : BT_ENOMEM);
    const size_t before = bt_findings_count(payload->findings);
    BT_TRY(find_targets(payload, &graph));
    if (bt_findings_have_hard(payload->findings, before)) {
        return BT_OK;
    }
    BT_TRY(bt_plan_strong_components(payload->arena, payload->positions.count, next_edge, &graph,
                                     graph.sets));
    const size_t first = first_on_circle(&graph);
    return first == NONE ? BT_OK : refuse_circle(payload, &graph, first);
}
