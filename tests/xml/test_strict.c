/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_strict.c - what strict reading accepts, what it refuses, and where.
 */
#include "reading.h"

#define S BT_STR_INIT

static void well_formed_documents_are_read(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S("<a/>"), "<a></a>"},
        {S("\xef\xbb\xbf<a/>"), "<a></a>"},
        {S("<?xml version=\"1.0\"?><a/>"), "<a></a>"},
        {S("<?xml version='1.0' encoding='utf-8' standalone='no' ?>\n<a/>\n"), "<a></a>"},
        {S(" <!-- x --> <a/> <!--y-->\n"), "<a></a>"},
        {S("<a >t</a >"), "<a>t</a>"},
        {S("<a>x &lt;&amp;&gt;&quot;&apos; &#65;&#x42;</a>"), "<a>x &lt;&amp;&gt;\"' AB</a>"},
        {S("<a><![CDATA[<&]]]></a>"), "<a>&lt;&amp;]</a>"},
        {S("<a>1<!-- -->2</a>"), "<a>12</a>"},
        {S("<a>\r\nb\rc&#13;</a>"), "<a>\nb\nc&#xD;</a>"},
        {S("<a b='1&#10;\n\t2' a=\"&quot;'\"/>"), "<a a=\"&quot;'\" b=\"1&#xA;  2\"></a>"},
        {S("<a>\n <b> 7 </b>\n</a>"), "<a><b> 7 </b></a>"},
        {S("<a> <b/> t</a>"), "<a> <b></b> t</a>"},
        {S("<a> </a>"), "<a> </a>"},
        {S("<a xml:space='preserve'> <b/></a>"), "<a xml:space=\"preserve\"><b></b></a>"},
        {S("<\xc3\xa9t\xc3\xa9/>"), "<\xc3\xa9t\xc3\xa9></\xc3\xa9t\xc3\xa9>"},
        {S("<a-b.c_1/>"), "<a-b.c_1></a-b.c_1>"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_STRICT);
}

static void namespaces_are_written_where_they_are_used(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S("<a xmlns='u'><b xmlns=''/></a>"), "<a xmlns=\"u\"><b xmlns=\"\"></b></a>"},
        {S("<a xmlns=''><b/></a>"), "<a><b></b></a>"},
        {S("<a xmlns:p='u'><p:b/><p:b/></a>"),
         "<a><p:b xmlns:p=\"u\"></p:b><p:b xmlns:p=\"u\"></p:b></a>"},
        {S("<p:a xmlns:p='u'><p:b xmlns:p='u'/></p:a>"), "<p:a xmlns:p=\"u\"><p:b></p:b></p:a>"},
        {S("<p:a xmlns:p='u'><p:b xmlns:p='v'/><p:c/></p:a>"),
         "<p:a xmlns:p=\"u\"><p:b xmlns:p=\"v\"></p:b><p:c></p:c></p:a>"},
        {S("<a xmlns:q='v' xmlns:p='u' q:x='1' p:y='2' z='3'/>"),
         "<a xmlns:p=\"u\" xmlns:q=\"v\" z=\"3\" p:y=\"2\" q:x=\"1\"></a>"},
        {S("<a xmlns='u' xmlns:p='u' p:x='1' x='2'/>"),
         "<a xmlns=\"u\" xmlns:p=\"u\" x=\"2\" p:x=\"1\"></a>"},
        {S("<a xmlns:xml='http://www.w3.org/XML/1998/namespace' xml:lang='en'/>"),
         "<a xml:lang=\"en\"></a>"},
        {S("<a xmlns='&lt;&quot;'/>"), "<a xmlns=\"&lt;&quot;\"></a>"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_STRICT);
}

