/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"
#include "test.h"

#include "report/add.h"
#include "report/rules.h"

/* What tools/gen_tables.py makes of a rule with one parameter of each type. */
static const bt_str words[] = {BT_STR_INIT(""), BT_STR_INIT("old"), BT_STR_INIT("too-new")};
enum param { TEXT, NAME, NUMBER, INTEGER, TRUTH, TEXTS, JSON, WORD, EXTRA, KNOWN, SHOWN, PARAMS };
static const struct bt_rule_param params[] = {
    [TEXT] = {.name = BT_STR_INIT("text"), .type = BT_PARAM_TEXT},
    [NAME] = {.name = BT_STR_INIT("name"), .type = BT_PARAM_NAME},
    [NUMBER] = {.name = BT_STR_INIT("number"), .type = BT_PARAM_NUMBER},
    [INTEGER] = {.name = BT_STR_INIT("integer"), .type = BT_PARAM_INTEGER},
    [TRUTH] = {.name = BT_STR_INIT("truth"), .type = BT_PARAM_BOOL},
    [TEXTS] = {.name = BT_STR_INIT("texts"), .type = BT_PARAM_TEXTS},
    [JSON] = {.name = BT_STR_INIT("json"), .type = BT_PARAM_JSON},
    [WORD] = {.name = BT_STR_INIT("word"), .type = BT_PARAM_WORD, .words = words, .word_count = 2},
    [EXTRA] = {.name = BT_STR_INIT("extra"), .type = BT_PARAM_TEXT, .is_optional = true},
    [KNOWN] = {.name = BT_STR_INIT("known"),
               .type = BT_PARAM_INTEGER,
               .is_optional = true,
               .is_null = true},
    [SHOWN] = {.name = BT_STR_INIT("shown"), .type = BT_PARAM_NAME, .is_hidden = true},
};

/* Parameters by their letters: A is TEXT. Forms: A plain, B raw, C cut, D long, E list, F words. */
#define MESSAGES                                                                                   \
    "\1IAthere is \2IA\2IB cut \2IC long \2ID!\3"                                                  \
    "\1HC\1EBit is new\3"                                                                          \
    "a \2AA \2BA \2CA \2DA \2EA \2HA \2KA \2FE\3"
static const struct bt_rule_refusal refusals[] = {
    {BT_REFUSAL_GONE, BT_STR_INIT("word"), BT_STR_INIT("too-new")},
    {BT_REFUSAL_CONFLICT, BT_STR_INIT("pointer"), BT_STR_INIT("")},
    {BT_REFUSAL_FORBIDDEN, BT_STR_INIT(""), BT_STR_INIT("")},
};
static const struct bt_rule_form form = {
    params, PARAMS, BT_STR_INIT(MESSAGES), BT_STR_INIT("\1IAit is new\3"), refusals, 3,
};
static const struct bt_rule_form other_form = {
    params, PARAMS, BT_STR_INIT("all: \2FF\3"), BT_STR_INIT(""), NULL, 0,
};
static const struct bt_rule rule = {.id = 7,
                                    .code = BT_STR_INIT("X"),
                                    .severity = BT_SEVERITY_WARN,
                                    .stage = BT_STAGE_SCHEMA,
                                    .meaning = BT_STR_INIT("it is so"),
                                    .form = &form};

static const bt_str list[] = {BT_STR_INIT("one"), BT_STR_INIT("t\"wo")};

struct sample {
    struct bt_arena arena;
    struct bt_findings *findings;
    struct bt_finding_arg args[PARAMS];
    struct bt_new_finding added;
};

static void open_sample(struct sample *sample, size_t bytes)
{
    bt_arena_init(&sample->arena, bytes);
    sample->findings = bt_findings_new(&sample->arena);
    for (size_t i = 0; i < PARAMS; i++) {
        sample->args[i] = (struct bt_finding_arg){.is_absent = false};
    }
    sample->args[TEXT].as.text = BT_STR("a\nb");
    sample->args[NAME].as.text = BT_STR("a\"b");
    sample->args[NUMBER].as.text = BT_STR("1.50");
    sample->args[INTEGER].as.integer = UINT64_MAX;
    sample->args[TEXTS].as.texts = (struct bt_str_list){list, 2};
    sample->args[JSON].as.text = BT_STR("[null]");
    sample->args[WORD].as.word = 2;
    sample->args[EXTRA].is_absent = true;
    sample->args[KNOWN].is_absent = true;
    sample->args[SHOWN].as.text = BT_STR("seen");
    sample->added = bt_new_finding(&rule, bt_location_whole());
    sample->added.args = sample->args;
    sample->added.arg_count = PARAMS;
}

