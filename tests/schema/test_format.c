/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format.c - the edges of each format, where the official suite leaves them open.
 */
#include "schema/test_format.h"

struct row {
    const char *format;
    enum bt_schema_draft draft;
    bool is_valid;
    bt_str text;
};

#define S(literal) BT_STR_INIT(literal)

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_format(rows[i].format, rows[i].draft, rows[i].text) != rows[i].is_valid) {
            fail_msg("row %zu, %s: '%.*s' should be %s", i, rows[i].format,
                     BT_STR_ARG(rows[i].text), rows[i].is_valid ? "valid" : "invalid");
        }
    }
}

/* A number for each draft that has the format, in order: 3, 4, 6, 7, 8 for 2019-09 and so on. */
static void each_draft_knows_its_own_formats(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *drafts;
    } rows[] = {
        {"color", "3"},
        {"date", "3789v"},
        {"date-time", "346789v"},
        {"duration", "89v"},
        {"email", "346789v"},
        {"host-name", "3"},
        {"hostname", "46789v"},
        {"idn-email", "789v"},
        {"idn-hostname", "789v"},
        {"ip-address", "3"},
        {"ipv4", "46789v"},
        {"ipv6", "346789v"},
        {"iri", "789v"},
        {"iri-reference", "789v"},
        {"json-pointer", "6789v"},
        {"regex", "3789v"},
        {"relative-json-pointer", "789v"},
        {"time", "3789v"},
        {"uri", "346789v"},
        {"uri-reference", "6789v"},
        {"uri-template", "6789v"},
        {"uuid", "89v"},
        {"phone", ""},
        {"unknown", ""},
        {"Date", ""},
        {"dat", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t j = 0; j < COUNT_OF(all_drafts); j++) {
            const char letter = "346789v"[j];
            const struct bt_schema_format *format =
                bt_schema_format_find(bt_str_of(rows[i].name), all_drafts[j]);
            if ((format != NULL) != (strchr(rows[i].drafts, letter) != NULL)) {
                fail_msg("'%s' in draft %c", rows[i].name, letter);
            }
        }
    }
}

static void every_sample_has_its_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        size_t drafts = 0;
        for (size_t j = 0; j < COUNT_OF(all_drafts); j++) {
            const bt_str name = bt_str_of(samples[i].name);
            /* The later meanings of these two names; the rows below have the earlier. */
            const bool is_early =
                (bt_str_eq(name, BT_STR("time")) && all_drafts[j] == BT_SCHEMA_DRAFT_3) ||
                (bt_str_eq(name, BT_STR("relative-json-pointer")) &&
                 all_drafts[j] < BT_SCHEMA_DRAFT_2020_12);
            if (bt_schema_format_find(name, all_drafts[j]) && !is_early) {
                assert_true(has_format(samples[i].name, all_drafts[j], bt_str_of(samples[i].text)));
                drafts++;
            }
        }
        assert_int_not_equal(drafts, 0);
    }
}

