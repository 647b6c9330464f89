/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ed25519.c - signatures at the edges, made here: whatever is not exactly the signature of
 * this message by this key is refused, also where lazier arithmetic would let it pass.
 */
#include "test.h"

#include "ledger/ed25519.h"
#include "ledger/signing_key.h"
#include "log.h"

enum { KEYS = 8, MESSAGE_BYTES_MAX = 300, HALF = BT_SIGNATURE_BYTES / 2 };

/* The order of the group, 2^252 + 27742317777372353535851937790883648493, the least byte first. */
static const uint8_t order[HALF] = {
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

struct signing {
    struct bt_signing_key key;
    char bytes[MESSAGE_BYTES_MAX];
    bt_str message;
    uint8_t signature[BT_SIGNATURE_BYTES];
};

/* A key, a message of any length, and its signature. */
static struct signing sign_something(uint64_t number, uint64_t *random)
{
    struct signing signing = {.bytes = {0}};
    const size_t length = number == 0 ? 0 : log_random(random) % MESSAGE_BYTES_MAX;
    for (size_t i = 0; i < length; i++) {
        signing.bytes[i] = (char)log_random(random);
    }
    assert_int_equal(
        bt_signing_key_seed(BT_STR("log.example/e"), BT_KEY_LOG, number % KEYS, &signing.key),
        BT_OK);
    signing.message = (bt_str){signing.bytes, length};
    assert_int_equal(bt_signing_key_sign(&signing.key, signing.message, signing.signature, NULL),
                     BT_OK);
    return signing;
}

static bool is_valid(const struct signing *signing)
{
    bool valid = false;
    const bt_str message = {signing->bytes, signing->message.len};
    assert_int_equal(bt_vkey_verify(&signing->key.vkey, message, signing->signature, &valid),
                     BT_OK);
    return valid;
}

static void signatures_of_every_length_of_message_hold(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint64_t i = 0; i < 200; i++) {
        const struct signing signing = sign_something(i, &random);
        assert_true(is_valid(&signing));
    }
}

static void no_bit_of_signature_message_or_key_may_change(void **state)
{
    (void)state;
    uint64_t random = 2;
    struct signing signing = sign_something(3, &random);
    for (size_t bit = 0; bit < (size_t)8 * BT_SIGNATURE_BYTES; bit++) {
        signing.signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(is_valid(&signing));
        signing.signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * signing.message.len; bit++) {
        signing.bytes[bit / 8] = (char)(signing.bytes[bit / 8] ^ (1 << bit % 8));
        assert_false(is_valid(&signing));
        signing.bytes[bit / 8] = (char)(signing.bytes[bit / 8] ^ (1 << bit % 8));
    }
    for (size_t bit = 0; bit < (size_t)8 * BT_KEY_BYTES; bit++) {
        signing.key.vkey.key[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(is_valid(&signing));
        signing.key.vkey.key[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(is_valid(&signing)); /* all was put back: it was the bit that was noticed */
}

/* Add the order to the second half as often as it fits into 32 bytes: every sum leads to the same
 * point, and only the least is a signature (RFC 8032, section 5.1.7). */
static void a_signature_has_one_spelling(void **state)
{
    (void)state;
    uint64_t random = 3;
    size_t others = 0;
    for (uint64_t i = 0; i < 20; i++) {
        struct signing signing = sign_something(i, &random);
        for (;;) {
            unsigned carry = 0;
            for (size_t at = 0; at < HALF; at++) {
                carry += (unsigned)signing.signature[HALF + at] + order[at];
                signing.signature[HALF + at] = (uint8_t)carry;
                carry >>= 8;
            }
            if (carry > 0) {
                break;
            }
            assert_false(is_valid(&signing));
            others++;
        }
    }
    assert_true(others > 100);
}

/* Halves that stand at an edge of what can be written. */
static void odd_halves_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint8_t first;
        uint8_t middle;
        uint8_t last;
    } rows[] = {
        {0, 0, 0},          /* nothing */
        {1, 0, 0},          /* the neutral point; as a number, one */
        {1, 0, 0x80},       /* the same with the other sign, which it does not have */
        {0xec, 0xff, 0x7f}, /* -1, of small order */
        {0xed, 0xff, 0x7f}, /* the prime: another spelling of zero */
        {0xee, 0xff, 0x7f}, /* another spelling of one */
        {0xff, 0xff, 0x7f}, /* the most that a coordinate can say */
        {0xff, 0xff, 0xff}, /* the most that bytes can say */
        {0, 0, 0x10},       /* 2^252 */
        {0, 0, 0x20},       /* 2^253 */
    };
    uint64_t random = 4;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t half = 0; half < 3; half++) {
            struct signing signing = sign_something(i, &random);
            for (size_t at = 0; at < BT_SIGNATURE_BYTES; at++) {
                const size_t place = at % HALF;
                if (half == 2 || at / HALF == half) {
                    signing.signature[at] = place == 0          ? rows[i].first
                                            : place == HALF - 1 ? rows[i].last
                                                                : rows[i].middle;
                }
            }
            assert_false(is_valid(&signing));
        }
    }
    struct signing signing = sign_something(1, &random);
    memcpy(signing.signature + HALF, order, HALF);
    assert_false(is_valid(&signing));
}

static void a_signature_is_of_one_message_and_one_key(void **state)
{
    (void)state;
    uint64_t random = 5;
    const struct signing first = sign_something(1, &random);
    struct signing mixed = sign_something(2, &random);
    const struct signing second = mixed;
    memcpy(mixed.signature, first.signature, BT_SIGNATURE_BYTES);
    assert_false(is_valid(&mixed));
    memcpy(mixed.signature, second.signature, HALF); /* the point of one, the number of the other */
    assert_false(is_valid(&mixed));
    mixed = second;
    mixed.key = first.key;
    assert_false(is_valid(&mixed));
    mixed = second;
    mixed.message.len -= mixed.message.len > 0;
    assert_false(is_valid(&mixed));
    mixed.message.len += 2; /* a zero byte more */
    assert_false(is_valid(&mixed));
    assert_true(is_valid(&second));
}

static void a_key_that_is_ready_signs_as_before(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (uint64_t i = 0; i < 20; i++) {
        struct signing signing = sign_something(i, &random);
        const bt_str message = {signing.bytes, signing.message.len};
        for (int again = 0; again < 3; again++) {
            uint8_t signature[BT_SIGNATURE_BYTES];
            assert_int_equal(bt_signing_key_ready(&signing.key), BT_OK);
            assert_int_equal(bt_signing_key_sign(&signing.key, message, signature, NULL), BT_OK);
            assert_memory_equal(signature, signing.signature, sizeof(signature));
        }
        bt_signing_key_wipe(&signing.key);
        assert_null(signing.key.pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_of_every_length_of_message_hold),
        cmocka_unit_test(no_bit_of_signature_message_or_key_may_change),
        cmocka_unit_test(a_signature_has_one_spelling),
        cmocka_unit_test(odd_halves_are_refused),
        cmocka_unit_test(a_signature_is_of_one_message_and_one_key),
        cmocka_unit_test(a_key_that_is_ready_signs_as_before),
    };
    return RUN_TESTS(tests);
}
