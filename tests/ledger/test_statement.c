/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_statement.c - statements of others are read strictly: every prefix and every changed head is
 * refused, inputs end at a page that cannot be read, and memory may run out anywhere. Issuers are
 * read from PEM files.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "test.h"

#include <sys/mman.h>

#include "base/arena.h"
#include "base/buf.h"
#include "cbor/cbor.h"
#include "ledger/cose_labels.h"
#include "ledger/issuers.h"

enum { PAGE_BYTES = 4096, ARENA_BYTES = 1 << 20 };

/* The public key of RFC 8410 section 10.1, and its thumbprint by another program. */
#define ED25519_PEM                                                                                \
    "-----BEGIN PUBLIC KEY-----\n"                                                                 \
    "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"                               \
    "-----END PUBLIC KEY-----\n"
#define ED25519_KID "2ffbb2aaeb94ef052ce26987198fb95f679d647c10bade79b0dc590a2f0183d3"
/* A public key that openssl has made. */
#define P256_PEM                                                                                   \
    "-----BEGIN PUBLIC KEY-----\n"                                                                 \
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERbd5EZvmOVVGRHO9jvM4EJce27NT\n"                           \
    "Tt57+acCUUBbrrNoq4gImlnJ0iXkDorLXFeJkYpAmG7Wchgrf6vUzPWcMA==\n"                               \
    "-----END PUBLIC KEY-----\n"
#define P256_KID "9ead637853626c24ed611f31c17179fe63819d4be9016e34fdb5b9007bf5b382"

/* What a statement is made of; every member may be left out. */
struct parts {
    int64_t alg; /* 0: none */
    size_t kid_bytes;
    const char *issuer;
    const char *subject;
    bool has_payload;
    size_t payload_bytes;
    size_t unprotected_bytes;
};

static const struct parts usual = {-8, 32, "https://issuer.example", "artifact 1", true, 8, 0};

static void put_zeros(struct bt_buf *buf, size_t count)
{
    char zeros[256] = {0};
    bt_cbor_put_head(buf, BT_CBOR_BYTES, count);
    for (; count > 0; count -= count < sizeof(zeros) ? count : sizeof(zeros)) {
        bt_buf_put(buf, (bt_str){zeros, count < sizeof(zeros) ? count : sizeof(zeros)});
    }
}

static void put_headers(struct bt_buf *buf, const struct parts *parts)
{
    const bool has_kid = parts->kid_bytes > 0;
    bt_cbor_put_head(buf, BT_CBOR_MAP, 1U + (parts->alg != 0) + has_kid);
    if (parts->alg != 0) {
        bt_cbor_put_integer(buf, BT_COSE_ALG);
        bt_cbor_put_integer(buf, parts->alg);
    }
    if (parts->kid_bytes > 0) {
        bt_cbor_put_integer(buf, BT_COSE_KID);
        put_zeros(buf, parts->kid_bytes);
    }
    bt_cbor_put_integer(buf, BT_COSE_CLAIMS);
    bt_cbor_put_head(buf, BT_CBOR_MAP, 0U + (parts->issuer != NULL) + (parts->subject != NULL));
    if (parts->issuer) {
        bt_cbor_put_integer(buf, BT_COSE_ISSUER);
        bt_cbor_put_string(buf, BT_CBOR_TEXT, bt_str_of(parts->issuer));
    }
    if (parts->subject) {
        bt_cbor_put_integer(buf, BT_COSE_SUBJECT);
        bt_cbor_put_string(buf, BT_CBOR_TEXT, bt_str_of(parts->subject));
    }
}

