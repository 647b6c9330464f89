# SPDX-License-Identifier: Apache-2.0
"""test_banned.py ROOT - banned functions are called nowhere, and the checker sees each of them."""
import sys

import check_banned
import tap

ROOT = sys.argv[1]


def body(call):
    return f"void f(void)\n{{\n    {call};\n}}\n"


@tap.claim
def the_tree_calls_no_banned_function():
    tap.expect_clean(check_banned.check(ROOT))


@tap.claim
def every_banned_function_is_seen_everywhere():
    for folder in ("src/base", "app/cli", "tests/base", "fuzz", "include/baton"):
        for function in check_banned.BANNED:
            with tap.sample({f"{folder}/x.c": body(f"{function}(a)")}) as tree:
                tap.expect_complaint(check_banned.check(tree), f"{folder}/x.c:3: {function}() is banned")


@tap.claim
def what_has_a_home_is_seen_outside_it():
    for function in check_banned.LIBRARY:
        with tap.sample({"src/json/x.c": body(f"return ({function} (a))")}) as tree:
            tap.expect_complaint(check_banned.check(tree), f"src/json/x.c:3: {function}() may be called")


@tap.claim
def what_has_a_home_is_allowed_there_and_in_programs():
    for function, homes in check_banned.LIBRARY.items():
        for place in [*("src/" + home for home in homes), "app/cli/x.c", "tests/x.c"]:
            with tap.sample({place: body(f"{function}(a)")}) as tree:
                tap.expect_clean(check_banned.check(tree))


@tap.claim
def comments_strings_members_and_longer_names_are_no_calls():
    text = '/* malloc(1) */ // gets(x)\nconst char *s = "strcpy(a, b)";\n' + body("p->free(p), my_malloc(1), v.exit(2)")
    with tap.sample({"src/json/x.c": text}) as tree:
        tap.expect_clean(check_banned.check(tree))


sys.exit(tap.run())
