# SPDX-License-Identifier: Apache-2.0
"""test_symbols.py STATIC CC - the built library keeps no state."""
import pathlib
import shlex
import subprocess
import sys

import check_globals
import tap

STATIC = sys.argv[1]
CC = shlex.split(sys.argv[2])
SOURCE = "static const int table = 1;\nconst int *bt_f(void);\nconst int *bt_f(void)\n{\n    return &table;\n}\n"


def build(tree, source):
    """Compile one file: the path of its object."""
    folder = pathlib.Path(tree)
    (folder / "x.c").write_text(source)
    subprocess.run([*CC, "-fPIC", "-fvisibility=hidden", "-c", str(folder / "x.c"), "-o", str(folder / "x.o")], check=True)
    return str(folder / "x.o")


@tap.claim
def the_library_has_nothing_writable_at_file_scope():
    tap.expect_clean(check_globals.check([STATIC]))


@tap.claim
def constant_tables_pass():
    with tap.sample({}) as tree:
        source = SOURCE + 'static const char *const names[] = {"a", "b"};\nconst void *bt_g(void);\n' \
            "const void *bt_g(void)\n{\n    return names;\n}\n"
        tap.expect_clean(check_globals.check([build(tree, source)]))


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
            tap.expect_complaint(check_globals.check([build(tree, SOURCE + line + ("\n" if name == "inside" else use))]), name)


sys.exit(tap.run())
