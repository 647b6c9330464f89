/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - results on standard output, errors on standard error.
 *
 * stdio is not used, because every failed or incomplete write must be noticed.
 */
#include "print.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

enum { LINE_BYTES_MAX = 1280 };

bool cli_write(int fd, bt_str text)
{
    while (text.len > 0) {
        const ssize_t count = write(fd, text.ptr, text.len);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        text.ptr += count;
        text.len -= (size_t)count;
    }
    return true;
}

/* Print one line on standard error, beginning with `margin`. */
static BT_PRINTF(2, 0) void print_line(const char *margin, const char *format, va_list arguments)
{
    char line[LINE_BYTES_MAX];
    const int size = vsnprintf(line, sizeof(line), format, arguments);
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)8 * LINE_BYTES_MAX); /* room for every byte escaped */
    bt_buf_put_text(&buf, margin);
    bt_buf_put_printable(&buf, size > 0 ? bt_str_of(line) : BT_STR("?"),
                         (size_t)4 * LINE_BYTES_MAX);
    bt_buf_put_text(&buf, size >= LINE_BYTES_MAX ? "...\n" : "\n");
    /* A failure here cannot be reported; the exit code remains. */
    (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
}

void cli_print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("baton: ", format, arguments);
    va_end(arguments);
}

void cli_print_hint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("       ", format, arguments);
    va_end(arguments);
}

int cli_misuse_code(const struct cli_command *command)
{
    /* An agent host passes an event on standard input; a person has a terminal there. */
    return command->misused && isatty(STDIN_FILENO) != 1 ? command->misused : CLI_FAILED;
}

int cli_usage_error(const struct cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("baton: ", format, arguments);
    va_end(arguments);
    cli_print_hint("see %s --help", command->name);
    return cli_misuse_code(command);
}

bool cli_reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = 0};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int cli_print(bt_str text)
{
    /* A reader such as `head` that closes the pipe is not an error. */
    if (!cli_write(STDOUT_FILENO, text) && errno != EPIPE) {
        cli_print_error("cannot write to standard output: %s", strerror(errno));
        return CLI_FAILED;
    }
    return CLI_DONE;
}

int cli_print_buf(struct bt_buf *buf)
{
    assert(buf);
    if (buf->status == BT_OK) {
        bt_json_escape_hidden(buf, 0);
    }
    return cli_print_document(buf);
}

int cli_print_document(struct bt_buf *buf)
{
    assert(buf);
    int code = CLI_FAILED;
    if (buf->status == BT_OK) {
        code = cli_print(bt_buf_str(buf));
    } else {
        cli_print_error("cannot put the output together: %s", bt_status_text(buf->status));
    }
    bt_buf_free(buf);
    return code;
}
