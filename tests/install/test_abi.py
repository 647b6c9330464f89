# SPDX-License-Identifier: Apache-2.0
"""test_abi.py ROOT BUILD CC - the library has the binary interface that packaging/abi describes; changes are found, and those that
would break a program are not taken in."""
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
CC = shlex.split(sys.argv[3])
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/tree")]

import check_abi  # noqa: E402
import describe_abi  # noqa: E402
import symbol_map  # noqa: E402
import tap  # noqa: E402

PLACE = tempfile.TemporaryDirectory(prefix="baton-abi-")
PLAIN = pathlib.Path(PLACE.name) / "plain"


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


def compile_changed(name, changes, objects):
    """The library with changed headers {path: (old text, new text)}, of which these objects see something."""
    folder, overlay = PLAIN.parent / name, PLAIN.parent / f"{name}-headers"
    shutil.copytree(PLAIN, folder)
    for path, (old, new) in changes.items():
        text = (ROOT / path).read_text()
        if text.count(old) != 1:
            raise AssertionError(f"{path} has {old!r} {text.count(old)} times")
        tap.write(overlay, {path: text.replace(old, new)})
    rows = [path for path in describe_abi.exporting_objects(BUILD) if pathlib.Path(path).name in objects]
    equal(len(rows), len(objects))
    describe_abi.compile_objects(BUILD, rows, folder, overlay)
    return describe_abi.link(BUILD, folder)


def update_copy(library):
    """What an update says about a copy of the description, and whether it was written."""
    copy = PLAIN.parent / "copy.abi"
    copy.write_text(describe_abi.description().read_text())
    before = copy.stat().st_mtime_ns, copy.read_bytes()
    complaints = describe_abi.update(library, copy)
    if complaints:
        equal((copy.stat().st_mtime_ns, copy.read_bytes()), before)
    return complaints


@tap.claim
def the_library_is_as_described():
    PLAIN.mkdir()
    describe_abi.compile_objects(BUILD, describe_abi.exporting_objects(BUILD), PLAIN)
    status, text = describe_abi.compare(describe_abi.link(BUILD, PLAIN))
    if status != 0:
        raise AssertionError(f"{text}\nabidiff: exit {status}. If this is meant, run `script/abi update`; it refuses what would break programs.")


@tap.claim
def a_member_in_the_middle_is_found_and_refused():
    library = compile_changed("middle", {"include/baton/report.h": ("    uint64_t accepted;\n", "    uint64_t planted;\n    uint64_t accepted;\n")}, ["report_report.c.o"])
    equal(describe_abi.compare(library)[0] != 0, True)
    tap.expect_complaint(update_copy(library), "class bt_report_totals: member accepted at bit 128 of type uint64_t is not there")


@tap.claim
def a_removed_function_is_found_and_refused():
    folder = PLAIN.parent / "removed"
    shutil.copytree(PLAIN, folder)
    script = folder / "libbaton.map"
    script.write_text((ROOT / symbol_map.MAP).read_text().replace("    bt_utf8_check;\n", ""))
    library = describe_abi.link(BUILD, folder, script)
    equal(describe_abi.compare(library)[0] != 0, True)
    tap.expect_complaint(update_copy(library), "bt_utf8_check@BATON_0.1: the symbol is gone")


@tap.claim
def a_changed_private_struct_passes():
    """Also one in a private header that is called like a stable one."""
    member = "    const struct bt_token_table *table;"
    library = compile_changed("private", {"src/token/tokens.h": (member, "    int planted;\n" + member)},
                              ["token_count.c.o", "token_encoding.c.o"])
    equal("planted" in describe_abi.describe(library), True)
    equal(describe_abi.compare(library)[0], 0)
    tap.expect_clean(update_copy(library))


@tap.claim
def a_member_at_the_end_of_a_sized_struct_is_found_and_taken_in():
    library = compile_changed("end", {"include/baton/report.h": ("    uint64_t fixed;\n", "    uint64_t fixed;\n    uint64_t planted;\n")}, ["report_report.c.o"])
    equal(describe_abi.compare(library)[0] != 0, True)
    tap.expect_clean(update_copy(library))
    equal("planted" in (PLAIN.parent / "copy.abi").read_text(), True)


