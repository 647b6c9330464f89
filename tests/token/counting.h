/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counting.h - what the tests of the token counter share.
 */
#ifndef BATON_TESTS_TOKEN_COUNTING_H
#define BATON_TESTS_TOKEN_COUNTING_H

#include "test.h"
#include "token/tokens.h"

#include <baton/tokens.h>

/* The count by a counter that has seen nothing yet. */
static inline uint64_t count_fresh(enum bt_encoding encoding, bt_str text)
{
    struct bt_tokens counter;
    uint64_t count = 0;
    bt_tokens_init(&counter, encoding);
    assert_int_equal(bt_tokens_count(&counter, text, &count), BT_OK);
    bt_tokens_free(&counter);
    return count;
}

#endif
