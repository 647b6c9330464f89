/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_suite.c - the official test suite of JSON Schema: every draft, required and optional tests
 * and formats, in every mode. BATON_SCHEMA_SUITE in the environment is its folder. With the
 * argument v1 it is v1 alone, which older editions do not have; without it, everything else.
 *
 * The suite's remote documents are found under http://localhost:1234/. Formats are asserted where
 * the suite tests formats, and in draft 7's optional tests of content.
 */
#include "documents.h"
#include "modes.h"
#include "suite_folder.h"

enum kind { REQUIRED, OPTIONAL, FORMAT, KIND__MAX };

struct edition {
    const char *claim;
    const char *folder;
    enum bt_schema_draft draft;
    size_t least[KIND__MAX]; /* tests of each kind, in the edition of 2022; newer ones have more */
};

struct counts {
    size_t tests[KIND__MAX];
    size_t failures[KIND__MAX];
    size_t withdrawn;
};

/* What is being run. */
struct run {
    const struct edition *edition;
    const struct mode *mode;
    struct judge_options options;
    const char *path;
    const char *file; /* from the draft's folder on */
    enum kind kind;
    struct counts counts;
};

static enum kind kind_of(const char *file)
{
    const bt_str name = bt_str_of(file);
    if (bt_str_starts_with(name, BT_STR("optional/format/")) ||
        bt_str_starts_with(name, BT_STR("format/"))) {
        return FORMAT;
    }
    return bt_str_starts_with(name, BT_STR("optional/")) ||
                   bt_str_starts_with(name, BT_STR("proposals/"))
               ? OPTIONAL
               : REQUIRED;
}

static const bt_json_value *part_of(const struct bt_json_doc *document, const bt_json_value *object,
                                    bt_str name)
{
    const bt_json_value *part = bt_json_get(document, object, name);
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
    if (!is_valid && is_withdrawn(run->path, test)) {
        run->counts.withdrawn++;
        return;
    }
    run->counts.failures[run->kind]++;
    fprintf(stderr, "%s, %s/%s, %.*s: ought to be %s, is %s %s\n", run->mode->name,
            run->edition->folder, run->file, BT_STR_ARG(test), is_valid ? "valid" : "invalid",
            verdict == VERDICT_NONE ? "undecided:" : "not", reason);
}

static void judge_test(struct run *run, void *opened, const struct bt_json_doc *file,
                       const bt_json_value *test)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *instance =
        document_of(&arena, file, part_of(file, test, BT_STR("data")));
    const bool is_valid = bt_json_type(part_of(file, test, BT_STR("valid"))) == BT_JSON_TRUE;
    const bt_str name = bt_json_text(part_of(file, test, BT_STR("description")));
    const enum verdict verdict = run->mode->judge(opened, instance);
    note(run, name, is_valid, verdict, run->mode->reason(opened));
    bt_arena_free(&arena);
}

static void judge_case(struct run *run, const struct bt_json_doc *file,
                       const bt_json_value *test_case)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const bt_json_value *schema = part_of(file, test_case, BT_STR("schema"));
    const bt_json_value *tests = part_of(file, test_case, BT_STR("tests"));
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
    const struct bt_json_doc *file = read_document_file(&arena, path);
    const bt_json_value *cases = bt_json_root(file);
    run->path = path;
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
    fprintf(stderr, ", withdrawn %zu\n", run->counts.withdrawn);
}

static void the_draft_is_met(void **state)
{
    struct run run = {.edition = *state};
    struct bt_arena arena;
    struct named_documents remotes;
    char folder[SUITE_PATH_BYTES];
    char others[SUITE_PATH_BYTES];
    (void)snprintf(others, sizeof(others), "tests/%s", run.edition->folder);
    suite_path(others, folder);
    suite_path("remotes", others);
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    assert_true(read_folder(&arena, others, "http://localhost:1234/", &remotes));
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

int main(int argc, char **argv)
{
    static struct edition editions[] = {
        {"draft_3_is_met_in_every_mode", "draft3", BT_SCHEMA_DRAFT_3, {433, 22, 87}},
        {"draft_4_is_met_in_every_mode", "draft4", BT_SCHEMA_DRAFT_4, {578, 97, 146}},
        {"draft_6_is_met_in_every_mode", "draft6", BT_SCHEMA_DRAFT_6, {777, 96, 207}},
        {"draft_7_is_met_in_every_mode", "draft7", BT_SCHEMA_DRAFT_7, {861, 108, 414}},
        {"draft_2019_09_is_met_in_every_mode",
         "draft2019-09",
         BT_SCHEMA_DRAFT_2019_09,
         {1176, 142, 460}},
        {"draft_2020_12_is_met_in_every_mode",
         "draft2020-12",
         BT_SCHEMA_DRAFT_2020_12,
         {1176, 145, 467}},
        {"v1_is_met_in_every_mode", "v1", BT_SCHEMA_DRAFT_V1, {1133, 325, 758}},
    };
    const bool is_v1 = argc == 2 && strcmp(argv[1], "v1") == 0;
    const size_t count = is_v1 ? 1 : COUNT_OF(editions) - 1; /* v1 is the last */
    struct edition *first = &editions[is_v1 ? COUNT_OF(editions) - 1 : 0];
    struct CMUnitTest tests[COUNT_OF(editions)] = {{0}};
    for (size_t i = 0; i < count; i++) {
        tests[i].name = first[i].claim;
        tests[i].test_func = the_draft_is_met;
        tests[i].initial_state = &first[i];
    }
    return has_suite(is_v1 ? "tests/v1" : "tests")
               ? _cmocka_run_group_tests("suite", tests, count, NULL, NULL)
               : 0;
}
