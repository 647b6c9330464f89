/* SPDX-License-Identifier: Apache-2.0 */
#include "organism.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/private_dir.h"

extern char **environ;

static const char path_variable[] = "PATH";

void organism_open(struct organism *organism)
{
    struct bt_error error = {.text = ""};
    bt_str folder;
    memset(organism, 0, sizeof(*organism));
    bt_arena_init(&organism->arena, 64 << 20);
    assert_int_equal(bt_private_dir_create(&organism->arena, BT_STR("/tmp"), &folder, &error),
                     BT_OK);
    (void)snprintf(organism->folder, sizeof(organism->folder), "%s", folder.ptr);
    (void)snprintf(organism->root, sizeof(organism->root), "%s/root", organism->folder);
    (void)snprintf(organism->work, sizeof(organism->work), "%s/work", organism->folder);
    assert_int_equal(mkdir(organism->root, 0755), 0);
    assert_int_equal(mkdir(organism->work, 0700), 0);
    struct bt_host_launch_context *world = &organism->world;
    bt_sandbox_detect_support(&world->use);
    world->root = bt_str_of(organism->root);
    world->root_fd = open(organism->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    world->search_path = bt_str_of(getenv(path_variable));
    world->baton = BT_STR(BATON_PROGRAM);
    const struct bt_host_python_query question = {
        .name = BT_STR("python3"), .search_path = world->search_path, .environment = environ};
    if (bt_host_python_query_run(&organism->arena, &question, &organism->python, &error) != BT_OK) {
        fail_msg("%s", error.text);
    }
    world->python = &organism->python;
    assert_int_equal(bt_host_pool_open(NULL, &organism->hosts, &error), BT_OK);
}

void organism_close(struct organism *organism)
{
    bt_host_pool_close(organism->hosts);
    (void)close(organism->world.root_fd);
    bt_private_dir_remove(bt_str_of(organism->folder));
    bt_arena_free(&organism->arena);
}

static void open_below(struct organism *organism, const char *path, int *out_fd)
{
    char full[512];
    (void)snprintf(full, sizeof(full), "%s/%s", organism->root, path);
    for (char *at = full + strlen(organism->root) + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(full, 0755);
            *at = '/';
        }
    }
    *out_fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    assert_true(*out_fd >= 0);
}

void organism_write(struct organism *organism, const char *path, const char *text)
{
    int fd = -1;
    open_below(organism, path, &fd);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
}

void organism_copy(struct organism *organism, const char *from, const char *to)
{
    static char block[65536];
    int out = -1;
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    assert_true(in >= 0);
    open_below(organism, to, &out);
    for (ssize_t size = 1; size > 0;) {
        size = read(in, block, sizeof(block));
        assert_true(size >= 0);
        assert_int_equal(write(out, block, (size_t)size), size);
    }
    (void)close(in);
    (void)close(out);
}

struct bt_host_spec python_spec(const char *handler, const char *payload_class)
{
    return (struct bt_host_spec){.kind = BT_HOST_PYTHON,
                                 .handler = bt_str_of(handler),
                                 .payload_class = bt_str_of(payload_class),
                                 .memory_mb = 1024};
}

struct bt_host_spec command_spec(const bt_str *words, size_t count)
{
    return (struct bt_host_spec){
        .kind = BT_HOST_COMMAND, .command = words, .command_count = count, .memory_mb = 1024};
}

struct bt_host_event organism_event(struct organism *organism, bt_host_id id)
{
    struct bt_error error = {.text = ""};
    const uint64_t until = bt_clock_monotonic_ms() + 20000;
    struct bt_host_event event;
    while (bt_clock_monotonic_ms() < until) {
        while (bt_host_pool_next(organism->hosts, &event)) {
            if (event.kind == BT_HOST_EVENT_LOG && getenv("SHOW_LOG")) {
                (void)fprintf(stderr, "%.*s", BT_STR_ARG(event.body));
            }
            if (event.host == id && event.kind != BT_HOST_EVENT_LOG) {
                return event;
            }
        }
        assert_int_equal(bt_host_pool_wait(organism->hosts, 100, &error), BT_OK);
    }
    fail_msg("nothing happened for 20 s");
    return (struct bt_host_event){.kind = BT_HOST_EVENT_NONE};
}

bt_host_id organism_start(struct organism *organism, const struct bt_host_spec *spec,
                          uint32_t in_flight_max)
{
    struct bt_error error = {.text = ""};
    bt_host_id id = 0;
    const struct bt_host_options options = {.work = bt_str_of(organism->work),
                                            .in_flight_max = in_flight_max};
    if (bt_host_pool_add(organism->hosts, &organism->world, spec, &options, &id, &error) != BT_OK) {
        fail_msg("%s", error.text);
    }
    const struct bt_host_event event = organism_event(organism, id);
    if (event.kind != BT_HOST_EVENT_HELLO) {
        fail_msg("event %d: %s", (int)event.kind, event.reason);
    }
    assert_int_equal(bt_host_ready(organism->hosts, id, BT_STR("{}"), NULL), BT_OK);
    return id;
}

void organism_call(struct organism *organism, bt_host_id id, uint64_t call, const char *payload)
{
    const struct bt_host_request request = {
        .call = call,
        .thread_id = BT_STR("550e8400-e29b-41d4-a716-446655440000"),
        .payload = bt_str_of(payload),
        .timeout_ms = 10000,
    };
    assert_int_equal(bt_host_call(organism->hosts, id, &request), BT_OK);
}

void organism_ask(struct organism *organism, bt_host_id id, const char *payload, char *out,
                  size_t size)
{
    organism_call(organism, id, 1, payload);
    const struct bt_host_event event = organism_event(organism, id);
    if (event.kind != BT_HOST_EVENT_RESULT) {
        fail_msg("%s: event %d %s %.*s", payload, (int)event.kind, event.reason,
                 BT_STR_ARG(event.body));
    }
    (void)snprintf(out, size, "%.*s", BT_STR_ARG(event.body));
}

enum bt_status organism_probe(struct organism *organism, const struct bt_handler_probe *load,
                              struct bt_handler_probe_result *out, struct bt_error *error)
{
    struct bt_handler_probe_run *probe = NULL;
    enum bt_status status =
        bt_handler_probe_run_open(&organism->arena, &organism->world, load, out, &probe, error);
    while (status == BT_OK && !bt_handler_probe_run_is_done(probe)) {
        status = bt_handler_probe_run_step(probe, 1000, error);
    }
    bt_handler_probe_run_close(probe);
    return status;
}

bt_host_id start_many(struct organism *organism, const char *function)
{
    char handler[64];
    organism_open(organism);
    organism_copy(organism, BATON_HANDLERS "/many.py", "tools/many.py");
    (void)snprintf(handler, sizeof(handler), "tools/many.py:%s", function);
    const struct bt_host_spec spec = python_spec(handler, "");
    return organism_start(organism, &spec, 8);
}

bt_host_id start_raw(struct organism *organism, const char *mode, bool exec)
{
    const bt_str words[] = {BT_STR("python3"), BT_STR("raw.py"), bt_str_of(mode)};
    organism_open(organism);
    organism_copy(organism, BATON_HANDLERS "/raw.py", "raw.py");
    struct bt_host_spec spec = command_spec(words, COUNT_OF(words));
    spec.stdio = strcmp(mode, "stdio") == 0;
    spec.allow_exec = exec;
    return organism_start(organism, &spec, 4);
}
