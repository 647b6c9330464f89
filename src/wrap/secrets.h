/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.h - texts that look like credentials: found by their prefix and form, and masked. */
#ifndef BATON_SRC_WRAP_SECRETS_H
#define BATON_SRC_WRAP_SECRETS_H

#include <baton/base.h>

struct bt_wrap_secret {
    bt_str kind; /* "aws", "github", ... A constant */
    size_t begin;
    size_t end;
};

/* Find the first one at or behind `from`. Takes time linear in the text. */
BT_MUST_USE bool bt_wrap_secret_find(bt_str text, size_t from, struct bt_wrap_secret *out);

/* The text with every secret as ***, in the arena; the text itself when it has none. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_mask_secrets(struct bt_arena *arena, bt_str text, bt_str *out);

#endif
