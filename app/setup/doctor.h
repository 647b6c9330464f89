/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - look at the installation and the current project, and say what is wrong with them.
 *
 * Nothing is changed, no network connection is opened and no third-party code is run. Texts hold no
 * secret and no content of a document, and paths below the home directory are written with `~`.
 */
#ifndef BATON_APP_SETUP_DOCTOR_H
#define BATON_APP_SETUP_DOCTOR_H

#include "base/env.h"

enum setup_status {
    SETUP_OK = 1,
    SETUP_WARN,
    SETUP_FAIL,
    SETUP_SKIP,
    SETUP_STATUS__MAX,
};

/* The result of one check. */
struct setup_check {
    bt_str id;
    enum setup_status status;
    bt_str message;
    bt_str hint; /* "": none */
};

enum { SETUP_CHECKS_MAX = 24 };

struct setup_report {
    struct setup_check checks[SETUP_CHECKS_MAX]; /* in the order in which they are shown */
    size_t count;
    size_t totals[SETUP_STATUS__MAX];
};

/* What the output of the program can show. */
struct setup_terminal {
    bool is_terminal;
    bool has_colour;
    bool has_links;
};

struct setup_doctor_options {
    const char *store;   /* --store, or NULL */
    const char *root;    /* --root, or NULL */
    const char *config;  /* --config, or NULL */
    bool without_config; /* --no-config */
    struct setup_terminal terminal;
};

/* Run all checks. *out lives in the arena. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status setup_doctor_run(struct bt_env *env, struct bt_arena *arena,
                                            const struct setup_doctor_options *options,
                                            struct setup_report *out);

/* Put the object {"baton":1,"doctor":{...}} and a line feed. Failures stick to the buffer. */
void setup_doctor_put_json(struct bt_buf *buf, const struct setup_report *report);
/* Put one line for each check, hints indented below. Failures stick to the buffer. */
void setup_doctor_put_text(struct bt_buf *buf, const struct setup_report *report);

#endif
