/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_boundaries.c - baton govern boundaries show
 */
#include <string.h>

#include "commands.h"
#include "govern_store.h"
#include "output.h"
#include "print.h"
#include "suggest.h"

static cli_run_fn run_show;

const struct cli_command cmd_govern_boundaries = {
    .name = "baton govern boundaries",
    .operands = "COMMAND",
    .summary = "look at who may hand to whom",
    .about = "",
    .missing = "boundaries what? show",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES({"baton govern boundaries show --root prompts",
                              "who has listed whom, who may hand to whom"}),
    .parts = CLI_PARTS(&cmd_govern_boundaries_show),
};

/* clang-format off */
static const struct cli_flag flag_from = {"from", 0, "WHERE", CLI_LISTS,
    "take lists from the file or from prompts (default: what is in force)", NULL};
static const struct cli_flag flag_emit = {"emit", 0, NULL, CLI_ANY,
    "print a boundaries file, and nothing else", NULL};
static const struct cli_flag flag_render = {"render", 0, "FORM", CLI_MAP_FORM,
    "text (default), mermaid, dot or svg", NULL};
/* clang-format on */

const struct cli_command cmd_govern_boundaries_show = {
    .name = "baton govern boundaries show",
    .operands = "",
    .summary = "show lists and allowed pairs",
    .about = "Allowed pairs are those of agents that are verified now; the number is the pattern "
             "that allows them.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_from, &flag_emit, &flag_render, CLI_GOVERN_ROOT_FLAGS, &flag_output,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton govern boundaries show --root prompts", "lists, and who may hand to whom"},
        {"baton govern boundaries show --render svg --root prompts > map.svg", "as a picture"},
        {"baton govern boundaries show --emit --root prompts > boundaries.json",
         "what the prompts say, as a file that the lock can cover"}),
    .run = run_show,
};

enum { MAP_BYTES_MAX = 1 << 30 };

static bool take_source(const struct cli_options *options, enum bt_governed_boundary_lists *out)
{
    const char *from = cli_given(options, &flag_from);
    *out = !from                          ? BT_BOUNDARY_LISTS_IN_FORCE
           : strcmp(from, "prompts") == 0 ? BT_BOUNDARY_LISTS_FROM_PROMPTS
                                          : BT_BOUNDARY_LISTS_FROM_FILE;
    if (from && *out == BT_BOUNDARY_LISTS_FROM_FILE && strcmp(from, "file") != 0) {
        (void)cli_usage_error(options->command, "--from wants file or prompts, not %s", from);
        return false;
    }
    return true;
}

static bool take_form(const struct cli_options *options, enum bt_boundary_map_format *out)
{
    const char *render = cli_given(options, &flag_render);
    const bool is_json = cli_wants_json(options);
    const bool emits = cli_given(options, &flag_emit) != NULL;
    *out = emits ? BT_BOUNDARY_MAP_FILE : is_json ? BT_BOUNDARY_MAP_JSON : BT_BOUNDARY_MAP_TEXT;
    if (!render) {
        return true;
    }
    if (is_json || emits) {
        (void)cli_usage_error(options->command, "--render does not go with %s",
                              emits ? "--emit" : "-f json");
        return false;
    }
    for (size_t i = 0; i < BT_BOUNDARY_MAP_JSON; i++) {
        if (bt_str_eq(bt_boundary_map_format_name((enum bt_boundary_map_format)i),
                      bt_str_of(render))) {
            *out = (enum bt_boundary_map_format)i;
            return true;
        }
    }
    struct cli_suggestion guess = cli_guess_for(bt_str_of(render));
    cli_guess_try_kind(&guess, CLI_MAP_FORM);
    (void)cli_print_unknown(options->command, flag_render.name, "", &guess);
    return false;
}

static int print_boundaries(struct cli_govern_run *run)
{
    enum bt_governed_boundary_lists source = BT_BOUNDARY_LISTS_IN_FORCE;
    enum bt_boundary_map_format form = BT_BOUNDARY_MAP_TEXT;
    struct bt_buf buf;
    if (!take_source(run->options, &source) || !take_form(run->options, &form)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, MAP_BYTES_MAX);
    const enum bt_status status = bt_governed_put_boundary_map(run->governed, &run->flags.options,
                                                               source, form, run->report, &buf);
    if (status != BT_OK || bt_report_count(run->report) > 0) {
        bt_buf_free(&buf);
        return status == BT_OK ? govern_run_report(run, BT_STR("")) : govern_run_fail(run, status);
    }
    return cli_print_buf(&buf);
}

static int run_show(const struct cli_options *options)
{
    struct cli_govern_run run;
    const bool ready = govern_run_begin(&run, options, true);
    return govern_run_end(&run, ready ? print_boundaries(&run) : CLI_FAILED);
}
