/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_broken.c - many handoffs, each broken in several places at once, against the promises that
 * fuzz/fuzz_universal.c states: it is compiled in, and a broken promise ends the program.
 */
#include "universal_test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HANDOFFS = 1500,
    BREAKS_MAX = 7,
    TEXT_BYTES_MAX = 1 << 16,
};

/* Places that a handoff has, may have, or must not have. */
static const char *const places[] = {
    "",
    "/handoff",
    "/Handoff",
    "/$schema",
    "/handoff/version",
    "/handoff/verson",
    "/handoff/schema_type",
    "/handoff/schema-type",
    "/handoff/timestamp",
    "/handoff/Timestamp",
    "/handoff/expires_at",
    "/handoff/expire_at",
    "/handoff/trace_id",
    "/handoff/trase_id",
    "/handoff/source",
    "/handoff/source/skill",
    "/handoff/source/skil",
    "/handoff/source/workflow_id",
    "/handoff/source/workflow-id",
    "/handoff/source/phase",
    "/handoff/target",
    "/handoff/target/skill",
    "/handoff/target/invocation",
    "/handoff/context",
    "/handoff/context/summary",
    "/handoff/context/problem_type",
    "/handoff/context/focusAreas",
    "/handoff/context/known_gaps",
    "/handoff/payload",
    "/handoff/payload/working",
    "/handoff/payload/workng",
    "/handoff/payload/session",
    "/handoff/payload/session/artifacts",
    "/handoff/payload/references",
    "/handoff/payload/references/files",
    "/handoff/meta",
    "/handoff/Meta",
    "/handoff/meta/token_count",
    "/handoff/meta/confidence",
    "/handoff/meta/confidnce",
    "/handoff/meta/handoff_chain",
    "/handoff/meta/payload_hash",
    "/handoff/meta/payload_size_bytes",
    "/handoff/meta/user_approved",
    "/handoff/meta/user_aproved",
    "/handoff/tracing",
    "/handoff/tracing/tags",
    "/handoff/tracing/parent_span_id",
    "/handoff/note",
};

static const char *const values[] = {
    "null",
    "true",
    "3",
    "3.0",
    "-7.5e3",
    "12345678901234567890",
    "\"\"",
    "\"60\"",
    "\" HIGH \"",
    "\"Research\"",
    "\"universal \"",
    "\"2.0\"",
    "\"2026-04-14 10:30+02\"",
    "\"2026-04-14\"",
    "\"2026-02-30T08:30:00Z\"",
    "\"6A0F2C1D8B3E4C579D215E7F90AB13C4\"",
    "\"C8AAA40656DDECA507A885B995296C95207D426AAC2C3597B1B246DB46A291D2\"",
    "\"sha256:c8aaa40656ddeca507a885b995296c95207d426aac2c3597b1b246db46a291d2\"",
    "\"a \\u0000 \\ud800 ``` \\u202e text\"",
    "\"release-planner\"",
    "[]",
    "[\"a\",7,null,\"b\"]",
    "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"release-planner\"]",
    "[{\"name\":\"a\",\"pth\":\"p\",\"type\":\"DATA\",\"Path\":\"q\"},{\"path\":1}]",
    "{}",
    "{\"skil\":\"x\",\"phase\":1,\"tags\":{\"a\":null,\"b\":2},\"user_approved\":true}",
    "{\"token_count\":1,\"confidence\":\"low\",\"Confidence\":\"high\"}",
};

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

/* One more break: a value put somewhere, or a member taken away. What cannot be done is not. */
static bt_str broken(struct world *world, bt_str text, uint64_t *rng)
{
    const char *place = places[next(rng) % COUNT_OF(places)];
    const char *value = values[next(rng) % COUNT_OF(values)];
    bt_str patch = BT_STR("");
    const enum bt_status status =
        next(rng) % 4 == 0
            ? bt_arena_printf(&world->arena, &patch, "[{\"op\":\"remove\",\"path\":\"%s\"}]", place)
            : bt_arena_printf(&world->arena, &patch,
                              "[{\"op\":\"add\",\"path\":\"%s\",\"value\":%s}]", place, value);
    assert_int_equal(status, BT_OK);
    const bt_str after = patched(world, text, patch);
    return after.len > 0 ? after : text;
}

/* Something that may be an answer to what is asked about it. */
static void put_answer(struct bt_buf *buf, uint64_t *rng)
{
    bt_buf_put_char(buf, 0x1e);
    if (next(rng) % 3 == 0) {
        bt_buf_put_text(buf, GOOD_HANDOFF);
        return;
    }
    bt_buf_printf(buf, "[{\"op\":\"add\",\"path\":\"%s\",\"value\":%s}]",
                  places[next(rng) % COUNT_OF(places)], values[next(rng) % COUNT_OF(values)]);
}

static void whatever_is_broken_the_promises_hold(void **state)
{
    (void)state;
    uint64_t rng = 88172645463325252U;
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    for (size_t i = 0; i < HANDOFFS; i++) {
        struct world world;
        world_begin(&world);
        bt_str text = BT_STR(GOOD_HANDOFF);
        const size_t breaks = 1 + next(&rng) % BREAKS_MAX;
        for (size_t k = 0; k < breaks; k++) {
            text = broken(&world, text, &rng);
        }
        bt_buf_clear(&buf);
        bt_buf_put(&buf, text);
        put_answer(&buf, &rng);
        assert_int_equal(buf.status, BT_OK);
        assert_int_equal(LLVMFuzzerTestOneInput((const uint8_t *)buf.ptr, buf.len), 0);
        world_end(&world);
    }
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_broken_the_promises_hold),
    };
    return RUN_TESTS(tests);
}
