/* SPDX-License-Identifier: Apache-2.0 */
/*
 * long_texts.h - the strings somewhere below a value that are longer than a bound.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_LONG_TEXTS_H
#define BATON_SRC_DIALECT_UNIVERSAL_LONG_TEXTS_H

#include <baton/json.h>

struct bt_universal_long_text {
    bt_str pointer;
    bt_str text;
    size_t code_points;
    size_t order; /* in the document */
};

struct bt_universal_long_texts {
    struct bt_universal_long_text *at;
    size_t count;
    size_t capacity;
};

/* Find the strings of more than `limit` code points at or below `value`, the longest first and in
 * document order where they are equally long. Everything lives in the arena. */
BT_MUST_USE enum bt_status bt_universal_long_texts_find(const struct bt_json_doc *document,
                                                        const bt_json_value *value, size_t limit,
                                                        struct bt_arena *arena,
                                                        struct bt_universal_long_texts *out);

#endif
