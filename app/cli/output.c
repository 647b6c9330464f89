/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - print results, errors and reports, and log judgements. */
#define _XOPEN_SOURCE 700 /* realpath() */
#define _DEFAULT_SOURCE   /* TIOCGWINSZ */

#include "output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/file.h"
#include "check/failure.h"
#include "json/emit.h"
#include "suggest.h"

/* ---- Texts and errors ------------------------------------------------------------------------ */

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

int cli_failed(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("baton: ", format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

bool cli_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("baton: ", format, arguments);
    va_end(arguments);
    return false;
}

int cli_fail_status(enum bt_status status)
{
    return cli_failed("%s", bt_status_text(status));
}

bool cli_refuse_status(enum bt_status status)
{
    return cli_refuse("%s", bt_status_text(status));
}

bool cli_refuse_error(const struct bt_error *error)
{
    return error->text[0] ? cli_refuse("%s", error->text) : cli_refuse_status(BT_ENOMEM);
}

bool cli_is_ok(enum bt_status status)
{
    return status == BT_OK || cli_refuse_status(status);
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

bool cli_refuse_usage(const struct cli_options *options, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("baton: ", format, arguments);
    va_end(arguments);
    cli_print_hint("see %s --help", options->command->name);
    return false;
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
        return cli_failed("cannot write to standard output: %s", strerror(errno));
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
        cli_print_error("cannot make the output: %s", bt_status_text(buf->status));
    }
    bt_buf_free(buf);
    return code;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void cli_json_begin(struct bt_emit *emit, struct bt_buf *buf)
{
    bt_emit_init(emit, buf, false);
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "baton", 1);
}

void cli_json_end(struct bt_emit *emit)
{
    bt_emit_end(emit);
    bt_buf_put_char(emit->buf, '\n');
}

void cli_json_bool(struct bt_emit *emit, const char *name, bool value)
{
    bt_emit_name(emit, name);
    bt_emit_bool(emit, value);
}

void cli_json_array(struct bt_emit *emit, const char *name)
{
    bt_emit_name(emit, name);
    bt_emit_begin_array(emit);
}

/* ---- Failures -------------------------------------------------------------------------------- */

void cli_note_failure(const struct cli_options *options, bt_str path, enum bt_failure_reason reason,
                      const char *message)
{
    const struct bt_failure failure = {path, reason, bt_str_of(message)};
    bt_report_fail(options->report, &failure);
}

void cli_fail(const struct cli_options *options, const char *verb, const struct bt_failure *failure)
{
    cli_print_error("cannot %s %.*s: %.*s", verb, BT_STR_ARG(failure->path),
                    BT_STR_ARG(failure->message));
    if (failure->reason == BT_FAILURE_NOT_FOUND) {
        cli_print_near_file(failure->path);
    }
    bt_report_fail(options->report, failure);
}

enum bt_failure_reason cli_reason_of_path(const char *path, enum bt_status status)
{
    struct stat info;
    if (status == BT_ENOENT) {
        return BT_FAILURE_NOT_FOUND;
    }
    if (status == BT_ENOMEM) {
        return BT_FAILURE_MEMORY;
    }
    if (status != BT_EDENIED) {
        return BT_FAILURE_IO;
    }
    /* The status does not distinguish a path that is not a file from one that may not be read. */
    if (stat(path, &info) != 0) {
        return check_failure_of_errno(errno);
    }
    const bool is_other = !S_ISREG(info.st_mode) && access(path, R_OK) == 0;
    return is_other ? BT_FAILURE_NOT_A_FILE : BT_FAILURE_PERMISSION;
}

/* ---- Reports --------------------------------------------------------------------------------- */

enum { REPORT_BYTES_MAX = 1 << 30, PIECE_BYTES = 1 << 16, EXCUSE_BYTES_MAX = 1 << 16 };

/* What decides: the word always or never, or neither. */
enum output_choice { OUTPUT_AUTO, OUTPUT_ALWAYS, OUTPUT_NEVER };

static enum output_choice parse_choice(bt_str word)
{
    return bt_str_eq(word, BT_STR("always"))  ? OUTPUT_ALWAYS
           : bt_str_eq(word, BT_STR("never")) ? OUTPUT_NEVER
                                              : OUTPUT_AUTO;
}

/* True when the variable is set to something that is neither empty nor 0. */
static bool is_forced(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* True when escape sequences do not disturb the terminal. */
static bool has_escapes(void)
{
    const char *terminal = getenv("TERM");
    return terminal && strcmp(terminal, "dumb") != 0;
}

bool cli_wants_colour(const struct cli_options *options)
{
    const char *no_colour = getenv("NO_COLOR");
    enum output_choice choice = parse_choice(bt_str_of(cli_given(options, &flag_color)));
    if (choice == OUTPUT_AUTO && no_colour && no_colour[0] != '\0') {
        return false;
    }
    if (choice == OUTPUT_AUTO && (is_forced("FORCE_COLOR") || is_forced("CLICOLOR_FORCE"))) {
        return true;
    }
    if (choice == OUTPUT_AUTO) {
        choice = parse_choice(bt_config_text(options->config, "output.color"));
    }
    return choice == OUTPUT_AUTO ? has_escapes() && isatty(STDOUT_FILENO) == 1
                                 : choice == OUTPUT_ALWAYS;
}

/* True when the codes on standard output lead to the rules page. */
bool cli_wants_links(const struct cli_options *options)
{
    const char *given = cli_given(options, &flag_hyperlinks);
    enum output_choice choice = parse_choice(bt_str_of(given));
    if (choice == OUTPUT_AUTO && !given) {
        choice = parse_choice(bt_config_text(options->config, "output.hyperlinks"));
    }
    return choice == OUTPUT_AUTO ? isatty(STDOUT_FILENO) == 1 && has_escapes() && !getenv("CI") &&
                                       cli_wants_colour(options)
                                 : choice == OUTPUT_ALWAYS;
}

bool cli_is_quiet(const struct cli_options *options)
{
    return cli_given(options, &flag_quiet) != NULL;
}

bool cli_prints_text(const struct cli_options *options)
{
    bool prints_text = options->output_count == 0;
    for (size_t i = 0; i < options->output_count; i++) {
        prints_text = prints_text || (!options->outputs[i].path &&
                                      options->outputs[i].format <= BT_REPORT_FORMAT_CONCISE);
    }
    return prints_text;
}

size_t cli_terminal_columns(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool cli_wants_json(const struct cli_options *options)
{
    return options->output_count > 0 && options->outputs[0].format == BT_REPORT_FORMAT_JSON;
}

/* True when the file is one of our own standard streams. */
static bool is_own_stream(const struct stat *file)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat stream;
        if (fstat(fd, &stream) == 0 && stream.st_dev == file->st_dev &&
            stream.st_ino == file->st_ino) {
            return true;
        }
    }
    return false;
}

/*
 * The path that can be replaced atomically: a regular file, the target of a link, or a file that
 * does not exist yet. False for a device, a pipe or a name of our own stream such as /dev/stdout:
 * those are written to, because replacing them would destroy them.
 */
static bool find_replaceable(const char *path, char out[PATH_MAX])
{
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode)) {
        return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX;
    }
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && !is_own_stream(&info) &&
           realpath(path, out);
}

