/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_xsd.c - schemas of the profile: which are refused and why, and which values fit a type.
 */
#include "test.h"

#include "base/env.h"

#include "base/arena.h"
#include "organism/xsd.h"

static const uint64_t seed[2] = {1, 2};

#define SCHEMA(inside)                                                                             \
    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">" inside "</xs:schema>"
#define ELEMENT(base, facets)                                                                      \
    SCHEMA("<xs:element name=\"a\"><xs:simpleType><xs:restriction base=\"xs:" base "\">" facets    \
           "</xs:restriction></xs:simpleType></xs:element>")
#define FACET(name, value) "<xs:" name " value=\"" value "\"/>"

static void a_schema_outside_the_profile_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum bt_pump_xsd_invalid_reason reason;
    } rows[] = {
        {"<a", BT_PUMP_XSD_INVALID_REASON_SYNTAX},
        {"<a/>", BT_PUMP_XSD_INVALID_REASON_SYNTAX},
        {SCHEMA(""), BT_PUMP_XSD_INVALID_REASON_ROOT},
        {SCHEMA("<xs:element name=\"b\" type=\"xs:int\"/>"), BT_PUMP_XSD_INVALID_REASON_ROOT},
        {SCHEMA("<xs:import/>"), BT_PUMP_XSD_INVALID_REASON_UNSUPPORTED},
        {SCHEMA("<xs:element name=\"a\" type=\"xs:gYear\"/>"),
         BT_PUMP_XSD_INVALID_REASON_UNSUPPORTED},
        {SCHEMA("<xs:element name=\"a\" type=\"xs:int\"/>"), BT_PUMP_XSD_INVALID_REASON__NONE},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_xsd read;
        assert_int_equal(bt_xsd_read(&arena, bt_str_of(rows[i].text), BT_STR("a"), seed, &read),
                         BT_OK);
        if (read.reason != rows[i].reason || !read.type != (read.reason != 0)) {
            fail_msg("%s: reason %d (%s)", rows[i].text, (int)read.reason, read.detail);
        }
        assert_int_equal(read.reason != 0, read.detail[0] != '\0');
    }
    bt_arena_free(&arena);
}

static void a_value_is_judged_by_its_type_and_each_facet(void **state)
{
    (void)state;
    enum { TYPE = -1 };
    static const struct {
        const char *schema;
        const char *value;
        int wrong; /* 0: nothing, TYPE, or the facet */
    } rows[] = {
        {ELEMENT("int", ""), " 7 ", 0},
        {ELEMENT("int", ""), "seven", TYPE},
        {ELEMENT("int", ""), "2147483648", TYPE},
        {ELEMENT("string", FACET("length", "2")), "ab", 0},
        {ELEMENT("string", FACET("length", "2")), "abc", BT_XML_FIELD_FACET_FACET_LENGTH},
        {ELEMENT("string", FACET("minLength", "2")), "a", BT_XML_FIELD_FACET_FACET_MINLENGTH},
        {ELEMENT("string", FACET("maxLength", "2")), "abc", BT_XML_FIELD_FACET_FACET_MAXLENGTH},
        {ELEMENT("int", FACET("minInclusive", "2")), "2", 0},
        {ELEMENT("int", FACET("minInclusive", "2")), "1", BT_XML_FIELD_FACET_FACET_MININCLUSIVE},
        {ELEMENT("int", FACET("maxInclusive", "2")), "3", BT_XML_FIELD_FACET_FACET_MAXINCLUSIVE},
        {ELEMENT("int", FACET("minExclusive", "2")), "2", BT_XML_FIELD_FACET_FACET_MINEXCLUSIVE},
        {ELEMENT("int", FACET("maxExclusive", "2")), "2", BT_XML_FIELD_FACET_FACET_MAXEXCLUSIVE},
        {ELEMENT("decimal", FACET("totalDigits", "2")), "1.23",
         BT_XML_FIELD_FACET_FACET_TOTALDIGITS},
        {ELEMENT("decimal", FACET("fractionDigits", "1")), "1.23",
         BT_XML_FIELD_FACET_FACET_FRACTIONDIGITS},
        {ELEMENT("decimal", FACET("fractionDigits", "1")), "1.20", 0},
        {ELEMENT("string", FACET("pattern", "[a-c]+")), "abcd", BT_XML_FIELD_FACET_FACET_PATTERN},
        {ELEMENT("string", FACET("enumeration", "a") FACET("enumeration", "b")), "b", 0},
        {ELEMENT("string", FACET("enumeration", "a")), "c", BT_XML_FIELD_FACET_FACET_ENUMERATION},
        {ELEMENT("boolean", ""), "yes", TYPE},
        {ELEMENT("date", ""), "2026-02-30", TYPE},
        {ELEMENT("dateTime", ""), "2026-02-03T04:05:06", 0},
        {ELEMENT("base64Binary", ""), "YQ=", TYPE},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_xsd read;
        bool is_of_type = false;
        enum bt_xml_field_facet_facet facet = BT_XML_FIELD_FACET_FACET__NONE;
        assert_int_equal(bt_xsd_read(&arena, bt_str_of(rows[i].schema), BT_STR("a"), seed, &read),
                         BT_OK);
        assert_non_null(read.type);
        assert_int_equal(
            bt_xsd_judge(&arena, read.type->simple, bt_str_of(rows[i].value), &is_of_type, &facet),
            BT_OK);
        if ((is_of_type ? (int)facet : TYPE) != rows[i].wrong) {
            fail_msg("%s: %s: %d", rows[i].schema, rows[i].value, is_of_type ? (int)facet : TYPE);
        }
    }
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schema_outside_the_profile_is_refused),
        cmocka_unit_test(a_value_is_judged_by_its_type_and_each_facet),
    };
    return RUN_TESTS(tests);
}
