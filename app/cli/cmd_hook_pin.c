/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_hook_pin.c - baton hook pin HOST
 *
 * A person has reviewed a change of the pinned configuration, and approves it.
 */
#include <string.h>

#include "commands.h"
#include "hook/settings.h"
#include "hook_files.h"
#include "hook_flags.h"
#include "hook_pin.h"
#include "print.h"
#include "text_diff.h"

enum { RUN_BYTES_MAX = 1 << 30 };

static cli_run_fn run;

const struct cli_command cmd_hook_pin = {
    .name = "baton hook pin",
    .operands = "HOST",
    .summary = "agree to a change of the configuration that a hook is pinned to",
    .about = "A hook that was installed with --config uses that file only as long as it has the "
             "bytes that were pinned, and else the copy that was kept of them. Shows what changed "
             "in the configuration and then in the settings, and asks.\n",
    .missing = "name the host: " HOOK_HOST_NAMES,
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_dir, &flag_scope, &flag_hook_dry_run, &flag_hook_yes, &flag_help),
    .examples = CLI_EXAMPLES({"baton hook pin claude", "look at what changed, and agree"}),
    .run = run,
};

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
    bt_buf_init(&diff, RUN_BYTES_MAX);
    if (bt_arena_printf(files->arena, &names.before, "a/%.*s", BT_STR_ARG(pinned->path)) != BT_OK ||
        bt_arena_printf(files->arena, &names.after, "b/%.*s", BT_STR_ARG(pinned->path)) != BT_OK ||
        cli_put_named_diff(&diff, files->arena, names, before, now->text) != BT_OK) {
        bt_buf_free(&diff);
        cli_print_error("cannot show the change");
        return CLI_FAILED;
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
    const enum bt_status status = bt_buf_copy(&buf, files->arena, out);
    bt_buf_free(&buf);
    return status;
}

/* Find the pin of the installed hook. False after an error message. */
static bool find_pin(const struct hook_files *files, struct hook_pinned *out)
{
    struct bt_error error = {0};
    bt_str command = BT_STR("");
    if (files->exists &&
        hook_settings_find(files->arena, files->content, files->host, &command, &error) != BT_OK) {
        cli_print_error("cannot understand %.*s: %s", BT_STR_ARG(files->name), error.text);
        return false;
    }
    if (hook_pin_find(files, command, out) != BT_OK) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return false;
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
    if (!find_pin(files, &pinned) || !hook_pin_make(files, pinned.file.ptr, &now)) {
        return CLI_FAILED;
    }
    if (bt_str_eq(pinned.digest, bt_str_of(now.digest))) {
        return hook_pin_keep(files->arena, &now) ? CLI_DONE : CLI_FAILED;
    }
    if (show_config(files, &pinned, &now) != CLI_DONE ||
        replace_digest(files, pinned.digest, now.digest, &after) != BT_OK) {
        return CLI_FAILED;
    }
    const int code = hook_files_show(options, files, after, &go);
    if (go && (!hook_pin_keep(files->arena, &now) || !hook_files_install(files, after))) {
        return CLI_FAILED;
    }
    return code;
}

static int run(const struct cli_options *options)
{
    const struct agent_host *host = hook_host_find(options->operands[0]);
    struct hook_files files;
    struct bt_arena arena;
    if (!host) {
        return hook_host_unknown(options->command, options->operands[0]);
    }
    bt_arena_init(&arena, RUN_BYTES_MAX);
    const int code =
        hook_files_load(options, host, &arena, &files) ? pin_hook(options, &files) : CLI_FAILED;
    bt_arena_free(&arena);
    return code;
}
