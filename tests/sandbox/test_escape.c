/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_escape.c - a handler tries everything to get out, and nothing works that works outside.
 */
#define _GNU_SOURCE
#include "organism.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "probes.h"

struct scene {
    struct organism organism;
    struct probe_target target;
    pid_t other;
    int left_open;
};

static void make_listener(int family, const void *address, size_t size, int type)
{
    const int fd = socket(family, type | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, address, (socklen_t)size), 0);
    if (type == SOCK_STREAM) {
        assert_int_equal(listen(fd, 64), 0);
    }
}

static int tcp_listener(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const void *)&address, size), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (void *)&address, &size), 0);
    return ntohs(address.sin_port);
}

static void make_unix_sockets(struct probe_target *target, const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(target->control, sizeof(target->control), "%s/oob", folder);
    (void)snprintf(target->datagram, sizeof(target->datagram), "%s/log", folder);
    (void)snprintf(target->abstract, sizeof(target->abstract), "probe%s", strrchr(folder, '/') + 1);
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/oob", folder);
    make_listener(AF_UNIX, &address, sizeof(address), SOCK_STREAM);
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/log", folder);
    make_listener(AF_UNIX, &address, sizeof(address), SOCK_DGRAM);
    memset(address.sun_path, 0, sizeof(address.sun_path));
    (void)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", target->abstract);
    make_listener(AF_UNIX, &address,
                  offsetof(struct sockaddr_un, sun_path) + 1 + strlen(target->abstract),
                  SOCK_STREAM);
}

static void start_other(struct scene *scene)
{
    scene->other = fork();
    assert_true(scene->other >= 0);
    if (scene->other == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (;;) {
            (void)pause();
        }
    }
    scene->target.pid = scene->other;
}

/* What probes change, as it should be before each of them. */
static void restore(struct scene *scene)
{
    char path[256];
    organism_write(&scene->organism, "victim", "precious");
    (void)snprintf(path, sizeof(path), "%s/made", scene->organism.root);
    (void)rmdir(path);
    (void)snprintf(path, sizeof(path), "%s/pipe", scene->organism.root);
    (void)unlink(path);
    (void)unlink("/tmp/baton-probe");
    (void)unlink("/dev/shm/baton-probe");
    organism_write(&scene->organism, "code/readable", "precious");
    if (scene->other == 0) {
        start_other(scene);
    }
}

/* Whether the other process was killed; it is started anew by restore(). */
static bool other_died(struct scene *scene)
{
    if (waitpid(scene->other, NULL, WNOHANG) != scene->other) {
        return false;
    }
    scene->other = 0;
    return true;
}

/* The same, but wait for it for up to a second. */
static bool wait_for_death(struct scene *scene)
{
    for (int i = 0; i < 100; i++) {
        if (other_died(scene)) {
            return true;
        }
        (void)usleep(10000);
    }
    return false;
}

static void set_scene(struct scene *scene)
{
    char path[256];
    memset(scene, 0, sizeof(*scene));
    assert_int_equal(setenv("BATON_PROBE_SECRET", "s3cret", 1), 0);
    organism_open(&scene->organism);
    organism_write(&scene->organism, "organism.yaml", "organism: {name: secret}\n");
    organism_write(&scene->organism, "store/store.db", "secret");
    organism_copy(&scene->organism, BATON_PROBE_SO, "code/libprobe.so");
    scene->target = (struct probe_target){.port = tcp_listener()};
    (void)snprintf(scene->target.root, sizeof(scene->target.root), "%s", scene->organism.root);
    (void)snprintf(scene->target.work, sizeof(scene->target.work), "%s", scene->organism.work);
    make_unix_sockets(&scene->target, scene->organism.folder);
    (void)snprintf(path, sizeof(path), "%s/organism.yaml", scene->organism.root);
    scene->left_open = open(path, O_RDONLY); /* not closed at exec, on purpose */
    assert_true(scene->left_open > 3);
    start_other(scene);
}

static void end_scene(struct scene *scene)
{
    restore(scene);
    (void)kill(scene->other, SIGKILL);
    (void)waitpid(scene->other, NULL, 0);
    (void)close(scene->left_open);
    organism_close(&scene->organism);
}

/* The probe in a child of ours, which stands in a folder like the host's and is the first of no
 * session or group; its answer, or -1 when the child became another program. */
