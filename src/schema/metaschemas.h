/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metaschemas.h - the meta-schemas of all drafts and vocabularies, so that nothing is ever fetched.
 */
#ifndef BATON_SRC_SCHEMA_METASCHEMAS_H
#define BATON_SRC_SCHEMA_METASCHEMAS_H

#include <baton/base.h>

struct bt_metaschema {
    bt_str uri; /* without fragment: draft-07's is "http://json-schema.org/draft-07/schema" */
    bt_str text;
};

/* Sorted by uri. */
extern const struct bt_metaschema bt_metaschemas[];
extern const size_t bt_metaschemas_count;

#endif
