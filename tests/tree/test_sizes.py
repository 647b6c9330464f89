# SPDX-License-Identifier: Apache-2.0
"""test_sizes.py ROOT - functions, files, folder pages and the root stay small."""
import sys

import check_sizes
import tap

ROOT = sys.argv[1]


def function(lines):
    """A function of so many lines, signature and braces included."""
    return "static int f(int a,\n             int b)\n{\n" + "    a += b;\n" * (lines - 4) + "}\n"


@tap.claim
def the_tree_is_small_enough():
    tap.expect_clean(check_sizes.check(ROOT))


@tap.claim
def seventy_lines_pass():
    with tap.sample({"src/base/x.c": "int g;\n\n" + function(70) + "\n" + function(70)}) as tree:
        tap.expect_clean(check_sizes.check(tree))


@tap.claim
def seventy_one_lines_are_refused():
    for place in ("src/base/x.c", "app/x.c", "tests/x.c", "fuzz/x.c", "include/baton/x.h"):
        with tap.sample({place: "int g;\n\n" + function(71)}) as tree:
            tap.expect_complaint(check_sizes.check(tree), f"{place}:3: f() has 71 lines")


@tap.claim
def braces_in_literals_and_comments_are_no_functions():
    text = 'const char *s = "\\\n{\\\n";\n/*\n{\n' + "\n" * 80 + "}\n*/\n"
    with tap.sample({"src/base/x.c": text}) as tree:
        tap.expect_clean(check_sizes.check(tree))


@tap.claim
def a_long_file_is_refused():
    with tap.sample({"src/base/x.c": "int a;\n" * (check_sizes.FILE_LINES_MAX + 1)}) as tree:
        tap.expect_complaint(check_sizes.check(tree), "src/base/x.c:1: 701 lines")


@tap.claim
def a_long_line_is_refused():
    with tap.sample({"src/base/x.c": "/*" + "*" * 96 + "*/\n/*" + "*" * 97 + "*/\n"}) as tree:
        tap.expect_complaint(check_sizes.check(tree), "src/base/x.c:2: 101 columns")
        tap.expect_clean([c for c in check_sizes.check(tree) if "x.c:1:" in c])


@tap.claim
def a_folder_page_over_thirty_lines_is_refused():
    with tap.sample({"src/base/README.md": "x\n" * 31}) as tree:
        tap.expect_complaint(check_sizes.check(tree), "src/base/README.md:1: 31 lines")


@tap.claim
def a_source_folder_without_a_page_is_refused():
    with tap.sample({"src/base/meson.build": "", "src/base/x.c": ""}) as tree:
        tap.expect_complaint(check_sizes.check(tree), "src/base: the folder has no README.md")


@tap.claim
def a_crowded_root_is_refused():
    with tap.sample({f"file{i}": "" for i in range(26)}) as tree:
        tap.expect_complaint(check_sizes.check(tree), "the root has 26 entries")


@tap.claim
def hidden_files_and_build_folders_do_not_crowd_the_root():
    with tap.sample({f"{name}{i}": "" for name in (".x", "build") for i in range(26)}) as tree:
        tap.expect_clean(check_sizes.check(tree))


sys.exit(tap.run())
