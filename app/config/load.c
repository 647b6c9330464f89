/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - load the configuration of a command from all files that apply to it. */
#include "config/load.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "report/report.h"

enum { FILE_BYTES_MAX = 1 << 20, ROOT_UID = 0 };

struct config_load_state {
    struct bt_arena *arena;
    const struct config_load_options *options;
    struct config_load_loaded *out;
    struct config_find_project project;
    struct bt_error *error;
};

bt_str config_kind_name(enum bt_config_kind kind)
{
    static const bt_str names[BT_CONFIG_KINDS] = {BT_STR_INIT("file"), BT_STR_INIT("project"),
                                                  BT_STR_INIT("user"), BT_STR_INIT("system")};
    assert(kind < BT_CONFIG_KINDS);
    return names[kind];
}

const char *config_named(const char *flag)
{
    const char *outer = getenv("BATON_CONFIG");
    return flag ? flag : outer && outer[0] != '\0' ? outer : NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum bt_status config_read_owned(struct bt_arena *arena, bt_str path, unsigned owner, bt_str *out,
                                 struct bt_error *error)
{
    struct stat about;
    const int fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return bt_error_set(error, errno == ENOENT || errno == ENOTDIR ? BT_ENOENT : BT_EDENIED,
                            "%s", strerror(errno));
    }
    enum bt_status status = BT_OK;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        status = bt_error_set(error, BT_EDENIED, "it is not a regular file");
    } else if (about.st_uid != owner) {
        status = bt_error_set(error, BT_EDENIED, "it belongs to another user (%u)",
                              (unsigned)about.st_uid);
    } else if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        status = bt_error_set(error, BT_EDENIED, "others may write it; chmod go-w takes that away");
    } else {
        status = bt_fd_read(arena, fd, FILE_BYTES_MAX, out, error);
    }
    (void)close(fd);
    return status;
}

/* Read a file of the project, which must not lead out of the repository. */
static enum bt_status read_inside(struct config_load_state *state, bt_str *out,
                                  struct bt_error *error)
{
    struct bt_dir *root = NULL;
    struct bt_dir_file file = {0};
    BT_TRY(bt_dir_open(state->project.bounds, &root, error));
    enum bt_status status =
        bt_dir_read_linked(root, state->arena, state->project.inner, FILE_BYTES_MAX, &file, error);
    bt_dir_close(root);
    if (status != BT_OK) {
        return status;
    }
    switch (file.error) {
    case BT_PATH_OK:
        *out = file.content;
        return BT_OK;
    case BT_PATH_NOT_REGULAR:
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    case BT_PATH_OUTSIDE_DIR:
    case BT_PATH_LINK_LOOP:
    case BT_PATH_NOT_FOUND:
        break;
    }
    return bt_error_set(error, BT_EDENIED, "it is a link that leads nowhere or out of %.*s",
                        BT_STR_ARG(state->project.bounds));
}

