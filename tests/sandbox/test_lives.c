/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lives.c - what becomes of hosts that hang, flood, lie, die, fork or do not obey, and of good
 * ones when the pump or the kernel lets them down.
 */
#include "organism.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

/* ---- Bad hosts ---- */

static const struct bad {
    const char *mode;
    const char
        *events; /* after the call, as letters: r result, b broke, l lost, e ended, h hello */
} bad_hosts[] = {
    {"garbage", "bleh"},   {"flood", "rbeh"}, {"half", "leh"},
    {"last-words", "reh"}, {"close", "leh"},  {"leave", "reh"},
};

static char letter_of(enum bt_host_event_kind kind)
{
    switch (kind) {
    case BT_HOST_EVENT_RESULT:
        return 'r';
    case BT_HOST_EVENT_BROKE:
        return 'b';
    case BT_HOST_EVENT_LOST:
        return 'l';
    case BT_HOST_EVENT_ENDED:
        return 'e';
    case BT_HOST_EVENT_HELLO:
        return 'h';
    case BT_HOST_EVENT_NONE:
    case BT_HOST_EVENT_REFUSED:
    case BT_HOST_EVENT_FAIL:
    case BT_HOST_EVENT_TIMEOUT:
    case BT_HOST_EVENT_LATE:
    case BT_HOST_EVENT_CANCELLED:
    case BT_HOST_EVENT_STUCK:
    case BT_HOST_EVENT_LOG:
        break;
    }
    return '?';
}

static void a_bad_host_is_killed_told_and_started_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad_hosts); i++) {
        struct organism organism;
        const bt_host_id id = start_raw(&organism, bad_hosts[i].mode, false);
        char got[16] = "";
        organism_call(&organism, id, 1, "<a.b></a.b>");
        for (size_t k = 0; k < strlen(bad_hosts[i].events); k++) {
            got[k] = letter_of(organism_event(&organism, id).kind);
        }
        if (strcmp(got, bad_hosts[i].events) != 0) {
            fail_msg("%s: got %s, expected %s", bad_hosts[i].mode, got, bad_hosts[i].events);
        }
        assert_int_equal(bt_host_get_view(organism.hosts, id).restarts, 1);
        organism_close(&organism);
    }
}

static void a_host_that_answers_before_hello_is_not_loaded(void **state)
{
    (void)state;
    struct organism organism;
    const bt_str words[] = {BT_STR("python3"), BT_STR("raw.py"), BT_STR("early")};
    organism_open(&organism);
    organism_copy(&organism, BATON_HANDLERS "/raw.py", "raw.py");
    const struct bt_host_spec spec = command_spec(words, COUNT_OF(words));
    struct bt_handler_probe_result result;
    struct bt_error error = {.text = ""};
    const struct bt_handler_probe request = {
        .specs = &spec, .count = 1, .temporary = bt_str_of(organism.folder)};
    assert_int_equal(organism_probe(&organism, &request, &result, &error), BT_OK);
    assert_false(result.loaded);
    assert_str(result.reason, "a frame that is not permitted now");
    organism_close(&organism);
}

static void a_host_that_hangs_is_cancelled_and_killed(void **state)
{
    (void)state;
    struct organism organism;
    const bt_host_id id = start_many(&organism, "do");
    const struct bt_host_request request = {
        .call = 5,
        .thread_id = BT_STR("550e8400-e29b-41d4-a716-446655440000"),
        .payload = BT_STR(DO("block")),
        .timeout_ms = 100,
    };
    assert_int_equal(bt_host_call(organism.hosts, id, &request), BT_OK);
    organism_call(&organism, id, 6, DO("empty"));
    struct bt_host_event event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_TIMEOUT);
    assert_true(event.call == 5);
    event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_STUCK);
    event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_LOST);
    assert_true(event.call == 6);
    event = organism_event(&organism, id);
    assert_int_equal(event.kind, BT_HOST_EVENT_ENDED);
    assert_int_equal(event.end.signal, SIGKILL);
    organism_close(&organism);
}

