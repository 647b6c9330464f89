/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_draft.c - a payload schema drafted from samples: what all of them are, and nothing else.
 *
 * All samples are laid over each other: one node for each place, with the types that were seen
 * there. Values are taken level by level, so that names come in the order of first appearance, and
 * no recursion is needed.
 */
#include "dialect/plan/schema_draft.h"

#include <assert.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "json/emit.h"
#include "json/layout.h"
#include "json/options.h"

enum { NO_NODE = 0, ROOT = 1, SCHEMA_BYTES_MAX = 1 << 28 };

/* Types in the order in which they are listed. */
enum plan_draft_type {
    DRAFT_OBJECT = 0,
    DRAFT_ARRAY,
    DRAFT_STRING,
    DRAFT_INTEGER,
    DRAFT_NUMBER,
    DRAFT_BOOLEAN,
    DRAFT_NULL,
    DRAFT_TYPES,
};

static const bt_str type_names[DRAFT_TYPES] = {
    BT_STR_INIT("object"), BT_STR_INIT("array"),   BT_STR_INIT("string"), BT_STR_INIT("integer"),
    BT_STR_INIT("number"), BT_STR_INIT("boolean"), BT_STR_INIT("null"),
};

/* A place in the samples. Other nodes are named by their index; NO_NODE: none. */
struct plan_draft_node {
    unsigned types; /* bit per enum plan_draft_type */
    uint32_t first; /* members, in the order of first appearance */
    uint32_t last;
    uint32_t next; /* of the object that it is a member of */
    uint32_t items;
    uint32_t depth;  /* of its schema in the whole schema */
    uint32_t sample; /* the first one that has it */
    size_t objects;  /* how many values are objects */
    size_t count;    /* as a member: how many objects have it */
    bt_str name;
};

struct plan_draft_value {
    const struct bt_json_doc *document;
    const bt_json_value *value;
    uint32_t node;
    uint32_t sample;
};

struct plan_draft_state {
    struct bt_arena *arena;
    BT_VEC(struct plan_draft_node) nodes;
    BT_VEC(struct plan_draft_value) queue;
    struct bt_map members; /* name and node of the object -> node of the member */
};

/* ---- Samples -> nodes ------------------------------------------------------------------------ */

static enum bt_status add_node(struct plan_draft_state *state, uint32_t depth, uint32_t sample,
                               uint32_t *out)
{
    *out = (uint32_t)state->nodes.count;
    return bt_vec_push(
        state->arena, &state->nodes,
        (struct plan_draft_node){.depth = depth, .sample = sample, .name = BT_STR("")});
}

static enum plan_draft_type type_of(const struct plan_draft_value *taken)
{
    switch (bt_json_type(taken->value)) {
    case BT_JSON_OBJECT:
        return DRAFT_OBJECT;
    case BT_JSON_ARRAY:
        return DRAFT_ARRAY;
    case BT_JSON_STRING:
        return DRAFT_STRING;
    case BT_JSON_TRUE:
    case BT_JSON_FALSE:
        return DRAFT_BOOLEAN;
    case BT_JSON_NULL:
        return DRAFT_NULL;
    case BT_JSON_NONE:
    case BT_JSON_INTEGER:
    case BT_JSON_NUMBER:
        break;
    }
    return bt_json_decimal_is_integer(bt_json_number_text(taken->document, taken->value))
               ? DRAFT_INTEGER
               : DRAFT_NUMBER;
}

static enum bt_status take_member(struct plan_draft_state *state,
                                  const struct plan_draft_value *taken,
                                  const struct bt_json_member *member)
{
    const struct bt_map_key key = {.text = bt_json_name(member), .number = taken->node};
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&state->members, key, &entry));
    uint32_t child = (uint32_t)entry->value.number;
    if (child == NO_NODE) {
        BT_TRY(add_node(state, state->nodes.items[taken->node].depth + 2, taken->sample, &child));
        entry->value.number = child;
        struct plan_draft_node *node = &state->nodes.items[taken->node];
        state->nodes.items[child].name = bt_json_name(member);
        if (node->last == NO_NODE) {
            node->first = child;
        } else {
            state->nodes.items[node->last].next = child;
        }
        node->last = child;
    }
    state->nodes.items[child].count++;
    return bt_vec_push(
        state->arena, &state->queue,
        (struct plan_draft_value){taken->document, &member->value, child, taken->sample});
}

static enum bt_status take_items(struct plan_draft_state *state,
                                 const struct plan_draft_value *taken)
{
    const size_t count = bt_json_count(taken->value);
    uint32_t items = state->nodes.items[taken->node].items;
    if (count > 0 && items == NO_NODE) {
        BT_TRY(add_node(state, state->nodes.items[taken->node].depth + 1, taken->sample, &items));
        state->nodes.items[taken->node].items = items;
    }
    for (size_t i = 0; i < count; i++) {
        BT_TRY(
            bt_vec_push(state->arena, &state->queue,
                        (struct plan_draft_value){taken->document, &bt_json_items(taken->value)[i],
                                                  items, taken->sample}));
    }
    return BT_OK;
}

