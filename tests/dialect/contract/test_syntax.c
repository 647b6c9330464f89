/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_syntax.c - which mistake a body that is not JSON makes, wherever it stops.
 */
#include "test.h"

#include "dialect/contract/contract_check.h"

static void every_cut_of_a_document_is_truncated_or_whole(void **state)
{
    (void)state;
    const bt_str whole = BT_STR("{\"a\":[1,-2.5e3,true,null,\"x\\\"y\",{}],\"b\":{\"c\":false}}");
    for (size_t size = 0; size < whole.len; size++) {
        struct bt_arena arena;
        struct bt_json_read_result read = {0};
        bool fixable = true;
        const bt_str cut = bt_str_slice(whole, 0, size);
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, cut, NULL, &read), BT_OK);
        assert_int_equal(read.code, BT_JSON_ERROR_SYNTAX);
        assert_int_equal(bt_contract_check_syntax(cut, read.offset, &fixable),
                         BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED);
        assert_false(fixable);
        bt_arena_free(&arena);
    }
}

/* The line end before the closing fence belongs to the body. */
static void a_cut_before_the_fence_is_truncated_but_for_strings(void **state)
{
    (void)state;
    static const struct sample {
        const char *body;
        enum bt_contract_json_syntax_rule rule;
    } samples[] = {
        {"{\n", BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED},
        {"{\"a\"\r\n", BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED},
        {"{\"a\":tru\n", BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED},
        {"{\"a\":-\n", BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED},
        {"{\"a\":1.\n \n", BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED},
        {"{\"a\":1e\n", BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED},
        {"{\"a\":tru\n}\n", BT_CONTRACT_JSON_SYNTAX_RULE_OTHER},
        {"{\"a\":\"x\n", BT_CONTRACT_JSON_SYNTAX_RULE_CONTROL_CHARACTER},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct bt_arena arena;
        struct bt_json_read_result read = {0};
        bool fixable = true;
        const bt_str body = bt_str_of(samples[i].body);
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, body, NULL, &read), BT_OK);
        assert_int_equal(bt_contract_check_syntax(body, read.offset, &fixable), samples[i].rule);
        assert_false(fixable);
        bt_arena_free(&arena);
    }
}

/* Whatever byte is put anywhere: the walk ends, and says one of its words. */
static void every_byte_anywhere_is_classified(void **state)
{
    (void)state;
    char text[] = "{\"a\": [1, \"x\", {}], \"b\": null}";
    const size_t size = sizeof(text) - 1;
    for (size_t i = 0; i < size; i++) {
        const char kept = text[i];
        for (int byte = 0; byte < 0x80; byte++) {
            struct bt_arena arena;
            struct bt_json_read_result read = {0};
            bool fixable = false;
            text[i] = (char)byte;
            bt_arena_init(&arena, 1 << 20);
            assert_int_equal(bt_json_read(&arena, (bt_str){text, size}, NULL, &read), BT_OK);
            if (read.code == BT_JSON_ERROR_SYNTAX) {
                const enum bt_contract_json_syntax_rule rule =
                    bt_contract_check_syntax((bt_str){text, size}, read.offset, &fixable);
                assert_int_not_equal(rule, BT_CONTRACT_JSON_SYNTAX_RULE__NONE);
                assert_true(!fixable || rule == BT_CONTRACT_JSON_SYNTAX_RULE_COMMENT ||
                            rule == BT_CONTRACT_JSON_SYNTAX_RULE_TRAILING_COMMA);
            }
            bt_arena_free(&arena);
        }
        text[i] = kept;
    }
}

static void ids_of_hosts_are_mapped(void **state)
{
    (void)state;
    static const struct sample {
        const char *host;
        const char *id;
    } samples[] = {
        {"a12345", "a12345"},
        {"019A8F3E-7C1B-7D22-9A60-0242AC120002", "a019a8f3e7c1b7d229a600242ac120002"},
        {"12345", "a12345"},
        {"1234", "a03ac674216f3e15c761ee1a5e255f067"},
        {"", "ae3b0c44298fc1c149afbf4c8996fb924"},
        {"A12345", "aa12345"},
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        char id[BT_AGENT_ID_BYTES_MAX + 1];
        assert_int_equal(bt_contract_agent_id_from_runtime(bt_str_of(samples[i].host), id), BT_OK);
        assert_string_equal(id, samples[i].id);
        assert_true(bt_agent_id_is_valid(bt_str_of(id)));
    }
    char digits[200];
    char id[BT_AGENT_ID_BYTES_MAX + 1];
    memset(digits, 'F', sizeof(digits));
    assert_int_equal(bt_contract_agent_id_from_runtime((bt_str){digits, 127}, id), BT_OK);
    assert_int_equal(strlen(id), 128);
    assert_int_equal(bt_contract_agent_id_from_runtime((bt_str){digits, 128}, id), BT_OK);
    assert_int_equal(strlen(id), 33);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_of_a_document_is_truncated_or_whole),
        cmocka_unit_test(a_cut_before_the_fence_is_truncated_but_for_strings),
        cmocka_unit_test(every_byte_anywhere_is_classified),
        cmocka_unit_test(ids_of_hosts_are_mapped),
    };
    return RUN_TESTS(tests);
}
