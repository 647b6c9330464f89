/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hook.c - baton hook, baton hook pin */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli.h"
#include "contract_run.h"
#include "hook/hook.h"
#include "hook/protected.h"
#include "hook/settings.h"
#include "hook/tool_gate.h"
#include "hook_config.h"
#include "hook_files.h"
#include "output.h"
#include "text_diff.h"

/* ---- baton hook pin -------------------------------------------------------------------------- */

enum { DIFF_BYTES_MAX = 1 << 30 };

/* Print what changed in the configuration since it was pinned. */
static int show_config(const struct hook_files *files, const struct hook_pinned *pinned,
                       const struct hook_pin *now)
{
    struct cli_diff_names names;
    struct bt_buf diff;
    bt_str before = BT_STR("");
    if (!hook_pin_copy(files->arena, pinned->digest.ptr, &before)) {
        before = BT_STR("");
    }
    bt_buf_init(&diff, DIFF_BYTES_MAX);
    if (bt_arena_printf(files->arena, &names.before, "a/%.*s", BT_STR_ARG(pinned->path)) != BT_OK ||
        bt_arena_printf(files->arena, &names.after, "b/%.*s", BT_STR_ARG(pinned->path)) != BT_OK ||
        cli_put_named_diff(&diff, files->arena, names, before, now->text) != BT_OK) {
        bt_buf_free(&diff);
        return cli_failed("cannot show the change");
    }
    return cli_print_buf(&diff);
}

/* Replace the old digest after each --config-sha256 in the settings. */
static enum bt_status replace_digest(const struct hook_files *files, bt_str old, const char *digest,
                                     bt_str *out)
{
    const bt_str flag = BT_STR("--config-sha256 ");
    const bt_str text = files->content;
    struct bt_buf buf;
    bt_buf_init(&buf, text.len + 1);
    for (size_t i = 0; i < text.len;) {
        const bt_str rest = bt_str_slice(text, i, text.len);
        if (bt_str_starts_with(rest, flag) &&
            bt_str_starts_with(bt_str_slice(rest, flag.len, rest.len), old)) {
            bt_buf_put(&buf, flag);
            bt_buf_put_text(&buf, digest);
            i += flag.len + old.len;
        } else {
            bt_buf_put_char(&buf, text.ptr[i++]);
        }
    }
    return bt_buf_finish(&buf, files->arena, out);
}

/* Find the pin of the installed hook. False after an error message. */
static bool find_pin(const struct hook_files *files, struct hook_pinned *out)
{
    const struct hook_entry_options entries = {.host = files->host};
    struct hook_settings_found found = {.command = BT_STR("")};
    struct bt_error error = {0};
    if (files->exists &&
        hook_settings_find(files->arena, files->content, &entries, &found, &error) != BT_OK) {
        return cli_refuse("cannot understand %.*s: %s", BT_STR_ARG(files->name), error.text);
    }
    if (hook_pin_find(files, found.command, out) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (out->path.len == 0) {
        cli_print_error("%.*s has no hook that is pinned to a configuration",
                        BT_STR_ARG(files->name));
        cli_print_hint("baton hook install %s --config FILE pins one", files->host->name);
    }
    return out->path.len > 0;
}

static int pin_hook(const struct cli_options *options, const struct hook_files *files)
{
    struct hook_pinned pinned;
    struct hook_pin now = {.path = BT_STR("")};
    bt_str after;
    bool go = false;
    if (!find_pin(files, &pinned) || !hook_pin_make(options, files, pinned.file.ptr, &now)) {
        return CLI_FAILED;
    }
    if (bt_str_eq(pinned.digest, bt_str_of(now.digest))) {
        return hook_pin_keep(files->arena, &now) ? CLI_DONE : CLI_FAILED;
    }
    if (show_config(files, &pinned, &now) != CLI_DONE ||
        replace_digest(files, pinned.digest, now.digest, &after) != BT_OK) {
        return CLI_FAILED;
    }
    const int code = hook_files_show(options, files, after, NULL, &go);
    if (go && (!hook_pin_keep(files->arena, &now) || !hook_files_install(files, after))) {
        return CLI_FAILED;
    }
    return code;
}

int cmd_hook_pin(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct agent_host *host = hook_host_find(options->operands[0]);
    struct hook_files files;
    if (!host) {
        return hook_host_unknown(options->command, options->operands[0]);
    }
    return hook_files_load(options, host, &run->arena, &files) ? pin_hook(options, &files)
                                                               : CLI_FAILED;
}

/* ---- baton hook ------------------------------------------------------------------------------ */

enum {
    EVENT_BYTES_MAX = 64 << 20, /* a message of the maximum size with every byte escaped */
    DEADLINE_MS = 2000,
    CONFIG_BYTES_MAX = 64 << 20,
    STORE_MS_MAX = 1800, /* leaves time to report that a store stayed locked */
    STORE_MS_MIN = 100,
};

static const char LATE[] = "the time for it was over";

/* One call of the hook. */
struct cli_hook_run {
    struct cli_run gate;
    const struct hook_config *config;
    const struct agent_host *host;
    uint64_t began_ms;
    const struct hook *hook;
    struct hook_answer late; /* written when the time is over */
};

/* Uses only async-signal-safe functions. */
static void give_up(int number, siginfo_t *info, void *context)
{
    const struct hook_answer *late = info->si_value.sival_ptr;
    (void)number;
    (void)context;
    (void)cli_write(STDOUT_FILENO, late->out);
    (void)cli_write(STDERR_FILENO, late->err);
    _exit(CLI_DONE);
}

/* Block or unblock the timer's signal. */
static void mask_alarm(int how)
{
    sigset_t alarms;
    (void)sigemptyset(&alarms);
    (void)sigaddset(&alarms, SIGALRM);
    (void)sigprocmask(how, &alarms, NULL);
}

/* Write the answer `late` when the time is over. Without a timer, the agent host has its own. */
static void start_deadline(struct hook_answer *late)
{
    struct sigaction action = {.sa_sigaction = give_up, .sa_flags = SA_SIGINFO};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value = {.sival_ptr = late}};
    const struct itimerspec deadline = {.it_value = {.tv_sec = DEADLINE_MS / 1000}};
    timer_t timer;
    const bool has_handler = sigaction(SIGALRM, &action, NULL) == 0;
    mask_alarm(SIG_UNBLOCK); /* even if the agent host ignores or blocks it */
    if (has_handler && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        (void)timer_settime(timer, 0, &deadline, NULL);
    }
}

