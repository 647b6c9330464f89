/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.h - cmocka with what it wants included before it, and the list macro our tests use.
 */
#ifndef BATON_TESTS_TEST_H
#define BATON_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <baton/base.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Compare a bt_str with a literal, printing both when they differ. */
#define assert_str(actual, expected)                                                               \
    do {                                                                                           \
        const bt_str assert_str_a = (actual);                                                      \
        const bt_str assert_str_e = BT_STR(expected);                                              \
        if (!bt_str_eq(assert_str_a, assert_str_e)) {                                              \
            fail_msg("got '%.*s', expected '%.*s'", BT_STR_ARG(assert_str_a),                      \
                     BT_STR_ARG(assert_str_e));                                                    \
        }                                                                                          \
    } while (0)

/* Where stores lie that no power cut threatens: in memory if that can be had, since there a sync
 * costs nothing. */
static inline const char *test_place(void)
{
    const char *wish = getenv("TMPDIR");
    return wish ? wish : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* Skip this test, saying why: script/test lists the reasons. This does not return, so release what
 * was allocated first. */
#define SKIP_TEST(reason)                                                                          \
    do {                                                                                           \
        (void)printf("# skipped: %s\n", reason);                                                   \
        skip();                                                                                    \
    } while (0)

#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
