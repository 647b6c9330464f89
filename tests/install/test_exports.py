# SPDX-License-Identifier: Apache-2.0
"""test_exports.py ROOT SHARED INSIDE ARCHIVE CC - programs can link to what the headers declare, with versions, and to nothing else."""
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT, SHARED, INSIDE, ARCHIVE = sys.argv[1:5]
CC = shlex.split(sys.argv[5])
sys.path[:0] = [str(pathlib.Path(ROOT) / "tools"), str(pathlib.Path(ROOT) / "tests/tree")]

import check_exports  # noqa: E402
import join_library  # noqa: E402
import symbol_map  # noqa: E402
import tap  # noqa: E402

API = '#define BT_API __attribute__((visibility("default")))\n#define BT_DEPRECATED(text) __attribute__((deprecated(text)))\n'
HEADER = API + "BT_API int bt_f(int number);\n"
SOURCE = '#include "x.h"\nint bt_hidden(int number);\nint bt_hidden(int number)\n{\n    return number + 1;\n}\n' \
    "int bt_f(int number)\n{\n    return bt_hidden(number);\n}\n"
MAP = "BATON_0.1 {\nglobal:\n    bt_f;\nlocal: *;\n};\n"


def compile_library(tree, header=HEADER, source=SOURCE, script=MAP, uses_script=True):
    """Make a library of one file as the build makes ours: the arguments of check_exports.check()."""
    folder = pathlib.Path(tree)
    tap.write(folder, {"include/x.h": header, "x.c": source, "src/libbaton.map": script})
    subprocess.run([*CC, "-fPIC", "-fvisibility=hidden", "-I", str(folder / "include"), "-c", str(folder / "x.c"), "-o", str(folder / "x.o")], check=True)
    versions = [f"-Wl,--version-script={folder}/src/libbaton.map"] if uses_script else []
    subprocess.run([*CC, "-shared", str(folder / "x.o"), *versions, "-o", str(folder / "x.so")], check=True)
    subprocess.run(["ar", "crs", str(folder / "inside.a"), str(folder / "x.o")], check=True)
    join_library.join("objcopy", "ar", folder / "inside.a", folder / "x.a", CC)
    return folder, folder / "x.so", folder / "inside.a", folder / "x.a"


def refused(words, **how):
    with tap.sample({}) as tree:
        tap.expect_complaint(check_exports.check(*compile_library(tree, **how)), words)


@tap.claim
def the_library_exports_what_its_headers_declare():
    tap.expect_clean(check_exports.check(ROOT, SHARED, INSIDE, ARCHIVE))


@tap.claim
def a_small_library_passes():
    with tap.sample({}) as tree:
        tap.expect_clean(check_exports.check(*compile_library(tree)))


@tap.claim
def an_export_that_no_header_declares_is_refused():
    more = "BT_API int bt_secret(void);\nint bt_secret(void)\n{\n    return 1;\n}\n"
    refused("bt_secret is exported but not declared", source=SOURCE + more, script=MAP.replace("bt_f;", "bt_f; bt_secret;"))
    refused("bt_secret is in the static library but not declared", source=SOURCE + more)


@tap.claim
def a_declaration_without_a_function_is_refused():
    later = 'BT_API BT_DEPRECATED("use bt_f (it is better)") int bt_later(const char *format,\n    ...);\n'
    refused("bt_later is declared but not exported", header=HEADER + later)
    refused("bt_later is declared but not in the static library", header=HEADER + later)


@tap.claim
def a_symbol_without_its_version_is_refused():
    refused("bt_f has the version nothing instead of BATON_0.1", uses_script=False)
    two = MAP.replace("    bt_f;\nlocal: *;\n", "    bt_other;\n") + "BATON_0.2 {\nglobal:\n    bt_f;\nlocal: *;\n} BATON_0.1;\n"
    refused("src/libbaton.map: bt_other is not exported", script=two)


@tap.claim
def too_many_exports_are_refused():
    names = [f"bt_f{i}" for i in range(check_exports.EXPORTS_MAX + 1)]
    refused("200 symbols are exported, at most 199", header=API + "".join(f"BT_API int {name}(void);\n" for name in names), script=MAP.replace("bt_f;", "bt_f*;"),
            source='#include "x.h"\n' + "".join(f"int {name}(void)\n{{\n    return 1;\n}}\n" for name in names))


@tap.claim
def a_shared_name_without_the_prefix_is_refused():
    refused("helper is visible to other files", source=SOURCE + "int helper(void);\nint helper(void)\n{\n    return 1;\n}\n")


@tap.claim
def a_program_cannot_link_to_the_inside():
    """With the archive of the build it can, so the refusal comes from the symbols."""
    program = "int {0}(int number);\nint main(void)\n{{\n    return {0}(-1);\n}}\n"
    with tap.sample({"public.c": program.format("bt_f"), "inside.c": program.format("bt_hidden")}) as tree:
        folder, shared, inside, archive = compile_library(tree)
        for name, library, links in (("public", archive, True), ("public", shared, True), ("inside", archive, False), ("inside", shared, False), ("inside", inside, True)):
            done = subprocess.run([*CC, str(folder / f"{name}.c"), str(library), "-o", str(folder / "program")], capture_output=True, text=True, check=False)
            if (done.returncode == 0) != links:
                raise AssertionError(f"{name}.c with {library.name}: {done.stderr}")