static int try_outside(const struct scene *scene, const struct probe *probe)
{
    int answer[2];
    int value = -1;
    assert_int_equal(pipe2(answer, O_CLOEXEC), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (chdir(scene->target.work) == 0) {
            value = probe->attempt(&scene->target);
            (void)!write(answer[1], &value, sizeof(value));
        }
        _exit(0);
    }
    (void)close(answer[1]);
    const ssize_t size = read(answer[0], &value, sizeof(value));
    (void)close(answer[0]);
    (void)waitpid(child, NULL, 0);
    return size == (ssize_t)sizeof(value) ? value : 0;
}

/* The answer of the probe inside; 0 as well when the host is gone, which must not be. */
static int try_inside(struct scene *scene, bt_host_id id, size_t number)
{
    char payload[1024];
    const struct probe_target *t = &scene->target;
    (void)snprintf(payload, sizeof(payload), "<p.q>%zu %s %s %d %d %s %s %s</p.q>", number, t->root,
                   t->work, t->pid, t->port, t->abstract, t->control, t->datagram);
    organism_call(&scene->organism, id, number + 1, payload);
    const struct bt_host_event event = organism_event(&scene->organism, id);
    uint64_t value = 0;
    if (event.kind != BT_HOST_EVENT_RESULT || bt_str_to_u64(event.body, &value) != BT_OK) {
        fail_msg("%s: event %d: %s", probe_at(number)->name, (int)event.kind, event.reason);
    }
    return (int)value;
}

static bool can_run(const struct bt_sandbox_support *use)
{
    if (!use->seccomp || use->landlock == 0) {
        (void)printf("# skipped: this kernel has no seccomp or no Landlock\n");
        return false;
    }
#if defined(BATON_SANITIZED)
    (void)printf("# skipped: a sanitizer needs more address space than any host gets\n");
    return false;
#else
    return true;
#endif
}

/* ---- Every probe, outside and inside ---- */

/* The newest version that these tests know; what a newer one restricts is not asked for. */
enum { ABI_MAX = 7 };

/* The versions of Landlock to test: this kernel's, and all before it. */
static uint32_t newest_abi(const struct scene *scene)
{
    const uint32_t abi = scene->organism.world.use.landlock;
    return abi < ABI_MAX ? abi : ABI_MAX;
}

static void every_probe_works_outside(void **state)
{
    (void)state;
    static struct scene scene;
    size_t count = 0;
    size_t controls = 0;
    set_scene(&scene);
    for (const struct probe *probe; (probe = probe_at(count)); count++) {
        restore(&scene);
        const int outside = try_outside(&scene, probe);
        const bool killed = strcmp(probe->name, "kill_other_by_descriptor") == 0;
        if (probe_escaped(probe, outside) && (!killed || wait_for_death(&scene))) {
            controls++;
        } else if (probe->excuse) {
            (void)printf("# %s fails outside too (%s): %s\n", probe->name, strerror(outside),
                         probe->excuse);
        } else {
            fail_msg("%s fails outside too: %s", probe->name, strerror(outside));
        }
    }
    (void)printf("# %zu of %zu probes work outside\n", controls, count);
    assert_true(count >= 160);
    end_scene(&scene);
}

/* How many probes get out of a host that is restricted as on a kernel with this version. */
static size_t count_escapes(uint32_t abi)
{
    static struct scene scene;
    size_t escaped = 0;
    size_t count = 0;
    set_scene(&scene);
    scene.organism.world.use.landlock = abi;
    const struct bt_host_spec spec = {
        .kind = BT_HOST_C, .handler = BT_STR("code/libprobe.so"), .memory_mb = 1024};
    const bt_host_id id = organism_start(&scene.organism, &spec, 1);
    for (const struct probe *probe; (probe = probe_at(count)); count++) {
        restore(&scene);
        const int inside = try_inside(&scene, id, count);
        if (probe_escaped(probe, inside) || other_died(&scene)) {
            (void)printf("# ESCAPE with Landlock %u: %s answers %d\n", abi, probe->name, inside);
            escaped++;
        }
    }
    (void)printf("# Landlock %u: %zu probes, %zu escapes\n", abi, count, escaped);
    end_scene(&scene);
    return escaped;
}

static void no_probe_gets_out_with_any_version_of_landlock(void **state)
{
    (void)state;
    static struct scene scene;
    size_t escaped = 0;
    set_scene(&scene);
    const bool runs = can_run(&scene.organism.world.use);
    const uint32_t newest = newest_abi(&scene);
    end_scene(&scene);
    if (!runs) {
        skip();
    }
    for (uint32_t abi = 1; abi <= newest; abi++) {
        escaped += count_escapes(abi);
    }
    assert_int_equal(escaped, 0);
}

