/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.h - a bundle while it is put together.
 */
#ifndef BATON_SRC_SCHEMA_BUNDLE_H
#define BATON_SRC_SCHEMA_BUNDLE_H

#include "json/builder.h"
#include "schema/frame.h"

struct bt_schema_bundle_run {
    struct bt_schema_frame frame;
    struct bt_json_builder builder; /* of the bundle */
    struct bt_emit *emit;
    /* References that are written otherwise in the bundle; see bt_schema_bundle_place(). */
    BT_VEC(struct bt_json_replacement) edits;
};

/* Where an offset of a document stands among those of all documents. */
static inline uint64_t bt_schema_bundle_place(uint32_t document, size_t offset)
{
    return ((uint64_t)document << 32) + offset;
}

/* bundle_document.c: put a document as a resource with its URI. */
void bt_schema_bundle_run_put_document(struct bt_schema_bundle_run *bundle, size_t number);
/* Put the schema itself, up to and with what stands in its $defs, which is returned, or NULL. Then
 * others follow as members. */
const bt_json_value *bt_schema_bundle_run_open_root(struct bt_schema_bundle_run *bundle);

#endif
