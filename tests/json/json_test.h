/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_test.h - what tests of the JSON tools share: documents from literals, forms as text, rng.
 */
#ifndef BATON_TESTS_JSON_JSON_TEST_H
#define BATON_TESTS_JSON_JSON_TEST_H

#include "base/arena.h"
#include "json/options.h"
#include "test.h"

#include <baton/json.h>

#define TEST_ARENA_BYTES ((size_t)512 << 20)
#define TEST_BUF_BYTES ((size_t)64 << 20)

/* Read a text that must be JSON, with the widest bounds there are. */
static inline const struct bt_json_doc *read_text(struct bt_arena *arena, bt_str text)
{
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = TEST_BUF_BYTES;
    options.string_bytes_max = TEST_BUF_BYTES;
    options.nodes_max = 10000000;
    options.depth_max = 1000;
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, text, &options, &result), BT_OK);
    if (!result.document) {
        fail_msg("%s at %zu of %.*s", result.detail, result.offset,
                 (int)(text.len < 200 ? text.len : 200), text.ptr);
    }
    return result.document;
}

static inline const struct bt_json_doc *read_literal(struct bt_arena *arena, const char *text)
{
    return read_text(arena, bt_str_of(text));
}

/* Whether two documents are equal; working memory of its own, so that it can be asked anywhere. */
static inline bool documents_equal(const struct bt_json_doc *a, const struct bt_json_doc *b)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bool equal = false;
    assert_int_equal(bt_json_equal(a, bt_json_root(a), b, bt_json_root(b), &arena, &equal), BT_OK);
    bt_arena_free(&arena);
    return equal;
}

/* A generator that gives every machine the same numbers. */
struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = rng->state;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* 0 to below - 1 */
static inline size_t rng_below(struct rng *rng, size_t below)
{
    return (size_t)(rng_next(rng) % below);
}

#endif
