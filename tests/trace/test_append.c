/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_append.c - the end of a log: what is written, what is refused, and many writers at once.
 */
#define _DEFAULT_SOURCE /* flock() */
#include "log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

enum { WRITERS = 8, LINES_EACH = 40 };

#define LOG "append.jsonl"
#define SHORT_EVENT                                                                                \
    "{\"trace_id\":\"t\",\"span_id\":null,\"parent_span_id\":null,\"timestamp\":"                  \
    "\"1970-01-01T00:00:00.000Z\",\"event_type\":\"error\",\"workflow\":\"w\",\"phase\":null,"     \
    "\"details\":{},\"duration_ms\":null}\n"

static const struct bt_trace_event short_event = {
    .trace_id = BT_STR_INIT("t"), .type = BT_TRACE_EVENT_ERROR, .workflow = BT_STR_INIT("w")};

/* A folder of its own for each test, which runs in it. */
static int enter_folder(void **state)
{
    char *folder = test_malloc(32);
    (void)snprintf(folder, 32, "/tmp/baton-trace-XXXXXX");
    *state = folder;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)unlink(LOG);
    (void)unlink("link");
    (void)unlink("fifo");
    const int result = chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
    test_free(*state);
    return result;
}

static void write_log(const char *text)
{
    assert_int_equal(bt_file_replace(BT_STR(LOG), bt_str_of(text), NULL), BT_OK);
}

static bt_str read_log(struct bt_arena *arena)
{
    bt_str text = BT_STR("");
    bt_arena_init(arena, 64 << 20);
    assert_int_equal(bt_file_read(arena, BT_STR(LOG), 32 << 20, &text, NULL), BT_OK);
    return text;
}

static void expect_log(const char *expected)
{
    struct bt_arena arena;
    const bt_str text = read_log(&arena);
    if (!bt_str_eq(text, bt_str_of(expected))) {
        fail_msg("got '%.*s', expected '%s'", BT_STR_ARG(text), expected);
    }
    bt_arena_free(&arena);
}

