# SPDX-License-Identifier: Apache-2.0
"""test_headers.py ROOT CC CXX - headers compile alone, as C17 and (the public ones) as C++17, and stable ones hold what may last."""
import pathlib
import shlex
import subprocess
import sys

ROOT = sys.argv[1]
sys.path[:0] = [str(pathlib.Path(ROOT) / "tools"), str(pathlib.Path(ROOT) / "tests/tree")]

import check_headers  # noqa: E402
import tap  # noqa: E402

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
        tap.expect_clean(check_headers.check_alone(tree, *COMPILERS))


@tap.claim
def a_header_that_leans_on_another_is_refused():
    with tap.sample(public("int bt_f(size_t n);")) as tree:
        tap.expect_complaint(check_headers.check_alone(tree, *COMPILERS), "does not compile alone as C17")


@tap.claim
def a_public_header_that_is_no_cxx_is_refused():
    with tap.sample(public("int bt_f(int class);")) as tree:
        complaints = check_headers.check_alone(tree, *COMPILERS)
        tap.expect_complaint(complaints, "does not compile alone as C++17")
        tap.expect_clean([c for c in complaints if "as C17" in c])


@tap.claim
def a_public_header_may_not_need_the_inside():
    with tap.sample({**public('#include "base/y.h"'), "src/base/y.h": ""}) as tree:
        tap.expect_complaint(check_headers.check_alone(tree, *COMPILERS), "x.h:1: does not compile alone as C17")


@tap.claim
def a_guard_is_the_path():
    with tap.sample({"src/base/y.h": guarded("BATON_OTHER_H", "")}) as tree:
        tap.expect_complaint(check_headers.check_alone(tree, *COMPILERS), "the guard of its path is BATON_SRC_BASE_Y_H")


HEADERS = {f"include/baton/{path.name}": path.read_text() for path in (pathlib.Path(ROOT) / "include/baton").glob("*.h")}
# Each row plants one violation: a file, a text in it, what takes its place, and the complaint.
PLANTED = [
    ("tokens.h", " * Threads: a counter", " * A counter", "its head has no paragraph that begins `Threads:`"),
    ("tokens.h", "/* Destroy it. NULL is allowed. */\n", "", "bt_tokens_destroy has no comment above it"),
    ("tokens.h", "/* Destroy it. NULL is allowed. */\n", "/* Destroy it. NULL is allowed. */\n\n", "bt_tokens_destroy has no comment above it"),
    ("tokens.h", "/* A counter: an encoding and its cache. */\n", "", "bt_tokens has no comment above it"),
    ("tokens.h", "/* How texts are split into tokens. */\n", "", "bt_encoding has no comment above it"),
    ("tokens.h", "/* Destroy it. NULL is allowed. */", "/* The same for counters. */", "does not stand alone"),
    ("tokens.h", "/* The encoding of that name. BT_EINVAL: the name is unknown. */", "/* The encoding of that name. */", "returns a status, and its comment names none"),
    ("tokens.h", "/* Destroy it. NULL", "/* Destroy it, like bt_inside_free(). NULL", "about bt_inside_free(), which no stable header declares"),
    ("tokens.h", "struct bt_tokens;\n", "struct bt_tokens {\n    int inside;\n};\n", "bt_tokens is transparent"),
    ("tokens.h", "struct bt_tokens;\n", "union bt_tokens {\n    int inside;\n};\n", "bt_tokens is not something that a stable header may hold"),
    ("regex.h", "    uint32_t size;              /*", "    uint64_t size;              /*", "bt_regex_options is a sized struct, and its first member is not"),
    ("base.h", "BT_SIZE_IS(struct bt_position, 8, 8);\n", "", "bt_position is frozen, and its size is not asserted"),
    ("tokens.h", "/* A counter:", "/* A number. */\ntypedef int bt_number;\n\n/* A counter:", "bt_number is a typedef or callback that is not in the list"),
    ("tokens.h", "bt_tokens_destroy(struct bt_tokens *counter)", "bt_tokens_destroy(struct bt_tokens *counter, void (*told)(void))", "takes a callback that has no name"),
    ("tokens.h", "BT_API void bt_tokens_destroy", "void bt_tokens_destroy", "bt_tokens_destroy is not marked BT_API"),
    ("json.h", "static inline size_t bt_json_count(const bt_json_value *value)", "static inline size_t bt_json_count(const struct bt_json_options *value)",
     "bt_json_count is inline and touches bt_json_options, which may grow"),
    ("tokens.h", "/* A counter:", "/* The larger one. */\n#define BT_LARGER(a, b) ((a) > (b) ? (a) : (b))\n\n/* A counter:", "BT_LARGER is a macro that is neither"),
    ("tokens.h", "/* A counter:", "#define BT_TOKENS_MAX 7\n\n/* A counter:", "BT_TOKENS_MAX has no comment above it"),
    ("tokens.h", "uint64_t bt_tokens_estimate(bt_str text)", "time_t bt_tokens_estimate(bt_str text)", "bt_tokens_estimate uses time_t"),
    ("tokens.h", "bt_tokens_destroy(struct bt_tokens *counter)", "bt_tokens_destroy(struct bt_tokens *counter, FILE *file)", "bt_tokens_destroy uses FILE"),
    ("tokens.h", "#include <baton/base.h>", "#include <baton/base.h>\n#include <stdio.h>", "includes <stdio.h>"),
    ("tokens.h", "#include <baton/base.h>", '#include "token/tokens.h"', 'includes "token/tokens.h"'),
]