static bt_str make(struct bt_arena *arena, const struct parts *parts)
{
    struct bt_buf headers;
    struct bt_buf buf;
    bt_str out;
    bt_buf_init(&headers, ARENA_BYTES);
    put_headers(&headers, parts);
    bt_buf_init(&buf, ARENA_BYTES);
    bt_cbor_put_head(&buf, BT_CBOR_TAG, BT_COSE_SIGN1_TAG);
    bt_cbor_put_head(&buf, BT_CBOR_ARRAY, 4);
    bt_cbor_put_string(&buf, BT_CBOR_BYTES, bt_buf_str(&headers));
    bt_cbor_put_head(&buf, BT_CBOR_MAP, parts->unprotected_bytes > 0);
    if (parts->unprotected_bytes > 0) {
        bt_cbor_put_integer(&buf, 99);
        put_zeros(&buf, parts->unprotected_bytes);
    }
    if (parts->has_payload) {
        put_zeros(&buf, parts->payload_bytes);
    } else {
        bt_cbor_put_head(&buf, BT_CBOR_SIMPLE, BT_CBOR_NULL);
    }
    put_zeros(&buf, 64);
    assert_int_equal(bt_buf_finish(&buf, arena, &out), BT_OK);
    bt_buf_free(&headers);
    return out;
}

static enum bt_statement_refusal read_parts(const struct parts *parts)
{
    struct bt_arena arena;
    struct bt_signed_statement statement;
    bt_arena_init(&arena, 4 * ARENA_BYTES);
    const struct bt_statement_fault fault = bt_statement_read(make(&arena, parts), &statement);
    assert_int_equal(fault.refusal == BT_STATEMENT_FINE, fault.why[0] == '\0');
    bt_arena_free(&arena);
    return fault.refusal;
}

static void each_part_is_needed(void **state)
{
    (void)state;
    struct parts parts = usual;
    assert_int_equal(read_parts(&usual), BT_STATEMENT_FINE);
    const int64_t algs[] = {-8, -19, -7};
    for (size_t i = 0; i < 3; i++) {
        parts.alg = algs[i];
        assert_int_equal(read_parts(&parts), BT_STATEMENT_FINE);
    }
    const int64_t others[] = {0, -9, -35, 8};
    for (size_t i = 0; i < 4; i++) {
        parts.alg = others[i];
        assert_int_equal(read_parts(&parts), BT_STATEMENT_BAD_ALGORITHM);
    }
    parts = usual;
    parts.has_payload = false;
    assert_int_equal(read_parts(&parts), BT_STATEMENT_NO_PAYLOAD);
    const struct parts rejected[] = {
        {-8, 0, "i", "s", true, 8, 0},   {-8, 31, "i", "s", true, 8, 0},
        {-8, 33, "i", "s", true, 8, 0},  {-8, 32, NULL, "s", true, 8, 0},
        {-8, 32, "i", NULL, true, 8, 0}, {-8, 32, "", "s", true, 8, 0},
        {-8, 32, "i", "", true, 8, 0},
    };
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
        assert_int_equal(read_parts(&rejected[i]), BT_STATEMENT_REJECTED);
    }
}

static void a_leaf_has_at_most_65535_bytes_whatever_is_unprotected(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_signed_statement statement;
    bt_str leaf;
    bt_arena_init(&arena, 8 * ARENA_BYTES);
    struct parts parts = usual;
    parts.payload_bytes = 60000;
    const size_t more = BT_STATEMENT_BYTES_MAX - make(&arena, &parts).len;
    parts.payload_bytes += more;
    assert_int_equal(make(&arena, &parts).len, BT_STATEMENT_BYTES_MAX);
    assert_int_equal(read_parts(&parts), BT_STATEMENT_FINE);
    parts.payload_bytes++;
    assert_int_equal(read_parts(&parts), BT_STATEMENT_REJECTED);
    parts.payload_bytes--;
    parts.unprotected_bytes = 100000;
    const bt_str bytes = make(&arena, &parts);
    assert_int_equal(bt_statement_read(bytes, &statement).refusal, BT_STATEMENT_FINE);
    assert_int_equal(bt_statement_read_leaf(bytes, &statement).refusal, BT_STATEMENT_REJECTED);
    assert_int_equal(bt_statement_leaf(&arena, &statement, &leaf), BT_OK);
    assert_int_equal(leaf.len, BT_STATEMENT_BYTES_MAX);
    parts.unprotected_bytes = BT_STATEMENT_RECEIVED_MAX;
    assert_int_equal(read_parts(&parts), BT_STATEMENT_REJECTED);
    bt_arena_free(&arena);
}

