/* SPDX-License-Identifier: Apache-2.0 */
/* self_test.h - does this program compute what it should? Known inputs with known results. */
#ifndef BATON_APP_SETUP_SELF_TEST_H
#define BATON_APP_SETUP_SELF_TEST_H

#include <baton/tokens.h>

/* What is tested. */
enum setup_self_test_part {
    SETUP_PART_READER = 1,
    SETUP_PART_SCHEMA,
    SETUP_PART_TOKENS,
    SETUP_PART_HASH,
    SETUP_PART_TABLES,
};

/* An input and its known result. */
struct setup_self_test {
    enum setup_self_test_part part;
    const char *input;
    bool is_valid;             /* reader, schema */
    enum bt_encoding encoding; /* tokens */
    uint64_t count;            /* tokens */
    const char *digest;        /* hash */
};

/* The tests of this program; *out_count is their number. */
const struct setup_self_test *setup_self_tests(size_t *out_count);

/*
 * Run tests. *out_failed is the name of the part whose result is wrong, or NULL. BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status setup_self_test_run(struct bt_arena *arena,
                                               const struct setup_self_test *tests, size_t count,
                                               const char **out_failed);

#endif
