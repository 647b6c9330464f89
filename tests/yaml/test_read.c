/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_read.c - what is read, what is refused, and where everything stood.
 */
#include "yaml/yaml.h"

#include "base/arena.h"
#include "base/buf.h"
#include "test.h"

enum { ARENA_BYTES = 16 << 20 };

static struct bt_arena arena;

static int begin(void **state)
{
    (void)state;
    bt_arena_init(&arena, ARENA_BYTES);
    return 0;
}

static int end(void **state)
{
    (void)state;
    bt_arena_free(&arena);
    return 0;
}

static struct bt_yaml_read_result judge(const char *text)
{
    struct bt_yaml_read_result result;
    assert_int_equal(bt_yaml_read(&arena, bt_str_of(text), NULL, &result), BT_OK);
    assert_true((result.root != NULL) == (result.code == BT_YAML_ERROR_NONE));
    assert_true((result.detail.len > 0) == (result.code != BT_YAML_ERROR_NONE));
    return result;
}

static const struct bt_yaml_node *read_text(const char *text)
{
    const struct bt_yaml_read_result result = judge(text);
    if (!result.root) {
        fail_msg("%s: %.*s at %zu", text, BT_STR_ARG(result.detail), result.offset);
    }
    return result.root;
}

/* Put a tree as JSON-like text, with strings in quotes. Fits what the tests below read. */
static void put_node(struct bt_buf *buf, const struct bt_yaml_node *node)
{
    if (node->kind == BT_YAML_SCALAR) {
        const char *mark = bt_yaml_type_of(node) == BT_YAML_TYPE_STRING ? "'" : "";
        bt_buf_printf(buf, "%s%.*s%s", mark, BT_STR_ARG(node->text), mark);
        return;
    }
    const bool is_mapping = node->kind == BT_YAML_MAPPING;
    bt_buf_put_char(buf, is_mapping ? '{' : '[');
    for (size_t i = 0; i < node->count; i++) {
        bt_buf_put_text(buf, i > 0 ? "," : "");
        if (is_mapping) {
            bt_buf_printf(buf, "%.*s:", BT_STR_ARG(node->entries[i].key));
        }
        put_node(buf, is_mapping ? &node->entries[i].value : &node->items[i]);
    }
    bt_buf_put_char(buf, is_mapping ? '}' : ']');
}

static void what_the_subset_holds_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *tree;
    } rows[] = {
        {"a: 1\nb: x y\n", "{a:1,b:'x y'}"},
        {"a:\n  - x\n  - 'it''s'\nb: [1, \"2\", {c: ~}]\n", "{a:['x','it's'],b:[1,'2',{c:~}]}"},
        {"- - 1\n  - 2\n- {}\n- []\n", "[[1,2],{},[]]"},
        {"a: |\n  one\n  two\nb: >\n  one\n  two\n", "{a:'one\ntwo\n',b:'one two\n'}"},
        {"a: |-\n  one\n\n  two\n", "{a:'one\n\ntwo'}"},
        {"# c\na: b # c\n#c\n", "{a:'b'}"},
        {"a: b#c\n", "{a:'b#c'}"},
        {"description: Does a --- b\n", "{description:'Does a --- b'}"},
        {"a: one\n  two\n", "{a:'one two'}"},
        {"\"a b\": 'c'\n'd': e\n", "{a b:'c',d:'e'}"},
        {"a: \"\\u00e9\\n\\x41\"\n", "{a:'\xc3\xa9\n\x41'}"},
        {"---\na: b\n...\n", "{a:'b'}"},
        {"{\"a\":{\"b\":[1,2.5e3,true,null,\"x\\/y\"]}}", "{a:{b:[1,2.5e3,true,null,'x/y']}}"},
        {"{\n\t\"a\": [\n\t\t1\n\t]\n}\n", "{a:[1]}"},
        {"\"\\ud83d\\ude00\"", "'\xf0\x9f\x98\x80'"},
        {"a:\n- b\n- c\n", "{a:['b','c']}"},
        {"a: b\r\nc:\r\n  - d\r\n", "{a:'b',c:['d']}"},
        {"[a: b]", "[{a:'b'}]"},
        {"{a, b: }", "{a:,b:}"},
        {"a: what?\nb: why ?\n# how ?\nc: ?d\n", "{a:'what?',b:'why ?',c:'?d'}"},
        {"\"<<\": a\n", "{<<:'a'}"},
        {"a: <<\n", "{a:'<<'}"},
        {"a: x & y * z ! %\n", "{a:'x & y * z ! %'}"},
        {"a:\tb\n", "{a:'b'}"},
        {"''", "''"},
        {"' a  b '", "' a  b '"},
        {"''''", "'''"},
        {"'''''x'''''", "'''x'''"},
        {"'a\n  b'", "'a b'"},
        {"'a \t\n\n  \t\n b '", "'a\n\nb '"},
        {"' \n a\n '", "' a '"},
        {"a: 'b\r\n\r\n  c'\n", "{a:'b\nc'}"},
        {"", ""},
        {"# nothing\n", ""},
        {"~\n", "~"},
        {"a: 1\nA: 2\n\"a \": 3\n", "{a:1,A:2,a :3}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 4096);
        put_node(&buf, read_text(rows[i].text));
        bt_buf_put_char(&buf, '\0');
        assert_int_equal(buf.status, BT_OK);
        assert_string_equal(buf.ptr, rows[i].tree);
        bt_buf_free(&buf);
    }
}