static bool write_through(const char *path, bt_str text, struct bt_error *error)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    const bool written = fd >= 0 && cli_write(fd, text);
    int number = errno;
    const bool closed = fd >= 0 && close(fd) == 0;
    number = written ? errno : number;
    if (!written || !closed) {
        (void)bt_error_set(error, BT_EIO, "%s", strerror(number));
    }
    return written && closed;
}

static bool write_file(const char *path, bt_str text, struct bt_error *error)
{
    char place[PATH_MAX];
    const bool written = find_replaceable(path, place)
                             ? bt_file_replace(bt_str_of(place), text, error) == BT_OK
                             : write_through(path, text, error);
    if (!written) {
        cli_print_error("cannot write %s: %s", path, error->text);
    }
    return written;
}

/* One run of writing all requested outputs. */
struct cli_output_writing {
    const struct cli_options *options;
    const struct cli_output *outputs;
    size_t count;
    struct bt_report *report;
    bt_str members;
    bt_str time; /* of a run among several, or "" */
    bool has_failed[CLI_OUTPUTS_MAX];
};

/*
 * Render a report that only states that the real one could not be made, so that an old one does not
 * stay.
 */
static enum bt_status render_excuse(const struct bt_report_render_options *options,
                                    const char *message, struct bt_buf *buf)
{
    const struct bt_failure failure = {BT_STR(""), BT_FAILURE_MEMORY, bt_str_of(message)};
    struct bt_arena arena;
    bt_arena_init(&arena, EXCUSE_BYTES_MAX);
    struct bt_report *report = bt_report_new(&arena);
    enum bt_status status = BT_ENOMEM;
    if (report) {
        bt_report_fail(report, &failure);
        status = bt_report_render(report, options, buf);
    }
    bt_arena_free(&arena);
    return status;
}

static bool write_rendered(const struct cli_output *output, bt_str text, struct bt_error *error)
{
    if (output->path) {
        return write_file(output->path, text, error);
    }
    const bool written = cli_print(text) == CLI_DONE;
    if (!written) {
        (void)bt_error_set(error, BT_EIO, "the report could not be written");
    }
    return written;
}

