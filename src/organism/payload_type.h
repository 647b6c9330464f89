/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload_type.h - what a payload or a reply may be: the types that fields are declared with, and
 * the content that a profile of XSD describes.
 */
#ifndef BATON_SRC_ORGANISM_PAYLOAD_TYPE_H
#define BATON_SRC_ORGANISM_PAYLOAD_TYPE_H

#include <baton/base.h>

#include "base/ascii.h"

struct bt_payload_type;
struct bt_xsd_simple;
struct bt_xsd_group;

enum bt_payload_type_kind {
    BT_TYPE_NONE = 0,
    BT_TYPE_INT,
    BT_TYPE_FLOAT,
    BT_TYPE_BOOL,
    BT_TYPE_STR,
    BT_TYPE_LIST,
    BT_TYPE_SET,
    BT_TYPE_DICT,
    BT_TYPE_TUPLE,
    BT_TYPE_RECORD,
    BT_TYPE_XSD_SIMPLE,  /* text that an XSD describes */
    BT_TYPE_XSD_COMPLEX, /* elements that an XSD describes */
};

struct bt_payload_field {
    bt_str name;
    const struct bt_payload_type *type;
    bool is_optional; /* the element may be absent */
};

struct bt_payload_type {
    enum bt_payload_type_kind kind;
    uint32_t levels; /* of containers and records in it, itself counted; 0 for a simple type */
    bt_str name;     /* of a record, as it was declared */
    const struct bt_payload_field
        *parts; /* fields of a record; items of a list (1), dict (2) or tuple,
                                     under the names that their elements have */
    size_t count;
    const struct bt_xsd_simple *simple; /* of BT_TYPE_XSD_SIMPLE */
    const struct bt_xsd_group *content; /* of BT_TYPE_XSD_COMPLEX; NULL: it is empty */
};

enum { BT_TYPE_LEVELS_MAX = 32, BT_FIELD_NAME_MAX = 64 };

/* The simple type of this name, or NULL. */
const struct bt_payload_type *bt_payload_type_simple(bt_str name);
static inline bool bt_type_is_simple(const struct bt_payload_type *type)
{
    return type->kind >= BT_TYPE_INT && type->kind <= BT_TYPE_STR;
}

/* True when a field may have this name. */
bool bt_payload_field_name_is_valid(bt_str name);
/* True when a record or payload type may have this name. */
bool bt_payload_type_name_is_valid(bt_str name);

/* Make a list, set, dict or tuple of `count` items. NULL: no memory. What nests deeper than
 * BT_TYPE_LEVELS_MAX levels is for the caller to refuse. */
const struct bt_payload_type *bt_payload_type_container(struct bt_arena *arena,
                                                        enum bt_payload_type_kind kind,
                                                        const struct bt_payload_type *const *items,
                                                        size_t count);
/* Make a record. NULL: no memory. */
const struct bt_payload_type *bt_payload_type_record(struct bt_arena *arena, bt_str name,
                                                     const struct bt_payload_field *fields,
                                                     size_t count);
/* The kind that `list`, `set`, `dict` or `tuple` names and its number of items, or BT_TYPE_NONE. */
enum bt_payload_type_kind bt_payload_type_container_named(bt_str name, size_t *out_min,
                                                          size_t *out_max);

/*
 * Read a type in bracket notation. *out stays NULL when it is none; an optional one is told by
 * *out_optional, and only at the outside. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_payload_type_parse(struct bt_arena *arena, bt_str text,
                                                 const struct bt_payload_type **out,
                                                 bool *out_optional);

/* True when two types have the same names, order and kinds throughout. */
bool bt_payload_type_equal(const struct bt_payload_type *a, const struct bt_payload_type *b);

/* Put a type in bracket notation without blanks; records by name. */
void bt_payload_type_put(struct bt_buf *buf, const struct bt_payload_field *field);

#endif