HEADER = """#include <stdint.h>
enum bt_kind { BT_KIND_A = 1, BT_KIND_B };
struct bt_sized { uint32_t size; uint32_t depth; uint64_t count; };
struct bt_frozen { uint32_t a; uint32_t b[2]; };
typedef int bt_fn(void *context, const struct bt_frozen *frozen);
struct bt_handle;
__attribute__((visibility("default"))) int bt_f(struct bt_sized *sized, const struct bt_frozen *frozen, enum bt_kind kind, bt_fn *fn, struct bt_handle *handle);
"""
SOURCE = '#include "include/baton/x.h"\nstruct bt_handle { int inside; };\nint bt_f(struct bt_sized *sized, const struct bt_frozen *frozen, enum bt_kind kind, bt_fn *fn, struct bt_handle *handle)\n' \
    "{\n    return (int)sized->size + fn(0, frozen) + (int)kind + handle->inside;\n}\n"


def describe_small(old="", new=""):
    """The description of a library of one function, with a change in both files."""
    with tap.sample({"include/baton/x.h": HEADER.replace(old, new) if old else HEADER, "x.c": SOURCE.replace(old, new) if old else SOURCE,
                     "x.map": "BATON_0.1 { global: bt_f; local: *; };\n"}) as name:
        subprocess.run([*CC, "-g", "-O0", "-fPIC", "-shared", "-Wl,--version-script=x.map", "x.c", "-o", "x.so"], check=True, cwd=name)
        return subprocess.run(["abidw", "--headers-dir", "include/baton", "--no-comp-dir-path", "--no-corpus-path", "x.so"], check=True, cwd=name, capture_output=True, text=True).stdout


@tap.claim
def each_way_to_break_a_program_is_refused():
    plain = describe_small()
    for old, new, words in (("BT_KIND_A = 1, BT_KIND_B", "BT_KIND_A = 1, BT_KIND_NEW, BT_KIND_B", "enum bt_kind: BT_KIND_B is 3 instead of 2"),
                            ("BT_KIND_A = 1, BT_KIND_B", "BT_KIND_A = 1, BT_KIND_B, BT_KIND_NEW = 1", "the new value BT_KIND_NEW has the number of another"),
                            ("BT_KIND_A = 1, BT_KIND_B", "BT_KIND_A = 1", "BT_KIND_B is missing"),
                            ("uint64_t count;", "uint32_t count;", "class bt_sized: member count at bit 64 of type uint64_t is not there"),
                            ("uint32_t depth; uint64_t", "uint64_t", "class bt_sized: member depth"),
                            ("uint32_t b[2];", "uint32_t b[2]; uint32_t c;", "class bt_frozen: it is not a sized struct"),
                            ("uint32_t b[2];", "uint32_t b[3];", "class bt_frozen: member b"),
                            ("typedef int bt_fn(void *context", "typedef int bt_fn(int context", "typedef bt_fn: int (int, bt_frozen const *) instead of int (void *, bt_frozen const *)"),
                            ("struct bt_frozen", "struct bt_other", "class bt_frozen: the type is gone"),
                            ("enum bt_kind kind, bt_fn", "unsigned kind, bt_fn", "bt_f@BATON_0.1: int (")):
        tap.expect_complaint(check_abi.check(plain, describe_small(old, new)), words)
    tap.expect_complaint(check_abi.check("<abi-corpus/>", plain), "no symbols or no types")


@tap.claim
def compatible_changes_pass():
    plain = describe_small()
    tap.expect_clean(check_abi.check(plain, plain))
    for old, new in (("BT_KIND_B", "BT_KIND_B, BT_KIND_C"), ("uint64_t count;", "uint64_t count; uint64_t more;"), ("{ int inside", "{ long first; int inside")):
        changed = describe_small(old, new)
        equal(changed != plain, True)
        tap.expect_clean(check_abi.check(plain, changed))


if "x86_64" not in subprocess.run([*CC, "-dumpmachine"], capture_output=True, text=True, check=True).stdout:
    print("1..0 # SKIP the description in packaging/abi is that of x86-64")
    sys.exit(0)
CODE = tap.run()
PLACE.cleanup()
sys.exit(CODE)
