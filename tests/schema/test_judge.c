/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_judge.c - the fast run and its explanation: a document that cannot be judged, a bound,
 * a lack of memory and a fault of the engine are told apart.
 */
#include "test.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <baton/report.h>
#include <baton/schema.h>

#include "base/asan.h"
#include "json/options.h"
#include "params.h"
#include "schema/options.h"
#include "schema/program.h"

enum { ARENA_BYTES = 256 << 20 };

/* A schema, a document, and all that is needed to judge it. */
struct bench {
    struct bt_arena arena;
    struct bt_schema *schema;
    struct bt_schema_runner *runner;
    const struct bt_json_doc *document;
    struct bt_findings *findings;
};

static const struct bt_json_doc *read_text(struct bt_arena *arena, bt_str text)
{
    const struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, text, &options, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

static void set_up(struct bench *bench, const char *schema, bt_str document,
                   const struct bt_schema_limits *limits)
{
    *bench = (struct bench){0};
    bt_arena_init(&bench->arena, ARENA_BYTES);
    assert_int_equal(
        bt_schema_compile(read_text(&bench->arena, bt_str_of(schema)), NULL, NULL, &bench->schema),
        BT_OK);
    bench->runner = bt_schema_runner_with(limits);
    assert_non_null(bench->runner);
    bench->document = read_text(&bench->arena, document);
    bench->findings = bt_findings_new(&bench->arena);
    assert_non_null(bench->findings);
}

static void take_down(struct bench *bench)
{
    bt_schema_runner_destroy(bench->runner);
    bt_schema_destroy(bench->schema);
    bt_arena_free(&bench->arena);
}

static enum bt_status judge(struct bench *bench, enum bt_schema_result *out_answer)
{
    return bt_schema_validate(bench->schema, bench->runner, bench->document, bench->findings,
                              out_answer);
}

/* The only finding is about a bound, and says so. */
static void expect_budget(const struct bench *bench, const char *params)
{
    assert_int_equal(bt_findings_count(bench->findings), 1);
    const struct bt_finding *finding = bt_findings_at(bench->findings, 0);
    assert_str(finding->rule->code, "SCHEMA_BUDGET");
    assert_true(finding->message.len > 0);
    if (!bt_str_eq(test_params(finding), bt_str_of(params))) {
        fail_msg("%s: it says %.*s", params, BT_STR_ARG(test_params(finding)));
    }
}

/* An array of so many numbers, all different. */
static void put_numbers(struct bt_buf *text, int count)
{
    bt_buf_init(text, ARENA_BYTES);
    bt_buf_put_char(text, '[');
    for (int i = 0; i < count; i++) {
        bt_buf_printf(text, "%s%d", i > 0 ? "," : "", i);
    }
    bt_buf_put_char(text, ']');
    assert_int_equal(text->status, BT_OK);
}

static uint64_t tick(void *context)
{
    uint64_t *now = context;
    *now += 1000000;
    return *now;
}

static void what_is_not_valid_has_a_finding(void **state)
{
    (void)state;
    static const struct row {
        const char *document;
        size_t findings;
        enum bt_schema_result answer;
    } rows[] = {
        {"[1,2,3]", 0, BT_SCHEMA_VALID},
        {"[1,\"\",3]", 1, BT_SCHEMA_INVALID},
        {"[\"\",\"\",3]", 2, BT_SCHEMA_INVALID},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bench bench;
        set_up(&bench, "{\"items\":{\"type\":\"integer\"}}", bt_str_of(rows[i].document), NULL);
        enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
        assert_int_equal(judge(&bench, &answer), BT_OK);
        assert_int_equal(answer, rows[i].answer);
        assert_int_equal(bt_findings_count(bench.findings), rows[i].findings);
        /* What the explanation costs is not counted. */
        const uint64_t work = bt_schema_work_used(bench.runner);
        assert_int_equal(bt_schema_run(bench.schema, bench.runner, bench.document), answer);
        assert_int_equal(work, bt_schema_work_used(bench.runner));
        take_down(&bench);
    }
}

static void a_rejection_has_as_many_findings_as_are_wanted(void **state)
{
    (void)state;
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.findings_max = 1;
    struct bench bench;
    set_up(&bench, "{\"items\":{\"type\":\"null\"}}", BT_STR("[1,2,3]"), &limits);
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    assert_int_equal(judge(&bench, &answer), BT_OK);
    assert_int_equal(answer, BT_SCHEMA_INVALID);
    assert_int_equal(bt_findings_count(bench.findings), 1);
    take_down(&bench);
}

static void a_spent_bound_is_one_finding_that_names_it(void **state)
{
    (void)state;
    uint64_t now = 0;
    struct bt_schema_limits work = bt_schema_limits_default();
    struct bt_schema_limits time = bt_schema_limits_default();
    struct bt_schema_limits memory = bt_schema_limits_default();
    work.work_max = 20;
    time.clock = tick;
    time.clock_context = &now;
    time.time_ns = 1;
    memory.memory_bytes = 100000;
    const struct row {
        const struct bt_schema_limits *limits;
        enum bt_schema_limit_kind spent;
        const char *params;
    } rows[] = {
        {&work, BT_SCHEMA_LIMIT_WORK, "{\"spent\":\"work\",\"limit\":20}"},
        {&time, BT_SCHEMA_LIMIT_TIME, "{\"spent\":\"time\",\"limit\":0}"},
        {&memory, BT_SCHEMA_LIMIT_MEMORY, "{\"spent\":\"memory\",\"limit\":100000}"},
    };
    struct bt_buf text;
    put_numbers(&text, 180000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bench bench;
        set_up(&bench, "{\"uniqueItems\":true}", (bt_str){text.ptr, text.len}, rows[i].limits);
        enum bt_schema_result answer = BT_SCHEMA_VALID;
        assert_int_equal(judge(&bench, &answer), BT_OK);
        assert_int_equal(answer, BT_SCHEMA_UNDECIDED);
        assert_int_equal(bt_schema_limit_reached(bench.runner), rows[i].spent);
        expect_budget(&bench, rows[i].params);
        take_down(&bench);
    }
    bt_buf_free(&text);
}

/* The program is damaged: the fast run refuses what the block, which is explained, accepts. */
static void two_runs_that_disagree_are_no_answer(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench, "{\"type\":\"string\"}", BT_STR("\"a\""), NULL);
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    assert_int_equal(judge(&bench, &answer), BT_OK);
    assert_int_equal(answer, BT_SCHEMA_VALID);
    bench.schema->entry.types = 0;
    bench.schema->entry.passes = 0;
    answer = BT_SCHEMA_UNDECIDED;
    assert_int_equal(judge(&bench, &answer), BT_EINTERNAL);
    assert_int_equal(answer, BT_SCHEMA_UNDECIDED);
    assert_int_equal(bt_findings_count(bench.findings), 0);
    take_down(&bench);
}

