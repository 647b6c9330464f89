# SPDX-License-Identifier: Apache-2.0
"""test_source.py - in a bare Debian root with the packages of `script/bootstrap build`, script/install builds and installs Baton from a clone.

The four first minutes of docs/start and the tutorial run whole, with the installation that they show; so do the pages that compile a program
against the installed library. Removing leaves no file. It takes as long as a build of everything, so `script/test --long` runs it.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/docs"), str(ROOT / "tests/tree")]

import bare_root  # noqa: E402
import page_runner  # noqa: E402
import sessions  # noqa: E402
import tap  # noqa: E402

CLONE, PROGRAM = "/opt/baton", "/usr/local/bin/baton"
BUILD_S = 3600
page_runner.TIMEOUT_S = BUILD_S


def copy_clone(target):
    """The files of a clone: those of the commit, with changes that are not committed yet."""
    listed = subprocess.run(["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode != 0:
        shutil.copytree(ROOT, target, symlinks=True, ignore=shutil.ignore_patterns("build", ".git"))
        return
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def installed(bare):
    return sorted(str(path.relative_to(bare)) for path in (bare / "usr/local").rglob("*"))


def expect(function, *words, **options):
    try:
        function(*words, **options)
    except page_runner.PageError as wrong:
        raise AssertionError(str(wrong)) from None


def add_claims(bare, before):
    @tap.claim
    def nothing_is_installed_at_first():
        try:
            sessions.run_session("$ baton version\nbaton …\n", PROGRAM, bare, CLONE)
        except page_runner.PageError:
            return
        raise AssertionError("baton is there before it is installed")
    for path in sessions.SESSIONS:
        def first_minute(path=path):
            expect(sessions.run_session, path.read_text(encoding="utf-8"), PROGRAM, bare, CLONE)
        first_minute.__name__ = f"the_first_minute_of_{path.stem} happens, from the clone on"
        tap.claim(first_minute)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if "pkg-config" in text or "norun=installs-the-program" in text:
            def page(path=path, text=text):
                expect(page_runner.run_page, text, PROGRAM, ROOT, bare=bare, clone=CLONE)
            page.__name__ = f"what_{path.relative_to(ROOT)} shows happens with what was installed"
            tap.claim(page)

    @tap.claim
    def removing_leaves_no_file():
        listed = [line.rstrip("/") for line in (bare / "usr/local/share/baton/files.txt").read_text().splitlines()]
        if sorted(f"usr/local/{name}" for name in listed) != [name for name in installed(bare) if name not in before]:
            raise AssertionError("files.txt does not list what was installed")
        expect(page_runner.run_page, f"```sh\n{CLONE}/script/install --uninstall\n```\n", PROGRAM, bare=bare)
        if installed(bare) != before:
            raise AssertionError(f"left: {sorted(set(installed(bare)) - set(before))}")


def main():
    with tempfile.TemporaryDirectory(prefix="baton-source-", ignore_cleanup_errors=True) as place:
        bare = pathlib.Path(place).resolve()
        needed = re.search(r"^ *build\) echo (.*) ;;$", (ROOT / "script/bootstrap").read_text(), re.M)[1].split()
        try:
            packages = bare_root.make(bare, more=needed)
        except bare_root.BareRootError as reason:
            print(f"1..0 # SKIP {reason}")
            return 0
        print(f"# {len(packages)} packages")
        copy_clone(bare / CLONE.lstrip("/"))
        add_claims(bare, installed(bare))
        return tap.run()


sys.exit(main())
