/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the keys ledger.memory, where this account remembers the size of its ledgers, and
 * ledger.agent, where their keys are. */
#include "config/memory.h"

enum bt_status config_find_memory(struct bt_arena *arena, const struct bt_config *config,
                                  struct bt_ledger_memory *out)
{
    const bt_str configured = bt_config_text(config, "ledger.memory");
    const bool is_off = bt_str_eq(configured, BT_STR("off"));
    bt_str folder = BT_STR("");
    if (configured.len > 0 && !is_off) {
        BT_TRY(bt_config_path(config, "ledger.memory", arena, &folder));
    }
    return bt_ledger_memory_find(arena, is_off, folder, out);
}

enum bt_status config_find_agent(struct bt_arena *arena, const struct bt_config *config,
                                 const char **out)
{
    bt_str socket;
    BT_TRY(bt_config_path(config, "ledger.agent", arena, &socket));
    *out = socket.len > 0 ? socket.ptr : NULL;
    return BT_OK;
}
