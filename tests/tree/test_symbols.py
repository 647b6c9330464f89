# SPDX-License-Identifier: Apache-2.0
"""test_symbols.py INCLUDE SHARED STATIC CC - the built library keeps no state and exports its headers."""
import pathlib
import shlex
import subprocess
import sys

import check_exports
import check_globals
import tap

INCLUDE, SHARED, STATIC = sys.argv[1:4]
CC = shlex.split(sys.argv[4])
API = '#define BT_API __attribute__((visibility("default")))\n'
HEADER = API + "BT_API const int *bt_f(void);\n"
SOURCE = '#include "x.h"\nstatic const int table = 1;\nconst int *bt_f(void)\n{\n    return &table;\n}\n'


def build(tree, header, source):
    """Compile a library of one file: the arguments of check_exports.check()."""
    folder = pathlib.Path(tree)
    (folder / "include").mkdir()
    (folder / "include/x.h").write_text(header)
    (folder / "x.c").write_text(source)
    flags = ["-fPIC", "-fvisibility=hidden", "-I", str(folder / "include")]
    subprocess.run([*CC, *flags, "-c", str(folder / "x.c"), "-o", str(folder / "x.o")], check=True)
    subprocess.run([*CC, "-shared", str(folder / "x.o"), "-o", str(folder / "x.so")], check=True)
    return folder / "include", folder / "x.so", folder / "x.o"


@tap.claim
def the_library_has_nothing_writable_at_file_scope():
    tap.expect_clean(check_globals.check([STATIC]))


@tap.claim
def the_library_exports_what_its_headers_declare():
    tap.expect_clean(check_exports.check(INCLUDE, SHARED, STATIC))


@tap.claim
def constant_tables_pass():
    with tap.sample({}) as tree:
        source = SOURCE + 'static const char *const names[] = {"a", "b"};\nconst void *bt_g(void);\n' \
            "const void *bt_g(void)\n{\n    return names;\n}\n"
        files = build(tree, HEADER, source)
        tap.expect_clean(check_globals.check([str(files[2])]))
        tap.expect_clean(check_exports.check(*files))


@tap.claim
def every_kind_of_writable_data_is_refused():
    for name, line in {
        "zeroed": "int zeroed;", "hidden": "static int hidden = 1;", "pointer": 'const char *pointer = "a";',
        "inside": "int bt_g(void);\nint bt_g(void)\n{\n    static int inside;\n    return ++inside;\n}",
        "each": "_Thread_local int each;", "each_set": "_Thread_local int each_set = 1;",
        "common": "__attribute__((common)) int common;",
    }.items():
        with tap.sample({}) as tree:
            use = f"\nvoid *bt_schema_block_ref(void);\nvoid *bt_schema_block_ref(void)\n{{\n    return (void *)&{name};\n}}\n"
            files = build(tree, HEADER, SOURCE + line + ("\n" if name == "inside" else use))
            tap.expect_complaint(check_globals.check([str(files[2])]), name)


@tap.claim
def an_export_that_no_header_declares_is_refused():
    with tap.sample({}) as tree:
        files = build(tree, HEADER, SOURCE + "BT_API int bt_secret(void);\nint bt_secret(void)\n{\n    return 1;\n}\n")
        tap.expect_complaint(check_exports.check(*files), "bt_secret is exported but not declared")


@tap.claim
def a_declaration_without_a_function_is_refused():
    with tap.sample({}) as tree:
        files = build(tree, HEADER + "BT_API enum bt_status bt_later(const char *format,\n    ...);\n", SOURCE)
        tap.expect_complaint(check_exports.check(*files), "bt_later is declared but not exported")


@tap.claim
def a_shared_name_without_the_prefix_is_refused():
    with tap.sample({}) as tree:
        files = build(tree, HEADER, SOURCE + "int helper(void);\nint helper(void)\n{\n    return 1;\n}\n")
        tap.expect_complaint(check_exports.check(*files), "helper is visible to other files")


sys.exit(tap.run())
