/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/env.h"
#include "base/hash.h"

static void instants_are_read_and_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
        int32_t nanos;
        const char *back;
    } good[] = {
        {"1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"},
        {"2026-02-11T00:45:02Z", 1770770702, 0, "2026-02-11T00:45:02Z"},
        {"2000-02-29T23:59:59.5Z", 951868799, 500000000, "2000-02-29T23:59:59.5Z"},
        {"2024-01-01T01:00:00+01:00", 1704067200, 0, "2024-01-01T00:00:00Z"},
        {"2023-12-31T23:00:00-01:00", 1704067200, 0, "2024-01-01T00:00:00Z"},
        {"2024-01-01T00:00:00.000000001Z", 1704067200, 1, "2024-01-01T00:00:00.000000001Z"},
        {"9999-12-31T23:59:59Z", 253402300799, 0, "9999-12-31T23:59:59Z"},
    };
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        bt_instant instant = {0};
        assert_int_equal(bt_instant_parse(bt_str_of(good[i].text), &instant), BT_OK);
        assert_true(instant.seconds == good[i].seconds);
        assert_int_equal(instant.nanos, good[i].nanos);
        char text[BT_INSTANT_TEXT_BYTES];
        assert_int_equal(bt_instant_format(instant, text), strlen(good[i].back));
        assert_string_equal(text, good[i].back);
    }
}

static void other_texts_are_no_instants(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "2026-02-11",
        "2026-02-11T00:45:02",
        "2026-02-11t00:45:02Z",
        "2026-02-11 00:45:02Z",
        "2026-02-11T00:45:02z",
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2016-12-31T23:59:60Z",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-00:01",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00Z ",
        "02026-01-01T00:00:00Z",
        "2026-01-01T00:00:00+01:60",
        "2026-01-01T00:00:00,5Z",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        bt_instant instant = {7, 7};
        if (bt_instant_parse(bt_str_of(bad[i]), &instant) != BT_EINVAL) {
            fail_msg("accepted '%s'", bad[i]);
        }
        assert_true(instant.seconds == 7);
    }
}

static void a_later_instant_stays_in_the_years_that_can_be_written(void **state)
{
    (void)state;
    static const struct {
        int64_t from;
        uint64_t seconds;
        const char *to;
    } rows[] = {
        {0, 0, "1970-01-01T00:00:00Z"},
        {0, 3600, "1970-01-01T01:00:00Z"},
        {-1, 1, "1970-01-01T00:00:00Z"},
        {-3600, 60, "1969-12-31T23:01:00Z"},
        {INT64_C(-62167219200), 3600, "0000-01-01T01:00:00Z"},
        {INT64_MIN, 3600, "0000-01-01T01:00:00Z"},
        {BT_INSTANT_SECONDS_MAX - 1, 1, "9999-12-31T23:59:59Z"},
        {BT_INSTANT_SECONDS_MAX, 1, "9999-12-31T23:59:59Z"},
        {BT_INSTANT_SECONDS_MAX + 1, 0, "9999-12-31T23:59:59Z"},
        {INT64_MAX, UINT64_MAX, "9999-12-31T23:59:59Z"},
        {0, UINT64_MAX, "9999-12-31T23:59:59Z"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[BT_INSTANT_TEXT_BYTES];
        (void)bt_instant_format(bt_instant_after((bt_instant){rows[i].from, 0}, rows[i].seconds),
                                text);
        assert_string_equal(text, rows[i].to);
    }
}

static void every_day_of_the_calendar_comes_back(void **state)
{
    (void)state;
    for (int64_t day = 0; day < 2932897; day += 17) {
        char text[BT_INSTANT_TEXT_BYTES];
        const bt_instant instant = {day * 86400, 0};
        const size_t size = bt_instant_format(instant, text);
        bt_instant back = {0};
        assert_int_equal(bt_instant_parse((bt_str){text, size}, &back), BT_OK);
        assert_true(back.seconds == instant.seconds);
        assert_int_equal(bt_date_parse((bt_str){text, 10}, &back), BT_OK);
        assert_true(back.seconds == instant.seconds);
    }
}

static void seeded_identifiers_repeat_and_count(void **state)
{
    (void)state;
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    char first[BT_UUID_TEXT_BYTES];
    char second[BT_UUID_TEXT_BYTES];
    bt_env_pin_seed(&env, 42);
    assert_int_equal(bt_env_uuid(&env, first), BT_OK);
    assert_int_equal(bt_env_uuid(&env, second), BT_OK);
    assert_int_equal(env.ids_made, 2);
    /* SHA-256 of "baton-seed:42:0" and "baton-seed:42:1", version and variant set. */
    assert_string_equal(first, "c949c884-532f-43d5-bf8d-5dcde071f5a3");
    assert_string_equal(second, "6b57caa4-ccf4-42a3-8d3a-5257c5a796f2");
}

static void random_identifiers_are_version_4_and_differ(void **state)
{
    (void)state;
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    char first[BT_UUID_TEXT_BYTES];
    char second[BT_UUID_TEXT_BYTES];
    assert_int_equal(bt_env_uuid(&env, first), BT_OK);
    assert_int_equal(bt_env_uuid(&env, second), BT_OK);
    assert_string_not_equal(first, second);
    assert_true(bt_uuid_is_v4(bt_str_of(first)));
    assert_true(bt_uuid_is_valid(BT_STR("00000000-0000-0000-0000-000000000000")));
    assert_false(bt_uuid_is_v4(BT_STR("00000000-0000-0000-0000-000000000000")));
    assert_false(bt_uuid_is_valid(BT_STR("00000000-0000-0000-0000-00000000000G")));
    assert_false(bt_uuid_is_valid(BT_STR("0000000000000-0000-0000-000000000000")));
    assert_false(bt_uuid_is_valid(BT_STR("")));
}

static bool no_random(void *context, void *out, size_t size)
{
    (void)context;
    (void)out;
    (void)size;
    return false;
}

static void without_randomness_there_is_no_identifier(void **state)
{
    (void)state;
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    env.random = no_random;
    char text[BT_UUID_TEXT_BYTES] = "untouched";
    assert_int_equal(bt_env_uuid(&env, text), BT_EIO);
    assert_string_equal(text, "untouched");
}

static void a_pinned_clock_stands(void **state)
{
    (void)state;
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    assert_true(bt_env_now(&env).seconds > 1700000000);
    const bt_instant now = {123, 4};
    bt_env_pin_clock(&env, &now);
    assert_true(bt_env_now(&env).seconds == 123);
    assert_int_equal(bt_env_now(&env).nanos, 4);
}

static void limits_can_only_be_lowered(void **state)
{
    (void)state;
    struct bt_limits limits = bt_limits_default();
    struct bt_error error;
    assert_int_equal(bt_limits_lower(&limits, BT_STR("depth=10"), &error), BT_OK);
    assert_int_equal(limits.depth, 10);
    static const char *const bad[] = {"depth=11", "depth=0", "depth=",
                                      "depth",    "=3",      "",
                                      "depth=-1", "width=3", "depth=99999999999999999999"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(bt_limits_lower(&limits, bt_str_of(bad[i]), &error), BT_EINVAL);
        assert_true(strlen(error.text) > 10);
    }
    assert_int_equal(limits.depth, 10);
    static const char *const names[] = {"document_bytes", "nodes",       "string_bytes",
                                        "row_bytes",      "cell_bytes",  "xml_bytes",
                                        "xml_depth",      "schema_depth"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "%s=1", names[i]);
        assert_int_equal(bt_limits_lower(&limits, bt_str_of(text), &error), BT_OK);
    }
    assert_int_equal(limits.xml_depth + limits.cell_bytes + limits.schema_depth, 3);
    assert_int_equal(bt_limits_lower(&limits, BT_STR("width=3"), &error), BT_EINVAL);
    assert_non_null(strstr(error.text, "document_bytes, depth, nodes"));
    assert_non_null(strstr(error.text, "schema_depth"));
}