static void a_line_has_all_members_in_order(void **state)
{
    (void)state;
    const struct bt_trace_event event = {
        .trace_id = BT_STR("6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"),
        .span_id = BT_STR("s"),
        .parent_span_id = BT_STR("p"),
        .at = {1776155400, 1999999},
        .type = BT_TRACE_EVENT_HANDOFF_TRANSMITTED,
        .workflow = BT_STR("a \"quoted\"\n\x1b name"),
        .phase = BT_STR(""),
        .details = BT_STR("{\"k\":1}"),
        .has_duration = true,
        .duration_ms = 1200,
    };
    assert_int_equal(bt_trace_append(BT_STR(LOG), &event, 0, NULL), BT_OK);
    expect_log("{\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\",\"span_id\":\"s\","
               "\"parent_span_id\":\"p\",\"timestamp\":\"2026-04-14T08:30:00.001Z\","
               "\"event_type\":\"handoff_transmitted\",\"workflow\":\"a \\\"quoted\\\"\\n\\u001b "
               "name\",\"phase\":\"\",\"details\":{\"k\":1},\"duration_ms\":1200}\n");
    struct stat info;
    assert_int_equal(stat(LOG, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void absent_members_are_null_and_details_an_empty_object(void **state)
{
    (void)state;
    assert_int_equal(bt_trace_append(BT_STR(LOG), &short_event, 0, NULL), BT_OK);
    assert_int_equal(bt_trace_append(BT_STR(LOG), &short_event, 0, NULL), BT_OK);
    expect_log(SHORT_EVENT SHORT_EVENT);
}

static void a_torn_last_line_is_ended_first(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        const char *after;
    } rows[] = {
        {"", SHORT_EVENT},        {"{\"trace_id\":\"6a0f", "{\"trace_id\":\"6a0f\n" SHORT_EVENT},
        {"x", "x\n" SHORT_EVENT}, {"x\n", "x\n" SHORT_EVENT},
        {"\n", "\n" SHORT_EVENT}, {"x\r", "x\r\n" SHORT_EVENT},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        write_log(rows[i].before);
        assert_int_equal(bt_trace_append(BT_STR(LOG), &short_event, 0, NULL), BT_OK);
        expect_log(rows[i].after);
    }
}

static void expect_refusal(bt_str path, enum bt_status status, const char *words)
{
    struct bt_error error = {0};
    assert_int_equal(bt_trace_append(path, &short_event, 0, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.text, words)) {
        fail_msg("%.*s: '%s'", BT_STR_ARG(path), error.text);
    }
}

static void only_regular_files_are_written_to(void **state)
{
    (void)state;
    write_log("");
    assert_int_equal(symlink(LOG, "link"), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    expect_refusal(BT_STR("link"), BT_EDENIED, "symbolic link");
    expect_refusal(BT_STR("fifo"), BT_EDENIED, "not a regular file");
    expect_refusal(BT_STR("/dev/null"), BT_EDENIED, "not a regular file");
    expect_refusal(BT_STR("."), BT_EDENIED, "not a regular file");
    expect_refusal(BT_STR("none/" LOG), BT_ENOENT, "No such file");
    expect_refusal(BT_STR(LOG "/x"), BT_ENOENT, "Not a directory");
    expect_refusal(BT_STR(""), BT_EINVAL, "not a path");
    expect_refusal((bt_str){"a\0b", 3}, BT_EINVAL, "not a path");
    expect_log("");
}

static void an_event_that_is_none_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct bt_trace_event event;
        const char *words;
    } rows[] = {
        {{.type = BT_TRACE_EVENT_ERROR, .workflow = BT_STR_INIT("w")}, "trace_id"},
        {{.type = BT_TRACE_EVENT_ERROR, .trace_id = BT_STR_INIT("t")}, "workflow"},
        {{.trace_id = BT_STR_INIT("t"), .workflow = BT_STR_INIT("w")}, "type"},
        {{.type = BT_TRACE_EVENT_ERROR,
          .trace_id = BT_STR_INIT("t"),
          .workflow = BT_STR_INIT("w"),
          .at = {INT64_C(253402300800), 0}},
         "time"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_error error = {0};
        assert_int_equal(bt_trace_append(BT_STR(LOG), &rows[i].event, 0, &error), BT_EINVAL);
        assert_non_null(strstr(error.text, rows[i].words));
    }
    assert_int_equal(access(LOG, F_OK), -1);
}

static void a_line_that_could_not_be_read_is_not_written(void **state)
{
    (void)state;
    struct bt_buf name;
    bt_buf_init(&name, SIZE_MAX);
    bt_buf_put_repeat(&name, 'w', BT_TRACE_LINE_BYTES_MAX);
    struct bt_trace_event event = short_event;
    event.workflow = bt_buf_str(&name);
    assert_int_equal(bt_trace_append(BT_STR(LOG), &event, 0, NULL), BT_ELIMIT);
    assert_int_equal(access(LOG, F_OK), -1);
    /* The longest one that is written is read again. */
    event.workflow.len -= sizeof(SHORT_EVENT) - sizeof("w\n");
    assert_int_equal(bt_trace_append(BT_STR(LOG), &event, 0, NULL), BT_OK);
    struct bt_arena arena;
    struct log log;
    log_read_text(&log, read_log(&arena));
    assert_int_equal(bt_trace_set_event_count(log.traces), 1);
    log_free(&log);
    bt_arena_free(&arena);
    bt_buf_free(&name);
}

static void waiting_for_the_lock_has_an_end(void **state)
{
    (void)state;
    write_log("");
    const int fd = open(LOG, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    struct bt_error error;
    assert_int_equal(bt_trace_append(BT_STR(LOG), &short_event, 20, &error), BT_ELIMIT);
    assert_non_null(strstr(error.text, "lock"));
    expect_log("");
    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_int_equal(bt_trace_append(BT_STR(LOG), &short_event, 20, &error), BT_OK);
    (void)close(fd);
}

enum { REMOVED = 0, WRITTEN = 1, OTHER = 2 };

/* Remove the log some time after another process began to wait for it; what that one came to. */
static int remove_while_waiting(useconds_t after_us)
{
    write_log("");
    const int fd = open(LOG, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct bt_error error = {0};
        const enum bt_status status = bt_trace_append(BT_STR(LOG), &short_event, 60000, &error);
        _exit(status == BT_OK ? WRITTEN : strstr(error.text, "removed") ? REMOVED : OTHER);
    }
    (void)usleep(after_us);
    assert_int_equal(unlink(LOG), 0);
    assert_int_equal(flock(fd, LOCK_UN), 0);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    (void)close(fd);
    return WEXITSTATUS(status);
}

/* The lock of a ghost is worth nothing, and so is a line in it. A child that is slow to start makes
 * a new log instead, and is given more time. */
static void a_log_that_was_removed_meanwhile_is_not_written_to(void **state)
{
    (void)state;
    int came_to = WRITTEN;
    for (useconds_t after_us = 20000; came_to == WRITTEN && after_us < 5000000; after_us *= 2) {
        came_to = remove_while_waiting(after_us);
    }
    assert_int_equal(came_to, REMOVED);
}

/* A limit on the size of files stands for a full disk: the write ends part-way. */
static void a_write_that_fails_part_way_is_taken_back(void **state)
{
    (void)state;
    write_log("before");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {20, 20};
        struct bt_error error = {0};
        (void)signal(SIGXFSZ, SIG_IGN);
        const bool limited = setrlimit(RLIMIT_FSIZE, &limit) == 0;
        const enum bt_status status = bt_trace_append(BT_STR(LOG), &short_event, 0, &error);
        _exit(limited && status == BT_EIO && error.text[0] ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_log("before");
}

/* One of the writers: its lines name it and count. */
static int write_many(int writer, bool locked)
{
    for (int i = 0; i < LINES_EACH; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "w%d-%d-%s", writer, i,
                       "padding that makes the line a little longer");
        struct bt_trace_event event = short_event;
        event.workflow = bt_str_of(name);
        if (locked) {
            if (bt_trace_append(BT_STR(LOG), &event, 60000, NULL) != BT_OK) {
                return 1;
            }
            continue;
        }
        /* The negative control: look at the end, then write, with nothing to hold it still. */
        const int fd = open(LOG, O_RDWR | O_CREAT, 0600);
        const off_t end = lseek(fd, 0, SEEK_END);
        (void)usleep(200);
        const bool written = pwrite(fd, SHORT_EVENT, sizeof(SHORT_EVENT) - 1, end) > 0;
        (void)close(fd);
        if (!written) {
            return 1;
        }
    }
    return 0;
}

/* Let the writers loose, and count the events that are there afterwards. */
static size_t race(bool locked)
{
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            _exit(write_many(i, locked));
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    struct bt_arena arena;
    struct log log;
    log_read_text(&log, read_log(&arena));
    const size_t count = bt_trace_set_event_count(log.traces);
    if (locked) {
        assert_int_equal(log_count(&log, "TRACE_LINE_INVALID"), 1); /* what was torn before */
        assert_int_equal(bt_trace_set_at(log.traces, 0)->workflow_count, WRITERS * LINES_EACH);
    }
    log_free(&log);
    bt_arena_free(&arena);
    return count;
}

static void many_writers_lose_and_tear_nothing(void **state)
{
    (void)state;
    write_log("{\"torn");
    assert_int_equal(race(true), WRITERS * LINES_EACH);
}

static void writers_who_look_before_they_write_need_the_lock(void **state)
{
    (void)state;
    assert_true(race(false) < WRITERS * LINES_EACH);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_line_has_all_members_in_order),
        IN_FOLDER(absent_members_are_null_and_details_an_empty_object),
        IN_FOLDER(a_torn_last_line_is_ended_first),
        IN_FOLDER(only_regular_files_are_written_to),
        IN_FOLDER(an_event_that_is_none_is_refused),
        IN_FOLDER(a_line_that_could_not_be_read_is_not_written),
        IN_FOLDER(waiting_for_the_lock_has_an_end),
        IN_FOLDER(a_log_that_was_removed_meanwhile_is_not_written_to),
        IN_FOLDER(a_write_that_fails_part_way_is_taken_back),
        IN_FOLDER(many_writers_lose_and_tear_nothing),
        IN_FOLDER(writers_who_look_before_they_write_need_the_lock),
    };
    return RUN_TESTS(tests);
}