static void faults_have_their_code_and_place(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S(""), "!syntax@0"},
        {S("  "), "!syntax@2"},
        {S("hello"), "!syntax@0"},
        {S(" {\"a\":1}"), "!syntax@1"},
        {S("<a>"), "!syntax@3"},
        {S("<a/>x"), "!syntax@4"},
        {S("<a/><b/>"), "!syntax@4"},
        {S("<a></b>"), "!syntax@3"},
        {S("<a><b></a></b>"), "!syntax@6"},
        {S("</a>"), "!syntax@0"},
        {S("<a>&e;</a>"), "!syntax@3"},
        {S("<a>&#0;</a>"), "!syntax@3"},
        {S("<a>&#xD800;</a>"), "!syntax@3"},
        {S("<a>&#x110000;</a>"), "!syntax@3"},
        {S("<a>&#99999999999;</a>"), "!syntax@3"},
        {S("<a>& </a>"), "!syntax@3"},
        {S("<a>1 < 2</a>"), "!syntax@5"},
        {S("<a>]]></a>"), "!syntax@3"},
        {S("<a b=1/>"), "!syntax@5"},
        {S("<a b/>"), "!syntax@4"},
        {S("<a b='<'/>"), "!syntax@6"},
        {S("<a b='"), "!syntax@6"},
        {S("<a b='1'c='2'/>"), "!syntax@8"},
        {S("<a b='1' b='2'/>"), "!syntax@9"},
        {S("<a / >"), "!syntax@4"},
        {S("<1/>"), "!syntax@0"},
        {S("<:a/>"), "!syntax@1"},
        {S("<a:/>"), "!syntax@3"},
        {S("<a:b:c/>"), "!syntax@4"},
        {S("<a><!-- -- --></a>"), "!syntax@3"},
        {S("<a><!-- --->"), "!syntax@3"},
        {S("<a><![CDATA[x</a>"), "!syntax@3"},
        {S("<![CDATA[x]]><a/>"), "!syntax@0"},
        {S("<!ELEMENT a ANY><a/>"), "!syntax@0"},
        {S(" <?xml version='1.0'?><a/>"), "!syntax@1"},
        {S("<?xml version='2.0'?><a/>"), "!syntax@0"},
        {S("<?xml encoding='UTF-8'?><a/>"), "!syntax@0"},
        {S("<?xml version='1.0' standalone='maybe'?><a/>"), "!syntax@0"},
        {S("<?xml version='1.0'"), "!syntax@0"},
        {S("<a><? x?></a>"), "!syntax@3"},
        {S("<a xmlns:p=''/>"), "!syntax@0"},
        {S("<a xmlns:xmlns='u'/>"), "!syntax@0"},
        {S("<a xmlns:xml='u'/>"), "!syntax@0"},
        {S("<a xmlns='http://www.w3.org/2000/xmlns/'/>"), "!syntax@0"},
        {S("<!DOCTYPE a><a/>"), "!dtd@0"},
        {S("<a/><!DOCTYPE a>"), "!dtd@4"},
        {S("<?go?><a/>"), "!pi@0"},
        {S("<a><?go now?></a>"), "!pi@3"},
        {S("<p:a/>"), "!namespace@0"},
        {S("<a><b p:c='1'/></a>"), "!namespace@3"},
        {S("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>"), "!namespace@0"},
        {S("<a><b xmlns:p='u'/><p:c/></a>"), "!namespace@19"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_STRICT);
}

static void the_encoding_of_the_whole_input_comes_first(void **state)
{
    (void)state;
    static const struct reading_row rows[] = {
        {S("<a></b>\xff"), "!encoding@7"},
        {S("<a>\x01</a>"), "!encoding@3"},
        {S("<a>\0</a>"), "!encoding@3"},
        {S("<a>\xef\xbf\xbe</a>"), "!encoding@3"},
        {S("<a>\xed\xa0\x80</a>"), "!encoding@3"},
        {S("\xff\xfe<\0a\0"), "!encoding@0"},
        {S("<?xml version='1.0' encoding='ISO-8859-1'?><a/>"), "!encoding@0"},
        {S("<?xml version='1.0' encoding=\"utf8\"?><a>"), "!encoding@0"},
        {S("<?xml version='1.0' encoding='uTf-8'?><a/>"), "<a></a>"},
    };
    reading_rows(rows, COUNT_OF(rows), BT_XML_STRICT);
}

static void a_forbidden_character_is_found_wherever_it_stands(void **state)
{
    (void)state;
    static const char *const forbidden[] = {"\x01", "\x1f", "\xef\xbf\xbf", "\xff"};
    for (size_t i = 0; i < 40 * COUNT_OF(forbidden); i++) {
        char text[64] = "<a>a line~\x7f\t\r\n of characters \xc3\xa9 that may stand</a>";
        char expected[32];
        const size_t at = i / COUNT_OF(forbidden);
        const char *bytes = forbidden[i % COUNT_OF(forbidden)];
        const size_t length = strlen(text);
        if (((unsigned char)text[at] & 0xc0) == 0x80 || text[at] == '\xc3') {
            continue;
        }
        memmove(text + at + strlen(bytes), text + at, length - at);
        memcpy(text + at, bytes, strlen(bytes));
        (void)snprintf(expected, sizeof(expected), "!encoding@%zu", at);
        const struct reading_row row = {{text, length + strlen(bytes)}, expected};
        reading_rows(&row, 1, BT_XML_STRICT);
    }
}