static void a_host_that_stays_after_bye_is_killed(void **state)
{
    (void)state;
    static const char *const modes[] = {"ignore-bye", "stay"};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct organism organism;
        const bt_host_id id = start_raw(&organism, modes[i], false);
        bt_host_stop(organism.hosts, id);
        const struct bt_host_event event = organism_event(&organism, id);
        assert_int_equal(event.kind, BT_HOST_EVENT_ENDED);
        assert_true(event.restart_ms == BT_NEVER);
        assert_int_equal(bt_host_get_view(organism.hosts, id).state, BT_HOST_STOPPED);
        organism_close(&organism);
    }
}

static void a_host_that_dies_again_and_again_waits_longer_each_time(void **state)
{
    (void)state;
    struct organism organism;
    const bt_str words[] = {BT_STR("false")};
    const struct bt_host_spec spec = command_spec(words, 1);
    struct bt_error error = {.text = ""};
    const struct bt_host_options options = {.work = BT_STR("/tmp"), .in_flight_max = 1};
    bt_host_id id = 0;
    organism_open(&organism);
    assert_int_equal(
        bt_host_pool_add(organism.hosts, &organism.world, &spec, &options, &id, &error), BT_OK);
    uint64_t last = 0;
    for (uint64_t wait = 100; wait <= 800; wait *= 2) {
        const struct bt_host_event event = organism_event(&organism, id);
        assert_int_equal(event.kind, BT_HOST_EVENT_ENDED);
        assert_true(event.loading);
        /* On a slow machine the pool kills it before it has left by itself. */
        assert_true(event.end.code == 1 || event.end.signal == SIGKILL);
        assert_true(event.restart_ms >= last + wait);
        assert_int_equal(bt_host_get_view(organism.hosts, id).state, BT_HOST_BACKOFF);
        last = event.restart_ms;
    }
    organism_close(&organism);
}

static void rest(void)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    (void)nanosleep(&moment, NULL);
}

static bool is_gone(pid_t pid)
{
    const uint64_t until = bt_clock_monotonic_ms() + 10000;
    while (bt_clock_monotonic_ms() < until) {
        char path[64];
        char text[256] = "";
        (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "r");
        if (!file) {
            return true;
        }
        const size_t size = fread(text, 1, sizeof(text) - 1, file);
        (void)fclose(file);
        const char *paren = size > 0 ? strrchr(text, ')') : NULL;
        if (paren && paren[2] == 'Z') {
            return true; /* dead; burying it is the work of whoever inherited it */
        }
        rest();
    }
    return false;
}

static void children_of_a_host_die_with_it(void **state)
{
    (void)state;
    struct organism organism;
    char answer[64];
    const bt_host_id id = start_raw(&organism, "fork", true);
    organism_ask(&organism, id, "<a.b></a.b>", answer, sizeof(answer));
    uint64_t child = 0;
    assert_int_equal(bt_str_to_u64(bt_str_of(answer), &child), BT_OK);
    assert_int_equal(kill((pid_t)child, 0), 0); /* it is alive now */
    bt_host_stop(organism.hosts, id);
    assert_int_equal(organism_event(&organism, id).kind, BT_HOST_EVENT_ENDED);
    assert_true(is_gone((pid_t)child));
    organism_close(&organism);
}

static void without_exec_a_host_makes_no_process_at_all(void **state)
{
    (void)state;
    struct organism organism;
    char answer[64];
    const bt_host_id id = start_raw(&organism, "fork-bomb", false);
    if (!organism.world.use.seccomp) {
        organism_close(&organism);
        SKIP_TEST("this kernel has no seccomp");
    }
    organism_ask(&organism, id, "<a.b></a.b>", answer, sizeof(answer));
    assert_string_equal(answer, "0");
    organism_close(&organism);
}

/* ---- The pump's own end ---- */