@tap.claim
def each_violation_in_a_stable_header_is_found():
    for name, old, new, words in PLANTED:
        path = f"include/baton/{name}"
        if HEADERS[path].count(old) != 1:
            raise AssertionError(f"{name} has {old!r} {HEADERS[path].count(old)} times")
        with tap.sample({**HEADERS, path: HEADERS[path].replace(old, new)}) as tree:
            complaints = check_headers.check_stable(tree)
            tap.expect_complaint(complaints, words)
            tap.expect_clean([line for line in complaints if not line.startswith(path)])


@tap.claim
def every_sized_struct_is_tried_in_other_sizes():
    text = (pathlib.Path(ROOT) / "tests/abi/test_zero.c").read_text()
    missing = [name for name in sorted(check_headers.SIZED) if f"ROW({name[3:]}, " not in text]
    tap.expect_clean([f"tests/abi/test_zero.c has no row for {name}" for name in missing])


@tap.claim
def the_stable_headers_are_these_twelve():
    with tap.sample({**HEADERS, "include/baton/more.h": HEADERS["include/baton/tokens.h"]}) as tree:
        tap.expect_complaint(check_headers.check_stable(tree), "include/baton/more.h: is not a stable header")
    with tap.sample({name: text for name, text in HEADERS.items() if not name.endswith("regex.h")}) as tree:
        tap.expect_complaint(check_headers.check_stable(tree), "include/baton/regex.h: is missing")


@tap.claim
def something_deprecated_works_and_the_compiler_names_its_successor():
    text = '#include <baton/base.h>\n#ifdef __cplusplus\nextern "C"\n#endif\nBT_API BT_DEPRECATED("use bt_version_number()") int bt_old(void);\nint main(void)\n{\n    return bt_old();\n}\n'
    for compiler, language in zip(COMPILERS, (["-x", "c", "-std=c17"], ["-x", "c++", "-std=c++17"])):
        def run(*flags):
            return subprocess.run([*compiler, *language, "-I", f"{ROOT}/include", "-Wall", "-Wextra", "-Wpedantic", *flags, "-fsyntax-only", "-"], input=text, capture_output=True, text=True, check=False)
        tap.expect_complaint([run("-Werror").stderr], "deprecated: use bt_version_number()")
        if run("-Werror").returncode == 0 or run("-Werror", "-Wno-deprecated-declarations").returncode != 0:
            raise AssertionError(f"{compiler}: {run('-Werror').returncode} and {run('-Werror', '-Wno-deprecated-declarations').stderr}")


@tap.claim
def frozen_structs_have_their_size_with_pointers_of_32_bits():
    """The machine's libc need not be there for 32 bits: its list of missing functions is the one file that differs."""
    triplet = subprocess.run([*COMPILERS[0], "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
    with tap.sample({"gnu/stubs-32.h": ""}) as tree:
        def run(text):
            return subprocess.run([*COMPILERS[0], "-m32", "-std=c17", "-I", f"{ROOT}/include", "-I", tree, "-idirafter", f"/usr/include/{triplet}", "-fsyntax-only", "-x", "c", "-"], input=text, capture_output=True, text=True, check=False)
        if run("int x;").returncode != 0:
            print("# this compiler makes no code for 32 bits")
            return
        tap.expect_clean([run("#include <baton/baton.h>\n").stderr] if run("#include <baton/baton.h>\n").returncode else [])
        tap.expect_complaint([run("#include <baton/baton.h>\nBT_SIZE_IS(bt_str, 16, 9);\n").stderr], "frozen")


sys.exit(tap.run())