/* ---- What a host may do ---- */

static const struct allowed {
    const char *name;
    bool net;
    bool exec;
} allowed[] = {
    {"tcp_socket", true, false},
    {"connect_tcp", true, false},
    {"fork_once", false, true},
};

static size_t probe_named(const char *name)
{
    for (size_t i = 0; probe_at(i); i++) {
        if (strcmp(probe_at(i)->name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no probe %s", name);
    return 0;
}

static void net_and_exec_open_their_own_door_and_no_other(void **state)
{
    (void)state;
    static struct scene scene;
    static const char *const still_shut[] = {
        "unix_socket",          "connect_control",        "connect_abstract",
        "packet_socket",        "read_organism",          "signal_other",
        "leave_group",          "turn_a_pair_around",     "empty_victim",
        "empty_victim_by_open", "empty_readable_by_open", "kill_other_by_descriptor",
        "list_sockets",         "clone_sibling"};
    set_scene(&scene);
    if (!can_run(&scene.organism.world.use)) {
        end_scene(&scene);
        skip();
    }
    const uint32_t newest = newest_abi(&scene);
    for (size_t i = 0; i < COUNT_OF(allowed) * newest; i++) {
        const struct allowed *row = &allowed[i % COUNT_OF(allowed)];
        scene.organism.world.use.landlock = (uint32_t)(i / COUNT_OF(allowed)) + 1;
        const struct bt_host_spec spec = {.kind = BT_HOST_C,
                                          .handler = BT_STR("code/libprobe.so"),
                                          .memory_mb = 1024,
                                          .allow_net = row->net,
                                          .allow_exec = row->exec};
        const bt_host_id id = organism_start(&scene.organism, &spec, 1);
        assert_int_equal(try_inside(&scene, id, probe_named(row->name)), 0);
        for (size_t k = 0; k < COUNT_OF(still_shut); k++) {
            const size_t number = probe_named(still_shut[k]);
            if (probe_escaped(probe_at(number), try_inside(&scene, id, number))) {
                fail_msg("%s works with %s", still_shut[k], row->name);
            }
        }
    }
    end_scene(&scene);
}

/* ---- Topology ---- */

static void a_handler_finds_no_name_but_its_own(void **state)
{
    (void)state;
    static struct scene scene;
    char answer[512];
    set_scene(&scene);
    organism_write(&scene.organism, "organism.yaml",
                   "clients: [zebraclient]\nlisteners: [vaultopener, mysecretpeer]\n");
    organism_write(&scene.organism, "schemas/vaultopener/v1.xsd", "vaultopener");
    organism_copy(&scene.organism, BATON_HANDLERS "/topology.py", "tools/topology.py");
    if (scene.organism.world.use.landlock == 0) {
        (void)printf("# skipped: this kernel has no Landlock\n");
        end_scene(&scene);
        skip();
    }
    const struct bt_host_spec spec = python_spec("tools/topology.py:look", "Look");
    const bt_host_id id = organism_start(&scene.organism, &spec, 1);
    char payload[512];
    /* Spelled backwards, so that the names are nowhere but where they are looked for. */
    (void)snprintf(payload, sizeof(payload),
                   "<x.look><root>%s</root><names>tneilcarbez renepotluav reeptercesym</names>"
                   "</x.look>",
                   scene.organism.root);
    organism_ask(&scene.organism, id, payload, answer, sizeof(answer));
    assert_string_equal(answer, "<result></result>");
    /* The same search, outside, finds all of them. */
    char command[512];
    (void)snprintf(command, sizeof(command), "%s/tools/topology.py", scene.organism.root);
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], 1);
        (void)execl(scene.organism.python.executable.ptr, "python3", command, scene.organism.root,
                    "tneilcarbez renepotluav reeptercesym", (char *)NULL);
        _exit(1);
    }
    (void)close(ends[1]);
    const ssize_t size = read(ends[0], answer, sizeof(answer) - 1);
    (void)close(ends[0]);
    (void)waitpid(child, NULL, 0);
    assert_true(size > 0);
    answer[size] = '\0';
    assert_string_equal(answer, "mysecretpeer vaultopener zebraclient");
    end_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_probe_works_outside),
        cmocka_unit_test(no_probe_gets_out_with_any_version_of_landlock),
        cmocka_unit_test(net_and_exec_open_their_own_door_and_no_other),
        cmocka_unit_test(a_handler_finds_no_name_but_its_own),
    };
    return RUN_TESTS(tests);
}
