/* SPDX-License-Identifier: Apache-2.0 */
/* test_record.c - the document of a call: digests, what is kept, what is masked or left out. */
#include "test.h"

#include <baton/schema.h>

#include "json/options.h"
#include "schema/builtin.h"
#include "wrap/record.h"

enum { LIMIT = 1 << 20 };

struct fixture {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_wrap_record *record;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    const struct bt_wrap_record_subject subject = {.server = BT_STR("fs"),
                                                   .session = BT_STR("session"),
                                                   .method = BT_STR("tools/call"),
                                                   .name = BT_STR("read"),
                                                   .class_name = BT_STR("read"),
                                                   .source = BT_STR("lab"),
                                                   .trace_id = BT_STR("trace"),
                                                   .n = 1};
    assert_non_null(fixture);
    assert_int_equal(bt_env_init(&fixture->env), BT_OK);
    bt_arena_init(&fixture->arena, SIZE_MAX);
    assert_int_equal(bt_wrap_record_create(&fixture->env, &subject, &fixture->record), BT_OK);
    fixture->record->event = BT_WRAP_EVENT_RETURNED;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    bt_wrap_record_destroy(fixture->record);
    bt_arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static const struct bt_json_doc *read_text(struct fixture *fixture, bt_str text)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    assert_int_equal(bt_json_read(&fixture->arena, text, NULL, &read), BT_OK);
    assert_non_null(read.document);
    return read.document;
}

/* Take the request of a message, and its arguments. */
static void take_request(struct fixture *fixture, const char *message)
{
    const struct bt_json_doc *document = read_text(fixture, bt_str_of(message));
    const bt_json_value *params = bt_json_get(document, bt_json_root(document), BT_STR("params"));
    const bt_json_value *arguments = bt_json_get(document, params, BT_STR("arguments"));
    assert_int_equal(bt_wrap_record_set_request(fixture->record, document, params), BT_OK);
    if (arguments) {
        assert_int_equal(
            bt_wrap_record_keep(fixture->record, BT_WRAP_KEPT_ARGUMENTS, document, arguments),
            BT_OK);
    }
}

static bt_str write_record(struct fixture *fixture, uint64_t limit)
{
    bt_str text = BT_STR("");
    assert_int_equal(bt_wrap_record_write(fixture->record, limit, &text), BT_OK);
    return text;
}

static bool holds(bt_str text, const char *part)
{
    return bt_str_find(text, bt_str_of(part)) < text.len;
}

static void assert_digest_of(const struct bt_wrap_part *part, const char *text)
{
    char digest[BT_SHA256_HEX_BYTES];
    assert_int_equal(bt_sha256_hex(bt_str_of(text), digest), BT_OK);
    assert_string_equal(part->sha256, digest);
    assert_int_equal(part->size, strlen(text));
}

/* Every member stands behind the one whose name is smaller. */
static void assert_sorted(const bt_json_value *object)
{
    const struct bt_json_member *members = bt_json_members(object);
    for (size_t i = 1; i < bt_json_count(object); i++) {
        assert_true(bt_str_compare(bt_json_name(&members[i - 1]), bt_json_name(&members[i])) < 0);
    }
}

static void a_request_is_digested_without_its_metadata(void **state)
{
    struct fixture *fixture = *state;
    take_request(fixture, "{\"params\":{\"name\":\"read\",\"_meta\":{\"progressToken\":1},"
                          "\"arguments\":{\"b\":1.0,\"a\":\"\\u00e9\"}}}");
    assert_digest_of(&fixture->record->request,
                     "{\"arguments\":{\"a\":\"\xc3\xa9\",\"b\":1},\"name\":\"read\"}");
    assert_true(fixture->record->request.is_exact);
}

static void a_number_without_exact_form_is_digested_as_it_was_written(void **state)
{
    struct fixture *fixture = *state;
    take_request(fixture,
                 "{\"params\":{\"name\":\"wire\",\"arguments\":{\"n\":9007199254740993}}}");
    assert_digest_of(&fixture->record->request,
                     "{\"arguments\":{\"n\":9007199254740993},\"name\":\"wire\"}");
    assert_false(fixture->record->request.is_exact);
}

static void no_params_count_as_an_empty_object(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(bt_wrap_record_set_request(fixture->record, NULL, NULL), BT_OK);
    assert_digest_of(&fixture->record->request, "{}");
}

static void a_credential_is_masked_and_its_place_is_named(void **state)
{
    struct fixture *fixture = *state;
    take_request(fixture, "{\"params\":{\"arguments\":{\"to\":[\"a\",\"use "
                          "ghp_aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3 now\"],\"n\":1e400}}}");
    const bt_str text = write_record(fixture, LIMIT);
    assert_false(holds(text, "ghp_"));
    assert_true(holds(text, "\"arguments\":{\"n\":1e400,\"to\":[\"a\",\"use *** now\"]}"));
    assert_true(holds(text, "\"redacted\":[\"/arguments/to/1\"]"));
}

static void a_credential_in_a_name_leaves_the_part_out(void **state)
{
    struct fixture *fixture = *state;
    take_request(fixture, "{\"params\":{\"arguments\":{\"x\":\"AKIA0123456789ABCDEF\","
                          "\"AKIA0123456789ABCDEF\":1}}}");
    const bt_str text = write_record(fixture, LIMIT);
    assert_false(holds(text, "AKIA"));
    assert_true(holds(text, "\"left_out\":[\"arguments\"]"));
    assert_false(holds(text, "\"redacted\""));
}

