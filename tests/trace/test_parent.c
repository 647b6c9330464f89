/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_parent.c - the W3C header: made of handoffs, and taken apart.
 */
#include "log.h"

#define ID "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
#define ZERO "00000000-0000-0000-0000-000000000000"
#define HEX "6a0f2c1d8b3e4c579d215e7f90ab13c4"

/* The header of a handoff, or NULL; then *out_finding says why. */
static bool make(struct bt_arena *arena, const char *text, struct bt_traceparent *out,
                 const struct bt_finding **out_finding)
{
    struct bt_json_read_result result = {0};
    bool made = false;
    bt_arena_init(arena, 1 << 20);
    struct bt_findings *findings = bt_findings_new(arena);
    assert_int_equal(bt_json_read(arena, bt_str_of(text), NULL, &result), BT_OK);
    assert_non_null(result.document);
    assert_int_equal(bt_traceparent_from_handoff(result.document, findings, &made, out), BT_OK);
    assert_int_equal(bt_findings_count(findings), made ? 0 : 1);
    *out_finding = made ? NULL : bt_findings_at(findings, 0);
    return made;
}

#define SPAN(value)                                                                                \
    "{\"handoff\":{\"trace_id\":\"" ID "\",\"tracing\":{\"parent_span_id\":" value "}}}"

static void a_header_is_made_of_the_first_sixteen_digits(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SPAN("\"7e4a6b8c-91d2-4c3f-a0b1-cdef12345678\""),
        SPAN("\"7e4a6b8c91d24c3f\""),
        SPAN("\"7E4A6B8C-91D2-4C3F\""),
        SPAN("\"-7-e4a6b8c91d24c3fzzz\""),
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_arena arena;
        struct bt_traceparent parent;
        const struct bt_finding *finding = NULL;
        assert_true(make(&arena, texts[i], &parent, &finding));
        assert_string_equal(parent.text, "00-" HEX "-7e4a6b8c91d24c3f-01");
        assert_string_equal(parent.trace_id, ID);
        assert_string_equal(parent.parent_id, "7e4a6b8c91d24c3f");
        assert_string_equal(parent.flags, "01");
        bt_arena_free(&arena);
    }
}

static void without_a_usable_span_there_is_no_header(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *pointer;
    } rows[] = {
        {"{}", ""},
        {"[]", ""},
        {"{\"handoff\":{\"trace_id\":\"" ID "\"}}", ""},
        {SPAN("null"), "/handoff/tracing/parent_span_id"},
        {SPAN("5"), "/handoff/tracing/parent_span_id"},
        {SPAN("\"\""), "/handoff/tracing/parent_span_id"},
        {SPAN("\"7e4a6b8c91d24c3\""), "/handoff/tracing/parent_span_id"},
        {SPAN("\"7e4a6b8c 91d24c3f\""), "/handoff/tracing/parent_span_id"},
        {SPAN("\"span-7e4a6b8c91d24c3f\""), "/handoff/tracing/parent_span_id"},
        {SPAN("\"0000000000000000\""), "/handoff/tracing/parent_span_id"},
        {SPAN("\"00000000-0000-0000-a0b1-cdef12345678\""), "/handoff/tracing/parent_span_id"},
        {"{\"handoff\":{\"trace_id\":\"" ZERO "\",\"tracing\":{\"parent_span_id\":"
         "\"7e4a6b8c91d24c3f\"}}}",
         "/handoff/trace_id"},
        {"{\"handoff\":{\"trace_id\":\"x\",\"tracing\":{\"parent_span_id\":"
         "\"7e4a6b8c91d24c3f\"}}}",
         "/handoff/trace_id"},
        {"{\"handoff\":{\"tracing\":{\"parent_span_id\":\"7e4a6b8c91d24c3f\"}}}", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_traceparent parent;
        const struct bt_finding *finding = NULL;
        if (make(&arena, rows[i].text, &parent, &finding)) {
            fail_msg("%s gave %s", rows[i].text, parent.text);
        }
        assert_str(finding->rule->code, "TRACEPARENT_UNAVAILABLE");
        assert_int_equal(finding->severity, BT_SEVERITY_HARD);
        if (!bt_str_eq(finding->pointer, bt_str_of(rows[i].pointer))) {
            fail_msg("%s: %.*s", rows[i].text, BT_STR_ARG(finding->pointer));
        }
        bt_arena_free(&arena);
    }
}

static bool parse(bt_str value, struct bt_traceparent *out)
{
    struct bt_arena arena;
    bool made = false;
    bt_arena_init(&arena, 1 << 20);
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_int_equal(bt_traceparent_parse(value, findings, &made, out), BT_OK);
    assert_int_equal(bt_findings_count(findings), made ? 0 : 1);
    if (!made) {
        assert_str(bt_findings_at(findings, 0)->rule->code, "TRACEPARENT_INVALID");
        assert_int_equal(bt_findings_at(findings, 0)->severity, BT_SEVERITY_HARD);
    }
    bt_arena_free(&arena);
    return made;
}

static void a_header_is_taken_apart(void **state)
{
    (void)state;
    struct bt_traceparent parent;
    assert_true(parse(BT_STR("00-" HEX "-7e4a6b8c91d24c3f-00"), &parent));
    assert_string_equal(parent.text, "00-" HEX "-7e4a6b8c91d24c3f-00");
    assert_string_equal(parent.trace_id, ID);
    assert_string_equal(parent.parent_id, "7e4a6b8c91d24c3f");
    assert_string_equal(parent.flags, "00");
    assert_true(parse(BT_STR("00-" HEX "-000000000000000a-ff"), &parent));
    assert_string_equal(parent.flags, "ff");
}

static void other_texts_are_no_headers(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "00",
        "00-" HEX "-7e4a6b8c91d24c3f",
        "00-" HEX "-7e4a6b8c91d24c3f-1",
        "00-" HEX "-7e4a6b8c91d24c3f-011",
        "00-" HEX "-7e4a6b8c91d24c3f-01\n",
        "00-" HEX "-7e4a6b8c91d24c3f-01-x",
        "01-" HEX "-7e4a6b8c91d24c3f-01",
        "ff-" HEX "-7e4a6b8c91d24c3f-01",
        "00-" HEX "-0000000000000000-01",
        "00-00000000000000000000000000000000-7e4a6b8c91d24c3f-01",
        "00-6A0F2C1D8B3E4C579D215E7F90AB13C4-7e4a6b8c91d24c3f-01",
        "00-" HEX "-7E4A6B8C91D24C3F-01",
        "00-" HEX "-7e4a6b8c91d24c3f-0G",
        "00_" HEX "-7e4a6b8c91d24c3f-01",
        "00-" HEX "07e4a6b8c91d24c3f-01",
        "00-6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4-7e4a6b8c91d24c3f-01",
        " 00-" HEX "-7e4a6b8c91d24c3f-0",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct bt_traceparent parent = {.text = "untouched"};
        if (parse(bt_str_of(bad[i]), &parent)) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_string_equal(parent.text, "untouched");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_made_of_the_first_sixteen_digits),
        cmocka_unit_test(without_a_usable_span_there_is_no_header),
        cmocka_unit_test(a_header_is_taken_apart),
        cmocka_unit_test(other_texts_are_no_headers),
    };
    return RUN_TESTS(tests);
}
