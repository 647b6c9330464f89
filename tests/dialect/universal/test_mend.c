/* SPDX-License-Identifier: Apache-2.0 */
/* test_mend.c - what can be mended, how, and what never is. */
#include <baton/check.h>

#include "engine/check.h"
#include "universal_test.h"

#define ADD(path, value) "[{\"op\":\"add\",\"path\":\"" path "\",\"value\":" value "}]"
#define REMOVE(path) "[{\"op\":\"remove\",\"path\":\"" path "\"}]"
#define TIME "/handoff/timestamp"
#define UTC "\"2026-04-14T08:30:00Z\""
#define TRACE "/handoff/trace_id"
#define TRACE_ID "\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\""
#define HASH "/handoff/meta/payload_hash"
#define HEX64 "c8aaa40656ddeca507a885b995296c95207d426aac2c3597b1b246db46a291d2"
#define HEX64_UPPER "C8AAA40656DDECA507A885B995296C95207D426AAC2C3597B1B246DB46A291D2"
#define SIZE "/handoff/meta/payload_size_bytes"
#define X10 "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
#define X497 X100 X100 X100 X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 "xxxxxxx"

/* A good document broken by a patch, and what stands at `pointer` after each kind of fix. */
struct row {
    const char *patch;
    const char *pointer;
    const char *safe;   /* NULL: as in the broken one */
    const char *unsafe; /* NULL: as after the safe fixes */
};

