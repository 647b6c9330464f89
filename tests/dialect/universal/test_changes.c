/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <unistd.h>

#include "dialect/universal/universal.h"

#define ENDS                                                                                       \
    "\"source\":{\"skill\":\"release-planner\",\"workflow_id\":\"w\",\"session_path\":\"work\","   \
    "\"phase\":\"p\"},\"target\":{\"skill\":\"patch-builder\",\"invocation\":\"/go\"}"
#define HEAD                                                                                       \
    "\"version\":\"3.0\",\"schema_type\":\"universal\",\"timestamp\":\"2026-04-14T08:30:00Z\","    \
    "\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\""
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define SESSION "{\"state\":{\"b\":\"" HUNDRED HUNDRED HUNDRED HUNDRED "\"}}"
#define DOCUMENT                                                                                   \
    "{\"handoff\":{" HEAD "," ENDS                                                                 \
    ",\"context\":{\"summary\":\"Build the fix.\",\"problem_type\":\"implementation\"},"           \
    "\"payload\":{\"working\":{\"a\":[1,2]},\"session\":" SESSION "},"                             \
    "\"meta\":{\"token_count\":130,\"confidence\":\"high\"}}}"
#define OLD                                                                                        \
    "{\"handoff\":{\"version\":\"2.0\",\"timestamp\":\"2026-04-14T08:30:00Z\"," ENDS               \
    ",\"context\":{\"original_prompt\":\"Why?\",\"problem_type\":\"decision\"},\"insights\":[1],"  \
    "\"meta\":{\"handoff_chain\":[\"release-planner\"],\"odd\":{}}}}"

enum { ROOM = 8 << 20 };

struct world {
    char folder[64];
    struct bt_env env;
    struct bt_universal_checker *universal;
};

static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    (void)snprintf(world->folder, sizeof(world->folder), "/tmp/baton-test-XXXXXX");
    if (!mkdtemp(world->folder) || chdir(world->folder) != 0 || bt_env_init(&world->env) != BT_OK) {
        return -1;
    }
    bt_env_pin_seed(&world->env, 1);
    if (bt_universal_checker_create(&world->env, &world->universal) != BT_OK) {
        return -1;
    }
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    bt_universal_checker_destroy(world->universal);
    const int left = chdir("/") + rmdir(world->folder);
    free(world);
    return left;
}

typedef enum bt_status change_fn(struct world *world, struct bt_arena *arena,
                                 struct bt_universal_result *out);

static struct bt_universal_options how(uint64_t budget)
{
    struct bt_universal_options options = bt_universal_options_default();
    options.encoding = BT_ENCODING_CHARS4;
    options.budget = budget;
    options.no_refs = true;
    return options;
}

static enum bt_status compress(struct world *world, struct bt_arena *arena,
                               struct bt_universal_result *out)
{
    const struct bt_universal_options options = how(sizeof(DOCUMENT) / 4 - 2);
    const struct bt_universal_input input = {BT_STR("h.json"), BT_STR(DOCUMENT), &options};
    const struct bt_universal_compress_options compress_how = {.no_spill = true};
    return bt_universal_compress(world->universal, arena, &input, &compress_how, out, NULL);
}

static enum bt_status seal(struct world *world, struct bt_arena *arena,
                           struct bt_universal_result *out)
{
    const struct bt_universal_options options = how(2000);
    const struct bt_universal_input input = {BT_STR("h.json"), BT_STR(DOCUMENT), &options};
    return bt_universal_seal(world->universal, arena, &input, false, out);
}

static enum bt_status convert(struct world *world, struct bt_arena *arena,
                              struct bt_universal_result *out)
{
    const struct bt_universal_options options = how(2000);
    const struct bt_universal_input input = {BT_STR("h.json"), BT_STR(OLD), &options};
    const struct bt_universal_convert_options convert_how = {.from = BT_DIALECT_NONE,
                                                             .keep_unmapped = true};
    return bt_universal_convert(world->universal, arena, &input, &convert_how, out, NULL);
}

static enum bt_status foresee(struct world *world, struct bt_arena *arena,
                              struct bt_universal_result *out)
{
    const struct bt_universal_options options = how(2000);
    const struct bt_universal_input input = {BT_STR("h.json"), BT_STR(DOCUMENT), &options};
    const struct bt_universal_write_options write_how = {.seal = true, .dry_run = true};
    return bt_universal_write(world->universal, arena, &input, &write_how, out, NULL);
}

