/* SPDX-License-Identifier: Apache-2.0 */
/* test_identify.c - whom documents are from and for, as their judgement tells. */
#include "test.h"

#include <baton/check.h>

#include "engine/check.h"
#include "ledger/ledger.h"

enum { ARENA_BYTES = 1 << 20 };

#define UNIVERSAL(source_, target_)                                                                \
    "{\"handoff\":{\"trace_id\":\"t-1\",\"source\":{\"skill\":\"" source_                          \
    "\"},\"target\":{\"skill\":\"" target_ "\"}}}"
#define MESSAGE(from_)                                                                             \
    "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta><from>" from_                \
    "</from><to>b</to><thread>t-1</thread></meta><hello xmlns=\"urn:x\"/></message>"

struct world {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
};

static void judge(struct world *world, enum bt_dialect_id dialect, const char *text)
{
    const struct bt_check_options options = {.dialect = dialect};
    assert_int_equal(bt_env_init(&world->env), BT_OK);
    bt_arena_init(&world->arena, ARENA_BYTES);
    assert_int_equal(bt_check_document(&world->env, &world->arena, BT_STR("x"), bt_str_of(text),
                                       &options, &world->judged),
                     BT_OK);
}

static const struct row {
    enum bt_dialect_id dialect;
    const char *text;
    const char *handoff_id;
    const char *trace_id;
    const char *source;
    const char *target;
    const char *speaker;
} rows[] = {
    {BT_DIALECT_UNIVERSAL, UNIVERSAL("plan\\u006eer", "b"), "", "t-1", "planner", "b", ""},
    {BT_DIALECT_UNIVERSAL, UNIVERSAL("a", ""), "", "t-1", "a", " ", ""}, /* there, and no name */
    {BT_DIALECT_UNIVERSAL, "{\"handoff\":{\"trace_id\":7,\"source\":\"a\"}}", "", "", "", "", ""},
    {BT_DIALECT_UNIVERSAL, "{\"handoff\":{\"trace_id\":\"t-1\"", "", "", "", "", ""},
    {BT_DIALECT_GOVERNED,
     "{\"handoff_id\":\"h\",\"source_agent\":{\"agent_id\":\"a\"},"
     "\"target_agent\":{\"agent_id\":\"b\"}}",
     "h", "", "a", "b", "a"},
    {BT_DIALECT_GOVERNED, "{\"handoff_id\":\"\",\"agent\":{\"agent_id\":\"c\"}}", " ", "", "", "",
     "c"},
    {BT_DIALECT_RESPONSE, "{\"response_id\":\"r\",\"agent\":{\"agent_id\":\"c\"}}", "", "", "", "",
     "c"},
    {BT_DIALECT_CONTRACT,
     "```agent_contract_handoff\n{\"agent_status\":{\"agent_id\":\"a80177b959c721da1\"}}\n```\n",
     "", "", "a80177b959c721da1", "", ""},
    {BT_DIALECT_CONTRACT, "no block", "", "", "", "", ""},
    {BT_DIALECT_XML, MESSAGE("a"), "", "t-1", "a", "b", ""},
    {BT_DIALECT_XML, MESSAGE(""), "", "", "", "", ""}, /* the envelope is not sound */
    {BT_DIALECT_JSON, "{\"handoff_id\":\"h\"}", "", "", "", "", ""},
};

static void a_judgement_tells_whom_the_document_is_from(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct world world;
        judge(&world, rows[i].dialect, rows[i].text);
        const struct bt_identity *identity = &world.judged.identity;
        const bool is_right = bt_str_eq(identity->handoff_id, bt_str_of(rows[i].handoff_id)) &&
                              bt_str_eq(identity->trace_id, bt_str_of(rows[i].trace_id)) &&
                              bt_str_eq(identity->source, bt_str_of(rows[i].source)) &&
                              bt_str_eq(identity->target, bt_str_of(rows[i].target)) &&
                              bt_str_eq(identity->speaker, bt_str_of(rows[i].speaker));
        if (!is_right) {
            fail_msg("row %zu: '%.*s' '%.*s' '%.*s' '%.*s' '%.*s'", i,
                     BT_STR_ARG(identity->handoff_id), BT_STR_ARG(identity->trace_id),
                     BT_STR_ARG(identity->source), BT_STR_ARG(identity->target),
                     BT_STR_ARG(identity->speaker));
        }
        bt_arena_free(&world.arena);
    }
}

static void a_submission_takes_the_names_that_the_document_has(void **state)
{
    (void)state;
    struct world world;
    judge(&world, BT_DIALECT_UNIVERSAL, UNIVERSAL("a", "b"));
    struct bt_submission item = {.judged = &world.judged, .entry = {.handoff_id = BT_STR("given")}};
    bt_submission_set_names(&item);
    assert_str(item.entry.handoff_id, "given");
    assert_str(item.entry.id_pointer, "");
    assert_str(item.entry.trace_id, "t-1");
    assert_str(item.entry.source, "a");
    assert_str(item.entry.target, "b");
    bt_arena_free(&world.arena);
    judge(&world, BT_DIALECT_GOVERNED, rows[4].text);
    bt_submission_set_names(&item);
    assert_str(item.entry.handoff_id, "h");
    assert_str(item.entry.id_pointer, "/handoff_id");
    bt_arena_free(&world.arena);
}

static void a_truncated_document_has_no_names(void **state)
{
    (void)state;
    struct world world;
    judge(&world, BT_DIALECT_UNIVERSAL, UNIVERSAL("a", "b"));
    struct bt_submission item = {.judged = &world.judged, .entry = {.is_truncated = true}};
    bt_submission_set_names(&item);
    assert_str(item.entry.source, "");
    bt_arena_free(&world.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_judgement_tells_whom_the_document_is_from),
        cmocka_unit_test(a_submission_takes_the_names_that_the_document_has),
        cmocka_unit_test(a_truncated_document_has_no_names),
    };
    return RUN_TESTS(tests);
}
