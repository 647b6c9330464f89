/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format_idn.c - host names and IDNA 2008: lengths, hyphens, Punycode, NFC, contexts,
 * directions.
 */
#include "schema/test_format.h"

#include "schema/format_idna.h"

enum kind { HOST = 1, IDN = 2, BOTH = HOST | IDN, NEITHER = 0 };

struct row {
    enum kind kind; /* the formats that take it */
    bt_str text;
};

#define S(literal) BT_STR_INIT(literal)

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool is_host = has_format("hostname", BT_SCHEMA_DRAFT_7, rows[i].text);
        const bool is_idn = has_format("idn-hostname", BT_SCHEMA_DRAFT_7, rows[i].text);
        if (is_host != ((rows[i].kind & HOST) != 0) || is_idn != ((rows[i].kind & IDN) != 0)) {
            fail_msg("row %zu, '%.*s': hostname %d, idn-hostname %d", i, BT_STR_ARG(rows[i].text),
                     is_host, is_idn);
        }
    }
}

#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A63 A60 "aaa"

static void labels_and_names_have_their_lengths(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {BOTH, S("a")},
        {BOTH, S(A63)},
        {NEITHER, S(A63 "a")},
        {BOTH, S(A63 "." A63 "." A63 "." A60 "a")},     /* 253 */
        {NEITHER, S(A63 "." A63 "." A63 "." A60 "aa")}, /* 254 */
        {NEITHER, S("")},
        {NEITHER, S(".")},
        {NEITHER, S("a.")},
        {NEITHER, S("a..b")},
        {NEITHER, S("a b")},
        {NEITHER, S("a\0")},
        {NEITHER, S("\xff")},
        {NEITHER, S("a\xed\xa0\x80")},
        /* The name counts in ASCII: xn--9ca is e with acute. */
        {IDN, S("\xc3\xa9." A63 "." A63 "." A60 "." A10 A10 A10 A10 A10 "aaaaaa")},
        {NEITHER, S("\xc3\xa9." A63 "." A63 "." A63 "." A10 A10 A10 A10 A10 "aaaaaa")},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void hyphens_stand_where_they_may(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {BOTH, S("a-b")},
        {BOTH, S("a--b")},
        {HOST, S("ab--cd")}, /* RFC 5890 section 2.3.1 reserves it, RFC 1123 knows nothing of it */
        {BOTH, S("abc--d")},
        {NEITHER, S("-")},
        {NEITHER, S("a.-b")},
        {NEITHER, S("b-.a")},
        {NEITHER, S("-\xc3\xa9")},
        {NEITHER, S("\xc3\xa9-")},
        {NEITHER, S("\xc3\xa9"
                    "b--d")},
        {IDN, S("\xc3\xa9--d")},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void a_labels_stand_for_u_labels(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {BOTH, S("xn--9ca")},
        {BOTH, S("XN--9CA")},
        {BOTH, S("xn--Bcher-KVA")},
        {IDN, S("b\xc3\xbc"
                "cher")},
        {NEITHER, S("B\xc3\xbc"
                    "cher")}, /* capitals have no place in U-labels */
        {BOTH, S("Books")},   /* but in labels of ASCII */
        {NEITHER, S("xn--")},
        {NEITHER, S("xn--a")},
        {NEITHER, S("xn--abc-")},         /* ASCII alone */
        {NEITHER, S("xn--a-9999999999")}, /* beyond Unicode */
        {NEITHER, S("xn--0000h")},
        {NEITHER, S("xn--e-xbb")}, /* e and U+0301: not NFC */
        {NEITHER, S("xn--ls8h")},  /* an emoji */
    };
    check_rows(rows, COUNT_OF(rows));
    assert_true(has_format("hostname", BT_SCHEMA_DRAFT_6, BT_STR("xn--a")));
    assert_true(has_format("host-name", BT_SCHEMA_DRAFT_3, BT_STR("xn--a")));
}

static void u_labels_are_in_normal_form(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {IDN, S("\xe1\xba\xbf")},         /* U+1EBF: e with two accents */
        {NEITHER, S("\xc3\xaa\xcc\x81")}, /* U+00EA U+0301 */
        {NEITHER, S("e\xcc\x82\xcc\x81")},
        {NEITHER, S("\xe1\xba\xbf\xcc\xa3")},     /* with a dot below: no pair, yet not NFC */
        {IDN, S("\xe1\xbb\x87\xcc\x81")},         /* what it becomes */
        {IDN, S("q\xcc\xa3\xcc\x81")},            /* nothing to compose, in order */
        {NEITHER, S("q\xcc\x81\xcc\xa3")},        /* out of order */
        {NEITHER, S("\xe1\xac\x85\xe1\xac\xb5")}, /* U+1B05 U+1B35: two that are not marks apart */
        {IDN, S("\xe1\xac\x86")},
        {IDN, S("\xea\xb0\x81")},                 /* Hangul is composed */
        {NEITHER, S("\xe1\x84\x80\xe1\x85\xa1")}, /* jamo are not for labels */
        {NEITHER, S("\xe2\x84\xab")},             /* Angstrom, which has another form */
        {IDN, S("\xe0\xa4\x95\xe0\xa4\xbc")},     /* U+0915 U+093C, never composed */
        {NEITHER, S("\xe0\xa5\x98")},             /* U+0958, its excluded composition */
    };
    check_rows(rows, COUNT_OF(rows));
    /* The domain of an address may be in any form, and is judged in NFC. */
    assert_true(has_format("idn-email", BT_SCHEMA_DRAFT_7, BT_STR("a@\xe1\xba\xbf\xcc\xa3")));
    assert_true(has_format("idn-email", BT_SCHEMA_DRAFT_7, BT_STR("a@q\xcc\x81\xcc\xa3")));
}

