/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hostile.c - the pairs of schema and instance that make validators slow or wrong: both runs
 * answer as the naive interpreter does where it can, never with a limit, and with little fuel.
 */
#include "base/asan.h"
#include "base/file.h"
#include "documents.h"
#include "modes.h"

#include "schema/options.h"

enum { PAIRS_MIN = 57, FUEL = 5000000 };

#ifdef BT_ASAN
enum { IS_SLOW = true };
#else
enum { IS_SLOW = false };
#endif

/* Where the naive interpreter gives up: the innermost value is not an array. */
static bool is_exponential(const char *name)
{
    return strncmp(name, "exp", 3) == 0;
}

/* It compares each of tens of thousands of items with every other: a minute under sanitizers, which
 * have nothing to learn from it. */
static bool is_tedious(const char *name)
{
    return IS_SLOW && strncmp(name, "uniq_", 5) == 0 && strstr(name, "0000.") != NULL;
}

static const char *folder; /* with the pairs that hostile.py wrote */

struct counts {
    size_t judged;
    size_t compared;
};

static enum verdict ask(const struct mode *mode, const struct bt_json_doc *schema,
                        const struct bt_json_doc *instance)
{
    const struct judge_options options = {.draft = BT_SCHEMA_DRAFT_2020_12};
    void *opened = mode->open(schema, &options);
    assert_non_null(opened);
    const enum verdict verdict = mode->judge(opened, instance);
    mode->close(opened);
    return verdict;
}

/* The fast run within a fraction of the default fuel. */
static void judge_cheaply(const char *name, const struct bt_json_doc *schema,
                          const struct bt_json_doc *instance)
{
    struct bt_schema *compiled = NULL;
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = FUEL;
    assert_int_equal(bt_schema_compile(schema, NULL, NULL, &compiled), BT_OK);
    assert_non_null(compiled);
    struct bt_schema_runner *runner = bt_schema_runner_with(&limits);
    assert_non_null(runner);
    if (bt_schema_run(compiled, runner, instance) == BT_SCHEMA_UNDECIDED) {
        fail_msg("%s takes more than %d units", name, FUEL);
    }
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(compiled);
}

static void judge_pair(const char *name, const struct bt_json_doc *schema,
                       const struct bt_json_doc *instance, struct counts *counts)
{
    enum verdict expected = is_tedious(name) ? VERDICT_NONE : VERDICT_INVALID;
    if (!is_exponential(name) && !is_tedious(name)) {
        expected = ask(&modes[0], schema, instance);
        counts->compared += expected != VERDICT_NONE;
    }
    for (size_t i = 1; i < modes_count; i++) {
        const enum verdict verdict = ask(&modes[i], schema, instance);
        if (verdict == VERDICT_NONE || (expected != VERDICT_NONE && verdict != expected)) {
            fail_msg("%s, %s: %d, expected %d", modes[i].name, name, verdict, expected);
        }
    }
    judge_cheaply(name, schema, instance);
    counts->judged++;
}

static void visit(const char *path, const char *name, void *context)
{
    const char *end = strstr(name, ".s.json");
    if (!end) {
        return;
    }
    char other[TEST_PATH_BYTES];
    (void)snprintf(other, sizeof(other), "%.*s.i.json", (int)(strlen(path) - strlen(".s.json")),
                   path);
    struct bt_arena arena;
    bt_str text = {0};
    bt_arena_init(&arena, (size_t)1 << 30);
    assert_int_equal(bt_file_read(&arena, bt_str_of(other), 1 << 26, &text, NULL), BT_OK);
    const struct bt_json_doc *instance = read_document(&arena, text);
    if (instance) { /* one repeats a name, which the reader refuses */
        judge_pair(name, read_document_file(&arena, path), instance, context);
    }
    bt_arena_free(&arena);
}

static void every_hostile_pair_is_answered(void **state)
{
    (void)state;
    struct counts counts = {0};
    assert_true(visit_files(folder, visit, &counts));
    fprintf(stderr, "%zu pairs, %zu compared with the naive interpreter\n", counts.judged,
            counts.compared);
    assert_true(counts.judged >= PAIRS_MIN);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hostile_pair_is_answered),
    };
    return RUN_TESTS(tests);
}
