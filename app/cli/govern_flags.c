/* SPDX-License-Identifier: Apache-2.0 */
/*
 * govern_flags.c - how to judge governed handoffs: flags and configuration -> options.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "govern_flags.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "operation/governed.h"
#include "plan_flags.h"
#include "print.h"

/* clang-format off */
const struct cli_flag flag_boundary_mode = {"boundary-mode", 0, "MODE", CLI_BOUNDARY_MODE,
    "governed: who must list whom: source (default), either or mutual", NULL};
const struct cli_flag flag_relation_mode = {"relation-mode", 0, "MODE", CLI_RELATION_MODE,
    "governed: whether a line that separates authorises: strict (default) or literal", NULL};
const struct cli_flag flag_archetype_mode = {"archetype-mode", 0, "MODE", CLI_ARCHETYPE_MODE,
    "governed: where archetypes may hand to: constituent (default) or declared", NULL};
const struct cli_flag flag_max_age = {"max-age", 0, "SECONDS", CLI_ANY,
    "how old a document may be (default 300)", NULL};
const struct cli_flag flag_max_future = {"max-future", 0, "SECONDS", CLI_ANY,
    "how far ahead of the clock a document may be (default 60)", NULL};
const struct cli_flag flag_structure_only = {"structure-only", 0, NULL, CLI_ANY,
    "governed: judge without a catalogue", NULL};

static const struct {
    const struct cli_flag *flag;
    bt_str setting;
} settings[] = {
    {&flag_boundary_mode, BT_STR_INIT("boundary_mode")},
    {&flag_relation_mode, BT_STR_INIT("relation_mode")},
    {&flag_archetype_mode, BT_STR_INIT("archetype_mode")},
    {&flag_max_age, BT_STR_INIT("max_age_s")},
    {&flag_max_future, BT_STR_INIT("max_future_s")},
};
/* clang-format on */

static bool set_option(const struct cli_options *options, struct bt_governed_options *out,
                       bt_str setting, const char *what, bt_str value)
{
    struct bt_error error;
    if (bt_governed_options_set(out, setting, value, &error) != BT_OK) {
        (void)cli_usage_error(options->command, "%s: %s", what, error.text);
        return false;
    }
    return true;
}

/* Take the values of the configuration, which was checked when it was read. */
static bool take_config(const struct cli_options *options, struct bt_arena *arena,
                        struct bt_governed_options *out)
{
    struct bt_error error;
    if (bt_governed_options_from_config(options->config, arena, out, &error) != BT_OK) {
        (void)cli_usage_error(options->command, "governed: %s", error.text);
        return false;
    }
    return true;
}

static bool take_flags(const struct cli_options *options, struct bt_governed_options *out)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        const char *value = cli_given(options, settings[i].flag);
        if (value && !set_option(options, out, settings[i].setting, settings[i].flag->name,
                                 bt_str_of(value))) {
            return false;
        }
    }
    return true;
}

/*
 * --root, or the root that the configuration names. A file that was not named explicitly is ignored
 * when it turns out to lie in the root, because what is judged must not configure its judge.
 */
static bool take_root(const struct cli_options *options, struct bt_arena *arena,
                      struct cli_governed *out)
{
    if (options->root) {
        out->root_path = bt_str_of(options->root);
        return true;
    }
    if (bt_config_path(options->config, "governed.root", arena, &out->root_path) != BT_OK) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        cli_note_failure(options, BT_STR(""), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
        return false;
    }
    if (bt_config_is_of_project(options->config, "governed.root") &&
        config_is_inside(out->root_path.ptr)) {
        *out = (struct cli_governed){.options = bt_governed_options_default(),
                                     .root_path = BT_STR("")};
    }
    return true;
}

bool cli_governed_options(const struct cli_options *options, struct bt_arena *arena,
                          struct cli_governed *out)
{
    *out = (struct cli_governed){.options = bt_governed_options_default(), .root_path = BT_STR("")};
    return take_config(options, arena, &out->options) && take_root(options, arena, out) &&
           take_flags(options, &out->options);
}

bool cli_governed_open(const struct cli_options *options, struct cli_governed *governed)
{
    if (governed->root || cli_given(options, &flag_structure_only) ||
        (governed->root_path.len == 0 && !options->root)) {
        return true;
    }
    if (!cli_dir_open(governed->root_path.ptr, &governed->root)) {
        return false;
    }
    governed->options.dir = governed->root;
    return true;
}

void cli_governed_close(struct cli_governed *governed)
{
    bt_dir_close(governed->root);
    governed->root = NULL;
}
