/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_use.h - pin a server that the lock does not have: after the first complete list of its
 * tools, prompts and templates are listed too, and the entry is written.
 */
#ifndef BATON_SRC_WRAP_FIRST_USE_H
#define BATON_SRC_WRAP_FIRST_USE_H

#include "base/arena.h"
#include "wrap/lock.h"

struct bt_wrap_session;
struct bt_wrap_message;
struct bt_wrap_page;

enum bt_wrap_first_use_phase {
    BT_WRAP_FIRST_USE_OFF = 0,
    BT_WRAP_FIRST_USE_TOOLS,  /* until they were listed completely */
    BT_WRAP_FIRST_USE_OTHERS, /* prompts and templates are listed */
};

struct bt_wrap_first_use {
    enum bt_wrap_first_use_phase phase;
    struct bt_arena arena;
    struct bt_wrap_entry entry; /* as it is collected */
    uint64_t walk;              /* the walk that is collected; 0: none */
};

/* Begin, if the policy wants it and the server is not pinned. */
void bt_wrap_first_use_init(struct bt_wrap_session *session);
void bt_wrap_first_use_free(struct bt_wrap_first_use *first_use);

/* Keep the instructions, absent with a NULL pointer. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_first_use_take_identity(struct bt_wrap_session *session,
                                                           bt_str instructions);
/* Keep the items of a page that was just compared. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_first_use_take_page(struct bt_wrap_session *session,
                                                       const struct bt_wrap_message *message,
                                                       const struct bt_wrap_page *page,
                                                       bool is_last);
/* Go on after a list of our own was had, or could not be had, which counts as an empty one.
 * BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_first_use_advance(struct bt_wrap_session *session);

#endif
