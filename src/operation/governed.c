/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed.c - configuration -> how to judge governed handoffs.
 */
#include "operation/governed.h"

#include <stdio.h>

enum bt_status bt_governed_options_from_config(const struct bt_config *config,
                                               struct bt_arena *arena,
                                               struct bt_governed_options *out,
                                               struct bt_error *error)
{
    static const char *const words[] = {
        "manifest",       "lock",     "boundaries",      "boundary_mode", "relation_mode",
        "archetype_mode", "block_on", "system_messages", "hidden_text",   "injection_text"};
    struct bt_governed_options options = bt_governed_options_default();
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char key[64];
        (void)snprintf(key, sizeof(key), "governed.%s", words[i]);
        BT_TRY(bt_governed_options_set(&options, bt_str_of(words[i]), bt_config_text(config, key),
                                       error));
    }
    options.max_age_s = bt_config_u64(config, "governed.max_age_s");
    options.max_future_s = bt_config_u64(config, "governed.max_future_s");
    options.lock_copies_count = bt_config_count(config, "governed.lock_copies");
    bt_str *copies = BT_NEW_ARRAY(arena, bt_str, options.lock_copies_count + 1);
    if (!copies) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (size_t i = 0; i < options.lock_copies_count; i++) {
        copies[i] = bt_config_item(config, "governed.lock_copies", i);
    }
    options.lock_copies = copies;
    *out = options;
    return BT_OK;
}
