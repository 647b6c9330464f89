/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uri.h - references resolved against a base (RFC 3986 section 5), as far as schemas need it.
 */
#ifndef BATON_SRC_SCHEMA_URI_H
#define BATON_SRC_SCHEMA_URI_H

#include <baton/base.h>

/* A reference cut at its first '#'. */
struct bt_schema_uri {
    bt_str whole;    /* without fragment */
    bt_str fragment; /* without '#', still percent-encoded; "" when there is none */
    bool has_fragment;
};

struct bt_schema_uri bt_schema_uri_split(bt_str reference);

/* Resolve `reference` (its fragment is ignored) against `base`, which may be "" or relative. The
 * result lives in the arena or is one of the arguments. */
BT_MUST_USE enum bt_status bt_schema_uri_resolve(struct bt_arena *arena, bt_str base,
                                                 bt_str reference, bt_str *out);

/* Undo percent-encoding; a '%' that begins no escape stays as it is. */
BT_MUST_USE enum bt_status bt_schema_uri_decode(struct bt_arena *arena, bt_str text, bt_str *out);

#endif