/* What the process has of addresses, and no more than `spare` bytes beyond. */
static struct rlimit hold_memory(size_t spare)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    char line[64] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_int_equal(fclose(file), 0);
    const bt_str text = bt_str_of(line);
    uint64_t pages = 0;
    assert_int_equal(bt_str_to_u64(bt_str_slice(text, 0, bt_str_find_byte(text, ' ', 0)), &pages),
                     BT_OK);
    const struct rlimit held = {pages * (rlim_t)sysconf(_SC_PAGESIZE) + spare, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &held), 0);
    return before;
}

/* A million numbers take 24 MiB to be told apart. */
static void a_lack_of_memory_is_a_failure_and_no_finding(void **state)
{
    (void)state;
    if (BT_ASAN_GAP > 0) {
        SKIP_TEST("the sanitizer takes addresses of its own");
    }
    struct bt_buf text;
    put_numbers(&text, 1000000);
    struct bench bench;
    set_up(&bench, "{\"uniqueItems\":true}", (bt_str){text.ptr, text.len}, NULL);
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    const struct rlimit before = hold_memory(1 << 20);
    const enum bt_status status = judge(&bench, &answer);
    const enum bt_schema_limit_kind spent = bt_schema_limit_reached(bench.runner);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, BT_ENOMEM);
    assert_int_equal(spent, BT_SCHEMA_LIMIT_SYSTEM);
    assert_int_equal(answer, BT_SCHEMA_UNDECIDED);
    assert_int_equal(bt_findings_count(bench.findings), 0);
    /* With memory there is an answer: the same runner gives it. */
    assert_int_equal(judge(&bench, &answer), BT_OK);
    assert_int_equal(answer, BT_SCHEMA_VALID);
    take_down(&bench);
    bt_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_valid_has_a_finding),
        cmocka_unit_test(a_rejection_has_as_many_findings_as_are_wanted),
        cmocka_unit_test(a_spent_bound_is_one_finding_that_names_it),
        cmocka_unit_test(two_runs_that_disagree_are_no_answer),
        cmocka_unit_test(a_lack_of_memory_is_a_failure_and_no_finding),
    };
    return RUN_TESTS(tests);
}