/* ---- Project and store ----------------------------------------------------------------------- */

static bool names_store(const struct cli_options *options)
{
    const char *store = getenv("BATON_STORE");
    return cli_given(options, &flag_store) || cli_given(options, &flag_store_root) ||
           (store && store[0] != '\0') || bt_config_has(options->config, "store");
}

/*
 * The project directory: the named one, or that of the event; "": the current one. It ends with a
 * NUL byte.
 */
static enum bt_status find_project(struct cli_hook_run *hooking, const struct hook_event *event,
                                   bt_str *out)
{
    const bool is_name = bt_str_find_byte(event->folder, '\0', 0) == event->folder.len;
    const bt_str folder = hooking->config->project ? bt_str_of(hooking->config->project)
                          : is_name                ? event->folder
                                                   : BT_STR("");
    return bt_arena_copy(&hooking->gate.arena, folder, out);
}

/* The name of the project. */
static enum bt_status find_workspace(struct cli_run *run, bt_str folder, bt_str *out)
{
    const bt_str given = bt_str_of(cli_given(run->options, &flag_workspace));
    *out = given.len > 0 ? given : bt_config_text(run->options->config, "contract.workspace");
    if (out->len > 0) {
        return BT_OK;
    }
    return cli_workspace(&run->arena, folder.len > 0 ? folder.ptr : NULL, out);
}

/* BT_ENOENT: the store does not exist. */
static enum bt_status probe_store(struct cli_run *run)
{
    struct bt_ledger_options where;
    struct bt_ledger *found = NULL;
    struct bt_error error;
    if (!cli_run_find_store(run, &where)) {
        return BT_EIO;
    }
    const enum bt_status status = bt_ledger_open(&where, false, &found, &error);
    bt_ledger_close(found);
    return status;
}

/*
 * How to open the store: one that --store names is created if it does not exist, also for an event
 * that only reads.
 */
static enum cli_access access_for(struct cli_run *run, bool writing)
{
    if (writing || !cli_given(run->options, &flag_store)) {
        return writing ? CLI_MAKE : CLI_READ;
    }
    return probe_store(run) == BT_ENOENT ? CLI_MAKE : CLI_READ;
}

/* The project directory as an absolute path. */
static enum bt_status absolute_project(struct cli_hook_run *hooking, const struct hook_event *event,
                                       bt_str *out)
{
    char here[PATH_MAX];
    bt_str folder;
    BT_TRY(find_project(hooking, event, &folder));
    if (folder.len > 0 && folder.ptr[0] == '/') {
        *out = folder;
        return BT_OK;
    }
    return bt_arena_printf(&hooking->gate.arena, out, "%s/%.*s",
                           getcwd(here, sizeof(here)) ? here : "", BT_STR_ARG(folder));
}

