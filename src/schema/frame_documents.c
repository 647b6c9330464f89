/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_documents.c - where documents come from, and which dialect their $schema means.
 *
 * Each document is copied into the memory of the compiled schema with its seed: so nothing of the
 * caller is needed later, and names can be compared by their hashes.
 */
#include <assert.h>
#include <string.h>

#include "json/builder.h"
#include "json/options.h"
#include "schema/frame.h"
#include "schema/metaschemas.h"
#include "schema/uri.h"

enum { DIALECT_STEPS_MAX = 8 }; /* a meta-schema of a meta-schema of ... */

static enum bt_status add_document(struct bt_schema_frame *frame, bt_str uri,
                                   const struct bt_json_doc *document, size_t *out_number)
{
    if (frame->documents.count > frame->options->documents_max) {
        return BT_ELIMIT;
    }
    BT_TRY(bt_vec_reserve(frame->scratch, &frame->documents, 1));
    frame->documents.items[frame->documents.count] =
        (struct bt_schema_frame_document){.document = document, .resource = BT_NO_RESOURCE};
    BT_TRY(bt_arena_copy(frame->arena, uri, &frame->documents.items[frame->documents.count].uri));
    *out_number = frame->documents.count++;
    return BT_OK;
}

enum bt_status bt_schema_frame_copy(struct bt_schema_frame *frame,
                                    const struct bt_json_doc *document, bt_str uri,
                                    size_t *out_number)
{
    const struct bt_json_doc *copy = NULL;
    BT_TRY(bt_json_clone(document, frame->options->hash_seed, frame->arena, &copy));
    return add_document(frame, uri, copy, out_number);
}

/* Whether a document that the caller handed over goes by this URI, by place or by its own word. */
static bool goes_by(const struct bt_schema_document *document, bt_str uri)
{
    if (bt_str_eq(document->uri, uri)) {
        return true;
    }
    const bt_json_value *root = bt_json_root(document->document);
    const bt_json_value *id = bt_json_get(document->document, root, BT_STR("$id"));
    id = id ? id : bt_json_get(document->document, root, BT_STR("id"));
    return id && bt_json_type(id) == BT_JSON_STRING &&
           bt_str_eq(bt_schema_uri_split(bt_json_text(id)).whole, uri);
}

static enum bt_status fetch_given(struct bt_schema_frame *frame, bt_str uri, size_t *out_number)
{
    const struct bt_schema_options *options = frame->options;
    for (size_t i = 0; i < options->documents_count; i++) {
        if (goes_by(&options->documents[i], uri)) {
            return bt_schema_frame_copy(frame, options->documents[i].document, uri, out_number);
        }
    }
    return BT_OK;
}

static enum bt_status fetch_builtin(struct bt_schema_frame *frame, bt_str uri, size_t *out_number)
{
    for (size_t i = 0; i < bt_metaschemas_count; i++) {
        if (bt_str_eq(bt_metaschemas[i].uri, uri)) {
            struct bt_json_options options = bt_json_options_default();
            struct bt_json_read_result read = {0};
            memcpy(options.hash_seed, frame->options->hash_seed, sizeof(options.hash_seed));
            /* from: built-in text */
            BT_TRY(bt_json_read(frame->arena, bt_metaschemas[i].text, &options, &read));
            assert(read.document);
            return add_document(frame, uri, read.document, out_number);
        }
    }
    return BT_OK;
}

enum bt_status bt_schema_frame_fetch(struct bt_schema_frame *frame, bt_str uri, size_t *out_number)
{
    const size_t none = frame->documents.count;
    for (size_t i = 0; i < none; i++) {
        if (bt_str_eq(frame->documents.items[i].uri, uri)) {
            *out_number = i;
            return BT_OK;
        }
    }
    *out_number = none;
    BT_TRY(fetch_given(frame, uri, out_number));
    if (frame->documents.count > none) {
        return BT_OK;
    }
    BT_TRY(fetch_builtin(frame, uri, out_number));
    if (frame->documents.count > none || !frame->options->resolve) {
        return BT_OK;
    }
    const struct bt_json_doc *document = NULL;
    BT_TRY(frame->options->resolve(frame->options->resolve_context, uri, &document));
    return document ? bt_schema_frame_copy(frame, document, uri, out_number) : BT_OK;
}

static enum bt_status refuse_dialect(struct bt_schema_frame *frame, size_t number,
                                     const bt_json_value *at, bt_str ref, const char *reason)
{
    const struct bt_schema_compile_error problem = {
        .add = bt_add_schema_ref_unresolved,
        .document = frame->documents.items[number].document,
        .uri = number == 0 ? BT_STR("") : frame->documents.items[number].uri,
        .at = at,
        .ref = ref,
        .reason = reason,
    };
    return bt_schema_compile_errors_add(frame->problems, &problem);
}

/* The vocabularies that a meta-schema lists, if it lists any. */
static enum bt_status add_vocabularies(struct bt_schema_frame *frame, size_t number,
                                       struct bt_schema_dialect *dialect)
{
    const struct bt_json_doc *document = frame->documents.items[number].document;
    const bt_json_value *list =
        bt_json_get(document, bt_json_root(document), BT_STR("$vocabulary"));
    const struct bt_json_member *members = list ? bt_json_members(list) : NULL;
    if (!members || dialect->draft < BT_SCHEMA_DRAFT_2019_09) {
        return BT_OK;
    }
    dialect->vocabularies = 0;
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const bt_str uri = bt_json_name(&members[i]);
        const bool needed = bt_json_type(&members[i].value) == BT_JSON_TRUE;
        if (!bt_schema_dialect_add(dialect, uri) && needed) {
            BT_TRY(
                refuse_dialect(frame, number, &members[i].value, uri, "the vocabulary is unknown"));
        }
    }
    return BT_OK;
}

/*
 * A $schema that names no built-in meta-schema names a document whose own $schema says which draft
 * it is written in; its $vocabulary says what of it counts.
 */
enum bt_status bt_schema_frame_find_dialect(struct bt_schema_frame *frame, size_t number,
                                            const bt_json_value *at, struct bt_schema_dialect *out)
{
    const bt_json_value *schema = at;
    size_t first = number;
    for (int step = 0; step < DIALECT_STEPS_MAX; step++) {
        const bt_str uri = bt_json_text(schema);
        if (bt_schema_dialect_find(uri, out)) {
            return step > 0 ? add_vocabularies(frame, first, out) : BT_OK;
        }
        size_t next = 0;
        BT_TRY(bt_schema_frame_fetch(frame, bt_schema_uri_split(uri).whole, &next));
        if (next == frame->documents.count) {
            break;
        }
        first = step == 0 ? next : first;
        const struct bt_json_doc *document = frame->documents.items[next].document;
        schema = bt_json_get(document, bt_json_root(document), BT_STR("$schema"));
        if (!schema || bt_json_type(schema) != BT_JSON_STRING) {
            *out = bt_schema_dialect_of(frame->options->draft);
            return add_vocabularies(frame, first, out);
        }
    }
    *out = bt_schema_dialect_of(frame->options->draft);
    return refuse_dialect(frame, number, at, bt_json_text(at), "no such meta-schema is known");
}
