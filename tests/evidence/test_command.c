/* SPDX-License-Identifier: Apache-2.0 */
/* test_command.c - the normal form of commands, what an exit status proves, keys and quotations. */
#include "test.h"

#include "evidence/claims.h"
#include "evidence/command.h"
#include "evidence/outputs.h"

static struct bt_arena arena;

/* The segments of a text, words joined by a blank, segments by " / ". */
static bt_str form_text(const char *text)
{
    struct bt_command_form form;
    bt_str out = BT_STR("");
    assert_int_equal(bt_command_form_read(&arena, bt_str_of(text), &form), BT_OK);
    for (size_t i = 0; i < form.segment_count; i++) {
        for (size_t w = 0; w < form.segments[i].word_count; w++) {
            assert_int_equal(bt_arena_printf(&arena, &out, "%.*s%s%.*s", BT_STR_ARG(out),
                                             w > 0   ? " "
                                             : i > 0 ? " / "
                                                     : "",
                                             BT_STR_ARG(form.segments[i].words[w])),
                             BT_OK);
        }
    }
    return form.is_understood ? out : BT_STR("not understood");
}

static void what_makes_no_difference_is_left_out(void **state)
{
    (void)state;
    assert_str(form_text("$ npm test"), "npm test");
    assert_str(form_text("cd web && CI=1 npm test 2>&1 | tail -20"), "npm test");
    assert_str(form_text("timeout 60 python3 -m pytest -q 'tests/a.py'"), "pytest -q tests/a.py");
    assert_str(form_text("make lint; make docs; make test"), "make lint / make docs / make test");
    assert_str(form_text("sudo env A=1 B=2 nohup /usr/bin/make -j2"), "make -j2");
    assert_str(form_text("poetry run -- pytest"), "pytest");
    assert_str(form_text("npx jest a"), "jest a");
    assert_str(form_text("bash -lc 'cd x; go test ./...'"), "go test ./...");
    assert_str(form_text("timeout 5m sh -c \"npm ci && npm test\""), "npm ci / npm test");
    assert_str(form_text("make V=\"$x\" \"${y}z\""), "make V=$x ${y}z");
    assert_str(form_text("export A=1; cd b; echo done"), "");
    assert_str(form_text("case x in esac"), "not understood");
}

static void what_makes_a_difference_stays(void **state)
{
    (void)state;
    assert_str(form_text("npm run test"), "npm run test");
    assert_str(form_text("sudo -u me make"), "sudo -u me make");
    assert_str(form_text("timeout -k 1 make"), "timeout -k 1 make");
    assert_str(form_text("grep -r x src"), "grep -r x src");
    assert_str(form_text("python3 -m"), "python3 -m");
    assert_str(form_text("npx"), "npx");
    assert_str(form_text("echo $(npm test)"), "npm test");
}

static enum bt_segment_place place_of(const char *text, size_t index)
{
    struct bt_command_form form;
    assert_int_equal(bt_command_form_read(&arena, bt_str_of(text), &form), BT_OK);
    assert_true(index < form.segment_count);
    return form.segments[index].place;
}

