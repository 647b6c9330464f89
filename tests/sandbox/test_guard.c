/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_guard.c - what a host and its children take together is bounded, and nothing of it outlives
 * the pump.
 */
#define _GNU_SOURCE
#include "organism.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

enum { PATIENCE_MS = 60000 };

/* A host of handlers/raw.py that does what `mode` says, with little room. */
static bt_host_id start_greedy(struct organism *organism, const char *mode, bool exec)
{
    const bt_str words[] = {BT_STR("python3"), BT_STR("raw.py"), bt_str_of(mode)};
    organism_open(organism);
    organism_copy(organism, BATON_HANDLERS "/raw.py", "raw.py");
    organism->world.disk_mb = 32;
    struct bt_host_spec spec = command_spec(words, COUNT_OF(words));
    spec.allow_exec = exec;
    spec.memory_mb = 256;
    return organism_start(organism, &spec, 4);
}

/* Call it, and wait for the answer or the end; what it and its guard printed is put to `log`. */
static struct bt_host_event call_greedy(struct organism *organism, bt_host_id id, char *log,
                                        size_t size)
{
    struct bt_error error = {.text = ""};
    const uint64_t until = bt_clock_monotonic_ms() + PATIENCE_MS;
    const struct bt_host_request request = {
        .call = 1,
        .thread_id = BT_STR("550e8400-e29b-41d4-a716-446655440000"),
        .payload = BT_STR("<a.b></a.b>"),
        .timeout_ms = PATIENCE_MS,
    };
    size_t used = 0;
    assert_int_equal(bt_host_call(organism->hosts, id, &request), BT_OK);
    log[0] = '\0';
    while (bt_clock_monotonic_ms() < until) {
        struct bt_host_event event;
        while (bt_host_pool_next(organism->hosts, &event)) {
            if (event.kind == BT_HOST_EVENT_LOG && used < size) {
                used += (size_t)snprintf(log + used, size - used, "%.*s", BT_STR_ARG(event.body));
            }
            if (event.kind == BT_HOST_EVENT_RESULT || event.kind == BT_HOST_EVENT_ENDED) {
                return event;
            }
        }
        assert_int_equal(bt_host_pool_wait(organism->hosts, 100, &error), BT_OK);
    }
    fail_msg("neither an answer nor an end");
    return (struct bt_host_event){.kind = BT_HOST_EVENT_NONE};
}

static const struct row {
    const char *mode;
    bool exec;
    const char *why; /* NULL: it is within its bounds */
} rows[] = {
    {"within", true, NULL},
    {"processes", true, "more than 64 processes"},
    {"memory", true, "more than memory_mb together"},
    {"disk", false, "work directory is too large"},
    {"disk", true, "work directory is too large"},
    {"unnamed", false, "work directory is too large"},
    {"hidden", false, "work directory is too large"},
    {"deep", false, "more than 32 folders in one another"},
    {"files", false, "more than 20000 files"},
};

static void whoever_takes_too_much_is_killed_and_the_log_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct organism organism;
        char log[4096];
        const bt_host_id id = start_greedy(&organism, rows[i].mode, rows[i].exec);
        const struct bt_host_event event = call_greedy(&organism, id, log, sizeof(log));
        const bool is_killed = event.kind == BT_HOST_EVENT_ENDED && event.end.signal == SIGKILL;
        if (is_killed != (rows[i].why != NULL) || (rows[i].why && !strstr(log, rows[i].why))) {
            fail_msg("%s: event %d, signal %d, log: %s", rows[i].mode, (int)event.kind,
                     event.end.signal, log);
        }
        organism_close(&organism);
    }
}

/* Whether a process ends soon; one that is only waited for no more counts as ended. */
static bool is_gone(pid_t pid)
{
    char path[64];
    char text[512];
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    for (int i = 0; i < 500; i++) {
        FILE *file = fopen(path, "r");
        const size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
        if (file) {
            (void)fclose(file);
        }
        text[size] = '\0';
        const char *name_end = strrchr(text, ')');
        if (!name_end || name_end[2] == 'Z') {
            return true;
        }
        (void)usleep(10000);
    }
    return false;
}

static void children_of_a_host_do_not_outlive_a_pump_that_is_killed(void **state)
{
    (void)state;
    int ends[2];
    char child[64] = "";
    assert_int_equal(pipe(ends), 0);
    const pid_t pump = fork();
    assert_true(pump >= 0);
    if (pump == 0) {
        struct organism organism;
        const bt_host_id id = start_raw(&organism, "fork", true);
        organism_ask(&organism, id, "<a.b></a.b>", child, sizeof(child));
        (void)!write(ends[1], child, sizeof(child));
        (void)kill(getpid(), SIGKILL);
    }
    assert_int_equal(read(ends[0], child, sizeof(child)), sizeof(child));
    assert_int_equal(waitpid(pump, NULL, 0), pump);
    uint64_t pid = 0;
    assert_int_equal(bt_str_to_u64(bt_str_of(child), &pid), BT_OK);
    assert_true(pid > 0);
    assert_true(is_gone((pid_t)pid));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_takes_too_much_is_killed_and_the_log_says_why),
        cmocka_unit_test(children_of_a_host_do_not_outlive_a_pump_that_is_killed),
    };
    return RUN_TESTS(tests);
}