/* `open` so often, then `inner`, then `close` as often. */
static bt_str nested(const char *open, size_t times, const char *inner, const char *close)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 1 << 24);
    for (size_t i = 0; i < times; i++) {
        bt_buf_put_text(&buf, open);
    }
    bt_buf_put_text(&buf, inner);
    for (size_t i = 0; i < times; i++) {
        bt_buf_put_text(&buf, close);
    }
    assert_int_equal(bt_buf_copy(&buf, &reading_arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

static bt_str with_attributes(size_t count)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 1 << 24);
    bt_buf_put_text(&buf, "<a");
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(&buf, i % 2 == 0 ? " a%zu='1'" : " xmlns:a%zu='u'", i);
    }
    bt_buf_put_text(&buf, "/>");
    assert_int_equal(bt_buf_copy(&buf, &reading_arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

static void bounds_are_met_and_not_passed(void **state)
{
    (void)state;
    const struct {
        bt_str text;
        enum bt_xml_error code;
        uint64_t limit;
    } rows[] = {
        {nested("<a>", 128, "", "</a>"), BT_XML_FINE, 0},
        {nested("<a>", 129, "", "</a>"), BT_XML_TOO_DEEP, 128},
        {nested("<a>", 128, "<b/>", "</a>"), BT_XML_TOO_DEEP, 128},
        {with_attributes(64), BT_XML_FINE, 0},
        {with_attributes(65), BT_XML_TOO_MANY_ATTRIBUTES, 64},
        {nested("<a>", 300000, "", ""), BT_XML_TOO_DEEP, 128},
        {with_attributes(50000), BT_XML_TOO_MANY_ATTRIBUTES, 64},
        {nested(" ", READING_BYTES_MAX - 4, "<a/>", ""), BT_XML_FINE, 0},
        {nested(" ", READING_BYTES_MAX - 3, "<a/>", ""), BT_XML_TOO_LARGE, READING_BYTES_MAX},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_xml_result result = reading_of(rows[i].text, BT_XML_STRICT);
        assert_string_equal(reading_code(result.code), reading_code(rows[i].code));
        assert_int_equal(result.limit, rows[i].limit);
    }
}

static void a_fault_names_the_prefix_or_the_target(void **state)
{
    (void)state;
    assert_str(reading_of(BT_STR("<p:a/>"), BT_XML_STRICT).name, "p");
    assert_str(reading_of(BT_STR("<a><?go now?></a>"), BT_XML_STRICT).name, "go");
    assert_str(
        reading_of(BT_STR("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>"), BT_XML_STRICT).name,
        "q");
}

static void a_path_counts_siblings_of_the_same_name(void **state)
{
    (void)state;
    const bt_str text = BT_STR("<a><b/><c/>t<b><d/></b></a>");
    const struct bt_xml_result result = reading_of(text, BT_XML_STRICT);
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 16);
    const struct bt_xml_node *root = result.document->root;
    for (const struct bt_xml_node *node = root; node; node = bt_xml_next_element(node, root)) {
        if (!node->is_text) {
            assert_int_equal(bt_xml_put_path(&buf, &reading_arena, node), BT_OK);
            bt_buf_put_char(&buf, ' ');
        }
    }
    assert_str(bt_buf_str(&buf), "/a /a/b[1] /a/c /a/b[2] /a/b[2]/d ");
    bt_buf_free(&buf);
}

static void the_text_of_an_element_comes_in_one_piece(void **state)
{
    (void)state;
    bt_str text;
    const struct bt_xml_result result =
        reading_of(BT_STR("<a>1<!-- -->2<![CDATA[3]]><b>x</b>&#52;</a>"), BT_XML_STRICT);
    assert_int_equal(bt_xml_text(&reading_arena, result.document->root, &text), BT_OK);
    assert_str(text, "1234");
    assert_true(result.document->root->is_dressed);
    assert_true(result.document->root->has_elements);
}

static void scarce_memory_is_a_status(void **state)
{
    (void)state;
    const bt_str text = BT_STR("<a xmlns:p='u' b='1'><p:c>t&amp;</p:c><![CDATA[\r\n]]></a>");
    const struct bt_xml_options options = {.bytes_max = READING_BYTES_MAX,
                                           .depth_max = BT_XML_DEPTH_MAX};
    size_t refused = 0;
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 16; status != BT_OK && limit < (1 << 20); limit += 64) {
        struct bt_arena arena;
        struct bt_xml_result result;
        bt_arena_init(&arena, limit);
        status = bt_xml_read(&arena, text, &options, &result);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        refused += status == BT_ENOMEM;
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(well_formed_documents_are_read, reading_begin, reading_end),
        cmocka_unit_test_setup_teardown(namespaces_are_written_where_they_are_used, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(faults_have_their_code_and_place, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(the_encoding_of_the_whole_input_comes_first, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(a_forbidden_character_is_found_wherever_it_stands,
                                        reading_begin, reading_end),
        cmocka_unit_test_setup_teardown(bounds_are_met_and_not_passed, reading_begin, reading_end),
        cmocka_unit_test_setup_teardown(a_fault_names_the_prefix_or_the_target, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(a_path_counts_siblings_of_the_same_name, reading_begin,
                                        reading_end),
        cmocka_unit_test_setup_teardown(the_text_of_an_element_comes_in_one_piece, reading_begin,
                                        reading_end),
        cmocka_unit_test(scarce_memory_is_a_status),
    };
    return RUN_TESTS(tests);
}
