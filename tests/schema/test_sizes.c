/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sizes.c - schemas of every size at which the engine changes its ways: words of 64 bits,
 * tables for more than a few, stacks that grow. All modes agree, and say what was expected.
 */
#include "documents.h"
#include "modes.h"

#include "base/buf.h"

/*
 * Texts in which <x> stands for as many x as the size says, with commas between them; # becomes the
 * number of the x, ~ the last such number and @ the size.
 */
struct row {
    const char *schema;
    const char *valid[3];
    const char *invalid[3];
};

static const size_t sizes[] = {1,  2,  3,  4,  6,  7,  8,   9,   15,  16,  17,  31, 32,
                               33, 62, 63, 64, 65, 66, 127, 128, 129, 255, 256, 257};

static const struct row rows[] = {
    {"{\"anyOf\":[<{\"const\":#}>]}", {"0", "~", "~.0"}, {"@", "null", "\"0\""}},
    {"{\"oneOf\":[<{\"const\":#}>]}", {"0", "~"}, {"@", "[]"}},
    {"{\"oneOf\":[<{\"minimum\":#,\"maximum\":#}>]}", {"~"}, {"@", "-1"}},
    {"{\"oneOf\":[<{\"properties\":{\"t\":{\"const\":#}},\"required\":[\"t\"]}>]}",
     {"{\"t\":~}", "{\"t\":0,\"u\":1}"},
     {"{\"t\":@}", "{}"}},
    {"{\"anyOf\":[<{\"properties\":{\"t\":{\"enum\":[\"v#\",\"w#\"]}},\"required\":[\"t\"]}>]}",
     {"{\"t\":\"v~\"}", "{\"t\":\"w0\"}"},
     {"{\"t\":\"v@\"}", "{\"t\":1}"}},
    {"{\"allOf\":[<{\"required\":[\"k#\"]}>]}", {"{<\"k#\":1>}", "1"}, {"{}", "{\"k@\":1}"}},
    {"{\"required\":[<\"k#\">]}",
     {"{<\"k#\":1>}", "{<\"k#\":1>,\"x\":1}"},
     {"{}", "{\"x\":1,<\"l#\":1>}"}},
    {"{\"properties\":{<\"k#\":{\"type\":\"integer\"}>},\"required\":[<\"k#\">],"
     "\"additionalProperties\":false}",
     {"{<\"k#\":1>}"},
     {"{<\"k#\":\"\">}", "{<\"k#\":1>,\"x\":1}", "{\"k~\":1.5}"}},
    {"{\"items\":{\"properties\":{<\"k#\":{\"type\":\"integer\"}>},\"required\":[<\"k#\">],"
     "\"type\":[\"object\",\"null\"],\"additionalProperties\":false}}",
     {"[{<\"k#\":1>},{<\"k#\":1>}]", "[]", "[{<\"k#\":1>},null,{<\"k#\":1.0>}]"},
     {"[{<\"k#\":1>},{<\"k#\":\"\">}]", "[{<\"k#\":1>},{<\"k#\":1>,\"x\":1}]",
      "[{<\"k#\":1>},{}]"}},
    {"{\"properties\":{<\"a long name for a property "
     "#\":{\"minLength\":1}>},\"additionalProperties\":false}",
     {"{<\"a long name for a property #\":\"x\">}", "{}"},
     {"{\"a long name for a property ~\":\"\"}", "{\"a long name for a property @\":\"x\"}"}},
    {"{\"properties\":{<\"k#\":true>},\"unevaluatedProperties\":false}",
     {"{<\"k#\":1>}"},
     {"{<\"k#\":1>,\"x\":1}"}},
    {"{\"anyOf\":[<{\"properties\":{\"k#\":true}}>],\"unevaluatedProperties\":false}",
     {"{<\"k#\":1>}"},
     {"{<\"k#\":1>,\"x\":1}"}},
    {"{\"patternProperties\":{<\"^k#$\":{\"const\":#}>},\"additionalProperties\":false}",
     {"{<\"k#\":#>}", "{}"},
     {"{\"k~\":@}", "{\"k@\":@}"}},
    {"{\"dependentRequired\":{\"x\":[<\"k#\">]}}",
     {"{<\"k#\":1>,\"x\":1}", "{\"k~\":1}"},
     {"{\"x\":1}", "{\"x\":1,\"k@\":1}"}},
    {"{\"enum\":[<\"v#\">]}", {"\"v0\"", "\"v~\""}, {"\"v@\"", "1"}},
    {"{\"enum\":[<#>]}", {"~", "~.0"}, {"@", "-1"}},
    {"{\"enum\":[<{\"a\":[#]}>]}", {"{\"a\":[~]}", "{\"a\":[0.0]}"}, {"{\"a\":[@]}", "{\"a\":~}"}},
    {"{\"prefixItems\":[<{\"const\":#}>],\"items\":false}", {"[<#>]", "[]"}, {"[<@>]", "[<#>,1]"}},
    {"{\"prefixItems\":[<true>],\"unevaluatedItems\":false}", {"[<#>]"}, {"[<#>,1]"}},
    {"{\"contains\":{\"const\":1},\"unevaluatedItems\":false}",
     {"[<1>]"},
     {"[<1>,2]", "[2,<1>]", "[]"}},
    {"{\"contains\":{\"const\":1},\"minContains\":@,\"maxContains\":@}",
     {"[<1>]", "[2,<1>,2]"},
     {"[<1>,1]", "[]"}},
    {"{\"uniqueItems\":true}",
     {"[<#>]", "[<\"v#\">]", "[<{\"a\":#}>]"},
     {"[<#>,~]", "[<\"v#\">,\"v0\"]", "[<[#]>,[~.0]]"}},
    {"{\"minItems\":@,\"maxItems\":@}", {"[<1>]"}, {"[<1>,1]", "[]"}},
    {"{\"minProperties\":@,\"maxProperties\":@}", {"{<\"k#\":1>}"}, {"{<\"k#\":1>,\"x\":1}", "{}"}},
    {"{\"items\":{\"items\":{\"if\":{\"const\":1},\"then\":false}}}",
     {"[[<2>]]", "[<[]>]"},
     {"[[<1>]]", "[<[]>,[2,1]]"}},
    {"{\"propertyNames\":{\"enum\":[<\"k#\">]}}", {"{<\"k#\":1>}"}, {"{<\"k#\":1>,\"x\":1}"}},
};