static const struct row rows[] = {
    /* default */
    {REMOVE("/handoff/version"), "/handoff/version", "\"3.0\"", NULL},
    {REMOVE("/handoff/schema_type"), "/handoff/schema_type", "\"universal\"", NULL},
    {REMOVE(TIME), TIME, "\"2026-04-14T09:00:00Z\"", NULL},
    {REMOVE("/handoff/meta"), "/handoff/meta", "{\"confidence\":\"medium\",\"token_count\":129}",
     NULL},
    {REMOVE("/handoff/meta/confidence"), "/handoff/meta/confidence", "\"medium\"", NULL},
    {REMOVE("/handoff/meta/token_count"), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/version", "null"), "/handoff/version", "\"3.0\"", NULL},
    {ADD("/handoff/schema_type", "null"), "/handoff/schema_type", "\"universal\"", NULL},
    {ADD(TIME, "null"), TIME, "\"2026-04-14T09:00:00Z\"", NULL},
    {ADD("/handoff/meta", "null"), "/handoff/meta/confidence", "\"medium\"", NULL},
    {ADD("/handoff/meta/confidence", "null"), "/handoff/meta/confidence", "\"medium\"", NULL},
    {ADD("/handoff/meta/token_count", "null"), "/handoff/meta/token_count", "128", NULL},
    {REMOVE("/handoff/source/phase"), "/handoff/source/phase", NULL, NULL},
    {ADD("/handoff/source/phase", "null"), "/handoff/source/phase", NULL, NULL},
    {REMOVE("/handoff/payload/working"), "/handoff/payload/working", NULL, NULL},
    {ADD("/handoff/payload", "null"), "/handoff/payload", NULL, NULL},
    {ADD("/handoff/meta", "[]"), "/handoff/meta", NULL, NULL},
    /* null */
    {ADD("/handoff/expires_at", "null"), "/handoff/expires_at", "", NULL},
    {ADD("/handoff/tracing", "null"), "/handoff/tracing", "", NULL},
    {ADD("/handoff/payload/session", "null"), "/handoff/payload/session", "", NULL},
    {ADD("/handoff/meta/user_approved", "null"), "/handoff/meta/user_approved", "", NULL},
    {ADD("/handoff/tracing", "{\"tags\":{\"a\":null}}"), "/handoff/tracing/tags", "{}", NULL},
    {ADD("/handoff/tracing", "{\"parent_span_id\":null}"), "/handoff/tracing/parent_span_id",
     "null", NULL},
    {ADD("/handoff/context/focus_areas", "[null]"), "/handoff/context/focus_areas", NULL, NULL},
    {ADD("/handoff/payload/working/x", "null"), "/handoff/payload/working/x", NULL, NULL},
    /* convert */
    {ADD("/handoff/source/phase", "4"), "/handoff/source/phase", "\"4\"", NULL},
    {ADD("/handoff/source/phase", "-1.50e3"), "/handoff/source/phase", "\"-1.50e3\"", NULL},
    {ADD("/handoff/source/phase", "true"), "/handoff/source/phase", NULL, NULL},
    {ADD("/handoff/version", "3"), "/handoff/version", "\"3.0\"", NULL},
    {ADD("/handoff/version", "3.00"), "/handoff/version", "\"3.0\"", NULL},
    {ADD("/handoff/version", "30e-1"), "/handoff/version", "\"3.0\"", NULL},
    {ADD("/handoff/version", "3.1"), "/handoff/version", NULL, NULL},
    {ADD("/handoff/version", "2"), "/handoff/version", NULL, NULL},
    {ADD("/handoff/version", "\"2.0\""), "/handoff/version", NULL, NULL},
    {ADD("/handoff/version", "\" 3.0 \""), "/handoff/version", NULL, NULL},
    {ADD("/handoff/context/problem_type", "4"), "/handoff/context/problem_type", NULL, NULL},
    {ADD(TIME, "20260414"), TIME, NULL, NULL},
    {ADD("/handoff/context/known_gaps", "[\"a\",7]"), "/handoff/context/known_gaps",
     "[\"a\",\"7\"]", NULL},
    {ADD("/handoff/tracing", "{\"tags\":{\"n\":1}}"), "/handoff/tracing/tags/n", "\"1\"", NULL},
    {ADD("/handoff/tracing", "{\"parent_span_id\":7}"), "/handoff/tracing/parent_span_id", "\"7\"",
     NULL},
    {ADD(SIZE, "\"60\""), SIZE, "60", NULL},
    {ADD(SIZE, "\"060\""), SIZE, NULL, NULL},
    {ADD(SIZE, "\"+60\""), SIZE, NULL, NULL},
    {ADD(SIZE, "\"\""), SIZE, NULL, NULL},
    {ADD(SIZE, "\"6e1\""), SIZE, NULL, NULL},
    {ADD(SIZE, "\"1234567890123456\""), SIZE, NULL, NULL},
    {ADD(SIZE, "\"123456789012345\""), SIZE, "123456789012345", "60"},
    {ADD(SIZE, "\"0\""), SIZE, "0", "60"},
    {ADD(SIZE, "61"), SIZE, NULL, "60"},
    {ADD("/handoff/context/focus_areas", "\"one\""), "/handoff/context/focus_areas", "[\"one\"]",
     NULL},
    {ADD("/handoff/context/focus_areas", "1"), "/handoff/context/focus_areas", NULL, NULL},
    {ADD("/handoff/payload/references", "{\"files\":\"a\"}"), "/handoff/payload/references/files",
     NULL, NULL},
    {ADD("/handoff/meta/handoff_chain", "\"release-planner\""), "/handoff/meta/handoff_chain",
     "[\"release-planner\"]", NULL},
    {ADD("/handoff/meta/user_approved", "\"true\""), "/handoff/meta/user_approved", NULL, NULL},
    {ADD("/handoff/meta/user_approved", "1"), "/handoff/meta/user_approved", NULL, NULL},
    /* letters */
    {ADD("/handoff/schema_type", "\"\\tUniversal \""), "/handoff/schema_type", "\"universal\"",
     NULL},
    {ADD("/handoff/schema_type", "\"univers\""), "/handoff/schema_type", NULL, NULL},
    {ADD("/handoff/context/problem_type", "\" RESEARCH\""), "/handoff/context/problem_type",
     "\"research\"", NULL},
    {ADD("/handoff/context/problem_type", "\"reserch\""), "/handoff/context/problem_type", NULL,
     "\"research\""},
    {ADD("/handoff/context/problem_type", "\"chores\""), "/handoff/context/problem_type", NULL,
     NULL},
    {ADD("/handoff/meta/confidence", "\"lwo\""), "/handoff/meta/confidence", NULL, "\"low\""},
    {ADD("/handoff/meta/confidence", "\" HIGH \""), "/handoff/meta/confidence", "\"high\"", NULL},
    {ADD("/handoff/meta/confidence", "\"certain\""), "/handoff/meta/confidence", NULL,
     "\"medium\""},
    {ADD("/handoff/meta/confidence", "1"), "/handoff/meta/confidence", NULL, NULL},
    {ADD("/handoff/payload/session",
         "{\"artifacts\":[{\"name\":\"a\",\"path\":\"p\",\"type\":\"DATA\"}]}"),
     "/handoff/payload/session/artifacts/0/type", "\"data\"", NULL},
    /* date */
    {ADD(TIME, "\"2026-04-14 10:30+0200\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-14t08:30z\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00 UTC\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00UTC\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00utc\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00  Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14  08:30:00Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14T10:30:00 +02\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-14T03:30:00,250-05\""), TIME, "\"2026-04-14T08:30:00.250Z\"", NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00,Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14T08:30.5Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14T10:30:00.5+02:00\""), TIME, "\"2026-04-14T08:30:00.5Z\"", NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00+00:00\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-13T23:30:00-09:00\""), TIME, UTC, NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00+2:00\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-02-30 08:30:00Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-02-30T08:30:00Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14T24:00Z\""), TIME, NULL, NULL},
    {ADD(TIME, "\"0000-01-01T00:00:00+01:00\""), TIME, NULL, NULL},
    {ADD(TIME, "\"2026-04-14T08:30:00\""), TIME, NULL, UTC},
    {ADD(TIME, "\"2026-04-14 08:30\""), TIME, NULL, UTC},
    {ADD(TIME, "\"2026-04-14\""), TIME, NULL, "\"2026-04-14T00:00:00Z\""},
    {ADD(TIME, "\"2026-02-30\""), TIME, NULL, NULL},
    {ADD(TIME, "\"14.04.2026\""), TIME, NULL, NULL},
    {ADD("/handoff/expires_at", "\"2027-01-01 00:00+01\""), "/handoff/expires_at",
     "\"2026-12-31T23:00:00Z\"", NULL},
    /* identifier */
    {ADD(TRACE, "\"{6A0F2C1D-8B3E-4C57-9D21-5E7F90AB13C4}\""), TRACE, TRACE_ID, NULL},
    {ADD(TRACE, "\"urn:uuid:6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\""), TRACE, TRACE_ID, NULL},
    {ADD(TRACE, "\"6a0f2c1d8b3e4c579d215e7f90ab13c4\""), TRACE, TRACE_ID, NULL},
    {ADD(TRACE, "\"6A0F2C1D8B3E4C579D215E7F90AB13C4\""), TRACE, TRACE_ID, NULL},
    {ADD(TRACE, "\"{6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\""), TRACE, NULL, NULL},
    {ADD(TRACE, "\"6a0f2c1d8b3e-4c57-9d21-5e7f90ab13c4\""), TRACE, NULL, NULL},
    {ADD(TRACE, "\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c\""), TRACE, NULL, NULL},
    {ADD(HASH, "\"" HEX64 "\""), HASH, "\"sha256:" HEX64 "\"", NULL},
    {ADD(HASH, "\"SHA256:" HEX64_UPPER "\""), HASH, "\"sha256:" HEX64 "\"", NULL},
    {ADD(HASH, "\"sha256:" HEX64 "0\""), HASH, NULL, NULL},
    {ADD(HASH, "\"md5:" HEX64 "\""), HASH, NULL, NULL},
    {ADD("/handoff/payload/session", "{\"artifacts\":[{\"name\":\"a\",\"path\":\"p\",\"type\":"
                                     "\"data\",\"checksum\":\"" HEX64_UPPER "\"}]}"),
     "/handoff/payload/session/artifacts/0/checksum", "\"sha256:" HEX64 "\"", NULL},
    /* recount */
    {ADD("/handoff/meta/token_count", "\"128\""), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/meta/token_count", "-1"), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/meta/token_count", "2001"), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/meta/token_count", "12.5"), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/meta/token_count", "{}"), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/meta/token_count", "5"), "/handoff/meta/token_count", "128", NULL},
    {ADD("/handoff/meta/token_count", "100"), "/handoff/meta/token_count", "100", NULL},
    /* rename and remove */
    {ADD("/handoff/expire_at", UTC), "/handoff/expires_at", "", UTC},
    {ADD("/handoff/note", "[1]"), "/handoff/note", NULL, ""},
    {ADD("/$schema", "\"x\""), "/$schema", NULL, ""},
    {ADD("/handoff/Version", "\"9\""), "/handoff/Version", NULL, ""},
    {ADD("/handoff/meta/user_aproved", "true"), "/handoff/meta/user_approved", "", NULL},
    {ADD("/handoff/context/focusAreas", "[\"x\"]"), "/handoff/context/focus_areas", "", "[\"x\"]"},
    {ADD("/handoff/source/host", "\"x\""), "/handoff/source/host", NULL, NULL},
    {"[{\"op\":\"move\",\"from\":\"/handoff/source/phase\",\"path\":\"/handoff/source/Phase\"}]",
     "/handoff/source/phase", "", "\"Triage\""},
    {"[{\"op\":\"move\",\"from\":\"/handoff\",\"path\":\"/Handoff\"}]", "/handoff/version", "",
     "\"3.0\""},
    {ADD("/handoff/payload/working/skil", "1"), "/handoff/payload/working/skil", NULL, NULL},
    /* cut */
    {ADD("/handoff/context/summary", "\"" X497 "xxx\""), "/handoff/context/summary", NULL, NULL},
    {ADD("/handoff/context/summary", "\"" X497 "xxxx\""), "/handoff/context/summary", NULL,
     "\"" X497 "...\""},
    {ADD("/handoff/context/summary", "\"\""), "/handoff/context/summary", NULL, NULL},
    /* chain */
    {ADD("/handoff/meta/handoff_chain", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\","
                                        "\"j\",\"release-planner\"]"),
     "/handoff/meta/handoff_chain", NULL,
     "[\"a\",\"b\",\"c\",\"d\",\"e\",\"g\",\"h\",\"i\",\"j\",\"release-planner\"]"},
    {ADD("/handoff/meta/handoff_chain", "[]"), "/handoff/meta/handoff_chain", NULL, NULL},
};

