/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks.h - tasks that calls of a session returned, so that their results can be judged and
 * recorded later.
 */
#ifndef BATON_SRC_WRAP_TASKS_H
#define BATON_SRC_WRAP_TASKS_H

#include "base/buf.h"
#include "base/vec.h"

/* Ids and names that are longer are not kept. */
enum { BT_WRAP_TASK_ID_MAX = 256, BT_WRAP_TOOL_NAME_MAX = 1024 };

struct bt_wrap_task {
    uint64_t call;
    uint64_t seq;     /* the entry of the call; UINT64_MAX: it is not known */
    bool is_recorded; /* its result is on record */
    size_t id_size;
    struct bt_buf *text; /* the id, and behind it the name of the tool */
};

/* The last 10,000 tasks; the oldest is forgotten first. */
struct bt_wrap_tasks {
    BT_VEC(struct bt_wrap_task) ring;
    size_t next;
};

void bt_wrap_tasks_free(struct bt_wrap_tasks *tasks);

/* Keep a task. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_wrap_tasks_add(struct bt_wrap_tasks *tasks, struct bt_arena *arena,
                                             bt_str id, bt_str tool, uint64_t call);
/* The task of an id, or NULL. */
struct bt_wrap_task *bt_wrap_tasks_find(const struct bt_wrap_tasks *tasks, bt_str id);
/* The name of its tool. */
bt_str bt_wrap_task_tool(const struct bt_wrap_task *task);

#endif
