/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept.h - roots and threads of the pump's core as a store keeps them: put in, and read again.
 */
#ifndef BATON_TESTS_SIM_KEPT_H
#define BATON_TESTS_SIM_KEPT_H

#include "pump/core_internal.h"

enum { KEPT_ROOTS_MAX = 64, KEPT_THREADS_MAX = 1024 };

struct kept_root {
    char id[BT_UUID_TEXT_BYTES];
    char uuid[BT_UUID_TEXT_BYTES];
    uint32_t client;
    uint64_t tokens;
    uint64_t number;
    bool is_spent;
};

struct kept_thread {
    char uuid[BT_UUID_TEXT_BYTES];
    char parent[BT_UUID_TEXT_BYTES];
    char client_uuid[BT_UUID_TEXT_BYTES];
    uint32_t client;
    uint32_t listener;
    uint32_t depth;
    uint64_t request;
    bool has_replied;
};

struct kept {
    struct kept_root roots[KEPT_ROOTS_MAX];
    size_t roots_count;
    struct kept_thread threads[KEPT_THREADS_MAX]; /* parents before what is below them */
    size_t threads_count;
};

/* Put one in, in the place of what it was, or take it out when it is gone. False: there is no
 * room. */
BT_MUST_USE bool kept_put_root(struct kept *kept, const struct bt_pump_root_thread *root);
BT_MUST_USE bool kept_put_thread(struct kept *kept, const struct bt_pump_thread *thread);
/* One as the core is told it again. */
struct bt_pump_core_row kept_root_row(const struct kept_root *root);
struct bt_pump_core_row kept_thread_row(const struct kept_thread *thread);

#endif
