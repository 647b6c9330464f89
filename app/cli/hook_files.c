/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_files.c - the settings file of an agent host and its backup; pinned configurations.
 *
 * The backup is written before the settings, and deleted after them. So if the program ends in
 * between, either the backup has the old bytes, or the settings still have them.
 */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "hook_files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

#include "base/file.h"
#include "base/path.h"
#include "hook/program.h"
#include "hook/protected.h"
#include "hook/settings.h"
#include "output.h"
#include "terminal.h"
#include "text_diff.h"

enum {
    SETTINGS_BYTES_MAX = 4 << 20,
    BACKUP_BYTES_MAX = 8 << 20,
    PIN_BYTES_MAX = 1 << 20,
    FOLDERS_MAX = 8,
    PIN_FOLDER_MODE = 0700,
    DIFF_BYTES_MAX = 1 << 30
};

#define BACKUP_FOLDER ".baton/hooks"

/* ---- Settings of any host -------------------------------------------------------------------- */

static bool find_base(const struct cli_options *options, struct settings_place *place)
{
    const char *dir = cli_given(options, &flag_dir);
    const char *home = getenv("HOME");
    char real[PATH_MAX];
    if (place->is_user && (!home || home[0] != '/')) {
        return cli_refuse("the home folder is not known: HOME is not set");
    }
    const char *base = place->is_user ? home : dir ? dir : ".";
    if (!realpath(base, real) || bt_file_kind_of(bt_str_of(real)) != BT_FILE_DIRECTORY) {
        return cli_refuse("%s is not a folder", base);
    }
    place->base = bt_str_of(strcmp(real, "/") == 0 ? "" : real);
    return bt_arena_copy(place->arena, place->base, &place->base) == BT_OK;
}

