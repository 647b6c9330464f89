/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.h - where configuration files are.
 */
#ifndef BATON_APP_CONFIG_FIND_H
#define BATON_APP_CONFIG_FIND_H

#include <baton/base.h>

#define CONFIG_PROJECT_NAME "baton.yaml"
#define CONFIG_SYSTEM_PATH "/etc/baton/config.yaml"

/* A file of the user's configuration folder, $XDG_CONFIG_HOME/baton or ~/.config/baton, or "" when
 * there is no such folder because no home is known. */
BT_MUST_USE enum bt_status config_user_path(struct bt_arena *arena, const char *name, bt_str *out);

/* A project's file. */
struct config_find_project {
    bt_str path;   /* as it is seen from here; "": there is none */
    bt_str folder; /* the project folder, without links; "" when there is no file */
    bt_str bounds; /* the repository, without links: the file and its links stay below it */
    bt_str inner;  /* the path of the file below it */
};

/* Look for the project's file here and upwards to the root of the repository; without a repository
 * only here. One in the folder `root` or below it is passed over, since what is under judgement
 * must not configure its judge; NULL: there is no such folder. */
BT_MUST_USE enum bt_status config_find_project(struct bt_arena *arena, const char *root,
                                               struct config_find_project *out);

/* The project whose file is at `path`, whatever its name. */
BT_MUST_USE enum bt_status config_project_at(struct bt_arena *arena, const char *path,
                                             struct config_find_project *out);

/* Whether the current folder is `root` or below it. */
bool config_is_inside(const char *root);

/* Whether a path, relative to the project folder or absolute, leads to something below it, links
 * followed. `context` is the struct config_project. See bt_config_merge(). */
bool config_is_below(void *context, bt_str path);

#endif
