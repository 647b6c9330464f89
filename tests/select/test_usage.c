/* SPDX-License-Identifier: Apache-2.0 */
/* test_usage.c - what a run used of its settings: unused ignore entries, the baseline file. */
#include "select_test.h"

/* ---- A run ----------------------------------------------------------------------------------- */

static void entries_that_match_a_document_and_suppress_nothing_are_unused(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, BYTES_MAX);
    struct bt_select_ignore entries[] = {
        ignore_of(&arena, "TOKENS_DRIFT", "old/"), ignore_of(&arena, "SCHEMA_ENUM", "old/"),
        ignore_of(&arena, "SCHEMA_ENUM", "elsewhere/"), ignore_of(&arena, "SCHEMA_ENUM", "old/")};
    entries[3].has_expired = true;
    const struct bt_select select = {.ignores = entries, .ignore_count = COUNT_OF(entries)};
    struct bt_select_usage *usage = bt_select_usage_new(&arena, &select);
    struct bt_findings *with = bt_findings_new(&arena);
    struct bt_findings *unused = bt_findings_new(&arena);
    struct bt_select_result result;
    add_finding(with, BT_CODE_TOKENS_DRIFT, BT_SEVERITY_NONE, "");
    const bt_str path = BT_STR(FOLDER "/old/a.json");
    assert_int_equal(bt_select_apply(&select, &arena, path, with, &result), BT_OK);
    assert_int_equal(bt_select_usage_add(usage, path, &result), BT_OK);
    assert_int_equal(bt_select_apply(&select, &arena, path, bt_findings_new(&arena), &result),
                     BT_OK);
    assert_int_equal(bt_select_usage_add(usage, path, &result), BT_OK);
    assert_int_equal(bt_select_add_unused(usage, unused), BT_OK);
    assert_int_equal(bt_findings_count(unused), 1);
    assert_int_equal(bt_findings_at(unused, 0)->code, BT_CODE_IGNORE_UNUSED);
    assert_str(bt_findings_at(unused, 0)->pointer, "/ignore/1");
    bt_arena_free(&arena);
}

/* ---- Baseline -------------------------------------------------------------------------------- */

struct run {
    struct bt_arena arena;
    struct bt_select select;
    struct bt_select_usage *usage;
    struct bt_findings *findings;
    struct bt_buf buf;
    struct bt_select_baseline_totals totals;
};

static void run_begin(struct run *run, enum bt_select_baseline_mode mode, const char *baseline)
{
    *run = (struct run){0};
    bt_arena_init(&run->arena, BYTES_MAX);
    bt_buf_init(&run->buf, 1 << 20);
    run->select.mode = mode;
    run->select.baseline = baseline ? baseline_of(&run->arena, baseline)
                                    : bt_select_baseline_empty(&run->arena, BT_STR(FOLDER));
    run->usage = bt_select_usage_new(&run->arena, &run->select);
    run->findings = bt_findings_new(&run->arena);
}

static bt_str run_document(struct run *run, const char *path, const unsigned *codes, size_t count)
{
    struct bt_findings *findings = bt_findings_new(&run->arena);
    struct bt_select_result result;
    for (size_t i = 0; i < count; i++) {
        add_finding(findings, codes[i], BT_SEVERITY_NONE, "/p");
    }
    assert_int_equal(bt_select_apply(&run->select, &run->arena, bt_str_of(path), findings, &result),
                     BT_OK);
    assert_int_equal(bt_select_usage_add(run->usage, bt_str_of(path), &result), BT_OK);
    return describe(&run->arena, &result);
}

static bool exists_unless_gone(void *context, bt_str path)
{
    (void)context;
    return !bt_str_ends_with(path, BT_STR("gone.json"));
}

static void run_finish(struct run *run)
{
    assert_int_equal(bt_select_baseline_finish(run->usage, exists_unless_gone, NULL, run->findings,
                                               &run->buf, &run->totals),
                     BT_OK);
}

static void run_end(struct run *run)
{
    bt_buf_free(&run->buf);
    bt_arena_free(&run->arena);
}

