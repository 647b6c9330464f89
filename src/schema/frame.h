/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the schema seen as a graph: which values are schemas, to which resource each belongs,
 * by which names it can be found, and where its references lead.
 *
 * A *node* is a value that is a schema. A *resource* is a node with a URI of its own together with
 * the nodes below it, down to the next resource. An *edge* leads from a node to one that it
 * applies. Nodes are found by the address of their value.
 */
#ifndef BATON_SRC_SCHEMA_FRAME_H
#define BATON_SRC_SCHEMA_FRAME_H

#include "base/map.h"
#include "base/vec.h"
#include "schema/draft.h"
#include "schema/problems.h"

#define BT_NO_NODE UINT32_MAX
#define BT_NO_RESOURCE UINT32_MAX

struct bt_schema_frame_document {
    bt_str uri; /* under which it was found */
    const struct bt_json_doc *document;
    uint32_t resource; /* of its root, or BT_NO_RESOURCE while nothing led there */
};

struct bt_schema_resource {
    bt_str uri; /* base of the references in it; "" when nothing gave it one */
    uint32_t root;
    uint32_t document;
    struct bt_schema_dialect dialect;
    bool is_recursive; /* $recursiveAnchor */
};

struct bt_schema_node {
    const bt_json_value *value;
    uint64_t keywords; /* 1 << enum bt_schema_keyword for each that counts */
    uint32_t resource;
    uint32_t edges; /* the first of them */
    uint32_t edges_count;
};

struct bt_schema_edge {
    const bt_json_value *at; /* the schema, or the text of the reference */
    uint32_t to;             /* BT_NO_NODE: it leads nowhere */
    uint8_t keyword;         /* enum bt_schema_keyword */
    uint8_t place;           /* enum bt_schema_location_kind */
    bool is_dynamic; /* leads to the outermost of its name; `to` counts when there is none */
};

/* A name for a node within its resource. */
struct bt_schema_anchor {
    bt_str name;
    uint32_t resource;
    uint32_t node;
    bool is_dynamic;
};

struct bt_schema_frame {
    struct bt_arena *arena;   /* lives as long as the compiled schema */
    struct bt_arena *scratch; /* lives as long as the compilation */
    const struct bt_schema_options *options;
    struct bt_schema_compile_errors *problems;

    BT_VEC(struct bt_schema_frame_document) documents; /* the schema itself is the first */
    BT_VEC(struct bt_schema_resource) resources;
    BT_VEC(struct bt_schema_node) nodes;
    size_t nodes_walked;   /* nodes before this one have their edges ... */
    size_t nodes_fetched;  /* ... the documents they refer to are there ... */
    size_t nodes_resolved; /* ... and their references are resolved */
    BT_VEC(struct bt_schema_edge) edges;
    BT_VEC(struct bt_schema_anchor) anchors;

    struct bt_map by_value;  /* the numbers of its entries are those of the nodes */
    struct bt_map by_uri;    /* resources; the first that claimed a URI keeps it */
    struct bt_map by_anchor; /* anchors, by resource and name; the first of a name counts */
    struct bt_map by_member; /* members of large objects; see frame_refs.c */
};

/* Frame `schema` and all that it refers to. Problems with it are reported, not returned. */
BT_MUST_USE enum bt_status bt_schema_frame_build(struct bt_schema_frame *frame,
                                                 const struct bt_json_doc *schema);

/* The node of a value, or BT_NO_NODE. */
uint32_t bt_schema_frame_node(const struct bt_schema_frame *frame, const bt_json_value *value);
/* The document that a node stands in. */
const struct bt_json_doc *bt_schema_frame_doc(const struct bt_schema_frame *frame,
                                              const struct bt_schema_node *node);
/* The value of a keyword that counts in this node, else NULL. */
const bt_json_value *bt_schema_frame_keyword(const struct bt_schema_frame *frame,
                                             const struct bt_schema_node *node,
                                             enum bt_schema_keyword keyword);

/* The anchor that a dynamic reference names. */
bt_str bt_schema_edge_name(const struct bt_schema_edge *edge);

static inline bool bt_schema_node_has(const struct bt_schema_node *node,
                                      enum bt_schema_keyword keyword)
{
    return (node->keywords >> keyword & 1) != 0;
}

static inline const struct bt_schema_dialect *bt_frame_dialect(const struct bt_schema_frame *frame,
                                                               const struct bt_schema_node *node)
{
    return &frame->resources.items[node->resource].dialect;
}

/* ---- For the files of the frame ---- */

/* Take a copy of a document into the frame. */
BT_MUST_USE enum bt_status bt_schema_frame_copy(struct bt_schema_frame *frame,
                                                const struct bt_json_doc *document, bt_str uri,
                                                size_t *out_number);
/* The number of the document that `uri` names, read but not yet framed, or
 * frame->documents.count when there is none. */
BT_MUST_USE enum bt_status bt_schema_frame_fetch(struct bt_schema_frame *frame, bt_str uri,
                                                 size_t *out_number);
/* The resource of a document's root; frames the document when it is met for the first time. */
BT_MUST_USE enum bt_status bt_schema_frame_enter(struct bt_schema_frame *frame, size_t number,
                                                 uint32_t *out_resource);
/* Which dialect `uri` names, a $schema at `at` of the numbered document. */
BT_MUST_USE enum bt_status bt_schema_frame_find_dialect(struct bt_schema_frame *frame,
                                                        size_t number, const bt_json_value *at,
                                                        struct bt_schema_dialect *out);
/* The node of `value`, a schema below a node of `resource`; made when there is none. */
BT_MUST_USE enum bt_status bt_schema_frame_add(struct bt_schema_frame *frame,
                                               const bt_json_value *value, uint32_t resource,
                                               uint32_t *out_node);
/* Give the resource another name under which it is found. */
BT_MUST_USE enum bt_status bt_schema_frame_name(struct bt_schema_frame *frame, uint32_t resource,
                                                bt_str uri);
/* Resolve the references of the nodes that are walked; may add documents and nodes. */
BT_MUST_USE enum bt_status bt_schema_frame_resolve_all(struct bt_schema_frame *frame);
/* The resource called `uri`, or BT_NO_RESOURCE. */
uint32_t bt_schema_frame_resource(const struct bt_schema_frame *frame, bt_str uri);
/* The anchor of a name in a resource, or NULL. */
const struct bt_schema_anchor *bt_schema_frame_anchor(const struct bt_schema_frame *frame,
                                                      uint32_t resource, bt_str name);

#endif
