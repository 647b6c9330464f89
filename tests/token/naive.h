/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive.h - the rule of joining in its plainest form, over texts instead of ranks. Slow.
 */
#ifndef BATON_TESTS_TOKEN_NAIVE_H
#define BATON_TESTS_TOKEN_NAIVE_H

#include "base/arena.h"
#include "test.h"

struct naive_token {
    bt_str bytes;
    uint32_t rank;
};

struct naive {
    struct bt_arena arena;
    bt_str *tokens;             /* by rank */
    struct naive_token *sorted; /* by bytes */
    size_t count;
};

/* Read a merge list of src/token/data by its name. */
void naive_load(struct naive *naive, const char *name);
void naive_free(struct naive *naive);

/* How many tokens a piece is. */
size_t naive_count(const struct naive *naive, bt_str piece);

#endif
