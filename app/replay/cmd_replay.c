/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_replay.c - baton replay: judge recorded documents again. */
#include "check/queue.h"
#include "cli/check_run.h"
#include "cli/output.h"
#include "replay/replay.h"

/* Every page is read once: a small cache is enough, and stays in that of the processor. */
enum { CACHE_KIB = 256 };

/* Read --from and --to for a log of this size. False after an error message. */
static bool take_range(struct replay_run *run, uint64_t size)
{
    struct cli_run *cli = run->cli;
    uint64_t last = 0;
    if (!cli_run_number(cli, &flag_from, 0, &run->first) ||
        !cli_run_number(cli, &flag_to, UINT64_MAX, &last)) {
        return false;
    }
    if (run->first > last) {
        return cli_refuse_usage(cli->options, "--from is above --to");
    }
    run->end = last < size ? last + 1 : size;
    return run->first < run->end || (size == 0 && run->first == 0) ||
           cli_refuse_usage(cli->options,
                            "the log has no entry in this range: it ends before "
                            "entry %llu",
                            (unsigned long long)size);
}

/* Open the ledger and find its size. False after an error message. */
static bool open_log(struct replay_run *run)
{
    struct cli_run *cli = run->cli;
    struct bt_ledger_head head;
    cli->cache_kib = CACHE_KIB;
    if (!cli_run_find_store(cli, &run->where) || !cli_run_open_ledger(cli, CLI_READ)) {
        return false;
    }
    if (bt_ledger_head(cli->ledger, &cli->arena, cli->alarms, &head, &cli->error) != BT_OK) {
        (void)cli_run_failed(cli, "cannot read the ledger");
        return false;
    }
    return !cli_run_alarmed(cli) && take_range(run, head.size);
}

/* The exit code of a run that came to its end. */
static int find_code(const struct replay_run *run, uint64_t changes_max)
{
    const struct replay_counts *counts = &run->counts;
    const bool is_strict = cli_given(run->cli->options, &flag_strict) != NULL;
    return counts->changed > changes_max || (is_strict && counts->judged < counts->candidates)
               ? CLI_REJECTED
               : CLI_DONE;
}

int cmd_replay(struct cli_run *cli)
{
    struct replay_run run = {.cli = cli};
    uint64_t changes_max = 0;
    int code = CLI_FAILED;
    if (!cli_run_number(cli, &flag_max_changes, 0, &changes_max) ||
        !cli_check_take_jobs(cli->options, &run.worker_count)) {
        return CLI_FAILED;
    }
    if (replay_settings_open(cli, &run.settings) && replay_program_open(cli, &run.settings) &&
        open_log(&run) && replay_spans_judge(&run) && replay_print(&run) == CLI_DONE) {
        code = find_code(&run, changes_max);
    }
    replay_spans_free(&run);
    replay_settings_close(&run.settings);
    return code;
}
