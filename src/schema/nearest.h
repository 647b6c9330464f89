/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.h - the name that was probably meant.
 */
#ifndef BATON_SRC_SCHEMA_NEAREST_H
#define BATON_SRC_SCHEMA_NEAREST_H

#include <baton/base.h>

typedef bt_str bt_nearest_word_fn(const void *context, size_t index);

/* Which of `count` names is most like `name`, or `count` when none is like it. */
size_t bt_nearest_word(bt_str name, bt_nearest_word_fn *candidate, const void *context,
                       size_t count);

enum { BT_NEAREST_WORDS_MAX = 3 };

/*
 * The names that are like `name`, the nearest first, then in byte order, each once; out has room
 * for BT_NEAREST_WORDS_MAX. Returns how many there are.
 */
size_t bt_nearest_words(bt_str name, bt_nearest_word_fn *candidate, const void *context,
                        size_t count, bt_str *out);

#endif
