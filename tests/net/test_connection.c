/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_connection.c - connections in clear over a pair of sockets.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection.h"

enum { IN_MAX = 8, OUT_MAX = 1 << 22 };

struct pair {
    struct bt_net_connection near;
    int far;
};

static struct pair open_pair(void)
{
    int fds[2];
    struct pair pair;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    bt_net_connection_init(&pair.near, fds[0], IN_MAX, OUT_MAX);
    pair.far = fds[1];
    return pair;
}

static void close_pair(struct pair *pair)
{
    bt_net_connection_free(&pair->near);
    (void)close(pair->far);
}

static void no_more_is_read_than_the_buffer_may_hold(void **state)
{
    (void)state;
    struct pair pair = open_pair();
    assert_int_equal(send(pair.far, "0123456789", 10, 0), 10);
    bt_net_connection_read(&pair.near, 5);
    assert_true(bt_str_eq(bt_net_connection_received(&pair.near), BT_STR("01234")));
    bt_net_connection_read(&pair.near, 5);
    bt_net_connection_read(&pair.near, 5);
    assert_true(bt_str_eq(bt_net_connection_received(&pair.near), BT_STR("01234567")));
    assert_false(pair.near.is_broken);
    pair.near.in_done = 6;
    bt_net_connection_read(&pair.near, 5);
    assert_true(bt_str_eq(bt_net_connection_received(&pair.near), BT_STR("6789")));
    close_pair(&pair);
}

static void nothing_to_read_is_neither_the_end_nor_a_fault(void **state)
{
    (void)state;
    struct pair pair = open_pair();
    bt_net_connection_read(&pair.near, 5);
    assert_false(pair.near.peer_has_closed || pair.near.is_broken);
    assert_int_equal(shutdown(pair.far, SHUT_WR), 0);
    bt_net_connection_read(&pair.near, 5);
    assert_true(pair.near.peer_has_closed && !pair.near.is_broken);
    close_pair(&pair);
}

/* Read everything that has arrived at the other end. */
static size_t drain(int fd)
{
    static char part[65536];
    size_t total = 0;
    for (ssize_t got = recv(fd, part, sizeof(part), 0); got > 0;
         got = recv(fd, part, sizeof(part), 0)) { /* ends: what was sent is bounded */
        total += (size_t)got;
    }
    return total;
}

static void what_cannot_be_sent_now_is_sent_later(void **state)
{
    (void)state;
    struct pair pair = open_pair();
    static char zeros[OUT_MAX];
    size_t arrived = 0;
    bt_buf_put(&pair.near.out, (bt_str){zeros, sizeof(zeros)});
    bt_net_connection_write(&pair.near);
    assert_true(bt_net_connection_unsent(&pair.near) > 0);
    for (size_t i = 0; i < OUT_MAX && bt_net_connection_unsent(&pair.near) > 0; i++) {
        arrived += drain(pair.far);
        bt_net_connection_write(&pair.near);
    }
    assert_int_equal(arrived + drain(pair.far), sizeof(zeros));
    assert_false(pair.near.is_broken);
    assert_null(pair.near.out.ptr); /* an idle connection holds no memory */
    close_pair(&pair);
}

static void writing_to_a_closed_peer_breaks_the_connection(void **state)
{
    (void)state;
    struct pair pair = open_pair();
    (void)close(pair.far);
    pair.far = -1;
    bt_buf_put_text(&pair.near.out, "x");
    bt_net_connection_write(&pair.near);
    assert_true(pair.near.is_broken);
    assert_int_equal(bt_net_connection_unsent(&pair.near), 1);
    close_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_is_read_than_the_buffer_may_hold),
        cmocka_unit_test(nothing_to_read_is_neither_the_end_nor_a_fault),
        cmocka_unit_test(what_cannot_be_sent_now_is_sent_later),
        cmocka_unit_test(writing_to_a_closed_peer_breaks_the_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