static void every_prefix_is_refused_at_the_edge_of_memory(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_signed_statement statement;
    char *pages = mmap(NULL, (size_t)2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE), 0);
    bt_arena_init(&arena, ARENA_BYTES);
    const bt_str bytes = make(&arena, &usual);
    for (size_t size = 0; size <= bytes.len; size++) {
        char *at = pages + PAGE_BYTES - size;
        memcpy(at, bytes.ptr, size);
        const enum bt_statement_refusal refusal =
            bt_statement_read((bt_str){at, size}, &statement).refusal;
        assert_int_equal(refusal, size == bytes.len ? BT_STATEMENT_FINE : BT_STATEMENT_REJECTED);
    }
    (void)munmap(pages, (size_t)2 * PAGE_BYTES);
    bt_arena_free(&arena);
}

static void issuers_are_sorted_and_have_thumbprints(void **state)
{
    (void)state;
    const struct bt_issuer_source sources[] = {{BT_STR("b"), BT_STR(P256_PEM)},
                                               {BT_STR("a"), BT_STR(ED25519_PEM)},
                                               {BT_STR("b"), BT_STR(ED25519_PEM)}};
    struct bt_arena arena;
    struct bt_issuers issuers;
    struct bt_error error = {0};
    char kid[BT_HASH_HEX_BYTES];
    bt_arena_init(&arena, ARENA_BYTES);
    assert_int_equal(bt_issuers_read(&arena, sources, 3, &issuers, &error), BT_OK);
    assert_int_equal(issuers.count, 3);
    assert_true(bt_str_eq(issuers.items[0].name, BT_STR("a")));
    bt_merkle_hash_hex(&issuers.items[0].key.kid, kid);
    assert_string_equal(kid, ED25519_KID);
    bool has_p256 = false;
    for (size_t i = 1; i < 3; i++) {
        bt_merkle_hash_hex(&issuers.items[i].key.kid, kid);
        has_p256 = has_p256 || strcmp(kid, P256_KID) == 0;
    }
    assert_true(has_p256);
    const struct bt_issuer_source twice[] = {sources[1], sources[1]};
    assert_int_equal(bt_issuers_read(&arena, twice, 2, &issuers, &error), BT_EINVAL);
    const struct bt_issuer_source nobody = {BT_STR(""), BT_STR(ED25519_PEM)};
    assert_int_equal(bt_issuers_read(&arena, &nobody, 1, &issuers, &error), BT_EINVAL);
    const struct bt_issuer_source two = {BT_STR("a"), BT_STR(ED25519_PEM ED25519_PEM)};
    assert_int_equal(bt_issuers_read(&arena, &two, 1, &issuers, &error), BT_EINVAL);
    assert_int_equal(bt_issuers_read(&arena, NULL, 0, &issuers, &error), BT_OK);
    assert_true(bt_str_eq(issuers.text, BT_STR("[]")));
    bt_arena_free(&arena);
}

static void memory_that_runs_out_takes_no_issuer(void **state)
{
    (void)state;
    const struct bt_issuer_source source = {BT_STR("a"), BT_STR(ED25519_PEM)};
    struct bt_issuers issuers = {0};
    struct bt_error error = {0};
    enum bt_status status = BT_ENOMEM;
    size_t refused = 0;
    for (size_t limit = 16; status != BT_OK && limit < ARENA_BYTES; limit += 16) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        status = bt_issuers_read(&arena, &source, 1, &issuers, &error);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        refused += status == BT_ENOMEM;
        assert_int_equal(status == BT_OK, issuers.count == 1);
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_needed),
        cmocka_unit_test(a_leaf_has_at_most_65535_bytes_whatever_is_unprotected),
        cmocka_unit_test(every_prefix_is_refused_at_the_edge_of_memory),
        cmocka_unit_test(issuers_are_sorted_and_have_thumbprints),
        cmocka_unit_test(memory_that_runs_out_takes_no_issuer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
