/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_instance.c - instances at random: small, with few names and values, so that these meet.
 */
#include "json/json_test.h"
#include "random_schema.h"

#include "base/buf.h"

enum { DEPTH_MAX = 4, CHILDREN_MAX = 4 };

static const char *const scalars[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "1.0",
    "2",
    "3",
    "-1",
    "0.5",
    "1e2",
    "12.34",
    "100",
    "9007199254740993",
    "\"\"",
    "\"a\"",
    "\"foo\"",
    "\"bar\"",
    "\"x1\"",
    "\"\\u00e9t\\u00e9\"",
    "\"\\ud83d\\ude00\"",
    "\"2024-02-29\"",
    "\"127.0.0.1\"",
    "\"http://example.com/a\"",
};

static const char *const names[] = {"a", "b", "c", "foo", "bar", "x1", "", "\xc3\xa9"};

static void put_instance(struct bt_buf *out, struct rng *rng, size_t depth)
{
    const size_t choice = depth == 0 ? 4 + rng_below(rng, 6) : rng_below(rng, 10);
    if (depth == DEPTH_MAX || choice < 5) {
        bt_buf_put_text(out, scalars[rng_below(rng, COUNT_OF(scalars))]);
        return;
    }
    const bool is_object = choice < 8;
    const size_t count = rng_below(rng, CHILDREN_MAX + 1);
    /* Names follow each other in the list, from anywhere, so that none repeats. */
    const size_t first = rng_below(rng, COUNT_OF(names));
    bt_buf_put_char(out, is_object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            bt_buf_put_char(out, ',');
        }
        if (is_object) {
            bt_json_put_string(out, bt_str_of(names[(first + i) % COUNT_OF(names)]));
            bt_buf_put_char(out, ':');
        }
        put_instance(out, rng, depth + 1);
    }
    bt_buf_put_char(out, is_object ? '}' : ']');
}

void random_instance(struct bt_buf *out, uint64_t seed)
{
    struct rng rng = {seed};
    put_instance(out, &rng, 0);
}
