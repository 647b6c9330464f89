/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_zero.c - every sized struct as {0}, with BT_INIT, as its first release had it, and as a
 * later release will have it: with bytes that this library does not know.
 *
 * A struct lies at the end of a page that is followed by one that cannot be read, so that a byte
 * too many is a crash.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <sys/mman.h>

#include <baton/baton.h>

enum { LATER_BYTES = 64, PAGE_BYTES = 4096 };

/* What the functions below work with. */
struct place {
    struct bt_engine *engine;
    struct bt_arena *arena;
    struct bt_report *report;
    const struct bt_json_doc *document; /* {"a":1} */
    char *end;                          /* of what can be read */
};

static const struct bt_json_doc *read_text(struct place *place, bt_str text,
                                           const struct bt_json_options *options)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    return bt_json_read(place->arena, text, options, &read) == BT_OK ? read.document : NULL;
}

static enum bt_status use_json_options(struct place *place, void *given)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    return bt_json_read(place->arena, BT_STR("[]"), (const struct bt_json_options *)given, &read);
}

static enum bt_status use_json_read_result(struct place *place, void *given)
{
    struct bt_json_read_result *read = (struct bt_json_read_result *)given;
    const enum bt_status status = bt_json_read(place->arena, BT_STR("[1]"), NULL, read);
    assert_int_equal(read->document != NULL, status == BT_OK);
    return status;
}

static enum bt_status apply_patch(struct place *place, const struct bt_json_patch_options *options,
                                  struct bt_json_patch_result *result)
{
    const bt_str text = BT_STR("[{\"op\":\"remove\",\"path\":\"/a\"}]");
    struct bt_buf *buf = bt_buf_create(1000);
    assert_non_null(buf);
    const enum bt_status status = bt_json_patch(buf, place->document, read_text(place, text, NULL),
                                                options, place->arena, result);
    assert_true(bt_str_eq(bt_buf_str(buf), status == BT_OK ? BT_STR("{}") : BT_STR("")));
    bt_buf_destroy(buf);
    return status;
}

static enum bt_status use_json_patch_options(struct place *place, void *given)
{
    struct bt_json_patch_result result = BT_INIT(struct bt_json_patch_result);
    return apply_patch(place, (const struct bt_json_patch_options *)given, &result);
}

static enum bt_status use_json_patch_result(struct place *place, void *given)
{
    struct bt_json_patch_result *result = (struct bt_json_patch_result *)given;
    const enum bt_status status = apply_patch(place, NULL, result);
    assert_int_equal(result->detail != NULL, status == BT_OK);
    return status;
}

static enum bt_status use_schema_options(struct place *place, void *given)
{
    struct bt_schema *schema = NULL;
    const enum bt_status status =
        bt_schema_compile(place->document, (const struct bt_schema_options *)given, NULL, &schema);
    assert_int_equal(schema != NULL, status == BT_OK);
    bt_schema_destroy(schema);
    return status;
}

static enum bt_status use_schema_limits(struct place *place, void *given)
{
    struct bt_schema_runner *runner = NULL;
    (void)place;
    const enum bt_status status =
        bt_schema_runner_create((const struct bt_schema_limits *)given, &runner);
    bt_schema_runner_destroy(runner);
    return status;
}

static enum bt_status use_regex_options(struct place *place, void *given)
{
    struct bt_regex_compile_result made = BT_INIT(struct bt_regex_compile_result);
    return bt_regex_compile(place->arena, BT_STR("a+"), (const struct bt_regex_options *)given,
                            &made);
}

static enum bt_status use_regex_compile_result(struct place *place, void *given)
{
    struct bt_regex_compile_result *made = (struct bt_regex_compile_result *)given;
    const enum bt_status status = bt_regex_compile(place->arena, BT_STR("a+"), NULL, made);
    assert_int_equal(made->regex != NULL, status == BT_OK);
    return status;
}

