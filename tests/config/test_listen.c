/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_listen.c - addresses to listen at.
 */
#include "test.h"

#include "config/config.h"

struct row {
    const char *text;
    enum bt_listen_kind kind; /* none: refused */
    bool is_local;
    const char *host;
    uint16_t port;
};

static const struct row rows[] = {
    {"127.0.0.1:8420", BT_LISTEN_IPV4, true, "127.0.0.1", 8420},
    {"127.9.8.7:0", BT_LISTEN_IPV4, true, "127.9.8.7", 0},
    {"localhost:65535", BT_LISTEN_IPV4, true, "127.0.0.1", 65535},
    {"0.0.0.0:80", BT_LISTEN_IPV4, false, "0.0.0.0", 80},
    {"10.1.2.3:80", BT_LISTEN_IPV4, false, "10.1.2.3", 80},
    {"[::1]:80", BT_LISTEN_IPV6, true, "::1", 80},
    {"[::]:80", BT_LISTEN_IPV6, false, "::", 80},
    {"[fe80::2]:80", BT_LISTEN_IPV6, false, "fe80::2", 80},
    {"unix:/run/baton.sock", BT_LISTEN_UNIX, true, "/run/baton.sock", 0},
    {"nonsense", BT_LISTEN_NONE, false, "", 0},
    {"", BT_LISTEN_NONE, false, "", 0},
    {"127.0.0.1", BT_LISTEN_NONE, false, "", 0},
    {"127.0.0.1:", BT_LISTEN_NONE, false, "", 0},
    {"127.0.0.1:70000", BT_LISTEN_NONE, false, "", 0},
    {"127.0.0.1:000080", BT_LISTEN_NONE, false, "", 0},
    {"127.0.0.1:+80", BT_LISTEN_NONE, false, "", 0},
    {"127.0.0.1: 80", BT_LISTEN_NONE, false, "", 0},
    {"example.org:80", BT_LISTEN_NONE, false, "", 0},
    {"::1:80", BT_LISTEN_NONE, false, "", 0},
    {"[::1]", BT_LISTEN_NONE, false, "", 0},
    {"[::1]80", BT_LISTEN_NONE, false, "", 0},
    {"[127.0.0.1]:80", BT_LISTEN_NONE, false, "", 0},
    {"unix:", BT_LISTEN_NONE, false, "", 0},
};

static void an_address_is_taken_apart_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_listen_address got = {0};
        const enum bt_status status = bt_listen_address_parse(bt_str_of(rows[i].text), &got);
        if ((status == BT_OK) != (rows[i].kind != BT_LISTEN_NONE)) {
            fail_msg("'%s': %s", rows[i].text, bt_status_text(status));
        }
        assert_int_equal(got.kind, rows[i].kind);
        assert_int_equal(got.is_local, rows[i].is_local);
        assert_int_equal(got.port, rows[i].port);
        assert_true(bt_str_eq(got.host, bt_str_of(rows[i].host)));
    }
}

static void a_path_that_no_socket_can_have_is_refused(void **state)
{
    (void)state;
    char text[200] = "unix:";
    struct bt_listen_address got;
    memset(text + 5, 'x', sizeof(text) - 5);
    assert_int_equal(bt_listen_address_parse((bt_str){text, 5 + 107}, &got), BT_OK);
    assert_int_equal(bt_listen_address_parse((bt_str){text, 5 + 108}, &got), BT_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_taken_apart_or_refused),
        cmocka_unit_test(a_path_that_no_socket_can_have_is_refused),
    };
    return RUN_TESTS(tests);
}
