/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - what is behind the public struct bt_engine: the worker, the caller and the settings of
 * one thread.
 */
#ifndef BATON_SRC_OPERATION_ENGINE_H
#define BATON_SRC_OPERATION_ENGINE_H

#include <baton/call.h>

#include "operation/operation.h"

struct bt_engine {
    struct bt_env env;         /* first: see bt_engine_env() */
    struct bt_arena memory;    /* for as long as the engine lives, which lies in it */
    struct bt_arena config[2]; /* of the configuration in force, and of the next one */
    size_t config_index;
    struct bt_arena call; /* of one call */
    struct bt_worker worker;
    struct bt_caller caller;
    struct bt_buf keys;  /* members of the configuration but `roots`, JSON without braces */
    struct bt_buf roots; /* members of `roots`, likewise */
};

/* Report the first finding of settings. BT_OK: there is none. */
BT_MUST_USE enum bt_status bt_engine_report_finding(const struct bt_findings *findings,
                                                    struct bt_error *error);

_Static_assert(offsetof(struct bt_engine, env) == 0, "an engine begins with its environment");

#endif
