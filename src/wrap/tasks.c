/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - a ring of task ids. */
#include "wrap/tasks.h"

#include "base/arena.h"

enum { TASKS_MAX = 10000 };

void bt_wrap_tasks_free(struct bt_wrap_tasks *tasks)
{
    for (size_t i = 0; i < tasks->ring.count; i++) {
        bt_buf_destroy(tasks->ring.items[i].text);
    }
    tasks->ring.count = 0;
}

enum bt_status bt_wrap_tasks_add(struct bt_wrap_tasks *tasks, struct bt_arena *arena, bt_str id,
                                 bt_str tool, uint64_t call)
{
    if (id.len == 0 || id.len > BT_WRAP_TASK_ID_MAX || tool.len > BT_WRAP_TOOL_NAME_MAX) {
        return BT_OK;
    }
    struct bt_buf *text = bt_buf_create(id.len + tool.len);
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    bt_buf_put(text, id);
    bt_buf_put(text, tool);
    const struct bt_wrap_task task = {
        .call = call, .seq = UINT64_MAX, .id_size = id.len, .text = text};
    enum bt_status status = bt_buf_status(text);
    if (status == BT_OK && tasks->ring.count < TASKS_MAX) {
        status = bt_vec_push(arena, &tasks->ring, task);
    } else if (status == BT_OK) {
        bt_buf_destroy(tasks->ring.items[tasks->next].text);
        tasks->ring.items[tasks->next] = task;
        tasks->next = (tasks->next + 1) % TASKS_MAX;
    }
    if (status != BT_OK) {
        bt_buf_destroy(text);
    }
    return status;
}

struct bt_wrap_task *bt_wrap_tasks_find(const struct bt_wrap_tasks *tasks, bt_str id)
{
    for (size_t i = tasks->ring.count; i-- > 0;) {
        struct bt_wrap_task *task = &tasks->ring.items[i];
        if (bt_str_eq(bt_str_slice(bt_buf_str(task->text), 0, task->id_size), id)) {
            return task;
        }
    }
    return NULL;
}

bt_str bt_wrap_task_tool(const struct bt_wrap_task *task)
{
    return bt_str_slice(bt_buf_str(task->text), task->id_size, task->text->len);
}
