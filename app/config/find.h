/* SPDX-License-Identifier: Apache-2.0 */
/* find.h - find configuration files. */
#ifndef BATON_APP_CONFIG_FIND_H
#define BATON_APP_CONFIG_FIND_H

#include <baton/base.h>

#define CONFIG_PROJECT_NAME "baton.yaml"
#define CONFIG_SYSTEM_PATH "/etc/baton/config.yaml"

/*
 * The path of a file in the user's configuration directory, $XDG_CONFIG_HOME/baton or
 * ~/.config/baton; "" when the home directory is unknown. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status config_user_path(struct bt_arena *arena, const char *name, bt_str *out);

/* A project and its file. */
struct config_find_project {
    bt_str path;   /* relative to the current directory; "": none */
    bt_str folder; /* the project directory with links resolved; "" without a file */
    /* the repository with links resolved: the file and its links must stay below it */
    bt_str bounds;
    bt_str inner; /* the path of the file below `bounds` */
};

/*
 * Find the project's file in the current directory and its parents up to the root of the
 * repository; without a repository only in the current directory. A file in the directory `root`
 * (NULL: none) or below it is ignored, because what is judged must not configure its judge.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status config_find_project(struct bt_arena *arena, const char *root,
                                               struct config_find_project *out);

/*
 * The root of the repository that the current directory is in, relative to it: "" for itself, else
 * "../" as often as needed. "" when there is none. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status config_path_to_repository(struct bt_arena *arena, bt_str *out);

/*
 * The path of a file as reports show it: relative to the current directory when it lies below it,
 * else absolute. Links of its folder are resolved. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status config_shown_path(struct bt_arena *arena, bt_str path, bt_str *out);

/*
 * The project whose file is at `path`, whatever its name. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status config_project_at(struct bt_arena *arena, const char *path,
                                             struct config_find_project *out);

/*
 * Find the nearest directory, from `folder` upwards, that is the root of a repository; "" when
 * there is none. With `is_git` only a repository of Git counts. BT_ENOMEM: the arena reached its
 * limit.
 */
BT_MUST_USE enum bt_status config_find_repository(struct bt_arena *arena, const char *folder,
                                                  bool is_git, bt_str *out);

/* True when the current directory is `root` or below it. */
bool config_is_inside(const char *root);

/*
 * True when a path, relative to the project directory or absolute, leads to something below it
 * after following links. `context` is the struct config_find_project. See bt_config_merge().
 */
bool config_is_below(void *context, bt_str path);

#endif