static void an_exit_status_proves_only_what_it_can(void **state)
{
    (void)state;
    assert_int_equal(place_of("npm test", 0), BT_SEGMENT_LAST);
    assert_int_equal(place_of("cd a && npm test;", 0), BT_SEGMENT_LAST);
    assert_int_equal(place_of("make && npm test", 0), BT_SEGMENT_AND);
    assert_int_equal(place_of("make && npm test", 1), BT_SEGMENT_LAST);
    assert_int_equal(place_of("npm test | tail", 0), BT_SEGMENT_PIPED);
    assert_int_equal(place_of("set -o pipefail; npm test | tail", 0), BT_SEGMENT_LAST);
    assert_int_equal(place_of("set -euo pipefail\nmake\nnpm test | tail", 0), BT_SEGMENT_AND);
    assert_int_equal(place_of("npm test || true", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("make || npm test", 1), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("make && npm test || true", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("npm test; echo done", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("npm test\necho done", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("npm test; x=1", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("npm test && x=1; true", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("x=1; npm test", 0), BT_SEGMENT_LAST);
    assert_int_equal(place_of("npm test &", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("make && npm test &", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("(npm test)", 0), BT_SEGMENT_NESTED);
    assert_int_equal(place_of("! npm test", 0), BT_SEGMENT_NESTED);
    assert_int_equal(place_of("if npm test; then :; fi", 0), BT_SEGMENT_NESTED);
    assert_int_equal(place_of("time npm test", 0), BT_SEGMENT_LAST);
    assert_int_equal(place_of("echo $(npm test)", 0), BT_SEGMENT_NESTED);
    assert_int_equal(place_of("bash -c 'npm test'", 0), BT_SEGMENT_LAST);
    assert_int_equal(place_of("bash -c 'npm test; true'", 0), BT_SEGMENT_LISTED);
    assert_int_equal(place_of("true; bash -c 'npm test'", 1), BT_SEGMENT_NESTED);
}

static bool is_reading(const char *text)
{
    struct bt_command_form form;
    assert_int_equal(bt_command_form_read(&arena, bt_str_of(text), &form), BT_OK);
    return form.is_reading;
}

static void a_command_that_may_write_is_not_a_reading_one(void **state)
{
    (void)state;
    assert_true(is_reading("cat a | grep b > /dev/null"));
    assert_true(is_reading("git diff; find . -name x"));
    assert_false(is_reading("cat a > b"));
    assert_false(is_reading("git commit"));
    assert_false(is_reading("find . -delete"));
    assert_false(is_reading("find . $x"));
    assert_false(is_reading("ls $(touch a)"));
    assert_false(is_reading("case x in esac"));
}

static bool occurs(const char *claim, const char *text)
{
    struct bt_command_form form;
    assert_int_equal(bt_command_form_read(&arena, bt_str_of(claim), &form), BT_OK);
    const struct bt_command_key key = bt_command_key_of(&form);
    return bt_command_key_occurs(&key, bt_str_of(text));
}

static void a_key_is_found_as_whole_words(void **state)
{
    (void)state;
    assert_true(occurs("npm test -- a", "> npm\n test"));
    assert_true(occurs("npm test", "(npm test)"));
    assert_true(occurs("npm test", "ran npm test."));
    assert_true(occurs("pytest -q", "/usr/bin/pytest x"));
    assert_true(occurs("npm -v", "npm ci"));
    assert_false(occurs("npm test", "npm tests"));
    assert_false(occurs("npm test", "npmtest npm-test npm run test"));
    assert_false(occurs("pytest", "cat pytest.ini my-pytest xpytest"));
    assert_false(occurs("go test", "go\ttester"));
}

static bool is_quoted(const char *quotation, const char *output)
{
    struct bt_quotation wanted;
    struct bt_plain_text text;
    assert_int_equal(bt_quotation_read(&arena, bt_str_of(quotation), &wanted), BT_OK);
    assert_int_equal(bt_plain_text_read(&arena, bt_str_of(output), &text), BT_OK);
    bt_quotation_search(&wanted, &text);
    return bt_quotation_is_found(&wanted);
}

static void a_quotation_is_found_whatever_its_colours_and_blanks(void **state)
{
    (void)state;
    assert_true(is_quoted("Tests:  43 passed", "\x1b[32mTests:\x1b[0m \t43 passed, 43 total\r\n"));
    assert_true(is_quoted("$ npm test\na\n...\nb c...", "a\nx\nb c d"));
    assert_true(is_quoted("link", "\x1b]8;;http://x\x1b\\link\x1b]8;;\a"));
    assert_true(is_quoted("...\n\xe2\x80\xa6", "anything"));
    assert_false(is_quoted("b\na", "a\nb"));
    assert_false(is_quoted("44 passed", "43 passed"));
    assert_false(is_quoted("a", "\x1b[unended"));
}

static void paths_that_name_one_file_are_the_same(void **state)
{
    (void)state;
    assert_true(bt_paths_are_same(BT_STR("./src/a.c"), BT_STR("/repo/src/a.c")));
    assert_true(bt_paths_are_same(BT_STR("a"), BT_STR("./a")));
    assert_false(bt_paths_are_same(BT_STR("a.c"), BT_STR("src/a.c")));
    assert_false(bt_paths_are_same(BT_STR("a.c"), BT_STR("/repo/ba.c")));
    assert_false(bt_paths_are_same(BT_STR(""), BT_STR("/")));
}

static void bytes_that_are_not_utf_8_are_not_understood(void **state)
{
    (void)state;
    static const bt_str texts[] = {BT_STR_INIT("\xff"), BT_STR_INIT("make \xf0"),
                                   BT_STR_INIT("\xe2\x80 make")};
    for (size_t i = 0; i < BT_COUNT_OF(texts); i++) {
        struct bt_arena memory;
        struct bt_command_form form;
        bt_arena_init(&memory, 1 << 20);
        assert_int_equal(bt_command_form_read(&memory, texts[i], &form), BT_OK);
        assert_false(form.is_understood);
        assert_int_equal(form.segment_count, 0);
        bt_arena_free(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_not_utf_8_are_not_understood),
        cmocka_unit_test(what_makes_no_difference_is_left_out),
        cmocka_unit_test(what_makes_a_difference_stays),
        cmocka_unit_test(an_exit_status_proves_only_what_it_can),
        cmocka_unit_test(a_command_that_may_write_is_not_a_reading_one),
        cmocka_unit_test(a_key_is_found_as_whole_words),
        cmocka_unit_test(a_quotation_is_found_whatever_its_colours_and_blanks),
        cmocka_unit_test(paths_that_name_one_file_are_the_same),
    };
    bt_arena_init(&arena, 64 << 20);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bt_arena_free(&arena);
    return failed;
}
