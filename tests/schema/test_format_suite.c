/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format_suite.c - the format tests of the official JSON Schema test suite, all drafts.
 */
#include "schema/test_format.h"

#include <dirent.h>

#include <baton/file.h>
#include <baton/json.h>

/* Where the tests of a draft lie, and how many there are at least. */
static const struct folder {
    const char *path;
    enum bt_draft draft;
    size_t tests_min;
} folders[] = {
    {"draft3/optional/format", BT_DRAFT_3, 100},
    {"draft4/optional/format", BT_DRAFT_4, 219},
    {"draft6/optional/format", BT_DRAFT_6, 325},
    {"draft7/optional/format", BT_DRAFT_7, 676},
    {"draft2019-09/optional/format", BT_DRAFT_2019_09, 757},
    {"draft2020-12/optional/format", BT_DRAFT_2020_12, 764},
    {"v1/format", BT_DRAFT_V1, 758},
};

static const char root[] = BATON_SHARED_DATA "/json-schema-test-suite/tests";

struct tally {
    size_t tests;
    size_t passed;
};

static const bt_value *need(const struct bt_doc *document, const bt_value *object, bt_str name)
{
    const bt_value *value = bt_json_get(document, object, name);
    if (!value) {
        fail_msg("a member %.*s is missing", BT_STR_ARG(name));
    }
    return value;
}

/* Formats say nothing about values other than strings, and nothing when they are unknown. */
static bool is_valid(const struct bt_schema_format *format, const bt_value *data)
{
    if (!format || bt_json_type(data) != BT_JSON_STRING) {
        return true;
    }
    const enum bt_schema_format_answer answer = bt_schema_format_check(format, bt_json_text(data));
    assert_int_not_equal(answer, BT_SCHEMA_FORMAT_LIMIT);
    return answer == BT_SCHEMA_FORMAT_YES;
}

static void run_group(const struct bt_doc *document, const bt_value *group, enum bt_draft draft,
                      struct tally *tally)
{
    const bt_value *schema = need(document, group, BT_STR("schema"));
    const bt_str name = bt_json_text(need(document, schema, BT_STR("format")));
    const struct bt_schema_format *format = bt_schema_format_find(name, draft);
    if (!format && !bt_str_eq(name, BT_STR("unknown"))) {
        fail_msg("draft %d has no format '%.*s'", (int)draft, BT_STR_ARG(name));
    }
    const bt_value *tests = need(document, group, BT_STR("tests"));
    for (size_t i = 0; i < bt_json_count(tests); i++) {
        const bt_value *test = &bt_json_items(tests)[i];
        const bool expected = bt_json_type(need(document, test, BT_STR("valid"))) == BT_JSON_TRUE;
        const bool is_right = is_valid(format, need(document, test, BT_STR("data"))) == expected;
        if (!is_right) {
            fprintf(stderr, "%.*s: %.*s\n", BT_STR_ARG(name),
                    BT_STR_ARG(bt_json_text(need(document, test, BT_STR("description")))));
        }
        tally->tests++;
        tally->passed += is_right;
    }
}

static void run_file(const char *path, enum bt_draft draft, struct tally *tally)
{
    struct bt_arena arena;
    bt_str text = {0};
    struct bt_json_result read;
    bt_arena_init(&arena, 64 << 20);
    assert_int_equal(bt_file_read(&arena, bt_str_of(path), 8 << 20, &text, NULL), BT_OK);
    assert_int_equal(bt_json_read(&arena, text, NULL, &read), BT_OK);
    assert_int_equal(read.code, BT_JSON_FINE);
    const bt_value *groups = bt_json_root(read.document);
    assert_int_not_equal(bt_json_count(groups), 0);
    for (size_t i = 0; i < bt_json_count(groups); i++) {
        run_group(read.document, &bt_json_items(groups)[i], draft, tally);
    }
    bt_arena_free(&arena);
}

static struct tally run_folder(const struct folder *folder)
{
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/%s", root, folder->path);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    struct tally total = {0};
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".json")) {
            continue;
        }
        struct tally tally = {0};
        (void)snprintf(path, sizeof(path), "%s/%s/%s", root, folder->path, entry->d_name);
        run_file(path, folder->draft, &tally);
        fprintf(stderr, "# %s/%s: %zu of %zu\n", folder->path, entry->d_name, tally.passed,
                tally.tests);
        total.tests += tally.tests;
        total.passed += tally.passed;
    }
    assert_int_equal(closedir(directory), 0);
    fprintf(stderr, "# %s: %zu of %zu\n", folder->path, total.passed, total.tests);
    return total;
}

static void the_official_suite_is_met(void **state)
{
    (void)state;
    DIR *directory = opendir(root);
    if (!directory) {
        fprintf(stderr, "skipped: %s is not there\n", root);
        skip();
    }
    assert_int_equal(closedir(directory), 0);
    struct tally all = {0};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        const struct tally tally = run_folder(&folders[i]);
        assert_true(tally.tests >= folders[i].tests_min);
        all.tests += tally.tests;
        all.passed += tally.passed;
    }
    fprintf(stderr, "# all: %zu of %zu\n", all.passed, all.tests);
    assert_int_equal(all.passed, all.tests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_official_suite_is_met),
    };
    return RUN_TESTS(tests);
}