static void a_host_does_not_outlive_a_pump_that_is_killed(void **state)
{
    (void)state;
    struct organism organism;
    int ends[2];
    pid_t pids[2] = {0};
    organism_open(&organism);
    organism_copy(&organism, BATON_HANDLERS "/many.py", "tools/many.py");
    assert_int_equal(pipe(ends), 0);
    const pid_t pump = fork();
    assert_true(pump >= 0);
    if (pump == 0) {
        const struct bt_host_spec spec = python_spec("tools/many.py:do", "");
        const bt_host_id id = organism_start(&organism, &spec, 8);
        organism_call(&organism, id, 1, DO("block"));
        struct bt_error error;
        (void)!bt_host_pool_wait(organism.hosts, 0, &error);
        pids[0] = bt_host_get_view(organism.hosts, id).pid;
        (void)!write(ends[1], &pids[0], sizeof(pids[0]));
        (void)kill(getpid(), SIGKILL);
    }
    assert_int_equal(read(ends[0], &pids[1], sizeof(pids[1])), sizeof(pids[1]));
    assert_int_equal(waitpid(pump, NULL, 0), pump);
    assert_true(pids[1] > 0);
    assert_true(is_gone(pids[1]));
    (void)close(ends[0]);
    (void)close(ends[1]);
    organism_close(&organism);
}

/* ---- Kills under load ---- */

enum { LOAD_CALLS = 3000, LOAD_KILLS = 40 };

/* Where each call of the load stands. */
enum call_state {
    CALL_DUE = 0,
    CALL_IN_FLIGHT,
    CALL_ANSWERED,
};

struct load {
    struct bt_host_pool *hosts;
    bt_host_id id;
    uint64_t skipped_ms; /* the clock runs ahead, so that nobody waits for a restart */
    unsigned char calls[LOAD_CALLS + 1];
    size_t answered;
    size_t lost;
    unsigned kills;
};

static uint64_t hasty_time(void *context)
{
    return bt_clock_monotonic_ms() + ((const struct load *)context)->skipped_ms;
}

static void call_what_is_due(struct load *load)
{
    for (size_t i = 1; i <= LOAD_CALLS && bt_host_free_slots(load->hosts, load->id) > 0; i++) {
        const struct bt_host_request request = {
            .call = i,
            .thread_id = BT_STR("550e8400-e29b-41d4-a716-446655440000"),
            .payload = BT_STR("<a.b></a.b>"),
            .timeout_ms = 600000,
        };
        if (load->calls[i] == CALL_DUE) {
            assert_int_equal(bt_host_call(load->hosts, load->id, &request), BT_OK);
            load->calls[i] = CALL_IN_FLIGHT;
        }
    }
}

static void hear_load(struct load *load, const struct bt_host_event *event)
{
    if (event->kind == BT_HOST_EVENT_HELLO) {
        assert_int_equal(bt_host_ready(load->hosts, load->id, BT_STR("{}"), NULL), BT_OK);
    } else if (event->kind == BT_HOST_EVENT_RESULT) {
        assert_int_equal(load->calls[event->call], CALL_IN_FLIGHT);
        load->calls[event->call] = CALL_ANSWERED;
        load->answered++;
    } else if (event->kind == BT_HOST_EVENT_LOST) {
        assert_int_equal(load->calls[event->call], CALL_IN_FLIGHT);
        load->calls[event->call] = CALL_DUE;
        load->lost++;
    } else if (event->kind == BT_HOST_EVENT_ENDED) {
        load->skipped_ms += event->restart_ms - hasty_time(load);
    }
}

static void kills_under_load_lose_no_call_and_answer_none_twice(void **state)
{
    (void)state;
    struct organism organism;
    static struct load load;
    struct bt_error error = {.text = ""};
    const struct bt_host_pool_options world = {.clock = hasty_time, .context = &load};
    const bt_str words[] = {BT_STR("python3"), BT_STR("raw.py"), BT_STR("good")};
    const struct bt_host_spec spec = command_spec(words, COUNT_OF(words));
    organism_open(&organism);
    organism_copy(&organism, BATON_HANDLERS "/raw.py", "raw.py");
    const struct bt_host_options options = {.work = bt_str_of(organism.work), .in_flight_max = 50};
    assert_int_equal(bt_host_pool_open(&world, &load.hosts, &error), BT_OK);
    assert_int_equal(
        bt_host_pool_add(load.hosts, &organism.world, &spec, &options, &load.id, &error), BT_OK);
    const uint64_t until = bt_clock_monotonic_ms() + 60000;
    while (load.answered < LOAD_CALLS && bt_clock_monotonic_ms() < until) {
        struct bt_host_event event;
        call_what_is_due(&load);
        assert_int_equal(bt_host_pool_wait(load.hosts, 100, &error), BT_OK);
        while (bt_host_pool_next(load.hosts, &event)) {
            hear_load(&load, &event);
        }
        const pid_t pid = bt_host_get_view(load.hosts, load.id).pid;
        if (load.answered > (size_t)load.kills * (LOAD_CALLS / LOAD_KILLS) && pid > 0) {
            (void)kill(pid, SIGKILL);
            load.kills++;
        }
    }
    assert_int_equal(load.answered, LOAD_CALLS);
    assert_int_equal(load.kills, LOAD_KILLS);
    assert_true(load.lost > 0);
    bt_host_pool_close(load.hosts);
    organism_close(&organism);
}

