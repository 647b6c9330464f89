/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_timestamp.c - date-times as documents write them: which there are, which moments they name,
 * and how they read in UTC.
 */
#include "test.h"

#include "base/buf.h"
#include "base/env.h"

static enum bt_timestamp_kind kind_of(const char *text)
{
    bt_instant instant = {7, 7};
    const enum bt_timestamp_kind kind = bt_timestamp_parse(bt_str_of(text), &instant);
    if (kind != BT_TIMESTAMP_KIND_VALID) {
        assert_true(instant.seconds == 7);
        assert_int_equal(instant.nanos, 7);
    }
    return kind;
}

static void valid_timestamps_name_their_instant(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
        int32_t nanos;
    } good[] = {
        {"1970-01-01T00:00:00Z", 0, 0},
        {"1969-12-31T23:59:59Z", -1, 0},
        {"1970-01-01T00:00:00+01:00", -3600, 0},
        {"0000-01-01T00:00:00Z", INT64_C(-62167219200), 0},
        {"0000-02-29T00:00:00Z", INT64_C(-62162121600), 0},
        {"0000-01-01T00:00:00+23:59", INT64_C(-62167219200) - 86340, 0},
        {"0001-01-01T00:00:00Z", INT64_C(-62135596800), 0},
        {"1900-03-01T00:00:00Z", INT64_C(-2203891200), 0},
        {"2026-02-11T00:45:02Z", 1770770702, 0},
        {"2026-02-11T00:45:02-00:00", 1770770702, 0},
        {"2024-01-01T01:00:00+01:00", 1704067200, 0},
        {"2023-12-31T23:00:00-01:00", 1704067200, 0},
        {"2024-01-01T00:00:00.000000001999999Z", 1704067200, 1},
        {"2024-01-01T00:00:00.1234567890123456789Z", 1704067200, 123456789},
        {"2024-01-01T00:00:00.5Z", 1704067200, 500000000},
        {"2016-12-31T23:59:60Z", 1483228800, 0},
        {"2017-01-01T05:29:60+05:30", 1483228800, 0},
        {"2016-12-31T15:59:60.25-08:00", 1483228800, 250000000},
        {"9999-12-31T23:59:59.999Z", INT64_C(253402300799), 999000000},
        {"9999-12-31T23:59:59-23:59", INT64_C(253402300799) + 86340, 0},
    };
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        bt_instant instant = {0};
        if (bt_timestamp_parse(bt_str_of(good[i].text), &instant) != BT_TIMESTAMP_KIND_VALID ||
            instant.seconds != good[i].seconds || instant.nanos != good[i].nanos) {
            fail_msg("'%s' became %lld.%09d", good[i].text, (long long)instant.seconds,
                     (int)instant.nanos);
        }
    }
}

static void what_fits_the_form_may_still_be_impossible(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "2026-00-01T00:00:00Z",      "2026-13-01T00:00:00Z",      "2026-01-00T00:00:00Z",
        "2026-01-32T00:00:00Z",      "2026-02-30T00:00:00Z",      "2025-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",      "0001-02-29T00:00:00Z",      "2026-04-31T00:00:00Z",
        "2026-01-01T24:00:00Z",      "2026-01-01T00:60:00Z",      "2026-01-01T00:00:60Z",
        "2026-01-01T23:58:60Z",      "2026-01-01T22:59:60Z",      "2026-01-01T23:59:61Z",
        "2026-01-01T23:59:99Z",      "2026-01-01T23:59:60+01:00", "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00-24:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00+99:99",
        "9999-99-99T99:99:99.9Z",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        if (kind_of(bad[i]) != BT_TIMESTAMP_KIND_IMPOSSIBLE) {
            fail_msg("'%s' is possible, or of another form", bad[i]);
        }
    }
}

static void other_texts_are_no_timestamps(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "Z",
        "2026-02-11",
        "2026-02-11T00:45Z",
        "2026-02-11T00:45:02",
        "2026-02-11t00:45:02Z",
        "2026-02-11 00:45:02Z",
        "2026-02-11T00:45:02z",
        "2026-02-11T00:45:02.Z",
        "2026-02-11T00:45:02,5Z",
        "2026-02-11T00:45:02+0100",
        "2026-02-11T00:45:02+01",
        "2026-02-11T00:45:02Z\n",
        " 2026-02-11T00:45:02Z",
        "02026-02-11T00:45:02Z",
        "+2026-02-11T00:45:02Z",
        "-026-02-11T00:45:02Z",
        "2026-2-11T00:45:02Z",
        "2026-02-11T00:45:02\xe2\x88\x92" /* a minus sign, not a hyphen */,
        "2026-02-11T00:45:02ZZ",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        if (kind_of(bad[i]) != BT_TIMESTAMP_MALFORMED) {
            fail_msg("'%s' has the form", bad[i]);
        }
    }
    assert_int_equal(bt_timestamp_parse(BT_STR("2026-02-11T00:45:02Z\0"), &(bt_instant){0}),
                     BT_TIMESTAMP_MALFORMED);
}