static enum bt_status take_value(struct plan_draft_state *state,
                                 const struct plan_draft_value *taken)
{
    const enum plan_draft_type type = type_of(taken);
    state->nodes.items[taken->node].types |= 1U << type;
    if (type == DRAFT_ARRAY) {
        return take_items(state, taken);
    }
    if (type != DRAFT_OBJECT) {
        return BT_OK;
    }
    state->nodes.items[taken->node].objects++;
    for (size_t i = 0; i < bt_json_count(taken->value); i++) {
        BT_TRY(take_member(state, taken, &bt_json_members(taken->value)[i]));
    }
    return BT_OK;
}

/* ---- Nodes -> schema ------------------------------------------------------------------------- */

static bool is_required(const struct plan_draft_state *state, uint32_t node, uint32_t member)
{
    return state->nodes.items[member].count == state->nodes.items[node].objects;
}

static bool has_required(const struct plan_draft_state *state, uint32_t node)
{
    for (uint32_t i = state->nodes.items[node].first; i != NO_NODE;
         i = state->nodes.items[i].next) {
        if (is_required(state, node, i)) {
            return true;
        }
    }
    return false;
}

/* The types as a schema has them: a number that is not whole makes all of them numbers. */
static unsigned types_of(const struct plan_draft_node *node)
{
    return node->types & (1U << DRAFT_NUMBER) ? node->types & ~(1U << DRAFT_INTEGER) : node->types;
}

static bool is_single(unsigned types)
{
    return (types & (types - 1)) == 0;
}

/* The first node whose schema would be too deep, or NO_NODE. */
static uint32_t find_too_deep(const struct plan_draft_state *state, uint64_t depth_max)
{
    for (uint32_t i = ROOT; i < state->nodes.count; i++) {
        const struct plan_draft_node *node = &state->nodes.items[i];
        const bool has_list = !is_single(types_of(node)) || has_required(state, i);
        if (node->depth + (has_list ? 2U : 1U) > depth_max) {
            return i;
        }
    }
    return NO_NODE;
}

static void put_types(struct bt_emit *emit, unsigned types)
{
    bt_emit_name(emit, "type");
    if (!is_single(types)) {
        bt_emit_begin_array(emit);
    }
    for (size_t i = 0; i < DRAFT_TYPES; i++) {
        if (types & (1U << i)) {
            bt_emit_string(emit, type_names[i]);
        }
    }
    if (!is_single(types)) {
        bt_emit_end(emit);
    }
}

static void put_required(const struct plan_draft_state *state, uint32_t node, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "required");
    for (uint32_t i = state->nodes.items[node].first; i != NO_NODE;
         i = state->nodes.items[i].next) {
        if (is_required(state, node, i)) {
            bt_emit_string(emit, state->nodes.items[i].name);
        }
    }
    bt_emit_end(emit);
}

/* Put everything of a schema that comes before the schemas below it. */
static void put_head(const struct plan_draft_state *state, uint32_t node, bt_str id,
                     struct bt_emit *emit)
{
    const unsigned types = types_of(&state->nodes.items[node]);
    bt_emit_begin_object(emit);
    if (node == ROOT) {
        bt_emit_member_string(emit, "$schema",
                              BT_STR("https://json-schema.org/draft/2020-12/schema"));
        bt_emit_member_string(emit, "$id", id);
    }
    put_types(emit, types);
    if (types & (1U << DRAFT_OBJECT)) {
        if (has_required(state, node)) {
            put_required(state, node, emit);
        }
        bt_emit_member_bool(emit, "additionalProperties", false);
        bt_emit_member_object(emit, "properties");
    }
}

/* A schema that is being put: first its members, then its items, then its end. */
enum plan_draft_phase { DRAFT_MEMBERS = 1, DRAFT_ITEMS, DRAFT_END };

struct plan_draft_frame {
    enum plan_draft_phase phase;
    uint32_t node;
    uint32_t member; /* the next one */
};

enum { FRAMES_MAX = 64 };

struct plan_draft_stack {
    struct plan_draft_frame frames[FRAMES_MAX];
    size_t count;
};

static void begin_schema(const struct plan_draft_state *state, uint32_t node, bt_str id,
                         struct bt_emit *emit, struct plan_draft_stack *stack)
{
    assert(stack->count < FRAMES_MAX); /* each is deeper than the one before it */
    put_head(state, node, id, emit);
    stack->frames[stack->count++] =
        (struct plan_draft_frame){DRAFT_MEMBERS, node, state->nodes.items[node].first};
}