/* ---- Kernels that lack something ---- */

static void without_landlock_or_seccomp_hosts_run_and_stay_limited(void **state)
{
    (void)state;
    for (int without = 1; without <= 3; without++) {
        struct organism organism;
        char answer[1024];
        organism_open(&organism);
        organism.world.use.seccomp = organism.world.use.seccomp && !(without & 1);
        organism.world.use.landlock = without & 2 ? 0 : organism.world.use.landlock;
        organism_copy(&organism, BATON_HANDLERS "/many.py", "tools/many.py");
        const struct bt_host_spec spec = python_spec("tools/many.py:do", "");
        const bt_host_id id = organism_start(&organism, &spec, 8);
        organism_ask(&organism, id, DO("limits"), answer, sizeof(answer));
        assert_string_equal(answer, "((64, 64), (67108864, 67108864), (0, 0), 1073741824)");
        organism_close(&organism);
    }
}

static void what_is_demanded_cannot_be_missing(void **state)
{
    (void)state;
    struct organism organism;
    organism_open(&organism);
    organism.world.use.no_new_privs = false;
    const bt_str words[] = {BT_STR("true")};
    const struct bt_host_spec spec = command_spec(words, 1);
    struct bt_handler_probe_result result;
    struct bt_error error = {.text = ""};
    const struct bt_handler_probe request = {
        .specs = &spec, .count = 1, .temporary = bt_str_of(organism.folder)};
    assert_int_equal(organism_probe(&organism, &request, &result, &error), BT_OK);
    assert_false(result.loaded);
    assert_str(result.reason,
               "the host did not start: this system has no no_new_privs or no rlimits");
    organism_close(&organism);
}

static void a_path_that_leaves_the_organism_starts_nothing(void **state)
{
    (void)state;
    struct organism organism;
    char path[128];
    organism_open(&organism);
    if (organism.world.use.landlock == 0) {
        organism_close(&organism);
        SKIP_TEST("this kernel has no Landlock");
    }
    (void)snprintf(path, sizeof(path), "%s/out", organism.root);
    assert_int_equal(symlink("/etc", path), 0);
    const bt_str words[] = {BT_STR("true")};
    const bt_str readable[] = {BT_STR("out")};
    struct bt_host_spec spec = command_spec(words, 1);
    spec.readable = readable;
    spec.readable_count = 1;
    struct bt_handler_probe_result result;
    struct bt_error error = {.text = ""};
    const struct bt_handler_probe request = {
        .specs = &spec, .count = 1, .temporary = bt_str_of(organism.folder)};
    assert_int_equal(organism_probe(&organism, &request, &result, &error), BT_OK);
    assert_false(result.loaded);
    assert_non_null(strstr(result.reason.ptr, "out: Invalid cross-device link"));
    organism_close(&organism);
}

static void a_host_of_root_can_be_run_as_another_user(void **state)
{
    (void)state;
    struct organism organism;
    char answer[256];
    if (getuid() != 0) {
        SKIP_TEST("only root can run a host as another account");
    }
    const bt_str words[] = {BT_STR("./echo.sh")};
    organism_open(&organism);
    organism_copy(&organism, BATON_EXAMPLES "/pump/echo.sh", "echo.sh");
    organism.world.drop_user = true;
    organism.world.uid = 65534;
    organism.world.gid = 65534;
    assert_int_equal(chown(organism.work, 65534, 65534), 0);
    struct bt_host_spec spec = command_spec(words, 1);
    spec.stdio = true;
    spec.allow_exec = true;
    const bt_host_id id = organism_start(&organism, &spec, 1);
    organism_ask(&organism, id, "<a.b></a.b>", answer, sizeof(answer)); /* it writes a file */
    struct stat about;
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/payload", organism.work);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_uid, 65534);
    organism_close(&organism);
}

