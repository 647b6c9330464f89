/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_refs.c - where references lead.
 */
#include <assert.h>

#include "base/error.h"
#include "schema/frame.h"
#include "schema/uri.h"

/* A reference that is being followed. */
struct schema_ref_target {
    struct bt_schema_frame *frame;
    uint32_t from;      /* the node it stands in */
    size_t edge;        /* its number */
    const char *reason; /* why it leads nowhere */
};

/* An object so large that its members are found by an index, made when it is first met. */
enum { LARGE = 32 };

static struct bt_map_key member_key(const bt_json_value *object, bt_str name)
{
    return (struct bt_map_key){name, (uintptr_t)object};
}

/* Entries have the number of a member plus one; of a repeated name, the last. Each object has an
 * entry with an empty name, which is 0 when it has no such member. */
static enum bt_status index_members(struct bt_schema_frame *frame, const bt_json_value *object)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(&frame->by_member, member_key(object, BT_STR("")), &entry));
    for (uint32_t i = 0; i < object->size; i++) {
        const bt_str name = bt_json_name(&object->as.members[i]);
        BT_TRY(bt_map_add(&frame->by_member, member_key(object, name), &entry));
        entry->value.number = (uint64_t)i + 1;
    }
    return BT_OK;
}

/* The member of a large object, or NULL; so that many references into one object do not take time
 * quadratic in its size. */
static enum bt_status find_large(struct bt_schema_frame *frame, const bt_json_value *object,
                                 bt_str name, const bt_json_value **out)
{
    if (!bt_map_find(&frame->by_member, member_key(object, BT_STR("")))) {
        BT_TRY(index_members(frame, object));
    }
    const struct bt_map_entry *entry = bt_map_find(&frame->by_member, member_key(object, name));
    const bool is_found = entry && entry->value.number > 0;
    *out = is_found ? &object->as.members[entry->value.number - 1].value : NULL;
    return BT_OK;
}

/* One step of a pointer: `token` begins with its slash. */
static enum bt_status follow_token(struct bt_schema_frame *frame,
                                   const struct bt_json_doc *document, const bt_json_value *from,
                                   bt_str token, const bt_json_value **out)
{
    if (bt_json_type(from) == BT_JSON_OBJECT && from->size > LARGE &&
        bt_str_find_byte(token, '~', 0) == token.len) {
        return find_large(frame, from, bt_str_slice(token, 1, token.len), out);
    }
    *out = bt_json_resolve(document, from, token);
    return BT_OK;
}

/*
 * The node that a JSON Pointer names below the root of a resource. What it names need not be a
 * schema by any keyword: it is one because it is referred to, and belongs to the resource of the
 * innermost node on the way.
 */
static enum bt_status follow_pointer(struct schema_ref_target *following, uint32_t resource,
                                     bt_str pointer, uint32_t *out_node)
{
    struct bt_schema_frame *frame = following->frame;
    const struct bt_schema_resource *home = &frame->resources.items[resource];
    const struct bt_json_doc *document = frame->documents.items[home->document].document;
    const bt_json_value *value = frame->nodes.items[home->root].value;
    for (size_t at = 0; value && at < pointer.len;) {
        const size_t end = bt_str_find_byte(pointer, '/', at + 1);
        BT_TRY(follow_token(frame, document, value, bt_str_slice(pointer, at, end), &value));
        at = end;
        const uint32_t node = value ? bt_schema_frame_node(frame, value) : BT_NO_NODE;
        resource = node != BT_NO_NODE ? frame->nodes.items[node].resource : resource;
    }
    if (!value) {
        following->reason = "the pointer names nothing";
        return BT_OK;
    }
    const enum bt_json_type type = bt_json_type(value);
    if (type != BT_JSON_OBJECT && type != BT_JSON_TRUE && type != BT_JSON_FALSE) {
        following->reason = "what the pointer names is not a schema";
        return BT_OK;
    }
    return bt_schema_frame_add(frame, value, resource, out_node);
}

/* The resource that the part before the fragment names, or BT_NO_RESOURCE. */
static enum bt_status follow_uri(struct schema_ref_target *following, bt_str whole,
                                 uint32_t *out_resource)
{
    struct bt_schema_frame *frame = following->frame;
    const uint32_t home = frame->nodes.items[following->from].resource;
    if (whole.len == 0) {
        *out_resource = home;
        return BT_OK;
    }
    bt_str uri;
    BT_TRY(bt_schema_uri_resolve(frame->arena, frame->resources.items[home].uri, whole, &uri));
    *out_resource = bt_schema_frame_resource(frame, uri);
    if (*out_resource != BT_NO_RESOURCE) {
        return BT_OK;
    }
    size_t number = 0;
    BT_TRY(bt_schema_frame_fetch(frame, uri, &number));
    if (number == frame->documents.count) {
        following->reason = "no document goes by this URI, and nothing is fetched";
        return BT_OK;
    }
    return bt_schema_frame_enter(frame, number, out_resource);
}

