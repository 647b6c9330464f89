/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_suite.c - the official test suite of JSON Schema: every draft, required and optional tests
 * and formats, in every mode.
 *
 * The suite's remote documents are found under http://localhost:1234/. Formats are asserted where
 * the suite tests formats, and in draft 7's optional tests of content.
 */
#include "documents.h"
#include "modes.h"

#define SUITE BATON_SHARED_DATA "/json-schema-test-suite"

enum kind { REQUIRED, OPTIONAL, FORMAT, KIND__MAX };

struct edition {
    const char *claim;
    const char *folder;
    enum bt_draft draft;
    size_t least[KIND__MAX]; /* tests of each kind; fewer means that we lost some on the way */
};

/* Tests that we answer otherwise on purpose, five at most. Ends with an empty row. */
static const struct exception {
    const char *folder;
    const char *file;
    const char *test;
    const char *why;
} exceptions[] = {
    {NULL, NULL, NULL, NULL},
};

_Static_assert(COUNT_OF(exceptions) <= 6, "there may be five exceptions");

struct counts {
    size_t tests[KIND__MAX];
    size_t failures[KIND__MAX];
    size_t excepted;
};

/* What is being run. */
struct run {
    const struct edition *edition;
    const struct mode *mode;
    struct judge_options options;
    const char *file;
    enum kind kind;
    struct counts counts;
};

static enum kind kind_of(const char *file)
{
    const bt_str name = bt_str_of(file);
    if (bt_str_starts(name, BT_STR("optional/format/")) || bt_str_starts(name, BT_STR("format/"))) {
        return FORMAT;
    }
    return bt_str_starts(name, BT_STR("optional/")) || bt_str_starts(name, BT_STR("proposals/"))
               ? OPTIONAL
               : REQUIRED;
}

static bool is_excepted(const struct run *run, bt_str test)
{
    for (const struct exception *each = exceptions; each->folder; each++) {
        if (strcmp(each->folder, run->edition->folder) == 0 && strcmp(each->file, run->file) == 0 &&
            bt_str_eq(bt_str_of(each->test), test)) {
            return true;
        }
    }
    return false;
}

static const bt_value *part_of(const struct bt_doc *document, const bt_value *object, bt_str name)
{
    const bt_value *part = bt_json_get(document, object, name);
    assert_non_null(part);
    return part;
}

/* Count the answer to one test, and tell of one that is wrong. */
static void note(struct run *run, bt_str test, bool is_valid, enum verdict verdict,
                 const char *reason)
{
    run->counts.tests[run->kind]++;
    if (verdict == (is_valid ? VERDICT_VALID : VERDICT_INVALID)) {
        return;
    }
    if (is_excepted(run, test)) {
        run->counts.excepted++;
        return;
    }
    run->counts.failures[run->kind]++;
    fprintf(stderr, "%s, %s/%s, %.*s: ought to be %s, is %s %s\n", run->mode->name,
            run->edition->folder, run->file, BT_STR_ARG(test), is_valid ? "valid" : "invalid",
            verdict == VERDICT_NONE ? "undecided:" : "not", reason);
}

static void judge_test(struct run *run, void *opened, const struct bt_doc *file,
                       const bt_value *test)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_doc *instance = document_of(&arena, file, part_of(file, test, BT_STR("data")));
    const bool is_valid = bt_json_type(part_of(file, test, BT_STR("valid"))) == BT_JSON_TRUE;
    const bt_str name = bt_json_text(part_of(file, test, BT_STR("description")));
    const enum verdict verdict = run->mode->judge(opened, instance);
    note(run, name, is_valid, verdict, run->mode->reason(opened));
    bt_arena_free(&arena);
}

static void judge_case(struct run *run, const struct bt_doc *file, const bt_value *test_case)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const bt_value *schema = part_of(file, test_case, BT_STR("schema"));
    const bt_value *tests = part_of(file, test_case, BT_STR("tests"));
    void *opened = run->mode->open(document_of(&arena, file, schema), &run->options);
    assert_non_null(opened);
    for (size_t i = 0; i < bt_json_count(tests); i++) {
        judge_test(run, opened, file, &bt_json_items(tests)[i]);
    }
    run->mode->close(opened);
    bt_arena_free(&arena);
}

static void judge_file(const char *path, const char *name, void *context)
{
    struct run *run = context;
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_doc *file = read_document_file(&arena, path);
    const bt_value *cases = bt_json_root(file);
    run->file = name;
    run->kind = kind_of(name);
    run->options.assert_formats = run->kind == FORMAT || strcmp(name, "optional/content.json") == 0;
    for (size_t i = 0; i < bt_json_count(cases); i++) {
        judge_case(run, file, &bt_json_items(cases)[i]);
    }
    bt_arena_free(&arena);
}

static void report(const struct run *run)
{
    static const char *const names[KIND__MAX] = {"required", "optional", "format"};
    fprintf(stderr, "%s, %s:", run->edition->folder, run->mode->name);
    for (size_t kind = 0; kind < KIND__MAX; kind++) {
        fprintf(stderr, " %s %zu/%zu", names[kind],
                run->counts.tests[kind] - run->counts.failures[kind], run->counts.tests[kind]);
    }
    fprintf(stderr, ", excepted %zu\n", run->counts.excepted);
}

static void the_draft_is_met(void **state)
{
    struct run run = {.edition = *state};
    struct bt_arena arena;
    struct named_documents remotes;
    char folder[TEST_PATH_BYTES];
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    (void)snprintf(folder, sizeof(folder), "%s/tests/%s", SUITE, run.edition->folder);
    if (!read_folder(&arena, SUITE "/remotes", "http://localhost:1234/", &remotes)) {
        fprintf(stderr, "skipped: %s is not there\n", SUITE);
        skip();
    }
    run.options.draft = run.edition->draft;
    run.options.others = remotes.items;
    run.options.others_count = remotes.count;
    for (size_t i = 0; i < modes_count; i++) {
        run.mode = &modes[i];
        run.counts = (struct counts){0};
        assert_true(visit_files(folder, judge_file, &run));
        report(&run);
        for (size_t kind = 0; kind < KIND__MAX; kind++) {
            assert_int_equal(run.counts.failures[kind], 0);
            assert_true(run.counts.tests[kind] >= run.edition->least[kind]);
        }
    }
    bt_arena_free(&arena);
}

int main(void)
{
    static struct edition editions[] = {
        {"draft_3_is_met_in_every_mode", "draft3", BT_DRAFT_3, {435, 22, 100}},
        {"draft_4_is_met_in_every_mode", "draft4", BT_DRAFT_4, {618, 100, 219}},
        {"draft_6_is_met_in_every_mode", "draft6", BT_DRAFT_6, {839, 106, 325}},
        {"draft_7_is_met_in_every_mode", "draft7", BT_DRAFT_7, {927, 118, 676}},
        {"draft_2019_09_is_met_in_every_mode", "draft2019-09", BT_DRAFT_2019_09, {1259, 158, 757}},
        {"draft_2020_12_is_met_in_every_mode", "draft2020-12", BT_DRAFT_2020_12, {1299, 162, 764}},
        {"v1_is_met_in_every_mode", "v1", BT_DRAFT_V1, {1133, 325, 758}},
    };
    struct CMUnitTest tests[COUNT_OF(editions)] = {{0}};
    for (size_t i = 0; i < COUNT_OF(editions); i++) {
        tests[i].name = editions[i].claim;
        tests[i].test_func = the_draft_is_met;
        tests[i].initial_state = &editions[i];
    }
    return RUN_TESTS(tests);
}