static void times_follow_the_calendar_and_the_clock(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"date", BT_SCHEMA_DRAFT_7, true, S("0000-01-01")},
        {"date", BT_SCHEMA_DRAFT_7, true, S("9999-12-31")},
        {"date", BT_SCHEMA_DRAFT_7, true, S("2000-02-29")},
        {"date", BT_SCHEMA_DRAFT_7, false, S("1900-02-29")},
        {"date", BT_SCHEMA_DRAFT_7, false, S("2024-1-001")},
        {"time", BT_SCHEMA_DRAFT_7, true, S("00:00:00z")},
        {"time", BT_SCHEMA_DRAFT_7, true, S("00:00:00.0-23:59")},
        {"time", BT_SCHEMA_DRAFT_7, false, S("00:00:00.Z")},
        {"time", BT_SCHEMA_DRAFT_7, false, S("00:00:00.5")},
        {"time", BT_SCHEMA_DRAFT_7, false, S("00:00Z")},
        {"time", BT_SCHEMA_DRAFT_7, false, S("00:00:00+1:00")},
        {"time", BT_SCHEMA_DRAFT_7, false, S("00:00:00+0100")},
        {"time", BT_SCHEMA_DRAFT_7, true, S("00:59:60+01:00")},
        {"time", BT_SCHEMA_DRAFT_7, false, S("00:59:60-01:00")},
        {"time", BT_SCHEMA_DRAFT_3, true, S("23:59:59")},
        {"time", BT_SCHEMA_DRAFT_3, false, S("23:59:60")},
        {"time", BT_SCHEMA_DRAFT_3, false, S("23:59:59Z")},
        {"time", BT_SCHEMA_DRAFT_3, false, S("24:00:00")},
        {"date-time", BT_SCHEMA_DRAFT_4, true, S("2016-12-31T23:59:60Z")},
        {"date-time", BT_SCHEMA_DRAFT_4, true, S("2017-01-01T00:59:60.5+01:00")},
        {"date-time", BT_SCHEMA_DRAFT_4, true, S("2015-06-30T15:59:60-08:00")},
        {"date-time", BT_SCHEMA_DRAFT_4, true, S("2016-02-29T23:59:60-00:00")},
        {"date-time", BT_SCHEMA_DRAFT_4, false, S("2016-02-28T23:59:60Z")}, /* within the month */
        {"date-time", BT_SCHEMA_DRAFT_4, false,
         S("2016-12-31T00:59:60+01:00")}, /* the day before */
        {"date-time", BT_SCHEMA_DRAFT_4, false, S("2016-12-31 23:59:59Z")},
        {"date-time", BT_SCHEMA_DRAFT_4, false, S("2016-12-31T")},
        {"date-time", BT_SCHEMA_DRAFT_4, false, S("2016-12-31")},
        {"duration", BT_SCHEMA_DRAFT_V1, true, S("p1y2m3dt4h5m6s")},
        {"duration", BT_SCHEMA_DRAFT_V1, true, S("P1DT1S")},
        {"duration", BT_SCHEMA_DRAFT_V1, true, S("P12W")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("P1W2W")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("P1Y1Y")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("P1M1Y")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("PW")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("PT1")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("P1DT1H ")},
        {"duration", BT_SCHEMA_DRAFT_V1, false, S("PT1HT1M")},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void addresses_are_whole_and_in_range(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"ipv4", BT_SCHEMA_DRAFT_4, true, S("087.010.000.001")}, /* RFC 2673: 1*3DIGIT, decimal */
        {"ip-address", BT_SCHEMA_DRAFT_3, true, S("0.0.0.0")},
        {"ipv4", BT_SCHEMA_DRAFT_4, false, S("0087.10.0.1")},
        {"ipv4", BT_SCHEMA_DRAFT_4, false, S("1.2.3.999")},
        {"ipv4", BT_SCHEMA_DRAFT_4, false, S("1.2.3.")},
        {"ipv4", BT_SCHEMA_DRAFT_4, false, S("1.2.3.4\0")},
        {"ipv6", BT_SCHEMA_DRAFT_4, true, S("1:2:3:4:5:6:7::")},
        {"ipv6", BT_SCHEMA_DRAFT_4, true, S("::2:3:4:5:6:7:8")},
        {"ipv6", BT_SCHEMA_DRAFT_4, true, S("::1.2.3.4")},
        {"ipv6", BT_SCHEMA_DRAFT_4, true, S("FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("1:2:3:4:5:6:7:8::")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("1:2:3:4:5:6:7:1.2.3.4")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("1.2.3.4::")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("::1.2.3.4:5")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S(":")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S(":::")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("1:")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("")},
        {"ipv6", BT_SCHEMA_DRAFT_4, false, S("::g")},
    };
    check_rows(rows, COUNT_OF(rows));
}

