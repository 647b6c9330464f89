/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format_suite.c - the format tests of the official JSON Schema test suite, all drafts.
 * BATON_SCHEMA_SUITE in the environment is its folder. With the argument v1 it is v1 alone, which
 * older editions do not have; without it, everything else.
 */
#include <dirent.h>

#include <baton/json.h>

#include "base/arena.h"
#include "base/file.h"
#include "schema/suite_folder.h"
#include "schema/test_format.h"

/* Where the tests of a draft lie, and how many there were in 2022; newer editions have more. */
static struct folder {
    const char *claim;
    const char *path;
    enum bt_schema_draft draft;
    size_t tests_min;
} folders[] = {
    {"formats_of_draft_3", "tests/draft3/optional/format", BT_SCHEMA_DRAFT_3, 87},
    {"formats_of_draft_4", "tests/draft4/optional/format", BT_SCHEMA_DRAFT_4, 146},
    {"formats_of_draft_6", "tests/draft6/optional/format", BT_SCHEMA_DRAFT_6, 207},
    {"formats_of_draft_7", "tests/draft7/optional/format", BT_SCHEMA_DRAFT_7, 414},
    {"formats_of_draft_2019_09", "tests/draft2019-09/optional/format", BT_SCHEMA_DRAFT_2019_09,
     460},
    {"formats_of_draft_2020_12", "tests/draft2020-12/optional/format", BT_SCHEMA_DRAFT_2020_12,
     467},
    {"formats_of_v1", "tests/v1/format", BT_SCHEMA_DRAFT_V1, 758},
};

struct tally {
    size_t tests;
    size_t passed;
};

static const bt_json_value *need(const struct bt_json_doc *document, const bt_json_value *object,
                                 bt_str name)
{
    const bt_json_value *value = bt_json_get(document, object, name);
    if (!value) {
        fail_msg("a member %.*s is missing", BT_STR_ARG(name));
    }
    return value;
}

/* Formats say nothing about values other than strings, and nothing when they are unknown. */
static bool is_valid(const struct bt_schema_format *format, const bt_json_value *data)
{
    if (!format || bt_json_type(data) != BT_JSON_STRING) {
        return true;
    }
    const enum bt_schema_format_answer answer = bt_schema_format_check(format, bt_json_text(data));
    assert_int_not_equal(answer, BT_SCHEMA_FORMAT_LIMIT);
    return answer == BT_SCHEMA_FORMAT_YES;
}

static void run_group(const char *path, const struct bt_json_doc *document,
                      const bt_json_value *group, enum bt_schema_draft draft, struct tally *tally)
{
    const bt_json_value *schema = need(document, group, BT_STR("schema"));
    const bt_str name = bt_json_text(need(document, schema, BT_STR("format")));
    const struct bt_schema_format *format = bt_schema_format_find(name, draft);
    if (!format && !bt_str_eq(name, BT_STR("unknown"))) {
        fail_msg("draft %d has no format '%.*s'", (int)draft, BT_STR_ARG(name));
    }
    const bt_json_value *tests = need(document, group, BT_STR("tests"));
    for (size_t i = 0; i < bt_json_count(tests); i++) {
        const bt_json_value *test = &bt_json_items(tests)[i];
        const bool expected = bt_json_type(need(document, test, BT_STR("valid"))) == BT_JSON_TRUE;
        const bt_str claim = bt_json_text(need(document, test, BT_STR("description")));
        const bool is_right = is_valid(format, need(document, test, BT_STR("data"))) == expected ||
                              (!expected && is_withdrawn(path, claim));
        if (!is_right) {
            fprintf(stderr, "%.*s: %.*s\n", BT_STR_ARG(name), BT_STR_ARG(claim));
        }
        tally->tests++;
        tally->passed += is_right;
    }
}

static void run_file(const char *path, enum bt_schema_draft draft, struct tally *tally)
{
    struct bt_arena arena;
    bt_str text = {0};
    struct bt_json_read_result read = {0};
    bt_arena_init(&arena, 64 << 20);
    assert_int_equal(bt_file_read(&arena, bt_str_of(path), 8 << 20, &text, NULL), BT_OK);
    assert_int_equal(bt_json_read(&arena, text, NULL, &read), BT_OK);
    assert_int_equal(read.code, BT_JSON_ERROR_NONE);
    const bt_json_value *groups = bt_json_root(read.document);
    for (size_t i = 0; i < bt_json_count(groups); i++) {
        run_group(path, read.document, &bt_json_items(groups)[i], draft, tally);
    }
    bt_arena_free(&arena);
}

static void the_formats_of_the_suite_are_met(void **state)
{
    const struct folder *folder = *state;
    char place[SUITE_PATH_BYTES];
    suite_path(folder->path, place);
    DIR *directory = opendir(place);
    assert_non_null(directory);
    struct tally total = {0};
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".json")) {
            continue;
        }
        char path[2 * SUITE_PATH_BYTES];
        struct tally tally = {0};
        (void)snprintf(path, sizeof(path), "%s/%s", place, entry->d_name);
        run_file(path, folder->draft, &tally);
        fprintf(stderr, "# %s/%s: %zu of %zu\n", folder->path, entry->d_name, tally.passed,
                tally.tests);
        total.tests += tally.tests;
        total.passed += tally.passed;
    }
    assert_int_equal(closedir(directory), 0);
    assert_true(total.tests >= folder->tests_min);
    assert_int_equal(total.passed, total.tests);
}

int main(int argc, char **argv)
{
    const bool is_v1 = argc == 2 && strcmp(argv[1], "v1") == 0;
    const size_t count = is_v1 ? 1 : COUNT_OF(folders) - 1; /* v1 is the last */
    struct folder *first = &folders[is_v1 ? COUNT_OF(folders) - 1 : 0];
    struct CMUnitTest tests[COUNT_OF(folders)] = {{0}};
    for (size_t i = 0; i < count; i++) {
        tests[i].name = first[i].claim;
        tests[i].test_func = the_formats_of_the_suite_are_met;
        tests[i].initial_state = &first[i];
    }
    return has_suite(is_v1 ? "tests/v1" : "tests")
               ? _cmocka_run_group_tests("suite", tests, count, NULL, NULL)
               : 0;
}
