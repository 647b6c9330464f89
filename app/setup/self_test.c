/* SPDX-License-Identifier: Apache-2.0 */
/* self_test.c - known inputs with known results. */
#include "self_test.h"

#include <string.h>

#include <baton/json.h>
#include <baton/report.h>
#include <baton/schema.h>
#include "base/env.h"
#include "report/report.h"
#include "schema/builtin.h"
#include "schema/options.h"
#include "token/tokens.h"

#define SAMPLE                                                                                     \
    "Baton checks every handoff: na\xc3\xafve, \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e, 1234567."
#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"integer\"}},"     \
    "\"additionalProperties\":false}"

static const struct setup_self_test tests[] = {
    {.part = SETUP_PART_READER,
     .input = "{\"a\":[1,-2.5e3,\"\\u00e9\",null,true]}",
     .is_valid = true},
    {.part = SETUP_PART_READER, .input = "{\"a\":1,\"a\":2}"},
    {.part = SETUP_PART_READER, .input = "[1,]"},
    {.part = SETUP_PART_READER, .input = "\"\xff\""},
    {.part = SETUP_PART_SCHEMA, .input = "{\"a\":1}", .is_valid = true},
    {.part = SETUP_PART_SCHEMA, .input = "{\"a\":\"1\"}"},
    {.part = SETUP_PART_SCHEMA, .input = "{\"a\":1,\"b\":2}"},
    {.part = SETUP_PART_SCHEMA, .input = "{}"},
    {.part = SETUP_PART_TOKENS, .input = SAMPLE, .encoding = BT_ENCODING_O200K_BASE, .count = 18},
    {.part = SETUP_PART_TOKENS, .input = SAMPLE, .encoding = BT_ENCODING_CL100K_BASE, .count = 20},
    {.part = SETUP_PART_HASH,
     .input = "abc",
     .digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {.part = SETUP_PART_TABLES},
};

const struct setup_self_test *setup_self_tests(size_t *out_count)
{
    *out_count = sizeof(tests) / sizeof(tests[0]);
    return tests;
}

static enum bt_status read_text(struct bt_arena *arena, bt_str text, const struct bt_json_doc **out)
{
    struct bt_json_read_result read = {0};
    /* from: a constant of this program */
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    *out = read.document;
    return BT_OK;
}

static enum bt_status test_schema(struct bt_arena *arena, const struct setup_self_test *test,
                                  bool *out_right)
{
    const struct bt_json_doc *definition = NULL;
    const struct bt_json_doc *document = NULL;
    struct bt_schema *schema = NULL;
    BT_TRY(read_text(arena, BT_STR(SCHEMA), &definition));
    BT_TRY(read_text(arena, bt_str_of(test->input), &document));
    if (!definition || !document) {
        return BT_OK;
    }
    BT_TRY(bt_schema_compile(definition, NULL, NULL, &schema));
    struct bt_schema_runner *runner = bt_schema_runner_with(NULL);
    if (schema && runner) {
        const enum bt_schema_result wanted = test->is_valid ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
        *out_right = bt_schema_run(schema, runner, document) == wanted;
    }
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
    return runner ? BT_OK : BT_ENOMEM;
}

static enum bt_status test_tokens(const struct setup_self_test *test, bool *out_right)
{
    struct bt_tokens counter;
    uint64_t count = 0;
    bt_tokens_init(&counter, test->encoding);
    const enum bt_status status = bt_tokens_count(&counter, bt_str_of(test->input), &count);
    bt_tokens_free(&counter);
    *out_right = status == BT_OK && count == test->count;
    return status == BT_ENOMEM ? status : BT_OK;
}

static enum bt_status test_hash(const struct setup_self_test *test, bool *out_right)
{
    char digest[BT_SHA256_HEX_BYTES];
    *out_right =
        bt_sha256_hex(bt_str_of(test->input), digest) == BT_OK && strcmp(digest, test->digest) == 0;
    return BT_OK;
}

/* Every rule is found by its code, and every built-in schema is JSON. */
static enum bt_status test_tables(struct bt_arena *arena, bool *out_right)
{
    bool is_right = bt_rules_count() > 0 && bt_schema_builtin_count() > 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const bt_str code = bt_rules_at(i)->code;
        const size_t first = bt_rules_find(code);
        is_right = is_right && first <= i && bt_str_eq(bt_rules_at(first)->code, code);
    }
    for (size_t i = 0; is_right && i < bt_schema_builtin_count(); i++) {
        const struct bt_json_doc *document = NULL;
        BT_TRY(read_text(arena, bt_schema_builtin_at(i)->text, &document));
        is_right = document != NULL;
    }
    *out_right = is_right;
    return BT_OK;
}

static enum bt_status run_test(struct bt_arena *arena, const struct setup_self_test *test,
                               bool *out_right)
{
    const struct bt_json_doc *document = NULL;
    switch (test->part) {
    case SETUP_PART_READER:
        BT_TRY(read_text(arena, bt_str_of(test->input), &document));
        *out_right = (document != NULL) == test->is_valid;
        return BT_OK;
    case SETUP_PART_SCHEMA:
        return test_schema(arena, test, out_right);
    case SETUP_PART_TOKENS:
        return test_tokens(test, out_right);
    case SETUP_PART_HASH:
        return test_hash(test, out_right);
    case SETUP_PART_TABLES:
        return test_tables(arena, out_right);
    }
    return BT_EINVAL;
}

enum bt_status setup_self_test_run(struct bt_arena *arena, const struct setup_self_test *rows,
                                   size_t count, const char **out_failed)
{
    static const char *const names[] = {[SETUP_PART_READER] = "the JSON reader",
                                        [SETUP_PART_SCHEMA] = "the schema engine",
                                        [SETUP_PART_TOKENS] = "the token counter",
                                        [SETUP_PART_HASH] = "the hash",
                                        [SETUP_PART_TABLES] = "a built-in table"};
    *out_failed = NULL;
    for (size_t i = 0; i < count && !*out_failed; i++) {
        bool is_right = false;
        BT_TRY(run_test(arena, &rows[i], &is_right));
        *out_failed = is_right ? NULL : names[rows[i].part];
    }
    return BT_OK;
}