@tap.claim
def the_nodes_are_those_that_were_released():
    tap.expect_clean(symbol_map.check(ROOT))


FILES = {"src/libbaton.map": "BATON_0.1 {\nglobal:\n    bt_a;\n    bt_b;\n};\nBATON_0.2 {\nglobal:\n    bt_c;\nlocal: *;\n} BATON_0.1;\n",
         "packaging/abi/released": "# nothing\n", "packaging/abi/GENERATION": "0\n", "include/baton/version.h": "#define BT_ABI 0\n",
         "packaging/debian/control": "Package: libbaton0\n", "packaging/debian/rules": "\techo 'libbaton.so.0 libbaton0 #MINVER#'\n"}


def copy_released(tree):
    """A tree whose nodes are both released."""
    tap.write(tree, FILES)
    found = symbol_map.nodes(FILES["src/libbaton.map"])
    (pathlib.Path(tree) / "packaging/abi/released").write_text("".join(f"{node.name} {node.digest()}\n" for node in found))


@tap.claim
def a_released_node_that_changes_is_refused():
    for old, new, words in (("    bt_b;\n", "", "BATON_0.1 was released and has changed"),
                            ("    bt_b;\n", "    bt_b;\n    bt_d;\n", "BATON_0.1 was released and has changed"),
                            ("bt_a", "bt_aa", "BATON_0.1 was released and has changed"),
                            ("BATON_0.2", "BATON_0.3", "BATON_0.2 was released and is gone"),
                            ("} BATON_0.1", "}", "BATON_0.2 depends on nothing, not on BATON_0.1")):
        with tap.sample({}) as tree:
            copy_released(tree)
            tap.expect_clean(symbol_map.check(tree))
            path = pathlib.Path(tree) / "src/libbaton.map"
            path.write_text(path.read_text().replace(old, new))
            tap.expect_complaint(symbol_map.check(tree), words)


@tap.claim
def a_new_node_after_the_released_ones_passes():
    with tap.sample({}) as tree:
        copy_released(tree)
        path = pathlib.Path(tree) / "src/libbaton.map"
        path.write_text(path.read_text().replace("local: *;\n", "") + "BATON_1.0 {\nglobal: bt_e;\nlocal: *;\n} BATON_0.2;\n")
        tap.expect_clean(symbol_map.check(tree))
        path.write_text(path.read_text().replace("local: *;\n", "") + "BATON_1.1 {\nglobal: bt_f;\nlocal: *;\n} BATON_1.0;\n")
        tap.expect_complaint(symbol_map.check(tree), "only the newest node may be missing")


@tap.claim
def the_form_of_nodes_is_checked():
    for text, words in (("", "no node"), (MAP.replace("_0.1", "_x"), "not BATON_MAJOR.MINOR"), (MAP.replace("local: *;\n", ""), "ends with `local: *`"),
                        (MAP.replace("bt_f;", "bt_f;\n    bt_a;"), "not sorted"), (MAP.replace("bt_f", "bt_*"), "ends with `local: *`"),
                        (FILES["src/libbaton.map"].replace("bt_c", "bt_a"), "bt_a is in two nodes"),
                        (FILES["src/libbaton.map"].replace("0.2", "0.0"), "BATON_0.0 follows BATON_0.1")):
        tap.expect_complaint(symbol_map.check_nodes(symbol_map.nodes(text)), words)


@tap.claim
def a_release_lists_its_nodes_and_no_younger_ones():
    first = FILES["src/libbaton.map"].split("BATON_0.2")[0].replace("};", "local: *;\n};")
    with tap.sample({**FILES, "src/libbaton.map": first}) as tree:
        listed = pathlib.Path(tree) / "packaging/abi/released"
        tap.expect_clean(symbol_map.release(tree, "0.1.0"))
        tap.write(tree, {"src/libbaton.map": FILES["src/libbaton.map"]})
        before = listed.read_text()
        tap.expect_complaint(symbol_map.release(tree, "0.1.1"), "BATON_0.2 has symbols that are younger than 0.1.1")
        if listed.read_text() != before or not before.splitlines()[1].startswith("BATON_0.1 "):
            raise AssertionError(before)
        tap.expect_clean(symbol_map.release(tree, "0.2.0"))
        if not listed.read_text().startswith(before) or len(listed.read_text().splitlines()) != 3:
            raise AssertionError(listed.read_text())


@tap.claim
def every_place_has_the_generation():
    for name, text in FILES.items():
        if "0\n" in text and name.startswith(("include", "packaging/debian", "packaging/abi/GEN")) or "libbaton0" in text:
            with tap.sample({**FILES, name: text.replace("0", "1")}) as tree:
                tap.expect_complaint(symbol_map.check(tree), "generation")
    with tap.sample({**FILES, "packaging/abi/GENERATION": "0.1\n"}) as tree:
        tap.expect_complaint(symbol_map.check(tree), "not a number")


if not shutil.which("objcopy"):
    sys.exit("objcopy is missing: install binutils")
sys.exit(tap.run())