/* Resolve links in the part of the path that exists; the rest has none. */
static bool resolve_path(struct settings_place *place)
{
    char real[PATH_MAX];
    struct stat about;
    bt_str inside;
    if (bt_arena_printf(place->arena, &place->path, "%.*s/%.*s", BT_STR_ARG(place->base),
                        BT_STR_ARG(place->name)) != BT_OK ||
        bt_arena_printf(place->arena, &inside, "%.*s/", BT_STR_ARG(place->base)) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    bt_str known = place->path;
    while (!realpath(known.ptr, real)) {
        size_t end = known.len;
        while (end > place->base.len && known.ptr[end - 1] != '/') {
            end--;
        }
        /* A path that exists but cannot be resolved is a dangling link or is not accessible. */
        if (errno != ENOENT || lstat(known.ptr, &about) == 0 || end <= place->base.len ||
            bt_arena_copy(place->arena, bt_str_slice(known, 0, end - 1), &known) != BT_OK) {
            return cli_refuse("%.*s leads nowhere; nothing was changed", BT_STR_ARG(place->name));
        }
    }
    const bt_str rest = bt_str_slice(place->path, known.len, place->path.len);
    if (bt_arena_printf(place->arena, &place->path, "%s%.*s", real, BT_STR_ARG(rest)) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!place->is_user && !bt_str_starts_with(place->path, inside)) {
        return cli_refuse("%.*s leads out of the project, to %.*s; nothing was changed",
                          BT_STR_ARG(place->name), BT_STR_ARG(place->path));
    }
    return true;
}

bool settings_find(const struct cli_options *options, struct settings_place *place)
{
    return find_base(options, place) && resolve_path(place);
}

enum bt_status settings_absolute_path(struct bt_arena *arena, bt_str path, bt_str *out)
{
    char here[PATH_MAX];
    bt_str whole = path;
    if (!bt_str_starts_with(path, BT_STR("/"))) {
        if (!getcwd(here, sizeof(here))) {
            return BT_EIO;
        }
        BT_TRY(bt_arena_printf(arena, &whole, "%s/%.*s", here, BT_STR_ARG(path)));
    }
    return bt_path_resolve(arena, whole, out);
}

/* ---- Reading and writing --------------------------------------------------------------------- */

bool settings_read(struct bt_arena *arena, bt_str path, uint64_t bytes_max, bt_str *out,
                   bool *out_exists)
{
    struct bt_error error;
    const enum bt_status status = bt_file_read(arena, path, bytes_max, out, &error);
    *out_exists = status == BT_OK;
    if (status == BT_ENOENT) {
        *out = BT_STR("");
        return true;
    }
    if (status != BT_OK) {
        cli_print_error("cannot read %.*s: %s", BT_STR_ARG(path), error.text);
    } else if (out->len > bytes_max) {
        return cli_refuse("%.*s is too large to be settings", BT_STR_ARG(path));
    }
    return status == BT_OK;
}

bool settings_replace(bt_str path, bt_str content)
{
    struct bt_error error;
    return bt_file_replace(path, content, &error) == BT_OK ||
           cli_refuse("cannot write %.*s: %s", BT_STR_ARG(path), error.text);
}

bool settings_create_backup(bt_str base, const char *folder, bt_str name, bt_str text)
{
    struct bt_dir *root = NULL;
    struct bt_dir *there = NULL;
    struct bt_error error;
    enum bt_status status = bt_dir_open(base.len > 0 ? base : BT_STR("/"), &root, &error);
    if (status == BT_OK) {
        status = bt_dir_open_subdir(root, bt_str_of(folder), true, &there, &error);
    }
    if (status == BT_OK) {
        status = bt_dir_create_file(there, name, text, &error);
    }
    bt_dir_close(there);
    bt_dir_close(root);
    return status == BT_OK ||
           cli_refuse("cannot keep the old settings in %s: %s", folder, error.text);
}

void settings_remove_folders(struct bt_arena *arena, bt_str base, bt_str path)
{
    for (size_t i = 0; i < FOLDERS_MAX; i++) {
        size_t end = path.len;
        while (end > 0 && path.ptr[end - 1] != '/') {
            end--;
        }
        bt_str folder;
        if (end <= base.len + 1 ||
            bt_arena_copy(arena, bt_str_slice(path, 0, end - 1), &folder) != BT_OK ||
            rmdir(folder.ptr) != 0) {
            return;
        }
        path = folder;
    }
}

/* ---- Showing and asking ---------------------------------------------------------------------- */

enum bt_status settings_put_change(struct bt_buf *diff, struct bt_arena *arena, bt_str name,
                                   bt_str before, bt_str after)
{
    struct cli_diff_names names;
    if (bt_str_eq(before, after)) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(arena, &names.before, "a/%.*s", BT_STR_ARG(name)));
    BT_TRY(bt_arena_printf(arena, &names.after, "b/%.*s", BT_STR_ARG(name)));
    return cli_put_named_diff(diff, arena, names, before, after);
}

int settings_confirm(const struct cli_options *options, struct bt_buf *diff, bool *out_go)
{
    const int code = cli_print_buf(diff);
    *out_go = false;
    if (code != CLI_DONE || cli_given(options, &flag_hook_dry_run)) {
        return code;
    }
    if (cli_given(options, &flag_hook_yes)) {
        *out_go = true;
        return CLI_DONE;
    }
    if (!cli_can_prompt(options)) {
        return cli_failed("nothing was written: standard input is not a terminal; give --yes");
    }
    *out_go = cli_prompt_line("Write this?");
    if (!*out_go) {
        cli_print_error("nothing was written");
    }
    return *out_go ? CLI_DONE : CLI_FAILED;
}

/* ---- What a host will run -------------------------------------------------------------------- */

bool settings_store_has_secret(const struct cli_options *options)
{
    const char *store = cli_given(options, &flag_store);
    struct bt_buf masked;
    bt_buf_init(&masked, (size_t)64 << 10);
    if (store) {
        bt_buf_put_masked(&masked, bt_str_of(store));
    }
    const bool has_secret =
        store && (masked.status != BT_OK || !bt_str_eq(bt_buf_str(&masked), bt_str_of(store)));
    bt_buf_free(&masked);
    return has_secret;
}

