/* SPDX-License-Identifier: Apache-2.0 */
/* shorten.h - truncate texts visibly: at a space if there is one, with "..." after. */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_SHORTEN_H
#define BATON_SRC_DIALECT_UNIVERSAL_SHORTEN_H

#include <baton/json.h>
#include <baton/tokens.h>

/* Cut a text that is longer than `limit` (above 3) code points to at most that many. */
BT_MUST_USE enum bt_status bt_universal_shorten(struct bt_arena *arena, bt_str text, size_t limit,
                                                bt_str *out);

/* The first `limit` - 3 code points and "...", when there are more than `limit`; else the text. */
BT_MUST_USE enum bt_status bt_universal_truncate(struct bt_arena *arena, bt_str text, size_t limit,
                                                 bt_str *out);

/* Cut a summary of `tokens` tokens or more to fewer; *out is `text` itself when it has fewer. */
BT_MUST_USE enum bt_status bt_universal_shorten_to_tokens(struct bt_arena *arena, bt_str text,
                                                          struct bt_tokens *counter,
                                                          uint64_t tokens, bt_str *out);

/* Cut a summary to at most `max` and at least `min` code points before the mark: the longest prefix
 * that ends just before white space and not in it or, where there is none, the first `min`. */
BT_MUST_USE enum bt_status bt_universal_shorten_summary(struct bt_arena *arena, bt_str text,
                                                        size_t min, size_t max, bt_str *out);

/* ---- Long texts ------------------------------------------------------------------------------ */

struct bt_universal_long_text {
    bt_str pointer;
    bt_str text;
    size_t code_points;
};

struct bt_universal_long_texts {
    struct bt_universal_long_text *items;
    size_t count;
    size_t capacity;
};

/* Find the strings of more than `limit` code points at or below `value`, in document order.
 * Everything lives in the arena. */
BT_MUST_USE enum bt_status bt_universal_long_texts_find(const struct bt_json_doc *document,
                                                        const bt_json_value *value, size_t limit,
                                                        struct bt_arena *arena,
                                                        struct bt_universal_long_texts *out);

#endif
