/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_documents.c - a document is kept once and found, whoever put it, and whatever became of the
 * transactions around it, on every back end.
 */
#include "test.h"

#include "base/env.h"

#include "fresh.h"
#include "store/name_index.h"

enum { AT_ONCE = 1000 };

struct numbered {
    char text[32];
    uint8_t digest[BT_SHA256_BYTES];
};

static bt_str bytes_of(uint64_t number, struct numbered *out)
{
    (void)snprintf(out->text, sizeof(out->text), "document %llu", (unsigned long long)number);
    assert_int_equal(bt_sha256(bt_str_of(out->text), out->digest), BT_OK);
    return bt_str_of(out->text);
}

static bt_str digest_of(const struct numbered *numbered)
{
    return (bt_str){(const char *)numbered->digest, sizeof(numbered->digest)};
}

/* Put the documents from `first` to below `end`; they are kept. */
static void put(struct fresh *fresh, struct bt_store *store, uint64_t first, uint64_t end)
{
    bt_store_defer(store);
    for (uint64_t i = first; i < end; i++) {
        struct numbered numbered;
        bool kept = false;
        const bt_str bytes = bytes_of(i, &numbered);
        assert_int_equal(
            bt_store_document_put(store, digest_of(&numbered), bytes, &kept, &fresh->error), BT_OK);
        assert_true(kept);
    }
}

static void begin(struct fresh *fresh, struct bt_store *store)
{
    assert_int_equal(bt_store_begin(store, &fresh->error), BT_OK);
}

/* The same, for good. */
static void keep(struct fresh *fresh, struct bt_store *store, uint64_t first, uint64_t end)
{
    for (uint64_t at = first; at < end; at += AT_ONCE) {
        begin(fresh, store);
        put(fresh, store, at, at + AT_ONCE < end ? at + AT_ONCE : end);
        assert_int_equal(bt_store_commit(store, &fresh->error), BT_OK);
    }
}

static void expect_kept(struct fresh *fresh, uint64_t count)
{
    struct bt_store_counts counts;
    uint64_t wrong = 1;
    assert_int_equal(bt_store_counts(fresh->store, &counts, &fresh->error), BT_OK);
    assert_int_equal(counts.documents_kept, count);
    assert_int_equal(bt_store_name_index_check(fresh->store, &wrong, &fresh->error), BT_OK);
    assert_int_equal(wrong, 0);
}

static enum bt_status get(struct fresh *fresh, uint64_t number, struct bt_store_document *out)
{
    struct numbered numbered;
    (void)bytes_of(number, &numbered);
    return bt_store_document_get(fresh->store, &fresh->arena, digest_of(&numbered), out,
                                 &fresh->error);
}

static void expect_found(struct fresh *fresh, uint64_t number)
{
    struct numbered numbered;
    struct bt_store_document document;
    const bt_str bytes = bytes_of(number, &numbered);
    const struct bt_arena_mark before = bt_arena_mark(&fresh->arena);
    assert_int_equal(get(fresh, number, &document), BT_OK);
    assert_true(bt_str_eq(document.bytes, bytes));
    bt_arena_rewind(&fresh->arena, before);
}

static void a_document_is_kept_once_however_many_there_are(void **state)
{
    (void)state;
    const uint64_t most =
        fresh_number("BATON_DOCUMENTS", getenv("BATON_TEST_POSTGRES") ? 1500 : 20000);
    static const uint64_t sizes[] = {1, 15, 17, 255, 256, 257, 4097, 20000, 70000};
    struct fresh fresh;
    uint64_t size = 0;
    fresh_open(&fresh);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= most; i++) {
        const uint64_t again = size > 300 ? size - 300 : 0;
        keep(&fresh, fresh.store, again, sizes[i]);
        size = sizes[i];
        expect_kept(&fresh, size);
        for (uint64_t number = 0; number < size; number += 1 + size / 50) {
            expect_found(&fresh, number);
        }
        expect_found(&fresh, size - 1);
        assert_int_equal(get(&fresh, size, &(struct bt_store_document){0}), BT_ENOENT);
    }
    keep(&fresh, fresh.store, 0, size);
    expect_kept(&fresh, size);
    fresh_close(&fresh);
}