/* The directory of the event, where relative paths of its tool start. */
static bt_str event_folder(const struct hook_event *event, bt_str project)
{
    const bool is_absolute = event->folder.len > 0 && event->folder.ptr[0] == '/' &&
                             bt_str_find_byte(event->folder, '\0', 0) == event->folder.len;
    return is_absolute ? event->folder : project;
}

/* Choose the answer for when the time is over, if the event has one. */
static void set_late_answer(struct cli_hook_run *hooking, const struct hook_event *event)
{
    if (!event->if_late) {
        return;
    }
    mask_alarm(SIG_BLOCK);
    if (event->if_late->denies) {
        hook_answer_denial(hooking->hook, event->if_late, &hooking->late);
    } else {
        hook_answer_failure(hooking->hook, LATE, &hooking->late);
    }
    mask_alarm(SIG_UNBLOCK);
}

static enum bt_status find_place(void *context, const struct hook_event *event,
                                 struct bt_gate_place *out)
{
    struct cli_hook_run *hooking = context;
    const struct cli_options *options = hooking->gate.options;
    struct bt_arena *arena = &hooking->gate.arena;
    const char *home = getenv("HOME");
    const char *store = cli_given(options, &flag_store);
    char here[PATH_MAX];
    struct hook_protected_options files = {.home = bt_str_of(home && home[0] == '/' ? home : ""),
                                           .store = bt_str_of(store),
                                           .pin = bt_str_of(cli_given(options, &flag_pin)),
                                           .here = bt_str_of(getcwd(here, sizeof(here)))};
    *out = (struct bt_gate_place){.home = files.home};
    set_late_answer(hooking, event);
    BT_TRY(absolute_project(hooking, event, &out->project));
    out->folder = event_folder(event, out->project);
    BT_TRY(config_user_path(arena, "", &files.user_config));
    if (!store) {
        BT_TRY(bt_config_path(options->config, "store", arena, &files.store));
    }
    return hook_protected_files(arena, hooking->host, &files, &out->files);
}

static bt_str note_ignored(void *context, const struct hook_event *event)
{
    struct cli_hook_run *hooking = context;
    bt_str folder = BT_STR("");
    if (find_project(hooking, event, &folder) != BT_OK) {
        return BT_STR("");
    }
    return hook_config_ignored(&hooking->gate.arena, hooking->gate.options, hooking->host, folder);
}

static struct hook_store open_place(void *context, const struct hook_event *event, bool writing)
{
    struct cli_hook_run *hooking = context;
    struct cli_run *run = &hooking->gate;
    const struct cli_options *options = run->options;
    const uint64_t spent = bt_clock_monotonic_ms() - hooking->began_ms;
    const bool observes = cli_given(options, &flag_observe) != NULL;
    struct hook_store place = {.workspace = BT_STR(""), .why = "its store cannot be used"};
    bt_str folder = BT_STR("");
    set_late_answer(hooking, event);
    if (find_project(hooking, event, &folder) != BT_OK ||
        find_workspace(run, folder, &place.workspace) != BT_OK) {
        place.why = bt_status_text(BT_ENOMEM);
        return place;
    }
    /* The default store is that of the project. */
    if (!names_store(options) && folder.len > 0 && chdir(folder.ptr) != 0) {
        return place;
    }
    bt_ledger_close(run->ledger); /* it was open for reading */
    run->ledger = NULL;
    run->deadline_ms = spent + STORE_MS_MIN < STORE_MS_MAX ? STORE_MS_MAX - spent : STORE_MS_MIN;
    /* The use of a tool makes no store, even if one is named: it has nothing to look up then. */
    const bool only_reads = event->kind == HOOK_TOOL && !writing;
    if (only_reads && probe_store(run) != BT_OK) {
        return place;
    }
    if (contract_run_open(run, only_reads ? CLI_READ : access_for(run, writing))) {
        run->contract->gate.actor =
            bt_str_of(observes ? hooking->host->observer : hooking->host->actor);
        place.gate = &run->contract->gate;
    }
    if (writing) {
        mask_alarm(SIG_BLOCK);
    }
    return place;
}

/* ---- One event ------------------------------------------------------------------------------- */

static void answer_input(const struct hook *hook, struct hook_answer *out)
{
    bt_str input;
    if (bt_fd_read(hook->arena, STDIN_FILENO, EVENT_BYTES_MAX, &input, NULL) != BT_OK) {
        hook_answer_failure(hook, "standard input cannot be read", out);
    } else if (input.len > EVENT_BYTES_MAX) {
        hook_answer_failure(hook, "standard input is too long", out);
    } else {
        hook_run(hook, input, out);
    }
}