void settings_note_program(struct bt_arena *arena, bt_str base, const char *name)
{
    struct hook_program program;
    if (hook_program_find(arena, bt_str_of(name), base, &program) != BT_OK) {
        return;
    }
    if (program.path.len == 0) {
        cli_print_error("note: \"%s\" is not on PATH: the host cannot run it; add %.*s to PATH",
                        name, BT_STR_ARG(program.folder));
    } else if (!program.is_same) {
        cli_print_error("note: \"%s\" on PATH is %.*s, and not this program, %.*s: the host runs "
                        "that one",
                        name, BT_STR_ARG(program.path), BT_STR_ARG(program.own));
    }
}

/* ---- Paths of flags -------------------------------------------------------------------------- */

/* Set *out to the path below `folder`; false when it is not below it. */
static bool is_below(bt_str path, bt_str folder, bt_str *out)
{
    if (!bt_str_starts_with(path, folder) ||
        (path.len > folder.len && path.ptr[folder.len] != '/')) {
        return false;
    }
    *out = path.len > folder.len + 1 ? bt_str_slice(path, folder.len + 1, path.len) : BT_STR(".");
    return true;
}

bool hook_files_shared_path(const struct cli_options *options, const struct hook_files *files,
                            const char *given, bt_str *out)
{
    const char *dir = cli_given(options, &flag_dir);
    const bt_str scheme = BT_STR("sqlite:");
    const bt_str all = bt_str_of(given);
    const bool has_scheme = bt_str_starts_with(all, scheme);
    const bt_str path = bt_str_slice(all, has_scheme ? scheme.len : 0, all.len);
    bt_str folder;
    bt_str whole;
    bt_str below;
    *out = all;
    if (files->is_user || files->is_local || bt_str_starts_with(*out, BT_STR("postgres"))) {
        return true;
    }
    if (settings_absolute_path(files->arena, path, &whole) != BT_OK ||
        settings_absolute_path(files->arena, bt_str_of(dir ? dir : "."), &folder) != BT_OK) {
        return cli_refuse("cannot write down %s: the current folder is not known", given);
    }
    if (!is_below(whole, files->base, &below) && !is_below(whole, folder, &below)) {
        (void)cli_usage_error(options->command,
                              "%s is not below the project: others who share these settings do "
                              "not have it; use --scope user%s",
                              given, files->host->local_file ? " or --scope local" : "");
        return false;
    }
    return cli_is_ok(bt_arena_printf(files->arena, out, "%s%.*s", has_scheme ? "sqlite:" : "",
                                     BT_STR_ARG(below)));
}

/* ---- Reading --------------------------------------------------------------------------------- */

static enum bt_status backup_path(const struct hook_files *files, bt_str *out)
{
    return bt_arena_printf(files->arena, out, "%.*s/" BACKUP_FOLDER "/%s%s.json",
                           BT_STR_ARG(files->base), files->host->name,
                           files->is_local ? "-local" : "");
}

