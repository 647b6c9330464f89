/* SPDX-License-Identifier: Apache-2.0 */
/* govern_run.c - shared by the commands of `baton govern`: begin, report, end. */
#include "govern_run.h"

#include "output.h"
#include "print.h"

enum { RUN_BYTES_MAX = 2000000000 };

bool govern_run_begin(struct cli_govern_run *run, const struct cli_options *options,
                      bool wants_root)
{
    *run = (struct cli_govern_run){.options = options};
    bt_arena_init(&run->arena, RUN_BYTES_MAX);
    if (!cli_env_init(options, &run->env) ||
        !cli_governed_options(options, &run->arena, &run->flags) ||
        !cli_governed_open(options, &run->flags)) {
        return false;
    }
    if (wants_root && !run->flags.options.dir) {
        (void)cli_usage_error(options->command, "where is the catalogue? give --root DIR");
        return false;
    }
    run->report = bt_report_new(&run->arena);
    const enum bt_status status =
        run->report ? bt_governed_checker_create(&run->env, &run->governed) : BT_ENOMEM;
    if (status != BT_OK) {
        cli_print_error("%s", bt_status_text(status));
    }
    return status == BT_OK;
}

int govern_run_end(struct cli_govern_run *run, int code)
{
    bt_governed_checker_destroy(run->governed);
    cli_governed_close(&run->flags);
    bt_arena_free(&run->arena);
    return code;
}

int govern_run_fail(struct cli_govern_run *run, enum bt_status status)
{
    const char *trouble = bt_governed_last_error(run->governed);
    cli_print_error("cannot judge the catalogue: %s",
                    trouble[0] ? trouble : bt_status_text(status));
    return CLI_FAILED;
}

int govern_run_report(struct cli_govern_run *run, bt_str members)
{
    if (!cli_report_write_with(run->options, run->report, members)) {
        return CLI_FAILED;
    }
    const struct bt_report_totals summary = bt_report_count_totals(run->report);
    return summary.accepted == summary.documents ? CLI_DONE : CLI_REJECTED;
}
