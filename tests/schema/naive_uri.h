/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_uri.h - references to URIs, resolved as RFC 3986 section 5.2 does.
 */
#ifndef BATON_TESTS_SCHEMA_NAIVE_URI_H
#define BATON_TESTS_SCHEMA_NAIVE_URI_H

#include <baton/base.h>

/* What stands before the first '#', and what stands after it; "" without one. */
bt_str naive_uri_without_fragment(bt_str uri);
bt_str naive_uri_fragment(bt_str uri);
/* `reference` seen from `base`, without fragment. */
BT_MUST_USE enum bt_status naive_uri_resolve(struct bt_arena *arena, bt_str base, bt_str reference,
                                             bt_str *out);
/* The text with its percent-encoded bytes decoded; a lone percent sign stands for itself. */
BT_MUST_USE enum bt_status naive_uri_decode(struct bt_arena *arena, bt_str text, bt_str *out);

#endif