static const struct bt_finding *add_sample(struct sample *sample)
{
    assert_int_equal(bt_findings_add_new(sample->findings, &sample->added), BT_OK);
    return bt_findings_at(sample->findings, bt_findings_count(sample->findings) - 1);
}

static void parameters_are_put_into_messages_by_their_type(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    const struct bt_finding *finding = add_sample(&sample);
    assert_str(finding->message,
               "a \"a\\nb\" a\"b 1.50 18446744073709551615 false too-new seen one, t\"wo");
    assert_str(finding->hint, "");
    assert_int_equal(finding->code, 7);
    assert_int_equal(finding->severity, BT_SEVERITY_WARN);
    sample.args[TRUTH].as.truth = true;
    assert_str(add_sample(&sample)->message, "it is new");
    sample.args[WORD].as.word = 1;
    assert_int_equal(add_sample(&sample)->message.ptr[0], 'a');
    sample.args[EXTRA] = (struct bt_finding_arg){.as.text = BT_STR("x\ty")};
    finding = add_sample(&sample);
    assert_str(finding->message, "there is \"x\\ty\"x\\ty cut x\\ty long x\\ty!");
    assert_str(finding->hint, "it is new");
    bt_arena_free(&sample.arena);
}

static void long_texts_are_cut_as_their_template_says(void **state)
{
    (void)state;
    enum { WHOLE = 300, CUT = 80, LONG = 200 };
    static char bytes[WHOLE];
    struct sample sample;
    memset(bytes, 'a', sizeof(bytes));
    open_sample(&sample, SIZE_MAX);
    sample.args[EXTRA] = (struct bt_finding_arg){.as.text = {bytes, WHOLE}};
    const bt_str message = add_sample(&sample)->message;
    const bt_str cut = bt_str_slice(message, bt_str_find_byte(message, 'c', 0), message.len);
    const size_t number_of_long = bt_str_find_byte(cut, 'l', 0);
    assert_true(message.len - cut.len > WHOLE + CUT);
    assert_true(number_of_long >= CUT && number_of_long < CUT + 16);
    assert_true(cut.len - number_of_long >= LONG && cut.len - number_of_long < LONG + 16);
    bt_arena_free(&sample.arena);
}

static void another_form_of_a_rule_has_its_own_texts(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    sample.args[EXTRA].is_absent = false;
    sample.args[EXTRA].as.text = BT_STR("x");
    sample.added.form = &other_form;
    const struct bt_finding *finding = add_sample(&sample);
    assert_str(finding->message, "all: one t\"wo");
    assert_str(finding->hint, "");
    assert_ptr_equal(finding->rule, &rule);
    assert_int_equal(bt_finding_http_status(finding), 410);
    bt_arena_free(&sample.arena);
}

static void parameters_are_written_as_json(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    const struct bt_finding *finding = add_sample(&sample);
    assert_str(test_params(finding),
               "{\"text\":\"a\\nb\",\"name\":\"a\\\"b\",\"number\":1.50,"
               "\"integer\":18446744073709551615,\"truth\":false,\"texts\":[\"one\",\"t\\\"wo\"],"
               "\"json\":[null],\"word\":\"too-new\",\"known\":null}");
    assert_null(bt_finding_arg(finding, BT_STR("extra")));
    assert_null(bt_finding_arg(finding, BT_STR("shown")));
    assert_int_equal(bt_finding_arg(finding, BT_STR("integer"))->as.integer, UINT64_MAX);
    sample.added.arg_count = 0;
    sample.added.message = BT_STR("composed");
    finding = add_sample(&sample);
    assert_str(finding->message, "composed");
    assert_str(test_params(finding), "");
    bt_arena_free(&sample.arena);
}

static void a_text_that_is_cut_in_params_is_whole_in_the_message(void **state)
{
    (void)state;
    static const struct bt_rule_param cut = {
        .name = BT_STR_INIT("actual"), .type = BT_PARAM_TEXT, .is_cut = true};
    static const struct bt_rule_form cut_form = {
        &cut, 1, BT_STR_INIT("\2AB\3"), BT_STR_INIT(""), NULL, 0,
    };
    static const char eighty_two[] = "0123456789012345678901234567890123456789"
                                     "012345678901234567890123456789012345678\xc3\xa4!";
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    struct bt_finding_arg arg = {.as.text = bt_str_of(eighty_two)};
    sample.added.form = &cut_form;
    sample.added.args = &arg;
    sample.added.arg_count = 1;
    const struct bt_finding *finding = add_sample(&sample);
    assert_true(bt_str_eq(finding->message, bt_str_of(eighty_two)));
    assert_int_equal(finding->args[0].as.text.len, 79);
    sample.added.args = &(struct bt_finding_arg){.as.text = BT_STR("a")};
    assert_str(add_sample(&sample)->args[0].as.text, "a");
    bt_arena_free(&sample.arena);
}