static enum bt_status use_regex_limits(struct place *place, void *given)
{
    struct bt_regex_matcher *matcher = NULL;
    (void)place;
    const enum bt_status status =
        bt_regex_matcher_create((const struct bt_regex_limits *)given, &matcher);
    bt_regex_matcher_destroy(matcher);
    return status;
}

static enum bt_status use_report_render_options(struct place *place, void *given)
{
    struct bt_buf *buf = bt_buf_create(1 << 16);
    assert_non_null(buf);
    const enum bt_status status =
        bt_report_render(place->report, (const struct bt_report_render_options *)given, buf);
    assert_int_equal(bt_buf_str(buf).len > 0, status == BT_OK);
    bt_buf_destroy(buf);
    return status;
}

static enum bt_status use_report_totals(struct place *place, void *given)
{
    struct bt_report_totals *totals = (struct bt_report_totals *)given;
    const enum bt_status status = bt_report_count_totals(place->report, totals);
    assert_int_equal(totals->documents, status == BT_OK);
    return status;
}

static enum bt_status use_receipt_verify_options(struct place *place, void *given)
{
    static const bt_str key =
        BT_STR_INIT("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
    struct bt_receipt_verify_options *how = (struct bt_receipt_verify_options *)given;
    struct bt_report *report = NULL;
    struct bt_error error;
    how->vkeys = &key;
    how->vkey_count = 1;
    const enum bt_status status = bt_receipt_verify(place->engine, BT_STR("receipt"),
                                                    BT_STR("no receipt"), how, &report, &error);
    assert_int_equal(report != NULL, status == BT_OK);
    bt_report_destroy(report);
    how->vkeys = NULL;
    how->vkey_count = 0;
    return status;
}

/*
 * The sizes of the release in which each struct first appeared, with pointers of 64 bits. They
 * never change.
 */
#define ROW(name, bytes_64)                                                                        \
    {                                                                                              \
#name, sizeof(void *) == 8 ? (bytes_64) : sizeof(struct bt_##name),                        \
            sizeof(struct bt_##name), use_##name                                                   \
    }
static const struct sized_struct {
    const char *name;
    size_t first_bytes;
    size_t bytes;
    enum bt_status (*use)(struct place *place, void *given);
} structs[] = {
    ROW(json_options, 72),          ROW(json_read_result, 80),       ROW(json_patch_options, 16),
    ROW(json_patch_result, 24),     ROW(schema_options, 112),        ROW(schema_limits, 48),
    ROW(regex_options, 40),         ROW(regex_limits, 32),           ROW(regex_compile_result, 40),
    ROW(report_render_options, 80), ROW(receipt_verify_options, 64), ROW(report_totals, 80),
};

/* A struct of zeroes with this `size` that has so many bytes of memory. */
static void *place_struct(struct place *place, size_t memory, size_t size)
{
    const uint32_t told = (uint32_t)size;
    /* Aligned to 8, so up to 7 bytes behind it can be read where its size is odd. */
    char *given = place->end - ((memory + 7) & ~(size_t)7);
    memset(given, 0, (size_t)(place->end - given));
    memcpy(given, &told, sizeof(told));
    return given;
}

static void expect_use(struct place *place, const struct sized_struct *row, size_t memory,
                       size_t size, enum bt_status wanted)
{
    const enum bt_status status = row->use(place, place_struct(place, memory, size));
    if (status != wanted) {
        fail_msg("%s: size %zu with %zu bytes gives %s", row->name, size, memory,
                 bt_status_text(status));
    }
}

static void zero_is_the_first_layout(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        assert_in_range(structs[i].first_bytes, 8, structs[i].bytes);
        expect_use(place, &structs[i], structs[i].first_bytes, 0, BT_OK);
        expect_use(place, &structs[i], structs[i].first_bytes, structs[i].first_bytes, BT_OK);
    }
}

static void every_size_since_the_first_works(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        for (size_t size = structs[i].first_bytes; size <= structs[i].bytes; size += 8) {
            expect_use(place, &structs[i], size, size, BT_OK);
        }
    }
}

