/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <baton/json.h>

#include "report/read_report.h"
#include "report/render.h"

/* Something of everything that the object can hold, in the order in which it is written. */
static const char REPORT[] =
    "{\"baton\":1,\"documents\":[{\"path\":\"a.json\",\"dialect\":\"universal\",\"verdict\":"
    "\"rejected\",\"findings\":[{\"code\":\"JSON_SYNTAX\",\"severity\":\"HARD\",\"stage\":\"read\","
    "\"pointer\":\"\",\"line\":2,\"column\":3,\"message\":\"no \\u202e\",\"hint\":\"h\","
    "\"params\":{\"found\":[1,2.50,\"\\u202e\"]}},{\"code\":\"SELF_LOOP\",\"severity\":\"WARN\","
    "\"default_severity\":\"HARD\",\"stage\":\"semantics\",\"pointer\":\"/x\",\"message\":\"m\","
    "\"security\":true,\"fix\":\"unsafe\"}],\"facts\":{\"tokens\":12,\"skipped\":[{\"what\":"
    "\"schemas\",\"why\":\"no_root\",\"need\":\"--root DIR\"}],\"suppressed\":[{\"code\":"
    "\"JSON_UTF8\",\"by\":\"ignore\",\"count\":2,\"reason\":\"old\"}]},\"outcome\":\"kept\"}],"
    "\"failures\":[{\"path\":\"b\",\"reason\":\"needs_root\",\"message\":\"why\"}],\"summary\":{"
    "\"documents\":1,\"accepted\":0,\"rejected\":1,\"hard\":1,\"warn\":1,\"info\":0,\"failures\":1,"
    "\"suppressed\":2,\"fixed\":3},\"walk\":{\"seen\":1}}";
static const char SOURCE[] = "{\n  }}\n";

static enum bt_status render_again(struct bt_arena *arena, const char *object, const char *source,
                                   enum bt_report_format format, struct bt_buf *buf)
{
    struct bt_json_read_result read = {0};
    struct bt_report_render_options how;
    struct bt_report *report = NULL;
    struct bt_error error = {0};
    const bt_str text = bt_str_of(source ? source : "");
    const struct bt_str_list sources = {&text, source ? 1 : 0};
    BT_TRY(bt_json_read(arena, bt_str_of(object), NULL, &read));
    assert_non_null(read.document);
    BT_TRY(bt_report_read(read.document, &sources, arena, &report, &how, &error));
    how.format = format;
    return bt_report_render(report, &how, buf);
}

static void the_object_is_written_as_it_was_read(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, SIZE_MAX);
    bt_buf_init(&buf, SIZE_MAX);
    assert_int_equal(render_again(&arena, REPORT, NULL, BT_REPORT_FORMAT_JSON, &buf), BT_OK);
    assert_int_equal(buf.len, sizeof(REPORT)); /* with its line feed */
    assert_memory_equal(buf.ptr, REPORT, sizeof(REPORT) - 1);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void lines_are_shown_where_there_is_a_source(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        const char *wanted;
        bool is_there;
    } rows[] = {
        {SOURCE, "\n2 |   }}\n  |   ^\n", true},
        {"{\n", "2 |", false}, /* the place is not in it */
        {NULL, "2 |", false},
        {NULL, "not checked: payload schemas of 1 universal document (no root; use --root DIR)",
         true},
        {NULL,
         "1 document: 0 accepted, 1 rejected (1 error, 1 warning); 1 not judged; 2 suppressed",
         true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_buf buf;
        bt_arena_init(&arena, SIZE_MAX);
        bt_buf_init(&buf, SIZE_MAX);
        assert_int_equal(render_again(&arena, REPORT, rows[i].source, BT_REPORT_FORMAT_FULL, &buf),
                         BT_OK);
        bt_buf_put_char(&buf, '\0');
        assert_int_equal(strstr(buf.ptr, rows[i].wanted) != NULL, rows[i].is_there);
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
}

static void what_this_version_does_not_know_is_named(void **state)
{
    (void)state;
#define DOCUMENT(dialect, code)                                                                    \
    "{\"baton\":1,\"documents\":[{\"path\":\"a\",\"dialect\":\"" dialect                           \
    "\",\"verdict\":\"accepted\",\"findings\":[{\"code\":\"" code                                  \
    "\",\"severity\":\"INFO\",\"stage\":\"read\",\"pointer\":\"\",\"message\":\"m\"}],"            \
    "\"facts\":{}}],\"summary\":{}}"
    static const struct {
        const char *object;
        const char *wanted;
    } rows[] = {
        {DOCUMENT("json", "NO_SUCH_RULE"), "this version has no rule NO_SUCH_RULE"},
        {DOCUMENT("morse", "JSON_SYNTAX"), "this version has no dialect morse"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_json_read_result read = {0};
        struct bt_report_render_options how;
        struct bt_report *report = NULL;
        struct bt_error error = {0};
        const struct bt_str_list none = {0};
        bt_arena_init(&arena, SIZE_MAX);
        assert_int_equal(bt_json_read(&arena, bt_str_of(rows[i].object), NULL, &read), BT_OK);
        assert_int_equal(bt_report_read(read.document, &none, &arena, &report, &how, &error),
                         BT_ENOENT);
        assert_string_equal(error.text, rows[i].wanted);
        assert_null(report);
        bt_arena_free(&arena);
    }
}

static void running_out_of_memory_gives_no_report(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    size_t failures = 0;
    for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 256) {
        struct bt_arena arena;
        struct bt_buf buf;
        bt_arena_init(&arena, limit);
        bt_buf_init(&buf, SIZE_MAX);
        status = render_again(&arena, REPORT, SOURCE, BT_REPORT_FORMAT_JSON, &buf);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        failures += status != BT_OK;
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(failures > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_object_is_written_as_it_was_read),
        cmocka_unit_test(lines_are_shown_where_there_is_a_source),
        cmocka_unit_test(what_this_version_does_not_know_is_named),
        cmocka_unit_test(running_out_of_memory_gives_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
