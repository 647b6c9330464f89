# SPDX-License-Identifier: Apache-2.0
"""test_names.py ROOT - identifiers, comments and documentation use the words of the glossary."""
import sys

import check_names
import tap

ROOT = sys.argv[1]


@tap.claim
def the_tree_uses_plain_words():
    tap.expect_clean(check_names.check(ROOT))


@tap.claim
def a_banned_word_in_an_identifier_is_refused():
    with tap.sample({"src/x/a.c": "int bt_gong_count;\n"}) as tree:
        tap.expect_complaint(check_names.check(tree), "src/x/a.c:1: bt_gong_count has the word gong")


@tap.claim
def words_in_literals_and_longer_words_pass():
    with tap.sample({"src/x/a.c": 'const char *bt_text = "huh gong";\nint bt_waypoint;\n', "src/regex/a.c": "int bt_look_ahead;\n"}) as tree:
        tap.expect_clean(check_names.check(tree))


@tap.claim
def a_banned_phrase_is_refused():
    with tap.sample({"src/x/a.c": "/* Whoever calls it. */\nint a; /* this is no JSON */\n", "docs/x.md": "in small letters\n",
                     "tests/x/test_a.py": "# It is no folder.\n"}) as tree:
        for complaint in ("src/x/a.c:1: the phrase 'Whoever'", "src/x/a.c:2: the phrase 'is no JSON'", "docs/x.md:1: the phrase 'small letters'",
                          "tests/x/test_a.py:1: the phrase 'is no folder'"):
            tap.expect_complaint(check_names.check(tree), complaint)


@tap.claim
def there_is_no_and_is_no_longer_pass():
    with tap.sample({"src/x/a.c": "/* There is no limit; it is no longer needed. */\n"}) as tree:
        tap.expect_clean(check_names.check(tree))


@tap.claim
def an_exception_is_allowed_as_long_as_it_is_needed():
    listed = {check_names.ALLOWED: "# why\nsrc/x/a.c: bt_gong  # a name of another library\n"}
    with tap.sample({"src/x/a.c": "int bt_gong;\n", **listed}) as tree:
        tap.expect_clean(check_names.check(tree))
    with tap.sample({"src/x/a.c": "int bt_broadcast;\n", **listed}) as tree:
        tap.expect_complaint(check_names.check(tree), "nothing needs this line any more: src/x/a.c: bt_gong")


sys.exit(tap.run())
