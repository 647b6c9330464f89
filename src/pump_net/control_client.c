/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_client.c - asking a running pump: one line there, one line back, within a time.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/emit.h"
#include "json/options.h"
#include "net/socket_address.h"
#include "pump/pump.h"

enum { READ_BYTES = 65536, LINE_BYTES_MAX = 1 << 29, RETRY_MS = 20, MEMORY_BYTES_MAX = 65536 };

struct bt_control_client {
    struct bt_arena memory; /* holds this itself */
    int fd;
    uint64_t request_count; /* requests so far; the last one's id */
    struct bt_buf in;       /* received bytes */
    size_t in_done;         /* of them, handled */
    size_t in_seen;         /* of them, searched for the end of a line */
    struct bt_buf out;      /* the request */
};

static uint64_t left_until(uint64_t end_ms)
{
    const uint64_t now = bt_clock_monotonic_ms();
    return now < end_ms ? end_ms - now : 0;
}

enum bt_status bt_control_client_open(const char *path, uint32_t wait_ms,
                                      struct bt_control_client **out, struct bt_error *error)
{
    assert(path);
    assert(out);
    const uint64_t end_ms = bt_clock_monotonic_ms() + wait_ms;
    int fd = -1;
    enum bt_status status = bt_unix_connect(path, &fd, error);
    while (status == BT_ELIMIT && left_until(end_ms) > 0) { /* its queue of connections is full */
        (void)poll(NULL, 0, RETRY_MS);
        status = bt_unix_connect(path, &fd, error);
    }
    BT_TRY(status);
    struct bt_arena memory;
    bt_arena_init(&memory, MEMORY_BYTES_MAX);
    struct bt_control_client *control = BT_NEW(&memory, struct bt_control_client);
    if (!control) {
        (void)close(fd);
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    control->memory = memory;
    control->fd = fd;
    bt_buf_init(&control->in, LINE_BYTES_MAX);
    bt_buf_init(&control->out, LINE_BYTES_MAX);
    *out = control;
    return BT_OK;
}

void bt_control_client_close(struct bt_control_client *control)
{
    if (!control) {
        return;
    }
    (void)close(control->fd);
    bt_buf_free(&control->in);
    bt_buf_free(&control->out);
    struct bt_arena memory = control->memory;
    bt_arena_free(&memory);
}

/* Wait until the socket is ready. BT_ELIMIT: the time is up. */
static enum bt_status wait_for(const struct bt_control_client *control, short events,
                               uint64_t end_ms, struct bt_error *error)
{
    struct pollfd poll_fd = {.fd = control->fd, .events = events};
    for (;;) { /* bounded by time */
        const uint64_t left = left_until(end_ms);
        const int ready = poll(&poll_fd, 1, left < INT32_MAX ? (int)left : INT32_MAX);
        if (ready > 0) {
            return BT_OK;
        }
        if (ready < 0 && errno != EINTR) {
            return bt_error_errno(error, "cannot wait for the pump", NULL);
        }
        if (left_until(end_ms) == 0) {
            return bt_error_set(error, BT_ELIMIT, "the pump gave no answer in time");
        }
    }
}

static enum bt_status hung_up(const struct bt_control_client *control, struct bt_error *error)
{
    return control->in.len == 0 && control->in_done == 0
               ? bt_error_set(error, BT_EDENIED,
                              "the pump hung up: oob.admin_uids names who may ask")
               : bt_error_set(error, BT_EIO, "the pump hung up");
}

static enum bt_status send_all(struct bt_control_client *control, uint64_t end_ms,
                               struct bt_error *error)
{
    const bt_str text = bt_buf_str(&control->out);
    for (size_t at = 0; at < text.len;) {
        const ssize_t sent = send(control->fd, text.ptr + at, text.len - at, MSG_NOSIGNAL);
        if (sent >= 0) {
            at += (size_t)sent;
        } else if (errno == EAGAIN) {
            BT_TRY(wait_for(control, POLLOUT, end_ms, error));
        } else if (errno != EINTR) {
            return errno == EPIPE || errno == ECONNRESET
                       ? hung_up(control, error)
                       : bt_error_errno(error, "cannot ask the pump", NULL);
        }
    }
    return BT_OK;
}

/* Read once. BT_EDENIED or BT_EIO: the pump closed the connection. */
static enum bt_status receive_bytes(struct bt_control_client *control, struct bt_error *error)
{
    char *room = bt_buf_reserve(&control->in, READ_BYTES);
    if (!room) {
        return bt_error_set(error, control->in.status, "%s", bt_status_text(control->in.status));
    }
    const ssize_t got = recv(control->fd, room, READ_BYTES, 0);
    if (got > 0) {
        control->in.len += (size_t)got;
        return BT_OK;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return BT_OK;
    }
    return got == 0 || errno == ECONNRESET ? hung_up(control, error)
                                           : bt_error_errno(error, "cannot hear the pump", NULL);
}

/* Drop the bytes that were handled. */
static void discard_taken_bytes(struct bt_control_client *control)
{
    if (control->in_done > 0) {
        memmove(control->in.ptr, control->in.ptr + control->in_done,
                control->in.len - control->in_done);
        control->in.len -= control->in_done;
        control->in_seen = 0;
        control->in_done = 0;
    }
}

/* The next line, without its end, in the arena. */
static enum bt_status take_line(struct bt_control_client *control, struct bt_arena *arena,
                                uint64_t end_ms, bt_str *out, struct bt_error *error)
{
    discard_taken_bytes(control);
    for (;;) { /* bounded by time, and by the room for one line */
        const bt_str all = bt_buf_str(&control->in);
        const size_t end = bt_str_find_byte(all, '\n', control->in_seen);
        if (end < all.len) {
            control->in_done = end + 1;
            return bt_arena_copy(arena, bt_str_slice(all, 0, end), out);
        }
        control->in_seen = all.len;
        BT_TRY(wait_for(control, POLLIN, end_ms, error));
        BT_TRY(receive_bytes(control, error));
    }
}

static enum bt_status put_request(struct bt_control_client *control,
                                  const struct bt_control_request *question)
{
    struct bt_emit emit;
    bt_buf_clear(&control->out);
    bt_emit_init(&emit, &control->out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_u64(&emit, "id", ++control->request_count);
    bt_emit_member_string(&emit, "method", question->method);
    if (question->params.len > 0) {
        bt_emit_member_raw(&emit, "params", question->params);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(&control->out, '\n');
    return control->out.status;
}

static enum bt_status write_value(struct bt_arena *arena, const struct bt_json_doc *document,
                                  const bt_json_value *value, bt_str *out)
{
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_arena_copy(arena, bt_str_slice(bt_json_source(document), span.begin, span.end), out);
}

static enum bt_status read_answer(struct bt_arena *arena, bt_str line,
                                  struct bt_control_result *out, struct bt_error *error)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    options.document_bytes_max = LINE_BYTES_MAX;
    /* from: socket */
    BT_TRY(bt_json_read(arena, line, &options, &read));
    const bt_json_value *root = read.document ? bt_json_root(read.document) : NULL;
    const bt_json_value *result = bt_json_get(read.document, root, BT_STR("result"));
    const bt_json_value *refusal = bt_json_get(read.document, root, BT_STR("error"));
    const bt_json_value *code = bt_json_get(read.document, refusal, BT_STR("code"));
    const bt_json_value *message = bt_json_get(read.document, refusal, BT_STR("message"));
    const bt_json_value *data = bt_json_get(read.document, refusal, BT_STR("data"));
    *out = (struct bt_control_result){
        .result = BT_STR("null"), .message = BT_STR(""), .data = BT_STR("")};
    if (result) {
        return write_value(arena, read.document, result, &out->result);
    }
    if (!code || bt_json_type(code) != BT_JSON_INTEGER || !message) {
        return bt_error_set(error, BT_EIO, "the answer is not one of a pump");
    }
    out->error = (int)code->as.integer;
    out->message = bt_json_text(message);
    return data ? write_value(arena, read.document, data, &out->data) : BT_OK;
}

enum bt_status bt_control_client_call(struct bt_control_client *control, struct bt_arena *arena,
                                      const struct bt_control_request *question,
                                      struct bt_control_result *out, struct bt_error *error)
{
    assert(control);
    assert(question);
    assert(out);
    const uint64_t end_ms = bt_clock_monotonic_ms() + question->wait_ms;
    bt_str line;
    if (bt_str_find_byte(question->params, '\n', 0) < question->params.len) {
        return bt_error_set(error, BT_EINVAL, "the params must stand in one line");
    }
    BT_TRY(put_request(control, question));
    BT_TRY(send_all(control, end_ms, error));
    BT_TRY(take_line(control, arena, end_ms, &line, error));
    return read_answer(arena, line, out, error);
}

enum bt_status bt_control_client_next_event(struct bt_control_client *control,
                                            struct bt_arena *arena, uint32_t wait_ms, bt_str *out,
                                            struct bt_error *error)
{
    assert(control);
    assert(out);
    bt_str line;
    struct bt_json_read_result read = {0};
    const enum bt_status status =
        take_line(control, arena, bt_clock_monotonic_ms() + wait_ms, &line, error);
    if (status == BT_ELIMIT) {
        *out = BT_STR("");
        return BT_OK;
    }
    BT_TRY(status);
    /* from: socket */
    BT_TRY(bt_json_read(arena, line, NULL, &read));
    const bt_json_value *root = read.document ? bt_json_root(read.document) : NULL;
    const bt_json_value *params = bt_json_get(read.document, root, BT_STR("params"));
    return params ? write_value(arena, read.document, params, out)
                  : bt_error_set(error, BT_EIO, "the event is not one of a pump");
}
