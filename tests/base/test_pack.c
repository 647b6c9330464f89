/* SPDX-License-Identifier: Apache-2.0 */
/* test_pack.c - packed numbers and texts, whole and damaged. */
#include "test.h"

#include "base/pack.h"

static void numbers_and_texts_come_back(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    struct bt_buf buf;
    bt_buf_init(&buf, 4096);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        bt_pack_u64(&buf, numbers[i]);
        bt_pack_text(&buf, BT_STR("text"));
    }
    struct bt_unpack from = {bt_buf_str(&buf), false};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        assert_true(bt_unpack_u64(&from) == numbers[i]);
        assert_str(bt_unpack_text(&from), "text");
    }
    assert_false(from.is_broken);
    assert_int_equal(from.bytes.len, 0);
    assert_true(bt_unpack_u64(&from) == 0);
    assert_true(from.is_broken);
    bt_buf_free(&buf);
}

static void damaged_bytes_are_refused_and_stay_refused(void **state)
{
    (void)state;
    static const bt_str damaged[] = {
        BT_STR_INIT(""),
        BT_STR_INIT("\x80"),
        BT_STR_INIT("\x05text"),
        BT_STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
        BT_STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        BT_STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x"),
    };
    for (size_t i = 0; i < COUNT_OF(damaged); i++) {
        struct bt_unpack from = {damaged[i], false};
        assert_int_equal(bt_unpack_text(&from).len, 0);
        assert_true(from.is_broken);
        assert_int_equal(bt_unpack_bytes(&from, 0).len, 0);
        assert_true(from.is_broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_come_back),
        cmocka_unit_test(damaged_bytes_are_refused_and_stay_refused),
    };
    return RUN_TESTS(tests);
}
