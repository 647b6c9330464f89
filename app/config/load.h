/* SPDX-License-Identifier: Apache-2.0 */
/* load.h - load the configuration of a command from all files that apply to it. */
#ifndef BATON_APP_CONFIG_LOAD_H
#define BATON_APP_CONFIG_LOAD_H

#include "config/config.h"
#include "config/find.h"

/* What is loaded. */
struct config_load_options {
    enum bt_config_use use;
    /* use baton.yaml of the current directory as if it was named by --config */
    bool is_server;
    bool without_files;    /* --no-config */
    unsigned skipped;      /* kinds that are not read: a bit for each enum bt_config_kind */
    const char *file;      /* --config; NULL: BATON_CONFIG (not for a hook), or none */
    const char *root;      /* --root, or NULL */
    const char *pin;       /* for a hook: the pinned file, or NULL */
    const char *pin_named; /* `pin` as the user wrote it, for messages */
    const char *digest;    /* of the bytes of `pin`, 64 hexadecimal digits */
    bt_str today;          /* see struct bt_config_source; "" for a server and a hook */
};

/* One file. */
struct config_load_file {
    enum bt_config_kind kind;
    bt_str path;
    bt_str text;
    const struct bt_config *config; /* NULL: it has a HARD finding */
    struct bt_findings *findings;
};

enum { CONFIG_FILES_MAX = 3 };

struct config_load_loaded {
    const struct bt_config *config;                  /* NULL: not usable */
    struct config_load_file files[CONFIG_FILES_MAX]; /* in order of precedence */
    size_t count;
    struct bt_findings *conflicts; /* about the merged configuration */
    bt_str unreadable;             /* path of the file that could not be read, or "" */
    bool is_pin_changed;           /* the pinned file was changed, and there is no copy */
};

/*
 * Load the configuration into the arena. BT_OK: out->config is set, or the findings in *out say why
 * not. BT_EINVAL, BT_EIO: a file cannot be read; `error` says which and why. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status config_load(struct bt_arena *arena,
                                       const struct config_load_options *options,
                                       struct config_load_loaded *out, struct bt_error *error);

/* "file", "project", "user" or "system"; a constant. */
bt_str config_kind_name(enum bt_config_kind kind);

/* The file that --config (`flag`) or BATON_CONFIG names, or NULL. */
const char *config_named(const char *flag);

/*
 * Read a file of at most 1 MiB into the arena. BT_ENOENT: there is none. BT_EDENIED: it is not a
 * regular file of the user `owner`, or others can write to it.
 */
BT_MUST_USE enum bt_status config_read_owned(struct bt_arena *arena, bt_str path, unsigned owner,
                                             bt_str *out, struct bt_error *error);

#endif
