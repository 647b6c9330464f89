/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.h - prepare a folder for Baton.
 *
 *     inspect -> (ask) -> plan -> write
 *
 * A plan refuses links and special files before anything is written. Hooks are planned and written
 * by the caller, who knows the flags of a hook; their files are added to the list here.
 */
#ifndef BATON_APP_SETUP_INIT_H
#define BATON_APP_SETUP_INIT_H

#include <baton/report.h>
#include "base/env.h"

#include "hook/agent_host.h"
#include "report/report.h"

#define SETUP_STORE_PATH ".baton/store.db"

enum setup_action {
    SETUP_UNCHANGED = 1,
    SETUP_CREATED,
    SETUP_UPDATED,
};

struct setup_init_file {
    bt_str path; /* below the folder */
    enum setup_action action;
};

enum { SETUP_HOSTS_MAX = 5, SETUP_SIGNS_MAX = 4, SETUP_FILES_MAX = 12, SETUP_NEXT_MAX = 4 };

/* An agent host, and what shows that it is used here. */
struct setup_init_host {
    const struct agent_host *host;
    const char *found[SETUP_SIGNS_MAX];
    size_t found_count;
    const char *mode; /* of the hook that is installed; NULL: none */
    bool is_wanted;   /* its hook is to be installed */
};

struct setup_init_options {
    const char *folder; /* it must exist */
    bool wants_store;
    bool wants_sample;
    bool force; /* replace baton.yaml */
};

struct setup_init {
    struct bt_env *env;
    struct bt_arena *arena;
    struct setup_init_options options;
    bt_str repository; /* relative to the folder; "": none */
    bool is_git;
    struct setup_init_host hosts[SETUP_HOSTS_MAX];
    size_t host_count;
    struct setup_init_file files[SETUP_FILES_MAX];
    size_t file_count;
    bt_str gitignore;                 /* its text as it is to be */
    bt_str sample;                    /* the text of the sample */
    size_t dialects[BT_DIALECT__MAX]; /* how many documents there are, by dialect */
};

/*
 * Look at the folder. BT_ENOENT: it is not a folder. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status setup_init_inspect(struct setup_init *init, struct bt_env *env,
                                              struct bt_arena *arena,
                                              const struct setup_init_options *options);
/*
 * Decide which files are written. BT_EDENIED: a target is a link or not a regular file; `error`
 * says which. BT_EIO: a file cannot be read. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status setup_init_plan(struct setup_init *init, struct bt_error *error);
/* Check that a path below the folder is free or a regular file. Statuses as setup_init_plan(). */
BT_MUST_USE enum bt_status setup_init_check_target(const struct setup_init *init, const char *path,
                                                   struct bt_error *error);
/* Add a file that the caller writes. */
void setup_init_add_file(struct setup_init *init, bt_str path, enum setup_action action);
/* Write what was planned. BT_EIO, BT_EDENIED: a file could not be written; `error` says which. */
BT_MUST_USE enum bt_status setup_init_write(struct setup_init *init, struct bt_error *error);

/* Count the documents below the folder; what cannot be read is not counted. BT_ENOMEM: no memory */
BT_MUST_USE enum bt_status setup_init_count(struct setup_init *init);

/* Put the object {"baton":1,"init":{...}} and a line feed. Failures stick to the buffer. */
void setup_init_put_json(struct bt_buf *buf, const struct setup_init *init, bool is_dry);
/* Put one line for each file and host, and what to do next. Failures stick to the buffer. */
void setup_init_put_text(struct bt_buf *buf, const struct setup_init *init, bool is_dry);

#endif
