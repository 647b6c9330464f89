/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.h - a bundle while it is put together.
 */
#ifndef BATON_SRC_SCHEMA_BUNDLE_H
#define BATON_SRC_SCHEMA_BUNDLE_H

#include "schema/frame.h"

/* A reference that is written otherwise in the bundle. */
struct bt_schema_bundle_edit {
    uint32_t document;
    struct bt_json_span span; /* of the string that goes */
    bt_str text;              /* of the one that comes */
};

struct bt_schema_bundle_run {
    struct bt_schema_frame frame;
    struct bt_buf text; /* the bundle, compact */
    struct bt_emit emit;
    BT_VEC(struct bt_schema_bundle_edit) edits; /* sorted by document and place */
};

/* bundle_document.c: put a document as a resource with its URI. */
void bt_schema_bundle_run_put_document(struct bt_schema_bundle_run *bundle, size_t number);
/* Put the schema itself, up to and with what stands in its $defs, which is returned, or NULL. Then
 * others follow as members. */
const bt_json_value *bt_schema_bundle_run_open_root(struct bt_schema_bundle_run *bundle);
void bt_schema_bundle_run_close_root(struct bt_schema_bundle_run *bundle);

#endif
