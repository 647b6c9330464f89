/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_instance.c - instances by chance: small, with few names and values, so that these meet.
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

static void put_instance(struct bt_buf *out, struct chance *chance, size_t depth)
{
    const size_t choice = depth == 0 ? 4 + chance_below(chance, 6) : chance_below(chance, 10);
    if (depth == DEPTH_MAX || choice < 5) {
        bt_buf_put_text(out, scalars[chance_below(chance, COUNT_OF(scalars))]);
        return;
    }
    const bool is_object = choice < 8;
    const size_t count = chance_below(chance, CHILDREN_MAX + 1);
    /* Names follow each other in the list, from anywhere, so that none repeats. */
    const size_t first = chance_below(chance, COUNT_OF(names));
    bt_buf_put_char(out, is_object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            bt_buf_put_char(out, ',');
        }
        if (is_object) {
            bt_json_put_string(out, bt_str_of(names[(first + i) % COUNT_OF(names)]));
            bt_buf_put_char(out, ':');
        }
        put_instance(out, chance, depth + 1);
    }
    bt_buf_put_char(out, is_object ? '}' : ']');
}

void random_instance(struct bt_buf *out, uint64_t seed)
{
    struct chance chance = {seed};
    put_instance(out, &chance, 0);
}
