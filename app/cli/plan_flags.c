/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_flags.c - how to judge plans: flags -> options.
 */
#include "plan_flags.h"

#include <string.h>

#include <baton/file.h>

#include "print.h"

/* clang-format off */
const struct cli_flag flag_edges = {"edges", 0, "EDGES", CLI_EDGES,
    "plan: compare neighbouring rows, or producer and consumer by dependencies (default rows)",
    NULL};
/* clang-format on */

bool cli_plan_options(const struct cli_options *options, struct bt_plan_options *out)
{
    const char *edges = cli_given(options, &flag_edges);
    *out = bt_plan_options_default();
    out->today_given = options->today_given;
    out->today = options->today;
    out->is_pinned = options->today_given || options->now_given;
    out->by_dependencies = edges && strcmp(edges, "deps") == 0;
    if (edges && !out->by_dependencies && strcmp(edges, "rows") != 0) {
        (void)cli_usage_error(options->command, "--edges wants rows or deps, not %s", edges);
        return false;
    }
    return true;
}

bool cli_dir_open(const char *path, struct bt_dir **out)
{
    struct bt_error error;
    *out = NULL;
    if (path && bt_dir_open(bt_str_of(path), out, &error) != BT_OK) {
        cli_print_error("cannot use the root %s: %s", path, error.text);
        return false;
    }
    return true;
}

bool cli_dir_exists(const char *path)
{
    struct bt_dir *root = NULL;
    const bool is_there = cli_dir_open(path, &root);
    bt_dir_close(root);
    return is_there;
}