static void a_location_in_a_table_is_a_row_or_a_cell(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    sample.added.at = bt_location_cell(0, BT_STR(""), 3);
    const struct bt_finding *finding = add_sample(&sample);
    assert_str(finding->pointer, "/0");
    assert_int_equal(finding->offset, 3);
    sample.added.at = bt_location_cell(12, BT_STR("a/b"), 40);
    assert_str(add_sample(&sample)->pointer, "/12/a~1b");
    bt_arena_free(&sample.arena);
}

static void a_location_is_a_value_or_a_pointer(void **state)
{
    (void)state;
    struct sample sample;
    struct bt_json_read_result read = {0};
    open_sample(&sample, SIZE_MAX);
    assert_int_equal(bt_json_read(&sample.arena, BT_STR("{\"a\":[1,2]}"), NULL, &read), BT_OK);
    const bt_json_value *value =
        bt_json_resolve(read.document, bt_json_root(read.document), BT_STR("/a/1"));
    const struct bt_finding *finding = add_sample(&sample);
    assert_str(finding->pointer, "");
    assert_true(finding->offset == BT_OFFSET_NONE);
    sample.added.at = bt_location_value(read.document, value);
    finding = add_sample(&sample);
    assert_str(finding->pointer, "/a/1");
    assert_int_equal(finding->offset, 8);
    sample.added.at.pointer = BT_STR("/elsewhere");
    sample.added.at.offset = 100;
    finding = add_sample(&sample);
    assert_str(finding->pointer, "/elsewhere");
    assert_int_equal(finding->offset, 108);
    sample.added.at = bt_location_pointer(BT_STR("/b"), 3);
    finding = add_sample(&sample);
    assert_str(finding->pointer, "/b");
    assert_int_equal(finding->offset, 3);
    sample.added.at = bt_location_value(read.document, NULL);
    assert_true(add_sample(&sample)->offset == BT_OFFSET_NONE);
    sample.added.at.status = BT_ELIMIT; /* a pointer that could not be written is not left out */
    const size_t count = bt_findings_count(sample.findings);
    assert_int_equal(bt_findings_add_new(sample.findings, &sample.added), BT_ELIMIT);
    assert_int_equal(bt_findings_count(sample.findings), count);
    bt_arena_free(&sample.arena);
}

static void hard_findings_are_found_from_an_index_on(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    (void)add_sample(&sample);
    assert_false(bt_findings_have_hard(sample.findings, 0));
    sample.added.severity = BT_SEVERITY_HARD;
    (void)add_sample(&sample);
    assert_true(bt_findings_have_hard(sample.findings, 0));
    assert_true(bt_findings_have_hard(sample.findings, 1));
    assert_false(bt_findings_have_hard(sample.findings, 2));
    bt_arena_free(&sample.arena);
}

static void findings_equal_in_all_parameters_are_dropped(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    (void)add_sample(&sample);
    (void)add_sample(&sample);
    sample.args[SHOWN].as.text = BT_STR("not a parameter of the report");
    (void)add_sample(&sample);
    for (size_t i = 0; i < PARAMS - 1; i++) { /* each of them alone tells findings apart */
        struct bt_finding_arg before = sample.args[i];
        sample.args[i].is_absent = false;
        switch (params[i].type) {
        case BT_PARAM_INTEGER:
            sample.args[i].as.integer = 5;
            break;
        case BT_PARAM_BOOL:
            sample.args[i].as.truth = true;
            break;
        case BT_PARAM_TEXTS:
            sample.args[i].as.texts.count = 1;
            break;
        case BT_PARAM_WORD:
            sample.args[i].as.word = 1;
            break;
        case BT_PARAM_TEXT:
        case BT_PARAM_NAME:
        case BT_PARAM_NUMBER:
        case BT_PARAM_JSON:
            sample.args[i].as.text = BT_STR("2");
            break;
        }
        (void)add_sample(&sample);
        sample.args[i] = before;
    }
    assert_int_equal(bt_findings_finish(sample.findings, BT_STR("")), BT_OK);
    assert_int_equal(bt_findings_count(sample.findings), 1 + PARAMS - 1);
    bt_arena_free(&sample.arena);
}

