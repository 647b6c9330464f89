/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cbor.c - the one encoding that CBOR items have: what is accepted, and every other spelling,
 * which is refused. Inputs end at a page that cannot be read.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "test.h"

#include <sys/mman.h>

#include "base/buf.h"
#include "base/hex.h"
#include "cbor/cbor.h"

enum { PAGE_BYTES = 4096 };

/* Check bytes that end where a page begins that nobody may read. */
static const char *check_at_edge(bt_str bytes)
{
    char *pages = mmap(NULL, (size_t)2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE), 0);
    assert_true(bytes.len <= PAGE_BYTES);
    char *at = pages + PAGE_BYTES - bytes.len;
    if (bytes.len > 0) {
        memcpy(at, bytes.ptr, bytes.len);
    }
    const char *reason = bt_cbor_check((bt_str){at, bytes.len});
    (void)munmap(pages, (size_t)2 * PAGE_BYTES);
    return reason;
}

static const char *check_hex(const char *hex)
{
    uint8_t bytes[PAGE_BYTES];
    const size_t size = strlen(hex) / 2;
    assert_true(bt_hex_decode(hex, size, bytes));
    return check_at_edge((bt_str){(const char *)bytes, size});
}

static const struct sample {
    const char *hex;
    const char *reason; /* NULL: accepted */
} samples[] = {
    /* RFC 8949, appendix A. */
    {"00", NULL},
    {"17", NULL},
    {"1818", NULL},
    {"1903e8", NULL},
    {"1a000f4240", NULL},
    {"1bffffffffffffffff", NULL},
    {"3bffffffffffffffff", NULL},
    {"20", NULL},
    {"f4", NULL},
    {"f5", NULL},
    {"f6", NULL},
    {"40", NULL},
    {"4401020304", NULL},
    {"60", NULL},
    {"62c3bc", NULL},
    {"80", NULL},
    {"8301820203820405", NULL},
    {"a0", NULL},
    {"a201020304", NULL},
    {"a26161016162820203", NULL},
    {"c074323031332d30332d32315432303a30343a30305a", NULL},
    {"d28443a10126a0f640", NULL},
    /* Keys of every order: shorter encodings first within a type, types by their numbers. */
    {"a30a001864002000", NULL},
    {"a2200018640a", "keys are not sorted, or one is repeated"},
    {"a201000100", "keys are not sorted, or one is repeated"},
    {"a202000100", "keys are not sorted, or one is repeated"},
    {"a18000", "a key is not an integer or a string"},
    {"a1f600", "a key is not an integer or a string"},
    /* Numbers and lengths that could be shorter. */
    {"1800", "a number is not in its shortest form"},
    {"1817", "a number is not in its shortest form"},
    {"1900ff", "a number is not in its shortest form"},
    {"1a0000ffff", "a number is not in its shortest form"},
    {"1b00000000ffffffff", "a number is not in its shortest form"},
    {"3800", "a number is not in its shortest form"},
    {"580100", "a number is not in its shortest form"},
    {"780161", "a number is not in its shortest form"},
    {"980100", "a number is not in its shortest form"},
    {"b8010000", "a number is not in its shortest form"},
    {"d81200", "a number is not in its shortest form"},
    /* Indefinite lengths, reserved heads. */
    {"5f4100ff", "a length is indefinite"},
    {"7f6161ff", "a length is indefinite"},
    {"9fff", "a length is indefinite"},
    {"bfff", "a length is indefinite"},
    {"ff", "a length is indefinite"},
    {"1c", "a head is reserved"},
    /* Floats and other simple values. */
    {"f93c00", "a simple value is not false, true or null"},
    {"fa47c35000", "a simple value is not false, true or null"},
    {"f7", "a simple value is not false, true or null"},
    {"f0", "a simple value is not false, true or null"},
    {"f820", "a simple value is not false, true or null"},
    {"f815", "a simple value is not false, true or null"},
    /* Tags. */
    {"c1c100", "a tag is not around the whole"},
    {"81c100", "a tag is not around the whole"},
    /* Ends. */
    {"", "it ends too early"},
    {"18", "it ends too early"},
    {"1901", "it ends too early"},
    {"4101ff", "there are bytes behind its end"},
    {"41", "it ends too early"},
    {"5bffffffffffffffff00", "it ends too early"},
    {"9bffffffffffffffff00", "it ends too early"},
    {"82", "it ends too early"},
    {"8200", "it ends too early"},
    {"a1", "it ends too early"},
    {"a100", "it ends too early"},
    {"c1", "it ends too early"},
    {"0000", "there are bytes behind its end"},
    /* Texts. */
    {"61ff", "a text is not UTF-8"},
    {"62c0af", "a text is not UTF-8"},
    {"63eda080", "a text is not UTF-8"},
    {"41ff", NULL},
};