static const struct change {
    const char *name;
    change_fn *run;
    enum bt_universal_outcome expected;
} changes[] = {
    {"compress", compress, BT_UNIVERSAL_COMPRESSED},
    {"seal", seal, BT_UNIVERSAL_SEALED},
    {"convert", convert, BT_UNIVERSAL_CONVERTED},
    {"write", foresee, BT_UNIVERSAL_OUTCOME_NONE},
};

static void every_change_gives_an_accepted_document(void **state)
{
    struct world *world = *state;
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct bt_arena arena;
        struct bt_universal_result result;
        bt_arena_init(&arena, ROOM);
        assert_int_equal(changes[i].run(world, &arena, &result), BT_OK);
        if (result.judged.verdict != BT_VERDICT_ACCEPTED || result.outcome != changes[i].expected) {
            fail_msg("%s: outcome %d", changes[i].name, (int)result.outcome);
        }
        bt_arena_free(&arena);
    }
}

/* With every amount of memory there is an answer or BT_ENOMEM, and the result stays untouched. */
static void without_memory_nothing_is_half_done(void **state)
{
    struct world *world = *state;
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        size_t failed = 0;
        enum bt_status status = BT_ENOMEM;
        for (size_t limit = 0; limit < ROOM && status != BT_OK; limit += 3000) {
            struct bt_arena arena;
            struct bt_universal_result result = {.outcome = BT_UNIVERSAL_ESCALATED};
            bt_arena_init(&arena, limit);
            status = changes[i].run(world, &arena, &result);
            if (status != BT_OK) {
                assert_int_equal(status, BT_ENOMEM);
                assert_int_equal(result.outcome, BT_UNIVERSAL_ESCALATED);
                assert_null(result.judged.findings);
                failed++;
            }
            bt_arena_free(&arena);
        }
        assert_int_equal(status, BT_OK);
        assert_true(failed > 3);
    }
}

static void a_session_that_is_not_written_is_handed_out(void **state)
{
    struct world *world = *state;
    struct bt_arena arena;
    struct bt_universal_result result;
    bt_arena_init(&arena, ROOM);
    const struct bt_universal_options options = how(sizeof(DOCUMENT) / 4 - 40);
    const struct bt_universal_input input = {BT_STR("h.json"), BT_STR(DOCUMENT), &options};
    const struct bt_universal_compress_options compress_how = {.no_spill = true};
    assert_int_equal(
        bt_universal_compress(world->universal, &arena, &input, &compress_how, &result, NULL),
        BT_OK);
    assert_int_equal(result.outcome, BT_UNIVERSAL_COMPRESSED);
    assert_str(result.spill.path, "work/handoffs/session-context.json");
    assert_str(result.spill.text, SESSION);
    assert_int_equal(access("work", F_OK), -1);
    bt_arena_free(&arena);
}

struct seen {
    size_t calls;
    bool document;
};

static enum bt_status note(void *context, const struct bt_json_doc *document,
                           struct bt_findings *notes)
{
    struct seen *seen = context;
    seen->calls++;
    seen->document = document != NULL && bt_findings_count(notes) == 0;
    return BT_OK;
}

static void who_asks_is_told_when_a_file_was_written(void **state)
{
    struct world *world = *state;
    struct bt_arena arena;
    struct bt_universal_result result;
    struct seen seen = {0, false};
    bt_arena_init(&arena, ROOM);
    const struct bt_universal_options options = how(2000);
    const struct bt_universal_input input = {BT_STR("h.json"), BT_STR(DOCUMENT), &options};
    struct bt_universal_write_options write_how = {
        .dry_run = true, .written = note, .context = &seen};
    assert_int_equal(
        bt_universal_write(world->universal, &arena, &input, &write_how, &result, NULL), BT_OK);
    assert_int_equal(seen.calls, 0);
    write_how.dry_run = false;
    assert_int_equal(
        bt_universal_write(world->universal, &arena, &input, &write_how, &result, NULL), BT_OK);
    assert_int_equal(seen.calls, 1);
    assert_true(seen.document);
    char path[256];
    (void)snprintf(path, sizeof(path), "%.*s", BT_STR_ARG(result.written));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir("work/handoffs") + rmdir("work"), 0);
    bt_arena_free(&arena);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_change_gives_an_accepted_document),
        IN_FOLDER(without_memory_nothing_is_half_done),
        IN_FOLDER(a_session_that_is_not_written_is_handed_out),
        IN_FOLDER(who_asks_is_told_when_a_file_was_written),
    };
    return RUN_TESTS(tests);
}
