/* SPDX-License-Identifier: Apache-2.0 */
/* hook_pin.c - a configuration that is pinned for a hook. */
#include "hook_files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "output.h"

enum { FILE_BYTES_MAX = 1 << 20, FOLDER_MODE = 0700 };

/* ---- The file -------------------------------------------------------------------------------- */

/* Check that the text is a configuration. False after an error message. */
static bool is_config(struct bt_arena *arena, const char *path, bt_str text)
{
    const struct bt_config_source source = {bt_str_of(path), text, BT_STR(""), BT_CONFIG_FILE};
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
    if (bt_file_read(arena, bt_str_of(path), FILE_BYTES_MAX, &out->text, &error) != BT_OK) {
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
           bt_file_read(arena, path, FILE_BYTES_MAX, out, NULL) == BT_OK &&
           bt_sha256_hex(*out, hex) == BT_OK && strcmp(hex, digest) == 0;
}

/* Make the directories of a path, accessible only by this user. */
static bool make_folders(struct bt_arena *arena, bt_str path)
{
    for (size_t at = bt_str_find_byte(path, '/', 1); at < path.len;
         at = bt_str_find_byte(path, '/', at + 1)) {
        bt_str folder;
        if (bt_arena_copy(arena, bt_str_slice(path, 0, at), &folder) != BT_OK ||
            (mkdir(folder.ptr, FOLDER_MODE) != 0 && errno != EEXIST && errno != EROFS &&
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
    bool is_kept = make_folders(arena, path);
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
    const bool is_there = bt_file_read(arena, pinned->file, FILE_BYTES_MAX, &text, NULL) == BT_OK;
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
