/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.c - a schema and the documents that its references lead to -> one schema.
 *
 * Each document becomes a resource below $defs with its URI for $id (2020-12, section 9.3.1), so
 * references find it as they are. What a URI was relative to is lost when files become one, hence
 * the $id of every document is written out, that of the schema itself as well.
 */
#include <assert.h>

#include "base/arena.h"
#include "schema/bundle.h"
#include "schema/metaschemas.h"
#include "schema/options.h"
#include "schema/uri.h"

enum { KEY_TRIES_MAX = 1000 };

static bool is_builtin(bt_str uri)
{
    for (size_t i = 0; i < bt_metaschemas_count; i++) {
        if (bt_str_eq(bt_metaschemas[i].uri, uri)) {
            return true;
        }
    }
    return false;
}

/* Whether a document goes into the bundle: something leads to it, not everybody has it, and no
 * other goes by its URI. */
static bool is_embedded(const struct bt_schema_frame *frame, size_t number)
{
    const uint32_t resource = frame->documents.items[number].resource;
    if (number == 0 || resource == BT_NO_RESOURCE ||
        is_builtin(frame->documents.items[number].uri)) {
        return false;
    }
    return bt_schema_frame_resource(frame, frame->resources.items[resource].uri) == resource;
}

/* A reference finds a document also by where it lies; in the bundle only its own URI is left. */
static enum bt_status rewrite_reference(struct bt_schema_bundle_run *bundle,
                                        const struct bt_schema_node *node,
                                        const struct bt_schema_edge *edge)
{
    const struct bt_schema_frame *frame = &bundle->frame;
    const struct bt_schema_resource *home = &frame->resources.items[node->resource];
    const struct bt_schema_uri ref = bt_schema_uri_split(bt_json_text(edge->at));
    bt_str uri;
    if (bt_keyword_rows[edge->keyword].shape != BT_SCHEMA_KEYWORD_SHAPE_NONE ||
        ref.whole.len == 0 || bt_json_type(edge->at) != BT_JSON_STRING) {
        return BT_OK;
    }
    BT_TRY(bt_schema_uri_resolve(frame->scratch, home->uri, ref.whole, &uri));
    const uint32_t target = bt_schema_frame_resource(frame, uri);
    if (target == BT_NO_RESOURCE || bt_str_eq(frame->resources.items[target].uri, uri)) {
        return BT_OK;
    }
    const struct bt_json_doc *document = frame->documents.items[home->document].document;
    struct bt_json_replacement edit = {
        .begin = bt_schema_bundle_place(home->document, bt_json_span(document, edge->at).begin)};
    BT_TRY(bt_arena_printf(frame->scratch, &edit.text, "%.*s%s%.*s",
                           BT_STR_ARG(frame->resources.items[target].uri),
                           ref.has_fragment ? "#" : "", BT_STR_ARG(ref.fragment)));
    return bt_vec_push(frame->scratch, &bundle->edits, edit);
}

static enum bt_status rewrite_references(struct bt_schema_bundle_run *bundle)
{
    const struct bt_schema_frame *frame = &bundle->frame;
    for (size_t i = 0; i < frame->nodes.count; i++) {
        const struct bt_schema_node *node = &frame->nodes.items[i];
        for (uint32_t k = 0; k < node->edges_count; k++) {
            BT_TRY(rewrite_reference(bundle, node, &frame->edges.items[node->edges + k]));
        }
    }
    bt_json_replacements_sort(bundle->edits.items, bundle->edits.count);
    return BT_OK;
}

/* A name below $defs that the schema itself does not use. */
static bool find_key(const struct bt_schema_bundle_run *bundle, const bt_json_value *defs,
                     bt_str uri, struct bt_buf *out)
{
    const struct bt_json_doc *document = bundle->frame.documents.items[0].document;
    bt_buf_put(out, uri);
    for (unsigned i = 2; i < KEY_TRIES_MAX && bt_json_member(document, defs, bt_buf_str(out));
         i++) {
        bt_buf_clear(out);
        bt_buf_put(out, uri);
        bt_buf_printf(out, " (%u)", i);
    }
    return bt_json_member(document, defs, bt_buf_str(out)) == NULL;
}

static enum bt_status put_embedded(struct bt_schema_bundle_run *bundle, const bt_json_value *defs,
                                   size_t number)
{
    const struct bt_schema_frame *frame = &bundle->frame;
    struct bt_buf key;
    bt_buf_init(&key, SIZE_MAX);
    const bool found = find_key(
        bundle, defs, frame->resources.items[frame->documents.items[number].resource].uri, &key);
    const enum bt_status status = found ? key.status : BT_ELIMIT;
    if (status == BT_OK) {
        bt_emit_name_str(bundle->emit, bt_buf_str(&key));
        bt_schema_bundle_run_put_document(bundle, number);
    }
    bt_buf_free(&key);
    return status;
}

static enum bt_status put_all(struct bt_schema_bundle_run *bundle)
{
    const struct bt_schema_frame *frame = &bundle->frame;
    const bt_json_value *defs = bt_schema_bundle_run_open_root(bundle);
    for (size_t i = 1; i < frame->documents.count; i++) {
        if (is_embedded(frame, i)) {
            BT_TRY(put_embedded(bundle, defs, i));
        }
    }
    bt_emit_end(bundle->emit);
    bt_emit_end(bundle->emit);
    return BT_OK;
}

static enum bt_status build_bundle(struct bt_schema_bundle_run *bundle,
                                   const struct bt_json_doc *schema, struct bt_buf *out)
{
    const struct bt_schema_frame *frame = &bundle->frame;
    BT_TRY(bt_schema_frame_build(&bundle->frame, schema));
    if (frame->problems->count > 0) {
        return BT_OK;
    }
    bool alone = true;
    for (size_t i = 1; alone && i < frame->documents.count; i++) {
        alone = !is_embedded(frame, i);
    }
    if (!alone) {
        BT_TRY(rewrite_references(bundle));
        bundle->emit = bt_json_builder_begin(&bundle->builder, frame->scratch, NULL);
        const enum bt_status status = put_all(bundle);
        BT_TRY(bt_json_builder_finish(&bundle->builder, status, &schema));
    }
    return bt_json_write(out, schema, bt_json_root(schema), BT_JSON_FORM_PRETTY, frame->scratch,
                         NULL);
}

enum bt_status bt_schema_bundle(struct bt_buf *buf, const struct bt_json_doc *schema,
                                const struct bt_schema_options *options)
{
    assert(buf);
    assert(schema);
    struct bt_schema_options known;
    BT_TRY(bt_schema_options_complete(options, &known));
    options = &known;
    struct bt_schema_compile_errors problems = {0};
    struct bt_arena arena;
    struct bt_arena scratch;
    bt_arena_init(&arena, options->memory_bytes_max);
    bt_arena_init(&scratch, options->memory_bytes_max);
    struct bt_schema_bundle_run bundle = {
        .frame = {.arena = &arena, .scratch = &scratch, .options = options, .problems = &problems}};
    const enum bt_status status = build_bundle(&bundle, schema, buf);
    bt_arena_free(&arena);
    bt_arena_free(&scratch);
    return status;
}