static void in_utc_it_is_the_same_instant_with_its_digits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *utc;
    } rows[] = {
        {"2026-02-11T00:45:02Z", "2026-02-11T00:45:02Z"},
        {"2026-02-11T00:45:02+00:00", "2026-02-11T00:45:02Z"},
        {"2026-02-11T00:45:02-00:00", "2026-02-11T00:45:02Z"},
        {"2024-03-01T00:30:00.000+01:00", "2024-02-29T23:30:00.000Z"},
        {"2023-12-31T23:30:00.1234567890123-01:00", "2024-01-01T00:30:00.1234567890123Z"},
        {"2017-01-01T05:29:60.75+05:30", "2016-12-31T23:59:60.75Z"},
        {"9999-12-31T23:59:60Z", "9999-12-31T23:59:60Z"},
        {"0000-01-01T01:00:00+01:00", "0000-01-01T00:00:00Z"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 100);
        assert_int_equal(bt_timestamp_to_utc(bt_str_of(rows[i].text), &buf), BT_OK);
        if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(rows[i].utc))) {
            fail_msg("%s became %.*s", rows[i].text, BT_STR_ARG(bt_buf_str(&buf)));
        }
        bt_buf_free(&buf);
    }
}

static void what_utc_cannot_write_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum bt_status status;
    } rows[] = {
        {"0000-01-01T00:00:00+00:01", BT_ELIMIT},
        {"9999-12-31T23:59:59-00:01", BT_ELIMIT},
        {"9999-12-31T23:59:60-00:01", BT_EINVAL},
        {"2026-02-30T00:00:00Z", BT_EINVAL},
        {"2026-02-11", BT_EINVAL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 100);
        assert_int_equal(bt_timestamp_to_utc(bt_str_of(rows[i].text), &buf), rows[i].status);
        assert_int_equal(buf.len, 0);
        bt_buf_free(&buf);
    }
}

static void instants_are_written_with_three_digits(void **state)
{
    (void)state;
    static const struct {
        bt_instant instant;
        const char *text;
    } rows[] = {
        {{0, 0}, "1970-01-01T00:00:00.000Z"},
        {{-1, 1000000}, "1969-12-31T23:59:59.001Z"},
        {{1704067200, 999999999}, "2024-01-01T00:00:00.999Z"},
        {{INT64_C(-62167219200), 0}, "0000-01-01T00:00:00.000Z"},
        {{INT64_C(253402300799), 999999999}, "9999-12-31T23:59:59.999Z"},
    };
    char text[BT_INSTANT_TEXT_BYTES];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(bt_timestamp_format(rows[i].instant, text));
        assert_string_equal(text, rows[i].text);
    }
    assert_false(bt_timestamp_format((bt_instant){INT64_C(-62167219201), 0}, text));
    assert_false(bt_timestamp_format((bt_instant){INT64_C(253402300800), 0}, text));
    assert_string_equal(text, "9999-12-31T23:59:59.999Z");
}

static void every_day_of_ten_thousand_years_comes_back(void **state)
{
    (void)state;
    for (int64_t day = -719528; day < 2932897; day++) {
        char text[BT_INSTANT_TEXT_BYTES];
        const bt_instant instant = {day * 86400 + 86399, 0};
        bt_instant back = {0};
        assert_true(bt_timestamp_format(instant, text));
        assert_int_equal(bt_timestamp_parse(bt_str_of(text), &back), BT_TIMESTAMP_KIND_VALID);
        assert_true(back.seconds == instant.seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_timestamps_name_their_instant),
        cmocka_unit_test(what_fits_the_form_may_still_be_impossible),
        cmocka_unit_test(other_texts_are_no_timestamps),
        cmocka_unit_test(in_utc_it_is_the_same_instant_with_its_digits),
        cmocka_unit_test(what_utc_cannot_write_is_refused),
        cmocka_unit_test(instants_are_written_with_three_digits),
        cmocka_unit_test(every_day_of_ten_thousand_years_comes_back),
    };
    return RUN_TESTS(tests);
}
