/* SPDX-License-Identifier: Apache-2.0 */
/* hook_flags.c - check the flags of a hook, and write them as a command line. */
#include "hook_flags.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "contract_flags.h"
#include "hook_pin.h"
#include "ledger_run.h"
#include "print.h"
#include "suggest.h"

enum { COMMAND_BYTES_MAX = 1 << 17 };

/* clang-format off */
const struct cli_flag flag_observe = {"observe", 0, NULL, CLI_ANY,
    "judge and record, change nothing, and always let the turn end", NULL};
const struct cli_flag flag_fail_closed = {"fail-closed", 0, NULL, CLI_ANY,
    "send the turn back when it could not be judged", NULL};
const struct cli_flag flag_exit2 = {"exit2", 0, NULL, CLI_ANY,
    "claude, gemini: send back with exit 2 and the prompt on standard error", NULL};
const struct cli_flag flag_agents = {"agents", 0, "LIST", CLI_ANY,
    "only agents of these types, with commas", NULL};
/* clang-format on */

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* The words allowed in place of an agent host: the hosts, and then the sub-commands. */
static bt_str allowed_at(const struct cli_command *command, size_t index)
{
    size_t hosts = 0;
    while (hook_host_at(hosts)) {
        hosts++;
    }
    if (index < hosts) {
        return bt_str_of(hook_host_at(index)->name);
    }
    for (size_t i = 0; command->parts && command->parts[i]; i++) {
        if (i == index - hosts) {
            return bt_str_of(cli_command_word(command->parts[i]));
        }
    }
    return BT_STR("");
}

/* The word that was probably meant, or "": a near one, or one with the same beginning. */
static bt_str meant_by(const struct cli_command *command, bt_str word)
{
    struct cli_suggestion guess = cli_guess_for(word);
    bt_str longer = BT_STR("");
    for (size_t i = 0; allowed_at(command, i).len > 0; i++) {
        const bt_str allowed = allowed_at(command, i);
        cli_guess_try(&guess, allowed);
        longer = longer.len == 0 && word.len >= 3 && bt_str_starts_with(allowed, word) ? allowed
                                                                                       : longer;
    }
    return guess.best.len > 0 ? guess.best : longer;
}

int hook_host_unknown(const struct cli_command *command, const char *word)
{
    const bt_str meant = meant_by(command, bt_str_of(word));
    struct bt_buf allowed;
    bt_buf_init(&allowed, COMMAND_BYTES_MAX);
    for (size_t i = 0; allowed_at(command, i).len > 0; i++) {
        bt_buf_put_text(&allowed, i > 0 ? ", " : "");
        bt_buf_put(&allowed, allowed_at(command, i));
    }
    cli_print_error("unknown host %s%s%.*s%s", word, meant.len > 0 ? ", did you mean " : "",
                    BT_STR_ARG(meant), meant.len > 0 ? "?" : "");
    cli_print_hint("allowed: %.*s", BT_STR_ARG(bt_buf_str(&allowed)));
    cli_print_hint("see %s --help", command->name);
    bt_buf_free(&allowed);
    return cli_misuse_code(command);
}

bool cli_hook_flags_check(const struct cli_options *options, const struct agent_host *host)
{
    const char *why = NULL;
    if (!host) {
        (void)hook_host_unknown(options->command, options->operands[0]);
        return false;
    }
    if (cli_given(options, &flag_observe) && cli_given(options, &flag_fail_closed)) {
        why = "--observe and --fail-closed exclude each other";
    } else if (cli_given(options, &flag_exit2) && !host->traits.uses_exit_code) {
        why = "--exit2 is for claude and gemini";
    }
    if (why) {
        (void)cli_usage_error(options->command, "%s", why);
    }
    return why == NULL;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Put a word quoted for a shell. */
static void put_word(struct bt_buf *buf, bt_str word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:@%+=,";
    bool is_plain = word.len > 0;
    for (size_t i = 0; i < word.len; i++) {
        is_plain = is_plain && strchr(plain, word.ptr[i]) != NULL;
    }
    bt_buf_put_char(buf, ' ');
    if (is_plain) {
        bt_buf_put(buf, word);
        return;
    }
    bt_buf_put_char(buf, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'') {
            bt_buf_put_text(buf, "'\\''");
        } else {
            bt_buf_put_char(buf, word.ptr[i]);
        }
    }
    bt_buf_put_char(buf, '\'');
}

/* Make a path absolute. A store may be a URL, which is unchanged. */
static enum bt_status make_absolute(struct bt_arena *arena, bt_str given, bt_str *out)
{
    char here[PATH_MAX];
    const bt_str scheme = BT_STR("sqlite:");
    const bool has_scheme = bt_str_starts_with(given, scheme);
    bt_str path = has_scheme ? bt_str_slice(given, scheme.len, given.len) : given;
    *out = given;
    if (bt_str_starts_with(given, BT_STR("postgres")) || bt_str_starts_with(path, BT_STR("/"))) {
        return BT_OK;
    }
    if (!getcwd(here, sizeof(here))) {
        return BT_EIO;
    }
    while (bt_str_starts_with(path, BT_STR("./"))) {
        path = bt_str_slice(path, 2, path.len);
    }
    return bt_arena_printf(arena, out, "%s%s%s%.*s", has_scheme ? "sqlite:" : "",
                           strcmp(here, "/") == 0 ? "" : here, "/", BT_STR_ARG(path));
}

enum bt_status cli_hook_command_line(const struct cli_options *options,
                                     const struct agent_host *host, const struct hook_pin *pin,
                                     struct bt_arena *arena, bt_str *out)
{
    static const struct {
        const struct cli_flag *flag;
        bool is_path;
    } rows[] = {{&flag_observe, false},   {&flag_fail_closed, false},   {&flag_store, true},
                {&flag_workspace, false}, {&flag_agents, false},        {&flag_input, true},
                {&flag_exit2, false},     {&flag_max_rejections, false}};
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, COMMAND_BYTES_MAX);
    bt_buf_printf(&buf, "baton hook %s", host->name);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && status == BT_OK; i++) {
        const char *given = cli_given(options, rows[i].flag);
        bt_str value = bt_str_of(given);
        if (!given) {
            continue;
        }
        bt_buf_printf(&buf, " --%s", rows[i].flag->name);
        status = rows[i].is_path ? make_absolute(arena, value, &value) : BT_OK;
        if (rows[i].flag->argument) {
            put_word(&buf, value);
        }
    }
    if (pin) {
        bt_buf_put_text(&buf, " --config");
        put_word(&buf, pin->path);
        bt_buf_printf(&buf, " --config-sha256 %s", pin->digest);
    }
    status = status == BT_OK ? bt_buf_copy(&buf, arena, out) : status;
    bt_buf_free(&buf);
    return status;
}
