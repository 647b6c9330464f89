/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lenient.c - the closed list of repairs, and what is beyond repair.
 */
#include "reading.h"

#define S BT_STR_INIT
#define CORE "https://xml-pipeline.org/ns/core/v1"

static void results_are_repaired_by_fixed_rules(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S("<a/>"), "<a></a>"},
        {S(""), ""},
        {S("no element at all"), "{outside}"},
        {S("Here: <a/> and\n```xml\n<b/>\n```"), "<a></a><b></b>{outside}"},
        {S("1 < 2 & 3 <a/>"), "<a></a>{outside}"},
        {S("<![CDATA[x]]><a/>"), "<a></a>{outside}"},
        {S("<?xml version='1.0'?><a/>"), "<a></a>{pi}"},
        {S("<a/><?xml version='1.0'?><b/>"), "<a></a><b></b>{pi}"},
        {S("<a><?go?>1</a>"), "<a>1</a>{pi}"},
        {S("<a>1 & 2 &nbsp; &#0; &amp;</a>"), "<a>1 &amp; 2 &amp;nbsp; &amp;#0; &amp;</a>{amp}"},
        {S("<a b='x & y'/>"), "<a b=\"x &amp; y\"></a>{amp}"},
        {S("<a>1 < 2 <= 3</a>"), "<a>1 &lt; 2 &lt;= 3</a>{lt}"},
        {S("<a><b>1</a>"), "<a><b>1</b></a>{close}"},
        {S("<a><b><c>1</a><d/>"), "<a><b><c>1</c></b></a><d></d>{close}"},
        {S("</dummy><a/>"), "<a></a>{stray}"},
        {S("<a>1</x>2</a>"), "<a>12</a>{stray}"},
        {S("<a><b>1</b>"), "<a><b>1</b></a>{eof}"},
        {S("<a><b>1</b> t"), "<a><b>1</b> t</a>{eof}"},
        {S("<a>]]></a>"), "<a>]]&gt;</a>"},
        {S("<return xmlns='" CORE "'><r><s/></r></return>"),
         "<return xmlns=\"" CORE "\"><r xmlns=\"\"><s></s></r></return>{core-child}"},
        {S("<halt xmlns='" CORE "'><r xmlns='" CORE "'/></halt>"),
         "<halt xmlns=\"" CORE "\"><r></r></halt>"},
        {S("<c:return xmlns:c='" CORE "'><r/></c:return>"),
         "<c:return xmlns:c=\"" CORE "\"><r></r></c:return>"},
        {S("<todo-until xmlns='" CORE "'><r/></todo-until>"),
         "<todo-until xmlns=\"" CORE "\"><r></r></todo-until>"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_LENIENT_RESULT);
}

static void what_is_beyond_repair_refuses_the_whole_result(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S("<a>3"), "!cut@4"},
        {S("<a><b>1</b><c>3"), "!cut@15"},
        {S("<a"), "!syntax@2"},
        {S("<a b=1/>"), "!syntax@5"},
        {S("<a/><a b='1' b='1'/>"), "!syntax@13"},
        {S("<a/><!-- -- -->"), "!syntax@4"},
        {S("<a><![CDATA[</a>"), "!syntax@3"},
        {S("<a/><!x>"), "!syntax@4"},
        {S("<a/></>"), "!syntax@4"},
        {S("<a/></b"), "!syntax@4"},
        {S("<?go"), "!syntax@0"},
        {S("<a/><!DOCTYPE a>"), "!dtd@4"},
        {S("<a/><p:b/>"), "!namespace@4"},
        {S("<a/>\xff"), "!encoding@4"},
        {S("x <?xml version='1.0' encoding='latin1'?><a/>"), "!encoding@2{outside}"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_LENIENT_RESULT);
}

static void a_message_may_be_repaired_but_not_its_values(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S("Here: <a><b>1</b></a> Done."), "<a><b>1</b></a>{outside}"},
        {S("<?xml version='1.0'?><a/>"), "<a></a>"},
        {S("x<?xml version='1.0'?><a/>"), "<a></a>{outside}{pi}"},
        {S("<?go?><a/>"), "!pi@0"},
        {S("<a><b>1</b>"), "<a><b>1</b></a>{eof}"},
        {S("<a><b>1</b><c>3"), "!cut@15"},
        {S("<a><b>1 & 2</b></a>"), "!leaf@3{amp}"},
        {S("<a><b>1 < 2</b></a>"), "!leaf@3{lt}"},
        {S("<a><b>1</x>2</b></a>"), "!leaf@3{stray}"},
        {S("<a><b>1</a>"), "!leaf@3{close}"},
        {S("<a><b><c>1</c></a>"), "<a><b><c>1</c></b></a>{close}"},
        {S("<a>x & y<b/></a>"), "<a>x &amp; y<b></b></a>{amp}"},
        {S("<a/><b/>"), "!syntax@4"},
        {S("prose"), "!syntax@5{outside}"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_LENIENT_MESSAGE);
}

static void the_repaired_leaf_is_named(void **state)
{
    (void)state;
    const struct bt_xml_result result =
        reading_of(BT_STR("<a><b>1</b><c>&x;</c></a>"), BT_XML_LENIENT_MESSAGE);
    assert_non_null(result.leaf);
    assert_str(result.leaf->name, "c");
    assert_int_equal(result.leaf_repair, BT_XML_REPAIR_AMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_are_repaired_by_fixed_rules, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(what_is_beyond_repair_refuses_the_whole_result,
                                        reading_begin, reading_end),
        cmocka_unit_test_setup_teardown(a_message_may_be_repaired_but_not_its_values, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(the_repaired_leaf_is_named, reading_begin, reading_end),
    };
    return RUN_TESTS(tests);
}