static bool load_backup(struct hook_files *files)
{
    char digest[BT_SHA256_HEX_BYTES];
    bt_str path;
    bt_str text;
    if (backup_path(files, &path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!settings_read(files->arena, path, BACKUP_BYTES_MAX, &text, &files->has_backup)) {
        return false;
    }
    if (!files->has_backup) {
        return true;
    }
    if (hook_backup_read(files->arena, text, &files->backup) != BT_OK ||
        !bt_str_eq(files->backup.host, bt_str_of(files->host->name)) ||
        !bt_str_eq(files->backup.path, files->name)) {
        return cli_refuse("%.*s is not a backup of these settings; nothing was changed",
                          BT_STR_ARG(path));
    }
    if (bt_sha256_hex(files->content, digest) != BT_OK) {
        return cli_refuse("cannot compare the settings with their backup");
    }
    files->is_modified =
        !files->exists || !bt_str_eq(bt_str_of(digest), files->backup.sha256_after);
    return true;
}

bool hook_files_load(const struct cli_options *options, const struct agent_host *host,
                     struct bt_arena *arena, struct hook_files *out)
{
    const char *scope = cli_given(options, &flag_scope);
    const bool is_user = scope && strcmp(scope, "user") == 0;
    const bool is_local = scope && strcmp(scope, "local") == 0;
    *out =
        (struct hook_files){.host = host, .arena = arena, .is_user = is_user, .is_local = is_local};
    if (is_local && !host->local_file) {
        return cli_refuse_usage(options, "--scope local is for claude; %s has no local settings",
                                host->name);
    }
    if (is_user && cli_given(options, &flag_dir)) {
        return cli_refuse_usage(options, "--dir is for the scopes project and local");
    }
    out->name = bt_str_of(is_user    ? host->user_file
                          : is_local ? host->local_file
                                     : host->project_file);
    struct settings_place place = {.arena = arena, .is_user = is_user, .name = out->name};
    if (!settings_find(options, &place)) {
        return false;
    }
    out->base = place.base;
    out->path = place.path;
    return settings_read(arena, out->path, SETTINGS_BYTES_MAX, &out->content, &out->exists) &&
           load_backup(out);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Make the directories of the settings file. */
static bool make_folders(const struct hook_files *files)
{
    for (size_t at = bt_str_find_byte(files->path, '/', 1); at < files->path.len;
         at = bt_str_find_byte(files->path, '/', at + 1)) {
        bt_str folder;
        if (bt_arena_copy(files->arena, bt_str_slice(files->path, 0, at), &folder) != BT_OK ||
            (mkdir(folder.ptr, 0777) != 0 && errno != EEXIST && errno != EROFS &&
             errno != EACCES)) {
            return cli_refuse("cannot make the folders of %.*s: %s", BT_STR_ARG(files->path),
                              strerror(errno));
        }
    }
    return true;
}

/*
 * Back up the settings or, if there is a backup, set the digest of the new content. Settings that
 * another program has changed keep the old digest, so that restoring does not lose those changes.
 */
static bool save_backup(const struct hook_files *files, bt_str content)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_buf buf;
    bt_str path;
    bt_str name;
    bool is_saved = false;
    struct hook_backup backup = {.host = bt_str_of(files->host->name),
                                 .path = files->name,
                                 .existed = files->exists,
                                 .bytes = files->content};
    if (files->has_backup && files->is_modified) {
        return true;
    }
    if (backup_path(files, &path) != BT_OK || bt_sha256_hex(content, digest) != BT_OK ||
        bt_arena_printf(files->arena, &name, "%s%s.json", files->host->name,
                        files->is_local ? "-local" : "") != BT_OK) {
        return cli_refuse("cannot keep the old settings");
    }
    backup = files->has_backup ? files->backup : backup;
    backup.skill_sha256 = files->new_skill.len > 0 ? files->new_skill : backup.skill_sha256;
    backup.sha256_after = bt_str_of(digest);
    bt_buf_init(&buf, BACKUP_BYTES_MAX);
    hook_backup_put(&buf, &backup);
    if (buf.status != BT_OK) {
        cli_print_error("cannot keep the old settings: %s", bt_status_text(buf.status));
    } else {
        is_saved = files->has_backup
                       ? settings_replace(path, bt_buf_str(&buf))
                       : settings_create_backup(files->base, BACKUP_FOLDER, name, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
    return is_saved;
}

bool hook_files_install(const struct hook_files *files, bt_str content)
{
    return save_backup(files, content) && make_folders(files) &&
           settings_replace(files->path, content);
}

bool hook_files_restore(const struct hook_files *files, const bt_str *content)
{
    bt_str path;
    if (backup_path(files, &path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (content || files->backup.existed) {
        if (!settings_replace(files->path, content ? *content : files->backup.bytes)) {
            return false;
        }
    } else if (unlink(files->path.ptr) != 0 && errno != ENOENT) {
        return cli_refuse("cannot remove %.*s: %s", BT_STR_ARG(files->path), strerror(errno));
    } else {
        settings_remove_folders(files->arena, files->base, files->path);
    }
    if (unlink(path.ptr) != 0) {
        return cli_refuse("cannot remove %.*s: %s", BT_STR_ARG(path), strerror(errno));
    }
    settings_remove_folders(files->arena, files->base, path);
    return true;
}

/* ---- The skill ------------------------------------------------------------------------------- */

static enum bt_status skill_path(const struct hook_files *files, const struct hook_skill *skill,
                                 bt_str *out)
{
    return bt_arena_printf(files->arena, out, "%.*s/%.*s", BT_STR_ARG(files->base),
                           BT_STR_ARG(skill->name));
}

bool hook_skill_load(const struct hook_files *files, struct hook_skill *out)
{
    bt_str path;
    *out = (struct hook_skill){.name = BT_STR(""), .content = BT_STR("")};
    if (bt_arena_printf(files->arena, &out->name, "%s/" HOOK_SKILL_NAME "/SKILL.md",
                        files->is_user ? files->host->user_skills : files->host->skills) != BT_OK ||
        skill_path(files, out, &path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!settings_read(files->arena, path, SETTINGS_BYTES_MAX, &out->content, &out->exists)) {
        return false;
    }
    out->after = out->content;
    return true;
}

bool hook_skill_write(const struct hook_files *files, const struct hook_skill *skill)
{
    struct hook_files there = *files;
    if (bt_str_eq(skill->after, skill->content)) {
        return true;
    }
    if (skill_path(files, skill, &there.path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (skill->after.len > 0) {
        return make_folders(&there) && settings_replace(there.path, skill->after);
    }
    if (unlink(there.path.ptr) != 0 && errno != ENOENT) {
        return cli_refuse("cannot remove %.*s: %s", BT_STR_ARG(there.path), strerror(errno));
    }
    settings_remove_folders(files->arena, files->base, there.path);
    return true;
}

/* ---- Questions ------------------------------------------------------------------------------- */

int hook_files_show(const struct cli_options *options, const struct hook_files *files, bt_str after,
                    const struct hook_skill *skill, bool *out_go)
{
    struct bt_buf diff;
    *out_go = false;
    bt_buf_init(&diff, DIFF_BYTES_MAX);
    enum bt_status status =
        settings_put_change(&diff, files->arena, files->name, files->content, after);
    if (status == BT_OK && skill) {
        status =
            settings_put_change(&diff, files->arena, skill->name, skill->content, skill->after);
    }
    if (status != BT_OK) {
        bt_buf_free(&diff);
        return cli_failed("cannot show the change");
    }
    return settings_confirm(options, &diff, out_go);
}

/* ---- Pins ----------------------------------------------------------------------------------- */

/* Check that the text is a configuration. False after an error message. */
static bool is_config(struct bt_arena *arena, const char *path, bt_str text)
{
    const struct bt_config_source source = {
        .path = bt_str_of(path), .text = text, .store = BT_STR(""), .kind = BT_CONFIG_FILE};
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_config *config = NULL;
    if (!findings || bt_config_read(arena, &source, findings, &config) != BT_OK ||
        bt_findings_finish(findings, text) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; !config && i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            cli_print_error("%s:%u: %.*s %.*s", path, finding->position.line,
                            BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
        }
    }
    return config != NULL;
}

static bool read_file(struct bt_arena *arena, const char *path, struct hook_pin *out)
{
    struct bt_error error;
    if (bt_file_read(arena, bt_str_of(path), PIN_BYTES_MAX, &out->text, &error) != BT_OK) {
        return cli_refuse("cannot read the configuration %s: %s", path, error.text);
    }
    return is_config(arena, path, out->text) && bt_sha256_hex(out->text, out->digest) == BT_OK;
}

bool hook_pin_make(const struct cli_options *options, const struct hook_files *files,
                   const char *given, struct hook_pin *out)
{
    return hook_files_shared_path(options, files, given, &out->path) &&
           read_file(files->arena, given, out);
}

/* ---- The copy -------------------------------------------------------------------------------- */

static enum bt_status copy_path(struct bt_arena *arena, const char *digest, bt_str *out)
{
    bt_str name;
    BT_TRY(bt_arena_printf(arena, &name, "pins/%s.yaml", digest));
    return config_user_path(arena, name.ptr, out);
}

bool hook_pin_copy(struct bt_arena *arena, const char *digest, bt_str *out)
{
    char hex[BT_SHA256_HEX_BYTES];
    bt_str path;
    return copy_path(arena, digest, &path) == BT_OK && path.len > 0 &&
           bt_file_read(arena, path, PIN_BYTES_MAX, out, NULL) == BT_OK &&
           bt_sha256_hex(*out, hex) == BT_OK && strcmp(hex, digest) == 0;
}

/* Make the directories of a path, accessible only by this user. */
static bool make_pin_folders(struct bt_arena *arena, bt_str path)
{
    for (size_t at = bt_str_find_byte(path, '/', 1); at < path.len;
         at = bt_str_find_byte(path, '/', at + 1)) {
        bt_str folder;
        if (bt_arena_copy(arena, bt_str_slice(path, 0, at), &folder) != BT_OK ||
            (mkdir(folder.ptr, PIN_FOLDER_MODE) != 0 && errno != EEXIST && errno != EROFS &&
             errno != EACCES)) {
            return false;
        }
    }
    return true;
}

bool hook_pin_keep(struct bt_arena *arena, const struct hook_pin *pin)
{
    struct bt_dir *folder = NULL;
    struct bt_error error = {0};
    bt_str path;
    bt_str kept;
    if (hook_pin_copy(arena, pin->digest, &kept)) {
        return true;
    }
    if (copy_path(arena, pin->digest, &path) != BT_OK || path.len == 0) {
        return cli_refuse("cannot keep a copy of %.*s: no home folder is known",
                          BT_STR_ARG(pin->path));
    }
    const size_t name = path.len - (sizeof(pin->digest) - 1) - sizeof(".yaml") + 1;
    bool is_kept = make_pin_folders(arena, path);
    is_kept = is_kept && (unlink(path.ptr) == 0 || errno == ENOENT); /* it has other bytes */
    is_kept =
        is_kept && bt_dir_open(bt_str_slice(path, 0, name - 1), &folder, &error) == BT_OK &&
        bt_dir_create_file(folder, bt_str_slice(path, name, path.len), pin->text, &error) == BT_OK;
    bt_dir_close(folder);
    if (!is_kept) {
        cli_print_error("cannot keep a copy of %.*s as %.*s: %s", BT_STR_ARG(pin->path),
                        BT_STR_ARG(path), error.text[0] ? error.text : strerror(errno));
    }
    return is_kept;
}

/* ---- Installed hooks ------------------------------------------------------------------------- */

static const char *state_of(struct bt_arena *arena, const struct hook_pinned *pinned)
{
    char hex[BT_SHA256_HEX_BYTES];
    bt_str text;
    const bool is_there = bt_file_read(arena, pinned->file, PIN_BYTES_MAX, &text, NULL) == BT_OK;
    if (is_there && bt_sha256_hex(text, hex) == BT_OK &&
        bt_str_eq(bt_str_of(hex), pinned->digest)) {
        return "same";
    }
    return hook_pin_copy(arena, pinned->digest.ptr, &text) ? "copy"
           : is_there                                      ? "changed"
                                                           : "missing";
}

enum bt_status hook_pin_find(const struct hook_files *files, bt_str command,
                             struct hook_pinned *out)
{
    const char **words = NULL;
    size_t count = 0;
    *out = (struct hook_pinned){BT_STR(""), BT_STR(""), BT_STR(""), NULL};
    BT_TRY(hook_words(files->arena, command, &words, &count));
    for (size_t i = 0; i + 1 < count; i++) {
        if (strcmp(words[i], "--config") == 0) {
            out->path = bt_str_of(words[i + 1]);
        } else if (strcmp(words[i], "--config-sha256") == 0) {
            out->digest = bt_str_of(words[i + 1]);
        }
    }
    if (out->path.len == 0 || out->digest.len == 0) {
        *out = (struct hook_pinned){BT_STR(""), BT_STR(""), BT_STR(""), NULL};
        return BT_OK;
    }
    const bool is_below = out->path.ptr[0] != '/' && !files->is_user;
    BT_TRY(bt_arena_printf(files->arena, &out->file, "%.*s%s%.*s",
                           BT_STR_ARG(is_below ? files->base : BT_STR("")), is_below ? "/" : "",
                           BT_STR_ARG(out->path)));
    out->state = state_of(files->arena, out);
    return BT_OK;
}
