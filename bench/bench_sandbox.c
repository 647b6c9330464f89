/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_sandbox.c - round trips through sandboxed hosts: messages a second, and processor time of a
 * message on either side, for the sample handlers in C and Python.
 *
 *     bench_sandbox BATON LIBADD.so      run by script/bench sandbox
 *
 * Nothing is stored or routed: this is the price of the isolation alone.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "measure.h"
#include "sandbox/host_pool.h"
#include "sandbox/private_dir.h"

extern char **environ;

enum { CALLS = 200000, ROUNDS_ALONE = 20000 };

static const char handler[] =
    "from dataclasses import dataclass\n"
    "from baton import xmlify, HandlerMetadata\n"
    "@xmlify\n@dataclass\nclass AddPayload:\n    a: int\n    b: int\n"
    "async def add_handler(payload: AddPayload, metadata: HandlerMetadata) -> bytes:\n"
    "    return f\"<result>{payload.a + payload.b}</result>\".encode(\"utf-8\")\n";

static const bt_str payload =
    BT_STR_INIT("<calculator.add.addpayload><a>40</a><b>2</b></calculator.add.addpayload>");

struct bench {
    struct bt_arena arena;
    struct bt_host_launch_context world;
    struct bt_host_python python;
    bt_str folder;
    bt_str work;
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        fail(path, "cannot be written");
    }
}

static void copy_file(const char *from, const char *to)
{
    static char block[1 << 20];
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    const size_t size = in && out ? fread(block, 1, sizeof(block), in) : 0;
    if (size == 0 || fwrite(block, 1, size, out) != size || fclose(out) != 0 || fclose(in) != 0) {
        fail(from, "cannot be copied");
    }
}

static void set_up(struct bench *bench, const char *baton, const char *library)
{
    struct bt_error error = {.text = ""};
    static char program[PATH_MAX];
    bt_str path;
    bt_arena_init(&bench->arena, 16 << 20);
    if (!realpath(baton, program) ||
        bt_private_dir_create(&bench->arena, BT_STR("/tmp"), &bench->folder, &error) != BT_OK ||
        bt_arena_printf(&bench->arena, &bench->work, "%s/work", bench->folder.ptr) != BT_OK ||
        mkdir(bench->work.ptr, 0700) != 0) {
        fail("set-up", error.text);
    }
    struct bt_host_launch_context *world = &bench->world;
    bt_sandbox_detect_support(&world->use);
    world->root = bench->folder;
    world->root_fd = open(bench->folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    world->search_path = bt_str_of(getenv("PATH"));
    world->baton = bt_str_of(program);
    world->python = &bench->python;
    const struct bt_host_python_query question = {
        .name = BT_STR("python3"), .search_path = world->search_path, .environment = environ};
    if (bt_host_python_query_run(&bench->arena, &question, &bench->python, &error) != BT_OK ||
        bt_arena_printf(&bench->arena, &path, "%s/calc.py", bench->folder.ptr) != BT_OK) {
        fail("python3", error.text);
    }
    write_file(path.ptr, handler);
    if (bt_arena_printf(&bench->arena, &path, "%s/libadd.so", bench->folder.ptr) != BT_OK) {
        fail("libadd.so", "no memory");
    }
    copy_file(library, path.ptr);
}

static void call_many(struct bt_host_pool *hosts, bt_host_id id, uint64_t *next, uint64_t last)
{
    while (*next <= last && bt_host_free_slots(hosts, id) > 0) {
        const struct bt_host_request request = {
            .call = *next,
            .thread_id = BT_STR("550e8400-e29b-41d4-a716-446655440000"),
            .payload = payload,
            .timeout_ms = 30000,
        };
        if (bt_host_call(hosts, id, &request) != BT_OK) {
            fail("call", "refused");
        }
        (*next)++;
    }
}

/* Make `calls` round trips; returns when the last answer is there. */
static void run(struct bt_host_pool *hosts, bt_host_id id, uint64_t *next, uint64_t calls)
{
    struct bt_error error = {.text = ""};
    const uint64_t last = *next + calls - 1;
    uint64_t answered = 0;
    while (answered < calls) {
        call_many(hosts, id, next, last);
        if (bt_host_pool_wait(hosts, 1000, &error) != BT_OK) {
            fail("wait", error.text);
        }
        struct bt_host_event event;
        while (bt_host_pool_next(hosts, &event)) {
            if (event.kind == BT_HOST_EVENT_HELLO) {
                if (bt_host_ready(hosts, id, BT_STR("{}"), NULL) != BT_OK) {
                    fail("ready", "no memory");
                }
            } else if (event.kind == BT_HOST_EVENT_RESULT &&
                       bt_str_eq(event.body, BT_STR("<result>42</result>"))) {
                answered++;
            } else {
                (void)fprintf(stderr, "%.*s\n", BT_STR_ARG(event.body));
                fail("event", event.reason);
            }
        }
    }
}

static void measure(struct bench *bench, const struct bt_host_spec *spec, const char *name,
                    uint32_t in_flight)
{
    struct bt_host_pool *hosts = NULL;
    struct bt_error error = {.text = ""};
    const struct bt_host_options options = {.work = bench->work, .in_flight_max = in_flight};
    bt_host_id id = 0;
    uint64_t next = 1;
    if (bt_host_pool_open(NULL, &hosts, &error) != BT_OK ||
        bt_host_pool_add(hosts, &bench->world, spec, &options, &id, &error) != BT_OK) {
        fail(name, error.text);
    }
    const uint64_t calls = in_flight == 1 ? ROUNDS_ALONE : CALLS;
    run(hosts, id, &next, 1000); /* warm */
    const double ours = processor_s();
    const double theirs = children_s();
    const double began = now_s();
    run(hosts, id, &next, calls);
    const double took = now_s() - began;
    const double pump = processor_s() - ours;
    bt_host_pool_close(hosts);
    /* All of the host's life counts for it: start, load, warm-up. */
    const double host = children_s() - theirs;
    const double n = (double)calls;
    (void)printf("%-8s %4u in flight  %8.0f messages/s  %6.2f us pump  %6.2f us host  %8.0f a CPU "
                 "second\n",
                 name, in_flight, n / took, pump / n * 1e6, host / n * 1e6, n / (pump + host));
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static const uint32_t widths[] = {1, 5, 20, 200};
    if (argc != 3) {
        fail("usage", "bench_sandbox BATON LIBADD.so");
    }
    set_up(&bench, argv[1], argv[2]);
    const struct bt_host_spec c = {
        .kind = BT_HOST_C, .handler = BT_STR("libadd.so"), .memory_mb = 1024};
    const struct bt_host_spec python = {.kind = BT_HOST_PYTHON,
                                        .handler = BT_STR("calc.py:add_handler"),
                                        .payload_class = BT_STR("AddPayload"),
                                        .memory_mb = 1024};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        measure(&bench, &c, "C", widths[i]);
        measure(&bench, &python, "Python", widths[i]);
    }
    bt_private_dir_remove(bench.folder);
    return 0;
}