static void sha256_knows_the_empty_text(void **state)
{
    (void)state;
    char hex[BT_SHA256_HEX_BYTES];
    assert_int_equal(bt_sha256_hex(BT_STR(""), hex), BT_OK);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_int_equal(bt_sha256_hex(BT_STR("abc"), hex), BT_OK);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void a_digest_goes_on_from_its_saved_state(void **state)
{
    (void)state;
    char bytes[200];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 7);
    }
    for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
        uint8_t saved[BT_SHA256_SAVED_BYTES];
        uint8_t wanted[BT_SHA256_BYTES];
        uint8_t digest[BT_SHA256_BYTES];
        struct bt_sha256_state before;
        struct bt_sha256_state after;
        assert_int_equal(bt_sha256_begin(&before), BT_OK);
        assert_int_equal(bt_sha256_add(&before, (bt_str){bytes, cut}), BT_OK);
        bt_sha256_save(&before, saved);
        assert_int_equal(bt_sha256_restore(saved, &after), BT_OK);
        assert_int_equal(bt_sha256_add(&after, (bt_str){bytes + cut, sizeof(bytes) - cut}), BT_OK);
        assert_int_equal(bt_sha256_end(&after, digest), BT_OK);
        assert_int_equal(bt_sha256((bt_str){bytes, sizeof(bytes)}, wanted), BT_OK);
        assert_memory_equal(digest, wanted, sizeof(digest));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instants_are_read_and_written),
        cmocka_unit_test(other_texts_are_no_instants),
        cmocka_unit_test(a_later_instant_stays_in_the_years_that_can_be_written),
        cmocka_unit_test(every_day_of_the_calendar_comes_back),
        cmocka_unit_test(seeded_identifiers_repeat_and_count),
        cmocka_unit_test(random_identifiers_are_version_4_and_differ),
        cmocka_unit_test(without_randomness_there_is_no_identifier),
        cmocka_unit_test(a_pinned_clock_stands),
        cmocka_unit_test(limits_can_only_be_lowered),
        cmocka_unit_test(sha256_knows_the_empty_text),
        cmocka_unit_test(a_digest_goes_on_from_its_saved_state),
    };
    return RUN_TESTS(tests);
}
