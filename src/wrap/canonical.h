/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical.h - one text for one value: the RFC 8785 form where it keeps every number exactly, else
 * compact JSON with sorted names and the numbers as they were written.
 */
#ifndef BATON_SRC_WRAP_CANONICAL_H
#define BATON_SRC_WRAP_CANONICAL_H

#include <baton/json.h>

#include "base/env.h"

/* True when the RFC 8785 form of the value exists and denotes the same numbers. */
bool bt_wrap_has_exact_form(const struct bt_json_doc *document, const bt_json_value *value);

/*
 * Put the members of every object sorted by the bytes of their names, numbers as they were written:
 * compact, or indented by two spaces. `arena` is working memory and is rewound. BT_ENOMEM: it
 * reached its limit. Failures of the buffer stick to it.
 */
BT_MUST_USE enum bt_status bt_wrap_put_sorted(struct bt_buf *buf,
                                              const struct bt_json_doc *document,
                                              const bt_json_value *value, bool is_indented,
                                              struct bt_arena *arena);

/*
 * The canonical text of a value, in the arena: its exact form, or else the sorted one.
 * `out_is_exact` may be NULL. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_canonical(struct bt_arena *arena,
                                             const struct bt_json_doc *document,
                                             const bt_json_value *value, bt_str *out,
                                             bool *out_is_exact);
/* The SHA-256 of that text as hexadecimal digits and a NUL. BT_ENOMEM, BT_EIO. */
BT_MUST_USE enum bt_status bt_wrap_digest(struct bt_arena *arena,
                                          const struct bt_json_doc *document,
                                          const bt_json_value *value,
                                          char out[BT_SHA256_HEX_BYTES]);

#endif
