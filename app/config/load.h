/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - the configuration of a command, from all files that count for it.
 */
#ifndef BATON_APP_CONFIG_LOAD_H
#define BATON_APP_CONFIG_LOAD_H

#include <baton/config.h>

#include "config/find.h"

/* Who asks. */
struct config_load_options {
    enum bt_config_use use;
    bool is_server;        /* it takes baton.yaml of the current folder as if that was named */
    bool without_files;    /* --no-config */
    const char *file;      /* --config; NULL: BATON_CONFIG, or none is named */
    const char *root;      /* the governance root that was named, or NULL */
    const char *pin;       /* of a hook: the file that a person pinned, or NULL */
    const char *pin_named; /* the same as it was written, for messages */
    const char *digest;    /* of its bytes, 64 hex digits */
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
    const struct bt_config *config;                  /* NULL: it cannot be used */
    struct config_load_file files[CONFIG_FILES_MAX]; /* in order of precedence */
    size_t count;
    struct bt_findings *conflicts; /* of what the files say together */
    bt_str unreadable;             /* the path of the file that could not be read, or "" */
    bool is_pin_changed; /* the pinned file is not what was pinned, and there is no copy */
};

/*
 * BT_OK: look whether there is a configuration in *out, and else what was found. BT_EINVAL, BT_EIO:
 * a file cannot be read, and `error` says which and why. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status config_load(struct bt_arena *arena,
                                       const struct config_load_options *options,
                                       struct config_load_loaded *out, struct bt_error *error);

/* The file that --config or BATON_CONFIG names, or NULL. */
const char *config_named(const char *flag);

/* Read a file of at most 1 MiB. BT_ENOENT: there is none. BT_EDENIED: it is not a regular file of
 * `owner`, or others could have written it. */
BT_MUST_USE enum bt_status config_read_owned(struct bt_arena *arena, bt_str path, unsigned owner,
                                             bt_str *out, struct bt_error *error);

#endif
