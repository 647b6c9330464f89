/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_compat.c - verdicts about two versions, against brute force: schemas are made at random, and
 * payloads are tried that one accepts and the other may reject.
 */
#include <baton/json.h>
#include <baton/schema.h>

#include "plan_test.h"
#include "schema/options.h"

enum { PAIRS = 2000, SAMPLES = 120 };

struct rng {
    uint64_t state;
};

static uint32_t below(struct rng *rng, uint32_t end)
{
    rng->state = rng->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rng->state >> 33) % end;
}

/* A schema for one member. The same bounds are used on all sides, so that pairs come close. */
static void put_leaf(struct rng *rng, struct bt_buf *buf, unsigned depth)
{
    switch (below(rng, depth > 0 ? 10 : 8)) {
    case 0:
        bt_buf_put_text(buf, "{\"type\":\"string\"}");
        break;
    case 1:
        bt_buf_printf(buf, "{\"type\":\"string\",\"minLength\":%u,\"maxLength\":%u}", below(rng, 3),
                      2 + below(rng, 3));
        break;
    case 2:
        bt_buf_printf(buf, "{\"type\":\"integer\",\"minimum\":%u}", below(rng, 3));
        break;
    case 3:
        bt_buf_printf(buf, "{\"type\":\"number\",\"exclusiveMaximum\":%u}", 2 + below(rng, 3));
        break;
    case 4:
        bt_buf_put_text(buf, below(rng, 2) == 0 ? "{\"enum\":[\"a\",\"b\"]}"
                                                : "{\"enum\":[\"a\",\"b\",1]}");
        break;
    case 5:
        bt_buf_put_text(buf, below(rng, 2) == 0 ? "true" : "{\"type\":[\"integer\",\"null\"]}");
        break;
    case 6:
        bt_buf_put_text(buf, below(rng, 2) == 0 ? "{\"$ref\":\"#/$defs/s\"}" : "{\"const\":\"a\"}");
        break;
    case 7:
        bt_buf_printf(buf, "{\"type\":\"integer\",\"multipleOf\":%u}", 1 + below(rng, 4));
        break;
    case 8:
        bt_buf_printf(buf, "{\"type\":\"array\",\"maxItems\":%u,\"items\":", 1 + below(rng, 3));
        put_leaf(rng, buf, 0);
        bt_buf_put_char(buf, '}');
        break;
    default:
        bt_buf_put_text(buf, below(rng, 2) == 0 ? "{\"anyOf\":[" : "{\"allOf\":[");
        put_leaf(rng, buf, 0);
        bt_buf_put_char(buf, ',');
        put_leaf(rng, buf, 0);
        bt_buf_put_text(buf, "]}");
        break;
    }
}

