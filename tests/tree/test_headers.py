# SPDX-License-Identifier: Apache-2.0
"""test_headers.py ROOT CC CXX - headers compile alone, as C17 and (the public ones) as C++17."""
import shlex
import sys

import check_headers
import tap

ROOT = sys.argv[1]
COMPILERS = (shlex.split(sys.argv[2]), shlex.split(sys.argv[3]))


def guarded(guard, text):
    return f"#ifndef {guard}\n#define {guard}\n\n{text}\n\n#endif\n"


def public(text):
    return {"include/baton/x.h": guarded("BATON_X_H", text)}


@tap.claim
def the_headers_of_the_tree_compile_alone():
    tap.expect_clean(check_headers.check(ROOT, *COMPILERS))


@tap.claim
def good_samples_pass():
    files = {**public("#include <stddef.h>\nint bt_f(size_t n);"),
             "src/base/y.h": guarded("BATON_SRC_BASE_Y_H", "#include <baton/x.h>\n#define Y 1")}
    with tap.sample(files) as tree:
        tap.expect_clean(check_headers.check(tree, *COMPILERS))


@tap.claim
def a_header_that_leans_on_another_is_refused():
    with tap.sample(public("int bt_f(size_t n);")) as tree:
        tap.expect_complaint(check_headers.check(tree, *COMPILERS), "does not compile alone as C17")


@tap.claim
def a_public_header_that_is_no_cxx_is_refused():
    with tap.sample(public("int bt_f(int class);")) as tree:
        complaints = check_headers.check(tree, *COMPILERS)
        tap.expect_complaint(complaints, "does not compile alone as C++17")
        tap.expect_clean([c for c in complaints if "as C17" in c])


@tap.claim
def a_public_header_may_not_need_the_inside():
    with tap.sample({**public('#include "base/y.h"'), "src/base/y.h": ""}) as tree:
        tap.expect_complaint(check_headers.check(tree, *COMPILERS), "x.h:1: does not compile alone as C17")


@tap.claim
def a_guard_is_the_path():
    with tap.sample({"src/base/y.h": guarded("BATON_OTHER_H", "")}) as tree:
        tap.expect_complaint(check_headers.check(tree, *COMPILERS), "the guard of its path is BATON_SRC_BASE_Y_H")


sys.exit(tap.run())