/* Sets edge->to and edge->is_dynamic. */
static enum bt_status follow_ref(struct schema_ref_target *following)
{
    struct bt_schema_frame *frame = following->frame;
    const enum bt_schema_keyword keyword = frame->edges.items[following->edge].keyword;
    const struct bt_schema_uri ref =
        bt_schema_uri_split(bt_json_text(frame->edges.items[following->edge].at));
    uint32_t resource = BT_NO_RESOURCE;
    BT_TRY(follow_uri(following, ref.whole, &resource));
    if (resource == BT_NO_RESOURCE) {
        return BT_OK;
    }
    bt_str fragment;
    BT_TRY(bt_schema_uri_decode(frame->arena, ref.fragment, &fragment));
    uint32_t to = BT_NO_NODE;
    bool is_dynamic = false;
    if (fragment.len == 0) {
        to = frame->resources.items[resource].root;
        is_dynamic =
            keyword == BT_SCHEMA_KW_RECURSIVE_REF && frame->resources.items[resource].is_recursive;
    } else if (fragment.ptr[0] == '/') {
        BT_TRY(follow_pointer(following, resource, fragment, &to));
    } else {
        const struct bt_schema_anchor *anchor = bt_schema_frame_anchor(frame, resource, fragment);
        following->reason = anchor ? NULL : "the resource has no such anchor";
        to = anchor ? anchor->node : BT_NO_NODE;
        is_dynamic = keyword == BT_SCHEMA_KW_DYNAMIC_REF && anchor && anchor->is_dynamic;
    }
    frame->edges.items[following->edge].to = to;
    frame->edges.items[following->edge].is_dynamic = is_dynamic;
    return BT_OK;
}

/* In v1 a dynamic reference is a name, with or without '#', that any resource on the way here may
 * have; its own need not. */
static void follow_name(struct schema_ref_target *following)
{
    struct bt_schema_frame *frame = following->frame;
    struct bt_schema_edge *edge = &frame->edges.items[following->edge];
    const uint32_t resource = frame->nodes.items[following->from].resource;
    const struct bt_schema_anchor *anchor =
        bt_schema_frame_anchor(frame, resource, bt_schema_edge_name(edge));
    edge->is_dynamic = true;
    edge->to = anchor && anchor->is_dynamic ? anchor->node : BT_NO_NODE;
}

bt_str bt_schema_edge_name(const struct bt_schema_edge *edge)
{
    const bt_str text = bt_json_text(edge->at);
    const struct bt_schema_uri ref = bt_schema_uri_split(text);
    return ref.has_fragment ? ref.fragment : text;
}

static enum bt_status resolve_edge(struct bt_schema_frame *frame, uint32_t from, size_t number)
{
    const struct bt_schema_edge edge = frame->edges.items[number];
    struct schema_ref_target following = {.frame = frame, .from = from, .edge = number};
    const bool is_v1 =
        bt_frame_dialect(frame, &frame->nodes.items[from])->draft == BT_SCHEMA_DRAFT_V1;
    if (edge.keyword == BT_SCHEMA_KW_DYNAMIC_REF && is_v1) {
        follow_name(&following);
        return BT_OK;
    }
    BT_TRY(follow_ref(&following));
    if (frame->edges.items[number].to != BT_NO_NODE) {
        return BT_OK;
    }
    const uint32_t document = frame->resources.items[frame->nodes.items[from].resource].document;
    const struct bt_schema_compile_error problem = {
        .add = bt_add_schema_ref_unresolved,
        .document = frame->documents.items[document].document,
        .uri = document == 0 ? BT_STR("") : frame->documents.items[document].uri,
        .at = edge.at,
        .ref = bt_json_text(edge.at),
        .reason = following.reason,
    };
    return bt_schema_compile_errors_add(frame->problems, &problem);
}

static bool is_reference(const struct bt_schema_edge *edge)
{
    return bt_keyword_rows[edge->keyword].shape == BT_SCHEMA_KEYWORD_SHAPE_NONE;
}

/* Bring in the documents that the references name, so that all names are known before any reference
 * is followed. */
static enum bt_status fetch_all(struct bt_schema_frame *frame, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct bt_schema_node node = frame->nodes.items[i];
        for (uint32_t k = 0; k < node.edges_count; k++) {
            const struct bt_schema_edge edge = frame->edges.items[node.edges + k];
            struct schema_ref_target following = {.frame = frame, .from = (uint32_t)i};
            uint32_t resource = 0;
            if (is_reference(&edge)) {
                BT_TRY(follow_uri(&following, bt_schema_uri_split(bt_json_text(edge.at)).whole,
                                  &resource));
            }
        }
    }
    return BT_OK;
}

enum bt_status bt_schema_frame_resolve_all(struct bt_schema_frame *frame)
{
    const size_t walked = frame->nodes_walked;
    BT_TRY(fetch_all(frame, frame->nodes_fetched, walked));
    frame->nodes_fetched = walked;
    if (frame->nodes.count > walked) {
        return BT_OK; /* there are documents to be walked first */
    }
    for (size_t i = frame->nodes_resolved; i < walked; i++) {
        const struct bt_schema_node node = frame->nodes.items[i];
        for (uint32_t k = 0; k < node.edges_count; k++) {
            if (is_reference(&frame->edges.items[node.edges + k])) {
                BT_TRY(resolve_edge(frame, (uint32_t)i, node.edges + k));
            }
        }
    }
    frame->nodes_resolved = walked;
    return BT_OK;
}