static int respond_to_hook(struct cli_hook_run *hooking, struct hook *hook)
{
    struct hook_answer given;
    hook_answer_failure(hook, LATE, &hooking->late);
    start_deadline(&hooking->late);
    answer_input(hook, &given);
    mask_alarm(SIG_BLOCK);
    (void)cli_write(STDOUT_FILENO, given.out);
    (void)cli_write(STDERR_FILENO, given.err);
    return cli_run_end(&hooking->gate, given.blocks ? CLI_FAILED : CLI_DONE);
}

/*
 * The agent types to judge, separated by commas, from the flag or the configuration. NULL: all of
 * them, also when memory runs out.
 */
static const char *take_agents(const struct cli_options *options, struct bt_arena *arena)
{
    const char *given = cli_given(options, &flag_agents);
    const size_t count = bt_config_count(options->config, "contract.agents");
    bt_str list = BT_STR("");
    if (given || count == 0) {
        return given;
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str name = bt_config_item(options->config, "contract.agents", i);
        if (bt_arena_printf(arena, &list, "%.*s%s%.*s", BT_STR_ARG(list), i > 0 ? "," : "",
                            BT_STR_ARG(name)) != BT_OK) {
            return NULL;
        }
    }
    return list.ptr;
}

/* What is read from transcripts. False after an error message. */
static bool take_transcripts(struct cli_hook_run *hooking, struct hook_transcripts *out)
{
    const struct cli_options *options = hooking->gate.options;
    *out = (struct hook_transcripts){
        .doc_paths = cli_evidence_doc_paths(options, &hooking->gate.arena),
        .keeps_slice = bt_config_bool(options->config, "evidence.keep"),
        .deadline_ms = hooking->began_ms + STORE_MS_MAX};
    return cli_hook_evidence_mode(options, &out->mode);
}

/* Answer the event with the configuration that was loaded. */
static int run_with(const struct hook_config *config, const struct agent_host *host)
{
    const struct cli_options *options = &config->options;
    struct cli_hook_run hooking = {
        .config = config, .host = host, .began_ms = bt_clock_monotonic_ms()};
    struct cli_run *gate = &hooking.gate;
    struct bt_gate_rules rules;
    struct bt_budget_rules budget;
    const bool ready = cli_run_begin(gate, options) && contract_run_begin(gate);
    if (!gate->contract) {
        return cli_run_end(gate, cli_misuse_code(options->command));
    }
    struct hook hook = {.host = host,
                        .observes = cli_given(options, &flag_observe) != NULL,
                        .fails_closed = cli_given(options, &flag_fail_closed) != NULL,
                        .exits = cli_given(options, &flag_exit2) != NULL,
                        .agents = take_agents(options, &gate->arena),
                        .max_rejections = bt_config_u64(options->config, "contract.max_rejections"),
                        .pending_seconds =
                            bt_config_seconds(options->config, "approvals.pending_ttl"),
                        .judging = gate->contract->flags.options,
                        .unusable = ready ? config->unusable : "the INPUT is unusable",
                        .pin_changed = config->pin_changed,
                        .input_text = gate->contract->flags.input_text,
                        .contract = gate->contract->checker,
                        .env = &gate->env,
                        .arena = &gate->arena,
                        .event = cli_given(options, &flag_event),
                        .calls = {.open = open_place,
                                  .note = note_ignored,
                                  .find_place = find_place,
                                  .context = &hooking}};
    hooking.hook = &hook;
    if (cli_given(options, &flag_gate) || bt_config_has_gate(options->config)) {
        hook.gate = &rules;
    }
    if (bt_gate_rules_read(&gate->arena, options->config, &rules) != BT_OK ||
        bt_budget_rules_read(&gate->arena, options->config, &budget) != BT_OK) {
        return cli_run_end(gate, cli_fail_status(BT_ENOMEM));
    }
    if (!contract_run_number(gate, &flag_max_rejections, &hook.max_rejections) ||
        !take_transcripts(&hooking, &hook.transcripts)) {
        return cli_run_end(gate, cli_misuse_code(options->command));
    }
    hook.transcripts.budget = bt_config_has_budget(options->config) ? &budget : NULL;
    return respond_to_hook(&hooking, &hook);
}

int cmd_hook(const struct cli_options *options)
{
    const struct agent_host *host = hook_host_find(options->operands[0]);
    struct hook_config config;
    struct bt_arena arena;
    struct bt_contract_options judging = {.runtime_agent_id = BT_STR("")};
    if (!cli_hook_flags_check(options, host) || !hook_pin_fits(options) ||
        !cli_contract_settings(options, &judging)) {
        return cli_misuse_code(options->command);
    }
    bt_arena_init(&arena, CONFIG_BYTES_MAX);
    hook_config_read(options, host, NULL, &arena, &config);
    const int code = run_with(&config, host);
    bt_arena_free(&arena);
    return code;
}
