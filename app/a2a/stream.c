/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - stream the changes of a task until it ends or waits for the caller. */
#include <stdio.h>
#include <string.h>

#include "a2a/a2a_internal.h"
#include "json/emit.h"

/* Begin an event: `name` and the ids of its object. */
static void begin_event(struct bt_emit *emit, struct bt_buf *buf, const char *name,
                        const struct bt_task *task)
{
    bt_buf_clear(buf);
    bt_emit_init(emit, buf, false);
    bt_emit_begin_object(emit);
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "taskId", task->id);
    bt_emit_member_string(emit, "contextId", task->context);
}

static void end_event(struct a2a *a2a, const struct a2a_stream *stream, struct bt_emit *emit)
{
    bt_emit_end(emit);
    bt_emit_end(emit);
    a2a_put_result(a2a, stream->binding, bt_str_of(stream->id), bt_buf_str(emit->buf));
}

/* Put each new artifact as an event. */
static enum bt_status emit_artifacts(struct a2a *a2a, struct a2a_stream *stream,
                                     const struct bt_task *task, const struct a2a_status *status,
                                     struct bt_buf *buf)
{
    static const struct a2a_artifact_range none = {0, 0};
    struct bt_emit event;
    uint64_t count = 0;
    bt_emit_init(&event, buf, false);
    BT_TRY(a2a_put_artifacts(a2a, &event, task, status, &none, &count));
    for (; stream->artifacts < count; stream->artifacts++) {
        const struct a2a_artifact_range one = {stream->artifacts, stream->artifacts + 1};
        uint64_t counted = 0;
        begin_event(&event, buf, "artifactUpdate", task);
        bt_emit_name(&event, "artifact");
        BT_TRY(a2a_put_artifacts(a2a, &event, task, status, &one, &counted));
        bt_emit_member_bool(&event, "lastChunk", true);
        end_event(a2a, stream, &event);
    }
    return BT_OK;
}

static void emit_status(struct a2a *a2a, struct a2a_stream *stream, const struct bt_task *task,
                        const struct a2a_status *status, struct bt_buf *buf)
{
    char now[A2A_STATUS_BYTES];
    struct bt_emit event;
    (void)snprintf(now, sizeof(now), "%.*s %.*s", BT_STR_ARG(status->state),
                   BT_STR_ARG(status->time));
    if (strcmp(now, stream->status) == 0) {
        return;
    }
    memcpy(stream->status, now, sizeof(now));
    begin_event(&event, buf, "statusUpdate", task);
    bt_emit_name(&event, "status");
    a2a_put_status(&event, task, status);
    end_event(a2a, stream, &event);
}

enum bt_status a2a_stream_next(struct a2a *a2a, struct a2a_stream *stream, bool *out_ended)
{
    struct a2a_status status;
    struct bt_task task;
    struct bt_buf buf;
    *out_ended = false;
    a2a->used = stream->used;
    if (!a2a->service->ledger) {
        *out_ended = true; /* the task is not stored: the first event was complete */
        return BT_OK;
    }
    const enum bt_status found = a2a_task_find(a2a, bt_str_of(stream->task), &task);
    if (found == BT_ENOENT) {
        *out_ended = true;
        return BT_OK;
    }
    BT_TRY(found);
    BT_TRY(a2a_status_read(a2a, task.state, &status));
    bt_buf_init(&buf, A2A_TEXT_BYTES_MAX);
    const enum bt_status written = emit_artifacts(a2a, stream, &task, &status, &buf);
    emit_status(a2a, stream, &task, &status, &buf);
    bt_buf_free(&buf);
    *out_ended = a2a_is_final(status.state) || a2a_is_waiting(status.state);
    return written;
}
