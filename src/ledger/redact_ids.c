/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_ids.c - a growing list of ids.
 */
#include "ledger/redact_ids.h"

#include <string.h>

enum { IDS_FIRST = 8 };

enum bt_status bt_redacted_ids_add(struct bt_redacted_ids *list, struct bt_arena *arena, bt_str id)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? list->capacity * 2 : IDS_FIRST;
        bt_str *ids = BT_NEW_ARRAY(arena, bt_str, capacity);
        if (!ids) {
            return BT_ENOMEM;
        }
        if (list->count > 0) {
            memcpy(ids, list->ids, list->count * sizeof(bt_str));
        }
        list->ids = ids;
        list->capacity = capacity;
    }
    return bt_arena_copy(arena, id, &list->ids[list->count++]);
}
