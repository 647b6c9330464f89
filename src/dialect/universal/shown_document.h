/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown_document.h - a document as a model is shown it: without its secrets, and cut until it fits
 * a prompt.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_SHOWN_DOCUMENT_H
#define BATON_SRC_DIALECT_UNIVERSAL_SHOWN_DOCUMENT_H

#include "dialect/universal/open_places.h"
#include "dialect/universal/secrets.h"

/* A document that is longer than this, without its secrets, is cut. */
enum { BT_SHOWN_BYTES_MAX = 65536 };

struct bt_universal_shown_document {
    struct bt_universal_masks masks;
    bt_str text;   /* compact JSON; "" when even the most cut form is too long */
    bool complete; /* nothing was cut */
};

/* Mask and cut a document. Everything lives in the arena. BT_ENOMEM is the only failure. */
BT_MUST_USE enum bt_status bt_universal_show_document(const struct bt_json_doc *document,
                                                      const struct bt_universal_open_places *open,
                                                      struct bt_arena *arena,
                                                      struct bt_universal_shown_document *out);

/* Put a value as compact JSON, its strings replaced as `strings` says. */
BT_MUST_USE enum bt_status
bt_universal_put_replaced(struct bt_buf *buf, const struct bt_json_doc *document,
                          const bt_json_value *value,
                          const struct bt_universal_masked_strings *strings);

#endif
