/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - what a shortest edit script removes from a text and adds to it, word by word. */
#ifndef BATON_SRC_WRAP_WORDS_H
#define BATON_SRC_WRAP_WORDS_H

#include "wrap/lock.h"

enum { BT_WRAP_RUNS_MAX = 20, BT_WRAP_RUN_BYTES_MAX = 400 };

/* Runs of words, each cut at BT_WRAP_RUN_BYTES_MAX, hidden characters written as \uXXXX. */
struct bt_wrap_word_changes {
    bt_str removed[BT_WRAP_RUNS_MAX];
    size_t removed_count;
    bt_str added[BT_WRAP_RUNS_MAX];
    size_t added_count;
};

/* Compare two texts. The runs are in the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_words_compare(const struct bt_wrap_memory *memory, bt_str before,
                                                 bt_str after, struct bt_wrap_word_changes *out);

#endif