static bt_str make_schema(struct world *world, struct rng *rng, unsigned version)
{
    static const char names[] = "xyz";
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 1 << 16);
    bt_buf_printf(
        &buf, "{\"$id\":\"s/v%u.schema.json\",\"type\":\"object\",\"properties\":{\"w\":", version);
    put_leaf(rng, &buf, 1);
    const unsigned more = below(rng, 3);
    for (unsigned i = 0; i < more; i++) {
        bt_buf_printf(&buf, ",\"%c\":", names[i]);
        put_leaf(rng, &buf, 1);
    }
    bt_buf_put_text(&buf, "},\"required\":[\"w\"");
    if (more > 0 && below(rng, 3) == 0) {
        bt_buf_put_text(&buf, ",\"x\"");
    }
    bt_buf_printf(&buf, "],\"additionalProperties\":false,\"$defs\":{\"s\":{\"type\":\"%s\"}}}",
                  below(rng, 2) == 0 ? "string" : "boolean");
    assert_int_equal(bt_buf_copy(&buf, &world->arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

static void put_value(struct rng *rng, struct bt_buf *buf)
{
    static const char *const values[] = {
        "\"\"",    "\"a\"", "\"b\"",   "\"aa\"", "\"aaa\"", "\"aaaa\"", "\"aaaaa\"",
        "0",       "1",     "2",       "3",      "4",       "6",        "12",
        "-1",      "2.5",   "null",    "true",   "false",   "[]",       "[1]",
        "[\"a\"]", "[1,2]", "[0,0,0]", "[[],1]", "{}",      "[true]",   "[\"a\",\"b\",\"a\"]",
    };
    bt_buf_put_text(buf, values[below(rng, COUNT_OF(values))]);
}

static bt_str make_payload(struct world *world, struct rng *rng)
{
    static const char names[] = "wxyz";
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 1 << 12);
    bt_buf_put_text(&buf, "{\"w\":");
    put_value(rng, &buf);
    for (unsigned i = 1; i < 4; i++) {
        if (below(rng, 3) == 0) {
            bt_buf_printf(&buf, ",\"%c\":", names[i]);
            put_value(rng, &buf);
        }
    }
    bt_buf_put_char(&buf, '}');
    assert_int_equal(bt_buf_copy(&buf, &world->arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

static struct bt_schema *compile(struct world *world, bt_str text)
{
    struct bt_json_read_result read = {0};
    struct bt_schema *schema = NULL;
    assert_int_equal(bt_json_read(&world->arena, text, NULL, &read), BT_OK);
    assert_int_equal(bt_schema_compile(read.document, NULL, NULL, &schema), BT_OK);
    assert_non_null(schema);
    return schema;
}

static bool accepts(struct world *world, const struct bt_schema *schema,
                    struct bt_schema_runner *runner, bt_str payload)
{
    struct bt_json_read_result read = {0};
    assert_int_equal(bt_json_read(&world->arena, payload, NULL, &read), BT_OK);
    assert_non_null(read.document);
    return bt_schema_run(schema, runner, read.document) == BT_SCHEMA_VALID;
}

/* Whether rng finds a payload that the old version accepts and the new one rejects. */
static bool is_broken_by_rng(struct world *world, struct rng *rng,
                             const struct bt_schema *old_schema, const struct bt_schema *new_schema,
                             struct bt_schema_runner *runner)
{
    bool found = false;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const bt_str payload = make_payload(world, rng);
        found = found || (accepts(world, old_schema, runner, payload) &&
                          !accepts(world, new_schema, runner, payload));
    }
    return found;
}

struct tally {
    unsigned compatible;
    unsigned incompatible;
    unsigned undecided;
    unsigned missed; /* rng found what we left open */
};

static void judge_pair(struct world *world, struct rng *rng, struct tally *tally)
{
    const bt_str old_text = make_schema(world, rng, 1);
    const bt_str new_text = make_schema(world, rng, 2);
    const struct bt_payload_compat_input input = {
        .old_schema = {.path = BT_STR("old"), .text = old_text},
        .new_schema = {.path = BT_STR("new"), .text = new_text},
        .mode = BT_PAYLOAD_COMPAT_BACKWARD,
    };
    struct bt_plan_result result;
    struct bt_judgement old_judged;
    assert_int_equal(
        bt_payload_schema_compare(world->plans, &world->arena, &input, &result, &old_judged),
        BT_OK);
    assert_null(old_judged.findings);
    assert_true(result.members.len > 0);
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    struct bt_schema *old_schema = compile(world, old_text);
    struct bt_schema *new_schema = compile(world, new_text);
    const bool is_broken = is_broken_by_rng(world, rng, old_schema, new_schema, runner);
    const bool is_compatible = result.judged.verdict == BT_VERDICT_ACCEPTED;
    if (is_compatible && is_broken) {
        fail_msg("called compatible:\n%.*s\n%.*s", BT_STR_ARG(old_text), BT_STR_ARG(new_text));
    }
    if (result.text.len > 0) {
        assert_true(accepts(world, old_schema, runner, result.text));
        assert_false(accepts(world, new_schema, runner, result.text));
    }
    tally->compatible += is_compatible;
    tally->incompatible += result.text.len > 0;
    tally->undecided += !is_compatible && result.text.len == 0;
    tally->missed += is_broken && result.text.len == 0;
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(old_schema);
    bt_schema_destroy(new_schema);
    bt_arena_reset(&world->arena);
}

static void brute_force_never_contradicts_a_verdict(void **state)
{
    (void)state;
    struct world world;
    struct rng rng = {20260701};
    struct tally tally = {0};
    world_begin(&world);
    for (unsigned i = 0; i < PAIRS; i++) {
        judge_pair(&world, &rng, &tally);
    }
    world_end(&world);
    print_message("# compatible %u, incompatible %u, undecided %u, missed %u\n", tally.compatible,
                  tally.incompatible, tally.undecided, tally.missed);
    assert_true(tally.compatible > 20);
    assert_true(tally.incompatible > 1000);
    assert_int_equal(tally.missed, 0);
}

/* The control: two schemas that rng must be able to tell apart. */
static void brute_force_can_see_a_difference(void **state)
{
    (void)state;
    struct world world;
    struct rng rng = {7};
    world_begin(&world);
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    struct bt_schema *wide = compile(&world, BT_STR("{\"properties\":{\"w\":true}}"));
    struct bt_schema *narrow =
        compile(&world, BT_STR("{\"properties\":{\"w\":{\"type\":\"string\"}}}"));
    assert_true(is_broken_by_rng(&world, &rng, wide, narrow, runner));
    assert_false(is_broken_by_rng(&world, &rng, narrow, wide, runner));
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(wide);
    bt_schema_destroy(narrow);
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brute_force_never_contradicts_a_verdict),
        cmocka_unit_test(brute_force_can_see_a_difference),
    };
    return RUN_TESTS(tests);
}
