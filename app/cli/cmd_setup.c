/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_setup.c - baton init, baton doctor, baton version */
#include "setup/init.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli.h"
#include "hook_config.h"
#include "output.h"
#include "run.h"
#include "setup/doctor.h"
#include "setup/version.h"
#include "suggest.h"
#include "terminal.h"

enum { OUTPUT_BYTES_MAX = 1 << 20, QUESTION_BYTES_MAX = 1 << 10, HOOK_FLAGS_MAX = 4 };

/* ---- baton init: hooks ----------------------------------------------------------------------- */

/* One run of init. */
struct cli_init {
    struct cli_run *run;
    struct setup_init state;
    struct hook_install hooks[SETUP_HOSTS_MAX]; /* by host, where one is to be installed */
    bool is_dry;
};

/* The flags of `hook install HOST --yes --store .baton/store.db` in the folder. */
static bool make_hook_flags(struct cli_init *init, struct cli_options *out)
{
    const char *folder = init->state.options.folder;
    const char *mode = cli_given(init->run->options, &flag_hook_mode);
    struct cli_given *given = BT_NEW_ARRAY(&init->run->arena, struct cli_given, HOOK_FLAGS_MAX);
    bt_str store;
    size_t count = 0;
    if (!given ||
        bt_arena_printf(&init->run->arena, &store, "%s/" SETUP_STORE_PATH, folder) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    given[count++] = (struct cli_given){&flag_dir, folder, 0};
    given[count++] = (struct cli_given){&flag_store, store.ptr, 0};
    given[count++] = (struct cli_given){&flag_hook_yes, NULL, 0};
    if (!mode || strcmp(mode, "observe") == 0) {
        given[count++] = (struct cli_given){&flag_observe, NULL, 0};
    } else if (strcmp(mode, "fail-closed") == 0) {
        given[count++] = (struct cli_given){&flag_fail_closed, NULL, 0};
    }
    *out = *init->run->options;
    out->command = cli_command_part(cli_command_part(&cli_baton, "hook"), "install");
    out->given = given;
    out->given_count = count;
    return true;
}

/*
 * Plan the hook of a host. One that is installed stays as it is unless a mode is given, so that a
 * second run changes nothing.
 */
static bool plan_hook(struct cli_init *init, size_t index)
{
    struct setup_init_host *host = &init->state.hosts[index];
    const char *file = host->host->project_file;
    struct cli_options options;
    if (host->mode && !cli_given(init->run->options, &flag_hook_mode)) {
        setup_init_add_file(&init->state, bt_str_of(file), SETUP_UNCHANGED);
        host->is_wanted = false;
        return true;
    }
    if (setup_init_check_target(&init->state, file, &init->run->error) != BT_OK) {
        return cli_refuse("%s", init->run->error.text);
    }
    if (!make_hook_flags(init, &options) ||
        !hook_install_plan(&options, host->host, &init->run->arena, &init->hooks[index])) {
        return false;
    }
    const struct hook_install *plan = &init->hooks[index];
    setup_init_add_file(&init->state, bt_str_of(file),
                        plan->is_same        ? SETUP_UNCHANGED
                        : plan->files.exists ? SETUP_UPDATED
                                             : SETUP_CREATED);
    return true;
}

static bool write_hook(struct cli_init *init, size_t index)
{
    struct setup_init_host *host = &init->state.hosts[index];
    if (!hook_install_write(&init->run->arena, &init->hooks[index])) {
        return false;
    }
    host->mode = hook_settings_mode(init->hooks[index].command);
    settings_note_program(init->hooks[index].files.arena, init->hooks[index].files.base,
                          HOOK_PROGRAM);
    return true;
}

/* ---- baton init: flags and questions --------------------------------------------------------- */

/* Mark the hosts that --hook names. False after an error message. */
static bool take_hosts(struct cli_init *init)
{
    const struct cli_options *options = init->run->options;
    const char *name = cli_given_at(options, &flag_hook_host, 0);
    for (size_t i = 1; name; i++) {
        const struct agent_host *host = hook_host_find(name);
        if (!host) {
            (void)hook_host_unknown(options->command, name);
            return false;
        }
        for (size_t j = 0; j < init->state.host_count; j++) {
            init->state.hosts[j].is_wanted |= init->state.hosts[j].host == host;
        }
        name = cli_given_at(options, &flag_hook_host, i);
    }
    return true;
}

/* Ask a question whose default is no. False after an error message: no answer came. */
static bool prompt_yes(const char *question, bool *out)
{
    switch (cli_prompt_yes(question)) {
    case CLI_ANSWER_YES:
        *out = true;
        return true;
    case CLI_ANSWER_NO:
        return true;
    case CLI_ANSWER_NONE:
        break;
    }
    return cli_refuse("nothing was written: the question was not answered");
}

static bool prompt_all(struct cli_init *init)
{
    const char *mode = cli_given(init->run->options, &flag_hook_mode);
    for (size_t i = 0; i < init->state.host_count; i++) {
        struct setup_init_host *host = &init->state.hosts[i];
        bt_str question;
        if (host->is_wanted || host->mode || host->found_count == 0) {
            continue;
        }
        if (bt_arena_printf(&init->run->arena, &question,
                            "Install the hook of %s in mode %s (found %s)?", host->host->name,
                            mode ? mode : "observe", host->found[0]) != BT_OK ||
            !prompt_yes(question.ptr, &host->is_wanted)) {
            return false;
        }
    }
    return init->state.options.wants_sample ||
           prompt_yes("Write a sample handoff to handoffs/?", &init->state.options.wants_sample);
}

/* ---- baton init: the run --------------------------------------------------------------------- */

static bool plan_all(struct cli_init *init)
{
    if (setup_init_plan(&init->state, &init->run->error) != BT_OK) {
        return cli_refuse_error(&init->run->error);
    }
    for (size_t i = 0; i < init->state.host_count; i++) {
        if (init->state.hosts[i].is_wanted && !plan_hook(init, i)) {
            return false;
        }
    }
    return true;
}

static bool write_all(struct cli_init *init)
{
    if (setup_init_write(&init->state, &init->run->error) != BT_OK) {
        return cli_refuse_error(&init->run->error);
    }
    for (size_t i = 0; i < init->state.host_count; i++) {
        if (init->state.hosts[i].is_wanted && !write_hook(init, i)) {
            return false;
        }
    }
    return true;
}

static int print_init(struct cli_init *init)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_wants_json(init->run->options)) {
        setup_init_put_json(&buf, &init->state, init->is_dry);
    } else {
        setup_init_put_text(&buf, &init->state, init->is_dry);
    }
    return cli_print_buf(&buf);
}