/* Each row has its twin above or behind: the same text without what is refused. */
static void what_reads_differently_from_how_it_looks_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *feature;
        size_t offset;
        const char *good;
    } rows[] = {
        {"a: &x 1\n", "anchor", 3, "a: x1\n"},
        {"&x a: 1\n", "anchor", 0, "xa: 1\n"},
        {"a: &x [1]\n", "anchor", 3, "a: [1]\n"},
        {"a: &x\n  b: c\n", "anchor", 3, "a:\n  b: c\n"},
        {"a: *x\n", "alias", 3, "a: x\n"},
        {"*x : 1\n", "alias", 0, "x : 1\n"},
        {"a: !!str 1\n", "tag", 3, "a: '1'\n"},
        {"! a\n", "tag", 0, "a\n"},
        {"a: !t {}\n", "tag", 3, "a: {}\n"},
        {"<<: {a: b}\n", "merge", 0, "'<<': {a: b}\n"},
        {"{a: 1, <<: {b: 1}}\n", "merge", 7, "{a: 1, '<<': {b: 1}}\n"},
        {"%YAML 1.2\n---\na: b\n", "directive", 0, "---\na: b\n"},
        {"%TAG ! tag:x,2026:\n---\na: b\n", "directive", 0, "# %TAG\n---\na: b\n"},
        {"# c\n%FOO\n---\na: b\n", "directive", 4, "# c\n---\na: b\n"},
        {"%FOO\n", "directive", 0, "# %FOO\n"},
        {"%YAML 0.2\n---\na: b\n", "directive", 0, "---\na: b\n"},
        {"a\n...\n# c\n%YAML 0.2\n---\nb\n", "directive", 10, "a\n...\n# %\n"},
        {"? a\n: b\n", "complex-key", 0, "a: b\n"},
        {"?\n  a\n: b\n", "complex-key", 0, "a:\n  b\n"},
        {"? # c\n  a\n: b\n", "complex-key", 0, "# ?\na: b\n"},
        {"{? a : b}\n", "complex-key", 1, "{?a : b}\n"},
        {"a: b\n? c\n: d\n", "complex-key", 5, "a: b ?\nc: d\n"},
        {"[a, b]: c\n", "complex-key", 0, "a b: c\n"},
        {"? {a: b}\n: c\n", "complex-key", 0, "{a: b}\n"},
        {"a: b\n---\nc: d\n", "document", 5, "a: b\nc: d\n"},
        {"a: b\n...\nc\n", "document", 5, "a: b\n...\n# c\n"},
        {"---\n---\n", "document", 4, "---\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_yaml_read_result result = judge(rows[i].text);
        if (result.code != BT_YAML_UNSUPPORTED ||
            !bt_str_eq(result.feature, bt_str_of(rows[i].feature)) ||
            result.offset != rows[i].offset) {
            fail_msg("%s: code %d, feature %.*s, offset %zu", rows[i].text, (int)result.code,
                     BT_STR_ARG(result.feature), result.offset);
        }
        (void)read_text(rows[i].good);
    }
}