/* Render a report and write it. To standard output JSON Lines are written in pieces, since they may
 * be as long as all documents together. */
static enum bt_status put_report(const struct bt_report *report,
                                 const struct bt_report_render_options *options,
                                 const struct cli_output *output, struct bt_buf *buf,
                                 bool *out_is_written, struct bt_error *error)
{
    if (output->path || options->format != BT_REPORT_FORMAT_JSONL) {
        BT_TRY(bt_report_render(report, options, buf));
        *out_is_written = write_rendered(output, bt_buf_str(buf), error);
        return BT_OK;
    }
    bool is_written = true;
    const size_t count = bt_report_count(report);
    for (size_t i = 0; is_written && i <= count; i++) {
        bt_report_put_jsonl(report, options, i, buf);
        BT_TRY(buf->status);
        if (buf->len >= PIECE_BYTES || i == count) {
            is_written = write_rendered(output, bt_buf_str(buf), error);
            bt_buf_clear(buf);
        }
    }
    *out_is_written = is_written;
    return BT_OK;
}

static bool write_one(const struct cli_output_writing *writing, const struct cli_output *output,
                      struct bt_error *error)
{
    const struct cli_options *flags = writing->options;
    const bool is_shown = !output->path;
    const struct bt_report_render_options options = {
        .format = output->format,
        .colour = is_shown && cli_wants_colour(flags),
        .columns = is_shown ? cli_terminal_columns() : 0,
        .extra_members = writing->members,
        .quiet_below = cli_is_quiet(flags) ? flags->fail_level : BT_SEVERITY_NONE,
        .docs_url = is_shown && cli_wants_links(flags)
                        ? bt_config_text(flags->config, "output.docs_url")
                        : BT_STR(""),
        .hides_clean = is_shown && writing->time.len > 0,
        .time = is_shown ? writing->time : BT_STR(""),
        .is_verbose = cli_given(flags, &flag_verbose) != NULL,
        .statistics = cli_given(flags, &flag_statistics) != NULL,
        .exits_zero = cli_given(flags, &flag_exit_zero) != NULL};
    struct bt_buf buf;
    bt_buf_init(&buf, REPORT_BYTES_MAX);
    bool is_written = false;
    const enum bt_status status =
        put_report(writing->report, &options, output, &buf, &is_written, error);
    bt_buf_free(&buf);
    if (status != BT_OK) {
        (void)bt_error_set(error, status, "cannot render the report: %s", bt_status_text(status));
        cli_print_error("%s", error->text);
        struct bt_error second;
        bt_buf_init(&buf, REPORT_BYTES_MAX);
        if (output->path && render_excuse(&options, error->text, &buf) == BT_OK) {
            (void)write_file(output->path, bt_buf_str(&buf), &second);
        }
        bt_buf_free(&buf);
    }
    return is_written;
}

enum { FILES, FILES_AGAIN, STREAMS };

/* True when an output is written in this pass. Only files that are replaced are written again. */
static bool is_due(const struct cli_output *output, int pass)
{
    char place[PATH_MAX];
    if (pass == STREAMS || !output->path) {
        return pass == STREAMS && !output->path;
    }
    return pass == FILES || find_replaceable(output->path, place);
}

/* Write the outputs of a pass. One that cannot be written becomes a failure of the report. */
static bool write_pass(struct cli_output_writing *writing, int pass)
{
    bool written = true;
    for (size_t i = 0; i < writing->count; i++) {
        const struct cli_output *output = &writing->outputs[i];
        struct bt_error error = {0};
        if (writing->has_failed[i] || !is_due(output, pass) || write_one(writing, output, &error)) {
            continue;
        }
        const struct bt_failure failure = {output->path ? bt_str_of(output->path)
                                                        : BT_STR("<stdout>"),
                                           BT_FAILURE_IO, bt_str_of(error.text)};
        bt_report_fail(writing->report, &failure);
        writing->has_failed[i] = true;
        written = false;
    }
    return written;
}

bool cli_report_write_one(const struct cli_options *options, struct bt_arena *arena,
                          const struct bt_judgement *judged)
{
    struct bt_report *report = bt_report_new(arena);
    return report && bt_report_add(report, judged) == BT_OK ? cli_report_write(options, report)
                                                            : cli_refuse_status(BT_ENOMEM);
}

