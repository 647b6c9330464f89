/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - a report, rendered in each format and written where it belongs.
 */
#include "output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/file.h>

#include "say.h"

enum { REPORT_BYTES_MAX = 1 << 30 };

bool cli_wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    const bool refused = no_colour && no_colour[0] != '\0';
    const bool is_dumb = terminal && strcmp(terminal, "dumb") == 0;
    return !refused && !is_dumb && isatty(STDOUT_FILENO) == 1;
}

/* How wide the terminal is that standard output goes to; 0 when it is none. */
static size_t terminal_columns(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool cli_wants_json(const struct cli_options *options)
{
    return options->output_count > 0 && options->outputs[0].format == BT_FORMAT_JSON;
}

/* A device, a pipe or a link such as /dev/stdout is written through: to replace it would destroy
 * it. Everything else is replaced as a whole. */
static bool is_replaceable(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

static bool write_through(const char *path, bt_str text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    const bool written = fd >= 0 && cli_write(fd, text);
    int number = errno;
    const bool closed = fd >= 0 && close(fd) == 0;
    number = written ? errno : number;
    if (!written || !closed) {
        cli_complain("cannot write %s: %s", path, strerror(number));
    }
    return written && closed;
}

static bool write_file(const char *path, bt_str text)
{
    if (!is_replaceable(path)) {
        return write_through(path, text);
    }
    struct bt_error error;
    if (bt_file_replace(bt_str_of(path), text, &error) != BT_OK) {
        cli_complain("cannot write %s: %s", path, error.text);
        return false;
    }
    return true;
}

static bool write_one(const struct bt_report *report, const struct cli_output *output,
                      bt_str members)
{
    const struct bt_render_options options = {.format = output->format,
                                              .colour = !output->path && cli_wants_colour(),
                                              .columns = output->path ? 0 : terminal_columns(),
                                              .members = members};
    struct bt_buf buf;
    bt_buf_init(&buf, REPORT_BYTES_MAX);
    const enum bt_status status = bt_report_render(report, &options, &buf);
    bool written = false;
    if (status != BT_OK) {
        cli_complain("cannot render the report: %s", bt_status_text(status));
    } else if (output->path) {
        written = write_file(output->path, bt_buf_str(&buf));
    } else {
        written = cli_print(bt_buf_str(&buf)) == CLI_DONE;
    }
    bt_buf_free(&buf);
    return written;
}

bool cli_report_write(const struct cli_options *options, const struct bt_report *report)
{
    return cli_report_write_with(options, report, BT_STR(""));
}

bool cli_report_write_with(const struct cli_options *options, const struct bt_report *report,
                           bt_str members)
{
    assert(options);
    assert(report);
    static const struct cli_output by_default = {.format = BT_FORMAT_FULL};
    if (options->output_count == 0) {
        return write_one(report, &by_default, members);
    }
    bool written = true;
    for (size_t i = 0; i < options->output_count; i++) {
        written = write_one(report, &options->outputs[i], members) && written;
    }
    return written;
}