#define ENTRY(path_, code_, count_)                                                                \
    "    {\"path\": \"" path_ "\", \"code\": \"" code_                                             \
    "\", \"pointer\": \"/p\", \"count\": " count_ "}"
#define BASELINE(entries_) "{\n  \"baton_baseline\": 1,\n  \"findings\": [\n" entries_ "\n  ]\n}\n"

static void a_baseline_covers_its_count_and_tells_what_is_stale(void **state)
{
    (void)state;
    static const unsigned twice[] = {BT_CODE_SCHEMA_ENUM, BT_CODE_SCHEMA_ENUM};
    struct run run;
    run_begin(&run, BT_SELECT_BASELINE_USE,
              BASELINE(ENTRY("a.json", "SCHEMA_ENUM", "1") ",\n" ENTRY(
                  "a.json", "TOKENS_DRIFT",
                  "1") ",\n" ENTRY("b.json", "SCHEMA_ENUM",
                                   "1") ",\n" ENTRY("a.json", "JSON_SYNTAX",
                                                    "1") ",\n" ENTRY("a.json",
                                                                     "A_CODE_OF_THE_FUTURE", "1")));
    assert_str(run_document(&run, FOLDER "/a.json", twice, 2),
               "SCHEMA_ENUM@HARD -SCHEMA_ENUM baseline ");
    /* The same document again has the same result: documents do not depend on each other. */
    assert_str(run_document(&run, FOLDER "/a.json", twice, 2),
               "SCHEMA_ENUM@HARD -SCHEMA_ENUM baseline ");
    assert_str(run_document(&run, "", twice, 1), "SCHEMA_ENUM@HARD ");
    run_finish(&run);
    assert_int_equal(run.totals.entries, 5);
    assert_int_equal(run.totals.used, 1);
    assert_int_equal(run.totals.stale, 2);
    assert_int_equal(bt_findings_count(run.findings), 2);
    assert_int_equal(bt_findings_at(run.findings, 0)->code, BT_CODE_BASELINE_PROTECTED);
    assert_int_equal(bt_findings_at(run.findings, 1)->code, BT_CODE_BASELINE_STALE);
    assert_int_equal(run.buf.len, 0);
    run_end(&run);
}

static void a_written_baseline_keeps_what_was_not_judged_and_is_stable(void **state)
{
    (void)state;
    static const unsigned codes[] = {BT_CODE_TOKENS_DRIFT, BT_CODE_SCHEMA_ENUM, BT_CODE_SCHEMA_ENUM,
                                     BT_CODE_PAYLOAD_HASH_MISMATCH, BT_CODE_CHAIN_SOURCE_MISPLACED};
    static const char old[] = BASELINE(ENTRY("a.json", "REF_UNRESOLVED", "1") ",\n" ENTRY(
        "gone.json", "SCHEMA_ENUM", "1") ",\n" ENTRY("other.json", "SCHEMA_ENUM",
                                                     "3") ",\n" ENTRY("other.json", "JSON_SYNTAX",
                                                                      "1"));
    struct run run;
    run_begin(&run, BT_SELECT_BASELINE_WRITE, old);
    for (int i = 0; i < 2; i++) { /* a document that is named twice counts once */
        assert_str(run_document(&run, FOLDER "/a.json", codes, 4),
                   "PAYLOAD_HASH_MISMATCH@HARD -TOKENS_DRIFT baseline -SCHEMA_ENUM baseline "
                   "-SCHEMA_ENUM baseline ");
    }
    (void)run_document(&run, "/w/z/x.json", codes, 1);
    (void)run_document(&run, "/w/projects/x.json", codes, 1);
    (void)run_document(&run, "", codes, 1);
    run_finish(&run);
    assert_str(
        bt_buf_str(&run.buf),
        BASELINE(ENTRY("../projects/x.json", "TOKENS_DRIFT", "1") ",\n" ENTRY(
            "../z/x.json", "TOKENS_DRIFT",
            "1") ",\n" ENTRY("a.json", "SCHEMA_ENUM",
                             "2") ",\n" ENTRY("a.json", "TOKENS_DRIFT",
                                              "1") ",\n" ENTRY("other.json", "SCHEMA_ENUM", "3")));
    assert_int_equal(run.totals.entries, 5);
    assert_int_equal(run.totals.used, 4);
    assert_int_equal(run.totals.stale, 0);
    assert_int_equal(run.totals.added, 4);
    assert_int_equal(run.totals.removed, 3);
    assert_int_equal(run.totals.refused, 2);
    bt_str text;
    struct run again;
    assert_int_equal(bt_buf_copy(&run.buf, &run.arena, &text), BT_OK);
    run_begin(&again, BT_SELECT_BASELINE_WRITE, text.ptr);
    (void)run_document(&again, FOLDER "/a.json", codes, 4);
    run_finish(&again);
    assert_true(bt_str_eq(bt_buf_str(&again.buf), text));
    assert_int_equal(again.totals.added + again.totals.removed, 0);
    run_end(&again);
    run_end(&run);
}