static void put_schema(const struct plan_draft_state *state, bt_str id, struct bt_emit *emit)
{
    struct plan_draft_stack stack = {.count = 0};
    begin_schema(state, ROOT, id, emit, &stack);
    while (stack.count > 0) {
        struct plan_draft_frame *frame = &stack.frames[stack.count - 1];
        const struct plan_draft_node *node = &state->nodes.items[frame->node];
        if (frame->phase == DRAFT_MEMBERS && frame->member != NO_NODE) {
            const uint32_t member = frame->member;
            frame->member = state->nodes.items[member].next;
            bt_emit_name_str(emit, state->nodes.items[member].name);
            begin_schema(state, member, id, emit, &stack);
        } else if (frame->phase == DRAFT_MEMBERS) {
            frame->phase = DRAFT_ITEMS;
            if (types_of(node) & (1U << DRAFT_OBJECT)) {
                bt_emit_end(emit); /* of the properties */
            }
        } else if (frame->phase == DRAFT_ITEMS) {
            frame->phase = DRAFT_END;
            if (node->items != NO_NODE) {
                bt_emit_name(emit, "items");
                begin_schema(state, node->items, id, emit, &stack);
            }
        } else {
            bt_emit_end(emit);
            stack.count--;
        }
    }
}

/* ---- The draft ------------------------------------------------------------------------------- */

/* Begin with a sample; what it is not is in out->error. */
static enum bt_status take_sample(struct plan_draft_state *state,
                                  const struct bt_payload_draft_input *input, size_t index,
                                  struct bt_payload_draft *out)
{
    struct bt_json_read_result read = {0};
    const struct bt_json_options options = bt_json_options_from_env(input->env);
    /* from: caller */
    BT_TRY(bt_json_read(state->arena, input->samples[index], &options, &read));
    const bt_json_value *root = read.document ? bt_json_root(read.document) : NULL;
    out->sample = index;
    out->error = !root                                  ? BT_PAYLOAD_DRAFT_NOT_JSON
                 : bt_json_type(root) != BT_JSON_OBJECT ? BT_PAYLOAD_DRAFT_NOT_OBJECT
                                                        : BT_PAYLOAD_DRAFT_OK;
    return out->error != BT_PAYLOAD_DRAFT_OK
               ? BT_OK
               : bt_vec_push(state->arena, &state->queue,
                             (struct plan_draft_value){read.document, root, ROOT, (uint32_t)index});
}

/* Judge what the samples came to. */
static void check_nodes(const struct plan_draft_state *state, uint64_t depth_max,
                        struct bt_payload_draft *out)
{
    const uint32_t deep = find_too_deep(state, depth_max);
    out->sample = 0;
    if (!has_required(state, ROOT)) {
        out->error = BT_PAYLOAD_DRAFT_NO_COMMON_MEMBER;
    } else if (deep != NO_NODE) {
        out->error = BT_PAYLOAD_DRAFT_TOO_DEEP;
        out->sample = state->nodes.items[deep].sample;
    }
}

static enum bt_status write_schema(const struct plan_draft_state *state, bt_str id, bt_str *out)
{
    struct bt_buf compact;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&compact, SCHEMA_BYTES_MAX);
    bt_buf_init(&buf, SCHEMA_BYTES_MAX);
    bt_emit_init(&emit, &compact, false);
    put_schema(state, id, &emit);
    bt_json_put_layout(&buf, bt_buf_str(&compact));
    const enum bt_status status = compact.status;
    bt_buf_free(&compact);
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return status;
    }
    return bt_buf_finish(&buf, state->arena, out);
}

enum bt_status bt_payload_draft_write(struct bt_arena *arena,
                                      const struct bt_payload_draft_input *input,
                                      struct bt_payload_draft *out)
{
    assert(input->count > 0);
    struct plan_draft_state state = {.arena = arena};
    struct bt_payload_draft draft = {.text = BT_STR("")};
    uint32_t node = NO_NODE;
    bt_map_init(&state.members, arena, input->env->hash_seed);
    BT_TRY(add_node(&state, 0, 0, &node)); /* stands for none */
    BT_TRY(add_node(&state, 0, 0, &node));
    assert(node == ROOT);
    for (size_t i = 0; i < input->count && draft.error == BT_PAYLOAD_DRAFT_OK; i++) {
        BT_TRY(take_sample(&state, input, i, &draft));
    }
    if (draft.error == BT_PAYLOAD_DRAFT_OK) {
        for (size_t i = 0; i < state.queue.count; i++) {
            const struct plan_draft_value taken = state.queue.items[i];
            BT_TRY(take_value(&state, &taken));
        }
        check_nodes(&state, input->env->limits.schema_depth, &draft);
    }
    if (draft.error == BT_PAYLOAD_DRAFT_OK) {
        BT_TRY(write_schema(&state, input->id, &draft.text));
    }
    *out = draft;
    return BT_OK;
}
