/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_watch.c - baton ledger watch: look at a log once, or again and again. */
#include <signal.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/run.h"
#include "watch/log_files.h"

enum { EVERY_DEFAULT_S = 60 };

/* One watched log. */
struct watch_run {
    struct cli_run *cli;
    struct bt_ledger_watch_options options;
    struct watch_server server;
    const char *tree;
    uint64_t every_s;
    bool is_once;
};

/* The signals that end the command; they are blocked, and looked at between requests. */
static void find_end_signals(sigset_t *out)
{
    (void)sigemptyset(out);
    (void)sigaddset(out, SIGTERM);
    (void)sigaddset(out, SIGINT);
}

static bool is_ending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

/* Wait for the next look. True: a signal came. */
static bool wait_for_end(uint64_t seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds};
    sigset_t ends;
    find_end_signals(&ends);
    return sigtimedwait(&ends, NULL, &time) > 0 || cli_reader_is_gone();
}

/* Find the log that the flags name. False after an error message. */
static bool take_log(struct watch_run *watch)
{
    struct cli_run *run = watch->cli;
    const char *url = cli_given(run->options, &flag_log_url);
    const char *tree = cli_given(run->options, &flag_tree);
    const char *store = cli_given(run->options, &flag_store);
    if (!!url + !!tree + !!store != 1) {
        return cli_refuse_usage(run->options, "name the log with one of --url, --tree and --store");
    }
    watch->options.path = bt_str_of(url ? url : tree ? tree : store);
    watch->tree = tree;
    if (tree) {
        watch->options.log = (struct bt_log_source){watch_read_folder, &watch->tree};
        return true;
    }
    if (store) {
        if (!cli_run_open_ledger(run, CLI_READ_ANY)) {
            return false;
        }
        watch->options.path = bt_ledger_url(run->ledger);
        watch->options.log = (struct bt_log_source){bt_ledger_read_log_file, run->ledger};
        return true;
    }
    watch->server.is_ending = is_ending;
    watch->options.log = (struct bt_log_source){watch_read_server, &watch->server};
    return bt_http_url_parse(&run->arena, bt_str_of(url), &watch->server.where) == BT_OK ||
           cli_refuse_usage(run->options, "--url wants http://... or https://...");
}

/* Find the keys that are trusted. False after an error message. */
static bool take_trust(struct watch_run *watch)
{
    struct cli_run *run = watch->cli;
    struct bt_verifier_keys *keys = NULL;
    struct bt_witness_policy *policy = NULL;
    if (!cli_run_keys(run, &flag_vkey, BT_VERIFIER_KEY_LOG, &keys) ||
        !cli_run_policy(run, &policy)) {
        return false;
    }
    watch->options.policy = policy;
    watch->options.keys = policy ? bt_witness_policy_logs(policy) : keys;
    return watch->options.keys ||
           cli_refuse_usage(run->options, "give a --vkey or a --policy: a log proves nothing "
                                          "without a key from elsewhere");
}

static bool take_options(struct watch_run *watch)
{
    struct cli_run *run = watch->cli;
    watch->every_s = EVERY_DEFAULT_S;
    watch->is_once = cli_given(run->options, &flag_once) != NULL;
    watch->options.memory = cli_given(run->options, &flag_memory);
    return cli_run_duration(run, &flag_every, &watch->every_s) &&
           cli_run_duration(run, &flag_max_age, &watch->options.age_max_s) && take_trust(watch) &&
           take_log(watch);
}

/* Look once. The exit code is CLI_FAILED after an error message. */
static int watch_once(struct watch_run *watch)
{
    struct cli_run *run = watch->cli;
    struct bt_judgement judged;
    run->report = NULL;
    run->error.text[0] = '\0';
    watch->options.now = bt_env_now(&run->env);
    if (bt_ledger_watch(&run->arena, &watch->options, &judged, &run->error) != BT_OK) {
        return is_ending() ? CLI_DONE : cli_run_failed(run, "cannot watch the log");
    }
    return cli_run_report_one(run, &judged, BT_STR(""));
}

int cmd_ledger_watch(struct cli_run *run)
{
    struct watch_run watch = {.cli = run};
    sigset_t ends;
    int code = CLI_FAILED;
    if (!take_options(&watch)) {
        return CLI_FAILED;
    }
    find_end_signals(&ends);
    (void)sigprocmask(SIG_BLOCK, &ends, NULL);
    do {
        const struct bt_arena_mark before = bt_arena_mark(&run->arena);
        code = watch_once(&watch);
        run->report = NULL;
        bt_arena_rewind(&run->arena, before);
    } while (!watch.is_once && code != CLI_REJECTED && !wait_for_end(watch.every_s));
    return watch.is_once || code == CLI_REJECTED ? code : CLI_DONE;
}
