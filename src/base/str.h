/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.h - what only the library itself asks of texts.
 */
#ifndef BATON_SRC_BASE_STR_H
#define BATON_SRC_BASE_STR_H

#include <baton/base.h>

/* The number of items of an array. */
#define BT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The index of the first of the words that equals the text, or `count`. */
size_t bt_str_index_in(bt_str text, const bt_str *words, size_t count);
/* True when the text equals one of the words, which are an array. */
#define bt_str_is_one_of(text, words)                                                              \
    (bt_str_index_in((text), (words), BT_COUNT_OF(words)) < BT_COUNT_OF(words))
/* The offset of the first place at which `part` stands in the text, or its length. */
size_t bt_str_find(bt_str text, bt_str part);
/* What follows the last `byte` in the text: the whole text when there is none. */
bt_str bt_str_after_last(bt_str text, char byte);

#endif
