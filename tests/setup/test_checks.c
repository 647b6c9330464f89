/* SPDX-License-Identifier: Apache-2.0 */
/* test_checks.c - wrong self-tests, kernels that lack something, clocks that are wrong. */
#include "../test.h"

#include <string.h>

#include "setup/doctor_run.h"
#include "setup/self_test.h"

struct place {
    struct bt_arena arena;
    struct bt_env env;
    struct setup_report report;
    struct setup_doctor_options options;
    struct setup_doctor doctor;
};

static void begin_place(struct place *place)
{
    memset(place, 0, sizeof(*place));
    bt_arena_init(&place->arena, 16 << 20);
    assert_int_equal(bt_env_init(&place->env), BT_OK);
    place->doctor = (struct setup_doctor){.env = &place->env,
                                          .arena = &place->arena,
                                          .options = &place->options,
                                          .report = &place->report,
                                          .home = BT_STR("/people/ann")};
}

static void end_place(struct place *place)
{
    bt_arena_free(&place->arena);
}

static const struct setup_check *last_check(const struct place *place)
{
    assert_true(place->report.count > 0);
    return &place->report.checks[place->report.count - 1];
}

static const char *run_self_tests(struct place *place, const struct setup_self_test *tests,
                                  size_t count)
{
    const char *failed = NULL;
    assert_int_equal(setup_self_test_run(&place->arena, tests, count, &failed), BT_OK);
    return failed;
}

static void the_tests_of_this_program_pass(void **state)
{
    struct place place;
    size_t count = 0;
    (void)state;
    begin_place(&place);
    const struct setup_self_test *tests = setup_self_tests(&count);
    assert_true(count > 10);
    assert_null(run_self_tests(&place, tests, count));
    end_place(&place);
}

/* Each test with its result changed must fail, and name its part. */
static void every_wrong_result_is_noticed(void **state)
{
    struct place place;
    size_t count = 0;
    (void)state;
    begin_place(&place);
    const struct setup_self_test *tests = setup_self_tests(&count);
    for (size_t i = 0; i < count; i++) {
        struct setup_self_test wrong = tests[i];
        wrong.is_valid = !wrong.is_valid;
        wrong.count++;
        wrong.digest = wrong.digest ? "00" : NULL;
        if (wrong.part != SETUP_PART_TABLES) {
            assert_non_null(run_self_tests(&place, &wrong, 1));
        }
    }
    end_place(&place);
}

static void missing_mechanisms_are_a_warning(void **state)
{
    const struct bt_sandbox_support whole = {
        .no_new_privs = true, .rlimits = true, .seccomp = true, .landlock = 4};
    struct bt_sandbox_support less = whole;
    struct place place;
    (void)state;
    begin_place(&place);
    assert_int_equal(setup_check_sandbox(&place.doctor, &whole), BT_OK);
    assert_int_equal(last_check(&place)->status, SETUP_OK);
    less.landlock = 0;
    assert_int_equal(setup_check_sandbox(&place.doctor, &less), BT_OK);
    assert_int_equal(last_check(&place)->status, SETUP_WARN);
    assert_true(strstr(last_check(&place)->message.ptr, "Landlock") != NULL);
    less.seccomp = false;
    assert_int_equal(setup_check_sandbox(&place.doctor, &less), BT_OK);
    assert_true(strstr(last_check(&place)->message.ptr, "Landlock, seccomp") != NULL);
    end_place(&place);
}

static void a_clock_before_the_release_fails(void **state)
{
    static const struct {
        const char *now;
        const char *release;
        enum setup_status status;
    } rows[] = {{"2026-11-30T23:59:59Z", "2026-12-01", SETUP_FAIL},
                {"2026-12-01T00:00:00Z", "2026-12-01", SETUP_OK},
                {"1970-01-02T00:00:00Z", "", SETUP_OK}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct place place;
        bt_instant now;
        begin_place(&place);
        assert_int_equal(bt_instant_parse(bt_str_of(rows[i].now), &now), BT_OK);
        bt_env_pin_clock(&place.env, &now);
        assert_int_equal(setup_check_clock(&place.doctor, bt_str_of(rows[i].release)), BT_OK);
        assert_int_equal(last_check(&place)->status, rows[i].status);
        end_place(&place);
    }
}

static void the_home_folder_is_not_shown(void **state)
{
    static const struct {
        const char *text;
        const char *shown;
    } rows[] = {{"/people/ann/x and /people/ann", "~/x and ~"},
                {"sqlite:/people/ann/s.db: gone", "sqlite:~/s.db: gone"},
                {"/people/anna/x", "/people/anna/x"},
                {"/srv/people/ann/x", "/srv/people/ann/x"},
                {"a\x1b[31mb", "a\\u001b[31mb"}};
    struct place place;
    (void)state;
    begin_place(&place);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            setup_add_check(&place.doctor, BT_STR("x"), SETUP_OK, bt_str_of(rows[i].text), NULL),
            BT_OK);
        if (strchr(rows[i].text, 0x1b)) {
            assert_null(
                memchr(last_check(&place)->message.ptr, 0x1b, last_check(&place)->message.len));
        } else {
            assert_string_equal(last_check(&place)->message.ptr, rows[i].shown);
        }
    }
    end_place(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tests_of_this_program_pass),
        cmocka_unit_test(every_wrong_result_is_noticed),
        cmocka_unit_test(missing_mechanisms_are_a_warning),
        cmocka_unit_test(a_clock_before_the_release_fails),
        cmocka_unit_test(the_home_folder_is_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
