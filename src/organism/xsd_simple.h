/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd_simple.h - simple types of the profile: built in, restricted by facets, matched.
 */
#ifndef BATON_SRC_ORGANISM_XSD_SIMPLE_H
#define BATON_SRC_ORGANISM_XSD_SIMPLE_H

#include "organism/xsd.h"

enum { BT_XSD_CHAIN_MAX = 32 }; /* restrictions of restrictions */

static inline bool bt_xsd_is_number(enum bt_xsd_base base)
{
    return base >= BT_XSD_DECIMAL && base <= BT_XSD_POSITIVE;
}

/* True when the facets of length apply to a type. */
static inline bool bt_xsd_has_length(enum bt_xsd_base base)
{
    return base == BT_XSD_STRING || base == BT_XSD_TOKEN || base == BT_XSD_BASE64;
}

/* True when a text is a decimal number of XSD. */
bool bt_xsd_is_decimal(bt_str text);

/* The built-in type of this local name, or NULL. */
const struct bt_payload_type *bt_xsd_built_in(bt_str name);

/* A restriction without facets. NULL: no memory. */
struct bt_xsd_simple *bt_xsd_simple_new(struct bt_arena *arena, bt_str name);

/* The facets of one restriction while they are read. */
struct bt_xsd_facets {
    struct bt_arena *arena;
    struct bt_xsd_simple *simple;
    enum bt_status status; /* other than BT_OK: no memory */
};

/* Add a facet. NULL: it is one of the profile; else what is wrong with it. Whether it fits the
 * built-in type is known only when all types are: bt_xsd_simple_finish() decides. */
const char *bt_xsd_facet(struct bt_xsd_facets *facets, bt_str name, bt_str value);

/* Find the built-in type behind a restriction. False: it restricts itself, or a facet does not go
 * with the type. */
bool bt_xsd_simple_finish(const struct bt_xsd_simple *simple);

/* Put an XSD pattern as an anchored ECMA-262 one. False: it is outside of what can be enforced. */
bool bt_xsd_pattern_put(struct bt_buf *buf, bt_str pattern);

#endif
