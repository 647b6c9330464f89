/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_socket_address.c - addresses as text; listening and connecting on this machine.
 */
#define _GNU_SOURCE /* struct addrinfo */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "net/socket_address.h"

enum { ARENA_BYTES = 4096, LONG_NAME = 120, BASE_BYTES = 64, PATH_BYTES = 256 };

static void addresses_are_written_as_the_configuration_spells_them(void **state)
{
    (void)state;
    union bt_socket_address rows[4] = {
        {.four = {.sin_family = AF_INET, .sin_port = htons(80)}},
        {.six = {.sin6_family = AF_INET6, .sin6_port = htons(8443)}},
        {.local = {.sun_family = AF_UNIX, .sun_path = "/run/baton.sock"}},
        {.local = {.sun_family = AF_UNIX}},
    };
    const char *wanted[4] = {"127.0.0.1:80", "[::1]:8443", "unix:/run/baton.sock", NULL};
    struct bt_arena arena;
    rows[0].four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    rows[1].six.sin6_addr = in6addr_loopback;
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < 4; i++) {
        bt_str text = BT_STR("");
        const enum bt_status status = bt_socket_address_format(&rows[i], &arena, &text);
        assert_int_equal(status, wanted[i] ? BT_OK : BT_EINVAL);
        assert_true(bt_str_eq(text, bt_str_of(wanted[i] ? wanted[i] : "")));
    }
    char ip[INET6_ADDRSTRLEN];
    assert_true(bt_socket_address_put_ip(&rows[1], ip));
    assert_string_equal(ip, "::1");
    assert_false(bt_socket_address_put_ip(&rows[2], ip));
    bt_arena_free(&arena);
}

static void assert_kept_private(int fd)
{
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void a_port_that_is_listened_at_can_be_connected_to(void **state)
{
    (void)state;
    const struct bt_tcp_listen_options options = {.host = "127.0.0.1", .backlog = 1};
    union bt_socket_address at;
    socklen_t length = sizeof(at);
    int listener = -1;
    int fd = -1;
    assert_int_equal(bt_tcp_listen(&options, &listener), BT_OK);
    assert_int_equal(getsockname(listener, &at.any, &length), 0);
    assert_true(bt_socket_address_port(&at) > 0);
    const struct addrinfo address = {
        .ai_family = AF_INET, .ai_addr = &at.any, .ai_addrlen = length};
    assert_int_equal(bt_tcp_connect(&address, &fd), BT_OK);
    assert_kept_private(listener);
    assert_kept_private(fd);
    (void)close(fd);

    const struct bt_tcp_listen_options taken = {
        .host = "127.0.0.1", .port = bt_socket_address_port(&at), .backlog = 1};
    fd = -1;
    assert_int_equal(bt_tcp_listen(&taken, &fd), BT_EIO);
    assert_int_equal(errno, EADDRINUSE);
    (void)close(listener);
    assert_int_equal(fd, -1);
}

static void a_host_name_is_not_an_address_to_listen_at(void **state)
{
    (void)state;
    const struct bt_tcp_listen_options options = {.host = "localhost", .backlog = 1};
    int fd = -1;
    assert_int_equal(bt_tcp_listen(&options, &fd), BT_EINVAL);
    assert_int_equal(fd, -1);
}

/* A folder whose path alone is too long for the address of a socket. */
static void make_long_folder(char out[PATH_BYTES], char base[BASE_BYTES])
{
    char name[LONG_NAME + 1];
    (void)snprintf(base, BASE_BYTES, "/tmp/baton-net-XXXXXX");
    assert_non_null(mkdtemp(base));
    memset(name, 'd', LONG_NAME);
    name[LONG_NAME] = '\0';
    (void)snprintf(out, PATH_BYTES, "%s/%s", base, name);
    assert_int_equal(mkdir(out, 0700), 0);
}

static void a_unix_socket_may_have_a_path_of_any_length(void **state)
{
    (void)state;
    char base[BASE_BYTES];
    char folder[PATH_BYTES];
    char path[PATH_BYTES + 2];
    struct stat found;
    int listener = -1;
    int fd = -1;
    make_long_folder(folder, base);
    (void)snprintf(path, sizeof(path), "%s/s", folder);
    assert_int_equal(bt_unix_connect(path, &fd, NULL), BT_ENOENT);
    assert_int_equal(bt_unix_listen(path, 0600, &listener, NULL), BT_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0600);
    assert_int_equal(bt_unix_connect(path, &fd, NULL), BT_OK);
    assert_kept_private(listener);
    assert_kept_private(fd);
    (void)close(fd);
    (void)close(listener);
    assert_int_equal(bt_unix_connect(path, &fd, NULL), BT_ENOENT); /* nothing listens there */
    assert_int_equal(bt_unix_listen(path, 0600, &listener, NULL), BT_OK);
    (void)close(listener);
    assert_int_equal(unlink(path), 0);

    const int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    (void)close(file);
    assert_int_equal(bt_unix_listen(path, 0600, &listener, NULL), BT_EDENIED);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rmdir(base), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_written_as_the_configuration_spells_them),
        cmocka_unit_test(a_port_that_is_listened_at_can_be_connected_to),
        cmocka_unit_test(a_host_name_is_not_an_address_to_listen_at),
        cmocka_unit_test(a_unix_socket_may_have_a_path_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
