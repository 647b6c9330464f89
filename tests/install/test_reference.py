# SPDX-License-Identifier: Apache-2.0
"""test_reference.py ROOT - docs/reference is what tools/gen_reference.py makes of the headers, and its manual pages are clean."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/tree")]

import gen_reference  # noqa: E402
import tap  # noqa: E402


def copy_tree(folder):
    """What the reference is made from, and the reference."""
    for name in ("include", "docs/reference"):
        shutil.copytree(ROOT / name, pathlib.Path(folder) / name)
    shutil.copy(ROOT / "CHANGELOG.md", folder)
    return pathlib.Path(folder)


def change(tree, name, old, new):
    text = (tree / name).read_text()
    if text.count(old) != 1:
        raise AssertionError(f"{name} has {old!r} {text.count(old)} times")
    (tree / name).write_text(text.replace(old, new))


@tap.claim
def the_reference_is_that_of_the_headers():
    tap.expect_clean(gen_reference.check(ROOT))


@tap.claim
def a_changed_comment_makes_both_pages_stale():
    with tap.sample({}) as folder:
        tree = copy_tree(folder)
        change(tree, "include/baton/tokens.h", "/* A counter: an encoding and its cache. */", "/* A counter. */")
        complaints = gen_reference.check(tree)
        for name in ("tokens.md", "man3/baton_tokens.3"):
            tap.expect_complaint(complaints, f"docs/reference/{name} is stale")
        if len(complaints) != 2:
            raise AssertionError(complaints)


@tap.claim
def pages_too_many_and_too_few_are_found():
    with tap.sample({}) as folder:
        tree = copy_tree(folder)
        (tree / "docs/reference/old.md").write_text("# old.h\n")
        (tree / "docs/reference/man3/libbaton.3").unlink()
        tap.expect_complaint(gen_reference.check(tree), "docs/reference/old.md is not made from a header")
        tap.expect_complaint(gen_reference.check(tree), "docs/reference/man3/libbaton.3 is missing")


@tap.claim
def something_deprecated_says_so_on_its_pages():
    with tap.sample({}) as folder:
        tree = copy_tree(folder)
        change(tree, "include/baton/tokens.h", "BT_API uint64_t bt_tokens_estimate(", 'BT_API BT_DEPRECATED("use bt_tokens_count()") uint64_t bt_tokens_estimate(')
        made = gen_reference.pages(tree)
        tap.expect_complaint([made["tokens.md"]], "Deprecated: use [bt_tokens_count()](#bt_tokens_count).")
        tap.expect_complaint([made["man3/baton_tokens.3"]], "\nDeprecated: use bt_tokens_count().\n")
        if "bt_tokens_estimate.3" not in gen_reference.man_links(tree):
            raise AssertionError("the page of bt_tokens_estimate is gone")
        if any("Deprecated: " in text for text in gen_reference.pages(ROOT).values()):
            raise AssertionError("something is deprecated today; this control shows nothing")


@tap.claim
def mandoc_has_no_complaint():
    def lint(paths):
        return subprocess.run(["mandoc", "-T", "lint", *map(str, paths)], capture_output=True, text=True, check=False).stdout
    tap.expect_clean(lint(sorted((ROOT / "docs/reference/man3").glob("*.3"))).splitlines())
    with tap.sample({"bad.3": ".TH BAD 3\n.SH NAME\n.SS x\n"}) as folder:
        tap.expect_complaint([lint([pathlib.Path(folder) / "bad.3"])], "WARNING")


@tap.claim
def every_function_and_type_leads_to_its_page():
    links = gen_reference.man_links(ROOT)
    for name, page in (("bt_json_read", "json"), ("bt_call", "call"), ("bt_json_options", "json"), ("BT_INIT", "base"), ("bt_engine", "call"), ("baton_done_fn", "handler")):
        if links.get(f"{name}.3") != f".so man3/baton_{page}.3\n":
            raise AssertionError(f"{name}: {links.get(name + '.3')}")


sys.exit(tap.run())
