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

#include "dialect/plan/payload.h"
#include "dialect/plan/strong_components.h"
#include "json/value_pointer.h"

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

static int parse_hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    if (byte >= 'a' && byte <= 'f') {
        return byte - 'a' + 10;
    }
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* Undo %XX; false when it is malformed. */
static bool decode_percent(bt_str text, struct bt_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '%') {
            bt_buf_put_char(out, text.ptr[i]);
            continue;
        }
        if (i + 2 >= text.len || parse_hex_digit(text.ptr[i + 1]) < 0 ||
            parse_hex_digit(text.ptr[i + 2]) < 0) {
            return false;
        }
        bt_buf_put_char(
            out, (char)(parse_hex_digit(text.ptr[i + 1]) * 16 + parse_hex_digit(text.ptr[i + 2])));
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
    static const char hexadecimal[] = "0123456789ABCDEF";
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    bt_json_put_value_pointer(&pointer, payload->document, value);
    for (size_t i = 0; i < pointer.len; i++) {
        const unsigned char byte = (unsigned char)pointer.ptr[i];
        const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                              (byte >= '0' && byte <= '9') || byte == '/' || byte == '~' ||
                              byte == '$' || byte == '_' || byte == '-';
        if (is_plain) {
            bt_buf_put_char(buf, (char)byte);
        } else {
            bt_buf_put_char(buf, '%');
            bt_buf_put_char(buf, hexadecimal[byte >> 4]);
            bt_buf_put_char(buf, hexadecimal[byte & 15]);
        }
    }
    buf->status = buf->status == BT_OK ? pointer.status : buf->status;
    bt_buf_free(&pointer);
}

static enum bt_status refuse_ref(struct bt_payload *payload, const bt_json_value *ref)
{
    struct bt_finding_builder remark;
    bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_REF", ref);
    bt_buf_put_text(&remark.message, "the reference ");
    bt_buf_put_quoted(&remark.message, bt_json_text(ref));
    bt_buf_put_text(&remark.message, " leads to no schema of this file");
    remark.finding.hint = BT_STR("point it at #/$defs/...; nothing is fetched");
    bt_emit_member_string(&remark.emit, "ref", bt_json_text(ref));
    return bt_finding_builder_end(&remark, payload->findings);
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
            BT_TRY(refuse_ref(payload, ref));
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
    if (!queue) {
        return BT_ENOMEM;
    }
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

static enum bt_status put_ref(const struct plan_circle_graph *graph, size_t node,
                              struct bt_emit *emit)
{
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    bt_json_put_value_pointer(&pointer, graph->payload->document, ref_of(graph->payload, node));
    bt_emit_string(emit, bt_buf_str(&pointer));
    const enum bt_status status = pointer.status;
    bt_buf_free(&pointer);
    return status;
}

/* Put the pointer of the first $ref, and of those on the way from where it leads back to it. */
static enum bt_status put_circle(const struct plan_circle_graph *graph, size_t first,
                                 struct bt_arena *arena, struct bt_emit *emit)
{
    const size_t start = graph->targets[first];
    size_t *from = BT_NEW_ARRAY(arena, size_t, graph->positions->count);
    size_t *back = BT_NEW_ARRAY(arena, size_t, graph->positions->count);
    if (!from || !back) {
        return BT_ENOMEM;
    }
    BT_TRY(find_path(graph, start, first, arena, from));
    size_t steps = 0;
    for (size_t node = first; node != start; node = from[node]) {
        back[steps++] = node;
    }
    BT_TRY(put_ref(graph, first, emit));
    for (size_t node = start; steps > 0; node = back[--steps]) {
        if (graph->targets[node] == back[steps - 1]) {
            BT_TRY(put_ref(graph, node, emit));
        }
    }
    return BT_OK;
}

static enum bt_status refuse_circle(struct bt_payload *payload,
                                    const struct plan_circle_graph *graph, size_t first)
{
    struct bt_finding_builder remark;
    const bt_json_value *ref = ref_of(payload, first);
    bt_payload_remark(payload, &remark, "PAYLOAD_SCHEMA_CYCLE", ref);
    bt_buf_put_text(&remark.message, "the reference ");
    bt_buf_put_quoted(&remark.message, bt_json_text(ref));
    bt_buf_put_text(&remark.message, " leads back to where it stands");
    remark.finding.hint = BT_STR("unroll the type to a fixed depth");
    bt_emit_name(&remark.emit, "cycle");
    bt_emit_begin_array(&remark.emit);
    const enum bt_status status = put_circle(graph, first, payload->arena, &remark.emit);
    bt_emit_end(&remark.emit);
    const enum bt_status added = bt_finding_builder_end(&remark, payload->findings);
    return status == BT_OK ? added : status;
}

enum bt_status bt_payload_check_refs(struct bt_payload *payload)
{
    struct plan_circle_graph graph = {
        .payload = payload,
        .positions = &payload->positions,
        .targets = BT_NEW_ARRAY(payload->arena, size_t, payload->positions.count),
        .sets = BT_NEW_ARRAY(payload->arena, size_t, payload->positions.count),
    };
    if (!graph.targets || !graph.sets) {
        return BT_ENOMEM;
    }
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