static void expect_at(struct world *world, const struct row *row, bt_str text, bt_str expected,
                      const char *when)
{
    const bt_str actual = value_at(world, text, row->pointer);
    if (!bt_str_eq(actual, expected)) {
        fail_msg("%s\n%s: got %.*s, expected %.*s", row->patch, when, BT_STR_ARG(actual),
                 BT_STR_ARG(expected));
    }
}

static void each_spelling_is_mended_as_the_table_says(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        const bt_str broken = patched(&world, BT_STR(GOOD_HANDOFF), bt_str_of(row->patch));
        const bt_str before = value_at(&world, broken, row->pointer);
        const bt_str safe = row->safe ? bt_str_of(row->safe) : before;
        expect_at(&world, row, fixed(&world, broken, false).text, safe, "safe");
        expect_at(&world, row, fixed(&world, broken, true).text,
                  row->unsafe ? bt_str_of(row->unsafe) : safe, "unsafe");
    }
    world_end(&world);
}

/* The class of the fix of the first finding that has one. */
static enum bt_fix promised(struct world *world, bt_str text)
{
    const struct bt_check_options how = {.dialect = bt_dialect_find(BT_STR("universal")),
                                         .universal = &world->options};
    struct bt_judgement judged;
    assert_int_equal(
        bt_check_document(&world->env, &world->arena, BT_STR("h.json"), text, &how, &judged),
        BT_OK);
    enum bt_fix best = BT_FIX_NONE;
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        const enum bt_fix fix = bt_findings_at(judged.findings, i)->fix;
        best = best == BT_FIX_NONE || (fix != BT_FIX_NONE && fix < best) ? fix : best;
    }
    return best;
}