static void expand(struct bt_buf *out, const char *from, const char *end, size_t size, size_t index)
{
    for (const char *at = from; at < end; at++) {
        if (*at == '<') {
            const char *close = memchr(at, '>', (size_t)(end - at));
            assert_non_null(close);
            for (size_t i = 0; i < size; i++) {
                bt_buf_put_text(out, i > 0 ? "," : "");
                expand(out, at + 1, close, size, i);
            }
            at = close;
        } else if (*at == '#' || *at == '~' || *at == '@') {
            bt_buf_put_u64(out, *at == '#' ? index : *at == '~' ? size - 1 : size);
        } else {
            bt_buf_put_char(out, *at);
        }
    }
}

static const struct bt_json_doc *make(struct bt_arena *arena, const char *template, size_t size)
{
    struct bt_buf buf;
    bt_str text = {0};
    bt_buf_init(&buf, 1 << 20);
    expand(&buf, template, template + strlen(template), size, 0);
    assert_int_equal(bt_buf_copy(&buf, arena, &text), BT_OK);
    bt_buf_free(&buf);
    const struct bt_json_doc *document = read_document(arena, text);
    if (!document) {
        fail_msg("%s of %zu is not JSON", template, size);
    }
    return document;
}

static void check_row(const struct row *row, size_t size)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct judge_options options = {.draft = BT_SCHEMA_DRAFT_2020_12};
    const struct bt_json_doc *schema = make(&arena, row->schema, size);
    for (size_t mode = 0; mode < modes_count; mode++) {
        void *opened = modes[mode].open(schema, &options);
        assert_non_null(opened);
        for (size_t i = 0; i < 2 * COUNT_OF(row->valid); i++) {
            const bool is_valid = i < COUNT_OF(row->valid);
            const char *instance =
                is_valid ? row->valid[i] : row->invalid[i - COUNT_OF(row->valid)];
            const enum verdict expected = is_valid ? VERDICT_VALID : VERDICT_INVALID;
            if (instance && modes[mode].judge(opened, make(&arena, instance, size)) != expected) {
                fail_msg("%s: %s for %s of %zu is not %s", modes[mode].name, row->schema, instance,
                         size, is_valid ? "valid" : "invalid");
            }
        }
        modes[mode].close(opened);
    }
    bt_arena_free(&arena);
}

static void every_size_is_judged_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            check_row(&rows[i], sizes[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_judged_alike),
    };
    return RUN_TESTS(tests);
}