static void an_initialiser_has_the_size_of_today(void **state)
{
    const struct bt_json_options options = BT_INIT(struct bt_json_options);
    const struct bt_report_totals totals = BT_INIT(struct bt_report_totals);
    const struct bt_json_options cleared = {.size = sizeof(cleared)};
    (void)state;
    assert_int_equal(options.size, sizeof(options));
    assert_int_equal(totals.size, sizeof(totals));
    assert_memory_equal(&options, &cleared, sizeof(options));
}

static void a_size_below_the_first_is_refused(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        for (size_t size = 1; size < structs[i].first_bytes; size++) {
            expect_use(place, &structs[i], structs[i].bytes, size, BT_EINVAL);
        }
        expect_use(place, &structs[i], structs[i].bytes, UINT32_MAX, BT_EINVAL);
    }
}

static void a_later_struct_works_while_its_new_bytes_are_zero(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        const size_t known = structs[i].bytes;
        for (size_t more = 1; more <= LATER_BYTES; more++) {
            expect_use(place, &structs[i], known + more, known + more, BT_OK);
        }
    }
}

static void each_set_byte_that_is_not_known_is_refused(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        const size_t size = structs[i].bytes + LATER_BYTES;
        for (size_t byte = structs[i].bytes; byte < size; byte++) {
            char before[PAGE_BYTES];
            char *given = place_struct(place, size, size);
            given[byte] = 1;
            memcpy(before, given, size);
            if (structs[i].use(place, given) != BT_EINVAL) {
                fail_msg("%s: byte %zu was ignored", structs[i].name, byte);
            }
            assert_memory_equal(given, before, size);
        }
    }
}

/* The library fills at most `size` bytes: what lies behind them stays. */
static void nothing_behind_the_struct_is_written(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        const size_t size = structs[i].first_bytes;
        char *given = place_struct(place, size + LATER_BYTES, size);
        memset(given + size, 0x55, LATER_BYTES);
        assert_int_equal(structs[i].use(place, given), BT_OK);
        for (size_t byte = size; byte < size + LATER_BYTES; byte++) {
            assert_int_equal(given[byte], 0x55);
        }
    }
}

static int open_place(void **state)
{
    static struct place place;
    struct bt_error error;
    char *pages = mmap(NULL, (size_t)2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE), 0);
    place.end = pages + PAGE_BYTES;
    place.arena = bt_arena_create(64 << 20);
    assert_non_null(place.arena);
    assert_int_equal(bt_engine_create(BT_STR(""), &place.engine, &error), BT_OK);
    assert_int_equal(
        bt_check(place.engine, BT_STR("x.handoff.json"), BT_STR("{}"), NULL, &place.report, &error),
        BT_OK);
    place.document = read_text(&place, BT_STR("{\"a\":1}"), NULL);
    assert_non_null(place.document);
    *state = &place;
    return 0;
}

static int close_place(void **state)
{
    struct place *place = *state;
    bt_report_destroy(place->report);
    bt_engine_destroy(place->engine);
    bt_arena_destroy(place->arena);
    return munmap(place->end - PAGE_BYTES, (size_t)2 * PAGE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_the_first_layout),
        cmocka_unit_test(every_size_since_the_first_works),
        cmocka_unit_test(an_initialiser_has_the_size_of_today),
        cmocka_unit_test(a_size_below_the_first_is_refused),
        cmocka_unit_test(a_later_struct_works_while_its_new_bytes_are_zero),
        cmocka_unit_test(each_set_byte_that_is_not_known_is_refused),
        cmocka_unit_test(nothing_behind_the_struct_is_written),
    };
    return cmocka_run_group_tests(tests, open_place, close_place);
}