void cli_report_complain(struct bt_arena *arena, const struct bt_judgement *judged)
{
    const struct bt_report_render_options options = {.format = BT_REPORT_FORMAT_CONCISE,
                                                     .extra_members = BT_STR("")};
    struct bt_report *report = bt_report_new(arena);
    struct bt_buf buf;
    bt_buf_init(&buf, REPORT_BYTES_MAX);
    if (report && bt_report_add(report, judged) == BT_OK &&
        bt_report_render(report, &options, &buf) == BT_OK) {
        (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
}

bool cli_report_write(const struct cli_options *options, struct bt_report *report)
{
    return cli_report_write_with(options, report, BT_STR(""));
}

bool cli_report_write_with(const struct cli_options *options, struct bt_report *report,
                           bt_str members)
{
    return cli_report_write_timed(options, report, members, BT_STR(""));
}

bool cli_report_write_timed(const struct cli_options *options, struct bt_report *report,
                            bt_str members, bt_str time)
{
    assert(options);
    assert(report);
    static const struct cli_output by_default = {.format = BT_REPORT_FORMAT_FULL};
    struct cli_output_writing writing = {
        .options = options,
        .outputs = options->output_count > 0 ? options->outputs : &by_default,
        .count = options->output_count > 0 ? options->output_count : 1,
        .report = report,
        .members = members,
        .time = time};
    /* A file that was written before another one failed must not state that the run succeeded. */
    const bool has_files = write_pass(&writing, FILES);
    if (!has_files) {
        (void)write_pass(&writing, FILES_AGAIN);
    }
    const bool has_streams = write_pass(&writing, STREAMS);
    if (!has_streams) {
        (void)write_pass(&writing, FILES_AGAIN);
    }
    return has_files && has_streams;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

void cli_print_empty(const struct cli_options *options, const char *sentences)
{
    if (!cli_is_quiet(options)) {
        (void)cli_write(STDERR_FILENO, bt_str_of(sentences));
        (void)cli_write(STDERR_FILENO, BT_STR("\n"));
    }
}

enum { RELATIVE_DAYS_MAX = 30, DAY_SECONDS = 86400 };

/* "3 min ago", "in 2 h" */
static enum bt_status write_relative(struct bt_arena *arena, int64_t seconds, bt_str *out)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = {{DAY_SECONDS, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    const int64_t distance = seconds < 0 ? -seconds : seconds;
    size_t unit = 0;
    while (unit < 3 && distance < units[unit].seconds) {
        unit++;
    }
    return bt_arena_printf(arena, out, "%s%" PRId64 " %s%s", seconds > 0 ? "in " : "",
                           distance / units[unit].seconds, units[unit].name,
                           seconds > 0 ? "" : " ago");
}

static enum bt_status write_local(struct bt_arena *arena, bt_instant instant, bt_str *out)
{
    const time_t seconds = (time_t)instant.seconds;
    char text[64];
    struct tm local;
    if (!localtime_r(&seconds, &local) ||
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local) == 0) {
        return BT_OK; /* it stays as it is */
    }
    return bt_arena_copy(arena, bt_str_of(text), out);
}

enum bt_status cli_time_text(const struct cli_options *options, struct bt_arena *arena,
                             bt_instant now, bt_str time, bt_str *out)
{
    const bt_str style = bt_config_text(options->config, "output.time");
    const bool is_relative = bt_str_eq(style, BT_STR("relative")) ||
                             (bt_str_eq(style, BT_STR("auto")) && isatty(STDOUT_FILENO) == 1);
    bt_instant instant;
    *out = time;
    if (bt_instant_parse(time, &instant) != BT_OK) {
        return BT_OK;
    }
    const int64_t distance = instant.seconds - now.seconds;
    if (is_relative && distance <= (int64_t)RELATIVE_DAYS_MAX * DAY_SECONDS &&
        distance >= -(int64_t)RELATIVE_DAYS_MAX * DAY_SECONDS) {
        return write_relative(arena, distance, out);
    }
    if (is_relative) {
        *out = bt_str_slice(time, 0, strlen("YYYY-MM-DD"));
    }
    return bt_str_eq(style, BT_STR("local")) ? write_local(arena, instant, out) : BT_OK;
}

/* ---- Traces ---------------------------------------------------------------------------------- */

enum bt_status cli_trace_judgement(const struct cli_options *options, struct bt_env *env,
                                   struct bt_arena *arena, enum bt_trace_event_type type,
                                   struct bt_judgement *judged)
{
    assert(judged);
    const char *log = cli_given(options, &flag_trace_log);
    if (!log || judged->dialect != BT_DIALECT_UNIVERSAL) {
        return BT_OK;
    }
    BT_TRY(bt_trace_log_judgement(env, arena, bt_str_of(log), type, judged));
    const enum bt_severity fail_level = options->fail_level;
    judged->verdict = bt_verdict_of(judged->findings, fail_level ? fail_level : BT_SEVERITY_HARD);
    return BT_OK;
}
