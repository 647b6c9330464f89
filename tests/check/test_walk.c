/* SPDX-License-Identifier: Apache-2.0 */
/* Failures for which memory runs out. What walks find is tested by tests/cli/test_walk.py. */
#include "test.h"

#include <sys/resource.h>

#include "check/walk.h"

enum { BLOCKS_MAX = 1 << 20, BLOCK_BYTES_MIN = 16, BLOCK_BYTES_MAX = 1 << 20 };

/* Take all memory that malloc() can still give. Returns a list of what was taken. */
static void **take_memory(void)
{
    void **taken = NULL;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = 1 << 20; /* less than there is, so that nothing is added */
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    for (size_t size = BLOCK_BYTES_MAX; size >= BLOCK_BYTES_MIN; size /= 2) {
        for (size_t i = 0; i < BLOCKS_MAX; i++) {
            void **block = malloc(size);
            if (!block) {
                break;
            }
            *block = (void *)taken;
            taken = block;
        }
    }
    return taken;
}

static void give_back(void **taken)
{
    struct rlimit limit;
    while (taken) {
        void **next = *taken;
        free((void *)taken);
        taken = next;
    }
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void walk_nowhere(bool has_memory, struct check_walk_item items[2])
{
    static const uint64_t seed[2] = {1, 2};
    const struct check_walk_options options = {.uses_gitignore = false};
    struct check_walk *walk = check_walk_create(&options, seed);
    assert_non_null(walk);
    items[0] = items[1] = (struct check_walk_item){.kind = CHECK_WALK_NONE};
    void **taken = has_memory ? NULL : take_memory();
    check_walk_begin(walk, "no/such/folder");
    const bool has_one = check_walk_next(walk, &items[0]);
    const bool has_two = has_one && check_walk_next(walk, &items[1]);
    if (!has_memory) {
        give_back(taken);
    }
    assert_true(has_one);
    assert_false(has_two);
    check_walk_destroy(walk);
}

static void a_failure_is_passed_on_even_without_memory_for_it(void **state)
{
    (void)state;
    struct check_walk_item items[2];
    walk_nowhere(true, items);
    assert_int_equal(items[0].kind, CHECK_WALK_FAILURE);
    assert_int_equal(items[0].reason, BT_FAILURE_NOT_FOUND);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they reserve much memory */
    walk_nowhere(false, items);
    assert_int_equal(items[0].kind, CHECK_WALK_FAILURE);
    assert_int_equal(items[0].reason, BT_FAILURE_MEMORY);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_passed_on_even_without_memory_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
