/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_error.c - failures of the operating system as text.
 */
#include "test.h"

#include <errno.h>

#include "base/error.h"

static void the_parts_that_are_given_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        const char *path;
        const char *text;
    } rows[] = {
        {"cannot make", "/tmp/x", "cannot make /tmp/x: No space left on device"},
        {"cannot wait", NULL, "cannot wait: No space left on device"},
        {NULL, "/tmp/x", "/tmp/x: No space left on device"},
        {NULL, NULL, "No space left on device"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bt_error error = {.status = BT_OK};
        errno = ENOSPC;
        assert_int_equal(bt_error_errno(&error, rows[i].what, rows[i].path), BT_EIO);
        assert_int_equal(error.status, BT_EIO);
        assert_string_equal(error.text, rows[i].text);
        assert_int_equal(errno, ENOSPC);
    }
    assert_int_equal(bt_error_errno(NULL, "cannot make", "/tmp/x"), BT_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_that_are_given_are_named),
    };
    return RUN_TESTS(tests);
}
