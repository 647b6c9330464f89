/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_settings.c - load the settings of a host and their backup.
 *
 * The backup is written before the settings change, and deleted after they have their old bytes. So
 * if the program ends in between, the old text is in one of the two files.
 */
#include "wrap/host_settings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"

enum { HOST_BYTES_MAX = 8 << 20, BACKUP_BYTES_MAX = 32 << 20 };

#define BACKUP_FOLDER ".baton/wrap"

const struct wrap_host *wrap_host_of_run(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct wrap_host *host = wrap_host_find(options->operands[0]);
    if (!host) {
        (void)cli_refuse_usage(
            options, "unknown host %s; there are claude, codex, cursor, gemini and vscode",
            options->operands[0]);
    }
    return host;
}

static enum bt_status find_backup(const struct wrap_host_settings *settings, bt_str *out)
{
    return bt_arena_printf(settings->place.arena, out, "%.*s/" BACKUP_FOLDER "/%s.json",
                           BT_STR_ARG(settings->place.base), settings->host->name);
}

static bool load_backup(struct wrap_host_settings *settings)
{
    struct bt_arena *arena = settings->place.arena;
    bt_str path;
    bt_str text;
    settings->backup =
        (struct wrap_backup){.host = bt_str_of(settings->host->name), .path = settings->place.name};
    if (find_backup(settings, &path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!settings_read(arena, path, BACKUP_BYTES_MAX, &text, &settings->has_backup)) {
        return false;
    }
    if (!settings->has_backup) {
        return true;
    }
    const enum bt_status status = wrap_backup_read(arena, text, &settings->backup);
    if (status == BT_ENOMEM) {
        return cli_refuse_status(status);
    }
    return (status == BT_OK && bt_str_eq(settings->backup.host, bt_str_of(settings->host->name)) &&
            bt_str_eq(settings->backup.path, settings->place.name)) ||
           cli_refuse("%.*s is not a backup of these settings; nothing was changed",
                      BT_STR_ARG(path));
}

/* Check --scope and --dir. False after an error message. */
static bool scope_fits(struct cli_run *run, const struct wrap_host *host, bool is_user)
{
    const struct cli_options *options = run->options;
    const char *scope = cli_given(options, &flag_scope);
    if (scope && strcmp(scope, "local") == 0) {
        return cli_refuse_usage(options, "--scope is project or user here");
    }
    if (is_user && cli_given(options, &flag_dir)) {
        return cli_refuse_usage(options, "--dir is for the scope project");
    }
    return !is_user || host->user_file ||
           cli_refuse_usage(options,
                            "%s keeps no servers of a user in a file; use the scope project",
                            host->name);
}

bool wrap_host_settings_load(struct cli_run *run, const struct wrap_host *host,
                             struct wrap_host_settings *out)
{
    const char *scope = cli_given(run->options, &flag_scope);
    const bool is_user = scope && strcmp(scope, "user") == 0;
    struct bt_error error = {0};
    bt_str content;
    if (!scope_fits(run, host, is_user)) {
        return false;
    }
    *out = (struct wrap_host_settings){
        .host = host,
        .place = {.arena = &run->arena,
                  .is_user = is_user,
                  .name = bt_str_of(is_user ? host->user_file : host->project_file)}};
    if (!settings_find(run->options, &out->place) ||
        !settings_read(&run->arena, out->place.path, HOST_BYTES_MAX, &content, &out->exists) ||
        !load_backup(out)) {
        return false;
    }
    if (!out->exists) {
        out->text = (struct wrap_host_text){.host = host, .arena = &run->arena, .text = content};
        return true;
    }
    const enum bt_status status =
        wrap_host_text_read(&run->arena, host, content, &out->text, &error);
    return status == BT_OK || cli_refuse("cannot understand %.*s: %s; nothing was changed",
                                         BT_STR_ARG(out->place.name),
                                         error.text[0] ? error.text : bt_status_text(status));
}

bool wrap_host_settings_keep(const struct wrap_host_settings *settings)
{
    struct bt_arena *arena = settings->place.arena;
    struct bt_buf buf;
    bt_str path;
    bt_str name;
    bool is_kept = false;
    if (find_backup(settings, &path) != BT_OK ||
        bt_arena_printf(arena, &name, "%s.json", settings->host->name) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (settings->backup.count == 0) {
        if (unlink(path.ptr) != 0 && errno != ENOENT) {
            return cli_refuse("cannot remove %.*s: %s", BT_STR_ARG(path), strerror(errno));
        }
        settings_remove_folders(arena, settings->place.base, path);
        return true;
    }
    bt_buf_init(&buf, BACKUP_BYTES_MAX);
    wrap_backup_put(&buf, &settings->backup);
    if (buf.status != BT_OK) {
        cli_print_error("cannot keep the old settings: %s", bt_status_text(buf.status));
    } else {
        is_kept = settings->has_backup ? settings_replace(path, bt_buf_str(&buf))
                                       : settings_create_backup(settings->place.base, BACKUP_FOLDER,
                                                                name, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
    return is_kept;
}

bt_str wrap_host_flag(const struct wrap_host_server *server, const char *name)
{
    for (size_t i = 0; i < server->args.count; i++) {
        const bt_str word = server->args.items[i];
        if (bt_str_eq(word, BT_STR("--"))) {
            break;
        }
        if (bt_str_eq(word, bt_str_of(name))) {
            return i + 1 < server->args.count ? server->args.items[i + 1] : BT_STR("");
        }
        if (bt_str_starts_with(word, bt_str_of(name)) && word.ptr[strlen(name)] == '=') {
            return bt_str_slice(word, strlen(name) + 1, word.len);
        }
    }
    return BT_STR("");
}
