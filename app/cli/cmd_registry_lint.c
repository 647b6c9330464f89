/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_registry_lint.c - baton registry lint
 */
#include "commands.h"
#include "output.h"
#include "print.h"
#include "skills.h"

static cli_run_fn run_lint;

const struct cli_command cmd_registry_lint = {
    .name = "baton registry lint",
    .operands = "",
    .summary = "find what is wrong with the skills of a catalogue",
    .about = "Judges the front matter of every SKILL.md: can it be read, do its edges lead "
             "somewhere and back, are its fields written as they are read? Only two skills of one "
             "name in one folder reject; everything else warns or tells.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_skills, &flag_registry, &flag_format, &flag_output, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton registry lint --skills skills", "judge every SKILL.md"},
        {"baton registry lint --skills mine --skills shared -f concise", "one line a finding"}),
    .run = run_lint,
};

enum { RUN_BYTES_MAX = 2000000000 };

static int lint_skills(const struct cli_options *options, struct bt_arena *arena)
{
    const struct bt_skill_catalogue *catalogue = NULL;
    struct bt_report *report = bt_report_new(arena);
    if (!cli_given(options, &flag_skills)) {
        return cli_usage_error(options->command, "lint what? Give --skills DIR");
    }
    if (!cli_skills_open(options, arena, &catalogue)) {
        return CLI_FAILED;
    }
    const enum bt_status status = report ? bt_skill_catalogue_lint(catalogue, report) : BT_ENOMEM;
    if (status != BT_OK) {
        cli_print_error("cannot judge the skills: %s", bt_status_text(status));
        return CLI_FAILED;
    }
    if (!cli_report_write(options, report)) {
        return CLI_FAILED;
    }
    return bt_report_count_totals(report).rejected > 0 ? CLI_REJECTED : CLI_DONE;
}

static int run_lint(const struct cli_options *options)
{
    struct bt_arena arena;
    bt_arena_init(&arena, RUN_BYTES_MAX);
    const int code = lint_skills(options, &arena);
    bt_arena_free(&arena);
    return code;
}