static void what_is_no_yaml_is_refused_where_it_stops_being_it(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        const char *good;
    } rows[] = {
        {"name: [unclosed\n", 16, "name: [closed]\n"},
        {"a:\n\tb: c\n", 3, "a:\n  b: c\n"},
        {"\ta: b\n", 0, "a: b\n"},
        {"a:\n  - b\n\t- c\n", 10, "a:\n  - b\n  - c\n"},
        {"a: |\n\tx\n", 5, "a: |\n  \tx\n"},
        {"a: b: c\n", 4, "a: b:c\n"},
        {"a: 'x\n", 4, "a: 'x'\n"},
        {"a: \"\\q\"\n", 4, "a: \"q\"\n"},
        {"a: \"\\ud83d\"\n", 4, "a: \"\\ud83d\\ude00\"\n"},
        {"a: @x\n", 3, "a: '@x'\n"},
        {"a: \x01\n", 3, "a: \"\\u0001\"\n"},
        {"\xef\xbb\xbf"
         "a: b\n",
         0, "a: b\n"},
        {"a: \xff\n", 3, "a: \xc3\xbf\n"},
        {"a: \xed\xa0\x80\n", 3, "a: \xed\x9f\xbf\n"},
        {"a\n b: c\n", 0, "a b: c\n"},
        {"\xc3\xa9: '\xc3\xa9\n", 5, "\xc3\xa9: '\xc3\xa9'\n"},
        {"- a\nb: c\n", 4, "- a\n- b: c\n"},
        {"[a]]\n", 3, "[a]\n"},
        {"a: >0\n  x\n", 1, "a: >1\n  x\n"},
        {"a: b\rc: d\n", 4, "a: b\r\nc: d\r\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_yaml_read_result result = judge(rows[i].text);
        if (result.code != BT_YAML_SYNTAX || result.offset != rows[i].offset) {
            fail_msg("%s: code %d at %zu: %.*s", rows[i].text, (int)result.code, result.offset,
                     BT_STR_ARG(result.detail));
        }
        (void)read_text(rows[i].good);
    }
}

static void a_repeated_key_is_refused_at_its_second_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        const char *pointer;
        const char *key;
    } rows[] = {
        {"a: 1\na: 2\n", 5, "", "a"},
        {"a: 1\n\"a\": 2\n", 5, "", "a"},
        {"a: 1\n\"\\u0061\": 2\n", 5, "", "a"},
        {"x:\n  - {b: 1}\n  - {b: 1, c: 2, b: 3}\n", 31, "/x/1", "b"},
        {"x/y:\n  ~: 1\n  '~': 1\n", 14, "/x~1y", "~"},
        {"b: 1\na: 1\na: 2\nb: 2\na: 3\n", 10, "", "a"},
        {"{a: {b: 1}, c: {b: 1}, a: 2}", 23, "", "a"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_yaml_read_result result = judge(rows[i].text);
        if (result.code != BT_YAML_DUPLICATE_KEY || result.offset != rows[i].offset ||
            !bt_str_eq(result.pointer, bt_str_of(rows[i].pointer)) ||
            !bt_str_eq(result.key, bt_str_of(rows[i].key))) {
            fail_msg("%s: code %d at %zu, %.*s in %.*s", rows[i].text, (int)result.code,
                     result.offset, BT_STR_ARG(result.key), BT_STR_ARG(result.pointer));
        }
    }
    (void)read_text("{a: {b: 1}, c: {b: 1}}");
}