static void an_address_may_be_long_until_it_is_composed(void **state)
{
    (void)state;
    char text[1024];
    for (size_t count = 1; count < 60; count++) {
        size_t size = (size_t)snprintf(text, sizeof(text), "a@");
        for (size_t i = 0; i < count; i++) { /* U+1EBF in three parts */
            size += (size_t)snprintf(text + size, sizeof(text) - size, "e\xcc\x82\xcc\x81");
        }
        /* xn--, three digits for the first, one for each that follows */
        const bool is_valid = 4 + 3 + (count - 1) <= 63;
        if (has_format("idn-email", BT_SCHEMA_DRAFT_7, (bt_str){text, size}) != is_valid) {
            fail_msg("%zu times U+1EBF", count);
        }
    }
}

static void contexts_are_looked_at(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {IDN, S("al\xc2\xb7la")},
        {NEITHER, S("l\xc2\xb7L")},
        {NEITHER, S("l\xc2\xb7l\xc2\xb7")},
        {IDN, S("l\xc2\xb7l\xc2\xb7l")},
        {IDN, S("\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d")}, /* joiner after virama */
        {NEITHER, S("\xe2\x80\x8c")},
        {NEITHER, S("a\xe2\x80\x8c"
                    "b")},
        {IDN, S("\xd8\xa8\xd9\x8e\xe2\x80\x8c\xd9\x8e\xd8\xa8")}, /* across two marks */
        {NEITHER, S("\xd8\xa7\xe2\x80\x8c\xd8\xa8")},             /* alef joins no follower */
        {IDN, S("\xd8\xa8\xe2\x80\x8c\xd8\xa7")},
        {NEITHER, S("\xd8\xa8\xe2\x80\x8c")},
        {NEITHER, S("\xd8\xa8\xe2\x80\x8c\xe2\x80\x8c\xd8\xa8")},
        {IDN, S("\xe3\x82\xab\xe3\x83\xbb")},
        {NEITHER, S("\xe3\x83\xbb\xea\xb0\x80")}, /* Hangul will not do */
        {NEITHER, S("\xd8\xa8\xdb\xb0\xd9\xa0")},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void directions_are_not_mixed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {IDN, S("\xd7\x90")},
        {IDN, S("a.\xd7\x90")},
        {NEITHER, S("1a.\xd7\x90")},
        {BOTH, S("a1.xn--4db")},
        {NEITHER, S("1a.xn--4db")},
        {BOTH, S("1a.xn--9ca")},
        {IDN, S("\xd7\x90-1")},
        {NEITHER, S("\xd7\x90"
                    "a")},
        {NEITHER, S("1\xd7\x90")},
        {IDN, S("\xd7\x90\xd6\xb0")},     /* a mark at the end */
        {IDN, S("\xd8\xa8\xd9\xa0")},     /* Arabic digits at the end */
        {NEITHER, S("\xd9\xa0\xd8\xa8")}, /* or at the beginning */
        {NEITHER, S("\xd8\xa8\xd9\xa0"
                    "1")},
        {NEITHER, S("\xd8\xa8.\xe3\x83\xbb\xe3\x82\xab")}, /* begins with a neutral */
        {IDN, S("\xd8\xa8.\xe3\x82\xab\xe3\x83\xbb\xe3\x82\xab")},
        {NEITHER, S("\xd8\xa8.\xe3\x82\xab\xe3\x83\xbb")}, /* ends with one */
    };
    check_rows(rows, COUNT_OF(rows));
}

