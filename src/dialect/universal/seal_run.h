/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal_run.h - setting the seal of a document, which is an act of its author.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_SEAL_RUN_H
#define BATON_SRC_DIALECT_UNIVERSAL_SEAL_RUN_H

#include "dialect/universal/revision.h"

/* Begin a revision of `text` and set hash, size and token count. Ended with
 * bt_universal_revision_end() unless this fails. */
BT_MUST_USE enum bt_status bt_universal_seal_begin(struct bt_universal_revision *revision,
                                                   struct bt_universal_checker *universal,
                                                   struct bt_arena *arena, bt_str text);

#endif