static void the_refusal_follows_the_first_condition_that_holds(void **state)
{
    (void)state;
    struct sample sample;
    open_sample(&sample, SIZE_MAX);
    assert_int_equal(bt_finding_http_status(add_sample(&sample)), 410);
    sample.args[WORD].as.word = 1;
    assert_int_equal(bt_finding_http_status(add_sample(&sample)), 409);
    sample.added.at = bt_location_pointer(BT_STR("/a"), 0);
    assert_int_equal(bt_finding_http_status(add_sample(&sample)), 403);
    bt_arena_free(&sample.arena);
}

static void refusals_of_the_tables_are_told_by_status(void **state)
{
    (void)state;
    static const struct row {
        unsigned code;
        enum bt_dialect_id dialect;
        const char *pointer;
        const char *params;
        unsigned status;
    } rows[] = {
        {BT_CODE_HASH_VERIFICATION_FAILURE, BT_DIALECT_GOVERNED, "", "", 403},
        {BT_CODE_HASH_VERIFICATION_FAILURE, BT_DIALECT_GOVERNED, "",
         "{\"a\":1,\"reason\":\"lock_unavailable\"}", 503},
        {BT_CODE_HASH_VERIFICATION_FAILURE, BT_DIALECT_GOVERNED, "",
         "{\"reason\":\"lock_unavailable2\"}", 403},
        {BT_CODE_SCHEMA_TYPE, BT_DIALECT_JSON, "", "", 400},
        {BT_CODE_SCHEMA_TYPE, BT_DIALECT_UNIVERSAL, "/a", "", 422},
        {BT_CODE_JSON_SYNTAX, BT_DIALECT_JSON, "", "", 400},
        {BT_CODE_JSON_TOO_LARGE, BT_DIALECT_JSON, "", "", 413},
        {BT_CODE_REPLAYED_ID, BT_DIALECT_RAW, "", "", 409},
        {BT_CODE_MANIFEST_UNUSABLE, BT_DIALECT_GOVERNED, "", "", 503},
        {BT_CODE_SELF_LOOP, BT_DIALECT_UNIVERSAL, "", "", 422},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bt_finding finding =
            bt_finding_from_rule(bt_rule_of_dialect(rows[i].code, rows[i].dialect));
        finding.pointer = bt_str_of(rows[i].pointer);
        test_set_params(&finding, &arena, bt_str_of(rows[i].params));
        assert_int_equal(bt_finding_http_status(&finding), rows[i].status);
    }
    bt_arena_free(&arena);
}

static void rows_are_found_by_code_and_dialect(void **state)
{
    (void)state;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *row = bt_rules_at(i);
        assert_ptr_equal(bt_rule_of_dialect(row->id, row->dialect_id), row);
        assert_true(bt_str_eq(bt_code_name(row->id), row->code));
    }
    assert_null(bt_rule_of_dialect_or_null(BT_CODE_SELF_LOOP, BT_DIALECT_PLAN));
}

static void a_finding_is_added_whole_or_not_at_all(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    for (size_t bytes = 16; status != BT_OK; bytes += 16) {
        struct sample sample;
        open_sample(&sample, bytes);
        status = BT_ENOMEM;
        if (sample.findings) {
            status = bt_findings_add_new(sample.findings, &sample.added);
            assert_int_equal(bt_findings_count(sample.findings), status == BT_OK);
        }
        assert_true(status == BT_OK || status == BT_ENOMEM);
        assert_true(bytes < 1 << 20);
        bt_arena_free(&sample.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_put_into_messages_by_their_type),
        cmocka_unit_test(long_texts_are_cut_as_their_template_says),
        cmocka_unit_test(another_form_of_a_rule_has_its_own_texts),
        cmocka_unit_test(parameters_are_written_as_json),
        cmocka_unit_test(a_text_that_is_cut_in_params_is_whole_in_the_message),
        cmocka_unit_test(a_location_is_a_value_or_a_pointer),
        cmocka_unit_test(a_location_in_a_table_is_a_row_or_a_cell),
        cmocka_unit_test(hard_findings_are_found_from_an_index_on),
        cmocka_unit_test(findings_equal_in_all_parameters_are_dropped),
        cmocka_unit_test(the_refusal_follows_the_first_condition_that_holds),
        cmocka_unit_test(refusals_of_the_tables_are_told_by_status),
        cmocka_unit_test(rows_are_found_by_code_and_dialect),
        cmocka_unit_test(a_finding_is_added_whole_or_not_at_all),
    };
    return RUN_TESTS(tests);
}
