/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - a server on two descriptors.
 *
 * Changes that have already arrived are handled as one, and nothing is delayed: diagnostics are
 * published as soon as no more input is waiting.
 */
#include "base/build_options.h"
#if !BT_POSIX_ONLY
#define _GNU_SOURCE /* syscall() */
#endif
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#if !BT_POSIX_ONLY
#include <sys/syscall.h>
#endif

#include "lsp/lsp.h"

enum { READ_BYTES = 256 << 10, PROCESS_INTERVAL_MS = 1000 };

/* The process that started the server. */
struct lsp_parent {
    int64_t id; /* 0: not watched */
    int fd;     /* becomes readable when it ends; -1: none, so that it is polled */
};

struct lsp_stream {
    struct lsp_server *server;
    int input;
    int output;
    struct lsp_parent parent;
};

static bool write_all(int fd, bt_str bytes)
{
    size_t sent = 0;
    while (sent < bytes.len) {
        const ssize_t count = write(fd, bytes.ptr + sent, bytes.len - sent);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        sent += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool flush_output(struct lsp_stream *stream)
{
    struct bt_buf *output = lsp_server_output(stream->server);
    const bool is_sent = output->status == BT_OK && write_all(stream->output, bt_buf_str(output));
    bt_buf_clear(output);
    return is_sent;
}

/* Watch the process once its id is known. */
static void watch_parent(struct lsp_stream *stream)
{
    const int64_t id = lsp_server_process_id(stream->server);
    if (id <= 0 || id > INT32_MAX || stream->parent.id == id) {
        return;
    }
    stream->parent.id = id;
#if BT_POSIX_ONLY
    stream->parent.fd = -1;
#else
    stream->parent.fd = (int)syscall(SYS_pidfd_open, (pid_t)id, 0);
#endif
}

static bool parent_is_gone(const struct lsp_parent *parent)
{
    return parent->id > 0 && kill((pid_t)parent->id, 0) != 0 && errno == ESRCH;
}

/* True when input is waiting now. */
static bool has_input(const struct lsp_stream *stream)
{
    struct pollfd input = {.fd = stream->input, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

/* Wait for input. False: the process that started the server is gone. */
static bool wait_for_input(struct lsp_stream *stream)
{
    for (;;) { /* ends with input or with the process; without both the client is idle */
        watch_parent(stream);
        struct pollfd sources[2] = {{.fd = stream->input, .events = POLLIN},
                                    {.fd = stream->parent.fd, .events = POLLIN}};
        const int count = poll(sources, 2, PROCESS_INTERVAL_MS);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count > 0 && sources[0].revents != 0) {
            return true;
        }
        if (parent_is_gone(&stream->parent)) {
            return false;
        }
    }
}

/* Read what is there. Returns the number of bytes; 0: the end; -1: an error. */
static ssize_t read_input(struct lsp_stream *stream, struct bt_error *error)
{
    char bytes[READ_BYTES];
    ssize_t count = 0;
    do {
        count = read(stream->input, bytes, sizeof(bytes));
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        (void)bt_error_set(error, BT_EIO, "cannot read: %s", strerror(errno));
    } else if (count > 0) {
        const enum bt_status status =
            lsp_server_receive(stream->server, (bt_str){bytes, (size_t)count});
        if (status != BT_OK) {
            (void)bt_error_set(error, status, "cannot read: %s", bt_status_text(status));
            return -1;
        }
    }
    return count;
}

/*
 * Take everything that has arrived, but not more than one large frame before it is handled. False:
 * the input has ended, or `error` is set.
 */
static bool take_input(struct lsp_stream *stream, struct bt_error *error)
{
    ssize_t count = 1;
    bool is_waiting = true;
    while (count > 0 && is_waiting) {
        count = read_input(stream, error);
        is_waiting = !lsp_server_is_full(stream->server) && has_input(stream);
    }
    return count > 0;
}

static int serve_messages(struct lsp_stream *stream, struct bt_error *error)
{
    enum { FAILED = 2 };
    bool is_open = true;
    while (is_open && wait_for_input(stream)) {
        is_open = take_input(stream, error);
        const enum lsp_state state = lsp_server_handle(stream->server);
        if (state == LSP_RUNNING && is_open && !has_input(stream)) {
            lsp_server_publish(stream->server);
        }
        if (!flush_output(stream)) {
            (void)bt_error_set(error, BT_EIO, "cannot write to the client");
            return FAILED;
        }
        if (state == LSP_BROKEN) {
            (void)bt_error_set(error, BT_EINVAL,
                               "a frame is malformed: it needs a header Content-Length: N with N "
                               "from 1 to %d, ended by CRLF, and content in UTF-8",
                               LSP_FRAME_BYTES_MAX);
            return FAILED;
        }
        if (error->status != BT_OK) {
            return FAILED;
        }
        if (state == LSP_ENDED) {
            break;
        }
    }
    return lsp_server_exit_code(stream->server);
}

int lsp_serve(struct lsp_server *server, int input, int output, struct bt_error *error)
{
    struct lsp_stream stream = {
        .server = server, .input = input, .output = output, .parent = {.fd = -1}};
    error->status = BT_OK;
    const int code = serve_messages(&stream, error);
    if (stream.parent.fd >= 0) {
        (void)close(stream.parent.fd);
    }
    return code;
}
