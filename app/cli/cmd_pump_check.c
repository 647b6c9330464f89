/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_check.c - baton pump check FILE
 */
#include <string.h>

#include "commands.h"
#include "organism_file.h"
#include "output.h"
#include "print.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_no_load = {"no-load", 0, NULL, CLI_ANY,
    "start no handler; a class's name is taken from payload_class", NULL};
static const struct cli_flag flag_without = {"without", 0, "MECHANISM", CLI_MECHANISM,
    "judge as on a kernel that lacks seccomp or landlock (repeatable)", NULL};
/* clang-format on */

const struct cli_command cmd_pump_check = {
    .name = "baton pump check",
    .operands = "FILE|-",
    .summary = "judge an organism and load its handlers",
    .about = "The keys come first, then what they mean together, then every handler is started in "
             "its sandbox, asked what it is, and told to end. Something HARD ends the check after "
             "its group.\n",
    .missing = "which organism? name its FILE",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_no_load, &flag_without, &flag_format, &flag_output, &flag_fail_level,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton pump check organism.yaml",
         "judge the file, then load every handler in its sandbox"},
        {"baton pump check --no-load organism.yaml", "judge the file and run nobody's code"}),
    .run = run,
};

static bool take_without(const struct cli_options *options, struct bt_organism_options *out)
{
    const char *mechanism = NULL;
    for (size_t i = 0; (mechanism = cli_given_at(options, &flag_without, i)) != NULL; i++) {
        out->without_seccomp = out->without_seccomp || strcmp(mechanism, "seccomp") == 0;
        out->without_landlock = out->without_landlock || strcmp(mechanism, "landlock") == 0;
        if (strcmp(mechanism, "seccomp") != 0 && strcmp(mechanism, "landlock") != 0) {
            (void)cli_usage_error(options->command, "--without wants seccomp or landlock, not %s",
                                  mechanism);
            return false;
        }
    }
    return true;
}

static int print_report(const struct cli_options *options, struct cli_organism_file *file)
{
    struct bt_report *made = bt_report_new(&file->arena);
    if (!made || bt_report_add(made, &file->judged) != BT_OK) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return CLI_FAILED;
    }
    if (!cli_report_write(options, made)) {
        return CLI_FAILED;
    }
    return file->judged.verdict == BT_VERDICT_ACCEPTED ? CLI_DONE : CLI_REJECTED;
}

static int run(const struct cli_options *options)
{
    struct bt_organism_options wanted = {.fail_level = options->fail_level};
    struct cli_organism_file file;
    struct bt_env env;
    if (!cli_env_init(options, &env) || !take_without(options, &wanted)) {
        return CLI_FAILED;
    }
    const enum cli_organism_depth loading =
        cli_given(options, &flag_no_load) ? ORGANISM_NOT_LOADED : ORGANISM_LOADED;
    organism_file_begin(&file);
    const int code = organism_file_read(&file, options->operands[0], &env, loading, wanted)
                         ? print_report(options, &file)
                         : CLI_FAILED;
    organism_file_end(&file);
    return code;
}