int cmd_init(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_init init = {.run = run, .is_dry = cli_given(options, &flag_init_dry_run) != NULL};
    const struct setup_init_options wanted = {
        .folder = options->operand_count > 0 ? options->operands[0] : ".",
        .wants_store = cli_given(options, &flag_make_store) != NULL,
        .wants_sample = cli_given(options, &flag_sample) != NULL,
        .force = cli_given(options, &flag_force) != NULL,
    };
    const enum bt_status status = setup_init_inspect(&init.state, &run->env, &run->arena, &wanted);
    if (status != BT_OK) {
        return status == BT_ENOENT ? cli_failed("%s is not a folder", wanted.folder)
                                   : cli_fail_status(status);
    }
    if (!take_hosts(&init) || (cli_can_prompt(options) && !init.is_dry && !prompt_all(&init)) ||
        !plan_all(&init) || (!init.is_dry && !write_all(&init)) ||
        !cli_is_ok(setup_init_count(&init.state))) {
        return CLI_FAILED;
    }
    return print_init(&init);
}

/* ---- baton doctor ---------------------------------------------------------------------------- */

int cmd_doctor(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct setup_doctor_options wanted = {
        .store = cli_given(options, &flag_store),
        .root = cli_given(options, &flag_store_root),
        .config = cli_given(options, &flag_config),
        .without_config = cli_given(options, &flag_no_config) != NULL,
        .terminal = {.is_terminal = isatty(STDOUT_FILENO) == 1,
                     .has_colour = cli_wants_colour(options),
                     .has_links = cli_wants_links(options)},
    };
    struct setup_report report;
    struct bt_buf buf;
    if (wanted.config && wanted.without_config) {
        return cli_usage_error(options->command, "--config and --no-config exclude each other");
    }
    const enum bt_status status = setup_doctor_run(&run->env, &run->arena, &wanted, &report);
    if (status != BT_OK) {
        return cli_fail_status(status);
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_wants_json(options)) {
        setup_doctor_put_json(&buf, &report);
    } else {
        setup_doctor_put_text(&buf, &report);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && report.totals[SETUP_FAIL] > 0 ? CLI_REJECTED : code;
}

/* ---- baton version --------------------------------------------------------------------------- */

int cmd_version(const struct cli_options *options)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_wants_json(options)) {
        setup_version_put_json(&buf);
    } else {
        bt_buf_printf(&buf, "baton %s\n", bt_version());
    }
    return cli_print_buf(&buf);
}
