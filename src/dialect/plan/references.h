/* SPDX-License-Identifier: Apache-2.0 */
/*
 * references.h - all references of a document: what each names, and whether it can be loaded.
 *
 * The text of a reference is checked wherever it occurs; what it names is loaded once for each
 * schema and reported at its first occurrence.
 */
#ifndef BATON_SRC_DIALECT_PLAN_REFERENCES_H
#define BATON_SRC_DIALECT_PLAN_REFERENCES_H

#include <baton/report.h>

#include "base/file.h"
#include "report/add.h"

/* ---- One reference --------------------------------------------------------------------------- */

/* Add the finding that refuses a reference. */
typedef enum bt_status bt_payload_refuse_fn(struct bt_findings *findings, struct bt_location at,
                                            bt_str reference);

struct bt_payload_reference {
    bt_payload_refuse_fn *refuse; /* NULL: it is a reference */
    bt_str slug;
    bt_str version; /* digits */
    bool is_path;   /* spelled as a path, else as an id */
};

/* Judge the text of a reference; nothing is trimmed or decoded. */
struct bt_payload_reference bt_plan_reference_read(bt_str text);

/* Compare two versions, which are digits, as numbers: below 0, 0 or above 0. */
int bt_payload_version_compare(bt_str a, bt_str b);

/* Whether the text has the form of an id, SLUG/vN.schema.json. */
bool bt_payload_reference_is_id(bt_str text);
/* The id that belongs to a file called SLUG.vN.schema.json; false: it is not called so. */
BT_MUST_USE bool bt_payload_reference_of_name(bt_str name, struct bt_payload_reference *out);

/* The id and the file of a reference, in the arena. */
BT_MUST_USE enum bt_status bt_payload_reference_id(const struct bt_payload_reference *reference,
                                                   struct bt_arena *arena, bt_str *out);
BT_MUST_USE enum bt_status bt_payload_reference_file(const struct bt_payload_reference *reference,
                                                     struct bt_arena *arena, bt_str *out);

struct bt_plan_checker;

/* A place where a reference may stand. */
struct bt_payload_reference_site {
    bt_str text;   /* as it stands there */
    size_t offset; /* of the place */
    /* Filled in when references are read: */
    bt_str trimmed; /* "" when it is blank: untyped */
    size_t schema;  /* index of the schema it names, or SIZE_MAX */
    size_t next;    /* the next site that names the same schema, or SIZE_MAX */
    bool is_path;   /* spelled as a path */
};

/* A schema that sites name. */
struct bt_payload_named_schema {
    bt_str id;   /* from the name */
    bt_str file; /* beneath the root */
    size_t cells;
    size_t first; /* index of a site */
    size_t last;
    bool is_loaded;  /* every step passed */
    bool has_own_id; /* the file was parsed and its $id is a string: */
    bt_str own_id;
};

/* Put the pointer of a site. */
typedef void bt_payload_site_pointer_fn(const void *context, size_t site, struct bt_buf *buf);

struct bt_payload_references {
    struct bt_plan_checker *plans;
    struct bt_findings *findings;
    const struct bt_dir *root; /* NULL: only texts are judged */
    bt_payload_site_pointer_fn *put_pointer;
    const void *context;
    struct bt_payload_reference_site *sites;
    size_t sites_count;
    struct bt_payload_named_schema *schemas; /* in the order of their first use */
    size_t schemas_count;
};

/* Read all of them. The caller has filled in everything but the schemas. */
BT_MUST_USE enum bt_status bt_payload_references_read(struct bt_payload_references *refs);

/* The one string by which a site is compared; "" when it is blank. */
bt_str bt_payload_references_identity(const struct bt_payload_references *refs, size_t site);

#endif
