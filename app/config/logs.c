/* SPDX-License-Identifier: Apache-2.0 */
/* logs.c - the keys logs.*: where many logs are. */
#include "config/logs.h"

enum bt_status config_find_logs(struct bt_arena *arena, const struct bt_config *config,
                                struct bt_logs *out)
{
    const bt_str root = bt_config_text(config, "logs.root");
    struct bt_logs logs = {.count_max = bt_config_u64(config, "logs.max")};
    /* the address of a server is not a path */
    BT_TRY(bt_str_starts_with(root, BT_STR("postgresql://"))
               ? bt_arena_copy(arena, root, &logs.root)
               : bt_config_path(config, "logs.root", arena, &logs.root));
    BT_TRY(bt_config_path(config, "logs.keys", arena, &logs.keys));
    *out = logs;
    return BT_OK;
}