static void a_document_that_came_twice_at_once_is_kept_once(void **state)
{
    (void)state;
    struct fresh fresh;
    fresh_open(&fresh);
    begin(&fresh, fresh.store);
    for (size_t i = 0; i < 3; i++) {
        put(&fresh, fresh.store, 0, 600);
    }
    assert_int_equal(bt_store_commit(fresh.store, &fresh.error), BT_OK);
    expect_kept(&fresh, 600);
    fresh_close(&fresh);
}

static void what_others_keep_is_not_kept_again(void **state)
{
    (void)state;
    struct fresh fresh;
    fresh_open(&fresh);
    struct bt_store *other = fresh_other(&fresh);
    for (uint64_t round = 0; round < 4; round++) {
        keep(&fresh, fresh.store, 200 * round, 200 * round + 100);
        keep(&fresh, other, 0, 200 * round + 200);
        keep(&fresh, fresh.store, 0, 200 * round + 200);
        expect_kept(&fresh, 200 * round + 200);
    }
    bt_store_close(other);
    fresh_close(&fresh);
}

static void what_others_put_where_ours_were_taken_back_is_not_kept_again(void **state)
{
    (void)state;
    struct fresh fresh;
    fresh_open(&fresh);
    struct bt_store *other = fresh_other(&fresh);
    keep(&fresh, fresh.store, 0, 100);
    begin(&fresh, fresh.store);
    put(&fresh, fresh.store, 1000, 1300);
    bt_store_rollback(fresh.store);
    expect_kept(&fresh, 100);
    keep(&fresh, other, 2000, 2300);
    keep(&fresh, fresh.store, 2000, 2300);
    expect_kept(&fresh, 400);
    keep(&fresh, fresh.store, 1000, 1300);
    expect_kept(&fresh, 700);
    expect_found(&fresh, 1299);
    expect_found(&fresh, 2299);
    bt_store_close(other);
    fresh_close(&fresh);
}

static void a_redacted_document_stays_away(void **state)
{
    (void)state;
    struct fresh fresh;
    struct numbered numbered;
    struct bt_store_document document;
    bool kept = true;
    fresh_open(&fresh);
    keep(&fresh, fresh.store, 0, 300);
    const bt_str bytes = bytes_of(77, &numbered);
    begin(&fresh, fresh.store);
    assert_int_equal(bt_store_document_redact(fresh.store, digest_of(&numbered), 5, &fresh.error),
                     BT_OK);
    assert_int_equal(
        bt_store_document_put(fresh.store, digest_of(&numbered), bytes, &kept, &fresh.error),
        BT_OK);
    assert_false(kept);
    assert_int_equal(bt_store_commit(fresh.store, &fresh.error), BT_OK);
    assert_int_equal(get(&fresh, 77, &document), BT_OK);
    assert_false(document.has_bytes);
    assert_int_equal(document.redacted_seq, 5);
    expect_kept(&fresh, 299);
    fresh_close(&fresh);
}

static bool take_digest(void *context, bt_str sha256)
{
    char *before = context;
    assert_int_equal(sha256.len, BT_SHA256_BYTES);
    assert_true(memcmp(before, sha256.ptr, sha256.len) < 0);
    memcpy(before, sha256.ptr, sha256.len);
    return true;
}

static void digests_are_told_in_their_order(void **state)
{
    (void)state;
    struct fresh fresh;
    char before[BT_SHA256_BYTES] = {0};
    fresh_open(&fresh);
    keep(&fresh, fresh.store, 0, 300);
    assert_int_equal(bt_store_document_scan(fresh.store, take_digest, before, &fresh.error), BT_OK);
    assert_true((uint8_t)before[0] > 0xf0); /* of 300 the last is near the end */
    fresh_close(&fresh);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_kept_once_however_many_there_are),
        cmocka_unit_test(a_document_that_came_twice_at_once_is_kept_once),
        cmocka_unit_test(what_others_keep_is_not_kept_again),
        cmocka_unit_test(what_others_put_where_ours_were_taken_back_is_not_kept_again),
        cmocka_unit_test(a_redacted_document_stays_away),
        cmocka_unit_test(digests_are_told_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
