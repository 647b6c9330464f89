/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_builder.c - a document that was built behaves like the one that is read from its text.
 */
#include "json_test.h"

#include <string.h>

#include "json/builder.h"
#include "json/edit.h"
#include "json/emit.h"
#include "json/value_pointer.h"

static void emit_sample(struct bt_emit *emit)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", BT_STR("a \"b\" \n \xc3\xa9"));
    bt_emit_member_u64(emit, "most", UINT64_MAX);
    bt_emit_member_array(emit, "list");
    bt_emit_i64(emit, INT64_MIN);
    bt_emit_i64(emit, 7);
    bt_emit_bool(emit, true);
    bt_emit_bool(emit, false);
    bt_emit_null(emit);
    bt_emit_number(emit, BT_STR("1.50e3"));
    bt_emit_begin_array(emit);
    bt_emit_end(emit);
    bt_emit_begin_object(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_name_str(emit, BT_STR("o\n"));
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "", BT_STR(""));
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* A text with escapes, lone surrogates in a name and a value, long numbers, and an object of more
 * members than are compared one by one. */
static const char rich[] =
    "{ \"a\":[1,-0,1e400,0.10,12345678901234567890],\"\\ud800\":\"\\udc00 \\u00e9\",\"s\":\"\\n\","
    "\"m\":{\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,\"k7\":7,\"k8\":8,"
    "\"k9\":9,\"k10\":10,\"k11\":11,\"k12\":12,\"k13\":[],\"k14\":{}},\"t\":true,\"n\":null}";

static bt_str form_of(struct bt_arena *arena, const struct bt_json_doc *document,
                      enum bt_json_form form)
{
    bt_str text = BT_STR(""); /* stays so when there is no canonical form */
    const enum bt_status status =
        bt_json_write_text(document, bt_json_root(document), form, arena, &text);
    assert_true(status == BT_OK || status == BT_EINVAL);
    return text;
}

static const struct bt_json_doc *copy_of(struct bt_arena *arena, const struct bt_json_doc *from)
{
    static const uint64_t seed[2] = {3, 4};
    struct bt_json_builder builder;
    const struct bt_json_doc *copy = NULL;
    (void)bt_json_builder_begin(&builder, arena, seed);
    bt_json_builder_copy(&builder, (bt_ref){from, bt_json_root(from)}, NULL);
    assert_int_equal(bt_json_builder_finish(&builder, BT_OK, &copy), BT_OK);
    return copy;
}

/* Every form of both documents is the same, and so is everything a caller can ask of them. */
static void assert_alike(struct bt_arena *arena, const struct bt_json_doc *a,
                         const struct bt_json_doc *b)
{
    for (unsigned form = BT_JSON_FORM_COMPACT; form <= BT_JSON_FORM_STRINGIFY; form++) {
        const bt_str of_a = form_of(arena, a, (enum bt_json_form)form);
        const bt_str of_b = form_of(arena, b, (enum bt_json_form)form);
        assert_int_equal(of_a.len, of_b.len);
        assert_memory_equal(of_a.ptr, of_b.ptr, of_a.len);
    }
    assert_true(documents_equal(a, b));
    assert_int_equal(bt_json_node_count(a), bt_json_node_count(b));
    assert_int_equal(bt_json_has_lone_surrogate(a), bt_json_has_lone_surrogate(b));
    assert_int_equal(bt_json_has_long_number(a), bt_json_has_long_number(b));
}