/* The class of the fix of the first finding of a code. */
static enum bt_fix fix_of(struct world *world, bt_str text, const char *code)
{
    const struct bt_check_options how = {.dialect = bt_dialect_find(BT_STR("universal")),
                                         .universal = &world->options};
    struct bt_judgement judged;
    assert_int_equal(
        bt_check_document(&world->env, &world->arena, BT_STR("h.json"), text, &how, &judged),
        BT_OK);
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged.findings, i);
        if (bt_str_eq(finding->rule->code, bt_str_of(code))) {
            return finding->fix;
        }
    }
    fail_msg("no %s in %.*s", code, BT_STR_ARG(text));
    return BT_FIX_NONE;
}

static void a_finding_promises_what_is_done(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bt_str broken = patched(&world, BT_STR(GOOD_HANDOFF), bt_str_of(rows[i].patch));
        const enum bt_fix fix = promised(&world, broken);
        const bool safe = fixed(&world, broken, false).outcome == BT_UNIVERSAL_FIXED;
        const bool unsafe = fixed(&world, broken, true).outcome == BT_UNIVERSAL_FIXED;
        if (safe != (fix == BT_FIX_SAFE) || unsafe != (fix != BT_FIX_NONE)) {
            fail_msg("%s: promised %.*s", rows[i].patch, BT_STR_ARG(bt_fix_name(fix)));
        }
    }
    world_end(&world);
}