static void other_dots_separate_labels_of_idn_alone(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {IDN, S("a\xe3\x80\x82"
                "b\xef\xbc\x8e"
                "c\xef\xbd\xa1"
                "d.e")},
        {NEITHER, S("a\xe3\x80\x82.b")},
        {NEITHER, S("a\xe3\x80")},
        {NEITHER, S("a\xe2\x80\xa4"
                    "b")}, /* one dot leader */
    };
    check_rows(rows, COUNT_OF(rows));
}

static struct bt_schema_label label_of(const uint32_t *points, size_t count)
{
    struct bt_schema_label label = {.count = count};
    memcpy(label.points, points, count * sizeof(points[0]));
    return label;
}

/* Samples of RFC 3492 section 7.1: (A) Arabic, (B) Chinese, (L) and (S), which begin with ASCII. */
static void punycode_goes_there_and_back(void **state)
{
    (void)state;
    static const struct {
        bt_str code;
        uint32_t points[20];
        size_t count;
    } rows[] = {
        {S("egbpdaj6bu4bxfgehfvwxn"),
         {0x644, 0x64a, 0x647, 0x645, 0x627, 0x628, 0x62a, 0x643, 0x644, 0x645, 0x648, 0x634, 0x639,
          0x631, 0x628, 0x64a, 0x61f},
         17},
        {S("ihqwcrb4cv8a8dqg056pqjye"),
         {0x4ed6, 0x4eec, 0x4e3a, 0x4ec0, 0x4e48, 0x4e0d, 0x8bf4, 0x4e2d, 0x6587},
         9},
        {S("3b-ww4c5e180e575a65lsy2b"),
         {'3', 0x5e74, 'b', 0x7d44, 0x91d1, 0x516b, 0x5148, 0x751f},
         8},
        {S("-> $1.00 <--"), {'-', '>', ' ', '$', '1', '.', '0', '0', ' ', '<', '-'}, 11},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_schema_label label = label_of(rows[i].points, rows[i].count);
        char out[BT_LABEL_BYTES_MAX];
        size_t size = 0;
        struct bt_schema_label back;
        assert_true(bt_punycode_encode(&label, out, sizeof(out), &size));
        assert_true(bt_str_eq((bt_str){out, size}, rows[i].code));
        assert_false(bt_punycode_encode(&label, out, size - 1, &size));
        assert_true(bt_punycode_decode(rows[i].code, &back));
        assert_int_equal(back.count, label.count);
        assert_memory_equal(back.points, label.points, label.count * sizeof(label.points[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_and_names_have_their_lengths),
        cmocka_unit_test(hyphens_stand_where_they_may),
        cmocka_unit_test(a_labels_stand_for_u_labels),
        cmocka_unit_test(u_labels_are_in_normal_form),
        cmocka_unit_test(an_address_may_be_long_until_it_is_composed),
        cmocka_unit_test(contexts_are_looked_at),
        cmocka_unit_test(directions_are_not_mixed),
        cmocka_unit_test(other_dots_separate_labels_of_idn_alone),
        cmocka_unit_test(punycode_goes_there_and_back),
    };
    return RUN_TESTS(tests);
}