static enum bt_status read_kind(struct config_load_state *state, enum bt_config_kind kind,
                                bt_str path, bt_str *out, struct bt_error *error)
{
    const bool is_hook = state->options->use == BT_CONFIG_HOOK;
    if (kind == BT_CONFIG_PROJECT) {
        return read_inside(state, out, error);
    }
    if (is_hook && kind != BT_CONFIG_FILE) {
        const unsigned owner = kind == BT_CONFIG_SYSTEM ? ROOT_UID : (unsigned)geteuid();
        return config_read_owned(state->arena, path, owner, out, error);
    }
    return bt_file_read(state->arena, path, FILE_BYTES_MAX, out, error);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Check the text of a file, and store both. */
static enum bt_status add_text(struct config_load_state *state, enum bt_config_kind kind,
                               bt_str path, bt_str text)
{
    struct config_load_file *file = &state->out->files[state->out->count++];
    const struct bt_config_source source = {path, text, BT_STR(""), kind, state->options->today};
    *file = (struct config_load_file){kind, path, text, NULL, bt_findings_new(state->arena)};
    if (!file->findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_config_read(state->arena, &source, file->findings, &file->config));
    /* Merging may add findings to a project's file. */
    return kind == BT_CONFIG_PROJECT ? BT_OK : bt_findings_finish(file->findings, text);
}

/* Read a file; a missing file is an error only when it was named. */
static enum bt_status add_file(struct config_load_state *state, enum bt_config_kind kind,
                               bt_str path, bool is_needed)
{
    struct bt_error why = {0};
    bt_str text = BT_STR("");
    if ((state->options->skipped >> kind & 1U) != 0) {
        return BT_OK;
    }
    const enum bt_status status = read_kind(state, kind, path, &text, &why);
    if (status == BT_ENOENT && !is_needed) {
        return BT_OK;
    }
    if (status == BT_ENOMEM) {
        return status;
    }
    if (status != BT_OK) {
        state->out->unreadable = path;
        return bt_error_set(state->error, BT_EINVAL, "cannot read the configuration %.*s: %s",
                            BT_STR_ARG(path), why.text);
    }
    return add_text(state, kind, path, text);
}

static enum bt_status add_operators(struct config_load_state *state)
{
    bt_str path;
    BT_TRY(config_user_path(state->arena, "config.yaml", &path));
    if (path.len > 0) {
        BT_TRY(add_file(state, BT_CONFIG_USER, path, false));
    }
    return add_file(state, BT_CONFIG_SYSTEM, BT_STR(CONFIG_SYSTEM_PATH), false);
}

/* The governed root that a flag or a file of the operator names. */
static enum bt_status judged_root(struct config_load_state *state, const char **out)
{
    const struct config_load_loaded *loaded = state->out;
    bt_str path = BT_STR("");
    *out = state->options->root;
    for (size_t i = 0; !*out && i < loaded->count && path.len == 0; i++) {
        if (loaded->files[i].config) {
            BT_TRY(bt_config_path(loaded->files[i].config, "governed.root", state->arena, &path));
        }
    }
    *out = *out ? *out : path.len > 0 ? path.ptr : NULL;
    return BT_OK;
}

/* The project's file takes precedence over those of the operator, which were read first. */
static enum bt_status add_project(struct config_load_state *state)
{
    struct config_load_loaded *out = state->out;
    const char *root = NULL;
    BT_TRY(judged_root(state, &root));
    BT_TRY(config_find_project(state->arena, root, &state->project));
    if (state->project.path.len == 0) {
        return BT_OK;
    }
    const size_t operators = out->count;
    BT_TRY(add_file(state, BT_CONFIG_PROJECT, state->project.path, true));
    if (out->count == operators) {
        return BT_OK; /* skipped */
    }
    const struct config_load_file project = out->files[operators];
    memmove(&out->files[1], &out->files[0], operators * sizeof(project));
    out->files[0] = project;
    return BT_OK;
}

/* ---- Pins ------------------------------------------------------------------------------------ */

static bool has_digest(bt_str text, const char *digest)
{
    char hex[BT_SHA256_HEX_BYTES];
    return text.len <= FILE_BYTES_MAX && bt_sha256_hex(text, hex) == BT_OK &&
           strcmp(hex, digest) == 0;
}

/* Read the pinned file or its stored copy, whichever has the pinned bytes. */
static enum bt_status add_pinned(struct config_load_state *state)
{
    const struct config_load_options *options = state->options;
    const bt_str path = bt_str_of(options->pin);
    bt_str text;
    bt_str name;
    bt_str copy;
    if (bt_file_read(state->arena, path, FILE_BYTES_MAX, &text, NULL) == BT_OK &&
        has_digest(text, options->digest)) {
        return add_text(state, BT_CONFIG_FILE, path, text);
    }
    BT_TRY(bt_arena_printf(state->arena, &name, "pins/%s.yaml", options->digest));
    BT_TRY(config_user_path(state->arena, name.ptr, &copy));
    if (copy.len > 0 && bt_file_read(state->arena, copy, FILE_BYTES_MAX, &text, NULL) == BT_OK &&
        has_digest(text, options->digest)) {
        return add_text(state, BT_CONFIG_FILE, path, text); /* relative paths start at the file */
    }
    state->out->is_pin_changed = true;
    return BT_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static enum bt_status add_files(struct config_load_state *state)
{
    const struct config_load_options *options = state->options;
    struct config_load_loaded *out = state->out;
    if (options->use == BT_CONFIG_HOOK) {
        if (options->file) {
            BT_TRY(add_file(state, BT_CONFIG_FILE, bt_str_of(options->file), true));
        } else if (options->pin) {
            BT_TRY(add_pinned(state));
        }
        return add_operators(state);
    }
    const char *named = config_named(options->file);
    if (options->without_files) {
        return BT_OK;
    }
    if (named) {
        return add_file(state, BT_CONFIG_FILE, bt_str_of(named), true);
    }
    if (options->is_server && !config_is_inside(options->root)) {
        BT_TRY(add_file(state, BT_CONFIG_FILE, BT_STR(CONFIG_PROJECT_NAME), false));
    }
    if (out->count > 0) {
        return BT_OK;
    }
    BT_TRY(add_operators(state));
    return options->is_server ? BT_OK : add_project(state);
}

static enum bt_status merge_files(struct config_load_state *state)
{
    struct config_load_loaded *out = state->out;
    struct bt_config_merge merge = {.use = state->options->use,
                                    .store = bt_str_of(getenv("BATON_STORE")),
                                    .is_below = config_is_below,
                                    .context = &state->project};
    const struct config_load_file *project = NULL;
    bool is_usable = !out->is_pin_changed;
    for (size_t i = 0; i < out->count; i++) {
        const struct config_load_file *file = &out->files[i];
        merge.files[file->kind] = file->config;
        is_usable = is_usable && file->config;
        project = file->kind == BT_CONFIG_PROJECT ? file : project;
    }
    if (is_usable) {
        BT_TRY(bt_config_merge(state->arena, &merge, project ? project->findings : NULL,
                               out->conflicts, &out->config));
    }
    return project ? bt_findings_finish(project->findings, project->text) : BT_OK;
}

enum bt_status config_load(struct bt_arena *arena, const struct config_load_options *options,
                           struct config_load_loaded *out, struct bt_error *error)
{
    struct config_load_state state = {
        .arena = arena, .options = options, .out = out, .error = error};
    *out = (struct config_load_loaded){.conflicts = bt_findings_new(arena)};
    if (!out->conflicts) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    enum bt_status status = add_files(&state);
    status = status == BT_OK ? merge_files(&state) : status;
    status = status == BT_OK ? bt_findings_finish(out->conflicts, BT_STR("")) : status;
    return status == BT_ENOMEM ? bt_error_set(error, status, "%s", bt_status_text(status)) : status;
}
