/* SPDX-License-Identifier: Apache-2.0 */
/* test_pattern.c - file name patterns. */
#include "test.h"

#include "engine/pattern.h"

static void patterns_match_the_end_of_a_path(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        const char *path;
        bool matches;
    } rows[] = {
        {"*.handoff.json", "a.handoff.json", true},
        {"*.handoff.json", "x/y/a.handoff.json", true},
        {"*.handoff.json", ".handoff.json", true},
        {"*.handoff.json", "a.handoff.json.bak", false},
        {"*.handoff.json", "a.handoff.json/b", false},
        {"*.handoff.json", "ahandoff.json", false},
        {"*.handoff.json", "", false},
        {"handoffs/*.json", "handoffs/a.json", true},
        {"handoffs/*.json", "x/handoffs/a.json", true},
        {"handoffs/*.json", "/handoffs/a.json", true},
        {"handoffs/*.json", "myhandoffs/a.json", false},
        {"handoffs/*.json", "handoffs/x/a.json", false},
        {"handoffs/*.json", "a.json", false},
        {"handoffs/*.json", "handoffs.json", false},
        {"handoffs/*-to-*.json", "handoffs/a-to-b.json", true},
        {"handoffs/*-to-*.json", "handoffs/-to-.json", true},
        {"handoffs/*-to-*.json", "handoffs/a-to-b-to-c.json", true},
        {"handoffs/*-to-*.json", "handoffs/a-for-b.json", false},
        {"organism.yaml", "x/organism.yaml", true},
        {"organism.yaml", "organism.yaml2", false},
        {"organism.yaml", "my-organism.yaml", false},
        {"*", "anything", true},
        {"*", "", true},
        {"**a*", "bba", true},
        {"*aab", "aaaab", true},
        {"*/x", "x", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (bt_pattern_matches(bt_str_of(rows[i].pattern), bt_str_of(rows[i].path)) !=
            rows[i].matches) {
            fail_msg("'%s' %s '%s'", rows[i].pattern,
                     rows[i].matches ? "does not match" : "matches", rows[i].path);
        }
    }
}

/* Many stars against a long name that never fits: with exponential work this would not end. */
static void many_stars_do_not_multiply(void **state)
{
    (void)state;
    char pattern[64];
    char path[4096];
    for (size_t i = 0; i + 2 < sizeof(pattern); i += 2) {
        memcpy(pattern + i, "*a", 2);
    }
    memset(path, 'a', sizeof(path));
    pattern[sizeof(pattern) - 2] = 'b';
    assert_false(
        bt_pattern_matches((bt_str){pattern, sizeof(pattern) - 1}, (bt_str){path, sizeof(path)}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_the_end_of_a_path),
        cmocka_unit_test(many_stars_do_not_multiply),
    };
    return RUN_TESTS(tests);
}