#define MOVE(from, to) "[{\"op\":\"move\",\"from\":\"" from "\",\"path\":\"" to "\"}]"

/* A document that lacks a member, and the class of the fix that SCHEMA_REQUIRED promises. */
static const struct missing_row {
    const char *patch;
    const char *pointer; /* of the member that is missing */
    enum bt_fix fix;
    const char *safe;   /* what is there after the safe fixes; "" nothing */
    const char *unsafe; /* and after the others */
} missing_rows[] = {
    {REMOVE("/handoff/source/phase"), "/handoff/source/phase", BT_FIX_NONE, "", ""},
    {REMOVE(TIME), TIME, BT_FIX_SAFE, "\"2026-04-14T09:00:00Z\"", "\"2026-04-14T09:00:00Z\""},
    {MOVE("/handoff/context/summary", "/handoff/context/summry"), "/handoff/context/summary",
     BT_FIX_UNSAFE, "", "\"Build the fix for the date parser; three customers are blocked.\""},
    {MOVE("/handoff/source/workflow_id", "/handoff/source/workflow-Id"),
     "/handoff/source/workflow_id", BT_FIX_UNSAFE, "", "\"run-0412\""},
    {MOVE("/handoff/payload", "/handoff/payloda"), "/handoff/payload/working/ticket", BT_FIX_UNSAFE,
     "", "\"DP-118\""},
    {MOVE("/handoff", "/hand-off"), "/handoff/version", BT_FIX_UNSAFE, "", "\"3.0\""},
    /* A default must not take the place of what the author wrote under another name. */
    {MOVE(TRACE, "/handoff/traceId"), TRACE, BT_FIX_UNSAFE, "", TRACE_ID},
    {MOVE(TIME, "/handoff/time-stamp"), TIME, BT_FIX_UNSAFE, "", UTC},
    {MOVE("/handoff/meta/confidence", "/handoff/meta/confidense"), "/handoff/meta/confidence",
     BT_FIX_UNSAFE, "", "\"high\""},
    /* The misspelled name is like another member, or like none. */
    {MOVE("/handoff/source/phase", "/handoff/source/state"), "/handoff/source/phase", BT_FIX_NONE,
     "", ""},
};

