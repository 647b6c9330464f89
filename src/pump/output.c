/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - output and failures of handlers, as lines for the operator.
 *
 * None of it goes to a client, a diagnostic or the ledger.
 */
#include "pump/output.h"

#include <stdio.h>
#include <string.h>

#include <baton/json.h>

#include "json/emit.h"
#include "sandbox/plain.h"

static void notify_line(struct bt_pump *pump, bt_host_id host, enum bt_host_stream stream)
{
    struct bt_pump_output_line *line = &pump->hosting.by_id.items[host].lines[stream];
    struct bt_buf text;
    bt_buf_init(&text, BT_PLAIN_BYTES_MAX);
    bt_plain_put(&text, (bt_str){line->bytes, line->len});
    line->len = 0;
    if (pump->observer.output && text.status == BT_OK) {
        const struct bt_pump_output output = {
            .listener = pump->core.listeners[pump->hosting.by_id.items[host].number].name,
            .is_error = stream == BT_HOST_STREAM_ERROR,
            .text = bt_buf_str(&text)};
        pump->observer.output(pump->observer.context, &output);
    }
    bt_buf_free(&text);
}

bool bt_output_take_line(struct bt_pump_output_line *line, bt_str printed, size_t *at)
{
    const size_t end = bt_str_find_byte(printed, '\n', *at);
    const size_t room = sizeof(line->bytes) - line->len;
    const size_t size = end - *at < room ? end - *at : room; /* the rest of the line is cut */
    memcpy(line->bytes + line->len, printed.ptr + *at, size);
    line->len += size;
    *at = end + 1;
    return end < printed.len;
}

void bt_output_take(struct bt_pump *pump, bt_host_id host, enum bt_host_stream stream,
                    bt_str printed)
{
    struct bt_pump_output_line *line = &pump->hosting.by_id.items[host].lines[stream];
    for (size_t at = 0; at < printed.len;) {
        if (bt_output_take_line(line, printed, &at)) {
            notify_line(pump, host, stream);
        }
    }
}

void bt_output_end(struct bt_pump *pump, bt_host_id host)
{
    for (int i = 0; i < BT_HOST_STREAM__COUNT; i++) {
        if (pump->hosting.by_id.items[host].lines[i].len > 0) {
            notify_line(pump, host, (enum bt_host_stream)i);
        }
    }
}

void bt_output_put_fail(struct bt_buf *params, bt_str kind, bt_str detail)
{
    struct bt_emit emit;
    bt_emit_init(&emit, params, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "kind", kind);
    bt_emit_member_string(&emit, "detail", detail);
    bt_emit_end(&emit);
}

void bt_output_fail(struct bt_pump *pump, const struct bt_host_event *event, struct bt_buf *params)
{
    const bt_str kind = bt_error_set_name(event->fail);
    const bt_str who = pump->core.listeners[pump->hosting.by_id.items[event->host].number].name;
    struct bt_buf detail;
    bt_buf_init(&detail, BT_PLAIN_BYTES_MAX);
    bt_plain_put(&detail, event->body);
    bt_pump_log(pump, who, detail.len > 0 ? bt_buf_str(&detail) : kind);
    bt_output_put_fail(params, kind, bt_buf_str(&detail));
    params->status = params->status == BT_OK ? detail.status : params->status;
    bt_buf_free(&detail);
}

bt_str bt_output_death(const struct bt_host_process_end *end, char text[BT_OUTPUT_DEATH_BYTES])
{
    const int size = end->signal > 0
                         ? snprintf(text, BT_OUTPUT_DEATH_BYTES, "signal %d", end->signal)
                     : end->code >= 0 ? snprintf(text, BT_OUTPUT_DEATH_BYTES, "exit %d", end->code)
                                      : snprintf(text, BT_OUTPUT_DEATH_BYTES, "unknown");
    return (bt_str){text, (size_t)size};
}
