/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sized.c - structs of older, equal and newer releases.
 */
#include "test.h"

#include "base/sized.h"

/* One struct as three releases have it. This library is the second. */
struct first {
    uint32_t size;
    uint32_t depth;
    uint64_t bytes;
};

struct second {
    uint32_t size;
    uint32_t depth;
    uint64_t bytes;
    uint64_t nodes;
};

struct third {
    uint32_t size;
    uint32_t depth;
    uint64_t bytes;
    uint64_t nodes;
    uint64_t strings;
};

static const struct bt_sized_layout layout = {sizeof(struct first), sizeof(struct second)};

static void nothing_given_is_all_zero(void **state)
{
    struct second out = {.nodes = 7};
    (void)state;
    assert_int_equal(bt_sized_read(NULL, layout, &out), BT_OK);
    assert_int_equal(out.nodes, 0);
}

static void an_older_struct_lacks_members(void **state)
{
    /* What follows in memory is not part of it. */
    struct second given = {.depth = 3, .bytes = 4, .nodes = 5};
    struct second out;
    (void)state;
    for (unsigned size = 0; size <= sizeof(struct first); size += sizeof(struct first)) {
        given.size = size;
        assert_int_equal(bt_sized_read(&given, layout, &out), BT_OK);
        assert_int_equal(out.depth, 3);
        assert_int_equal(out.bytes, 4);
        assert_int_equal(out.nodes, 0);
    }
    given.size = sizeof(given);
    assert_int_equal(bt_sized_read(&given, layout, &out), BT_OK);
    assert_int_equal(out.nodes, 5);
}

static void a_newer_struct_may_have_zeroes_only(void **state)
{
    struct third given = {.size = sizeof(given), .nodes = 5};
    struct second out = {.depth = 9};
    (void)state;
    assert_int_equal(bt_sized_read(&given, layout, &out), BT_OK);
    assert_int_equal(out.nodes, 5);
    assert_int_equal(out.size, sizeof(out));
    for (size_t i = sizeof(struct second); i < sizeof(given); i++) {
        out.depth = 9;
        ((char *)&given)[i] = 1;
        assert_int_equal(bt_sized_read(&given, layout, &out), BT_EINVAL);
        assert_int_equal(bt_sized_check(&given, layout), BT_EINVAL);
        assert_int_equal(out.depth, 9);
        ((char *)&given)[i] = 0;
    }
}

static void other_sizes_are_refused(void **state)
{
    static const uint32_t sizes[] = {1, 4, sizeof(struct first) - 1, BT_SIZED_BYTES_MAX + 1,
                                     UINT32_MAX};
    struct second given = {0};
    struct second out;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        given.size = sizes[i];
        assert_int_equal(bt_sized_read(&given, layout, &out), BT_EINVAL);
        assert_int_equal(bt_sized_check(&given, layout), BT_EINVAL);
    }
}

static void no_more_is_written_than_the_caller_has(void **state)
{
    const struct second filled = {.size = 99, .depth = 1, .bytes = 2, .nodes = 3};
    struct third out = {0};
    (void)state;
    bt_sized_write(&out, layout, &filled); /* size 0 is the first layout */
    assert_int_equal(out.size, 0);
    assert_int_equal(out.bytes, 2);
    assert_int_equal(out.nodes, 0);
    out.size = sizeof(out);
    assert_int_equal(bt_sized_check(&out, layout), BT_OK);
    bt_sized_write(&out, layout, &filled);
    assert_int_equal(out.size, sizeof(out));
    assert_int_equal(out.nodes, 3);
    assert_int_equal(out.strings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_is_all_zero),
        cmocka_unit_test(an_older_struct_lacks_members),
        cmocka_unit_test(a_newer_struct_may_have_zeroes_only),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(no_more_is_written_than_the_caller_has),
    };
    return RUN_TESTS(tests);
}
