# SPDX-License-Identifier: Apache-2.0
"""test_pages.py BATON [BUILD] [PAGE...] - every command of README.md and docs/ does what its page says.

BATON is the program; BUILD, a build folder, gives the library to pages that compile a program. Without BUILD these pages use an installed
library, and are left out where there is none.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tree"))

import tap  # noqa: E402
from page_runner import PageError, run_page  # noqa: E402

BATON = str(pathlib.Path(sys.argv[1]).resolve())
BUILD = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 and pathlib.Path(sys.argv[2]).is_dir() else None
CHOSEN = [pathlib.Path(name).resolve() for name in sys.argv[2:] if name.endswith(".md")]
PAGES = CHOSEN or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LIBRARY = {"PKG_CONFIG_PATH": str(BUILD / "meson-uninstalled"), "LD_LIBRARY_PATH": str(BUILD / "src"), "PYTHONPATH": str(BUILD / "sdk/python")} if BUILD else {}
# Pages that import the package need its extension, which a build without the headers of Python does not have.
HAS_PACKAGE = BUILD and (BUILD / "sdk/python/baton/_core.abi3.so").is_file()
IMPORT = re.compile(r"\bimport baton\b")
# Pages that must show something: without these, a runner that runs nothing would pass.
SHOWING = {"README.md": 1, "docs/hooks.md": 3, "docs/migrate/universal.md": 10}
count = {}


def page_claim(path):
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)

    def test():
        try:
            count[name] = run_page(path.read_text(encoding="utf-8"), BATON, ROOT, LIBRARY)
        except PageError as wrong:
            raise AssertionError(f"{name}: {wrong}") from None
    test.__name__ = f"what_{name} shows happens"
    tap.claim(test)


def has_library():
    return bool(BUILD) or subprocess.run(["pkg-config", "--exists", "baton"], capture_output=True, check=False).returncode == 0


HAS_LIBRARY = has_library()


def can_run(page):
    text = page.read_text(encoding="utf-8")
    return ("pkg-config" not in text or HAS_LIBRARY) and (not IMPORT.search(text) or HAS_PACKAGE)


TRIED = [page for page in PAGES if can_run(page)]
for tried in TRIED:
    page_claim(tried)


# What the words of the README stand for that a reader fills in.
FILLED = {"baton new universal …": "baton new universal --source planner --target builder --summary 'Build the fix.'",
          "baton new plan …": "baton new plan --step planner=Plan --step builder=Build --payload change-list",
          "baton govern verify-root --root DIR": "baton govern verify-root --root examples/governed/catalogue",
          "baton pump check organism.yaml": "cd examples/pump && baton pump check organism.yaml"}


@tap.claim
def the_commands_of_the_dialect_table_work():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("## Which dialect?")[2].partition("\n## ")[0]
    starts = [row.split("|")[5].strip().strip("`") for row in table.splitlines() if row.startswith("| [")]
    if len(starts) != 5:
        raise AssertionError(f"{len(starts)} dialects")
    for start in starts:
        run_page(f"```sh\n{FILLED.get(start, start)}\n```\n", BATON, ROOT)


@tap.claim
def the_readme_is_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    parts = "\n".join(lines).partition("## Start in two minutes")[2].partition("\n## ")[0].split("\n### ")[1:]
    if len(lines) > 160 or len(parts) != 4:
        raise AssertionError(f"{len(lines)} lines, {len(parts)} starts")
    for part in parts:
        block = part.partition("```console")[2].partition("```")[0].splitlines()[1:]
        if len(block) > 8:
            raise AssertionError(f"{part.splitlines()[0]}: {len(block)} lines")


@tap.claim
def the_pages_show_commands():
    for name, least in SHOWING.items() if not CHOSEN else ():
        if ROOT / name in TRIED and count.get(name, 0) < least:
            raise AssertionError(f"{name} ran {count.get(name)} commands, at least {least} are expected")
    print(f"# {sum(count.values())} commands on {sum(1 for number in count.values() if number)} pages")


def fails(text):
    try:
        run_page(text, BATON)
    except PageError:
        return True
    return False


GOOD = ("```json file=a/x.json\n{\"a\":1}\n```\n\n```console\n$ baton json canon a/x.json\n{\"a\":1}\n$ baton check a/gone.json\n…\n[exit 2]\n```\n"
        "\n```\n$ cat > b.txt <<'EOF'\none\ntwo\nEOF\n$ cat b.txt\none\ntwo\n```\n"
        "\n```\n$ echo seen >&2 && echo 12 of 34\nseen\n12 … 34\n$ cd a && x=1\n$ echo $x && ls\n1\nx.json\n```\n")
WRONG = {
    "another_output": ("\n{\"a\":1}\n$ baton check", "\n{\"a\":2}\n$ baton check"),
    "another_exit_code": ("[exit 2]", "[exit 1]"),
    "an_exit_code_that_is_not_shown": ("[exit 2]\n", ""),
    "a_failure_without_output": ("$ cd a", "$ false\n$ cd a"),
    "another_file": ("file=a/x.json", "file=a/y.json"),
    "output_that_is_not_shown": ("\n…\n", "\n"),
    "output_that_does_not_come": ("$ cd a", "$ true\nmore\n$ cd a"),
    "words_before_the_first_command": ("console\n$", "console\nwords\n$"),
    "a_file_outside": ("file=a/", "file=../a/"),
    "another_word_beside_an_ellipsis": ("12 … 34", "12 … 35"),
    "a_here_document_without_an_end": ("\nEOF\n", "\n"),
    "a_shell_line_that_fails": ("```console\n", "```sh\nfalse\n```\n\n```console\n"),
    "a_command_that_ends_the_shell": ("$ cd a", "$ exit 3\n[exit 3]\n$ cd a"),
    "a_block_that_is_not_closed": ("x.json\n```\n", "x.json\n"),
    "commands_that_are_not_run": ("```console\n", "```\nbaton version\n```\n\n```console\n"),
    "commands_in_an_indented_block": ("```console\n", "\n    baton version\n\n```console\n"),
    "a_background_command_that_prints_something_else": ("$ cd a", "$ echo this &\nthat\n$ cd a"),
}


@tap.claim
def a_good_page_passes():
    if (commands := run_page(GOOD, BATON)) != 7:
        raise AssertionError(f"{commands} commands")
    if (commands := run_page("```console\n$ echo a \\\n    b\na b\n```\n\n```sh\necho a \\\n  > f\ntest -s f\n```\n", BATON)) != 3:
        raise AssertionError(f"{commands} commands")


@tap.claim
def a_server_on_a_page_gets_a_port_of_its_own():
    text = ("```\n$ baton serve --no-store &\nbaton: ready http://127.0.0.1:8420\n…\n"
            "$ python3 -c 'import urllib.request as r; print(r.urlopen(\"http://127.0.0.1:8420/healthz\").status)'\n200\n```\n")
    run_page(text, BATON)
    run_page(text, BATON)


@tap.claim
def a_block_runs_in_the_folder_that_it_names():
    run_page("```console in=a/b\n$ pwd | grep -o a/b\na/b\n$ cd ..\n```\n```\n$ ls\na\n```\n", BATON)
    if not fails("```console in=a\n$ ls -d a\na\n```\n"):
        raise AssertionError("the block ran in the folder of the page")
    run_page("```console in=a\n$ sleep 100 &\n```\n```\n$ kill -0 $! 2>gone || echo ended\nended\n```\n", BATON)


@tap.claim
def commands_with_a_reason_are_not_run():
    if run_page("```sh norun=needs-root\nfalse\n```\n", BATON) != 0:
        raise AssertionError("it was run")


def wrong_claim(name, old, new):
    def test():
        if old not in GOOD:
            raise AssertionError(f"{old!r} is not in the sample")
        import page_runner
        before, page_runner.TIMEOUT_S = page_runner.TIMEOUT_S, 2
        try:
            if not fails(GOOD.replace(old, new, 1)):
                raise AssertionError("the page passed")
        finally:
            page_runner.TIMEOUT_S = before
    test.__name__ = f"a_page_with_{name}_fails"
    tap.claim(test)


for wrong, (before, after) in WRONG.items():
    wrong_claim(wrong, before, after)
sys.exit(tap.run())
