/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recognise.h - what a walk through folders does with a file, by its name and its ends.
 */
#ifndef BATON_SRC_ENGINE_RECOGNISE_H
#define BATON_SRC_ENGINE_RECOGNISE_H

#include <baton/check.h>

/* Recognition looks at so many bytes at the beginning of a document, and of a text at its end. */
enum { BT_RECOGNISE_BYTES = 65536 };

/* True when a file of this name can be a document at all. */
bool bt_walk_accepts_name(bt_str path);
/* True when a file of this name is judged as `dialect` when a walk is told to. */
bool bt_walk_has_ending_of(bt_str path, enum bt_dialect_id dialect);
/* True when the end of a document of this name is looked at too. */
bool bt_recognise_needs_end(bt_str path);

enum bt_walk_choice {
    BT_WALK_PASS = 0,    /* it is not a document */
    BT_WALK_JUDGE,       /* *out_dialect is set */
    BT_WALK_NO_BLOCK,    /* its name promises a contract block, and it has none */
    BT_WALK_NO_ENVELOPE, /* its name promises a message, and it has no envelope */
};

/*
 * Choose by the path and the ends of a file: `head` is its first BT_RECOGNISE_BYTES, `tail` its
 * last ones, "" for a short file or where the end does not matter. It neither fails nor allocates.
 */
enum bt_walk_choice bt_walk_choose(bt_str path, bt_str head, bt_str tail,
                                   enum bt_dialect_id *out_dialect);

#endif