static void what_is_too_large_is_left_out_result_first(void **state)
{
    struct fixture *fixture = *state;
    const struct bt_json_doc *answer = read_text(
        fixture, BT_STR("{\"result\":{\"content\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}}"));
    const bt_json_value *result = bt_json_get(answer, bt_json_root(answer), BT_STR("result"));
    take_request(fixture, "{\"params\":{\"arguments\":{\"a\":\"yyyyyyyyyyyyyyyyyyyyyyyyyyy\"}}}");
    assert_int_equal(bt_wrap_record_keep(fixture->record, BT_WRAP_KEPT_RESULT, answer, result),
                     BT_OK);
    const bt_str whole = write_record(fixture, LIMIT);
    assert_true(holds(whole, "xxx") && holds(whole, "yyy") && !holds(whole, "left_out"));
    const bt_str shorter = write_record(fixture, whole.len - 1);
    assert_true(!holds(shorter, "xxx") && holds(shorter, "yyy"));
    assert_true(holds(shorter, "\"left_out\":[\"result\"]"));
    const bt_str shortest = write_record(fixture, 1); /* what is left is never dropped */
    assert_true(!holds(shortest, "xxx") && !holds(shortest, "yyy"));
    assert_true(holds(shortest, "\"left_out\":[\"arguments\",\"result\"]"));
    assert_true(holds(shortest, "\"request\""));
}

/* Members that may be there, and those that must be, in the order of their names. */
static void a_record_is_sorted_and_keeps_its_schema(void **state)
{
    struct fixture *fixture = *state;
    struct bt_wrap_record *record = fixture->record;
    struct bt_findings *findings = bt_findings_new(&fixture->arena);
    struct bt_schema *schema = NULL;
    struct bt_schema_runner *runner = NULL;
    take_request(fixture, "{\"params\":{\"name\":\"read\",\"arguments\":{\"token\":"
                          "\"AKIA0123456789ABCDEF\"}}}");
    assert_int_equal(bt_wrap_part_set_text(&record->response, BT_STR("{}")), BT_OK);
    assert_int_equal(bt_wrap_part_set_text(&record->delivered, BT_STR("{}")), BT_OK);
    record->refs.approval = BT_STR("P-1");
    record->refs.key_sha256 = BT_STR("00");
    record->refs.task = BT_STR("t");
    record->refs.manifest = BT_STR("11");
    record->missing = 2;
    record->tokens.is_known = true;
    record->is_left_out[BT_WRAP_KEPT_RESULT] = true;
    const bt_str text = write_record(fixture, LIMIT);
    const struct bt_json_doc *document = read_text(fixture, text);
    assert_sorted(bt_json_root(document));
    const struct bt_json_doc *source = read_text(fixture, bt_schema_builtin_of("mcp-call"));
    assert_int_equal(bt_schema_compile(source, NULL, findings, &schema), BT_OK);
    assert_int_equal(bt_schema_runner_create(NULL, &runner), BT_OK);
    assert_int_equal(bt_schema_run(schema, runner, document), BT_SCHEMA_VALID);
    /* the control: a document that is not such a record */
    assert_int_equal(bt_schema_run(schema, runner, source), BT_SCHEMA_INVALID);
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
}

/* Without the document an entry's digest cannot be confirmed by guessing what was asked. */
static void two_equal_calls_have_different_documents(void **state)
{
    struct fixture *fixture = *state;
    struct bt_wrap_record *other = NULL;
    bt_str one = BT_STR("");
    bt_str two = BT_STR("");
    bt_env_pin_seed(&fixture->env, 1); /* which does not make the salt predictable */
    bt_env_pin_clock(&fixture->env, &(bt_instant){1000, 0});
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(bt_wrap_record_create(&fixture->env, &fixture->record->subject, &other),
                         BT_OK);
        assert_int_equal(bt_wrap_record_set_request(other, NULL, NULL), BT_OK);
        assert_int_equal(bt_wrap_record_write(other, LIMIT, i == 0 ? &one : &two), BT_OK);
        assert_int_equal(bt_arena_copy(&fixture->arena, i == 0 ? one : two, i == 0 ? &one : &two),
                         BT_OK);
        bt_wrap_record_destroy(other);
    }
    assert_int_equal(one.len, two.len);
    assert_memory_not_equal(one.ptr, two.ptr, one.len);
}

static void every_event_is_found_by_its_word(void **state)
{
    (void)state;
    for (unsigned i = 1; i < BT_WRAP_EVENTS; i++) {
        const bt_str name = bt_wrap_event_name((enum bt_wrap_event)i);
        assert_true(name.len > 0);
        assert_int_equal(bt_wrap_event_find(name), i);
    }
    assert_int_equal(bt_wrap_event_find(BT_STR("eaten")), BT_WRAP_EVENT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_request_is_digested_without_its_metadata, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_number_without_exact_form_is_digested_as_it_was_written,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_params_count_as_an_empty_object, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_credential_is_masked_and_its_place_is_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_credential_in_a_name_leaves_the_part_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_too_large_is_left_out_result_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_record_is_sorted_and_keeps_its_schema, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_equal_calls_have_different_documents, set_up,
                                        tear_down),
        cmocka_unit_test(every_event_is_found_by_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
