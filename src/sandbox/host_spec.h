/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_spec.h - how an organism file describes a handler.
 */
#ifndef BATON_SRC_SANDBOX_HOST_SPEC_H
#define BATON_SRC_SANDBOX_HOST_SPEC_H

#include <baton/base.h>

enum bt_host_kind {
    BT_HOST_PYTHON = 1, /* handler: PATH.py:NAME or a dotted path */
    BT_HOST_C,          /* handler: PATH.so */
    BT_HOST_COMMAND,    /* command: [PROGRAM, ARG...] */
};

struct bt_host_variable {
    bt_str name;
    bt_str value;
};

/* One listener of a checked organism file. */
struct bt_host_spec {
    enum bt_host_kind kind;
    bt_str handler;        /* Python and C */
    const bt_str *command; /* command_count of them */
    size_t command_count;
    bool stdio;           /* transport: frames on descriptors 0 and 1 instead of 3 */
    bt_str payload_class; /* Python: as written; empty: none */
    bt_str result_class;
    const struct bt_host_variable *variables; /* `env` and what `env_from` found; the last counts */
    size_t variable_count;
    const bt_str *readable; /* `read`: paths beneath the organism's folder */
    size_t readable_count;
    bool allow_net;
    bool allow_exec;
    uint32_t memory_mb;
};

#endif