#define A50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void mailboxes_are_those_of_smtp(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"email", BT_SCHEMA_DRAFT_3, true, S("a@b")},
        {"email", BT_SCHEMA_DRAFT_3, true, S("!#$%&'*+-/=?^_`{|}~@b")},
        {"email", BT_SCHEMA_DRAFT_3, true, S("\"\"@b")},
        {"email", BT_SCHEMA_DRAFT_3, true, S("\"\\\\\\\"\\ \"@b")},
        {"email", BT_SCHEMA_DRAFT_3, true, S("a@[ipv6:::]")},
        {"email", BT_SCHEMA_DRAFT_3, true, S("a@[1.2.3.04]")},
        {"email", BT_SCHEMA_DRAFT_3, true, S("a@xn--X")}, /* a sub-domain like any other */
        {"email", BT_SCHEMA_DRAFT_3, true, S(A50 "12345678901234@b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S(A50 "123456789012345@b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("\"a\"b@b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a\"b\"@b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("\"a")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("\"a\\")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("\"\\\x01\"@b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("\"\x7f\"@b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@b@c")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@-b")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@b-")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@b..c")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@b.")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@[")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@[]")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@[::1]")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@[IPv6:1.2.3.4]")},
        {"email", BT_SCHEMA_DRAFT_3, false, S("a@[tag:x]")}, /* IANA knows no other tag than IPv6 */
        {"email", BT_SCHEMA_DRAFT_3, false, S("\xc3\xa9@b")},
        {"idn-email", BT_SCHEMA_DRAFT_7, true, S("\xc3\xa9.\xf0\x9f\x98\x80@b")},
        {"idn-email", BT_SCHEMA_DRAFT_7, true, S("a@[1.2.3.4]")},
        {"idn-email", BT_SCHEMA_DRAFT_7, true, S("a@xn--X")},
        {"idn-email", BT_SCHEMA_DRAFT_7, false, S("\xed\xa0\x80@b")}, /* a lone surrogate */
        {"idn-email", BT_SCHEMA_DRAFT_7, false, S("\xff@b")},
        {"idn-email", BT_SCHEMA_DRAFT_7, false,
         S("a@\xe2\x98\x83.org")}, /* a snowman is not a letter */
        {"idn-email", BT_SCHEMA_DRAFT_7, false, S("a@\xed\xa0\x80")},
        {"idn-email", BT_SCHEMA_DRAFT_7, false,
         S("a@b\xe3\x80\x82"
           "c")},
        {"idn-email", BT_SCHEMA_DRAFT_7, false,
         S("a@\xcc\x81"
           "b")},
        {"idn-email", BT_SCHEMA_DRAFT_7, false, S("\"\\\xc3\xa9\"@b")},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void references_have_the_parts_of_rfc_3986(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a:")},
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a+-.1:b")},
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a:///")},
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a://b:")},
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a://@:/")},
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a:?/?:@#/?:@")},
        {"uri", BT_SCHEMA_DRAFT_4, true, S("a://[v1a.!:-]")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S(":a")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a:#b#c")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[::1")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[::1]b")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[::1%25eth0]")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[v.a]")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[v1.]")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[v1]")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a://[]")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a:%4")},
        {"uri", BT_SCHEMA_DRAFT_4, false, S("a:b\0")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, true, S("/a:b")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, true, S("?a:b")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, true, S("a?b:c")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, true, S("//a/b//c")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, false, S("%61:b")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, false, S(":")},
        {"uri-reference", BT_SCHEMA_DRAFT_6, false, S("//a:1:2")},
        {"iri", BT_SCHEMA_DRAFT_7, true, S("a:\xc2\xa0")},
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:\xc2\x9f")}, /* a control */
        {"iri", BT_SCHEMA_DRAFT_7, false,
         S("a:\xee\x80\x80")}, /* for private use, not in a query */
        {"iri", BT_SCHEMA_DRAFT_7, true, S("a:?\xee\x80\x80")},
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:?#\xee\x80\x80")},
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:\xef\xb7\x90")},     /* no character */
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:\xf0\x9f\xbf\xbe")}, /* U+1FFFE */
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:\xf3\xa0\x80\x81")}, /* a tag */
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:\xe2\x80\xae")},     /* right-to-left override */
        {"iri", BT_SCHEMA_DRAFT_7, false, S("a:\xed\xa0\x80")},
        {"iri", BT_SCHEMA_DRAFT_7, false, S("\xc3\xa9:a")}, /* schemes are ASCII */
        {"iri-reference", BT_SCHEMA_DRAFT_7, true, S("//\xc3\xa9:80")},
        {"iri-reference", BT_SCHEMA_DRAFT_7, false, S("//[v1.\xc3\xa9]")},
        {"iri-reference", BT_SCHEMA_DRAFT_7, false, S("//a:\xd9\xa0")},
        {"uri-template", BT_SCHEMA_DRAFT_6, true, S("{a}{b}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, true, S("{a_1.%5A:9999}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, true,
         S("{|a}")}, /* reserved, and part of the grammar */
        {"uri-template", BT_SCHEMA_DRAFT_6, true, S("\xee\x80\x80")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{{a}}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{a")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{+}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{++a}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{.a.}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{a:}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{a:1*}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{a**}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{\xc3\xa9}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("{%4}")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("%4")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("\x1f")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("\xed\xa0\x80")},
        {"uri-template", BT_SCHEMA_DRAFT_6, false, S("\xc2\x80")},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void pointers_patterns_and_the_rest(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"json-pointer", BT_SCHEMA_DRAFT_6, true, S("/\xed\xa0\x80")},
        {"json-pointer", BT_SCHEMA_DRAFT_6, false, S("~0")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_7, false, S("0+1")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_2019_09, false, S("0-1#")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_2020_12, true, S("0-1#")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_2020_12, true, S("1+0/a")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_V1, false, S("0+01")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_V1, false, S("0+")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_V1, false, S("0+-1")},
        {"relative-json-pointer", BT_SCHEMA_DRAFT_V1, false, S("0a")},
        {"uuid", BT_SCHEMA_DRAFT_V1, false, S("")},
        {"uuid", BT_SCHEMA_DRAFT_V1, false, S("2eb8aa08-aa98-11ea-b4aa-73b441d16380\0")},
        {"regex", BT_SCHEMA_DRAFT_3, true, S("")},
        {"regex", BT_SCHEMA_DRAFT_7, true, S("a{1000000}")}, /* too large to run, right to write */
        {"regex", BT_SCHEMA_DRAFT_7, false, S("a{2,1}")},
        {"regex", BT_SCHEMA_DRAFT_7, false, S("\\1")},
        {"regex", BT_SCHEMA_DRAFT_7, false, S("[b-a]")},
        {"regex", BT_SCHEMA_DRAFT_7, false, S("\\")},
        {"regex", BT_SCHEMA_DRAFT_7, false, S("\xff")},
        {"color", BT_SCHEMA_DRAFT_3, true, S("RED")},
        {"color", BT_SCHEMA_DRAFT_3, true, S("buttonFace")},
        {"color", BT_SCHEMA_DRAFT_3, true, S("rgb(255,-10,300)")},
        {"color", BT_SCHEMA_DRAFT_3, true, S("RGB(0%,\t.5%,110%)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb(1,2)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb(1,2,3,4)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb(1,2,3%)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb(1.0,2,3)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb(1.%,2%,3%)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb (1,2,3)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("rgb(,2,3)")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("#12345")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("#12g")},
        {"color", BT_SCHEMA_DRAFT_3, false, S("")},
    };
    check_rows(rows, COUNT_OF(rows));
}

/* What cannot be read within the bounds is undecided, so that `not` cannot turn it into a yes. */
static void a_pattern_beyond_the_bounds_is_undecided(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH);
    assert_non_null(text);
    memset(text, '(', DEPTH);
    memset(text + DEPTH, ')', DEPTH);
    const struct bt_schema_format *regex =
        bt_schema_format_find(BT_STR("regex"), BT_SCHEMA_DRAFT_7);
    assert_non_null(regex);
    assert_int_equal(bt_schema_format_check(regex, (bt_str){text, 2 * DEPTH}),
                     BT_SCHEMA_FORMAT_LIMIT);
    assert_int_equal(bt_schema_format_check(regex, (bt_str){text + DEPTH - 500, 1000}),
                     BT_SCHEMA_FORMAT_YES);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draft_knows_its_own_formats),
        cmocka_unit_test(every_sample_has_its_format),
        cmocka_unit_test(times_follow_the_calendar_and_the_clock),
        cmocka_unit_test(addresses_are_whole_and_in_range),
        cmocka_unit_test(mailboxes_are_those_of_smtp),
        cmocka_unit_test(references_have_the_parts_of_rfc_3986),
        cmocka_unit_test(pointers_patterns_and_the_rest),
        cmocka_unit_test(a_pattern_beyond_the_bounds_is_undecided),
    };
    return RUN_TESTS(tests);
}
