/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modes.h - the ways of judging an instance; every test that judges runs them all.
 */
#ifndef BATON_TESTS_SCHEMA_MODES_H
#define BATON_TESTS_SCHEMA_MODES_H

#include "judge.h"

struct mode {
    const char *name;
    /* The schema, the options and the documents they name stay until close. NULL: no memory. */
    void *(*open)(const struct bt_json_doc *schema, const struct judge_options *options);
    enum verdict (*judge)(void *opened, const struct bt_json_doc *instance);
    /* Why the last answer was VERDICT_NONE, or "". */
    const char *(*reason)(void *opened);
    void (*close)(void *opened);
};

/* The first is the naive interpreter: the others are compared with it. */
extern const struct mode modes[];
extern const size_t modes_count;

#endif
