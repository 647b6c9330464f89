/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_document.c - one document of a bundle, written with its URI.
 */
#include <assert.h>

#include "json/emit.h"
#include "schema/bundle.h"
#include "schema/uri.h"

/* One document on its way into the bundle. */
struct schema_bundle_document_part {
    struct bt_schema_bundle_run *bundle;
    uint32_t number;
    const struct bt_json_doc *document;
    const bt_json_value *root;
    const struct bt_schema_resource *resource;
};

static struct schema_bundle_document_part part_of(struct bt_schema_bundle_run *bundle,
                                                  size_t number)
{
    const struct bt_schema_frame *frame = &bundle->frame;
    const struct bt_json_doc *document = frame->documents.items[number].document;
    return (struct schema_bundle_document_part){
        .bundle = bundle,
        .number = (uint32_t)number,
        .document = document,
        .root = bt_json_root(document),
        .resource = &frame->resources.items[frame->documents.items[number].resource]};
}

/* Put a value as it stands in its document, but for the references that are written otherwise. */
static void put_value(const struct schema_bundle_document_part *part, const bt_json_value *value)
{
    const struct bt_json_replacements edits = {part->bundle->edits.items, part->bundle->edits.count,
                                               bt_schema_bundle_place(part->number, 0)};
    bt_json_builder_copy(&part->bundle->builder, (bt_ref){part->document, value}, &edits);
}

static bt_str id_name(const struct schema_bundle_document_part *part)
{
    return part->resource->dialect.draft <= BT_SCHEMA_DRAFT_4 ? BT_STR("id") : BT_STR("$id");
}

static const bt_json_value *text_member(const struct schema_bundle_document_part *part, bt_str name)
{
    const bt_json_value *value = bt_json_get(part->document, part->root, name);
    return value && bt_json_type(value) == BT_JSON_STRING ? value : NULL;
}

/* Up to draft 7 nothing beside a reference counts. */
static bool is_hidden(const struct schema_bundle_document_part *part)
{
    return part->resource->dialect.draft <= BT_SCHEMA_DRAFT_7 && text_member(part, BT_STR("$ref"));
}

static bool is_same_dialect(const struct bt_schema_dialect *a, const struct bt_schema_dialect *b)
{
    return a->draft == b->draft && a->vocabularies == b->vocabularies &&
           a->asserts_format == b->asserts_format;
}

/* What says which draft counts; a document that does not say must not take over the schema's. */
static void put_schema(const struct schema_bundle_document_part *part)
{
    const struct bt_schema_frame *frame = &part->bundle->frame;
    const bt_json_value *schema = text_member(part, BT_STR("$schema"));
    const struct bt_schema_dialect *outer =
        &frame->resources.items[frame->documents.items[0].resource].dialect;
    if (schema) {
        bt_emit_name(part->bundle->emit, "$schema");
        put_value(part, schema);
    } else if (!is_same_dialect(outer, &part->resource->dialect)) {
        bt_emit_member_string(part->bundle->emit, "$schema",
                              bt_schema_draft_uri(part->resource->dialect.draft));
    }
}

/* The URI, with the anchor that an identifier of an old draft may hold. */
static void put_id(const struct schema_bundle_document_part *part)
{
    const bt_json_value *id = is_hidden(part) ? NULL : text_member(part, id_name(part));
    const bt_str fragment = id ? bt_schema_uri_split(bt_json_text(id)).fragment : BT_STR("");
    struct bt_buf text;
    if (part->resource->uri.len == 0 && fragment.len == 0) {
        return; /* nothing says where it came from, so nothing in it is relative to that */
    }
    bt_buf_init(&text, SIZE_MAX);
    bt_buf_put(&text, part->resource->uri);
    bt_buf_put_text(&text, fragment.len > 0 ? "#" : "");
    bt_buf_put(&text, fragment);
    bt_emit_name_str(part->bundle->emit, id_name(part));
    bt_emit_string(part->bundle->emit, bt_buf_str(&text));
    if (text.status != BT_OK && part->bundle->builder.source.status == BT_OK) {
        part->bundle->builder.source.status = text.status;
    }
    bt_buf_free(&text);
}

/* A reference that hides all beside it would hide the identifier: it moves one level down, and what
 * it hid goes, save for definitions and remarks. */
static void put_hidden_member(const struct schema_bundle_document_part *part,
                              const struct bt_json_member *member)
{
    struct bt_emit *emit = part->bundle->emit;
    const struct bt_schema_dialect *dialect = &part->resource->dialect;
    const bt_str name = bt_json_name(member);
    const enum bt_schema_keyword keyword = bt_schema_keyword_find(name, dialect);
    if (keyword == BT_SCHEMA_KW_REF) {
        bt_emit_member_array(emit, dialect->draft == BT_SCHEMA_DRAFT_3 ? "extends" : "allOf");
        bt_emit_begin_object(emit);
        bt_emit_name(emit, "$ref");
        put_value(part, &member->value);
        bt_emit_end(emit);
        bt_emit_end(emit);
    } else if (keyword == BT_SCHEMA_KW__MAX || keyword == BT_SCHEMA_KW_DEFINITIONS) {
        bt_emit_name_str(emit, name);
        put_value(part, &member->value);
    }
}

/* The members of the root that are not written in another way; `left_out` is one more. */
static void put_members(const struct schema_bundle_document_part *part, bt_str left_out)
{
    const struct bt_json_member *members = bt_json_members(part->root);
    const bool hidden = is_hidden(part);
    for (size_t i = 0; members && i < bt_json_count(part->root); i++) {
        const bt_str name = bt_json_name(&members[i]);
        if (bt_str_eq(name, BT_STR("$schema")) || bt_str_eq(name, id_name(part)) ||
            bt_str_eq(name, left_out)) {
            continue;
        }
        if (hidden) {
            put_hidden_member(part, &members[i]);
        } else {
            bt_emit_name_str(part->bundle->emit, name);
            put_value(part, &members[i].value);
        }
    }
}

void bt_schema_bundle_run_put_document(struct bt_schema_bundle_run *bundle, size_t number)
{
    const struct schema_bundle_document_part part = part_of(bundle, number);
    struct bt_emit *emit = bundle->emit;
    bt_emit_begin_object(emit);
    put_schema(&part);
    put_id(&part);
    put_members(&part, BT_STR(""));
    if (bt_json_type(part.root) == BT_JSON_FALSE) {
        bt_emit_member_object(emit, "not");
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

const bt_json_value *bt_schema_bundle_run_open_root(struct bt_schema_bundle_run *bundle)
{
    const struct schema_bundle_document_part part = part_of(bundle, 0);
    const bool is_new = part.resource->dialect.draft >= BT_SCHEMA_DRAFT_2019_09;
    const bt_str name = is_new ? BT_STR("$defs") : BT_STR("definitions");
    const bt_json_value *defs = bt_json_get(part.document, part.root, name);
    const struct bt_json_member *members = defs ? bt_json_members(defs) : NULL;
    assert(bt_json_type(part.root) == BT_JSON_OBJECT); /* it refers to something */
    bt_emit_begin_object(bundle->emit);
    put_schema(&part);
    put_id(&part);
    put_members(&part, name);
    bt_emit_name_str(bundle->emit, name);
    bt_emit_begin_object(bundle->emit);
    for (size_t i = 0; members && i < bt_json_count(defs); i++) {
        bt_emit_name_str(bundle->emit, bt_json_name(&members[i]));
        put_value(&part, &members[i].value);
    }
    return defs;
}
