/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.h - what only the library itself asks of texts.
 */
#ifndef BATON_SRC_BASE_STR_H
#define BATON_SRC_BASE_STR_H

#include <baton/base.h>

struct bt_str_list {
    const bt_str *items;
    size_t count;
};

/*
 * Parse a decimal number without sign or white space. BT_EINVAL: the text is not such a number.
 * BT_ELIMIT: the number is above UINT64_MAX.
 */
BT_MUST_USE enum bt_status bt_str_to_u64(bt_str text, uint64_t *out);

/* The number of code points in well-formed UTF-8. A surrogate in three bytes counts as one. */
size_t bt_utf8_count(bt_str text);
/* Decode the sequence at `from` (which must be well-formed) and return its length in bytes. */
size_t bt_utf8_decode(bt_str text, size_t from, uint32_t *out_code_point);
/* Encode a code point (surrogates are allowed) and return the number of bytes, 1 to 4. */
size_t bt_utf8_encode(uint32_t code_point, char out[4]);

/* True when the text is empty or holds only white space and zero-width characters. */
bool bt_str_is_blank(bt_str text);
/*
 * The text without white space and zero-width characters at both ends. It must be UTF-8, like every
 * string of a document; surrogates in three bytes are allowed.
 */
bt_str bt_str_trim(bt_str text);
/*
 * True when the character, which must be above U+007F, is a control character, reorders or hides
 * text, or has no width (variation selectors, fillers). For callers that escape such characters in
 * their own format.
 */
bool bt_code_point_is_hidden(uint32_t code_point);

/* The position of `offset` (clamped to the text). Scans the text from its beginning. */
struct bt_position bt_position_at(bt_str text, size_t offset);

/* The number of items of an array. */
#define BT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The index of the first of the words that equals the text, or `count`. */
size_t bt_str_index_in(bt_str text, const bt_str *words, size_t count);
/* True when the text equals one of the words, which are an array. */
#define bt_str_is_one_of(text, words)                                                              \
    (bt_str_index_in((text), (words), BT_COUNT_OF(words)) < BT_COUNT_OF(words))
/* The offset of the first place at which `part` stands in the text, or its length. */
size_t bt_str_find(bt_str text, bt_str part);
/*
 * True when the whole text matches a pattern in which `*` stands for any bytes but the separator;
 * BT_GLOB_ANY: for all bytes.
 */
bool bt_str_glob_matches(bt_str pattern, bt_str text, int separator);
#define BT_GLOB_ANY (-1)
/* What follows the last `byte` in the text: the whole text when there is none. */
bt_str bt_str_after_last(bt_str text, char byte);

#endif