static void a_missing_member_promises_the_rename_that_supplies_it(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world);
    for (size_t i = 0; i < COUNT_OF(missing_rows); i++) {
        const struct missing_row *row = &missing_rows[i];
        const bt_str broken = patched(&world, BT_STR(GOOD_HANDOFF), bt_str_of(row->patch));
        const struct row places = {row->patch, row->pointer, row->safe, row->unsafe};
        assert_int_equal(fix_of(&world, broken, "SCHEMA_REQUIRED"), row->fix);
        expect_at(&world, &places, fixed(&world, broken, false).text, bt_str_of(row->safe), "safe");
        expect_at(&world, &places, fixed(&world, broken, true).text, bt_str_of(row->unsafe),
                  "unsafe");
    }
    world_end(&world);
}

static void a_trace_id_that_is_made_up_is_told(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world);
    const bt_str missing = patched(&world, BT_STR(GOOD_HANDOFF), BT_STR(REMOVE(TRACE)));
    const struct bt_universal_result result = fixed(&world, missing, false);
    assert_int_equal(result.judged.verdict, BT_VERDICT_ACCEPTED);
    assert_true(has_code(&result.judged, "TRACE_ID_GENERATED"));
    const bt_str made = value_at(&world, result.text, TRACE);
    assert_true(bt_uuid_is_v4(bt_str_slice(made, 1, made.len - 1)));
    const struct bt_universal_result given = fixed(&world, BT_STR(GOOD_HANDOFF), false);
    assert_false(has_code(&given.judged, "TRACE_ID_GENERATED"));
    world_end(&world);
}

static void what_needs_nothing_is_left_byte_for_byte(void **state)
{
    (void)state;
    static const char *const texts[] = {GOOD_HANDOFF, " { \"handoff\" : {} }\n\n",
                                        "{\"handoff\":", "[]", "7"};
    struct world world;
    world_begin(&world);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const struct bt_universal_result result = fixed(&world, bt_str_of(texts[i]), true);
        const bool kept = bt_str_eq(result.text, bt_str_of(texts[i]));
        assert_int_equal(kept, result.outcome == BT_UNIVERSAL_UNCHANGED);
        assert_int_equal(result.outcome == BT_UNIVERSAL_UNCHANGED, i != 1);
    }
    world_end(&world);
}

static void two_members_never_get_one_name(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world);
    const bt_str broken = patched(
        &world, BT_STR(GOOD_HANDOFF),
        BT_STR("[{\"op\":\"add\",\"path\":\"/handoff/expire_at\",\"value\":\"2027-01-01\"},"
               "{\"op\":\"add\",\"path\":\"/handoff/expires-at\",\"value\":\"2028-01-01\"},"
               "{\"op\":\"add\",\"path\":\"/handoff/payload/sesion\",\"value\":{\"stat\":{}}},"
               "{\"op\":\"add\",\"path\":\"/handoff/payload/sessio\",\"value\":{}}]"));
    const struct bt_universal_result result = fixed(&world, broken, true);
    assert_str(value_at(&world, result.text, "/handoff/expires_at"), "\"2027-01-01T00:00:00Z\"");
    assert_str(value_at(&world, result.text, "/handoff/expires-at"), "");
    assert_str(value_at(&world, result.text, "/handoff/payload/session"), "{\"state\":{}}");
    assert_str(value_at(&world, result.text, "/handoff/payload/sessio"), "{}");
    world_end(&world);
}

