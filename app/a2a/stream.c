/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - stream the changes of a task until it ends or waits for the caller. */
#include <stdio.h>
#include <string.h>

#include "a2a/a2a_internal.h"

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
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read;
    struct bt_buf all;
    struct bt_emit emit;
    uint64_t count = 0;
    options.document_bytes_max = A2A_TEXT_BYTES_MAX;
    options.string_bytes_max = A2A_TEXT_BYTES_MAX;
    bt_buf_init(&all, A2A_TEXT_BYTES_MAX);
    bt_emit_init(&emit, &all, false);
    bt_emit_begin_array(&emit);
    enum bt_status written = a2a_put_artifacts(a2a, &emit, task, status, stream->artifacts, &count);
    bt_emit_end(&emit);
    if (written == BT_OK && count > stream->artifacts) {
        written = bt_json_read(a2a->arena, bt_buf_str(&all), &options, &read);
        const size_t items =
            written == BT_OK && read.document ? bt_json_count(bt_json_root(read.document)) : 0;
        for (size_t i = 0; i < items; i++) {
            struct bt_emit event;
            begin_event(&event, buf, "artifactUpdate", task);
            bt_emit_member_raw(
                &event, "artifact",
                a2a_value_source(read.document, &bt_json_items(bt_json_root(read.document))[i]));
            bt_emit_member_bool(&event, "lastChunk", true);
            end_event(a2a, stream, &event);
        }
        stream->artifacts = count;
    }
    bt_buf_free(&all);
    return written;
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