static void every_node_knows_where_it_stood_and_how_it_was_written(void **state)
{
    (void)state;
    const char *text = "a: plain\n"
                       "\"b\": 'quoted'\n"
                       "c: | # why > not\n  block\n"
                       "d:\n  - x\n"
                       "e: {f: [1]}\n"
                       "g:\n"
                       "h: >-\n  folded\n";
    static const struct {
        const char *key;
        enum bt_yaml_style style;
        const char *at;
        const char *key_at;
    } rows[] = {
        {"a", BT_YAML_STYLE_PLAIN, "plain", "a: plain"},
        {"b", BT_YAML_STYLE_QUOTED, "'quoted'", "\"b\""},
        {"c", BT_YAML_STYLE_BLOCK, "| # why", "c: |"},
        {"d", BT_YAML_STYLE_NONE, "- x", "d:\n"},
        {"e", BT_YAML_STYLE_NONE, "{f", "e: {"},
        {"g", BT_YAML_STYLE_PLAIN, ":\nh", "g:\n"},
        {"h", BT_YAML_STYLE_BLOCK, ">-\n", "h: >"},
    };
    const struct bt_yaml_node *root = read_text(text);
    assert_int_equal(root->offset, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_yaml_entry *entry = bt_yaml_find_entry(root, bt_str_of(rows[i].key));
        assert_non_null(entry);
        assert_ptr_equal(bt_yaml_get(root, entry->key), &entry->value);
        assert_int_equal(entry->value.style, rows[i].style);
        assert_memory_equal(text + entry->value.offset, rows[i].at, strlen(rows[i].at));
        assert_memory_equal(text + entry->key_offset, rows[i].key_at, strlen(rows[i].key_at));
    }
    assert_null(bt_yaml_get(root, BT_STR("z")));
    assert_null(bt_yaml_get(bt_yaml_get(root, BT_STR("d")), BT_STR("x")));
    assert_null(bt_yaml_get(NULL, BT_STR("x")));
}

static void only_plain_scalars_are_more_than_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum bt_yaml_type type;
    } rows[] = {
        {"true", BT_YAML_TYPE_TRUE},       {"false", BT_YAML_TYPE_FALSE},
        {"True", BT_YAML_TYPE_STRING},     {"yes", BT_YAML_TYPE_STRING},
        {"on", BT_YAML_TYPE_STRING},       {"'true'", BT_YAML_TYPE_STRING},
        {"null", BT_YAML_TYPE_NULL},       {"~", BT_YAML_TYPE_NULL},
        {"", BT_YAML_TYPE_NULL},           {"\"\"", BT_YAML_TYPE_STRING},
        {"Null", BT_YAML_TYPE_STRING},     {"0", BT_YAML_TYPE_INTEGER},
        {"-017", BT_YAML_TYPE_INTEGER},    {"+5", BT_YAML_TYPE_INTEGER},
        {"0o17", BT_YAML_TYPE_STRING},     {"0x1f", BT_YAML_TYPE_STRING},
        {"-", BT_YAML_TYPE_NONE},          {"+", BT_YAML_TYPE_STRING},
        {"3.0", BT_YAML_TYPE_NUMBER},      {"3.", BT_YAML_TYPE_NUMBER},
        {".5", BT_YAML_TYPE_NUMBER},       {"-.5e-3", BT_YAML_TYPE_NUMBER},
        {"1e5", BT_YAML_TYPE_NUMBER},      {"1e", BT_YAML_TYPE_STRING},
        {".", BT_YAML_TYPE_STRING},        {".e5", BT_YAML_TYPE_STRING},
        {"1.2.3", BT_YAML_TYPE_STRING},    {"1 2", BT_YAML_TYPE_STRING},
        {".inf", BT_YAML_TYPE_STRING},     {"'3.0'", BT_YAML_TYPE_STRING},
        {"|\n  1\n", BT_YAML_TYPE_STRING}, {"{}", BT_YAML_TYPE_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (bt_yaml_type_of(read_text(rows[i].text)) != rows[i].type) {
            fail_msg("%s is taken for a %d", rows[i].text,
                     (int)bt_yaml_type_of(read_text(rows[i].text)));
        }
    }
    assert_int_equal(bt_yaml_type_of(NULL), BT_YAML_TYPE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_the_subset_holds_is_read, begin, end),
        cmocka_unit_test_setup_teardown(what_reads_differently_from_how_it_looks_is_refused, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_is_no_yaml_is_refused_where_it_stops_being_it, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_repeated_key_is_refused_at_its_second_place, begin, end),
        cmocka_unit_test_setup_teardown(every_node_knows_where_it_stood_and_how_it_was_written,
                                        begin, end),
        cmocka_unit_test_setup_teardown(only_plain_scalars_are_more_than_strings, begin, end),
    };
    return RUN_TESTS(tests);
}