static void what_is_emitted_is_what_the_text_says(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    struct bt_emit emit;
    struct bt_json_builder builder;
    const struct bt_json_doc *built = NULL;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    bt_emit_init(&emit, &buf, false);
    emit_sample(&emit);
    emit_sample(bt_json_builder_begin(&builder, &arena, NULL));
    assert_int_equal(bt_json_builder_finish(&builder, BT_OK, &built), BT_OK);
    assert_alike(&arena, read_text(&arena, bt_buf_str(&buf)), built);
    const bt_str text = form_of(&arena, built, BT_JSON_FORM_COMPACT);
    assert_int_equal(text.len, buf.len);
    assert_memory_equal(text.ptr, buf.ptr, buf.len);
    assert_int_equal(bt_json_source(built).len, 0);
    bt_str same;
    assert_false(bt_json_source_has_form(built, bt_json_root(built), BT_JSON_FORM_COMPACT, &same));
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void a_copy_has_everything(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *given = read_literal(&arena, rich);
    const struct bt_json_doc *copy = copy_of(&arena, given);
    assert_alike(&arena, given, copy);
    assert_alike(&arena, given, copy_of(&arena, copy));
    const bt_json_value *many = bt_json_get(copy, bt_json_root(copy), BT_STR("m"));
    const bt_json_value *found = bt_json_get(copy, many, BT_STR("k14"));
    bt_str pointer = BT_STR("");
    assert_non_null(found);
    assert_int_equal(bt_json_value_pointer(copy, found, &arena, &pointer), BT_OK);
    assert_str(pointer, "/m/k14");
    bt_arena_free(&arena);
}

static void strings_are_replaced_where_they_stand(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_json_builder builder;
    const struct bt_json_doc *built = NULL;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *given = read_literal(&arena, "[\"a\",{\"b\":\"c\"},\"d\"]");
    struct bt_json_replacement items[] = {{100 + 15, BT_STR("z\"")}, {100 + 10, BT_STR("y")}};
    const struct bt_json_replacements list = {items, 2, 100};
    bt_json_replacements_sort(items, 2);
    (void)bt_json_builder_begin(&builder, &arena, NULL);
    bt_json_builder_copy(&builder, (bt_ref){given, bt_json_root(given)}, &list);
    assert_int_equal(bt_json_builder_finish(&builder, BT_OK, &built), BT_OK);
    assert_str(form_of(&arena, built, BT_JSON_FORM_COMPACT), "[\"a\",{\"b\":\"y\"},\"z\\\"\"]");
    bt_arena_free(&arena);
}

static void a_document_that_is_too_deep_is_refused(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    char text[2001];
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    text[2000] = '\0';
    const struct bt_json_doc *deep = read_literal(&arena, text);
    assert_alike(&arena, deep, copy_of(&arena, deep));
    struct bt_json_builder builder;
    const struct bt_json_doc *built = NULL;
    struct bt_emit *emit = bt_json_builder_begin(&builder, &arena, NULL);
    bt_emit_begin_array(emit);
    bt_json_builder_copy(&builder, (bt_ref){deep, bt_json_root(deep)}, NULL);
    bt_emit_end(emit);
    assert_int_equal(bt_json_builder_finish(&builder, BT_OK, &built), BT_ELIMIT);
    assert_null(built);
    bt_arena_free(&arena);
}

/* Build, copy and clone under every memory limit until all of it succeeds. */
static void too_little_memory_is_told(void **state)
{
    (void)state;
    static const uint64_t seed[2] = {1, 2};
    struct bt_arena whole;
    bt_arena_init(&whole, TEST_ARENA_BYTES);
    const struct bt_json_doc *given = read_literal(&whole, rich);
    enum bt_status status = BT_ENOMEM;
    size_t failures = 0;
    for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 64) {
        struct bt_arena arena;
        struct bt_json_builder builder;
        const struct bt_json_doc *built = NULL;
        const struct bt_json_doc *clone = NULL;
        bt_arena_init(&arena, limit);
        struct bt_emit *emit = bt_json_builder_begin(&builder, &arena, NULL);
        bt_emit_begin_array(emit);
        emit_sample(emit);
        bt_json_builder_copy(&builder, (bt_ref){given, bt_json_root(given)}, NULL);
        bt_emit_end(emit);
        status = bt_json_builder_finish(&builder, BT_OK, &built);
        status = status == BT_OK ? bt_json_clone(built, seed, &arena, &clone) : status;
        assert_true(status == BT_OK || status == BT_ENOMEM);
        assert_true(status != BT_OK || documents_equal(built, clone));
        failures += status != BT_OK;
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(failures > 10);
    bt_arena_free(&whole);
}

static void a_failure_of_the_caller_is_returned(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_json_builder builder;
    const struct bt_json_doc *built = NULL;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_emit_begin_array(bt_json_builder_begin(&builder, &arena, NULL));
    assert_int_equal(bt_json_builder_finish(&builder, BT_EIO, &built), BT_EIO);
    assert_null(built);
    bt_arena_free(&arena);
}

/* The clone keeps places and finds members by the other seed, after the original is gone. */
static void a_clone_needs_nothing_of_the_original(void **state)
{
    (void)state;
    static const uint64_t seed[2] = {8, 9};
    struct bt_arena arena;
    struct bt_arena gone;
    const struct bt_json_doc *clone = NULL;
    bt_str text = BT_STR("");
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_arena_init(&gone, TEST_ARENA_BYTES);
    assert_int_equal(bt_arena_copy(&gone, bt_str_of(rich), &text), BT_OK);
    assert_int_equal(bt_json_clone(read_text(&gone, text), seed, &arena, &clone), BT_OK);
    bt_arena_free(&gone);
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    memcpy(options.hash_seed, seed, sizeof(seed));
    assert_int_equal(bt_json_read(&arena, bt_str_of(rich), &options, &read), BT_OK);
    const struct bt_json_doc *again = read.document;
    assert_alike(&arena, again, clone);
    assert_true(bt_str_eq(bt_json_source(clone), bt_str_of(rich)));
    const bt_json_value *many = bt_json_get(clone, bt_json_root(clone), BT_STR("m"));
    const bt_json_value *other = bt_json_get(again, bt_json_root(again), BT_STR("m"));
    for (size_t i = 0; i < bt_json_count(many); i++) {
        const struct bt_json_member *member = &bt_json_members(many)[i];
        const struct bt_json_span here = bt_json_span(clone, &member->value);
        const struct bt_json_span there = bt_json_span(again, &bt_json_members(other)[i].value);
        assert_ptr_equal(bt_json_member(clone, many, bt_json_name(member)), member);
        assert_int_equal(member->name_hash, bt_json_members(other)[i].name_hash);
        assert_int_equal(here.begin, there.begin);
        assert_int_equal(here.end, there.end);
    }
    bt_arena_free(&arena);
}

static void a_part_is_a_document(void **state)
{
    (void)state;
    struct bt_arena arena;
    const struct bt_json_doc *part = NULL;
    bt_str pointer = BT_STR("");
    bt_str form = BT_STR("");
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *whole = read_literal(&arena, "{\"a\":{\"b\":[1,2]}}");
    const bt_json_value *value = bt_json_get(whole, bt_json_root(whole), BT_STR("a"));
    assert_int_equal(bt_json_part(whole, value, &arena, &part), BT_OK);
    assert_str(form_of(&arena, part, BT_JSON_FORM_COMPACT), "{\"b\":[1,2]}");
    const bt_json_value *list = bt_json_get(part, bt_json_root(part), BT_STR("b"));
    assert_int_equal(bt_json_value_pointer(part, &bt_json_items(list)[1], &arena, &pointer), BT_OK);
    assert_str(pointer, "/b/1");
    assert_true(bt_json_source_has_form(part, bt_json_root(part), BT_JSON_FORM_COMPACT, &form));
    assert_str(form, "{\"b\":[1,2]}");
    bt_arena_free(&arena);
}

static void a_patched_document_is_the_patched_text(void **state)
{
    (void)state;
    static const struct {
        const char *patch;
        enum bt_json_patch_error code;
    } rows[] = {
        {"[{\"op\":\"add\",\"path\":\"/m/new\",\"value\":[1,{\"x\":\"\\u0001\"}]},"
         "{\"op\":\"copy\",\"from\":\"/m\",\"path\":\"/c\"},{\"op\":\"remove\",\"path\":\"/a/0\"}]",
         BT_JSON_PATCH_OK},
        {"[{\"op\":\"replace\",\"path\":\"\",\"value\":7}]", BT_JSON_PATCH_OK},
        {"[{\"op\":\"remove\",\"path\":\"/none\"}]", BT_JSON_PATCH_NO_TARGET},
        {"[{\"op\":\"add\",\"path\":\"/s\",\"value\":[[[[[]]]]]}]", BT_JSON_PATCH_TOO_LARGE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bt_arena arena;
        struct bt_buf buf;
        struct bt_json_options limits = bt_json_options_default();
        const struct bt_json_patch_options options = {.result = &limits};
        struct bt_json_patch_result result = {0};
        const struct bt_json_doc *built = NULL;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        bt_buf_init(&buf, TEST_BUF_BYTES);
        limits.depth_max = 5;
        const struct bt_json_doc *given = read_literal(&arena, rich);
        const struct bt_json_doc *patch = read_literal(&arena, rows[i].patch);
        assert_int_equal(bt_json_patch(&buf, given, patch, &options, &arena, &result), BT_OK);
        assert_int_equal(result.code, rows[i].code);
        assert_int_equal(bt_json_patch_document(given, patch, &options, &arena, &built, &result),
                         BT_OK);
        assert_int_equal(result.code, rows[i].code);
        assert_int_equal(built == NULL, rows[i].code != BT_JSON_PATCH_OK);
        if (built) {
            assert_alike(&arena, read_text(&arena, bt_buf_str(&buf)), built);
        }
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_emitted_is_what_the_text_says),
        cmocka_unit_test(a_copy_has_everything),
        cmocka_unit_test(strings_are_replaced_where_they_stand),
        cmocka_unit_test(a_document_that_is_too_deep_is_refused),
        cmocka_unit_test(too_little_memory_is_told),
        cmocka_unit_test(a_failure_of_the_caller_is_returned),
        cmocka_unit_test(a_clone_needs_nothing_of_the_original),
        cmocka_unit_test(a_part_is_a_document),
        cmocka_unit_test(a_patched_document_is_the_patched_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