/* ---- What hosts print ---- */

struct slow_clock {
    uint64_t now_ms;
};

static uint64_t tell_time(void *context)
{
    return ((struct slow_clock *)context)->now_ms;
}

/* What a host printed within a second of the test's clock. */
static size_t printed(struct bt_host_pool *hosts, bt_host_id id)
{
    struct bt_error error = {.text = ""};
    struct bt_host_event event;
    size_t bytes = 0;
    for (int i = 0; i < 30; i++) {
        assert_int_equal(bt_host_pool_wait(hosts, 0, &error), BT_OK);
        while (bt_host_pool_next(hosts, &event)) {
            if (event.kind == BT_HOST_EVENT_HELLO) {
                assert_int_equal(bt_host_ready(hosts, id, BT_STR("{}"), NULL), BT_OK);
            }
            bytes += event.kind == BT_HOST_EVENT_LOG ? event.body.len : 0;
        }
        rest();
    }
    return bytes;
}

static void a_host_prints_at_most_64_kib_a_second(void **state)
{
    (void)state;
    struct organism organism;
    struct slow_clock clock = {.now_ms = 1000000};
    struct bt_error error = {.text = ""};
    const struct bt_host_pool_options world = {.clock = tell_time, .context = &clock};
    struct bt_host_pool *hosts = NULL;
    bt_host_id id = 0;
    organism_open(&organism);
    organism_copy(&organism, BATON_HANDLERS "/many.py", "tools/many.py");
    const struct bt_host_spec spec = python_spec("tools/many.py:do", "");
    const struct bt_host_options options = {.work = bt_str_of(organism.work), .in_flight_max = 1};
    assert_int_equal(bt_host_pool_open(&world, &hosts, &error), BT_OK);
    assert_int_equal(bt_host_pool_add(hosts, &organism.world, &spec, &options, &id, &error), BT_OK);
    const uint64_t until = bt_clock_monotonic_ms() + 20000;
    while (bt_host_get_view(hosts, id).state != BT_HOST_READY && bt_clock_monotonic_ms() < until) {
        assert_int_equal(printed(hosts, id), 0);
    }
    const struct bt_host_request request = {
        .call = 1,
        .thread_id = BT_STR("550e8400-e29b-41d4-a716-446655440000"),
        .payload = BT_STR(DO_N("print", "200000")),
        .timeout_ms = 600000,
    };
    assert_int_equal(bt_host_call(hosts, id, &request), BT_OK);
    static const size_t seconds[] = {65536, 65536, 65536, 200000 - 3 * 65536, 0};
    for (size_t i = 0; i < COUNT_OF(seconds); i++) {
        assert_int_equal(printed(hosts, id), seconds[i]);
        clock.now_ms += 1000;
    }
    bt_host_pool_close(hosts);
    organism_close(&organism);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_host_is_killed_told_and_started_again),
        cmocka_unit_test(a_host_that_answers_before_hello_is_not_loaded),
        cmocka_unit_test(a_host_that_hangs_is_cancelled_and_killed),
        cmocka_unit_test(a_host_that_stays_after_bye_is_killed),
        cmocka_unit_test(a_host_that_dies_again_and_again_waits_longer_each_time),
        cmocka_unit_test(children_of_a_host_die_with_it),
        cmocka_unit_test(without_exec_a_host_makes_no_process_at_all),
        cmocka_unit_test(a_host_does_not_outlive_a_pump_that_is_killed),
        cmocka_unit_test(kills_under_load_lose_no_call_and_answer_none_twice),
        cmocka_unit_test(without_landlock_or_seccomp_hosts_run_and_stay_limited),
        cmocka_unit_test(what_is_demanded_cannot_be_missing),
        cmocka_unit_test(a_path_that_leaves_the_organism_starts_nothing),
        cmocka_unit_test(a_host_of_root_can_be_run_as_another_user),
        cmocka_unit_test(a_host_prints_at_most_64_kib_a_second),
    };
    return RUN_TESTS(tests);
}