/* Sealed truly or falsely, then broken in the payload, where a fix has to change it. */
static void a_true_seal_stays_true_and_a_false_one_false(void **state)
{
    (void)state;
    static const char *const seals[] = {
        "sha256:f6a9eb9d9d8fb45bc0ab25d5a0f8f1a0a4c1c1cf9d0e0e4c1c6bbd0a0a0a0a0a",
        NULL, /* the true one */
    };
    struct world world;
    world_begin(&world);
    const bt_str broken =
        patched(&world, BT_STR(GOOD_HANDOFF), BT_STR(ADD("/handoff/payload/session", "null")));
    const struct bt_universal_result plain = fixed(&world, broken, false);
    assert_str(value_at(&world, plain.text, HASH), "");
    for (size_t i = 0; i < COUNT_OF(seals); i++) {
        const bt_str payload = value_at(&world, broken, "/handoff/payload");
        char hex[BT_SHA256_HEX_BYTES];
        char patch[256];
        assert_int_equal(bt_sha256_hex(payload, hex), BT_OK);
        (void)snprintf(patch, sizeof(patch),
                       "[{\"op\":\"add\",\"path\":\"" HASH "\",\"value\":\"%s%s\"}]",
                       seals[i] ? seals[i] : "sha256:", seals[i] ? "" : hex);
        const bt_str sealed = patched(&world, broken, bt_str_of(patch));
        const struct bt_universal_result result = fixed(&world, sealed, true);
        assert_str(value_at(&world, result.text, "/handoff/payload/session"), "");
        assert_int_equal(has_code(&result.judged, "PAYLOAD_HASH_MISMATCH"), seals[i] != NULL);
        assert_int_equal(
            bt_str_eq(value_at(&world, sealed, HASH), value_at(&world, result.text, HASH)),
            seals[i] != NULL);
    }
    world_end(&world);
}

/* Give a fix every memory limit from little up, until it succeeds; then it is the usual one. */
static void running_out_of_memory_fixes_nothing(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world);
    const bt_str broken =
        patched(&world, BT_STR(GOOD_HANDOFF),
                BT_STR("[{\"op\":\"remove\",\"path\":\"/handoff/meta\"},"
                       "{\"op\":\"add\",\"path\":\"/handoff/note\",\"value\":1},"
                       "{\"op\":\"add\",\"path\":\"/handoff/source/phase\",\"value\":4}]"));
    const bt_str usual = fixed(&world, broken, true).text;
    const struct bt_universal_input input = {BT_STR("h.json"), broken, &world.options};
    enum bt_status status = BT_ENOMEM;
    size_t failures = 0;
    for (size_t limit = 1024; status != BT_OK && limit < (size_t)64 << 20; limit += limit / 16) {
        struct bt_arena arena;
        struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
        bt_arena_init(&arena, limit);
        status = bt_universal_fix(world.universal, &arena, &input,
                                  &(struct bt_fix_choice){.unsafe = true}, &result);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        assert_int_equal(status == BT_OK, result.outcome == BT_UNIVERSAL_FIXED);
        assert_true(status != BT_OK || bt_str_eq(result.text, usual));
        failures += status == BT_ENOMEM;
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(failures > 10);
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spelling_is_mended_as_the_table_says),
        cmocka_unit_test(a_finding_promises_what_is_done),
        cmocka_unit_test(a_missing_member_promises_the_rename_that_supplies_it),
        cmocka_unit_test(a_trace_id_that_is_made_up_is_told),
        cmocka_unit_test(what_needs_nothing_is_left_byte_for_byte),
        cmocka_unit_test(two_members_never_get_one_name),
        cmocka_unit_test(a_true_seal_stays_true_and_a_false_one_false),
        cmocka_unit_test(running_out_of_memory_fixes_nothing),
    };
    return RUN_TESTS(tests);
}
