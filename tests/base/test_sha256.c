/* SPDX-License-Identifier: Apache-2.0 */
/* test_sha256.c - our SHA-256 beside the published vectors and libcrypto. */
#include "test.h"

#include <stdlib.h>

#include "base/env.h"
#include "base/hex.h"
#include "base/sha256.h"

enum { RANDOM_INPUTS = 100000, INPUT_BYTES_MAX = 400, SEED = 20260211 };

static void hash_portable(bt_str bytes, size_t part_max, uint8_t out[32])
{
    struct bt_sha256_portable state;
    bt_sha256_portable_begin(&state);
    while (bytes.len > 0) {
        const size_t part = bytes.len < part_max ? bytes.len : part_max;
        bt_sha256_portable_add(&state, bt_str_slice(bytes, 0, part));
        bytes = bt_str_slice(bytes, part, bytes.len);
    }
    bt_sha256_portable_end(&state, out);
}

/* The examples of FIPS 180-4 and of NIST's SHA-256 test data. */
static void the_published_vectors_are_met(void **state)
{
    static const struct {
        const char *text;
        size_t repeat;
        const char *hash;
    } rows[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "mno"
         "pqrsmnopqrstnopqrstu",
         1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bt_sha256_portable sum;
        uint8_t digest[32];
        char hex[65] = "";
        bt_sha256_portable_begin(&sum);
        for (size_t j = 0; j < rows[i].repeat; j++) {
            bt_sha256_portable_add(&sum, bt_str_of(rows[i].text));
        }
        bt_sha256_portable_end(&sum, digest);
        bt_hex_put(digest, sizeof(digest), hex);
        assert_string_equal(hex, rows[i].hash);
    }
}

static void random_inputs_have_the_hash_of_libcrypto(void **state)
{
    char bytes[INPUT_BYTES_MAX];
    (void)state;
    srand(SEED);
    for (size_t i = 0; i < RANDOM_INPUTS; i++) {
        const size_t size = (size_t)rand() % INPUT_BYTES_MAX;
        uint8_t wanted[32];
        uint8_t found[32];
        for (size_t j = 0; j < size; j++) {
            bytes[j] = (char)rand();
        }
        assert_int_equal(bt_sha256((bt_str){bytes, size}, wanted), BT_OK);
        hash_portable((bt_str){bytes, size}, 1 + (size_t)rand() % 130, found);
        assert_memory_equal(found, wanted, sizeof(wanted));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vectors_are_met),
        cmocka_unit_test(random_inputs_have_the_hash_of_libcrypto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