static void each_value_has_one_encoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const char *reason = check_hex(samples[i].hex);
        const char *expected = samples[i].reason;
        if ((reason == NULL) != (expected == NULL) || (reason && strcmp(reason, expected) != 0)) {
            fail_msg("%s: got %s, expected %s", samples[i].hex, reason ? reason : "accepted",
                     expected ? expected : "accepted");
        }
    }
}

static void nesting_and_members_are_limited(void **state)
{
    (void)state;
    struct bt_buf buf;
    for (size_t depth = 14; depth <= 20; depth++) {
        bt_buf_init(&buf, PAGE_BYTES);
        bt_buf_put_repeat(&buf, '\x81', depth);
        bt_cbor_put_integer(&buf, 0);
        const char *reason = check_at_edge(bt_buf_str(&buf));
        assert_int_equal(reason == NULL, depth <= BT_CBOR_DEPTH_MAX);
        bt_buf_free(&buf);
    }
    for (unsigned count = 62; count <= 66; count++) {
        bt_buf_init(&buf, PAGE_BYTES);
        bt_cbor_put_head(&buf, BT_CBOR_MAP, count);
        for (unsigned i = 0; i < count; i++) {
            bt_cbor_put_integer(&buf, i);
            bt_cbor_put_integer(&buf, 0);
        }
        const char *reason = check_at_edge(bt_buf_str(&buf));
        assert_int_equal(reason == NULL, count <= BT_CBOR_MEMBERS_MAX);
        bt_buf_free(&buf);
    }
}

static void integers_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const int64_t numbers[] = {
        0,         1,  23,  24,  255,  256,  65535,  65536,  UINT32_MAX, INT64_C(1) << 32,
        INT64_MAX, -1, -24, -25, -256, -257, -65536, -65537, -70001,     INT64_MIN};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, PAGE_BYTES);
        bt_cbor_put_integer(&buf, numbers[i]);
        assert_null(check_at_edge(bt_buf_str(&buf)));
        assert_true(bt_cbor_is_integer(bt_buf_str(&buf), numbers[i]));
        assert_false(bt_cbor_is_integer(bt_buf_str(&buf), numbers[i] ^ 1));
        bt_buf_free(&buf);
    }
}

static void members_are_found_by_their_keys(void **state)
{
    (void)state;
    /* {1: -8, 15: {1: "a"}, -70001: h'00ff'} */
    static const uint8_t map[] = {0xa3, 0x01, 0x27, 0x0f, 0xa1, 0x01, 0x61, 'a',
                                  0x3a, 0x00, 0x01, 0x11, 0x70, 0x42, 0x00, 0xff};
    const bt_str bytes = {(const char *)map, sizeof(map)};
    bt_str value;
    bt_str text;
    assert_null(check_at_edge(bytes));
    assert_true(bt_cbor_find(bytes, 1, &value));
    assert_true(bt_cbor_is_integer(value, -8));
    assert_false(bt_cbor_read_string(value, BT_CBOR_TEXT, &text));
    assert_true(bt_cbor_find(bytes, 15, &value));
    assert_true(bt_cbor_find(value, 1, &value));
    assert_true(bt_cbor_read_string(value, BT_CBOR_TEXT, &text));
    assert_str(text, "a");
    assert_true(bt_cbor_find(bytes, -70001, &value));
    assert_false(bt_cbor_read_string(value, BT_CBOR_TEXT, &text));
    assert_true(bt_cbor_read_string(value, BT_CBOR_BYTES, &text));
    assert_int_equal(text.len, 2);
    assert_false(bt_cbor_find(bytes, 2, &value));
    assert_false(bt_cbor_find(value, 1, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_has_one_encoding),
        cmocka_unit_test(nesting_and_members_are_limited),
        cmocka_unit_test(integers_are_written_as_they_are_read),
        cmocka_unit_test(members_are_found_by_their_keys),
    };
    return RUN_TESTS(tests);
}
