/* SPDX-License-Identifier: Apache-2.0 */
/* log_flag.c - --log NAME and logs.default -> the store that they mean. */
#include "logs/log_flag.h"

#include "cli/output.h"
#include "cli/run.h"

bool logs_find(const struct cli_options *options, struct bt_arena *arena, struct bt_logs *out)
{
    if (config_find_logs(arena, options->config, out) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    return out->root.len > 0 || cli_refuse("many logs need logs.root in the configuration");
}

/* The store of a log that exists. False after an error message. */
static bool find_store(const struct cli_options *options, struct bt_arena *arena, bt_str name,
                       bt_str *out)
{
    struct bt_logs logs;
    struct bt_error error = {0};
    if (!logs_find(options, arena, &logs)) {
        return false;
    }
    const enum bt_status status = bt_log_find(&logs, arena, name, out, &error);
    if (status == BT_ENOENT) {
        (void)cli_refuse("%s", error.text);
        cli_print_hint(
            "baton ledger log new makes it; baton ledger log list shows those that exist");
        return false;
    }
    return status == BT_OK || cli_refuse_error(&error);
}

bool logs_resolve_flag(struct cli_options *options, struct bt_arena *arena)
{
    const char *name = cli_given(options, &flag_log);
    bt_str store;
    if (!name) {
        return true;
    }
    if (cli_given(options, &flag_store) || cli_given(options, &flag_store_root)) {
        return cli_refuse_usage(options, "--log names the store, so it takes neither --store nor "
                                         "--root");
    }
    if (!find_store(options, arena, bt_str_of(name), &store)) {
        return false;
    }
    for (size_t i = 0; i < options->given_count; i++) {
        struct cli_given *given = &options->given[i];
        if (given->flag->id == flag_log.id) {
            *given = (struct cli_given){&flag_store, store.ptr, given->operands_before};
        }
    }
    return true;
}

bool logs_find_default(const struct cli_options *options, struct bt_arena *arena, bt_str *out)
{
    const bt_str name = bt_config_text(options->config, "logs.default");
    *out = BT_STR("");
    return name.len == 0 || find_store(options, arena, name, out);
}
