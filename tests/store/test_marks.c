/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_marks.c - entries are found by their names, whatever their number, on every back end.
 *
 * Which entries bear a name is a matter of arithmetic here: entry n has the handoff id n % 7, the
 * trace n % 1009 and the document n % 3, and some have none.
 */
#include "test.h"

#include "fresh.h"
#include "store/name_index.h"

enum { HANDOFFS = 7, TRACES = 1009, DOCUMENTS = 3, NAMELESS = 5, AT_ONCE = 1000 };

static bt_str text_of(const char *kind, uint64_t number, char out[32])
{
    (void)snprintf(out, 32, "%s-%llu", kind, (unsigned long long)number);
    return bt_str_of(out);
}

static bt_str digest_of(uint64_t number, char out[32])
{
    memset(out, (int)('a' + number), 32);
    return (bt_str){out, 32};
}

static void put_entry(struct fresh *fresh, uint64_t seq)
{
    char handoff[32];
    char trace[32];
    char digest[32];
    const bool is_named = seq % NAMELESS != 0;
    const bt_str none = {NULL, 0};
    const struct bt_store_entry entry = {
        .seq = seq,
        .leaf = digest_of(0, digest),
        .entry = BT_STR("{}"),
        .batch = BT_STR("0123456789abcdef"),
        .kind = BT_STR("raw"),
        .verdict = BT_STR("recorded"),
        .handoff_id = is_named ? text_of("h", seq % HANDOFFS, handoff) : none,
        .trace_id = is_named ? text_of("t", seq % TRACES, trace) : none,
        .document = digest_of(seq % DOCUMENTS, digest),
    };
    assert_int_equal(bt_store_entry_put(fresh->store, &entry, &fresh->error), BT_OK);
}

/* Make the ledger grow to a size. */
static void grow(struct fresh *fresh, uint64_t *size, uint64_t wanted)
{
    while (*size < wanted) {
        assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
        bt_store_defer(fresh->store);
        for (size_t i = 0; i < AT_ONCE && *size < wanted; i++) {
            put_entry(fresh, (*size)++);
        }
        assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
    }
}

/* What is to come, one entry after the other. */
struct expected {
    uint64_t size;
    uint64_t every; /* entries whose seq leaves this ... */
    uint64_t rest;  /* ... */
    bool may_be_nameless;
    bool is_down;
    uint64_t next; /* seq, from which on it is looked for */
    uint64_t found;
};

static bool is_expected(const struct expected *expected, uint64_t seq)
{
    return seq % expected->every == expected->rest &&
           (expected->may_be_nameless || seq % NAMELESS != 0);
}

static bool take(void *context, const struct bt_store_entry *entry)
{
    struct expected *expected = context;
    while (expected->next < expected->size && !is_expected(expected, expected->next)) {
        expected->next += expected->is_down ? UINT64_MAX : 1;
    }
    assert_int_equal(entry->seq, expected->next);
    expected->next += expected->is_down ? UINT64_MAX : 1;
    expected->found++;
    return true;
}

static void find(struct fresh *fresh, enum bt_store_order order, bt_str key,
                 struct expected expected)
{
    const struct bt_store_scan scan = {.order = order, .key = key};
    uint64_t wanted = 0;
    for (uint64_t seq = 0; seq < expected.size; seq++) {
        wanted += is_expected(&expected, seq);
    }
    expected.next = expected.is_down ? expected.size - 1 : 0;
    assert_int_equal(bt_store_entry_scan(fresh->store, &scan, take, &expected, &fresh->error),
                     BT_OK);
    assert_int_equal(expected.found, wanted);
}

static void find_all(struct fresh *fresh, uint64_t size)
{
    char key[32];
    const struct expected handoff = {.size = size, .every = HANDOFFS, .rest = 3};
    const struct expected trace = {.size = size, .every = TRACES, .rest = 1007};
    struct expected down = handoff;
    down.is_down = true;
    find(fresh, BT_STORE_BY_HANDOFF, text_of("h", 3, key), handoff);
    find(fresh, BT_STORE_BY_HANDOFF_DOWN, text_of("h", 3, key), down);
    find(fresh, BT_STORE_BY_TRACE, text_of("t", 1007, key), trace);
    down = trace;
    down.is_down = true;
    find(fresh, BT_STORE_BY_TRACE_DOWN, text_of("t", 1007, key), down);
    find(fresh, BT_STORE_BY_DOCUMENT, digest_of(2, key),
         (struct expected){.size = size, .every = DOCUMENTS, .rest = 2, .may_be_nameless = true});
}

static void every_name_finds_its_entries_at_every_size(void **state)
{
    (void)state;
    const uint64_t most =
        fresh_number("BATON_ENTRIES", getenv("BATON_TEST_POSTGRES") ? 4500 : 70000);
    static const uint64_t sizes[] = {0,    1,    255,   256,   257,   4095, 4096,
                                     4097, 8500, 65535, 65536, 65537, 70000};
    struct fresh fresh;
    uint64_t size = 0;
    uint64_t wrong = 1;
    fresh_open(&fresh);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= most; i++) {
        grow(&fresh, &size, sizes[i]);
        find_all(&fresh, size);
    }
    assert_int_equal(bt_store_name_index_check(fresh.store, &wrong, &fresh.error), BT_OK);
    assert_int_equal(wrong, 0);
    fresh_close(&fresh);
}

static void a_name_is_one_of_its_kind(void **state)
{
    (void)state;
    char key[32];
    struct fresh fresh;
    uint64_t size = 0;
    const struct expected nothing = {.size = 0, .every = 1};
    fresh_open(&fresh);
    grow(&fresh, &size, 600);
    find(&fresh, BT_STORE_BY_TRACE, text_of("h", 3, key), nothing);
    find(&fresh, BT_STORE_BY_HANDOFF, text_of("t", 3, key), nothing);
    find(&fresh, BT_STORE_BY_HANDOFF, BT_STR("h-33"), nothing);
    find(&fresh, BT_STORE_BY_DOCUMENT, digest_of(9, key), nothing);
    fresh_close(&fresh);
}

static void entries_that_are_taken_back_leave_no_marks(void **state)
{
    (void)state;
    struct fresh fresh;
    uint64_t size = 0;
    fresh_open(&fresh);
    grow(&fresh, &size, 200);
    assert_int_equal(bt_store_begin(fresh.store, &fresh.error), BT_OK);
    for (uint64_t seq = size; seq < 300; seq++) {
        put_entry(&fresh, seq);
    }
    find_all(&fresh, 300); /* who wrote them sees them */
    bt_store_rollback(fresh.store);
    find_all(&fresh, size);
    grow(&fresh, &size, 300);
    find_all(&fresh, size);
    fresh_close(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_finds_its_entries_at_every_size),
        cmocka_unit_test(a_name_is_one_of_its_kind),
        cmocka_unit_test(entries_that_are_taken_back_leave_no_marks),
    };
    return RUN_TESTS(tests);
}