static void an_empty_baseline_is_a_file_too(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, BT_SELECT_BASELINE_WRITE, NULL);
    (void)run_document(&run, FOLDER "/a.json", NULL, 0);
    run_finish(&run);
    assert_str(bt_buf_str(&run.buf), "{\n  \"baton_baseline\": 1,\n  \"findings\": []\n}\n");
    run_end(&run);
}

static void another_form_is_not_a_baseline(void **state)
{
    (void)state;
#define ITEM(text_) "{\"baton_baseline\":1,\"findings\":[" text_ "]}"
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"baton_baseline\":1}",
        "{\"baton_baseline\":2,\"findings\":[]}",
        "{\"baton_baseline\":\"1\",\"findings\":[]}",
        "{\"baton_baseline\":1,\"findings\":{}}",
        "{\"baton_baseline\":1,\"findings\":[],\"more\":1}",
        "{\"baton_baseline\":1,\"baton_baseline\":1,\"findings\":[]}",
        ITEM("1"),
        ITEM("{\"path\":\"a\",\"code\":\"B\",\"pointer\":\"\"}"),
        ITEM("{\"path\":\"a\",\"code\":\"B\",\"pointer\":\"\",\"count\":0}"),
        ITEM("{\"path\":\"a\",\"code\":\"B\",\"pointer\":\"\",\"count\":1.5}"),
        ITEM("{\"path\":\"a\",\"code\":\"B\",\"pointer\":\"\",\"count\":1,\"x\":1}"),
        ITEM("{\"path\":\"/a\",\"code\":\"B\",\"pointer\":\"\",\"count\":1}"),
        ITEM("{\"path\":\"\",\"code\":\"B\",\"pointer\":\"\",\"count\":1}"),
        ITEM("{\"path\":\"a\\u0000b\",\"code\":\"B\",\"pointer\":\"\",\"count\":1}"),
        ITEM("{\"path\":1,\"code\":\"B\",\"pointer\":\"\",\"count\":1}"),
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_arena arena;
        struct bt_error error = {0};
        const struct bt_select_baseline *baseline = NULL;
        bt_arena_init(&arena, BYTES_MAX);
        if (bt_select_baseline_read(&arena, BT_STR(FOLDER), bt_str_of(texts[i]), &baseline,
                                    &error) != BT_EINVAL) {
            fail_msg("it was read: %s", texts[i]);
        }
        assert_true(error.text[0] != '\0');
        bt_arena_free(&arena);
    }
    struct bt_arena arena; /* the control: the same form without a fault */
    bt_arena_init(&arena, BYTES_MAX);
    assert_non_null(
        baseline_of(&arena, ITEM("{\"path\":\"a\",\"code\":\"B\",\"pointer\":\"\",\"count\":1}")));
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_that_match_a_document_and_suppress_nothing_are_unused),
        cmocka_unit_test(a_baseline_covers_its_count_and_tells_what_is_stale),
        cmocka_unit_test(a_written_baseline_keeps_what_was_not_judged_and_is_stable),
        cmocka_unit_test(an_empty_baseline_is_a_file_too),
        cmocka_unit_test(another_form_is_not_a_baseline),
    };
    return RUN_TESTS(tests);
}
